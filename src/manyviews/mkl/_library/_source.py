"""Kernels of one view that have seen its training objects, and compare others with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from manyviews.maths import dense_new_rows
from manyviews.mkl._library._families import Family
from manyviews.mkl._library._given import check_positive, check_symmetric
from manyviews.mkl._library._raw import Given, Raw, Vectors
from manyviews.similarity import Lookup, Precomputed, Similarity
from manyviews.typing import IntArray, Matrix, is_sparse


@dataclass(frozen=True)
class Source(ABC):
    """Kernels that compare the objects that a view shows."""

    view: str
    names: list[str]
    """What each of the kernels is called."""

    @abstractmethod
    def training(self) -> Raw:
        """Values among the training objects."""

    @abstractmethod
    def against(self, rows: Matrix) -> Raw:
        """Values between new rows of the view and the training objects."""

    def lean(self) -> Source:
        """The same without what only :meth:`training` needs."""
        return self


@dataclass(frozen=True)
class RowSource(Source):
    """Kernels of the rows of a view, on whole rows or on single features."""

    rows: Matrix = field(repr=False)
    kinds: list[Family]
    single: bool

    def training(self) -> Raw:
        """Values among the training objects."""
        return Vectors(self.rows, self.rows, self.kinds, single=self.single)

    def against(self, rows: Matrix) -> Raw:
        """Values between new rows of the view and the training objects."""
        return Vectors(_alike(rows, self.rows), self.rows, self.kinds, single=self.single)


@dataclass(frozen=True)
class LookupSource(Source):
    """A kernel that is looked up by the numbers of objects."""

    lookup: Lookup
    objects: IntArray = field(repr=False)
    exact: bool
    """Whether the matrix is symmetric to the last digit."""

    def training(self) -> Raw:
        """Values among the training objects."""
        matrix, averaged = self.lookup.matrix, not self.exact
        return Given(matrix, self.objects, self.objects, averaged=averaged)

    def against(self, rows: Matrix) -> Raw:
        """Values between new objects, by their numbers, and the training objects."""
        return Given(self.lookup.matrix, self.lookup.numbers(rows), self.objects)


@dataclass(frozen=True)
class MatrixSource(Source):
    """A view that is a kernel matrix: new objects come as rows of it."""

    matrix: Matrix | None = field(repr=False)
    objects: IntArray = field(repr=False)
    """Which columns are the training objects."""
    exact: bool
    """Whether it is symmetric to the last digit."""

    def training(self) -> Raw:
        """Values among the training objects, while they are there."""
        if self.matrix is None:
            raise ValueError(
                f"the kernel matrix of view {self.view!r} was not kept after fit; ask for it by "
                "KernelLibrary(keep=True)."
            )
        return Given(self.matrix, None, self.objects, averaged=not self.exact)

    def against(self, rows: Matrix) -> Raw:
        """Columns of the training objects."""
        return Given(rows, None, self.objects)

    def lean(self) -> Source:
        """Without the matrix."""
        return replace(self, matrix=None)


@dataclass(frozen=True)
class FormedSource(Source):
    """Any other positive semi-definite similarity; its matrix is formed and kept while in use."""

    similarity: Similarity
    rows: Matrix = field(repr=False)

    def training(self) -> Raw:
        """Values among the training objects."""
        return Given(self.similarity.gram(self.rows))

    def against(self, rows: Matrix) -> Raw:
        """Values between new rows of the view and the training objects."""
        if not rows.shape[0]:  # not every similarity compares nothing with something
            return Given(np.zeros((0, self.rows.shape[0])))
        return Given(self.similarity.cross(rows, self.rows))


def given_source(
    similarity: Similarity, view: str, name: str, rows: Matrix, places: IntArray
) -> Source:
    """Return the source of a similarity that is no kernel of rows.

    ``places`` are the columns of a precomputed view that stand for its rows.
    """
    if isinstance(similarity, Lookup):
        objects = similarity.numbers(rows)
        raw = Given(similarity.matrix, objects, objects)
        exact = similarity.checked or _check(raw, name, objects)
        return LookupSource(view, [name], similarity, objects, exact)
    if not isinstance(similarity, Precomputed):
        return FormedSource(view, [name], similarity.fitted(rows, places), rows)
    if rows.shape[1] <= places.max(initial=-1):
        raise ValueError(
            f"view {view!r} is precomputed and has {rows.shape[1]} columns for "
            f"{places.max() + 1} objects; give the kernel of every object with every object."
        )
    exact = _check(Given(rows, None, places), name, places)
    return MatrixSource(view, [name], rows, places, exact)


def _check(raw: Given, name: str, objects: IntArray) -> bool:
    """Refuse what is no kernel; return whether it is symmetric to the last digit."""
    exact = check_symmetric(raw, name, objects)
    check_positive(raw, name)
    return exact


def _alike(new: Matrix, rows: Matrix) -> Matrix:
    """New rows in the kind that the training rows have, dense or sparse."""
    if is_sparse(rows):
        return new if is_sparse(new) else sparse.csr_array(new)
    return np.asarray(dense_new_rows(new))
