"""Estimators × parameters × values, among them many that make no sense."""

from __future__ import annotations

from typing import Any

import numpy as np
from fuzz_judge import Case, fit_and_answer
from sklearn.base import clone

from manyviews.maths import Options
from manyviews.testing.check import prepared
from manyviews.testing.data import problem_for
from manyviews.testing.runner import contract_instances

VALUES: tuple[Any, ...] = (
    0,
    1,
    2,
    7,
    10**6,
    -1,
    2.5,
    0.5,
    1e-300,
    1e300,
    5e-324,
    1.7e308,
    1e-320,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    10**40,
    True,
    None,
    "",
    "nonsense",
    "auto",
    "0",
    [],
    [1, 2],
    {},
    {"view0": 1, "view1": 2, "view2": 3},
    (1, 2, 3),
    object(),
    int,
    len,
    np.int64(2),
    np.uint64(2**63),
    np.timedelta64(3, "D"),
    np.str_("auto"),
    {"no such view": 1},
    np.float32(0.5),
    np.array([1.0, 2.0]),
    1j,
    b"bytes",
)


def _parameters(estimator: Any) -> list[str]:
    """Its own parameters and those of the options it holds; foreign estimators mind their own."""
    own = list(estimator.get_params(deep=False))
    inside = [
        f"{name}__{key}"
        for name, value in estimator.get_params(deep=False).items()
        if isinstance(value, Options)
        for key in value.get_params(deep=False)
    ]
    return own + inside


def _first_of_each_class() -> list[Any]:
    first: dict[type, Any] = {}
    for instance in contract_instances():
        first.setdefault(type(instance), prepared(instance))
    return list(first.values())


PLACES = [(each, name) for each in _first_of_each_class() for name in _parameters(each)]
COUNT = len(PLACES) * len(VALUES)


def case(number: int) -> Case:
    """The parameter and the value of a number."""
    place, which = divmod(number, len(VALUES))
    estimator, name = PLACES[place]
    value = VALUES[which]
    problem = problem_for(estimator)

    def act() -> None:
        model = clone(estimator).set_params(**{name: value})
        fit_and_answer(model, problem.X, problem.y, problem.new)

    return Case(f"{type(estimator).__name__}({name}={value!r})", act)
