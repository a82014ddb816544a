"""The web pages as kernels and graphs, made once and deformed once per setting [@sindhwani2005].

A kernel deformed by a graph does not depend on the labels, nor does the kernel of two coupled
functions. Both are found at the labelled pages of all draws together, so that a draw, or a fold of
its labels, costs a system no larger than its labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lu_factor, lu_solve
from scipy.sparse import csgraph

from manyviews.data import Views
from manyviews.maths import generator, to_dense
from manyviews.typing import FloatArray, IntArray, Matrix
from papers._frame import DataFolder

VIEWS = ("link", "page", "page+link")
N_LABELLED = 12


@dataclass(frozen=True)
class Graph:
    """How neighbours are found and how their Laplacian is used."""

    n_neighbors: int
    power: int


@dataclass(frozen=True)
class Columns:
    """A kernel between all pages and some of them."""

    values: FloatArray
    places: IntArray
    """The column of each page; -1 where it has none."""

    def of(self, rows: IntArray) -> FloatArray:
        """Return the kernel between all pages and these."""
        return self.values[:, self.places[rows]]


@dataclass
class Pages:
    """Pages with their classes, and what was computed of them for the draws at hand."""

    views: Views
    """With the concatenated view."""
    y: IntArray
    """1 for pages of courses, 0 for others."""
    needed: IntArray
    """Pages that are labelled in some draw; set it before the first kernel is deformed."""
    grams: dict[str, FloatArray] = field(init=False)
    _laplacians: dict[tuple[str, int], Matrix] = field(init=False, default_factory=dict)
    _deformed: dict[tuple[str, tuple[str, ...], Graph, float], Columns] = field(
        init=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        self.grams = {name: to_dense(rows @ rows.T) for name, rows in self.views.items()}

    @property
    def signs(self) -> FloatArray:
        """1 for pages of courses, -1 for others."""
        return np.where(self.y == 1, 1.0, -1.0)

    def plain(self, view: str) -> Columns:
        """Return the linear kernel."""
        return Columns(self.grams[view], np.arange(len(self.y)))

    def deformed(self, view: str, graphs: tuple[str, ...], graph: Graph, ratio: float) -> Columns:
        """Return the kernel of a view, deformed by the mean Laplacian of some views."""
        key = view, graphs, graph, ratio
        if key not in self._deformed:
            self._deformed[key] = self._deform(*key)
        return self._deformed[key]

    def edges(self, view: str, n_neighbors: int) -> Matrix:
        """Return the graph of nearest neighbours, edges weighed by the cosine."""
        from manyviews.similarity import Cosine, KNNGraph

        graph = KNNGraph(
            n_neighbors, "similarity", kernel=Cosine(), metric="cosine", symmetric="mean"
        )
        return graph.fitted(self.views[view]).edges

    def _deform(self, view: str, graphs: tuple[str, ...], graph: Graph, ratio: float) -> Columns:
        laplacians = [self._laplacian(name, graph.n_neighbors) for name in graphs]
        gram = self.grams[view]
        values = deformed_columns(gram, laplacians, graph.power, ratio, self.needed)
        return Columns(values, places_of(self.needed, len(gram)))

    def _laplacian(self, view: str, n_neighbors: int) -> Matrix:
        key = view, n_neighbors
        if key not in self._laplacians:
            self._laplacians[key] = csgraph.laplacian(self.edges(view, n_neighbors), normed=True)
        return self._laplacians[key]


def deformed_columns(
    gram: FloatArray, laplacians: Sequence[Matrix], power: int, ratio: float, needed: IntArray
) -> FloatArray:
    """The kernel of the norm ``|f|² + fᵀ M f``, between all objects and some.

    It is ``K − K (I + M K)⁻¹ M K``, with ``M`` the mean power of the Laplacians times γ_I / γ_A,
    the ``ratio``.
    """
    system = np.zeros_like(gram)  # M K
    for laplacian in laplacians:
        smoothed = gram
        for _ in range(power):  # a power of the Laplacian is never formed: it would fill up
            smoothed = laplacian @ smoothed
        system += ratio / len(laplacians) * smoothed
    targets = system[:, needed].copy()
    system.flat[:: len(gram) + 1] += 1.0
    factor = lu_factor(system, overwrite_a=True, check_finite=False)
    return gram[:, needed] - gram @ lu_solve(factor, targets, check_finite=False)


def coupled_columns(
    grams: tuple[FloatArray, FloatArray], gamma: float, coupling: float, needed: IntArray
) -> FloatArray:
    """The kernel of pairs of functions that have to agree, between all objects and some.

    A pair is one function of an object and a view. Its norm ``γ (|f₁|² + |f₂|²) + c Σ_i (f₁(x_i) −
    f₂(x_i))²`` has the kernel ``K − K Dᵀ (I/c + D K Dᵀ)⁻¹ D K``, with ``K`` the two kernels over γ
    in blocks and ``D = [I, −I]``; ``c`` is γ_C / (l + u). Least squares with it is Co-RLS.

    Returns
    -------
    array of shape (2 n, 2 n_needed)
        Objects of the first view, then of the second.
    """
    n = len(grams[0])
    first, second = (gram / gamma for gram in grams)
    block = np.zeros((2 * n, 2 * len(needed)))
    block[:n, : len(needed)] = first[:, needed]
    block[n:, len(needed) :] = second[:, needed]
    if coupling > 0:
        system = first + second
        system.flat[:: n + 1] += n / coupling
        factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        apart = cho_solve(factor, block[:n] - block[n:], check_finite=False)
        block[:n] -= first @ apart
        block[n:] += second @ apart
    return block


def read_pages(data: DataFolder) -> Pages:
    """Read the pages, in an order that does not tell their class."""
    from manyviews.datasets import load_course

    found = load_course(data_home=data.path("course").parent)
    order = generator(0).permutation(len(found.views))
    parts = {name: found.views[name][order] for name in ("link", "page")}
    joined = Views(parts).concatenate()
    y = np.asarray(found.y)[order]
    return Pages(Views({**parts, "page+link": joined}), y, needed=np.arange(len(y)))


def draw_labelled(y: IntArray, seed: int, n_labelled: int = N_LABELLED) -> IntArray:
    """Draw the pages that are labelled, at random until each class is among them."""
    rng = generator(seed)
    while True:
        rows = np.sort(rng.choice(len(y), n_labelled, replace=False))
        if len(np.unique(y[rows])) == len(np.unique(y)):
            return rows


def places_of(rows: IntArray, n_objects: int) -> IntArray:
    """Where each object stands among some, -1 for the others.

    Examples
    --------
    >>> places_of(np.array([2, 0]), 4)
    array([ 1, -1,  0, -1])
    """
    places = np.full(n_objects, -1)
    places[rows] = np.arange(len(rows))
    return places
