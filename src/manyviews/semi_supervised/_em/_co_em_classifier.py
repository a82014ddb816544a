"""A classifier per view, each taught by the class probabilities of the others [@nigam2000]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from manyviews.base import AlternatingMixin, BaseMultiViewClassifier, Run, ViewTags
from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import Multinomial, suited_likelihood
from manyviews.semi_supervised._em._co_em import Problem, Sweep, begin, sweep
from manyviews.semi_supervised._em._view_naive_bayes import ViewNaiveBayes
from manyviews.semi_supervised._shared import (
    Member,
    combine,
    probabilities_by_view,
    read_members,
    read_or_judge_class_weights,
    say,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    NonNegative,
    Verbosity,
    ViewsLike,
)

ALPHA = 0.1
"""Count that is added to every feature of every class: with 1, as naive Bayes over all views has
it, views of few links are too unsure to teach (accuracy over 20 sets .637, not .694)."""


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
        1. ``begin``: the classifier of each view is trained on the labelled objects.
        2. ``sweep``: for each view in turn, ``taught``: the latest class probabilities of the other
           views; ``fit_weighted``: the view's classifier is trained on the labelled objects and
           on every unlabelled one once per class, weighted by its probability; then it
           labels all objects for the next.
        3. Repeat until no probability changes by more than ``tol`` in a sweep.
        4. New objects: the product of the views' probabilities, the prior counted once.

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
        counts = say(views.observed, self.view_weights_)
        return combine(self._by_view(views), counts, "product", self.class_prior_)

    def view_probabilities(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Return the probabilities by each view alone; NaN where a view is unobserved."""
        return self._by_view(self._new_views(X))

    def _by_view(self, views: Views) -> dict[str, FloatArray]:
        return probabilities_by_view(self.classifiers_, views, self.class_prior_)

    # -- hooks of the alternating template -------------------------------------------------------

    def _prepare(self, views: Views, y: Any) -> Problem:
        labels = self._fit_labels(y, views)
        given = per_view(self.estimator, views.names, parameter="estimator")
        usual = {name: _naive_bayes(views, name) for name in given if given[name] is None}
        members = read_members({**given, **usual}, views.names)
        for name, member in members.items():
            _refuse_useless(name, member, views)
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        return Problem(
            tuple(members.values()),
            tuple(matrix for _, matrix in views.items()),
            views.observed,
            labels.codes,
            len(labels.classes),
            float(self.weight),
            say(views.observed, self.view_weights_),
        )

    def _start(self, problem: Problem, rng: np.random.Generator) -> Sweep:  # noqa: ARG002
        start = begin(problem)
        if not any(belief.any() for belief in start.beliefs):
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
        _refuse_untaught(self.view_names_, state)
        self.classifiers_ = dict(zip(self.view_names_, problem.members, strict=True))
        mass = np.array(list(self.view_weights_.values())) @ np.array(state.masses)
        self.class_prior_ = mass / mass.sum()
        beliefs = dict(zip(self.view_names_, state.beliefs, strict=True))
        joined = combine(beliefs, problem.say, "product", self.class_prior_)
        codes = np.where(problem.known >= 0, problem.known, joined.argmax(axis=1))
        self.transduction_ = self.classes_[codes]

    def _warn_not_converged(self, run: Run[Sweep]) -> None:
        warnings.warn(
            f"{type(self).__name__} did not converge in max_iter={self.max_iter} sweeps (a "
            f"probability last changed by {run.state.change:.2g}); raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _naive_bayes(views: Views, name: str) -> ViewNaiveBayes:
    """Return naive Bayes with the likelihood that suits the numbers of a view."""
    rows = views[name][np.flatnonzero(views.observed_in(name))]
    return ViewNaiveBayes(suited_likelihood(rows, Multinomial(ALPHA)))


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


def _refuse_untaught(names: tuple[str, ...], state: Sweep) -> None:
    for name, belief in zip(names, state.beliefs, strict=True):
        if not belief.any():
            raise ValueError(
                f"view {name!r} shows objects of one class only, by their labels and by the other "
                "views, and learns nothing; leave it out."
            )
