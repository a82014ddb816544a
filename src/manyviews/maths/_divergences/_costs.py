"""What a cluster costs, and what it costs to merge two [@gupta2005]."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.maths._divergences._base import Divergence
from manyviews.typing import FloatArray


def cluster_cost(divergence: Divergence, X: FloatArray) -> float:
    """Sum of the divergences of the rows from their mean; 0 for no rows.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import SquaredEuclidean
    >>> cluster_cost(SquaredEuclidean(), np.array([[0.0], [2.0], [4.0]]))
    8.0
    """
    if not len(X):
        return 0.0
    mean = X.mean(axis=0, keepdims=True)
    return float(divergence.rowwise(X, mean).sum())


def merge_cost(
    divergence: Divergence,
    mean_a: FloatArray,
    size_a: Any,
    mean_b: FloatArray,
    size_b: Any,
) -> FloatArray:
    """How much the cost of two clusters rises when they become one, by the Lemma.

    It is ``|A| φ(μ_A) + |B| φ(μ_B) − (|A| + |B|) φ(μ)`` with the common mean ``μ``, written as
    ``|A| d(μ_A, μ) + |B| d(μ_B, μ)``: the same number, as the gradient's terms cancel, with no
    difference of large values. The points of the clusters are not needed.

    Parameters
    ----------
    divergence : Divergence
        Under which they cost.
    mean_a, mean_b : arrays of shape (d,) or (n, d)
        Means of the clusters of the pairs; a single one is paired with each of the others.
    size_a, size_b : float or arrays of shape (n,)
        Their sizes, or sums of weights. A cluster of size 0 costs nothing to merge with.

    Returns
    -------
    array of shape (n,), or () if both means are single
        The cost of each merge.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import SquaredEuclidean
    >>> float(merge_cost(SquaredEuclidean(), np.array([1.0]), 2, np.array([4.0]), 1))
    6.0
    """
    shape = np.broadcast_shapes(mean_a.shape[:-1], mean_b.shape[:-1])
    sizes_a, sizes_b = np.atleast_1d(size_a), np.atleast_1d(size_b)
    empty = (sizes_a == 0) | (sizes_b == 0)
    share = np.where(empty, 0.5, sizes_b / np.where(empty, 1, sizes_a + sizes_b))[:, None]
    means_a, means_b = np.atleast_2d(mean_a), np.atleast_2d(mean_b)
    common = means_a + share * (means_b - means_a)
    lowest, highest = np.minimum(means_a, means_b), np.maximum(means_a, means_b)
    common = np.clip(common, lowest, highest)  # rounding must not leave the domain
    cost = sizes_a * divergence.rowwise(means_a, common)
    cost = cost + sizes_b * divergence.rowwise(means_b, common)
    return np.where(empty, 0.0, cost).reshape(shape)
