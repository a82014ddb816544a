"""Methods that are there only if the estimator which does the work has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.utils.metaestimators import available_if

Method = TypeVar("Method", bound=Callable[..., Any])


def if_estimator_has(name: str) -> Callable[[Method], Method]:
    """Make a method be there only if the estimator that does the work has it.

    That is ``estimator_`` once fitted, and what ``_unfitted()`` returns before.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> class Delegating:
    ...     def _unfitted(self):
    ...         return LogisticRegression()
    ...     @if_estimator_has("predict_proba")
    ...     def predict_proba(self, X): ...
    ...     @if_estimator_has("transform")
    ...     def transform(self, X): ...
    >>> hasattr(Delegating(), "predict_proba"), hasattr(Delegating(), "transform")
    (True, False)
    """

    def has(self: Any) -> bool:
        working = self.estimator_ if hasattr(self, "estimator_") else self._unfitted()
        return hasattr(working, name)

    decorate: Callable[[Method], Method] = available_if(has)
    return decorate
