"""Gaussian mixtures learnt by EM from objects of which any part is missing [@ghahramani1994].

And what fills a gap with one value: what the mixture expects there, or the mean of the feature
[@williams2005].
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.base import DensityMixin, clone
from sklearn.utils.validation import check_is_fitted

from manyviews.base import (
    AlternatingMixin,
    BaseMultiView,
    BaseMultiViewTransformer,
    ViewTags,
    check_argument,
)
from manyviews.data import Layout, Views, split_wide
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.maths import (
    Conditionals,
    GaussianComponents,
    GaussianSums,
    PatternRows,
    assigned_gaussian_sums,
    check_covariances,
    components_of_sums,
    conditionals,
    expected_rows,
    gaussian_sums,
    generator,
    pattern_rows,
    responsibilities,
)
from manyviews.typing import (
    AnyArray,
    Count,
    FloatArray,
    Having,
    IntArray,
    Interval,
    NonNegative,
    RandomState,
    Repeats,
    Verbosity,
    ViewsLike,
)

__all__ = [
    "ConditionalMeanImputer",
    "IncompleteGaussianMixture",
    "Mixture",
    "UnconditionalMeanImputer",
    "wide_rows",
]

Mixture: TypeAlias = Annotated[Any, Having("a Gaussian mixture", "fit", "score_samples")]
"""Ours, scikit-learn's, or one in a ``FrozenEstimator``, which is no subclass of either."""


# All views side by side ---------------------------------------------------------------------------


def wide_rows(views: Views) -> FloatArray:
    """Rows of all views, NaN where something is missing; refuses what is missing everywhere.

    Examples
    --------
    >>> wide_rows(Views({"size": [[1.0], None], "price": [[2.0], [3.0]]}))
    array([[ 1.,  2.],
           [nan,  3.]])
    """
    for name in views.names:
        if not views.observed_in(name).any():
            raise UnobservedViewsError(
                f"view {name!r} is observed for no object and teaches nothing; leave it out."
            )
    wide = np.asarray(views, dtype=np.float64)
    empty = np.flatnonzero(np.isnan(wide).all(axis=0))
    if len(empty):
        raise ViewsError(
            f"{_feature(views.layout, int(empty[0]))} is NaN in every object, so that nothing can "
            "be learnt of it; leave it out."
        )
    return wide


def _feature(layout: Layout, column: int) -> str:
    """Name a column of the wide matrix by its view."""
    view, columns = next(item for item in layout.slices().items() if column < item[1].stop)
    place = column - columns.start
    known = layout.feature_names.get(view)
    feature = place if known is None else f"{place} ({known[place]!r})"
    return f"feature {feature} of view {view!r}"


# EM for rows with gaps [@ghahramani1994] ----------------------------------------------------------


class Fit(NamedTuple):
    """A mixture, and what the rows sum up to under it."""

    components: GaussianComponents
    sums: GaussianSums


def em_start(
    rows: PatternRows,
    posterior: FloatArray,
    reference: GaussianComponents,
    *,
    reg_covar: float,
    diagonal: bool,
) -> Fit:
    """Make a mixture of given responsibilities, gaps filled by the Gaussian of reference."""
    means = np.repeat(reference.means, posterior.shape[1], axis=0)
    for _ in range(2):  # again, as groups may lie far from the mean of all and lose digits there
        sums = assigned_gaussian_sums(rows, posterior, reference, means, diagonal=diagonal)
        components = components_of_sums(sums, means, reg_covar)
        means = components.means
    return Fit(components, gaussian_sums(rows, components))


def k_means_posterior(
    rows: PatternRows, reference: GaussianComponents, n_components: int, rng: np.random.Generator
) -> FloatArray:
    """Responsibilities of 0 and 1 by k-means on scaled features, gaps filled by their means."""
    if n_components == 1:
        return np.ones((len(rows), 1))
    from sklearn.cluster import KMeans

    deviations = (rows.values - reference.means[0]) / np.sqrt(reference.covariances[0])
    # Rows are sorted by pattern, but k-means, whose draws depend on their order, should see them as
    # the user gave them.
    scaled = np.empty_like(deviations)
    scaled[rows.places] = np.where(rows.observed[rows.pattern], deviations, 0.0)
    seed = int(rng.integers(2**31))
    found = KMeans(n_components, n_init=1, random_state=seed).fit_predict(scaled)
    return np.eye(n_components)[found]


