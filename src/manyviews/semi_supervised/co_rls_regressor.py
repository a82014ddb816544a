"""Regression in every view, whose functions agree where the number is unknown [@sindhwani2005]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from manyviews.base import BaseMultiViewRegressor
from manyviews.semi_supervised._shared import read_or_judge_weights
from manyviews.semi_supervised.co_rls import CoRegularizedLeastSquares
from manyviews.semi_supervised.least_squares import view_offsets
from manyviews.typing import BoolArray, FloatArray, ViewsLike

__all__ = ["CoRLSRegressor"]


def mean_error(values: FloatArray, targets: FloatArray) -> FloatArray:
    """What is to be added to functions so that their errors sum to zero, by target."""
    return np.asarray((targets - values).mean(axis=0))


class CoRLSRegressor(CoRegularizedLeastSquares, BaseMultiViewRegressor):
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

    transduction_: FloatArray
    offset_: dict[str, float]

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

        def cut(values: FloatArray, seen: BoolArray) -> FloatArray:
            shown = seen & known
            return level + view_offsets(values, shown, seen, targets, mean_error, np.any)

        _, offsets, mean = self._fit_functions(views, targets, known, cut)
        self.offset_ = dict(zip(views.names, offsets[:, 0].tolist(), strict=True))
        self.transduction_ = np.where(known, given, mean[:, 0])
        return self

    def view_predictions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Predictions of each view alone; NaN where unobserved."""
        return {name: own[:, 0] for name, own in self._values(X).items()}

    def predict(self, X: ViewsLike) -> FloatArray:
        """Mean of the predictions of the views that show an object."""
        return self._mean(X)[:, 0]
