"""What a user gives to co-EM, checked and brought into the form that the sweeps read."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length

from manyviews.cluster._co_em._sweep import Family, Problem, pose
from manyviews.data import Labels, Views, split_labelled
from manyviews.exceptions import ViewsError
from manyviews.typing import AnyArray, FloatArray, IntArray


def pose_views(
    views: Views, families: dict[str, Family], known: IntArray, n_components: int
) -> Problem:
    """Check that each view is in the domain of its likelihood, and pose the problem."""
    for name, family in families.items():
        family.check(views[name], view=name)
    return pose(
        [(family, views[name], views.observed_in(name)) for name, family in families.items()],
        known,
        n_components,
    )


def read_classes(y: Any, views: Views, n_components: int) -> Labels:
    """Read labels, whose classes become the first components."""
    labels = split_labelled(y, views)
    check_consistent_length(views, labels.codes)
    if len(labels.classes) > n_components:
        raise ViewsError(
            f"y has {len(labels.classes)} classes and n_components is {n_components}, but every "
            "class is a component; raise n_components, or leave y out."
        )
    return labels


def read_start(init: AnyArray, problem: Problem) -> FloatArray:
    """Read responsibilities that a user wants to start from."""
    shape = len(problem.known), problem.n_components
    numeric = init.dtype.kind in "fiub"
    given = init.astype(np.float64) if numeric else np.full(shape, np.nan)
    if given.shape != shape or not (given >= 0).all() or not given.sum(axis=0).all():
        raise ValueError(
            f"init should be 'random', 'objects' or an array of responsibilities of shape {shape}, "
            "not negative and with some weight in every column."
        )
    return given
