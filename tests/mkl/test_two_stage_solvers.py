"""The K-classifier: the exact solver against SciPy and its own proof, the stochastic beside it."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from manyviews.data import Views
from manyviews.datasets import load_matrix
from manyviews.mkl import KernelLibrary, interior_point, k_examples, kumar2013_kernels, stochastic
from manyviews.mkl.interior_point import Exact, dual_objective, solve_interior_point
from manyviews.mkl.k_examples import KExamples, hinge_losses, objective
from manyviews.mkl.stochastic import Metric, Stochastic
from manyviews.mkl.two_stage import GRID, NO_LINKS, choose_regularization, draw_pairs

DATA = {
    "iris": load_iris,
    "wine": load_wine,
    "cancer": load_breast_cancer,
    "digits": load_digits,
}
UCI = ("sonar", "ionosphere", "pima", "vertebral3")
needs_data = pytest.mark.skipif(not os.environ.get("MANYVIEWS_DATA"), reason="data not at hand")
LAMBDAS = [1.0, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, GRID[-1]]


def paper_examples(name, n_pairs=10_000):
    """K-examples of Kumar's thirteen kernels on real data."""
    if name in UCI:
        views, y = load_matrix(name)
        X, y = np.asarray(views["X"], dtype=float), np.unique(y, return_inverse=True)[1]
    else:
        X, y = DATA[name](return_X_y=True)
    library = KernelLibrary(kumar2013_kernels())
    kernels = library.fitted(Views(StandardScaler().fit_transform(X)))
    pairs = draw_pairs(y, NO_LINKS, n_pairs, np.random.default_rng(0))
    return KExamples(kernels.pairs(pairs.left, pairs.right), pairs.signs)


def assert_solvers_agree(examples, regularization):
    exact = Exact().solve(examples, regularization)
    stochastic = Stochastic().solve(examples, regularization)
    assert exact.gap <= 1e-6
    assert -1e-6 <= stochastic.objective - exact.objective <= 1e-3


