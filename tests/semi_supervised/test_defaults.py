"""Defaults where nothing is said: chosen by the kind of a view, never by its unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from manyviews import Views
from manyviews.data import Labels
from manyviews.semi_supervised import (
    CoLaplacianRLS,
    CoLaplacianSVM,
    CoRLS,
    CoRLSRegressor,
    CoTraining,
    SelfTraining,
    SpectralGraphTransducer,
    TransductiveSVM,
)
from manyviews.semi_supervised._shared import chosen_graphs, usual_kernel, usual_scaling
from manyviews.semi_supervised.class_shares import estimated_shares
from manyviews.similarity import RBF, Cosine, LowRankKernel

CLASSIFIERS = [
    CoLaplacianRLS(),
    CoLaplacianSVM(),
    CoRLS(),
    CoTraining(),
    SelfTraining(),
    SpectralGraphTransducer(),
    TransductiveSVM(),
    TransductiveSVM(loss="squared_hinge"),
]
each = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)


def words_and_sizes(counts=(40, 20), seed=0, known=4):
    """A view of marks and a view of measurements far from zero, with as many labels per class."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    own = np.arange(30) % len(counts) == y[:, None]
    words = rng.poisson(np.where(own, 0.4, 0.04)).astype(float)
    sizes = 100 + rng.standard_normal((len(y), 3)) + 2.0 * y[:, None]
    few = np.full(len(y), -1)
    for label in range(len(counts)):
        few[rng.permutation(np.flatnonzero(y == label))[:known]] = label
    return {"words": words, "sizes": sizes}, few, y


@each
def test_the_units_of_the_views_do_not_matter(model):
    views, few, _ = words_and_sizes()
    other = {"words": 1000.0 * views["words"], "sizes": 0.01 * views["sizes"]}
    found = model.fit(views, few).transduction_.copy()
    assert np.array_equal(model.fit(other, few).transduction_, found)


@each
def test_the_order_of_the_views_does_not_matter(model):
    views, few, _ = words_and_sizes(seed=1)
    turned = dict(reversed(views.items()))
    found = model.fit(views, few).transduction_.copy()
    assert np.array_equal(model.fit(turned, few).transduction_, found)


@each
def test_raw_counts_and_raw_measurements_are_learnt_from(model):
    views, few, y = words_and_sizes(seed=2)
    assert np.mean(model.fit(views, few).transduction_ == y) > 0.85


@each
def test_probabilities_grow_with_what_is_decided(model):
    views, few, _ = words_and_sizes(seed=3)
    shares = model.fit(views, few).predict_proba(views)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert np.array_equal(model.classes_[shares.argmax(axis=1)], model.predict(views))


def test_the_kernel_follows_the_kind_of_view_and_not_its_form():
    marks = np.eye(8)
    assert usual_kernel(marks) == usual_kernel(csr_array(marks)) == Cosine()
    assert usual_kernel(np.ones((8, 3))) == usual_kernel(csr_array(np.ones((8, 3)))) == RBF()


def test_many_objects_are_compared_at_low_rank():
    assert isinstance(usual_kernel(np.ones((2001, 2))), LowRankKernel)


def test_rows_of_zeros_have_no_edges_unasked():
    words = np.vstack([np.eye(6)[np.arange(40) % 3], np.zeros((5, 6))])
    graph = chosen_graphs(None, Views({"words": words}))["words"].gram(words)
    assert graph[40:].nnz == 0
    assert graph[:40].nnz > 0


@pytest.mark.parametrize("rows", [np.eye(5), 7.0 + np.arange(10.0).reshape(5, 2)])
def test_usual_scaling_leaves_a_variance_of_one(rows):
    scaled = usual_scaling(rows)(rows)
    assert scaled.var(axis=0).sum() == pytest.approx(1.0)


def test_a_constant_view_is_scaled_without_dividing_by_nothing():
    assert np.isfinite(usual_scaling(np.full((4, 2), 3.0))(np.full((4, 2), 3.0))).all()


# -- shares of the classes -------------------------------------------------------------------------


def test_shares_of_an_unbalanced_set_are_estimated_from_equal_labels():
    views, few, y = words_and_sizes((90, 10))
    sizes = views["sizes"] - views["sizes"].mean(axis=0)
    labels = Labels(few, np.array([0, 1]))
    found = estimated_shares(sizes @ sizes[few >= 0].T, labels)
    assert found.sum() == pytest.approx(1.0)
    assert abs(found[1] - y.mean()) < abs(0.5 - y.mean()) / 1.5


def test_shares_of_a_kernel_of_nothing_are_those_of_the_labels():
    labels = Labels(np.array([0, 1, 1, -1]), np.array([0, 1]))
    np.testing.assert_allclose(estimated_shares(np.zeros((4, 3)), labels), [1 / 3, 2 / 3])


@pytest.mark.parametrize("method", [SpectralGraphTransducer, TransductiveSVM])
def test_equal_labels_of_unequal_classes_do_less_harm_than_their_shares(method):
    views, few, y = words_and_sizes((110, 15), known=3, seed=4)
    unasked, labelled = (
        np.mean(method(proportions=given).fit(views, few).transduction_ == y)
        for given in ("auto", "labelled")
    )
    assert unasked >= labelled
    assert method(proportions="labelled").fit(views, few).class_shares_.tolist() == [0.5, 0.5]


# -- co-training -----------------------------------------------------------------------------------


def test_a_view_that_is_sure_and_wrong_labels_nothing_unasked():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    good = {name: y[:, None] * 3.0 + rng.standard_normal((200, 3)) for name in ("a", "b")}
    noise = rng.standard_normal((200, 20))
    few = np.where(np.arange(200) < 8, y, -1)
    views = {**good, "noise": noise}
    wrong = {}
    for confirm in (True, False):
        added = CoTraining(confirm=confirm, view_weights=None).fit(views, few).provenance_
        wrong[confirm] = np.mean(added.label != y[added.object])
    assert wrong[True] < wrong[False] / 2


def test_all_objects_are_labelled_in_about_twenty_rounds_unasked():
    views, few, _ = words_and_sizes((300, 300))
    model = SelfTraining().fit(views, few)
    assert model.termination_condition_ == "all_labeled"
    assert 15 <= model.n_iter_ <= 30


# -- regression ------------------------------------------------------------------------------------


def test_a_regressor_does_not_depend_on_units_either():
    views, _, y = words_and_sizes(seed=5)
    target = np.where(np.arange(len(y)) % 4 == 0, y + 0.1 * views["sizes"][:, 0], np.nan)
    other = {"words": 1000.0 * views["words"], "sizes": 0.01 * views["sizes"]}
    found = CoRLSRegressor().fit(views, target).predict(views)
    np.testing.assert_allclose(CoRLSRegressor().fit(other, target).predict(other), found, rtol=1e-6)
    moved = CoRLSRegressor().fit(views, 5.0 * target + 3.0).predict(views)
    np.testing.assert_allclose(moved, 5.0 * found + 3.0, rtol=1e-8)
