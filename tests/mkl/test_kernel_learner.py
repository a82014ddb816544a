"""The base of all ways to weight kernels: fit, new objects, labels that lack, what is kept."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC

from manyviews import Views
from manyviews.maths import generator
from manyviews.mkl import AverageKernel, KernelLibrary
from manyviews.mkl.kernel_learner import KernelLearner, LinearCombination
from manyviews.similarity import RBF, LowRankKernel, Precomputed


class FirstKernel(KernelLearner):
    """Learns nothing: the weight of the first kernel is one."""

    def __init__(self, kernels=None, *, classifier=None, C=1.0):
        self.kernels, self.classifier, self.C = kernels, classifier, C

    def _learn(self, kernels, codes, told=None):
        self.told_ = told
        self.kernel_weights_ = np.eye(1, len(kernels))[0]
        return LinearCombination(self.kernel_weights_)

    def fit_to(self, X, codes, chosen, told):
        return self._fit_objects(self._fit_views(X), codes, chosen, told=told)


def problem(n=40, seed=0):
    rng = generator(seed)
    y = np.arange(n) % 2
    data = {name: rng.normal(size=(n, 3)) + 2.0 * y[:, None] for name in ("a", "b")}
    return Views(data), y


def test_with_one_kernel_it_is_a_plain_support_vector_machine():
    views, y = problem()
    model = FirstKernel(KernelLibrary([RBF(gamma=0.1)], normalize=False)).fit(views[:30], y[:30])
    raw = rbf_kernel(views["a"], views["a"][:30], gamma=0.1)
    plain = SVC(kernel="precomputed", C=1.0).fit(raw[:30], y[:30])
    assert_allclose(model.transform(views), raw, atol=1e-12)
    assert_array_equal(model.predict(views[30:]), plain.predict(raw[30:]))
    assert_allclose(
        model.decision_function(views[30:]).ravel(), plain.decision_function(raw[30:]), atol=5e-3
    )


def test_objects_without_a_label_take_no_part():
    views, y = problem()
    some = np.where(np.arange(40) % 3, y, -1)
    labelled = np.flatnonzero(some >= 0)
    found = FirstKernel().fit(views, some)
    expected = FirstKernel().fit(views[labelled], y[labelled])
    assert_allclose(found.transform(views), expected.transform(views))
    assert_array_equal(found.predict(views), expected.predict(views))


def test_precomputed_views_know_which_columns_are_labelled():
    views, y = problem()
    matrices = Views({name: rbf_kernel(matrix) for name, matrix in views.items()})
    some = np.where(np.arange(40) % 3, y, -1)
    found = AverageKernel(Precomputed(), C=1.0).fit(matrices, some)
    expected = AverageKernel([RBF(gamma=1 / 3)], C=1.0).fit(views, some)
    assert_allclose(found.transform(matrices), expected.transform(views), atol=1e-12)


def test_a_child_may_learn_from_objects_without_class():
    views, y = problem()
    codes = np.where(np.arange(40) < 20, y, -1)
    model = FirstKernel()
    model.classes_ = np.array([0, 1])
    model.fit_to(views, codes, np.arange(0, 30), told="more")
    assert model.told_ == "more"
    assert model.transform(views).shape == (40, 30)
    assert_array_equal(model.labelled_, np.arange(20))
    gram = model.transform(views)[:, :20]
    gram /= np.diag(gram[:20]).mean()  # C refers to a kernel of unit diagonal
    plain = SVC(kernel="precomputed", C=1.0).fit(gram[:20], y[:20])
    assert_array_equal(model.predict(views), plain.predict(gram))


def test_without_any_class_there_is_a_kernel_and_no_classifier():
    views, _ = problem()
    model = FirstKernel().fit_to(views, np.full(40, -1), np.arange(40), told=None)
    assert model.transform(views).shape == (40, 40)
    with pytest.raises(ValueError, match=r"^FirstKernel was fitted without labels [^\n]*\.$"):
        model.predict(views)
    assert not hasattr(model, "decision_function")


def test_unfitted_says_so():
    views, _ = problem()
    for method in ("predict", "decision_function", "transform"):
        with pytest.raises(NotFittedError):
            getattr(FirstKernel(), method)(views)


def test_no_labels_at_all_are_refused():
    with pytest.raises(ValueError, match="requires y"):
        FirstKernel().fit(problem()[0], None)


def test_numbers_of_objects_go_through_cross_validation():
    views, y = problem()
    kernels = KernelLibrary([RBF(gamma=0.1)], normalize=False).fitted(views)
    library = KernelLibrary.from_matrices(dict(zip(kernels.names, kernels, strict=True)))
    numbers = np.arange(40)[:, None]
    expected = cross_val_score(AverageKernel([RBF(gamma=0.1)], C=1.0), views, y, cv=4)
    assert_allclose(cross_val_score(AverageKernel(library, C=1.0), numbers, y, cv=4), expected)


def test_a_grid_reaches_into_the_library():
    views, y = problem()
    grid = {"kernels__on": ["views", "both"], "C": [0.1, 1.0]}
    search = GridSearchCV(FirstKernel(KernelLibrary(["linear"])), grid, cv=2).fit(views, y)
    assert search.best_score_ > 0.8


def test_any_classifier_of_kernels_can_be_used():
    views, y = problem()
    model = AverageKernel(classifier=LinearDiscriminantAnalysis(), C=None).fit(views, y)
    assert model.score(views, y) > 0.8
    assert model.predict_proba(views).shape == (40, 2)


def test_what_is_kept_is_small():
    rng = generator(0)
    y = np.arange(300) % 2
    views = Views(rng.normal(size=(300, 2)) + y[:, None])
    lean = pickle.dumps(FirstKernel(KernelLibrary(keep="auto")).fit(views, y).kernels_)
    whole = pickle.dumps(FirstKernel(KernelLibrary(keep=True)).fit(views, y).kernels_)
    assert len(lean) < 100_000
    assert len(whole) > 5 * 300**2 * 8


def test_matrices_that_are_views_are_not_kept():
    views, y = problem()
    matrices = Views({name: rbf_kernel(matrix) for name, matrix in views.items()})
    model = FirstKernel(KernelLibrary(Precomputed(), keep=False)).fit(matrices, y)
    assert model.transform(matrices).shape == (40, 40)
    with pytest.raises(ValueError, match=r"the kernel matrix of view 'a' was not kept"):
        model.kernels_.gram(0)
    kept = FirstKernel(KernelLibrary(Precomputed(), keep=True)).fit(matrices, y)
    assert_allclose(kept.kernels_.gram(0), model.transform(matrices), atol=1e-12)


@pytest.mark.parametrize("keep", [True, "auto"])
@pytest.mark.parametrize("kind", ["rows", "views", "numbers"])
def test_every_kind_of_kernel_can_be_stored(kind, keep):
    skops = pytest.importorskip("skops.io")
    views, y = problem()
    kernels = [RBF(), "cosine", "polynomial", LowRankKernel(RBF(), 4)]
    X, library = views, KernelLibrary(kernels, keep=keep)
    matrices = {name: rbf_kernel(matrix) for name, matrix in views.items()}
    if kind == "views":
        X, library = Views(matrices), KernelLibrary(Precomputed(), keep=keep)
    elif kind == "numbers":
        X, library = np.arange(40)[:, None], KernelLibrary.from_matrices(matrices, keep=keep)
    model = AverageKernel(library, C=1.0).fit(X, y)
    data = skops.dumps(model)
    loaded = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
    assert_allclose(loaded.transform(X), model.transform(X))
    assert loaded.kernel_names_ == model.kernel_names_


def test_the_training_kernel_is_that_of_the_training_objects_as_new_ones():
    views, y = problem()
    observed = np.ones((40, 2), dtype=bool)
    observed[::5, 1] = False
    views = Views(views, observed=observed)
    model = AverageKernel(KernelLibrary(on="both"), C=1.0).fit(views, y)
    learnt = model.transform(views)
    weights = np.full(len(model.kernel_names_), 1 / len(model.kernel_names_))
    assert_allclose(learnt, model.kernels_.combined(weights), atol=1e-10)
    assert_allclose(learnt, learnt.T, atol=1e-10)
    assert np.linalg.eigvalsh((learnt + learnt.T) / 2)[0] > -1e-10
