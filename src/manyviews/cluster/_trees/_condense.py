"""Many rows put into few tight groups, without any chance, for Ward's method to merge."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.maths import Divergence
from manyviews.typing import FloatArray, IntArray

_MOVES = 2


def condensed(X: FloatArray, n_groups: int, divergence: Divergence) -> IntArray:
    """Put rows into at most so many tight groups, without any chance.

    The group that varies most in one column is cut there at its mean, until there are enough; then
    rows move to the nearest mean a few times.
    """
    from manyviews.cluster._trees._condense_kernel import cut_by_columns

    groups = cut_by_columns(X, n_groups)
    for _ in range(_MOVES):
        means, _ = group_means(X, groups)
        slopes = divergence.gradient(means)
        if not np.isfinite(slopes).all():
            break
        offsets = np.einsum("ij,ij->i", slopes, means) - divergence.phi(means)
        groups = np.argmin(offsets - X @ slopes.T, axis=1)  # Eq. (1) without φ(x)
        groups = np.unique(groups, return_inverse=True)[1]
    return groups


def group_means(X: FloatArray, groups: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and size of each group."""
    sizes = np.bincount(groups).astype(float)
    members = sparse.csr_array((np.ones(len(X)), groups, np.arange(len(X) + 1)))
    return np.asarray(members.T @ X) / sizes[:, None], sizes
