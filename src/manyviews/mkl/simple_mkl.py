"""Weights that sum to one, learnt together with the SVM [@rakotomamonjy2008] [@kumar2013]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Self

import numpy as np

from manyviews.mkl.classifier import Penalty
from manyviews.mkl.library import KernelLibrary, Kernels
from manyviews.mkl.one_stage import OneStageLearner, Point, Problem
from manyviews.typing import BoolArray, Classifier, Count, FloatArray, NonNegative, Verbosity

__all__ = ["SimpleMKL"]

LEAST_WEIGHT = 1e-10
"""A weight below that is zero: rounding of a step to the border, weights summing to one."""
FLAT = 0.1
"""A line search ends where the slope is down to this share: an exact minimum is
not worth its SVMs, as the next direction is another."""
MOST_TRIALS = 12
"""SVMs of a line search at most; halving alone would come within a four-thousandth of the way."""


def reduced_gradient_step(problem: Problem, point: Point, tol: float) -> Point:
    """Walk along one direction, leave kernels at the border, then search for the lowest point."""
    direction, n_left = reduced_direction(point), 1
    while slope(point, direction) < 0:
        reach = step_to_leave(point.weights, direction, n_left)
        border = problem.at(moved(point.weights, direction, reach))
        if border.objective < point.objective:
            point, n_left = border, 2 * n_left
            if point.gap(np.inf) <= tol:
                break
            direction = without_border(point.weights, direction)
        elif n_left == 1:
            return line_search(problem, point, border, direction, reach)
        else:
            n_left = 1  # that were too many at once
    return point


def reduced_direction(point: Point) -> FloatArray:
    """Down the gradient, with the largest weight standing in for the sum of one."""
    reference = largest(point.weights)
    # D = −(∂J/∂μ_l − ∂J/∂μ_m), the reduced gradient of [@rakotomamonjy2008], m of largest weight
    direction = point.negative_gradient - point.negative_gradient[reference].mean()
    return without_border(point.weights, direction)


def without_border(weights: FloatArray, direction: FloatArray) -> FloatArray:
    """Leave a kernel where its weight has come down to zero."""
    direction = np.where((weights <= 0) & (direction < 0), 0.0, direction)
    reference = largest(weights)
    direction[reference] -= direction.sum() / reference.sum()  # so that the sum stays
    return direction


def largest(weights: FloatArray) -> BoolArray:
    """Which weight is the largest; all that share it, so that equal kernels are treated alike."""
    return weights >= (1.0 - 1e-9) * weights.max()


def slope(point: Point, direction: FloatArray) -> float:
    """How the objective changes along a direction."""
    return -float(point.negative_gradient @ direction)


def step_to_leave(weights: FloatArray, direction: FloatArray, number: int) -> float:
    """How far to go until so many weights, or all that fall, are zero."""
    falling = direction < 0
    lengths = np.sort(-weights[falling] / direction[falling])
    return float(lengths[min(number, len(lengths)) - 1])


def moved(weights: FloatArray, direction: FloatArray, length: float) -> FloatArray:
    """Weights after a step, on the simplex; those that would fall below zero stay there."""
    found = weights + length * direction
    found[found < LEAST_WEIGHT] = 0.0
    return found / found.sum()


def line_search(
    problem: Problem, point: Point, border: Point, direction: FloatArray, reach: float
) -> Point:
    """Find a point between two where the objective is almost flat, by its slopes.

    The interval shrinks by regula falsi with a halved slope at an end that stays (Illinois).
    """
    low, high = 0.0, reach
    slope_low, slope_high = slope(point, direction), slope(border, direction)
    first, best = slope_low, point
    for _ in range(MOST_TRIALS):
        share = slope_low / (slope_low - slope_high) if slope_high > 0 else 0.5
        length = low + (high - low) * min(max(share, 0.05), 0.95)
        trial = problem.at(moved(point.weights, direction, length))
        here = slope(trial, direction)
        best = trial if trial.objective < best.objective else best
        if abs(here) <= FLAT * abs(first) and best is trial:
            break
        if here < 0:
            low, slope_low, slope_high = length, here, slope_high / 2
        else:
            high, slope_high, slope_low = length, here, slope_low / 2
    return best


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
        ``Point.negative_gradient``, D → ``reduced_direction``, C → ``learning_C_``.

    **Algorithm**
        1. ``Problem.at``: SVMs at given weights (``fit_svms``, from those of the point before),
           their dual value and gradient.
        2. ``reduced_gradient_step``: kernels whose weight reaches zero are dropped from the
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

    def _norm(self) -> float:
        return 1.0

    def _step(self, problem: Problem, point: Point) -> Point:
        return reduced_gradient_step(problem, point, self.tol)
