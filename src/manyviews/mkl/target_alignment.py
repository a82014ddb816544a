"""Weights by which the kernels come closest to classes or numbers [@cortes2012] [@kumar2013].

The equations are numbered as in [@kumar2013].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy.linalg import eigh

from manyviews.base import BaseMultiViewRegressor
from manyviews.maths import row_blocks, rows_at_a_time
from manyviews.mkl.classifier import Penalty
from manyviews.mkl.kernel_learner import CombinedKernels, KernelLearner, LinearCombination
from manyviews.mkl.kernel_matrices import Block, KernelMatrices
from manyviews.mkl.library import KernelLibrary, Kernels
from manyviews.typing import Classifier, Divisor, FloatArray, IntArray, Verbosity, ViewsLike

__all__ = ["TargetAlignment", "TargetAlignmentRegressor"]

ROUNDING = 1e-14
"""A kernel of which centring leaves no more than this share of its square is constant: some fifty
machine precisions, as squares are subtracted from each other."""
BLOCK_VALUES = 1 << 19
"""How many values of kernels are multiplied together: 4 MiB."""
RIDGE_GRID = 10.0 ** np.arange(-4.0, 4.0)
"""Values that ``alpha="auto"`` tries, in units of the learnt kernel's mean diagonal: from hardly
any smoothing to hardly anything learnt."""


@dataclass(frozen=True)
class Products:
    """Frobenius products of kernels with each other and with the target, and its norm."""

    kernels: FloatArray
    target: FloatArray
    target_norm: float

    @property
    def norms(self) -> FloatArray:
        """``‖K_l‖_F``."""
        return np.sqrt(np.diag(self.kernels))

    def alignment(self, weights: FloatArray) -> float:
        """The cosine between the weighted sum of the kernels and the target."""
        norm = np.sqrt(weights @ self.kernels @ weights) * self.target_norm
        return float(weights @ self.target / norm) if norm > 0 else 0.0  # Eq. (5.3), over ‖T‖


def frobenius_products(
    kernels: KernelMatrices, target_kernel: Block, *, centered: bool
) -> Products:
    """Products of all kernels with each other and with the target, from one half of the pairs."""
    n, p = kernels.shape[0], len(kernels)
    products, target, sums = np.zeros((p, p)), np.zeros(p), np.zeros((n, p))
    target_sums, square = np.zeros(n), 0.0
    for rows in row_blocks(n, max(1, BLOCK_VALUES // (n * p))):
        columns, n_rows = slice(rows.start, n), rows.stop - rows.start
        stack, wanted = kernels.stacked(rows, columns), target_kernel(rows, columns)
        for part, times in ((columns, 2), (rows, -1)):  # both halves, so what is in both only once
            width = part.stop - part.start
            values = stack[..., :width].reshape(p, -1)
            products += times * (values @ values.T)
            target += times * (values @ wanted[:, :width].ravel())
            square += times * float(np.sum(wanted[:, :width] ** 2))
        sums[rows] += stack.sum(axis=2).T
        sums[rows.stop :] += stack[..., n_rows:].sum(axis=1).T
        target_sums[rows] += wanted.sum(axis=1)
        target_sums[rows.stop :] += wanted[:, n_rows:].sum(axis=0)
    if centered:  # ⟨HKH, HLH⟩ = ⟨K, L⟩ − (2/n) k·l + (Σk)(Σl)/n², k and l the sums of rows
        totals, total, plain = sums.sum(axis=0), target_sums.sum(), np.diag(products).copy()
        products += np.outer(totals, totals) / n**2 - (2 / n) * sums.T @ sums
        target += totals * total / n**2 - (2 / n) * target_sums @ sums
        silent = np.diag(products) <= ROUNDING * plain
        products[silent], products[:, silent], target[silent] = 0.0, 0.0, 0.0
        square += total**2 / n**2 - (2 / n) * target_sums @ target_sums
    return Products(products, target, float(np.sqrt(max(square, 0.0))))


def target_of(codes: IntArray) -> Block:
    """The target: 1 for pairs of one class, −1 for others."""
    signs = np.where(np.arange(codes.max() + 1)[:, None] == codes, 1.0, -1.0)  # t of Eq. (5.1)
    return lambda rows, columns: signs[codes[rows]][:, columns]


def joint_weights(products: Products) -> FloatArray:
    """Weights of unit length with the best alignment, Eq. (5.3).

    They are ``v / ‖v‖`` for the ``v ≥ 0`` that minimises ``vᵀMv − 2vᵀa``: non-negative least
    squares, with a root of M as the matrix.
    """
    from scipy.optimize import nnls

    norms = products.norms
    used = norms > 0
    if not used.any():
        return unit_or_equal(np.zeros(len(norms)))
    scaled = products.kernels[np.ix_(used, used)] / np.outer(norms[used], norms[used])
    values, vectors = eigh(scaled)
    kept = values > len(values) * np.finfo(float).eps * values[-1:]
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    aims = vectors.T @ (products.target[used] / norms[used]) / roots
    # argmin_{v ≥ 0} vᵀMv − 2vᵀa, up to its length the argmax of Eq. (5.3)
    found = nnls((vectors * roots).T, aims, maxiter=30 * max(len(values), 1))[0]
    weights = np.zeros(len(norms))
    weights[used] = found / norms[used]
    return unit_or_equal(weights)


def independent_weights(products: Products) -> FloatArray:
    """Weights proportional to each kernel's own alignment."""
    return unit_or_equal(np.maximum(own_alignments(products), 0.0))


