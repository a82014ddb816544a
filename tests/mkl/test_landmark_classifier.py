"""Learning with similarities to landmarks: the draw, the features, the classifier."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_score
from sklearn.neighbors import NearestCentroid
from sklearn.svm import LinearSVC

from manyviews import Views
from manyviews.datasets import load_digits_views
from manyviews.mkl import AverageKernel, LandmarkClassifier
from manyviews.mkl.landmarks import (
    COSTS,
    class_shares,
    draw_landmarks,
    fit_linear_machine,
    fit_space,
    folds_of,
    linear_machines,
    squared_hinge_weights,
)
from manyviews.similarity import RBF, KNNGraph, Linear, Lookup, Precomputed, SelfTuningRBF


def two_rings(n_objects=120, seed=0):
    """Two classes that no line tells apart, and noise of three features."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % 2
    angles = rng.uniform(0, 2 * np.pi, n_objects)
    radii = (1 + y) + 0.1 * rng.standard_normal(n_objects)
    ring = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return Views({"ring": ring, "noise": rng.standard_normal((n_objects, 3))}), y


def sign_similarity(rows, others):
    """An indefinite, symmetric similarity: whether lengths are alike, minus a half."""
    lengths = np.linalg.norm(rows, axis=1)[:, None], np.linalg.norm(others, axis=1)
    return np.where(abs(lengths[0] - lengths[1]) < 0.5, 0.5, -0.5)


# -- the draw


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.integers(1, 120))
@settings(deadline=None, max_examples=30)
def test_classes_share_landmarks_as_equally_as_they_can(counts, n_landmarks):
    counts = np.array(counts)
    shares = class_shares(counts, n_landmarks)
    assert shares.sum() == min(max(n_landmarks, len(counts)), counts.sum())
    assert (shares >= 1).all()
    assert (shares <= counts).all()
    free = shares[shares < counts]
    if len(free):  # who could give more gives as much as any other, up to what cannot be divided
        assert shares.max() - free.min() <= len(counts)
        assert (shares[shares == counts] <= free.min() + len(counts)).all()


def test_equal_classes_give_equally_many():
    assert class_shares(np.array([50, 50, 50]), 50).tolist() == [16, 17, 17]
    assert class_shares(np.array([100, 30]), 44).tolist() == [22, 22]
    assert class_shares(np.array([100, 3]), 44).tolist() == [41, 3]


def test_drawn_landmarks_are_different_objects_and_all_are_drawn_at_times():
    codes = np.array([0] * 6 + [1] * 3)
    seen = set()
    for seed in range(60):
        chosen = draw_landmarks(codes, 4, np.random.default_rng(seed))
        assert len(set(chosen)) == 4
        assert np.bincount(codes[chosen]).tolist() == [2, 2]
        seen |= set(chosen.tolist())
    assert seen == set(range(9))


@pytest.mark.parametrize("wrong", ["half", 0, -1, 0.0, 1.5, True, None])
def test_how_many_landmarks_there_cannot_be(wrong):
    views, y = two_rings(30)
    with pytest.raises(ValueError, match=r"n_landmarks=.* should be 'third'"):
        LandmarkClassifier("rbf", n_landmarks=wrong).fit(views, y)


# -- the features


def test_features_are_similarities_to_landmarks_centred_and_at_one_scale_per_view():
    views, _ = two_rings(30)
    landmarks = np.array([2, 5, 11])
    space, features = fit_space(
        views, np.arange(30), landmarks, {"ring": RBF(0.7), "noise": Linear()}
    )
    ring = rbf_kernel(views["ring"], views["ring"][landmarks], gamma=0.7)
    noise = views["noise"] @ views["noise"][landmarks].T
    expected = []
    for block in (ring, noise):
        centred = block - block.mean(axis=0)
        expected.append(centred / np.sqrt((centred**2).mean()))
    assert features == pytest.approx(np.hstack(expected), abs=1e-12)
    assert space.features(views) == pytest.approx(features, abs=1e-12)
    assert space.landmarks.tolist() == [0, 1, 2, 0, 1, 2]
    assert space.views["ring"].rows.shape == (3, 2)


