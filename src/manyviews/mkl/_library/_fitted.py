"""Base kernels that have seen training objects: among these, and between new ones and these."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.mkl._library._blocked import Blocked, Kept
from manyviews.mkl._library._matrices import ALL, Block, KernelMatrices
from manyviews.mkl._library._part import Part, Statistics, statistics
from manyviews.mkl._library._raw import Given, Raw
from manyviews.mkl._library._source import Source
from manyviews.typing import FloatArray, IntArray

_KEPT_BYTES = 1 << 26
"""With ``keep="auto"``, kernels of up to so many bytes in all are kept while a method learns;
those that were given as matrices are there anyway."""


@dataclass(frozen=True)
class FittedSource:
    """Kernels of a view with their statistics and the training objects that it shows."""

    source: Source
    known: Statistics | None
    places: IntArray = field(repr=False)

    def among(self, raw: Raw, n_objects: int) -> Part:
        """Kernels among the training objects, of which the values are known."""
        shape = (n_objects, n_objects)
        return Part(self.source.view, raw, self.known, True, self.places, self.places, shape)

    def new_part(self, views: Views, n_objects: int) -> Part:
        """Kernels between new objects and the training objects."""
        view = self.source.view
        rows = np.flatnonzero(views.observed_in(view))
        matrix = views[view] if len(rows) == len(views) else views[view][rows]
        shape, raw = (len(views), n_objects), self.source.against(matrix)
        return Part(view, raw, self.known, False, rows, self.places, shape)


def fit_source(
    source: Source, places: IntArray, n_objects: int, *, normalize: bool
) -> tuple[FittedSource, Part]:
    """Learn the statistics of a source; return it with its kernels among the training objects."""
    raw = source.training()
    with np.errstate(over="ignore", invalid="ignore"):  # said in words below
        known = statistics(raw) if normalize else None
    if known is not None and not np.isfinite(known.half).all():
        wrong = int(np.flatnonzero(~np.isfinite(known.half))[0])
        raise ValueError(
            f"the kernel {source.names[wrong]!r} is too large to be computed; bring view "
            f"{source.view!r} to a smaller scale, such as by StandardScaler."
        )
    fitted = FittedSource(source, known, places)
    return fitted, fitted.among(raw, n_objects)


class LibraryMatrices(KernelMatrices):
    """Base kernels among training objects, made block by block or kept.

    Parameters
    ----------
    names : list of str
        What each kernel is called.
    sources : list of FittedSource
        The kernels of each view.
    n_objects : int
        How many training objects there are.
    keep : bool or "auto"
        Whether all matrices are to be in memory; "auto": up to 64 MiB,
        unless they were given as matrices.
    """

    symmetric = True

    def __init__(
        self, names: list[str], sources: list[FittedSource], n_objects: int, keep: bool | str
    ) -> None:
        self.names, self.sources, self.keep = names, sources, keep
        self.shape = (n_objects, n_objects)
        self._matrices: KernelMatrices | None = None

    @classmethod
    def fit(
        cls, sources: list[tuple[Source, IntArray]], n_objects: int, normalize: bool, keep: Any
    ) -> LibraryMatrices:
        """Learn the statistics of all kernels, given each source with the objects it shows."""
        both = [
            fit_source(source, places, n_objects, normalize=normalize) for source, places in sources
        ]
        names = [name for source, _ in sources for name in source.names]
        found = cls(names, [fitted for fitted, _ in both], n_objects, keep)
        found._hold([part for _, part in both])
        return found

    def _hold(self, parts: list[Part]) -> None:
        self._matrices = Blocked(self.names, parts, self.shape)
        n_bytes = len(self) * self.shape[0] * self.shape[1] * 8
        worth_it = n_bytes <= _KEPT_BYTES and not all(isinstance(one.raw, Given) for one in parts)
        if self.keep is True or (self.keep == "auto" and worth_it):
            self._matrices = Kept(self._matrices)

    def _made(self) -> KernelMatrices:
        if self._matrices is not None:
            return self._matrices
        n_objects = self.shape[0]
        parts = [one.among(one.source.training(), n_objects) for one in self.sources]
        return Blocked(self.names, parts, self.shape)

    def lean(self) -> LibraryMatrices:
        """Return the same without matrices, unless they are to be kept: rows and statistics."""
        if self.keep is True:
            return self
        sources = [replace(one, source=one.source.lean()) for one in self.sources]
        return LibraryMatrices(list(self.names), sources, self.shape[0], self.keep)

    @property
    def views(self) -> list[str]:
        """The view that each kernel is of."""
        return [one.source.view for one in self.sources for _ in one.source.names]

    def gram(self, number: int) -> FloatArray:
        """One kernel among the training objects."""
        return self._made().gram(number)

    def pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        """K-examples of some pairs."""
        return self._made().pairs(left, right)

    def stacked(self, rows: slice, columns: slice = ALL) -> FloatArray:
        """Values of some objects with some others, kernel by kernel."""
        return self._made().stacked(rows, columns)

    def products(self, matrix: Block) -> FloatArray:
        """Inner product of every kernel with a symmetric matrix."""
        return self._made().products(matrix)

    def combined(self, weights: FloatArray) -> FloatArray:
        """The weighted sum of the kernels."""
        return self._made().combined(weights)

    def new(self, views: Views) -> KernelMatrices:
        """Return the kernels between new objects and the training objects."""
        n_objects = self.shape[1]
        parts = [one.new_part(views, n_objects) for one in self.sources]
        return Blocked(self.names, parts, (len(views), n_objects))
