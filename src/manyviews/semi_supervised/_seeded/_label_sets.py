"""Sets of labels, as users give them, read as members of the classes of an ontology."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.maths import Ontology
from manyviews.semi_supervised._seeded._rounds import Seeds
from manyviews.typing import AnyArray, BoolArray


def read_label_sets(y: Any, ontology: Ontology) -> Seeds:
    """Read label sets or an indicator matrix, and add to each set what contains it.

    Parameters
    ----------
    y : sequence of sets, or array of shape (n_objects, n_classes)
        A set, list or single label per object, ``None``, NaN or -1 if it is unlabelled; or an
        indicator matrix of 0 and 1, with rows of -1 for unlabelled objects. The columns of a
        DataFrame are found by name, others are in the order of ``ontology.classes``.
    ontology : Ontology
        The classes.

    Returns
    -------
    Seeds
        Members, closed upwards, and which objects are labelled. A labelled object may have no
        label at all.

    Examples
    --------
    >>> food = Ontology.read({"food": ["fruit", "meat"], "company": None})
    >>> seeds = read_label_sets([{"fruit"}, None, "company"], food)
    >>> seeds.members.astype(int)
    array([[1, 1, 0, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 1]])
    >>> seeds.labelled
    array([ True, False,  True])
    """
    matrix = _as_matrix(y, ontology)
    given, labelled = _from_sets(y, ontology) if matrix is None else _from_matrix(matrix)
    closed = ontology.closure(given)
    _refuse_exclusions(closed, ontology)
    return Seeds(closed, labelled)


def _as_matrix(y: Any, ontology: Ontology) -> AnyArray | None:
    """Return the indicator matrix, if it is one."""
    if hasattr(y, "columns"):
        y = _columns_by_name(y, ontology)
    if hasattr(y, "toarray"):
        y = y.toarray()
    matrix = y if isinstance(y, np.ndarray) else None
    if isinstance(y, list | tuple) and y and all(_is_row_of_bits(row, ontology) for row in y):
        matrix = np.asarray(y)
    if matrix is None or matrix.ndim != 2:
        return None
    if matrix.shape[1] != len(ontology):
        raise ValueError(
            f"y has {matrix.shape[1]} columns for the {len(ontology)} classes of the ontology; "
            "give one for each, in the order of its classes."
        )
    return matrix


def _is_row_of_bits(row: Any, ontology: Ontology) -> bool:
    """Whether a list is a row of an indicator matrix rather than a list of labels."""
    return (
        isinstance(row, list | tuple | np.ndarray)
        and len(row) == len(ontology)
        and all(isinstance(bit, bool | int | np.integer | np.bool_) for bit in row)
        and not set(row) <= set(ontology.classes)
    )


def _columns_by_name(frame: Any, ontology: Ontology) -> Any:
    unknown = [name for name in ontology.classes if name not in frame.columns]
    if unknown:
        raise ValueError(
            f"y has no column {unknown[0]!r}; give one for each class of the ontology."
        )
    return frame[list(ontology.classes)].to_numpy()


def _from_matrix(matrix: AnyArray) -> tuple[BoolArray, BoolArray]:
    unlabelled = (matrix == -1).all(axis=1)
    sound = ((matrix == 0) | (matrix == 1)).all(axis=1) | unlabelled
    if not sound.all():
        row = int(np.flatnonzero(~sound)[0])
        raise ValueError(
            f"row {row} of y is {matrix[row].tolist()}; write 1 for the classes of an object and "
            "0 for others, or -1 throughout if it is unlabelled."
        )
    return matrix == 1, ~unlabelled


def _from_sets(y: Any, ontology: Ontology) -> tuple[BoolArray, BoolArray]:
    sets = list(y)
    labelled = np.array([not _is_unlabelled(labels, ontology) for labels in sets], dtype=bool)
    known = [labels if own else () for labels, own in zip(sets, labelled, strict=True)]
    return ontology.indicator(known), labelled


def _is_unlabelled(labels: Any, ontology: Ontology) -> bool:
    if labels is None or (isinstance(labels, float) and np.isnan(labels)):
        return True
    whole = isinstance(labels, int | np.integer) and not isinstance(labels, bool)
    return whole and labels == -1 and -1 not in ontology.classes


def _refuse_exclusions(closed: BoolArray, ontology: Ontology) -> None:
    wrong = np.flatnonzero(ontology.violations(closed))
    if len(wrong) == 0:
        return
    row = int(wrong[0])
    one, other = next(
        (one, other)
        for one, other in ontology.mutex_pairs
        if closed[row, one] and closed[row, other]
    )
    raise ValueError(
        f"row {row} of y is in {ontology.classes[one]!r} and in {ontology.classes[other]!r}, which "
        "exclude each other; correct the row, or take that pair out of the ontology's mutex."
    )