def own_alignments(products: Products) -> FloatArray:
    """The alignment of each kernel alone; zero for a kernel that is zero."""
    norms = products.norms * products.target_norm
    return np.divide(products.target, norms, out=np.zeros(len(norms)), where=norms > 0)


def unit_or_equal(weights: FloatArray) -> FloatArray:
    """Weights of length one; equal ones if no kernel is aligned at all."""
    weights = weights if weights.any() else np.ones(len(weights))
    return weights / np.linalg.norm(weights)


@dataclass(frozen=True)
class RidgeFit:
    """Kernel ridge regression with its penalty."""

    coefficients: FloatArray
    alpha: float
    errors: FloatArray
    """Mean squared leave-one-out error of each penalty tried."""


def fit_ridge(gram: FloatArray, targets: FloatArray, grid: FloatArray) -> RidgeFit:
    """Minimise ``‖y − K a‖² + α aᵀK a`` with the α of smallest leave-one-out error.

    From one eigendecomposition: the residual of an object left out is its residual over
    ``1 − H_ii`` with ``H = K (K + αI)⁻¹``, which is ``a_i / [(K + αI)⁻¹]_ii``. Of equal errors the
    larger α is taken.

    Examples
    --------
    >>> found = fit_ridge(np.eye(3), np.array([1.0, 2.0, 3.0]), np.array([1.0]))
    >>> found.coefficients
    array([0.5, 1. , 1.5])
    """
    values, vectors = eigh(gram)
    values, rotated = np.maximum(values, 0.0), vectors.T @ targets
    fits = []
    for alpha in grid:
        inverse = 1.0 / (values + alpha)
        coefficients = vectors @ (inverse * rotated)
        left_out = coefficients / (vectors**2 @ inverse)
        fits.append((coefficients, float(np.mean(left_out**2))))
    errors = np.array([error for _, error in fits])
    best = len(grid) - 1 - int(errors[::-1].argmin())
    return RidgeFit(fits[best][0], float(grid[best]), errors)


class AlignedKernels(CombinedKernels):
    """Kernels weighted by their alignment with a target, which classes or numbers make."""

    method: Literal["joint", "independent"]

    alignments_: FloatArray
    alignment_: float

    def _align(
        self, kernels: KernelMatrices, target: Block, *, centered: bool = True
    ) -> LinearCombination:
        products = frobenius_products(kernels, target, centered=centered)
        weigh = joint_weights if self.method == "joint" else independent_weights
        self.kernel_weights_ = weigh(products)
        self.alignments_ = own_alignments(products)
        self.alignment_ = products.alignment(self.kernel_weights_)
        return LinearCombination(self.kernel_weights_)


