"""The rows of every table for one seed, from what the subsets' classifiers say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manyviews.typing import FloatArray
from papers.okun2005.evidence import evidence, ways
from papers.okun2005.tables import (
    COMBINE,
    COMPARABLE,
    DIGITS,
    FOLDS,
    SIX,
    SIZES,
    STEPS,
)

DIVERSE, OFTEN, SMALL = 10.0, 0.5, 1.0
"""Points between the members' errors that are diverse; a share that is often; a small gain."""

Layer = tuple[list[list[float]], tuple[str, ...]]
"""Rows of one seed, and what is to be said of it."""


def _steps(data: str, *, clean: bool = False) -> Callable[[int, str], Layer]:
    """Table 1: test error of the ensemble, and leave-one-out error of who joined."""

    def layer(seed: int, folder: str) -> Layer:
        found = evidence(data, seed, folder)
        found = found.clean() if clean else found
        values: FloatArray = np.full((len(STEPS), 4 * len(COMBINE)), np.nan)
        notes = []
        for place, combine in enumerate(COMBINE):
            on_test = found.chosen_on_test(combine).chosen
            held_out = found.chosen_held_out(combine, seed)
            for start, chosen in ((2 * place, on_test), (2 * (place + len(COMBINE)), held_out)):
                values[: len(chosen), start] = found.staged_errors(combine, chosen)
                values[: len(chosen), start + 1] = found.left_out[chosen]
            drawn = "" if data != DIGITS else f", seed {seed}"
            notes.append(f"Chosen on the test set by {combine}{drawn}: {found.named(on_test)}.")
            notes.append(
                f"Chosen on held-out objects by {combine}, seed {seed}: {found.named(held_out)}."
            )
        return values.tolist(), tuple(notes)

    return layer


def _numbers(seed: int, folder: str) -> Layer:
    columns = []
    for data, clean in ((FOLDS, False), (FOLDS, True), (SIX, False)):
        found = evidence(data, seed, folder)
        found = found.clean() if clean else found
        for combine in COMBINE:
            chosen = found.chosen_on_test(combine)
            best, last = float(found.singles.min()), float(chosen.history[-1])
            errors = found.left_out[chosen.chosen]
            lowest = float(found.left_out.min())
            n_members, spread = float(len(errors)), float(np.ptp(errors))
            columns.append([best, last, best - last, lowest, n_members, spread])
    return np.array(columns).T.tolist(), ()


def _subsets(seed: int, folder: str) -> Layer:
    found = evidence(FOLDS, seed, folder)
    clean = found.clean()
    by_letters = {frozenset(name): place for place, name in enumerate(found.names)}
    places = [by_letters[frozenset(name)] for name in COMPARABLE]
    rows = [
        [float(values[place]) for values in (found.left_out, found.singles, clean.singles)]
        for place in places
    ]
    return rows, ()


def _selection(seed: int, folder: str) -> Layer:
    columns: list[list[float]] = []
    for data, clean in ((FOLDS, False), (FOLDS, True), (SIX, False), (DIGITS, False)):
        found = evidence(data, seed, folder)
        found = found.clean() if clean else found
        columns.extend(ways(found, combine, seed) for combine in COMBINE)
    return np.array(columns).T.tolist(), ()


def _segments(seed: int, folder: str) -> Layer:
    rows = []
    for size in SIZES:
        cells: list[float] = []
        for data in (FOLDS, SIX):
            for combine in COMBINE:
                gains = evidence(data, seed, folder).segments(combine, size)
                cells += [float(100 * (gains > 0).mean()), float(gains.mean()), float(gains.max())]
        rows.append(cells)
    return rows, ()


def _claims(seed: int, folder: str) -> Layer:
    columns = []
    for data in (FOLDS, SIX):
        found = evidence(data, seed, folder)
        for combine in COMBINE:
            chosen = found.chosen_on_test(combine)
            gains = np.concatenate([found.segments(combine, size) for size in SIZES])
            columns.append(
                [
                    float(chosen.history[-1] < found.singles.min()),
                    float(np.ptp(found.left_out[chosen.chosen]) > DIVERSE),
                    float((gains <= 0).any()),
                    float((gains < SMALL).mean() > OFTEN),
                ]
            )
    return np.array(columns).T.tolist(), ()


LAYERS: dict[str, Callable[[int, str], Layer]] = {
    "1": _steps(FOLDS),
    "1-clean": _steps(FOLDS, clean=True),
    "1-six": _steps(SIX),
    "1-mfeat": _steps(DIGITS),
    "numbers": _numbers,
    "subsets": _subsets,
    "selection": _selection,
    "segments": _segments,
    "claims": _claims,
}
"""What measures each table for one seed."""
