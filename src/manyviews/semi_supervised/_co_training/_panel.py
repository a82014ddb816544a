"""The views as judges: each for itself, as in co-training, or all together, as in self-training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyviews.semi_supervised._co_training._learners import Learner
from manyviews.semi_supervised._co_training._rounds import Verdicts
from manyviews.semi_supervised._members import Rule, combine
from manyviews.typing import BoolArray, FloatArray, IntArray


class EachView:
    """A panel in which every view judges the objects that it shows."""

    def __init__(self, learners: Sequence[Learner], n_classes: int) -> None:
        self.learners = learners
        self.n_classes = n_classes

    def learn(self, codes: IntArray, added: IntArray) -> None:
        """Teach every view the objects added that it shows."""
        for learner in self.learners:
            learner.learn(codes, added)

    def judge(self, rows: IntArray) -> Verdicts:
        """Return each view's most probable class."""
        labels = np.full((len(self.learners), len(rows)), -1)
        confidence = np.zeros(labels.shape)
        for view, learner in enumerate(self.learners):
            if learner.ready:
                heard = np.flatnonzero(learner.seen[rows])
                if len(heard):
                    shares = learner.probabilities(rows[heard])
                    labels[view, heard], confidence[view, heard] = most_probable(shares)
        return Verdicts(labels, confidence, labels)


class AllViews(EachView):
    """A panel with one judge: what the views say, joined."""

    def __init__(self, learners: Sequence[Learner], n_classes: int, rule: Rule) -> None:
        super().__init__(learners, n_classes)
        self.rule = rule
        self._prior = np.full(n_classes, 1 / n_classes)

    def learn(self, codes: IntArray, added: IntArray) -> None:
        """Teach every view, and count the classes anew."""
        super().learn(codes, added)
        self._prior = class_shares(codes, self.n_classes)

    def judge(self, rows: IntArray) -> Verdicts:
        """Return the class that is most probable to all views together."""
        heard = np.zeros((len(rows), len(self.learners)), dtype=bool)
        by_view, opinions = {}, np.full((len(self.learners), len(rows)), -1)
        for view, learner in enumerate(self.learners):
            heard[:, view] = learner.seen[rows] & learner.ready
            by_view[str(view)] = _shares_of(learner, rows, heard[:, view], self.n_classes)
            opinions[view] = np.where(heard[:, view], by_view[str(view)].argmax(axis=1), -1)
        labels, confidence = most_probable(combine(by_view, heard, self.rule, self._prior))
        silent = ~heard.any(axis=1)
        labels[silent], confidence[silent] = -1, 0.0
        return Verdicts(labels[None], confidence[None], opinions)


def most_probable(shares: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the class of the largest probability in each row, and that probability.

    Of equal ones it is the first. ``argmax`` is slow along rows that are short.

    Examples
    --------
    >>> most_probable(np.array([[0.2, 0.8], [0.7, 0.3]]))
    (array([1, 0]), array([0.8, 0.7]))
    """
    labels = np.zeros(len(shares), dtype=np.intp)
    confidence = shares[:, 0].copy()
    for code in range(1, shares.shape[1]):
        labels[shares[:, code] > confidence] = code
        np.maximum(confidence, shares[:, code], out=confidence)
    return labels, confidence


def class_shares(codes: IntArray, n_classes: int) -> FloatArray:
    """Share of each class among the labelled objects.

    Examples
    --------
    >>> class_shares(np.array([0, -1, 1, 1, 1]), 2)
    array([0.25, 0.75])
    """
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    return counts / counts.sum()


def _shares_of(learner: Learner, rows: IntArray, heard: BoolArray, n_classes: int) -> FloatArray:
    shares = np.zeros((len(rows), n_classes))
    if heard.any():
        shares[heard] = learner.probabilities(rows[heard])
    return shares
