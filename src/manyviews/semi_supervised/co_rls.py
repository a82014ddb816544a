"""Least squares in every view, whose functions agree on unlabelled objects [@sindhwani2005].

From the top: the loss, the dual system, the primal system, functions, the estimators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack

from manyviews.base import (
    BaseMultiView,
    BaseMultiViewClassifier,
    ViewTags,
    report,
    warn_not_converged,
    warn_of_minutes,
)
from manyviews.data import Views, per_view
from manyviews.maths import (
    centre_gram,
    check_memory,
    conjugate_gradients,
    scaled,
    spread_gram,
    to_dense,
)
from manyviews.semi_supervised._shared import (
    KernelLike,
    best_class,
    chosen_kernels,
    class_targets,
    flat,
    read_or_judge_class_weights,
    softmax_of_decisions,
    spread_of_features,
    spread_of_gram,
    weighted_mean,
)
from manyviews.semi_supervised.least_squares import class_offsets
from manyviews.similarity import (
    RBF,
    LowRankKernel,
    ViewFunction,
    ViewKernel,
    fit_kernel,
    kernel_function,
    values_by_view,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    Divisor,
    Factor,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = ["CoRLS", "CoRegularizedLeastSquares"]

ROUNDING = 1e-14
"""Eigenvalues up to this share of an object's largest are zeros that rounding has moved: some
tens of the spacing of doubles, for matrices as small as there are views."""
NARROW = 1000
"""Features of all views together up to which the normal equations are factorised. A judgement:
their matrix has 8 MB."""
MANY_OBJECTS = 2000
"""Objects beyond which features are preferred even if they are more. A judgement: the matrices
of similarities have 32 MB a view."""
LONG = 6e10
"""Objects times squared ranks, over the views, beyond which low-rank kernels take half a minute: of
20,000 objects in two views of rank 500, 1e10, ``CoRLS`` took 4.5 s of one processor (2026-11)."""

Cut: TypeAlias = Callable[[FloatArray, BoolArray], FloatArray]
"""From centred functions, views × objects × targets, and where they are seen to offsets."""


# The loss -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CoupledLoss:
    """What functions of the views cost: ``Σ d (y − f)² + Σ_{v<w} c (f_v − f_w)²``.

    Values of functions have the shape (n_views, n_objects, n_targets), with zeros where a view is
    unobserved. As a quadratic form the loss is ``fᵀ A f − 2 fᵀ (d y) + yᵀ d y``; ``A`` couples
    the views of one object and never two objects.
    """

    targets: FloatArray
    """Shape (n_objects, n_targets); zeros for unlabelled objects."""
    fit: FloatArray
    """Shape (n_views, n_objects): weight ``d`` of the error of a view on a labelled object."""
    weights: FloatArray
    """Shape (n_views, n_views, n_objects): the matrix ``A`` of every object."""
    consensus: FloatArray | None
    """Shape (n_views,): the ``b`` with ``Σ_{v<w} c (f_v − f_w)² = min_g Σ_v b (f_v − g)²``.

    None where functions are not coupled, or some object lacks a view: then ``c`` depends on the
    pair, and there is none.
    """

    def linear(self) -> FloatArray:
        """``d y``, shaped as values."""
        return self.fit[:, :, None] * self.targets

    def value(self, values: FloatArray) -> float:
        """The loss itself, as the sum of squares that it is."""
        first, second = np.triu_indices(len(values), 1)
        # The unnumbered objective of section 3 but for the norms: errors, then disagreements
        errors = np.einsum("vi,vik->", self.fit, (self.targets - values) ** 2)
        return float(errors) + sum(
            float(np.einsum("i,ik->", -self.weights[v, w], (values[v] - values[w]) ** 2))
            for v, w in zip(first, second, strict=True)
        )


def pose_loss(
    observed: BoolArray,
    labelled: BoolArray,
    targets: FloatArray,
    *,
    coupling: float,
    balance: Sequence[float],
    view_weights: Sequence[float],
) -> CoupledLoss:
    """Weigh errors and differences by means over the objects that have them.

    A view errs on the labelled objects that it shows; two views differ on the objects that both
    show, and that counts the product of their weights. An object lacking a view takes part in no
    pair with it.

    Examples
    --------
    >>> observed, labelled = np.ones((2, 2), dtype=bool), np.array([True, False])
    >>> y = np.array([[1.0], [0.0]])
    >>> loss = pose_loss(
    ...     observed, labelled, y, coupling=4.0, balance=[1.0, 3.0], view_weights=[1.0, 1.0]
    ... )
    >>> loss.weights[:, :, 0]
    array([[ 3., -2.],
           [-2.,  5.]])
    >>> loss.consensus
    array([4., 4.])
    """
    seen = observed.T
    shown = seen & labelled
    shares = np.asarray(balance, dtype=np.float64) / np.maximum(shown.sum(axis=1), 1)  # μ / l
    fit = shares[:, None] * shown
    both = (seen[:, None] & seen[None, :]).astype(np.float64)
    both *= coupling / np.maximum(both.sum(axis=2, keepdims=True), 1.0)  # γ_C / (l + u)
    both *= np.outer(view_weights, view_weights)[:, :, None]
    consensus = both[:, :, 0].sum(axis=1) if observed.all() else np.zeros(len(seen))
    diagonal = np.arange(len(seen))
    both[diagonal, diagonal] = 0.0
    weights = -both
    weights[diagonal, diagonal] = both.sum(axis=1) + fit
    targets = np.asarray(targets, dtype=np.float64)
    return CoupledLoss(targets, fit, weights, consensus if consensus.any() else None)


@dataclass(frozen=True)
class Solution:
    """The functions that cost least."""

    values: FloatArray
    """Shape (n_views, n_objects, n_targets); zeros where a view is unobserved."""
    penalty: float
    """``Σ_v γ_v ‖f_v‖²``, summed over the targets."""
    expansion: Sequence[FloatArray]
    """By view: coefficients of the objects (dual) or weights of the features (primal)."""
    n_iter: int = 1
    converged: bool = True


# The dual: coefficients of kernels between objects ------------------------------------------------


def solve_dual(grams: Sequence[FloatArray], loss: CoupledLoss, gammas: Sequence[float]) -> Solution:
    """Coefficients of the kernel expansions, ``(Γ + A K) α = d y``: the coupled system of §3.

    Each matrix of ``grams`` has zeros where an object is unobserved. The system is solved for all
    targets at once, by its residuals or by a consensus of the views, whichever is less work.
    """
    objects, loadings, targets = residuals(loss)
    n_views, n_objects = loss.fit.shape
    # An inverse takes n³ operations, a Cholesky factor a third of that.
    if loss.consensus is not None and len(objects) ** 3 > (3 * n_views + 1) * n_objects**3:
        coefficients = by_consensus(grams, loss, loss.consensus, gammas)
    else:
        coefficients = by_residuals(grams, objects, loadings, targets, gammas)
    values = np.stack([gram @ own for gram, own in zip(grams, coefficients, strict=True)])
    norms = np.einsum("vik,vik->v", coefficients, values)
    return Solution(values, float(np.dot(gammas, norms)), list(coefficients))


def residuals(loss: CoupledLoss) -> tuple[IntArray, FloatArray, FloatArray]:
    """Write the loss as a plain sum of squares ``Σ_z (t_z − Σ_v r_zv f_v(x_{i(z)}))²``.

    Each object's matrix ``A`` is ``RᵀR`` with as few rows as its rank: an unlabelled object has one
    less than it has views, a labelled one as many as views. Returned are the
    object of each row, ``r`` (residuals × views) and ``t`` (residuals × targets).
    """
    eigenvalues, vectors = np.linalg.eigh(np.moveaxis(loss.weights, 2, 0))
    kept = eigenvalues > ROUNDING * np.maximum(eigenvalues[:, -1:], np.finfo(np.float64).tiny)
    objects, places = np.nonzero(kept)
    roots = np.sqrt(eigenvalues[objects, places])[:, None]
    directions = vectors[objects, :, places]
    shares = np.einsum("zv,vz->z", directions, loss.fit[:, objects])[:, None]
    return objects, roots * directions, shares * loss.targets[objects] / roots


def by_residuals(
    grams: Sequence[FloatArray],
    objects: IntArray,
    loadings: FloatArray,
    targets: FloatArray,
    gammas: Sequence[float],
) -> FloatArray:
    """Coefficients by the residuals: ``Γ⁻¹ Rᵀ z`` with ``(I + R K Γ⁻¹ Rᵀ) z = t``.

    The system is symmetric and positive definite, and with two views has ``l + u + l`` unknowns
    instead of the ``2 (l + u)`` of the paper's.
    """
    n_unknowns = len(objects)
    _check_memory((n_unknowns, n_unknowns))
    system = np.zeros((n_unknowns, n_unknowns))
    for gram, loading, gamma in zip(grams, loadings.T, gammas, strict=True):
        part = gram.take(objects, axis=0).take(objects, axis=1)
        part *= loading[:, None] / gamma
        part *= loading
        system += part
    system[np.diag_indices_from(system)] += 1.0
    found = cho_solve(_factor(system, grams, gammas), targets, check_finite=False)
    coefficients = np.zeros((len(grams), grams[0].shape[0], targets.shape[1]))
    for own, loading, gamma in zip(coefficients, loadings.T, gammas, strict=True):
        # α = Γ⁻¹ Rᵀ z solves the coupled system of section 3
        np.add.at(own, objects, loading[:, None] * found / gamma)
    return coefficients


def by_consensus(
    grams: Sequence[FloatArray], loss: CoupledLoss, consensus: FloatArray, gammas: Sequence[float]
) -> FloatArray:
    """Coefficients by block elimination, where every view shows every object.

    With ``g`` known, a view is a ridge regression of its own, of ``(d y + b g) / D`` with weights
    ``D = d + b``: ``α = S M S⁻¹ (d y + b g) / γ`` with ``S² = D`` and ``M = (I + S K S / γ)⁻¹``.
    What is left of ``g`` (the Schur complement) is as large as there are objects, and a sum of
    positive definite matrices, so that nothing cancels: ``Σ_v [b S⁻¹ M S⁻¹ b + d b / D] g =
    Σ_v b S⁻¹ M S K (d y) / γ``.
    """
    n_objects = len(loss.targets)
    _check_memory((len(grams) * n_objects, n_objects))
    left, right = np.zeros((n_objects, n_objects)), np.zeros(loss.targets.shape)
    inverses = []
    unit = float(consensus.sum())  # keeps the complement near one, however weak the coupling is
    for gram, fit, errors, b, gamma in zip(
        grams, loss.fit, loss.linear(), consensus, gammas, strict=True
    ):
        root = np.sqrt(fit + b)  # S
        system = gram * (root / gamma)
        system *= root[:, None]
        system[np.diag_indices_from(system)] += 1.0
        factor, _ = _factor(system, [gram], [gamma])
        lower = np.tril(lapack.dpotri(factor, lower=1, overwrite_c=1)[0])
        inverse = lower + np.tril(lower, -1).T  # M
        inverses.append(inverse)
        if b:  # else the view is alone
            share = b / root / np.sqrt(unit)
            left += share[:, None] * inverse * share
            left[np.diag_indices_from(left)] += fit / root**2 * (b / unit)
            right += share[:, None] * (inverse @ (root[:, None] * (gram @ errors) / gamma))
    g = cho_solve(_factor(left, grams, gammas), right / np.sqrt(unit), check_finite=False)
    coefficients = []
    for inverse, fit, errors, b, gamma in zip(
        inverses, loss.fit, loss.linear(), consensus, gammas, strict=True
    ):
        root = np.sqrt(fit + b)[:, None]
        asked = np.divide(errors + b * g, root, out=np.zeros_like(g), where=root > 0)
        coefficients.append(root * (inverse @ asked) / gamma)  # α of the same system, section 3
    return np.stack(coefficients)


def _check_memory(shape: tuple[int, int]) -> None:
    check_memory(
        shape,
        f"the coupled system of {shape[0]:,} unknowns",
        remedy="use a kernel with features, such as LowRankKernel(), and solver='primal'",
    )


def _factor(
    system: FloatArray, grams: Sequence[FloatArray], gammas: Sequence[float]
) -> tuple[FloatArray, bool]:
    """Cholesky factor of a system, in its place; or why there is none."""
    try:
        return cho_factor(system.T, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError as error:
        lost = len(system) * np.finfo(np.float64).eps  # how far rounding moves the eigenvalues of K
        if any(
            gamma < lost * np.abs(gram).max() for gram, gamma in zip(grams, gammas, strict=True)
        ):
            raise ValueError(
                "gamma is so small beside the kernel that it is lost in rounding; raise gamma, or "
                "scale the views."
            ) from error
        raise ValueError(
            "a kernel matrix is not positive semi-definite, so no function costs least; use a "
            "kernel such as RBF(), or take the positive part of a precomputed one."
        ) from error


# The primal: weights of features, without any matrix of objects by objects ------------------------


@dataclass(frozen=True)
class Features:
    """One view's features ``o (Φ − 1 mᵀ)``; of sparse ones the mean is subtracted in products."""

    matrix: Matrix
    """Shape (n_objects, n_features), with zeros in the rows of unobserved objects."""
    seen: BoolArray
    shift: FloatArray
    """What is still to be subtracted from the matrix, in observed rows."""

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.matrix.shape[1])

    def values(self, weights: FloatArray) -> FloatArray:
        """``Φ w``: values of the functions with these weights, at all objects."""
        found = np.asarray(self.matrix @ weights)
        if self.shift.any():
            found -= self.shift @ weights
            found[~self.seen] = 0.0
        return found

    def adjoint(self, values: FloatArray) -> FloatArray:
        """``Φᵀ v``, with values that are zero where the view is unobserved."""
        found = np.asarray(self.matrix.T @ values)
        if self.shift.any():
            found -= self.shift[:, None] * values.sum(axis=0)
        return found

    def squares(self, weights: FloatArray) -> FloatArray:
        """Sums of the squared features, weighted; for sparse ones without forming differences."""
        squared = self.matrix.power(2) if is_sparse(self.matrix) else self.matrix**2
        found = np.asarray(squared.T @ weights)
        if self.shift.any():
            found += self.shift * (self.shift * weights.sum() - 2.0 * (self.matrix.T @ weights))
        return np.maximum(found, 0.0)

    def product(self, weights: FloatArray, other: Features) -> FloatArray:
        """``Φᵀ diag(weights) Ψ``, with weights that are zero where either is unobserved."""
        weighted: Any = scaled(other.matrix, weights, np.ones(other.width))
        found: Any = self.matrix.T @ weighted
        dense = np.array(found.toarray() if is_sparse(found) else found, dtype=np.float64)
        if self.shift.any() or other.shift.any():
            own, others = self.matrix.T @ weights, other.matrix.T @ weights
            dense -= np.outer(self.shift, others) + np.outer(own, other.shift)
            dense += weights.sum() * np.outer(self.shift, other.shift)
        return dense


