"""What stands in for a classifier between the rounds says what the classifier would say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from manyviews import Views
from manyviews.semi_supervised import CoTraining
from manyviews.semi_supervised._co_training._count_sums import (
    BernoulliSums,
    ComplementSums,
    MultinomialSums,
    count_sums,
)
from manyviews.semi_supervised._co_training._curvature_memory import CurvatureMemory
from manyviews.semi_supervised._co_training._gaussian_sums import GaussianSums
from manyviews.semi_supervised._co_training._learners import stand_in
from manyviews.semi_supervised._co_training._linear_answers import probabilities_of
from manyviews.semi_supervised._co_training._logistic_loss import (
    curvature_at,
    curvature_diagonal_at,
    total_at,
)
from manyviews.semi_supervised._co_training._warm_logistic import WarmLogistic
from manyviews.semi_supervised._shared import probabilities

seeds = st.integers(0, 2**20)


def parts_of(n_rows, *starts):
    return np.array_split(np.arange(n_rows), starts)


def few_words(seed, n_rows=40, width=6, codes=(0, 2, 3)):
    """Counts and classes, of which each is in the first part and some are in none."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(codes, size=n_rows)
    labels[: len(codes)] = codes
    return rng.poisson(rng.gamma(1.0, size=(5, width))[labels]).astype(np.float64), labels


# -- sums ----------------------------------------------------------------------------------------


@given(seed=seeds, smoothing=st.sampled_from([1e-9, 1e-3, 0.5]))
@settings(deadline=None, max_examples=20)
def test_gaussian_sums_are_gaussian_naive_bayes_of_all_objects(seed, smoothing):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 3)) * [1.0, 100.0, 0.01] + [1e4, 0.0, 5.0]
    codes = rng.choice([0, 2, 3], size=30)
    codes[:6] = [0, 2, 3, 0, 2, 3]
    sums = GaussianSums(n_classes=4, var_smoothing=smoothing)
    for part in parts_of(30, 6, 7, 15):
        sums.add(rows[part], codes[part])
        member = GaussianNB(var_smoothing=smoothing).fit(
            rows[: part[-1] + 1], codes[: part[-1] + 1]
        )
        np.testing.assert_allclose(
            sums.probabilities(rows), probabilities(member, rows, 4), rtol=1e-6, atol=1e-9
        )


COUNT_MEMBERS = [
    BernoulliNB(),
    BernoulliNB(alpha=0.2, binarize=1.0, fit_prior=False),
    BernoulliNB(binarize=0, class_prior=[0.2, 0.3, 0.5]),
    ComplementNB(),
    ComplementNB(alpha=0.1, norm=True),
    ComplementNB(fit_prior=False, class_prior=[0.2, 0.3, 0.5]),
    MultinomialNB(alpha=1e-3),
    MultinomialNB(alpha=[1.0, 0.5, 2.0, 0.1, 1.0, 3.0], force_alpha=False),
    MultinomialNB(fit_prior=False),
    MultinomialNB(class_prior=[0.2, 0.3, 0.5]),
]


@pytest.mark.parametrize("member", COUNT_MEMBERS, ids=str)
@pytest.mark.parametrize("kind", ["dense", "single", "sparse"])
@given(seed=seeds)
@settings(deadline=None, max_examples=5)
def test_count_sums_are_naive_bayes_of_all_objects(member, kind, seed):
    rows, codes = few_words(seed)
    rows = {"dense": rows, "single": rows.astype(np.float32), "sparse": csr_array(rows)}[kind]
    sums = count_sums(member, rows, 5)
    for part in parts_of(40, 5, 6, 20):
        sums.add(rows[part], codes[part])
        so_far = slice(0, part[-1] + 1)
        expected = probabilities(member.fit(rows[so_far], codes[so_far]), rows, 5)
        np.testing.assert_allclose(sums.probabilities(rows), expected, rtol=1e-10, atol=1e-12)


def test_bernoulli_sums_take_bits_as_they_are():
    rows, codes = few_words(3)
    rows = (rows > 1).astype(np.float64)
    sums = count_sums(BernoulliNB(binarize=None), rows, 4)
    sums.add(rows, codes)
    expected = probabilities(BernoulliNB(binarize=None).fit(rows, codes), rows, 4)
    np.testing.assert_allclose(sums.probabilities(rows), expected, rtol=1e-10)
    below = count_sums(BernoulliNB(binarize=-0.5), rows - 1, 4)
    below.add(rows - 1, codes)
    np.testing.assert_allclose(below.probabilities(rows - 1), expected, rtol=1e-10)