def test_an_object_that_a_view_does_not_show_has_zeros_there():
    views, _ = two_rings(30)
    observed = np.ones((30, 2), dtype=bool)
    observed[[2, 7], 1] = False
    gaps = views.with_observed(observed)
    landmarks = np.array([2, 5, 11])
    space, features = fit_space(gaps, np.arange(30), landmarks, RBF(0.7))
    assert space.landmarks.tolist() == [0, 1, 2, 1, 2]  # the noise of object 2 is not shown
    assert not features[[2, 7], 3:].any()
    assert features[[2, 7], :3].all()
    shown = np.delete(np.arange(30), [2, 7])
    assert features[shown, 3:].mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    noise = rbf_kernel(views["noise"][shown], views["noise"][[5, 11]], gamma=0.7)
    assert np.corrcoef(noise[:, 0], features[shown, 3])[0, 1] == pytest.approx(1.0)


@pytest.mark.parametrize("similarity", [SelfTuningRBF(3), KNNGraph(5)])
def test_similarities_that_look_at_neighbours_keep_all_rows(similarity):
    views, _ = two_rings(40)
    ring = views.subset(["ring"])
    landmarks = np.array([1, 8, 20])
    space, features = fit_space(ring, np.arange(40), landmarks, similarity)
    gram = similarity.matrix(views["ring"])[:, landmarks]
    expected = (gram - gram.mean(axis=0)) / np.sqrt(gram.var(axis=0).mean())
    assert features == pytest.approx(expected, abs=1e-12)
    assert space.features(ring) == pytest.approx(expected, abs=1e-9)


# -- the linear machine


def test_folds_are_of_all_classes():
    codes = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [8, 16, 2]))
    table = np.zeros((4, 3), dtype=int)
    np.add.at(table, (folds_of(codes), codes), 1)
    assert table.tolist() == [[2, 4, 1], [2, 4, 1], [2, 4, 0], [2, 4, 0]]


def a_linear_problem(n_classes, seed=1):
    rng = np.random.default_rng(seed)
    codes = np.arange(80) % n_classes
    return rng.standard_normal((80, 12)) + 0.7 * np.eye(12)[codes], codes


@pytest.mark.parametrize("n_classes", [2, 3])
def test_machines_are_those_of_liblinear(n_classes):
    features, codes = a_linear_problem(n_classes)
    for machine in linear_machines(features, codes, COSTS):
        reference = LinearSVC(dual=False, C=machine.C, tol=1e-6, random_state=0)
        reference.fit(features, codes)
        expected = reference.decision_function(features)
        assert machine.decision_function(features) == pytest.approx(expected, abs=1e-4)
        assert (machine.predict(features) == reference.predict(features)).all()


@given(st.integers(0, 10_000), st.integers(3, 40), st.integers(1, 60), st.floats(-3, 5))
@settings(deadline=None, max_examples=30)
def test_at_the_weights_found_the_gradient_vanishes(seed, n_rows, n_features, power):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_rows, n_features)) / np.sqrt(n_features)
    signs = rng.choice([-1.0, 1.0], n_rows)
    C, start = 10.0**power, rng.standard_normal(n_features)
    weights = squared_hinge_weights(rows, signs, C, start)
    slack = np.maximum(1 - signs * (rows @ weights), 0.0)
    gradient = weights - 2 * C * rows.T @ (signs * slack)
    scale = 1 + np.abs(weights).max() + 2 * C * np.abs(rows.T).max() * slack.sum()
    assert np.abs(gradient).max() < 1e-6 * scale


def test_the_cost_is_that_of_a_grid_search_on_the_same_folds():
    features, codes = a_linear_problem(3)
    machine = LinearSVC(dual=False, tol=1e-6, random_state=0)
    folds = PredefinedSplit(folds_of(codes))
    search = GridSearchCV(machine, {"C": COSTS}, cv=folds).fit(features, codes)
    ours = fit_linear_machine(features, codes)
    assert search.best_params_["C"] == ours.C
    expected = pytest.approx(search.best_estimator_.coef_, abs=1e-4)
    assert expected == ours.weights[:-1].T


