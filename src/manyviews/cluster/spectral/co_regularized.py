"""Spectral embeddings of several graphs that are drawn towards each other [@kumar2013]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.base import Run
from manyviews.maths import (
    Gram,
    LowRank,
    Ordered,
    fix_signs,
    gram_eigenvectors,
    in_order,
    inverse_root_degrees,
    is_connected,
    leading_eigenvectors,
    operator_eigenvectors,
    scaled,
)
from manyviews.typing import BoolArray, FloatArray, is_sparse

_ROUNDING = 200
"""Sums are right to so many times the precision of numbers, as in ``manyviews.maths``."""
_FINEST = 1e-9
"""Residual of eigenvectors below which nothing is gained."""
_BEGINNING = 1e-4
"""Residual of the eigenvectors of each view alone, if steps follow that will mend it."""
_BLOCKS = 6
"""A space holds so many times as many vectors as an embedding before it is condensed. By Gaussians
on 5,000 objects it ends in 12 steps within 6e-4 of the end; with 4, in 13 within 1.3e-3."""
_WHOLE = 1.5
"""Matrices that are no larger than this many full spaces are solved whole."""
_SMALL = 150
"""The same up to this size in any case."""
_INNER_STEPS = 5
"""Largest number of joint steps within the same spaces: with 1, thrice as many spaces are needed
for 10 clusters of 2,000 objects, with 3 a few more."""
_INNER = 0.1
"""Joint steps within spaces end when they move this share of what the last spaces have brought."""
_LOST = 1e-6
"""Directions shorter than this share of the longest are rounding, and left out of a space."""
_STRIDES = 4
"""Steps from whose lengths it is judged how they shrink; single ratios of them go up and down."""
_DEPTH = 5
"""Steps that are mixed; usual for Anderson's method, and each is kept in memory."""
_DEPENDENT = 1e-8
"""Steps whose differences depend on each other to this share are not told apart."""
_STRETCHES = (2.0, 4.0, 8.0, 16.0)
"""How many times a step away from a saddle is taken at most: half of the steps on 100 clusters."""
_STILL = 1e-6
"""A first step that moves no more than this is no step, and there is none before to compare it."""


@dataclass(frozen=True)
class Graph:
    """``D^{-1/2} K D^{-1/2}``; unless ``K`` is sparse, it is what it does to vectors, no copy."""

    gram: Gram
    scale: FloatArray
    """``1 / sqrt(d)`` of each object."""
    normalised: Gram | Ordered | None = None
    """The matrix itself, if ``K`` is sparse."""

    @classmethod
    def of(cls, gram: Gram) -> Graph:
        """Normalise similarities by their degrees."""
        scale = inverse_root_degrees(gram)
        if is_sparse(gram):
            return cls(gram, scale, in_order(scaled(gram, scale, scale)))
        return cls(gram, scale)

    @property
    def rounding(self) -> float:
        """Below this, the accuracy of eigenvectors is not to be had in the precision given."""
        single = isinstance(self.gram, np.ndarray) and self.gram.dtype == np.float32
        return _ROUNDING * float(np.finfo(np.float32 if single else np.float64).eps)

    def __len__(self) -> int:
        return len(self.scale)

    def __matmul__(self, block: FloatArray) -> FloatArray:
        scale = self.scale if block.ndim == 1 else self.scale[:, None]
        inner = scale * block
        if isinstance(self.gram, np.ndarray):  # a product of two types would copy the matrix
            inner = inner.astype(self.gram.dtype, copy=False)
        product: FloatArray = scale * (self.gram @ inner)
        return product

    def eigenvectors(self, n_components: int, tol: float) -> tuple[FloatArray, FloatArray]:
        """Leading eigenvectors, the embedding by this graph alone (4.1)."""
        if isinstance(self.gram, np.ndarray) and is_connected(self.gram):
            tol = max(tol, self.rounding)
            return operator_eigenvectors(self.__matmul__, len(self), n_components, tol=tol)
        if self.normalised is None:
            return gram_eigenvectors(scaled(self.gram, self.scale, self.scale), n_components)
        return gram_eigenvectors(self.normalised, n_components, tol=tol)


