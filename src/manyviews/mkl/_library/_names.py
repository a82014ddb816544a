"""What kernels are called, short enough for the axis of a plot."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from manyviews.mkl._library._defaults import RelativeRBF
from manyviews.similarity import RBF, Cosine, Linear, Lookup, Polynomial, Precomputed, Similarity


def labels(kernels: Sequence[Similarity]) -> list[str]:
    """Short names of the kernels of one view, all different; empty for one that needs none.

    Examples
    --------
    >>> labels([RBF(gamma=0.125), RBF(), Polynomial(2, gamma=1.0), Linear()])
    ['RBF(2^-3)', 'RBF(median)', 'polynomial(2)', 'linear']
    >>> labels([RBF(gamma=0.3), RBF(gamma=0.3000001)])
    ['RBF(gamma=0.3)', 'RBF(gamma=0.3000001)']
    """
    short = [_label(kernel) for kernel in kernels]
    often = Counter(short)
    whole = [
        one if often[one] == 1 else repr(kernel) for one, kernel in zip(short, kernels, strict=True)
    ]
    return distinct(whole)


def distinct(names: Sequence[str]) -> list[str]:
    """Number those names that occur more than once.

    Examples
    --------
    >>> distinct(["linear", "rbf", "linear"])
    ['linear (1)', 'rbf', 'linear (2)']
    """
    often, met = Counter(names), Counter[str]()
    found = []
    for name in names:
        met[name] += 1
        found.append(name if often[name] == 1 else f"{name} ({met[name]})".strip())
    return found


def _label(kernel: Similarity) -> str:
    if isinstance(kernel, Precomputed):
        return ""
    if isinstance(kernel, Lookup):
        return kernel.name or ""
    if isinstance(kernel, RelativeRBF):
        return "RBF(median)" if kernel.times == 1.0 else f"RBF({kernel.times:g} median)"
    if type(kernel) is RBF:
        return f"RBF({_gamma(kernel.gamma)})"
    if type(kernel) is Polynomial:
        return f"polynomial({kernel.degree})"
    if type(kernel) in (Linear, Cosine):
        return type(kernel).__name__.lower()
    return repr(kernel)


def _gamma(gamma: str | float) -> str:
    if isinstance(gamma, str):
        return gamma
    mantissa, power = math.frexp(gamma)
    return f"2^{power - 1}" if mantissa == 0.5 and power != 1 else f"{gamma:.3g}"
