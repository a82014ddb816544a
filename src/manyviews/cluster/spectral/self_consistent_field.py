"""Eigenvectors of several coupled matrices, each depending on those of all [@kumar2013].

A self-consistent field iteration with Anderson mixing, within a small search space for each view.
The coupling is that of :mod:`manyviews.cluster.spectral.co_regularized`; graphs are known by their
products with vectors only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from manyviews.base import Run
from manyviews.maths import fix_signs, leading_eigenvectors
from manyviews.typing import FloatArray

if TYPE_CHECKING:
    from manyviews.cluster.spectral.co_regularized import Coupling, Graph

__all__ = [
    "ROUNDING",
    "STATIONARY",
    "ProjectedProblem",
    "SearchSpaces",
    "rms_sine",
    "self_consistent_field",
]

ROUNDING = 200
"""Sums are right to so many times the precision of numbers, as in ``manyviews.maths``."""
STATIONARY = 1e-6
"""A first step that moves no more than this is no step, and there is none before to compare it."""
_INNER_STEPS = 5
"""Largest number of steps within the same spaces: with 1, thrice as many spaces are needed for 10
clusters of 2,000 objects, with 3 a few more."""
_RANK_CUT = 1e-6
"""Directions shorter than this share of the longest are rounding, and left out of a space: their
squares are right to 1e-16 times the width of a block."""
_DEPTH = 5
"""Steps that are mixed; usual for Anderson's method, and each is kept in memory."""
_DEPENDENT = 1e-8
"""Steps whose differences depend on each other to this share are not told apart."""
_EXTRAPOLATIONS = (2.0, 4.0, 8.0, 16.0)
"""How many times a step away from a saddle is taken at most: half of the steps on 100 clusters."""


@dataclass(frozen=True)
class Iterate:
    """Embeddings within the spaces, and what is asked of them again and again."""

    views: list[FloatArray]
    projections: list[list[FloatArray]]
    """``S_vᵀ U_w``: each embedding projected on the space of each view."""
    overlaps: FloatArray
    """``U_vᵀ U_w`` of all views, blocks of one matrix."""
    objective: float


@dataclass(frozen=True)
class ProjectedProblem:
    """The graphs within a space for each view, and how these spaces lie to each other."""

    graphs: tuple[FloatArray, ...]
    """``S_vᵀ L_v S_v``, with orthonormal columns ``S_v``."""
    crossings: tuple[tuple[Any, ...], ...]
    """``S_vᵀ S_w``."""
    coupling: Coupling

    @classmethod
    def whole(cls, graphs: Sequence[Graph], coupling: Coupling) -> ProjectedProblem:
        """All there is: the spaces are all of it."""
        n_objects = len(graphs[0])
        images = [graph @ np.eye(n_objects) for graph in graphs]
        same = sparse.eye_array(n_objects, format="csr")
        halves = tuple((image + image.T) / 2 for image in images)
        return cls(halves, ((same,) * len(graphs),) * len(graphs), coupling)

    def at(self, views: Sequence[FloatArray]) -> Iterate:
        """Embeddings, how they lie to each other, and the objective."""
        projections = [
            [cross @ own for cross, own in zip(row, views, strict=True)] for row in self.crossings
        ]
        rows = zip(views, projections, strict=True)
        overlaps = np.block([[own.T @ projection for projection in row] for own, row in rows])
        traces = [np.vdot(own, graph @ own) for graph, own in zip(self.graphs, views, strict=True)]
        objective = float(sum(traces)) + self.coupling.agreement(overlaps)
        return Iterate(list(views), projections, overlaps, objective)

    def coupled_graphs(self, point: Iterate, *, own: bool) -> list[FloatArray]:
        """Each graph, and what the embeddings add to it (4.6), (4.8)."""
        rotation = self.coupling.consensus_rotation(point.overlaps)
        found: list[FloatArray] = []
        for view, graph in enumerate(self.graphs):
            factor = self.coupling.factor(view, point.projections[view], rotation, own=own)
            found.append(graph + factor @ factor.T)
        return found

    def step(self, point: Iterate, *, own: bool) -> Iterate:
        """Embed each view anew, given where all of them are."""
        graphs, coupled = self.coupled_graphs(point, own=own), self.coupling.coupled
        return self.at(
            [
                leading_eigenvectors(graph, view.shape[1])[1] if is_coupled else view
                for view, graph, is_coupled in zip(point.views, graphs, coupled, strict=True)
            ]
        )

    def restricted(self, bases: Sequence[FloatArray]) -> ProjectedProblem:
        """The same within parts of the spaces."""
        graphs = tuple(
            basis.T @ graph @ basis for graph, basis in zip(self.graphs, bases, strict=True)
        )
        rows = zip(self.crossings, bases, strict=True)
        crossings = tuple(
            tuple(left.T @ (cross @ basis) for cross, basis in zip(row, bases, strict=True))
            for row, left in rows
        )
        return ProjectedProblem(graphs, crossings, self.coupling)