def drawn(seed, n_pairs, n_terms):
    """K-examples whose first terms tell the pairs apart, more or less."""
    rng = np.random.default_rng(seed)
    signs = np.tile([1, -1], n_pairs // 2)
    values = rng.standard_normal((len(signs), n_terms)) + np.outer(
        signs, np.linspace(1.0, -0.5, n_terms)
    )
    return KExamples(values, signs)


def by_scipy(signed, regularization):
    """Eq. (5.2) with one slack for each pair, as a general programme."""
    n_pairs, n_terms = signed.shape

    def cost(x):
        return regularization / 2 * x[:n_terms] @ x[:n_terms] + x[n_terms:].mean()

    def slope(x):
        return np.concatenate([regularization * x[:n_terms], np.full(n_pairs, 1 / n_pairs)])

    margin = np.hstack([signed, np.eye(n_pairs)])
    found = minimize(
        cost,
        np.concatenate([np.zeros(n_terms), np.ones(n_pairs)]),
        jac=slope,
        method="SLSQP",
        bounds=[(0, None)] * (n_terms + n_pairs),
        constraints={"type": "ineq", "fun": lambda x: margin @ x - 1, "jac": lambda _: margin},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return found.x[:n_terms], found.fun


@pytest.mark.parametrize("regularization", [10.0, 0.1, 1e-3])
@pytest.mark.parametrize("n_terms", [1, 4])
def test_exact_is_what_a_general_solver_finds(regularization, n_terms):
    signed = drawn(1, 30, n_terms).signed
    weights, cost = by_scipy(signed, regularization)
    found = solve_interior_point(signed, regularization, tol=1e-9)
    assert found.objective == pytest.approx(cost, abs=1e-7)
    assert found.weights == pytest.approx(weights, abs=1e-3)


def test_two_pairs_by_hand():
    # Both hinges meet at μ = (1, 0); the second term only hurts.
    found = solve_interior_point(np.array([[1.0, 0.0], [1.0, -2.0]]), 0.5)
    assert found.weights == pytest.approx([1.0, 0.0], abs=1e-5)
    # Strong regularisation: both pairs inside the margin, μ = mean / λ.
    found = solve_interior_point(np.array([[1.0, 0.0], [1.0, -2.0]]), 4.0, tol=1e-12)
    assert found.weights == pytest.approx([0.25, 0.0], abs=1e-6)


@given(
    seed=st.integers(0, 1000),
    size=st.tuples(st.integers(1, 40), st.integers(1, 60)),
    power=st.floats(-8, 2),
)
@settings(deadline=None, max_examples=30)
def test_the_gap_is_a_proof(seed, size, power):
    examples, regularization = drawn(seed, 2 * size[0], size[1]), 10.0**power
    found = solve_interior_point(examples.signed, regularization)
    assert found.gap <= 1e-6
    assert (found.weights >= 0).all()
    assert found.objective == pytest.approx(objective(examples, found.weights, regularization))
    rng = np.random.default_rng(seed)
    for scale in (0.0, 0.01, 1.0):
        moved = np.maximum(found.weights + scale * rng.standard_normal(size[1]), 0)
        assert objective(examples, moved, regularization) >= found.objective - 1e-6


@given(seed=st.integers(0, 1000), power=st.floats(-8, 2))
@settings(deadline=None, max_examples=30)
def test_no_multipliers_promise_more_than_weights_can_do(seed, power):
    rng, regularization = np.random.default_rng(seed), 10.0**power
    signed = drawn(seed, 30, 4).signed
    best = solve_interior_point(signed, regularization).objective
    for drawn_multipliers in (rng.random(30), np.round(rng.random(30)), np.ones(30)):
        assert dual_objective(signed, drawn_multipliers, regularization) <= best + 1e-12


@pytest.mark.parametrize("regularization", [1.0, 1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("kind", ["alike", "nothing", "far apart", "few pairs", "apart"])
def test_no_problem_is_too_awkward_to_be_certain(kind, regularization):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((200, 5))
    signed = {
        "alike": np.hstack([rows, rows, rows + 1e-9 * rng.standard_normal((200, 5))]),
        "nothing": np.zeros((20, 3)),
        "far apart": rows * 10.0 ** np.arange(-4, 6, 2),
        "few pairs": rng.standard_normal((5, 40)),
        "apart": np.abs(rows) + 1,
    }[kind]
    assert solve_interior_point(signed, regularization, tol=1e-10).gap <= 1e-10
    assert solve_interior_point(signed, regularization, tol=1e-30).gap <= 1e-10


def test_weights_that_are_not_needed_are_zero():
    signed = drawn(4, 3000, 30).signed
    found = solve_interior_point(signed, 1e-3)
    without = solve_interior_point(signed[:, found.weights > 0], 1e-3)
    assert 0 < np.count_nonzero(found.weights) < 30
    assert without.objective == pytest.approx(found.objective, abs=2e-6)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("regularization", LAMBDAS)
def test_both_solvers_agree_to_a_thousandth(name, regularization):
    assert_solvers_agree(paper_examples(name), regularization)


@needs_data
@pytest.mark.parametrize("name", UCI)
def test_both_solvers_agree_on_the_thesis_s_data(name):
    examples = paper_examples(name)
    for regularization in GRID:
        assert_solvers_agree(examples, regularization)


@pytest.mark.parametrize("n_terms", [1, 10, 60])
@pytest.mark.parametrize("regularization", LAMBDAS)
def test_both_solvers_agree_on_drawn_examples(n_terms, regularization):
    assert_solvers_agree(drawn(2, 4000, n_terms), regularization)


@pytest.mark.parametrize("regularization", LAMBDAS[:4])
def test_both_solvers_agree_without_a_metric(regularization, monkeypatch):
    monkeypatch.setattr(stochastic, "METRIC_TERMS", 0)
    examples, solver = paper_examples("iris"), Stochastic(n_rounds=0)
    exact = Exact().solve(examples, regularization)
    assert -1e-6 <= solver.solve(examples, regularization).objective - exact.objective <= 1e-3


@pytest.mark.parametrize(
    ("name", "degree"), [*((name, 2) for name in DATA), ("wine", 3), ("digits", 3)]
)
def test_both_solvers_agree_on_products(name, degree):
    linear = paper_examples(name, 4000)
    examples = KExamples(linear.values, linear.signs, degree)
    for regularization in (1e-2, 1e-5, GRID[-1]):
        assert_solvers_agree(examples, regularization)


@pytest.mark.parametrize("n_terms", [70, 150])
def test_rounds_only_ever_help(n_terms):
    examples = drawn(6, 2000, n_terms)
    for regularization in (1e-3, GRID[-1]):
        plain = Stochastic(n_rounds=0).solve(examples, regularization).objective
        assert Stochastic().solve(examples, regularization).objective < plain


def test_a_round_that_goes_astray_is_not_taken(monkeypatch):
    examples = drawn(6, 2000, 150)
    plain = Stochastic(n_rounds=0).solve(examples, 1e-3)
    monkeypatch.setattr(stochastic, "metric_descent", lambda *args: args[4] + 1.0)
    assert (Stochastic().solve(examples, 1e-3).weights == plain.weights).all()


def test_rounds_take_terms_of_blocks(monkeypatch):
    examples = drawn(6, 1000, 15)
    examples = KExamples(examples.values, examples.signs, 2)
    whole = Stochastic(1000).solve(examples, 1e-3).weights
    monkeypatch.setattr(k_examples, "KEPT_VALUES", 10)
    monkeypatch.setattr(k_examples, "BLOCK_VALUES", 100 * examples.n_terms)
    assert not examples.fits
    assert Stochastic(1000).solve(examples, 1e-3).weights == pytest.approx(whole)


def test_a_start_is_gone_on_from():
    examples, found = paper_examples("digits"), None
    for regularization in GRID:
        found = Stochastic().coarse().solve(examples, regularization, found)
        exact = Exact().solve(examples, regularization)
        assert found.objective - exact.objective <= 1e-3


@given(seed=st.integers(0, 1000), n_terms=st.integers(1, 12), rate=st.floats(0.01, 1.0))
@settings(deadline=None, max_examples=30)
def test_a_step_in_a_metric_ends_at_the_least_of_its_model(seed, n_terms, rate):
    rng = np.random.default_rng(seed)
    rows, slope = rng.standard_normal((20, n_terms)), rng.standard_normal(n_terms)
    metric = Metric.of(rows.T @ rows, 0.1)
    weights = np.maximum(rng.standard_normal(n_terms), 0)
    found = metric.step(weights, slope, rate)
    gradient = slope + metric.root @ metric.root.T @ (found - weights) / rate
    size = np.abs(slope).max() + np.abs(metric.moment).max() / rate
    assert (found >= 0).all()
    assert (gradient >= -1e-9 * size).all()  # Karush, Kuhn and Tucker
    assert gradient @ found == pytest.approx(0.0, abs=1e-9 * size * (1 + found.sum()))


def test_an_example_far_out_does_not_upset_the_metric():
    examples = drawn(3, 20_000, 8)
    examples.values[17] *= 3000.0
    assert_solvers_agree(examples, 1e-7)


def test_steps_stay_where_they_may():
    examples = drawn(3, 200, 6)
    weights = Stochastic(50, 7).solve(examples, 4.0).weights
    assert (weights >= 0).all()
    assert np.linalg.norm(weights) <= 0.5


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_blocks_are_the_whole(degree, monkeypatch):
    examples = drawn(5, 120, 4)
    examples = KExamples(examples.values, examples.signs, degree)
    solver = Stochastic(60, 10)
    whole = solver.solve(examples, 0.1).weights
    loss = hinge_losses(examples, whole)
    assert examples.fits
    monkeypatch.setattr(k_examples, "KEPT_VALUES", 10)
    monkeypatch.setattr(k_examples, "BLOCK_VALUES", 20 * examples.n_terms)
    assert not examples.fits
    assert solver.solve(examples, 0.1).weights == pytest.approx(whole)
    assert hinge_losses(examples, whole) == pytest.approx(loss)


def test_the_exact_solver_refuses_what_it_cannot_keep(monkeypatch):
    monkeypatch.setattr(k_examples, "KEPT_VALUES", 10)
    with pytest.raises(ValueError, match="too many for solver='exact'"):
        Exact().solve(drawn(0, 20, 3), 1.0)


def test_a_gap_that_stays_is_told(monkeypatch):
    monkeypatch.setattr(interior_point, "MAX_ITER", 1)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        Exact(1e-9).solve(drawn(0, 50, 3), 1e-3)


@pytest.mark.parametrize("solver", [Exact(), Stochastic(500)])
@pytest.mark.parametrize("n_terms", [3, 70, 150])
def test_terms_that_say_nothing_get_nothing(solver, n_terms):
    examples = KExamples(np.zeros((20, n_terms)), np.tile([1, -1], 10))
    assert not solver.solve(examples, 0.1).weights.any()
    chosen = choose_regularization(examples, solver, lambda _: None)
    assert chosen.regularization == 100.0  # all are ties: the strongest
    assert chosen.losses == pytest.approx(np.ones(17))


def test_the_grid_is_the_thesis_s():
    assert GRID[0] == 100
    assert GRID[:-1] / GRID[1:] == pytest.approx(np.full(16, 4.0))
    assert 1e-8 <= GRID[-1] < 4e-8


@pytest.mark.parametrize("solver", [Exact(), Stochastic()])
def test_the_chosen_regularization_is_the_largest_within_one_standard_error(solver):
    examples = paper_examples("iris", 2000)
    lines = []
    chosen = choose_regularization(examples, solver, lines.append)
    assert len(lines) == len(GRID)
    training, held_out = examples.take(slice(1600)), examples.take(slice(1600, None))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        losses = [
            hinge_losses(held_out, Exact().solve(training, one).weights).mean() for one in GRID
        ]
    assert chosen.losses == pytest.approx(losses, abs=5e-3)
    at = np.flatnonzero(chosen.regularization == GRID)[0]
    best = Exact().solve(training, float(GRID[np.argmin(losses)])).weights
    hinges = np.maximum(1.0 - held_out.signed @ best, 0.0)
    alike = hinges.std() / np.sqrt(len(hinges))
    assert losses[at] <= min(losses) + alike + 5e-3
    assert (chosen.losses[:at] > chosen.losses.min() + alike - 5e-3).all()
