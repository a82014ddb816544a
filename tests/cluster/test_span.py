"""Coordinates in the span of wide rows: the same distances in few columns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.cluster.hierarchy import ward
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist

from manyviews.cluster import BregmanWard
from manyviews.cluster.trees import bregman_ward
from manyviews.cluster.trees._shared import coordinates, is_wide
from manyviews.maths import GeneralizedKL, SquaredEuclidean


def wide_rows(seed, *, offset=0.0):
    rng = np.random.default_rng(seed)
    return offset + rng.random((30, 400)) * (rng.random((30, 400)) < 0.1)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_squared_distances_are_kept_in_as_many_columns_as_rows(form, offset):
    X = wide_rows(0, offset=offset)
    found = coordinates(form(X), np.ones(30, dtype=bool))
    assert found.shape[1] <= 30
    np.testing.assert_allclose(pdist(found), pdist(X), rtol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_equal_rows_have_equal_coordinates(form):
    X = wide_rows(1)
    X[[4, 11, 12]] = X[3]
    X[[20, 21]] = 0.0
    found = coordinates(form(X), np.ones(30, dtype=bool))
    for row in (4, 11, 12):
        assert np.array_equal(found[row], found[3])
    assert np.array_equal(found[20], found[21])
    assert len(np.unique(found, axis=0)) == 26


def test_rows_unseen_have_no_coordinates_and_take_no_part():
    X, seen = wide_rows(2), np.arange(30) % 3 > 0
    X[~seen] = np.nan
    found = coordinates(X, seen)
    assert np.isnan(found[~seen]).all()
    np.testing.assert_allclose(pdist(found[seen]), pdist(X[seen]), rtol=1e-9)


def test_rows_that_are_all_alike_are_in_one_place():
    assert coordinates(np.ones((3, 9)), np.ones(3, dtype=bool)).tolist() == [[0.0]] * 3


def test_only_squared_distances_of_more_columns_than_rows_are_kept_so():
    wide = np.ones((2, 3))
    assert is_wide(wide, SquaredEuclidean())
    assert not is_wide(wide.T, SquaredEuclidean())
    assert not is_wide(wide, GeneralizedKL())


def test_ward_of_wide_rows_is_scipys_and_never_sees_all_columns(monkeypatch):
    X = wide_rows(3)
    widths = []

    def watched(parts, *rest):
        widths.extend(part.matrix.shape[1] for part in parts)
        return agglomerate(parts, *rest)

    agglomerate = bregman_ward.agglomerate
    monkeypatch.setattr(bregman_ward, "agglomerate", watched)
    model = BregmanWard(SquaredEuclidean(), n_clusters=3, view_weights=None).fit(csr_array(X))
    assert max(widths) <= 30
    np.testing.assert_allclose(model.linkage_, ward(X), rtol=1e-9)
    for label, centre in enumerate(model.cluster_centers_["view0"]):
        np.testing.assert_allclose(centre, X[model.labels_ == label].mean(axis=0))
