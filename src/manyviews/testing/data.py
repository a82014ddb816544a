"""Small objects in plain groups, seen through views of different widths, for the checks."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from manyviews.data import Views
from manyviews.maths import generator
from manyviews.testing.check import n_groups, number_of_views, takes_labels
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray

WIDTHS = (6, 4, 5, 7)
N_TRAINING = 45
"""Objects to fit on: fifteen of each of three groups, so that all are in every fold; few, as every
rule fits anew."""
N_NEW = 12
"""New objects: the fewest of which one in four lacks a view and each of three views is lacking."""

ViewDict = dict[str, FloatArray]


@dataclass(frozen=True)
class Problem:
    """Objects to fit on, their labels where the estimator needs them, and new objects."""

    X: ViewDict
    y: AnyArray | None
    groups: IntArray
    new: ViewDict
    new_groups: IntArray

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the views, those that views by position have."""
        return tuple(self.X)

    @property
    def last(self) -> str:
        """Name of the last view."""
        return self.names[-1]


def problem_for(estimator: Any, n_views: int | None = None) -> Problem:
    """Return the contract's data in the number of views that suits an estimator."""
    count = number_of_views(estimator) if n_views is None else n_views
    groups = np.arange(N_TRAINING) % n_groups(estimator)
    new_groups = np.arange(N_NEW) % n_groups(estimator)
    X = draw_views(groups, count, seed=1)
    y = target_for(estimator, groups) if takes_labels(estimator) else None
    return Problem(X, y, groups, draw_views(new_groups, count, seed=2), new_groups)


def target_for(estimator: Any, groups: IntArray) -> AnyArray:
    """Integer classes for classifiers, numbers that follow the groups for anything else."""
    return groups if is_classifier(estimator) else groups + 0.25


def draw_views(groups: IntArray, n_views: int, *, seed: int) -> ViewDict:
    """Draw non-negative features: high in those of an object's own group, low or zero in others."""
    rng = generator(seed)
    views = {}
    for position in range(n_views):
        width = WIDTHS[position % len(WIDTHS)]
        own = np.arange(width)[None, :] % (groups.max() + 1) == groups[:, None]
        noise = rng.gamma(25.0, 1 / 25.0, size=own.shape)
        absent = ~own & (rng.random(own.shape) < 0.4)
        views[f"view{position}"] = np.where(absent, 0.0, np.where(own, 5.0, 1.0) * noise)
    return views


def noise_like(views: ViewDict, *, seed: int) -> ViewDict:
    """Views of the same shapes that know nothing of the groups."""
    rng = generator(seed)
    return {name: rng.gamma(4.0, 0.5, size=matrix.shape) for name, matrix in views.items()}


def gaps(n_objects: int, n_views: int) -> BoolArray:
    """Return a mask under which about one in four objects lacks one view, each view by turns."""
    observed = np.ones((n_objects, n_views), dtype=bool)
    lacking = np.arange(0, n_objects, 4)
    observed[lacking, (lacking // 4) % n_views] = False
    return observed


def with_gaps(views: ViewDict) -> Views:
    """Return the views with that mask."""
    return Views(views, observed=gaps(count(views), len(views)))


def count(views: ViewDict) -> int:
    """How many objects there are."""
    return len(next(iter(views.values())))


def rows_of(views: ViewDict, rows: Any) -> ViewDict:
    """Some rows of every view."""
    return {name: matrix[rows] for name, matrix in views.items()}


def replaced(views: ViewDict, name: str, matrix: Any) -> dict[str, Any]:
    """Return the same views with another matrix in one of them."""
    return {**views, name: matrix}


def modalities(views: ViewDict) -> Any:
    """Return a stand-in for MuData: tables by name, each with named rows and features."""
    rows = np.array([f"object{row}" for row in range(count(views))])
    tables = {
        name: SimpleNamespace(
            X=matrix,
            obs_names=rows,
            var_names=np.array([f"f{column}" for column in range(matrix.shape[1])]),
        )
        for name, matrix in views.items()
    }
    return SimpleNamespace(mod=tables, obs_names=rows)


def flat_frame(views: ViewDict) -> Any:
    """Return a DataFrame with columns ``view__feature``."""
    import pandas as pd

    columns = {
        f"{name}__f{column}": matrix[:, column]
        for name, matrix in views.items()
        for column in range(matrix.shape[1])
    }
    return pd.DataFrame(columns)


def two_level_frame(views: ViewDict) -> Any:
    """Return a DataFrame with the views as the upper level of its columns."""
    import pandas as pd

    frame = flat_frame(views)
    frame.columns = pd.MultiIndex.from_tuples([tuple(c.split("__")) for c in frame.columns])
    return frame
