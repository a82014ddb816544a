"""Which objects carry a label: ``-1`` for integers, ``None`` or NaN for everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.data.rows import in_row_order
from manyviews.data.views import Views
from manyviews.maths import missing_labels, number_labels, read_labels
from manyviews.typing import AnyArray, BoolArray, IntArray


@dataclass(frozen=True)
class Labels:
    """Labels as numbers, with the classes they stand for."""

    codes: IntArray
    """Position in ``classes``, or -1 for an unlabelled object."""
    classes: AnyArray

    @property
    def labelled(self) -> BoolArray:
        """Which objects carry a label."""
        return self.codes >= 0

    @property
    def counts(self) -> IntArray:
        """How many objects of each class are labelled."""
        return np.bincount(self.codes[self.labelled], minlength=len(self.classes))


def split_labelled(y: Any, views: Views | None = None) -> Labels:
    """Tell labelled from unlabelled objects and number the classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Integers with ``-1``, floats with NaN, or strings and other hashable objects with ``None``
        or NaN where an object is unlabelled, or a masked array. Booleans are always labels.
    views : Views, optional
        The objects that are labelled: where they have ids and ``y`` has an index, labels are
        matched to them by id, or refused.

    Returns
    -------
    Labels
        The codes, and the classes in sorted order (in order of appearance if they cannot be
        sorted).

    Examples
    --------
    >>> split_labelled([2, -1, 5]).codes
    array([ 0, -1,  1])
    >>> split_labelled(["news", None, "sport"]).classes
    array(['news', 'sport'], dtype=object)
    """
    if views is not None:
        y = in_row_order(y, views.sample_ids)
    values = read_labels(y, "y")
    labelled = values != -1 if values.dtype.kind in "iu" else ~missing_labels(values)
    if np.ma.is_masked(y):
        labelled &= ~np.ma.getmaskarray(y).reshape(len(values))
    codes = np.full(len(values), -1, dtype=np.intp)
    classes, codes[labelled] = number_labels(values[labelled])
    return Labels(codes, classes)


def codes_among(y: Any, classes: AnyArray, views: Views) -> IntArray:
    """Number new labels by known classes, -1 for unlabelled objects and for all if ``y`` is None.

    Examples
    --------
    >>> codes_among(["sport", None], np.array(["news", "sport"]), Views({"text": np.eye(2)}))
    array([ 1, -1])
    """
    if y is None:
        return np.full(len(views), -1)
    labels = split_labelled(y, views)
    if len(labels.codes) != len(views):
        raise ValueError(
            f"y has {len(labels.codes)} labels for {len(views)} objects; give one for each."
        )
    numbers = {label: code for code, label in enumerate(classes.tolist())}
    for label in labels.classes.tolist():
        if label not in numbers:
            raise ValueError(f"the label {label!r} was not there in fit; leave it out.")
    codes = np.array([numbers[label] for label in labels.classes.tolist()] + [-1])
    return codes[labels.codes]