@pytest.mark.parametrize("member", [BernoulliNB(), ComplementNB(), MultinomialNB()], ids=str)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_long_texts_are_labelled_in_the_order_of_refits(member, kind):
    """Most probabilities are one but for the last digits, in which all is to be the same."""
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 3
    own = rng.dirichlet(np.full(300, 0.3), size=(2, 3))
    X = {f"v{v}": rng.poisson(60 * own[v][truth]).astype(float) for v in range(2)}
    y = np.where(np.arange(150) < 12, truth, -1)
    if kind == "sparse":
        X = {name: csr_array(matrix) for name, matrix in X.items()}
    models = [
        CoTraining(member, pool_size=40, per_class=2, max_iter=None, incremental=how).set_params(
            random_state=0
        )
        for how in ("auto", False)
    ]
    taught, refitted = (model.fit(X, y).provenance_ for model in models)
    assert np.mean(refitted.confidence > 1 - 1e-12) > 0.3
    for name in ("round", "object", "view", "label", "confidence"):
        np.testing.assert_array_equal(getattr(taught, name), getattr(refitted, name))


def test_options_that_scikit_learn_refuses_or_warns_of_are_left_to_it():
    dense, text = np.ones((3, 4)), csr_array(np.ones((3, 4)))
    assert isinstance(count_sums(BernoulliNB(), -dense, 2), BernoulliSums)
    assert isinstance(count_sums(ComplementNB(), text, 2), ComplementSums)
    assert isinstance(count_sums(MultinomialNB(), dense, 2), MultinomialSums)
    assert count_sums(MultinomialNB(), -dense, 2) is None
    assert count_sums(ComplementNB(), -text, 2) is None
    assert count_sums(BernoulliNB(binarize=-1.0), text, 2) is None
    assert count_sums(BernoulliNB(binarize="no"), dense, 2) is None
    assert count_sums(GaussianNB(), dense, 2) is None
    for alpha in (0.0, -1.0, 1e-12, "no", [1.0, 2.0], [1.0, 1.0, 1.0, 0.0]):
        assert count_sums(MultinomialNB(alpha=alpha), dense, 2) is None


def test_gaps_are_no_counts_below_zero():
    gaps = np.array([[1.0, 2.0], [np.nan, np.nan]])
    assert isinstance(count_sums(MultinomialNB(), gaps, 2), MultinomialSums)


def test_a_prior_of_another_number_of_classes_is_refused_and_the_view_named():
    rows, codes = few_words(1, codes=(0, 1))
    y = np.where(np.arange(40) < 10, codes, -1)
    with pytest.raises(ValueError, match="class_prior has 3 classes") as caught:
        CoTraining(MultinomialNB(class_prior=[0.2, 0.3, 0.5])).fit({"a": rows}, y)
    assert "view 'a'" in caught.value.__notes__[0]


# -- logistic regression -------------------------------------------------------------------------


@pytest.mark.parametrize("codes", [(0, 2), (0, 1, 3, 4)])
@pytest.mark.parametrize("sparse", [False, True])
@given(seed=seeds, strength=st.sampled_from([0.01, 1.0, 1e3]), fit_intercept=st.booleans())
@settings(deadline=None, max_examples=5)
def test_warm_steps_end_where_logistic_regression_does(
    codes, sparse, seed, strength, fit_intercept
):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + [3.0, 0.0, 1.0]
    labels = rng.choice(codes, size=60)
    labels[: len(codes)] = codes
    params = {"C": strength, "fit_intercept": fit_intercept, "max_iter": 3000}
    member = LogisticRegression(solver="newton-cholesky", tol=1e-10, **params)
    model = WarmLogistic(5, tol=1e-8, **params)
    for part in parts_of(60, 20, 21, 40):
        model.add(csr_array(rows[part]) if sparse else rows[part], labels[part])
        so_far = slice(0, part[-1] + 1)
        expected = probabilities(member.fit(rows[so_far], labels[so_far]), rows, 5)
        found = model.probabilities(csr_array(rows) if sparse else rows)
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("codes", [(0, 1), (0, 1, 2)])
def test_many_weights_are_led_to_the_same_by_the_diagonal(codes):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 150)) * rng.uniform(0.2, 3.0, size=150)
    labels = rng.choice(codes, size=300)
    member = LogisticRegression(C=0.05, tol=1e-9, max_iter=5000)
    model = WarmLogistic(len(codes), C=0.05, fit_intercept=True, tol=1e-8, max_iter=5000)
    for part in parts_of(300, 100, 120, 200):
        model.add(rows[part], labels[part])
        so_far = slice(0, part[-1] + 1)
        expected = member.fit(rows[so_far], labels[so_far]).predict_proba(rows)
        np.testing.assert_allclose(model.probabilities(rows), expected, atol=2e-5)


def test_a_class_met_late_makes_another_function():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 4))
    codes = np.repeat([0, 1, 3], [20, 20, 10])
    model = WarmLogistic(4, C=1.0, fit_intercept=True, tol=1e-8)
    for part, met in zip(parts_of(50, 30, 40), ((0, 1), (0, 1), (0, 1, 3)), strict=True):
        model.add(rows[part], codes[part])
        so_far = slice(0, part[-1] + 1)
        member = LogisticRegression(tol=1e-9, max_iter=1000).fit(rows[so_far], codes[so_far])
        assert member.classes_.tolist() == list(met)
        expected = probabilities(member, rows, 4)
        np.testing.assert_allclose(model.probabilities(rows), expected, atol=1e-5)


