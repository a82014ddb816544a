"""A damaged file gives one sentence that names it, never an error of the parsers below."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from manyviews import Views, read, write
from manyviews.data.io import h5mu, npz
from manyviews.exceptions import FileFormatError, ViewsError

VIEWS = Views(
    {"a": np.arange(12.0).reshape(4, 3), "b": sparse.csr_array(np.eye(4, 5))},
    observed=np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=bool),
    feature_names={"a": ["x", "y", "z"]},
    sample_ids=["p", "q", "r", "s"],
)
FOLDERS = {"csv": "auto", "parquet": "parquet"}


def assert_refused(path, match=None, named=None):
    with pytest.raises(FileFormatError, match=match) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(str(named or path))
    assert message.endswith(".")
    assert "\n" not in message


# -- random damage -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def intact(tmp_path_factory):
    folder = tmp_path_factory.mktemp("intact")
    for name, view_format in {"s.npz": "auto", "s.h5mu": "auto", **FOLDERS}.items():
        write(VIEWS, folder / name, y=["u", None, "v", "u"], format=view_format)
    return folder


@st.composite
def damages(draw):
    """A function that cuts bytes, flips bits of them or overwrites some."""
    place, kind = draw(st.floats(0, 1, exclude_max=True)), draw(st.sampled_from("cfo"))
    noise, bit = draw(st.binary(min_size=1, max_size=8)), draw(st.integers(0, 7))

    def damaged(content):
        at = int(place * len(content))
        if kind == "c":
            return content[:at]
        if kind == "o":
            return content[:at] + noise + content[at + len(noise) :]
        return content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]

    return damaged


@pytest.mark.parametrize("name", ["s.npz", "s.h5mu"])
@given(damage=damages())
@settings(deadline=None, max_examples=50, derandomize=True)
def test_damaged_files_are_refused_or_read_right(intact, tmp_path_factory, name, damage):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(damage((intact / name).read_bytes()))
    try:
        found = read(path)
    except FileFormatError:
        assert_refused(path)
    else:
        assert found.views.equals(VIEWS)


@pytest.mark.parametrize("name", FOLDERS)
@given(damage=damages(), which=st.integers(0, 10))
@settings(deadline=None, max_examples=50, derandomize=True)
def test_damaged_folders_are_refused_or_read(intact, name, damage, which):
    files = sorted((intact / name).iterdir())
    file = files[which % len(files)]
    content = file.read_bytes()
    file.write_bytes(damage(content))
    try:
        assert len(read(intact / name).views)
    except FileFormatError:
        assert_refused(intact / name)
    finally:
        file.write_bytes(content)


@pytest.mark.parametrize("name", ["noise.npz", "noise.h5mu", "empty.npz", "empty.h5mu"])
def test_noise_is_refused(tmp_path, name):
    noise = b"" if "empty" in name else np.random.default_rng(0).bytes(3000)
    (tmp_path / name).write_bytes(noise)
    assert_refused(tmp_path / name, "is damaged or is no")


# -- npz -----------------------------------------------------------------------------------------


def parts(**changes):
    return {**npz.to_parts(read_back()), **changes}


def read_back():
    from manyviews import Dataset

    return Dataset(VIEWS, np.arange(4), ("u",), {"split": np.zeros(4)})


def save(path, arrays):
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"manyviews_format": np.array(2)}, "format version 2 .* newer release"),
        ({"manyviews_format": np.array("one")}, "not a positive integer"),
        ({"view1_indices": np.array([9, 0])}, "'b' has a CSR column index outside"),
        ({"view1_indices": np.array([-1, 0])}, "'b' has a CSR column index outside"),
        ({"view1_indptr": np.array([0, 9, 0, 2, 2])}, "'b' has CSR row pointers"),
        ({"view1_indptr": np.array([0, 2])}, "'b' has CSR row pointers"),
        ({"view1_indptr": np.zeros(5)}, "'b' has CSR indices that are no integers"),
        ({"view1_shape": np.array([4, -5])}, "'b' has no valid shape"),
        ({"view1_data": np.ones((2, 1))}, "'b' has CSR parts that are not vectors"),
        ({"view0": np.ones((3, 3))}, "view 'a' has 3 rows but view 'b' has 4"),
        ({"view0": np.ones(4)}, "needs two dimensions"),
        ({"observed": np.ones((4, 3), dtype=bool)}, "observed has shape"),
        ({"y": np.arange(3)}, "'y' has not one row"),
        ({"extra0": np.arange(3)}, "'split' has not one row"),
        ({"header": np.frombuffer(b"{", dtype=np.uint8)}, "is damaged"),
        ({"header": np.frombuffer(b"[]", dtype=np.uint8)}, "is damaged"),
    ],
)
def test_npz_with_inconsistent_parts_is_refused(tmp_path, changes, match):
    assert_refused(save(tmp_path / "bad.npz", parts(**changes)), match)


@pytest.mark.parametrize("key", ["header", "observed", "view0", "view1_indptr", "extra0"])
def test_npz_with_a_missing_part_is_refused(tmp_path, key):
    arrays = parts()
    del arrays[key]
    assert_refused(save(tmp_path / "bad.npz", arrays), f"the part '{key}' is missing")


@pytest.mark.parametrize("base", [{"view_a": np.eye(3)}, parts()])
def test_pickles_are_never_opened(tmp_path, base):
    class Bomb:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "exploded",))

    bomb = np.array([Bomb(), None, None, None], dtype=object)
    assert_refused(save(tmp_path / "bad.npz", {**base, "y": bomb}), "the part 'y' is pickled")
    assert not (tmp_path / "exploded").exists()


def test_a_part_longer_than_its_header_says_is_refused(tmp_path):
    buffer = io.BytesIO()
    np.save(buffer, np.eye(2))
    with zipfile.ZipFile(tmp_path / "bad.npz", "w") as archive:
        archive.writestr("view_a.npy", buffer.getvalue() + b"more")
    assert_refused(tmp_path / "bad.npz", "'view_a' is longer than it says")


def test_a_part_that_announces_too_much_is_refused(tmp_path):
    buffer = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (2**58, 1)}
    np.lib.format.write_array_header_1_0(buffer, header)
    with zipfile.ZipFile(tmp_path / "bad.npz", "w") as archive:
        archive.writestr("view_a.npy", buffer.getvalue())
    assert_refused(tmp_path / "bad.npz")


def test_npz_without_views_is_refused(tmp_path):
    assert_refused(save(tmp_path / "bad.npz", {"weights": np.eye(2)}), "holds no views")


# -- h5mu ----------------------------------------------------------------------------------------


def test_h5mu_of_a_later_version_is_refused(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "later.h5mu"
    write(VIEWS, path)
    with h5py.File(path, "r+") as file:
        file["uns/manyviews/format"][()] = 7
    assert_refused(path, "was edited in place")
    with path.open("rb+") as file:  # as if it had been written so
        file.seek(h5mu.PLACE)
        file.write(bytes(h5mu.BLOCK - h5mu.PLACE))
    h5mu.seal(path)
    assert_refused(path, "format version 7")


# -- folders -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("toml", "match"),
    [
        ("[views.a", "not valid TOML"),
        ("", "names no views"),
        ("views = 3", "names no views"),
        ("[views.a]\nformat = 'csv'", "'a' names no file"),
        ("[views.a]\nfile = 3", "entry 'file' of the wrong type"),
        ("[views.a]\nfile = 'a.csv'\nsparse = 'no'", "entry 'sparse' of the wrong type"),
        ("[views.a]\nfile = 'a.csv'\nn_features = true", "entry 'n_features' of the wrong type"),
        ("[views.a]\nfile = 'a.csv'\nfle = 3", "unknown entry 'fle'"),
        ("[views.a]\nfile = 'a.xlsx'", "no format that is known"),
        ("[views.a]\nfile = 'a.csv'\nseparator = ''", "separator"),
        ("manyviews_format = 2\n[views.a]\nfile = 'a.csv'", "format version 2"),
        ("manyviews_format = true\n[views.a]\nfile = 'a.csv'", "not a positive integer"),
        ("label_names = 'u'\n[views.a]\nfile = 'a.csv'", "'label_names' is not a list"),
        ("y = 'u'\n[views.a]\nfile = 'a.csv'", "'y' is not a table"),
    ],
)
def test_views_toml_that_makes_no_sense_is_refused(tmp_path, toml, match):
    (tmp_path / "views.toml").write_text(toml)
    (tmp_path / "a.csv").write_text("x\n1\n")
    assert_refused(tmp_path, match, named=tmp_path / "views.toml")


@pytest.mark.parametrize(
    ("toml", "match"),
    [
        ("[views.a]\nfile = 'gone.csv'", "'gone.csv', which is not there"),
        ("[views.a]\nfile = '../other.csv'", "outside of the folder"),
        ("[views.a]\nfile = 'link.csv'", "outside of the folder"),
        ("[views.a]\nfile = '/etc/hosts'\nformat = 'csv'", "outside of the folder"),
        ("labels = '../other.csv'\n[views.a]\nfile = 'a.csv'", "outside of the folder"),
        ("[y]\ncolumn = 'z'\n[views.a]\nfile = 'a.csv'", "there is no labels.csv"),
        ("[views.a]\nfile = 'a.csv'\ndtype = 'object'", "'object' is not a type"),
        ("[views.a]\nfile = 'a.csv'\ndtype = '?!'", "is not a type"),
        ("[views.a]\nfile = 'a.csv'\n[views.b]\nfile = 'b.csv'", "'b' has 2 rows and no ids"),
    ],
)
def test_folders_that_do_not_fit_together_are_refused(tmp_path, toml, match):
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "views.toml").write_text(toml)
    (folder / "a.csv").write_text("x\n1\n")
    (folder / "b.csv").write_text("x\n1\n2\n")
    (tmp_path / "other.csv").write_text("x\n1\n")
    (folder / "link.csv").symlink_to(tmp_path / "other.csv")
    assert_refused(folder, match)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "it is empty"),
        ("x,z\n1\n", "row 0 has 1 cells under a header of 2"),
        ("x,z\n1,2\n1,red\n", "row 1 of the column 'z' has 'red', which is not a number"),
        ("id,x\np,1\np,2\n", "names the object 'p' twice"),
        ('id,x\np,"1\n', "is damaged or is no csv file"),
    ],
)
def test_tables_that_make_no_sense_are_refused(tmp_path, text, match):
    (tmp_path / "views.toml").write_text("[views.a]\nfile = 'a.csv'")
    (tmp_path / "a.csv").write_text(text)
    assert_refused(tmp_path, match, named=tmp_path / "a.csv")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "views.toml").write_text("[views.a]\nfile = 'a.csv'")
    (tmp_path / "a.csv").write_bytes("größe\n1\n".encode("latin-1"))
    assert_refused(tmp_path, "save it as UTF-8", named=tmp_path / "a.csv")


def test_a_row_that_got_lost_is_noticed(tmp_path):
    write(VIEWS, tmp_path / "set")
    table = tmp_path / "set" / "a.csv"
    table.write_text("".join(table.read_text().splitlines(keepends=True)[:-1]))
    assert_refused(tmp_path / "set", "'a' has no row for the object 'q'")


def test_a_mask_of_an_unknown_view_is_refused(tmp_path):
    write(VIEWS, tmp_path / "set")
    mask = tmp_path / "set" / "observed.csv"
    mask.write_text(mask.read_text().replace("id,a,b", "id,a,c"))
    assert_refused(tmp_path / "set", "names the view 'c'")


# -- what cannot be written, or is not there -----------------------------------------------------


@pytest.mark.parametrize("name", ["s.npz", "s.h5mu", "s"])
@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"y": [("u", 1), None, "v", "u"]}, r"y holds \('u', 1\) in row 0, a tuple"),
        ({"y": [1, 2]}, "y has the shape"),
        ({"extra": {"e": np.zeros(3)}}, "extra 'e' has the shape"),
        ({"extra": {"e": np.zeros(4, dtype=complex)}}, "extra 'e' has the type complex128"),
        ({"extra": {3: np.zeros(4)}}, "the name 3, which is not a string"),
        ({"y": ["\ud800", None, None, None]}, "no valid Unicode"),
    ],
)
def test_what_cannot_be_stored_is_refused_before_anything_is_written(tmp_path, name, given, match):
    with pytest.raises(ViewsError, match=match):
        write(VIEWS, tmp_path / name, **given)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "view_format", "match"),
    [
        ("s.npy", "auto", "suffix '.npy'"),
        ("s.npz", "csv", "format='csv' is for folders"),
        ("s", "excel", "format should be"),
    ],
)
def test_targets_that_make_no_sense_are_refused(tmp_path, name, view_format, match):
    with pytest.raises(ValueError, match=match):
        write(VIEWS, tmp_path / name, format=view_format)


def test_absent_paths_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is nothing at .*gone\.npz"):
        read(tmp_path / "gone.npz")
    with pytest.raises(FileNotFoundError, match=r"no views\.toml"):
        read(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write(VIEWS, tmp_path / "gone" / "s.npz")


def test_other_kinds_of_files_are_refused(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps({"a": 1}))
    assert_refused(tmp_path / "s.json", "no kind that is known")