@dataclass(frozen=True)
class Ties:
    """How strongly the embeddings of the views are drawn towards each other."""

    strengths: FloatArray
    """λ of each pair of views, views × views, or λ_v of each view to the consensus, (views,)."""
    shares: FloatArray
    """How much each view counts in the consensus, in proportion to λ_v."""

    @property
    def centred(self) -> bool:
        """Whether views are tied to a consensus and not to each other."""
        return self.strengths.ndim == 1

    @property
    def drawn(self) -> BoolArray:
        """Which views are tied to any other."""
        if self.centred:
            return self.strengths > 0
        others = self.strengths.copy()
        np.fill_diagonal(others, 0.0)
        drawn: BoolArray = np.asarray((others > 0).any(axis=1))
        return drawn


def pairwise_ties(agreement: float, weights: FloatArray) -> Ties:
    """Tie each pair of views by ``λ sqrt(w_v w_w)``; the diagonal holds each view where it is.

    Examples
    --------
    >>> pairwise_ties(0.5, np.array([1.0, 4.0])).strengths
    array([[0.5, 1. ],
           [1. , 2. ]])
    """
    return Ties(agreement * np.sqrt(np.outer(weights, weights)), weights)


def centroid_ties(agreement: float, weights: FloatArray) -> Ties:
    """Tie each view to the consensus by ``λ_v = λ w_v``.

    Examples
    --------
    >>> centroid_ties(0.5, np.array([1.0, 4.0])).strengths
    array([0.5, 2. ])
    """
    return Ties(agreement * weights, weights)


@dataclass(frozen=True)
class Embeddings:
    """Orthonormal coordinates of the objects in each view, and those all views agree on."""

    views: tuple[FloatArray, ...]
    consensus: FloatArray | None = None
    """``U*``, if the views are tied to one."""


def co_regularize(
    graphs: Sequence[Graph],
    n_components: int,
    ties: Ties,
    *,
    max_iter: int = 100,
    tol: float = 1e-3,
    report: Callable[[int, float], None] | None = None,
) -> Run[Embeddings]:
    """Embed each graph by itself, then all at once, each by itself and the embeddings of all.

    Parameters
    ----------
    graphs : sequence of Graph
        One per view.
    n_components : int
        Number of coordinates.
    ties : Ties
        From :func:`pairwise_ties` (4.5) or :func:`centroid_ties` (4.7).
    max_iter : int
        Largest number of steps.
    tol : float
        How far the embeddings may still be from the fixed point, as the root mean squared sine of
        the angles between their spaces.
    report : callable, optional
        Is told the number of each step and the objective after it.

    Returns
    -------
    Run
        Its ``state`` are the embeddings, its ``history`` the objective, which never falls.

    Notes
    -----
    A step solves the same problem within a small space for each view, by :func:`settle`. Spaces
    begin with the embedding of the view alone and what the others see most, and grow by the
    gradient of the objective; full ones are condensed to the embedding, the last step and the next
    best vectors, as in LOBPCG [@knyazev2001] and its kin for one matrix and no ties. An embedding
    lies in its space, so that the objective never falls; a step takes one product of each graph
    with ``n_components`` vectors. Small matrices are solved whole.

    Examples
    --------
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> graphs = [Graph.of(pairs), Graph.of(np.ones((4, 4)))]
    >>> run = co_regularize(graphs, 2, pairwise_ties(0.5, np.ones(2)))
    >>> np.abs((run.state.views[1] @ run.state.views[1].T).round(2))
    array([[0.5, 0.5, 0. , 0. ],
           [0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0.5]])
    """
    tol = max(tol, *(graph.rounding for graph in graphs))
    alone = _alone(graphs, n_components, ties)
    most = n_components * _BLOCKS
    if len(graphs[0]) <= max(_SMALL, _WHOLE * most):
        whole = settle(Projected.whole(graphs, ties), alone, max_iter, tol, report)
        return Run(_embeddings(whole.state, ties), whole.history, converged=whole.converged)
    spaces = Spaces(graphs, alone, ties)
    history, strides, near = [spaces.objective], [0.0], 0
    for number in range(1, max_iter + 1):
        strides.append(spaces.improve(_INNER * strides[-1]))
        history.append(spaces.objective)
        if report is not None:
            report(number, history[-1])
        near = near + 1 if _remaining(strides) <= tol else 0
        if near > 1 or strides[-1] <= min(tol, _STILL):
            return Run(_embeddings(spaces.views, ties), np.array(history), converged=True)
        spaces.condense(most - n_components)
        spaces.grow()
    return Run(_embeddings(spaces.views, ties), np.array(history), converged=False)


