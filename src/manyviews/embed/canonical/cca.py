"""Canonical correlation analysis of two or more views [@hotelling1936; @kettenring1971]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.linalg import eigh, lu, qr

from manyviews.base import Run, ViewTags, alternate, warn_not_converged, warn_user
from manyviews.data import Layout, Views, per_view
from manyviews.embed.canonical._shared import (
    CommonSpace,
    Moments,
    PairMoments,
    Rows,
    Solution,
    Source,
    Whitened,
    block_size,
    blocks_of,
    leading,
    mean_correlations,
    moments_of,
    most_components,
    pair_correlations,
    refuse_lonely_views,
    solve,
    varying,
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

__all__ = ["CCA"]

# Leading directions of a wide view, by a randomised range finder [@halko2011] ---------------------

OVERSAMPLES = 10
"""Directions beyond the rank; [@halko2011] take five or ten."""
POWERS = 3
"""How often the range is multiplied again, by which small variances fall behind large ones;
[@halko2011] need one or two for most matrices."""


@dataclass(frozen=True)
class Spread:
    """Where a view's features lie and how far they vary."""

    means: FloatArray
    variances: FloatArray


@dataclass(frozen=True)
class Basis:
    """Orthonormal directions of largest variance, the largest first."""

    directions: FloatArray
    """Features × rank."""
    means: FloatArray
    scales: FloatArray
    """Standard deviations of the features."""
    kept: float
    """Share of the variance of all features that lies along the directions."""


def leading_basis(matrix: Matrix, rank: int, rng: np.random.Generator) -> Basis:
    """Principal directions of a view, without centring, unpacking or squaring it.

    Parameters
    ----------
    matrix : array or CSR array of shape (n_objects, n_features)
        Finite values.
    rank : int
        How many directions; fewer if the objects do not vary in so many. With as many as there
        are objects the result is exact.
    rng : generator
        Draws the first directions.
    """
    n_objects, n_features = matrix.shape
    spread = spread_of(matrix)
    size = min(rank + OVERSAMPLES, n_features)
    if size >= n_objects:  # all objects are few enough to span the range themselves
        basis = _orthonormal(_back(matrix, spread.means, np.eye(n_objects)))
    else:
        basis = rng.standard_normal((n_features, size))
        for _ in range(POWERS):
            basis = _conditioned(_squared(matrix, spread.means, basis))
        basis = _orthonormal(_squared(matrix, spread.means, basis))
    basis = basis * (spread.variances > 0.0)[:, None]  # no trace of the rounding of constants
    variances, rotation = eigh(_covariance_along(matrix, spread.means, basis))
    rotation, variances = rotation[:, ::-1][:, :rank], variances[::-1][:rank]
    directions = basis @ rotation
    vary = varying(np.abs(spread.means) @ np.abs(directions), variances)
    vary &= variances > size * np.finfo(np.float64).eps * variances[0]
    total = float(spread.variances.sum())
    kept = min(float(variances[vary].sum()) / total, 1.0) if total > 0.0 else 1.0
    return Basis(directions[:, vary], spread.means, np.sqrt(spread.variances), kept)


def spread_of(matrix: Matrix) -> Spread:
    """Means and variances of the features."""
    n_objects, n_features = matrix.shape
    if is_sparse(matrix):
        data = matrix.data.astype(np.float64, copy=False)
        means = np.bincount(matrix.indices, data, n_features) / n_objects
        filled = np.bincount(matrix.indices, minlength=n_features)
        apart = np.bincount(matrix.indices, (data - means[matrix.indices]) ** 2, n_features)
        return _spread(means, (apart + (n_objects - filled) * means**2) / n_objects)
    means = matrix.mean(axis=0, dtype=np.float64)
    squares = np.zeros(n_features)
    for rows in blocks_of(slice(None), n_objects, block_size(n_features)):
        squares += np.square(matrix[rows] - means).sum(axis=0)
    return _spread(means, squares / n_objects)


