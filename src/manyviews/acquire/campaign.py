"""What all runs of a simulation share, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from sklearn.base import is_classifier

from manyviews.acquire.criteria import last_step
from manyviews.acquire.plan_report import Kind
from manyviews.acquire.question_costs import read_costs
from manyviews.base import check_argument
from manyviews.data import Labels, Views, in_row_order, split_labelled
from manyviews.exceptions import ParameterError, ViewsError
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray, Share, ViewsLike

__all__ = ["Campaign", "Choosing", "plain_classes", "read_campaign"]

Choosing: TypeAlias = str | Callable[[Any, Views], FloatArray]
"""A criterion by its name, or as a function."""


@dataclass(frozen=True)
class Campaign:
    """Everything that runs of different criteria and seeds share."""

    model: Any
    views: Views
    """All that there is to find out; each object is seen somewhere."""
    rows: IntArray
    """Rows of these objects in the views as given."""
    labels: Labels
    costs: FloatArray
    """Objects × (label, views); NaN for what cannot be asked."""
    budget: float
    batch: int
    kinds: tuple[Kind, ...]
    start: int
    hidden: float | BoolArray
    evaluation: Literal["inductive", "transductive"]
    test_size: float
    scoring: Any

    @property
    def name(self) -> str:
        """Name of the method."""
        return type(last_step(self.model)).__name__


def read_campaign(
    model: Any,
    views: ViewsLike,
    y: Any,
    costs: Any,
    kinds: Sequence[Kind],
    hidden: Any,
    **settings: Any,
) -> Campaign:
    """Check everything that is given; leave out objects that no view shows."""
    if not is_classifier(model):
        raise TypeError(
            f"{type(last_step(model)).__name__} is no classifier, and classes are what is learnt."
        )
    objects = views if isinstance(views, Views) else Views(views)
    labels = split_labelled(y, objects)
    if len(labels.codes) != len(objects):
        raise ViewsError(
            f"y has {len(labels.codes)} labels for {len(objects)} objects; give one for each."
        )
    asked = read_kinds(kinds)
    masks = read_hidden(hidden, objects)
    rows = np.flatnonzero(objects.observed.any(axis=1))
    classes = np.unique(labels.codes[rows][labels.codes[rows] >= 0])
    if len(classes) < 2:
        raise ValueError(
            f"y has labels of {len(classes)} class{'es' * (len(classes) != 1)} among objects that "
            "some view shows, and a simulation needs two or more to tell apart."
        )
    codes = np.full(len(labels.classes) + 1, -1)
    codes[classes] = np.arange(len(classes))
    return Campaign(
        model,
        objects[rows],
        rows,
        Labels(codes[labels.codes[rows]], plain_classes(labels.classes[classes])),
        costs=read_costs(costs, objects, asked)[rows],
        kinds=asked,
        hidden=masks[rows] if isinstance(masks, np.ndarray) else masks,
        **settings,
    )


def plain_classes(classes: AnyArray) -> AnyArray:
    """Classes that scikit-learn's scores can compare: integers, strings, or else numbers for them.

    Examples
    --------
    >>> plain_classes(np.array(["no", "yes"], dtype=object))
    array(['no', 'yes'], dtype='<U3')
    >>> plain_classes(np.array([False, True]))
    array([0, 1])
    """
    if classes.dtype.kind in "iuU":
        return classes
    if all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(str)
    return np.arange(len(classes))


def read_kinds(kinds: str | Sequence[str]) -> tuple[Kind, ...]:
    """Kinds of actions, each once."""
    asked = (kinds,) if isinstance(kinds, str) else tuple(dict.fromkeys(kinds))
    if not asked or set(asked) - {"label", "view"}:
        raise ParameterError(f"kinds={kinds!r} should be some of 'label' and 'view'.")
    return cast(tuple[Kind, ...], asked)


def read_hidden(hidden: Any, views: Views) -> float | BoolArray:
    if np.ndim(hidden) == 0:
        check_argument("hidden", hidden, Share)
        return float(hidden)
    mask = np.asarray(in_row_order(hidden, views.sample_ids, "hidden"))
    if mask.shape != views.observed.shape or mask.dtype != bool:
        raise ViewsError(
            f"hidden has the shape {mask.shape} and the type {mask.dtype}; give a share, or a "
            f"boolean for each of {views.observed.shape[0]} objects and "
            f"{views.observed.shape[1]} views."
        )
    blind = views.observed.any(axis=1) & ~(views.observed & ~mask).any(axis=1)
    if blind.any():
        raise ViewsError(
            f"hidden hides all views of the object in row {int(blind.argmax())}; leave it one."
        )
    return mask
