"""The mean of all kernels, which learning has to beat [@kumar2013]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np

from manyviews.mkl.classifier import Penalty
from manyviews.mkl.kernel_learner import KernelLearner, LinearCombination
from manyviews.mkl.kernel_matrices import KernelMatrices
from manyviews.mkl.library import KernelLibrary, Kernels
from manyviews.typing import Classifier, IntArray, Verbosity

__all__ = ["AverageKernel"]


class AverageKernel(KernelLearner):
    """Classify by the mean of all kernels: nothing to learn, and hard to beat.

    Take it as the baseline that learnt weights have to beat; where all views are good they
    hardly do. Where some are worthless, take :class:`TwoStageMKL`.

    Parameters
    ----------
    kernels : KernelLibrary, kernel, name or list of these
        The base kernels; by default five per view, Gaussian, cosine and linear.
    classifier : classifier
        One that takes a precomputed kernel; by default SVMs, one against the rest.
    C : float, "auto" or None
        C of the classifier; "auto" chooses it by cross-validation, None leaves it as it is.
    verbose : int
        1 reports what was done, step by step.

    Attributes
    ----------
    kernel_weights_ : array of shape (n_kernels,)
        Weights of the kernels, all equal, summing to one.
    kernel_names_ : list of str
        What the kernels are called.
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
    >>> from manyviews.mkl import AverageKernel
    >>> views, y = load_digits_views()
    >>> model = AverageKernel(["linear", "rbf"], C=1.0).fit(views[:300], y[:300])
    >>> len(model.kernel_weights_), model.score(views[300:600], y[300:600]) > 0.8
    (6, True)

    Notes
    -----
    **Objective**
        None for the kernel: ``K = (1/p) Σ_l K_l``. Kernels are centred and of unit variance, so
        that none outweighs the others by its scale.

    **Symbols**
        p → number of kernels, μ → ``kernel_weights_``, C → ``C_``.

    **Algorithm**
        1. ``KernelLibrary.fitted``: base kernels of the labelled objects.
        2. ``KernelMatrices.combined``: their mean.
        3. ``fit_classifier``: an SVM on it, its C by 4-fold cross-validation.

    **Deviations**
        None. The source leaves the grid of C open; 0.1 to 1,000 in powers of ten is tried, and of
        values with equally many errors the one nearest to 10 is taken.

    **Complexity**
        O(p n²) for the kernel of n labelled objects, O(n²) memory; an SVM for each value of C and
        fold, until a larger C changes nothing.

    References
    ----------
    [@kumar2013]
    """

    def __init__(
        self,
        kernels: KernelLibrary | Kernels = None,
        *,
        classifier: Classifier | None = None,
        C: Penalty = "auto",
        verbose: Verbosity = 0,
    ) -> None:
        self.kernels = kernels
        self.classifier = classifier
        self.C = C
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(C=1.0)

    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> LinearCombination:  # noqa: ARG002
        # "averaging the base kernels", section 2.3.2
        self.kernel_weights_ = np.full(len(kernels), 1.0 / len(kernels))
        return LinearCombination(self.kernel_weights_)
