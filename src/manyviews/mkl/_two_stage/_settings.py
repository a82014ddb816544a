"""What a user may ask of a two-stage kernel, checked."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from manyviews.mkl._two_stage._problem import KEPT_VALUES
from manyviews.mkl._two_stage._solvers import Exact, Solver, Stochastic

MOST_PAIRS = {"linear": 50_000, "forest": 20_000}
"""How many pairs are drawn if nobody says."""


@dataclass(frozen=True)
class Settings:
    """Parameters as the steps need them."""

    combiner: str
    degree: int
    solver: Solver
    regularization: float | None
    """None: to be chosen."""
    n_pairs: int | None
    """None: as many as seem fit."""
    n_trees: int

    @classmethod
    def read(cls, model: Any) -> Settings:
        """Check the parameters of an estimator."""
        _refuse_unknown("combiner", model.combiner, tuple(MOST_PAIRS))
        _refuse_unknown("solver", model.solver, ("stochastic", "exact"))
        _refuse_unknown("degree", model.degree, (1, 2, 3))
        if model.combiner == "forest" and model.degree != 1:
            raise ValueError(
                f"degree={model.degree} is of no use with combiner='forest', which combines "
                "kernels by itself; leave it at 1."
            )
        for name, least in (("n_steps", 1), ("batch_size", 1), ("n_trees", 1)):
            _refuse_small(name, getattr(model, name), least)
        return cls(
            model.combiner,
            int(model.degree),
            _solver(model),
            _regularization(model.regularization),
            _n_pairs(model.n_pairs),
            int(model.n_trees),
        )

    def most_pairs(self, n_kernels: int) -> int:
        """How many pairs to draw at most."""
        if self.n_pairs is not None:
            return self.n_pairs
        return max(2, min(MOST_PAIRS[self.combiner], KEPT_VALUES // n_kernels))


def _solver(model: Any) -> Solver:
    if model.solver == "stochastic":
        return Stochastic(int(model.n_steps), int(model.batch_size))
    if not _is_positive(model.tol):
        raise ValueError(f"tol={model.tol!r} should be a number above 0.")
    return Exact(float(model.tol))


def _regularization(value: Any) -> float | None:
    if value == "auto":
        return None
    if _is_positive(value):
        return float(value)
    raise ValueError(f"regularization={value!r} should be 'auto' or a number above 0.")


def _n_pairs(value: Any) -> int | None:
    if value == "auto":
        return None
    _refuse_small("n_pairs", value, 2, "'auto' or ")
    return int(value)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(0 < value < np.inf)


def _refuse_small(name: str, value: Any, least: int, else_: str = "") -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name}={value!r} should be {else_}an integer of {least} or more.")


def _refuse_unknown(name: str, value: Any, known: tuple[Any, ...]) -> None:
    if value not in known:
        choices = ", ".join(repr(one) for one in known)
        raise ValueError(f"{name}={value!r} is unknown; choose one of {choices}.")
