"""The methods of the paper, as it prints them and as the library has them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.maths import Ontology, assign_labels, directions, sum_members, unit_length
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix
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


def best(scores: FloatArray, ontology: Ontology | None) -> BoolArray:
    """Labels of largest total score: Eq. (3), or with an ontology Eq. (9)."""
    return assign_labels([scores], "sum", ontology=ontology)[0]


def agreeing(scores: Sequence[FloatArray], ontology: Ontology | None) -> list[BoolArray]:
    """Labels by view that score well and differ little: Eq. (7), or with an ontology Eq. (10)."""
    return assign_labels(list(scores), "max_agree", ontology=ontology)


def as_printed(
    assignment: str, scores: Sequence[FloatArray], ontology: Ontology | None = None
) -> list[BoolArray]:
    """Assign as the formulas say: the first class where all are alike, even where all is zero."""
    if assignment == "max_agree":
        return agreeing(scores, ontology)
    if assignment == "cotrain":
        return [best(score, ontology) for score in scores[::-1]]  # the other of two views
    joined = reduce(np.multiply if assignment == "product" else np.add, scores)
    return [best(joined, ontology)] * len(scores)


@dataclass(frozen=True)
class Learnt:
    """Where Algorithm 1 ended: centres and labels by view, and the flips of each round."""

    centres: list[FloatArray]
    labels: list[BoolArray]
    flips: list[int]


def algorithm_1(
    units: Sequence[Matrix],
    seed_sums: Sequence[FloatArray],
    assign: Callable[[Sequence[FloatArray]], list[BoolArray]],
) -> Learnt:
    """Score, assign and centre until no label changes, or until earlier labels come back.

    ``units`` are the unlabelled objects at unit length, ``seed_sums`` the sums of the labelled
    ones by class; both by view.
    """
    centres = first_centres(units, seed_sums)  # line 4
    labels = [np.zeros((units[0].shape[0], len(centre)), dtype=bool) for centre in centres]
    met, flips = {_packed(labels)}, list[int]()
    while len(flips) < MAX_ROUNDS:
        found = assign(scores_of(units, centres))  # lines 7 and 8
        changed = [one != other for one, other in zip(labels, found, strict=True)]
        flips.append(int(np.count_nonzero(reduce(np.logical_or, changed))))
        labels = found
        for view, (unit, own) in enumerate(zip(units, labels, strict=True)):
            sums = seed_sums[view] + sum_members(unit, own)  # line 10
            empty = ~sums.any(axis=1, keepdims=True)
            centres[view] = np.where(empty, centres[view], unit_length(sums))
        if flips[-1] == 0 or _packed(labels) in met:
            break
        met.add(_packed(labels))
    return Learnt(centres, labels, flips)


def first_centres(units: Sequence[Matrix], seed_sums: Sequence[FloatArray]) -> list[FloatArray]:
    """Centre on the labelled objects.

    A class none of whose labelled objects has anything in a view, as in two splits of webkb, starts
    there from the objects that the other views take for it: it would score zero and stay empty.
    """
    labelled = [unit_length(sums) for sums in seed_sums]
    centres = []
    for view, own in enumerate(labelled):
        others = [other for other in range(len(labelled)) if other != view]
        lacking = ~own.any(axis=1)
        if others and lacking.any():
            scores = scores_of([units[v] for v in others], [labelled[v] for v in others])
            total = reduce(np.add, scores)
            taken = (total == total.max(axis=1, keepdims=True)) & (total > 0) & lacking
            own = own + unit_length(sum_members(units[view], taken))
        centres.append(own)
    return centres


def scores_of(units: Sequence[Matrix], centres: Sequence[FloatArray]) -> list[FloatArray]:
    """Cosine of every object (row) with every class (column), by view."""
    return [
        np.asarray(unit @ np.ascontiguousarray(rows.T))
        for unit, rows in zip(units, centres, strict=True)
    ]


def _packed(labels: Sequence[BoolArray]) -> bytes:
    return b"".join(np.packbits(own).tobytes() for own in labels)


def printed_labels(
    method: str, objects: Objects, labelled: BoolArray
) -> tuple[BoolArray, list[int]]:
    """Labels of all objects by the formulas of the paper, and the flips of each round.

    COTRAIN's are those on which the first view is centred, MAXAGREE's the ones decided on in the
    end: those that maximise Eq. (7) or (10) if they have to be equal in both views.
    """
    hierarchical = method.startswith("Hier-")
    plain = method.removeprefix("Hier-")
    ontology = objects.ontology if hierarchical else None
    truth = members(objects, hierarchical=hierarchical)
    matrices = [matrix for _, matrix in views_for(plain, objects.views).items()]
    units = directions(matrices, np.ones((len(truth), len(matrices)), dtype=bool)).units
    seed_sums = [sum_members(unit[labelled], truth[labelled]) for unit in units]
    unlabelled = [unit[~labelled] for unit in units]
    learnt = algorithm_1(
        unlabelled, seed_sums, lambda scores: as_printed(ASSIGNMENTS[plain], scores, ontology)
    )
    found = learnt.labels[0]
    if plain == "MAXAGREE":
        total = reduce(np.add, scores_of(unlabelled, learnt.centres))
        found = (
            best(total, None) if ontology is None else agreeing([total / len(units)], ontology)[0]
        )
    labels = truth.copy()
    labels[~labelled] = found
    return labels, learnt.flips


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