def _alone(graphs: Sequence[Graph], n_components: int, ties: Ties) -> list[FloatArray]:
    """Embed each view by itself; one that nothing will draw stays so, and is embedded for good."""
    # Among nearly equal eigenvalues a residual counts in full, and steps are slow to mend it.
    tols = np.where(ties.drawn, _BEGINNING, _FINEST)
    pairs = zip(graphs, tols, strict=True)
    return [graph.eigenvectors(n_components, tol)[1] for graph, tol in pairs]


def _embeddings(views: Sequence[FloatArray], ties: Ties) -> Embeddings:
    return Embeddings(tuple(views), consensus(views, ties.shares) if ties.centred else None)


def _remaining(strides: Sequence[float]) -> float:
    """How far the end is if steps go on to shrink as the last three have done.

    Examples
    --------
    >>> _remaining([8.0, 4.0, 2.0, 1.0])
    1.0
    """
    if len(strides) < _STRIDES or strides[-1] >= strides[-_STRIDES]:
        return np.inf
    rate = (strides[-1] / strides[-_STRIDES]) ** (1 / (_STRIDES - 1))
    return strides[-1] * max(rate / (1 - rate), 1.0)


@dataclass(frozen=True)
class Point:
    """Embeddings within the spaces, and what is asked of them again and again."""

    views: list[FloatArray]
    frames: list[list[FloatArray]]
    """``S_vᵀ U_w``: each embedding as seen in the space of each view."""
    overlaps: FloatArray
    """``U_vᵀ U_w`` of all views, blocks of one matrix."""
    objective: float


@dataclass(frozen=True)
class Projected:
    """The graphs within a space for each view, and how these spaces lie to each other."""

    graphs: tuple[FloatArray, ...]
    """``S_vᵀ L_v S_v``, with orthonormal columns ``S_v``."""
    crossings: tuple[tuple[Any, ...], ...]
    """``S_vᵀ S_w``."""
    ties: Ties

    @classmethod
    def whole(cls, graphs: Sequence[Graph], ties: Ties) -> Projected:
        """All there is: the spaces are all of it."""
        n_objects = len(graphs[0])
        images = [graph @ np.eye(n_objects) for graph in graphs]
        same = sparse.eye_array(n_objects, format="csr")
        halves = tuple((image + image.T) / 2 for image in images)
        return cls(halves, ((same,) * len(graphs),) * len(graphs), ties)

    def at(self, views: Sequence[FloatArray]) -> Point:
        """Embeddings, how they lie to each other, and the objective."""
        frames = [
            [cross @ own for cross, own in zip(row, views, strict=True)] for row in self.crossings
        ]
        rows = zip(views, frames, strict=True)
        overlaps = np.block([[own.T @ frame for frame in row] for own, row in rows])
        traces = [np.vdot(own, graph @ own) for graph, own in zip(self.graphs, views, strict=True)]
        objective = float(sum(traces)) + agreement_of(overlaps, self.ties)
        return Point(list(views), frames, overlaps, objective)

    def tied_graphs(self, point: Point, *, own: bool) -> list[FloatArray]:
        """Each graph, and what the embeddings add to it (4.6), (4.8)."""
        turn = consensus_turn(point.overlaps, self.ties)
        found: list[FloatArray] = []
        for view, graph in enumerate(self.graphs):
            pull = pull_on(view, point.frames[view], self.ties, turn, own=own)
            found.append(graph + pull @ pull.T)
        return found

    def step(self, point: Point, *, own: bool) -> Point:
        """Embed each view anew, given where all of them are."""
        tied = zip(point.views, self.tied_graphs(point, own=own), self.ties.drawn, strict=True)
        return self.at(
            [
                leading_eigenvectors(graph, old.shape[1])[1] if drawn else old
                for old, graph, drawn in tied
            ]
        )

    def turned(self, turns: Sequence[FloatArray]) -> Projected:
        """The same within parts of the spaces."""
        graphs = tuple(
            turn.T @ graph @ turn for graph, turn in zip(self.graphs, turns, strict=True)
        )
        rows = zip(self.crossings, turns, strict=True)
        crossings = tuple(
            tuple(left.T @ (cross @ turn) for cross, turn in zip(row, turns, strict=True))
            for row, left in rows
        )
        return Projected(graphs, crossings, self.ties)


