"""How many features are best for a classifier: cross-validation on the labelled objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import numpy as np

from manyviews.base import Labels
from manyviews.typing import Count, FloatArray, Having, IntArray, Interval, Matrix

NComponents: TypeAlias = Count | Sequence[Count] | None
"""A number of components, several to choose from, or as many as there are classes."""
Folds: TypeAlias = (
    Annotated[int, Interval(2)] | Annotated[Any, Having("a splitter", "split", "get_n_splits")]
)
WITHOUT_LABELS = 10
"""How many components there are if nobody says so and there is no label to count classes by."""


@dataclass(frozen=True)
class Choice:
    """How the candidates did."""

    candidates: IntArray
    scores: FloatArray
    """Accuracy on the held-out labelled objects, candidates × folds."""

    @property
    def best(self) -> int:
        """The candidate of the highest mean; of equal ones the smallest."""
        means = self.scores.mean(axis=1)
        return int(self.candidates[means >= means.max() - 1e-12].min())


def read_candidates(n_components: NComponents, labels: Labels | None) -> tuple[int, ...]:
    """Numbers of components to try, in rising order.

    Examples
    --------
    >>> read_candidates([20, 5], None), read_candidates(None, None)
    ((5, 20), (10,))
    """
    if n_components is None:
        n_classes = 0 if labels is None else len(labels.classes)
        return (n_classes if n_classes > 1 else WITHOUT_LABELS,)
    given = [n_components] if isinstance(n_components, int | np.integer) else n_components
    if not len(given):
        raise ValueError("n_components is empty; give a number, several to choose from, or None.")
    return tuple(sorted({int(value) for value in given}))


def choose_n_components(
    candidates: Sequence[int],
    features: Callable[[int, IntArray], Matrix],
    labels: Labels | None,
    *,
    estimator: Any = None,
    cv: Folds = 5,
) -> Choice:
    """Score every candidate by a classifier on features of the labelled objects.

    Parameters
    ----------
    candidates : sequence of int
        Numbers of components.
    features : callable
        ``features(n_components, training)`` gives the features of all labelled objects, in their
        order; where features depend on labels, only those at the places ``training`` (among the
        labelled objects) may be looked at.
    labels : Labels or None
        Labels of all objects; None is refused.
    estimator : classifier, optional
        Logistic regression by default.
    cv : int or splitter
        How many folds, at most as many as the rarest class has labelled objects; or a splitter of
        scikit-learn.

    Returns
    -------
    Choice
    """
    from sklearn.base import clone

    codes = _labelled_codes(candidates, labels)
    folds = list(_folds(cv, codes, labels))
    scores = np.empty((len(candidates), len(folds)))
    for row, n_components in enumerate(candidates):
        for column, (training, held_out) in enumerate(folds):
            matrix = features(n_components, training)
            classifier = clone(_classifier() if estimator is None else estimator)
            classifier.fit(matrix[training], codes[training])
            scores[row, column] = classifier.score(matrix[held_out], codes[held_out])
    return Choice(np.array(candidates), scores)


def _classifier() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _labelled_codes(candidates: Sequence[int], labels: Labels | None) -> IntArray:
    if labels is None or len(labels.classes) < 2:
        raise ValueError(
            f"n_components is to be chosen among {list(candidates)} by cross-validation, which "
            "needs labelled objects of two classes or more; give y, or one number."
        )
    return labels.codes[labels.labelled]


def _folds(
    cv: Folds, codes: IntArray, labels: Labels | None
) -> Iterator[tuple[IntArray, IntArray]]:
    from sklearn.model_selection import check_cv

    if isinstance(cv, int | np.integer):
        counts = np.bincount(codes)
        rarest = int(counts.argmin())
        cv = min(int(cv), int(counts[rarest]))
        if cv < 2:
            name = None if labels is None else labels.classes.tolist()[rarest]
            raise ValueError(
                f"n_components is to be chosen by cross-validation with {cv} folds, as the class "
                f"{name!r} has {counts[rarest]} labelled objects; give cv and every class at least "
                "2, or one number of components."
            )
    yield from check_cv(cv, codes, classifier=True).split(np.zeros(len(codes)), codes)
