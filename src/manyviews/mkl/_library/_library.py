"""Many base kernels from a short list: widths and powers, on whole views or single features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.maths import Options, to_dense
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.similarity import RBF, Linear, Polynomial, as_kernel
from manyviews.typing import FloatArray, IntArray, Matrix


@dataclass
class KernelLibrary(Options):
    """Base kernels, centred and of unit variance in feature space."""

    kernels: Any = None
    on: str = "views"
    normalize: bool = True

    def fitted(self, views: Views) -> LibraryMatrices:
        """Fit the kernels to training objects; nothing is formed yet."""
        chosen = self.kernels if self.kernels is not None else paper_kernels()
        sources = []
        for name in views.names:
            rows = views[name]
            sources += [_Source(as_kernel(one, name).fitted(rows), name, rows) for one in chosen]
        return LibraryMatrices(sources, self.normalize)


def paper_kernels() -> list[Any]:
    """The thirteen kernels of [@kumar2013]: Gaussians of nine widths, polynomials, a linear one."""
    gaussians = [RBF(gamma=2.0**power) for power in range(-10, -1)]
    return [*gaussians, *(Polynomial(degree, gamma=1.0) for degree in (2, 3, 4)), Linear()]


@dataclass(frozen=True)
class _Source:
    kernel: Any
    view: str
    rows: Matrix = field(repr=False)


class LibraryMatrices(KernelMatrices):
    """Base kernels among training objects."""

    def __init__(self, sources: list[_Source], normalize: bool) -> None:
        self.sources, self.normalize = sources, normalize
        self.names = [f"{source.view}: {source.kernel!r}" for source in sources]
        n = sources[0].rows.shape[0]
        self.shape = (n, n)
        self.means: list[FloatArray] = []
        self.scales: list[float] = []
        for source in sources:
            raw = to_dense(source.kernel.gram(source.rows))
            mean = raw.mean(axis=0)
            self.means.append(mean)
            self.scales.append(float(np.mean(np.diag(raw) - 2 * mean + mean.mean())))

    def gram(self, number: int) -> FloatArray:
        """One kernel among the training objects."""
        raw = to_dense(self.sources[number].kernel.gram(self.sources[number].rows))
        return self.normalized(number, raw, self.means[number])

    def normalized(self, number: int, raw: FloatArray, means: FloatArray) -> FloatArray:
        """Centred with the training objects' mean, at unit variance; ``means`` of each row."""
        if not self.normalize:
            return raw
        own = self.means[number]
        centred = raw - means[:, None] - own + own.mean()
        return centred / (self.scales[number] or 1.0)

    def pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        """K-examples of some pairs."""
        return np.stack([gram[left, right] for gram in self], axis=1)

    def examples(self, rows: slice) -> FloatArray:
        """K-examples of some objects with all training objects."""
        return np.stack([gram[rows] for gram in self], axis=-1)

    def new(self, views: Views) -> NewMatrices:
        """The kernels between new objects and the training objects."""
        return NewMatrices(self, views)


class NewMatrices(KernelMatrices):
    """Base kernels between new objects and the training objects."""

    def __init__(self, fitted: LibraryMatrices, views: Views) -> None:
        self.fitted, self.views = fitted, views
        self.names = fitted.names
        self.shape = (len(views), fitted.shape[1])

    def gram(self, number: int) -> FloatArray:
        """One kernel between new and training objects."""
        source = self.fitted.sources[number]
        raw = to_dense(source.kernel.cross(self.views[source.view], source.rows))
        return self.fitted.normalized(number, raw, raw.mean(axis=1))

    def pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        """K-examples of some pairs."""
        return np.stack([gram[left, right] for gram in self], axis=1)

    def examples(self, rows: slice) -> FloatArray:
        """K-examples of some new objects with all training objects."""
        return np.stack([gram[rows] for gram in self], axis=-1)
