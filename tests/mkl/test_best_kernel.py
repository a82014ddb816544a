"""The best kernel against trying all of them."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from manyviews import Views
from manyviews.mkl import BestKernel, KernelLibrary
from manyviews.mkl.classifier import C_GRID, best_penalty, cut_folds, fold_numbers, svm
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


def two_telling_views(seed=0, n_objects=80, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    return {
        "better": rng.normal(size=(n_objects, 3)) + 4.0 * np.eye(n_classes, 3)[y],
        "worse": rng.normal(size=(n_objects, 3)) + 2.5 * np.eye(n_classes, 3)[y],
    }, y


def test_an_object_without_the_best_view_is_classified_by_the_best_kernel_that_it_shows():
    views, y = two_telling_views()
    model = BestKernel(["linear", RBF(0.3)]).fit(views, y)
    assert [expert.view for expert in model.experts_] == ["better", "worse"]
    new, truth = two_telling_views(1)
    np.testing.assert_array_equal(model.predict(new), model.predict({"better": new["better"]}))
    alone = BestKernel(["linear", RBF(0.3)], C=model.C_).fit({"worse": views["worse"]}, y)
    asked = {"worse": new["worse"]}
    np.testing.assert_array_equal(model.predict(asked), alone.predict(asked))
    np.testing.assert_allclose(model.predict_proba(asked), alone.predict_proba(asked))
    assert model.score(asked, truth) > 0.6


def test_kernels_are_judged_on_the_objects_that_show_their_view():
    arrays, y = two_telling_views()
    observed = np.ones((80, 2), dtype=bool)
    observed[:50, 0] = False
    model = BestKernel("linear").fit(Views(arrays, observed=observed), y)
    assert model.best_kernel_.startswith("better")
    alone = BestKernel("linear").fit({"better": arrays["better"][50:]}, y[50:])
    assert model.best_score_ > alone.best_score_ - 0.1
    new, _ = two_telling_views(1)
    np.testing.assert_array_equal(model.predict(new), alone.predict({"better": new["better"]}))


def test_a_kernel_that_few_objects_prove_does_not_win():
    arrays, y = two_telling_views()
    views = {"few": arrays["better"], "many": two_telling_views(2)[0]["better"]}
    observed = np.column_stack([np.arange(80) < 6, np.ones(80, dtype=bool)])
    few = BestKernel("linear").fit({"few": views["few"][:6]}, y[:6])
    model = BestKernel("linear").fit(Views(views, observed=observed), y)
    assert few.best_score_ == 1.0 > model.best_score_
    assert model.best_kernel_.startswith("many")


def test_classes_that_a_view_never_shows_get_the_least_score_there():
    arrays, y = two_telling_views()
    observed = np.ones((80, 2), dtype=bool)
    observed[y == 2, 1] = False
    model = BestKernel("linear").fit(Views(arrays, observed=observed), y)
    new, _ = two_telling_views(1)
    asked = {"worse": new["worse"]}
    scores = model.decision_function(asked)
    assert scores.shape == (80, 3)
    assert (scores[:, 2] < scores[:, :2].min(axis=1)).all()
    assert set(model.predict(asked)) == {0, 1}
    np.testing.assert_array_equal(scores.argmax(axis=1), model.predict(asked))


def test_a_view_that_shows_one_class_is_no_expert():
    arrays, y = two_telling_views()
    observed = np.column_stack([np.ones(80, dtype=bool), y == 0])
    model = BestKernel("linear").fit(Views(arrays, observed=observed), y)
    assert [expert.view for expert in model.experts_] == ["better"]
    assert model.predict({"worse": arrays["worse"]}).shape == (80,)
