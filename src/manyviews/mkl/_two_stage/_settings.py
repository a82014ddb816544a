"""What a user may ask of a two-stage kernel, as its steps need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
        """Read the parameters of an estimator; refuse those that do not go together."""
        if model.combiner == "forest" and model.degree != 1:
            raise ValueError(
                f"degree={model.degree} is of no use with combiner='forest', which combines "
                "kernels by itself; leave it at 1."
            )
        return cls(
            model.combiner,
            int(model.degree),
            _solver(model),
            None if model.regularization == "auto" else float(model.regularization),
            None if model.n_pairs == "auto" else int(model.n_pairs),
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
    return Exact(float(model.tol))
