"""Imputers: what is observed stays, what is missing is what the formula says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from manyviews import Views
from manyviews.exceptions import ViewsError
from manyviews.similarity import (
    ConditionalMeanImputer,
    IncompleteGaussianMixture,
    UnconditionalMeanImputer,
)

LAW = settings(deadline=None, max_examples=15)
IMPUTERS = [
    UnconditionalMeanImputer(),
    ConditionalMeanImputer(),
    ConditionalMeanImputer(IncompleteGaussianMixture(2, reg_covar=1e-3, random_state=0)),
]


def related(rng, n=80):
    """Two views of one hidden number, with gaps."""
    hidden = rng.normal(size=(n, 1))
    rows = hidden * [1.0, 2.0, -1.0, 3.0] + 0.1 * rng.normal(size=(n, 4))
    hidden_cells = rng.random(rows.shape) < 0.2
    hidden_cells[np.ix_(rng.random(n) < 0.3, [2, 3])] = True
    hidden_cells[hidden_cells.all(axis=1), 0] = False
    gaps = np.where(hidden_cells, np.nan, rows)
    return rows, Views({"a": gaps[:, :2], "b": gaps[:, 2:]}, feature_names={"b": ["left", "right"]})


@pytest.mark.exact
@pytest.mark.parametrize("imputer", IMPUTERS)
@LAW
@given(seed=st.integers(0, 10**6))
def test_observed_cells_stay_and_gaps_are_filled(imputer, seed):
    _, views = related(np.random.default_rng(seed))
    filled = imputer.fit_transform(views)
    wide = np.asarray(views)
    seen = ~np.isnan(wide)
    np.testing.assert_array_equal(filled[seen], wide[seen])
    assert np.isfinite(filled).all()


def test_unconditional_means_are_scikit_learns():
    _, views = related(np.random.default_rng(0))
    new = views[:10]
    ours = UnconditionalMeanImputer().fit(views).transform(new)
    theirs = SimpleImputer().fit(np.asarray(views)).transform(np.asarray(new))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_conditional_means_are_those_of_the_mixture():
    _, views = related(np.random.default_rng(1))
    imputer = IMPUTERS[2].fit(views)
    found = imputer.mixture_.conditional(views)
    mean = np.einsum("iz,izd->id", found.weights, found.means)
    np.testing.assert_allclose(imputer.transform(views), mean, atol=1e-9)


def test_conditional_means_are_nearer_to_the_truth():
    rows, views = related(np.random.default_rng(2))
    gaps = np.isnan(np.asarray(views))
    errors = [
        np.sqrt(np.mean((imputer.fit_transform(views) - rows)[gaps] ** 2)) for imputer in IMPUTERS
    ]
    assert errors[1] < 0.2 * errors[0]
    assert errors[2] < 0.2 * errors[0]


@pytest.mark.parametrize("imputer", IMPUTERS)
def test_new_objects_may_lack_a_whole_view(imputer):
    _, views = related(np.random.default_rng(3))
    imputer.fit(views)
    one = imputer.transform({"a": [[1.0, 2.0]]})
    other = imputer.transform(np.array([[1.0, 2.0, np.nan, np.nan]]))
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one[0, :2], [1.0, 2.0])


@pytest.mark.parametrize("imputer", IMPUTERS)
def test_columns_are_named_by_view(imputer):
    _, views = related(np.random.default_rng(4))
    names = ["a__0", "a__1", "b__left", "b__right"]
    assert imputer.fit(views).get_feature_names_out().tolist() == names
    frame = imputer.set_output(transform="pandas").transform(views)
    imputer.set_output(transform="default")
    assert frame.columns.tolist() == names


def test_before_a_classifier_in_a_pipeline_and_a_grid():
    rows, views = related(np.random.default_rng(5))
    y = rows[:, 0] > 0
    steps = make_pipeline(IMPUTERS[2], LogisticRegression())
    name = "conditionalmeanimputer__mixture__n_components"
    search = GridSearchCV(steps, {name: [1, 2]}, cv=3).fit(views, y)
    assert search.score(views, y) > 0.9


def test_a_learnt_mixture_can_be_frozen():
    _, views = related(np.random.default_rng(6))
    mixture = IncompleteGaussianMixture(reg_covar=1e-2).fit(views)
    imputer = ConditionalMeanImputer(FrozenEstimator(mixture)).fit(views[:5])
    np.testing.assert_array_equal(imputer.mixture_.means_, mixture.means_)
    expected = ConditionalMeanImputer(IncompleteGaussianMixture(reg_covar=1e-2)).fit(views)
    np.testing.assert_allclose(imputer.transform(views), expected.transform(views))
    with pytest.raises(ViewsError, match="the same views"):
        ConditionalMeanImputer(FrozenEstimator(mixture)).fit(views.subset(["b", "a"]))


def test_a_feature_that_is_never_seen_is_refused():
    views = {"a": np.ones((3, 1)), "b": np.array([[1.0, np.nan]] * 3)}
    with pytest.raises(ViewsError, match="feature 1 of view 'b'"):
        UnconditionalMeanImputer().fit(views)
