"""Classes as numbers, signs and shares: what methods that separate them by functions share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from manyviews.data import Labels
from manyviews.maths import log_softmax
from manyviews.typing import AnyArray, FloatArray, IntArray, Interval, Positive

_SomeOfAll: TypeAlias = Annotated[float, Interval(0, 1, above=True, below=True)]
Proportions: TypeAlias = Literal["labelled"] | _SomeOfAll | Mapping[Any, _SomeOfAll]
"""Shares of the classes: as labelled, of the second of two, or of each by its name."""
ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, Positive] | None
"""Factors of the costs of classes."""


def read_proportions(given: Proportions, labels: Labels) -> FloatArray:
    """Share of each class among the objects.

    Parameters
    ----------
    given : "labelled", float or mapping
        As among the labelled objects, the share of the second of two classes, or the share of
        every class by its name.
    labels : Labels
        The labels that are known.

    Examples
    --------
    >>> labels = Labels(np.array([0, 1, 1, 1, -1]), np.array(["cat", "dog"]))
    >>> read_proportions("labelled", labels)
    array([0.25, 0.75])
    >>> read_proportions(0.4, labels)
    array([0.6, 0.4])
    >>> read_proportions({"cat": 0.9, "dog": 0.1}, labels)
    array([0.9, 0.1])
    """
    if isinstance(given, str) and given == "labelled":
        return np.asarray(labels.counts / labels.counts.sum())
    if isinstance(given, Mapping):
        return _by_class(given, labels)
    if len(labels.classes) != 2:
        raise ValueError(
            f"proportions={given!r} is one number for {len(labels.classes)} classes; "
            "give a dict with a share for each class."
        )
    return np.array([1.0 - float(given), float(given)])


def read_class_weights(given: Mapping[Any, float], classes: AnyArray) -> FloatArray:
    """Factor of the cost of each class; 1 for those that are not named.

    Examples
    --------
    >>> read_class_weights({"dog": 3}, np.array(["cat", "dog"]))
    array([1., 3.])
    """
    unknown = [name for name in given if name not in classes.tolist()]
    if unknown:
        raise ValueError(
            f"class_weight names the class {unknown[0]!r}, which is not among the classes "
            f"{classes.tolist()}; rename or remove it."
        )
    return np.array([float(given.get(name, 1.0)) for name in classes.tolist()])


def two_class_problems(n_classes: int) -> range:
    """Classes to be told from all others, one after another; of two, the second is enough.

    Examples
    --------
    >>> list(two_class_problems(2)), list(two_class_problems(3))
    ([1], [0, 1, 2])
    """
    return range(1, 2) if n_classes == 2 else range(n_classes)


def signs_of(codes: IntArray, positive: int) -> IntArray:
    """1 for objects labelled by one class, -1 by another, 0 for unlabelled ones.

    Examples
    --------
    >>> signs_of(np.array([0, 2, -1]), positive=2)
    array([-1,  1,  0])
    """
    return np.where(codes < 0, 0, np.where(codes == positive, 1, -1))


def class_targets(codes: IntArray, n_classes: int) -> FloatArray:
    """1 for a class and −1 for the others, 0 for unlabelled; one column for two classes.

    Examples
    --------
    >>> class_targets(np.array([0, 1, -1]), 2).ravel()
    array([-1.,  1.,  0.])
    """
    classes = np.arange(n_classes) if n_classes > 2 else np.array([1])
    signs = np.where(codes[:, None] == classes, 1.0, -1.0)
    return np.where(codes[:, None] >= 0, signs, 0.0)


def flat(values: FloatArray) -> FloatArray:
    """One column as scikit-learn has the decisions between two classes: a vector."""
    return values[:, 0] if values.shape[1] == 1 else values


TIED = 1e-9
"""Values this close, beside the largest modulus of them, are equal up to the rounding of a sum."""
_ZERO = 1e-14
"""Values this close are equal, however small: they are the rounding of sums of targets of one."""


def best_class(values: FloatArray, error: float = 0.0) -> IntArray:
    """The class that values, objects × targets, speak for; of equal ones the first.

    The value of two classes is that of the second, and minus that of the first. What is equal is
    judged beside the object's own values: a strong penalty makes all of them small. Of two classes
    these say nothing of a tie, where both are rounding: ``error`` is how far the method's values
    may be from exact ones, which it knows from its fit.

    Examples
    --------
    >>> best_class(np.array([[-0.5], [2.0]])), best_class(np.array([[1.0, 3.0, 2.0]]))
    (array([0, 1]), array([1]))
    >>> best_class(np.array([[3e-8], [3e-6]]), error=1e-6)
    array([0, 1])
    """
    if values.shape[1] == 1:
        values = np.hstack([-values, values])
    least = 2 * max(_ZERO, error)
    equal = np.maximum(TIED * np.abs(values).max(axis=1, keepdims=True), least)
    return (values >= values.max(axis=1, keepdims=True) - equal).argmax(axis=1)


def softmax_of_decisions(values: FloatArray) -> FloatArray:
    """Probabilities of all classes from values near 1 for an object's own and −1 for others.

    ``p(c) ∝ exp(2 f_c)``, which for two classes is the logistic function of twice the value: the
    minimiser of the squared loss is ``2 p − 1``, and this has the same value and slope at 0.

    Examples
    --------
    >>> softmax_of_decisions(np.array([[0.0], [1.0]])).round(2)
    array([[0.5 , 0.5 ],
           [0.12, 0.88]])
    """
    scores = np.hstack([-values, values]) if values.shape[1] == 1 else 2.0 * values
    return log_softmax(scores)[0]


def _by_class(given: Mapping[Any, float], labels: Labels) -> FloatArray:
    classes = labels.classes.tolist()
    if set(given) != set(classes):
        raise ValueError(
            f"proportions has shares for {list(given)} and the classes are {classes}; "
            "give one share for each class."
        )
    shares = np.array([float(given[name]) for name in classes])
    if abs(shares.sum() - 1.0) > 1e-6:
        raise ValueError(f"the shares in proportions sum to {shares.sum():g}; make them sum to 1.")
    return shares
