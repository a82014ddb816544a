"""Canonical correlation analysis of two or more views [@hotelling1936; @kettenring1971]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import ViewTags
from manyviews.data import per_view
from manyviews.embed._canonical._base import CommonSpace
from manyviews.embed._canonical._moments import (
    Moments,
    block_size,
    blocks_of,
    moments_of,
)
from manyviews.embed._canonical._multiset import most_components
from manyviews.embed._canonical._posing import (
    certain_correlations,
    find_bases,
    read_share,
    refuse_lonely_views,
    ridges_of,
    sources_of,
)
from manyviews.embed._canonical._randomized import Basis
from manyviews.embed._canonical._solution import (
    Solution,
    in_features,
    mean_correlations,
    pair_correlations,
    solve,
)
from manyviews.exceptions import ViewsError
from manyviews.maths import column_signs, generator
from manyviews.typing import (
    ByView,
    Count,
    FloatArray,
    Matrix,
    NonNegative,
    RandomState,
    Verbosity,
    ViewsLike,
    is_sparse,
)

_WIDE = 2000
"""Features of a view beyond which ``solver="auto"`` does without its covariance."""


class CCA(CommonSpace):
    """Find what several views have in common: directions along which they correlate.

    Take it for tables with fewer columns than rows, to compare objects across views or to keep
    what the views share. For texts and other wide views take :class:`KernelCCA`.

    Parameters
    ----------
    n_components : int
        How many components: at most as many as two of the views have independent features.
    regularization : float, "auto", list or dict
        Share of the mean variance of a view's features that is added to every variance: 0 for
        the classical solution, 0.1 to 1 where features are many. ``"auto"`` takes what Ledoit
        and Wolf's shrinkage of the covariance says. One for all views, a list with one per view,
        or a dict by view name.
    criterion : {"maxvar", "sumcor"}
        What is made large for more than two views; for two both are the classical solution.
    solver : {"auto", "covariance", "randomized"}
        ``"auto"`` is ``"covariance"`` unless a view has more than 2,000 features.
    rank : int
        Directions of each view that the randomised solver keeps. Views with no more features
        keep all. As many as there are objects make it exact.
    max_iter : int
        Most sweeps over the views for a component of ``"sumcor"``.
    tol : float
        Change of the mean correlation at which these stop.
    random_state : int, generator or None
        For the randomised solver.
    verbose : int
        1 reports the end, 2 also every component of ``"sumcor"``.

    Attributes
    ----------
    correlations_ : array of shape (n_components,)
        Correlations of the training objects' variates: for two views the canonical ones, falling
        if ``regularization=0`` and there are no gaps; for more the mean over pairs of views; 1
        for one view.
    pair_correlations_ : array of shape (n_components, n_views, n_views)
        The same for every two views; NaN for two that fewer than two objects show.
    weights_ : dict of arrays of shape (n_features, n_components)
        wᵥ of each view.
    loadings_ : dict of arrays of shape (n_features, n_components)
        Correlations of each feature with the variate of its view: what a component is about.
        Weights can mislead there, as those of a regression do.
    means_ : dict of arrays of shape (n_features,)
        mᵥ of each view.
    regularization_ : dict
        The share in use for each view.
    solver_ : str
        The solver that was used.
    bases_ : dict of Basis
        Randomised only: the directions kept of each wide view, with the share of its variance
        that they hold (``kept``).
    objective_history_ : array
        Sum of the mean regularised correlations found; for ``"sumcor"`` after every sweep.
    n_iter_ : int
        The most sweeps that a component took; 1 for ``"maxvar"``.
    converged_ : bool
        Whether these stopped before ``max_iter``.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.embed import CCA
    >>> rng = np.random.default_rng(0)
    >>> shared = rng.normal(size=(500, 1))
    >>> views = {
    ...     "left": np.hstack([rng.normal(scale=5, size=(500, 2)), shared]),
    ...     "right": np.hstack([shared + rng.normal(size=(500, 1)), rng.normal(size=(500, 3))]),
    ... }
    >>> model = CCA(n_components=1).fit(views)
    >>> model.correlations_.round(2)
    array([0.7])
    >>> bool(np.abs(model.loadings_["left"][2, 0]) > 0.95)
    True
    >>> model.transform({"right": [[4.0, 0.0, 0.0, 0.0]]}).shape
    (1, 1)

    Notes
    -----
    **Objective**
        Weights of the features of every view, such that the variates ``(xᵥ - mᵥ) wᵥ`` of the
        same objects agree. With two views: the largest correlation; then the largest of those
        uncorrelated with the first, and so on. With more views, by ``criterion``:
        ``"maxvar"`` makes ``Σ_{v≠v'} wᵥᵀ Cᵥᵥ' wᵥ'`` as large as can be with
        ``Σᵥ wᵥᵀ Pᵥ wᵥ`` equal to the number of views; ``"sumcor"`` the same sum with
        ``wᵥᵀ Pᵥ wᵥ = 1`` in every view. With one view: principal components at unit variance.

    **Symbols**
        mᵥ → ``means_``; wᵥ → ``weights_``; Cᵥᵥ' covariance of two views, with 1/n; Pᵥ = Cᵥᵥ + κᵥ I
        with κᵥ = ``regularization`` × mean variance of the features of view v.

    **Algorithm**
        1. Means and covariances by blocks of objects (``moments_of``). With
           ``solver="randomized"`` those of the coordinates along a view's ``rank`` directions of
           largest variance, which random projections find (``leading_basis``).
        2. Whiten every view by the Cholesky factor of Pᵥ, or on its range (``whiten``).
        3. Two views: singular vectors of the whitened covariance. More: leading eigenvectors of
           all whitened covariances (``maxvar``); for ``"sumcor"`` from there each view by turns
           towards the sum of the others until nothing changes, then the same in what is
           uncorrelated with it in every view (``sumcor``).

    **Deviations**
        Views with gaps are not in the sources: each view's covariance is over the objects that
        it shows, that of two views over those that both show. Kettenring scales the variates of
        ``"maxvar"`` to unit variance in each view afterwards; here they keep the scale that the
        eigenvector gives, so that a view with little part in a component has little weight in
        the mean that ``transform`` gives. Horst's iteration finds a maximum, which for more than
        two views need not be the largest; its sum is never below that of ``"maxvar"``.

    **Complexity**
        O(n p²) for p features of all views together, O(p³) for the solution and O(p²) memory
        beyond the data, of which no copy is made. Randomised: eight products of each view with
        ``rank`` columns, and O((n + p) · rank) memory; sparse views stay sparse.

    References
    ----------
    [@hotelling1936], [@kettenring1971], [@horst1961], [@ledoit2004], [@halko2011]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(
        unobserved=True, sparse=True, absent=True, additive=True
    )
    _expected_failed_checks: ClassVar[dict[str, str]] = dict.fromkeys(
        (
            "check_transformer_data_not_an_array",
            "check_transformer_general",
            "check_transformer_n_iter",
        ),
        "they take any class of this name for scikit-learn's own, whose transform takes y",
    )
    _deterministic_start: ClassVar[dict[str, Any]] = {"solver": "covariance"}

    pair_correlations_: FloatArray
    weights_: dict[str, FloatArray]
    loadings_: dict[str, FloatArray]
    means_: dict[str, FloatArray]
    regularization_: dict[str, float]
    bases_: dict[str, Basis]
    solver_: str

    def __init__(
        self,
        n_components: Count = 2,
        regularization: ByView[NonNegative | Literal["auto"]] = 0.0,
        *,
        criterion: Literal["maxvar", "sumcor"] = "maxvar",
        solver: Literal["auto", "covariance", "randomized"] = "auto",
        rank: Count = 300,
        max_iter: Count = 1000,
        tol: NonNegative = 1e-12,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_components = n_components
        self.regularization = regularization
        self.criterion = criterion
        self.solver = solver
        self.rank = rank
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(regularization="auto", criterion="sumcor")
        yield cls(regularization=0.1, solver="randomized", rank=3)

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Find the directions."""
        views = self._fit_views(X, min_objects=2)
        refuse_lonely_views(views)
        given = per_view(self.regularization, views.names, parameter="regularization")
        wide = max(views.layout.widths) > _WIDE
        solver = ("randomized" if wide else "covariance") if self.solver == "auto" else self.solver
        rng = generator(self.random_state)
        bases = find_bases(views, self.rank, rng) if solver == "randomized" else {}
        sources = sources_of(views, bases)
        moments = moments_of(sources, views.observed).without_rounding()
        shares = {
            name: read_share(share, name, views, sources[v], moments.own(v))
            for v, (name, share) in enumerate(given.items())
        }
        solution = self._solve(moments, shares, bases)
        self.regularization_, self.solver_, self.bases_ = shares, solver, bases
        return self._store(moments, solution)

    def summarize(self, X: ViewsLike) -> Moments:
        """Sum up some objects; sums of all of them, added, are what ``update`` learns from.

        Examples
        --------
        >>> points = np.random.default_rng(0).normal(size=(6, 2))
        >>> views = {"a": points, "b": points[:, ::-1] ** 3}
        >>> model = CCA(1).fit(views)
        >>> halves = [{name: view[rows] for name, view in views.items()}
        ...           for rows in (slice(3), slice(3, 6))]
        >>> sums = model.summarize(halves[0]) + model.summarize(halves[1])
        >>> bool(np.isclose(CCA(1).fit(views).update(sums).correlations_, model.correlations_)[0])
        True
        """
        views = self._new_views(X)
        return moments_of(sources_of(views, self.bases_), views.observed)

    def update(self, stats: Moments) -> Self:
        """Find the directions from sums, with the shares, and bases if any, of the last ``fit``."""
        moments = stats.without_rounding()
        solution = self._solve(moments, self.regularization_, self.bases_)
        return self._store(moments, solution)

    def _place(self, name: str, rows: Matrix) -> FloatArray:
        weights, means = self.weights_[name], self.means_[name]
        if is_sparse(rows):
            return np.asarray(rows @ weights - means @ weights)
        places = np.empty((len(rows), weights.shape[1]))
        for block in blocks_of(slice(None), len(rows), block_size(len(weights))):
            places[block] = (rows[block] - means) @ weights
        return places

    def _solve(
        self, moments: Moments, shares: dict[str, float], bases: dict[str, Basis]
    ) -> Solution:
        solution = solve(
            moments,
            ridges_of(moments, self.layout_, shares, bases),
            self.n_components,
            criterion=self.criterion,
            max_iter=self.max_iter,
            tol=self.tol,
            report=self._say if self.verbose > 1 else None,
        )
        self._refuse_too_many(solution)
        if not solution.converged:
            warnings.warn(
                f"CCA did not converge in max_iter={self.max_iter} sweeps for some component; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        certain = certain_correlations(moments, solution.ranks, shares)
        if certain:
            warnings.warn(certain, UserWarning, stacklevel=3)
        return solution

    def _store(self, moments: Moments, solution: Solution) -> Self:
        found = [
            in_features(moments.own(v), solution.weights[v], self.bases_.get(name))
            for v, name in enumerate(self.view_names_)
        ]
        signs = column_signs(np.vstack([view.weights for view in found]))
        by_name = list(zip(self.view_names_, found, strict=True))
        self.weights_ = {name: view.weights * signs for name, view in by_name}
        self.loadings_ = {name: view.loadings * signs for name, view in by_name}
        self.means_ = {name: view.means for name, view in by_name}
        self.pair_correlations_ = pair_correlations(moments, solution.weights)
        self.correlations_ = mean_correlations(self.pair_correlations_)
        self.objective_history_ = solution.history
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        if self.verbose:
            self._say(f"{self.solver_}, correlations {np.round(self.correlations_, 4).tolist()}")
        return self

    def _say(self, message: str) -> None:
        print(f"{type(self).__name__}: {message}")

    def _refuse_too_many(self, solution: Solution) -> None:
        if solution.weights[0].shape[1] == self.n_components:
            return
        ranks = ", ".join(
            f"view {name!r} (n_features={self.layout_.width(name)}) in {rank}"
            for name, rank in zip(self.view_names_, solution.ranks, strict=True)
        )
        raise ViewsError(
            f"n_components={self.n_components} is more than two views, or the only one, can have "
            f"in common: {ranks} directions; choose at most {most_components(solution.ranks)}."
        )
