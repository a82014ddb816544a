"""The multi-view graph regulariser: how rough a function is over the graphs of all views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from manyviews.data import Views
from manyviews.maths import Gram, spread_gram, to_dense
from manyviews.semi_supervised._shared import chosen_graphs
from manyviews.similarity import SimilarityLike, as_similarity, observed_similarities
from manyviews.typing import (
    AnyArray,
    ByView,
    FloatArray,
    Having,
    IntArray,
    Interval,
    Matrix,
    is_sparse,
)

GraphLike: TypeAlias = (
    SimilarityLike | AnyArray | Annotated[Any, Having("a sparse matrix", "tocsr")] | None
)
"""Edges of a view: a similarity, its name, a matrix of weights, or None for the usual graph."""

Power: TypeAlias = Annotated[int, Interval(1, 16)]
"""Of a Laplacian; every one costs a product, and at the 16th only its largest eigenvalue counts."""
_ASYMMETRY = 1e-10
"""How far from symmetric a given graph may be, relative to its largest weight."""


@dataclass(frozen=True)
class Smoothness:
    """The operator ``L = Σ w_v L_v^p`` over some objects; ``f @ (L @ f)`` is how rough f is.

    Examples
    --------
    >>> path = laplacian(np.array([[0.0, 1.0], [1.0, 0.0]]), normalized=False)
    >>> Smoothness((0.5,), (path,), 1) @ np.array([1.0, -1.0])
    array([ 1., -1.])
    """

    weights: tuple[float, ...]
    laplacians: tuple[Matrix, ...]
    power: int

    def __matmul__(self, block: FloatArray) -> FloatArray:
        total = np.zeros(block.shape)
        for weight, matrix in zip(self.weights, self.laplacians, strict=True):
            found = block
            for _ in range(self.power):  # L^p is never formed: it would fill up
                found = matrix @ found
            total += weight * found
        return total

    def diagonal(self) -> FloatArray:
        """Sum of the powers of the diagonals; the diagonal itself for ``p = 1``."""
        parts = zip(self.weights, self.laplacians, strict=True)
        return np.sum([weight * matrix.diagonal() ** self.power for weight, matrix in parts], 0)


@dataclass(frozen=True)
class Regularizer:
    """The graphs of all views with their weights; a view is regularised where it shows objects."""

    graphs: Mapping[str, Matrix]
    """Weights of the edges among all objects, by view."""
    shares: Mapping[str, float]
    """How much each graph counts; they sum to one."""
    normalized: bool = False
    power: int = 1

    def among(self, objects: IntArray) -> Smoothness:
        """Return the operator over some objects: edges that lead to others are left out.

        Examples
        --------
        >>> square = np.ones((3, 3)) - np.eye(3)
        >>> regularizer = Regularizer({"a": square, "b": 2 * square}, {"a": 0.5, "b": 0.5})
        >>> (regularizer.among(np.array([0, 1])) @ np.eye(2)).round(6)
        array([[ 1.5, -1.5],
               [-1.5,  1.5]])
        """
        found = [
            laplacian(_restricted(graph, objects), normalized=self.normalized)
            for graph in self.graphs.values()
        ]
        weights = [self.shares[name] for name in self.graphs]
        if self.power > 1:
            return Smoothness(tuple(weights), tuple(found), self.power)
        return Smoothness((1.0,), (_weighted_sum(weights, found),), 1)


def laplacian(weights: Matrix, *, normalized: bool) -> Matrix:
    """Return ``D − W``, or ``I − D^{-1/2} W D^{-1/2}``; zero rows for objects without edges.

    An object's similarity to itself is no edge.

    Examples
    --------
    >>> laplacian(np.array([[1.0, 2.0], [2.0, 1.0]]), normalized=False)
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    found = csgraph.laplacian(weights.astype(np.float64), normed=normalized, symmetrized=False)
    return sparse.csr_array(found) if is_sparse(found) else found


def fit_graphs(
    views: Views, graph: ByView[GraphLike], shares: Mapping[str, float], *, relative: bool = False
) -> dict[str, Matrix]:
    """Build the graph of every view that counts; it has no edges at objects the view hides.

    ``graph`` is a similarity, its name or a matrix of weights, for all views or one per view.
    ``relative`` divides each by its mean degree, so that the unit of its weights is nothing.
    """
    chosen = chosen_graphs(graph, views)
    counting = [name for name in views.names if shares[name] > 0]
    found = {name: _graph(views, name, chosen[name]) for name in counting}
    return {name: _of_mean_degree_one(each) for name, each in found.items()} if relative else found


def _of_mean_degree_one(graph: Matrix) -> Matrix:
    own = float(graph.diagonal().sum())  # an object's similarity to itself is no edge
    total = (float(graph.sum()) - own) / graph.shape[0]
    return graph * (1.0 / total) if total > 0 else graph


def _graph(views: Views, name: str, chosen: GraphLike) -> Matrix:
    n = len(views)
    if isinstance(chosen, np.ndarray) or is_sparse(chosen):
        found = sparse.csr_array(chosen) if is_sparse(chosen) else np.asarray(chosen)
        _check_square(found, n, name)
    else:
        places = np.flatnonzero(views.observed_in(name))
        among = _similarities(views, name, chosen)
        found = among if len(places) == n else spread_gram(among, places, places, (n, n))
    smallest = found.data.min(initial=0.0) if is_sparse(found) else found.min()
    if smallest < 0:
        raise ValueError(
            f"the graph of view {name!r} has an edge of weight {smallest:g}, and smoothness needs "
            "weights of zero or more; use KNNGraph() or RBF()."
        )
    return found


def _similarities(views: Views, name: str, chosen: Any) -> Matrix:
    found: Gram = observed_similarities(views.subset([name]), as_similarity(chosen, "graph"))[1][
        name
    ]
    return found if is_sparse(found) else to_dense(found)


def _check_square(found: Matrix, n: int, name: str) -> None:
    if found.shape != (n, n):
        raise ValueError(
            f"the graph given for view {name!r} has shape {found.shape} for {n} objects; give the "
            "weights of the edges among all of them."
        )
    if not np.isfinite(found.data if is_sparse(found) else found).all():
        raise ValueError(
            f"the graph given for view {name!r} has weights that are not finite; give numbers, and "
            "0 where there is no edge."
        )
    gaps = abs(found - found.T)
    if gaps.max() > _ASYMMETRY * abs(found).max():
        row, column = np.unravel_index(gaps.argmax(), gaps.shape)
        raise ValueError(
            f"the graph given for view {name!r} is not symmetric at ({row}, {column}); "
            "use (W + W.T) / 2."
        )


def _restricted(graph: Matrix, objects: IntArray) -> Matrix:
    if len(objects) == graph.shape[0]:
        return graph
    return graph[objects][:, objects]


def _weighted_sum(weights: list[float], matrices: list[Matrix]) -> Matrix:
    if not all(is_sparse(matrix) for matrix in matrices):
        matrices = [to_dense(matrix) for matrix in matrices]
    total = weights[0] * matrices[0]
    for weight, matrix in zip(weights[1:], matrices[1:], strict=True):
        total = total + weight * matrix
    return total