def agreement_of(overlaps: FloatArray, ties: Ties) -> float:
    """``Σ_{v<w} λ_vw tr(U_v U_vᵀ U_w U_wᵀ)`` (4.5), each pair once, or its like in (4.7)."""
    n_views = len(ties.strengths)
    turn = consensus_turn(overlaps, ties)
    if turn is not None:
        gains = [
            strength * np.sum((rows @ turn) ** 2)
            for strength, rows in zip(ties.strengths, np.split(overlaps, n_views), strict=True)
        ]
        return float(sum(gains))
    width = len(overlaps) // n_views
    shares = (overlaps**2).reshape(n_views, width, n_views, width).sum(axis=(1, 3))
    return float(np.sum(np.triu(ties.strengths * shares, 1)))


def consensus_turn(overlaps: FloatArray, ties: Ties) -> FloatArray | None:
    """From the embeddings side by side to ``U*``, the leading vectors of ``Σ_v λ_v U_v U_vᵀ``.

    None if the views are not tied to a consensus.
    """
    if not ties.centred:
        return None
    width = len(overlaps) // len(ties.shares)
    roots = np.repeat(np.sqrt(ties.shares), width)
    values, turn = leading_eigenvectors(roots[:, None] * overlaps * roots, width)
    return roots[:, None] * (turn / np.sqrt(values))


def pull_on(
    view: int, frames: Sequence[FloatArray], ties: Ties, turn: FloatArray | None, *, own: bool
) -> FloatArray:
    """Factor ``F`` of what is added to the graph of a view, ``F Fᵀ = Σ_w λ_vw U_w U_wᵀ``.

    ``own`` says whether ``w = v`` counts, which holds the view where it is; ``turn`` leads to the
    consensus, which alone counts where there is one.
    """
    if turn is not None:
        found: FloatArray = np.sqrt(ties.strengths[view]) * (np.hstack(frames) @ turn)
        return found
    pulls = [
        np.sqrt(pull) * frame
        for other, (pull, frame) in enumerate(zip(ties.strengths[view], frames, strict=True))
        if pull > 0 and (own or other != view)
    ]
    return np.hstack([frames[view][:, :0], *pulls])


