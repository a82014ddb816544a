from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.cluster import SpectralClustering
from sklearn.metrics import adjusted_rand_score

from manyviews.datasets import (
    make_complementary_affinities,
    make_contradictory_affinities,
    make_desa_affinities,
    make_low_quality_affinities,
)


def clusters(affinity):
    model = SpectralClustering(2, affinity="precomputed", random_state=0, eigen_solver="arpack")
    return model.fit_predict(affinity)


@given(st.integers(1, 6), st.floats(0.1, 200), st.integers(0, 10_000))
@settings(deadline=None, max_examples=50)
def test_corruption_is_symmetric_complementary_and_exactly_half(quarter, alpha, seed):
    views, y = make_complementary_affinities(alpha, 4 * quarter, random_state=seed)
    half = 2 * quarter
    first, second = views["first"], views["second"]
    assert_array_equal(y, [0] * half + [1] * half)
    for matrix in (first, second):
        assert_array_equal(matrix, matrix.T)
        assert_array_equal(matrix[:half, :half], 1.0)
        assert_array_equal(matrix[half:, half:], 1.0)
        assert (matrix[:half, half:] == alpha).sum() == half * half // 2
    assert_array_equal((first + second)[:half, half:], alpha)
    assert_array_equal((first * second)[:half, half:], 0.0)


def test_one_view_breaks_down_where_the_thesis_says_and_the_product_does_not():
    for alpha, single in ((1.5, 1.0), (4.0, 0.0)):
        views, y = make_complementary_affinities(alpha, 80, random_state=0)
        assert adjusted_rand_score(y, clusters(views["first"])) == pytest.approx(single, abs=0.1)
        cleaned = views["first"] * views["second"] + 1e-9
        assert adjusted_rand_score(y, clusters(cleaned)) == 1.0


def test_low_quality_by_hand():
    views, y = make_low_quality_affinities(6)
    assert_array_equal(views["informative"], np.kron(np.eye(2), np.ones((3, 3))))
    assert_array_equal(views["constant"], np.ones((6, 6)))
    assert_array_equal(y, [0, 0, 0, 1, 1, 1])


def test_contradictory_by_hand():
    dataset = make_contradictory_affinities(8)
    one, zero = np.ones((2, 2)), np.zeros((2, 2))
    quarters = [[one, zero, zero, one], [zero, one, one, zero]]
    assert_array_equal(dataset.views["halves"], np.kron(np.eye(2), np.ones((4, 4))))
    assert_array_equal(dataset.views["quarters"], np.block([*quarters, *quarters[::-1]]))
    assert_array_equal(dataset.y, [0, 0, 0, 0, 1, 1, 1, 1])
    assert adjusted_rand_score(dataset.y, dataset.extra["quarters"]) <= 0


def test_de_sas_matrices_as_printed():
    m = 0.3
    first = [
        [1, 0, 1, 0, 0, 0, 0, 0],
        [0, 1, 0, 1, m, 0, m, 0],
        [1, 0, 1, 0, 0, 0, 0, 0],
        [0, 1, 0, 1, m, 0, m, 0],
        [0, m, 0, m, 1, 0, 1, 0],
        [0, 0, 0, 0, 0, 1, 0, 1],
        [0, m, 0, m, 1, 0, 1, 0],
        [0, 0, 0, 0, 0, 1, 0, 1],
    ]
    second = [
        [1, 1, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 1, m, m, 0, 0],
        [0, 0, 1, 1, m, m, 0, 0],
        [0, 0, m, m, 1, 1, 0, 0],
        [0, 0, m, m, 1, 1, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0, 0, 1, 1],
    ]
    views, y = make_desa_affinities(m, noise=0)
    assert_array_equal(views["first"], first)
    assert_array_equal(views["second"], second)
    assert_array_equal(y, [0, 0, 0, 0, 1, 1, 1, 1])


def test_de_sas_noise_is_symmetric_bounded_and_different_in_the_views():
    clean = make_desa_affinities(0.3, noise=0).views
    noisy = make_desa_affinities(0.3, noise=0.1, random_state=0).views
    noise = {name: noisy[name] - clean[name] for name in clean.names}
    for added in noise.values():
        assert_array_equal(added, added.T)
        assert added.min() > 0
        assert added.max() <= 0.1
        assert len(np.unique(added.round(12))) == 36
    assert not np.allclose(noise["first"], noise["second"])


def test_the_joint_affinity_breaks_down_where_de_sa_says():
    for m, right in ((0.0, True), (0.1, False)):
        views, y = make_desa_affinities(m, random_state=0)
        joint = clusters(views["first"] * views["second"])
        assert (adjusted_rand_score(y, joint) == 1.0) is right
        assert adjusted_rand_score(y, clusters(views["first"] + views["second"])) == 1.0


def test_same_seed_same_affinities():
    one = make_complementary_affinities(2, 40, random_state=1).views
    assert one.equals(make_complementary_affinities(2, 40, random_state=1).views)
    assert not one.equals(make_complementary_affinities(2, 40, random_state=2).views)
    noisy = make_desa_affinities(0.5, random_state=1).views
    assert noisy.equals(make_desa_affinities(0.5, random_state=1).views)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_complementary_affinities(2.0, 6), "n_objects=6.*divisible by 4"),
        (lambda: make_complementary_affinities(-1.0, 8), "alpha=-1.0.*at least 0"),
        (lambda: make_low_quality_affinities(7), "n_objects=7.*divisible by 2"),
        (lambda: make_contradictory_affinities(10), "n_objects=10.*divisible by 4"),
        (lambda: make_contradictory_affinities(10**6), "give at most 20,000"),
        (lambda: make_desa_affinities(-0.1), "m=-0.1"),
        (lambda: make_desa_affinities(0.1, noise=-1), "noise=-1"),
    ],
)
def test_impossible_affinities_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
