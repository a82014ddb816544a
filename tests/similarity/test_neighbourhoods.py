"""NEMO's relative similarities against the paper's formula, and the graph by kind of view."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from manyviews.similarity import AutoGraph, KNNGraph, Neighbourhoods


def relative_similarities(X, k):
    """Rappoport and Shamir's formula, pair by pair."""
    n = len(X)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    near = [[j for j in np.argsort(squares[i]) if j != i][:k] for i in range(n)]
    mean = [np.mean([squares[i, r] for r in near[i]]) for i in range(n)]

    def similarity(i, j):
        variance = (mean[i] + mean[j] + squares[i, j]) / 3
        return np.exp(-squares[i, j] / (2 * variance)) / np.sqrt(2 * np.pi * variance)

    found = np.zeros((n, n))
    for i in range(n):
        for j in near[i]:
            share = similarity(i, j) / sum(similarity(i, r) for r in near[i])
            found[i, j] += share
            found[j, i] += share
    return found


def test_they_are_those_of_the_paper():
    X = np.random.default_rng(0).standard_normal((25, 3))
    found = Neighbourhoods(4).gram(X).toarray()
    np.testing.assert_allclose(found, relative_similarities(X, 4), atol=1e-12)


def test_units_are_without_effect():
    X = np.random.default_rng(0).standard_normal((25, 3))
    one, other = (Neighbourhoods(4).gram(scale * X).toarray() for scale in (1.0, 1e5))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_training_rows_come_back_and_new_rows_share_out_one():
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((25, 3)), rng.standard_normal((5, 3))
    fitted = Neighbourhoods(4).fitted(X)
    np.testing.assert_allclose(fitted.cross(X, X).toarray(), fitted.gram(X).toarray())
    cross = fitted.cross(new, X)
    np.testing.assert_allclose(cross.sum(axis=1), 1.0)
    assert (np.diff(cross.indptr) == 4).all()


def test_equal_rows_share_alike():
    found = Neighbourhoods(2).gram(np.ones((3, 1))).toarray()
    np.testing.assert_allclose(found, 1.0 - np.eye(3))


@pytest.mark.parametrize("similarity", [AutoGraph(4), Neighbourhoods(4)])
def test_mostly_zero_rows_are_compared_by_the_cosine_in_either_form(similarity):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 30)) < 0.2, rng.uniform(1, 9, size=(40, 30)), 0.0)
    by_cosine = (
        KNNGraph(4, metric="cosine")
        if isinstance(similarity, AutoGraph)
        else Neighbourhoods(4, metric="cosine")
    )
    expected = by_cosine.gram(X).toarray()
    np.testing.assert_allclose(similarity.gram(X).toarray(), expected)
    np.testing.assert_allclose(similarity.gram(sparse.csr_array(X)).toarray(), expected)
