"""Canonical correlation of kernels, from few pivots of each [@fortuna2005]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Self, TypeAlias

import numpy as np

from manyviews.data import Views, per_view
from manyviews.embed._canonical._base import CommonSpace
from manyviews.embed._canonical._kernel_space import KernelSpace, Settings, kernel_space
from manyviews.embed._canonical._posing import refuse_lonely_views
from manyviews.embed._canonical._solution import mean_correlations
from manyviews.exceptions import ViewsError
from manyviews.maths import column_signs
from manyviews.similarity import RBF, LowRankKernel, SimilarityLike, ViewFunction, fit_kernel
from manyviews.typing import (
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    Matrix,
    Verbosity,
    ViewsLike,
)

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
