"""Bregman divergences: their laws, their borders, and the Lemma on merging."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from scipy.special import rel_entr, xlogy

from manyviews.maths import (
    BinaryRelativeEntropy,
    CustomDivergence,
    GeneralizedKL,
    ItakuraSaito,
    Mahalanobis,
    SquaredEuclidean,
    SumOfDivergences,
    cluster_cost,
    merge_cost,
)

METRIC = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 3.0]])
OWN_KL = CustomDivergence(
    phi=lambda X: xlogy(X, X).sum(axis=1), gradient=lambda X: 1 + np.log(X), domain=lambda X: X > 0
)
OWN_LOG = CustomDivergence(
    phi=lambda X: -np.log(X).sum(axis=1), gradient=lambda X: -1 / X, domain=lambda X: X > 0
)
OWN_SQUARE = CustomDivergence(phi=lambda X: (X**2).sum(axis=1), gradient=lambda X: 2 * X)
DIVERGENCES = {
    "squared": SquaredEuclidean(),
    "kl": GeneralizedKL(),
    "itakura-saito": ItakuraSaito(),
    "mahalanobis": Mahalanobis(METRIC),
    "binary": BinaryRelativeEntropy(),
    "sum": 0.5 * GeneralizedKL() + SquaredEuclidean() + 2 * BinaryRelativeEntropy(),
    "own": OWN_KL,
}
every_divergence = pytest.mark.parametrize("name", DIVERGENCES)
laws = settings(deadline=None, max_examples=30)


def rows(least=1, most=6):
    """Rows well inside every domain at once."""
    cells = st.floats(0.01, 0.99, allow_subnormal=False)
    shapes = st.tuples(st.integers(least, most), st.just(3))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=cells))


def by_definition(divergence, X, Y):
    """φ(x) − φ(y) − ⟨∇φ(y), x − y⟩, pair by pair."""
    gaps = np.empty((len(X), len(Y)))
    for i, x in enumerate(X):
        for j, y in enumerate(Y):
            slope = divergence.gradient(y[None])[0] @ (x - y)
            gaps[i, j] = divergence.phi(x[None])[0] - divergence.phi(y[None])[0] - slope
    return gaps


@every_divergence
@laws
@given(X=rows(), Y=rows())
def test_it_is_the_gap_to_the_tangent(name, X, Y):
    divergence = DIVERGENCES[name]
    expected = by_definition(divergence, X, Y)
    np.testing.assert_allclose(divergence.between(X, Y), expected, rtol=1e-7, atol=1e-9)


@every_divergence
@laws
@given(X=rows(2), Y=rows(2))
def test_it_is_zero_for_equals_and_positive_for_others(name, X, Y):
    divergence = DIVERGENCES[name]
    gaps = divergence.between(X, Y)
    assert (gaps >= 0).all()
    assert (divergence.between(X, X).diagonal() == 0).all()
    apart = np.abs(X[:, None] - Y[None]).max(axis=2) > 1e-3
    assert (gaps[apart] > 0).all()


@every_divergence
@laws
@given(X=rows(2), at=st.integers(0, 100))
def test_the_gradient_is_that_of_phi(name, X, at):
    divergence, step = DIVERGENCES[name], 1e-6
    X = 0.1 + 0.8 * X
    shift = step * np.eye(3)[at % 3]
    slope = (divergence.phi(X + shift) - divergence.phi(X - shift)) / (2 * step)
    np.testing.assert_allclose(divergence.gradient(X)[:, at % 3], slope, rtol=1e-5, atol=1e-6)


@every_divergence
@laws
@given(A=rows(), B=rows())
def test_merge_cost_is_the_rise_of_the_cost_by_definition(name, A, B):
    divergence = DIVERGENCES[name]
    rise = cluster_cost(divergence, np.vstack([A, B]))
    rise -= cluster_cost(divergence, A) + cluster_cost(divergence, B)
    found = merge_cost(divergence, A.mean(axis=0), len(A), B.mean(axis=0), len(B))
    assert found.shape == ()
    np.testing.assert_allclose(found, rise, rtol=1e-7, atol=1e-9)


@every_divergence
@laws
@given(A=rows(), B=rows())
def test_merge_cost_is_what_the_lemma_says(name, A, B):
    phi = lambda x: DIVERGENCES[name].phi(x[None])[0]  # noqa: E731 (the paper's symbol)
    a, b, both = A.mean(axis=0), B.mean(axis=0), np.vstack([A, B]).mean(axis=0)
    lemma = len(A) * phi(a) + len(B) * phi(b) - (len(A) + len(B)) * phi(both)
    found = merge_cost(DIVERGENCES[name], a, len(A), b, len(B))
    np.testing.assert_allclose(found, lemma, rtol=1e-7, atol=1e-9)


@every_divergence
@laws
@given(X=rows(2), other=rows(1, 1))
def test_the_mean_is_the_best_centre(name, X, other):
    """Eq. (4): another centre costs n times its divergence from the mean more."""
    divergence, mean = DIVERGENCES[name], X.mean(axis=0, keepdims=True)
    more = divergence.between(X, other).sum() - cluster_cost(divergence, X)
    expected = len(X) * divergence.between(mean, other)[0, 0]
    np.testing.assert_allclose(more, expected, rtol=1e-7, atol=1e-9)


def test_many_pairs_at_once_equal_one_by_one():
    rng = np.random.default_rng(0)
    A, B = rng.random((5, 3)), rng.random((5, 3))
    sizes_a, sizes_b = np.arange(5), np.arange(5)[::-1]
    A[0], B[4] = np.nan, np.nan  # of size 0
    found = merge_cost(GeneralizedKL(), A, sizes_a, B, sizes_b)
    each = [
        float(merge_cost(GeneralizedKL(), a, i, b, j))
        for a, i, b, j in zip(A, sizes_a, B, sizes_b, strict=True)
    ]
    np.testing.assert_array_equal(found, each)
    assert found[0] == found[4] == 0
    against_one = merge_cost(GeneralizedKL(), A[1], 2, B[:4], sizes_b[:4])
    assert against_one[2] == merge_cost(GeneralizedKL(), A[1], 2, B[2], sizes_b[2])


def test_known_peers():
    rng = np.random.default_rng(0)
    X, Y = rng.random((5, 3)), rng.random((4, 3))
    np.testing.assert_allclose(SquaredEuclidean().between(X, Y), cdist(X, Y, "sqeuclidean"))
    expected = cdist(X, Y, "mahalanobis", VI=METRIC) ** 2
    np.testing.assert_allclose(Mahalanobis(METRIC).between(X, Y), expected)
    P, Q = X / X.sum(axis=1, keepdims=True), Y / Y.sum(axis=1, keepdims=True)
    expected = rel_entr(P[:, None], Q[None]).sum(axis=2)
    np.testing.assert_allclose(GeneralizedKL().between(P, Q), expected, atol=1e-14)


def test_by_hand():
    one, two = np.array([[1.0]]), np.array([[2.0]])
    assert GeneralizedKL().between(two, one)[0, 0] == pytest.approx(2 * np.log(2) - 1)
    assert ItakuraSaito().between(two, one)[0, 0] == pytest.approx(1 - np.log(2))
    assert merge_cost(SquaredEuclidean(), one[0], 3, two[0], 1) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("own", "known"),
    [(OWN_KL, GeneralizedKL()), (OWN_LOG, ItakuraSaito()), (OWN_SQUARE, SquaredEuclidean())],
)
def test_a_users_own_equals_the_known_one(own, known):
    rng = np.random.default_rng(0)
    X, Y = rng.gamma(1.0, size=(6, 4)), rng.gamma(1.0, size=(3, 4))
    np.testing.assert_allclose(own.between(X, Y), known.between(X, Y), rtol=1e-10)
    np.testing.assert_allclose(own.between(Y, X), known.between(Y, X), rtol=1e-10)
    assert cluster_cost(own, X) == pytest.approx(cluster_cost(known, X))


def test_a_users_own_needs_its_function_and_gradient():
    with pytest.raises(TypeError, match="gradient"):
        CustomDivergence(phi=np.sum)


def test_sums_and_multiples():
    rng = np.random.default_rng(0)
    X, Y = rng.random((5, 3)), rng.random((4, 3))
    kl, squared = GeneralizedKL(), SquaredEuclidean()
    combined = kl + 3 * (squared + 2 * kl)
    expected = 7 * kl.between(X, Y) + 3 * squared.between(X, Y)
    np.testing.assert_allclose(combined.between(X, Y), expected)
    assert isinstance(combined, SumOfDivergences)
    assert len(combined.terms) == 3
    np.testing.assert_allclose(
        SumOfDivergences([kl, squared]).between(X, Y), (kl + squared).between(X, Y)
    )


@pytest.mark.parametrize("weights", [(1.0,), (1.0, 0.0), (1.0, -2.0), (1.0, np.nan)])
def test_weights_of_a_sum_are_checked(weights):
    broken = SumOfDivergences([GeneralizedKL(), SquaredEuclidean()], weights)
    with pytest.raises(ValueError, match="weight"):
        broken.phi(np.ones((1, 2)))


def test_zeros_are_taken_where_the_mathematics_takes_them():
    X, Y = np.array([[0.0, 1.0]]), np.array([[0.0, 0.5], [0.5, 0.5], [1.0, 0.0]])
    for divergence in (GeneralizedKL(), 1.0 * GeneralizedKL()):
        divergence.check(X)
        gaps = divergence.between(X, Y)[0]
        np.testing.assert_allclose(gaps, [np.log(2) - 0.5, np.log(2), np.inf])
    assert cluster_cost(GeneralizedKL(), np.array([[0.0, 1.0], [1.0, 0.0]])) == pytest.approx(
        2 * np.log(2)
    )
    corners = np.array([[0.0], [1.0]])
    BinaryRelativeEntropy().check(corners)
    assert cluster_cost(BinaryRelativeEntropy(), corners) == pytest.approx(2 * np.log(2))
    assert BinaryRelativeEntropy().between(corners, corners)[0, 1] == np.inf
    own = CustomDivergence(
        phi=GeneralizedKL().phi, gradient=GeneralizedKL().gradient, domain=lambda X: X >= 0
    )
    np.testing.assert_allclose(own.between(X, Y), GeneralizedKL().between(X, Y))


@pytest.mark.parametrize(
    ("divergence", "value", "remedy"),
    [
        (GeneralizedKL(), -0.5, "counts or probabilities"),
        (ItakuraSaito(), 0.0, "smooth"),
        (BinaryRelativeEntropy(), 1.5, "scale"),
        (OWN_LOG, 0.0, "smooth"),
        (SquaredEuclidean() + ItakuraSaito(), 0.0, "smooth"),
    ],
)
def test_outside_the_domain_is_said_with_place_and_remedy(divergence, value, remedy):
    X = np.full((4, 3), 0.5)
    X[1] = np.nan  # unobserved
    divergence.check(X, view="spectra")
    X[2, 1] = value
    with pytest.raises(ValueError, match=rf"'spectra'.*row 2, column 1.*{remedy}"):
        divergence.check(X, view="spectra")


def test_a_domain_may_be_of_whole_rows():
    simplex = CustomDivergence(
        phi=GeneralizedKL().phi,
        gradient=GeneralizedKL().gradient,
        domain=lambda X: np.isclose(X.sum(axis=1), 1),
    )
    simplex.check(np.array([[0.5, 0.5]]))
    with pytest.raises(ValueError, match="row 1; smooth"):
        simplex.check(np.array([[0.5, 0.5], [0.5, 0.6]]))


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"phi": len}, r"phi of CustomDivergence gives int64 of shape \(\); .* of shape \(1,\)"),
        ({"gradient": lambda X: X.sum(axis=1)}, "gradient of CustomDivergence gives float64"),
        ({"gradient": lambda X: "steep"}, "gradient of CustomDivergence gives <U5"),
        ({"domain": lambda X: False}, r"domain .* of shape \(4,\) or \(4, 2\)"),
    ],
)
def test_functions_of_another_shape_are_refused(functions, message):
    given = {"phi": SquaredEuclidean().phi, "gradient": SquaredEuclidean().gradient, **functions}
    with pytest.raises(ValueError, match=message):
        CustomDivergence(**given).check(np.ones((4, 2)))


def test_mahalanobis_learns_the_inverse_covariance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3))
    with pytest.raises(ValueError, match="fitted"):
        Mahalanobis().phi(X)
    learnt = Mahalanobis().fitted(X)
    np.testing.assert_allclose(learnt.precision, np.linalg.inv(np.cov(X.T)))
    given = Mahalanobis(METRIC)
    assert given.fitted(X) is given
    summed = (Mahalanobis() + SquaredEuclidean()).fitted(X)
    expected = learnt.between(X, X[:2]) + SquaredEuclidean().between(X, X[:2])
    np.testing.assert_allclose(summed.between(X, X[:2]), expected)


def test_mahalanobis_lives_with_constant_directions():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=20), np.ones(20)])
    learnt = Mahalanobis().fitted(X)
    expected = (X[:, :1] - X[:3, 0]) ** 2 / X[:, 0].var(ddof=1)
    np.testing.assert_allclose(learnt.between(X, X[:3]), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("precision", "message"),
    [
        (np.eye(2), "shape"),
        (np.full((3, 3), "a"), "no finite numbers"),
        (np.full((3, 3), np.nan), "no finite numbers"),
        (np.triu(np.ones((3, 3))), "symmetric"),
        (np.diag([1.0, -1.0, 1.0]), "negative eigenvalue"),
    ],
)
def test_a_precision_that_does_not_fit_is_refused(precision, message):
    with pytest.raises(ValueError, match=message):
        Mahalanobis(precision).check(np.ones((2, 3)), view="size")


def test_parameters_are_read_and_set_as_of_any_options():
    metric = Mahalanobis().set_params(precision=METRIC)
    assert metric.get_params() == {"precision": METRIC}
    assert GeneralizedKL() == GeneralizedKL()
    assert repr(ItakuraSaito()) == "ItakuraSaito()"


def test_no_rows_have_no_divergences():
    assert SquaredEuclidean().between(np.empty((0, 2)), np.ones((3, 2))).shape == (0, 3)
    assert SquaredEuclidean().between(np.ones((3, 2)), np.empty((0, 2))).shape == (3, 0)
    assert cluster_cost(SquaredEuclidean(), np.empty((0, 2))) == 0
