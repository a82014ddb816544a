"""How well views predict the labels: cross-validated, on one set of folds for every comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.data import Labels
from manyviews.explain._thresholds import FOLDS
from manyviews.metrics import view_agreement
from manyviews.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Folds:
    """Labelled objects dealt out to folds, each class evenly."""

    codes: IntArray
    """Class of each object, -1 where it takes no part."""
    fold: IntArray
    """Fold of each object, -1 where it takes no part."""
    n_folds: int
    n_classes: int
    """Classes that take part."""

    @property
    def used(self) -> BoolArray:
        """Which objects take part."""
        return self.fold >= 0


@dataclass(frozen=True)
class Accuracy:
    """A mean over folds with its standard error."""

    value: float
    error: float


def deal_folds(labels: Labels, rng: np.random.Generator) -> Folds | None:
    """Deal out the classes with two or more objects; None if fewer than two classes have them.

    There are five folds, or as many as the smallest of these classes has objects.
    """
    large = labels.counts >= 2
    if large.sum() < 2:
        return None
    n_folds = min(FOLDS, int(labels.counts[large].min()))
    used = labels.labelled & large[labels.codes]
    codes = np.where(used, labels.codes, -1)
    fold = np.full(len(codes), -1, dtype=np.intp)
    dealt = 0
    for code in np.flatnonzero(large):
        members = rng.permutation(np.flatnonzero(codes == code))
        fold[members] = (dealt + np.arange(len(members))) % n_folds
        dealt += len(members)
    return Folds(codes, fold, n_folds, int(large.sum()))


def out_of_fold(scores: FloatArray, seen: BoolArray, folds: Folds) -> IntArray:
    """Predict each object from the folds it is not in; -1 where that is impossible."""
    predictions = np.full(len(scores), -1, dtype=np.intp)
    usable = folds.used & seen
    for fold in range(folds.n_folds):
        train, test = usable & (folds.fold != fold), usable & (folds.fold == fold)
        if test.any() and len(np.unique(folds.codes[train])) >= 2:
            predictions[test] = discriminate(scores[train], folds.codes[train], scores[test])
    return predictions


def discriminate(train: FloatArray, codes: IntArray, test: FloatArray) -> IntArray:
    """Linear discriminant analysis with equal priors and a Ledoit-Wolf covariance.

    Equal priors aim at balanced accuracy. The pooled covariance within classes is shrunk towards
    a multiple of the identity, which stands in for tuning: it takes wide data and tiny classes
    as they are, and has nothing that must converge.
    """
    from sklearn.covariance import ledoit_wolf

    classes, members = np.unique(codes, return_inverse=True)
    means = np.array([train[members == code].mean(axis=0) for code in range(len(classes))])
    covariance, _ = ledoit_wolf(train - means[members], assume_centered=True)
    floor = 1e-9 * float(np.trace(covariance)) / len(covariance)
    ridge = floor if floor > 0.0 else 1.0  # classes without any spread: nearest mean
    weights = np.linalg.solve(covariance + ridge * np.eye(len(covariance)), means.T)
    margins = test @ weights - 0.5 * np.einsum("ij,ji->i", means, weights)
    return classes[margins.argmax(axis=1)]


def accuracies(predictions: IntArray, folds: Folds, among: BoolArray | None = None) -> FloatArray:
    """Balanced accuracy in each fold, over predicted objects; NaN where a fold has none."""
    usable = folds.used & (predictions >= 0)
    if among is not None:
        usable = usable & among
    values = np.full(folds.n_folds, np.nan)
    for fold in range(folds.n_folds):
        rows = usable & (folds.fold == fold)
        if not rows.any():
            continue
        right = (predictions == folds.codes)[rows]
        _, members, counts = np.unique(folds.codes[rows], return_inverse=True, return_counts=True)
        values[fold] = (np.bincount(members, weights=right) / counts).mean()
    return values


def summarise(per_fold: FloatArray) -> Accuracy:
    """Mean over folds, and its standard error."""
    return Accuracy(float(per_fold.mean()), float(per_fold.std(ddof=1) / np.sqrt(len(per_fold))))


def agreement(first: IntArray, second: IntArray, folds: Folds) -> tuple[float | None, float | None]:
    """Share of equal predictions, and the share expected if errors were independent.

    The expectation takes, in each true class, the two views' own shares of predictions as they
    are and pairs them at random. Both are None where no object has both views.
    """
    rows = folds.used & (first >= 0) & (second >= 0)
    if not rows.any():
        return None, None
    one, other, truth = first[rows], second[rows], folds.codes[rows]
    size = int(max(one.max(), other.max())) + 1
    expected = 0.0
    for code in np.unique(truth):
        of_class = truth == code
        shares = np.bincount(one[of_class], minlength=size) / of_class.sum()
        expected += float(shares @ np.bincount(other[of_class], minlength=size))
    return view_agreement([one, other]), expected / len(truth)
