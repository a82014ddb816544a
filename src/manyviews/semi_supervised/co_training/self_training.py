"""Self-training: what all views together are sure of is taken for a label [@nigam2000]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

import numpy as np

from manyviews.data import Labels
from manyviews.semi_supervised._shared import Member
from manyviews.semi_supervised.co_training._shared import (
    LabelsInRounds,
    Outcome,
    PerClass,
    read_quotas,
)
from manyviews.semi_supervised.co_training.co_training import (
    EachView,
    Plan,
    Verdicts,
    label_in_rounds,
    most_probable,
)
from manyviews.semi_supervised.co_training.incremental import Incremental, Learner
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    RandomState,
    Verbosity,
)

__all__ = ["SelfTraining"]

JOINT = "joint"


class AllViews(EachView):
    """A panel with one judge: what the views say, joined."""

    def judge(self, rows: IntArray) -> Verdicts:
        """Return the class that is most probable to all views together."""
        heard, by_view = self._heard(rows)
        opinions = np.array(
            [
                np.where(own, shares.argmax(axis=1), -1)
                for own, shares in zip(heard.T, by_view, strict=True)
            ]
        )
        # One classifier labels for itself: self-training of [@nigam2000], by all views joined
        labels, confidence = most_probable(self._joined(by_view, heard * self.weights[rows]))
        silent = ~heard.any(axis=1)
        labels[silent], confidence[silent] = -1, 0.0
        return Verdicts(labels[None], confidence[None], opinions)


class SelfTraining(LabelsInRounds):
    """Classify from few labels by learning again from what the views together are sure of.

    Take it where the views are too weak alone to teach each other, or where there is only one;
    else :class:`CoTraining` is better in the mean over many data sets.

    Parameters
    ----------
    estimator : classifier with predict_proba, list or dict, optional
        One for all views, a list with one per view, or a dict by view name. If not given, logistic
        regression on rows of unit length (views most of whose cells are zero, such as words and
        links) or moved to mean zero (others), at a scale that does not depend on their unit.
    threshold : float or None
        Objects are labelled only if their class has more than this probability.
    pool_size : int or None
        How many unlabelled objects to choose from. None: all of them, nothing left to chance.
    per_class : "auto", int, dict or None
        How many objects are labelled per round: of the rarest class, and of the others in
        proportion to the labels given; or of each class, by name. "auto": so many that all are
        labelled in twenty rounds. None: all above ``threshold``.
    max_iter : int or None
        Most rounds; None: until all objects are labelled or none is sure.
    combine : "product" or "mean"
        How the views decide together: as independent given the class, or by the mean of their
        probabilities.
    incremental : "auto", True or False
        How classifiers learn between rounds, as in :class:`CoTraining`.
    view_weights : "auto", list or dict of float, optional
        What each view counts in judgements that views make together: a factor in their mean, an
        exponent in their product; a view of weight zero labels nothing. "auto": 1, but 0 for a
        view that looks empty of structure, which a warning names: one whose neighbourhoods look
        like chance, unless the labels speak for it. Objects that nothing else shows are left to it.
    random_state : int, generator or None
        Draws the pool, and seeds the classifiers whose own ``random_state`` is None.
    verbose : int
        1 reports how it ended, 2 each round.

    Attributes
    ----------
    classifiers_ : dict
        The classifier of each view, trained on the labels given and those in ``provenance_``. Its
        classes are positions in ``classes_``.
    scalings_ : dict
        How the rows of a view are scaled before its classifier sees them; nothing for views that
        an estimator was given for, which sees them as they are.
    provenance_ : Provenance
        What was labelled, when and how surely; ``view`` is "joint", and ``disputed`` tells where
        a view alone would have labelled otherwise.
    transduction_ : array of shape (n_objects,)
        The class of every training object: given, added, or predicted for those that are left.
    termination_condition_ : "all_labeled", "max_iter" or "no_change"
        Why it ended; "no_change": none of the objects left was above ``threshold``.
    n_iter_ : int
        Number of rounds.
    prior_ : array of shape (n_classes,)
        Share of each class among all labels.
    view_weights_ : dict of float
        What each view counts.
    classes_ : array
        The classes.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.semi_supervised import SelfTraining
    >>> words = np.array([[3.0, 0], [0, 3], [2, 0], [0, 2], [2, 1], [0, 1]])
    >>> links = np.array([[1.0, 0], [0, 1], [4, 0], [0, 5], [3, 0], [1, 2]])
    >>> y = ["course", "other", None, None, None, None]
    >>> model = SelfTraining(random_state=0).fit({"words": words, "links": links}, y)
    >>> print(*model.transduction_, model.n_iter_)
    course other course other course other 2

    Notes
    -----
    **Objective**
        None is optimised: it is a greedy procedure, the usual comparison for co-training. Views
        have one judgement here, so that one view can overrule another but teach it nothing
        that it does not half believe.

    **Symbols**
        As in :class:`CoTraining`.

    **Algorithm**
        1. ``Pool``: ``pool_size`` unlabelled objects are drawn at random.
        2. ``AllViews.learn``: a classifier is trained in each view on all labels there are.
        3. ``AllViews.judge``, ``choose``: their joint probabilities propose the objects of the
           pool that they are surest of, up to ``per_class`` of each class, if any is more probable
           than ``threshold``.
        4. These join the labelled objects; the pool is filled up at random; from 2.

    **Deviations**
        Self-training is mostly described with one classifier of all features. Here it is one per
        view, asked together, so that objects with gaps teach and are judged by the views that
        show them. With one view the two are the same: give ``views.concatenate()`` for one
        classifier of all features. A pool of which no object can be labelled is exchanged for the
        next.

    **Complexity**
        As for :class:`CoTraining`; labelling n objects takes about n / Σ per_class rounds.

    References
    ----------
    [@nigam2000]
    """

    combine: Literal["product", "mean"]

    def __init__(
        self,
        estimator: ByView[Member | None] = None,
        *,
        threshold: Annotated[float, Interval(0, 1, below=True)] | None = None,
        pool_size: Count | None = None,
        per_class: PerClass | None = "auto",
        max_iter: Count | None = 30,
        combine: Literal["product", "mean"] = "product",
        incremental: Incremental = "auto",
        view_weights: AutoViewWeights = "auto",
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.estimator = estimator
        self.threshold = threshold
        self.pool_size = pool_size
        self.per_class = per_class
        self.max_iter = max_iter
        self.combine = combine
        self.incremental = incremental
        self.view_weights = view_weights
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(threshold=0.8, per_class=None, pool_size=None, combine="mean")

    def _label(
        self, learners: list[Learner], counts: FloatArray, labels: Labels, order: IntArray
    ) -> Outcome:
        quotas = read_quotas(self.per_class, labels)
        plan = Plan(self.pool_size, quotas, self.max_iter, threshold=float(self.threshold or 0.0))
        panel = AllViews(learners, counts, len(labels.classes), self._rule())
        return label_in_rounds(panel, labels.codes, order, plan, self._report)

    def _judge_names(self) -> AnyArray:
        return np.array([JOINT])
