"""Kernels weighted by how they agree with numbers, then kernel ridge regression [@cortes2012]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy.linalg import eigh

from manyviews.base import BaseMultiViewRegressor, ViewTags
from manyviews.maths import check_memory, row_blocks, rows_at_a_time
from manyviews.mkl._base import as_library
from manyviews.mkl._baselines._target_alignment import (
    frobenius_products,
    independent_weights,
    joint_weights,
    own_alignments,
)
from manyviews.mkl._combination import LinearCombination
from manyviews.mkl._library._fitted import LibraryMatrices
from manyviews.mkl._library._library import KernelLibrary, Kernels
from manyviews.mkl._library._matrices import Block
from manyviews.typing import FloatArray, IntArray, Positive, Verbosity, ViewsLike

Ridge: TypeAlias = Positive | Literal["auto"]

RIDGE_GRID = 10.0 ** np.arange(-4.0, 4.0)
"""What is tried for ``alpha="auto"``, in units of the learnt kernel's mean diagonal: from hardly
any smoothing to hardly anything learnt."""


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


def products_of_targets(targets: FloatArray) -> Block:
    """The target kernel ``y yᵀ``, block by block."""
    return lambda rows, columns: np.outer(targets[rows], targets[columns])


class TargetAlignmentRegressor(BaseMultiViewRegressor):
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

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)
    _contract_exemptions: dict[str, str]

    kernels_: LibraryMatrices
    combination_: LinearCombination
    kernel_weights_: FloatArray
    kernel_names_: list[str]
    alignments_: FloatArray
    alignment_: float
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
        alpha: Ridge = "auto",
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
        n_objects = len(self.known_)
        check_memory(
            (n_objects, n_objects),
            f"the learnt kernel among {n_objects:,} objects",
            remedy="learn it from fewer: leave most numbers out, as NaN",
        )
        kernels = as_library(self.kernels).fitted(views, self.known_)
        self._report(f"{len(kernels)} kernels of {n_objects:,} objects")
        self.mean_ = float(targets[self.known_].mean())
        centred = targets[self.known_] - self.mean_
        self._weigh(kernels, centred)
        self._regress(self.combination_.gram(kernels), centred)
        self.kernels_ = kernels.lean()
        return self

    def predict(self, X: ViewsLike) -> FloatArray:
        """Return the number of each object."""
        views = self._new_views(X)
        blocks = row_blocks(len(views), rows_at_a_time(len(self.coefficients_)))
        grams = (self.combination_.gram(self.kernels_.new(views[part])) for part in blocks)
        found = [gram @ self.coefficients_ / self.scale_ for gram in grams]
        return np.concatenate(found) + self.mean_

    def _weigh(self, kernels: LibraryMatrices, centred: FloatArray) -> None:
        products = frobenius_products(kernels, products_of_targets(centred), centered=True)
        weigh = joint_weights if self.method == "joint" else independent_weights
        self.kernel_weights_ = weigh(products)
        self.kernel_names_ = list(kernels.names)
        self.alignments_ = own_alignments(products)
        self.alignment_ = products.alignment(self.kernel_weights_)
        self.combination_ = LinearCombination(self.kernel_weights_)
        self._report(f"alignment {self.alignment_:.3f}")

    def _regress(self, gram: FloatArray, centred: FloatArray) -> None:
        self.scale_ = float(np.trace(gram)) / len(gram) or 1.0
        grid = RIDGE_GRID if isinstance(self.alpha, str) else np.array([float(self.alpha)])
        found = fit_ridge(gram / self.scale_, centred, grid)
        self.alpha_, self.coefficients_ = found.alpha, found.coefficients
        self.leave_one_out_errors_ = found.errors
        self._report(f"alpha = {self.alpha_:g}, left-out error {found.errors.min():.4g}")

    def _report(self, line: str) -> None:
        if self.verbose:
            print(f"{type(self).__name__}: {line}", flush=True)
