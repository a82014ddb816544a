"""Spectral embeddings of several graphs that are drawn towards each other [@kumar2013]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from manyviews.base import Run, alternate
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
from manyviews.typing import FloatArray, is_sparse

_FINEST = 1e-9
"""Residual of eigenvectors below which nothing is gained."""


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


def pairwise_ties(agreement: float, weights: FloatArray) -> Ties:
    """Tie each pair of views by ``λ sqrt(w_v w_w)``.

    Examples
    --------
    >>> pairwise_ties(0.5, np.array([1.0, 4.0])).strengths
    array([[0., 1.],
           [1., 0.]])
    """
    strengths = agreement * np.sqrt(np.outer(weights, weights))
    np.fill_diagonal(strengths, 0.0)
    return Ties(strengths, weights)


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
    max_iter: int = 50,
    tol: float = 1e-4,
    report: Callable[[int, float], None] | None = None,
) -> Run[Embeddings]:
    """Embed each graph by itself, then in turn by itself and the embeddings of the others.

    Parameters
    ----------
    graphs : sequence of Graph
        One per view.
    n_components : int
        Number of coordinates.
    ties : Ties
        From :func:`pairwise_ties` (4.5) or :func:`centroid_ties` (4.7).
    max_iter, tol, report
        As in :func:`manyviews.base.alternate`.

    Returns
    -------
    Run
        Its ``state`` are the embeddings, its ``history`` the objective, which never falls.

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
    accuracy = max(0.1 * np.sqrt(tol), _FINEST)  # it changes the objective by its square
    return alternate(
        _alone(graphs, n_components, ties, accuracy),
        lambda state: _sweep(graphs, state, ties, accuracy),
        lambda state: joint_objective(state, ties),
        max_iter=max_iter,
        tol=tol,
        report=report,
    )


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


def _alone(graphs: Sequence[Graph], n_components: int, ties: Ties, accuracy: float) -> Embeddings:
    """Embed each view by itself; one that nothing will draw stays so, and is embedded for good."""
    drawn = ties.strengths > 0 if ties.centred else (ties.strengths > 0).any(axis=1)
    # Among nearly equal eigenvalues a residual counts in full, and sweeps would not mend it.
    tols = np.where(drawn, max(0.1 * accuracy, _FINEST), _FINEST)
    found = [graph.eigenvectors(n_components, tol) for graph, tol in zip(graphs, tols, strict=True)]
    state = Embeddings(
        tuple(vectors for _, vectors in found), tuple(float(values.sum()) for values, _ in found)
    )
    return replace(state, consensus=consensus(state.views, ties.shares)) if ties.centred else state


def _sweep(graphs: Sequence[Graph], state: Embeddings, ties: Ties, accuracy: float) -> Embeddings:
    """Embed each view anew, given all others; then the consensus, given the views."""
    for view, graph in enumerate(graphs):
        others = _others(state, view, ties)
        if others.shape[1]:
            state = _embed_view(graph, state, view, others, accuracy)
    if ties.centred:
        return replace(state, consensus=consensus(state.views, ties.shares))
    return state


def _others(state: Embeddings, view: int, ties: Ties) -> FloatArray:
    """Factor ``F`` of what is added to the graph of a view, ``F Fᵀ = Σ_w λ_vw U_w U_wᵀ``."""
    if state.consensus is not None:
        pulls = [(ties.strengths[view], state.consensus)]
    else:
        pulls = list(zip(ties.strengths[view], state.views, strict=True))
    none = np.empty((len(state.views[view]), 0))
    return np.hstack([none, *(np.sqrt(pull) * other for pull, other in pulls if pull > 0)])


def _embed_view(
    graph: Graph, state: Embeddings, view: int, others: FloatArray, accuracy: float
) -> Embeddings:
    values, vectors = graph.tied_eigenvectors(others, state.views[view], accuracy)  # (4.6), (4.8)
    if values.sum() < state.traces[view] + _overlap(others, state.views[view]):
        return state  # they were found in single precision, and are no better than the last
    trace = float(values.sum()) - _overlap(others, vectors)
    return replace(
        state,
        views=(*state.views[:view], vectors, *state.views[view + 1 :]),
        traces=(*state.traces[:view], trace, *state.traces[view + 1 :]),
    )


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
