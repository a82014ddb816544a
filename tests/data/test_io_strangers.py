"""Files of strangers: none reaches for other files, crashes the process, or fills the memory."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from manyviews import Views, read, write
from manyviews.data import sparse_fault
from manyviews.data.io import safety
from manyviews.data.io.h5mu import loaded
from manyviews.exceptions import FileFormatError, ViewsError

h5py = pytest.importorskip("h5py")

VIEWS = Views({"a": np.arange(12.0).reshape(4, 3), "b": sparse.csr_array(np.eye(4, 5))})


def refused(path, match, **options):
    with pytest.raises(FileFormatError, match=match) as caught:
        read(path, **options)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


# -- HDF5 ----------------------------------------------------------------------------------------


@pytest.fixture
def h5mu(tmp_path):
    """A file of views as others write it: without our checksum, free to be edited."""
    anndata = pytest.importorskip("anndata")
    path = tmp_path / "set.h5mu"
    names = [f"o{row}" for row in range(4)]
    tables = {}
    for name, matrix in VIEWS.items():
        tables[name] = anndata.AnnData(matrix)
        tables[name].obs_names = names
        tables[name].var_names = [f"{name}{column}" for column in range(matrix.shape[1])]
    with loaded() as mudata:
        mudata.MuData(tables).write(path)
    return path


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.bin"
    path.write_bytes(np.full(12, 42.0).tobytes())
    return path


def replaced(path, make):
    """Put something else in the place of the matrix of the first view."""
    with h5py.File(path, "r+") as file:
        attributes = dict(file["mod/a/X"].attrs)
        del file["mod/a/X"]
        make(file)
        if file.get("mod/a/X", getlink=True).__class__ is h5py.HardLink:
            file["mod/a/X"].attrs.update(attributes)


def test_the_file_is_read_before_it_is_spoilt(h5mu):
    assert np.array_equal(read(h5mu).views["a"], VIEWS["a"])


def test_external_storage_is_refused(h5mu, secret):
    def make(file):
        stored = [(str(secret), 0, 96)]
        file.create_dataset("mod/a/X", (4, 3), "f8", external=stored)

    replaced(h5mu, make)
    refused(h5mu, "/mod/a/X takes its values from another file")


def test_virtual_datasets_are_refused(h5mu, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["X"] = np.ones((4, 3))

    def make(file):
        layout = h5py.VirtualLayout((4, 3), "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "X", (4, 3))
        file.create_virtual_dataset("mod/a/X", layout)

    replaced(h5mu, make)
    refused(h5mu, "/mod/a/X takes its values from another file")


@pytest.mark.parametrize("kind", ["external", "soft", "dangling"])
def test_links_are_refused(h5mu, tmp_path, kind):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["X"] = np.ones((4, 3))
    links = {
        "external": h5py.ExternalLink(str(tmp_path / "other.h5"), "/X"),
        "soft": h5py.SoftLink("/mod/b/X/data"),
        "dangling": h5py.SoftLink("/nowhere"),
    }
    replaced(h5mu, lambda file: file["mod/a"].__setitem__("X", links[kind]))
    refused(h5mu, "/mod/a/X is a link")


def test_links_anywhere_are_refused(h5mu, tmp_path):
    with h5py.File(h5mu, "r+") as file:
        file.create_group("mod/b/uns/deep/deeper")["more"] = h5py.ExternalLink("x.h5", "/")
    refused(h5mu, "/mod/b/uns/deep/deeper/more is a link")


def test_a_group_within_itself_is_refused(h5mu):
    with h5py.File(h5mu, "r+") as file:
        loop = file.create_group("mod/b/uns/loop")
        loop["again"] = loop
    refused(h5mu, "has another name in it")


def test_a_filter_that_is_not_installed_is_named(h5mu):
    def make(file):
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((4, 3))
        properties.set_filter(399, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple((4, 3))
        h5py.h5d.create(file.id, b"mod/a/X", h5py.h5t.NATIVE_DOUBLE, space, properties)

    replaced(h5mu, make)
    refused(h5mu, "filter .* which is not installed here")


@pytest.mark.parametrize(
    ("part", "place", "value"),
    [("indices", 1, 10**6), ("indices", 0, -5), ("indptr", 2, 10**6), ("indptr", 2, -3)],
)
def test_wild_indices_in_an_h5mu_file_are_refused(h5mu, part, place, value):
    with h5py.File(h5mu, "r+") as file:
        file[f"mod/b/X/{part}"][place] = value
    refused(h5mu, "'b' has .*CSR")


def test_an_h5mu_file_of_nothing_but_a_size_is_refused(h5mu):
    """A dataset that was never written takes no room on the disk."""

    def make(file):
        file.create_dataset("mod/a/X", (4, 10**9), "f8", chunks=(1, 1000))

    replaced(h5mu, make)
    refused(h5mu, r"would become 32\.0 GB in memory")


# -- CSR in memory, and in folders ---------------------------------------------------------------


def spoilt(make, part, value):
    matrix = make(np.eye(4, 5))
    getattr(matrix, part)[-1] = value
    return matrix


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.bsr_array])
@pytest.mark.parametrize(("part", "value"), [("indices", 99), ("indices", -1), ("indptr", 1)])
def test_wild_indices_in_memory_are_refused(make, part, value):
    matrix = spoilt(make, part, value)
    assert sparse_fault(make(np.eye(4, 5))) is None
    assert sparse_fault(matrix)
    with pytest.raises(ViewsError, match=r"view 'a' has .*; build the matrix again"):
        Views({"a": matrix})


def test_wild_coordinates_in_memory_are_refused():
    matrix = sparse.coo_array(np.eye(4, 5))
    matrix.coords[0][0] = 99
    with pytest.raises(ViewsError, match="coordinates"):
        Views({"a": matrix})


def test_room_to_grow_behind_the_values_is_no_fault():
    matrix = sparse.csr_array(np.eye(3))
    matrix.data, matrix.indices = np.r_[matrix.data, 9.0], np.r_[matrix.indices, 77]
    assert np.array_equal(Views({"a": matrix})["a"].toarray(), np.eye(3))


def test_indices_that_do_not_fit_the_type_stated_for_them_are_refused(tmp_path):
    lines = 'file = "a.svm"\nn_features = 300\nfirst_index = 0\nindex_dtype = "int8"\n'
    (tmp_path / "views.toml").write_text(f"[views.a]\n{lines}")
    (tmp_path / "a.svm").write_text("0 3:1 299:2\n0 4:1\n")
    refused(tmp_path, "beyond the type int8")


# -- sizes ---------------------------------------------------------------------------------------


def npz_of_zeros(path, n_values):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        buffer = io.BytesIO()
        header = {"descr": "<f8", "fortran_order": False, "shape": (n_values // 4, 4)}
        np.lib.format.write_array_header_1_0(buffer, header)
        with archive.open("view_a.npy", "w", force_zip64=True) as member:
            member.write(buffer.getvalue())
            for _ in range(n_values // 4096):
                member.write(bytes(8 * 4096))
    return path


def test_an_npz_file_that_grows_too_much_is_refused_before_it_does(tmp_path, monkeypatch):
    path = npz_of_zeros(tmp_path / "bomb.npz", 1 << 20)
    assert len(read(path).views) == 1 << 18
    monkeypatch.setattr(safety, "ALWAYS", 1 << 22)
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **__: pytest.fail("too early"))
    refused(path, r"has [\d.]+ kB and would become 8\.4 MB in memory where .*MAX_BYTES=8")


def test_the_limit_can_be_raised_and_lowered(tmp_path, monkeypatch):
    path = npz_of_zeros(tmp_path / "large.npz", 1 << 20)
    refused(path, "allow more by max_bytes", max_bytes=10**6)
    monkeypatch.setenv(safety.VARIABLE, "1000000")
    refused(path, safety.VARIABLE)
    assert len(read(path, max_bytes=10**7).views) == 1 << 18
    monkeypatch.setenv(safety.VARIABLE, "10000000")
    assert len(read(path).views) == 1 << 18


@pytest.mark.parametrize(
    ("on_disk", "declared", "is_read"),
    [
        (1_900_000, 2_400_000_000, False),
        (500_000, 500_000_000, False),
        (1_000, 200_000_000, True),  # small enough for anybody
        (10_000_000, 1_500_000_000, True),  # zeros for the most part
        (50_000_000, 8_000_000_000, False),
        (10_000_000_000, 11_000_000_000, True),  # as large as it looks
    ],
)
def test_what_is_read_unasked(tmp_path, on_disk, declared, is_read):
    path = tmp_path / "file"
    path.touch()
    os.truncate(path, on_disk)
    if is_read:
        safety.check_size(path, declared)
    else:
        with pytest.raises(FileFormatError, match="would become"):
            safety.check_size(path, declared)


def test_mostly_empty_dense_views_are_read_unasked(tmp_path):
    """Dense with one cell in five hundred filled, and compressed: an honest file."""
    rng = np.random.default_rng(0)
    matrix = np.where(rng.random((2000, 2000)) < 1 / 500, rng.normal(size=(2000, 2000)), 0.0)
    np.savez_compressed(tmp_path / "words.npz", view_words=matrix)
    size = (tmp_path / "words.npz").stat().st_size
    assert matrix.nbytes < safety.GROWTH * size
    assert np.array_equal(read(tmp_path / "words.npz").views["words"], matrix)


def test_values_that_take_no_bytes_are_refused(tmp_path):
    buffer = io.BytesIO()
    header = {"descr": "<U0", "fortran_order": False, "shape": (1 << 40,)}
    np.lib.format.write_array_header_1_0(buffer, header)
    with zipfile.ZipFile(tmp_path / "bad.npz", "w") as archive:
        archive.writestr("ids.npy", buffer.getvalue())
    refused(tmp_path / "bad.npz", "'ids' has more values than bytes")


def test_a_line_that_names_a_feature_far_away_does_not_fill_the_memory(tmp_path):
    (tmp_path / "views.toml").write_text('[views.a]\nfile = "a.svm"\nsparse = false\n')
    (tmp_path / "a.svm").write_text("0 1:1 2000000000:2\n0 4:1\n")
    refused(tmp_path, r"would become 32\.0 GB")


def test_a_parquet_file_that_repeats_itself_is_refused(tmp_path, monkeypatch):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"x": np.zeros(1 << 20)}), tmp_path / "a.parquet")
    (tmp_path / "views.toml").write_text('[views.a]\nfile = "a.parquet"\n')
    assert len(read(tmp_path).views) == 1 << 20
    monkeypatch.setattr(safety, "ALWAYS", 1 << 22)
    refused(tmp_path, r"a\.parquet has [\d.]+ kB and would become 8\.4 MB")


# -- names that are claimed ----------------------------------------------------------------------


def test_what_another_writer_holds_is_refused_at_once(tmp_path):
    from manyviews.data import replaced_file, replaced_folder

    with replaced_folder(tmp_path / "set"), pytest.raises(FileExistsError, match="another process"):
        write(VIEWS, tmp_path / "set")
    with replaced_file(tmp_path / "set.npz") as temporary:
        with pytest.raises(FileExistsError, match="another process is writing"):
            write(VIEWS, tmp_path / "set.npz")
        write(VIEWS, tmp_path / "other.npz")
        temporary.write_bytes(b"mine")
    assert (tmp_path / "set.npz").read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] == ".") == []


def test_a_folder_that_appears_meanwhile_is_not_replaced(tmp_path):
    from manyviews.data import replaced_folder

    def check(path):
        if path.exists() and any(path.iterdir()):
            raise FileExistsError("somebody was here")

    def meanwhile():
        with replaced_folder(tmp_path / "set", check) as temporary:
            (temporary / "ours.txt").touch()
            (tmp_path / "set").mkdir()
            (tmp_path / "set" / "theirs.txt").touch()

    with pytest.raises(FileExistsError, match="somebody was here"):
        meanwhile()
    assert [path.name for path in (tmp_path / "set").iterdir()] == ["theirs.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    from manyviews.data import replaced_file

    def meanwhile():
        with replaced_file(tmp_path / "a.csv", overwrite=False) as temporary:
            temporary.write_text("ours")
            (tmp_path / "a.csv").write_text("theirs")

    with pytest.raises(FileExistsError, match="exists already"):
        meanwhile()
    assert (tmp_path / "a.csv").read_text() == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("content", ["", "../elsewhere", "other name"])
def test_a_lock_that_somebody_made_up_moves_nothing(tmp_path, content):
    folder = tmp_path / "inner"
    folder.mkdir()
    (folder / ".manyviews-0123456789abcdef.lock").write_text(content)
    for ending in ("old", "new"):
        (folder / f".manyviews-0123456789abcdef.{ending}").mkdir()
    write(VIEWS, folder / "set.npz")
    assert read(folder / "set.npz").views.equals(VIEWS)
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert not Path(folder, "other name").exists()


# -- what is no file, or no file of the folder ----------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
@pytest.mark.parametrize("name", ["set.npz", "set.h5mu", "set.csv", "set.parquet", "set.svm"])
def test_a_pipe_is_refused_before_it_is_opened(tmp_path, name):
    os.mkfifo(tmp_path / name)
    refused(tmp_path / name, "is a pipe or a device")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
@pytest.mark.parametrize("name", ["b.csv", "labels.csv"])
def test_a_pipe_among_the_tables_of_a_folder_is_refused(tmp_path, name):
    (tmp_path / "a.csv").write_text("id,p\nann,1\nbob,2\n")
    os.mkfifo(tmp_path / name)
    refused(tmp_path, "is a pipe or a device")


def test_labels_of_a_folder_are_in_it(tmp_path):
    (tmp_path / "secret.csv").write_text("id,label\nann,1\nbob,2\n")
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "a.csv").write_text("id,p\nann,1\nbob,2\n")
    (folder / "labels.csv").symlink_to(tmp_path / "secret.csv")
    refused(folder, "labels.csv is a link to a file outside")


def test_two_parts_of_an_npz_file_with_one_name_are_refused(tmp_path):
    path = tmp_path / "twice.npz"
    content = io.BytesIO()
    np.save(content, np.eye(3))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("view_a.npy", content.getvalue())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("view_a.npy", content.getvalue())
    refused(path, "two parts 'view_a'")


# -- few bytes that stand for many texts ----------------------------------------------------------


def test_a_long_text_that_many_rows_point_to_is_refused(h5mu, monkeypatch):
    monkeypatch.setattr(safety, "ALWAYS", 1 << 20)
    monkeypatch.setattr(safety, "GROWTH", 1)
    with h5py.File(h5mu, "r+") as file:
        kind = h5py.string_dtype()
        once = file.create_dataset("uns/once", shape=(1,), dtype=kind, chunks=(1,))
        once[0] = "x" * 10_000
        file.flush()
        pointer = once.id.read_direct_chunk((0,))[1]
        often = file.create_dataset("uns/often", shape=(1000,), dtype=kind, chunks=(1000,))
        often.id.write_direct_chunk((0,), 1000 * pointer)
    refused(h5mu, "would become 1.*MB in memory")


def test_a_chunk_that_is_larger_than_its_values_counts_as_large(h5mu):
    with h5py.File(h5mu, "r+") as file:
        options = {"maxshape": (None, None), "chunks": (2**13, 2**13), "compression": "gzip"}
        file.create_dataset("uns/few", shape=(1, 1), dtype=float, **options)
    refused(h5mu, "would become 536.9 MB")


@pytest.mark.parametrize("options", [{}, {"fletcher32": True}])
def test_a_chunk_that_unpacks_to_more_than_it_declares_is_refused(h5mu, monkeypatch, options):
    monkeypatch.setattr(safety, "ALWAYS", 1 << 20)
    monkeypatch.setattr(safety, "GROWTH", 1)
    with h5py.File(h5mu, "r+") as file:
        options = {"chunks": (4,), "compression": "gzip", "dtype": float, **options}
        file.create_dataset("uns/honest", shape=(4,), data=np.ones(4), **options)
        grown = file.create_dataset("uns/grown", shape=(4,), **options)
        grown.id.write_direct_chunk((0,), zlib.compress(bytes(10**7), 9))
    refused(h5mu, "/uns/grown has a chunk that unpacks to more than the 32 bytes")


def test_chunks_that_shrank_by_much_are_read_where_they_unpack_to_what_they_declare(
    h5mu, monkeypatch
):
    monkeypatch.setattr(safety, "ALWAYS", 1 << 20)
    monkeypatch.setattr(safety, "GROWTH", 1)
    with h5py.File(h5mu, "r+") as file:
        options = {"chunks": (10**5,), "compression": "gzip", "fletcher32": True}
        file.create_dataset("uns/zeros", data=np.arange(10**5) // 100 * 1.0, **options)
    assert len(read(h5mu).views) == 4


def test_a_dataset_that_is_compressed_twice_is_refused(h5mu):
    def make(file):
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((4, 3))
        for level in (1, 2):
            properties.set_filter(h5py.h5z.FILTER_DEFLATE, h5py.h5z.FLAG_OPTIONAL, (level,))
        space = h5py.h5s.create_simple((4, 3))
        h5py.h5d.create(file.id, b"mod/a/X", h5py.h5t.NATIVE_DOUBLE, space, properties)

    replaced(h5mu, make)
    refused(h5mu, "/mod/a/X is compressed twice")


def test_long_texts_of_a_parquet_file_that_are_stored_once_are_refused(tmp_path, monkeypatch):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.setattr(safety, "ALWAYS", 1 << 20)
    path = tmp_path / "long.parquet"
    notes = arrow.array(["x" * 10_000] * 200)
    parquet.write_table(arrow.table({"id": notes, "a": np.arange(200.0)}), path)
    refused(path, "would become 2.0 MB in memory")


def test_lists_in_a_parquet_file_count_with_all_their_values(tmp_path, monkeypatch):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.setattr(safety, "ALWAYS", 1 << 20)
    path = tmp_path / "lists.parquet"
    lists = arrow.array([[None] * 200_000, []], arrow.list_(arrow.float64()))
    parquet.write_table(arrow.table({"a": lists}), path)
    refused(path, "would become 1.6 MB in memory")


@pytest.mark.parametrize("key", ["y", "sample_ids"])
def test_a_type_of_texts_that_would_fill_the_memory_is_refused(tmp_path, key):
    write(VIEWS, tmp_path / "set", y=list("abab"))
    toml = tmp_path / "set" / "views.toml"
    column = "y" if key == "y" else "id"
    text = toml.read_text().split("[y]")
    entry = f'[{key}]\ncolumn = "{column}"\ndtype = "<U500000000"\n\n'
    toml.write_text(f"{text[0]}{entry}[views{text[1].partition('[views')[2]}")
    refused(tmp_path / "set", "would take 8,000,000,000 bytes")
