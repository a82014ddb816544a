"""Types of cells: numbers of any type; anything else is refused with the remedy."""

from __future__ import annotations

import re
from decimal import Decimal

import numpy as np
import pytest
from scipy import io, sparse

from manyviews import Views
from manyviews.cluster import CoSphericalKMeans
from manyviews.compose import LabelledOnly, MergeViews
from manyviews.data import form_of, split_labelled
from manyviews.exceptions import ViewsError

pd = pytest.importorskip("pandas")

NUMBERS = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 0.5]])


def refused(act, says):
    with pytest.raises(ViewsError, match=says) as caught:
        act()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")
    return str(caught.value)


# -- masks ---------------------------------------------------------------------------------------


def test_masked_cells_are_missing_and_masked_rows_unobserved():
    mask = [[False, True], [True, True], [False, False]]
    masked = np.ma.array([[1, 999], [999, 999], [3, 4]], mask=mask)
    expected = Views({"a": [[1.0, np.nan], [np.nan, np.nan], [3.0, 4.0]]})
    for given in (masked, masked.astype(float), list(masked), masked.astype(object)):
        assert Views({"a": given}).equals(expected)
    assert expected.observed[:, 0].tolist() == [True, False, True]
    assert (masked.data[0] == [1, 999]).all()


def test_an_empty_mask_costs_no_copy():
    masked = np.ma.array(NUMBERS)
    assert np.shares_memory(Views({"a": masked})["a"], masked)


def test_a_masked_matrix_is_masked_for_estimators():
    masked = np.ma.array([[1.0, 999.0], [2.0, 5.0]], mask=[[False, True], [False, False]])
    merged = MergeViews(fill="nan").fit_transform(masked)
    np.testing.assert_array_equal(merged, [[1, np.nan], [2, 5]])
    with pytest.raises(ViewsError, match="NaN or infinity: view 'view0', row 0"):
        LabelledOnly().fit(masked, [0, 1])


def test_masked_labels_are_unlabelled():
    y = np.ma.array([0, 1, 999999], mask=[False, False, True])
    assert split_labelled(y).codes.tolist() == [0, 1, -1]


# -- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize("two_level", [True, False])
def test_columns_of_one_name_are_not_multiplied(two_level):
    frame = pd.DataFrame(np.arange(6.0).reshape(2, 3))
    pairs = [("a", "x"), ("a", "x"), ("b", "x")]
    frame.columns = pd.MultiIndex.from_tuples(pairs) if two_level else map("__".join, pairs)
    views = Views(frame)
    np.testing.assert_array_equal(views["a"], [[0, 1], [3, 4]])
    np.testing.assert_array_equal(views["b"], [[2], [5]])
    assert views.feature_names["a"].tolist() == ["x", "x"]


def test_three_levels_are_refused_beside_a_dict():
    frame = pd.DataFrame(np.eye(2), columns=pd.MultiIndex.from_tuples([("a", 1, 2), ("b", 1, 2)]))
    refused(lambda: Views(frame), "the columns have 3 levels")
    assert Views({"a": frame})["a"].shape == (2, 2)


def test_columns_may_have_names_of_any_kind():
    assert Views({"a": pd.DataFrame(np.eye(2), columns=[0, "b"])})["a"].shape == (2, 2)


def test_a_subset_names_each_view_once():
    views = Views({"a": np.eye(2), "b": np.eye(2)})
    refused(lambda: views.subset(["a", "b", "a"]), "subset names the view 'a' twice")


# -- types of numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "becomes"),
    [
        ("float16", "float32"),
        ("float32", "float32"),
        (">f4", "float32"),
        (">f8", "float64"),
        ("longdouble", "float64"),
        ("int8", "float64"),
        ("uint64", "float64"),
        ("bool", "float64"),
        ("object", "float64"),
        ("U8", "float64"),
    ],
)
def test_numbers_become_single_or_double_precision(dtype, becomes):
    given = np.array([[1, 0], [0, 1]]).astype(dtype if dtype != "U8" else int).astype(dtype)
    found = Views({"a": given})["a"]
    assert found.dtype.str == np.dtype(becomes).str
    np.testing.assert_array_equal(found, np.eye(2))


@pytest.mark.parametrize("dtype", ["longdouble", "int8", "bool"])
def test_sparse_numbers_too(dtype):
    given = sparse.csr_array(np.eye(2)).astype(dtype)
    found = Views({"a": given})["a"]
    assert found.dtype.str == np.dtype("float64").str
    np.testing.assert_array_equal(found.toarray(), np.eye(2))


def test_beyond_double_precision_is_infinity():
    if np.finfo(np.longdouble).max == np.finfo(float).max:
        pytest.skip("long double is double here")
    views = Views({"a": np.full((1, 1), np.finfo(np.longdouble).max)})
    assert np.isinf(views["a"]).all()


