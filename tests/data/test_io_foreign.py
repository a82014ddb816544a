"""Files that others made: plain npz, MuData, folders made by hand."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from manyviews import Dataset, Views, read, write
from manyviews.data.io.h5mu import not_pulling
from manyviews.data.io.sheet import read_label_file
from manyviews.exceptions import FileFormatError, MissingExtraError

DATA = os.environ.get("MANYVIEWS_DATA")
MATRIX_FILES = sorted(Path(DATA).glob("*/*.npz")) if DATA else []


# -- plain npz -----------------------------------------------------------------------------------


def csr_keys(name, matrix):
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    return {f"view_{name}_{k}": a for k, a in {**parts, "shape": np.array(matrix.shape)}.items()}


def test_keys_name_the_views_in_their_order(tmp_path):
    words = sparse.csr_array(np.array([[0, 1, 0], [2, 0, 0]], dtype=np.uint8))
    np.savez_compressed(
        tmp_path / "s.npz",
        **csr_keys("words", words),
        view_shape=np.array([[1, 2], [3, 4]], dtype=np.int16),
        view_cube=np.arange(16.0).reshape(2, 2, 4),
        present_shape=np.array([True, False]),
        feature_names_words=np.array(["a", "b", "c"]),
        ids=np.array(["p", "q"]),
        y=np.array([1, 0]),
        label_names=np.array(["no", "yes"]),
        y_other=np.array([[1, 2], [3, 4]]),
        other_names=np.array(["one", "two", "three"]),
    )
    found = read(tmp_path / "s.npz")
    assert found.views.names == ("words", "shape", "cube")
    assert found.views["words"].toarray().tolist() == [[0, 1, 0], [2, 0, 0]]
    assert found.views["cube"].tolist() == [list(range(8)), list(range(8, 16))]
    assert found.views.observed.tolist() == [[True, True, True], [True, False, True]]
    assert found.views.feature_names["words"].tolist() == ["a", "b", "c"]
    assert found.views.sample_ids.tolist() == ["p", "q"]
    assert found.y.tolist() == [1, 0]
    assert found.label_names == ("no", "yes")
    assert list(found.extra) == ["y_other"]
    assert found.name == "s"


def test_one_matrix_is_one_view_and_kernels_are_several(tmp_path):
    np.savez(tmp_path / "x.npz", X=np.eye(2), feature_names=np.array(["a", "b"]))
    views, y = read(tmp_path / "x.npz")
    assert views.names == ("X",)
    assert views.feature_names["X"].tolist() == ["a", "b"]
    assert y is None
    np.savez(tmp_path / "k.npz", kernels=np.stack([np.eye(3), np.ones((3, 3))]))
    assert read(tmp_path / "k.npz").views.names == ("kernel0", "kernel1")


def test_labels_may_have_a_name_of_their_own(tmp_path):
    family = {"family": np.array([0, 1, 0]), "family_names": np.array(["stop", "vowel"])}
    np.savez(tmp_path / "s.npz", view_a=np.eye(3), a_names=np.array(list("xyz")), **family)
    found = read(tmp_path / "s.npz")
    assert found.y.tolist() == [0, 1, 0]
    assert found.label_names == ("stop", "vowel")
    assert found.views.feature_names["a"].tolist() == ["x", "y", "z"]
    assert found.extra == {}


@pytest.mark.data
@pytest.mark.parametrize("path", MATRIX_FILES, ids=lambda path: getattr(path, "stem", "none"))
def test_real_files_are_read_like_by_numpy(path):
    found = read(path)
    with np.load(path) as raw:
        for name, matrix in found.views.items():
            seen = found.views.observed_in(name)
            if f"view_{name}_data" in raw:
                shape = tuple(raw[f"view_{name}_shape"])
                keys = (f"view_{name}_{part}" for part in ("data", "indices", "indptr"))
                meant = sparse.csr_array(tuple(raw[key] for key in keys), shape=shape)
                assert abs(matrix - meant)[seen].sum() == 0
            elif name.startswith("kernel"):
                assert np.array_equal(matrix, raw["kernels"][int(name[6:])])
            else:
                meant = raw["X"] if name == "X" else raw[f"view_{name}"].reshape(len(matrix), -1)
                assert np.array_equal(matrix[seen], meant[seen], equal_nan=True)
        assert np.array_equal(found.y, raw["y" if "y" in raw else "family"])
        assert all(np.array_equal(values, raw[key]) for key, values in found.extra.items())


# -- MuData --------------------------------------------------------------------------------------


@pytest.fixture
def mudata():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = pytest.importorskip("mudata")
        with not_pulling(package):
            yield package


VIEWS = Views(
    {"rna": np.arange(8.0).reshape(4, 2), "a/b": sparse.csr_array(np.eye(4, 3))},
    observed=np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool),
    feature_names={"rna": ["g1", "g2"]},
    sample_ids=["p", "q", "r", "s"],
)


def test_muon_sees_what_its_users_expect(tmp_path, mudata):
    y = np.array(["u", None, "v", "u"], dtype=object)
    write(VIEWS, tmp_path / "s.h5mu", y=y, label_names=["u", "v"])
    found = mudata.read_h5mu(tmp_path / "s.h5mu")
    assert list(found.mod) == ["rna", "a_b"]
    assert list(found["rna"].obs_names) == ["p", "q"]
    assert list(found["a_b"].obs_names) == ["q", "r"]
    assert list(found["rna"].var_names) == ["g1", "g2"]
    assert sparse.issparse(found["a_b"].X)
    assert found["rna"].X.tolist() == [[0, 1], [2, 3]]
    assert found.obs["y"].loc["p"] == "u"
    assert found.obs["y"].isna().loc["q"]


def test_what_muon_changes_is_read_back(tmp_path, mudata):
    write(VIEWS, tmp_path / "s.h5mu", y=[3, -1, 5, 6], extra={"split": np.arange(4)})
    changed = mudata.read_h5mu(tmp_path / "s.h5mu")
    changed.mod["rna"] = changed["rna"][:, ["g2"]].copy()
    changed.update()
    changed = changed[["r", "q"]].copy()
    changed.write(tmp_path / "t.h5mu")
    found = read(tmp_path / "t.h5mu")
    assert found.views.sample_ids.tolist() == ["q", "r", "s"]
    assert found.views["rna"][0].tolist() == [3.0]
    assert found.views.feature_names["rna"].tolist() == ["g2"]
    assert found.views.names == ("rna", "a/b")
    assert found.y.tolist() == [-1, 5, 6]
    assert found.extra["split"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("column", "values", "meant"),
    [
        ("y", [1, 2, 3], [1, 2, 3]),
        ("label", ["u", None, "v"], ["u", None, "v"]),
        ("label", ["u", "w", "v"], ["u", "w", "v"]),
        ("y", [0.5, np.nan, 1.0], [0.5, np.nan, 1.0]),
        ("kind", ["u", "w", "v"], None),
    ],
)
def test_foreign_mudata(tmp_path, mudata, column, values, meant):
    anndata, pd = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    rna = anndata.AnnData(np.eye(2), obs=pd.DataFrame(index=["p", "q"]))
    atac = anndata.AnnData(sparse.csr_matrix(np.eye(2, 3)), obs=pd.DataFrame(index=["r", "p"]))
    container = mudata.MuData({"rna": rna, "atac": atac})
    container.obs[column] = pd.Series(values, index=["p", "q", "r"])
    container.write(tmp_path / "s.h5mu")
    found = read(tmp_path / "s.h5mu")
    rows = [found.views.sample_ids.tolist().index(key) for key in "pqr"]
    assert found.views.observed[rows].tolist() == [[True, True], [True, False], [False, True]]
    assert found.views["atac"].toarray()[rows].tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    if meant is None:
        assert found.y is None
    else:
        np.testing.assert_array_equal(found.y[rows], np.array(meant, dtype=found.y.dtype))


def test_mudata_that_shares_features_is_refused(tmp_path, mudata):
    anndata = pytest.importorskip("anndata")
    batches = {"one": anndata.AnnData(np.eye(2)), "two": anndata.AnnData(np.eye(2))}
    mudata.MuData(batches, axis=1).write(tmp_path / "s.h5mu")
    with pytest.raises(FileFormatError, match="share features"):
        read(tmp_path / "s.h5mu")


# -- folders made by hand ------------------------------------------------------------------------


def folder_of(folder, **files):
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def test_a_minimal_folder(tmp_path):
    toml = '[views.text]\nfile = "text.csv"\n'
    found = read(folder_of(tmp_path, views_toml=toml, text_csv="price,size\n1,2\n,4\n,\n"))
    np.testing.assert_array_equal(found.views["text"], [[1, 2], [np.nan, 4], [np.nan, np.nan]])
    assert found.views.observed[:, 0].tolist() == [True, True, False]
    assert found.views.feature_names["text"].tolist() == ["price", "size"]
    assert found.views.sample_ids is None
    assert found.y is None
    assert read(tmp_path / "views.toml").views.equals(found.views)


def test_objects_are_matched_by_their_ids(tmp_path):
    toml = '[views.a]\nfile = "a.csv"\n[views.b]\nfile = "b.tsv"\nid = "who"\n'
    found = read(
        folder_of(
            tmp_path,
            views_toml=toml,
            a_csv="id,x\nq,1\np,2\n",
            b_tsv="z\twho\n3\tr\n4\tq\n",
            labels_csv="id,label,age,town\nr,yes,3,\np,,4,Ulm\n",
        )
    )
    assert found.views.sample_ids.tolist() == ["r", "p", "q"]
    np.testing.assert_array_equal(found.views["a"][:, 0], [np.nan, 2, 1])
    np.testing.assert_array_equal(found.views["b"][:, 0], [3, np.nan, 4])
    assert found.y.tolist() == ["yes", None, None]
    assert found.extra["age"].tolist() == [3, 4, -1]
    assert found.extra["town"].tolist() == [None, "Ulm", None]


def test_svmlight_and_a_mask_by_hand(tmp_path):
    toml = (
        '[y]\ncolumn = "c"\n[views.w]\nfile = "w.svm"\n[views.x]\nfile = "x.csv"\nsparse = true\n'
    )
    found = read(
        folder_of(
            tmp_path,
            views_toml=toml,
            w_svm="1 1:0.5 4:2 # first\n0\n0 2:1\n",
            x_csv="u,v\n,1\n2,\n,\n",
            observed_csv="w\n1\n1\n0\n",
            labels_csv="c\n1\n\n2\n".replace("\n\n", '\n""\n'),
        )
    )
    assert found.views["w"].toarray().tolist() == [[0.5, 0, 0, 2], [0] * 4, [0] * 4]
    assert found.views.observed.tolist() == [[True, True], [True, True], [False, True]]
    assert found.views["x"].toarray().tolist() == [[0, 1], [2, 0], [0, 0]]
    assert found.views["x"].nnz == 2
    assert found.y.tolist() == [1, -1, 2]


@pytest.mark.parametrize(
    ("cells", "meant"),
    [
        (["1", "-2"], np.array([1, -2])),
        (["1", ""], np.array([1, -1])),
        (["1.5", ""], np.array([1.5, np.nan])),
        (["007", "012"], np.array(["007", "012"])),
        (["true", "False"], np.array([True, False])),
        (["x", ""], np.array(["x", None], dtype=object)),
    ],
)
def test_labels_by_hand_get_the_type_they_look_like(tmp_path, cells, meant):
    labels = "id,y\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    toml = '[views.a]\nfile = "a.csv"\n'
    found = read(folder_of(tmp_path, views_toml=toml, a_csv="id,x\n0,1\n1,2\n", labels_csv=labels))
    np.testing.assert_array_equal(found.y, meant)
    assert found.y.dtype.kind == meant.dtype.kind
    assert found.views.sample_ids.tolist() == [0, 1]


@pytest.mark.parametrize("named", [True, False])
def test_parquet_by_pandas(tmp_path, named):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    index = pd.Index(["p", "q"]) if named else None
    frame = pd.DataFrame({"n": [1, 2], "f": [0.5, None], "b": [True, False]}, index=index)
    frame.to_parquet(tmp_path / "a.parquet")
    found = read(folder_of(tmp_path, views_toml='[views.a]\nfile = "a.parquet"\n'))
    np.testing.assert_array_equal(found.views["a"], [[1, 0.5, 1], [2, np.nan, 0]])
    assert found.views.feature_names["a"].tolist() == ["n", "f", "b"]
    assert (found.views.sample_ids.tolist() == ["p", "q"]) if named else True


def test_parquet_with_text_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    pd.DataFrame({"n": ["red", "blue"]}).to_parquet(tmp_path / "a.parquet")
    folder_of(tmp_path, views_toml='[views.a]\nfile = "a.parquet"\n')
    with pytest.raises(FileFormatError, match=r"the column 'n' holds .* no numbers"):
        read(tmp_path)


# -- ids and labels by hand ----------------------------------------------------------------------

ONE_VIEW = '[views.a]\nfile = "a.csv"\n'


@pytest.mark.parametrize(
    "name", ["sample_id", "patientID", "PatientId", "id_ref", "subject id", "userid", "Unnamed: 0"]
)
@pytest.mark.parametrize("ids", [["7", "3", "5"], ["p", "q", "r"], ["007", "003", "005"]])
def test_a_first_column_that_is_called_like_ids_is_the_id(tmp_path, name, ids):
    rows = "".join(f"{key},{i}\n" for i, key in enumerate(ids))
    found = read(folder_of(tmp_path, views_toml=ONE_VIEW, a_csv=f"{name},x\n{rows}"))
    assert list(map(str, found.views.sample_ids)) == ids
    assert found.views.feature_names["a"].tolist() == ["x"]
    assert found.notes == (f"the ids of view 'a' are taken from its column {name!r}",)


def test_words_under_any_name_with_id_are_ids(tmp_path):
    found = read(folder_of(tmp_path, views_toml=ONE_VIEW, a_csv="identity,x\np,1\nq,2\n"))
    assert found.views.sample_ids.tolist() == ["p", "q"]


@pytest.mark.parametrize("name", ["width", "acid", "humidity", "grid", "solid", "mid"])
def test_numbers_under_other_names_are_features(tmp_path, name):
    found = read(folder_of(tmp_path, views_toml=ONE_VIEW, a_csv=f"{name},x\n7,1\n3,2\n"))
    assert found.views.feature_names["a"].tolist() == [name, "x"]
    assert found.views.sample_ids is None
    assert found.notes == ()


def test_measurements_are_no_ids_whatever_they_are_called(tmp_path):
    found = read(folder_of(tmp_path, views_toml=ONE_VIEW, a_csv="acid_id,x\n0.5,1\n0.7,2\n"))
    assert found.views.feature_names["a"].tolist() == ["acid_id", "x"]


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ("7,1\n7,2\n", "'patient_id' looks like ids and has some of them twice"),
        ("p,1\np,2\n", "'patient_id' looks like ids and has some of them twice"),
        ("7,1\n,2\n", "'patient_id' looks like ids and has none in row 1"),
    ],
)
def test_ids_that_tell_no_objects_apart_are_refused(tmp_path, cells, says):
    folder_of(tmp_path, views_toml=ONE_VIEW, a_csv=f"patient_id,x\n{cells}")
    with pytest.raises(FileFormatError, match=says):
        read(tmp_path)


def test_ids_in_parquet_are_found_like_in_csv(tmp_path):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"patient_id": [7, 3], "x": [0.5, 1.0]})
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    found = read(folder_of(tmp_path, views_toml='[views.a]\nfile = "a.parquet"\n'))
    assert found.views.sample_ids.tolist() == [7, 3]
    assert found.views.feature_names["a"].tolist() == ["x"]


def test_labels_of_objects_that_no_view_has_are_left_out_with_a_warning(tmp_path):
    folder_of(
        tmp_path,
        views_toml=ONE_VIEW,
        a_csv="id,x\np,1\nq,2\nr,3\n",
        labels_csv="id,label\nr,1\nstranger,0\np,0\n",
    )
    with pytest.warns(
        UserWarning, match=r"labels objects that are not in the data \(1, the first 'stranger'"
    ):
        found = read(tmp_path)
    assert found.views.sample_ids.tolist() == ["r", "p", "q"]
    assert found.y.tolist() == [1, 0, -1]
    assert found.views.observed.all()


def test_labels_of_none_of_the_objects_are_refused(tmp_path):
    labels = "id,label\n1,x\n2,y\n"
    folder_of(tmp_path, views_toml=ONE_VIEW, a_csv="id,x\np,1\nq,2\n", labels_csv=labels)
    with pytest.raises(FileFormatError, match="labels none of the objects in the data"):
        read(tmp_path)


def test_labels_by_row_number_are_put_in_order(tmp_path):
    labels = "id,label\n2,c\n0,a\n"
    found = read(folder_of(tmp_path, views_toml=ONE_VIEW, a_csv="x\n1\n2\n3\n", labels_csv=labels))
    assert found.y.tolist() == ["a", None, "c"]
    assert found.views.sample_ids is None


@pytest.mark.parametrize(
    "text",
    [
        "id,label\n2,1\n0,0\n1,-1\n",
        "patient_id,label\n2,1\n0,0\n",
        "label,id\n1,2\n0,0\n",
        "2,1\n0,0\n",
        "label\n0\n\n1\n",
        "0\n\n1\n",
        "class\n0\n\n1\n\n",
        "id,y,age\n2,1,30\n0,0,40\n",
        " id , label \n 2 , 1\n0,0\n",
    ],
)
@pytest.mark.parametrize("with_ids", [True, False])
def test_labels_in_a_folder_and_beside_it_read_the_same(tmp_path, text, with_ids):
    view = "id,x\n0,1\n1,2\n2,3\n" if with_ids else "x\n1\n2\n3\n"
    found = read(folder_of(tmp_path, views_toml=ONE_VIEW, a_csv=view, labels_csv=text))
    ids = range(3) if found.views.sample_ids is None else found.views.sample_ids
    beside = read_label_file(tmp_path / "labels.csv", ids)
    np.testing.assert_array_equal(beside, found.y)
    assert beside.dtype == found.y.dtype
    assert dict(zip(ids, found.y, strict=True)) == {0: 0, 1: -1, 2: 1}


# -- what else is promised -----------------------------------------------------------------------


def test_svmlight_files_are_those_of_scikit_learn(tmp_path):
    from sklearn.datasets import load_svmlight_file

    matrix = sparse.random_array((6, 9), density=0.3, rng=np.random.default_rng(0), format="csr")
    write({"words": matrix}, tmp_path / "s", y=[4, 5, -1, 0, 1, 2])
    again, y = load_svmlight_file(str(tmp_path / "s" / "words.svmlight"), n_features=9)
    assert abs(matrix - again).sum() == 0
    assert y.tolist() == [4, 5, -1, 0, 1, 2]


@pytest.mark.parametrize(
    ("module", "name", "view_format", "extra"),
    [("mudata", "s.h5mu", "auto", "mudata"), ("pyarrow", "s", "parquet", "all")],
)
def test_missing_packages_are_named(tmp_path, monkeypatch, module, name, view_format, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"manyviews\[{extra}\]"):
        write(VIEWS, tmp_path / name, format=view_format)
    assert list(tmp_path.iterdir()) == []


def test_what_is_given_beside_a_dataset_wins(tmp_path):
    dataset = Dataset(VIEWS, np.arange(4), ("a",), {"e": np.ones(4)}, "old")
    write(dataset, tmp_path / "s.npz", y=[9, 9, 9, 9], label_names=["b"], extra={})
    found = read(tmp_path / "s.npz")
    assert found.y.tolist() == [9, 9, 9, 9]
    assert found.label_names == ("b",)
    assert found.extra == {}
    assert found.name == "old"


def test_anything_that_views_take_can_be_written(tmp_path):
    write([np.eye(2), [[1.0], None]], tmp_path / "s.npz")
    assert read(tmp_path / "s.npz").views.names == ("view0", "view1")
