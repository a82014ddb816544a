"""Scores, weights and methods as users give them, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from manyviews.maths._ontology import Ontology
from manyviews.typing import FloatArray

Method = Literal["sum", "product", "max_agree"]
Solver = Literal["auto", "exact", "milp"]

MOST_VIEWS = 62  # the bits of a class are kept in one integer


def read_method(method: str) -> None:
    """Refuse what is not a way to assign labels."""
    if method == "cotrain":
        raise ValueError(
            "'cotrain' is no assignment of labels but a way to move centroids; use it as the "
            "assignment of SeededSphericalKMeans."
        )
    if method not in ("sum", "product", "max_agree"):
        raise ValueError(f"method should be 'sum', 'product' or 'max_agree', not {method!r}.")


def read_solver(solver: str) -> None:
    """Refuse an unknown solver."""
    if solver not in ("auto", "exact", "milp"):
        raise ValueError(f"solver should be 'auto', 'exact' or 'milp', not {solver!r}.")


def read_ontology(ontology: Any) -> Ontology | None:
    """Read an ontology, or none."""
    return None if ontology is None else Ontology.read(ontology)


def read_alpha(alpha: Sequence[float]) -> tuple[float, float, float]:
    """Read the weights of scores, disagreement and broken constraints."""
    weights = np.asarray(alpha, dtype=float)
    if weights.shape != (3,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            f"alpha should be three numbers that are not negative, not {alpha!r}: the weights of "
            "scores, of disagreement and of broken constraints."
        )
    return float(weights[0]), float(weights[1]), float(weights[2])


def read_scores(scores: Sequence[Any], ontology: Ontology | None) -> FloatArray:
    """Stack the scores of the views, shape (n_views, n_objects, n_classes)."""
    arrays = [np.asarray(each, dtype=float) for each in scores]
    if not arrays:
        raise ValueError("scores is empty; give one array per view.")
    if len(arrays) > MOST_VIEWS:
        raise ValueError(f"There are {len(arrays)} views; give at most {MOST_VIEWS}.")
    for view, array in enumerate(arrays):
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(
                f"The scores of view {view} have shape {array.shape}; give one row per object and "
                "one column per class."
            )
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"The scores of view {view} have shape {array.shape}, those of view 0 "
                f"{arrays[0].shape}; give all views the same objects and classes."
            )
        bad = ~np.isfinite(array).all(axis=1)
        if bad.any():
            raise ValueError(
                f"The scores of view {view} are not finite in row {bad.argmax()}; leave out views "
                "that an object does not have."
            )
    if ontology is not None and arrays[0].shape[1] != len(ontology):
        raise ValueError(
            f"The scores have {arrays[0].shape[1]} columns but the ontology has {len(ontology)} "
            "classes; give one column per class, in the order of ontology.classes."
        )
    return np.stack(arrays)


def combined(scores: FloatArray, method: Method) -> FloatArray:
    """Return the effective score of SUMSCORE (Eq. 4) or PRODSCORE (Eq. 5)."""
    together: FloatArray = scores.sum(axis=0) if method == "sum" else scores.prod(axis=0)
    return together
