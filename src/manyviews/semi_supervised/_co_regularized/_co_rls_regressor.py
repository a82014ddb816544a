"""Regression in every view, whose functions agree where the number is unknown [@sindhwani2005]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import BaseMultiViewRegressor, ViewTags
from manyviews.semi_supervised._co_regularized._fit import Settings, fit_functions, mean_offsets
from manyviews.semi_supervised._shared import KernelLike, read_or_judge_weights, weighted_mean
from manyviews.similarity import ViewFunction, values_by_view
from manyviews.typing import (
    AutoViewWeights,
    ByView,
    Count,
    Divisor,
    FloatArray,
    NonNegative,
    Verbosity,
    ViewsLike,
)


class CoRLSRegressor(BaseMultiViewRegressor):
    """Predict a number by ridge regression in every view, drawn together where it is unknown.

    Take it where the number is known for few of many objects, and each view alone says something
    of it; NaN in ``y`` marks an unknown one. With all numbers known it is a mean of kernel ridge
    regressions that were made to agree.

    Parameters
    ----------
    kernel : str or Similarity, list or dict
        As in :class:`CoRLS`; "auto" takes the cosine for views most of whose cells are zero, else
        the Gaussian kernel of the median width.
    gamma : float, list or dict
        How smooth the function of each view has to be: the weight of its squared norm.
    coupling : float
        How much the views have to agree: 0 leaves each view alone.
    balance : float, list or dict
        Weight of the errors of each view on the known numbers.
    center : bool
        Whether functions have to sum to zero over the training objects, before an offset is added.
    relative : bool
        Whether ``gamma`` is in units of the mean diagonal of the view's kernel (centred, if
        functions are), so that a view in another unit gives the same answer.
    solver : {"auto", "dual", "primal"}
        As in :class:`CoRLS`.
    view_weights : "auto", list or dict of float, optional
        What each view counts in the mean of the functions, and the product of two in what their
        differences cost. "auto": 1, but 0 for a view that looks empty of structure, which a warning
        names: one whose neighbourhoods look like chance, unless the known numbers speak for it.
    max_iter : int
        Most steps of conjugate gradients.
    tol : float
        What may be left of the equations, as a share of their right side, to stop.
    verbose : int
        1 reports the start and the end, 2 each step of conjugate gradients.

    Attributes
    ----------
    transduction_ : array of shape (n_objects,)
        The number of every training object: the given one, or the one found.
    offset_ : dict of float
        What is added to the functions that sum to zero.
    objective_ : float
        The objective, for the numbers less their mean if centred.
    disagreement_ : float
        Mean over pairs of views of the mean squared difference between their centred functions.
    view_weights_ : dict of float
        What each view counts.
    functions_ : dict
        The function of each view.
    solver_ : str
        "dual" or "primal".
    n_iter_ : int
        Steps of conjugate gradients; 1 where there are none.
    converged_ : bool
        Whether ``max_iter`` was enough.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.semi_supervised import CoRLSRegressor
    >>> hours = np.linspace(0, 3, 40)
    >>> views = {"light": np.column_stack([np.sin(hours), np.cos(hours)]),
    ...          "heat": np.column_stack([hours**2, hours])}
    >>> y = np.where(np.arange(40) % 8 == 4, hours, np.nan)  # five known numbers
    >>> model = CoRLSRegressor(gamma=1e-3).fit(views, y)
    >>> bool(np.abs(model.transduction_ - hours).mean() < 0.1)
    True

    Notes
    -----
    **Objective**
        That of :class:`CoRLS` with real targets: minimise over one function per view
        ``Σ_v [ (μ_v / l) Σ_{known i} (y_i − f_v(x_i))² + γ_v ‖f_v‖² ] +
        γ_C / (l + u) Σ_{v<w} Σ_i (f_v(x_i) − f_w(x_i))²`` (section 3 of [@sindhwani2005];
        co-regularised least squares regression is studied by [@brefeld2006]).

    **Symbols, Algorithm, Complexity**
        As in :class:`CoRLS`, with one target.

    **Deviations**
        With ``center=True`` the mean of the known numbers is taken away first, each function sums
        to zero over the objects that its view shows, and ``offset_`` is what its mean error on
        the known numbers asks for. Without, with one view and ``relative=False``, it is
        scikit-learn's ``KernelRidge(alpha=gamma * l)`` on the known objects.

    References
    ----------
    [@sindhwani2005], [@brefeld2006]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    transduction_: FloatArray
    offset_: dict[str, float]
    functions_: dict[str, ViewFunction]
    view_weights_: dict[str, float]
    objective_: float
    disagreement_: float
    solver_: str
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        kernel: ByView[KernelLike] = "auto",
        *,
        gamma: ByView[Divisor] = 0.03,
        coupling: NonNegative = 0.1,
        balance: ByView[NonNegative] = 1.0,
        center: bool = True,
        relative: bool = True,
        solver: Literal["auto", "dual", "primal"] = "auto",
        view_weights: AutoViewWeights = "auto",
        max_iter: Count = 1000,
        tol: NonNegative = 1e-8,
        verbose: Verbosity = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coupling = coupling
        self.balance = balance
        self.center = center
        self.relative = relative
        self.solver = solver
        self.view_weights = view_weights
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls("linear", center=False, relative=False, coupling=1.0)

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn one function per view from objects with known and unknown numbers."""
        views = self._fit_views(X)
        given = self._fit_targets(y, views, accept_unknown=True)
        known = ~np.isnan(given)
        level = float(given[known].mean()) if self.center else 0.0
        targets = np.where(known, given - level, 0.0)[:, None]
        self.view_weights_ = read_or_judge_weights(self.view_weights, views, targets, known)
        settings = Settings.read(self, self.view_weights_)
        cut = partial(mean_offsets, known=known, targets=targets)
        found = fit_functions(views, targets, known, self.kernel, settings, cut)
        self.functions_ = {
            name: replace(own, intercept=own.intercept + level)
            for name, own in found.functions.items()
        }
        self.offset_ = {
            name: level + float(own[0])
            for name, own in zip(views.names, found.offsets, strict=True)
        }
        self.objective_, self.disagreement_ = found.objective, found.disagreement
        self.solver_ = found.solver
        self.n_iter_, self.converged_ = found.solution.n_iter, found.solution.converged
        mean = weighted_mean(found.decisions, self.view_weights_)
        self.transduction_ = np.where(known, given, mean[:, 0] + level)
        self._report()
        return self

    def view_predictions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Predictions of each view alone; NaN where unobserved."""
        return {name: own[:, 0] for name, own in self._values(X).items()}

    def predict(self, X: ViewsLike) -> FloatArray:
        """Mean of the predictions of the views that show an object."""
        return weighted_mean(self._values(X), self.view_weights_)[:, 0]

    def _values(self, X: ViewsLike) -> dict[str, FloatArray]:
        views = self._new_views(X)
        return values_by_view(self.functions_, views)

    def _report(self) -> None:
        if self.verbose:
            print(
                f"CoRLSRegressor: {self.solver_} solution after {self.n_iter_} steps, "
                f"objective {self.objective_:.6g}"
            )
        if not self.converged_:
            warnings.warn(
                f"CoRLSRegressor did not converge in max_iter={self.max_iter} steps; raise "
                "max_iter, tol or gamma.",
                ConvergenceWarning,
                stacklevel=3,
            )
