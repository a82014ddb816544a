"""Parameters that make no sense are refused by name, and leave what was learnt before."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.testing._answers import fitted, refused
from manyviews.testing._check import rule
from manyviews.testing._data import problem_for


@rule()
def nonsense_in_a_parameter_is_refused(estimator: Any) -> None:
    """NaN, or an object that is nothing in particular, is refused by the parameter's name."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X, problem.y)
    before = _learnt(model)
    y = () if problem.y is None else (problem.y,)
    for name, value in estimator.get_params(deep=False).items():
        for wrong in (np.nan, object()):
            model.set_params(**{name: wrong})
            refused(lambda: model.fit(problem.X, *y), f"{name}={wrong!r}", naming=name)
        model.set_params(**{name: value})
    assert before == _learnt(model), "a parameter that is refused changes what was learnt."


def _learnt(model: Any) -> dict[str, int]:
    """Which object stands behind each fitted attribute."""
    return {name: id(value) for name, value in vars(model).items() if name.endswith("_")}
