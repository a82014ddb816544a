"""One split at a time: all methods on one set of objects, measured in every way the tables need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from manyviews.typing import BoolArray
from papers.dalvi2015 import published


@dataclass(frozen=True)
class Split:
    """What one split gave, by method and measure."""

    scores: dict[str, dict[str, float]]
    agreement: float
    """Share of objects on whose labels V1 and V2 agree."""

    def row(self, measure: str, methods: tuple[str, ...]) -> list[float]:
        """One number per method."""
        return [self.scores[method][measure] for method in methods]


@cache
def flat_split(case: str, seed: int, folder: str, *, library: bool = False) -> Split:
    """All methods of Table 2 on a case such as "cora 10%" or "cora 10%, citing"."""
    from papers.dalvi2015.sets import flat_set

    named, _, reading = case.partition(", ")
    name, percentage = named.split()
    objects = flat_set(name, folder, "" if reading == "stratified" else reading)
    labelled = objects.labelled(
        float(percentage.rstrip("%")), seed, stratified="stratified" in reading
    )
    return _measured(objects, labelled, published.METHODS, library=library)


@cache
def hierarchical_split(name: str, percentage: str, seed: int, folder: str) -> Split:
    """All methods of Table 4 on the generated set or on the entities."""
    methods = ("V1", "V2", *published.HIERARCHICAL_METHODS)
    objects = _hierarchical_set(name, seed, folder)
    return _measured(objects, objects.labelled(float(percentage), seed), methods)


@cache
def flips(method: str, seed: int, folder: str) -> tuple[int, ...]:
    """How many labels each round changes on the generated set with 30 % labelled."""
    from papers.dalvi2015.methods import printed_labels

    objects = _hierarchical_set("generated", seed, folder)
    return tuple(printed_labels(method, objects, objects.labelled(30, seed))[1])


def _hierarchical_set(name: str, seed: int, folder: str) -> Any:
    from papers.dalvi2015.sets import entities, generated

    return generated(seed) if name == "generated" else entities(folder)


def _measured(
    objects: Any, labelled: BoolArray, methods: tuple[str, ...], *, library: bool = False
) -> Split:
    from papers.dalvi2015 import methods as _methods

    labels, scores = {}, {}
    for method in methods:
        labels[method] = (
            _methods.library_labels(method, objects, labelled)
            if library
            else _methods.printed_labels(method, objects, labelled)[0]
        )
        scores[method] = _methods.f1_scores(objects, labels[method])
        unseen = _methods.f1_scores(objects, labels[method], rows=~labelled)
        scores[method] |= {f"unlabelled {measure}": value for measure, value in unseen.items()}
    same = (labels["V1"] == labels["V2"]).all(axis=1)
    return Split(scores, float(np.mean(same)))
