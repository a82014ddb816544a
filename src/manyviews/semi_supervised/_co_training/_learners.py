"""How a view's classifier takes up labels: from all of them again, or from the new ones only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from manyviews.semi_supervised._co_training._count_sums import CountSums, count_sums
from manyviews.semi_supervised._co_training._gaussian_sums import GaussianSums
from manyviews.semi_supervised._co_training._linear_answers import probabilities_of
from manyviews.semi_supervised._co_training._warm_logistic import WarmLogistic
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

Incremental: TypeAlias = Literal["auto"] | bool
Way: TypeAlias = Literal["refit", "warm", "teach"]

StandIn: TypeAlias = CountSums | GaussianSums | WarmLogistic

_COUNTS = (BernoulliNB, ComplementNB, MultinomialNB)
_ADDITIVE = (*_COUNTS, GaussianNB)
_LEVEL = 1e-7
"""Slope at which a warm start ends. What is left of it goes on into the next round, so that with
1e-4 to 1e-6 last digits of the data grew to 3 to 45 other labels of 1797 digits; with this to none.
"""


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
    if _is_additive(member) or (incremental is True and hasattr(member, "partial_fit")):
        return "teach"
    starts_warm = "warm_start" in member.get_params(deep=False)
    return "warm" if starts_warm and (incremental is True or _is_convex(member)) else "refit"


def _is_additive(member: Any) -> bool:
    """Whether its statistics are sums, as far as a stand-in for GaussianNB keeps them."""
    return type(member) in _ADDITIVE and getattr(member, "priors", None) is None


def _is_convex(member: Any) -> bool:
    return type(member) is LogisticRegression and member.solver not in ("sag", "saga", "liblinear")


def stand_in(member: Any, matrix: Matrix, n_classes: int, way: Way) -> StandIn | None:
    """Return what says the same as a classifier between the rounds at less cost, if there is.

    scikit-learn reads and checks all objects anew in every round, and ``GaussianNB.partial_fit``
    smooths by the variances of the last objects only. There are sums for naive Bayes, and warm
    steps for logistic regression with a ridge penalty.
    """
    if way == "refit":
        return None
    if way == "teach" and type(member) in _COUNTS:
        return count_sums(member, matrix, n_classes)
    if way == "warm" and _is_plain_ridge(member):
        return WarmLogistic(
            n_classes,
            member.C,
            fit_intercept=member.fit_intercept,
            tol=min(member.tol, _LEVEL),
            max_iter=member.max_iter,
        )
    if type(member) is GaussianNB and member.priors is None and not is_sparse(matrix):
        return GaussianSums(n_classes, member.var_smoothing)
    return None


def _is_plain_ridge(member: Any) -> bool:
    params = member.get_params(deep=False)
    return (
        _is_convex(member)
        and params.get("penalty", "l2") in ("l2", "deprecated")
        and not params.get("l1_ratio")
        and params["class_weight"] is None
        and 0 < params["C"] < np.inf
    )


def rows_of(matrix: Matrix, rows: IntArray) -> Matrix:
    """Some rows of a matrix; ``take`` is several times quicker than indexing for narrow ones.

    Examples
    --------
    >>> rows_of(np.array([[1.0], [2.0], [3.0]]), np.array([2, 0]))
    array([[3.],
           [1.]])
    """
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
        self._stand_in = stand_in(member, matrix, n_classes, way)
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
        if self._stand_in is not None:
            self._stand_in.add(rows_of(self._matrix, added), codes[added])
        elif self._way == "teach" and self.ready and not met_more:
            with self._unchecked():
                self._member.partial_fit(rows_of(self._matrix, added), codes[added])
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
        matrix = self._matrix if all_rows else rows_of(self._matrix, rows)
        if self._way == "teach":
            self._member.partial_fit(matrix, codes[rows], classes=np.flatnonzero(self._known))
        else:
            self._member.fit(matrix, codes[rows])
        self._checked = True

    def probabilities(self, rows: IntArray) -> FloatArray:
        """Probabilities of all classes for some objects that the view shows."""
        if self._stand_in is not None:
            with self._named():
                return self._stand_in.probabilities(rows_of(self._matrix, rows))
        with self._unchecked():
            return probabilities_of(self._member, rows_of(self._matrix, rows), self._n_classes)

    def can_learn(self, codes: IntArray) -> bool:
        """Whether it shows labels of two classes."""
        return len(np.unique(codes[self._labelled(codes)])) > 1

    def finish(self, codes: IntArray, *, keep_taught: bool) -> Any:
        """Return the classifier of all labels, fitted once from scratch.

        ``keep_taught`` returns one that was taught by ``partial_fit`` as it is.
        """
        if self._way == "teach" and keep_taught and self._stand_in is None:
            return self._member
        self._member = clone(self._blank)
        self._way = "refit"
        self._learn_all(codes)
        return self._member

    def _labelled(self, codes: IntArray) -> IntArray:
        return np.flatnonzero((codes >= 0) & self.seen)