def settle(
    small: Projected,
    views: Sequence[FloatArray],
    max_iter: int,
    tol: float,
    report: Callable[[int, float], None] | None = None,
) -> Run[list[FloatArray]]:
    """Embed all views at once, again and again, until the embeddings stand still.

    Notes
    -----
    A step takes the leading eigenvectors of ``L_v + Σ_w λ_vw P_w``, ``P_w = U_w U_wᵀ``, for all
    views at once, so that none comes first. Without ``w = v`` it is quick, but the objective may
    fall. It does not with ``λ_vv = λ w_v``, which adds a constant to the objective: it becomes
    ``Σ_v tr(P_v L_v) + λ/2 |Σ_v sqrt(w_v) P_v|²``, which is convex and so lies above its tangent,
    and the step maximises the tangent. So that is what follows a step that would lower it.

    Anderson's method [@anderson1965] takes the combination of the last few steps whose change is
    the least, if its objective is no lower than that of the plain step. Its length also tells how
    far the fixed point is, which the change in one slow step does not.
    """
    point, memory, own, near = small.at(views), Memory(), False, 0
    history = [point.objective]
    for number in range(1, max_iter + 1):
        plain = small.step(point, own=own)
        if not own and plain.objective < point.objective:
            own, memory = True, Memory()
            plain = small.step(point, own=own)
        memory.add(point.views, plain.views)
        mixed = memory.mixed()
        moved = rms_sine(point.views, plain.views)
        # The length of one mixture can mislead: two in a row have to be short.
        short = len(memory) > 1 and max(moved, rms_sine(point.views, mixed)) <= tol
        near = near + 1 if short else 0
        furthest = _furthest(small, plain, mixed, memory)
        if furthest.objective >= point.objective:  # else it is rounding
            point = furthest
        history.append(point.objective)
        if report is not None:
            report(number, history[-1])
        if near > 1 or moved <= min(tol, _STILL):
            return Run(point.views, np.array(history), converged=True)
    return Run(point.views, np.array(history), converged=False)


def _furthest(small: Projected, plain: Point, mixed: list[FloatArray], memory: Memory) -> Point:
    """The mixture of steps if it is no worse than the last step, else that step or more of it.

    Where steps lead away from a saddle they grow, and mixtures, which look for where steps vanish,
    lead back to it: there, twice the step is tried, and twice that, as long as it pays.
    """
    if len(memory) > 1:
        point = small.at(mixed)
        if point.objective >= plain.objective:
            return point
        memory.forget()
    best = plain
    for factor in _STRETCHES:
        point = small.at(memory.stretched(factor))
        if point.objective <= best.objective:
            break
        best = point
    return best


