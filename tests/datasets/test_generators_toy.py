from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.neighbors import KNeighborsClassifier

from manyviews.datasets import make_two_circles, make_two_moons_two_lines


def sorted_rows(matrix):
    return matrix[np.lexsort(matrix.T)]


def test_moons_are_those_of_scikit_learn():
    views, y = make_two_moons_two_lines(30, random_state=0)
    expected, labels = make_moons(30, shuffle=False)
    for label in (0, 1):
        found = sorted_rows(views["moons"][y == label].round(12))
        assert_allclose(found, sorted_rows(expected[labels == label].round(12)), atol=1e-11)


def test_lines_are_parallel_a_unit_apart_and_separated_through_the_origin():
    views, y = make_two_moons_two_lines(51, random_state=0)
    lines = views["lines"]
    across = lines @ np.array([-1.0, 1.0]) / np.sqrt(2)
    assert_allclose(across, np.where(y == 0, 0.5, -0.5))
    along = lines @ np.array([1.0, 1.0]) / np.sqrt(2)
    assert_allclose(np.sort(along[y == 0]), np.linspace(-np.sqrt(2), np.sqrt(2), 26))
    assert np.bincount(y).tolist() == [26, 25]


def test_within_a_class_the_place_on_the_moon_does_not_tell_the_place_on_the_line():
    views, y = make_two_moons_two_lines(20_000, random_state=0)
    for label in (0, 1):
        moons, lines = views["moons"][y == label], views["lines"][y == label]
        assert_allclose(np.corrcoef(moons.T, lines.T)[:2, 2:], 0.0, atol=0.03)
    assert not np.array_equal(
        views["lines"], make_two_moons_two_lines(20_000, random_state=1).views["lines"]
    )


def test_noise_merges_the_moons_and_leaves_the_lines():
    clean, y = make_two_moons_two_lines(300, random_state=0)
    noisy, noisy_y = make_two_moons_two_lines(300, noise=0.5, random_state=0)
    assert clean["lines"].tolist() == noisy["lines"].tolist()
    assert_allclose(noisy["moons"] - clean["moons"], 0, atol=2.5)
    assert (noisy["moons"] - clean["moons"]).std() == pytest.approx(0.5, rel=0.1)
    gap = cdist(clean["moons"][y == 0], clean["moons"][y == 1]).min()
    assert gap > 0.2

    def accuracy(views):
        model = KNeighborsClassifier(5).fit(views["moons"][:150], y[:150])
        return model.score(views["moons"][150:], y[150:])

    assert np.array_equal(y, noisy_y)
    assert accuracy(clean) == 1.0
    assert accuracy(noisy) < 0.9


def test_circles_have_their_radii_and_uniform_angles():
    views, y = make_two_circles(4001, random_state=0)
    assert views["horizontal"].shape == views["vertical"].shape == (4001, 1)
    points = views.concatenate()
    assert_allclose(np.hypot(*points.T), np.where(y == 1, 1.0, 2.0))
    assert np.bincount(y).tolist() == [2001, 2000]
    octants = np.bincount(
        ((np.arctan2(points[:, 1], points[:, 0]) + np.pi) / (np.pi / 4)).astype(int) % 8
    )
    assert octants.min() > 420  # 500 expected, standard deviation 21


def test_only_squares_of_the_coordinates_separate_the_circles():
    views, y = make_two_circles(100, random_state=0)
    squares = np.column_stack([views["horizontal"] ** 2, views["vertical"] ** 2])
    assert np.array_equal(squares.sum(axis=1) < 2.5, y == 1)


@pytest.mark.parametrize("make", [make_two_moons_two_lines, make_two_circles])
def test_same_seed_same_toys(make):
    assert make(random_state=5).views.equals(make(random_state=5).views)
    assert np.array_equal(make(random_state=5).y, make(random_state=5).y)
    with pytest.raises(ValueError, match="n_objects=1 "):
        make(1)


def test_negative_noise_is_refused():
    with pytest.raises(ValueError, match="noise=-1 cannot"):
        make_two_moons_two_lines(noise=-1)
