"""What can be measured of any fitted method: its own account of itself, and labels beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.app.cli._result import Result, kind_of, shown_label
from manyviews.data import Views, split_labelled
from manyviews.metrics import (
    adjusted_rand_score,
    cluster_entropy,
    normalized_mutual_info_score,
)
from manyviews.typing import AnyArray

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


def last_step(model: Any) -> Any:
    """Return the step of a pipeline that gives the answer; other methods are that themselves."""
    steps = getattr(model, "steps", None)
    return steps[-1][1] if isinstance(steps, list) and steps else model


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
        found["training_accuracy_on_labelled"] = float(np.mean(right))
    elif kind_of(model) == "clusterer":
        truth, clusters = known.codes[seen], labels[seen]
        found["normalized_mutual_information"] = normalized_mutual_info_score(truth, clusters)
        found["adjusted_rand_index"] = adjusted_rand_score(truth, clusters)
        found["cluster_entropy_bits"] = cluster_entropy(truth, clusters)
    return found
