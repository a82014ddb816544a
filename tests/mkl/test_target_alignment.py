"""Target alignment against brute force and against centred matrices formed in full."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews import Views
from manyviews.mkl import KernelLibrary, TargetAlignment
from manyviews.mkl.target_alignment import (
    Products,
    frobenius_products,
    joint_weights,
    own_alignments,
    target_of,
)
from manyviews.similarity import RBF


def some_views(seed=0, n_classes=2, n_objects=40):
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    return {
        "good": rng.normal(size=(n_objects, 3)) + 1.5 * np.eye(n_classes, 3)[y],
        "noise": rng.normal(size=(n_objects, 3)),
    }, y


def fitted_kernels(views, kernels=("linear",), normalize=True):
    library = KernelLibrary(list(kernels), normalize=normalize)
    return library.fitted(Views(views))


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 4))
@settings(deadline=None, max_examples=20)
def test_two_kernels_equal_brute_force_over_the_angle(seed, n_classes):
    views, y = some_views(seed, n_classes)
    kernels = fitted_kernels(views)
    one, other = kernels.gram(0), kernels.gram(1)
    target = np.where(y[:, None] == y, 1.0, -1.0)
    target = target - target.mean(axis=0) - target.mean(axis=1)[:, None] + target.mean()
    angles = np.linspace(0, np.pi / 2, 20_001)
    cosine, sine = np.cos(angles), np.sin(angles)
    norms = np.sqrt(
        cosine**2 * (one**2).sum()
        + sine**2 * (other**2).sum()
        + 2 * cosine * sine * (one * other).sum()
    )
    values = (cosine * (one * target).sum() + sine * (other * target).sum()) / norms
    best = angles[values.argmax()]
    found = joint_weights(frobenius_products(kernels, target_of(y), centered=True))
    np.testing.assert_allclose(found, [np.cos(best), np.sin(best)], atol=2e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_centring_by_sums_equals_centring_matrices(n_classes):
    views, y = some_views(1, n_classes)
    kernels = fitted_kernels(views, [RBF(0.3), "linear"], normalize=False)
    centre = np.eye(len(y)) - 1 / len(y)
    stack = [centre @ gram @ centre for gram in kernels]
    target = centre @ np.where(y[:, None] == y, 1.0, -1.0) @ centre
    found = frobenius_products(kernels, target_of(y), centered=True)
    expected = np.array([[np.sum(a * b) for b in stack] for a in stack])
    np.testing.assert_allclose(found.kernels, expected, atol=1e-9 * expected.max())
    np.testing.assert_allclose(found.target, [np.sum(a * target) for a in stack], rtol=1e-9)
    assert found.target_norm == pytest.approx(np.linalg.norm(target))
    own = [np.sum(a * target) / np.linalg.norm(a) / np.linalg.norm(target) for a in stack]
    np.testing.assert_allclose(own_alignments(found), own, rtol=1e-9)


def test_no_other_weights_are_better_aligned():
    views, y = some_views(2)
    products = frobenius_products(
        fitted_kernels(views, ["linear", RBF(0.1), RBF(1.0)]), target_of(y), centered=True
    )
    best = products.alignment(joint_weights(products))
    drawn = np.random.default_rng(0).exponential(size=(500, 6))
    assert best >= max(products.alignment(weights) for weights in drawn) - 1e-9
    assert best >= own_alignments(products).max() - 1e-12


def test_kernels_that_say_nothing_get_equal_weights():
    silent = Products(np.zeros((2, 2)), np.zeros(2), 1.0)
    np.testing.assert_allclose(joint_weights(silent), [0.5**0.5] * 2)


def test_a_scale_of_a_kernel_is_taken_back_by_its_weight():
    products = Products(np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, 1.0]), 2.0)
    scales = np.array([1e6, 1e-3])
    scaled = Products(products.kernels * np.outer(scales, scales), products.target * scales, 2.0)
    plain, taken_back = joint_weights(products), joint_weights(scaled) * scales
    np.testing.assert_allclose(taken_back / np.linalg.norm(taken_back), plain)


@pytest.mark.parametrize("method", ["joint", "independent"])
def test_the_informative_view_gets_the_weight(method):
    views, y = some_views(3)
    model = TargetAlignment(["linear", "rbf"], C=1.0, method=method).fit(views, y)
    weights = dict(zip(model.kernel_names_, model.kernel_weights_, strict=True))
    good = sum(value for name, value in weights.items() if name.startswith("good"))
    assert good > 2 * sum(value for name, value in weights.items() if name.startswith("noise"))
    assert np.linalg.norm(model.kernel_weights_) == pytest.approx(1.0)


def test_more_blocks_change_nothing(monkeypatch):
    views, y = some_views(4)
    kernels = fitted_kernels(views)
    whole = frobenius_products(kernels, target_of(y), centered=True)
    monkeypatch.setattr("manyviews.mkl.target_alignment.BLOCK_VALUES", 300)
    blocks = frobenius_products(kernels, target_of(y), centered=True)
    np.testing.assert_allclose(blocks.kernels, whole.kernels)
    np.testing.assert_allclose(blocks.target, whole.target)


def test_unknown_methods_are_refused():
    views, y = some_views()
    with pytest.raises(ValueError, match="method='both' should be 'joint'"):
        TargetAlignment("linear", method="both").fit(views, y)
