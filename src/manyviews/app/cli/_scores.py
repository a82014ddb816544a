"""What can be measured of any fitted method: its own account of itself, and labels beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from manyviews.app.cli._result import Result, kind_of, last_step, shown_label
from manyviews.app.lookup import SettingsError
from manyviews.base import BaseMultiView
from manyviews.data import Views, split_labelled
from manyviews.metrics import (
    adjusted_rand_score,
    cluster_entropy,
    normalized_mutual_info_score,
)
from manyviews.typing import AnyArray, IntArray

TRAINING_SCORE = "training_accuracy_on_labelled"
"""What nobody should take for the accuracy on new objects."""

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
