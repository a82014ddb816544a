"""Refusals that a method may make, and how new data find their place."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from manyviews.data import Views, check_views, form_of, match_layout, per_view
from manyviews.exceptions import (
    NumberOfViewsError,
    UnknownViewError,
    UnobservedViewsError,
    ViewsError,
)

A, B = np.arange(6.0).reshape(3, 2), np.arange(9.0).reshape(3, 3)


def test_good_views_come_back():
    views = Views({"a": A, "b": B})
    assert check_views(views) is views
    assert check_views([A, B]).names == ("view0", "view1")


@pytest.mark.parametrize(
    ("data", "options", "error", "message"),
    [
        ({"a": A}, {"min_views": 2}, NumberOfViewsError, "needs at least 2 views and got 1"),
        ({"a": A, "b": B}, {"max_views": 1}, NumberOfViewsError, "at most 1 views and got 2"),
        ({"a": A[:0]}, {}, ViewsError, "0 sample"),
        ({"a": A}, {"min_objects": 4}, ViewsError, "minimum of 4"),
        ({"a": A, "b": B[:, :0]}, {}, ViewsError, "view 'b' has no features"),
        ({"a": sparse.csr_array(A)}, {"accept_sparse": False}, ViewsError, "view 'a' is sparse"),
        ({"a": [[1, np.inf]]}, {}, ViewsError, "view 'a', row 0"),
        ({"a": A, "b": [[1, 2], [np.nan, 3], [1, 1]]}, {}, ViewsError, "view 'b', row 1"),
        ({"a": sparse.csr_array([[0, 1.0], [0, np.inf]])}, {}, ViewsError, "view 'a', row 1"),
        ({"a": [[1.0], None], "b": [[1.0], None]}, {}, ViewsError, "object 1 is observed in no"),
        (
            {"a": A, "b": [[1.0], None, [2.0]]},
            {"accept_unobserved": False},
            UnobservedViewsError,
            "view 'b' is unobserved for object 1",
        ),
    ],
)
def test_refusals_say_what_and_where(data, options, error, message):
    with pytest.raises(error, match=message) as caught:
        check_views(data, **options)
    assert "\n" not in str(caught.value)


def test_missing_cells_can_be_accepted_but_not_infinity():
    check_views({"a": [[1.0, np.nan]]}, accept_nan=True)
    with pytest.raises(ViewsError, match="infinity"):
        check_views({"a": [[np.inf, np.nan]]}, accept_nan=True)


@pytest.mark.parametrize(("dtype", "fits", "too_large"), [("f8", 1e150, 2e150), ("f4", 1e15, 2e15)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_values_that_cannot_be_squared_and_summed_are_refused(dtype, fits, too_large, kind):
    large = np.ones((4, 2), dtype)
    large[2, 1] = -fits
    check_views({"a": kind(large)})
    large[2, 1] = -too_large
    said = r"view 'a' holds a value beyond .* in row 2, .*divide the view"
    with pytest.raises(ViewsError, match=said):
        check_views({"a": kind(large)})
    large[1, 0] = np.nan
    with pytest.raises(ViewsError, match=said):
        check_views({"a": kind(large)}, accept_nan=True)


def test_what_is_unobserved_may_have_been_large():
    hidden = {"a": np.array([False, True])}
    check_views(Views({"a": [[1e300], [1.0]], "b": np.eye(2)}, observed=hidden))


LAYOUT = Views({"a": A, "b": B}).layout


@pytest.mark.parametrize(
    "data",
    [
        Views({"b": B, "a": A}),
        {"b": B, "a": A},
        [A, B],
        (A, B),
        np.hstack([A, B]),
        sparse.csr_array(np.hstack([A, B])),
        pd.DataFrame(np.hstack([A, B])),
        Views({"a": A, "b": B}).to_frame(),
    ],
    ids=["Views", "dict", "list", "tuple", "wide", "wide sparse", "plain frame", "named frame"],
)
def test_every_form_finds_its_place(data):
    views = match_layout(data, LAYOUT)
    assert views.names == ("a", "b")
    np.testing.assert_array_equal(np.asarray(views), np.hstack([A, B]))


def test_a_view_given_as_none_is_unobserved():
    views = match_layout({"a": A, "b": None}, LAYOUT)
    assert views["b"].shape == (3, 3)
    assert not views.observed_in("b").any()


def test_a_view_given_as_none_beside_sparse_ones_stays_small():
    views = match_layout({"a": sparse.csr_array(A), "b": None}, LAYOUT)
    assert sparse.issparse(views["b"])
    assert views["b"].shape == (3, 3)
    assert not views.observed_in("b").any()


@pytest.mark.parametrize("form", [dict, Views])
def test_a_view_left_out_is_unobserved_where_that_is_allowed(form):
    views = match_layout(form({"b": B}), LAYOUT, allow_absent=True)
    assert views.names == ("a", "b")
    assert views["a"].shape == (3, 2)
    np.testing.assert_array_equal(views.observed, [[False, True]] * 3)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"a": A, "b": B, "c": B}, UnknownViewError, "'c' was not there in fit"),
        ({"a": A}, UnknownViewError, "'b' is missing"),
        ({"a": A, "b": A}, ViewsError, "view 'b' has 2 features but had 3"),
        ([A, B, B], ViewsError, "3 unnamed views"),
        (A, ViewsError, "1 unnamed views of 2 features where fit saw 2 views"),
    ],
)
def test_what_does_not_match_is_named(data, error, message):
    with pytest.raises(error, match=message):
        match_layout(data, LAYOUT)


def test_reordered_features_are_noticed():
    fitted = Views({"a": pd.DataFrame(A, columns=["x", "z"])}).layout
    with pytest.raises(ViewsError, match="view 'a' has 'z' in column 0 where fit saw 'x'"):
        match_layout({"a": pd.DataFrame(A, columns=["z", "x"])}, fitted)


def test_forms():
    assert form_of(Views({"a": A})) == "named"
    assert form_of([A, None]) == "positions"
    assert form_of([[[1.0]], [[2.0]]]) == "positions"
    assert form_of([[1.0, 2.0], [3.0, 4.0]]) == "matrix"
    assert form_of(pd.DataFrame({"v__x": [1.0]})) == "named"
    assert form_of(pd.DataFrame({"x": [1.0]})) == "matrix"


NAMES = ["text", "links"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, [3, 3]),
        ("auto", ["auto", "auto"]),
        ((1, 2, 3), [(1, 2, 3)] * 2),
        ([1, 2], [1, 2]),
        ({"links": 2, "text": 1}, [1, 2]),
        (None, [None, None]),
    ],
)
def test_one_value_per_view(value, expected):
    assert per_view(value, NAMES) == dict(zip(NAMES, expected, strict=True))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"text": 1}, "gamma has no value for the view 'links'"),
        ({"text": 1, "links": 2, "sound": 3}, "gamma names the view 'sound'"),
        ([1], "gamma lists 1 values for 2 views"),
    ],
)
def test_values_that_fit_no_view_are_refused(value, message):
    with pytest.raises(ViewsError, match=message):
        per_view(value, NAMES, parameter="gamma")
