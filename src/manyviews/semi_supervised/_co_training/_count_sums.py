"""Naive Bayes of counts as sums that grow with every object, for the rounds of co-training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

from manyviews.semi_supervised._co_training._shares import class_scores, shares_of
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_LEAST_ALPHA = 1e-10


class CountSums(ABC):
    """What a naive Bayes of counts fitted on all objects so far would say of others.

    Its statistics are the objects of each class and the sums of their features. scikit-learn's
    ``partial_fit`` keeps the same, but checks its input, options and classes anew for every part,
    which takes longer than the sums.

    Examples
    --------
    >>> rows, codes = np.array([[3.0, 0.0], [2.0, 1.0], [0.0, 2.0]]), np.array([0, 0, 1])
    >>> sums = MultinomialSums(MultinomialNB(), n_features=2, n_classes=2)
    >>> sums.add(rows[:2], codes[:2])
    >>> sums.add(rows[2:], codes[2:])
    >>> sums.probabilities(np.array([[1.0, 1.0]])).round(3)
    array([[0.667, 0.333]])
    """

    def __init__(self, member: Any, n_features: int, n_classes: int) -> None:
        self._member = member
        self._alpha = np.asarray(member.alpha, dtype=np.float64)
        self._counts = np.zeros(n_classes)
        self._sums = np.zeros((n_classes, n_features))

    def add(self, rows: Matrix, codes: IntArray) -> None:
        """Take up some labelled objects."""
        members = (codes == np.arange(len(self._counts))[:, None]).astype(np.float64)
        self._counts += members.sum(axis=1)
        self._sums += members @ self._read(rows)

    def probabilities(self, rows: Matrix) -> FloatArray:
        """Probabilities of all classes; zero for those that no object had."""
        met = np.flatnonzero(self._counts)
        weights, offsets = self._linear(self._counts[met], self._sums[met])
        shares = np.zeros((len(self._counts), rows.shape[0]))
        scores = class_scores(weights, self._read(rows))
        scores += offsets[:, None]
        shares[met] = shares_of(scores)
        return shares.T

    def _read(self, rows: Matrix) -> Matrix:
        """The counts in some rows."""
        return rows

    @abstractmethod
    def _linear(self, counts: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights of the features and offsets of the classes that make up the log score."""

    def _log_prior(self, counts: FloatArray) -> FloatArray:
        prior = self._member.class_prior
        if prior is not None:
            if len(prior) != len(counts):
                raise ValueError(
                    f"class_prior has {len(prior)} classes, and the labelled objects have "
                    f"{len(counts)}; give as many, or leave it out."
                )
            return np.asarray(np.log(prior))
        if self._member.fit_prior:
            return np.asarray(np.log(counts) - np.log(counts.sum()))
        return np.full(len(counts), -np.log(len(counts)))


class MultinomialSums(CountSums):
    """Stands for ``MultinomialNB``."""

    def _linear(self, counts: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        smoothed = sums + self._alpha
        weights = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        return weights, self._log_prior(counts)


class ComplementSums(CountSums):
    """Stands for ``ComplementNB``, which has no use for the prior but refuses a wrong one."""

    def _linear(self, counts: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        self._log_prior(counts)
        others = sums.sum(axis=0) + self._alpha - sums
        logs = np.log(others / others.sum(axis=1, keepdims=True))
        weights = logs / logs.sum(axis=1, keepdims=True) if self._member.norm else -logs
        return weights, np.zeros(len(counts))


class BernoulliSums(CountSums):
    """Stands for ``BernoulliNB``."""

    def _read(self, rows: Matrix) -> Matrix:
        threshold = self._member.binarize
        if threshold is None:
            return rows
        if is_sparse(rows):
            above = (rows.data > threshold).astype(np.float64)
            return csr_array((above, rows.indices, rows.indptr), shape=rows.shape)
        return (rows > threshold).astype(np.float64)

    def _linear(self, counts: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        present = np.log(sums + self._alpha) - np.log(counts[:, None] + 2 * self._alpha)
        absent = np.log(1 - np.exp(present))
        return present - absent, self._log_prior(counts) + absent.sum(axis=1)


_KINDS: dict[type, type[CountSums]] = {
    BernoulliNB: BernoulliSums,
    ComplementNB: ComplementSums,
    MultinomialNB: MultinomialSums,
}


def count_sums(member: Any, matrix: Matrix, n_classes: int) -> CountSums | None:
    """Return what says the same as a naive Bayes of counts, if there is such.

    There is none for options and counts that scikit-learn refuses or warns of: it shall do so
    itself.

    Examples
    --------
    >>> type(count_sums(MultinomialNB(alpha=0.1), np.ones((3, 2)), 2)).__name__
    'MultinomialSums'
    >>> count_sums(MultinomialNB(), -np.ones((3, 2)), 2) is None
    True
    """
    kind = _KINDS.get(type(member))
    width = int(matrix.shape[1])
    if kind is None or not _is_plain(member.alpha, width):
        return None
    suits = _can_be_cut if kind is BernoulliSums else _has_counts
    return kind(member, width, n_classes) if suits(member, matrix) else None


def _is_plain(alpha: Any, width: int) -> bool:
    if not isinstance(alpha, int | float | np.ndarray | list | tuple):
        return False
    values = np.asarray(alpha, dtype=np.float64)
    return values.shape in ((), (width,)) and bool((values >= _LEAST_ALPHA).all())


def _can_be_cut(member: Any, matrix: Matrix) -> bool:
    """Whether the threshold leaves the zeros of a sparse view zero."""
    threshold = member.binarize
    if threshold is None:
        return True
    return isinstance(threshold, int | float) and (threshold >= 0 or not is_sparse(matrix))


def _has_counts(member: Any, matrix: Matrix) -> bool:  # noqa: ARG001 (as _can_be_cut)
    """Whether no feature is below zero; unobserved rows are NaN, which is not."""
    return not bool(((matrix.data if is_sparse(matrix) else matrix) < 0).any())
