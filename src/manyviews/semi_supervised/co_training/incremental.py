"""How the classifier of a view takes up labels: the new ones only, from its last weights, or all.

Naive Bayes of counts learns by its own ``partial_fit``, which leads to what a refit leads to. For
Gaussian naive Bayes, whose own does not, there are sums. Logistic regression starts each round from
its last weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import logsumexp
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from manyviews.base import refusing_overflow
from manyviews.semi_supervised._shared import probabilities
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

__all__ = ["GaussianSums", "Incremental", "Learner", "way_of"]

Incremental: TypeAlias = Literal["auto"] | bool
Way: TypeAlias = Literal["refit", "warm", "teach"]

ADDITIVE = (BernoulliNB, ComplementNB, GaussianNB, MultinomialNB)
"""Classifiers whose statistics are sums over objects."""


class GaussianSums:
    """What ``GaussianNB(var_smoothing=…)`` fitted on all objects so far would say of others.

    scikit-learn's own ``partial_fit`` smooths by the largest variance of the last part only; these
    sums smooth by that of all objects, as ``fit`` does. Refits in every round would take 3.8 times
    as long on 5,000 objects of ``bench_co_training``, 3.3 times on 20,000.

    Examples
    --------
    >>> rows, codes = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> sums = GaussianSums(n_classes=2, var_smoothing=1e-9)
    >>> sums.add(rows[:3], codes[:3])
    >>> sums.add(rows[3:], codes[3:])
    >>> sums.probabilities(np.array([[0.5], [2.5]])).round(3)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """

    def __init__(self, n_classes: int, var_smoothing: float) -> None:
        self._var_smoothing = var_smoothing
        self._counts = np.zeros(n_classes)
        self._sums = self._squares = self._origin = np.empty(0)

    def add(self, rows: FloatArray, codes: IntArray) -> None:
        """Take up some labelled objects."""
        if not len(self._origin):
            self._origin = rows.mean(axis=0, dtype=np.float64)  # sums about it lose no digits
            self._sums, self._squares = np.zeros((2, len(self._counts), rows.shape[1]))
        members = (codes == np.arange(len(self._counts))[:, None]).astype(np.float64)
        moved = rows - self._origin
        self._counts += members.sum(axis=1)
        self._sums += members @ moved
        self._squares += members @ np.square(moved, out=moved)

    def probabilities(self, rows: FloatArray) -> FloatArray:
        """Probabilities of all classes; zero for those that no object had."""
        means, variances = self._moments()
        moved = rows - self._origin
        log_joint = np.full((len(self._counts), len(rows)), -np.inf)
        for code in np.flatnonzero(self._counts):
            squares = np.square(moved - means[code])
            log_determinant = np.log(2 * np.pi * variances[code]).sum()
            log_joint[code] = np.log(self._counts[code]) - 0.5 * (
                log_determinant + squares @ (1 / variances[code])
            )
        return np.exp(log_joint - logsumexp(log_joint, axis=0)).T

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and smoothed variance of each class, as far as it has objects."""
        total = self._counts.sum()
        overall = self._squares.sum(axis=0) / total - (self._sums.sum(axis=0) / total) ** 2
        counts = np.maximum(self._counts, 1.0)[:, None]
        means = self._sums / counts
        variances = np.maximum(self._squares / counts - means**2, 0.0)
        return means, variances + self._var_smoothing * overall.max()


def way_of(member: Any, incremental: Incremental) -> Way:
    """How a classifier is kept up to date between the rounds.

    ``"teach"`` shows it the new objects by ``partial_fit``, ``"warm"`` refits it from its last
    solution, ``"refit"`` from scratch. ``"auto"`` takes the first two only where they lead to what
    a refit leads to: naive Bayes, whose statistics are sums, and logistic regression, whose
    solution is the same from wherever it is sought.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> way_of(GaussianNB(), "auto"), way_of(LogisticRegression(), "auto")
    ('teach', 'warm')
    >>> way_of(SGDClassifier(loss="log_loss"), "auto"), way_of(SGDClassifier(), True)
    ('refit', 'teach')
    """
    if not incremental:
        return "refit"
    additive = type(member) in ADDITIVE and getattr(member, "priors", None) is None
    if additive or (incremental is True and hasattr(member, "partial_fit")):
        return "teach"
    starts_warm = "warm_start" in member.get_params(deep=False)
    return "warm" if starts_warm and (incremental is True or _is_convex(member)) else "refit"


