"""All views in one matrix, for a classifier that knows no gaps."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.data import Views
from manyviews.typing import FloatArray, Matrix, is_sparse


def view_means(views: Views) -> dict[str, FloatArray]:
    """Mean of the observed rows of each dense view; a sparse view's gaps stay empty: zeros.

    Examples
    --------
    >>> view_means(Views({"size": [[1.0], None, [3.0]]}))
    {'size': array([2.])}
    """
    return {
        name: np.zeros(matrix.shape[1])
        if is_sparse(matrix)
        else matrix[views.observed_in(name)].mean(axis=0, dtype=np.float64)
        for name, matrix in views.items()
    }


def side_by_side(views: Views, means: dict[str, FloatArray]) -> Matrix:
    """All views in one matrix, with the means in the place of what is unobserved.

    Examples
    --------
    >>> views = Views({"size": [[1.0], None], "price": [[5.0], [6.0]]})
    >>> side_by_side(views, {"size": np.array([2.0]), "price": np.array([5.5])})
    array([[1., 5.],
           [2., 6.]])
    """
    filled = [
        matrix
        if is_sparse(matrix)
        else np.where(views.observed_in(name)[:, None], matrix, means[name])
        for name, matrix in views.items()
    ]
    if any(is_sparse(matrix) for matrix in filled):
        return sparse.csr_array(sparse.hstack(filled, format="csr"))
    return np.hstack(filled)