class Spaces:
    """A small space for each view, in which its embedding is looked for."""

    def __init__(self, graphs: Sequence[Graph], alone: Sequence[FloatArray], ties: Ties) -> None:
        self.graphs, self.ties = graphs, ties
        self.bases = list(alone)
        self.images = [graph @ own for graph, own in zip(graphs, alone, strict=True)]
        self.coordinates: list[FloatArray] = [np.eye(own.shape[1]) for own in alone]
        self.before = self.coordinates
        self.small = Projected(
            tuple(own.T @ image for own, image in zip(alone, self.images, strict=True)),
            tuple(tuple(one.T @ other for other in alone) for one in alone),
            ties,
        )
        point = self.small.at(self.coordinates)
        self.objective = point.objective
        # The gradient there lies among what the others see, of which this is the larger part.
        turn = consensus_turn(point.overlaps, ties)
        self._extend([pull_on(view, alone, ties, turn, own=False) for view in range(len(alone))])

    @property
    def views(self) -> list[FloatArray]:
        """The embeddings."""
        return [basis @ own for basis, own in zip(self.bases, self.coordinates, strict=True)]

    def improve(self, tol: float) -> float:
        """Find better embeddings within the spaces; return how far they are from the last."""
        run = settle(self.small, self.coordinates, _INNER_STEPS, tol)
        self.before, self.coordinates, self.objective = self.coordinates, run.state, run.objective
        return rms_sine(self.before, self.coordinates)

    def condense(self, most: int) -> None:
        """Keep of spaces that are larger the embedding, the last step and the next best vectors."""
        if max(basis.shape[1] for basis in self.bases) <= most:
            return
        turns = []
        tied = self.small.tied_graphs(self.small.at(self.coordinates), own=False)
        for own, before, graph in zip(self.coordinates, self.before, tied, strict=True):
            width = own.shape[1]
            turn = np.hstack([own, _beyond(own, before, width)])
            if len(graph) > 2 * width:
                best = leading_eigenvectors(graph, 2 * width)[1]
                turn = np.hstack([turn, _beyond(turn, best, width)])
            turns.append(turn)
        self.small = self.small.turned(turns)
        self.bases = [basis @ turn for basis, turn in zip(self.bases, turns, strict=True)]
        self.images = [image @ turn for image, turn in zip(self.images, turns, strict=True)]
        width = self.coordinates[0].shape[1]
        self.coordinates = [np.eye(turn.shape[1], width) for turn in turns]

    def grow(self) -> None:
        """Add the gradient of the objective to each space."""
        views = self.views
        turn = consensus_turn(self.small.at(self.coordinates).overlaps, self.ties)
        gradients = []
        for view, own in enumerate(views):
            pull = pull_on(view, views, self.ties, turn, own=False)
            image = self.images[view] @ self.coordinates[view]
            gradients.append(image + pull @ (pull.T @ own))
        self._extend(gradients)

    def _extend(self, blocks: Sequence[FloatArray]) -> None:
        """Add what is new in a block to the space of each view that is drawn."""
        width = self.coordinates[0].shape[1]
        added = [
            _beyond(basis, block if drawn else block[:, :0], width)
            for basis, block, drawn in zip(self.bases, blocks, self.ties.drawn, strict=True)
        ]
        images = [
            graph @ block if block.shape[1] else block
            for graph, block in zip(self.graphs, added, strict=True)
        ]
        lengths = [basis.shape[1] for basis in self.bases]
        self.bases = [np.hstack(pair) for pair in zip(self.bases, added, strict=True)]
        self.images = [np.hstack(pair) for pair in zip(self.images, images, strict=True)]
        self.coordinates = [
            np.vstack([own, np.zeros((block.shape[1], own.shape[1]))])
            for own, block in zip(self.coordinates, added, strict=True)
        ]
        graphs = [
            _bordered(graph, basis.T @ image, length)
            for graph, basis, image, length in zip(
                self.small.graphs, self.bases, images, lengths, strict=True
            )
        ]
        seen = [[basis.T @ block for block in added] for basis in self.bases]
        crossings = [
            [
                _bordered(cross, seen[v][w], lengths[v], seen[w][v][: lengths[w]].T)
                for w, cross in enumerate(row)
            ]
            for v, row in enumerate(self.small.crossings)
        ]
        self.small = Projected(tuple(graphs), tuple(map(tuple, crossings)), self.ties)


def _bordered(
    inner: FloatArray, right: FloatArray, length: int, below: FloatArray | None = None
) -> FloatArray:
    """A matrix with more columns, and as many more rows, which are the same if it is symmetric."""
    if below is None:
        below = right[:length].T
        right = np.vstack([right[:length], (right[length:] + right[length:].T) / 2])
    return np.hstack([np.vstack([inner, below]), right])


def _beyond(basis: FloatArray, block: FloatArray, most: int) -> FloatArray:
    """Orthonormal columns, at most so many, for what a block has beyond an orthonormal basis.

    Examples
    --------
    >>> _beyond(np.eye(3)[:, :1], np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), 2).ravel()
    array([0., 1., 0.])
    """
    least = float(_ROUNDING * np.finfo(np.float64).eps * np.linalg.norm(block))
    for _ in range(2):  # the first time leaves rounding, which is not small where little is left
        block = block - basis @ (basis.T @ block)
        squares, turn = np.linalg.eigh(block.T @ block)
        lengths = np.sqrt(np.maximum(squares, 0.0))[-most:]
        kept = lengths > max(least, _LOST * lengths.max(initial=0.0))
        block = block @ (turn[:, -most:][:, kept] / lengths[kept])
        least = 0.5  # of unit length: what has lost half of it was rounding
    return fix_signs(block)