def draw(
    rng: np.random.Generator, mean: FloatArray, covariance: FloatArray, count: int
) -> FloatArray:
    """Draw rows from a Gaussian of full, (d, d), or diagonal, (d,), covariance."""
    standard = rng.standard_normal((count, len(mean)))
    if covariance.ndim == 1:
        return mean + standard * np.sqrt(covariance)
    return mean + standard @ np.linalg.cholesky(covariance).T


class _Problem(NamedTuple):
    """What all starts share."""

    rows: PatternRows
    reference: GaussianComponents
    """Mean and variances of each feature where it is observed."""
    given: FloatArray | None
    """Responsibilities to start from, if the user gave them."""


class IncompleteGaussianMixture(AlternatingMixin, DensityMixin, BaseMultiView):
    """Learn the joint density of all views from objects that lack views, or single cells.

    Take it to ask what is to be expected in a gap and how surely, or as the model behind
    :class:`IncompleteRBF`. It is meant for measurements, with more objects than features.

    Parameters
    ----------
    n_components : int
        Number of Gaussians, Z.
    covariance : "full" or "diag"
        Whether each component has a covariance matrix, or variances only. Then a missing cell is
        predicted by the component alone, and thousands of features are no trouble.
    reg_covar : float
        Added to the variances of each component.
    init : "k-means++" or array of shape (n_objects, n_components)
        How to start: by k-means, or from these responsibilities.
    n_init : int
        Number of starts; the most likely mixture is kept.
    max_iter : int
        Most steps per start.
    tol : float
        Change of the objective, relative to its size, at which to stop.
    random_state : int, generator or None
        Draws the starts, and the objects of ``sample``.
    verbose : int
        1 reports each start, 2 each step.

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        Probability of each component.
    means_ : array of shape (n_components, n_features)
        Means, all views side by side.
    covariances_ : array of shape (n_components, n_features, n_features)
        Covariances; with ``covariance="diag"`` the variances, of shape (n_components, n_features).
    objective_history_ : array
        Mean log-likelihood of the objects at the start and after every step.
    n_iter_ : int
        Number of steps of the best start.
    converged_ : bool
        Whether it stopped before ``max_iter``.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.similarity import IncompleteGaussianMixture
    >>> size = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> price = [[1.1], [2.1], None, [3.9], [5.1]]
    >>> model = IncompleteGaussianMixture().fit({"size": size, "price": price})
    >>> found = model.conditional({"size": [[6.0]], "price": None})
    >>> found.means[0, 0].round(2)
    array([6.  , 5.99])

    Notes
    -----
    **Objective**
        The log-likelihood of what is observed, Σᵢ log Σ_z w_z N(xᵢᵒ | θ_zᵒ, Θ_z^oo), the marginal
        of Eq. (1) of Williams and Carin. What is missing must be missing at random: whether it is
        missing may depend on what is observed, not on its own value.

    **Symbols**
        Z ``n_components``; ϖ ``weights_``; θ ``means_``; Θ ``covariances_``; π, μ and Σ of Eq. (2)
        the ``weights``, ``means`` and ``covariances`` of ``conditional``.

    **Algorithm**
        1. All views are laid side by side and the objects sorted by their *pattern*, that is by
           which cells are observed (``pattern_rows``).
        2. k-means (k-means++, one start) on the features filled with their means and scaled to unit
           variance gives the first responsibilities; ``em_start`` makes a mixture of them, in
           which a missing cell has the mean and the variance of its feature.
        3. E-step (``gaussian_sums``): the covariance of each component is factorised once per
           pattern, with the observed cells first. The factor gives the density of what is observed,
           the conditional mean and the conditional covariance of what is not. Expected sums of
           rows and outer products are taken block by block.
        4. M-step (``components_of_sums``): weights, means and covariances of the sums.
        5. Repeat 3 and 4 until the objective changes by no more than ``tol`` of its size.

    **Deviations**
        ``reg_covar`` is added to the variances after each M-step, as scikit-learn does it. The
        objective grows in every step if it is 0, and up to changes of the order of ``reg_covar``
        otherwise. With nothing missing every step is that of scikit-learn's ``GaussianMixture``.
        Sums are taken of deviations from the last means, which loses no digits where the means
        are large.

    **Complexity**
        Per step O(P Z d³) for P patterns and O(n Z d²) for n objects; O(n d + P d) memory and a few
        blocks of 8 MB. Diagonal covariances: O(n Z d).

    References
    ----------
    [@ghahramani1994], [@williams2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(
        unobserved=True, sparse=True, missing_cells=True, absent=True, additive=True
    )
    _deterministic_start: ClassVar[dict[str, Any]] = {"n_components": 1}
    _expected_failed_checks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
        "it takes whatever has predict_proba for a classifier and asks for the tags of one",
    )

    def __init__(
        self,
        n_components: Count = 1,
        *,
        covariance: Literal["full", "diag"] = "full",
        reg_covar: NonNegative = 1e-6,
        init: Literal["k-means++"] | AnyArray = "k-means++",
        n_init: Repeats = 1,
        max_iter: Count = 200,
        tol: NonNegative = 1e-4,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_components = n_components
        self.covariance = covariance
        self.reg_covar = reg_covar
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(3, reg_covar=1e-3)
        yield cls(3, covariance="diag", reg_covar=1e-3, n_init=2)

    def conditional(self, X: ViewsLike) -> Conditionals:
        """Weights, means and covariances of what objects lack, given what they show: Eq. (2)."""
        rows = np.asarray(self._new_views(X), dtype=np.float64)
        return conditionals(rows, self.weights_, self.means_, self.covariances_)

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each component for each object, given what it shows."""
        return self._look_at(X)[0]

    def predict(self, X: ViewsLike) -> IntArray:
        """The most probable component of each object."""
        return np.asarray(self.predict_proba(X).argmax(axis=1))

    def score_samples(self, X: ViewsLike) -> FloatArray:
        """Log-likelihood of what each object shows."""
        return self._look_at(X)[1]

    def score(self, X: ViewsLike, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """Mean log-likelihood of what the objects show."""
        return float(self.score_samples(X).mean())

    def bic(self, X: ViewsLike) -> float:
        """Bayesian information criterion; the lower the better."""
        scores = self.score_samples(X)
        return float(self._n_parameters() * np.log(len(scores)) - 2 * scores.sum())

    def aic(self, X: ViewsLike) -> float:
        """Akaike's information criterion; the lower the better."""
        return float(2 * self._n_parameters() - 2 * self.score_samples(X).sum())

    def sample(self, n_samples: int = 1) -> tuple[Views, IntArray]:
        """Draw complete objects from the mixture, and the components they come from.

        As in scikit-learn the objects come component by component.
        """
        components = self._components()
        # More than these are no matter of one array.
        check_argument("n_samples", n_samples, Annotated[int, Interval(1, 10**8)])
        rng = generator(self.random_state)
        counts = rng.multinomial(n_samples, components.weights)
        gaussians = zip(components.means, components.covariances, counts, strict=True)
        drawn = [draw(rng, *gaussian) for gaussian in gaussians]
        labels = np.repeat(np.arange(len(counts)), counts)
        return split_wide(np.concatenate(drawn), self.layout_), labels

    def summarize(self, X: ViewsLike) -> GaussianSums:
        """Sums over some objects under the fitted mixture, which add up over subsets."""
        rows = np.asarray(self._new_views(X), dtype=np.float64)
        return gaussian_sums(pattern_rows(rows), self._components())

    def update(self, stats: GaussianSums) -> Self:
        """Take one step of EM with the sums of all objects."""
        self._keep(components_of_sums(stats, self._components().means, self.reg_covar))
        return self

    def _components(self) -> GaussianComponents:
        check_is_fitted(self)
        return GaussianComponents(self.weights_, self.means_, self.covariances_)

    def _look_at(self, X: ViewsLike) -> tuple[FloatArray, FloatArray]:
        rows = np.asarray(self._new_views(X), dtype=np.float64)
        return responsibilities(rows, self._components())

    def _n_parameters(self) -> int:
        n_components, width = self.means_.shape
        own = width if self.covariances_.ndim == 2 else width * (width + 1) // 2
        return n_components - 1 + n_components * (width + own)

    def _min_objects(self) -> int:
        return 2  # a variance needs two

    def _prepare(self, views: Views, y: Any) -> _Problem:  # noqa: ARG002 (a hook's signature)
        if self.n_components > len(views):
            raise ValueError(
                f"n_components={self.n_components} is more than there are objects, {len(views)}; "
                "ask for fewer components."
            )
        if self.covariance == "full":
            check_covariances(self.n_components, views.shape[1])
        wide = wide_rows(views)
        constant = np.flatnonzero(np.nanmin(wide, axis=0) == np.nanmax(wide, axis=0))
        if self.reg_covar == 0 and len(constant):  # its density would be infinite
            raise ViewsError(
                f"{_feature(views.layout, int(constant[0]))} has the same value in every object "
                "that shows it; leave it out, or give a reg_covar above 0."
            )
        # Each feature for itself: no start knows yet how features hang together.
        variances = np.nanvar(wide, axis=0) + self.reg_covar
        reference = GaussianComponents(np.ones(1), np.nanmean(wide, axis=0)[None], variances[None])
        given = None if isinstance(self.init, str) else self._read_posterior(len(views))
        return _Problem(pattern_rows(wide), reference, given)

    def _read_posterior(self, n_objects: int) -> FloatArray:
        given = np.asarray(self.init)
        # Words become NaN, so that shape and values are judged by the same two sentences.
        numeric = given.dtype.kind in "fiub"
        posterior = given.astype(np.float64) if numeric else np.full(given.shape, np.nan)
        if posterior.shape != (n_objects, self.n_components):
            raise ValueError(
                f"init has shape {posterior.shape}; give responsibilities of shape "
                f"({n_objects}, {self.n_components}), one row per object."
            )
        positive = np.isfinite(posterior).all() and (posterior >= 0).all()
        if not (positive and posterior.any(axis=0).all() and posterior.any(axis=1).all()):
            raise ValueError(
                "init should hold responsibilities of at least 0, with some for each component "
                "and for each object."
            )
        return posterior / posterior.sum(axis=1, keepdims=True)

    def _start(self, problem: _Problem, rng: np.random.Generator) -> Fit:
        posterior = problem.given
        if posterior is None:
            posterior = k_means_posterior(problem.rows, problem.reference, self.n_components, rng)
        diagonal = self.covariance == "diag"
        return em_start(
            problem.rows, posterior, problem.reference, reg_covar=self.reg_covar, diagonal=diagonal
        )

    def _step(self, problem: _Problem, state: Fit) -> Fit:
        last = state.components
        components = components_of_sums(state.sums, last.means, self.reg_covar)  # M-step
        return Fit(components, gaussian_sums(problem.rows, components))  # E-step

    def _objective(self, state: Fit) -> float:
        return state.sums.log_likelihood / float(state.sums.mass.sum())  # a mean over the rows

    def _store(self, problem: _Problem, state: Fit) -> None:  # noqa: ARG002 (a hook's signature)
        self._keep(state.components)

    def _keep(self, found: GaussianComponents) -> None:
        self.weights_, self.means_, self.covariances_ = (
            found.weights,
            found.means,
            found.covariances,
        )


# Gaps filled with one value each [@williams2005] --------------------------------------------------


class _SideBySide(BaseMultiViewTransformer):
    """A transformer whose columns are those of all views side by side."""

    view_tags: ClassVar[ViewTags] = ViewTags(
        unobserved=True, sparse=True, missing_cells=True, absent=True
    )

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns, ``view__feature``."""
        return self.layout_.column_names()


class ConditionalMeanImputer(_SideBySide):
    """Fill what objects lack with what a Gaussian mixture expects of it, given what they show.

    The result is one matrix, all views side by side and without gaps, for any method of
    scikit-learn.

    Parameters
    ----------
    mixture : IncompleteGaussianMixture or None
        The mixture to learn; one Gaussian by default. One that is learnt already, perhaps from
        more objects, is kept as it is in scikit-learn's ``FrozenEstimator``.

    Attributes
    ----------
    mixture_ : IncompleteGaussianMixture
        The fitted mixture.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.similarity import ConditionalMeanImputer
    >>> size = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> views = {"size": size, "price": [[2.0], [4.0], None, [8.0]]}
    >>> ConditionalMeanImputer().fit_transform(views).round(2)
    array([[1., 2.],
           [2., 4.],
           [3., 6.],
           [4., 8.]])

    Notes
    -----
    **Objective**
        xᵐ ← E[xᵐ | xᵒ] = Σ_z π_z μ_zᵐ, with π and μ of Eq. (2) (Section 3 of the paper): of all
        single values the one with the least expected squared error under the mixture.

    **Symbols**
        xᵒ and xᵐ what an object shows and lacks; π and μ the ``weights`` and ``means`` of
        ``mixture_.conditional``.

    **Algorithm**
        1. ``fit`` learns the mixture from objects with gaps.
        2. ``transform`` fills each object by ``expected_rows``; what is observed stays as it is.

    **Deviations**
        None. A filled value looks as sure as a measured one:
        ``IncompleteRBF`` keeps the uncertainty instead.

    **Complexity**
        That of the mixture; ``transform`` is one of its E-steps.

    References
    ----------
    [@williams2005]
    """

    mixture_: IncompleteGaussianMixture

    def __init__(self, mixture: Mixture | None = None) -> None:
        self.mixture = mixture

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Learn the mixture."""
        views = self._fit_views(X, min_objects=2)
        mixture = IncompleteGaussianMixture() if self.mixture is None else clone(self.mixture)
        self.mixture_ = mixture.fit(views, y)
        known, given = self.mixture_.layout_, self.layout_
        if (known.names, known.widths) != (given.names, given.widths):  # it was frozen
            raise ViewsError(
                f"the mixture was learnt from views {list(known.names)} of widths "
                f"{list(known.widths)} and is to fill views {list(given.names)} of widths "
                f"{list(given.widths)}; give the same views in the same order."
            )
        return self

    def transform(self, X: ViewsLike) -> FloatArray:
        """All views side by side, gaps filled."""
        rows = np.asarray(self._new_views(X), dtype=np.float64)
        mixture = self.mixture_
        components = GaussianComponents(mixture.weights_, mixture.means_, mixture.covariances_)
        return expected_rows(rows, components)


class UnconditionalMeanImputer(_SideBySide):
    """Fill what objects lack with the mean of the feature over the objects that show it.

    The result is one matrix, all views side by side and without gaps, for any method of
    scikit-learn. It uses nothing of what an object does show, and is there to compare with.

    Attributes
    ----------
    means_ : array of shape (n_features,)
        Means, all views side by side.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.similarity import UnconditionalMeanImputer
    >>> views = {"size": [[1.0], [2.0], [3.0]], "price": [[2.0], None, [8.0]]}
    >>> imputer = UnconditionalMeanImputer().fit(views)
    >>> imputer.transform({"size": [[9.0]]})
    array([[9., 5.]])

    Notes
    -----
    **Objective**
        xᵃ ← the mean of feature a over the M objects for which it was observed (Section 3 of the
        paper).

    **Symbols**
        E[xᵃ] ``means_[a]``.

    **Algorithm**
        1. ``fit`` takes the mean of each feature over the cells that are observed.
        2. ``transform`` puts it into those that are not.

    **Deviations**
        None.

    **Complexity**
        O(n d).

    References
    ----------
    [@williams2005]
    """

    means_: FloatArray

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Take the mean of each feature."""
        self.means_ = np.nanmean(wide_rows(self._fit_views(X)), axis=0)
        return self

    def transform(self, X: ViewsLike) -> FloatArray:
        """All views side by side, gaps filled."""
        rows = np.asarray(self._new_views(X), dtype=np.float64)
        return np.where(np.isnan(rows), self.means_, rows)
