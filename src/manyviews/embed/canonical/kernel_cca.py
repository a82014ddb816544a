"""Canonical correlation of kernels, from few pivots of each [@fortuna2005]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Self, TypeAlias

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, solve_triangular

from manyviews.data import Views, per_view
from manyviews.embed.canonical._shared import (
    CommonSpace,
    Source,
    mean_correlations,
    moments_of,
    pair_correlations,
    refuse_lonely_views,
    solve,
)
from manyviews.exceptions import ViewsError
from manyviews.maths import (
    PivotedCholesky,
    check_memory,
    column_signs,
    generator,
    gram_cholesky,
    pivoted_cholesky,
)
from manyviews.similarity import (
    RBF,
    LowRankKernel,
    SimilarityLike,
    ViewFunction,
    ViewKernel,
    fit_kernel,
)
from manyviews.typing import (
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    Matrix,
    Verbosity,
    ViewsLike,
)

__all__ = ["KernelCCA"]

# A kernel as coordinates: inner products with few of its objects, the pivots ----------------------
#
# Partial Gram-Schmidt orthogonalisation, which is pivoted incomplete Cholesky [@fine2001].

LARGEST_GRAM = 8192
"""Up to so many objects a whole Gram matrix is formed if most of its columns are wanted: 0.5 GB."""
OBJECTS_PER_PIVOT = 8
"""One in so many objects as pivots is few: then columns are read one by one."""


@dataclass(frozen=True)
class PivotCoordinates:
    """Coordinates of the rows of a view whose inner products are the kernel's, or near to it."""

    pivots: ViewKernel
    rows: FloatArray = field(repr=False)
    """Of the observed training objects."""
    triangle: FloatArray = field(repr=False)
    """Of the pivots: lower triangular."""

    def function(self, weights: FloatArray, mean: FloatArray) -> ViewFunction:
        """The linear function of the coordinates, as one of similarities to the pivots."""
        coefficients = solve_triangular(self.triangle, weights, lower=True, trans="T")
        return ViewFunction(self.pivots.kernel, self.pivots.rows, coefficients, -(mean @ weights))


def pivot_coordinates(
    fitted: ViewKernel, *, tol: float, min_rank: int = 0, max_rank: int | None = None
) -> PivotCoordinates:
    """Coordinates of the rows from as few pivots as ``tol`` allows.

    Parameters
    ----------
    fitted : ViewKernel
        A kernel with its rows.
    tol : float
        The squared distance of a row from the span of the pivots may be this share of the mean
        squared distance of the rows from their mean; 0 is exact.
    min_rank, max_rank : int
        How many pivots there are at least and at most.
    """
    found = _choose_pivots(fitted, tol, min_rank, max_rank)
    if not len(found.pivots):  # all rows are zero in the kernel's space: one stands for all
        first = fitted.restricted(np.zeros(1, dtype=np.intp))
        return PivotCoordinates(first, np.zeros((len(fitted.places), 1)), np.eye(1))
    triangle = found.factor[found.pivots]
    return PivotCoordinates(fitted.restricted(found.pivots), found.factor, triangle)


