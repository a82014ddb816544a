"""Every subset's classifier, trained once, and what ensembles of them do on the test objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.ensemble import (
    HyperplaneKNN,
    Selection,
    ViewSubsetEnsemble,
    forward_selection,
    nearest_counts,
    one_standard_error_selection,
    vote_counts,
)
from manyviews.maths import generator
from manyviews.typing import BoolArray, FloatArray, IntArray
from papers.okun2005.tables import DIGITS, FOLDS, MOST, SIX

Combine: TypeAlias = Literal["crv", "vote"]

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
class Candidates:
    """The classifier of every subset, and what it says of training objects when left out."""

    subsets: list[list[str]]
    estimators: list[Any]
    classes: IntArray
    left_out: IntArray
    """Objects × subsets."""
    codes: IntArray
    """The true classes of the training objects."""

    @cached_property
    def errors(self) -> FloatArray:
        """Leave-one-out error of each."""
        return np.asarray((self.left_out != self.codes[:, None]).mean(axis=0))

    @property
    def sizes(self) -> IntArray:
        """Number of views of each."""
        return np.array([len(subset) for subset in self.subsets])

    @property
    def by_error(self) -> IntArray:
        """Positions from the lowest error up; of equal ones, that of fewer views first."""
        return np.lexsort((np.arange(len(self.errors)), self.sizes, self.errors))

    def ask(self, views: Views) -> IntArray:
        """What each says of new objects, objects × subsets."""
        asked = zip(self.estimators, self.subsets, strict=True)
        return self.classes[np.column_stack([e.predict(views.subset(names)) for e, names in asked])]

    def error(
        self, combine: Combine, columns: IntArray, said: IntArray | None, truth: IntArray
    ) -> float:
        """Error of an ensemble on objects of which so much was said; None: on those left out."""
        n_classes = int(max(self.codes.max(), truth.max())) + 1
        if combine == "crv":
            asked = None if said is None else said[:, columns]
            counts = nearest_counts(self.left_out[:, columns], self.codes, asked, n_classes)
        else:
            counts = vote_counts((self.left_out if said is None else said)[:, columns], n_classes)
        return float(np.mean(counts.argmax(axis=1) != truth))

    def chosen_by(self, error_of: Callable[[IntArray], float]) -> Selection:
        """Add, one by one, whom the ensemble errs least with."""
        return forward_selection(self.errors, self.sizes, MOST, error_of)


@dataclass(frozen=True)
class Evidence:
    """What the classifiers of all subsets say of the test objects."""

    data: str
    folder: str
    names: tuple[str, ...]
    split: Split
    candidates: Candidates
    said: IntArray
    truth: IntArray

    def clean(self) -> Evidence:
        """The same without the test objects that stand in the training set."""
        kept = np.flatnonzero(~self.split.repeated)
        return replace(self, said=self.said[kept], truth=self.truth[kept])

    @cached_property
    def singles(self) -> FloatArray:
        """Test error of each subset's classifier by itself, in per cent."""
        return np.asarray(100.0 * (self.said != self.truth[:, None]).mean(axis=0))

    @property
    def left_out(self) -> FloatArray:
        """Leave-one-out error of each, in per cent."""
        return 100.0 * self.candidates.errors

    def error(self, combine: Combine, columns: IntArray) -> float:
        """Test error of an ensemble, in per cent."""
        return 100.0 * self.candidates.error(combine, columns, self.said, self.truth)

    def staged_errors(self, combine: Combine, columns: IntArray) -> list[float]:
        """Test error after each addition."""
        return [self.error(combine, columns[:n]) for n in range(1, len(columns) + 1)]

    def chosen_on_test(self, combine: Combine) -> Selection:
        """Choose as the paper's Table 1 does, by the error on the test objects themselves."""
        return self.candidates.chosen_by(lambda columns: self.error(combine, columns))

    def chosen_left_out(self, combine: Combine) -> Selection:
        """Choose by the left-out error of the ensemble on the training objects."""
        known = self.candidates
        return known.chosen_by(lambda columns: known.error(combine, columns, None, known.codes))

    def chosen_held_out(self, combine: Combine, seed: int) -> IntArray:
        """Choose on a quarter of the training objects that the candidates have not seen."""
        known, said, truth = held_out(self.data, seed, self.folder)
        return known.chosen_by(lambda columns: known.error(combine, columns, said, truth)).chosen

    def segments(self, combine: Combine, size: int) -> FloatArray:
        """What each run of subsets with similar leave-one-out errors gains on its best."""
        order = self.candidates.by_error
        runs = [order[start : start + size] for start in range(len(order) - size + 1)]
        return np.array([self.singles[run].min() - self.error(combine, run) for run in runs])

    def named(self, columns: Sequence[int] | IntArray) -> str:
        """The subsets chosen, in their order."""
        return ", ".join(self.names[column] for column in columns)


