"""Weights that sum to one, learnt together with the SVM [@rakotomamonjy2008]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np

from manyviews.base import Run
from manyviews.mkl._baselines._machines import Point, Problem
from manyviews.mkl._baselines._one_stage import OneStageLearner, Report
from manyviews.mkl._baselines._reduced_gradient import descend
from manyviews.mkl._classifier import Penalty
from manyviews.mkl._library._library import KernelLibrary, Kernels
from manyviews.typing import Classifier, Count, FloatArray, NonNegative, Verbosity


class SimpleMKL(OneStageLearner):
    """Learn an SVM and sparse weights of its kernels at once.

    Take it where few of many kernels matter, and you want to know which. Where most say
    something, see :class:`LpMKL`.

    Parameters
    ----------
    kernels : KernelLibrary, kernel, name or list of these
        The base kernels; by default five per view, Gaussian, cosine and linear.
    classifier : classifier
        One that takes a precomputed kernel; by default SVMs, one against the rest. The weights are
        learnt with SVMs in any case.
    C : float, "auto" or None
        C of the SVMs and the classifier; None takes the classifier's own, or 1.
    max_iter : int
        Most steps.
    tol : float
        The duality gap to stop at, as a share of the objective.
    verbose : int
        1 reports how it ended, 2 each step.

    Attributes
    ----------
    kernel_weights_ : array of shape (n_kernels,)
        Weights of the kernels, summing to one; most are zero.
    kernel_names_ : list of str
        What the kernels are called.
    learning_C_ : float
        C of the SVMs with which the weights were learnt.
    duality_gap_ : float
        How far the objective may be above its minimum, as a share of it.
    objective_history_ : array
        J at the start and after every step.
    n_iter_ : int
        How many steps were taken, at least 1.
    n_machine_fits_ : int
        How many SVMs were fitted for the weights.
    converged_ : bool
        Whether the duality gap is at most ``tol``.
    kernels_ : LibraryMatrices
        The fitted base kernels.
    combination_ : LinearCombination
        How the kernels make one.
    estimator_ : classifier
        The classifier on the learnt kernel.
    C_ : float or None
        Its C.
    scale_ : float
        What the learnt kernel is divided by for the classifier: here 1.
    sharpness_ : float or None
        What the scores are multiplied by to be log-probabilities; None where a classifier was given
        or tells probabilities itself.
    classes_ : array
        The classes.
    labelled_ : array of int
        Which of the objects learnt from have a class; here all.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.datasets import load_digits_views
    >>> from manyviews.mkl import SimpleMKL
    >>> views, y = load_digits_views()
    >>> model = SimpleMKL(["linear", "rbf"], C=10.0).fit(views[:200], y[:200])
    >>> bool(model.duality_gap_ <= model.tol), round(float(model.kernel_weights_.sum()), 6)
    (True, 1.0)

    Notes
    -----
    **Objective**
        Minimise ``½ Σ_l ‖w_l‖² / μ_l + C Σ_i ξ_i`` over SVMs and weights ``μ ≥ 0``,
        ``Σ_l μ_l = 1``: as a function of μ, ``J(μ) = max_α Σ α − ½ αᵀ Y (Σ_l μ_l K_l) Y α``.

    **Symbols**
        d or μ → ``kernel_weights_``, J → ``objective_history_``, ½ αᵀ Y K_l Y α = −∂J/∂μ_l →
        ``Point.halves``, D → ``reduced_direction``, C → ``learning_C_``.

    **Algorithm**
        1. ``Problem.at``: SVMs at given weights (``fit_svms``, from those of the point before),
           their dual value and gradient.
        2. ``step``: the reduced gradient; kernels whose weight reaches zero are dropped from the
           direction while the objective falls, then ``line_search``.
        3. Repeat until the duality gap, ``max_l S_l − Σ_l μ_l S_l`` and what the SVMs left open,
           is at most ``tol`` of the objective.
        4. ``fit_classifier`` on the weighted sum.

    **Deviations**
        The line search uses slopes, which each SVM gives for nothing, in place of golden sections.
        As long as leaving kernels at the border lowers the objective, twice as many are left with
        each SVM. Weights that share the largest value stand in for the sum of one together, so
        that equal kernels get equal weights and no order matters.
        The duality gap is a bound also for SVMs that were not solved to the last digit. Several
        classes: one set of weights, that minimise the sum of the objectives of all classes against
        the rest; the comparisons in [@kumar2013] have one set per class.
        ``C="auto"`` takes one C for the weights, by cross-validation of the SVM at equal weights,
        and then the classifier's C by cross-validation on the learnt kernel; to learn the weights
        anew for every C, use ``GridSearchCV`` with numbers for C.

    **Complexity**
        One SVM per class and one pass over the p kernels, O(p n²), for every point tried:
        tens for a dozen kernels, hundreds for hundreds.

    References
    ----------
    [@rakotomamonjy2008; @kumar2013]
    """

    _contract_exemptions: ClassVar[dict[str, str]] = {
        "order_of_objects_in_fit_is_free": "weights are found up to the duality gap, by SVMs whose "
        "last digits depend on the order of the objects"
    }

    def __init__(
        self,
        kernels: KernelLibrary | Kernels = None,
        *,
        classifier: Classifier | None = None,
        C: Penalty = "auto",
        max_iter: Count = 500,
        tol: NonNegative = 1e-2,
        verbose: Verbosity = 0,
    ) -> None:
        self.kernels = kernels
        self.classifier = classifier
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(["linear", "rbf"], C=1.0, tol=0.1)

    def _equal_weights(self, n_kernels: int) -> FloatArray:
        return np.full(n_kernels, 1.0 / n_kernels)

    def _dual_norm(self) -> float:
        return float(np.inf)

    def _minimise(self, problem: Problem, start: Point, report: Report) -> Run[Point]:
        return descend(problem, start, max_iter=self.max_iter, tol=self.tol, report=report)