def solve_primal(
    features: Sequence[Features],
    loss: CoupledLoss,
    gammas: Sequence[float],
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """Weights of the features, ``(Γ + Φᵀ A Φ) w = Φᵀ d y`` with ``Φ`` block-diagonal.

    Few features are solved for by one Cholesky factorisation, many by conjugate gradients with
    Jacobi's preconditioner.
    """
    widths = [own.width for own in features]
    ends = np.cumsum(widths)[:-1]
    norms = np.repeat(gammas, widths)  # the diagonal of Γ
    linear = zip(features, loss.linear(), strict=True)
    right = np.vstack([own.adjoint(errors) for own, errors in linear])

    def values(weights: FloatArray) -> FloatArray:
        parts = zip(features, np.split(weights, ends), strict=True)
        return np.stack([own.values(part) for own, part in parts])

    def product(weights: FloatArray) -> FloatArray:
        coupled = np.einsum("vwi,wik->vik", loss.weights, values(weights))  # A Φ w
        parts = zip(features, coupled, strict=True)
        return norms[:, None] * weights + np.vstack([own.adjoint(part) for own, part in parts])

    n_iter, converged = 1, True
    if sum(widths) <= NARROW:
        stacked = cho_solve(_normal_factor(features, loss, norms), right)
    else:
        own_weights = zip(features, np.einsum("vvi->vi", loss.weights), strict=True)
        diagonal = norms + np.concatenate([own.squares(weights) for own, weights in own_weights])
        found = conjugate_gradients(
            product, right, diagonal, tol=tol, max_iter=max_iter, report=report
        )
        stacked, n_iter, converged = found.solution, found.n_iter, found.residual <= tol
    weights = np.split(stacked, ends)
    penalty = float(np.vdot(stacked, norms[:, None] * stacked))
    return Solution(values(stacked), penalty, weights, n_iter, converged)


def _normal_factor(
    features: Sequence[Features], loss: CoupledLoss, norms: FloatArray
) -> tuple[FloatArray, bool]:
    """Cholesky factor of the normal equations, or why there is none."""
    blocks = [
        [own.product(weights, other) for other, weights in zip(features, row, strict=True)]
        for own, row in zip(features, loss.weights, strict=True)
    ]
    normal: FloatArray = np.block(blocks)
    normal[np.diag_indices_from(normal)] += norms
    try:
        return cho_factor(normal, lower=True, overwrite_a=True)
    except np.linalg.LinAlgError as error:
        raise ValueError(
            "gamma is so small beside balance and coupling that it is lost in rounding, and no "
            "function costs least; raise gamma, or lower the others."
        ) from error


# Disagreement of the views ------------------------------------------------------------------------


def disagreement(values: FloatArray, seen: BoolArray) -> float:
    """Mean over pairs of views of their mean squared difference; 0 for one view."""
    found = []
    for first, second in zip(*np.triu_indices(len(values), 1), strict=True):
        both = seen[first] & seen[second]
        if both.any():
            found.append(((values[first] - values[second])[both] ** 2).mean())
    return float(np.mean(found)) if found else 0.0


# Functions ----------------------------------------------------------------------------------------


def choose_solver(
    asked: str, kernels: Mapping[str, ViewKernel], n_objects: int
) -> Literal["dual", "primal"]:
    """Take features where there are some and they are fewer than objects, or objects are many."""
    widths = {name: own.n_features for name, own in kernels.items()}
    without = [name for name, width in widths.items() if width is None]
    if asked == "primal" and without:
        raise ValueError(
            f"solver='primal' needs features and the kernel of view {without[0]!r} has none; "
            "use 'linear', 'cosine' or LowRankKernel(...), or solver='dual'."
        )
    if asked == "dual" or without:
        return "dual"
    few = sum(width or 0 for width in widths.values()) <= n_objects
    return "primal" if asked == "primal" or few or n_objects > MANY_OBJECTS else "dual"


def fit_dual(
    kernels: Mapping[str, ViewKernel],
    loss: CoupledLoss,
    gammas: Mapping[str, float],
    center: bool,
    relative: bool,
) -> tuple[Solution, dict[str, ViewFunction]]:
    """Solve by matrices of similarities, and turn coefficients into functions of new objects."""
    n_objects = len(loss.targets)
    grams, means, penalties = [], [], []
    for name, own in kernels.items():
        gram = own.gram
        spread = spread_of_gram(gram, center=center) if relative else 1.0
        penalties.append(gammas[name] * spread)
        means.append(gram.mean(axis=0) if center else np.zeros(len(gram)))
        gram = centre_gram(gram) if center else gram
        if len(own.places) < n_objects:
            gram = to_dense(spread_gram(gram, own.places, own.places, (n_objects, n_objects)))
        grams.append(gram)
    solution = solve_dual(grams, loss, penalties)
    functions = {}
    for (name, own), mean, found in zip(kernels.items(), means, solution.expansion, strict=True):
        if center:  # H K H α is K (H α) less its mean
            found[own.places] -= found[own.places].mean(axis=0)
        here = found[own.places]
        functions[name] = kernel_function(own, here, -(mean @ here))
    return solution, functions


def fit_primal(
    kernels: Mapping[str, ViewKernel],
    loss: CoupledLoss,
    gammas: Mapping[str, float],
    center: bool,
    relative: bool,
    **stopping: Any,
) -> tuple[Solution, dict[str, ViewFunction]]:
    """Solve by features, and turn their weights into functions of new objects."""
    features, means, penalties = [], [], []
    for name, own in kernels.items():
        rows = own.features
        spread = spread_of_features(rows, center=center) if relative else 1.0
        penalties.append(gammas[name] * spread)
        width = rows.shape[1]
        mean = np.asarray(rows.mean(axis=0) if center else np.zeros(width), dtype=np.float64)
        means.append(mean)
        features.append(centred_features(rows, mean, own.places, len(loss.targets)))
    solution = solve_primal(features, loss, penalties, **stopping)
    parts = zip(kernels.items(), means, solution.expansion, strict=True)
    return solution, {
        name: ViewFunction(own.kernel, None, found, -(mean @ found))
        for (name, own), mean, found in parts
    }


def centred_features(rows: Matrix, mean: FloatArray, places: IntArray, n_objects: int) -> Features:
    """Features of a view over all objects, less their mean."""
    seen = np.zeros(n_objects, dtype=bool)
    seen[places] = True
    if is_sparse(rows):
        if not seen.all():
            rows = spread_gram(rows, places, np.arange(len(mean)), (n_objects, len(mean)))
        return Features(rows, seen, mean)
    matrix = np.zeros((n_objects, len(mean)))
    matrix[places] = rows - mean
    return Features(matrix, seen, np.zeros_like(mean))


class CoRegularizedLeastSquares(BaseMultiView):
    """Base of both methods; a child says what the targets are and where functions are cut."""

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

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
        coupling: Factor = 0.1,
        balance: ByView[Factor] = 1.0,
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

    def _fit_functions(
        self, views: Views, targets: FloatArray, known: BoolArray, cut: Cut
    ) -> tuple[Solution, FloatArray, FloatArray]:
        """Solve the coupled system and keep its functions.

        ``targets`` are objects × targets, with zeros where they are not ``known``; ``cut`` says
        what is added to functions that were centred. Returned are the solution, in terms of the
        plain kernels, what was added, and the mean of the functions at the objects.
        """
        names, seen, n_objects = views.names, views.observed.T, len(views)
        gammas = per_view(self.gamma, names, parameter="gamma")
        balance = per_view(self.balance, names, parameter="balance")
        if not any(balance.values()):
            raise ValueError("balance is zero in every view; give one a positive weight.")
        loss = pose_loss(
            views.observed,
            known,
            targets,
            coupling=float(self.coupling),
            balance=[float(balance[name]) for name in names],
            view_weights=list(self.view_weights_.values()),
        )
        chosen = chosen_kernels(self.kernel, views)
        self._warn_of_long_factors(chosen, n_objects)
        kernels = {name: fit_kernel(views, name, chosen[name]) for name in names}
        self.solver_ = choose_solver(self.solver, kernels, n_objects)
        if self.verbose:
            report(
                self,
                f"solving the {self.solver_} system of {len(names)} views of {n_objects} objects",
            )
        fit: Any = fit_dual
        if self.solver_ == "primal":
            fit = partial(fit_primal, tol=self.tol, max_iter=self.max_iter, report=self._step)
        solution, functions = fit(kernels, loss, gammas, self.center, self.relative)
        offsets: FloatArray = np.zeros((len(names), targets.shape[1]))
        if self.center:
            offsets = cut(solution.values, seen)
        self.functions_ = {
            name: replace(own, intercept=own.intercept + added)
            for (name, own), added in zip(functions.items(), offsets, strict=True)
        }
        self.objective_ = loss.value(solution.values) + solution.penalty
        self.disagreement_ = disagreement(solution.values, seen)
        self.n_iter_, self.converged_ = solution.n_iter, solution.converged
        if self.verbose:
            report(
                self,
                f"{self.solver_} solution after {self.n_iter_} steps, "
                f"objective {self.objective_:.6g}",
            )
        if not self.converged_:
            warn_not_converged(
                self,
                f"did not converge in max_iter={self.max_iter} steps",
                "raise max_iter or tol, raise gamma, or bring the rows of the views to unit length",
            )
        decisions = np.where(seen[:, :, None], solution.values + offsets[:, None], np.nan)
        by_view = dict(zip(names, decisions, strict=True))
        return solution, offsets, weighted_mean(by_view, self.view_weights_)

    def _warn_of_long_factors(self, chosen: Mapping[str, Any], n_objects: int) -> None:
        ranks = [
            float(min(each.rank, n_objects))
            for each in chosen.values()
            if isinstance(each, LowRankKernel)
        ]
        if n_objects * sum(rank**2 for rank in ranks) > LONG:
            warn_of_minutes(
                self,
                f"makes {len(ranks)} kernels among {n_objects:,} objects of low rank",
                "learn from fewer objects and predict the others, or give a smaller rank, as in "
                "kernel=LowRankKernel(rank=100)",
            )

    def _step(self, step: int, residual: float) -> None:
        if self.verbose > 1:
            report(self, f"step {step}, residual {residual:.3g}")

    def _values(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Values of the function of each view at new objects."""
        views = self._new_views(X)
        return values_by_view(self.functions_, views)

    def _mean(self, X: ViewsLike) -> FloatArray:
        """Mean of the functions of the views that show an object."""
        return weighted_mean(self._values(X), self.view_weights_)


class CoRLS(CoRegularizedLeastSquares, BaseMultiViewClassifier):
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
        2. ``solve_dual``: the coupled system (Γ + A K) α = (μ/l) Y for all classes, by a Cholesky
           factorisation of its residuals' system; of many views that show all objects, by block
           elimination to the Schur complement of what they agree on. Or ``solve_primal``: the same
           for weights of features, by a Cholesky factorisation if they are few, else by conjugate
           gradients.
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
        Dual: O(n²) memory per view and for V views the less of O(m³/3) time, with m = (V − 1) n +
        l, and, without gaps, O((V + 1/3) n³). Primal:
        with p features in all views up to 1,000, O(n p²); with more, two passes over the features
        per step, some tens to hundreds of steps, and no matrix larger than the views.

    References
    ----------
    [@sindhwani2005]
    """

    transduction_: AnyArray
    coef_: dict[str, FloatArray]
    dual_coef_: dict[str, FloatArray]
    intercept_: dict[str, FloatArray]
    offset_: dict[str, FloatArray]

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
        cut = partial(class_offsets, labels=labels, targets=targets)
        solution, offsets, mean = self._fit_functions(views, targets, labels.labelled, cut)
        self.offset_ = dict(zip(views.names, offsets, strict=True))
        self.intercept_ = {name: own.intercept for name, own in self.functions_.items()}
        self._store_coefficients(solution)
        best = np.where(labels.labelled, labels.codes, best_class(mean))
        self.transduction_ = self.classes_[best]
        return self

    def view_decisions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Decisions of each view, shaped as ``decision_function``; NaN where unobserved."""
        return {name: flat(own) for name, own in self._values(X).items()}

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Mean of the decisions of the views that show an object."""
        return flat(self._mean(X))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of each object."""
        best = best_class(self._mean(X))
        return self.classes_[best]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class: the logistic function, or softmax, of twice the decisions.

        The functions are fitted by least squares to 1 and −1 and shrunk, so that these are
        cautious; they are not calibrated on other objects.
        """
        return softmax_of_decisions(self._mean(X))

    def _store_coefficients(self, solution: Solution) -> None:
        """Keep what the solver gave, and nothing of an earlier fit."""
        for name in ("coef_", "dual_coef_"):
            if hasattr(self, name):
                delattr(self, name)
        functions = self.functions_.items()
        weights = {name: own.weights.T for name, own in functions if own.rows is None}
        if weights:
            self.coef_ = weights
        if self.solver_ == "dual":
            parts = zip(self.view_names_, solution.expansion, strict=True)
            self.dual_coef_ = {name: own.T for name, own in parts}
