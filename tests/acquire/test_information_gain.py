"""Nats of answers: against determinants of whole matrices, sampling, and laws."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit, softmax
from scipy.stats import multivariate_normal, norm

from manyviews.acquire.information_gain import (
    ExpectedView,
    MeasuredView,
    expected_view_gains,
    expected_view_increment,
    label_gains,
    label_increment,
    measured_view_gains,
    measured_view_increment,
    predicted,
    updated,
)
from manyviews.acquire.posterior import Posterior
from manyviews.acquire.view_mixture import (
    ViewMixture,
    conditional_means,
    divide,
    fit_view_mixture,
    graph_moments,
    label_moments,
    second_moments,
    shares,
)

WIDTHS = (3, 4, 2)
"""Weights of three views, their intercepts included."""
N_DRAWS = 4000


def random_posterior(n_blocks=1, widths=WIDTHS, seed=0):
    """Well-conditioned precisions of no structure."""
    rng = np.random.default_rng(seed)
    n_weights, ends = sum(widths), np.cumsum((0, *widths))
    factors = []
    for _ in range(n_blocks):
        wide = rng.standard_normal((n_weights, 2 * n_weights))
        factors.append(np.linalg.cholesky(wide @ wide.T / n_weights + 0.1 * np.eye(n_weights)))
    return Posterior(
        mean=rng.standard_normal((n_blocks, n_weights)),
        factors=tuple(factors),
        slices=tuple(slice(a, b) for a, b in pairwise(ends)),
        coupling=0.7,
        smoothness=np.linspace(0.2, 0.5, len(widths)),
        widths=np.linspace(1.0, 2.0, len(widths)),
        n_neighbors=4,
    )


def random_objects(n_objects=24, widths=WIDTHS, seed=1):
    """Coordinates with an intercept, zero where a view is unobserved; most views are shown."""
    rng = np.random.default_rng(seed)
    observed = rng.random((n_objects, len(widths))) < 0.7
    observed[:6] = True
    rows = []
    for width, seen in zip(widths, observed.T, strict=True):
        part = np.hstack([rng.standard_normal((n_objects, width - 1)), np.ones((n_objects, 1))])
        rows.append(np.where(seen[:, None], part, 0.0))
    return rows, observed


def precision(posterior, block=0):
    return posterior.factors[block] @ posterior.factors[block].T


def half_log_ratio(before, after):
    return 0.5 * (np.linalg.slogdet(after)[1] - np.linalg.slogdet(before)[1])


def embedded(posterior, view, row):
    """A row of one view among the weights of all views."""
    whole = np.zeros(posterior.mean.shape[1])
    whole[posterior.slices[view]] = row
    return whole


def joint_precision(posterior):
    """All blocks in one matrix."""
    size, n_blocks = posterior.mean.shape[1], len(posterior.factors)
    whole = np.zeros((n_blocks * size, n_blocks * size))
    for block in range(n_blocks):
        place = slice(block * size, (block + 1) * size)
        whole[place, place] = precision(posterior, block)
    return whole


def told(posterior, row):
    """What a label adds by one view, whose row stands among zeros: of all blocks together."""
    scores = posterior.mean @ row
    if len(scores) == 1:
        p = expit(scores[0])
        return p * (1 - p) * np.outer(row, row)
    p = softmax(scores)
    return np.kron(np.diag(p) - np.outer(p, p), np.outer(row, row))


# -- labels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_blocks", [1, 3, 4])
def test_a_label_gains_the_determinant_ratio_of_equation_15(n_blocks):
    posterior = random_posterior(n_blocks)
    rows, observed = random_objects()
    before = joint_precision(posterior)
    expected = []
    for i in range(len(observed)):
        after = before.copy()
        for view in np.flatnonzero(observed[i]):
            after += told(posterior, embedded(posterior, view, rows[view][i]))
        expected.append(half_log_ratio(before, after))
    assert_allclose(label_gains(posterior, rows), expected, rtol=1e-9, atol=1e-12)


def test_for_two_classes_the_increment_is_equation_15():
    posterior = random_posterior()
    rows, _ = random_objects()
    for i, gain in enumerate(label_gains(posterior, rows)):
        increment = label_increment(posterior, [part[i] for part in rows])[0]
        after = precision(posterior) + increment
        assert_allclose(half_log_ratio(precision(posterior), after), gain, rtol=1e-9)
        again = updated(posterior, increment[None])
        assert_allclose(precision(again), after, atol=1e-9)


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_two_classes_in_two_blocks_gain_as_much_as_in_one(seed):
    # independent weights of the same precision differ with half that precision
    one = random_posterior(seed=seed)
    two = replace(
        one,
        mean=np.vstack([np.zeros_like(one.mean), one.mean]),
        factors=tuple(np.sqrt(2) * factor for factor in one.factors * 2),
    )
    rows, _ = random_objects(seed=seed)
    assert_allclose(label_gains(two, rows), label_gains(one, rows), rtol=1e-9, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=25)
def test_no_label_loses_information_and_each_gains_less_the_more_is_known(seed, n_blocks):
    posterior = random_posterior(n_blocks, seed=seed)
    rows, observed = random_objects(seed=seed)
    gains = label_gains(posterior, rows)
    assert (gains[observed.any(axis=1)] > 0).all()
    assert (gains >= 0).all()
    increment = label_increment(posterior, [part[0] for part in rows])
    assert (label_gains(updated(posterior, increment), rows) <= gains + 1e-12).all()


def test_an_object_that_shows_nothing_tells_nothing():
    rows = [np.zeros((2, width)) for width in WIDTHS]
    assert_allclose(label_gains(random_posterior(3), rows), 0.0, atol=1e-15)


def test_gains_do_not_depend_on_how_many_are_found_at_a_time(monkeypatch):
    posterior = random_posterior(3)
    rows, _ = random_objects()
    whole = label_gains(posterior, rows)
    monkeypatch.setattr("manyviews.acquire.information_gain.CELLS", 30)
    assert_allclose(label_gains(posterior, rows), whole, rtol=1e-12)


# -- views, with the conditional mean in their place -----------------------------------------------

VIEW = 1


def measured(seed=1, n_neighbors=4):
    """The second view of objects that do not show it; neighbours are any rows."""
    rng = np.random.default_rng(seed)
    rows, observed = random_objects(seed=seed)
    asked = np.flatnonzero(~observed[:, VIEW])
    n, width = len(asked), WIDTHS[VIEW]
    means = np.hstack([rng.standard_normal((n, width - 1)), np.ones((n, 1))])
    shown = rows[VIEW][observed[:, VIEW]]
    nearest = np.argsort(rng.random((n, len(shown))), axis=1)[:, :n_neighbors]
    return MeasuredView(
        view=VIEW,
        means=means,
        rows=tuple(part[asked] for part in rows),
        observed=observed[asked],
        neighbours=shown,
        nearest=nearest,
        kernels=rng.random((n, nearest.shape[1])),
        labelled=np.arange(n) % 2 == 0,
    )


def after_measuring(posterior, view, i, before):
    """Equations (16) and (21) term by term, for a view whose row is known."""
    after, n_blocks = before.copy(), len(posterior.factors)
    row = embedded(posterior, view.view, view.means[i])
    for other in np.flatnonzero(view.observed[i]):
        apart = embedded(posterior, other, view.rows[other][i]) - row
        after += posterior.coupling * np.kron(np.eye(n_blocks), np.outer(apart, apart))
    for j, kernel in zip(view.nearest[i], view.kernels[i], strict=True):
        apart = row - embedded(posterior, view.view, view.neighbours[j])
        strength = posterior.smoothness[view.view] * kernel
        after += strength * np.kron(np.eye(n_blocks), np.outer(apart, apart))
    if view.labelled[i]:
        after += told(posterior, row)
    return after


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("n_neighbors", [0, 3, 9])
def test_a_view_gains_the_determinant_ratio_of_equations_16_and_21(n_blocks, n_neighbors):
    posterior, view = random_posterior(n_blocks), measured(n_neighbors=n_neighbors)
    before = joint_precision(posterior)
    expected = [
        half_log_ratio(before, after_measuring(posterior, view, i, before))
        for i in range(len(view.means))
    ]
    assert len(view.means) > 1  # of which every second one is labelled
    assert_allclose(measured_view_gains(posterior, view), expected, rtol=1e-9, atol=1e-12)


def test_the_increment_of_a_measured_view_is_equations_16_and_21():
    posterior, view = random_posterior(), measured()
    for i in range(len(view.means)):
        increment = measured_view_increment(posterior, view.take(slice(i, i + 1)))[0]
        after = after_measuring(posterior, view, i, precision(posterior))
        assert_allclose(precision(posterior) + increment, after, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 3))
@settings(max_examples=25)
def test_no_view_loses_information_and_each_gains_less_the_more_is_known(seed, n_blocks):
    posterior, view = random_posterior(n_blocks, seed=seed), measured(seed)
    if not len(view.means):
        return
    gains = measured_view_gains(posterior, view)
    assert (gains >= 0).all()
    more = updated(posterior, measured_view_increment(posterior, view.take(slice(0, 1))))
    assert (measured_view_gains(more, view) <= gains + 1e-12).all()


# -- the mixture -----------------------------------------------------------------------------------


def two_clouds(n_objects=120, seed=0, apart=6.0):
    """Two clouds seen in two views; the first tells the cloud, and so what the second shows."""
    rng = np.random.default_rng(seed)
    cloud = np.arange(n_objects) % 2
    rows = [
        rng.standard_normal((n_objects, 2)) + apart * cloud[:, None],
        rng.standard_normal((n_objects, 3)) - apart * cloud[:, None],
    ]
    return rows, cloud


def test_the_mixture_tells_one_view_from_the_other():
    rows, cloud = two_clouds()
    observed = np.ones((120, 2), dtype=bool)
    observed[100:, 1] = False
    mixture = fit_view_mixture(rows, observed)
    assert len(mixture.weights) == 2
    found = conditional_means(mixture, 1, shares(mixture, rows, observed))
    assert_allclose(found[100:], np.tile(-6.0 * cloud[100:, None], (1, 3)), atol=0.6)


def test_shares_are_those_of_bayes_over_the_views_shown():
    mixture = mixture_of_two()
    rows, observed = random_objects()
    rows = [part[:, :-1] for part in rows]
    observed[6] = False
    found = shares(mixture, rows, observed)
    for i in range(len(observed)):
        joint = mixture.weights.copy()
        for view in np.flatnonzero(observed[i]):
            means, covariances = mixture.mean(view), mixture.covariances(view)
            joint *= [
                multivariate_normal(mean, covariance).pdf(rows[view][i])
                for mean, covariance in zip(means, covariances, strict=True)
            ]
        assert_allclose(found[i], joint / joint.sum(), rtol=1e-9)
    assert_allclose(found[6], mixture.weights)


def test_the_order_of_the_objects_does_not_matter():
    rows, _ = two_clouds()
    observed = np.random.default_rng(3).random((120, 2)) < 0.8
    order = np.random.default_rng(4).permutation(120)
    one = fit_view_mixture(rows, observed)
    other = fit_view_mixture([part[order] for part in rows], observed[order])
    given_one, given_other = shares(one, rows, observed), shares(other, rows, observed)
    for view in range(2):
        assert_allclose(
            conditional_means(one, view, given_one),
            conditional_means(other, view, given_other),
            atol=1e-6,
        )


@pytest.mark.parametrize("n_objects", [0, 1, 2, 3])
def test_few_objects_are_enough_for_finite_answers(n_objects):
    rng = np.random.default_rng(0)
    rows = [rng.standard_normal((n_objects, 5)), np.zeros((n_objects, 2))]
    observed = np.ones((n_objects, 2), dtype=bool)
    observed[:, 1] = False
    mixture = fit_view_mixture(rows, observed)
    found = conditional_means(mixture, 1, shares(mixture, rows, observed))
    assert np.isfinite(found).all()
    assert np.isfinite(second_moments(mixture, 0)).all()


def test_equal_objects_are_not_divided():
    assert divide(np.ones((4, 2)), np.zeros(4, dtype=np.intp)) is None


# -- views, in expectation -------------------------------------------------------------------------


def mixture_of_two():
    """Two components whose covariances share their axes."""
    rng = np.random.default_rng(5)
    axes = tuple(np.linalg.qr(rng.standard_normal((w - 1, w - 1)))[0] for w in WIDTHS)
    means = tuple(rng.standard_normal((2, w - 1)) for w in WIDTHS)
    variances = tuple(rng.uniform(0.2, 1.5, size=(2, w - 1)) for w in WIDTHS)
    return ViewMixture(np.array([0.4, 0.6]), axes, means, variances)


def expected_view(posterior, seed=1):
    mixture, view = mixture_of_two(), measured(seed)
    given = shares(mixture, [part[:, :-1] for part in view.rows], view.observed)
    means = conditional_means(mixture, VIEW, given)
    found = ExpectedView(
        view=VIEW,
        shares=given,
        means=np.column_stack([means, np.ones(len(means))]),
        seconds=second_moments(mixture, VIEW),
        graphs=graph_moments(mixture, VIEW, view.neighbours[:, :-1], posterior.widths[VIEW]),
        labels=label_moments(mixture, VIEW, posterior.mean[:, posterior.slices[VIEW]]),
        rows=view.rows,
        observed=view.observed,
        labelled=view.labelled,
    )
    return mixture, view, found


def draws_of(mixture, component, rng, n_draws=N_DRAWS):
    """Rows of the view with their intercept."""
    deviations = rng.standard_normal((n_draws, WIDTHS[VIEW] - 1))
    turned = mixture.means[VIEW][component] + deviations * np.sqrt(
        mixture.variances[VIEW][component]
    )
    return np.column_stack([turned @ mixture.axes[VIEW].T, np.ones(n_draws)])


def within_errors(samples, expected):
    """Whether means over the first axis are within five of their errors."""
    mean, error = samples.mean(axis=0), samples.std(axis=0) / np.sqrt(len(samples))
    return bool((np.abs(mean - expected) <= 5 * error + 1e-9).all())


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_moments_of_a_component_are_those_of_its_draws(n_blocks):
    posterior = random_posterior(n_blocks)
    mixture, view, expected = expected_view(posterior)
    rng = np.random.default_rng(6)
    for component in range(2):
        draws = draws_of(mixture, component, rng)
        squares = draws[:, :, None] * draws[:, None, :]
        assert within_errors(squares, expected.seconds[component])  # M_2
        apart = draws[:, None] - view.neighbours
        kernels = np.exp(-(apart**2).sum(axis=2) / (2 * posterior.widths[VIEW] ** 2))
        graph = np.einsum("nj,nja,njb->nab", kernels, apart, apart)
        assert within_errors(graph, expected.graphs[component])  # Σ_j S_ij
        p = predicted(posterior, VIEW, draws)
        for block in range(n_blocks):
            weighted = (p * (1 - p))[:, block, None, None] * squares
            assert within_errors(weighted, expected.labels[component, block])  # M_6


def test_weights_that_are_zero_give_a_quarter_of_the_second_moment():
    mixture = mixture_of_two()
    found = label_moments(mixture, VIEW, np.zeros((1, WIDTHS[VIEW])))[:, 0]
    assert_allclose(found, second_moments(mixture, VIEW) / 4, rtol=1e-12)


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_the_papers_normal_density_is_near_and_ours_is_exact(size):
    # one feature: E[p (1 − p)] under a normal score, by quadrature on a grid fine enough for any
    mixture = ViewMixture(np.ones(1), (np.eye(1),), (np.array([[0.3]]),), (np.array([[1.0]]),))
    found = label_moments(mixture, 0, np.array([[size, 0.0]]))[0, 0]
    x = np.linspace(-9.7, 10.3, 2_000_001)
    mass = norm.pdf(x, 0.3) * expit(size * x) * expit(-size * x) * (x[1] - x[0])
    exact = np.array([[(mass * x**2).sum(), (mass * x).sum()], [(mass * x).sum(), mass.sum()]])
    assert_allclose(found, exact, rtol=1e-6, atol=1e-12)
    # Eq. (22): σ(z) σ(−z) ≈ N(z | 0, 8/π), whose value at 0 is 1/4 and whose integral is 1
    paper = norm.pdf(0.3 * size, scale=np.sqrt(8 / np.pi + size**2))
    assert_allclose(paper, exact[1, 1], rtol=0.03)
    assert_allclose(norm.pdf(0.0, scale=np.sqrt(8 / np.pi)), 0.25, rtol=1e-12)


def test_a_bound_is_the_determinant_of_the_expected_precision():
    posterior = random_posterior()
    _, _, expected = expected_view(posterior)
    before = precision(posterior)
    gains = expected_view_gains(posterior, expected)
    for i, gain in enumerate(gains):
        after = before + expected_view_increment(posterior, expected.take(slice(i, i + 1)))[0]
        assert_allclose(half_log_ratio(before, after), gain, rtol=1e-8)


@pytest.mark.parametrize("n_blocks", [1, 3])
def test_the_bound_is_not_below_the_expected_information(n_blocks):
    posterior = random_posterior(n_blocks)
    mixture, view, expected = expected_view(posterior)
    bounds = expected_view_gains(posterior, expected)
    before = joint_precision(posterior)
    rng = np.random.default_rng(7)
    everyone = np.arange(len(view.neighbours))
    for i in range(4):
        found = []
        for component in rng.choice(2, size=300, p=expected.shares[i]):
            row = draws_of(mixture, component, rng, 1)[0]
            apart = ((row - view.neighbours) ** 2).sum(axis=1)
            drawn = replace(
                view.take(slice(i, i + 1)),
                means=row[None],
                nearest=everyone[None],
                kernels=np.exp(-apart / (2 * posterior.widths[VIEW] ** 2))[None],
            )
            found.append(half_log_ratio(before, after_measuring(posterior, drawn, 0, before)))
        error = np.std(found) / np.sqrt(len(found))
        assert np.mean(found) <= bounds[i] + 4 * error
        assert np.mean(found) >= 0.5 * bounds[i]  # a bound that says something


def test_a_mixture_that_is_certain_is_the_conditional_mean():
    posterior = replace(random_posterior(), smoothness=np.zeros(3))
    mixture, view, _ = expected_view(posterior)
    sure = replace(mixture, variances=tuple(1e-12 * each for each in mixture.variances))
    given = np.tile([1.0, 0.0], (len(view.means), 1))
    means = np.column_stack([conditional_means(sure, VIEW, given), np.ones(len(given))])
    expected = ExpectedView(
        view=VIEW,
        shares=given,
        means=means,
        seconds=second_moments(sure, VIEW),
        graphs=np.zeros((2, WIDTHS[VIEW], WIDTHS[VIEW])),
        labels=label_moments(sure, VIEW, posterior.mean[:, posterior.slices[VIEW]]),
        rows=view.rows,
        observed=view.observed,
        labelled=view.labelled,
    )
    surrogate = measured_view_gains(posterior, replace(view, means=means))
    assert_allclose(expected_view_gains(posterior, expected), surrogate, rtol=1e-6)