def _spread(means: FloatArray, variances: FloatArray) -> Spread:
    return Spread(means, np.where(varying(means, variances), variances, 0.0))


def _forth(matrix: Matrix, means: FloatArray, right: FloatArray) -> FloatArray:
    """``(X - 1 mᵀ) right``, in the precision of the view."""
    right = right.astype(matrix.dtype, copy=False)
    return np.asarray(matrix @ right) - (means @ right).astype(matrix.dtype)


def _back(matrix: Matrix, means: FloatArray, left: FloatArray) -> FloatArray:
    """``(X - 1 mᵀ)ᵀ left``."""
    left = left.astype(matrix.dtype, copy=False)
    return np.asarray(matrix.T @ left) - np.outer(means, left.sum(axis=0, dtype=np.float64))


def _squared(matrix: Matrix, means: FloatArray, right: FloatArray) -> FloatArray:
    return _back(matrix, means, _forth(matrix, means, right))


def _conditioned(columns: FloatArray) -> FloatArray:
    """Columns of the same span that are far from dependent, at a quarter of the cost of QR."""
    return lu(columns, permute_l=True, overwrite_a=True, check_finite=False)[0]


def _orthonormal(columns: FloatArray) -> FloatArray:
    return qr(columns, mode="economic", overwrite_a=True, check_finite=False)[0]


def _covariance_along(matrix: Matrix, means: FloatArray, basis: FloatArray) -> FloatArray:
    source, offset = Source(matrix, basis), means @ basis
    products = np.zeros((basis.shape[1],) * 2)
    for rows in blocks_of(slice(None), matrix.shape[0], block_size(basis.shape[1])):
        part = source.block(rows) - offset
        products += part.T @ part
    return products / matrix.shape[0]


# The ridge that a covariance needs, by the scatter of its estimate [@ledoit2004] ------------------

MOST_SHARE = 1e6
"""A share beyond which only the ridge is left: the covariance adds less than six digits show.
Reached where nothing but the ridge would be best."""


def shrinkage_share(
    source: Source, rows: Rows, n_objects: int, own: PairMoments, n_features: int
) -> float:
    """Share of the mean variance to add to every variance, as Ledoit and Wolf would shrink.

    They mix the covariance S with the identity, ``(1 - δ) S + δ μ I`` where μ is the mean variance;
    up to a factor, which no correlation shows, that is ``S + δ / (1 - δ) μ I``.

    Parameters
    ----------
    source : Source
        The view.
    rows : slice or array of int
        The objects that it shows.
    n_objects : int
        How many objects there are.
    own : PairMoments
        Its moments over these.
    n_features : int
        How many features the view has, which may be more than it has coordinates here.
    """
    mean_variance = float(np.trace(own.cross)) / own.count / n_features
    if mean_variance <= 0.0:
        return 0.0
    covariance = own.cross / own.count / mean_variance  # in units that no fourth power overflows
    total = float(np.square(covariance).sum())
    away = total - n_features  # n_features times d² of the paper
    fourth = _fourth_powers(source, rows, n_objects, own.means[0], mean_variance**0.5) / own.count
    error = max((fourth - total) / own.count, 0.0)  # n_features times b̄²
    if error <= 0.0 or away <= 0.0:
        return 0.0
    shrinkage = min(error / away, 1.0)
    return min(shrinkage / max(1.0 - shrinkage, 1.0 / MOST_SHARE), MOST_SHARE)


def _fourth_powers(
    source: Source, rows: Rows, n_objects: int, means: FloatArray, unit: float
) -> float:
    """Sum over the objects of the fourth powers of their distances from the mean, in a unit."""
    found = 0.0
    for block in blocks_of(rows, n_objects, block_size(source.width)):
        part = (source.block(block) - means) / unit
        found += float(np.square(np.einsum("ij,ij->i", part, part)).sum())
    return found


