"""Labels assigned by several views, with and without an ontology of classes [@dalvi2015].

A seed is one split into labelled and unlabelled objects, and for the generated set another draw
of the objects. All objects are learnt from; which of them count in a score is in the caption.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from manyviews.typing import BoolArray, FloatArray
from papers._frame import DataFolder, Measured, Progress
from papers.dalvi2015.tables import (
    FLAT,
    FLIPPING,
    HIERARCHICAL_METHODS,
    METHODS,
    PAPER,
    ROUNDS,
    average_ranks,
    correlations,
    counts_ahead,
    improvements,
)

__all__ = ["PAPER", "run"]

FROM_MEANS = "Computed once, from the means over all seeds."

Cell = Callable[[str, int, str], list[float]]


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table, a row and a seed at a time."""
    for name in PAPER.table(table).data:
        data.path(name)  # so that it is known to be used, and missed at once
    folder = str(data.root)
    if table in ROWS:
        return Measured(_by_row(table, ROWS[table], seeds, folder, progress))
    if table == "figure-7":
        macro = _by_row("2", ROWS["2"], seeds, folder, progress)
        return Measured(np.stack([improvements(layer) for layer in macro]))
    layer, notes = _from_means(table, seeds, folder, progress)
    return Measured(np.repeat(layer[None], len(seeds), axis=0), notes)


def _from_means(
    table: str, seeds: range, folder: str, progress: Progress
) -> tuple[FloatArray, tuple[str, ...]]:
    """What is computed once, from the means over all seeds."""
    macro, micro = (
        _by_row(key, ROWS[key], seeds, folder, progress).mean(axis=0) for key in ("2", "2-micro")
    )
    if table == "2-rank":
        return average_ranks(macro, micro)[None], (FROM_MEANS,)
    if table == "figure-6":
        return counts_ahead(macro), (FROM_MEANS,)
    same = correlations(np.array(list(FLAT.values())))[:, 0]
    told = ", ".join(f"{value:.2f}" for value in same)
    note = f"The published scores of these ten cases alone correlate by {told}."
    return correlations(macro), (FROM_MEANS, note)


def _flat(measure: str, *, library: bool = False) -> Cell:
    def row(case: str, seed: int, folder: str) -> list[float]:
        split = flat_split(case, seed, folder, library=library)
        return split.row(measure, METHODS)

    return row


def _hierarchical(name: str, measure: str) -> Cell:
    def row(percentage: str, seed: int, folder: str) -> list[float]:
        split: Split = hierarchical_split(name, percentage, seed, folder)
        return split.row(measure, HIERARCHICAL_METHODS)

    return row


def _flat_agreement(case: str, seed: int, folder: str) -> list[float]:
    return [flat_split(case, seed, folder).agreement]


def _hierarchical_agreement(percentage: str, seed: int, folder: str) -> list[float]:
    return [
        hierarchical_split(name, percentage, seed, folder).agreement
        for name in ("generated", "entities")
    ]


def _flips(number: str, seed: int, folder: str) -> list[float]:
    """Labels changed in one round; none after the last."""
    changed = [(*flips(method, seed, folder), *(0,) * len(ROUNDS)) for method in FLIPPING]
    return [float(each[int(number) - 1]) for each in changed]


ROWS: dict[str, Cell] = {
    "2": _flat("macro"),
    "2-unlabelled": _flat("unlabelled macro"),
    "2-library": _flat("macro", library=True),
    "2-micro": _flat("micro"),
    "2-agreement": _flat_agreement,
    "readings": _flat("macro"),
    "4": _hierarchical("generated", "macro"),
    "4-micro": _hierarchical("generated", "micro"),
    "4-agreement": _hierarchical_agreement,
    "4-entities": _hierarchical("entities", "macro"),
    "4-entities-micro": _hierarchical("entities", "micro"),
    "figure-11b": _flips,
}


def _by_row(table: str, row_of: Cell, seeds: range, folder: str, progress: Progress) -> FloatArray:
    """Seeds × rows × columns."""
    rows = PAPER.table(table).rows
    values = []
    for place, row in enumerate(rows):
        for number, seed in enumerate(seeds):
            progress(place * len(seeds) + number, len(rows) * len(seeds), f"{table} {row}")
            values.append(row_of(row, seed, folder))
    progress(len(rows) * len(seeds), len(rows) * len(seeds))
    return np.array(values).reshape(len(rows), len(seeds), -1).transpose(1, 0, 2)


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
    return _measured(objects, labelled, METHODS, library=library)


@cache
def hierarchical_split(name: str, percentage: str, seed: int, folder: str) -> Split:
    """All methods of Table 4 on the generated set or on the entities."""
    methods = ("V1", "V2", *HIERARCHICAL_METHODS)
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
