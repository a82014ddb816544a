"""The small problems behind CCA: moments, whitening, MAXVAR, SUMCOR, bases and shrinkage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import block_diag, eigh
from sklearn.covariance import ledoit_wolf_shrinkage

from manyviews.embed.canonical._shared import (
    Source,
    canonical_directions,
    maxvar,
    moments_of,
    whiten,
)
from manyviews.embed.canonical.cca import leading_basis, shrinkage_share, spread_of, sumcor
from manyviews.maths import column_signs, generator

WIDTHS = (4, 3, 5)


def related(n_objects, widths, seed, strength=1.0):
    """Views that share three signals, each seen with noise of its own."""
    rng = generator(seed)
    signals = rng.normal(size=(n_objects, 3))
    return [
        strength * signals @ rng.normal(size=(3, width)) + rng.normal(size=(n_objects, width))
        for width in widths
    ]


def covariances(arrays):
    centred = [array - array.mean(axis=0) for array in arrays]
    n_objects = len(arrays[0])
    return [[x.T @ y / n_objects for y in centred] for x in centred]


def own(blocks):
    return [blocks[v][v] for v in range(len(blocks))]


def seen_by_all(arrays):
    return np.ones((arrays[0].shape[0], len(arrays)), dtype=bool)


# -- directions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_views", [2, 3])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
def test_maxvar_solves_the_generalised_eigenproblem(n_views, ridge):
    blocks = covariances(related(60, WIDTHS[:n_views], seed=0))
    penalised = [matrix + ridge * np.eye(len(matrix)) for matrix in own(blocks)]
    between = np.block(blocks) - block_diag(*own(blocks))
    values, vectors = eigh(between, block_diag(*penalised))
    expected = vectors[:, ::-1][:, :3] * np.sqrt(n_views)
    found = canonical_directions(blocks, penalised, 3)
    np.testing.assert_allclose(found.values, values[::-1][:3] / (n_views - 1), atol=1e-12)
    stacked = np.vstack(found.weights)
    np.testing.assert_allclose(stacked, expected * column_signs(expected), atol=1e-10)


def test_two_views_by_hand():
    # x has variance 4, y has variance 1, their covariance is 1: the correlation is 1 / 2
    blocks = [[np.array([[4.0]]), np.array([[1.0]])], [np.array([[1.0]]), np.array([[1.0]])]]
    found = canonical_directions(blocks, own(blocks), 1)
    assert found.values == pytest.approx([0.5])
    assert [w.item() for w in found.weights] == pytest.approx([0.5, 1.0])


def test_features_that_depend_on_others_add_nothing():
    first, second = related(80, (3, 3), seed=1)
    doubled = np.hstack([first, first @ np.ones((3, 2)), np.full((80, 1), 7.0)])
    plain = covariances([first, second])
    more = covariances([doubled, second])
    expected = canonical_directions(plain, own(plain), 3)
    found = canonical_directions(more, own(more), 5)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-9)
    variates = (doubled - doubled.mean(axis=0)) @ found.weights[0]
    reached = (first - first.mean(axis=0)) @ expected.weights[0]
    np.testing.assert_allclose(np.abs(variates), np.abs(reached), atol=1e-6)


def test_units_do_not_decide_what_is_singular():
    first, second = related(80, (4, 3), seed=2)
    units = np.array([1e-9, 1.0, 1e9, 1e3])
    plain, scaled = covariances([first, second]), covariances([first * units, second])
    expected = canonical_directions(plain, own(plain), 3).values
    np.testing.assert_allclose(canonical_directions(scaled, own(scaled), 3).values, expected)


def test_one_view_has_its_principal_components_at_unit_variance():
    (points,) = related(50, (4,), seed=3)
    blocks = covariances([points])
    found = canonical_directions(blocks, own(blocks), 2)
    centred = points - points.mean(axis=0)
    left = np.linalg.svd(centred, full_matrices=False)[0][:, :2] * np.sqrt(50)
    variates = centred @ found.weights[0]
    np.testing.assert_allclose(np.abs(variates), np.abs(left), atol=1e-10)
    ridged = canonical_directions(blocks, [blocks[0][0] + np.eye(4)], 2)
    variances = np.linalg.eigvalsh(blocks[0][0])[::-1][:2]
    np.testing.assert_allclose(ridged.values, variances / (variances + 1))


# -- the largest sum of correlations -------------------------------------------------------------


def objective(whitened, turns):
    total = 0.0
    parts = [turn / np.linalg.norm(turn) for turn in turns]
    for v, one in enumerate(whitened.split(whitened.cross)):
        for w, block in enumerate(np.split(one, np.cumsum(whitened.ranks)[:-1], axis=1)):
            total += parts[v] @ block @ parts[w]
    return total / (len(parts) * (len(parts) - 1))


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), n_views=st.integers(2, 4), noise=st.floats(0.0, 2.0))
def test_sumcor_rises_and_is_at_least_what_maxvar_reaches(seed, n_views, noise):
    blocks = covariances(related(25, (*WIDTHS, 2)[:n_views], seed, strength=noise))
    whitened = whiten(blocks, own(blocks))
    found = sumcor(whitened, 2)
    assert np.diff(found.history).min() > -1e-12
    for v, weights in enumerate(found.weights):  # uncorrelated, with unit variance, in every view
        np.testing.assert_allclose(weights.T @ blocks[v][v] @ weights, np.eye(2), atol=1e-8)
    inverse = [np.linalg.pinv(root) for root in whitened.roots]
    first = [
        back @ weights[:, 0]
        for back, weights in zip(inverse, maxvar(whitened, 1).weights, strict=True)
    ]
    assert found.values[0] >= objective(whitened, first) - 1e-10
    best = [back @ weights[:, 0] for back, weights in zip(inverse, found.weights, strict=True)]
    assert objective(whitened, best) == pytest.approx(found.values[0])


def test_sumcor_finds_the_best_of_many_directions():
    blocks = covariances(related(40, (2, 2, 2), seed=4, strength=0.5))
    whitened = whiten(blocks, own(blocks))
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    a, b, c = (whitened.cross[i : i + 2, j : j + 2] for i, j in ((0, 2), (0, 4), (2, 4)))
    sums = (
        (circle.T @ a @ circle)[:, :, None]
        + (circle.T @ b @ circle)[:, None, :]
        + (circle.T @ c @ circle)[None, :, :]
    )
    best = sums.max() / 3
    found = sumcor(whitened, 1).values[0]
    assert best <= found <= best + 0.02


def test_for_two_views_both_criteria_are_one():
    blocks = covariances(related(60, (4, 3), seed=5))
    whitened = whiten(blocks, own(blocks))
    one, other = maxvar(whitened, 3), sumcor(whitened, 3)
    np.testing.assert_allclose(one.values, other.values, atol=1e-12)
    np.testing.assert_allclose(np.vstack(one.weights), np.vstack(other.weights), atol=1e-8)


def test_a_view_that_has_no_direction_left_gets_no_weight():
    blocks = covariances(related(60, (1, 3, 3), seed=6))
    found = sumcor(whiten(blocks, own(blocks)), 3)
    assert found.weights[0][0, 0] != 0
    np.testing.assert_allclose(found.weights[0][:, 1:], 0.0, atol=1e-7)


# -- moments -------------------------------------------------------------------------------------


def about_mean(array):
    return array - array.mean(axis=0)


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    n_objects=st.integers(4, 40),
    block_rows=st.sampled_from([1, 3, 7, None]),
    kinds=st.tuples(*[st.sampled_from(["dense", "single", "sparse", "filled"])] * 3),
    gaps=st.booleans(),
)
def test_moments_are_those_of_the_common_objects(seed, n_objects, block_rows, kinds, gaps):
    rng = generator(seed)
    arrays = [rng.normal(size=(n_objects, width)).astype(np.float32) for width in WIDTHS]
    for array, kind in zip(arrays, kinds, strict=True):
        array[(rng.random(array.shape) > 0.08) & (kind == "sparse")] = 0.0
    observed = np.ones((n_objects, 3), dtype=bool)
    if gaps:
        observed = rng.random((n_objects, 3)) < 0.7
        observed[:2] = True
    sources = []
    for array, kind, seen in zip(arrays, kinds, observed.T, strict=True):
        matrix = array if kind == "single" else array.astype(np.float64)
        if kind in ("single", "dense"):
            sources.append(Source(np.where(seen[:, None], matrix, np.nan).astype(matrix.dtype)))
        else:
            sources.append(Source(sparse.csr_array(np.where(seen[:, None], matrix, 0.0))))
    found = moments_of(sources, observed, block_rows=block_rows)
    exact = [array.astype(np.float64) for array in arrays]
    for v in range(3):
        for w in range(v, 3):
            pair, both = found.pair(v, w), observed[:, v] & observed[:, w]
            x, y = exact[v][both], exact[w][both]
            assert pair.count == both.sum()
            np.testing.assert_allclose(pair.means[0], x.mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(pair.means[1], y.mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(pair.cross, about_mean(x).T @ about_mean(y), atol=1e-10)
            np.testing.assert_allclose(pair.own[0], about_mean(x).T @ about_mean(x), atol=1e-10)
            turned = found.covariance(w, v).T
            np.testing.assert_allclose(found.covariance(v, w), turned, atol=1e-14)


def test_moments_of_parts_add_up_also_with_gaps():
    arrays = related(30, WIDTHS, seed=7)
    observed = generator(0).random((30, 3)) < 0.6
    sources = [Source(array) for array in arrays]
    whole = moments_of(sources, observed)
    cuts = (slice(0, 3), slice(3, 20), slice(20, 30))
    parts = [moments_of([Source(a[cut]) for a in arrays], observed[cut]) for cut in cuts]
    total = parts[2] + (parts[0] + parts[1])
    for v in range(3):
        for w in range(v, 3):
            one, other = whole.pair(v, w), total.pair(v, w)
            assert one.count == other.count
            np.testing.assert_allclose(one.cross, other.cross, atol=1e-12)
            np.testing.assert_allclose(one.own[1], other.own[1], atol=1e-12)


def test_a_large_mean_does_not_swallow_the_variance():
    arrays = related(3000, (3, 2), seed=8)
    far = [array + 1e6 for array in arrays]
    near = moments_of([Source(a) for a in arrays], seen_by_all(arrays), block_rows=100)
    found = moments_of([Source(a) for a in far], seen_by_all(far), block_rows=100)
    np.testing.assert_allclose(found.covariance(0, 1), near.covariance(0, 1), rtol=1e-8, atol=1e-8)
    # a plain difference of sums loses all digits but three
    plain = far[0].T @ far[0] / 3000 - np.outer(far[0].mean(axis=0), far[0].mean(axis=0))
    assert np.abs(plain - near.covariance(0, 0)).max() > 1e-5


def test_views_along_a_basis_have_the_moments_of_their_coordinates():
    arrays = related(40, (6, 3), seed=9)
    basis = np.linalg.qr(generator(1).normal(size=(6, 2)))[0]
    expected = moments_of([Source(arrays[0] @ basis), Source(arrays[1])], seen_by_all(arrays))
    for matrix in (arrays[0], sparse.csr_array(arrays[0])):
        found = moments_of([Source(matrix, basis), Source(arrays[1])], seen_by_all(arrays))
        np.testing.assert_allclose(found.pair(0, 1).cross, expected.pair(0, 1).cross, atol=1e-10)


# -- bases and shrinkage -------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_basis_is_that_of_the_principal_components(form):
    rng = generator(2)
    points = (3 + rng.normal(size=(90, 60))) * 0.8 ** np.arange(60)
    points[rng.random(points.shape) < 0.3] = 0.0
    centred = points - points.mean(axis=0)
    _, values, right = np.linalg.svd(centred, full_matrices=False)
    found = leading_basis(form(points), 8, generator(0))
    np.testing.assert_allclose(found.kept, (values[:8] ** 2).sum() / (values**2).sum(), rtol=1e-4)
    overlap = np.linalg.svd(right[:4] @ found.directions)[1]
    np.testing.assert_allclose(overlap, 1.0, atol=1e-4)
    np.testing.assert_allclose(found.directions.T @ found.directions, np.eye(8), atol=1e-12)
    np.testing.assert_allclose(found.scales, points.std(axis=0), atol=1e-10)


def test_with_few_objects_the_basis_holds_all_of_them():
    points = generator(3).normal(size=(20, 200))
    found = leading_basis(points, 30, generator(0))
    assert found.directions.shape == (200, 19)  # their differences from the mean
    assert found.kept == pytest.approx(1.0)


@pytest.mark.parametrize("rank", [4, 6])
def test_the_basis_has_no_directions_without_variance(rank):
    points = np.full((50, 8), 0.1)
    points[:, :2] = generator(6).normal(size=(50, 2)) + 1e3
    points[:, 2] = points[:, 0] - points[:, 1]
    for seed in range(30):
        found = leading_basis(points, rank, generator(seed))
        assert found.directions.shape == (8, 2)
        np.testing.assert_array_equal(found.directions[3:], 0.0)
    assert leading_basis(points[:, 3:], rank, generator(0)).directions.shape == (5, 0)


def test_spread_is_that_of_numpy():
    points = generator(4).normal(size=(50, 7)) + 1e5
    points[::3, 2] = 0.0
    for matrix in (points, sparse.csr_array(points)):
        found = spread_of(matrix)
        np.testing.assert_allclose(found.means, points.mean(axis=0))
        np.testing.assert_allclose(found.variances, points.var(axis=0), rtol=1e-8)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30), (200, 3)])
def test_shrinkage_is_that_of_scikit_learn(shape):
    points = generator(5).normal(size=shape) * np.linspace(1, 3, shape[1]) + 4
    delta = ledoit_wolf_shrinkage(points)
    moments = moments_of([Source(points)], np.ones((shape[0], 1), dtype=bool))
    found = shrinkage_share(Source(points), slice(None), len(points), moments.own(0), shape[1])
    assert found == pytest.approx(delta / (1 - delta))
