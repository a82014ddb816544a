"""Classifiers that go on from round to round say what classifiers fitted from scratch would say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from manyviews import Views
from manyviews.semi_supervised import CoTraining
from manyviews.semi_supervised._shared import probabilities
from manyviews.semi_supervised.co_training.incremental import GaussianSums, Learner

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


def test_a_prior_of_another_number_of_classes_is_refused_and_the_view_named():
    rows, codes = few_words(1, codes=(0, 1))
    y = np.where(np.arange(40) < 10, codes, -1)
    with pytest.raises(ValueError, match="Number of priors") as caught:
        CoTraining(MultinomialNB(class_prior=[0.2, 0.3, 0.5])).fit({"a": rows}, y)
    assert "view 'a'" in caught.value.__notes__[0]


# -- logistic regression -------------------------------------------------------------------------


@pytest.mark.parametrize("codes", [(0, 2), (0, 1, 3)])
@pytest.mark.parametrize("sparse", [False, True])
def test_warm_starts_end_where_fits_from_scratch_do(codes, sparse):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1] + [3.0, 0.0, 1.0]
    labels = rng.choice(codes, size=60)
    matrix = csr_array(rows) if sparse else rows
    member = LogisticRegression(tol=1e-9, max_iter=5000)
    warm = Learner(member, "a", matrix, np.ones(60, dtype=bool), 4, "warm")
    so_far = np.full(60, -1)
    for part in parts_of(60, 20, 21, 40):
        so_far[part] = labels[part]
        warm.learn(so_far, part)
        known = so_far >= 0
        expected = probabilities(member.fit(rows[known], labels[known]), rows, 4)
        np.testing.assert_allclose(warm.probabilities(np.arange(60)), expected, atol=1e-5)


# -- classifiers themselves ----------------------------------------------------------------------


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
