"""Co-EM: a classifier per view, each taught by the class posteriors of the others [@nigam2000].

A sweep is Table 1 of [@bickel2005] with eta = 1, where some objects have labels and any classifier
may stand for the mixture of a view. From the top: sweeps on arrays, how classifiers are fitted to
posteriors, naive Bayes of one view, the estimator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import has_fit_parameter

from manyviews.base import (
    AlternatingMixin,
    BaseMultiViewClassifier,
    Run,
    ViewTags,
    warn_not_converged,
)
from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import Likelihood, Multinomial, log_softmax, safe_log, suited_likelihood
from manyviews.semi_supervised._shared import (
    Member,
    combine,
    one_hot,
    probabilities,
    probabilities_by_view,
    read_members,
    read_or_judge_class_weights,
    weights_by_object,
)
from manyviews.similarity.views import shown_rows
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = ["CoEMClassifier"]

ALPHA = 0.1
"""Count that is added to every feature of every class: with 1, as naive Bayes over all views has
it, views of few links are too unsure to teach (accuracy over 20 sets .637, not .694)."""
NEGLIGIBLE = float(np.finfo(np.float64).eps)
"""Weights that change no sum to which a whole object contributes."""


@dataclass(frozen=True)
class Problem:
    """What all sweeps share."""

    members: tuple[Any, ...]
    """A classifier per view, fitted anew in every sweep."""
    rows: tuple[tuple[Matrix, IntArray], ...]
    """What each view shows, and of which objects."""
    labels: FloatArray
    """One-hot rows of the labelled objects, zeros for others."""
    weight: float
    """λ: what an unlabelled object counts, where a labelled one counts 1."""
    counts: FloatArray
    """What each view counts for each object, objects × views; 0 where it is unobserved."""

    @property
    def labelled(self) -> BoolArray:
        """Which objects have a label."""
        return np.asarray(self.labels.any(axis=1))


@dataclass(frozen=True)
class Sweep:
    """State after a pass over the views."""

    posteriors: tuple[FloatArray, ...]
    """By each view, objects × classes: the label of a labelled object, and zeros where the view is
    unobserved or has not learnt yet."""
    masses: tuple[FloatArray, ...]
    """Weight of each class in what the view learnt from."""
    change: float
    """Largest change of a probability in the last pass."""
    agreement: float


def begin(problem: Problem) -> Sweep:
    """Fit every view to its labelled objects; one that has fewer than two classes waits."""
    nothing = np.zeros_like(problem.labels)
    views = range(len(problem.members))
    posteriors, masses = zip(
        *(learn(problem, view, problem.labels, nothing) for view in views), strict=True
    )
    return Sweep(posteriors, masses, np.inf, agreement(problem, posteriors))


def sweep(problem: Problem, state: Sweep) -> Sweep:
    """One pass: each view learns from the latest posteriors of the others (Table 1)."""
    posteriors, masses = list(state.posteriors), list(state.masses)
    counted = np.where(problem.labelled, 1.0, problem.weight)[:, None]
    for view, own in enumerate(posteriors):
        weights = averaged_posterior(posteriors, view, problem.counts) * counted
        posteriors[view], masses[view] = learn(problem, view, weights, own)
    pairs = zip(posteriors, state.posteriors, strict=True)
    change = max(float(np.abs(new - old).max()) for new, old in pairs)
    return Sweep(tuple(posteriors), tuple(masses), change, agreement(problem, posteriors))


def averaged_posterior(
    posteriors: Sequence[FloatArray], view: int, counts: FloatArray
) -> FloatArray:
    """Posterior that a view learns from: the mean of the others', else its own.

    ``counts`` is what each view counts for each object.

    Examples
    --------
    >>> posteriors = [np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.2, 0.8], [0.0, 0.0]])]
    >>> averaged_posterior(posteriors, 0, np.array([[1.0, 1.0], [1.0, 0.0]]))
    array([[0.2, 0.8],
           [0.5, 0.5]])
    """
    total = np.zeros_like(posteriors[view])
    for other, posterior in enumerate(posteriors):
        if other != view:
            total += counts[:, other, None] * posterior
    mass = total.sum(axis=1, keepdims=True)
    mean = np.divide(total, mass, out=total, where=mass > 0)  # Eq. (13) of [@bickel2005], eta = 1
    return np.where(mass > 0, mean, posteriors[view])


def learn(
    problem: Problem, view: int, weights: FloatArray, before: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Fit a view to weighted objects: its posterior then, and the weight of each class.

    The posterior stays what it was ``before`` where the weights are of fewer than two classes.
    """
    member, (rows, places) = problem.members[view], problem.rows[view]
    mass = weights[places].sum(axis=0)
    if np.count_nonzero(mass) < 2:
        return before, mass
    fit_weighted(member, rows, weights[places])  # the M step
    posterior = np.zeros_like(problem.labels)
    posterior[places] = probabilities(member, rows, problem.labels.shape[1])  # Eq. (14)
    labelled = places[problem.labelled[places]]
    posterior[labelled] = problem.labels[labelled]
    return posterior, mass


