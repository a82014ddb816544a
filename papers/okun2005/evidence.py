"""Every subset's classifier, trained once, and what ensembles of them do on the test objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.ensemble import HyperplaneKNN
from manyviews.ensemble._subsets._candidates import (
    Candidates,
    error_on,
    hold_out,
    left_out_error,
    train_candidates,
)
from manyviews.ensemble._subsets._members import Member, Training
from manyviews.ensemble._subsets._names import all_subsets
from manyviews.ensemble._subsets._panel import Panel, Rule, Said
from manyviews.ensemble._subsets._parameters import Combine
from manyviews.ensemble._subsets._selection import Selection, alike, by_error, draw, forward
from manyviews.maths import generator
from manyviews.typing import BoolArray, FloatArray, IntArray
from papers.okun2005.tables import DIGITS, FOLDS, MOST, SIX

LETTERS = {
    FOLDS: dict(zip(("composition", "hydrophobicity", "volume"), "CHV", strict=True))
    | {"polarity": "P", "polarizability": "Z"},
    SIX: {letter: letter for letter in "CSHVPZ"},
    DIGITS: {name: name for name in ("fou", "fac", "kar", "pix", "zer", "mor")},
}
"""The views of each data set, and what they are called in a subset."""
N_DIGITS = 500
"""Digits to train on; the others are tested."""
VALIDATION = 0.25


@dataclass(frozen=True)
class Split:
    """Objects to train on and to test, and which test objects also stand among the former."""

    views: Views
    codes: IntArray
    test: Views
    truth: IntArray
    repeated: BoolArray


@dataclass(frozen=True)
class Evidence:
    """What the classifiers of all subsets say of the test objects."""

    data: str
    folder: str
    names: tuple[str, ...]
    split: Split
    candidates: Candidates
    said: Said
    truth: IntArray

    def clean(self) -> Evidence:
        """The same without the test objects that stand in the training set."""
        kept = np.flatnonzero(~self.split.repeated)
        assert self.said.codes is not None
        said = Said(self.said.codes[kept], None, self.said.n_observations)
        return replace(self, said=said, truth=self.truth[kept])

    @cached_property
    def singles(self) -> FloatArray:
        """Test error of each subset's classifier by itself, in per cent."""
        assert self.said.codes is not None
        return np.asarray(100.0 * (self.said.codes != self.truth[:, None]).mean(axis=0))

    @property
    def left_out(self) -> FloatArray:
        """Leave-one-out error of each, in per cent."""
        return 100.0 * self.candidates.errors

    def error(self, combine: Combine, columns: IntArray) -> float:
        """Test error of an ensemble, in per cent."""
        memory = self.candidates.memory.of(columns)
        joint = Rule(combine, 0.01)(self.said.of(columns), memory)
        return float(100.0 * np.mean(joint.argmax(axis=1) != self.truth))

    def staged_errors(self, combine: Combine, columns: IntArray) -> list[float]:
        """Test error after each addition."""
        return [self.error(combine, columns[:n]) for n in range(1, len(columns) + 1)]

    def chosen_on_test(self, combine: Combine) -> Selection:
        """Choose as the paper's Table 1 does, by the error on the test objects themselves."""
        known = self.candidates
        return forward(known.errors, known.sizes, MOST, lambda rows: self.error(combine, rows))

    def chosen_left_out(self, combine: Combine) -> Selection:
        """Choose by the left-out error of the ensemble on the training objects."""
        known = self.candidates
        error_of = left_out_error(known, Rule(combine, 0.01))
        return forward(known.errors, known.sizes, MOST, error_of)

    def chosen_held_out(self, combine: Combine, seed: int) -> IntArray:
        """Choose on a quarter of the training objects that the candidates have not seen."""
        candidates, held = held_out(self.data, seed, self.folder)
        test, truth = self.split.views[held], self.split.codes[held]
        error_of = error_on(candidates, Rule(combine, 0.01), test, truth)
        return forward(candidates.errors, candidates.sizes, MOST, error_of).chosen

    def segments(self, combine: Combine, size: int) -> FloatArray:
        """What each run of subsets with similar leave-one-out errors gains on its best."""
        order = by_error(self.candidates.errors, self.candidates.sizes)
        runs = [order[start : start + size] for start in range(len(order) - size + 1)]
        return np.array([self.singles[run].min() - self.error(combine, run) for run in runs])

    def named(self, columns: Sequence[int] | IntArray) -> str:
        """The subsets chosen, in their order."""
        return ", ".join(self.names[column] for column in columns)


