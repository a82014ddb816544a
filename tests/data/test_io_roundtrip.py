"""Files read back equal to what was written: values to the last bit, types, masks, names, ids."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from manyviews import Dataset, Views, read, write
from manyviews.typing import is_sparse

TARGETS = {
    "npz": ("set.npz", "auto"),
    "h5mu": ("set.h5mu", "auto"),
    "folder": ("set", "auto"),
    "csv": ("set", "csv"),
    "parquet": ("set", "parquet"),
    "svmlight": ("set", "svmlight"),
}

FILES = settings(
    deadline=None,
    max_examples=20,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


# -- equality, stricter than Views.equals: bits, index types, array types ------------------------


def assert_same_array(one, other, *, signs_of_zero=True):
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    if one.dtype.kind == "f":
        np.testing.assert_array_equal(one, other)
    if one.dtype.kind == "f" and signs_of_zero:
        np.testing.assert_array_equal(np.signbit(one), np.signbit(other) ^ _nan_flip(one, other))
    elif one.dtype.kind == "O":
        for a, b in zip(one.flat, other.flat, strict=True):
            assert type(a) is type(b)
            assert a == b or (a != a and b != b)
    elif one.dtype.kind in "Mm":
        np.testing.assert_array_equal(one.view(np.int64), other.view(np.int64))
    else:
        np.testing.assert_array_equal(one, other)


def _nan_flip(one, other):
    """Where a NaN changed its sign, which no one can see."""
    return np.isnan(one) & (np.signbit(one) != np.signbit(other))


def assert_same_matrix(one, other):
    assert is_sparse(one) == is_sparse(other)
    if not is_sparse(one):
        assert_same_array(one, other)
        return
    assert one.shape == other.shape
    for part in ("data", "indices", "indptr"):
        assert_same_array(getattr(one, part), getattr(other, part))


def assert_same_dataset(one, other):
    assert one.views.names == other.views.names
    for name in one.views.names:
        assert_same_matrix(one.views[name], other.views[name])
    assert_same_array(one.views.observed, other.views.observed)
    assert one.views.feature_names.keys() == other.views.feature_names.keys()
    for name, features in one.views.feature_names.items():
        assert_same_array(features, other.views.feature_names[name])
    assert (one.views.sample_ids is None) == (other.views.sample_ids is None)
    if one.views.sample_ids is not None:
        assert_same_array(one.views.sample_ids, other.views.sample_ids)
    assert (one.y is None) == (other.y is None)
    if one.y is not None:
        assert_same_array(one.y, other.y, signs_of_zero=False)  # MuData stores them as integers
    assert one.label_names == other.label_names
    assert list(one.extra) == list(other.extra)
    for name, values in one.extra.items():
        assert_same_array(values, other.extra[name])


# -- random data sets ----------------------------------------------------------------------------

TEXT = st.one_of(
    st.sampled_from(
        ["", "id", "y", "a/b", "..", "x y", "naïve – ☃", "1", "nan", "a:0", '"q",', "\0"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)
VIEW_NAMES = st.one_of(TEXT, st.sampled_from(["labels", "observed", "Text", "text", "con"])).filter(
    lambda name: "__" not in name
)
FLOATS = st.sampled_from([np.float32, np.float64])


def u_array(texts):
    return np.array(texts, dtype=np.str_)


def o_array(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def columns(n):
    """Arrays with one entry for each of n objects, of every kind that can be stored."""
    mixed = st.one_of(TEXT, st.none(), st.integers(), st.floats(), st.booleans())
    return st.one_of(
        hnp.arrays(st.sampled_from([np.int16, np.int64, np.uint8, np.dtype(">i4")]), n),
        hnp.arrays(st.sampled_from([np.float16, np.float32, np.float64]), n),
        hnp.arrays(np.bool_, n),
        hnp.arrays(np.dtype("M8[s]"), n),
        hnp.arrays(np.dtype("m8[ms]"), n),
        st.lists(TEXT, min_size=n, max_size=n).map(u_array),
        st.lists(
            st.one_of(st.none(), st.sampled_from(["news", "sport"])), min_size=n, max_size=n
        ).map(o_array),
        st.lists(mixed, min_size=n, max_size=n).map(o_array),
    )


@st.composite
def matrices(draw, n):
    width, dtype = draw(st.integers(0, 4)), draw(FLOATS)
    elements = st.floats(width=8 * np.dtype(dtype).itemsize)
    dense = draw(hnp.arrays(dtype, (n, width), elements=elements))
    if draw(st.booleans()):
        return dense
    stored = draw(hnp.arrays(np.bool_, (n, width)))
    rows, places = np.nonzero(stored)
    index = draw(st.sampled_from([np.int32, np.int64]))
    indptr = np.concatenate([[0], np.cumsum(stored.sum(axis=1))]).astype(index)
    return sparse.csr_array((dense[rows, places], places.astype(index), indptr), shape=dense.shape)


@st.composite
def datasets(draw):
    n = draw(st.integers(0, 5))
    names = draw(st.lists(VIEW_NAMES, min_size=1, max_size=3, unique=True))
    data = {name: draw(matrices(n)) for name in names}
    features = {
        name: o_array(draw(st.lists(st.one_of(TEXT, st.integers(0, 9)), min_size=w, max_size=w)))
        for name, w in ((name, matrix.shape[1]) for name, matrix in data.items())
        if draw(st.booleans())
    }
    extra = {
        draw(TEXT): draw(
            st.one_of(columns(n), hnp.arrays(np.int8, (n, 2, 2)), hnp.arrays("U2", (n, 0)))
        )
        for _ in range(draw(st.integers(0, 2)))
    }
    views = Views(
        data,
        observed=draw(hnp.arrays(np.bool_, (n, len(names)))),
        feature_names=features,
        sample_ids=draw(st.one_of(st.none(), columns(n))),
    )
    y = draw(st.one_of(st.none(), columns(n)))
    label_names = tuple(draw(st.lists(TEXT, max_size=2)))
    return Dataset(views, y, label_names, extra, draw(st.sampled_from(["", "cora"])))


FRESH = count()


@pytest.mark.parametrize("target", TARGETS)
@given(dataset=datasets())
@FILES
def test_what_is_written_reads_back_equal(tmp_path_factory, target, dataset):
    name, view_format = TARGETS[target]
    path = tmp_path_factory.getbasetemp() / f"roundtrip{next(FRESH)}" / name
    path.parent.mkdir()
    write(dataset, path, format=view_format)
    again = read(path)
    assert_same_dataset(dataset, again)
    assert again.name == (dataset.name or Path(name).stem)
    assert [entry.name for entry in path.parent.iterdir()] == [name]  # nothing temporary is left


@pytest.mark.parametrize("target", TARGETS)
def test_writing_what_was_read_gives_the_same_again(tmp_path, target):
    name, view_format = TARGETS[target]
    rng = np.random.default_rng(0)
    views = Views(
        {"a": rng.normal(size=(20, 3)), "b": sparse.random_array((20, 9), density=0.2, rng=rng)},
        observed=rng.random((20, 2)) < 0.7,
        sample_ids=[f"object {i}" for i in range(20)],
    )
    write(views, tmp_path / name, y=rng.integers(-1, 3, 20), format=view_format)
    first = read(tmp_path / name)
    write(first, tmp_path / name, format=view_format)
    assert_same_dataset(first, read(tmp_path / name))
    assert first.views.equals(views)


@pytest.mark.parametrize("target", TARGETS)
def test_hard_numbers_keep_their_bits(tmp_path, target):
    name, view_format = TARGETS[target]
    rng = np.random.default_rng(1)
    bits32 = rng.integers(0, 2**32, (200, 3), dtype=np.uint32).view(np.float32)
    bits64 = rng.integers(0, 2**64, (200, 3), dtype=np.uint64).view(np.float64)
    tiny = np.full((200, 1), np.nextafter(np.float64(0), np.float64(1)))
    data = {"single": bits32, "double": np.hstack([bits64, tiny, -0.0 * tiny, 0.1 + 0.2 * tiny])}
    write(data, tmp_path / name, format=view_format)
    assert_same_dataset(Dataset(Views(data)), read(tmp_path / name))


def test_labels_of_which_only_the_plain_are_seen_come_back(tmp_path):
    """Labels of the objects that are seen may look otherwise than all labels do."""
    views = Views({"a": np.ones((2, 1))}, observed=[[False], [True]])
    write(views, tmp_path / "labels.h5mu", y=np.array([1.5, None], dtype=object))
    assert read(tmp_path / "labels.h5mu").y.tolist() == [1.5, None]
