"""A user's own divergence, from a convex function, its gradient and its domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manyviews.maths._divergences._base import Divergence
from manyviews.typing import AnyArray, FloatArray, IntArray


@dataclass
class CustomDivergence(Divergence):
    """The divergence of any strictly convex, differentiable function.

    Parameters
    ----------
    phi : callable
        From rows, an array of shape (n, d), to the function's value at each, of shape (n,).
    gradient : callable
        From rows to the gradient at each, of shape (n, d).
    domain : callable, optional
        From rows to what lies in the domain: an array of bool of shape (n,) or, cell by cell,
        (n, d). Everything does if it is not given. The domain should be convex.

    Notes
    -----
    An estimator with functions that have no name of their own (``lambda``) can be used, but not
    be written to a file.

    Examples
    --------
    >>> import numpy as np
    >>> exponential = CustomDivergence(
    ...     phi=lambda X: np.exp(X).sum(axis=1), gradient=np.exp, domain=np.isfinite
    ... )
    >>> exponential.between(np.array([[1.0]]), np.array([[0.0]])).round(3)
    array([[0.718]])
    """

    phi: Callable[[FloatArray], FloatArray] = field()  # type: ignore[assignment]
    gradient: Callable[[FloatArray], FloatArray] = field()  # type: ignore[assignment]
    domain: Callable[[FloatArray], AnyArray] | None = None

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Refuse rows that the domain does not hold, and functions of another shape."""
        seen = np.flatnonzero(~np.isnan(X).all(axis=1))
        self._check_domain(X, seen, view)
        first = X[seen[:1]]
        _refuse_other_shape("phi", self.phi(first), first.shape[:1])
        _refuse_other_shape("gradient", self.gradient(first), first.shape)

    def _check_domain(self, X: FloatArray, seen: IntArray, view: str) -> None:
        if self.domain is None:
            return
        found = self.domain(X[seen])
        _refuse_other_shape("domain", found, (len(seen),), (len(seen), X.shape[1]))
        inside = np.asarray(found, dtype=bool)
        if inside.all():
            return
        first = np.argwhere(~inside)[0]
        where = f"row {seen[first[0]]}" + (f", column {first[1]}" if inside.ndim == 2 else "")
        raise ValueError(
            f"view {view!r} lies outside the domain of the custom divergence at {where}; "
            "smooth or clip the view, or choose another divergence for it."
        )


def _refuse_other_shape(name: str, found: Any, *shapes: tuple[int, ...]) -> None:
    """Refuse a function that gives something other than numbers for each row."""
    array = np.asarray(found)
    if array.dtype.kind not in "fiub" or array.shape not in shapes:
        raise ValueError(
            f"{name} of CustomDivergence gives {array.dtype} of shape {array.shape}; give a "
            f"function whose values for these rows are of shape {' or '.join(map(str, shapes))}."
        )
