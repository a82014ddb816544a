"""Few directions that hold most of a wide view's variance, found by products only [@halko2011]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, lu, qr

from manyviews.embed._canonical._moments import Source, block_size, blocks_of, varying
from manyviews.typing import FloatArray, Matrix, is_sparse

_OVERSAMPLES = 10
_POWERS = 3
"""How often the range is multiplied again, by which small variances fall behind large ones."""


@dataclass(frozen=True)
class Spread:
    """Where a view's features lie and how far they vary."""

    means: FloatArray
    variances: FloatArray


@dataclass(frozen=True)
class Basis:
    """Orthonormal directions of largest variance, the largest first."""

    directions: FloatArray
    """Features × rank."""
    means: FloatArray
    scales: FloatArray
    """Standard deviations of the features."""
    kept: float
    """Share of the variance of all features that lies along the directions."""


def leading_basis(matrix: Matrix, rank: int, rng: np.random.Generator) -> Basis:
    """Principal directions of a view, without centring, unpacking or squaring it.

    Parameters
    ----------
    matrix : array or CSR array of shape (n_objects, n_features)
        Finite values.
    rank : int
        How many directions; fewer if the objects do not vary in so many. With as many as there
        are objects the result is exact.
    rng : generator
        Draws the first directions.
    """
    n_objects, n_features = matrix.shape
    spread = spread_of(matrix)
    size = min(rank + _OVERSAMPLES, n_features)
    if size >= n_objects:  # all objects are few enough to span the range themselves
        basis = _orthonormal(_back(matrix, spread.means, np.eye(n_objects)))
    else:
        basis = rng.standard_normal((n_features, size))
        for _ in range(_POWERS):
            basis = _conditioned(_squared(matrix, spread.means, basis))
        basis = _orthonormal(_squared(matrix, spread.means, basis))
    basis = basis * (spread.variances > 0.0)[:, None]  # no trace of the rounding of constants
    variances, turn = eigh(_covariance_along(matrix, spread.means, basis))
    turn, variances = turn[:, ::-1][:, :rank], variances[::-1][:rank]
    directions = basis @ turn
    vary = varying(np.abs(spread.means) @ np.abs(directions), variances)
    vary &= variances > size * np.finfo(np.float64).eps * variances[0]
    total = float(spread.variances.sum())
    kept = min(float(variances[vary].sum()) / total, 1.0) if total > 0.0 else 1.0
    return Basis(directions[:, vary], spread.means, np.sqrt(spread.variances), kept)


def spread_of(matrix: Matrix) -> Spread:
    """Means and variances of the features."""
    n_objects, n_features = matrix.shape
    if is_sparse(matrix):
        data = matrix.data.astype(np.float64, copy=False)
        means = np.bincount(matrix.indices, data, n_features) / n_objects
        filled = np.bincount(matrix.indices, minlength=n_features)
        apart = np.bincount(matrix.indices, (data - means[matrix.indices]) ** 2, n_features)
        return _spread(means, (apart + (n_objects - filled) * means**2) / n_objects)
    means = matrix.mean(axis=0, dtype=np.float64)
    squares = np.zeros(n_features)
    for rows in blocks_of(slice(None), n_objects, block_size(n_features)):
        squares += np.square(matrix[rows] - means).sum(axis=0)
    return _spread(means, squares / n_objects)


def _spread(means: FloatArray, variances: FloatArray) -> Spread:
    return Spread(means, np.where(varying(means, variances), variances, 0.0))


def _forth(matrix: Matrix, means: FloatArray, right: FloatArray) -> FloatArray:
    """``(X - 1 mᵀ) right``, in the precision of the view."""
    right = right.astype(matrix.dtype, copy=False)
    return np.asarray(matrix @ right) - (means @ right).astype(matrix.dtype)


def _back(matrix: Matrix, means: FloatArray, left: FloatArray) -> FloatArray:
    """``(X - 1 mᵀ)ᵀ left``."""
    left = left.astype(matrix.dtype, copy=False)
    return np.asarray(matrix.T @ left) - np.outer(means, left.sum(axis=0, dtype=np.float64))


def _squared(matrix: Matrix, means: FloatArray, right: FloatArray) -> FloatArray:
    return _back(matrix, means, _forth(matrix, means, right))


def _conditioned(columns: FloatArray) -> FloatArray:
    """Columns of the same span that are far from dependent, at a quarter of the cost of QR."""
    return lu(columns, permute_l=True, overwrite_a=True, check_finite=False)[0]


def _orthonormal(columns: FloatArray) -> FloatArray:
    return qr(columns, mode="economic", overwrite_a=True, check_finite=False)[0]


def _covariance_along(matrix: Matrix, means: FloatArray, basis: FloatArray) -> FloatArray:
    source, offset = Source(matrix, basis), means @ basis
    products = np.zeros((basis.shape[1],) * 2)
    for rows in blocks_of(slice(None), matrix.shape[0], block_size(basis.shape[1])):
        part = source.block(rows) - offset
        products += part.T @ part
    return products / matrix.shape[0]
