"""SubspaceFeatures: Theorem 1, and equality with ridge regressions and singular vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import subspace_angles
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from manyviews import Views
from manyviews.base import split_labelled
from manyviews.datasets import hide_views, make_token_views
from manyviews.embed import CrossViewClassifier, SubspaceFeatures
from manyviews.embed.features._shared import (
    Choice,
    auxiliary_values,
    choose_n_components,
    problems_of,
)
from manyviews.embed.features.subspace import (
    DualRidge,
    IterativeRidge,
    PrimalRidge,
    ridge,
    subspace,
)

seeds = st.integers(0, 2**32 - 1)


def random_problem(seed, n_objects=30, n_features=6, n_values=9):
    rng = np.random.default_rng(seed)
    rows = rng.poisson(1.0, size=(n_objects, n_features)) * rng.random(n_features) + 0.1
    codes = np.concatenate([np.arange(n_values), rng.integers(n_values, size=n_objects - n_values)])
    targets = sparse.csr_array((np.ones(n_objects), (np.arange(n_objects), codes)))
    return rows, targets


def small_views(seed=0, n_objects=400, **options):
    return make_token_views(
        n_objects, 4, vocabulary=40, class_vocabulary=12, random_state=seed, **options
    )


def all_weights(solutions):
    return solutions.weights(np.eye(solutions.targets.shape[1]))


# -- the equations -------------------------------------------------------------------------------


@given(seed=seeds)
@settings(deadline=None, max_examples=8)
def test_all_problems_at_once_are_ridge_regressions(seed):
    rows, targets = random_problem(seed)
    for kind in (PrimalRidge, DualRidge):
        for form in (rows, sparse.csr_array(rows)):
            found = all_weights(kind(form, targets, 0.7))
            for problem in range(targets.shape[1]):
                one = Ridge(alpha=0.7, fit_intercept=False).fit(rows, targets.toarray()[:, problem])
                np.testing.assert_allclose(found[:, problem], one.coef_, atol=1e-8)


@pytest.mark.parametrize("kind", [PrimalRidge, DualRidge, IterativeRidge])
def test_solutions_can_be_applied_from_both_sides(kind):
    rows, targets = random_problem(3)
    weights = np.linalg.solve(rows.T @ rows + 0.5 * np.eye(6), rows.T @ targets.toarray())
    block = np.random.default_rng(0).standard_normal((6, 3))
    solutions = kind(sparse.csr_array(rows), targets, 0.5)
    atol = 1e-3 if kind is IterativeRidge else 1e-12
    np.testing.assert_allclose(all_weights(solutions), weights, atol=atol)
    np.testing.assert_allclose(solutions.adjoint(block), weights.T @ block, atol=atol)
    np.testing.assert_allclose(solutions.crossed(block), targets.T @ rows @ block, atol=1e-12)


def test_the_smaller_side_is_factorised(monkeypatch):
    rows, targets = random_problem(0)
    assert type(ridge(rows, targets, 1.0)) is PrimalRidge
    assert type(ridge(np.tile(rows, 6), targets, 1.0)) is DualRidge
    monkeypatch.setattr("manyviews.embed.features.subspace.DIRECT", 5)
    assert type(ridge(rows, targets, 1.0)) is IterativeRidge


def test_unfinished_solutions_are_warned_of(monkeypatch):
    monkeypatch.setattr("manyviews.embed.features.subspace.MAX_ITER", 1)
    rows, targets = random_problem(0)
    with pytest.warns(ConvergenceWarning, match="raise regularization"):
        all_weights(IterativeRidge(rows, targets, 1e-6))


@given(seed=seeds, whiten=st.booleans())
@settings(deadline=None, max_examples=15)
def test_the_basis_is_that_of_a_singular_value_decomposition(seed, whiten):
    rows, targets = random_problem(seed)
    found = subspace(rows, targets, 4, regularization=0.3, whiten=whiten, scale=False)
    metric = rows.T @ rows + found.penalty * np.eye(6)
    dense = targets.toarray()
    if not whiten:
        left, values, _ = np.linalg.svd(np.linalg.solve(metric, rows.T @ dense))
    else:
        root = np.linalg.cholesky(metric)
        unit = dense / np.linalg.norm(dense, axis=0)
        turned, values, _ = np.linalg.svd(np.linalg.solve(root, rows.T @ unit))
        left = np.linalg.solve(root.T, turned)
    np.testing.assert_allclose(found.penalty, 0.3 * np.sum(rows**2) / 30)
    np.testing.assert_allclose(found.singular_values, values[:4], rtol=1e-8)
    signs = np.sign(np.sum(found.basis * left[:, :4], axis=0))
    np.testing.assert_allclose(found.basis, signs * left[:, :4], atol=1e-6)


def test_whitened_values_are_canonical_correlations():
    rows, targets = random_problem(1, n_objects=60)
    found = subspace(rows, targets, 6, regularization=1e-9)
    left, _ = np.linalg.qr(rows)
    right, _ = np.linalg.qr(targets.toarray())
    expected = np.linalg.svd(left.T @ right, compute_uv=False)
    np.testing.assert_allclose(found.singular_values, expected, atol=1e-6)


def test_features_have_unit_mean_square():
    rows, targets = random_problem(5)
    for whiten in (True, False):
        features = rows @ subspace(rows, targets, 4, whiten=whiten).basis
        np.testing.assert_allclose(np.mean(features**2, axis=0), 1.0)


# -- Theorem 1 -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exact():
    """A sample whose frequencies are the probabilities: views independent given three classes."""
    first = np.array([[6, 3, 1, 1, 1, 0], [1, 1, 5, 1, 2, 2], [0, 2, 1, 4, 2, 3]])
    second = np.array([[1, 5, 1, 0, 3], [4, 1, 1, 3, 1], [1, 1, 3, 4, 1]])
    objects = [
        (y, a, b)
        for y in range(3)
        for a in range(6)
        for b in range(5)
        for _ in range(first[y, a] * second[y, b])
    ]
    y, a, b = np.array(objects).T
    views = Views({"first": np.eye(6)[a], "second": np.eye(5)[b]})
    given = {"first": (first / first.sum(axis=0)).T, "second": (second / second.sum(axis=0)).T}
    return views, y, given


@pytest.mark.parametrize("whiten", [True, False])
def test_theorem_1_the_span_has_as_many_dimensions_as_classes(exact, whiten):
    views, _, _ = exact
    learnt = SubspaceFeatures(5, regularization=1e-10, whiten=whiten).fit(views)
    assert {name: basis.shape[1] for name, basis in learnt.bases_.items()} == {
        "first": 3,
        "second": 3,
    }


@pytest.mark.parametrize("whiten", [True, False])
def test_theorem_1_features_tell_the_classes_of_a_view(exact, whiten):
    views, _, given = exact
    learnt = SubspaceFeatures(3, regularization=1e-10, whiten=whiten).fit(views)
    for name, conditional in given.items():  # P(y|z), one-hot z by y: the β of the theorem
        basis = learnt.bases_[name]
        gamma = np.linalg.lstsq(basis, conditional, rcond=None)[0]
        np.testing.assert_allclose(basis @ gamma, conditional, atol=1e-7)


def test_without_independence_the_span_is_larger(exact):
    views, y, _ = exact
    turned = np.where(y == 0, np.arange(len(y)) % 6, views["first"].argmax(axis=1))
    dependent = Views({"first": np.eye(6)[turned], "second": np.eye(5)[turned % 5]})
    learnt = SubspaceFeatures(5, regularization=1e-10).fit(dependent)
    assert learnt.bases_["second"].shape[1] == 5


def test_lemma_1_products_tell_the_classes_of_both_views(exact):
    views, y, given = exact
    model = SubspaceFeatures(3, interactions=True, concatenate=False, regularization=1e-10)
    products = model.fit_transform(views)
    expected = np.ones((len(y), 3))
    for name, conditional in given.items():
        expected *= conditional[views[name].argmax(axis=1)]
    beta = np.linalg.lstsq(products, expected, rcond=None)[0]  # Eq. (4), P(y) being equal
    np.testing.assert_allclose(products @ beta, expected, atol=1e-7)


# -- laws ----------------------------------------------------------------------------------------


@given(seed=st.integers(0, 50))
@settings(deadline=None, max_examples=8)
def test_the_order_of_the_questions_does_not_matter(seed):
    views, _ = small_views(seed)
    shuffled = np.random.default_rng(seed).permutation(40)
    one = SubspaceFeatures(4).fit(views)
    other = SubspaceFeatures(4, lambda rows: shuffled[rows.argmax(axis=1)]).fit(views)
    for name in views.names:
        np.testing.assert_allclose(one.bases_[name], other.bases_[name], atol=1e-6)


@given(seed=st.integers(0, 50))
@settings(deadline=None, max_examples=8)
def test_permuted_objects_have_permuted_features(seed):
    views, _ = small_views(seed)
    order = np.random.default_rng(seed).permutation(len(views))
    here = SubspaceFeatures(3, concatenate=False).fit_transform(views)
    there = SubspaceFeatures(3, concatenate=False).fit_transform(views[order])
    np.testing.assert_allclose(here[order], there, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"auxiliary": "nonzero"}, {"whiten": False}])
def test_sparse_is_dense(options):
    views, _ = small_views()
    dense = {name: matrix.toarray() for name, matrix in views.items()}
    from_sparse = SubspaceFeatures(4, **options).fit_transform(views)
    from_dense = SubspaceFeatures(4, **options).fit_transform(dense)
    assert sparse.issparse(from_sparse)
    np.testing.assert_allclose(from_sparse.toarray(), from_dense, atol=1e-8)


def test_scaling_a_view_leaves_its_features():
    views, _ = small_views()
    larger = {"first": views["first"] * 1000.0, "second": views["second"]}
    one = SubspaceFeatures(4, concatenate=False).fit_transform(views)
    other = SubspaceFeatures(4, concatenate=False).fit_transform(larger)
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("whiten", [True, False])
def test_wide_views_by_conjugate_gradients_have_the_same_span(monkeypatch, whiten):
    views, _ = small_views(n_objects=300)
    direct = SubspaceFeatures(4, whiten=whiten).fit(views)
    monkeypatch.setattr("manyviews.embed.features.subspace.DIRECT", 10)
    iterative = SubspaceFeatures(4, whiten=whiten).fit(views)
    for name in views.names:
        angles = subspace_angles(direct.bases_[name], iterative.bases_[name])
        assert angles.max() < 1e-3


def test_more_features_than_objects_have_the_same_span():
    views, _ = small_views(n_objects=30)
    found = SubspaceFeatures(3).fit(views)
    values = auxiliary_values("argmax", views)
    for name in views.names:
        targets = problems_of(name, values, views).targets
        assert isinstance(ridge(views[name], targets, 1.0), DualRidge)
        rows, unit = views[name].toarray(), targets.toarray() / np.sqrt(targets.sum(axis=0))
        metric = rows.T @ rows + found.penalties_[name] * np.eye(40)
        root = np.linalg.cholesky(metric)
        turned, values_, _ = np.linalg.svd(np.linalg.solve(root, rows.T @ unit))
        np.testing.assert_allclose(found.singular_values_[name], values_[:3], rtol=1e-8)
        expected = np.linalg.solve(root.T, turned[:, :3])
        assert subspace_angles(found.bases_[name], expected).max() < 1e-6


# -- what comes out ------------------------------------------------------------------------------


def test_features_stand_beside_the_views_with_their_names():
    views, _ = small_views()
    model = SubspaceFeatures(2).fit(views)
    result = model.transform(views).toarray()
    np.testing.assert_array_equal(result[:, :80], views.concatenate().toarray())
    for place, name in enumerate(views.names):
        own = views[name] @ model.bases_[name]
        np.testing.assert_allclose(result[:, 80 + 2 * place : 82 + 2 * place], own)
    assert list(model.get_feature_names_out()[-4:]) == [
        "first__subspace0",
        "first__subspace1",
        "second__subspace0",
        "second__subspace1",
    ]


def test_interactions_are_products_of_all_pairs_of_views():
    rng = np.random.default_rng(0)
    views = {name: rng.random((50, 4)) for name in "abc"}
    model = SubspaceFeatures(2, interactions=True, concatenate=False).fit(views)
    own = model.transform_views(views)
    expected = [
        own[one][:, i] * own[two][:, j]
        for one, two in ("ab", "ac", "bc")
        for i in range(2)
        for j in range(2)
    ]
    np.testing.assert_allclose(model.transform(views), np.column_stack(expected))
    names = model.get_feature_names_out()
    assert len(names) == 12
    assert names[1] == "a__subspace0 b__subspace1"


def test_unobserved_views_have_no_features_and_change_no_others():
    views, _ = small_views()
    dense = Views({name: matrix.toarray() for name, matrix in views.items()})
    model = SubspaceFeatures(2).fit(dense)
    hidden = np.ones((400, 2), dtype=bool)
    hidden[:100, 1] = False
    full, gaps = model.transform(dense), model.transform(dense.with_observed(hidden))
    np.testing.assert_array_equal(gaps[:100, 40:80], 0.0)
    np.testing.assert_array_equal(gaps[:100, 82:], 0.0)
    np.testing.assert_allclose(gaps[:, :40], full[:, :40])
    np.testing.assert_allclose(gaps[:, 80:82], full[:, 80:82])
    assert np.isnan(model.transform_views(dense.with_observed(hidden))["second"][:100]).all()
    absent = model.transform({"first": dense["first"]})
    np.testing.assert_allclose(absent[:, 80:82], full[:, 80:82])


def test_gaps_at_random_leave_the_features_useful():
    views, y = make_token_views(
        4000, 4, vocabulary=100, class_vocabulary=30, consecutive=True, random_state=0
    )
    gaps = hide_views(views, 0.3, seed=0)
    known = np.where(np.arange(4000) < 60, y, -1)
    model = SubspaceFeatures(concatenate=False).fit(gaps, known)
    few, rest = model.transform(gaps[:60]), model.transform(gaps[60:])
    assert LogisticRegression().fit(few, y[:60]).score(rest, y[60:]) > 0.9


def test_only_objects_with_two_views_are_learnt_from():
    views, _ = small_views()
    alone = np.zeros((50, 40))
    alone[:, 7] = 100.0
    more = {
        "first": np.vstack([views["first"].toarray(), alone]),
        "second": np.vstack([views["second"].toarray(), np.full((50, 40), np.nan)]),
    }
    one = SubspaceFeatures(3).fit({name: matrix.toarray() for name, matrix in views.items()})
    other = SubspaceFeatures(3).fit(more)
    for name in views.names:
        np.testing.assert_allclose(one.bases_[name], other.bases_[name], atol=1e-10)


def test_a_view_without_content_has_no_features():
    views = {"a": np.zeros((20, 3)), "b": np.random.default_rng(0).random((20, 4))}
    with pytest.raises(ValueError, match="'b'"):  # nothing to ask it about
        SubspaceFeatures(2).fit(views)
    model = SubspaceFeatures(2, {"a": lambda rows: np.arange(len(rows)) % 2, "b": "argmax"})
    model.fit(views)
    assert model.bases_["a"].shape == (3, 0)
    assert model.transform(views).shape == (20, 9)


def test_one_view_is_asked_about_itself():
    rows = np.random.default_rng(0).random((60, 5))
    model = SubspaceFeatures(2, interactions=True, concatenate=False).fit(rows)
    assert model.transform(rows).shape == (60, 2)
    assert model.n_problems_ == {"view0": 5}


# -- labels --------------------------------------------------------------------------------------


def test_the_number_of_classes_is_the_number_of_features():
    views, y = small_views()
    assert SubspaceFeatures().fit(views, np.where(y < 3, y, -1)).n_components_ == 3
    names = np.array(["x", "y", "z", None], dtype=object)[y]
    assert SubspaceFeatures().fit(views, names).n_components_ == 3
    assert SubspaceFeatures().fit(views).n_components_ == 10


def test_labels_decide_nothing_else():
    views, y = small_views()
    one = SubspaceFeatures(3).fit(views)
    other = SubspaceFeatures(3).fit(views, y)
    for name in views.names:
        np.testing.assert_array_equal(one.bases_[name], other.bases_[name])


def test_cross_validation_finds_the_number_that_is_enough():
    views, y = make_token_views(
        4000, 6, vocabulary=100, class_vocabulary=30, super_classes=True, consecutive=True,
        random_state=0,
    )  # fmt: skip
    known = np.where(np.arange(4000) < 120, y, -1)
    model = SubspaceFeatures([1, 3, 60], concatenate=False).fit(views, known)
    assert model.n_components_ == 3
    assert model.choice_.scores.shape == (3, 5)
    single = SubspaceFeatures(3, concatenate=False).fit(views)
    np.testing.assert_allclose(model.transform(views), single.transform(views), atol=1e-6)


def test_the_choice_is_that_of_the_classifier_given():
    views, y = small_views(n_objects=200)
    model = SubspaceFeatures([1, 2], concatenate=False, estimator=GaussianNB(), cv=3)
    scores = model.fit(views, y).choice_.scores
    for row, n_components in enumerate((1, 2)):
        features = SubspaceFeatures(n_components, concatenate=False).fit_transform(views)
        np.testing.assert_allclose(scores[row], cross_val_score(GaussianNB(), features, y, cv=3))


def test_of_equal_candidates_the_smallest_is_taken():
    assert Choice(np.array([2, 5, 9]), np.array([[0.5], [0.7], [0.7]])).best == 5


def test_features_that_look_at_labels_are_told_which():
    labels = split_labelled([0, 1, 0, 1, -1, 0, 1])
    told = []

    def features(n_components, training):
        told.append(training)
        return np.arange(6.0)[:, None]

    choose_n_components([1], features, labels, cv=3)
    assert all(len(training) == 4 for training in told)
    assert sorted(np.concatenate([np.setdiff1d(range(6), each) for each in told])) == list(range(6))


@pytest.mark.parametrize("wrong", [0, -1, 2.5, [], [2, 0], "3", True])
def test_useless_numbers_of_components_are_refused(wrong):
    with pytest.raises(ValueError, match="n_components"):
        SubspaceFeatures(wrong).fit({"a": np.eye(3), "b": np.eye(3)})


def test_a_choice_needs_labels():
    views, _ = small_views()
    with pytest.raises(ValueError, match="give y, or one number"):
        SubspaceFeatures([2, 3]).fit(views)
    rare = np.full(400, -1)
    rare[:20] = np.where(np.arange(20) == 0, 5, np.arange(20) % 2)
    with pytest.raises(ValueError, match="class 5 has 1 labelled"):
        SubspaceFeatures([2, 3]).fit(views, rare)


def test_the_number_of_questions_is_limited():
    views, _ = small_views()
    assert SubspaceFeatures(max_problems=5).fit(views).n_problems_ == {"first": 5, "second": 5}
    with pytest.raises(ValueError, match="max_problems"):
        SubspaceFeatures(max_problems=0).fit(views)


def test_regularization_is_positive():
    with pytest.raises(ValueError, match="regularization"):
        SubspaceFeatures(regularization=0.0).fit({"a": np.eye(3), "b": np.eye(3)})


# -- with classifiers ----------------------------------------------------------------------------


def test_features_go_before_any_classifier_in_a_pipeline():
    views, y = small_views()
    pipeline = make_pipeline(SubspaceFeatures(4), LogisticRegression())
    assert pipeline.fit(views[:200], y[:200]).score(views[200:], y[200:]) > 0.6


def test_unlabelled_objects_help_a_classifier_after_the_features():
    views, y = make_token_views(
        4000, 4, vocabulary=200, class_vocabulary=80, consecutive=True, random_state=1
    )
    known = np.where(np.arange(4000) < 40, y, -1)
    both = CrossViewClassifier(SubspaceFeatures(), LogisticRegression()).fit(views, known)
    plain = LogisticRegression().fit(views[:40].concatenate(), y[:40])
    gain = both.score(views[40:], y[40:]) - plain.score(views[40:].concatenate(), y[40:])
    assert gain > 0.2