def test_classes_of_one_object_are_learnt_without_folds():
    assert fit_linear_machine(np.eye(3), np.array([0, 1, 1])).C == 1.0


# -- the classifier


def test_one_draw_is_a_linear_classifier_on_the_features_of_the_paper():
    views, y = two_rings()
    ring = views["ring"]
    model = LandmarkClassifier(
        RBF(0.7), n_landmarks=30, estimator=LogisticRegression(), n_draws=1, random_state=0
    ).fit(ring, y)
    (landmarks,) = model.landmarks_
    assert np.bincount(y[landmarks]).tolist() == [15, 15]
    phi = rbf_kernel(ring, ring[landmarks], gamma=0.7)
    phi = (phi - phi.mean(axis=0)) / np.sqrt(phi.var(axis=0).sum())
    assert np.mean((phi**2).sum(axis=1)) == pytest.approx(1.0)
    by_hand = LogisticRegression().fit(phi, y)
    assert model.estimators_[0].coef_ == pytest.approx(by_hand.coef_, abs=1e-5)
    assert model.predict_proba(ring) == pytest.approx(by_hand.predict_proba(phi), abs=1e-5)
    assert (model.predict(ring) == by_hand.predict(phi)).all()


def test_rings_are_told_apart_and_noise_does_not_matter():
    views, y = two_rings()
    new, truth = two_rings(seed=1)
    model = LandmarkClassifier(RBF(2.0), random_state=0).fit(views, y)
    assert [len(draw) for draw in model.landmarks_] == [40]
    assert model.score(new, truth) > 0.9
    assert model.score({"ring": new["ring"]}, truth) > 0.9


def test_an_indefinite_similarity_will_do():
    views, y = two_rings()
    new, truth = two_rings(seed=1)
    gram = sign_similarity(views["ring"], views["ring"])
    assert np.linalg.eigvalsh(gram)[0] < -0.5
    model = LandmarkClassifier("precomputed", random_state=0).fit(gram, y)
    assert model.score(sign_similarity(new["ring"], views["ring"]), truth) > 0.95


def test_rows_and_precomputed_similarities_give_the_same():
    views, y = two_rings()
    ring, new = views["ring"], two_rings(seed=1)[0]["ring"]
    kernel = RBF(0.7)
    rows = LandmarkClassifier(kernel, random_state=0).fit(ring, y)
    given = LandmarkClassifier("precomputed", random_state=0).fit(kernel.matrix(ring), y)
    looked_up = LandmarkClassifier(
        Lookup(kernel.matrix(np.concatenate([ring, new]))), random_state=0
    ).fit(np.arange(120.0)[:, None], y)
    expected = rows.decision_function(new)
    assert given.decision_function(kernel.matrix(new, ring)) == pytest.approx(expected, abs=1e-8)
    numbers = np.arange(120.0, 240.0)[:, None]
    assert looked_up.decision_function(numbers) == pytest.approx(expected, abs=1e-8)


def test_unlabelled_objects_take_no_part_whether_rows_or_similarities_are_given():
    views, y = two_rings()
    ring, new = views["ring"], two_rings(seed=1)[0]["ring"]
    known = np.arange(120) % 3 > 0
    few = np.where(known, y, -1)
    kernel = RBF(0.7)
    alone = LandmarkClassifier(kernel, random_state=0).fit(ring[known], y[known])
    among = LandmarkClassifier(kernel, random_state=0).fit(ring, few)
    given = LandmarkClassifier("precomputed", random_state=0).fit(kernel.matrix(ring), few)
    expected = alone.decision_function(new)
    assert among.decision_function(new) == pytest.approx(expected)
    assert given.decision_function(kernel.matrix(new, ring)) == pytest.approx(expected, abs=1e-8)
    places = np.flatnonzero(known)
    for own, other in zip(alone.landmarks_, among.landmarks_, strict=True):
        assert places[own].tolist() == other.tolist()


