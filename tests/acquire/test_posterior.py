"""The Gaussian posterior: entropy and whitened rows against plain linear algebra."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from manyviews.acquire.posterior import Posterior


@st.composite
def posteriors(draw: Any) -> tuple[Posterior, list[Any]]:
    """A posterior of one to three views and blocks, and its precisions."""
    widths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    n_blocks = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    ends = np.cumsum([0, *widths])
    precisions = []
    for _ in range(n_blocks):
        root = rng.standard_normal((ends[-1], ends[-1] + 2))
        precisions.append(root @ root.T + np.eye(ends[-1]))
    posterior = Posterior(
        mean=rng.standard_normal((n_blocks, ends[-1])),
        factors=tuple(np.linalg.cholesky(each) for each in precisions),
        slices=tuple(slice(int(low), int(high)) for low, high in pairwise(ends)),
        coupling=1.0,
        smoothness=np.ones(len(widths)),
        widths=np.ones(len(widths)),
        n_neighbors=None,
    )
    return posterior, precisions


@given(posteriors())
def test_the_entropy_is_that_of_independent_gaussians(given: Any) -> None:
    posterior, precisions = given
    expected = sum(multivariate_normal(cov=np.linalg.inv(each)).entropy() for each in precisions)
    np.testing.assert_allclose(posterior.entropy(), expected, rtol=1e-9, atol=1e-9)


@given(posteriors())
def test_products_of_whitened_rows_are_covariances(given: Any) -> None:
    posterior, precisions = given
    rng = np.random.default_rng(0)
    for block, precision in enumerate(precisions):
        padded, white = [], []
        for view, place in enumerate(posterior.slices):
            rows = rng.standard_normal((3, place.stop - place.start))
            full = np.zeros((3, len(precision)))
            full[:, place] = rows
            padded.append(full)
            white.append(posterior.whitened(block, view, rows))
        rows, found = np.vstack(padded), np.hstack(white)
        expected = rows @ np.linalg.solve(precision, rows.T)
        np.testing.assert_allclose(found.T @ found, expected, rtol=1e-8, atol=1e-10)


def test_no_rows_give_no_columns() -> None:
    posterior = Posterior(
        np.zeros((1, 2)), (np.eye(2),), (slice(0, 2),), 0.0, np.zeros(1), np.ones(1), None
    )
    assert posterior.whitened(0, 0, np.zeros((0, 2))).shape == (2, 0)
