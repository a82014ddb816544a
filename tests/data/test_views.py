"""The container: what goes in, what comes out, and that it never changes."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import train_test_split

from manyviews.data import Views
from manyviews.exceptions import UnknownViewError, ViewsError


@pytest.fixture
def text():
    return np.arange(12.0).reshape(4, 3)


@pytest.fixture
def links():
    return sparse.csr_array(np.array([[0, 1.0], [2, 0], [0, 0], [3, 4]]))


@pytest.fixture
def views(text, links):
    return Views({"text": text, "links": links})


# -- construction --------------------------------------------------------------------------------


def test_views_by_name_keep_their_order(text, links):
    assert Views({"b": text, "a": links}).names == ("b", "a")


@pytest.mark.parametrize("kind", [list, tuple])
def test_views_by_position_are_numbered(kind, text, links):
    views = Views(kind([text, links]))
    assert views.names == ("view0", "view1")
    assert (views["view0"] == text).all()


@pytest.mark.parametrize("matrix", [np.eye(2), [[1, 0], [0, 1]], sparse.eye(2).tocsc()])
def test_one_matrix_is_one_view(matrix):
    views = Views(matrix)
    assert views.names == ("view0",)
    np.testing.assert_array_equal(np.asarray(views), np.eye(2))


def test_a_flat_frame_is_one_view_with_its_feature_names():
    frame = pd.DataFrame({"x": [1.0, 2], "z": [3.0, 4]}, index=["ann", "bob"])
    views = Views(frame)
    assert list(views.feature_names["view0"]) == ["x", "z"]
    assert list(views.sample_ids) == ["ann", "bob"]


@pytest.mark.parametrize("two_level", [True, False])
def test_a_frame_with_view_names_in_its_columns_is_split(two_level):
    frame = pd.DataFrame(np.arange(8.0).reshape(2, 4))
    pairs = [("text", "a"), ("links", "b"), ("text", "c"), ("links", "d")]
    frame.columns = (
        pd.MultiIndex.from_tuples(pairs) if two_level else ["__".join(pair) for pair in pairs]
    )
    views = Views(frame)
    assert views.names == ("text", "links")
    np.testing.assert_array_equal(views["text"], [[0, 2], [4, 6]])
    assert list(views.feature_names["links"]) == ["b", "d"]
    assert views.sample_ids.tolist() == [0, 1]


def test_a_frame_that_names_views_in_some_columns_only_is_refused():
    frame = pd.DataFrame([[1.0, 2.0]], columns=["text__a", "b"])
    with pytest.raises(ViewsError, match="column 'b' names no view"):
        Views(frame)


def test_sparse_frames_stay_sparse():
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.eye(3).tocsr())
    assert sparse.issparse(Views({"links": frame})["links"])


def test_a_copy_of_views_is_equal(views):
    assert Views(views).equals(views)


@pytest.mark.filterwarnings("ignore")  # what mudata and anndata say to each other
def test_multimodal_data_align_their_objects():
    mudata = pytest.importorskip("mudata")
    from anndata import AnnData

    rna = AnnData(np.array([[1.0], [2.0]]), obs=pd.DataFrame(index=["c1", "c2"]))
    rna.var_names = ["gene"]
    atac = AnnData(sparse.csr_matrix([[3.0, 0], [0, 4.0]]), obs=pd.DataFrame(index=["c3", "c2"]))
    atac.var_names = ["peak1", "peak2"]
    views = Views(mudata.MuData({"rna": rna, "atac": atac}))
    row = {name: i for i, name in enumerate(views.sample_ids)}
    assert set(row) == {"c1", "c2", "c3"}
    assert views.observed[row["c1"]].tolist() == [True, False]
    assert views.observed[row["c3"]].tolist() == [False, True]
    assert views["rna"][row["c2"]] == 2.0
    assert sparse.issparse(views["atac"])
    np.testing.assert_array_equal(views["atac"].toarray()[row["c2"]], [0, 4.0])


def test_frames_in_different_orders_are_refused_and_can_be_aligned():
    one = pd.DataFrame({"x": [1.0, 2.0]}, index=["ann", "bob"])
    other = pd.DataFrame({"z": [3.0, 4.0]}, index=["bob", "ann"])
    with pytest.raises(ViewsError, match=r"view 'b' has the object 'bob' in row 0 .*align"):
        Views({"a": one, "b": other})
    aligned = Views.align({"a": one, "b": other})
    np.testing.assert_array_equal(aligned["b"], [[4.0], [3.0]])


def test_alignment_refuses_an_object_named_twice():
    with pytest.raises(ViewsError, match="'ann' more than once"):
        Views.align({"a": pd.DataFrame({"x": [1.0, 2.0]}, index=["ann", "ann"])})


# -- no copies -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fitting_types_are_shared_not_copied(dtype):
    dense = np.ones((5, 2), dtype)
    csr = sparse.csr_matrix(dense)
    views = Views({"dense": dense, "csr": csr})
    assert np.shares_memory(views["dense"], dense)
    assert np.shares_memory(views["csr"].data, csr.data)
    assert np.shares_memory(views["csr"].indices, csr.indices)
    assert views["dense"].dtype == dtype


def test_a_slice_of_rows_is_shared_too(views, text):
    assert np.shares_memory(views[1:3]["text"], text)


def test_integers_and_booleans_become_floats():
    views = Views({"a": np.array([[1, 0]]), "b": sparse.csr_array(np.array([[True, False]]))})
    assert views["a"].dtype == views["b"].dtype == np.float64


def test_duplicated_entries_are_summed_without_touching_the_input():
    messy = sparse.csr_array((np.ones(3), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    views = Views({"a": messy})
    assert messy.nnz == 3
    np.testing.assert_array_equal(views["a"].toarray(), [[1, 2]])


# -- frozen --------------------------------------------------------------------------------------


def test_views_never_change(views):
    with pytest.raises(AttributeError, match="frozen"):
        views.observed = None
    for array in (views["text"], views["links"].data, views.observed, views[[0, 1]]["text"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_views_survive_pickling_and_stay_frozen(views):
    again = pickle.loads(pickle.dumps(views))
    assert again.equals(views)
    with pytest.raises(ValueError, match="read-only"):
        again["text"][0] = 0


# -- the mask ------------------------------------------------------------------------------------


def test_rows_of_nan_and_none_are_unobserved():
    views = Views({"a": [[1.0, np.nan], [np.nan, np.nan]], "b": [None, [1.0]]})
    np.testing.assert_array_equal(views.observed, [[True, False], [False, True]])
    assert np.isnan(views["b"][0, 0])


def test_a_whole_view_may_be_none():
    views = Views({"a": np.eye(2), "b": None})
    assert views["b"].shape == (2, 0)
    np.testing.assert_array_equal(views.observed, [[True, False]] * 2)


@pytest.mark.parametrize("by_name", [True, False])
def test_what_is_hidden_is_gone(text, links, by_name):
    mask = np.array([[True, True], [False, True], [True, True], [True, False]])
    given = {"text": mask[:, 0], "links": mask[:, 1]} if by_name else mask
    views = Views({"text": text, "links": links}, observed=given)
    assert np.isnan(views["text"][1]).all()
    assert views["links"][[3]].nnz == 0
    np.testing.assert_array_equal(views["links"].toarray()[:3], links.toarray()[:3])
    np.testing.assert_array_equal(text[1], [3, 4, 5])
    np.testing.assert_array_equal(views.observed, mask)


def test_hiding_only_takes_away(views):
    hidden = views.with_observed({"text": np.array([True, False, True, True])})
    again = hidden.with_observed(np.ones((4, 2), dtype=bool))
    assert again.equals(hidden)
    assert len(hidden.drop_unobserved()) == 3


def test_the_wide_matrix_shows_gaps_as_nan(views):
    hidden = views.with_observed({"links": np.array([True, True, True, False])})
    wide = np.asarray(hidden)
    assert np.isnan(wide[3, 3:]).all()
    assert not np.isnan(wide[:3]).any()


# -- choosing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (2, [2]),
        (-1, [3]),
        (np.int64(0), [0]),
        (slice(1, 3), [1, 2]),
        (slice(None, None, -1), [3, 2, 1, 0]),
        ([3, 0, 0], [3, 0, 0]),
        (np.array([1], dtype=np.uint8), [1]),
        (np.array([True, False, False, True]), [0, 3]),
        ([True, False, False, True], [0, 3]),
        (([2, 1], ...), [2, 1]),
        ((slice(0, 2), slice(None)), [0, 1]),
        ([], []),
    ],
    ids=str,
)
def test_rows_are_chosen_as_numpy_does(views, text, links, key, expected):
    part = views[key]
    np.testing.assert_array_equal(part["text"], text[expected])
    np.testing.assert_array_equal(part["links"].toarray(), links.toarray()[expected])
    assert part.observed.shape == (len(expected), 2)


@pytest.mark.parametrize("key", [4, -5, [0.5], [True, False], (0, 1), ["text"], np.eye(2)], ids=str)
def test_rows_that_are_not_there_are_refused(views, key):
    with pytest.raises(IndexError):
        views[key]


def test_ids_and_names_go_along(text, links):
    views = Views(
        {"text": text, "links": links},
        sample_ids=list("abcd"),
        feature_names={"links": ["out", "in"]},
    )
    part = views[[3, 1]]
    assert list(part.sample_ids) == ["d", "b"]
    assert list(part.feature_names["links"]) == ["out", "in"]
    assert list(part.layout.column_names()) == [
        "text__0", "text__1", "text__2", "links__out", "links__in",
    ]  # fmt: skip


def test_subset_chooses_and_orders_views(views):
    swapped = views.subset(["links", "text"])
    assert swapped.names == ("links", "text")
    assert views.subset("text").n_views == 1
    with pytest.raises(UnknownViewError, match=r"no view 'sound'; the views are 'text', 'links'"):
        views.subset(["sound"])


def test_an_unknown_view_is_an_error_of_both_kinds(views):
    with pytest.raises(KeyError):
        views["sound"]
    with pytest.raises(ValueError, match="no view 'sound'"):
        views["sound"]


def test_iteration_says_what_to_do_instead(views):
    with pytest.raises(TypeError, match=r"views\.items\(\)"):
        list(views)
    assert "text" in views
    assert [name for name, _ in views.items()] == ["text", "links"]


def test_shape_and_length(views):
    assert len(views) == 4
    assert views.shape == (4, 5)
    assert views.ndim == 2
    assert views.n_views == 2
    assert views.layout.slices() == {"text": slice(0, 3), "links": slice(3, 5)}


def test_concatenation_is_sparse_if_any_view_is(views, text, links):
    together = views.concatenate()
    assert sparse.issparse(together)
    np.testing.assert_array_equal(together.toarray(), np.hstack([text, links.toarray()]))
    assert isinstance(views.subset(["text"]).concatenate(), np.ndarray)


def test_scikit_learn_splits_views(views):
    train, test, _, y_test = train_test_split(views, np.arange(4), random_state=0, test_size=2)
    assert isinstance(train, Views)
    np.testing.assert_array_equal(test["text"][:, 0], 3.0 * y_test)


def test_frame_and_back(views):
    hidden = views.with_observed({"links": np.array([True, False, True, True])})
    again = Views(hidden.to_frame())
    np.testing.assert_array_equal(again.observed, hidden.observed)
    np.testing.assert_array_equal(again["text"], hidden["text"])


# -- showing -------------------------------------------------------------------------------------


def test_repr_shows_each_view(views):
    text = repr(views.with_observed({"text": np.array([True, False, True, True])}))
    assert "4 objects in 2 views" in text
    assert "text" in text
    assert "observed 75.0%" in text
    assert "sparse" in text
    assert "density 0.5" in text


def test_html_escapes_names():
    html = Views({"<b>": np.eye(2)})._repr_html_()
    assert "<td style='text-align:left'>&lt;b&gt;</td>" in html
    assert "2 × 2" in html


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({}, {}, "there are no views"),
        ([], {}, "there are no views"),
        ({"a": None}, {}, "every view is None"),
        ({1: np.eye(2)}, {}, "name 1 is not a string"),
        ({"a__b": np.eye(2)}, {}, "contains '__'"),
        ({"a": np.ones(3)}, {}, r"view 'a' has shape \(3,\)"),
        ({"a": np.ones((2, 2, 2))}, {}, "two dimensions"),
        ({"a": [[1, 2], [3]]}, {}, "different lengths"),
        ({"a": [["x"]]}, {}, "view 'a' holds values that are not numbers"),
        ({"a": np.eye(2) * 1j}, {}, "Complex data not supported: view 'a'"),
        ({"a": sparse.csr_array(np.eye(2) * 1j)}, {}, "Complex data not supported"),
        ({"a": np.eye(2), "b": np.eye(3)}, {}, "view 'a' has 2 rows but view 'b' has 3"),
        ({"a": [None, None]}, {}, "no observed row"),
        ({"a": np.eye(2)}, {"observed": np.ones((2, 2), bool)}, "observed has shape"),
        ({"a": np.eye(2)}, {"observed": {"b": np.ones(2, bool)}}, "'b'"),
        ({"a": np.eye(2)}, {"observed": {"a": np.ones(2)}}, "2 booleans"),
        ({"a": np.eye(2)}, {"sample_ids": ["x"]}, "sample_ids has shape"),
        ({"a": np.eye(2)}, {"feature_names": {"a": ["x"]}}, "1 names to view 'a'"),
        ({"a": np.eye(2)}, {"feature_names": {"b": ["x"]}}, "names the view 'b'"),
    ],
)
def test_bad_input_gets_one_sentence(data, options, message):
    with pytest.raises(ViewsError, match=message) as caught:
        Views(data, **options)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


# -- laws ----------------------------------------------------------------------------------------


@st.composite
def masked_views(draw):
    n_objects = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    matrices = {}
    for position in range(draw(st.integers(1, 3))):
        dense = rng.normal(size=(n_objects, draw(st.integers(1, 4))))
        as_sparse = draw(st.booleans())
        matrices[f"v{position}"] = sparse.csr_array(dense * (dense > 0)) if as_sparse else dense
    return Views(matrices, observed=rng.random((n_objects, len(matrices))) < 0.7), rng


@given(masked_views())
@settings(deadline=None, max_examples=50)
def test_choosing_rows_then_views_is_choosing_views_then_rows(case):
    views, rng = case
    rows = rng.integers(0, len(views), size=4)
    names = list(rng.permutation(views.names))
    assert views[rows].subset(names).equals(views.subset(names)[rows])


@given(masked_views())
@settings(deadline=None, max_examples=50)
def test_the_wide_matrix_of_rows_is_the_rows_of_the_wide_matrix(case):
    views, rng = case
    rows = rng.integers(0, len(views), size=3)
    np.testing.assert_array_equal(np.asarray(views[rows]), np.asarray(views)[rows])