class TargetAlignment(AlignedKernels, KernelLearner):
    """Weight kernels so that their sum is high within classes and low between them.

    Take it where time counts: the weights come from one small problem, no classifier is trained
    for them. :class:`TwoStageMKL` is a little better in the mean where all views are there.

    Parameters
    ----------
    kernels : KernelLibrary, kernel, name or list of these
        The base kernels; by default five per view, Gaussian, cosine and linear.
    classifier : classifier
        One that takes a precomputed kernel; by default SVMs, one against the rest.
    C : float, "auto" or None
        C of the classifier; "auto" chooses it by cross-validation, None leaves it as it is.
    method : {"joint", "independent"}
        The best sum, or each kernel for itself, which a crowd of similar kernels misleads.
    centered : bool
        Centre all matrices, which matters for a library that does not.
    verbose : int
        1 reports what was done, step by step.

    Attributes
    ----------
    kernel_weights_ : array of shape (n_kernels,)
        Weights of the kernels, of length one.
    kernel_names_ : list of str
        What the kernels are called.
    alignments_ : array of shape (n_kernels,)
        The alignment of each kernel alone, up to 1.
    alignment_ : float
        That of the learnt kernel.
    kernels_ : LibraryMatrices
        The fitted base kernels.
    combination_ : LinearCombination
        How the kernels make one.
    estimator_ : classifier
        The classifier on the learnt kernel.
    C_ : float or None
        Its C.
    scale_ : float
        What the learnt kernel is divided by for the classifier: the mean of its diagonal.
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
    >>> from manyviews.mkl import TargetAlignment
    >>> views, y = load_digits_views()
    >>> model = TargetAlignment(["linear", "rbf"], C=1.0).fit(views[:300], y[:300])
    >>> bool(model.alignment_ >= model.alignments_.max())
    True

    Notes
    -----
    **Objective**
        Maximise ``⟨Σ_l μ_l K_l, T⟩ / ‖Σ_l μ_l K_l‖_F`` over ``μ ≥ 0``, ``‖μ‖₂ = 1`` (Eq. 5.3),
        with all matrices centred. T is 1 for pairs of one class and −1 for others (Eq. 5.1).

    **Symbols**
        μ → ``kernel_weights_``, K_l → ``kernels_``, K^(t) or T → ``target_of``, M and a of the
        quadratic programme → ``Products.kernels`` and ``Products.target``.

    **Algorithm**
        1. ``frobenius_products``: M_kl = ⟨K_k, K_l⟩ and a_k = ⟨K_k, T⟩, blocks of pairs by BLAS.
        2. ``joint_weights``: minimise vᵀMv − 2vᵀa over v ≥ 0 by non-negative least squares and
           take v / ‖v‖. Or ``independent_weights``: each kernel's own alignment.
        3. ``fit_classifier`` on the weighted sum, C by 4-fold cross-validation.

    **Deviations**
        The thesis has two classes and T = y yᵀ. For more classes T is as in Eq. 5.1; centred, that
        is twice the matrix of ones for pairs of one class. Centring is done on the products, not
        on the matrices, and changes nothing where the library has centred kernels already. Of
        kernels that are equal one may get the weight of all; kernels that nothing aligns get
        equal weights. The independent weights are alignments, divided by the kernel's norm.

    **Complexity**
        O(p² n²) for p kernels and n labelled objects, whatever the number of classes; memory for
        blocks of half a million values and the learnt kernel.

    References
    ----------
    [@cortes2012; @kumar2013]
    """

    def __init__(
        self,
        kernels: KernelLibrary | Kernels = None,
        *,
        classifier: Classifier | None = None,
        C: Penalty = "auto",
        method: Literal["joint", "independent"] = "joint",
        centered: bool = True,
        verbose: Verbosity = 0,
    ) -> None:
        self.kernels = kernels
        self.classifier = classifier
        self.C = C
        self.method = method
        self.centered = centered
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(C=1.0)
        yield cls(["linear", "rbf"], method="independent", C=1.0)

    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> LinearCombination:
        return self._align(kernels, target_of(codes), centered=self.centered)