@pytest.mark.parametrize("n_functions", [1, 3])
def test_slope_and_curvature_are_derivatives(n_functions):
    rng = np.random.default_rng(1)
    rows, weights = rng.normal(size=(20, 3)), rng.normal(size=(n_functions, 3))
    targets = rng.integers(max(n_functions, 2), size=20)

    def loss(flat):
        return total_at(flat.reshape(weights.shape), rows, targets).loss

    def slope(flat):
        return total_at(flat.reshape(weights.shape), rows, targets).slope.ravel()

    flat = weights.ravel()
    np.testing.assert_allclose(slope(flat), approx_fprime(flat, loss, 1e-7), atol=1e-4)
    curved = curvature_at(weights, rows)
    np.testing.assert_allclose(curved, approx_fprime(flat, slope, 1e-7), atol=1e-4)
    for matrix in (rows, csr_array(rows)):
        diagonal = curvature_diagonal_at(weights, matrix)
        np.testing.assert_allclose(diagonal.ravel(), np.diag(curved), rtol=1e-10)
    parts = total_at(weights, rows[:7], targets[:7]) + total_at(weights, rows[7:], targets[7:])
    np.testing.assert_allclose(parts.slope.ravel(), slope(flat), rtol=1e-10)


@given(seed=seeds)
@settings(deadline=None, max_examples=20)
def test_a_memory_of_all_directions_is_the_inverse_of_a_quadratic(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    curvature = root @ root.T + 0.1 * np.eye(4)
    directions = np.linalg.eigh(curvature)[1].T  # conjugate, so that each keeps what is known
    memory = CurvatureMemory(lambda slope: slope)
    for step in directions:
        memory.remember(step, curvature @ step)
    slope = rng.normal(size=4)
    np.testing.assert_allclose(
        memory.step_against(slope), -np.linalg.solve(curvature, slope), rtol=1e-6, atol=1e-9
    )


def test_stand_ins_are_for_what_they_stand_for_only():
    dense, text = np.zeros((3, 4)), csr_array((3, 4))
    ridge = LogisticRegression()
    assert isinstance(stand_in(GaussianNB(), dense, 5, "teach"), GaussianSums)
    assert isinstance(stand_in(MultinomialNB(), text, 5, "teach"), MultinomialSums)
    assert stand_in(GaussianNB(priors=[0.5, 0.5]), dense, 2, "teach") is None
    assert stand_in(GaussianNB(), text, 2, "teach") is None
    for member in (GaussianNB(), MultinomialNB(), ridge):
        assert stand_in(member, dense, 2, "refit") is None
    for matrix, n_classes in ((dense, 2), (text, 2), (dense, 3), (np.zeros((3, 100)), 2)):
        assert isinstance(stand_in(ridge, matrix, n_classes, "warm"), WarmLogistic)
    for params in ({"class_weight": "balanced"}, {"l1_ratio": 0.5}, {"C": np.inf}, {"C": -1.0}):
        assert stand_in(LogisticRegression(**params), dense, 2, "warm") is None


# -- classifiers themselves ----------------------------------------------------------------------


@pytest.mark.parametrize("codes", [(0, 2), (0, 1, 3)])
@pytest.mark.parametrize("loss", ["log_loss", "modified_huber"])
def test_linear_answers_are_those_of_scikit_learn(codes, loss):
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(50, 4)), rng.choice(codes, size=50)
    member = SGDClassifier(loss=loss, random_state=0).fit(rows, labels)
    for matrix in (rows, csr_array(rows), rows.astype(np.float32)):
        expected = probabilities(member, matrix, 4)
        np.testing.assert_allclose(probabilities_of(member, matrix, 4), expected, rtol=1e-5)


class Watched(ClassifierMixin, BaseEstimator):
    """Keeps scikit-learn's settings at every call."""

    calls: list[tuple[str, bool]] = []

    def fit(self, X, y):
        self.calls.append(("fit", get_config()["skip_parameter_validation"]))
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        self.calls.append(("ask", get_config()["skip_parameter_validation"]))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def test_options_are_checked_once_and_settings_are_left_as_they_were():
    Watched.calls.clear()
    rows, codes = few_words(2, codes=(0, 1))
    y = np.where(np.arange(40) < 10, codes, -1)
    before = get_config()
    CoTraining(Watched(), max_iter=2, random_state=0).fit(Views({"a": rows}), y)
    assert get_config() == before
    assert Watched.calls[0] == ("fit", False)
    assert ("fit", True) in Watched.calls
    assert ("ask", True) in Watched.calls
    with pytest.raises(ValueError, match="'alpha' parameter"):
        CoTraining(SGDClassifier(loss="log_loss", alpha=-1.0), incremental=True).fit({"a": rows}, y)