def agreement(problem: Problem, posteriors: Sequence[FloatArray]) -> float:
    """Probability that a label drawn by a view is the one drawn by those that teach it.

    It is the mean over the unlabelled objects of each view; 1 if there are none.
    """
    unlabelled = ~problem.labelled
    shared, count = 0.0, 0.0
    for view, posterior in enumerate(posteriors):
        own = posterior[unlabelled]
        others = averaged_posterior(posteriors, view, problem.counts)[unlabelled]
        shared += float(np.einsum("ij,ij->", own, others))
        count += float(own.sum())
    return shared / count if count else 1.0


def fit_weighted(member: Any, X: Matrix, weights: FloatArray) -> Any:
    """Fit a classifier to objects that belong to every class with some weight (rows × classes).

    Each object is given once per class in which it weighs anything. Classifiers for which only
    the weighted sums of the rows of each class matter are given those instead.

    Examples
    --------
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> counts, weights = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> fit_weighted(MultinomialNB(), counts, weights).feature_count_
    array([[2.5, 0.5],
           [0.5, 0.5]])
    """
    from sklearn.naive_bayes import ComplementNB, MultinomialNB

    if isinstance(member, ViewNaiveBayes):
        return member.fit_weighted(X, weights)
    if type(member) in (ComplementNB, MultinomialNB):
        mass = weights.sum(axis=0)
        codes = np.flatnonzero(mass > 0)
        own = weights[:, codes]
        sums = (X.T @ own).T if is_sparse(X) else own.T @ X
        # A mean row that weighs as much as its class gives the sums back.
        means = np.asarray(sums / own.sum(axis=0)[:, None])
        return member.fit(means, codes, sample_weight=mass[codes])
    rows, codes = np.nonzero(weights > NEGLIGIBLE)
    once = len(rows) == X.shape[0] and np.array_equal(rows, np.arange(len(rows)))
    with np.errstate(over="ignore", invalid="ignore"):  # trees say what single precision lacks
        return member.fit(X if once else X[rows], codes, sample_weight=weights[rows, codes])


