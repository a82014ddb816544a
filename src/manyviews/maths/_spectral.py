"""Objects as rows of the leading eigenvectors of their normalised affinity [@ng2001]."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, eigh

from manyviews.maths._gram import Gram
from manyviews.maths._ties import LEVEL, chosen, runs_of_equal
from manyviews.typing import FloatArray

_ASYMMETRY = 1e-10
"""How far from symmetric an affinity may be, relative to its largest entry."""


def spectral_embedding(
    affinity: FloatArray,
    n_components: int,
    *,
    normalize_rows: bool = True,
    zero_diagonal: bool = False,
) -> FloatArray:
    """Place objects by the leading eigenvectors of ``D^{-1/2} A D^{-1/2}``.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Symmetric affinities ``A``. Single entries may be negative, row sums may not.
    n_components : int
        How many eigenvectors, those of the largest eigenvalues.
    normalize_rows : bool
        Bring every object to unit length, as Ng, Jordan and Weiss do before k-means.
    zero_diagonal : bool
        Leave out the affinity of an object to itself, as they do after building ``A``.

    Returns
    -------
    array of shape (n, n_components)
        One row per object, the eigenvector of the largest eigenvalue first. In each eigenvector
        the entry of largest modulus is positive (before the rows are normalised).

    Notes
    -----
    *Isolated objects*, whose row of ``A`` is zero, have nothing to be placed by: they are left out
    of the eigenproblem and get a row of zeros. *Repeated eigenvalues*, as with an affinity that
    falls into blocks, leave the basis of their eigenspace open: it is chosen as
    :func:`leading_eigenvectors` says, block by block, the largest ones first. A row that is zero
    up to rounding, as of a block that no chosen eigenvector reaches, is given no direction: it is
    zero after normalisation too.

    The whole matrix is decomposed in memory: O(n²) numbers, O(n³) time.

    References
    ----------
    [@ng2001]

    Examples
    --------
    >>> import numpy as np
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> Y = spectral_embedding(pairs, 2)
    >>> np.abs(np.round(Y @ Y.T, 6))
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """
    A = _checked_affinity(affinity)
    if zero_diagonal:
        A = A - np.diag(np.diag(A))
    connected = A.any(axis=1)
    n_connected = int(connected.sum())
    if n_connected == 0:
        raise ValueError("affinity is all zero; there is nothing to place objects by.")
    if not 1 <= n_components <= n_connected:
        raise ValueError(
            f"n_components is {n_components}, but {n_connected} of {len(A)} objects have an "
            f"affinity that is not zero; choose a number from 1 to {n_connected}."
        )
    embedding = np.zeros((len(A), n_components))
    A = A[np.ix_(connected, connected)]
    embedding[connected] = leading_eigenvectors(normalize_by_degree(A), n_components)[1]
    return unit_rows(embedding) if normalize_rows else embedding


def normalize_by_degree(weights: FloatArray) -> FloatArray:
    """Return ``D_row^{-1/2} W D_col^{-1/2}``, with zeros in rows and columns that sum to zero.

    Parameters
    ----------
    weights : array of shape (n, m)
        An affinity, or the weights of a bipartite graph; rows and columns sum to zero or more.

    Examples
    --------
    >>> normalize_by_degree(np.array([[0.0, 4.0], [9.0, 0.0]]))
    array([[0., 1.],
           [1., 0.]])
    """
    W = np.asarray(weights, dtype=np.float64)
    rows, columns = inverse_root_degrees(W), inverse_root_degrees(W.T, kind="column")
    return rows[:, None] * W * columns


def inverse_root_degrees(weights: Gram, *, kind: str = "row") -> FloatArray:
    """Return ``1 / sqrt(d)`` for the sums ``d`` of the rows, and zero where a row sums to zero.

    Parameters
    ----------
    weights : matrix of shape (n, m)
        Dense, sparse or low-rank.
    kind : str
        What a row is called in the error that a negative sum raises.

    Examples
    --------
    >>> inverse_root_degrees(np.array([[1.0, 3.0], [0.0, 0.0]]))
    array([0.5, 0. ])
    """
    sums = np.asarray(weights.sum(axis=1), dtype=np.float64)
    if (sums < 0).any():
        place = int(np.argmin(sums))
        raise ValueError(
            f"{kind} {place} of the weights sums to {sums[place]:g}; "
            "use affinities whose rows and columns do not sum to less than zero."
        )
    roots = np.sqrt(sums)
    return np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)


def leading_eigenvectors(
    matrix: FloatArray, n_components: int, *, basis: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Largest eigenvalues of a symmetric matrix, in falling order, and their eigenvectors.

    Parameters
    ----------
    matrix : array of shape (r, r)
        Symmetric.
    n_components : int
        How many.
    basis : array of shape (n, r), optional
        Orthonormal columns ``Q``: the eigenvectors are those of ``Q A Qᵀ``, one row per object.

    Notes
    -----
    Where eigenvalues are equal up to rounding, the eigenvectors do not hang on it. If their space
    falls into parts that have no object in common, as for a graph in pieces, each eigenvector lies
    in one part, the part of most objects first. Within a part, the first is the one that lies
    nearest to a single object, the next one the same among what is orthogonal to it. Among equals
    the first object decides.

    Examples
    --------
    >>> values, vectors = leading_eigenvectors(np.diag([1.0, 3.0, 2.0]), 2)
    >>> values
    array([3., 2.])
    >>> vectors.T
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    size = len(matrix)
    scale = float(np.linalg.norm(matrix))
    lowest = max(size - n_components - 1, 0)  # one more tells whether the last one has equals
    values, vectors = _largest(matrix, lowest)
    if lowest and runs_of_equal(values[::-1], scale)[-1][0] < n_components:
        values, vectors = _largest(matrix, 0)
    if basis is not None:
        vectors = basis @ vectors
    values, vectors = chosen(values[::-1], vectors[:, ::-1], n_components, scale)
    return values, fix_signs(vectors)


def _largest(matrix: FloatArray, lowest: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues from the place ``lowest`` on, in rising order, and eigenvectors.

    LAPACK's quickest way gives up on some matrices in which nearly all eigenvalues are equal, such
    as the graph among copies of one object, or finds too few; divide and conquer does not.
    """
    try:
        values, vectors = eigh(matrix, subset_by_index=(lowest, len(matrix) - 1))
    except LinAlgError:
        values = np.empty(0)
    if len(values) == len(matrix) - lowest:
        return values, vectors
    values, vectors = eigh(matrix, driver="evd")
    return values[lowest:], vectors[:, lowest:]


