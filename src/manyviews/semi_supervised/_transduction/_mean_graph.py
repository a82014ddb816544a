"""One graph over all objects from the graphs of the views, each on the objects that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.maths import (
    Gram,
    LowRank,
    row_blocks,
    rows_at_a_time,
    scaled,
    spread_gram,
    to_dense,
)
from manyviews.similarity import ViewSimilarities, observed_similarities
from manyviews.typing import BoolArray, FloatArray, is_sparse


@dataclass(frozen=True)
class MeanGraph:
    """``A = Σ_v w_v A_v / d_v``, with ``d_v`` the mean degree of view v; no edge where unseen.

    Its Laplacian is the same sum of the Laplacians of the views.
    """

    similarities: ViewSimilarities
    factors: dict[str, float]
    """By view: what an edge there counts, ``w_v / (d_v Σ w)``."""

    def graph(self, found: Mapping[str, Gram]) -> Gram:
        """Edges among the training objects."""
        observed = self.similarities.observed
        return self._summed(found, observed, observed)

    def cross(self, new: Views) -> Gram:
        """Edges of new objects to the training objects."""
        found = self.similarities.cross_observed(new)
        return self._summed(found, new.observed, self.similarities.observed)

    def neighbours_mean(self, new: Views, values: FloatArray) -> FloatArray:
        """Mean of the training objects' values over the edges of new objects; 0 without any."""
        blocks = row_blocks(len(new), rows_at_a_time(len(values)))
        return np.concatenate([self._mean_over_edges(new[part], values) for part in blocks])

    def _mean_over_edges(self, new: Views, values: FloatArray) -> FloatArray:
        edges = self.cross(new)
        degrees = np.asarray(edges.sum(axis=1), dtype=np.float64)[:, None]
        sums = np.asarray(edges @ values, dtype=np.float64)
        return np.divide(sums, degrees, out=np.zeros_like(sums), where=degrees > 0)

    def _summed(self, found: Mapping[str, Gram], rows: BoolArray, columns: BoolArray) -> Gram:
        shape = len(rows), len(columns)
        parts = []
        for view, (name, gram) in enumerate(found.items()):
            at = np.flatnonzero(rows[:, view]), np.flatnonzero(columns[:, view])
            weighed = scaled(gram, np.full(len(at[0]), self.factors[name]), np.ones(len(at[1])))
            parts.append(spread_gram(weighed, *at, shape))
        return sum_of_graphs(parts)


def fit_mean_graph(
    views: Views, graph: Any, weights: Mapping[str, float]
) -> tuple[MeanGraph, Gram]:
    """Build the graph of each view, and their mean.

    Examples
    --------
    >>> views = Views({"a": [[0.0], [1.0], [5.0]], "b": [[0.0], None, [0.1]]})
    >>> weights = {"a": 1.0, "b": 3.0}
    >>> mean, edges = fit_mean_graph(views, "linear", weights)
    >>> {name: round(factor, 3) for name, factor in mean.factors.items()}
    {'a': 0.021, 'b': 150.0}
    """
    similarities, found = observed_similarities(views, graph)
    total = sum(weights.values())
    factors = {
        name: weights[name] / total / degree if (degree := mean_degree(gram)) > 0 else 0.0
        for name, gram in found.items()
    }
    mean = MeanGraph(similarities, factors)
    return mean, mean.graph(found)


def mean_degree(gram: Gram) -> float:
    """Mean over the objects of the sum of their edges.

    Examples
    --------
    >>> mean_degree(np.array([[1.0, 2.0], [2.0, 1.0]]))
    3.0
    """
    return float(np.mean(gram.sum(axis=1))) if gram.shape[0] else 0.0


def sum_of_graphs(grams: list[Gram]) -> Gram:
    """Sum of similarities: sparse if all are, of low rank if all are, else dense.

    Examples
    --------
    >>> sum_of_graphs([np.eye(2), LowRank(np.ones((2, 1)), np.ones((2, 1)))])
    array([[2., 1.],
           [1., 2.]])
    """
    alike = all(is_sparse(gram) for gram in grams) or all(isinstance(g, LowRank) for g in grams)
    parts: list[Any] = list(grams) if alike else [to_dense(gram) for gram in grams]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