def ways(evidence: Evidence, combine: Combine, seed: int) -> list[float]:
    """Test errors of the ways to choose, in the order of the table."""
    known = evidence.candidates
    n_candidates, n_judged = len(known.subsets), np.full(len(known.subsets), len(known.codes))
    drawn = generator(seed).choice(n_candidates, size=min(MOST, n_candidates), replace=False)
    near = one_standard_error_selection(known.errors, known.sizes, n_judged, MOST).chosen
    chosen = (
        np.sort(drawn),
        near,
        evidence.chosen_held_out(combine, seed),
        evidence.chosen_left_out(combine).chosen,
        np.arange(n_candidates),
        evidence.chosen_on_test(combine).chosen,
    )
    singles = evidence.singles
    errors = [evidence.error(combine, columns) for columns in chosen]
    return [float(singles[known.by_error[0]]), float(singles[-1]), *errors, float(singles.min())]


def evidence(data: str, seed: int, folder: str) -> Evidence:
    """Train all subsets of one data set and ask them about its test objects, once per split."""
    return _evidence(data, seed if data == DIGITS else 0, folder)


@cache
def _evidence(data: str, seed: int, folder: str) -> Evidence:
    split = SPLITS[data](seed, folder)
    candidates = _train(split.views, split.codes)
    letters = LETTERS[data]
    joint = "" if max(map(len, letters.values())) == 1 else "+"
    return Evidence(
        data,
        folder,
        tuple(joint.join(letters[name] for name in subset) for subset in candidates.subsets),
        split,
        candidates,
        candidates.ask(split.test),
        split.truth,
    )


@cache
def held_out(data: str, seed: int, folder: str) -> tuple[Candidates, IntArray, IntArray]:
    """Candidates trained on three quarters of the training objects; of the others, what they say.

    And the truth.
    """
    split = evidence(data, seed, folder).split
    train, held = hold_out(split.codes, VALIDATION, generator(seed))
    candidates = _train(split.views[train], split.codes[train])
    return candidates, candidates.ask(split.views[held]), split.codes[held]


def _train(views: Views, codes: IntArray) -> Candidates:
    """An ensemble with room for all of its candidates is made of all of them."""
    paper = HyperplaneKNN("loo", "loo", standardize=True, hyperplanes="joint")
    model = ViewSubsetEnsemble(
        paper, "all", selection="random", max_members=2 ** len(views.names) - 1, random_state=0
    ).fit(views, codes)
    classes = model.classes_
    return Candidates(model.members_, model.estimators_, classes, classes[model.left_out_], codes)


def hold_out(codes: IntArray, share: float, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Rows to train on and rows held out: a share of each class, never all of one.

    Examples
    --------
    >>> train, held = hold_out(np.array([0, 0, 0, 0, 1]), 0.25, np.random.default_rng(0))
    >>> len(train), len(held)
    (4, 1)
    """
    by_class = [rng.permutation(np.flatnonzero(codes == code)) for code in np.unique(codes)]
    sizes = [min(int(np.floor(share * len(rows) + 0.5)), len(rows) - 1) for rows in by_class]
    held = np.sort(np.concatenate([r[:n] for r, n in zip(by_class, sizes, strict=True)]))
    return np.setdiff1d(np.arange(len(codes)), held), held


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