def test_cross_validation_cuts_precomputed_similarities_in_both_directions():
    views, y = two_rings()
    ring = views["ring"]
    model = LandmarkClassifier(Precomputed(), n_draws=1, random_state=0)
    by_matrix = cross_val_score(model, RBF(0.7).gram(ring), y, cv=3)
    by_rows = cross_val_score(clone(model).set_params(similarity=RBF(0.7)), ring, y, cv=3)
    assert by_matrix == pytest.approx(by_rows)


def test_draws_are_averaged():
    views, y = two_rings()
    new = two_rings(seed=1)[0]
    model = LandmarkClassifier("rbf", n_landmarks=10, n_draws=3, random_state=0).fit(views, y)
    features = model.space_.features(new)
    each = [
        own.decision_function(features[:, columns] / np.sqrt(len(columns)))
        for own, columns in zip(model.estimators_, model.columns_, strict=True)
    ]
    assert model.decision_function(new) == pytest.approx(np.mean(each, axis=0))
    assert (model.predict(new) == (np.mean(each, axis=0) > 0)).all()
    landmarks = np.unique(np.concatenate(model.landmarks_))
    for columns, draw in zip(model.columns_, model.landmarks_, strict=True):
        assert set(landmarks[model.space_.landmarks[columns]]) == set(draw)
        assert len(columns) == 20  # ten landmarks in two views


def test_classifiers_without_scores_vote():
    views, y = two_rings(90)
    centroids = NearestCentroid(metric="manhattan")
    model = LandmarkClassifier("rbf", estimator=centroids, n_draws=3, random_state=0).fit(views, y)
    features = model.space_.features(views)
    said = [
        own.predict(features[:, columns] / np.sqrt(len(columns)))
        for own, columns in zip(model.estimators_, model.columns_, strict=True)
    ]
    assert (model.predict(views) == (np.sum(said, axis=0) > 1)).all()


def test_it_classifies_by_a_learnt_kernel():
    views, y = load_digits_views()
    views, y = views[:300], y[:300]
    model = AverageKernel(
        [RBF()], classifier=LandmarkClassifier("precomputed", n_landmarks=60, random_state=0)
    ).fit(views[:200], y[:200])
    assert model.estimator_.space_.landmarks.shape == (60,)
    assert model.score(views[200:], y[200:]) > 0.85


def test_half_the_views_missing_and_sparse_views_are_learnt_from():
    views, y = load_digits_views()
    views, y = views[:240], y[:240]
    rng = np.random.default_rng(0)
    observed = rng.random(views.observed.shape) < 0.6
    observed[~observed.any(axis=1), 0] = True
    gaps = views.with_observed(observed)
    model = LandmarkClassifier("rbf", n_draws=1, random_state=0).fit(gaps[:160], y[:160])
    assert model.score(views[160:], y[160:]) > 0.8
    sparse = Views(
        {name: csr_array(np.nan_to_num(gaps[name])) for name in gaps.names}, observed=observed
    )
    again = LandmarkClassifier("rbf", n_draws=1, random_state=0).fit(sparse[:160], y[:160])
    dense = model.decision_function(gaps[160:])
    assert again.decision_function(sparse[160:]) == pytest.approx(dense, abs=1e-6)


def test_bad_input_is_told_in_one_sentence():
    views, y = two_rings(30)
    with pytest.raises(ValueError, match="view 'ring' has 2 columns for 30 objects"):
        LandmarkClassifier("precomputed").fit(views, y)
    with pytest.raises(ValueError, match="not symmetric"):
        LandmarkClassifier("precomputed").fit(np.random.default_rng(0).random((30, 30)), y)
    with pytest.raises(ValueError, match="similarity='nonsense' should be a Similarity"):
        LandmarkClassifier("nonsense").fit(views, y)
