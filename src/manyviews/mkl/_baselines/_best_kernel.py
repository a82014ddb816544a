"""The one kernel that errs least on objects held out [@kumar2013]."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from manyviews.mkl._base import KernelLearner
from manyviews.mkl._baselines._target_alignment import target_of
from manyviews.mkl._classifier import (
    Penalty,
    best_penalty,
    cut_folds,
    fold_numbers,
    penalty_grid,
    prepared_classifier,
)
from manyviews.mkl._combination import LinearCombination
from manyviews.mkl._library._library import KernelLibrary, Kernels
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.typing import Classifier, IntArray, Verbosity


@dataclass(frozen=True)
class Found:
    """A kernel and the errors it makes on objects held out."""

    number: int
    errors: int


def best_kernel(
    kernels: KernelMatrices,
    codes: IntArray,
    classifier: Any,
    C: float | None,
    report: Callable[[str], None],
) -> Found:
    """Return the kernel with the fewest errors in 4-fold cross-validation, all with the same C.

    The better a kernel is aligned with the classes, the earlier its turn; so the first of equals
    is the better aligned one, and most others are given up in their first folds.
    """
    aligned = kernels.products(target_of(codes))
    numbers = fold_numbers(kernels.combined(np.ones(len(kernels))), codes)
    found, fewest = Found(int(aligned.argmax()), len(codes)), math.inf
    for number in np.argsort(-aligned, kind="stable"):
        folds = cut_folds(kernels.gram(int(number)), numbers, codes)
        choice = best_penalty(folds, classifier, (C,), fewest)
        if choice is not None:
            found, fewest = Found(int(number), choice.errors), choice.errors
            report(f"{kernels.names[number]}: {fewest} errors of {len(codes)} objects held out")
        if fewest == 0:
            break
    return found


class BestKernel(KernelLearner):
    """Classify by the one kernel that does best in cross-validation.

    It is meant for naming that kernel, or where one view has it all: elsewhere the others are lost,
    and every method that sums kernels is better.

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
        One for the kernel chosen, zero for the others.
    kernel_names_ : list of str
        What the kernels are called.
    best_kernel_ : str
        Name of the kernel chosen.
    best_score_ : float
        Its share of correct answers on objects held out, with the C it was chosen with.
    kernels_ : LibraryMatrices
        The fitted base kernels.
    combination_ : LinearCombination
        How the kernels make one.
    estimator_ : classifier
        The classifier on the kernel chosen.
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
    >>> from manyviews.mkl import BestKernel
    >>> views, y = load_digits_views()
    >>> model = BestKernel(["linear", "rbf"], C=1.0).fit(views[:300], y[:300])
    >>> int(model.kernel_weights_.sum()), model.best_score_ > 0.9
    (1, True)

    Notes
    -----
    **Objective**
        Minimise the errors on objects held out over the kernels, then over C.

    **Symbols**
        μ → ``kernel_weights_``, one for the kernel chosen and zero for the others.

    **Algorithm**
        1. ``KernelMatrices.products``: how well each kernel is aligned with the classes; the best
           go first.
        2. ``cut_folds``, ``best_penalty``: 4-fold cross-validation, kernel by kernel, with the same
           folds and one C; what cannot win any more is given up, which changes no result.
        3. ``fit_classifier`` on the kernel chosen, its C by cross-validation.

    **Deviations**
        The thesis does not say how the best kernel is found. Of kernels with equally many errors
        the one that is better aligned with the classes is taken. The kernel is chosen with the
        number given for C, or with 10: trying every C for each of 60 kernels took a minute.

    **Complexity**
        At most four SVMs per kernel and class, of three quarters of the objects; one kernel in
        memory at a time.

    References
    ----------
    [@kumar2013]
    """

    _contract_exemptions: ClassVar[dict[str, str]] = {
        "every_new_view_counts": "it chooses one kernel, of one view",
        "one_view_is_enough_to_predict": "it chooses one kernel, of one view, and objects without "
        "that view are all alike",
    }

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
        yield cls(["linear", "rbf"], C=1.0)

    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> LinearCombination:
        candidate = prepared_classifier(self.classifier, codes)
        found = best_kernel(
            kernels, codes, candidate, penalty_grid(candidate, self.C)[0], self._report
        )
        self.best_kernel_ = kernels.names[found.number]
        self.best_score_ = 1.0 - found.errors / len(codes)
        self.kernel_weights_ = np.zeros(len(kernels))
        self.kernel_weights_[found.number] = 1.0
        return LinearCombination(self.kernel_weights_)
