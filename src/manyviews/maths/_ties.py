"""Which eigenvectors are taken where eigenvalues are equal: chosen here, not left to a solver."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, solve_triangular
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from manyviews.typing import FloatArray, IntArray

ROUNDING = 200
"""Residuals below so many units of rounding are not asked for, nor are eigenvalues told apart."""
LEVEL = 1e-6
"""Entries this close to the largest, relatively, count as equally large."""
_ALONG = 1e-6
"""Rows of an eigenspace whose cosine is smaller than this have nothing in common."""


def runs_of_equal(values: FloatArray, scale: float) -> list[tuple[int, int]]:
    """First and last place (exclusive) of the runs of equal values among falling ones.

    Examples
    --------
    >>> runs_of_equal(np.array([2.0, 1.0, 1.0, 0.5]), scale=2.0)
    [(0, 1), (1, 3), (3, 4)]
    """
    least = ROUNDING * float(np.finfo(np.float64).eps) * scale
    starts = np.flatnonzero(np.diff(values, prepend=np.inf) < -least)
    return [(int(one), int(end)) for one, end in zip(starts, [*starts[1:], len(values)])]  # noqa: B905


def chosen(
    values: FloatArray, vectors: FloatArray, n_components: int, scale: float
) -> tuple[FloatArray, FloatArray]:
    """Return the first eigenvectors, in a basis that depends on their eigenspaces alone.

    Eigenvectors of equal eigenvalues are known up to a rotation only, and which rotation a solver
    finds hangs on the last digits of its sums. Here they are turned as follows. If the eigenspace
    falls into parts that have no object in common, as for a graph in pieces, each vector lies in
    one part, the part of most objects first. Within a part, the first vector is the one that lies
    nearest to a single object, the next one the same among what is orthogonal to it. Among equals
    the first object decides.

    Parameters
    ----------
    values : array of shape (m,)
        Eigenvalues in falling order, all that equal the last one wanted among them.
    vectors : array of shape (n, m)
        Orthonormal eigenvectors, one row per object.
    n_components : int
        How many are wanted.
    scale : float
        A norm of the matrix: what its rounding is relative to.

    Examples
    --------
    >>> mixed = np.array([[0.6, -0.8], [0.0, 0.0], [0.8, 0.6]])
    >>> chosen(np.ones(2), mixed, 2, scale=1.0)[1].round(6)
    array([[1., 0.],
           [0., 0.],
           [0., 1.]])
    """
    columns = []
    for first, end in runs_of_equal(values, scale):
        if first >= n_components:
            break
        space = vectors[:, first:end]
        columns.append(space if end == first + 1 else _basis(space, n_components - first))
    return values[:n_components], np.hstack(columns)[:, :n_components]


def _basis(space: FloatArray, most: int) -> FloatArray:
    """Up to so many orthonormal vectors that span the same, part by part."""
    found: list[FloatArray] = []
    for rows, dimension in _parts(space):
        left = np.zeros_like(space)
        left[rows] = space[rows]
        for _ in range(min(dimension, most - len(found))):
            lengths = np.einsum("ij,ij->i", left, left)
            pivot = int(np.argmax(lengths >= lengths.max() * (1 - LEVEL)))
            vector = left @ left[pivot] / np.sqrt(lengths[pivot])
            left = left - np.outer(vector, vector @ left)
            found.append(vector)
    return np.column_stack(found)


def _parts(space: FloatArray) -> list[tuple[IntArray, int]]:
    """Rows and dimension of the parts of an eigenspace, those of most rows first.

    Rows that a pivoted decomposition picks span all others; those that take part in the same row
    belong together. As the columns are orthonormal, what is apart is orthogonal.
    """
    dimension = space.shape[1]
    lengths = np.linalg.norm(space, axis=1)
    known = np.flatnonzero(lengths > _ALONG * lengths.max())
    units = space[known] / lengths[known, None]
    _, triangle, order = qr(units.T, mode="economic", pivoting=True)
    shares = np.empty((len(known), dimension))
    shares[order] = solve_triangular(triangle[:, :dimension], triangle).T
    joined = csr_array(np.abs(shares) > _ALONG)
    _, part = connected_components(joined.T @ joined, directed=False)
    owner = part[joined.argmax(axis=1)]
    members = [known[owner == number] for number in range(part.max() + 1)]
    found = [(rows, int((part == number).sum())) for number, rows in enumerate(members)]
    return sorted(found, key=lambda one: (-len(one[0]), one[0][0]))