def ways(evidence: Evidence, combine: Combine, seed: int) -> list[float]:
    """Test errors of the ways to choose, in the order of the table."""
    known, rng = evidence.candidates, generator(seed)
    first = by_error(known.errors, known.sizes)[0]
    drawn = draw(len(known.members), MOST, rng).chosen
    near = alike(known.errors, known.sizes, known.n_judged, MOST).chosen
    chosen = (
        drawn,
        near,
        evidence.chosen_held_out(combine, seed),
        evidence.chosen_left_out(combine).chosen,
        np.arange(len(known.members)),
        evidence.chosen_on_test(combine).chosen,
    )
    singles = evidence.singles
    errors = [evidence.error(combine, columns) for columns in chosen]
    return [float(singles[first]), float(singles[-1]), *errors, float(singles.min())]


def evidence(data: str, seed: int, folder: str) -> Evidence:
    """Train all subsets of one data set and ask them about its test objects, once per split."""
    return _evidence(data, seed if data == DIGITS else 0, folder)


@cache
def _evidence(data: str, seed: int, folder: str) -> Evidence:
    split = SPLITS[data](seed, folder)
    candidates = _train(split.views, split.codes, split)
    members = candidates.members
    panel = Panel([m.subset for m in members], [m.estimator for m in members], len(members))
    letters = LETTERS[data]
    joint = "" if max(map(len, letters.values())) == 1 else "+"
    return Evidence(
        data,
        folder,
        tuple(joint.join(letters[name] for name in member.subset) for member in members),
        split,
        candidates,
        panel.ask(split.test, candidates.n_classes, shares=False),
        split.truth,
    )


@cache
def held_out(data: str, seed: int, folder: str) -> tuple[Candidates, IntArray]:
    """Candidates trained on three quarters of the training objects, and the rows held out."""
    split = evidence(data, seed, folder).split
    train, held = hold_out(split.codes, VALIDATION, generator(seed))
    return _train(split.views[train], split.codes[train], split), held


def _train(views: Views, codes: IntArray, split: Split) -> Candidates:
    n_classes = int(max(split.codes.max(), split.truth.max())) + 1
    paper = HyperplaneKNN("loo", "loo", standardize=True, hyperplanes="joint")
    way = Training(paper, None, None, n_classes, needs_all=True)
    return train_candidates(views, codes, all_subsets(views.names), way, _say_nothing)


def _say_nothing(member: Member) -> None:
    """Train in silence."""


def _folds(seed: int, folder: str) -> Split:  # noqa: ARG001 (the split is given)
    from manyviews.datasets import load_protein_fold_seq

    return _given_split(load_protein_fold_seq(data_home=folder), tuple(LETTERS[FOLDS]))


def _six(seed: int, folder: str) -> Split:  # noqa: ARG001 (the split is given)
    from manyviews.datasets import load_protein_fold12

    return _given_split(load_protein_fold12(data_home=folder), tuple(LETTERS[SIX]))


def _given_split(found: Dataset, names: tuple[str, ...]) -> Split:
    test = found.extra["test"].astype(bool)
    repeated = found.extra["test_in_train"].astype(bool)
    views, y = found.views.subset(names), np.asarray(found.y)
    return Split(views[~test], y[~test], views[test], y[test], repeated[test])


def _digits(seed: int, folder: str) -> Split:
    from manyviews.datasets import load_mfeat

    found = load_mfeat(data_home=folder)
    views, y = found.views, np.asarray(found.y)
    train, test = hold_out(y, 1 - N_DIGITS / len(y), generator(seed))
    nothing = np.zeros(len(test), dtype=bool)
    return Split(views[train], y[train], views[test], y[test], nothing)


SPLITS = {FOLDS: _folds, SIX: _six, DIGITS: _digits}
