"""Factors of low rank of a positive semi-definite matrix, from few of its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.lapack import dpstrf

from manyviews.maths._spectral import fix_signs
from manyviews.maths._ties import LEVEL
from manyviews.maths.memory import check_memory
from manyviews.typing import FloatArray, IntArray

_FIRST_RANK = 64
"""Room made at first, as the rank may stay far below what it may be; it doubles as needed."""
_NOTHING = 1e-12
"""Eigenvalues up to this share of the largest are zero: their roots would only blow up noise."""


@dataclass(frozen=True)
class PivotedCholesky:
    """``K ≈ factor @ factor.T``, exact in the rows and columns of the pivots."""

    pivots: IntArray
    """The columns that were read, in the order in which they were chosen."""
    factor: FloatArray
    """Shape (n, rank); its rows at the pivots are lower triangular."""
    residual: float
    """Trace of what is left, ``K − factor @ factor.T``: an upper bound of its every norm."""


def pivoted_cholesky(
    diagonal: FloatArray,
    column: Callable[[int], FloatArray],
    *,
    tol: float = 1e-6,
    row_tol: float | None = None,
    min_rank: int = 0,
    max_rank: int | None = None,
) -> PivotedCholesky:
    """Incomplete Cholesky factor, the largest remaining diagonal entry first.

    Only the diagonal and the columns of the pivots are read [@fine2001]. With ``row_tol`` it is
    the partial Gram-Schmidt method: it ends when no row has much left of it.

    Parameters
    ----------
    diagonal : array of shape (n,)
        The diagonal of a positive semi-definite matrix ``K``.
    column : callable
        Gives one column of ``K`` by its number.
    tol : float
        Stop when the trace of what is left is at most this share of the trace of ``K``.
    row_tol : float, optional
        Stop also when each diagonal entry of what is left is at most this share of the spread
        of the rows: the mean squared distance from their mean, as the factor knows it.
    min_rank : int
        Stop at this rank at the earliest, unless nothing is left.
    max_rank : int, optional
        Stop at this rank at the latest.

    Returns
    -------
    PivotedCholesky

    Notes
    -----
    O(n · rank) numbers, O(n · rank²) time beside that of the columns. What is left is positive
    semi-definite, so that its trace is its trace norm, and bounds its largest eigenvalue. Of
    entries that are equally large, as on the diagonal of many a kernel, the first is taken: a
    later one has to be larger by up to a millionth, which no rounding makes it.

    References
    ----------
    [@fine2001]

    Examples
    --------
    >>> K = np.array([[4.0, 2.0], [2.0, 1.0]])
    >>> found = pivoted_cholesky(np.diag(K), lambda j: K[:, j])
    >>> found.pivots, found.factor.ravel(), found.residual
    (array([0]), array([2., 1.]), 0.0)
    """
    left = np.array(diagonal, dtype=np.float64)
    limit = len(left) if max_rank is None else min(max_rank, len(left))
    total = spread = float(left.sum())
    smallest = _rounding(left)
    rows = np.empty((min(limit, _FIRST_RANK), len(left)))
    pivots: list[int] = []
    precedence = _precedence(len(left))
    while len(pivots) < limit:
        pivot = int(np.argmax(left * precedence))
        few = left.sum() <= tol * total or (
            row_tol is not None and left[pivot] <= row_tol * spread / len(left)
        )
        if left[pivot] <= smallest or (few and len(pivots) >= min_rank):
            break
        rank = len(pivots)
        if rank == len(rows):
            more = min(rank, limit - rank)
            check_memory(
                (rank + more, len(left)),
                f"a factor of rank {rank + more:,} of similarities among {len(left):,} objects",
                remedy="bound its rank (max_rank of KernelCCA, rank of LowRankKernel)",
            )
            rows = np.vstack([rows, np.empty((more, len(left)))])
        found = column(pivot) - rows[:rank, pivot] @ rows[:rank]
        found /= np.sqrt(left[pivot])
        found[pivots] = 0.0  # they are explained already, up to rounding
        rows[rank] = found
        left -= found**2
        np.maximum(left, 0.0, out=left)
        left[pivot] = 0.0
        spread -= float(found.sum()) ** 2 / len(left)
        pivots.append(pivot)
    chosen = np.array(pivots, dtype=np.intp)
    return PivotedCholesky(chosen, rows[: len(pivots)].T, float(left.sum()))


def gram_cholesky(
    gram: FloatArray,
    *,
    row_tol: float = 0.0,
    min_rank: int = 0,
    max_rank: int | None = None,
) -> PivotedCholesky:
    """Return the factor of :func:`pivoted_cholesky`, of a matrix that is there as a whole.

    LAPACK works on blocks of columns: where most of them are pivots it is many times faster.

    Parameters
    ----------
    gram : array of shape (n, n)
        Positive semi-definite; its lower triangle is read.
    row_tol, min_rank, max_rank
        As for :func:`pivoted_cholesky`.

    Examples
    --------
    >>> K = np.array([[4.0, 2.0], [2.0, 1.0]])
    >>> found = gram_cholesky(K)
    >>> found.pivots, found.factor.ravel(), found.residual
    (array([0]), array([2., 1.]), 0.0)
    """
    diagonal = gram.diagonal()
    # LAPACK compares the diagonal entries of what is left: scaled, they have the precedence.
    scale = np.sqrt(_precedence(len(gram)))
    scaled = scale[:, None] * gram
    scaled *= scale
    lower, order, rank, _ = dpstrf(scaled, tol=_rounding(diagonal), lower=1, overwrite_a=True)
    order = order.astype(np.intp) - 1
    if max_rank is not None:
        rank = min(rank, max_rank)
    factor = np.empty((len(gram), rank), order="F")
    factor[order] = np.tril(lower[:, :rank])
    factor /= scale[:, None]
    rank = _sufficient_rank(factor, order[:rank], diagonal, row_tol, min_rank)
    factor = factor[:, :rank]
    left = max(float(diagonal.sum() - np.einsum("ij,ij->", factor, factor)), 0.0)
    return PivotedCholesky(order[:rank], factor, left)


def _sufficient_rank(
    factor: FloatArray, pivots: IntArray, diagonal: FloatArray, row_tol: float, min_rank: int
) -> int:
    """The first rank at which the largest that is left is small beside the spread of the rows."""
    if not len(pivots):
        return 0
    largest = factor[pivots, np.arange(len(pivots))] ** 2
    explained = np.concatenate([[0.0], np.cumsum(factor.mean(axis=0) ** 2)[:-1]])
    small = largest <= row_tol * (diagonal.mean() - explained)
    small[:min_rank] = False
    return int(np.argmax(small)) if small.any() else len(pivots)


def _precedence(size: int) -> FloatArray:
    """Weights that let the first of equal entries win, whatever their rounding."""
    return 1.0 - LEVEL * np.arange(size) / max(size, 1)


def _rounding(diagonal: FloatArray) -> float:
    """What a diagonal entry may be when it should be zero."""
    return len(diagonal) * float(np.finfo(np.float64).eps) * float(diagonal.max(initial=0.0))


def inverse_root(core: FloatArray) -> FloatArray:
    """Return ``R`` with ``R Rᵀ`` the pseudo-inverse of a positive semi-definite matrix.

    Directions in which the matrix is zero up to rounding are left out; they are columns that
    ``R`` does not have.

    Examples
    --------
    >>> inverse_root(np.diag([4.0, 0.0]))
    array([[0.5],
           [0. ]])
    """
    if not core.any():
        return np.zeros((len(core), 0))
    values, vectors = eigh(core)
    kept = values > _NOTHING * float(values[-1])
    return fix_signs(vectors[:, kept]) / np.sqrt(values[kept])
