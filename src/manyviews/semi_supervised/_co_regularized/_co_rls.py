"""Least squares in every view, whose functions agree on unlabelled objects [@sindhwani2005]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import BaseMultiViewClassifier, ViewTags
from manyviews.data import Labels
from manyviews.semi_supervised._co_regularized._fit import (
    FittedFunctions,
    Settings,
    class_offsets,
    fit_functions,
)
from manyviews.semi_supervised._shared import (
    KernelLike,
    best_class,
    class_targets,
    flat,
    read_or_judge_class_weights,
    softmax_of_decisions,
    weighted_mean,
)
from manyviews.similarity import (
    RBF,
    LowRankKernel,
    ViewFunction,
    values_by_view,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    Divisor,
    FloatArray,
    NonNegative,
    Verbosity,
    ViewsLike,
)


class CoRLS(BaseMultiViewClassifier):
    """Classify by least squares in every view, drawn together where objects have no label.

    Take it where each view has a kernel of its own that suits it: there is one solution, and no
    random start. Where classes keep to groups of neighbours, see :class:`CoLaplacianRLS`.

    Parameters
    ----------
    kernel : str or Similarity, list or dict
        ``"auto"``: the cosine for views most of whose cells are zero, such as words and links,
        else the Gaussian kernel of the median width (of low rank beyond 2,000 objects). Or
        ``"linear"``, ``"rbf"``, ``"polynomial"``, ``"cosine"``, ``"precomputed"`` or an object
        such as ``RBF(gamma=0.5)`` or ``LowRankKernel(RBF(), 300)``: one for all views, a list with
        one per view, or a dict by view name.
    gamma : float, list or dict
        How smooth the function of each view has to be: the weight of its squared norm.
    coupling : float
        How much the views have to agree: 0 leaves each view alone, see the guide for more. On
        nineteen sets of ``make quality`` (five labels a class, one draw) the mean accuracy is 0.735
        with the defaults, 0.720 and 0.731 with ``gamma`` 0.1 and 0.01, 0.734 and 0.727 with
        ``coupling`` 0 and 1: with that many labels agreement adds little to the mean of the views.
    balance : float, list or dict
        Weight of the errors of each view on the labelled objects.
    center : bool
        Whether functions have to sum to zero over the training objects, before an offset is added.
    relative : bool
        Whether ``gamma`` is in units of the mean diagonal of the view's kernel (centred, if
        functions are), so that a view in another unit gives the same answer; else as in the paper.
    solver : {"auto", "dual", "primal"}
        Solve for coefficients of kernels between objects, or for weights of features, which
        "linear", "cosine" and low-rank kernels have. "auto" takes features where they are fewer
        than the objects, or the objects more than 2,000.
    view_weights : "auto", list or dict of float, optional
        What each view counts in the mean of the functions, and the product of two in what their
        differences cost. "auto": 1, but 0 for a view that looks empty of structure, which a warning
        names: one whose neighbourhoods look like chance, unless the labels speak for it.
    max_iter : int
        Most steps of conjugate gradients.
    tol : float
        What may be left of the equations, as a share of their right side, to stop.
    verbose : int
        1 reports how it ended, 2 each step of conjugate gradients.

    Attributes
    ----------
    classes_ : array
        The classes.
    transduction_ : array of shape (n_objects,)
        The class of every training object: the given one, or the one found.
    coef_ : dict of arrays of shape (n_targets, n_features)
        Weights of the features of each view, for kernels that have features. There is one target
        for two classes, as in scikit-learn, else one per class.
    dual_coef_ : dict of arrays of shape (n_targets, n_objects)
        Coefficients of the training objects in each view, if the dual was solved; zero where a
        view is unobserved. Of centred functions those are given that go with the plain kernel.
    intercept_ : dict of arrays of shape (n_targets,)
        What is added to that: a view's decision is ``K(x, X) @ dual_coef_.T + intercept_``.
    offset_ : dict of arrays of shape (n_targets,)
        What is added to the functions that sum to zero; the mean of a view's decisions over the
        training objects.
    objective_ : float
        The objective, summed over the targets.
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
    >>> from manyviews.datasets import make_two_moons_two_lines
    >>> from manyviews.semi_supervised import CoRLS
    >>> from manyviews.similarity import RBF
    >>> views, y = make_two_moons_two_lines(200, random_state=0)
    >>> one_each = np.full(200, -1)
    >>> for label in (0, 1):
    ...     one_each[np.flatnonzero(y == label)[0]] = label
    >>> kernels = {"moons": RBF(2.0), "lines": "linear"}
    >>> model = CoRLS(kernels, gamma=0.01, coupling=1.0).fit(views, one_each)
    >>> float((model.predict(views) == y).mean())
    1.0

    Notes
    -----
    **Objective**
        Minimise over one function per view
        ``Σ_v [ (μ_v / l) Σ_{labelled i} (y_i − f_v(x_i))² + γ_v ‖f_v‖² ] +
        γ_C / (l + u) Σ_{v<w} Σ_i (f_v(x_i) − f_w(x_i))²``, with y = ±1 (section 3 of the paper).

    **Symbols**
        γ_v → ``gamma`` (times the mean diagonal of K_v, if ``relative``), γ_C → ``coupling``, μ →
        ``balance`` of the second view (that of the first is 1: ``balance=[1, mu]``), α, β →
        ``dual_coef_``, K_v → ``kernel``, l and u → numbers of labelled and unlabelled objects, J
        and Y → ``CoupledLoss.fit`` and ``targets``.

    **Algorithm**
        1. ``pose_loss``: errors and differences as one quadratic form A per object.
        2. ``solve_dual``: the coupled system (Γ + A K) α = (μ/l) Y, by one Cholesky factorisation
           of its residuals' system for all classes. Or ``solve_primal``: the same for weights of
           features, by a factorisation if they are few, else by conjugate gradients.
        3. ``class_offsets``: what is to be added to functions that are orthogonal to constants.
        4. ``decision_function``: the mean of the functions of the views that show an object, each
           by its ``view_weights``.

    **Deviations**
        The paper's objective has no 1/l before the sums of errors and its linear system has; the
        system's is taken. More than two views: the sum over pairs. Missing views: l is the
        number of labelled objects that a view shows and l + u that of objects that both views of a
        pair show, so that an unlabelled object seen in one view, which says nothing, changes
        nothing (but the mean, if centred). Several classes: one function each, with the target 1
        for it and −1 for the others.
        "Orthogonality to the constant function" (``center=True``) is by the centred kernel: each
        function sums to zero over all objects that its view shows. The paper does not say where to
        cut such a function. Here ``offset_`` is added: least squares of y ≈ s (f + offset) over the
        labelled objects, with one scale s for all classes, so that a function that was shrunk still
        tells the classes apart instead of giving all to the larger one, as the mean error would.
        With ``relative=True`` the weight of a norm is ``gamma`` times the mean diagonal of the
        kernel, which the paper, with unit rows, has no need of. A view that shows no labelled
        object of some class is cut as the mean function is. With ``center=False`` nothing is added.

    **Complexity**
        Dual: O(n²) memory per view and O(m³/3) time with m = (V − 1) n + l for V views. Primal:
        with p features in all views up to 1,000, O(n p²); with more, two passes over the features
        per step, some tens to hundreds of steps, and no matrix larger than the views.

    References
    ----------
    [@sindhwani2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    transduction_: AnyArray
    coef_: dict[str, FloatArray]
    dual_coef_: dict[str, FloatArray]
    intercept_: dict[str, FloatArray]
    offset_: dict[str, FloatArray]
    functions_: dict[str, ViewFunction]
    view_weights_: dict[str, float]

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
        yield cls("rbf", center=False, relative=False)
        yield cls(LowRankKernel(RBF(), 20), coupling=10.0)
        yield cls("cosine", solver="dual")

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn one function per view from labelled and unlabelled objects."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        targets = class_targets(labels.codes, len(labels.classes))
        settings = Settings.read(self, self.view_weights_)
        cut = partial(class_offsets, labels=labels, targets=targets)
        found = fit_functions(views, targets, labels.labelled, self.kernel, settings, cut)
        if not found.solution.converged:
            self._warn_not_converged()
        self._store(found, labels)
        if self.verbose:
            print(
                f"CoRLS: {found.solver} solution after {self.n_iter_} steps, "
                f"objective {self.objective_:.6g}"
            )
        return self

    def view_decisions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Decisions of each view, shaped as ``decision_function``; NaN where unobserved."""
        return {name: flat(own) for name, own in self._values(X).items()}

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Mean of the decisions of the views that show an object."""
        return flat(weighted_mean(self._values(X), self.view_weights_))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of each object."""
        best = best_class(weighted_mean(self._values(X), self.view_weights_))
        return self.classes_[best]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class: the logistic function, or softmax, of twice the decisions.

        The functions are fitted by least squares to 1 and −1 and shrunk, so that these are
        cautious; they are not calibrated on other objects.
        """
        return softmax_of_decisions(weighted_mean(self._values(X), self.view_weights_))

    def _values(self, X: ViewsLike) -> dict[str, FloatArray]:
        views = self._new_views(X)
        return values_by_view(self.functions_, views)

    def _store(self, found: FittedFunctions, labels: Labels) -> None:
        names = self.view_names_
        self.functions_ = found.functions
        self.intercept_ = {name: own.intercept for name, own in found.functions.items()}
        self.offset_ = dict(zip(names, found.offsets, strict=True))
        self._store_coefficients(found)
        self.objective_, self.disagreement_ = found.objective, found.disagreement
        self.solver_ = found.solver
        self.n_iter_, self.converged_ = found.solution.n_iter, found.solution.converged
        mean = weighted_mean(found.decisions, self.view_weights_)
        best = np.where(labels.labelled, labels.codes, best_class(mean))
        self.transduction_ = self.classes_[best]

    def _store_coefficients(self, found: FittedFunctions) -> None:
        """Keep what the solver gave, and nothing of an earlier fit."""
        for name in ("coef_", "dual_coef_"):
            if hasattr(self, name):
                delattr(self, name)
        weights = {name: own.weights.T for name, own in found.functions.items() if own.rows is None}
        if weights:
            self.coef_ = weights
        if found.coefficients is not None:
            kept = [own.T for own in found.coefficients]
            self.dual_coef_ = dict(zip(self.view_names_, kept, strict=True))

    def _warn_not_converged(self) -> None:
        warnings.warn(
            f"CoRLS did not converge in max_iter={self.max_iter} steps; raise max_iter or tol, "
            "raise gamma, or bring the rows of the views to unit length.",
            ConvergenceWarning,
            stacklevel=3,
        )
