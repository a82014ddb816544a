"""Which objects carry a label: ``-1`` for integers, ``None`` or NaN for everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

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


def split_labelled(y: Any) -> Labels:
    """Tell labelled from unlabelled objects and number the classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Integers with ``-1``, floats with NaN, or strings and other hashable objects with ``None``
        or NaN where an object is unlabelled. Booleans are always labels.

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
    values = read_labels(y, "y")
    labelled = values != -1 if values.dtype.kind in "iu" else ~missing_labels(values)
    codes = np.full(len(values), -1, dtype=np.intp)
    classes, codes[labelled] = number_labels(values[labelled])
    return Labels(codes, classes)
