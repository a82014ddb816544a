"""Naive Bayes that also learns from unlabelled objects, by EM [@nigam2000text].

The classes make the views, and the features within them, independent of each other. From the top:
what a step starts from and leaves, the M step, the E step, the estimator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from manyviews.base import AlternatingMixin, BaseMultiViewClassifier, MultiViewTags, ViewTags
from manyviews.data import Views, codes_among, per_view
from manyviews.maths import (
    Bernoulli,
    Gaussian,
    Likelihood,
    LikelihoodLike,
    LikelihoodRows,
    Multinomial,
    log_softmax,
    read_likelihood,
    refuse_silent_views,
    row_blocks,
    safe_log,
    suited_likelihood,
    takes_counts,
)
from manyviews.semi_supervised._shared import (
    one_hot,
    read_or_judge_class_weights,
    relative_weights,
    weights_by_object,
)
from manyviews.similarity.views import shown_rows
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Verbosity,
    ViewsLike,
)

__all__ = ["NaiveBayesEM", "NaiveBayesStatistics"]

Family: TypeAlias = Likelihood[Any, Any]

BLOCK = 1 << 14
"""Rows whose posteriors are worked out at a time, so that they stay in the cache. With 20 classes
in double precision that takes 0.7 to 0.9 of the time of all at once, else as much; it is flat from
2¹² to 2¹⁶ rows (2026-11)."""


@dataclass(frozen=True)
class Problem:
    """What every step starts from."""

    views: dict[str, LikelihoodRows]
    """The rows of each view that are observed and say something."""
    known: IntArray
    """Class of each labelled object, -1 for others."""
    weight: float
    """λ: what an unlabelled object counts, where a labelled one counts 1."""
    class_alpha: float
    exponents: FloatArray
    """What each view counts: the power of its densities; one of 0 learns and says nothing."""

    @cached_property
    def counts(self) -> FloatArray:
        """What each object counts."""
        return np.where(self.known >= 0, 1.0, self.weight)

    @cached_property
    def log_base(self) -> float:
        """Part of the log posterior that no parameter changes."""
        pairs = zip(self.views.values(), self.exponents, strict=True)
        return float(sum(power * (view.log_base @ view.of(self.counts)) for view, power in pairs))


@dataclass(frozen=True)
class NaiveBayesStatistics:
    """What one E step leaves for the M step; adds up over subsets of the objects."""

    views: dict[str, Any]
    """Sums of each view, as its likelihood makes them."""
    mass: FloatArray
    """Weight of each class."""

    def __add__(self, other: NaiveBayesStatistics) -> NaiveBayesStatistics:
        if self.views.keys() != other.views.keys():
            raise ValueError(
                f"statistics of the views {list(self.views)} and {list(other.views)} do not add "
                "up; summarize the same views of every subset."
            )
        sums = {name: stats + other.views[name] for name, stats in self.views.items()}
        return NaiveBayesStatistics(sums, self.mass + other.mass)


@dataclass(frozen=True)
class Parameters:
    """What a naive Bayes classifier knows: θ of each view, as its likelihood has it, and P(c)."""

    views: dict[str, Any]
    prior: FloatArray


@dataclass(frozen=True)
class Expectation:
    """Parameters with what they say of every object."""

    parameters: Parameters
    posterior: FloatArray
    """Objects × classes; that of a labelled object is its label."""
    log_posterior: float
    """Of the parameters, given all objects: what EM raises."""


def step(problem: Problem, posterior: FloatArray) -> Expectation:
    """One M step from given posteriors, and the E step that follows it."""
    families = {name: view.family for name, view in problem.views.items()}
    return expect(problem, maximize(summarize(problem, posterior), families, problem.class_alpha))


def summarize(problem: Problem, posterior: FloatArray) -> NaiveBayesStatistics:
    """Sums over the objects, each in every class by P(c|x), times λ if it has no label.

    A view that counts nothing learns as if it did, to answer where it is asked alone.
    """
    weights = posterior
    if problem.weight != 1:
        weights = posterior * problem.counts.astype(posterior.dtype)[:, None]
    sums = {}
    for (name, view), power in zip(problem.views.items(), problem.exponents, strict=True):
        own = view.of(weights)
        if power not in (0.0, 1.0):
            own = own * own.dtype.type(power)
        sums[name] = view.family.summarize(view.matrix, own)
    return NaiveBayesStatistics(sums, weights.sum(axis=0, dtype=np.float64))


def maximize(
    stats: NaiveBayesStatistics, families: Mapping[str, Family], class_alpha: float
) -> Parameters:
    """M step: θ of every view, and P(c) after ``class_alpha`` is added to the weight of each class.

    Examples
    --------
    >>> maximize(NaiveBayesStatistics({}, np.array([3.0, 0.0])), {}, class_alpha=1.0).prior
    array([0.8, 0.2])
    """
    mass = stats.mass + class_alpha
    found = {name: families[name].update(sums) for name, sums in stats.views.items()}
    return Parameters(found, np.asarray(mass / mass.sum()))  # the M step of [@nigam2000text]


def expect(problem: Problem, parameters: Parameters) -> Expectation:
    """E step: posteriors of the unlabelled objects, and the log posterior of the parameters."""
    shape = len(problem.known), len(problem.views)
    joint = log_joint(problem.views, parameters, np.broadcast_to(problem.exponents, shape))
    posterior, evidence = np.empty_like(joint), np.empty(len(joint))
    labelled = np.flatnonzero(problem.known >= 0)
    codes = problem.known[labelled]
    told = joint[labelled, codes]  # before the loop, which normalises ``joint`` in place
    for rows in row_blocks(len(joint), BLOCK):
        posterior[rows], evidence[rows] = log_softmax(joint[rows])  # Eq. (6) of [@bickel2005]
    posterior[labelled] = one_hot(codes, joint.shape[1])
    evidence[labelled] = told
    likelihood = float(evidence @ problem.counts) + problem.log_base
    return Expectation(parameters, posterior, likelihood + log_prior(problem, parameters))


def log_joint(
    views: Mapping[str, LikelihoodRows], parameters: Parameters, counts: FloatArray
) -> FloatArray:
    """Log of P(c) Π_v P(x_v|c) for every object and class, by the views it has.

    It is the numerator of Eq. (19) of [@bickel2005], each density to the power of what its view
    counts for the object (``counts``, objects × views).
    """
    densities = (
        log_density(view, parameters.views[name], own)
        for (name, view), own in zip(views.items(), counts.T, strict=True)
    )
    joint: FloatArray = sum(densities, start=next(densities))
    joint += safe_log(parameters.prior).astype(joint.dtype)
    return joint


def log_density(view: LikelihoodRows, parameters: Any, counts: FloatArray) -> FloatArray:
    """Log of P(x_v|c) times what the view counts for each object; 0 where it says nothing."""
    found = view.spread(view.family.log_density(view.matrix, parameters), len(counts))
    if (counts == 1).all():
        return found
    scale = counts.astype(found.dtype)[:, None]
    return np.where(scale > 0, scale * found, found.dtype.type(0))


def log_prior(problem: Problem, parameters: Parameters) -> float:
    """Log density of the parameters, up to a constant, under which smoothing is their estimate.

    It is that of further counts, ``class_alpha`` of every class and, in views that count, ``alpha``
    of everything in every class.
    """
    total = problem.class_alpha * float(safe_log(parameters.prior).sum())
    for (name, view), power in zip(problem.views.items(), problem.exponents, strict=True):
        family, own = view.family, parameters.views[name]
        if power and isinstance(family, Multinomial):
            total += family.alpha * float(own.log_probabilities.sum(dtype=np.float64))
        elif power and isinstance(family, Bernoulli):
            both = own.log_present.sum(dtype=np.float64) + own.log_absent.sum()
            total += family.alpha * float(both)
    return total


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
        Expectation maximisation (EM), a ``step`` of which is the M step and the E step after it:

        1. Parameters from the labelled objects alone.
        2. ``expect``: P(c|x) of every unlabelled object by Bayes' rule; labels stay.
        3. ``summarize`` and ``maximize``: parameters from all objects, each counted in every class
           by its probability, those without a label times λ.
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
    [@nigam2000text], [@bickel2005]
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
        problem = self._pose(views, codes_among(y, self.classes_, views))
        known = Parameters(self.parameters_, self.class_prior_)
        return summarize(problem, expect(problem, known).posterior)

    def update(self, stats: NaiveBayesStatistics) -> Self:
        """M step from sums over all objects; ``transduction_`` stays as it is."""
        found = maximize(stats, self.likelihoods_, self.class_alpha)
        self.parameters_, self.class_prior_ = found.views, found.prior
        return self

    # -- hooks of the alternating template -------------------------------------------------------

    def _prepare(self, views: Views, y: Any) -> Problem:
        labels = self._fit_labels(y, views)
        given = per_view(self.likelihood, views.names, parameter="likelihood")
        self.likelihoods_ = {
            name: read_family(each, shown_rows(views, name)[0], self.alpha)
            for name, each in given.items()
        }
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        problem = self._pose(views, labels.codes)
        refuse_silent_views(list(problem.views.values()), views.names)
        return problem

    def _start(self, problem: Problem, rng: np.random.Generator) -> Expectation:  # noqa: ARG002
        return step(problem, one_hot(problem.known, len(self.classes_)))

    def _step(self, problem: Problem, state: Expectation) -> Expectation:
        return step(problem, state.posterior)

    def _objective(self, state: Expectation) -> float:
        return state.log_posterior

    def _store(self, problem: Problem, state: Expectation) -> None:  # noqa: ARG002
        self.parameters_, self.class_prior_ = state.parameters.views, state.parameters.prior
        self.transduction_ = self.classes_[state.posterior.argmax(axis=1)]

    # -- between views and arrays ----------------------------------------------------------------

    def _pose(self, views: Views, known: IntArray) -> Problem:
        rows = {}
        for name, matrix in views.items():
            family = self.likelihoods_[name]
            family.check(matrix, view=name)
            tells = views.observed_in(name) & family.informative(matrix)
            rows[name] = LikelihoodRows.among(family, matrix, tells)
        exponents = relative_weights(self._weights_of(views))
        return Problem(rows, known, self.weight, self.class_alpha, exponents)

    def _weights_of(self, views: Views) -> dict[str, float]:
        return {name: self.view_weights_[name] for name in views.names}

    def _log_joint(self, views: Views) -> FloatArray:
        problem = self._pose(views, np.full(len(views), -1))
        known = Parameters(self.parameters_, self.class_prior_)
        return log_joint(
            problem.views, known, weights_by_object(views.observed, self._weights_of(views))
        )


def read_family(given: LikelihoodLike, rows: Matrix, alpha: float) -> Family:
    """The likelihood of a view; those known by name are as naive Bayes has them.

    Examples
    --------
    >>> read_family("multinomial", np.eye(2), 0.5)
    Multinomial(alpha=0.5)
    """
    if given == "auto":
        return suited_likelihood(rows, Multinomial(alpha))
    if given == "multinomial":
        return Multinomial(alpha)
    if given == "bernoulli":
        return Bernoulli(alpha)
    if given == "gaussian":
        return Gaussian("diag")
    return copy(read_likelihood(given))