@pytest.mark.exact
@pytest.mark.parametrize(
    "column",
    [
        pd.array([1.5, None, 2], dtype="Float64"),
        pd.array([1, None, 2], dtype="Int64"),
        pd.array([True, None, False], dtype="boolean"),
        pd.array([1.5, None, 2], dtype="float64[pyarrow]"),
        pd.array([1, None, 2], dtype="int64[pyarrow]"),
        pd.arrays.SparseArray([1.5, np.nan, 2.0]),
        np.array([Decimal("1.5"), None, Decimal(2)], dtype=object),
        np.array([1, pd.NA, 2.5], dtype=object),
    ],
    ids=lambda column: str(column.dtype),
)
def test_missing_cells_of_any_type_are_nan(column):
    frame = pd.DataFrame({"given": column, "count": [1, 2, 3], "flag": [True, False, True]})
    found = Views({"a": frame})["a"]
    np.testing.assert_array_equal(np.isnan(found[:, 0]), [False, True, False])
    np.testing.assert_array_equal(found[:, 1:], [[1, 1], [2, 0], [3, 1]])
    assert found.dtype == np.float64
    alone = Views({"a": frame[["given"]]})["a"]
    np.testing.assert_array_equal(alone, found[:, :1])
    np.testing.assert_array_equal(MergeViews(fill="nan").fit_transform(frame), found)


def test_sparse_columns_with_zeros_left_out_stay_sparse():
    zeros = pd.DataFrame(np.eye(3)).astype(pd.SparseDtype(float, 0.0))
    assert sparse.issparse(Views({"a": zeros})["a"])
    ones = pd.DataFrame(np.eye(3)).astype(pd.SparseDtype(float, 1.0))
    np.testing.assert_array_equal(Views({"a": ones})["a"], np.eye(3))


class Duck:
    """Something two-dimensional that only knows how to become an array."""

    def __array__(self, dtype=None, copy=None):
        return np.asarray(NUMBERS, dtype=dtype)


@pytest.mark.parametrize(
    "given",
    [
        np.asfortranarray(NUMBERS),
        NUMBERS[::-1][::-1],
        np.repeat(NUMBERS, 2, axis=1)[:, ::2],
        NUMBERS.view(np.matrix),  # without the warning that its constructor gives
        Duck(),
        NUMBERS.tolist(),
        [tuple(row) for row in NUMBERS],
    ],
    ids=["Fortran", "negative strides", "strided", "matrix", "duck", "list", "tuples"],
)
def test_arrays_of_any_make_are_read(given):
    np.testing.assert_array_equal(Views({"a": given})["a"], NUMBERS)


def test_a_memory_map_is_not_read_into_memory(tmp_path):
    np.save(tmp_path / "a.npy", NUMBERS)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert np.shares_memory(Views({"a": mapped})["a"], mapped)


def test_long_indices_of_sparse_views_are_kept():
    given = sparse.csr_array(NUMBERS)
    given.indices, given.indptr = given.indices.astype("i8"), given.indptr.astype("i8")
    np.testing.assert_array_equal(Views({"a": given})["a"].toarray(), NUMBERS)


# -- no numbers ----------------------------------------------------------------------------------

DAYS = pd.to_datetime(["2020-01-01", "2020-01-03", None])


@pytest.mark.parametrize(
    "times",
    [
        DAYS,
        DAYS.tz_localize("UTC"),
        DAYS - DAYS[0],
        DAYS.to_period("D"),
        pd.array(DAYS, dtype="timestamp[ns][pyarrow]"),
        DAYS[:2].astype(object).append(DAYS[:1].astype(object)),
    ],
    ids=lambda times: str(times.dtype),
)
@pytest.mark.parametrize("beside", [{}, {"x": [1.0, 2.0, 3.0]}], ids=["alone", "beside numbers"])
def test_times_are_refused_with_the_remedy(times, beside):
    frame = pd.DataFrame({**beside, "when": times})
    refused(lambda: Views({"a": frame}), r"view 'a' holds times.*np.timedelta64\(1, 'D'\)")
    refused(lambda: MergeViews().fit(frame), "view 'view0' holds times")


def test_arrays_of_times_are_refused_and_the_remedy_works():
    times = np.array([["2020-01-01"], ["2020-01-03"]], dtype="M8[ns]")
    for given in (times, times - times.min()):
        said = refused(lambda given=given: Views({"a": given}), "view 'a' holds times")
        refused(lambda given=given: MergeViews().fit(given), "view 'view0' holds times")
        remedy = re.search("`(.*)`", said)[1]
        days = eval(remedy, {"times": given, "np": np})
        np.testing.assert_array_equal(Views({"a": days})["a"], [[0], [2]])