class ViewNaiveBayes(ClassifierMixin, BaseEstimator):
    """Classify the rows of one matrix by a likelihood of them in each class.

    Rows that say nothing under the likelihood, such as those without a word, get the prior.
    """

    def __init__(self, likelihood: Likelihood[Any, Any]) -> None:
        self.likelihood = likelihood

    def fit(self, X: Matrix, y: IntArray, sample_weight: FloatArray) -> Self:
        """Learn from rows that have one class each, numbered from 0."""
        return self.fit_weighted(X, one_hot(y, int(np.max(y)) + 1) * sample_weight[:, None])

    def fit_weighted(self, X: Matrix, weights: FloatArray) -> Self:
        """Learn from rows that belong to every class with some weight (rows × classes)."""
        self.classes_ = np.flatnonzero(weights.sum(axis=0) > 0)
        own = weights[:, self.classes_]
        tells = np.flatnonzero(self.likelihood.informative(X))
        stats = self.likelihood.summarize(X[tells], own[tells])
        self.parameters_ = self.likelihood.update(stats)  # Eq. (22), if multinomial
        self.prior_ = own.sum(axis=0) / own.sum(axis=0).sum()
        return self

    def predict_proba(self, X: Matrix) -> FloatArray:
        """Return the probability of each class."""
        joint = np.tile(safe_log(self.prior_), (X.shape[0], 1))
        tells = np.flatnonzero(self.likelihood.informative(X))
        joint[tells] += self.likelihood.log_density(X[tells], self.parameters_)
        return log_softmax(joint)[0]  # Eq. (14)

    def predict(self, X: Matrix) -> IntArray:
        """Return the most probable class."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


class CoEMClassifier(AlternatingMixin, BaseMultiViewClassifier):
    """Classify with a classifier per view, which label unlabelled objects for each other, softly.

    Take it where each view alone could tell the classes and you have a classifier with
    probabilities that suits it. It labels softly, so that no early mistake stays, as it may
    with :class:`CoTraining`. Where views tell the classes only together, as bands of an image do,
    :class:`TransductiveSVM` is better: its mean accuracy is 0.74 and 0.69 on the twenty sets of
    ``make quality`` and on thirteen others (five labels a class), that of co-EM 0.70 and 0.60.

    Parameters
    ----------
    estimator : classifier, list or dict, optional
        A scikit-learn classifier with ``predict_proba`` whose ``fit`` takes ``sample_weight``: one
        for all views, a list with one per view, or a dict by view name. By default naive Bayes,
        which is sure of itself and what co-EM was made for, with a likelihood from the numbers of
        the view, as :class:`NaiveBayesEM` has it; ``classifiers_`` tells which. Logistic
        regression learns to be as unsure as what it is taught, and is worse off with every sweep
        where labels are few, unless ``weight`` is small. One with ``warm_start=True`` goes on
        from the sweep before, which saves much time.
    weight : float
        λ: what an unlabelled object counts beside a labelled one: 0 not at all, 1 as much.
    max_iter : int
        Most sweeps.
    tol : float
        Largest change of a probability at which to stop.
    view_weights : "auto", list or dict of float, optional
        What each view counts in judgements that views make together: a factor in their mean, an
        exponent in their product; a view of weight zero teaches nothing. "auto": 1, but 0 for a
        view that looks empty of structure, which a warning names: one whose neighbourhoods look
        like chance, unless the labels speak for it. Objects that nothing else shows are left to it.
    verbose : int
        1 reports the end, 2 each sweep.

    Attributes
    ----------
    classes_ : array
        The classes.
    classifiers_ : dict
        The classifier of each view, whose classes are positions in ``classes_``.
    class_prior_ : array of shape (n_classes,)
        Share of each class in what the classifiers learnt from last.
    view_weights_ : dict of float
        What each view counts.
    transduction_ : array of shape (n_objects,)
        Class of each training object: its label, or the most probable one by all its views.
    objective_history_ : array
        Agreement of the views at the start and after every sweep.
    n_iter_ : int
        Number of sweeps.
    converged_ : bool
        Whether it stopped before ``max_iter``.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> from manyviews.semi_supervised import CoEMClassifier
    >>> words = np.array([[3, 1, 0], [0, 1, 3], [0, 3, 1], [2, 2, 0], [0, 4, 1]])
    >>> links = np.array([[2, 0], [0, 2], [0, 3], [1, 0], [0, 1]])
    >>> y = ["sport", "news", None, None, None]
    >>> model = CoEMClassifier(MultinomialNB()).fit({"words": words, "links": links}, y)
    >>> model.transduction_
    array(['sport', 'news', 'news', 'sport', 'news'], dtype=object)
    >>> model.predict({"words": [[0, 5, 0]], "links": None})
    array(['news'], dtype=object)

    Notes
    -----
    **Objective**
        No function is known that co-EM improves in every sweep: it is a procedure.
        ``objective_history_`` tells how far the views agree: the probability that a label drawn
        by a view for an unlabelled object is the one drawn by the views that teach it.

    **Symbols**
        P(c|x_v) → ``view_probabilities``, λ → ``weight``.

    **Algorithm**
        Expectation maximisation with soft labels, view after view as in a Gauss-Seidel iteration:

        1. ``begin``: the classifier of each view is trained on the labelled objects.
        2. ``sweep``: for each view in turn, ``averaged_posterior``: the latest class probabilities
           of the other views, [@bickel2005], Eq. (13); ``fit_weighted``: the view's classifier is
           trained on the labelled objects and on every unlabelled one once per class, weighted by
           its probability; then it labels all objects for the next.
        3. Repeat until no probability changes by more than ``tol`` in a sweep.
        4. New objects: the product of the views' probabilities, the prior counted once, Eq. (19).

    **Deviations**
        The original has two views and naive Bayes; here any number of views, which teach by the
        mean of their probabilities, and any classifier. With two views it is the original with
        the last view as the first to label. An object that one view alone shows is learnt from
        with that view's own probabilities, so that with one view it is EM. A view with labelled
        objects of fewer than two classes waits until the others have taught it.

    **Complexity**
        One sweep fits and asks each classifier once. An object is stored as often as there are
        classes in which it weighs more than rounding errors, at most n_classes times; not at all
        for ``MultinomialNB`` and ``ComplementNB``, which need the sums over each class only.

    References
    ----------
    [@nigam2000], [@bickel2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    n_init = 1  # the labels say where to start
    random_state = None

    class_prior_: FloatArray
    classifiers_: dict[str, Any]
    transduction_: AnyArray
    view_weights_: dict[str, float]

    def __init__(
        self,
        estimator: ByView[Member | None] = None,
        *,
        weight: NonNegative = 1.0,
        max_iter: Count = 50,
        tol: NonNegative = 1e-3,
        view_weights: AutoViewWeights = "auto",
        verbose: Verbosity = 0,
    ) -> None:
        self.estimator = estimator
        self.weight = weight
        self.max_iter = max_iter
        self.tol = tol
        self.view_weights = view_weights
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        from sklearn.tree import DecisionTreeClassifier

        yield cls()
        yield cls(DecisionTreeClassifier(max_depth=2, random_state=0), weight=0.5)

    def predict(self, X: ViewsLike) -> AnyArray:
        """Return the most probable class of each object, by the views it has."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Return the probability of each class: the product over the views an object has."""
        views = self._new_views(X)
        by_view = probabilities_by_view(self.classifiers_, views, self.class_prior_)
        counts = weights_by_object(views.observed, self.view_weights_)
        return combine(by_view, counts, "product", self.class_prior_)

    def view_probabilities(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Return the probabilities by each view alone; NaN where a view is unobserved."""
        return probabilities_by_view(self.classifiers_, self._new_views(X), self.class_prior_)

    # -- hooks of the alternating template -------------------------------------------------------

    def _prepare(self, views: Views, y: Any) -> Problem:
        labels = self._fit_labels(y, views)
        rows = {name: shown_rows(views, name) for name in views.names}
        given = per_view(self.estimator, views.names, parameter="estimator")
        usual = {
            name: ViewNaiveBayes(suited_likelihood(rows[name][0], Multinomial(ALPHA)))
            for name in given
            if given[name] is None
        }
        members = read_members({**given, **usual}, views.names)
        for name, member in members.items():
            _refuse_useless(name, member, views)
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        return Problem(
            tuple(members.values()),
            tuple(rows.values()),
            one_hot(labels.codes, len(labels.classes)),
            float(self.weight),
            weights_by_object(views.observed, self.view_weights_),
        )

    def _start(self, problem: Problem, rng: np.random.Generator) -> Sweep:  # noqa: ARG002
        start = begin(problem)
        if not any(posterior.any() for posterior in start.posteriors):
            raise ValueError(
                "no view has labelled objects of two classes or more, so that none can start; "
                "label objects that share a view."
            )
        return start

    def _step(self, problem: Problem, state: Sweep) -> Sweep:
        return sweep(problem, state)

    def _objective(self, state: Sweep) -> float:
        return state.agreement

    def _may_stop(self, state: Sweep) -> bool:
        return state.change <= self.tol

    def _store(self, problem: Problem, state: Sweep) -> None:
        posteriors = dict(zip(self.view_names_, state.posteriors, strict=True))
        for name, posterior in posteriors.items():
            if not posterior.any():
                raise ValueError(
                    f"view {name!r} shows objects of one class only, by their labels and by the "
                    "other views, and learns nothing; leave it out."
                )
        self.classifiers_ = dict(zip(self.view_names_, problem.members, strict=True))
        mass = np.array(list(self.view_weights_.values())) @ np.array(state.masses)
        self.class_prior_ = mass / mass.sum()  # Eq. (17), weighted
        joined = combine(posteriors, problem.counts, "product", self.class_prior_)
        joined = np.where(problem.labelled[:, None], problem.labels, joined)
        self.transduction_ = self.classes_[joined.argmax(axis=1)]

    def _warn_not_converged(self, run: Run[Sweep]) -> None:
        change = f"a probability last changed by {run.state.change:.2g}"
        warn_not_converged(self, f"did not converge in max_iter={self.max_iter} sweeps ({change})")


def _refuse_useless(name: str, member: Any, views: Views) -> None:
    if not has_fit_parameter(member, "sample_weight"):
        raise TypeError(
            f"the fit of the estimator of view {name!r}, {member!r}, takes no sample_weight, by "
            "which objects count in every class; give a classifier that does (of a Pipeline: the "
            "classifier alone, with the transformers in PerView)."
        )
    if not views.observed_in(name).any():
        raise UnobservedViewsError(
            f"view {name!r} is observed for no object and teaches nothing; leave it out."
        )
