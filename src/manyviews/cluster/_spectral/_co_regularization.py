"""Spectral embeddings of several graphs that are drawn towards each other [@kumar2013]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from manyviews.base import Run
from manyviews.maths import (
    Gram,
    LowRank,
    Ordered,
    gram_eigenvectors,
    in_order,
    inverse_root_degrees,
    is_connected,
    operator_eigenvectors,
    scaled,
)
from manyviews.typing import BoolArray, FloatArray, is_sparse

_FINEST = 1e-9
"""Residual of eigenvectors below which nothing is gained."""
_COARSEST = 1e-3
"""Largest residual of eigenvectors: what was enough for the loosest answers."""
_ACCURACY = 0.03
"""Residual of the next eigenvectors over how far the last step has moved: small beside the step,
so that steps can be told apart."""
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
            tol = max(tol, 200 * float(np.finfo(self.gram.dtype).eps))
            return operator_eigenvectors(self.__matmul__, len(self), n_components, tol=tol)
        if self.normalised is None:
            return gram_eigenvectors(scaled(self.gram, self.scale, self.scale), n_components)
        return gram_eigenvectors(self.normalised, n_components, tol=tol)

    def tied_eigenvectors(
        self, others: FloatArray, start: FloatArray, tol: float
    ) -> tuple[FloatArray, FloatArray]:
        """Leading eigenvectors of the graph plus ``F Fᵀ``, from vectors near them."""
        n_components = start.shape[1]
        if self.normalised is not None:
            return gram_eigenvectors(
                self.normalised, n_components, plus=others, start=start, tol=tol
            )

        def apply(block: FloatArray) -> FloatArray:
            return self @ block + others @ (others.T @ block)

        return operator_eigenvectors(apply, len(self), n_components, start=start, tol=tol)


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
    traces: tuple[float, ...]
    """``tr(UᵀLU)`` of each view."""
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
        Largest number of joint steps.
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
    A joint step maximises a bound of the objective. With ``λ_vv = λ w_v`` in the diagonal, which
    adds a constant, the objective is ``Σ_v tr(P_v L_v) + λ/2 |Σ_v sqrt(w_v) P_v|²`` of the
    projectors ``P_v = U_v U_vᵀ``, which is convex, so that it lies above its tangent; the tangent's
    maximum over projectors are the leading eigenvectors of ``L_v + Σ_w λ_vw P_w``, ``w = v``
    included. No view comes first. Its fixed points are those of the steps in turn of the chapter.

    Plain steps converge slowly where a view's eigenvalues differ by less than λ. Anderson's method
    [@anderson1965] takes the combination of the last few steps whose change is the least; it is
    taken only if its objective is no lower than that of the plain step. Its length also tells how
    far the fixed point is, which the change in one slow step does not.

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
    state = _alone(graphs, n_components, ties)
    history, memory, accuracy = [joint_objective(state, ties)], Memory(), _COARSEST
    near = 0  # steps in a row that were near: the length of one mixture can mislead
    for number in range(1, max_iter + 1):
        plain = _joint_step(graphs, state, ties, accuracy)
        memory.add(state.views, plain.views)
        mixed = memory.mixed()
        moved = rms_sine(state.views, plain.views)
        remaining = max(moved, rms_sine(state.views, mixed))
        state = _furthest(graphs, plain, mixed, ties, memory)
        history.append(joint_objective(state, ties))
        if report is not None:
            report(number, history[-1])
        near = near + 1 if remaining <= tol and len(memory) > 1 else 0
        if near > 1 or moved <= min(tol, _STILL):
            return Run(state, np.array(history), converged=True)
        accuracy = float(np.clip(_ACCURACY * moved, _FINEST, _COARSEST))
    return Run(state, np.array(history), converged=False)


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
    shares = [_overlap(one, other) / one.shape[1] for one, other in pairs]
    return float(np.sqrt(max(1.0 - np.mean(shares), 0.0)))


def _furthest(
    graphs: Sequence[Graph],
    plain: Embeddings,
    mixed: list[FloatArray],
    ties: Ties,
    memory: Memory,
) -> Embeddings:
    """The mixture of steps if it is no worse than the last step, else that step or more of it.

    Where steps lead away from a saddle they grow, and mixtures, which look for where steps vanish,
    lead back to it: there, twice the step is tried, and twice that, as long as it pays.
    """
    best = joint_objective(plain, ties)
    if len(memory) > 1:
        state = _measured(graphs, mixed, ties)
        if joint_objective(state, ties) >= best:
            return state
        memory.forget()
    found = plain
    for factor in _STRETCHES:
        state = _measured(graphs, memory.stretched(factor), ties)
        if joint_objective(state, ties) <= best:
            break
        found, best = state, joint_objective(state, ties)
    return found


def _measured(graphs: Sequence[Graph], views: Sequence[FloatArray], ties: Ties) -> Embeddings:
    """Embeddings, with how good each is for its graph, and the consensus if they have one."""
    traces = tuple(
        float(np.vdot(own, graph @ own)) for graph, own in zip(graphs, views, strict=True)
    )
    return _with_consensus(Embeddings(tuple(views), traces), ties)


def _with_consensus(state: Embeddings, ties: Ties) -> Embeddings:
    return replace(state, consensus=consensus(state.views, ties.shares)) if ties.centred else state


def joint_objective(state: Embeddings, ties: Ties) -> float:
    """How well each view is embedded, and how well the embeddings agree."""
    if state.consensus is not None:
        gains = [
            strength * _overlap(own, state.consensus)
            for strength, own in zip(ties.strengths, state.views, strict=True)
        ]
        return float(sum(state.traces) + sum(gains))  # (4.7)
    gains = [
        ties.strengths[v, w] * _overlap(state.views[v], state.views[w])
        for v, w in combinations(range(len(state.views)), 2)
    ]
    return float(sum(state.traces) + sum(gains))  # (4.5), each pair once


def _overlap(one: FloatArray, other: FloatArray) -> float:
    """``tr(U Uᵀ W Wᵀ)``."""
    return float(np.sum((one.T @ other) ** 2))


def _alone(graphs: Sequence[Graph], n_components: int, ties: Ties) -> Embeddings:
    """Embed each view by itself; one that nothing will draw stays so, and is embedded for good."""
    # Among nearly equal eigenvalues a residual counts in full, and steps would not mend it.
    tols = np.where(ties.drawn, 0.1 * _COARSEST, _FINEST)
    found = [graph.eigenvectors(n_components, tol) for graph, tol in zip(graphs, tols, strict=True)]
    views = tuple(vectors for _, vectors in found)
    return _with_consensus(Embeddings(views, tuple(float(v.sum()) for v, _ in found)), ties)


def _joint_step(
    graphs: Sequence[Graph], state: Embeddings, ties: Ties, accuracy: float
) -> Embeddings:
    """Embed each view anew, given where all of them are; then the consensus, given the views."""
    found = [
        _embed_view(graph, state, view, ties, accuracy) if drawn else (own, trace)
        for view, (graph, drawn, own, trace) in enumerate(
            zip(graphs, ties.drawn, state.views, state.traces, strict=True)
        )
    ]
    views, traces = zip(*found, strict=True)
    return _with_consensus(Embeddings(views, traces), ties)


def _pull(state: Embeddings, view: int, ties: Ties) -> FloatArray:
    """Factor ``F`` of what is added to the graph of a view, ``F Fᵀ = Σ_w λ_vw U_w U_wᵀ``."""
    if state.consensus is not None:
        return np.sqrt(ties.strengths[view]) * state.consensus
    pulls = zip(ties.strengths[view], state.views, strict=True)
    return np.hstack([np.sqrt(pull) * other for pull, other in pulls if pull > 0])


def _embed_view(
    graph: Graph, state: Embeddings, view: int, ties: Ties, accuracy: float
) -> tuple[FloatArray, float]:
    own, pull = state.views[view], _pull(state, view, ties)
    values, vectors = graph.tied_eigenvectors(pull, own, accuracy)  # (4.6), (4.8)
    if values.sum() < state.traces[view] + _overlap(pull, own):
        return own, state.traces[view]  # in single precision they may be no better than the last
    return vectors, float(values.sum()) - _overlap(pull, vectors)


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
