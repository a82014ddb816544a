"""Similarities to the nearest rows only: a sparse graph, cheap where a full matrix is not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np
from scipy import sparse

from manyviews.base import check_params
from manyviews.maths import Gram
from manyviews.similarity._base import EdgeSimilarity, Similarity
from manyviews.similarity._neighbors import (
    Neighbors,
    Search,
    SearchMethod,
    choose_search,
    nearest,
    nearest_to_self,
)
from manyviews.similarity._rows import alike, as_double, squared_lengths, unit
from manyviews.similarity._self_tuning import SelfTuningRBF
from manyviews.typing import FloatArray, IntArray, Interval, Matrix, Share


@dataclass
class KNNGraph(Similarity):
    """Connect every row with the rows nearest to it: a sparse, symmetric matrix.

    One rule holds for known rows and new ones: a row is joined to its ``n_neighbors`` nearest
    *training* rows. A training row is its own nearest, so it has ``n_neighbors − 1`` others and a
    one in the diagonal, as in scikit-learn's spectral clustering. Whatever the method, a training
    row that comes again gets the row it has in the graph; any other new row gets the edges to its
    nearest rows, without those it would draw from rows that have *it* among their nearest.

    An object joined to nobody but itself would be a cluster of its own: it loses its diagonal
    entry, its row is empty, and spectral methods know it as isolated. This happens with
    ``symmetric="mutual"``, and to rows of zeros under the cosine, which have no direction and are
    nobody's neighbour.

    Parameters
    ----------
    n_neighbors : int
        How many nearest training rows, at least 2. Where there are fewer rows, all.
    mode : {"connectivity", "similarity"}
        Whether an edge weighs one, or as much as ``kernel`` says.
    kernel : similarity, optional
        What weighs an edge with ``mode="similarity"``; ``SelfTuningRBF()`` if not given. It takes
        widths from the neighbours that are known, at most ``n_neighbors − 1``.
    metric : {"euclidean", "cosine"}
        What is near. With "cosine" rows are brought to length one before anything is measured,
        so that a ``kernel``, too, sees directions only.
    symmetric : {"union", "mutual", "mean"}
        An edge stands if either of the two has the other among its nearest, or only if both have;
        with "mean", half its weight for each of the two.
    method : {"auto", "faiss", "scikit-learn", "approximate"}
        How neighbours are found. "auto" is exact: sparse rows by sparse products in blocks, dense
        rows by faiss (extra ``ann``) if it is installed and there are seven features or more,
        else by scikit-learn. faiss counts in single precision, so rows that are equally near up
        to seven digits may change places. "approximate" is an index of faiss that looks into
        part of the rows: into so many that at least 95 % of the true neighbours are found on a
        sample, or into all rows where that is faster; the share found is the attribute ``recall``
        of the fitted graph.

    Notes
    -----
    Weights are exactly symmetric, and measured in double precision whatever finds the neighbours.
    Two nearest of exactly the same distance are taken as the search returns them. Of more equal
    rows than ``n_neighbors`` each is joined to itself and to some of the others, so that their
    edges differ; a row that comes again gets those of the one that the search finds first, and can
    be placed elsewhere than its copies were. On counts of few different values that was 12 to 17 %
    of the objects in :class:`~manyviews.cluster.FusedSpectral`.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [9.5]])
    >>> KNNGraph(n_neighbors=2).gram(X).toarray()
    array([[1., 1., 0., 0., 0.],
           [1., 1., 1., 0., 0.],
           [0., 1., 1., 0., 0.],
           [0., 0., 0., 1., 1.],
           [0., 0., 0., 1., 1.]])
    """

    n_neighbors: Annotated[int, Interval(2)] = 10
    mode: Literal["connectivity", "similarity"] = "connectivity"
    kernel: Similarity | None = field(default=None, kw_only=True)
    metric: Literal["euclidean", "cosine"] = field(default="euclidean", kw_only=True)
    symmetric: Literal["union", "mutual", "mean"] = field(default="union", kw_only=True)
    method: SearchMethod = field(default="auto", kw_only=True)

    def fitted(self, X: Matrix, places: IntArray | None = None) -> FittedKNNGraph:  # noqa: ARG002
        """Find the neighbours of every row, and weigh the edges."""
        weighing = self._checked()
        rows, standing = self._standing(X)
        search = choose_search(rows, self.n_neighbors, self.method)
        neighbors = nearest_to_self(rows, self.n_neighbors, search)
        if weighing is not None:
            weighing = weighing.fitted_on(rows, neighbors)
        weights = edge_weights(weighing, rows, rows, neighbors)
        edges = directed(weights, neighbors, len(standing))
        graph = spread(symmetrised(edges, self.symmetric), standing, X.shape[0])
        return FittedKNNGraph(
            self.n_neighbors,
            self.mode,
            kernel=weighing,
            metric=self.metric,
            symmetric=self.symmetric,
            method=self.method,
            found_by=search.method,
            edges=graph,
            recall=search.recall,
            n_probes=search.n_probes,
        )

    def gram(self, X: Matrix) -> Gram:
        """Similarities among the rows of ``X``, a CSR array."""
        return self.fitted(X).gram(X)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of new rows to the rows of ``X``, a CSR array."""
        return self.fitted(X).cross(new, X)

    def graph(self, X: Matrix, n_neighbors: int) -> sparse.csr_array:
        """Return the same graph with another number of neighbours."""
        return replace(self, n_neighbors=n_neighbors).fitted(X).edges

    def _checked(self) -> EdgeSimilarity | None:
        """What weighs the edges, if they are weighed."""
        check_params(self)
        if self.mode == "connectivity":
            if self.kernel is not None:
                raise ValueError("a kernel weighs edges: give mode='similarity' with it.")
            return None
        chosen = SelfTuningRBF() if self.kernel is None else self.kernel
        if not isinstance(chosen, EdgeSimilarity):
            raise ValueError(
                f"{type(chosen).__name__} cannot weigh edges; give a kernel such as RBF()."
            )
        return chosen

    def _standing(self, X: Matrix) -> tuple[Matrix, IntArray]:
        """The rows that take part, as they are compared, and their numbers."""
        if self.metric == "euclidean":
            return as_double(X), np.arange(X.shape[0])
        rows = unit(X)
        standing = np.flatnonzero(squared_lengths(rows) > 0)
        return (rows if len(standing) == X.shape[0] else rows[standing]), standing


