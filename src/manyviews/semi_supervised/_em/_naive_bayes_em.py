"""Naive Bayes that also learns from unlabelled objects, by EM [@nigam2000text]."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from manyviews.base import (
    AlternatingMixin,
    BaseMultiViewClassifier,
    MultiViewTags,
    ViewTags,
)
from manyviews.data import Views, codes_among, per_view
from manyviews.maths import (
    Bernoulli,
    Gaussian,
    LikelihoodLike,
    Multinomial,
    log_softmax,
    read_likelihood,
    refuse_silent_views,
    suited_likelihood,
    takes_counts,
)
from manyviews.semi_supervised._em._naive_bayes import (
    Expectation,
    Family,
    NaiveBayesStatistics,
    Parameters,
    Problem,
    begin,
    class_shares,
    expect,
    log_joint,
    pose,
    step,
    summaries,
    weigh,
)
from manyviews.semi_supervised._shared import (
    read_or_judge_class_weights,
    relative_weights,
    say,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    NonNegative,
    Verbosity,
    ViewsLike,
)


class NaiveBayesEM(AlternatingMixin, BaseMultiViewClassifier):
    """Classify by naive Bayes, learnt from few labelled and many unlabelled objects.

    Take it for counts, such as words; try it where classes are of very unequal size. Classes should
    be what the model takes them for: one bundle of features each.

    Parameters
    ----------
    likelihood : "auto", str or likelihood, list or dict
        One for all views, a list with one per view, or a dict by view name: ``"multinomial"``
        (counts), ``"bernoulli"`` (present or absent), ``"gaussian"`` (with a variance per feature
        and class), ``"von_mises_fisher"`` (directions), or an object such as
        ``Multinomial(alpha=0.1)``. By default from the numbers of the view: ``"multinomial"``
        where three quarters or more are zeros (directions if some are negative), ``"bernoulli"``
        where all are 0 or 1, and a Gaussian with a variance per feature and class, a fifth of it
        that of all objects, for others. See ``likelihoods_``.
    weight : float
        λ: what an unlabelled object counts beside a labelled one: 0 not at all, 1 as much. Lower
        it when the model is too simple for the data and unlabelled objects do harm; choose it by
        cross-validation over the labelled ones.
    alpha : float
        Count that is added to every feature of every class in views whose likelihood is
        ``"multinomial"`` or ``"bernoulli"``; likelihoods given as objects have their own.
    class_alpha : float
        Count that is added to every class for the prior; 1 in the paper.
    view_weights : "auto", list or dict of float, optional
        The power of each view's likelihood, where the mean of those that count is 1; a view of
        weight zero is learnt and has no say. "auto": 1, but 0 for a view that looks empty of
        structure, which a warning names: one whose neighbourhoods look like chance, unless the
        labels speak for it. Of new objects that nothing else shows it is asked all the same.
    max_iter : int
        Most steps.
    tol : float
        Change of the log posterior, relative to its size, at which to stop.
    verbose : int
        1 reports the end, 2 each step.

    Attributes
    ----------
    classes_ : array
        The classes.
    class_prior_ : array of shape (n_classes,)
        Probability of each class.
    parameters_ : dict
        Parameters of each view, as its likelihood has them.
    likelihoods_ : dict
        The likelihood of each view.
    view_weights_ : dict of float
        What each view counts.
    transduction_ : array of shape (n_objects,)
        Class of each training object: its label, or the most probable one.
    objective_history_ : array
        The log posterior at the start and after every step.
    n_iter_ : int
        Number of steps.
    converged_ : bool
        Whether it stopped before ``max_iter``.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.semi_supervised import NaiveBayesEM
    >>> words = np.array([[3, 1, 0], [0, 1, 3], [0, 3, 1], [2, 2, 0], [0, 4, 1]])
    >>> links = np.array([[2, 0], [0, 2], [0, 3], [1, 0], [0, 1]])
    >>> y = ["sport", "news", None, None, None]
    >>> model = NaiveBayesEM().fit({"words": words, "links": links}, y)
    >>> model.transduction_
    array(['sport', 'news', 'news', 'sport', 'news'], dtype=object)
    >>> model.predict({"words": [[0, 5, 0]], "links": None})
    array(['news'], dtype=object)

    Notes
    -----
    **Objective**
        The log posterior of the parameters, as EM-λ has it: Σ_labelled log P(c_i) P(x_i|c_i) +
        λ Σ_unlabelled log Σ_c P(c) P(x_i|c) + log P(θ), where P(x|c) = Π_v P(x_v|c): the views, and
        the features within a view, are independent given the class.

    **Symbols**
        λ → ``weight``, θ_w|c → ``parameters_[view]``, θ_c → ``class_prior_``, P(θ) → the Dirichlet
        density under which ``alpha`` and ``class_alpha`` are added to counts.

    **Algorithm**
        1. ``begin``: parameters from the labelled objects alone.
        2. ``expect``: P(c|x) of every unlabelled object by Bayes' rule; labels stay.
        3. ``maximize``: parameters from all objects, each counted in every class by its
           probability, those without a label times λ.
        4. Repeat 2 and 3 until the log posterior changes by no more than ``tol`` of its size.

    **Deviations**
        The paper has one view, words, and adds 1 to the counts of words and of classes; here
        any number of views, each with a likelihood of its own, and ``class_alpha=0`` unless set,
        so that λ = 0 is scikit-learn's ``MultinomialNB``. The log posterior never falls. For a
        Gaussian that is so with ``reg=0`` only: ``reg`` is no prior, and its effect is not counted.
        One component per class: the paper's several are not built.

    **Complexity**
        One step costs two products of each view with a matrix of as many columns as there are
        classes: O(nnz · K) time for sparse views, and O(n · K) memory.

    References
    ----------
    [@nigam2000text]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, additive=True)

    n_init = 1  # the labels say where to start
    random_state = None

    class_prior_: FloatArray
    likelihoods_: dict[str, Family]
    parameters_: dict[str, Any]
    transduction_: AnyArray
    view_weights_: dict[str, float]

    def __init__(
        self,
        likelihood: ByView[LikelihoodLike] = "auto",
        *,
        weight: NonNegative = 1.0,
        alpha: NonNegative = 1.0,
        class_alpha: NonNegative = 0.0,
        view_weights: AutoViewWeights = "auto",
        max_iter: Count = 200,
        tol: NonNegative = 1e-6,
        verbose: Verbosity = 0,
    ) -> None:
        self.likelihood = likelihood
        self.weight = weight
        self.alpha = alpha
        self.class_alpha = class_alpha
        self.view_weights = view_weights
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls("gaussian", weight=0.5, class_alpha=1.0)

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = takes_counts(self.likelihood)
        tags.classifier_tags.poor_score = tags.input_tags.positive_only  # as of MultinomialNB
        return tags

    def predict(self, X: ViewsLike) -> AnyArray:
        """Return the most probable class of each object, by the views it has."""
        best = self._log_joint(self._new_views(X)).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Return the probability of each class, by all the views an object has."""
        return log_softmax(self._log_joint(self._new_views(X)))[0]

    def predict_log_proba(self, X: ViewsLike) -> FloatArray:
        """Return the logarithms of the probabilities, where these are too small for numbers."""
        joint = self._log_joint(self._new_views(X))
        log_softmax(joint)  # in place
        return joint

    def view_probabilities(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Return the probabilities by each view alone; NaN where a view is unobserved."""
        views = self._new_views(X)
        found = {}
        for name in views.names:
            shares = log_softmax(self._log_joint(views.subset([name])))[0]
            found[name] = np.where(views.observed_in(name)[:, None], shares, np.nan)
        return found

    def summarize(self, X: ViewsLike, y: Any = None) -> NaiveBayesStatistics:
        """E step on some objects with the fitted parameters: sums that ``update`` learns from.

        Parameters
        ----------
        X : views
            Some of the objects.
        y : array-like, optional
            Labels of them, among those of ``fit``; -1 or None where there is none.

        Examples
        --------
        >>> counts = np.array([[3, 0, 1], [0, 4, 1], [2, 0, 0], [0, 2, 1]])
        >>> model = NaiveBayesEM().fit(counts, [0, 1, -1, -1])
        >>> halves = model.summarize(counts[:2], [0, 1]) + model.summarize(counts[2:])
        >>> model.update(halves).class_prior_.round(2)
        array([0.5, 0.5])
        """
        views = self._new_views(X)
        problem = self._pose(views, codes_among(y, self.classes_, views), len(self.classes_))
        weights = weigh(problem, expect(problem, self._parameters()).posterior)
        sums = dict(zip(self.view_names_, summaries(problem, weights), strict=True))
        return NaiveBayesStatistics(sums, weights.sum(axis=0, dtype=np.float64))

    def update(self, stats: NaiveBayesStatistics) -> Self:
        """M step from sums over all objects; ``transduction_`` stays as it is."""
        self.parameters_ = {
            name: self.likelihoods_[name].update(sums) for name, sums in stats.views.items()
        }
        self.class_prior_ = class_shares(stats.mass, self.class_alpha)
        return self

    # -- hooks of the alternating template -------------------------------------------------------

    def _prepare(self, views: Views, y: Any) -> Problem:
        labels = self._fit_labels(y, views)
        given = per_view(self.likelihood, views.names, parameter="likelihood")
        self.likelihoods_ = {
            name: suited_likelihood(
                views[name][np.flatnonzero(views.observed_in(name))], Multinomial(self.alpha)
            )
            if value == "auto"
            else _read_family(value, self.alpha)
            for name, value in given.items()
        }
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        problem = self._pose(views, labels.codes, len(labels.classes))
        refuse_silent_views(problem.views, views.names)
        return problem

    def _start(self, problem: Problem, rng: np.random.Generator) -> Expectation:  # noqa: ARG002
        return begin(problem)

    def _step(self, problem: Problem, state: Expectation) -> Expectation:
        return step(problem, state)

    def _objective(self, state: Expectation) -> float:
        return state.log_posterior

    def _store(self, problem: Problem, state: Expectation) -> None:  # noqa: ARG002
        self.parameters_ = dict(zip(self.view_names_, state.parameters.views, strict=True))
        self.class_prior_ = state.parameters.prior
        self.transduction_ = self.classes_[state.posterior.argmax(axis=1)]

    # -- between views and arrays ----------------------------------------------------------------

    def _pose(self, views: Views, known: IntArray, n_classes: int) -> Problem:
        for name in views.names:
            self.likelihoods_[name].check(views[name], view=name)
        rows = [(self.likelihoods_[name], m, views.observed_in(name)) for name, m in views.items()]
        return pose(
            rows,
            known,
            n_classes,
            weight=self.weight,
            class_alpha=self.class_alpha,
            exponents=relative_weights(self._weights_of(views)).tolist(),
        )

    def _weights_of(self, views: Views) -> dict[str, float]:
        return {name: self.view_weights_[name] for name in views.names}

    def _parameters(self, names: tuple[str, ...] | None = None) -> Parameters:
        chosen = self.view_names_ if names is None else names
        return Parameters(tuple(self.parameters_[name] for name in chosen), self.class_prior_)

    def _log_joint(self, views: Views) -> FloatArray:
        problem = self._pose(views, np.full(len(views), -1), len(self.classes_))
        counts = say(views.observed, self._weights_of(views))
        return log_joint(problem.views, self._parameters(views.names), counts)


def _read_family(value: LikelihoodLike, alpha: float) -> Family:
    """Return a likelihood; those known by name are as naive Bayes has them."""
    if value == "multinomial":
        return Multinomial(alpha)
    if value == "bernoulli":
        return Bernoulli(alpha)
    if value == "gaussian":
        return Gaussian("diag")
    return copy(read_likelihood(value))
