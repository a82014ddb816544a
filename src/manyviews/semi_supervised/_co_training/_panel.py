"""The views as judges: each for itself, as in co-training, or all together, as in self-training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyviews.semi_supervised._co_training._learners import Learner
from manyviews.semi_supervised._co_training._rounds import Verdicts
from manyviews.semi_supervised._shared import Rule, combine
from manyviews.typing import BoolArray, FloatArray, IntArray


class EachView:
    """A panel in which every view judges the objects that it shows.

    ``say`` (objects × views) is what a view counts; where it is nothing the view is not asked.
    With ``confirmed_by``, what a view says stands only where all views together, joined by that
    rule, take the object for the same class.
    """

    def __init__(
        self,
        learners: Sequence[Learner],
        say: FloatArray,
        n_classes: int,
        confirmed_by: Rule | None = None,
    ) -> None:
        self.learners = learners
        self.say = say
        self.n_classes = n_classes
        self.rule: Rule = confirmed_by or "product"
        self._confirms = confirmed_by is not None
        self._prior = np.full(n_classes, 1 / n_classes)

    def learn(self, codes: IntArray, added: IntArray) -> None:
        """Teach every view the objects added that it shows, and count the classes anew."""
        for learner in self.learners:
            learner.learn(codes, added)
        self._prior = class_shares(codes, self.n_classes)

    def judge(self, rows: IntArray) -> Verdicts:
        """Return each view's most probable class."""
        labels = np.full((len(self.learners), len(rows)), -1)
        confidence = np.zeros(labels.shape)
        heard, by_view = self._heard(rows)
        for view, shares in enumerate(by_view):
            told = np.flatnonzero(heard[:, view])
            labels[view, told], confidence[view, told] = most_probable(shares[told])
        if not self._confirms:
            return Verdicts(labels, confidence, labels)
        joint, _ = most_probable(self._joined(by_view, heard * self.say[rows]))
        return Verdicts(np.where(labels == joint, labels, -1), confidence, labels)

    def _heard(self, rows: IntArray) -> tuple[BoolArray, list[FloatArray]]:
        """Which views can say something of which objects, and what; zeros where they cannot."""
        heard = self.say[rows] > 0
        heard &= np.array([learner.ready for learner in self.learners])
        shares = [
            _shares_of(learner, rows, own, self.n_classes)
            for learner, own in zip(self.learners, heard.T, strict=True)
        ]
        return heard, shares

    def _joined(self, by_view: Sequence[FloatArray], say: FloatArray) -> FloatArray:
        named = {str(view): shares for view, shares in enumerate(by_view)}
        return combine(named, say, self.rule, self._prior)


class AllViews(EachView):
    """A panel with one judge: what the views say, joined."""

    def __init__(
        self, learners: Sequence[Learner], say: FloatArray, n_classes: int, rule: Rule
    ) -> None:
        super().__init__(learners, say, n_classes, rule)

    def judge(self, rows: IntArray) -> Verdicts:
        """Return the class that is most probable to all views together."""
        heard, by_view = self._heard(rows)
        opinions = np.array(
            [
                np.where(own, shares.argmax(axis=1), -1)
                for own, shares in zip(heard.T, by_view, strict=True)
            ]
        )
        labels, confidence = most_probable(self._joined(by_view, heard * self.say[rows]))
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