@dataclass(eq=False)
class FittedKNNGraph(KNNGraph):
    """A graph of nearest neighbours over training rows, to which new rows can be joined."""

    edges: sparse.csr_array = field(default=None, kw_only=True, repr=False)
    """The similarities among the training rows."""
    found_by: str = field(default="", kw_only=True)
    """How neighbours are found: by "faiss", "scikit-learn", "sparse" products, "approximate"."""
    recall: Share = field(default=1.0, kw_only=True)
    """Share of the true neighbours found, on a sample; 1.0 by an exact method."""
    n_probes: Annotated[int, Interval(0)] = field(default=0, kw_only=True, repr=False)
    """How many of its lists an approximate index looks into."""

    def fitted(self, X: Matrix, places: IntArray | None = None) -> FittedKNNGraph:  # noqa: ARG002
        """Return itself."""
        return self

    def gram(self, X: Matrix) -> Gram:  # noqa: ARG002 (they are those it was fitted on)
        """Similarities among the training rows, a CSR array."""
        return self.edges

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of new rows to the training rows ``X``, a CSR array."""
        rows, standing = self._standing(X)
        asked, asked_standing = self._standing(alike(new, X))
        search = Search(self.found_by, self.n_probes, self.recall)
        neighbors = nearest(rows, asked, self.n_neighbors, search)
        weighing = self.kernel if isinstance(self.kernel, EdgeSimilarity) else None
        weights = edge_weights(weighing, asked, rows, neighbors)
        found = directed(weights, neighbors, len(standing))
        found = spread(found, asked_standing, new.shape[0], standing, X.shape[0])
        if not neighbors.indices.shape[1]:
            return found
        known = neighbors.distances[:, 0] == 0.0
        return with_known_rows(
            found,
            asked_standing[known],
            self.edges[standing[neighbors.indices[known, 0]]],
        )


def edge_weights(
    weighing: EdgeSimilarity | None, new: Matrix, rows: Matrix, neighbors: Neighbors
) -> FloatArray:
    """One for every edge, or what the similarity says."""
    if weighing is None:
        return np.ones(neighbors.indices.shape)
    return weighing.edge_weights(new, rows, neighbors)


def directed(weights: FloatArray, neighbors: Neighbors, n_columns: int) -> sparse.csr_array:
    """Edges from each row to its neighbours."""
    n_rows, kept = neighbors.indices.shape
    number = sparse.get_index_dtype(maxval=max(2 * n_rows * kept, n_columns))  # both directions
    starts = np.arange(n_rows + 1, dtype=number) * kept
    indices = neighbors.indices.ravel().astype(number)
    edges = sparse.csr_array((weights.flatten(), indices, starts), shape=(n_rows, n_columns))
    edges.sort_indices()
    return edges


def symmetrised(edges: sparse.csr_array, rule: str) -> sparse.csr_array:
    """Join edges in both directions by one of the rules of :class:`KNNGraph`.

    Examples
    --------
    >>> edges = sparse.csr_array(np.array([[1.0, 0.5], [0.0, 1.0]]))
    >>> symmetrised(edges, "mean").toarray()
    array([[1.  , 0.25],
           [0.25, 1.  ]])
    """
    counted = edges.astype(np.complex128)
    counted.data += 1j  # the imaginary part counts directions, also where weights cancel
    both = counted + counted.T
    weights, counts = both.data.real, both.data.imag
    divisor = np.full(len(counts), 2.0) if rule == "mean" else counts
    weights = weights / divisor
    if rule == "mutual":
        weights[counts < 2] = 0.0
    graph = sparse.csr_array((weights, both.indices, both.indptr), shape=edges.shape)
    return without_lone_diagonal(graph)


def without_lone_diagonal(graph: sparse.csr_array) -> sparse.csr_array:
    """Empty the rows of objects that are joined to nobody but themselves; drop stored zeros."""
    graph.eliminate_zeros()
    lone = np.diff(graph.indptr) == 1
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    graph.data[lone[rows] & (graph.indices == rows)] = 0.0
    graph.eliminate_zeros()
    return graph


def spread(
    graph: sparse.csr_array,
    rows: IntArray,
    n_rows: int,
    columns: IntArray | None = None,
    n_columns: int | None = None,
) -> sparse.csr_array:
    """Put a graph over some objects at its places among all; empty rows elsewhere."""
    if columns is None or n_columns is None:
        columns, n_columns = rows, n_rows
    starts = np.zeros(n_rows + 1, dtype=graph.indptr.dtype)
    starts[rows + 1] = np.diff(graph.indptr)
    np.cumsum(starts, out=starts)
    indices = columns.astype(graph.indices.dtype)[graph.indices]
    return sparse.csr_array((graph.data, indices, starts), shape=(n_rows, n_columns))


def with_known_rows(
    found: sparse.csr_array, places: IntArray, known: sparse.csr_array
) -> sparse.csr_array:
    """Replace the rows at some places."""
    if not len(places):
        return found
    others = np.setdiff1d(np.arange(found.shape[0]), places)
    order = np.argsort(np.concatenate([others, places]))
    return sparse.csr_array(sparse.vstack([found[others], known], format="csr")[order])


def largest_entries(matrix: FloatArray, n_neighbors: int) -> sparse.csr_array:
    """Keep the largest entries of every row of a symmetric matrix, and of every column.

    Examples
    --------
    >>> largest_entries(np.array([[1.0, 0.2, 0.3], [0.2, 1.0, 0.1], [0.3, 0.1, 1.0]]), 2).toarray()
    array([[1. , 0.2, 0.3],
           [0.2, 1. , 0. ],
           [0.3, 0. , 1. ]])
    """
    kept = min(n_neighbors, len(matrix))
    if not kept:
        return sparse.csr_array(matrix)
    indices = np.argpartition(-matrix, kept - 1, axis=1)[:, :kept]
    weights = np.take_along_axis(matrix, indices, axis=1)
    return symmetrised(directed(weights, Neighbors(weights, indices), len(matrix)), "union")