def self_consistent_field(
    small: ProjectedProblem,
    views: Sequence[FloatArray],
    max_iter: int,
    tol: float,
    report: Callable[[int, float], None] | None = None,
) -> Run[list[FloatArray]]:
    """Take the eigenvectors that all views' eigenvectors lead to, until these are the same.

    Notes
    -----
    The matrix of a view depends on the eigenvectors looked for, its own and the others', which
    makes this a nonlinear eigenvector problem, and its fixed-point iteration is known as that of
    the self-consistent field. A step takes the leading eigenvectors of ``L_v + Σ_w λ_vw P_w``,
    ``P_w = U_w U_wᵀ``, for all views at once, so that none comes first. Without ``w = v`` it is
    quick, but the objective may
    fall. It does not with ``λ_vv = λ w_v``, which adds a constant to the objective: it becomes
    ``Σ_v tr(P_v L_v) + λ/2 |Σ_v sqrt(w_v) P_v|²``, which is convex and so lies above its tangent,
    and the step maximises the tangent. So that is what follows a step that would lower it.

    Anderson's method [@anderson1965] takes the combination of the last few steps whose change is
    the least, if its objective is no lower than that of the plain step. Its length also tells how
    far the fixed point is, which the change in one slow step does not.
    """
    point, mixing, own, short = small.at(views), AndersonMixing(), False, 0
    history = [point.objective]
    for number in range(1, max_iter + 1):
        plain = small.step(point, own=own)
        if not own and plain.objective < point.objective:
            own, mixing = True, AndersonMixing()
            plain = small.step(point, own=own)
        mixing.add(point.views, plain.views)
        mixture = mixing.mixture()
        moved = rms_sine(point.views, plain.views)
        # The length of one mixture can mislead: two in a row have to be short.
        is_short = len(mixing) > 1 and max(moved, rms_sine(point.views, mixture)) <= tol
        short = short + 1 if is_short else 0
        furthest = _furthest(small, plain, mixture, mixing)
        if furthest.objective >= point.objective:  # else it is rounding
            point = furthest
        history.append(point.objective)
        if report is not None:
            report(number, history[-1])
        if short > 1 or moved <= min(tol, STATIONARY):
            return Run(point.views, np.array(history), converged=True)
    return Run(point.views, np.array(history), converged=False)


def _furthest(
    small: ProjectedProblem, plain: Iterate, mixture: list[FloatArray], mixing: AndersonMixing
) -> Iterate:
    """The mixture of steps if it is no worse than the last step, else that step or more of it.

    Where steps lead away from a saddle they grow, and mixtures, which look for where steps vanish,
    lead back to it: there, twice the step is tried, and twice that, as long as it pays.
    """
    if len(mixing) > 1:
        point = small.at(mixture)
        if point.objective >= plain.objective:
            return point
        mixing.restart()
    best = plain
    for factor in _EXTRAPOLATIONS:
        point = small.at(mixing.extrapolated(factor))
        if point.objective <= best.objective:
            break
        best = point
    return best


