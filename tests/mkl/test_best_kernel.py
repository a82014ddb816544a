"""The best kernel against trying all of them."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from manyviews import Views
from manyviews.mkl import BestKernel, KernelLibrary
from manyviews.mkl._classifier import C_GRID, best_penalty, cut_folds, fold_numbers, svm
from manyviews.similarity import RBF

KERNELS = ["linear", RBF(0.01), RBF(0.3), RBF(30.0)]


def some_views(seed=0, n_objects=48):
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % 2
    return {
        "noise": rng.normal(size=(n_objects, 2)),
        "good": rng.normal(size=(n_objects, 3)) + 1.2 * y[:, None],
    }, y


def test_it_has_the_fewest_errors_of_all():
    for seed in range(3):
        views, y = some_views(seed)
        kernels = KernelLibrary(KERNELS).fitted(Views(views))
        numbers = fold_numbers(kernels.combined(np.ones(len(kernels))), y)
        errors = [
            best_penalty(cut_folds(gram, numbers, y), svm(), C_GRID[:1]).errors for gram in kernels
        ]
        model = BestKernel(KERNELS).fit(views, y)
        chosen = int(model.kernel_weights_.argmax())
        assert model.kernel_weights_.sum() == 1.0
        assert errors[chosen] == min(errors) < max(errors)
        assert model.best_score_ == 1 - min(errors) / len(y)
        assert model.best_kernel_ == model.kernel_names_[chosen]
        assert model.best_kernel_.startswith("good")


def test_the_order_of_kernels_does_not_matter():
    views, y = some_views()
    one = BestKernel(KERNELS).fit(views, y)
    other = BestKernel(KERNELS[::-1]).fit(views, y)
    assert one.best_kernel_ == other.best_kernel_
    assert one.C_ == other.C_


def test_other_classifiers_choose_without_c():
    views, y = some_views()
    model = BestKernel(["linear", RBF(0.3)], classifier=KNeighborsClassifier(3)).fit(views, y)
    assert model.C_ is None
    assert model.best_kernel_.startswith("good")
