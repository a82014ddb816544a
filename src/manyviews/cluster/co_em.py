"""Cluster by a mixture in each view, each view learning from the others: co-EM [@bickel2005].

Each view's M step takes the posterior averaged over the views, Eq. (13) of the paper, with the
latest posteriors of all of them, and its own follow at once: Table 1. From the top: the sweep
on checked arrays, starts, the fall of eta, what a user gives, the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length

from manyviews.base import (
    AlternatingMixin,
    BaseMultiViewClusterer,
    MultiViewTags,
    ViewTags,
    accepts,
    warn_user,
)
from manyviews.data import Labels, Views, codes_among, per_view, split_labelled
from manyviews.exceptions import ParameterError, ViewsError
from manyviews.maths import (
    Gaussian,
    Likelihood,
    LikelihoodLike,
    LikelihoodRows,
    VonMisesFisher,
    log_softmax,
    read_likelihood,
    refuse_silent_views,
    row_blocks,
    safe_log,
    suited_likelihood,
    takes_counts,
)
from manyviews.similarity import used_views, weights_of_views
from manyviews.typing import (
    AnyArray,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    RandomState,
    Repeats,
    Share,
    Verbosity,
    ViewsLike,
)

__all__ = ["CoEMMixture", "CoEMStatistics"]

Family: TypeAlias = Likelihood[Any, Any]
Start: TypeAlias = Literal["random", "objects"] | FloatArray
Anneal: TypeAlias = Literal["linear", "exponential"] | Callable[[int], float] | None

TRIAL = 20
"""Sweeps after which starts are compared. Of five starts on each of the twenty development sets
those best after 20 sweeps end at an NMI of .531 in the mean, those best after 100 sweeps at .531:
on 18 sets it is the same start. On the 12 views of protein folds, where 200 sweeps are not enough,
it saves four fifths of the sweeps."""
BLOCK = 1 << 14
"""Rows whose posteriors are worked out at a time, so that they stay in the cache. A judgement: with
8 components these are 1 MB in double precision."""
LAST_OF_EXPONENTIAL = 0.01
"""Share of eta at which an exponential fall ends in zero. A judgement: it would never reach
zero by itself, and only with eta at 0 may a run stop."""

_CHECKS_WITH_LABELS = (
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
)


@dataclass(frozen=True)
class Problem:
    """What all starts share."""

    views: tuple[LikelihoodRows, ...]
    n_components: int
    known: IntArray
    """Component of each labelled object, -1 for others."""
    share: FloatArray
    """One over the number of other views that say something of an object; 0 if there is none."""


@dataclass(frozen=True)
class ViewPosterior:
    """What one view thinks of every object; zeros where it has nothing to go by."""

    posterior: FloatArray
    log_posterior: FloatArray
    """Zeros also where a label says it all."""
    log_likelihood: float


@dataclass(frozen=True)
class Criterion:
    """Q^MV with its parts, at the present parameters."""

    value: float
    log_likelihoods: tuple[float, ...]
    disagreement: float


@dataclass(frozen=True)
class Sweep:
    """State after a pass over the views."""

    parameters: tuple[Any, ...]
    priors: tuple[FloatArray, ...]
    posteriors: tuple[ViewPosterior, ...]
    eta: float
    """Weight of the others in this pass."""
    history: tuple[Criterion, ...]


@dataclass(frozen=True)
class CoEMStatistics:
    """What one E step leaves for the M step; adds up over subsets of the objects."""

    views: dict[str, Any]
    """Sums of each view that is to be updated, as its likelihood makes them."""
    masses: dict[str, FloatArray]
    """Weight of each component in every view, for the prior."""

    def __add__(self, other: CoEMStatistics) -> CoEMStatistics:
        if self.views.keys() != other.views.keys():
            raise ValueError(
                f"statistics of the views {list(self.views)} and {list(other.views)} do not add "
                "up; summarize the same views of every subset."
            )
        return CoEMStatistics(
            {name: stats + other.views[name] for name, stats in self.views.items()},
            {name: mass + other.masses[name] for name, mass in self.masses.items()},
        )


def pose(
    views: Sequence[tuple[Family, Matrix, BoolArray]], known: IntArray, n_components: int
) -> Problem:
    """Keep of each view the rows that are observed and say something."""
    telling = [observed & family.informative(matrix) for family, matrix, observed in views]
    others = np.sum(telling, axis=0) - 1
    share = np.divide(1.0, others, out=np.zeros(len(known)), where=others > 0)[:, None]
    kept = [
        LikelihoodRows.among(family, matrix, tells)
        for (family, matrix, _), tells in zip(views, telling, strict=True)
    ]
    return Problem(tuple(kept), n_components, known, share)


def sweep(problem: Problem, state: Sweep, eta: float, *, shared_prior: bool) -> Sweep:
    """One pass over the views: E and M step in each, by the latest posteriors of all (Table 1)."""
    parameters, priors, posteriors = (
        list(state.parameters),
        list(state.priors),
        list(state.posteriors),
    )
    # Eq. (17): one prior for all views, from the posteriors before the sweep; taken after each view
    # it would be as many priors as views.
    common = component_shares(*(one.posterior for one in posteriors))
    for number, view in enumerate(problem.views):
        weights = view.of(averaged_posterior(posteriors, number, eta, problem.share))
        stats = view.family.summarize(view.matrix, weights)
        parameters[number] = view.family.update(stats)
        priors[number] = common if shared_prior else component_shares(weights)
        posteriors[number] = view_posterior(view, parameters[number], priors[number], problem.known)
    found = criterion(posteriors, eta, problem.share)
    return Sweep(tuple(parameters), tuple(priors), tuple(posteriors), eta, (*state.history, found))


def begin(problem: Problem, responsibilities: Sequence[FloatArray], eta: float) -> Sweep:
    """State before the first pass: parameters from given responsibilities, one array per view."""
    parameters, priors, posteriors = [], [], []
    for view, weights in zip(problem.views, responsibilities, strict=True):
        rows = view.of(weights)
        parameters.append(view.family.update(view.family.summarize(view.matrix, rows)))
        priors.append(component_shares(rows))
        posteriors.append(view_posterior(view, parameters[-1], priors[-1], problem.known))
    found = criterion(posteriors, eta, problem.share)
    return Sweep(tuple(parameters), tuple(priors), tuple(posteriors), eta, (found,))


def view_posterior(
    view: LikelihoodRows, parameters: Any, prior: FloatArray, known: IntArray
) -> ViewPosterior:
    """Posterior of the components by one view alone, labels kept."""
    joint = view.family.log_density(view.matrix, parameters)
    posterior, evidence = np.empty_like(joint), np.empty_like(joint[:, 0])
    log_prior = safe_log(prior).astype(joint.dtype)
    labels = view.of(known)
    labelled = np.flatnonzero(labels >= 0)
    # Before the loop, which normalises ``joint`` in place: the evidence of a labelled row is its
    # joint density with the label, not the sum over components.
    told = joint[labelled, labels[labelled]] + log_prior[labels[labelled]]
    for rows in row_blocks(view.n_rows, BLOCK):
        joint[rows] += log_prior
        posterior[rows], evidence[rows] = log_softmax(joint[rows])  # Eq. (14); joint in place
    evidence[labelled] = told
    posterior[labelled] = np.eye(len(prior))[labels[labelled]]
    joint[labelled] = 0.0  # a posterior of 1 and 0 has no entropy to count in Q^MV
    total = float(view.log_base.sum()) + float(evidence.sum(dtype=np.float64))
    return ViewPosterior(view.spread(posterior, len(known)), view.spread(joint, len(known)), total)


def averaged_posterior(
    posteriors: Sequence[ViewPosterior], view: int, eta: float, share: FloatArray
) -> FloatArray:
    """Posterior that a view learns from: (1 − η) its own and η the mean of the others', Eq. (13).

    Objects that only this view shows keep its own.
    """
    own = posteriors[view].posterior
    if eta == 0 or len(posteriors) == 1:
        return own
    others = _mean_of_others(posteriors, view, share)
    return others if eta == 1 else (1.0 - eta) * own + eta * others  # Eq. (13)


def _mean_of_others(
    posteriors: Sequence[ViewPosterior], view: int, share: FloatArray
) -> FloatArray:
    others = [one.posterior for place, one in enumerate(posteriors) if place != view]
    if not others:
        return posteriors[view].posterior
    if len(others) == 1 and share.all():
        return others[0]  # two views: no copy of n × m numbers
    mean: FloatArray = sum(others[1:], start=others[0]) * share
    alone = np.flatnonzero(share[:, 0] == 0)
    mean[alone] = posteriors[view].posterior[alone]
    return mean


def component_shares(*weights: FloatArray) -> FloatArray:
    """Share of each component in the weights of all rows, of one view or of several."""
    mass = sum(own.sum(axis=0, dtype=np.float64) for own in weights)
    return np.asarray(mass / np.sum(mass))


def criterion(posteriors: Sequence[ViewPosterior], eta: float, share: FloatArray) -> Criterion:
    """Q^MV of Eq. (12), at parameters that are the new and the old ones at once.

    log(α P(x|j)) is log P(x) + log P(j|x), so that Q^MV = Σ log P(x) + Σ averaged · log P(j|x), and
    Δ of Eq. (10) is Σ (own − mean of others) · log P(j|x).
    """
    own = [_dot(one.posterior, one.log_posterior) for one in posteriors]
    crossed = [
        _dot(_mean_of_others(posteriors, view, share), one.log_posterior)
        for view, one in enumerate(posteriors)
    ]
    likelihoods = tuple(one.log_likelihood for one in posteriors)
    value = sum(likelihoods) + (1.0 - eta) * sum(own) + eta * sum(crossed)  # Eq. (12)
    return Criterion(value, likelihoods, max(sum(own) - sum(crossed), 0.0))  # 0: rounding


def _dot(one: FloatArray, other: FloatArray) -> float:
    return float(np.einsum("ij,ij->", one, other, dtype=np.float64))


def draw_start(problem: Problem, init: Start, rng: np.random.Generator) -> list[FloatArray]:
    """Responsibilities of every object for every component, one array per view.

    Labelled objects have theirs in all views. The other objects are left to the components that
    no label stands for: without weight if there is none, as Nigam and Ghani start.
    """
    known, shape = problem.known, (len(problem.known), problem.n_components)
    named = np.zeros(problem.n_components, dtype=bool)
    named[known[known >= 0]] = True
    starts = []
    for drawn in _draw(init, shape, len(problem.views), rng):
        start = np.where(named, 0.0, drawn)
        start[known >= 0] = 0.0
        start[known >= 0, known[known >= 0]] = 1.0
        starts.append(start)
    return starts


def _draw(
    init: Start, shape: tuple[int, int], n_views: int, rng: np.random.Generator
) -> list[FloatArray]:
    n_objects, n_components = shape
    if not isinstance(init, str):
        return [init] * n_views
    if init == "random":
        return [rng.dirichlet(np.ones(n_components), n_objects) for _ in range(n_views)]
    drawn = np.full(shape, 1.0 / n_objects)  # all objects together weigh as much as the one
    drawn[rng.choice(n_objects, n_components, replace=False), np.arange(n_components)] += 1.0
    return [drawn] * n_views


def eta_at(number: int, eta: float, anneal: Anneal, max_iter: int) -> float:
    """Weight of the other views in a sweep, numbered from 0.

    Examples
    --------
    >>> [eta_at(number, 1.0, "linear", 8) for number in range(6)]
    [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    """
    if anneal is None:
        return float(eta)
    if callable(anneal):
        return _own_eta(anneal, number)
    span = max(max_iter // 2, 1)  # the other half is left to converge at eta = 0
    if number >= span:
        return 0.0
    if anneal == "linear":
        return eta * (1.0 - number / span)
    return float(eta * LAST_OF_EXPONENTIAL ** (number / span))


def _own_eta(anneal: Callable[[int], float], number: int) -> float:
    try:
        eta = anneal(number)
    except TypeError as error:
        raise ParameterError(
            f"anneal={anneal!r} cannot be called with the number of a sweep; give a function "
            "of that number, or 'linear'."
        ) from error
    if not accepts(Share, eta):
        raise ValueError(
            f"anneal({number})={eta!r} should be a number from 0 to 1: beyond 1 an object's own "
            "posterior counts negatively and with it words get negative probabilities, and below "
            "0 the views would seek dissent."
        )
    return float(eta)


def pose_views(
    views: Views, families: dict[str, Family], known: IntArray, n_components: int
) -> Problem:
    """Check that each view is in the domain of its likelihood, and pose the problem."""
    for name, family in families.items():
        family.check(views[name], view=name)
    return pose(
        [(family, views[name], views.observed_in(name)) for name, family in families.items()],
        known,
        n_components,
    )


def read_classes(y: Any, views: Views, n_components: int) -> Labels:
    """Read labels, whose classes become the first components."""
    labels = split_labelled(y, views)
    check_consistent_length(views, labels.codes)
    if len(labels.classes) > n_components:
        raise ViewsError(
            f"y has {len(labels.classes)} classes and n_components is {n_components}, but every "
            "class is a component; raise n_components, or leave y out."
        )
    return labels


def read_start(init: Start, problem: Problem) -> Start:
    """Check responsibilities that a user wants to start from; a name is as it is."""
    if isinstance(init, str):
        return init
    shape = len(problem.known), problem.n_components
    numeric = init.dtype.kind in "fiub"
    given = init.astype(np.float64) if numeric else np.full(shape, np.nan)
    if given.shape != shape or not (given >= 0).all() or not given.sum(axis=0).all():
        raise ValueError(
            f"init should be 'random', 'objects' or an array of responsibilities of shape {shape}, "
            "not negative and with some weight in every column."
        )
    return given


def _read_family(value: LikelihoodLike, views: Views, name: str) -> Family:
    """Take a likelihood as given, or as the observed rows of a view suggest."""
    if value == "auto":
        return suited_likelihood(
            views[name][np.flatnonzero(views.observed_in(name))], VonMisesFisher()
        )
    return copy(read_likelihood(value))  # the user's may change after the fit


@dataclass(frozen=True)
class _Task:
    posed: Problem
    views: Views
    labels: Labels | None
    start: Start


class CoEMMixture(AlternatingMixin, BaseMultiViewClusterer):
    """Cluster objects by a mixture model in each view, each view learning from the others.

    Take it where the probability of each cluster matters, where views are of different kinds
    (counts, yes or no, measurements), or where a few labels can be given to start from.

    Parameters
    ----------
    n_components : int
        Number of components, that is of clusters.
    likelihood : "auto", str or likelihood, list or dict
        One for all views, a list with one per view, or a dict by view name: ``"multinomial"``,
        ``"gaussian"``, ``"bernoulli"``, ``"von_mises_fisher"``, or an object such as
        ``Multinomial(alpha=0.1)``. By default from the numbers of the view: directions,
        ``"von_mises_fisher"``, where three quarters or more are zeros; ``"bernoulli"`` where all
        are 0 or 1; and a Gaussian with a variance per feature, a fifth of it that of all objects,
        for others. See ``likelihoods_``.
    eta : float
        Weight of the other views from 0 (each view for itself) to 1 (each learns from the others
        only). More would make word probabilities negative. Views that are unsure by themselves lose
        components at 1, see the guide: lower it, or anneal.
    anneal : None, "linear", "exponential" or callable
        How ``eta`` falls to 0 over the first half of ``max_iter``. A callable gets the
        number of the sweep, from 0, and returns eta itself, which has to end at 0.
    shared_prior : bool
        Whether all views have the same prior.
    view_weights : "auto" or None
        By default a view that looks empty of structure (:func:`~manyviews.similarity.judge_views`,
        asked of a thousand objects at most) is left out, of which a warning tells; None for all
        views.
    init : "random", "objects" or array of shape (n_objects, n_components)
        How to start: from random responsibilities, drawn for each view apart, as in the paper;
        from as many objects drawn at random, which is often better; or from these responsibilities
        in every view. Components with labelled objects start from those.
    n_init : int
        Number of starts.
    max_iter : int
        Most sweeps per start.
    tol : float
        Change of the objective, relative to its size, at which to stop.
    random_state : int, generator or None
        Draws the starts.
    verbose : int
        1 reports each start, 2 each sweep.

    Attributes
    ----------
    labels_ : array of int of shape (n_objects,)
        Component of each object; the given one for labelled objects.
    classes_ : array
        Class of component 0, 1, …; there only after a fit with labels.
    parameters_ : dict
        Parameters of each view, as its likelihood has them.
    prior_ : array of shape (n_components,)
        Probability of each component.
    view_priors_ : dict
        The same by view; they differ with ``shared_prior=False`` only.
    likelihoods_ : dict
        The likelihood of each view.
    eta_ : float
        Weight of the other views in the last sweep.
    objective_history_ : array
        Q^MV at the start and after every sweep.
    log_likelihood_history_ : dict of arrays
        The same for the log-likelihood of each view.
    disagreement_history_ : array
        The same for Δ.
    n_iter_ : int
        Number of sweeps of the best start.
    converged_ : bool
        Whether it stopped before ``max_iter``.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_weights_ : dict of float
        1 for a view that is used, 0 for one that is left out and in none of the above.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.cluster import CoEMMixture
    >>> words = np.array([[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 1]])
    >>> links = np.array([[5, 0], [3, 1], [0, 2], [0, 0]])
    >>> model = CoEMMixture(2, random_state=0).fit({"words": words, "links": links})
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    >>> model.predict({"words": None, "links": [[9, 1]]}) == model.labels_[0]
    array([ True])

    Notes
    -----
    **Objective**
        Q^MV = Σ_v Q^SV_v − η Δ, Eq. (7), where Q^SV is the expected log-likelihood of a view and Δ,
        Eq. (10), the sum over pairs of views of the divergences between their posteriors. By
        Theorem 1 it is a sum over views of Σ_i Σ_j P^(v)(j|x_i) log(α_j P(x_i^(v)|j)), Eq. (12),
        with the averaged posterior P^(v) = (1 − η) P(j|x^(v)) + η/(s−1) Σ_{u≠v} P(j|x^(u)),
        Eq. (13).

    **Symbols**
        m → ``n_components``, s → number of views, η → ``eta``, Θ^(v) → ``parameters_[view]``,
        α → ``prior_``, Δ → ``disagreement_history_``, Q^MV → ``objective_history_``.

    **Algorithm**
        1. ``draw_start``: responsibilities at random, separately in each view.
        2. ``sweep`` (Table 1): for each view in turn, ``averaged_posterior``: the mean of the
           latest posteriors of all views, Eq. (13); estimate the view's parameters from it (the
           likelihood's ``summarize`` and ``update``); ``view_posterior``: its new one, Eq. (14).
        3. Repeat until Q^MV changes by no more than ``tol`` of its size; with ``anneal``, not
           before η is 0. Of several starts the one with the best Q^MV after 20 sweeps goes on;
           with ``anneal`` all do, and the best is kept.
        4. An object goes to the component of largest α_j Π_v P(x^(v)|j), Eq. (19).

    **Deviations**
        The prior that the views share, Eq. (17), is estimated once per sweep from the posteriors
        before it; each view takes it over at its turn. With ``shared_prior=False`` each view has
        its own and Eq. (19) takes their mean.
        Only views that are observed and not empty (no words, no direction) enter Eq. (13) and
        (17), and Δ divides by the number of those; an object that one view shows is learnt from
        by that view alone. In Eq. (9) and (10) the posteriors inside the logarithm have to be
        those of the new parameters, as in Eq. (26), and in Eq. (21) the term is n log θ − log n!.
        ``objective_history_`` has Q^MV with the new parameters as the old ones, which is
        what its change is judged by: it need not grow in every sweep, not even with η = 0, where
        the likelihood of every view does. Multinomials are smoothed by ``alpha`` where Eq. (22)
        is not; ``Multinomial(alpha=0)`` is Eq. (22). The paper has multinomials for words and
        links; by default these are directions here: from random starts multinomials lose
        components, and over the ten development sets of texts and links that have no negative
        values directions give an NMI of .48 in the mean, multinomials .24.

    **Complexity**
        One sweep costs two products of each view with a matrix of ``n_components`` columns:
        O(nnz · m) time for sparse views, and O(n · m) memory per view.

    References
    ----------
    [@bickel2005], [@nigam2000]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, additive=True)

    classes_: AnyArray
    disagreement_history_: FloatArray
    eta_: float
    likelihoods_: dict[str, Family]
    log_likelihood_history_: dict[str, FloatArray]
    parameters_: dict[str, Any]
    prior_: FloatArray
    view_priors_: dict[str, FloatArray]
    view_weights_: dict[str, float]

    def __init__(
        self,
        n_components: Count = 8,
        likelihood: ByView[LikelihoodLike] = "auto",
        *,
        eta: Share = 1.0,
        anneal: Anneal = None,
        shared_prior: bool = True,
        view_weights: Literal["auto"] | None = "auto",
        init: Start = "random",
        n_init: Repeats = 10,
        max_iter: Count = 200,
        tol: NonNegative = 1e-6,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_components = n_components
        self.likelihood = likelihood
        self.eta = eta
        self.anneal = anneal
        self.shared_prior = shared_prior
        self.view_weights = view_weights
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(3)
        yield cls(3, Gaussian("diag", reg=1e-3), anneal="linear", init="objects", max_iter=20)
        yield cls(3, Gaussian(reg=1e-2), eta=0.5, shared_prior=False, init="objects")
        yield cls(3, VonMisesFisher(max_concentration=1e3), init="objects")

    @property
    def _expected_failed_checks(self) -> dict[str, str]:
        labels = "it gives numbers as y to a clusterer, which are labels here: too many classes"
        counts = "it gives negative values, and a multinomial takes counts"
        checks = dict.fromkeys(_CHECKS_WITH_LABELS, labels)
        return {**checks, "check_clustering": counts} if takes_counts(self.likelihood) else checks

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = takes_counts(self.likelihood)
        return tags

    def predict(self, X: ViewsLike) -> IntArray:
        """Return the most probable component of each object, by the views it has, Eq. (19)."""
        return self._log_joint(self._new_views(X)).argmax(axis=1)

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Return the probability of each component, by all the views an object has."""
        return log_softmax(self._log_joint(self._new_views(X)))[0]

    def score_samples(self, X: ViewsLike) -> FloatArray:
        """Return the log density of each object in the views it has."""
        views = self._new_views(X)
        evidence = log_softmax(self._log_joint(views))[1]
        for name, family in self.likelihoods_.items():
            seen = views.observed_in(name)
            rows = views[name] if seen.all() else views[name][np.flatnonzero(seen)]  # no copy
            evidence[seen] += family.log_base(rows)
        return evidence

    def score(self, X: ViewsLike, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """Return the mean log density of the objects."""
        return float(self.score_samples(X).mean())

    def _log_joint(self, views: Views) -> FloatArray:
        joint = np.tile(safe_log(self.prior_), (len(views), 1))
        for name, family in self.likelihoods_.items():
            family.check(views[name], view=name)
            places = np.flatnonzero(views.observed_in(name) & family.informative(views[name]))
            rows = views[name] if len(places) == len(views) else views[name][places]
            joint[places] += family.log_density(rows, self.parameters_[name])  # Eq. (19)
        return joint

    def summarize(self, X: ViewsLike, y: Any = None, *, view: str | None = None) -> CoEMStatistics:
        """E step on some objects with the fitted parameters: sums that ``update`` learns from.

        Parameters
        ----------
        X : views
            Some of the objects.
        y : array-like, optional
            Labels of them, among those of ``fit``; -1 or None where there is none.
        view : str, optional
            Sum up for this view only, as Table 1 does it, view by view.

        Examples
        --------
        >>> from manyviews.cluster import CoEMMixture
        >>> words = np.array([[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 1]])
        >>> views = Views({"words": words, "title": words[:, ::-1]})
        >>> model = CoEMMixture(2, random_state=0).fit(views)
        >>> for name in model.view_names_:
        ...     halves = [model.summarize(views[rows], view=name) for rows in ([0, 1], [2, 3])]
        ...     model = model.update(halves[0] + halves[1])
        """
        views = self._new_views(X).subset(self.likelihoods_)
        chosen = views.names if view is None else views.subset([view]).names
        known = codes_among(y, getattr(self, "classes_", np.array([])), views)
        problem = pose_views(views, self.likelihoods_, known, len(self.prior_))
        posteriors = [
            view_posterior(rows, self.parameters_[name], self.view_priors_[name], known)
            for name, rows in zip(views.names, problem.views, strict=True)
        ]
        each = [
            (name, rows, rows.of(averaged_posterior(posteriors, number, self.eta_, problem.share)))
            for number, (name, rows) in enumerate(zip(views.names, problem.views, strict=True))
        ]
        sums = {
            name: rows.family.summarize(rows.matrix, own)
            for name, rows, own in each
            if name in chosen
        }
        masses = {name: own.sum(axis=0, dtype=np.float64) for name, _, own in each}
        return CoEMStatistics(sums, masses)

    def update(self, stats: CoEMStatistics) -> Self:
        """M step: parameters and prior from sums over all objects; ``labels_`` stay as they are."""
        fresh = {name: self.likelihoods_[name].update(sums) for name, sums in stats.views.items()}
        shared = np.sum(list(stats.masses.values()), axis=0)  # Eq. (16)
        masses = dict.fromkeys(stats.masses, shared) if self.shared_prior else stats.masses
        self.parameters_ = {**self.parameters_, **fresh}
        self.view_priors_ = {
            name: masses[name] / masses[name].sum() if name in fresh else self.view_priors_[name]
            for name in self.likelihoods_
        }
        self.prior_ = np.mean(list(self.view_priors_.values()), axis=0)
        return self

    def _min_objects(self) -> int:
        return self.n_components

    def _prepare(self, views: Views, y: Any) -> _Task:
        wanted = per_view(self.likelihood, views.names, parameter="likelihood")
        self.view_weights_ = weights_of_views(self.view_weights, views)
        views = used_views(views, self.view_weights_)
        families = {name: _read_family(wanted[name], views, name) for name in views.names}
        labels = None if y is None else read_classes(y, views, self.n_components)
        known = np.full(len(views), -1) if labels is None else labels.codes
        problem = pose_views(views, families, known, self.n_components)
        refuse_silent_views(problem.views, views.names)
        return _Task(problem, views, labels, read_start(self.init, problem))

    def _start(self, problem: _Task, rng: np.random.Generator) -> Sweep:
        drawn = draw_start(problem.posed, problem.start, rng)
        return begin(problem.posed, drawn, self._eta_at(0))

    def _step(self, problem: _Task, state: Sweep) -> Sweep:
        eta = self._eta_at(len(state.history) - 1)
        return sweep(problem.posed, state, eta, shared_prior=self.shared_prior)

    def _eta_at(self, number: int) -> float:
        return eta_at(number, self.eta, self.anneal, self.max_iter)

    def _objective(self, state: Sweep) -> float:
        return state.history[-1].value

    def _steps_per_start(self) -> int:
        # While eta falls Q^MV is another function in each sweep, so that starts compare at its end.
        compared = self.n_init > 1 and self.anneal is None
        return min(TRIAL, self.max_iter) if compared else self.max_iter

    def _check_labels(self, X: Any, y: Any) -> None:
        """Take labels in any order: they are matched by id where they are read."""

    def _may_stop(self, state: Sweep) -> bool:
        return self.anneal is None or state.eta == 0

    def _store(self, problem: _Task, state: Sweep) -> None:
        names, labels = problem.views.names, problem.labels
        history = state.history
        self.likelihoods_ = {
            name: rows.family for name, rows in zip(names, problem.posed.views, strict=True)
        }
        self.parameters_ = dict(zip(names, state.parameters, strict=True))
        self.view_priors_ = dict(zip(names, state.priors, strict=True))
        self.prior_ = np.mean(state.priors, axis=0)
        self.eta_ = state.eta
        self.log_likelihood_history_ = {
            name: np.array([each.log_likelihoods[place] for each in history])
            for place, name in enumerate(names)
        }
        self.disagreement_history_ = np.array([each.disagreement for each in history])
        if labels is not None:
            self.classes_ = labels.classes
        elif hasattr(self, "classes_"):
            del self.classes_  # of an earlier fit with labels
        found = self._log_joint(problem.views).argmax(axis=1)
        known = problem.posed.known
        self.labels_ = np.where(known >= 0, known, found)
        self._warn_of_lost_components()

    def _warn_of_lost_components(self) -> None:
        """Views that are each unsure of most objects can agree on fewer components than asked."""
        n_found = len(np.unique(self.labels_))
        if n_found < self.n_components:
            warn_user(
                f"only {n_found} of {self.n_components} components have objects; give "
                "init='objects', a lower eta, anneal='linear', or ask for fewer components.",
                ConvergenceWarning,
            )
