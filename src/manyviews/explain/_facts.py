"""What can be read off a view without learning anything from it."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.explain._report import ViewReport
from manyviews.typing import BoolArray, FloatArray, Matrix, is_sparse


def view_facts(name: str, matrix: Matrix, seen: BoolArray) -> ViewReport:
    """Shape, kind, gaps and spread of one view; the effective rank is left at 0."""
    rows = matrix[seen]
    values = rows.data if is_sparse(rows) else rows
    cells = max(rows.shape[0] * rows.shape[1], 1)
    missing = int(np.count_nonzero(np.isnan(values)))
    complete = fill_cells(rows)
    variances = column_variances(complete)
    total = float(variances.sum())
    return ViewReport(
        name=name,
        n_features=int(matrix.shape[1]),
        kind="sparse" if is_sparse(matrix) else "dense",
        dtype=str(matrix.dtype),
        density=(int(np.count_nonzero(values)) - missing) / cells,
        observed=float(seen.mean()) if len(seen) else 0.0,
        missing_cells=missing / cells,
        empty_rows=_empty_share(rows),
        constant_features=int(np.count_nonzero(variances == 0.0)),
        spread=float(np.sqrt(total)),
        dominant_share=float(variances.max() / total) if total > 0.0 else 0.0,
        effective_rank=0.0,
    )


def _empty_share(rows: Matrix) -> float:
    if 0 in rows.shape:
        return 0.0
    filled = np.diff(rows.indptr) > 0 if is_sparse(rows) else (rows != 0.0).any(axis=1)
    return 1.0 - float(filled.mean())


def fill_cells(rows: Matrix) -> Matrix:
    """Put the column's mean where a cell is NaN (0 where a whole column is); else no copy."""
    values = rows.data if is_sparse(rows) else rows
    gaps = np.isnan(values)
    if not gaps.any():
        return rows
    if is_sparse(rows):
        known = sparse.csr_array(
            (np.where(gaps, 0.0, values), rows.indices, rows.indptr), shape=rows.shape
        )
        empty = np.bincount(rows.indices[gaps], minlength=rows.shape[1])
        means = np.asarray(known.sum(axis=0)).ravel() / np.maximum(rows.shape[0] - empty, 1)
        known.data[gaps] = means[rows.indices[gaps]]
        return known
    counts = (~gaps).sum(axis=0)
    means = np.where(gaps, 0.0, values).sum(axis=0) / np.maximum(counts, 1)
    return np.where(gaps, means, values)


def column_variances(rows: Matrix) -> FloatArray:
    """Variance of each column, exactly 0 where it never changes."""
    n_rows, n_columns = rows.shape
    if n_rows == 0 or n_columns == 0:
        return np.zeros(n_columns)
    if not is_sparse(rows):
        changing = rows.max(axis=0) > rows.min(axis=0)
        return np.where(changing, rows.var(axis=0, dtype=np.float64), 0.0)
    high, low = rows.max(axis=0).toarray().ravel(), rows.min(axis=0).toarray().ravel()
    data = rows.data.astype(np.float64)
    means = np.bincount(rows.indices, weights=data, minlength=n_columns) / n_rows
    squares = np.bincount(rows.indices, weights=data**2, minlength=n_columns) / n_rows
    return np.where(high > low, np.clip(squares - means**2, 0.0, None), 0.0)
