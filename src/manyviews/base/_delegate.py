"""Estimators that let another do the work: its methods, and its random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
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


def seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Set every ``random_state`` of an estimator that is None, so that it can be repeated.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> first, second = (
    ...     seeded(DecisionTreeClassifier(), np.random.default_rng(0)) for _ in range(2)
    ... )
    >>> first.random_state == second.random_state is not None
    True
    """
    free = [
        name
        for name, value in estimator.get_params().items()
        if value is None and name.split("__")[-1] == "random_state"
    ]
    return estimator.set_params(**{name: int(rng.integers(2**31)) for name in sorted(free)})
