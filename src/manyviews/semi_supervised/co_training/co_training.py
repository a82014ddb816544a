"""Co-training: the views' classifiers label objects for one another [@blum1998].

From the top: the rounds of Table 1, the views as judges, how far they agree, all views side by
side, the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, Protocol, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone

from manyviews.base import refusing_overflow, warn_user
from manyviews.data import Labels, Views
from manyviews.exceptions import ViewsWarning
from manyviews.semi_supervised._shared import (
    Member,
    Rule,
    combine,
    probabilities,
    probabilities_by_view,
)
from manyviews.semi_supervised.co_training._shared import (
    Ending,
    Joined,
    LabelsInRounds,
    Outcome,
    PerClass,
    class_shares,
    read_quotas,
)
from manyviews.semi_supervised.co_training.incremental import Incremental, Learner
from manyviews.typing import (
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    RandomState,
    Verbosity,
    is_sparse,
)

__all__ = ["CoTraining"]

AT_ODDS = 0.5
"""Agreement below which what views taught each other is forgotten. On the twenty sets of ``make
quality`` and thirteen that nothing was chosen by, as they are and with gaps (five labels a class,
one draw), nine of 66 runs end below it: forgetting gains eight of them .01 to .20 of accuracy and
costs one .025, a mean of .063. It does not see every loss: on twenty of the sets, as they are, four
others end .06 to .10 below where they started."""
LEAST_SHARED = 50
"""Agreement on fewer unlabelled objects than this is left to chance: the standard error of a kappa
of a half is then .12 for two classes of equal size."""
ROUNDING = 1e-15
"""Probabilities near one are known to so much."""
TIED = 1e-6
"""Others are as close as this only where they are equal but for how far a classifier is solved
(``SOLVED``): as those of all objects without a link are, and of two classes with as many links."""


@dataclass(frozen=True)
class Verdicts:
    """What is said of the objects of a pool."""

    labels: IntArray
    """The class each judge takes each object for, judges × objects; -1 where it is silent."""
    confidence: FloatArray
    """The probability that the judge gives to it."""
    opinions: IntArray
    """The class each view takes each object for, views × objects; -1 where it is silent."""


class Panel(Protocol):
    """Who learns from labels and judges objects."""

    def learn(self, codes: IntArray, added: IntArray) -> None:
        """Take up the labels of the objects added."""

    def judge(self, rows: IntArray) -> Verdicts:
        """Say what some objects are taken for."""


@dataclass(frozen=True)
class Plan:
    """How much is labelled at a time."""

    pool_size: int | None
    quotas: IntArray | None
    """Most objects of each class that a judge labels in a round; None: all that it is sure of."""
    max_iter: int | None
    threshold: float = 0.0
    """Objects are labelled with more confidence than this."""


class Pool:
    """The objects that are shown; the others wait in their order.

    Examples
    --------
    >>> pool = Pool(np.array([4, 7, 5, 2]), size=2)
    >>> pool.replace(np.array([False, True]))
    >>> pool.rows, pool.n_waiting
    (array([7, 5]), 1)
    """

    def __init__(self, order: IntArray, size: int | None) -> None:
        self._size = len(order) if size is None else size
        self.rows = order[: self._size]
        self._waiting = order[self._size :]

    @property
    def n_waiting(self) -> int:
        """How many objects are not shown yet."""
        return len(self._waiting)

    def replace(self, kept: BoolArray) -> None:
        """Fill the places of the objects that are not kept."""
        n_free = len(kept) - int(kept.sum())
        self.rows = np.concatenate([self.rows[kept], self._waiting[:n_free]])
        self._waiting = self._waiting[n_free:]

    def exchange(self) -> None:
        """Send all to the end of the queue and show the next ones."""
        order = np.concatenate([self._waiting, self.rows])
        self.rows, self._waiting = order[: self._size], order[self._size :]


def label_in_rounds(
    panel: Panel,
    codes: IntArray,
    order: IntArray,
    plan: Plan,
    report: Callable[[int, int, int], None] | None = None,
) -> Outcome:
    """Let a panel label the objects in ``order`` until none is left, or it may or can no more.

    ``codes`` has the class of every object, -1 for the unlabelled ones; ``report`` is told the
    round, how many objects it labelled and how many are left.
    """
    codes = codes.copy()
    panel.learn(codes, np.flatnonzero(codes >= 0))
    pool = Pool(order, plan.pool_size)
    found: list[Joined] = []
    while len(pool.rows) and len(found) != plan.max_iter:
        joined, kept = _next_joined(panel, pool, plan, number=len(found) + 1)
        if not len(joined.row):
            return Outcome(codes, _stack(found), len(found), "no_change")
        codes[joined.row] = joined.code
        panel.learn(codes, joined.row)  # h_v learns from all labels there are: Table 1
        pool.replace(kept)
        found.append(joined)
        if report is not None:
            report(len(found), len(joined.row), len(pool.rows) + pool.n_waiting)
    ending: Ending = "max_iter" if len(pool.rows) else "all_labeled"
    return Outcome(codes, _stack(found), len(found), ending)


def _next_joined(panel: Panel, pool: Pool, plan: Plan, number: int) -> tuple[Joined, BoolArray]:
    """Objects to label next; a pool of which nobody dares to label any is exchanged."""
    n_left = len(pool.rows) + pool.n_waiting
    while True:
        shown = len(pool.rows)
        verdicts = panel.judge(pool.rows)
        # Each classifier labels p positive and n negative objects of the pool: Table 1
        judges, places = choose(verdicts.labels, verdicts.confidence, plan)
        joined, places = _join(judges, places, verdicts, pool.rows, number)
        n_left -= shown
        if len(places) or n_left <= 0:
            kept = np.ones(shown, dtype=bool)
            kept[places] = False
            return joined, kept
        pool.exchange()


def choose(labels: IntArray, confidence: FloatArray, plan: Plan) -> tuple[IntArray, IntArray]:
    """The objects that each judge is surest of, up to the quota of each class.

    Returns the judges and the places of the objects in the pool, one pair per proposal.

    Examples
    --------
    >>> plan = Plan(pool_size=None, quotas=np.array([1, 2]), max_iter=1)
    >>> labels = np.array([[0, 0, 1, 1, 1, -1]])
    >>> judges, places = choose(labels, np.array([[0.6, 0.9, 0.7, 0.6, 0.8, 0.0]]), plan)
    >>> places
    array([1, 2, 4])
    """
    chosen: list[IntArray] = []
    judges: list[IntArray] = []
    for judge, (taken_for, sure) in enumerate(zip(labels, confidence, strict=True)):
        for code in np.flatnonzero(np.bincount(taken_for + 1)[1:]):
            places = np.flatnonzero((taken_for == code) & (sure > plan.threshold))
            if plan.quotas is not None:
                places = places[most_confident(sure[places], int(plan.quotas[code]))]
            chosen.append(places)
            judges.append(np.full(len(places), judge))
    if not chosen:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    return np.concatenate(judges), np.concatenate(chosen)


def most_confident(confidence: FloatArray, count: int) -> IntArray:
    """Places of the largest values in ascending order; of equal ones the first are taken.

    Probabilities that are all but one differ by rounding only, and are equal.

    Examples
    --------
    >>> most_confident(np.array([0.5, 0.9, 0.7, 0.7]), 2)
    array([1, 2])
    """
    if count >= len(confidence):
        return np.arange(len(confidence))
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    limit = np.partition(confidence, -count)[-count]
    width = ROUNDING + TIED * (1 - limit)  # naive Bayes tells 1 - 1e-9 from 1 - 1e-12
    taken = confidence > limit + width
    level = np.flatnonzero(~taken & (confidence >= limit - width))
    taken[level[: count - int(taken.sum())]] = True
    return np.flatnonzero(taken)


def _join(
    judges: IntArray, places: IntArray, verdicts: Verdicts, rows: IntArray, number: int
) -> tuple[Joined, IntArray]:
    """One label per proposed object: that of the surest judge, of equals the first class."""
    codes = verdicts.labels[judges, places]
    confidence = verdicts.confidence[judges, places]
    order = np.lexsort((judges, codes, -confidence, places))
    places, starts = np.unique(places[order], return_index=True)
    best = order[starts]
    others = verdicts.opinions[:, places]
    disputed = ((others >= 0) & (others != codes[best])).any(axis=0)
    joined = Joined(
        round=np.full(len(places), number),
        row=rows[places],
        judge=judges[best],
        code=codes[best],
        confidence=confidence[best],
        disputed=disputed,
        contested=_contested(codes[order], starts),
    )
    return joined, places


def _contested(codes: IntArray, starts: IntArray) -> BoolArray:
    """Whether the proposals of each object, which stand together, differ."""
    if not len(starts):
        return np.zeros(0, dtype=bool)
    return np.asarray(np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts))


def _stack(rounds: list[Joined]) -> Joined:
    if not rounds:
        none, never = np.empty(0, dtype=np.intp), np.empty(0, dtype=bool)
        return Joined(none, none, none, none, np.empty(0), never, never)
    parts = {
        name: np.concatenate([getattr(each, name) for each in rounds])
        for name in ("round", "row", "judge", "code", "confidence", "disputed", "contested")
    }
    return Joined(**parts)


# -- the views as judges ---------------------------------------------------------------------------


class EachView:
    """A panel in which every view judges the objects that it shows.

    ``weights`` (objects × views) are what a view counts; where it is nothing the view is not asked.
    With ``confirmed_by``, what a view says stands only where all views together, joined by that
    rule, take the object for the same class.
    """

    def __init__(
        self,
        learners: Sequence[Learner],
        weights: FloatArray,
        n_classes: int,
        confirmed_by: Rule | None = None,
    ) -> None:
        self.learners = learners
        self.weights = weights
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
        joint, _ = most_probable(self._joined(by_view, heard * self.weights[rows]))
        return Verdicts(np.where(labels == joint, labels, -1), confidence, labels)

    def _heard(self, rows: IntArray) -> tuple[BoolArray, list[FloatArray]]:
        """Which views can say something of which objects, and what; zeros where they cannot."""
        heard = self.weights[rows] > 0
        heard &= np.array([learner.ready for learner in self.learners])
        shares = [
            _shares_of(learner, rows, own, self.n_classes)
            for learner, own in zip(self.learners, heard.T, strict=True)
        ]
        return heard, shares

    def _joined(self, by_view: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
        named = {str(view): shares for view, shares in enumerate(by_view)}
        return combine(named, weights, self.rule, self._prior)


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
        labels[shares[:, code] > confidence + TIED] = code
        np.maximum(confidence, shares[:, code], out=confidence)
    return labels, confidence


def _shares_of(learner: Learner, rows: IntArray, heard: BoolArray, n_classes: int) -> FloatArray:
    shares = np.zeros((len(rows), n_classes))
    if heard.any():
        shares[heard] = learner.probabilities(rows[heard])
    return shares


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


def view_means(views: Views) -> dict[str, FloatArray]:
    """Mean of the observed rows of each dense view; a sparse view's gaps stay empty: zeros.

    Examples
    --------
    >>> view_means(Views({"size": [[1.0], None, [3.0]]}))
    {'size': array([2.])}
    """
    return {
        name: np.zeros(matrix.shape[1])
        if is_sparse(matrix)
        else matrix[views.observed_in(name)].mean(axis=0, dtype=np.float64)
        for name, matrix in views.items()
    }


def side_by_side(views: Views, means: dict[str, FloatArray]) -> Matrix:
    """All views in one matrix, with the means in the place of what is unobserved.

    Examples
    --------
    >>> views = Views({"size": [[1.0], None], "price": [[5.0], [6.0]]})
    >>> side_by_side(views, {"size": np.array([2.0]), "price": np.array([5.5])})
    array([[1., 5.],
           [2., 6.]])
    """
    filled = [
        matrix
        if is_sparse(matrix)
        else np.where(views.observed_in(name)[:, None], matrix, means[name])
        for name, matrix in views.items()
    ]
    if any(is_sparse(matrix) for matrix in filled):
        return sparse.csr_array(sparse.hstack(filled, format="csr"))
    return np.hstack(filled)


class CoTraining(LabelsInRounds):
    """Classify from few labels: the classifier of each view labels objects for the others.

    Take it first where few objects have a label and each view alone could tell the classes,
    with any classifier that tells probabilities.

    Where the classifiers of the views, though they have learnt from the same labels, still
    contradict each other on unlabelled objects, what one teaches is noise to the others: it is
    forgotten, and a warning says so (``agreement_`` below 0.5). That does not see every loss: where
    the shares of the classes are far from those of the labels, as on the pages of four
    universities, the views agree on the wrong ones. Nor can few labels tell: the accuracy on 25
    labels, held out in turn, has a standard error of up to .10, and the losses not seen are of .06
    to .10. Compare with a classifier of the labelled
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
        starts logistic regression from its last weights, which both lead to what training from
        scratch does, the latter within its ``tol``; True uses ``partial_fit`` or
        ``warm_start`` of all that have them, which may lead elsewhere (an ensemble's warm start
        adds members); False trains from scratch. At the end all are trained from scratch but
        those that True taught by ``partial_fit``.
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
        which for logistic regression starts from the last weights. Labelling n
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

    def _label(
        self, learners: list[Learner], counts: FloatArray, labels: Labels, order: IntArray
    ) -> Outcome:
        n_judges = sum(weight > 0 for weight in self.view_weights_.values())
        plan = Plan(self.pool_size, read_quotas(self.per_class, labels, n_judges), self.max_iter)
        rule = self._rule() if self.confirm else None
        panel = EachView(learners, counts, len(labels.classes), rule)
        return label_in_rounds(panel, labels.codes, order, plan, self._report)

    def _rule(self) -> Rule:
        return "product" if self.combine == "refit" else self.combine

    def _store(self, views: Views, learners: dict[str, Learner], outcome: Outcome) -> None:
        super()._store(views, learners, outcome)
        self.agreement_ = self._agreement(views)
        if self.agreement_ >= AT_ODDS or len(self.provenance_) < LEAST_SHARED:
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
            with refusing_overflow(first, matrix):
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
        warn_user(
            "the views contradict each other on what they labelled, even after learning from the "
            f"same labels (agreement_ is {self.agreement_:.2f}, where 1 is always and 0 is "
            f"chance): {consequence}.",
            ViewsWarning,
        )

    def _counting(self, views: Views) -> Views:
        """The views that count at all."""
        return views.subset([name for name in views.names if self.view_weights_[name] > 0])
