"""The graph regulariser, the deformed kernel and the solvers, against plain linear algebra."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

from manyviews import Views
from manyviews.maths import conjugate_gradients
from manyviews.semi_supervised.laplacian import (
    Penalty,
    deformed_dual,
    deformed_iterative,
    deformed_primal,
    fit_graphs,
    iterative_ridge,
    laplacian,
    penalty_among,
    ridge_coefficients,
    roughness,
    svm_coefficients,
)
from manyviews.similarity import RBF, KNNGraph

quick = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 10_000)
ratios = st.sampled_from([0.01, 1.0, 100.0])


def random_graph(rng, n, density=0.4):
    half = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return half + half.T


def random_penalty(rng, n, ratio=1.0):
    graph = random_graph(rng, n)
    return Penalty((laplacian(graph, normalized=False),), ratio=ratio)


def matrix_of(operator, n):
    return operator @ np.eye(n)


def test_laplacian_measures_differences_over_edges():
    rng = np.random.default_rng(0)
    W, g = random_graph(rng, 6), rng.standard_normal(6)
    pairs = sum(W[i, j] * (g[i] - g[j]) ** 2 for i in range(6) for j in range(i))
    assert g @ laplacian(W, normalized=False) @ g == pytest.approx(pairs)
    degrees = W.sum(axis=1)
    scaled = g / np.sqrt(degrees)
    pairs = sum(W[i, j] * (scaled[i] - scaled[j]) ** 2 for i in range(6) for j in range(i))
    assert g @ laplacian(W, normalized=True) @ g == pytest.approx(pairs)


@pytest.mark.parametrize("normalized", [False, True])
def test_sparse_laplacian_is_the_dense_one_and_ignores_self_loops(normalized):
    rng = np.random.default_rng(1)
    W = random_graph(rng, 7)
    W[3], W[:, 3] = 0.0, 0.0
    plain = laplacian(W, normalized=normalized)
    looped = laplacian(sparse.csr_array(W + 5 * np.eye(7)), normalized=normalized)
    np.testing.assert_allclose(looped.toarray(), plain, atol=1e-12)
    assert not plain[3].any(), "an object without edges is not punished"


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("power", [1, 2, 3])
def test_regulariser_is_the_weighted_sum_of_powers(normalized, power):
    rng = np.random.default_rng(2)
    a, b = random_graph(rng, 8), random_graph(rng, 8)
    graphs = {"a": a, "b": sparse.csr_array(b)}
    shares = {"a": 0.25, "b": 0.75}
    found = penalty_among(graphs, shares, np.arange(8), normalized=normalized, power=power)
    expected = sum(
        weight * np.linalg.matrix_power(laplacian(W, normalized=normalized), power)
        for weight, W in ((0.25, a), (0.75, b))
    )
    np.testing.assert_allclose(matrix_of(found, 8), expected, atol=1e-12)
    if power == 1:
        np.testing.assert_allclose(found.diagonal(), np.diag(expected))


def test_among_some_objects_only_edges_between_them_count():
    rng = np.random.default_rng(3)
    W, some = random_graph(rng, 9), np.array([0, 2, 3, 7])
    found = penalty_among({"a": sparse.csr_array(W)}, {"a": 1.0}, some)
    np.testing.assert_allclose(
        matrix_of(found, 4), laplacian(W[np.ix_(some, some)], normalized=False)
    )


def test_graphs_have_no_edges_at_hidden_objects_and_none_without_weight():
    rng = np.random.default_rng(4)
    seen = np.array([True] * 9 + [False] * 3)
    views = Views({"a": rng.random((12, 2)), "b": rng.random((12, 2))}, observed={"a": seen})
    graphs = fit_graphs(views, KNNGraph(3), {"a": 1.0, "b": 0.0})
    assert list(graphs) == ["a"]
    assert graphs["a"].shape == (12, 12)
    assert not graphs["a"][9:].nnz
    np.testing.assert_array_equal(
        graphs["a"][:9, :9].toarray(), KNNGraph(3).gram(views["a"][:9]).toarray()
    )


@quick
@given(seed=seeds, ratio=ratios)
def test_deformed_kernel_is_positive_and_inverts_the_new_norm(seed, ratio):
    rng = np.random.default_rng(seed)
    gram = RBF(gamma=0.5).gram(rng.standard_normal((9, 3)))
    penalty = random_penalty(rng, 9, ratio)
    found = deformed_dual(gram, penalty, np.arange(9)).gram
    assert np.linalg.eigvalsh(found).min() > -1e-9
    expected = np.linalg.inv(np.linalg.inv(gram) + matrix_of(penalty, 9))
    np.testing.assert_allclose(found, expected, atol=1e-6)


@quick
@given(seed=seeds, ratio=ratios)
def test_deformed_kernel_is_the_formula_of_the_paper(seed, ratio):
    rng = np.random.default_rng(seed)
    X, new = rng.standard_normal((10, 3)), rng.standard_normal((4, 3))
    kernel, labelled = RBF(gamma=0.3), np.array([1, 4, 8])
    G, k, penalty = kernel.gram(X), kernel.cross(new, X), random_penalty(rng, 10, ratio)
    M = matrix_of(penalty, 10)
    inner = np.linalg.solve(np.eye(10) + M @ G, M @ G[:, labelled])
    found = deformed_dual(G, penalty, labelled)
    np.testing.assert_allclose(k @ found.columns, k[:, labelled] - k @ inner, atol=1e-8)


@quick
@given(seed=seeds, ratio=ratios, width=st.integers(1, 12), as_sparse=st.booleans())
def test_primal_and_iterative_equal_dual(seed, ratio, width, as_sparse):
    rng = np.random.default_rng(seed)
    X, new = rng.standard_normal((9, width)), rng.standard_normal((3, width))
    penalty, labelled = random_penalty(rng, 9, ratio), np.array([0, 5, 6, 7])
    dual = deformed_dual(X @ X.T, penalty, labelled)
    features = sparse.csr_array(X) if as_sparse else X
    primal = deformed_primal(features, penalty, labelled)
    steps = deformed_iterative(features, penalty, labelled, tol=1e-12, max_iter=500)
    for found in (primal, steps):
        np.testing.assert_allclose(found.gram, dual.gram, atol=1e-6)
        np.testing.assert_allclose(new @ found.columns, new @ X.T @ dual.columns, atol=1e-6)


def test_without_a_penalty_the_kernel_stays():
    X, labelled = np.random.default_rng(5).standard_normal((6, 2)), np.array([0, 3])
    G = X @ X.T
    for found in (
        deformed_dual(G, None, labelled),
        deformed_primal(X, None, labelled),
        deformed_iterative(X, None, labelled, tol=1e-9, max_iter=5),
    ):
        np.testing.assert_allclose(found.gram, G[np.ix_(labelled, labelled)])


def test_roughness_of_many_features_is_made_in_parts():
    rng = np.random.default_rng(6)
    X, penalty = rng.standard_normal((20, 600)), random_penalty(rng, 20, 2.0)
    expected = X.T @ matrix_of(penalty, 20) @ X
    np.testing.assert_allclose(roughness(X, penalty), expected, atol=1e-9)
    np.testing.assert_allclose(roughness(sparse.csr_array(X), penalty), expected, atol=1e-9)


@quick
@given(seed=seeds, ratio=ratios, with_penalty=st.booleans())
def test_iterative_ridge_is_the_least_of_its_objective(seed, ratio, with_penalty):
    rng = np.random.default_rng(seed)
    X, labelled = rng.standard_normal((12, 5)), np.array([0, 1, 2, 7])
    penalty = random_penalty(rng, 12, ratio) if with_penalty else None
    targets = rng.standard_normal((4, 3))
    found = iterative_ridge(
        sparse.csr_array(X), penalty, labelled, targets, 0.3, tol=1e-12, max_iter=500
    )
    M = matrix_of(penalty, 12) if with_penalty else np.zeros((12, 12))
    hessian = X[labelled].T @ X[labelled] + 0.3 * (np.eye(5) + X.T @ M @ X)
    np.testing.assert_allclose(
        found.solution, np.linalg.solve(hessian, X[labelled].T @ targets), atol=1e-8
    )


def test_ridge_without_constant_is_kernel_ridge():
    rng = np.random.default_rng(7)
    X, Y = rng.standard_normal((9, 4)), rng.standard_normal((9, 3))
    a, b = ridge_coefficients(X @ X.T, Y, 0.7, fit_intercept=False)
    expected = KernelRidge(alpha=0.7).fit(X, Y)
    np.testing.assert_allclose(a, expected.dual_coef_, atol=1e-10)
    assert not b.any()


def test_ridge_with_constant_is_scikit_learns():
    rng = np.random.default_rng(8)
    X, Y = rng.standard_normal((9, 4)) + 3, rng.standard_normal((9, 3))
    a, b = ridge_coefficients(X @ X.T, Y, 0.7, fit_intercept=True)
    expected = Ridge(alpha=0.7).fit(X, Y)
    np.testing.assert_allclose(X.T @ a, expected.coef_.T, atol=1e-10)
    np.testing.assert_allclose(b, expected.intercept_, atol=1e-10)


def test_the_cost_of_an_error_follows_from_the_objective():
    """SVC's C is 1 / (2 l γ_A): the objective itself is least there."""
    rng = np.random.default_rng(9)
    X, y, gamma = rng.standard_normal((8, 2)), np.array([1.0, -1] * 4), 0.05
    a, b = svm_coefficients(X @ X.T, y, 1 / (2 * 8 * gamma))

    def objective(unknown):
        errors = np.maximum(0, 1 - y * (X @ unknown[:2] + unknown[2]))
        return errors.mean() + gamma * unknown[:2] @ unknown[:2]

    ours = np.append(X.T @ a, b)
    start = objective(ours)
    for seed in range(5):
        guess = ours + np.random.default_rng(seed).standard_normal(3)
        least = minimize(objective, guess, method="Nelder-Mead", options={"maxiter": 4000})
        assert start <= least.fun + 1e-6


