"""Weights by which the kernels come closest to the classes [@cortes2012; @kumar2013]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from scipy.linalg import eigh

from manyviews.maths import row_blocks
from manyviews.mkl._base import KernelLearner
from manyviews.mkl._classifier import Penalty
from manyviews.mkl._combination import LinearCombination
from manyviews.mkl._library._library import KernelLibrary, Kernels
from manyviews.mkl._library._matrices import Block, KernelMatrices
from manyviews.typing import Classifier, FloatArray, IntArray, Verbosity

_ROUNDING = 1e-14
"""A kernel of which centring leaves no more than this share of its square is constant."""
_BLOCK_VALUES = 1 << 19
"""How many values of kernels are multiplied together."""


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
        """The objective, Eq. 5.3: the cosine between the weighted sum and the target."""
        norm = np.sqrt(weights @ self.kernels @ weights) * self.target_norm
        return float(weights @ self.target / norm) if norm > 0 else 0.0


def frobenius_products(
    kernels: KernelMatrices, target_kernel: Block, *, centered: bool
) -> Products:
    """Products of all kernels with each other and with the target, from one half of the pairs."""
    n, p = kernels.shape[0], len(kernels)
    products, target, sums = np.zeros((p, p)), np.zeros(p), np.zeros((n, p))
    target_sums, square = np.zeros(n), 0.0
    for rows in row_blocks(n, max(1, _BLOCK_VALUES // (n * p))):
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
        silent = np.diag(products) <= _ROUNDING * plain
        products[silent], products[:, silent], target[silent] = 0.0, 0.0, 0.0
        square += total**2 / n**2 - (2 / n) * target_sums @ target_sums
    return Products(products, target, float(np.sqrt(max(square, 0.0))))


def target_of(codes: IntArray) -> Block:
    """The target: 1 for pairs of one class, −1 for others, Eq. 5.1."""
    signs = np.where(np.arange(codes.max() + 1)[:, None] == codes, 1.0, -1.0)
    return lambda rows, columns: signs[codes[rows]][:, columns]


def joint_weights(products: Products) -> FloatArray:
    """Weights of unit length with the best alignment, Eq. 5.3.

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


class TargetAlignment(KernelLearner):
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
        products = frobenius_products(kernels, target_of(codes), centered=self.centered)
        weigh = joint_weights if self.method == "joint" else independent_weights
        self.kernel_weights_ = weigh(products)
        self.alignments_ = own_alignments(products)
        self.alignment_ = products.alignment(self.kernel_weights_)
        return LinearCombination(self.kernel_weights_)