class SearchSpaces:
    """A small space for each view, in which its embedding is looked for."""

    def __init__(
        self, graphs: Sequence[Graph], alone: Sequence[FloatArray], coupling: Coupling
    ) -> None:
        self.graphs, self.coupling = graphs, coupling
        self.bases = list(alone)
        self.images = [graph @ own for graph, own in zip(graphs, alone, strict=True)]
        self.coordinates: list[FloatArray] = [np.eye(own.shape[1]) for own in alone]
        self.before = self.coordinates
        self.small = ProjectedProblem(
            tuple(own.T @ image for own, image in zip(alone, self.images, strict=True)),
            tuple(tuple(one.T @ other for other in alone) for one in alone),
            coupling,
        )
        point = self.small.at(self.coordinates)
        self.objective = point.objective
        # The gradient there lies among what the others see, of which this is the larger part.
        rotation = coupling.consensus_rotation(point.overlaps)
        self._extend(
            [coupling.factor(view, alone, rotation, own=False) for view in range(len(alone))]
        )

    @property
    def views(self) -> list[FloatArray]:
        """The embeddings."""
        return [basis @ own for basis, own in zip(self.bases, self.coordinates, strict=True)]

    def improve(self, tol: float) -> float:
        """Find better embeddings within the spaces; return how far they are from the last."""
        run = self_consistent_field(self.small, self.coordinates, _INNER_STEPS, tol)
        self.before, self.coordinates, self.objective = self.coordinates, run.state, run.objective
        return rms_sine(self.before, self.coordinates)

    def restart(self, most: int) -> None:
        """Keep of spaces that are larger the embedding, the last step and the next best vectors."""
        if max(basis.shape[1] for basis in self.bases) <= most:
            return
        kept = []
        coupled = self.small.coupled_graphs(self.small.at(self.coordinates), own=False)
        for own, before, graph in zip(self.coordinates, self.before, coupled, strict=True):
            width = own.shape[1]
            vectors = np.hstack([own, _new_directions(own, before, width)])
            if len(graph) > 2 * width:
                best = leading_eigenvectors(graph, 2 * width)[1]
                vectors = np.hstack([vectors, _new_directions(vectors, best, width)])
            kept.append(vectors)
        self.small = self.small.restricted(kept)
        self.bases = [basis @ vectors for basis, vectors in zip(self.bases, kept, strict=True)]
        self.images = [image @ vectors for image, vectors in zip(self.images, kept, strict=True)]
        width = self.coordinates[0].shape[1]
        self.coordinates = [np.eye(vectors.shape[1], width) for vectors in kept]

    def expand(self) -> None:
        """Add the gradient of the objective to each space."""
        views = self.views
        rotation = self.coupling.consensus_rotation(self.small.at(self.coordinates).overlaps)
        gradients = []
        for view, own in enumerate(views):
            factor = self.coupling.factor(view, views, rotation, own=False)
            image = self.images[view] @ self.coordinates[view]
            gradients.append(image + factor @ (factor.T @ own))
        self._extend(gradients)

    def _extend(self, blocks: Sequence[FloatArray]) -> None:
        """Add what is new in a block to the space of each view that is coupled."""
        width = self.coordinates[0].shape[1]
        added = [
            _new_directions(basis, block if coupled else block[:, :0], width)
            for basis, block, coupled in zip(self.bases, blocks, self.coupling.coupled, strict=True)
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
        self.small = ProjectedProblem(tuple(graphs), tuple(map(tuple, crossings)), self.coupling)


def _bordered(
    inner: FloatArray, right: FloatArray, length: int, below: FloatArray | None = None
) -> FloatArray:
    """A matrix with more columns, and as many more rows, which are the same if it is symmetric."""
    if below is None:
        below = right[:length].T
        right = np.vstack([right[:length], (right[length:] + right[length:].T) / 2])
    return np.hstack([np.vstack([inner, below]), right])


def _new_directions(basis: FloatArray, block: FloatArray, most: int) -> FloatArray:
    """Orthonormal columns, at most so many, for what a block has beyond an orthonormal basis.

    Examples
    --------
    >>> _new_directions(np.eye(3)[:, :1], np.array([[2.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), 2).ravel()
    array([0., 1., 0.])
    """
    least = float(ROUNDING * np.finfo(np.float64).eps * np.linalg.norm(block))
    for _ in range(2):  # the first time leaves rounding, which is not small where little is left
        block = block - basis @ (basis.T @ block)
        squares, vectors = np.linalg.eigh(block.T @ block)
        lengths = np.sqrt(np.maximum(squares, 0.0))[-most:]
        kept = lengths > max(least, _RANK_CUT * lengths.max(initial=0.0))
        block = block @ (vectors[:, -most:][:, kept] / lengths[kept])
        least = 0.5  # of unit length: what has lost half of it was rounding
    return fix_signs(block)


class AndersonMixing:
    """The last few steps, from where they began to where they led, for Anderson's method.

    Eigenvectors may be rotated within their space without a change of it; all are rotated as near
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
            starts = _aligned(starts, self.ends[-1])
        self.starts = [*self.starts, list(starts)][-_DEPTH:]
        self.ends = [*self.ends, _aligned(ends, starts)][-_DEPTH:]

    def restart(self) -> None:
        """Keep the last step only."""
        self.starts, self.ends = self.starts[-1:], self.ends[-1:]

    def extrapolated(self, factor: float) -> list[FloatArray]:
        """Where the last step would lead if it were so many times as long."""
        steps = zip(self.starts[-1], self.ends[-1], strict=True)
        return [_polar_factor(start + factor * (end - start)) for start, end in steps]

    def mixture(self) -> list[FloatArray]:
        """The combination of all ends for which the steps, so combined, are the shortest."""
        steps = [
            np.concatenate([(end - start).ravel() for start, end in zip(*step, strict=True)])
            for step in zip(self.starts, self.ends, strict=True)
        ]
        shares = _shortest_combination(
            np.array([[one @ other for one in steps] for other in steps])
        )
        return [
            _polar_factor(sum(share * end for share, end in zip(shares, ends, strict=True)))
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


def _aligned(views: Sequence[FloatArray], targets: Sequence[FloatArray]) -> list[FloatArray]:
    """Rotate the columns of each view to be as near as can be to its target's (Procrustes)."""
    found = []
    for own, target in zip(views, targets, strict=True):
        left, _, right = np.linalg.svd(own.T @ target)
        found.append(own @ (left @ right))
    return found


def _polar_factor(columns: FloatArray) -> FloatArray:
    """The orthonormal columns nearest to the given ones, their polar factor."""
    values, vectors = np.linalg.eigh(columns.T @ columns)
    largest = max(float(values[-1]), np.finfo(np.float64).tiny)
    roots = np.sqrt(np.maximum(values, np.finfo(np.float64).eps * largest))
    nearest: FloatArray = columns @ ((vectors / roots) @ vectors.T)
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