def fix_signs(vectors: FloatArray) -> FloatArray:
    """Turn each column so that its entry of largest modulus, the first among equals, is positive.

    Examples
    --------
    >>> fix_signs(np.array([[-2.0, 1.0], [2.0, 3.0]]))
    array([[ 2.,  1.],
           [-2.,  3.]])
    """
    return vectors * column_signs(vectors)


def column_signs(vectors: FloatArray) -> FloatArray:
    """Signs, 1 or -1, by which :func:`fix_signs` multiplies the columns.

    Examples
    --------
    >>> column_signs(np.array([[-2.0, 1.0], [2.0, 3.0]]))
    array([-1.,  1.])
    """
    if not vectors.size:
        return np.ones(vectors.shape[1])
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=0) * (1 - LEVEL), axis=0)
    return np.where(vectors[first, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def unit_rows(rows: FloatArray) -> FloatArray:
    """Bring rows to unit length; a row that is zero up to rounding becomes zero.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rounding = len(rows) * np.finfo(rows.dtype).eps
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > rounding)


def _checked_affinity(affinity: FloatArray) -> FloatArray:
    A = np.asarray(affinity, dtype=np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"affinity has shape {A.shape}; give a square matrix.")
    if not np.isfinite(A).all():
        row, column = np.argwhere(~np.isfinite(A))[0]
        raise ValueError(f"affinity holds NaN or infinity at ({row}, {column}); fill it first.")
    gaps = np.abs(A - A.T)
    if A.size and gaps.max() > _ASYMMETRY * np.abs(A).max():
        row, column = np.unravel_index(np.argmax(gaps), A.shape)
        raise ValueError(
            f"affinity is not symmetric: ({row}, {column}) is {A[row, column]:g} and "
            f"({column}, {row}) is {A[column, row]:g}; use (A + A.T) / 2."
        )
    return A