class Memory:
    """The last few steps, from where they began to where they led, for Anderson's method.

    Eigenvectors may be turned within their space without a change of it; all are turned as near
    as they can be to where the step began, so that they can be subtracted.
    """

    def __init__(self) -> None:
        self.starts: list[list[FloatArray]] = []
        self.ends: list[list[FloatArray]] = []

    def __len__(self) -> int:
        return len(self.ends)

    def add(self, starts: Sequence[FloatArray], ends: Sequence[FloatArray]) -> None:
        """Remember one more step, and forget the oldest of too many."""
        if self.ends:
            starts = _turned(starts, self.ends[-1])
        self.starts = [*self.starts, list(starts)][-_DEPTH:]
        self.ends = [*self.ends, _turned(ends, starts)][-_DEPTH:]

    def forget(self) -> None:
        """Keep the last step only."""
        self.starts, self.ends = self.starts[-1:], self.ends[-1:]

    def stretched(self, factor: float) -> list[FloatArray]:
        """Where the last step would lead if it were so many times as long."""
        steps = zip(self.starts[-1], self.ends[-1], strict=True)
        return [_orthonormal(start + factor * (end - start)) for start, end in steps]

    def mixed(self) -> list[FloatArray]:
        """The combination of all ends for which the steps, so combined, are the shortest."""
        steps = [
            np.concatenate([(end - start).ravel() for start, end in zip(*step, strict=True)])
            for step in zip(self.starts, self.ends, strict=True)
        ]
        shares = _shortest_combination(
            np.array([[one @ other for one in steps] for other in steps])
        )
        return [
            _orthonormal(sum(share * end for share, end in zip(shares, ends, strict=True)))
            for ends in zip(*self.ends, strict=True)
        ]


def _shortest_combination(products: FloatArray) -> FloatArray:
    """Shares, which sum to one, of vectors with these inner products: their sum is the shortest.

    Examples
    --------
    >>> _shortest_combination(np.array([[1.0, 0.5], [0.5, 0.25]])).round(6)
    array([-1.,  2.])
    """
    last = products[-1]
    differences = products[-1, -1] - last[:-1, None] - last[:-1] + products[:-1, :-1]
    steps = np.linalg.lstsq(differences, products[-1, -1] - last[:-1], rcond=_DEPENDENT)[0]
    return np.append(steps, 1.0 - steps.sum())


def _turned(views: Sequence[FloatArray], targets: Sequence[FloatArray]) -> list[FloatArray]:
    """Turn the columns of each view to be as near as can be to those of its target."""
    found = []
    for own, target in zip(views, targets, strict=True):
        left, _, right = np.linalg.svd(own.T @ target)
        found.append(own @ (left @ right))
    return found


def _orthonormal(columns: FloatArray) -> FloatArray:
    """The orthonormal columns nearest to the given ones."""
    values, turn = np.linalg.eigh(columns.T @ columns)
    largest = max(float(values[-1]), np.finfo(np.float64).tiny)
    roots = np.sqrt(np.maximum(values, np.finfo(np.float64).eps * largest))
    nearest: FloatArray = columns @ ((turn / roots) @ turn.T)
    return nearest


def rms_sine(ones: Sequence[FloatArray], others: Sequence[FloatArray]) -> float:
    """Root mean squared sine of the angles between the spaces of views, then and now.

    Examples
    --------
    >>> rms_sine([np.eye(3)[:, :2]], [np.eye(3)[:, 1:]]) ** 2
    0.5000000000000001
    """
    pairs = zip(ones, others, strict=True)
    squares = [
        np.mean(np.sum((other - one @ (one.T @ other)) ** 2, axis=0)) for one, other in pairs
    ]
    return float(np.sqrt(np.mean(squares)))


def consensus(embeddings: Sequence[FloatArray], shares: FloatArray) -> FloatArray:
    """Return the leading eigenvectors of ``Σ_v λ_v U_v U_vᵀ`` (4.10), in the span of the views.

    Where views contradict each other, eigenvalues are equal, and it lies between the views.

    Examples
    --------
    >>> u = np.eye(3)[:, :1]
    >>> consensus([u, u], np.ones(2)).T
    array([[1., 0., 0.]])
    """
    n_components = embeddings[0].shape[1]
    side_by_side = np.hstack(
        [np.sqrt(share) * own for share, own in zip(shares, embeddings, strict=True)]
    )
    return gram_eigenvectors(LowRank(side_by_side, side_by_side), n_components)[1]
