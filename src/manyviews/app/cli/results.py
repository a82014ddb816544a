"""Answers of a fitted method as a table, and scores of them.

From the top: labels with probabilities, or coordinates, by object; the method's own account of its
fit, labels beside its answers, and scores on objects that were held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.app.lookup import SettingsError
from manyviews.base import BaseMultiView
from manyviews.data import Views, split_labelled
from manyviews.typing import AnyArray, IntArray, is_sparse

# -- answers ---------------------------------------------------------------------------------------

BLOCK = 1024
"""Rows made dense at a time, which bounds the memory of a wide sparse result. A judgement: 80 MB at
10,000 columns."""


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


# -- scores ----------------------------------------------------------------------------------------

TRAINING_SCORE = "training_accuracy_on_labelled"
"""Named so that nobody takes it for the accuracy on new objects."""

OBJECTIVES = ("inertia_", "lower_bound_")
"""Where scikit-learn's methods keep the value that they improved."""


def scores(
    model: Any,
    views: Views,
    result: Result | None,
    y: AnyArray | None,
    label_names: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Collect what is known after fitting, leaving out what the method does not tell."""
    found: dict[str, Any] = {"n_objects": len(views), **_own_account(model, views)}
    if result is None or result.labels is None:
        return found
    labels, counts = np.unique(result.labels, return_counts=True)
    names = label_names if hasattr(model, "classes_") else ()
    found["label_counts"] = {
        str(shown_label(label, names)): int(count)
        for label, count in zip(labels, counts, strict=True)
    }
    if y is not None:
        found.update(_against(model, result.labels, y))
    return found


def _own_account(model: Any, views: Views) -> dict[str, Any]:
    last = last_step(model)
    found: dict[str, Any] = {}
    history = getattr(last, "objective_history_", None)
    if history is not None and len(history):
        found["objective"] = float(history[-1])
    else:
        found.update({n.strip("_"): getattr(last, n) for n in OBJECTIVES if hasattr(last, n)})
    for name in ("n_iter", "converged", "n_components"):
        if hasattr(last, f"{name}_"):
            value = np.asarray(getattr(last, f"{name}_"))
            found[name] = value.item() if value.size == 1 else value
    if hasattr(last, "view_weights_"):
        found["view_weights"] = _by_view(last.view_weights_, last, views)
    return found


def _by_view(weights: Any, model: Any, views: Views) -> Any:
    if isinstance(weights, dict):
        return weights
    names = getattr(model, "view_names_", views.names)
    values = np.asarray(weights)
    return dict(zip(names, values.tolist(), strict=True)) if len(values) == len(names) else values


def _against(model: Any, labels: AnyArray, y: AnyArray) -> dict[str, Any]:
    from manyviews.metrics import (
        adjusted_rand_score,
        cluster_entropy,
        normalized_mutual_info_score,
    )

    known = split_labelled(y)
    seen = known.labelled
    found: dict[str, Any] = {"n_labelled": int(seen.sum())}
    if not seen.any():
        return found
    if kind_of(model) == "classifier":
        right = [a == b for a, b in zip(labels[seen], np.asarray(y)[seen], strict=True)]
        found[TRAINING_SCORE] = float(np.mean(right))
    elif kind_of(model) == "clusterer":
        truth, clusters = known.codes[seen], labels[seen]
        found["normalized_mutual_information"] = normalized_mutual_info_score(truth, clusters)
        found["adjusted_rand_index"] = adjusted_rand_score(truth, clusters)
        found["cluster_entropy_bits"] = cluster_entropy(truth, clusters)
    return found


def knows_unlabelled(model: Any) -> bool:
    """Whether -1, None and NaN mean to a method that a label is missing."""
    return isinstance(last_step(model), BaseMultiView)


def held_out(
    model: Any, views: Views, y: AnyArray | None, folds: int, seed: int | None
) -> dict[str, dict[str, float]]:
    """Score a method on labelled objects that it has not seen, fold by fold.

    Objects of the fold are left out of the fit altogether; unlabelled ones stay in every fit of a
    method that learns from them, too.
    """
    from sklearn.base import clone

    measures = _measures(model)
    if y is None:
        raise SettingsError("--cv scores against labels and there are none; name them by --labels.")
    known = split_labelled(y).labelled
    found: dict[str, list[float]] = {name: [] for name in measures}
    for test in _folds(model, y, folds, 0 if seed is None else seed):
        train = np.ones(len(views), dtype=bool) if knows_unlabelled(model) else known.copy()
        train[test] = False
        fitted = clone(model, safe=False).fit(views[train], y[train])
        predicted = fitted.predict(views[test])
        for name, measure in measures.items():
            found[name].append(float(measure(y[test], predicted)))
    return {
        f"held_out_{name}": {
            "mean": float(np.mean(values)),
            "sd": float(np.std(values, ddof=1)),
            "folds": folds,
        }
        for name, values in found.items()
    }


def _measures(model: Any) -> dict[str, Callable[[AnyArray, AnyArray], float]]:
    from sklearn import metrics

    match kind_of(model):
        case "classifier":
            return {
                "accuracy": metrics.accuracy_score,
                "balanced_accuracy": metrics.balanced_accuracy_score,
            }
        case "regressor":
            return {"r2": metrics.r2_score}
        case kind:
            raise SettingsError(
                f"--cv scores predictions against labels, and {type(last_step(model)).__name__} is "
                f"a {kind}; leave it out."
            )


def _folds(model: Any, y: AnyArray, folds: int, seed: int) -> Iterator[IntArray]:
    """Yield the labelled objects of each fold, classes in the same shares in each."""
    from sklearn.model_selection import KFold, StratifiedKFold

    labels = split_labelled(y)
    rows = np.flatnonzero(labels.labelled)
    if kind_of(model) == "regressor":
        splits = KFold(folds, shuffle=True, random_state=seed).split(rows)
    else:
        rarest = int(labels.counts.argmin())
        if labels.counts[rarest] < folds:
            raise SettingsError(
                f"the class {labels.classes.tolist()[rarest]!r} has {labels.counts[rarest]} "
                f"labelled objects, too few for {folds} folds; give --cv fewer, or take a "
                "regressor if labels are measurements."
            )
        chosen = StratifiedKFold(folds, shuffle=True, random_state=seed)
        splits = chosen.split(rows, labels.codes[rows])
    return (rows[test] for _, test in splits)