# Views as sources of moments, the ridge of each, and whether it is enough -------------------------


def sources_of(views: Views, bases: dict[str, Basis]) -> list[Source]:
    """Views by their features, or by their coordinates along a basis where they have one."""
    return [
        Source(matrix, bases[name].directions if name in bases else None)
        for name, matrix in views.items()
    ]


def find_bases(views: Views, rank: int, rng: np.random.Generator) -> dict[str, Basis]:
    """Return the leading directions of each view that has more features than those."""
    found = {}
    for name, matrix in views.items():
        if matrix.shape[1] > rank:
            seen = views.observed_in(name)
            rows = matrix if seen.all() else matrix[np.flatnonzero(seen)]
            found[name] = leading_basis(rows, rank, rng)
    return found


def read_share(
    share: float | Literal["auto"], name: str, views: Views, source: Source, own: PairMoments
) -> float:
    """Return the share of its mean variance that a view's variances are raised by."""
    if share == "auto":
        seen = views.observed_in(name)
        rows = slice(None) if seen.all() else np.flatnonzero(seen)
        return shrinkage_share(source, rows, len(views), own, views.layout.width(name))
    return float(share)


def ridges_of(
    moments: Moments, layout: Layout, shares: Mapping[str, float], bases: Mapping[str, Basis]
) -> list[float]:
    """κᵥ: shares of the mean variance of all features, also of what no basis holds."""
    ridges = []
    for v, (name, share) in enumerate(shares.items()):
        own = moments.own(v)
        kept = bases[name].kept if name in bases else 1.0
        variance = float(np.trace(own.cross)) / max(own.count, 1)
        ridges.append(share * variance / (kept or 1.0) / layout.width(name))
    return ridges


def certain_correlations(
    moments: Moments, ranks: Sequence[int], shares: Mapping[str, float]
) -> str | None:
    """Say of the first two views without ridge that they have too many features for a finding."""
    for (v, one), (w, other) in combinations(enumerate(shares), 2):
        count = moments.pair(v, w).count
        certain = min(ranks[v] + ranks[w] - (count - 1), ranks[v], ranks[w])
        if certain > 0 and count > 1 and shares[one] == shares[other] == 0.0:
            return (
                f"views {one!r} and {other!r} vary in {ranks[v]} and {ranks[w]} directions and "
                f"have {count} objects in common, in which any data show correlations of 1 "
                f"({certain} of them); set regularization to 'auto' or a share such as 0.1, or "
                "reduce the features."
            )
    return None


# Directions in terms of the features --------------------------------------------------------------


@dataclass(frozen=True)
class FeatureDirections:
    """Directions of a view in terms of its features."""

    weights: FloatArray
    loadings: FloatArray
    """Correlations of the features with the variates; 0 where either is constant."""
    means: FloatArray


def in_features(own: PairMoments, weights: FloatArray, basis: Basis | None) -> FeatureDirections:
    """Bring directions, and what they correlate with, back from coordinates to features."""
    towards = own.cross @ weights / own.count  # covariances of coordinates with the variates
    variances = np.einsum("fk,fk->k", weights, towards)
    if basis is None:
        scales, means = np.sqrt(np.diag(own.cross) / own.count), own.means[0]
    else:
        axes, scales = basis.directions, basis.scales
        means = basis.means + axes @ (own.means[0] - basis.means @ axes)
        weights, towards = axes @ weights, axes @ towards
    sizes = np.outer(scales, np.sqrt(np.maximum(variances, 0.0)))
    loadings = np.divide(towards, sizes, out=np.zeros_like(towards), where=sizes > 0.0)
    return FeatureDirections(weights, np.clip(loadings, -1.0, 1.0), means)


# The largest sum of correlations, by Horst's iteration [@horst1961] -------------------------------


