"""The methods of the paper, as it prints them and as the library has them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.typing import BoolArray, FloatArray, IntArray
from papers.dalvi2015.sets import Objects

ASSIGNMENTS: dict[str, Any] = {
    "V1": "sum",
    "V2": "sum",
    "V12": "sum",
    "COTRAIN": "cotrain",
    "PRODSCORE": "product",
    "SUMSCORE": "sum",
    "MAXAGREE": "max_agree",
}
MAX_ROUNDS = 50


def views_for(method: str, views: Views) -> Views:
    """One view, both side by side, or both."""
    if method in ("V1", "V2"):
        return views.subset(["first" if method == "V1" else "second"])
    return Views({"both": views.concatenate()}) if method == "V12" else views


def as_printed(rule: Any, scores: Sequence[FloatArray], shares: FloatArray) -> list[BoolArray]:
    """Assign as the formulas say: the first class where all are alike, even where all is zero."""
    del shares
    if rule.method == "max_agree":
        return list(rule.agreeing(scores))
    if rule.method == "cotrain":
        return [rule.best(score) for score in scores[::-1]]  # the other of two views
    joined = reduce(np.multiply if rule.method == "product" else np.add, scores)
    return [rule.best(joined)] * len(scores)


def printed_labels(
    method: str, objects: Objects, labelled: BoolArray
) -> tuple[BoolArray, list[int]]:
    """Labels of all objects by the formulas of the paper, and the flips of each round.

    COTRAIN's are those on which the first view is centred, MAXAGREE's the ones decided on in the
    end.
    """
    from manyviews.semi_supervised._seeded._assignment import Rule, decide
    from manyviews.semi_supervised._seeded._rounds import Seeds, learn, pose, scores_of

    hierarchical = method.startswith("Hier-")
    plain = method.removeprefix("Hier-")
    rule = Rule(ASSIGNMENTS[plain], objects.ontology if hierarchical else None)
    truth = members(objects, hierarchical=hierarchical)
    views = views_for(plain, objects.views)
    alike = dict.fromkeys(views.names, 1.0)
    problem = pose(views, Seeds(truth & labelled[:, None], labelled), alike)
    learnt = learn(problem, partial(as_printed, rule), max_iter=MAX_ROUNDS)
    found = learnt.last.bits[0]
    if plain == "MAXAGREE":
        scores = scores_of(problem.unlabelled.units, learnt.last.centres)
        found = decide(rule, scores, np.ones_like(problem.shares))
    labels = truth.copy()
    labels[~labelled] = found
    return labels, list(learnt.flips)


def library_labels(method: str, objects: Objects, labelled: BoolArray) -> BoolArray:
    """Labels of all objects by the estimator."""
    from sklearn.exceptions import ConvergenceWarning

    from manyviews.semi_supervised import SeededSphericalKMeans

    hierarchical = method.startswith("Hier-")
    plain = method.removeprefix("Hier-")
    truth = members(objects, hierarchical=hierarchical)
    y = (
        np.where(labelled[:, None], truth, -1)
        if hierarchical
        else np.where(labelled, objects.classes, -1)
    )
    model = SeededSphericalKMeans(
        ASSIGNMENTS[plain],
        ontology=objects.ontology if hierarchical else None,
        view_weights=None,
        max_iter=MAX_ROUNDS,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a run that goes on is a run
        model.fit(views_for(plain, objects.views), y)
    found = np.asarray(model.transduction_)
    return found.astype(bool) if hierarchical else one_hot(found, objects.n_classes)


def members(objects: Objects, *, hierarchical: bool) -> BoolArray:
    """True labels: one of the classes, or with the ontology all that contain it."""
    if not hierarchical or objects.ontology is None:
        return one_hot(objects.classes, objects.n_classes)
    leaves = objects.ontology.leaves
    return objects.ontology.closure(
        objects.ontology.indicator([[leaves[code]] for code in objects.classes])
    )


def on_leaves(objects: Objects, labels: BoolArray) -> BoolArray:
    """Columns of the leaves only."""
    if objects.ontology is None or labels.shape[1] == objects.n_classes:
        return labels
    places = [objects.ontology.classes.index(leaf) for leaf in objects.ontology.leaves]
    return labels[:, places[: objects.n_classes]]


def one_hot(codes: IntArray, n_classes: int) -> BoolArray:
    """Write classes as an indicator matrix."""
    return np.asarray(codes[:, None] == np.arange(n_classes))


def f1_scores(
    objects: Objects, labels: BoolArray, rows: BoolArray | None = None
) -> dict[str, float]:
    """Macro and micro F1 in per cent, over the leaves of an ontology, of all or some objects."""
    truth, found = one_hot(objects.classes, objects.n_classes), on_leaves(objects, labels)
    return f1_of(truth, found) if rows is None else f1_of(truth[rows], found[rows])


def f1_of(truth: BoolArray, found: BoolArray) -> dict[str, float]:
    """F1 of each class, averaged, and F1 of all decisions."""
    hits = (truth & found).sum(axis=0)
    total = truth.sum(axis=0) + found.sum(axis=0)
    each = np.divide(2.0 * hits, total, out=np.zeros(len(hits)), where=total > 0)
    return {
        "macro": 100.0 * float(each.mean()),
        "micro": 100.0 * float(2.0 * hits.sum() / max(total.sum(), 1)),
    }
