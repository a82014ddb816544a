"""The mean of all kernels."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC

from manyviews import Views
from manyviews.mkl import AverageKernel, KernelLibrary
from manyviews.similarity import RBF


def some_views(n_objects=30):
    rng = np.random.default_rng(0)
    y = np.arange(n_objects) % 2
    rows = rng.normal(size=(n_objects, 3)) + y[:, None]
    return {"one": rows, "two": rng.normal(size=(n_objects, 2))}, y


def test_the_kernel_is_the_mean():
    views, y = some_views()
    model = AverageKernel(["linear", RBF(0.5)], C=1.0).fit(views, y)
    kernels = KernelLibrary(["linear", RBF(0.5)]).fitted(Views(views))
    np.testing.assert_allclose(model.transform(views), np.mean(list(kernels), axis=0), atol=1e-12)
    assert model.C_ == 1.0
    assert np.linalg.eigvalsh(model.transform(views)).min() > -1e-10


def test_one_kernel_is_a_plain_svm():
    views, y = some_views()
    model = AverageKernel(RBF(0.5), C=3.0).fit(views["one"], y)
    gram = KernelLibrary(RBF(0.5)).fitted(Views(views["one"])).gram(0)
    plain = SVC(C=3.0, kernel="precomputed", tol=1e-6).fit(gram, y)
    np.testing.assert_allclose(
        model.decision_function(views["one"]), plain.decision_function(gram), atol=1e-5
    )


def test_an_object_without_views_is_at_the_mean():
    views, y = some_views()
    gaps = Views(views).with_observed({"two": np.arange(30) % 3 > 0})
    model = AverageKernel("linear", C=1.0).fit(gaps, y)
    similar = model.transform(gaps)
    assert np.linalg.eigvalsh((similar + similar.T) / 2).min() > -1e-10
    np.testing.assert_allclose(
        model.transform({"one": views["one"]}), similar_to_one(views, y, gaps)
    )


def similar_to_one(views, y, gaps):
    """What the kernel of the first view alone says, at the weight that it has among two."""
    alone = AverageKernel("linear", C=1.0).fit({"one": gaps["one"]}, y)
    return alone.transform({"one": views["one"]}) / 2
