"""The nearest training rows of every row: exact, or approximate with a known recall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import frexp
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from manyviews.exceptions import MissingExtraError
from manyviews.similarity.rows import (
    blocks,
    centred,
    evenly_spaced,
    paired_squared_distances,
    products,
    squared_distances,
    squared_lengths,
)
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

SearchMethod: TypeAlias = Literal["auto", "faiss", "scikit-learn", "approximate"]

_FEW_FEATURES = 7
"""With fewer features than this a tree finds neighbours faster than comparing all with all: of
20,000 rows of noise in 0.33 s against 0.96 s with six, in 0.57 s against 0.27 s with seven."""
_SMALLEST_INDEX = 2000
"""Of fewer rows than this an index that skips some saves nothing worth having: 3 ms instead of 5
of 1,000 rows, 8 instead of 16 of 2,000."""
_WANTED_RECALL = 0.95
"""Share of the true neighbours that an approximate search must find; what the docstring of
:class:`~manyviews.similarity.KNNGraph` promises."""
_WORTH_LOOKING = 8
"""An index that looks into more than one list in so many is slower than comparing all rows: of
20,000 rows in 20 features, one in eight takes 0.35 s, one in four 0.61 s and all rows 0.34 s."""
_RECALL_SAMPLE = 500
"""Rows on which the recall is measured: of ten neighbours each, known to half a percent."""
_WIDEST_RANGE = 1e3
"""Lengths of rows, beside the typical one, up to which single precision tells the others apart:
of its seven digits, four are left for these."""


LONG = 30.0
"""Estimated seconds of one processor from which a search is announced."""
COSTS = {"faiss": (1.3, 0.02), "scikit-learn": (2.7, 0.02), "sparse": (23.0, 0.3)}
"""Nanoseconds that a pair of rows costs, and each column of it; of sparse rows, each cell filled.
Of 40,000 rows in 20 features faiss took 2.6 s, of 20,000 in 100 features 1.3 s; scikit-learn 1.2 s
of 20,000 in 20; of 10,000 sparse rows with 10 and 50 cells it was 2.6 and 3.8 s (2026-11)."""


@dataclass(frozen=True)
class Neighbors:
    """The nearest training rows of each row, nearest first, equally near ones by number."""

    distances: FloatArray
    indices: IntArray


class Search(NamedTuple):
    """How neighbours are found, with what an approximate search needs to be repeated."""

    method: str
    """One of "faiss", "scikit-learn", "sparse" and "approximate"."""
    n_probes: int = 0
    """How many of its lists an approximate index looks into."""
    recall: float = 1.0
    """Share of the true neighbours that are found, measured on some rows."""


def choose_search(X: Matrix, n_neighbors: int, method: SearchMethod) -> Search:
    """Decide how to look for neighbours among the rows of ``X``, as ``KNNGraph`` describes it."""
    if method in ("faiss", "approximate"):
        _faiss(method)
        if is_sparse(X):
            raise ValueError(
                f"method={method!r} takes dense rows only; use method='auto' for sparse ones."
            )
    if is_sparse(X):
        return Search("sparse")
    if method == "approximate":
        return _tuned_search(X, n_neighbors) if len(X) >= _SMALLEST_INDEX else Search("faiss")
    if method == "auto":
        compare_all = X.shape[1] >= _FEW_FEATURES and find_spec("faiss") is not None
        return Search("faiss" if compare_all and _suits_single(X) else "scikit-learn")
    return Search(method)


def compares_long(X: Matrix, search: Search) -> bool:
    """Whether all pairs of rows are compared, and so many that it takes minutes.

    Examples
    --------
    >>> compares_long(np.ones((1000, 20)), Search("faiss"))
    False
    """
    n_rows, n_columns = X.shape
    by_tree = search.method == "scikit-learn" and n_columns < _FEW_FEATURES
    if by_tree or search.method not in COSTS:
        return False
    pair, column = COSTS[search.method]
    filled = X.nnz / max(n_rows, 1) if is_sparse(X) else n_columns
    return bool(1e-9 * n_rows**2 * (pair + column * filled) > LONG)


def nearest(X: Matrix, queries: Matrix, n_neighbors: int, search: Search) -> Neighbors:
    """Find the nearest rows of ``X`` to every query; all of them where there are fewer.

    Distances are measured anew in double precision, whatever the search counts in.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> nearest(X, np.array([[0.2]]), 2, Search("scikit-learn"))
    Neighbors(distances=array([[0.2, 0.8]]), indices=array([[0, 1]]))
    """
    kept = int(min(n_neighbors, X.shape[0]))  # faiss takes no integer of NumPy
    if not kept or not queries.shape[0]:
        shape = (queries.shape[0], kept)
        return Neighbors(np.zeros(shape), np.zeros(shape, dtype=np.intp))
    find: dict[str, Callable[[Matrix, Matrix, int], IntArray]] = {
        "faiss": _by_faiss,
        "scikit-learn": _by_scikit_learn,
        "sparse": _by_sparse_products,
        "approximate": lambda X, queries, kept: _by_lists(X, queries, kept, search.n_probes),
    }
    return measured(X, queries, find[search.method](X, queries, kept))


def nearest_to_self(X: Matrix, n_neighbors: int, search: Search) -> Neighbors:
    """Find the nearest rows to every row, of which itself is always one."""
    found = nearest(X, X, n_neighbors, search)
    itself = np.arange(X.shape[0])
    lost = np.flatnonzero(~(found.indices == itself[:, None]).any(axis=1))  # more equals than room
    if not len(lost):
        return found
    indices, distances = found.indices.copy(), found.distances.copy()
    indices[lost, -1], distances[lost, -1] = lost, 0.0
    return ordered(distances, indices)


def measured(X: Matrix, queries: Matrix, indices: IntArray) -> Neighbors:
    """Distances to the rows found, to the last digit, and the rows in their order."""
    squares = np.empty(indices.shape)
    for column, at in enumerate(indices.T):
        for part in blocks(len(at), X.shape[1]):
            squares[part, column] = paired_squared_distances(queries[part], X[at[part]])
    return ordered(np.sqrt(squares), indices)


def ordered(distances: FloatArray, indices: IntArray) -> Neighbors:
    """Nearest first, equally near ones by number."""
    order = np.lexsort((indices, distances), axis=1)
    return Neighbors(
        np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1)
    )


def _by_scikit_learn(X: Matrix, queries: Matrix, kept: int) -> IntArray:
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=kept).fit(X)
    found: IntArray = search.kneighbors(queries, return_distance=False)
    return found


def _by_faiss(X: Matrix, queries: Matrix, kept: int) -> IntArray:
    faiss = _faiss("faiss")
    rows, asked = _single(X, X), _single(queries, X)
    found: IntArray = faiss.knn(asked, rows, kept)[1]
    lost = np.flatnonzero((found < 0).any(axis=1))  # a distance that single precision cannot hold
    if len(lost):
        found[lost] = _by_scikit_learn(X, queries[lost], kept)
    return found


def _by_sparse_products(X: Matrix, queries: Matrix, kept: int) -> IntArray:
    """Compare blocks of sparse rows with all; the rows themselves are never made dense."""
    transposed = sparse.csr_array(X.T).T  # a CSC array, so that no block has to transpose it again
    squares, query_squares = squared_lengths(X), squared_lengths(queries)
    found = np.empty((queries.shape[0], kept), dtype=np.intp)
    for part in blocks(queries.shape[0], X.shape[0], of=X):
        block = products(queries[part], transposed)
        gaps = squared_distances(block, query_squares[part, None], squares)
        found[part] = np.argpartition(gaps, kept - 1, axis=1)[:, :kept]
    return found


def _by_lists(X: Matrix, queries: Matrix, kept: int, n_probes: int) -> IntArray:
    index = _lists(X)
    index.nprobe = n_probes
    found: IntArray = index.search(_single(queries, X), kept)[1]
    short = np.flatnonzero((found < 0).any(axis=1))  # the lists looked into held too few
    if len(short):
        found[short] = _by_faiss(X, queries[short], kept)
    return found


def _lists(X: Matrix) -> Any:
    """An index that sorts the rows into lists around centres, the same at every call."""
    faiss = _faiss("approximate")
    rows = _single(X, X)
    n_lists = round(2 * np.sqrt(len(rows)))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(rows.shape[1]), rows.shape[1], n_lists)
    index.cp.niter, index.cp.max_points_per_centroid = 5, 50  # rough centres do
    index.cp.min_points_per_centroid = 1  # it would print a warning
    index.train(rows)
    index.add(rows)
    return index


def _tuned_search(X: Matrix, n_neighbors: int) -> Search:
    """Look into twice as many lists until enough of the true neighbours are found.

    Where that takes too many of them, as without any clusters in many features, all rows are
    compared, which is faster then.
    """
    kept = int(min(n_neighbors, len(X)))
    some = X[evenly_spaced(len(X), _RECALL_SAMPLE)]
    truth = _by_faiss(X, some, kept)
    index = _lists(X)
    index.nprobe = 2
    while index.nprobe * _WORTH_LOOKING <= index.nlist:
        found = index.search(_single(some, X), kept)[1]
        hits = [len(np.intersect1d(one, other)) for one, other in zip(found, truth, strict=True)]
        recall = float(np.sum(hits) / truth.size)
        if recall >= _WANTED_RECALL:
            return Search("approximate", int(index.nprobe), recall)
        index.nprobe *= 2
    return Search("faiss")


def _single(rows: Matrix, X: Matrix) -> FloatArray:
    """What faiss counts in; moved to the mean of ``X``, and at most one there.

    So fewer digits are lost, and squares neither overflow nor vanish, whatever the unit. Division
    by a power of two changes no digit.
    """
    exponent = frexp(np.abs(centred(X, X)).max(initial=0.0))[1]
    with np.errstate(over="ignore"):  # a query out of reach, which faiss gives no neighbour
        return np.ascontiguousarray(np.ldexp(centred(rows, X), -exponent), dtype=np.float32)


def _suits_single(X: Matrix) -> bool:
    """Whether no row is so far from the others that single precision would see these as one."""
    if not len(X):
        return True
    lengths = np.abs(X - np.median(X, axis=0)).max(axis=1)
    return bool(lengths.max(initial=0.0) <= _WIDEST_RANGE * np.median(lengths))


def _faiss(method: str) -> Any:
    try:
        import faiss
    except ImportError as error:
        raise MissingExtraError(f"method={method!r}", "ann") from error
    return faiss
