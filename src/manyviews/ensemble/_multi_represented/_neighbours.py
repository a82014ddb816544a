"""The nearest labelled objects in one view, at distances that compare across views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from manyviews.maths import dense_new_rows
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

_BLOCK_ENTRIES = 1 << 21
"""How many products of sparse rows are made at a time."""
_SAMPLE = 512
"""Objects, evenly spaced in their order, that the typical distance is measured at."""


@dataclass(frozen=True)
class Neighbours:
    """Nearest references of each object, nearest first."""

    distances: FloatArray
    indices: IntArray


@dataclass(frozen=True)
class ViewReferences:
    """The labelled objects that one view shows, and how far apart they lie."""

    rows: Matrix
    """Of length one under cosine."""
    codes: IntArray
    objects: IntArray
    """Which of the objects of ``fit`` they are."""
    metric: str
    n_neighbors: int
    typical: float
    """Median distance of an object to its ``n_neighbors``-th nearest other."""

    def search(self, rows: Matrix, itself: IntArray | None = None) -> Neighbours:
        """Nearest references at distances in units of the typical one.

        ``itself`` gives the object of ``fit`` that each row is: to it the distance is infinite.
        """
        queries = as_compared(rows, self.metric, alike=self.rows)
        extra = 0 if itself is None else 1
        found = nearest(self.rows, queries, self.n_neighbors + extra, self.metric)
        if itself is not None:
            away = self.objects[found.indices] == itself[:, None]
            if found.indices.shape[1] > self.n_neighbors:
                away[~away.any(axis=1), -1] = True  # one too many was asked for
            found = Neighbours(np.where(away, np.inf, found.distances), found.indices)
        return Neighbours(found.distances / self.typical, found.indices)


def read_view(
    matrix: Matrix, shown: BoolArray, codes: IntArray, n_neighbors: int, metric: str
) -> ViewReferences:
    """Keep what a view shows of labelled objects, and measure its typical distance."""
    objects = np.flatnonzero(shown & (codes >= 0))
    rows = as_compared(matrix[objects], metric)
    typical = typical_distance(rows, n_neighbors, metric) if len(objects) else 1.0
    return ViewReferences(rows, codes[objects], objects, metric, n_neighbors, typical)


MOSTLY_ZERO = 0.5
"""Beyond this share of zeros a view is compared by the cosine. On 19 development sets the mean
accuracy of ``MultiRepresentedKNN`` was .629 with Euclidean distances throughout: the length of a
text says little of its class."""


def metric_for(matrix: Matrix, observed: BoolArray) -> Literal["euclidean", "cosine"]:
    """The cosine for a view of mostly zeros, else the Euclidean distance.

    Examples
    --------
    >>> metric_for(np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 0.0]]), np.array([True, True]))
    'cosine'
    >>> metric_for(np.array([[1.5], [2.0]]), np.array([True, True]))
    'euclidean'
    """
    rows = matrix[np.flatnonzero(observed)]
    n_other = rows.count_nonzero() if is_sparse(rows) else np.count_nonzero(rows)
    n_cells = rows.shape[0] * rows.shape[1]
    return "cosine" if n_other < (1.0 - MOSTLY_ZERO) * n_cells else "euclidean"


def showing(matrix: Matrix, observed: BoolArray, metric: str) -> BoolArray:
    """Which objects a view says something of: under cosine, rows of zeros have no direction.

    Examples
    --------
    >>> showing(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([True, True]), "cosine")
    array([False,  True])
    """
    if metric != "cosine":
        return observed
    squares = (matrix * matrix).sum(axis=1)  # those of tiny values vanish
    return observed & (np.asarray(squares).ravel() != 0)


def as_compared(rows: Matrix, metric: str, alike: Matrix | None = None) -> Matrix:
    """Rows in double precision, of length one under cosine, dense or sparse like others."""
    if alike is not None and is_sparse(alike) != is_sparse(rows):
        rows = sparse.csr_array(rows) if is_sparse(alike) else dense_new_rows(rows)
    rows = rows.astype(np.float64)
    if metric != "cosine":
        return rows
    if is_sparse(rows):
        lengths = np.sqrt(np.asarray((rows * rows).sum(axis=1)).ravel())
        data = rows.data / np.repeat(lengths, np.diff(rows.indptr))
        return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def typical_distance(rows: Matrix, n_neighbors: int, metric: str) -> float:
    """Median distance to the ``n_neighbors``-th nearest other row, which is above zero.

    Where half of the rows have so many copies, the mean is taken; 1 if all rows are copies.

    Examples
    --------
    >>> typical_distance(np.array([[0.0], [1.0], [3.0]]), 1, "euclidean")
    1.0
    """
    n_rows = rows.shape[0]
    some = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _SAMPLE)).astype(np.intp))
    found = nearest(rows, rows[some], n_neighbors + 1, metric).distances[:, -1]
    typical = float(np.median(found)) or float(found.mean())
    return typical or 1.0


def nearest(rows: Matrix, queries: Matrix, n_neighbors: int, metric: str) -> Neighbours:
    """Nearest rows of each query; all of them where there are fewer.

    Under cosine, rows and queries have length one and ``1 − cos = ‖x − y‖²/2`` is given.
    """
    kept = min(n_neighbors, rows.shape[0])
    search = _by_products if is_sparse(rows) else _by_scikit_learn
    found = search(rows, queries, kept)
    if metric == "cosine":
        return Neighbours(found.distances**2 / 2.0, found.indices)
    return found


def _by_scikit_learn(rows: Matrix, queries: Matrix, kept: int) -> Neighbours:
    from sklearn.neighbors import NearestNeighbors

    return Neighbours(*NearestNeighbors(n_neighbors=kept).fit(rows).kneighbors(queries))


def _by_products(rows: Matrix, queries: Matrix, kept: int) -> Neighbours:
    """Compare blocks of sparse rows with all; the rows themselves are never made dense."""
    turned = sparse.csr_array(rows.T)
    lengths = np.asarray((rows * rows).sum(axis=1)).ravel()
    query_lengths = np.asarray((queries * queries).sum(axis=1)).ravel()
    shape = (queries.shape[0], kept)
    found = Neighbours(np.empty(shape), np.empty(shape, dtype=np.intp))
    step = max(1, _BLOCK_ENTRIES // rows.shape[0])
    for start in range(0, shape[0], step):
        part = slice(start, start + step)
        gaps = (queries[part] @ turned).toarray()
        gaps *= -2.0
        gaps += lengths
        chosen = np.sort(np.argpartition(gaps, kept - 1, axis=1)[:, :kept], axis=1)
        squares = np.take_along_axis(gaps, chosen, axis=1) + query_lengths[part, None]
        order = np.argsort(squares, axis=1, kind="stable")
        found.indices[part] = np.take_along_axis(chosen, order, axis=1)
        ordered = np.take_along_axis(squares, order, axis=1)
        found.distances[part] = np.sqrt(np.maximum(ordered, 0.0))
    return found
