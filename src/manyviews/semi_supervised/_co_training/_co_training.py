"""Co-training: the views' classifiers label objects for one another [@blum1998]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import clone

from manyviews.data import Views
from manyviews.exceptions import ViewsWarning
from manyviews.semi_supervised._co_training._fitted import LabelsInRounds, PerClass
from manyviews.semi_supervised._co_training._learners import Incremental, Learner
from manyviews.semi_supervised._co_training._panel import EachView
from manyviews.semi_supervised._co_training._rounds import Outcome
from manyviews.semi_supervised._co_training._side_by_side import side_by_side, view_means
from manyviews.semi_supervised._shared import Member, Rule, probabilities, probabilities_by_view
from manyviews.typing import (
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    RandomState,
    Verbosity,
)

_AT_ODDS = 0.5
"""Agreement below which what views taught each other is forgotten. On the twenty sets of ``make
quality`` and thirteen that nothing was chosen by, as they are and with gaps (five labels a class,
one draw), nine of 66 runs end below it: forgetting gains eight of them .01 to .20 of accuracy and
costs one .025, a mean of .063. It does not see every loss: on twenty of the sets, as they are, four
others end .06 to .10 below where they started."""
_FEW = 50
"""Agreement on fewer unlabelled objects than this is left to chance."""


def agreement(codes: IntArray, n_classes: int) -> float:
    """Cohen's kappa of the classes that views take objects for, over all pairs of views.

    ``codes`` is views × objects, with -1 where a view is silent: 1 for views that always agree, 0
    for views that agree as often as their shares of the classes make them; 1 if nothing is shared.

    Examples
    --------
    >>> agreement(np.array([[0, 0, 1, 1], [0, 0, 1, -1]]), 2)
    1.0
    >>> agreement(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), 2)
    0.0
    """
    agreed = expected = asked = 0.0
    for one, other in combinations(codes, 2):
        both = (one >= 0) & (other >= 0)
        n_both = int(both.sum())
        if n_both:
            shares = [np.bincount(own[both], minlength=n_classes) / n_both for own in (one, other)]
            agreed += float((one == other)[both].sum())
            expected += n_both * float(shares[0] @ shares[1])
            asked += n_both
    return (agreed - expected) / (asked - expected) if asked > expected else 1.0


class CoTraining(LabelsInRounds):
    """Classify from few labels: the classifier of each view labels objects for the others.

    Take it first where few objects have a label and each view alone could tell the classes,
    with any classifier that tells probabilities.

    Where the classifiers of the views, though they have learnt from the same labels, still
    contradict each other on unlabelled objects, what one teaches is noise to the others: it is
    forgotten, and a warning says so (``agreement_`` below 0.5). That does not see every loss: where
    the shares of the classes are far from those of the labels, as on the pages of four
    universities, the views agree on the wrong ones. Compare with a classifier of the labelled
    objects alone, with :class:`TransductiveSVM` where views are measurements, or with
    :class:`NaiveBayesEM`.

    Parameters
    ----------
    estimator : classifier with predict_proba, list or dict, optional
        One for all views, a list with one per view, or a dict by view name. If not given, logistic
        regression on rows of unit length (views most of whose cells are zero, such as words and
        links) or moved to mean zero (others), at a scale that does not depend on their unit.
    pool_size : int or None
        How many unlabelled objects the views choose from. A small pool makes them take objects
        that are typical of all rather than the easiest ones. None: from all of them, nothing
        left to chance.
    per_class : "auto", int or dict
        How many objects each view labels per round: of the rarest class, and of the others in
        proportion to the labels given; or of each class, by name. "auto": so many that all are
        labelled in about twenty rounds, whatever the number of objects, classes and views.
    confirm : bool
        Whether a view may label only what all views together (``combine``) take for the same
        class. A view that is sure and wrong then teaches the others nothing: on nineteen sets
        of ``make quality`` (five labels a class, one draw) the mean accuracy is 0.765 with it and
        0.693 without, as the papers are. And where the views contradict each other in the end
        (``agreement_`` below 0.5 on fifty objects or more), what they taught each other is
        forgotten: ``provenance_`` is empty, and all is as the labels given make it.
    max_iter : int or None
        Most rounds; None: until all objects are labelled.
    combine : "product", "mean" or "refit"
        How the views decide together: as independent given the class, by the mean of their
        probabilities, or by one classifier (the first view's estimator) of all views side by side.
        To the latter an unobserved view is the mean of the view in ``fit``, or zero if sparse.
    incremental : "auto", True or False
        How classifiers learn between rounds. "auto" teaches naive Bayes the new objects only and
        starts logistic regression from its last solution, which both lead to what training from
        scratch does; True uses ``partial_fit`` or ``warm_start`` of all that have them, which may
        lead elsewhere (an ensemble's warm start adds members); False trains from scratch. At
        the end all are trained from scratch but those that True taught by ``partial_fit``.
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
    classifier_ : classifier
        The classifier of all views; with ``combine="refit"`` only.
    means_ : dict
        What it takes for an unobserved view; with ``combine="refit"`` only.
    scalings_ : dict
        How the rows of a view are scaled before its classifier sees them; nothing for views that
        an estimator was given for, which sees them as they are.
    agreement_ : float
        How far the views agreed in the end on objects whose class was not given: Cohen's kappa, 1
        where they always did, 0 where no more than chance would make them.
    provenance_ : Provenance
        Who labelled what, when and how surely: arrays ``round``, ``object``, ``view``, ``label``,
        ``confidence``, ``disputed``, ``contested``, and ``sample_id`` if there are.
    transduction_ : array of shape (n_objects,)
        The class of every training object: given, added, or predicted for those that are left.
    termination_condition_ : "all_labeled", "max_iter" or "no_change"
        Why it ended; "no_change": no view could say anything of the objects left.
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
    >>> from manyviews.semi_supervised import CoTraining
    >>> words = np.array([[3.0, 0], [0, 3], [2, 0], [0, 2], [2, 1], [0, 1]])
    >>> links = np.array([[1.0, 0], [0, 1], [4, 0], [0, 5], [3, 0], [1, 2]])
    >>> y = ["course", "other", None, None, None, None]
    >>> model = CoTraining(random_state=0).fit({"words": words, "links": links}, y)
    >>> print(*model.transduction_)
    course other course other course other
    >>> model.provenance_
    Provenance of 4 labels in 2 rounds, 0 disputed, 0 contested
    round  object  view   label   confidence  disputed  contested
    1      2       links  course  0.9265      no        no
    1      3       links  other   0.9596      no        no
    2      4       links  course  0.9218      no        no
    2      5       words  other   0.7541      no        no
    >>> model.predict({"words": [[5.0, 1.0]], "links": None})
    array(['course'], dtype=object)

    Notes
    -----
    **Objective**
        None is optimised: it is a greedy procedure. It pays where each view alone could tell the
        classes and, the class given, a view says little of the other, so that what one view is
        sure of is a random sample to the other.

    **Symbols**
        q, u (size of the pool U') → ``pool_size``; p, n → ``per_class`` (s, the number for each
        classifier, is their sum); k → ``max_iter``; L → the labelled objects and ``provenance_``.

    **Algorithm** (Blum & Mitchell's Table 1, as section 4.1 of Ando & Zhang has it)
        1. ``Pool``: ``pool_size`` unlabelled objects are drawn at random.
        2. ``EachView.learn``: a classifier is trained in each view on all labels there are.
        3. ``EachView.judge``, ``choose``: each view proposes the objects of the pool that it is
           surest of, up to ``per_class`` of those that it takes for each class, and, with
           ``confirm``, that all views together take for it.
        4. They join the labelled objects, with the surest view's label where views propose
           different ones; the pool is filled up at random; from 2, ``max_iter`` times or until
           all objects are labelled.
        5. The classifiers of all views are trained on all labels and asked together (``combine``
           "product" or "mean"), or one classifier is trained on all views side by side ("refit",
           as Ando & Zhang do).

    **Deviations**
        ``confirm``, which the papers do not have (nor its forgetting), and a pool of all objects;
        Blum & Mitchell's own is ``CoTraining(MultinomialNB(), pool_size=75, per_class={…},
        confirm=False)``. Any number of classes and views; both papers have two views. The
        proportions of the classes are those of the given labels, as in Ando & Zhang, and bounds: a
        view does not label objects as a class that it takes none of the pool for. A view proposes
        objects that it shows only, and learns from those only; as long as it has seen labels of
        fewer than two classes it proposes nothing. A pool of which no view proposes any object is
        exchanged for the next. The product counts the prior once, where Blum & Mitchell multiply
        the views' posteriors with it in each.

    **Complexity**
        Per round, the probabilities of ``pool_size`` objects, and one training per view: on the
        objects of the round for naive Bayes and with ``partial_fit``, else on all labelled ones,
        which for logistic regression is a handful of steps from the last solution. Labelling n
        objects takes about n / (views · Σ per_class) rounds; with
        ``pool_size=None`` every round looks at all that is left, so let ``per_class`` grow with n.

    References
    ----------
    [@blum1998], [@ando2007]
    """

    combine: Literal["product", "mean", "refit"]
    classifier_: Any
    means_: dict[str, FloatArray]
    agreement_: float

    def __init__(
        self,
        estimator: ByView[Member | None] = None,
        *,
        pool_size: Count | None = None,
        per_class: PerClass = "auto",
        confirm: bool = True,
        max_iter: Count | None = 30,
        combine: Literal["product", "mean", "refit"] = "product",
        incremental: Incremental = "auto",
        view_weights: AutoViewWeights = "auto",
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.estimator = estimator
        self.pool_size = pool_size
        self.per_class = per_class
        self.confirm = confirm
        self.max_iter = max_iter
        self.combine = combine
        self.incremental = incremental
        self.view_weights = view_weights
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        from sklearn.linear_model import LogisticRegression

        yield cls()
        yield cls(LogisticRegression(C=0.5), per_class=3, combine="mean", pool_size=None)
        yield cls(LogisticRegression(C=2.0), combine="refit", incremental=False)

    @property
    def _contract_exemptions(self) -> dict[str, str]:
        if self.combine != "refit":
            return {}
        return {"sparse_gaps_are_gaps": "gaps of a sparse view are zeros, of a dense one means"}

    def _panel(self, learners: list[Learner], counts: FloatArray, n_classes: int) -> EachView:
        return EachView(learners, counts, n_classes, self._rule() if self.confirm else None)

    def _rule(self) -> Rule:
        return "product" if self.combine == "refit" else self.combine

    def _store(self, views: Views, learners: dict[str, Learner], outcome: Outcome) -> None:
        super()._store(views, learners, outcome)
        self.agreement_ = self._agreement(views)
        if self.agreement_ >= _AT_ODDS or len(self.provenance_) < _FEW:
            return
        untaught = outcome.untaught()
        forgets = (
            self.confirm
            and self.incremental is not True  # what partial_fit taught is not unlearnt
            and all(learner.can_learn(untaught.codes) for learner in learners.values())
        )
        self._warn_at_odds(forgets=forgets)
        if forgets:
            super()._store(views, learners, untaught)

    def _finish(self, views: Views, codes: IntArray) -> None:
        for name in ("classifier_", "means_"):
            if hasattr(self, name):
                delattr(self, name)
        if self.combine == "refit":
            labelled = np.flatnonzero(codes >= 0)
            views = self._counting(views)
            self.means_ = view_means(views)
            first = self.classifiers_[views.names[0]]
            matrix = side_by_side(views[labelled], self.means_)
            self.classifier_ = clone(first).fit(matrix, codes[labelled])

    def _joint(self, views: Views) -> FloatArray:
        if self.combine == "refit":
            matrix = side_by_side(self._counting(views), self.means_)
            return probabilities(self.classifier_, matrix, len(self.classes_))
        return super()._joint(views)

    def _agreement(self, views: Views) -> float:
        """How far the views agree on what they labelled, after all they taught each other."""
        counting = self._counting(views[np.sort(self.provenance_.object)])
        by_view = probabilities_by_view(
            {name: self.classifiers_[name] for name in counting.names}, counting, self.prior_
        )
        seen = counting.observed.T
        taken = [
            np.where(own, shares.argmax(axis=1), -1)
            for own, shares in zip(seen, by_view.values(), strict=True)
        ]
        return agreement(np.array(taken), len(self.classes_))

    def _warn_at_odds(self, *, forgets: bool) -> None:
        consequence = (
            "the classifiers learn from the labels given alone, unless confirm=False"
            if forgets
            else "co-training may end below where it started; compare with a classifier of the "
            "labelled objects alone, or leave out the views that differ"
        )
        warnings.warn(
            "the views contradict each other on what they labelled, even after learning from the "
            f"same labels (agreement_ is {self.agreement_:.2f}, where 1 is always and 0 is "
            f"chance): {consequence}.",
            ViewsWarning,
            stacklevel=4,
        )

    def _counting(self, views: Views) -> Views:
        """The views that count at all."""
        return views.subset([name for name in views.names if self.view_weights_[name] > 0])