def _is_convex(member: Any) -> bool:
    return type(member) is LogisticRegression and member.solver not in ("sag", "saga", "liblinear")


def _rows_of(matrix: Matrix, rows: IntArray) -> Matrix:
    """Some rows; ``take`` is several times quicker than indexing for narrow matrices."""
    return matrix[rows] if is_sparse(matrix) else matrix.take(rows, axis=0)


class Learner:
    """One view: its rows, the objects that it shows, and its classifier.

    It is ``ready`` once it has labels of two classes; before that it has nothing to say.
    """

    def __init__(
        self, member: Any, name: str, matrix: Matrix, seen: BoolArray, n_classes: int, way: Way
    ) -> None:
        self.name = name
        self.seen = seen
        self.ready = False
        self._checked = False
        self._blank = member
        self._member = clone(member)
        if way == "warm":
            self._member.set_params(warm_start=True)
        gaussian = way == "teach" and type(member) is GaussianNB and not is_sparse(matrix)
        self._sums = GaussianSums(n_classes, member.var_smoothing) if gaussian else None
        self._matrix = matrix
        self._way = way
        self._n_classes = n_classes
        self._known = np.zeros(n_classes, dtype=bool)

    def learn(self, codes: IntArray, added: IntArray) -> None:
        """Take up the labels of the objects ``added``; ``codes`` has them and all former ones."""
        added = added[self.seen[added]]
        if not len(added):
            return
        known = self._known.copy()
        known[codes[added]] = True
        met_more = bool((known != self._known).any())
        self._known = known
        if self._sums is not None:
            self._sums.add(_rows_of(self._matrix, added), codes[added])
        elif self._way == "teach" and self.ready and not met_more:
            with self._unchecked():
                self._member.partial_fit(_rows_of(self._matrix, added), codes[added])
        elif known.sum() > 1:
            if met_more:  # what it has learnt so far has other classes
                self._member = clone(self._member)
            self._learn_all(codes)
        self.ready = bool(known.sum() > 1)

    def _learn_all(self, codes: IntArray) -> None:
        with self._named(), self._unchecked():
            self._fit(codes)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say whose classifier an error comes from."""
        try:
            yield
        except (TypeError, ValueError) as error:
            error.add_note(f"It was raised by the classifier of view {self.name!r}.")
            raise

    def _unchecked(self) -> AbstractContextManager[None]:
        """Spare scikit-learn from checking again what it has checked, or Views has."""
        return config_context(assume_finite=True, skip_parameter_validation=self._checked)

    def _fit(self, codes: IntArray) -> None:
        rows = self._labelled(codes)
        all_rows = len(rows) == self._matrix.shape[0]
        matrix = self._matrix if all_rows else _rows_of(self._matrix, rows)
        with refusing_overflow(self._member, matrix):
            if self._way == "teach":
                self._member.partial_fit(matrix, codes[rows], classes=np.flatnonzero(self._known))
            else:
                self._member.fit(matrix, codes[rows])
        self._checked = True

    def probabilities(self, rows: IntArray) -> FloatArray:
        """Probabilities of all classes for some objects that the view shows."""
        matrix = _rows_of(self._matrix, rows)
        if self._sums is not None:
            return self._sums.probabilities(matrix)
        with self._unchecked():
            return probabilities(self._member, matrix, self._n_classes)

    def can_learn(self, codes: IntArray) -> bool:
        """Whether it shows labels of two classes."""
        return len(np.unique(codes[self._labelled(codes)])) > 1

    def finish(self, codes: IntArray, *, keep_taught: bool) -> Any:
        """Return the classifier of all labels, fitted once from scratch.

        ``keep_taught`` returns one that was taught by ``partial_fit`` as it is.
        """
        if self._way == "teach" and keep_taught and self._sums is None:
            return self._member
        self._member = clone(self._blank)
        self._way = "refit"
        self._learn_all(codes)
        return self._member

    def _labelled(self, codes: IntArray) -> IntArray:
        return np.flatnonzero((codes >= 0) & self.seen)
