"""The value of an assignment of labels: what the methods maximise (Eq. 3, 7 to 10) [@dalvi2015]."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from manyviews.maths._assignment._reading import (
    Method,
    combined,
    read_alpha,
    read_method,
    read_ontology,
    read_scores,
)
from manyviews.maths._ontology import Ontology
from manyviews.typing import BoolArray, FloatArray


def assignment_value(
    scores: Sequence[Any],
    assignment: Sequence[Any],
    method: Method = "max_agree",
    ontology: Any = None,
    alpha: Sequence[float] = (0.5, 0.1, 1.0),
) -> FloatArray:
    """Return what an assignment of labels is worth, object by object.

    Parameters
    ----------
    scores, method, ontology, alpha
        As for :func:`assign_labels`.
    assignment : sequence of bool arrays of shape (n_objects, n_classes), one per view
        Which labels each object has in each view.

    Returns
    -------
    array of shape (n_objects,)
        The value; minus infinity where "sum" or "product" without an ontology have not exactly one
        label, or where their views differ.

    Examples
    --------
    >>> scores = [[[0.9, 0.1]], [[0.2, 0.6]]]
    >>> assignment_value(scores, [[[True, False]], [[False, True]]]).round(2)
    array([0.55])
    """
    read_method(method)
    hierarchy = read_ontology(ontology)
    stacked = read_scores(scores, hierarchy)
    bits = np.stack([np.asarray(each, dtype=bool) for each in assignment])
    if bits.shape != stacked.shape:
        raise ValueError(
            f"The assignment has shape {bits.shape}, the scores have {stacked.shape} (views, "
            "objects, classes); give one array per view, shaped as its scores."
        )
    if method == "max_agree":
        return _agreeing_value(stacked, bits, hierarchy, read_alpha(alpha))
    value = (bits[0] * combined(stacked, method)).sum(axis=1)
    if hierarchy is not None:
        value = value - hierarchy.violations(bits[0])  # Eq. (9)
    else:
        value = np.where(bits[0].sum(axis=1) == 1, value, -np.inf)  # Eq. (3)
    return np.where((bits == bits[0]).all(axis=(0, 2)), value, -np.inf)


def _agreeing_value(
    scores: FloatArray, bits: BoolArray, ontology: Ontology | None, alpha: tuple[float, ...]
) -> FloatArray:
    gain = (scores * bits).sum(axis=(0, 2))
    differing = sum(
        ((one != other).sum(axis=1) for one, other in combinations(bits, 2)),
        start=np.zeros(bits.shape[1]),
    )
    if ontology is None:
        broken = np.abs(bits.sum(axis=2) - 1).sum(axis=0)  # ζ and δ, Eq. (7), (8)
    else:
        broken = sum(ontology.violations(view) for view in bits)  # ζ and δ, Eq. (10)
    value: FloatArray = alpha[0] * gain - alpha[1] * differing - alpha[2] * broken
    return value
