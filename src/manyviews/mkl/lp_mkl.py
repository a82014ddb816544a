"""Weights of bounded p-norm, learnt together with the SVM [@kloft2011] [@kumar2013]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Self

import numpy as np

from manyviews.mkl.classifier import Penalty
from manyviews.mkl.library import KernelLibrary, Kernels
from manyviews.mkl.one_stage import OneStageLearner, Point, Problem
from manyviews.typing import Classifier, Count, FloatArray, Interval, NonNegative, Verbosity

__all__ = ["LpMKL"]


def best_weights(point: Point, p: float) -> FloatArray:
    """The weights of unit p-norm that are best for machines: ``μ_l ∝ ‖w_l‖^(2/(p+1))``."""
    squares = 2.0 * point.weights**2 * point.negative_gradient  # ‖w_l‖² = μ_l² Σ αᵀ Y K_l Y α
    if not squares.any():
        return point.weights
    weights = (squares / squares.max()) ** (1.0 / (p + 1.0))  # the closed form of [@kloft2011]
    return weights / float(np.linalg.norm(weights, p))


class LpMKL(OneStageLearner):
    """Learn an SVM and weights of its kernels at once, none of which has to be zero.

    Take it where all kernels say something, some more than others. Where you want to read off
    which views matter, :class:`SimpleMKL` sets the others to zero.

    Parameters
    ----------
    kernels : KernelLibrary, kernel, name or list of these
        The base kernels; by default five per view, Gaussian, cosine and linear.
    p : float
        The norm of the weights that is one, above 1: for 1 there is ``SimpleMKL``; ``numpy.inf``
        gives all the same weight.
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
        Weights of the kernels, of p-norm one.
    kernel_names_ : list of str
        What the kernels are called.
    learning_C_ : float
        C of the SVMs with which the weights were learnt.
    duality_gap_ : float
        How far the objective may be above its minimum, as a share of it.
    objective_history_ : array
        The objective at the start and after every step.
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
    >>> import numpy as np
    >>> from manyviews.datasets import load_digits_views
    >>> from manyviews.mkl import LpMKL
    >>> views, y = load_digits_views()
    >>> model = LpMKL(["linear", "rbf"], p=2, C=10.0).fit(views[:200], y[:200])
    >>> round(float(np.linalg.norm(model.kernel_weights_)), 6), model.kernel_weights_.min() > 0
    (1.0, np.True_)

    Notes
    -----
    **Objective**
        Minimise ``½ Σ_l ‖w_l‖² / μ_l + C Σ_i ξ_i`` over SVMs and weights ``μ ≥ 0``,
        ``‖μ‖_p ≤ 1``. The larger p, the more even the weights: towards p = 1 they are those of
        ``SimpleMKL``, for p = ∞ all are equal.

    **Symbols**
        θ or μ → ``kernel_weights_``, ‖w_l‖² → from ``Point.negative_gradient``,
        C → ``learning_C_``.

    **Algorithm**
        1. ``Problem.at``: SVMs at given weights (``fit_svms``, from those of the point before), at
           first equal ones.
        2. ``best_weights``: the weights in closed form, ``μ_l ∝ ‖w_l‖^(2/(p+1))``.
        3. Repeat until the duality gap, ``‖S‖_q − Σ_l μ_l S_l`` with 1/p + 1/q = 1 and
           ``S_l = ½ αᵀ Y K_l Y α``, is at most ``tol`` of the objective.
        4. ``fit_classifier`` on the weighted sum.

    **Deviations**
        Several classes: one set of weights, with ‖w_l‖² summed over classes against the rest; the
        comparisons in [@kumar2013] have one set per class. The duality gap is a bound also for
        SVMs that were not solved to the last digit.
        ``C="auto"`` takes one C for the weights, by cross-validation of the SVM at equal weights,
        and then the classifier's C by cross-validation on the learnt kernel; to learn the weights
        anew for every C, use ``GridSearchCV`` with numbers for C.

    **Complexity**
        One SVM per class and one pass over the m kernels, O(m n²), for every step; for p = 2
        a few steps (one to three on two standard sets), more for a smaller ``tol``.

    References
    ----------
    [@kloft2011; @kumar2013]
    """

    def __init__(
        self,
        kernels: KernelLibrary | Kernels = None,
        *,
        p: Annotated[float, Interval(1, above=True, infinite=True)] = 2.0,
        classifier: Classifier | None = None,
        C: Penalty = "auto",
        max_iter: Count = 200,
        tol: NonNegative = 1e-2,
        verbose: Verbosity = 0,
    ) -> None:
        self.kernels = kernels
        self.p = p
        self.classifier = classifier
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(["linear", "rbf"], C=1.0, tol=1e-5)

    def _norm(self) -> float:
        return self.p

    def _step(self, problem: Problem, point: Point) -> Point:
        return problem.at(best_weights(point, self.p))
