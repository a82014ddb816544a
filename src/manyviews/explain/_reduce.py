"""A view as a few principal components: one small dense block that everything else works on."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.explain._facts import column_variances, fill_cells
from manyviews.explain._thresholds import MAX_COMPONENTS, MIN_COMPONENTS
from manyviews.typing import BoolArray, FloatArray, Matrix, is_sparse

_NEGLIGIBLE = 1e-10


def reduce_view(matrix: Matrix, seen: BoolArray, seed: int) -> FloatArray:
    """Scores on the leading principal components, total variance 1, zero where unobserved.

    Features of a dense view are standardised first, as are those of a sparse view of 50 features
    or fewer; rows of other sparse views are scaled to length 1, which suits counts and links and
    keeps them sparse. Labels play no part, so that what is
    cross-validated on the scores is not spoilt. A constant view gives no component at all.
    """
    rows = fill_cells(matrix[seen])
    if is_sparse(rows) and rows.shape[1] <= MIN_COMPONENTS:  # so narrow that it fits any memory
        rows = rows.toarray()
    scores = np.zeros((len(seen), 0))
    if 0 in rows.shape or not column_variances(rows).any():
        return scores
    n_components = min(MAX_COMPONENTS, max(MIN_COMPONENTS, rows.shape[0] // 10), *rows.shape)
    found = (
        _sparse_scores(rows, n_components, seed)
        if is_sparse(rows)
        else _dense_scores(rows, n_components, seed)
    )
    found = found - found.mean(axis=0)
    variances = np.square(found).mean(axis=0)
    total = float(variances.sum())
    if total <= 0.0:
        return scores
    kept = variances > _NEGLIGIBLE * total
    scores = np.zeros((len(seen), int(kept.sum())))
    scores[seen] = found[:, kept] / np.sqrt(total)
    return scores


def _dense_scores(rows: FloatArray, n_components: int, seed: int) -> FloatArray:
    from sklearn.decomposition import PCA

    changing = column_variances(rows) > 0.0
    columns = rows[:, changing].astype(np.float64)
    columns -= columns.mean(axis=0)
    columns /= columns.std(axis=0)
    return PCA(min(n_components, *columns.shape), random_state=seed).fit_transform(columns)


def _sparse_scores(rows: Matrix, n_components: int, seed: int) -> FloatArray:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    unit = normalize(sparse.csr_array(rows, dtype=np.float64))
    return TruncatedSVD(n_components, random_state=seed).fit_transform(unit)
