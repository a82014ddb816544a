"""Digits as three views: against a direct computation, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from manyviews.datasets import load, load_digits_views
from manyviews.datasets.loaders import fourier_magnitudes, kept_frequencies, row_and_column_sums

SHIFTS = st.integers(-8, 8)
IMAGES = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).integers(0, 17, (1, 8, 8)).astype(float)
)


@pytest.fixture(scope="module")
def digits():
    return load_digits_views()


def test_counts_names_and_labels(digits):
    source = load_digits()
    assert digits.views.shape == (1797, 64 + 34 + 16)
    assert digits.views.observed.all()
    assert digits.label_names == tuple("0123456789")
    assert digits.name == "digits_views"
    np.testing.assert_array_equal(digits.y, source.target)
    np.testing.assert_array_equal(digits.views["pixels"], source.data)
    assert load("digits_views").views.equals(digits.views)


def test_features_are_named_for_the_pixel_frequency_or_line_they_come_from(digits):
    names, image = digits.views.feature_names, load_digits().images[5]
    spectrum = np.abs(np.fft.fft2(image))
    by_name = dict(zip(names["fourier"], digits.views["fourier"][5], strict=True))
    assert by_name["frequency_3_2"] == pytest.approx(spectrum[3, 2])
    assert by_name["frequency_0_0"] == pytest.approx(image.sum())
    profile = dict(zip(names["profiles"], digits.views["profiles"][5], strict=True))
    assert profile["row_2"] == image[2].sum()
    assert profile["column_6"] == image[:, 6].sum()
    pixels = dict(zip(names["pixels"], digits.views["pixels"][5], strict=True))
    assert pixels["pixel_3_4"] == image[3, 4]


def test_a_transform_by_the_definition_gives_the_same_magnitudes(digits):
    image = load_digits().images[17]
    rows, columns = np.indices((8, 8))
    expected = [
        abs((image * np.exp(-2j * np.pi * (u * rows + v * columns) / 8)).sum())
        for u, v in kept_frequencies()
    ]
    np.testing.assert_allclose(digits.views["fourier"][17], expected, atol=1e-10)


def test_the_frequencies_kept_and_their_conjugates_are_all_there_are():
    kept = set(kept_frequencies())
    conjugates = {(-row % 8, -column % 8) for row, column in kept}
    assert kept | conjugates == {(row, column) for row in range(8) for column in range(8)}
    own = {(0, 0), (0, 4), (4, 0), (4, 4)}
    assert kept & conjugates == own


@settings(deadline=None, max_examples=30)
@given(image=IMAGES, down=SHIFTS, right=SHIFTS)
def test_moving_a_digit_round_the_edges_leaves_its_fourier_magnitudes(image, down, right):
    moved = np.roll(image, (down, right), axis=(1, 2))
    np.testing.assert_allclose(fourier_magnitudes(moved), fourier_magnitudes(image), atol=1e-9)


@settings(deadline=None, max_examples=30)
@given(image=IMAGES, down=SHIFTS)
def test_moving_a_digit_down_rolls_its_rows_and_leaves_its_columns(image, down):
    before = row_and_column_sums(image)
    after = row_and_column_sums(np.roll(image, down, axis=1))
    np.testing.assert_array_equal(after[:, 8:], before[:, 8:])
    np.testing.assert_array_equal(after[:, :8], np.roll(before[:, :8], down, axis=1))


def test_a_transposed_digit_swaps_rows_and_columns():
    image = np.arange(64.0).reshape(1, 8, 8)
    swapped = row_and_column_sums(image.transpose(0, 2, 1))
    np.testing.assert_array_equal(swapped, np.roll(row_and_column_sums(image), 8, axis=1))
