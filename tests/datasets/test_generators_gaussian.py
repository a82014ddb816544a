from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from manyviews.datasets import make_correlated_views, make_kumar1, make_kumar2
from manyviews.datasets.points import KUMAR1, KUMAR2


@pytest.mark.parametrize(
    ("make", "mixtures"), [(make_kumar1, KUMAR1), (make_kumar2, KUMAR2)], ids=["kumar1", "kumar2"]
)
def test_clusters_have_the_moments_of_the_thesis(make, mixtures):
    dataset = make(40_000, random_state=0)
    assert dataset.views.names == tuple(mixtures)
    assert_allclose(dataset.y.mean(), 0.5, atol=0.01)
    for view, mixture in mixtures.items():
        for cluster in (0, 1):
            rows = dataset.views[view][dataset.y == cluster]
            assert_allclose(rows.mean(axis=0), mixture.means[cluster], atol=0.04)
            assert_allclose(np.cov(rows.T), mixture.covariances[cluster], atol=0.05)


def test_the_numbers_of_the_thesis():
    assert KUMAR1["second"].means == ((2, 2), (1, 1))
    assert_allclose(KUMAR1["first"].covariances[0], KUMAR1["second"].covariances[1])
    assert_allclose(KUMAR1["first"].covariances[1], [[0.3, 0], [0, 0.6]])
    assert KUMAR2["first"].means[1] == (3, 4)
    assert_allclose(KUMAR2["second"].covariances[0], [[1, -0.2], [-0.2, 1]])
    assert_allclose(KUMAR2["third"].covariances[1], [[1, 0.4], [0.4, 0.7]])


def test_views_are_independent_given_the_cluster():
    views, y = make_kumar1(40_000, random_state=1)
    for cluster in (0, 1):
        rows = views.concatenate()[y == cluster]
        assert_allclose(np.corrcoef(rows.T)[:2, 2:], 0.0, atol=0.03)


@pytest.mark.parametrize("rho", [-1.0, -0.4, 0.0, 0.7, 1.0])
def test_views_are_as_correlated_as_asked(rho):
    views, y = make_correlated_views(rho, 40_000, random_state=0)
    expected = np.kron([[1.0, rho], [rho, 1.0]], np.eye(2))
    for cluster, mean in ((0, 1.0), (1, 3.0)):
        rows = views.concatenate()[y == cluster]
        assert_allclose(rows.mean(axis=0), mean, atol=0.04)
        assert_allclose(np.cov(rows.T), expected, atol=0.04)


def test_full_anticorrelation_is_exact():
    views, y = make_correlated_views(-1, 100, random_state=0)
    mean = (1.0 + 2.0 * y)[:, np.newaxis]
    assert_allclose(views["first"] - mean, mean - views["second"])


@pytest.mark.parametrize(
    "make", [make_kumar1, make_kumar2, lambda **k: make_correlated_views(0.3, **k)]
)
def test_same_seed_same_data(make):
    one, other = make(random_state=3), make(random_state=3)
    assert one.views.equals(other.views)
    assert np.array_equal(one.y, other.y)
    assert len(one.views) == 1000
    assert not one.views.equals(make(random_state=4).views)


@pytest.mark.parametrize("rho", [1.1, -2, float("nan"), "high", True])
def test_impossible_correlations_are_refused(rho):
    with pytest.raises(ValueError, match="rho="):
        make_correlated_views(rho)


@pytest.mark.parametrize("n_objects", [0, -3, 2.5, "ten"])
def test_impossible_sizes_are_refused(n_objects):
    with pytest.raises(ValueError, match="n_objects="):
        make_kumar1(n_objects)
