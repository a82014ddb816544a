"""The base kernels of a view that nobody named any for, and those of [@kumar2013]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manyviews.similarity import RBF, Cosine, Kernel, Linear, Polynomial
from manyviews.typing import Matrix, Positive

WIDTHS = (0.25, 1.0, 4.0)
"""``gamma`` of the Gaussians of the default library, times that of the median distance."""


@dataclass
class RelativeRBF(RBF):
    """A Gaussian kernel with ``gamma`` so many times that of the median distance.

    Examples
    --------
    >>> import numpy as np
    >>> RelativeRBF(times=4.0).fitted(np.array([[0.0], [1.0]]))
    RBF(gamma=2.0)
    """

    times: Positive = 1.0

    def fitted(self, X: Matrix, places: object = None) -> RBF:  # type: ignore[override]  # noqa: ARG002
        """Choose the width."""
        return RBF(gamma=self.times * median_gamma(X))


def median_gamma(rows: Matrix) -> float:
    """``gamma`` of the median distance between two rows."""
    gamma = RBF().fitted(rows).gamma
    assert not isinstance(gamma, str), "fitted() chooses gamma"
    return float(gamma)


def default_kernels() -> list[Kernel]:
    """Five kernels that do not depend on the unit of a view: Gaussians, the cosine, products.

    Examples
    --------
    >>> len(default_kernels())
    5
    """
    return [*(RelativeRBF(times=times) for times in WIDTHS), Cosine(), Linear()]


def kumar2013_kernels() -> list[Kernel]:
    """The thirteen kernels of [@kumar2013]: Gaussians of nine widths, polynomials, a linear one.

    The widths are fixed numbers, ``gamma`` from 2⁻¹⁰ to 2⁻², for features of a scale near one. The
    polynomials are ``(x·y + 1)^degree`` of degree 2 to 4; the source leaves the constant open.

    Examples
    --------
    >>> from manyviews.mkl import KernelLibrary, kumar2013_kernels
    >>> len(kumar2013_kernels())
    13
    >>> library = KernelLibrary(kumar2013_kernels(), on="both")
    """
    gaussians = [RBF(gamma=2.0**power) for power in range(-10, -1)]
    return [*gaussians, *(Polynomial(degree, gamma=1.0) for degree in (2, 3, 4)), Linear()]


def fitted_to(rows: Matrix, kernels: Sequence[Kernel]) -> list[Kernel]:
    """Fit kernels to the same rows; their median distance is looked for once."""
    if not any(isinstance(kernel, RelativeRBF) for kernel in kernels):
        return [kernel.fitted(rows) for kernel in kernels]
    gamma = median_gamma(rows)
    return [
        RBF(gamma=kernel.times * gamma) if isinstance(kernel, RelativeRBF) else kernel.fitted(rows)
        for kernel in kernels
    ]