@pytest.mark.parametrize(
    "view",
    [
        pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]}),
        pd.DataFrame({"size": [1.0, 2.0], "colour": pd.Categorical(["red", "blue"])}),
        pd.DataFrame({"colour": pd.Categorical([3, 7])}),
        pd.DataFrame({"colour": pd.array(["red", None], dtype="string")}),
        np.array([["red"], ["blue"]]),
        np.array([["red"], ["blue"]], dtype=object),
        [["red"], ["blue"]],
    ],
    ids=["text", "categories", "numbers as categories", "string", "U", "object", "list"],
)
def test_words_are_refused_with_two_lines_that_encode_them(view):
    said = refused(lambda: Views({"a": view}), "view 'a' holds values that are not numbers")
    lines = re.findall("`(.*?)`", said)
    assert len(lines) == 2
    names = {"view": view}
    exec("\n".join(lines), names)
    assert Views({"a": names["view"]}).shape[0] == 2


# -- MATLAB --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (2,)])
def test_cell_arrays_are_views_by_position(tmp_path, shape):
    cells = np.empty(shape, dtype=object)
    flat = cells.reshape(-1)
    flat[0], flat[1] = NUMBERS, sparse.csc_matrix(np.eye(3))
    io.savemat(tmp_path / "two.mat", {"X": cells})
    for given in (cells, io.loadmat(tmp_path / "two.mat")["X"]):
        views = Views(given)
        assert views.names == ("view0", "view1")
        np.testing.assert_array_equal(views["view0"], NUMBERS)
        assert sparse.issparse(views["view1"])
        assert form_of(given) == "positions"
        assert MergeViews().fit_transform(given).shape == (3, 5)


def test_one_cell_is_one_view():
    cell = np.empty((1, 1), dtype=object)
    cell[0, 0] = NUMBERS
    assert Views(cell).equals(Views([NUMBERS]))


def test_cells_with_objects_in_columns_are_told_to_be_transposed():
    cells = np.empty((1, 2), dtype=object)
    cells[0, 0], cells[0, 1] = np.ones((4, 7)), np.ones((5, 7))
    refused(lambda: Views(cells), "4 rows but view 'view1' has 5.*transpose")


def test_long_indices_become_those_that_scikit_learn_takes():
    matrix = sparse.csr_array(np.eye(3))
    long = sparse.csr_array(
        (matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)), (3, 3)
    )
    assert long.indices.dtype == np.int64
    read = Views({"a": long})["a"]
    assert read.indices.dtype == read.indptr.dtype == np.int32
    np.testing.assert_array_equal(read.toarray(), np.eye(3))


# -- through estimators ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_view_whose_squares_vanish_is_refused_in_fit(dtype, kind):
    rng = np.random.default_rng(0)
    small = {np.float64: 1e-200, np.float32: 1e-30}[dtype]
    view = kind((rng.normal(size=(6, 3)) * small).astype(dtype))
    model = CoSphericalKMeans(2, random_state=0)
    with pytest.raises(ViewsError, match=r"view 'q' holds no value beyond .* divide the view"):
        model.fit({"q": view, "b": rng.normal(size=(6, 2))})
    fitted = model.fit({"q": rng.normal(size=(6, 3)), "b": rng.normal(size=(6, 2))})
    assert len(fitted.predict({"q": view, "b": rng.normal(size=(6, 2))})) == 6  # as good as zeros


def test_columns_of_one_name_are_two_features_of_a_plain_table_too():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(8, 3)), columns=["x", "x", "y"])
    model = CoSphericalKMeans(2, random_state=0).fit(table)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict(table), model.labels_)


@pytest.mark.parametrize(
    ("view", "says"),
    [
        (np.ones((4, 2), dtype=complex), "Complex data not supported: view 'view0'"),
        (np.zeros(4, dtype=[("x", float)]), "view 'view0' is an array of records"),
    ],
    ids=["complex", "records"],
)
def test_one_plain_array_is_refused_in_our_own_sentence(view, says):
    with pytest.raises(ViewsError, match=says) as caught:
        CoSphericalKMeans(2).fit(view)
    assert "\n" not in str(caught.value)


def test_integers_beyond_all_floats_are_infinite():
    views = Views({"a": [[10**400, None], [1, -(10**400)]]})
    np.testing.assert_array_equal(views["a"], [[np.inf, np.nan], [1, -np.inf]])


def test_images_are_to_be_laid_out_in_rows():
    with pytest.raises(ViewsError, match=r"\(4, 2, 2\).*reshape\(len\(view\), -1\)"):
        Views({"a": np.zeros((4, 2, 2))})
