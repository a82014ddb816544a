"""Names for the types that cross the rooms, and for the values that a parameter may have.

A constructor says beside each parameter what it may be, ``n_clusters: Count = 8``, and
:func:`manyviews.base.check_params` holds it to that in ``fit``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]

Matrix: TypeAlias = FloatArray | csr_array
"""One view: a dense float array or a CSR array, one row per object."""

ViewsLike: TypeAlias = Any
"""Whatever ``Views`` can be built from: see :class:`manyviews.Views`."""


def is_sparse(matrix: Any) -> TypeGuard[Any]:
    """Whether a matrix is sparse, in a way that type checkers understand."""
    return bool(issparse(matrix))


# -- what a parameter may be ---------------------------------------------------------------------


LARGEST = 1e300
"""Numbers are at most so large, unless infinity is meant: added up over a hundred million objects
they are still finite. Nothing that is measured or chosen comes near."""


@dataclass(frozen=True)
class Interval:
    """Finite numbers of a range: ``Annotated[float, Interval(0, 1)]``, the ends included."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    """Whether ``low`` itself is left out."""
    below: bool = False
    """Whether ``high`` itself is left out."""
    infinite: bool = False
    """Whether infinity is among them."""

    def __contains__(self, value: float) -> bool:
        """Whether a number is in the range, and up to 1e300 unless infinity is; NaN is not."""
        number = float(value)  # the ends may be more than single precision can be compared with
        over = number > self.low if self.above else number >= self.low
        under = number < self.high if self.below else number <= self.high
        size = abs(number)
        finite = size <= LARGEST or (self.infinite and size == math.inf)
        return bool(over and under and finite)

    def __str__(self) -> str:
        """Say the range as the end of "an integer …" or "a number …"."""
        low = f"above {self.low:g}" if self.above else f"of at least {self.low:g}"
        high = f"below {self.high:g}" if self.below else f"of at most {self.high:g}"
        if math.isinf(self.low) and math.isinf(self.high):
            return "that is finite"
        if math.isinf(self.high):
            return f"{low}, inf included" if self.infinite else low
        if math.isinf(self.low):
            return high
        if self.above or self.below:
            return f"{low} and {high}"
        return f"from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Having:
    """Objects with these methods: ``Annotated[Any, Having("a classifier", "fit", "predict")]``."""

    what: str
    methods: tuple[str, ...]

    def __init__(self, what: str, *methods: str) -> None:
        object.__setattr__(self, "what", what)
        object.__setattr__(self, "methods", methods)

    def __contains__(self, value: Any) -> bool:
        """Whether it is an object, not a class, that has the methods."""
        return not isinstance(value, type) and all(hasattr(value, name) for name in self.methods)

    def __str__(self) -> str:
        """Say what it is and has; methods that are not called by their names go without saying."""
        named = [name for name in self.methods if not name.startswith("_")]
        if not named:
            return self.what
        *first, last = named
        return f"{self.what} with {', '.join(first) + ' and ' if first else ''}{last}"


Count: TypeAlias = Annotated[int, Interval(1)]
"""How many, at least one."""
Repeats: TypeAlias = Annotated[int, Interval(1, 10_000)]
"""How many starts; a million, of which each takes its time, is a slip and would run for days."""
Number: TypeAlias = Annotated[float, Interval()]
Positive: TypeAlias = Annotated[float, Interval(0, above=True)]
Divisor: TypeAlias = Annotated[float, Interval(1e-100)]
"""A weight that a method divides by: from here on its reciprocal squared is still finite."""
Factor: TypeAlias = Annotated[float, Interval(0, 1e100)]
"""A weight that a method multiplies by: up to here its square is still finite."""
NonNegative: TypeAlias = Annotated[float, Interval(0)]
Share: TypeAlias = Annotated[float, Interval(0, 1)]
"""A part of the whole, nothing and all included."""
Verbosity: TypeAlias = Annotated[int, Interval(0)] | bool
Classifier: TypeAlias = Annotated[Any, Having("a classifier", "fit", "predict")]

RandomState: TypeAlias = (
    Annotated[int, Interval(0)] | np.random.RandomState | np.random.Generator | None
)

Value = TypeVar("Value")
ByView: TypeAlias = Value | list[Value] | Mapping[str, Value]
"""One value for all views, a list of one per view, or a dict by their names."""
ViewWeights: TypeAlias = list[NonNegative] | Mapping[str, NonNegative] | None
AutoViewWeights: TypeAlias = Literal["auto"] | list[NonNegative] | Mapping[str, NonNegative] | None
"""Weights of the views; "auto": a view that looks empty of structure has none."""
