from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from manyviews.data import Views
from manyviews.datasets import split_features
from manyviews.exceptions import NumberOfViewsError


@given(st.integers(1, 12), st.data(), st.integers(0, 1000))
@settings(deadline=None, max_examples=50)
def test_every_feature_goes_to_one_view_in_its_old_order(n_features, data, seed):
    n_views = data.draw(st.integers(1, n_features))
    matrix = np.vstack([np.arange(n_features), -np.arange(n_features)]).astype(float)
    views = split_features(matrix, n_views, random_state=seed)
    dealt = [views[name][0].astype(int) for name in views.names]
    assert views.names == tuple(f"view{i}" for i in range(n_views))
    assert sorted(np.concatenate(dealt)) == list(range(n_features))
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1
    for name, columns in zip(views.names, dealt, strict=True):
        assert (np.diff(columns) > 0).all()
        assert_array_equal(views[name], matrix[:, columns])
        assert list(views.feature_names[name]) == [f"x{column}" for column in columns]


def test_sparse_stays_sparse():
    matrix = sparse.random_array((6, 9), density=0.4, rng=0, format="csr")
    views = split_features(matrix, 3, random_state=0)
    for name in views.names:
        columns = [int(feature[1:]) for feature in views.feature_names[name]]
        assert sparse.issparse(views[name])
        assert_array_equal(views[name].toarray(), matrix.toarray()[:, columns])


def test_names_of_a_frame_are_kept():
    frame = pd.DataFrame(
        np.arange(8.0).reshape(2, 4), columns=["a", "b", "c", "d"], index=["ann", "bob"]
    )
    views = split_features(frame, 2, random_state=0)
    assert list(views.sample_ids) == ["ann", "bob"]
    for name in views.names:
        assert_array_equal(views[name], frame[list(views.feature_names[name])])


def test_one_view_with_gaps():
    whole = Views({"text": [[1.0, 2.0, 3.0], None]}, feature_names={"text": ["u", "v", "w"]})
    views = split_features(whole, 3, random_state=0)
    assert_array_equal(views.observed, [[True] * 3, [False] * 3])
    assert sorted(feature for names in views.feature_names.values() for feature in names) == [
        "u", "v", "w",
    ]  # fmt: skip


def test_the_seed_decides_and_the_input_stays():
    matrix = np.arange(40.0).reshape(2, 20)
    one = split_features(matrix, 2, random_state=0)
    assert one.equals(split_features(matrix, 2, random_state=0))
    assert not one.equals(split_features(matrix, 2, random_state=1))
    assert_array_equal(matrix, np.arange(40.0).reshape(2, 20))


def test_what_cannot_be_split_is_refused():
    with pytest.raises(NumberOfViewsError, match="X has 2 views"):
        split_features([np.eye(2), np.eye(2)], 2)
    with pytest.raises(ValueError, match="3 features, which cannot be dealt out to 4"):
        split_features(np.eye(3), 4)
    with pytest.raises(ValueError, match="n_views=0"):
        split_features(np.eye(3), 0)