def _choose_pivots(
    fitted: ViewKernel, tol: float, min_rank: int, max_rank: int | None
) -> PivotedCholesky:
    """Read columns one by one while they are few, else form the matrix: the answer is the same."""
    n = len(fitted.places)
    limit = fitted.largest_rank if max_rank is None else min(max_rank, fitted.largest_rank)
    few = limit if n > LARGEST_GRAM else min(limit, n // OBJECTS_PER_PIVOT)
    if limit == few or (tol > 0 and min_rank < few):
        diagonal, column = fitted.columns()
        found = pivoted_cholesky(
            diagonal, column, tol=0.0, row_tol=tol, min_rank=min_rank, max_rank=few
        )
        if limit == few or len(found.pivots) < few:
            return found
    return gram_cholesky(fitted.gram, row_tol=tol, min_rank=min_rank, max_rank=limit)


# A few directions of whole Gram matrices, by block Lanczos in the metric of the penalty -----------
#
# With ``A = K + ρ I`` of a centred Gram matrix, ``M = K A⁻¹ = I − ρ A⁻¹`` is what the penalty
# leaves of a view. Along ``w = √n Φᵀ A⁻¹ x`` the objects lie at ``√n M x`` and the constraint reads
# ``xᵀ M x``: the directions are eigenvectors of the couplings between views in the metric ``M``.

GUARDS = 3
"""Vectors beside the wanted ones with which a search starts."""
MOST_BLOCKS = 40
"""After so many products with a block the search is given up."""
LARGE, BETWEEN = 200, 4
"""A space of more directions than the first is looked at only after so many blocks."""
TOL = 1e-9
"""Largest residual of an eigenvector, relative to the largest eigenvalue."""
DEPENDENT = 1e-13
"""A direction whose squared length in the metric is this share of its own is none: below some
hundred roundings of double precision there are no digits left to divide by."""

Apply = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class DualDirections:
    """Coefficients of the objects that each view shows, one column per component."""

    coefficients: tuple[FloatArray, ...]
    intercepts: tuple[FloatArray, ...]
    variates: tuple[FloatArray, ...]
    """Where the directions put these objects."""
    values: FloatArray
    """For two views the regularised correlations; for more the mean of those between views."""


def dual_directions(
    grams: Iterable[FloatArray], observed: BoolArray, tau: Sequence[float], n_components: int
) -> DualDirections | None:
    """Directions of the coefficients of objects; None where only pivots lead to them.

    That is so if too many values are nearly the same, or a kernel is not safely positive.

    Parameters
    ----------
    grams : matrices
        By view, similarities among the objects that it shows.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view.
    tau : sequence
        By view, the share of the penalty; above 0 and below 1.
    n_components : int
        How many directions; few beside the objects.
    """
    metrics = []
    for gram, share in zip(grams, tau, strict=True):
        posed = Metric.of(gram, share / (1.0 - share))
        if posed is None:
            return None
        metrics.append(posed)
    edges = np.cumsum([len(each.mean) for each in metrics])[:-1]

    def metric(block: FloatArray) -> FloatArray:
        parts = zip(metrics, np.split(block, edges), strict=True)
        return np.vstack([each.apply(part) for each, part in parts])

    start = generator(0).standard_normal((int(observed.sum()), n_components + GUARDS))
    # The same eigenvalue problem of section 3, with the penalty of τ in the metric.
    found = metric_eigenvectors(Couplings.of(observed).apply, metric, start, n_components)
    if found is None:
        return None
    values, vectors, images = found
    n_views = len(metrics)
    scales = [np.sqrt(n_views * len(each.mean)) for each in metrics]  # xᵀ M x of all views is V
    coefficients = [
        each.coefficients(part) * scale
        for each, part, scale in zip(
            metrics, np.split(vectors - images, edges), scales, strict=True
        )
    ]
    return DualDirections(
        tuple(coefficients),
        tuple(-(each.mean @ own) for each, own in zip(metrics, coefficients, strict=True)),
        tuple(p * scale for p, scale in zip(np.split(images, edges), scales, strict=True)),
        values / max(n_views - 1, 1),
    )


@dataclass(frozen=True)
class Metric:
    """``M = I − ρ (K + ρ I)⁻¹`` of a Gram matrix, once centred."""

    factor: tuple[FloatArray, bool]
    mean: FloatArray
    """Mean similarity of each object to all."""
    penalty: float

    @classmethod
    def of(cls, gram: FloatArray, penalty: float) -> Metric | None:
        """Centre and factorise; None if the kernel is not positive, or not beyond rounding."""
        mean = gram.mean(axis=0)
        centred = gram - mean
        centred -= mean[:, None] - mean.mean()
        if penalty <= len(gram) * np.finfo(np.float64).eps * np.trace(centred):
            return None
        centred[np.diag_indices_from(centred)] += penalty
        # A symmetric matrix by rows is one by columns, as LAPACK wants it: no copy.
        try:
            factor = cho_factor(centred.T, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        return cls(factor, mean, penalty)

    def apply(self, block: FloatArray) -> FloatArray:
        """``M x``."""
        return block - self.penalty * cho_solve(self.factor, block, check_finite=False)

    def coefficients(self, lost: FloatArray) -> FloatArray:
        """``A⁻¹ x`` from ``x − M x``, for the plain kernel instead of the centred one."""
        found = lost / self.penalty
        return found - found.mean(axis=0)


@dataclass(frozen=True)
class Couplings:
    """Sums over pairs of views of what their shared objects show, about its mean."""

    pairs: tuple[tuple[IntArray, IntArray, float], ...]
    """Places of shared objects in the one and the other stacked view, and the pair's weight."""

    @classmethod
    def of(cls, observed: BoolArray) -> Couplings:
        counts = observed.sum(axis=0)
        if len(counts) == 1:
            every = np.arange(counts[0])
            return cls(((every, every, 0.5),))
        places = np.cumsum(observed, axis=0) - 1 + (np.cumsum(counts) - counts)
        pairs = []
        for v in range(len(counts)):
            for w in range(v):
                shared = np.flatnonzero(observed[:, v] & observed[:, w])
                if len(shared):
                    weight = float(np.sqrt(counts[v] * counts[w])) / len(shared)
                    pairs.append((places[shared, v], places[shared, w], weight))
        return cls(tuple(pairs))

    def apply(self, block: FloatArray) -> FloatArray:
        """Weighted sum of the other views, centred, object by object."""
        found = np.zeros_like(block)
        for one, other, weight in self.pairs:
            for into, out_of in ((one, other), (other, one)):
                part = block[out_of]
                found[into] += weight * (part - part.mean(axis=0))
        return found


def metric_eigenvectors(
    couple: Apply, metric: Apply, start: FloatArray, n_components: int
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Largest eigenvalues of ``couple(metric(x)) = λ x``, the vectors, and their metric images.

    Both operators are symmetric and the metric is positive: block Lanczos in its inner product,
    with every block made orthogonal to all before it. None if a block has nothing new to say in
    some direction, or so many are searched that a decomposition is as quick.
    """
    vectors, images = np.empty((len(start), 0)), np.empty((len(start), 0))
    projection: FloatArray = np.empty((0, 0))
    block, image = _metric_orthonormal(start, metric, vectors, images)
    for step in range(MOST_BLOCKS):
        if block.shape != start.shape or 2 * vectors.shape[1] > len(start):
            break
        vectors, images = np.hstack([vectors, block]), np.hstack([images, image])
        raw = couple(image)
        projection = _bordered(projection, images.T @ raw)
        block, image = _metric_orthonormal(raw, metric, vectors, images)
        if len(projection) < LARGE or step % BETWEEN == 0:
            values, rotation = eigh(projection)
            values, leading = values[::-1], rotation[:, ::-1][:, :n_components]
            beyond = image.T @ raw @ leading[-start.shape[1] :]
            residual = np.linalg.norm(beyond, axis=0).max()
            if block.shape == start.shape and residual <= TOL * np.abs(values).max():
                return values[:n_components], vectors @ leading, images @ leading
    return None


def _bordered(projection: FloatArray, column: FloatArray) -> FloatArray:
    """A symmetric matrix with one more block of columns."""
    size, width = column.shape
    grown = np.empty((size, size))
    grown[: size - width, : size - width] = projection
    grown[:, size - width :] = column
    grown[size - width :, :] = column.T
    corner = grown[size - width :, size - width :]
    corner[:] = (corner + corner.T) / 2
    return grown


def _metric_orthonormal(
    block: FloatArray, metric: Apply, vectors: FloatArray, images: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Part of a block beyond the basis, orthonormal in the metric, with its image under it."""
    block = block - vectors @ (images.T @ block)
    image = metric(block)
    for _ in range(2):  # the second time what rounding left
        overlap = images.T @ block
        block, image = block - vectors @ overlap, image - images @ overlap
        values, rotation = eigh(block.T @ image)
        kept = values > DEPENDENT * np.square(block).sum(axis=0).max()
        scale = rotation[:, kept] / np.sqrt(values[kept])
        block, image = block @ scale, image @ scale
        if not block.shape[1]:
            break
    return block, image


# From kernels to functions that correlate: by pivots, or by whole matrices ------------------------

OBJECTS_PER_COMPONENT = 40
"""One component for so many objects is few: then whole matrices need no decomposition."""
LARGEST_WHOLE = 20_000
"""Up to so many objects whole matrices are formed: 3.2 GB each."""


@dataclass(frozen=True)
class Settings:
    """How the kernel of one view is reduced and penalised."""

    tau: float
    tol: float
    max_rank: int | None


@dataclass(frozen=True)
class KernelSpace:
    """Functions of the views, one column per component, the best first."""

    functions: dict[str, ViewFunction]
    pivots: dict[str, IntArray]
    """The objects that the functions compare others with."""
    values: FloatArray
    """Values of the criterion, divided by the number of pairs of views."""
    pair_correlations: FloatArray
    """Of the training objects, components × views × views."""

    def with_signs(self, signs: FloatArray) -> KernelSpace:
        """The same space with the signs of components changed."""
        signed = {
            name: replace(each, weights=each.weights * signs, intercept=each.intercept * signs)
            for name, each in self.functions.items()
        }
        return replace(self, functions=signed)


def kernel_space(
    kernels: Mapping[str, ViewKernel],
    observed: BoolArray,
    settings: Mapping[str, Settings],
    n_components: int,
) -> KernelSpace:
    """Find the functions of each view that correlate most with those of the others.

    Parameters
    ----------
    kernels : mapping
        By view, fitted to the objects that it shows.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view.
    settings : mapping
        By view.
    n_components : int
        How many functions; there are fewer if the kernels have fewer pivots.
    """
    whole = (_is_whole(kernels[name], each, n_components) for name, each in settings.items())
    if len(kernels) > 1 and all(whole):
        found = space_of_grams(kernels, observed, settings, n_components)
        if found is not None:
            return found
    return space_of_pivots(kernels, observed, settings, n_components)


def _is_whole(fitted: ViewKernel, settings: Settings, n_components: int) -> bool:
    """Whether all objects are pivots, and so few components wanted that a search finds them."""
    n = len(fitted.places)
    every = settings.tol == 0.0 and settings.tau > 0.0 and settings.max_rank is None
    return (
        every
        and fitted.largest_rank == n <= LARGEST_WHOLE
        and n_components <= n // OBJECTS_PER_COMPONENT
    )


def space_of_pivots(
    kernels: Mapping[str, ViewKernel],
    observed: BoolArray,
    settings: Mapping[str, Settings],
    n_components: int,
) -> KernelSpace:
    """Reduce every kernel to coordinates, and solve by the moments of these."""
    coordinates = {
        name: pivot_coordinates(
            fitted,
            tol=settings[name].tol,
            min_rank=n_components,
            max_rank=settings[name].max_rank,
        )
        for name, fitted in kernels.items()
    }
    moments = moments_of(_sources([c.rows for c in coordinates.values()], observed), observed)
    ridges = [
        # (1 − τ) K² + τ K is (1 − τ) n times a covariance with this on its diagonal; τ of section 3
        each.tau / ((1.0 - each.tau) * moments.own(v).count)
        for v, each in enumerate(settings.values())
    ]
    found = solve(moments, ridges, n_components)  # the eigenvalue problem of section 3, whitened
    functions = {
        name: each.function(found.weights[v], moments.own(v).means[0])
        for v, (name, each) in enumerate(coordinates.items())
    }
    return KernelSpace(
        functions,
        {name: each.pivots.places for name, each in coordinates.items()},
        found.values,
        pair_correlations(moments, found.weights),
    )


def space_of_grams(
    kernels: Mapping[str, ViewKernel],
    observed: BoolArray,
    settings: Mapping[str, Settings],
    n_components: int,
) -> KernelSpace | None:
    """Solve for coefficients of all objects; None if the search for directions takes too long."""
    largest = max(len(fitted.places) for fitted in kernels.values())
    check_memory(
        (largest, largest),
        f"the whole kernel among {largest:,} objects",
        remedy="read few of its columns, by a cholesky_tol above 0 or by max_rank",
    )
    found = dual_directions(
        (fitted.gram for fitted in kernels.values()),
        observed,
        [each.tau for each in settings.values()],
        n_components,
    )
    if found is None:
        return None
    functions, pivots = {}, {}
    for v, (name, fitted) in enumerate(kernels.items()):
        kept = fitted.restricted(np.arange(len(fitted.places)))  # a copy: the user's may change
        functions[name] = ViewFunction(
            kept.kernel, kept.rows, found.coefficients[v], found.intercepts[v]
        )
        pivots[name] = kept.places
    moments = moments_of(_sources(found.variates, observed), observed)
    alone = [np.eye(n_components)] * len(functions)
    return KernelSpace(functions, pivots, found.values, pair_correlations(moments, alone))


def _sources(rows_seen: Sequence[FloatArray], observed: BoolArray) -> list[Source]:
    """One row per object; those of objects that a view does not show are never read."""
    found = []
    for rows, seen in zip(rows_seen, observed.T, strict=True):
        if len(rows) < len(seen):
            spread = np.zeros((len(seen), rows.shape[1]))
            spread[seen] = rows
            found.append(Source(spread))
        else:
            found.append(Source(rows))
    return found


# The estimator ------------------------------------------------------------------------------------

_LessThanAll: TypeAlias = Annotated[float, Interval(0, 1, below=True)]


class KernelCCA(CommonSpace):
    """Place texts in several languages, or other views of the same objects, in one space.

    Take it where a view has more features than there are objects, where the relation is bent,
    or where all you have of a view is a matrix of similarities; else :class:`CCA` is simpler.

    Parameters
    ----------
    n_components : int
        Dimension of the common space. With two views not more than the smaller number of pivots.
    kernel : str or Similarity, list or dict
        ``"linear"``, ``"cosine"``, ``"rbf"``, ``"polynomial"``, ``"precomputed"`` or an object
        such as ``RBF(gamma=0.5)`` or ``LowRankKernel(RBF(), 300)``: one for all views, a list
        with one per view, or a dict by view name.
    tau : float, list or dict
        Regularisation, at least 0 and below 1; one for all views or per view.
    cholesky_tol : float, list or dict
        How far objects may be from the span of the pivots: 0 is exact, see *Deviations*.
    max_rank : int, list or dict, optional
        The most pivots of a view.
    verbose : int
        1 reports the pivots and correlations.

    Attributes
    ----------
    correlations_ : array of shape (n_components,)
        Correlations of the training objects' coordinates: for two views one per pair of
        functions, for more the mean over pairs of views; 1 for one view.
    penalized_correlations_ : array of shape (n_components,)
        The same with the penalty counted as variance, which is what was made large: falling.
    pair_correlations_ : array of shape (n_components, n_views, n_views)
        As ``correlations_`` for every two views; NaN for two that fewer than two objects show.
    pivots_ : dict of arrays
        Numbers of the objects that are pivots, by view, in the order in which they were chosen.
    dual_coef_ : dict of arrays of shape (n_pivots, n_components)
        αᵥ: what the similarity to each pivot adds.
    intercept_ : dict of arrays of shape (n_components,)
        What is added to that.
    functions_ : dict
        Both, with the kernel and the pivots' rows.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.embed import KernelCCA
    >>> rng = np.random.default_rng(0)
    >>> angle = rng.uniform(0, 2 * np.pi, 300)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.1, (300, 2))
    >>> line = angle[:, None] + rng.normal(0, 0.1, (300, 1))
    >>> model = KernelCCA(2, "rbf", cholesky_tol=0.01).fit({"circle": circle, "line": line})
    >>> model.correlations_.round(2), {name: len(p) for name, p in model.pivots_.items()}
    (array([0.99, 0.99]), {'circle': 10, 'line': 6})
    >>> model.transform({"line": [[1.0], [2.0]]}).shape  # by the line alone
    (2, 2)

    Notes
    -----
    **Objective**
        Functions ``fᵥ(x) = Σⱼ kᵥ(x, xⱼ) αᵥⱼ`` of every view that correlate over the objects: make
        ``α₁ᵀ K₁ K₂ α₂`` as large as can be with ``αᵥᵀ ((1 − τ) Kᵥ² + τ Kᵥ) αᵥ`` fixed, then the
        same in what is uncorrelated with it. Kᵥ is the Gram matrix of view v, centred: τ = 0 asks
        for correlation only, τ near 1 for covariance. With ``Kᵥ ≈ Rᵥ Rᵥᵀ`` and wᵥ = Rᵥᵀ αᵥ it
        reads ``w₁ᵀ R₁ᵀ R₂ w₂`` with ``wᵥᵀ ((1 − τ) Rᵥᵀ Rᵥ + τ I) wᵥ`` fixed, a problem as large
        as the number of pivots. More views: the sum over all pairs, with the sum of the
        constraints fixed (MAXVAR). One view: kernel principal components at unit variance.

    **Symbols**
        τ → ``tau``; threshold of partial Gram-Schmidt → ``cholesky_tol``; αᵥ → ``dual_coef_``;
        rows of Rᵥ → ``PivotCoordinates.rows``; dimension of the semantic space →
        ``n_components``.

    **Algorithm**
        1. ``pivot_coordinates``: Rᵥ by pivoted Cholesky, the object that is farthest from the
           span of the pivots first. Columns of the kernel are read one by one; if more than an
           eighth of up to 8,192 objects are wanted, the whole matrix is formed.
        2. ``moments_of`` and ``solve``: covariances of the coordinates, about their means, which
           centres the kernel; whitening; singular vectors of what is between the views.
        3. With ``cholesky_tol=0`` and few components, instead of both: ``dual_directions``, one
           Cholesky factorisation per Gram matrix and block Lanczos steps in the metric that the
           penalty makes of it.
        4. ``transform``: similarities to the pivots times ``dual_coef_``, plus ``intercept_``.

    **Deviations**
        The paper gives neither formula nor stopping rule. The constraint is that of Shawe-Taylor
        and Cristianini's book, with no 1/n: the more objects, the less the same τ shrinks. The
        threshold bounds the largest squared distance of an object from the span of the pivots; we
        take it relative to the mean squared distance of the objects from their mean, so that
        views in any unit can have it. (For 1,500 texts of the Canadian parliament at unit length
        that is 0.92, and 0.4 keeps 95 % of them; read as a share of the trace it would keep 42 %,
        and one to two points fewer of the mates of unseen texts would be found.)
        There are at least as many pivots as components, whatever the threshold. Functions are
        scaled to ``αᵀ (K² / n + τ / ((1 − τ) n) K) α = 1``, so that coordinates have about unit
        variance. Coordinates are not scaled by the correlations: on 800 unseen documents mates
        were found equally well with, without, and by the square root.
        Missing views: own moments over the objects that a view shows, those of two views
        over the objects that both show. Of objects that are equally far the first becomes a
        pivot: with kernels in which all objects are equally long, as "cosine" and "rbf", and a
        threshold above 0, another order of the objects gives another choice of pivots.

    **Complexity**
        With r pivots of n objects: O(n r) memory beside the data, O(n r²) time, r new columns of
        the kernel. Exact with k components: O(n²) memory, O(n³/3) for each view and O(n² k) per
        step. Exact with many: O(n³), some thirty times n³/3 in all.

    References
    ----------
    [@fortuna2005], [@fine2001]
    """

    penalized_correlations_: FloatArray
    pair_correlations_: FloatArray
    pivots_: dict[str, IntArray]
    dual_coef_: dict[str, FloatArray]
    intercept_: dict[str, FloatArray]
    functions_: dict[str, ViewFunction]

    def __init__(
        self,
        n_components: Count = 2,
        kernel: ByView[SimilarityLike] = "linear",
        tau: ByView[_LessThanAll] = 0.5,
        cholesky_tol: ByView[_LessThanAll] = 0.4,
        *,
        max_rank: ByView[Count | None] = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.tau = tau
        self.cholesky_tol = cholesky_tol
        self.max_rank = max_rank
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(1, "rbf", cholesky_tol=0.0)
        yield cls(3, "rbf", 0.9, cholesky_tol=0.0)
        yield cls(kernel="cosine", tau=0.1, cholesky_tol=0.1)
        yield cls(kernel=LowRankKernel(RBF(), 20), cholesky_tol=0.0)

    @property
    def _contract_exemptions(self) -> dict[str, str]:
        if not self.cholesky_tol or self.kernel == "linear":
            return {}
        reason = "all objects are equally long, and of equals the first becomes a pivot"
        return {"order_of_objects_in_fit_is_free": reason}

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Choose pivots in every view, and find functions of them that correlate."""
        views = self._fit_views(X, min_objects=2)
        refuse_lonely_views(views)
        settings = self._settings(views)
        given = per_view(self.kernel, views.names, parameter="kernel")
        kernels = {name: fit_kernel(views, name, given[name]) for name in views.names}
        found = kernel_space(kernels, views.observed, settings, self.n_components)
        self._refuse_too_many(found)
        self._store(found)
        if self.verbose:
            self._report(len(views))
        return self

    def feature_weights(self, view: str) -> FloatArray:
        """Weights of the features of a view, one column per component.

        Only kernels that are inner products of features have them: "linear" (of the columns
        themselves), "cosine" (of the columns of rows at unit length) and low-rank ones.
        """
        function = self.functions_[view]
        assert function.rows is not None, "pivots are always kept"
        features = function.kernel.feature_rows(function.rows)
        if features is None:
            raise ValueError(
                f"the kernel of view {view!r}, {function.kernel!r}, has no features to weigh; "
                "use 'linear' or 'cosine'."
            )
        return np.asarray(features.T @ function.weights)

    def _place(self, name: str, rows: Matrix) -> FloatArray:
        return self.functions_[name](rows)

    def _store(self, found: KernelSpace) -> None:
        functions = found.functions.values()
        signs = column_signs(np.vstack([each.weights for each in functions]))
        self.functions_ = found.with_signs(signs).functions
        self.pivots_ = found.pivots
        self.dual_coef_ = {name: f.weights for name, f in self.functions_.items()}
        self.intercept_ = {name: f.intercept for name, f in self.functions_.items()}
        self.pair_correlations_ = found.pair_correlations
        self.correlations_ = mean_correlations(found.pair_correlations)
        self.penalized_correlations_ = np.clip(found.values, 0.0, 1.0)

    def _settings(self, views: Views) -> dict[str, Settings]:
        names = views.names
        tau = per_view(self.tau, names, parameter="tau")
        tol = per_view(self.cholesky_tol, names, parameter="cholesky_tol")
        most = per_view(self.max_rank, names, parameter="max_rank")
        for name in names:
            if most[name] is not None and most[name] < self.n_components:
                raise ValueError(
                    f"max_rank={most[name]!r} of view {name!r} leaves fewer pivots than "
                    f"n_components={self.n_components}; raise it or ask for fewer components."
                )
        return {name: Settings(float(tau[name]), float(tol[name]), most[name]) for name in names}

    def _refuse_too_many(self, found: KernelSpace) -> None:
        if len(found.values) == self.n_components:
            return
        ranks = ", ".join(
            f"{len(pivots)} in view {name!r} (n_features={self.layout_.width(name)})"
            for name, pivots in found.pivots.items()
        )
        raise ViewsError(
            f"n_components={self.n_components} is more than the pivots of two views, or of the "
            f"only one, can span: there are {ranks}; choose at most {len(found.values)}."
        )

    def _report(self, n_objects: int) -> None:
        pivots = ", ".join(f"{len(p)} in {name!r}" for name, p in self.pivots_.items())
        print(
            f"KernelCCA: pivots of {n_objects} objects: {pivots}; "
            f"correlations {np.round(self.correlations_, 4).tolist()}"
        )
