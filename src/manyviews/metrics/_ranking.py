"""How good a ranking is where precision and recall meet [@sindhwani2005]."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.data import in_row_order, row_ids
from manyviews.maths import missing_labels, read_labels
from manyviews.typing import AnyArray, BoolArray, FloatArray


def precision_recall_break_even(y_true: Any, scores: Any, *, pos_label: Any = None) -> float:
    r"""Precision and recall where the two are equal, the break-even point (PRBEP).

    With :math:`n_+` positive objects, precision and recall are equal exactly when as many
    objects are called positive, so the value is the share of positives among the :math:`n_+`
    highest scores. Where the cut falls among equal scores, the value is the mean over all orders
    of these: with :math:`a` objects above the tie, of which :math:`a_+` positive, and
    :math:`t` tied, of which :math:`t_+` positive,

    .. math:: \mathrm{PRBEP} = \bigl(a_+ + (n_+ - a)\, t_+ / t\bigr) / n_+ .

    A constant score thus gives the share of positives, whatever the order of the objects.

    Parameters
    ----------
    y_true : array-like of shape (n_objects,)
        Two classes, of which at least the positive one occurs.
    scores : array-like of shape (n_objects,)
        Higher for objects that are rather positive; infinite values are allowed. With an index
        they are matched to labels that have one.
    pos_label : label, optional
        The positive class. By default 1 (or True) of the classes {0, 1} or {-1, 1}.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> precision_recall_break_even([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.5
    >>> precision_recall_break_even([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1])  # 1 + 1/2 of 2
    0.75
    """
    positive = _positives(read_labels(y_true, "y_true"), pos_label)
    scores = in_row_order(scores, row_ids(y_true), "scores")
    values = _checked_scores(scores, len(positive))
    n_positive = int(positive.sum())
    cut = np.partition(values, len(values) - n_positive)[len(values) - n_positive]
    above, tied = values > cut, values == cut
    to_choose = n_positive - int(above.sum())
    hits = positive[above].sum() + to_choose * positive[tied].mean()
    return float(hits / n_positive)


def _positives(labels: AnyArray, pos_label: Any) -> BoolArray:
    missing = missing_labels(labels)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"y_true has no label in row {row}; leave such objects out.")
    classes = set(labels.tolist())
    if len(classes) > 2:
        raise ValueError(
            f"y_true has {len(classes)} classes; score one class against the rest, "
            "as in precision_recall_break_even(y_true == label, scores)."
        )
    if pos_label is None:
        if not (classes <= {0, 1} or classes <= {-1, 1}):
            raise ValueError(
                f"which of the classes {sorted(map(str, classes))} is positive is not known; "
                "give pos_label."
            )
        pos_label = 1
    if np.ndim(pos_label):
        raise ValueError("pos_label has several values; give one label of y_true.")
    positive = np.array([label == pos_label for label in labels.tolist()], dtype=bool)
    if not positive.any():
        raise ValueError(
            f"y_true has no object of the positive class {pos_label!r}; "
            "the break-even point needs at least one."
        )
    return positive


def _checked_scores(scores: Any, n_objects: int) -> FloatArray:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("scores are not all numbers; give one number per object.") from error
    if values.shape != (n_objects,):
        raise ValueError(
            f"scores has shape {values.shape} for {n_objects} labels; give one score per object."
        )
    if np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values))[0])
        raise ValueError(f"scores is NaN in row {row}; give every object a number.")
    return values