def test_one_sided_labels_need_no_machine():
    a, b = svm_coefficients(np.eye(3), -np.ones(3), 1.0)
    assert not a.any()
    assert b == -1.0


def test_machine_is_scikit_learns():
    rng = np.random.default_rng(10)
    X, y = rng.standard_normal((20, 3)), np.where(rng.random(20) < 0.4, 1.0, -1.0)
    a, b = svm_coefficients(X @ X.T, y, 2.0, class_weight="balanced")
    expected = SVC(C=2.0, kernel="linear", class_weight="balanced", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(X @ X.T @ a + b, expected.decision_function(X), atol=1e-4)


def test_columns_of_zeros_and_early_columns_are_solved():
    A = np.diag([1.0, 10.0, 100.0])
    targets = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    found = conjugate_gradients(lambda v: A @ v, targets, np.ones(3), tol=1e-12, max_iter=10)
    np.testing.assert_allclose(found.solution, np.linalg.solve(A, targets), atol=1e-10)
    assert found.n_iter == 3
    short = conjugate_gradients(lambda v: A @ v, targets, np.ones(3), tol=1e-12, max_iter=2)
    assert short.residual > 1e-6
    left = np.linalg.norm(A @ short.solution[:, 2] - 1) / np.sqrt(3)
    assert short.residual == pytest.approx(left)
