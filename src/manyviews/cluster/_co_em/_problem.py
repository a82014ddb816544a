"""What a user gives to co-EM, checked and brought into the form that the sweeps read."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length

from manyviews.cluster._co_em._sweep import Family, Problem, pose
from manyviews.data import Labels, Views, split_labelled
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.maths import Bernoulli, Multinomial
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
    labels = split_labelled(y)
    check_consistent_length(views, labels.codes)
    if len(labels.classes) > n_components:
        raise ViewsError(
            f"y has {len(labels.classes)} classes and n_components is {n_components}, but every "
            "class is a component; raise n_components, or leave y out."
        )
    return labels


def read_start(init: Any, problem: Problem) -> FloatArray:
    """Read responsibilities that a user wants to start from."""
    shape = len(problem.known), problem.n_components
    given = np.asarray(init, dtype=np.float64)
    if given.shape != shape or not (given >= 0).all() or not given.sum(axis=0).all():
        raise ValueError(
            f"init should be 'random', 'objects' or an array of responsibilities of shape {shape}, "
            "not negative and with some weight in every column."
        )
    return given


def takes_counts(likelihood: Any) -> bool:
    """Whether some view may have to be free of negative values."""
    given = list(likelihood.values()) if isinstance(likelihood, dict) else likelihood
    given = given if isinstance(given, list) else [given]
    names = ("multinomial", "bernoulli")
    return any(each in names or isinstance(each, Multinomial | Bernoulli) for each in given)


def refuse_empty_views(problem: Problem, names: tuple[str, ...]) -> None:
    """Refuse a view that says nothing of any object."""
    for name, rows in zip(names, problem.views, strict=True):
        if rows.n_rows == 0:
            raise UnobservedViewsError(
                f"view {name!r} is observed for no object, or is empty for all of them, and "
                "teaches nothing; leave it out."
            )


def known_components(y: Any, views: Views, classes: AnyArray) -> IntArray:
    """Component of each object by its label, -1 without one; only known classes will do."""
    if y is None:
        return np.full(len(views), -1)
    labels = split_labelled(y)
    check_consistent_length(views, labels.codes)
    numbers = {label: code for code, label in enumerate(classes.tolist())}
    for label in labels.classes.tolist():
        if label not in numbers:
            raise ValueError(f"the label {label!r} was not there in fit; leave it out.")
    codes = np.array([numbers[label] for label in labels.classes.tolist()] + [-1])
    return codes[labels.codes]