def sumcor(
    whitened: Whitened,
    n_components: int,
    *,
    max_iter: int = 1000,
    tol: float = 1e-12,
    report: Callable[[str], None] | None = None,
) -> Solution:
    """Find component after component, each uncorrelated with those before it in every view.

    A component starts where MAXVAR would put it, scaled to variance 1 in every view, and never
    gets worse from there. ``report`` is told of each component when it is reached.
    """
    cross = whitened.cross.copy()
    rotations, runs = [], list[Run[FloatArray]]()
    for number in range(min(n_components, most_components(whitened.ranks))):
        runs.append(_component(whitened, cross, max_iter, tol))
        rotations.append(runs[-1].state)
        cross = _deflated(whitened, cross, rotations[-1])
        if report is not None:
            report(f"component {number}: {runs[-1].objective:.6g} after {runs[-1].n_iter} sweeps")
    values = np.array([run.objective for run in runs])
    before = np.concatenate([[0.0], np.cumsum(values)[:-1]]) if runs else values
    return Solution(
        whitened.weights(whitened.split(np.column_stack(rotations))) if runs else _none(whitened),
        values,
        whitened.ranks,
        np.concatenate([run.history + old for run, old in zip(runs, before, strict=True)] or [[0]]),
        max((run.n_iter for run in runs), default=0),
        all(run.converged for run in runs),
    )


def _component(whitened: Whitened, cross: FloatArray, max_iter: int, tol: float) -> Run[FloatArray]:
    n_views = len(whitened.roots)
    edges = np.cumsum([0, *whitened.ranks])
    start = _unit_parts(leading(cross, 1)[1][:, 0], edges)

    def sweep(rotation: FloatArray) -> FloatArray:
        rotation = rotation.copy()
        for first, last in pairwise(edges):
            gradient = cross[first:last] @ rotation  # Σ of the others: the view's own block is zero
            length = np.linalg.norm(gradient)
            if length > 0.0:
                rotation[first:last] = gradient / length
        return rotation

    def mean_correlation(rotation: FloatArray) -> float:
        return float(rotation @ cross @ rotation) / (n_views * (n_views - 1))

    return alternate(start, sweep, mean_correlation, max_iter=max_iter, tol=tol)


def _unit_parts(stacked: FloatArray, edges: FloatArray) -> FloatArray:
    """Bring the part of every view to unit length, where it has any."""
    parts = np.split(stacked, edges[1:-1])
    return np.concatenate([part / (np.linalg.norm(part) or 1.0) for part in parts])


def _deflated(whitened: Whitened, cross: FloatArray, rotation: FloatArray) -> FloatArray:
    """Take a component's direction out of every view."""
    apart = np.zeros((len(rotation), len(whitened.roots)))
    for view, part in enumerate(whitened.split(np.arange(len(rotation)))):
        apart[part, view] = rotation[part]
    cross = cross - apart @ (apart.T @ cross)
    return cross - (cross @ apart) @ apart.T


def _none(whitened: Whitened) -> tuple[FloatArray, ...]:
    return tuple(np.zeros((len(root), 0)) for root in whitened.roots)


# The estimator ------------------------------------------------------------------------------------

WIDE = 2000
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
        wide = max(views.layout.widths) > WIDE
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
        solution = solve(  # the generalised eigenvalue problem of [@hotelling1936], whitened
            moments,
            ridges_of(moments, self.layout_, shares, bases),
            self.n_components,
            criterion=self._sumcor if self.criterion == "sumcor" else None,
        )
        self._refuse_too_many(solution)
        if not solution.converged:
            warn_not_converged(
                self, f"did not converge in max_iter={self.max_iter} sweeps for some component"
            )
        certain = certain_correlations(moments, solution.ranks, shares)
        if certain:
            warn_user(certain, UserWarning)
        return solution

    def _sumcor(self, whitened: Whitened, n_components: int) -> Solution:
        report = self._say if self.verbose > 1 else None
        return sumcor(whitened, n_components, max_iter=self.max_iter, tol=self.tol, report=report)

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
