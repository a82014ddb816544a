"""Many rows put into few tight groups, without any chance, for Ward's method to merge."""

from __future__ import annotations

import numpy as np

from manyviews.cluster._trees._rows import mean_rows
from manyviews.maths import Divergence
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_MOVES = 2


def condensed(
    X: FloatArray, n_groups: int, divergence: Divergence, columns: Matrix | None = None
) -> IntArray:
    """Put rows into at most so many tight groups, without any chance.

    The group that varies most in one column is cut there at its mean, until there are enough; then
    rows move to the nearest mean a few times. ``columns`` has the rows as they are cut, if ``X``
    has them in other coordinates.
    """
    groups = cut_by_columns(X if columns is None else columns, n_groups)
    for _ in range(_MOVES):
        means, _ = mean_rows(X, groups, int(groups.max()) + 1)
        slopes = divergence.gradient(means)
        if not np.isfinite(slopes).all():
            break
        offsets = np.einsum("ij,ij->i", slopes, means) - divergence.phi(means)
        groups = np.argmin(offsets - X @ slopes.T, axis=1)  # Eq. (1) without φ(x)
        groups = np.unique(groups, return_inverse=True)[1]
    return groups


def cut_by_columns(X: Matrix, n_groups: int) -> IntArray:
    """Cut the group that varies most in one column there, at its mean, until there are enough.

    Examples
    --------
    >>> cut_by_columns(np.array([[0.0], [9.0], [1.0], [8.0]]), 2)
    array([0, 1, 0, 1])
    """
    from manyviews.cluster._trees._condense_kernel import cut

    if not is_sparse(X):
        return np.asarray(cut(X, X.shape[0], n_groups))
    sorted_rows = X.sorted_indices()
    parts = sorted_rows.data, sorted_rows.indices, sorted_rows.indptr, X.shape[1]
    return np.asarray(cut(parts, X.shape[0], n_groups))
