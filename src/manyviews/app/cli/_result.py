"""What a fitted method says of objects, as a table: labels with probabilities, or coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.typing import AnyArray, is_sparse

BLOCK = 1024
"""Rows made dense at a time."""


@dataclass(frozen=True)
class Result:
    """One row per object: a label and probabilities, or coordinates."""

    kind: str
    """"labels", "predictions" or "coordinates"; the name of the file."""
    columns: tuple[str, ...]
    labels: AnyArray | None = None
    matrix: Any = None
    """Dense, CSR or views: probabilities beside the labels, or the coordinates."""

    def rows(self, ids: Sequence[Any], label_names: Sequence[str] = ()) -> Iterator[list[Any]]:
        """Yield the rows, beginning with the id."""
        for start in range(0, len(ids), BLOCK):
            block = slice(start, min(start + BLOCK, len(ids)))
            numbers = None if self.matrix is None else _dense(self.matrix, block).tolist()
            for position in range(block.start, block.stop):
                row = [ids[position]]
                values = [] if numbers is None else numbers[position - start]
                if self.labels is not None:
                    row.append(shown_label(self.labels[position], label_names))
                    row += [max(values)] if values else []
                yield row + values


def _dense(matrix: Any, rows: slice) -> AnyArray:
    """Return some rows as a dense array, NaN where a view is unobserved."""
    block = matrix[rows]
    return np.asarray(block.toarray() if is_sparse(block) else block)


def shown_label(label: Any, label_names: Sequence[str]) -> Any:
    """Return the name that an integer label stands for, or the label itself."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(label_names):
        return label_names[value]
    return value


def kind_of(model: Any) -> str:
    """Say what a method is, as scikit-learn's tags have it."""
    from sklearn.utils import get_tags

    kind = get_tags(model).estimator_type if hasattr(model, "__sklearn_tags__") else None
    if kind is None and hasattr(model, "transform"):
        return "transformer"
    return kind or "method"


def last_step(model: Any) -> Any:
    """Return the step of a pipeline that gives the answer; other methods are that themselves."""
    steps = getattr(model, "steps", None)
    return last_step(steps[-1][1]) if isinstance(steps, list) and steps else model


def fitted_result(model: Any, views: Views, label_names: Sequence[str] = ()) -> Result | None:
    """Say what a method found in the objects it was fitted to; None if it says nothing of them."""
    answering = last_step(model)  # a pipeline does not hand on what its clusterer found
    if kind_of(model) == "clusterer" and hasattr(answering, "labels_"):
        proba = model.predict_proba(views) if hasattr(model, "predict_proba") else None
        return _labelled(answering.labels_, proba, model, label_names)
    if any(hasattr(model, name) for name in ("predict", "transform")):
        return new_result(model, views, label_names)
    if hasattr(model, "embedding_"):
        return _coordinates(model, model.embedding_)
    return None


def new_result(model: Any, views: Views, label_names: Sequence[str] = ()) -> Result:
    """Say what a fitted method makes of new objects: by ``predict``, else by ``transform``."""
    if hasattr(model, "predict"):
        found = np.asarray(model.predict(views))
        if kind_of(model) == "regressor" or found.ndim > 1:
            return _predictions(found)
        proba = model.predict_proba(views) if hasattr(model, "predict_proba") else None
        return _labelled(found, proba, model, label_names)
    if hasattr(model, "transform"):
        return _coordinates(model, model.transform(views))
    raise ValueError(
        f"{type(model).__name__} has neither predict nor transform and says nothing of new "
        "objects; fit it to all objects together."
    )


def _labelled(labels: Any, proba: Any, model: Any, label_names: Sequence[str]) -> Result:
    labels = np.asarray(labels)
    if proba is None:
        return Result("labels", ("id", "label"), labels)
    proba = np.asarray(proba)
    names = [f"probability_{name}" for name in _outcomes(proba, model, label_names)]
    return Result("labels", ("id", "label", "confidence", *names), labels, proba)


def _outcomes(proba: AnyArray, model: Any, label_names: Sequence[str]) -> list[Any]:
    """Names of classes, or numbers where the columns are components and not classes."""
    numbers = np.arange(proba.shape[1])
    classes = getattr(model, "classes_", numbers)
    if len(classes) != len(numbers):
        return numbers.tolist()
    return [shown_label(label, label_names) for label in classes]


def _predictions(found: AnyArray) -> Result:
    if found.ndim == 1:
        return Result("predictions", ("id", "prediction"), matrix=found[:, np.newaxis])
    names = [f"prediction{i}" for i in range(found.shape[1])]
    return Result("predictions", ("id", *names), matrix=found)


def _coordinates(model: Any, found: Any) -> Result:
    if isinstance(found, Views):
        names = found.layout.column_names().tolist()
        return Result("coordinates", ("id", *names), matrix=found)
    matrix = found if is_sparse(found) else np.asarray(found)
    if matrix.ndim == 1:
        matrix = matrix[:, np.newaxis]
    return Result("coordinates", ("id", *_column_names(model, matrix.shape[1])), matrix=matrix)


def _column_names(model: Any, width: int) -> list[str]:
    if hasattr(model, "get_feature_names_out"):
        try:
            names = [str(name) for name in model.get_feature_names_out()]
        except (AttributeError, ValueError, TypeError):  # a pipeline with a step that has no names
            names = []
        if len(names) == width:
            return names
    return [f"component{i}" for i in range(width)]