class TargetAlignmentRegressor(AlignedKernels, BaseMultiViewRegressor):
    """Predict numbers from many kernels, weighted by how their sum agrees with the numbers.

    Take it where a number is to be learnt from several views and you do not know which of them, or
    which kernel, carries it. With one kernel it is kernel ridge regression.

    Parameters
    ----------
    kernels : KernelLibrary, kernel, name or list of these
        The base kernels; by default five per view, Gaussian, cosine and linear.
    alpha : float or "auto"
        The penalty, in units of the learnt kernel's mean diagonal: the larger, the smoother;
        "auto" takes the best of 10⁻⁴ to 10³.
    method : {"joint", "independent"}
        The best sum, which leaves out what adds nothing; or each kernel for itself, which a crowd
        of similar kernels misleads.
    verbose : int
        1 reports what was done, step by step.

    Attributes
    ----------
    kernel_weights_ : array of shape (n_kernels,)
        Weights of the kernels, of length one.
    kernel_names_ : list of str
        What the kernels are called.
    alignments_ : array of shape (n_kernels,)
        The alignment of each kernel alone, up to 1.
    alignment_ : float
        That of the learnt kernel.
    alpha_ : float
        The penalty in use.
    leave_one_out_errors_ : array
        Mean squared error on objects left out, for each α tried.
    coefficients_ : array of shape (n_known,)
        What each training object counts for.
    mean_ : float
        Mean of the numbers, to which predictions are added.
    scale_ : float
        What the learnt kernel is divided by: the mean of its diagonal.
    known_ : array of int
        Which of the objects of ``fit`` have a number.
    kernels_ : LibraryMatrices
        The fitted base kernels.
    combination_ : LinearCombination
        How the kernels make one.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from manyviews.mkl import TargetAlignmentRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> views = {"person": X[:, :4], "blood": X[:, 4:]}
    >>> train, test = ({name: view[half::2] for name, view in views.items()} for half in (0, 1))
    >>> model = TargetAlignmentRegressor().fit(train, y[::2])
    >>> model.score(test, y[1::2]) > 0.4
    True

    Notes
    -----
    **Objective**
        Maximise ``⟨Σ_l μ_l K_l, y yᵀ⟩ / ‖Σ_l μ_l K_l‖_F`` over ``μ ≥ 0``, ``‖μ‖₂ = 1``, with all
        matrices and y centred ([@cortes2012], Eq. 5 and Prop. 9); then minimise
        ``‖y − K a‖² + α aᵀK a`` with ``K = Σ_l μ_l K_l`` over its mean diagonal.

    **Symbols**
        μ → ``kernel_weights_``, K_l → ``kernels_``, a → ``coefficients_``, α → ``alpha_``.

    **Algorithm**
        1. ``frobenius_products``: ⟨K_k, K_l⟩ and ⟨K_k, y yᵀ⟩, as for ``TargetAlignment``.
        2. ``joint_weights``: non-negative least squares; or ``independent_weights``.
        3. ``fit_ridge``: one eigendecomposition of K, α by the exact leave-one-out error.

    **Deviations**
        The weights are those of the paper. There α is chosen by cross-validation; here by leaving
        out one object at a time, which the eigendecomposition gives for nothing. The kernel keeps
        the weights while an object is left out. *Objects without a number* (NaN) take no part.
        Objects that lack a view have zeros in its kernels, which is their mean.

    **Complexity**
        O(p² n²) for p kernels and n objects, and O(n³) for the eigendecomposition.

    References
    ----------
    [@cortes2012]
    """

    _contract_exemptions: dict[str, str]

    alpha_: float
    leave_one_out_errors_: FloatArray
    coefficients_: FloatArray
    mean_: float
    scale_: float
    known_: IntArray

    def __init__(
        self,
        kernels: KernelLibrary | Kernels = None,
        *,
        alpha: Divisor | Literal["auto"] = "auto",
        method: Literal["joint", "independent"] = "joint",
        verbose: Verbosity = 0,
    ) -> None:
        self.kernels = kernels
        self.alpha = alpha
        self.method = method
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        joint = cls()
        joint._contract_exemptions = {
            "every_new_view_counts": "the best sum leaves out a view that adds nothing"
        }
        yield joint
        yield cls(method="independent", alpha=1.0)

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn the kernel, then the regression on it.

        Parameters
        ----------
        X : views
            The objects.
        y : array-like of shape (n_objects,)
            Their numbers; those without one (NaN) take no part.
        """
        views = self._fit_views(X, min_objects=2)
        targets = self._fit_targets(y, views, accept_unknown=True)
        self.known_ = np.flatnonzero(~np.isnan(targets))
        kernels = self._fit_kernels(views, self.known_, "leave most numbers out, as NaN")
        self.mean_ = float(targets[self.known_].mean())
        centred = targets[self.known_] - self.mean_
        self.combination_ = self._align(kernels, lambda i, j: np.outer(centred[i], centred[j]))
        self._report(f"alignment {self.alignment_:.3f}")
        self._regress(self.combination_.gram(kernels), centred)
        self.kernels_ = kernels.lean()
        return self

    def predict(self, X: ViewsLike) -> FloatArray:
        """Return the number of each object."""
        views = self._new_views(X)
        blocks = row_blocks(len(views), rows_at_a_time(len(self.coefficients_)))
        found = [self._gram(views[part]) @ self.coefficients_ / self.scale_ for part in blocks]
        return np.concatenate(found) + self.mean_

    def _regress(self, gram: FloatArray, centred: FloatArray) -> None:
        self.scale_ = float(np.trace(gram)) / len(gram) or 1.0
        grid = RIDGE_GRID if isinstance(self.alpha, str) else np.array([float(self.alpha)])
        found = fit_ridge(gram / self.scale_, centred, grid)
        self.alpha_, self.coefficients_ = found.alpha, found.coefficients
        self.leave_one_out_errors_ = found.errors
        self._report(f"alpha = {self.alpha_:g}, left-out error {found.errors.min():.4g}")
