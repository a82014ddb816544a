"""Several tables at once: joined by id, labels taken out, and everything decided is said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from manyviews import read, write
from manyviews.exceptions import FileFormatError, UnknownLabelsError, ViewsError

CLINIC = "patient_id,age,weight\nP1,61,80\nP2,45,70\nP3,38,65\n"
GENES = "patient_id;BRCA1;TP53\nP3;0.1;0.2\nP1;0.3;0.4\nP4;0.5;0.6\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clinic.csv").write_text(CLINIC)
    (tmp_path / "genes.csv").write_text(GENES)
    return tmp_path


def test_tables_are_views_joined_by_id(folder):
    found = read(["clinic.csv", "genes.csv"], id="patient_id")
    views = found.views
    assert views.names == ("clinic", "genes")
    assert views.sample_ids.tolist() == ["P1", "P2", "P3", "P4"]
    assert views.observed.tolist() == [[True, True], [True, False], [True, True], [False, True]]
    np.testing.assert_array_equal(views["genes"][[0, 2, 3]], [[0.3, 0.4], [0.1, 0.2], [0.5, 0.6]])
    assert views.feature_names["genes"].tolist() == ["BRCA1", "TP53"]
    assert found.notes == (
        "2 of 4 objects are not in every table; what a table lacks is unobserved",
    )


def test_ids_that_nobody_named_are_found_and_said(folder):
    found = read(["clinic.csv", "genes.csv"])
    assert found.views.equals(read(["clinic.csv", "genes.csv"], id="patient_id").views)
    assert found.notes[0] == "the ids of view 'clinic' are taken from the column 'patient_id'"


def test_the_order_of_rows_does_not_matter(folder):
    header, *rows = GENES.splitlines()
    (folder / "genes.csv").write_text("\n".join([header, *rows[::-1]]))
    shuffled = read(["clinic.csv", "genes.csv"]).views
    (folder / "genes.csv").write_text(GENES)
    assert shuffled.equals(read(["clinic.csv", "genes.csv"]).views)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_recognised(folder, separator):
    (folder / "clinic.csv").write_text(CLINIC.replace(",", separator))
    assert read("clinic.csv").views.feature_names["clinic"].tolist() == ["age", "weight"]


def test_a_dict_names_the_views(folder):
    views = read({"ward": "clinic.csv", "lab": folder / "genes.csv"}).views
    assert views.names == ("ward", "lab")


def test_tables_without_ids_are_joined_by_position_and_it_is_said(folder):
    (folder / "a.csv").write_text("x\n1\n2\n")
    (folder / "b.tsv").write_text("y\tz\n3\t4\n5\t6\n")
    found = read(["a.csv", "b.tsv"])
    assert found.views.shape == (2, 3)
    assert found.notes == ("no table has ids, so rows are joined by their position",)


@pytest.mark.parametrize(
    ("files", "options", "match"),
    [
        ({"a.csv": "x\n1\n2\n", "b.csv": "y\n1\n"}, {}, "a.csv has 2 rows and b.csv 1, and nei"),
        ({"a.csv": CLINIC, "b.csv": "y\n1\n2\n3\n"}, {}, "b.csv has none that are known as such"),
        ({"a.csv": CLINIC, "b.csv": "patient_id,x\nQ1,1\n"}, {}, "no object in common"),
        ({"a.csv": CLINIC, "b.csv": "patient_id,x\nP1,1\nP1,2\n"}, {}, "twice"),
        ({"a.csv": CLINIC}, {"id": "patientid"}, "did you mean 'patient_id'"),
        ({"a.csv": "id,x\nP1,1\n,2\n"}, {"id": "id"}, "is empty in row 1"),
        ({"a.csv": "name,x\nann,1\nbob,2\n"}, {}, r"say id='name' \(in a shell, --id\)"),
        ({"a.csv": "id,x,sex\np,1,f\nq,2,m\n"}, {}, "say .*labels='sex'.*get_dummies"),
        ({"a.csv": "id\nP1\nP2\n"}, {}, "no columns beside the ids"),
        ({"a.csv": "id,x\n"}, {}, "no rows"),
        ({"a.csv": CLINIC, "d/a.csv": CLINIC}, {}, "would both be the view 'a'"),
        ({"a.csv": CLINIC, "b.npz": ""}, {}, "b.npz cannot be read: it is no table"),
        ({"a.csv": CLINIC}, {"labels": "outcome"}, "no labels 'outcome' in the data"),
        ({"a.csv": CLINIC}, {"labels": "aeg"}, "did you mean 'age'"),
        ({"a.csv": CLINIC}, {"labels": "outcome.csv"}, "no file 'outcome.csv'"),
        ({"a.csv": CLINIC}, {"labels": "a.csv"}, "for the labels and as a view"),
        ({"a.csv": CLINIC + "P9,1\n"}, {}, "row 3 has 2 cells"),
        ({"a__b.csv": CLINIC}, {}, "contains '__'"),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_refused_in_one_sentence(
    tmp_path, monkeypatch, files, options, match
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises((ViewsError, FileFormatError, FileNotFoundError), match=match) as caught:
        read(list(files), **options)
    assert "\n" not in str(caught.value)


def test_no_files_are_refused():
    with pytest.raises(ViewsError, match="no files"):
        read([])


def test_a_file_that_is_not_there_is_named(folder):
    with pytest.raises(FileNotFoundError, match=r"nothing at gens\.csv"):
        read(["clinic.csv", "gens.csv"])


# -- labels --------------------------------------------------------------------------------------

OUTCOME = "patient_id,status,age\nP4,well,9\nP1,ill,9\nP3,NA,9\n"


def test_labels_come_from_a_file_by_id(folder):
    (folder / "outcome.csv").write_text("patient_id\toutcome\nP4\t1\nP1\t0\n")
    found = read(["clinic.csv", "genes.csv"], labels="outcome.csv")
    assert found.y.tolist() == [0, -1, -1, 1]


def test_labels_come_from_a_named_column_of_a_file(folder):
    (folder / "outcome.csv").write_text(OUTCOME)
    found = read(["clinic.csv", "genes.csv"], id="patient_id", labels="outcome.csv:status")
    assert found.y.tolist() == ["ill", None, None, "well"]
    with pytest.raises(FileFormatError, match=r"outcome\.csv:outcome"):
        read(["clinic.csv", "genes.csv"], labels="outcome.csv")
    with pytest.raises(FileFormatError, match=r"no column 'stats'.*'status'"):
        read(["clinic.csv", "genes.csv"], labels="outcome.csv:stats")


def test_labels_in_a_table_are_no_feature(folder):
    (folder / "clinic.csv").write_text("patient_id,age,status\nP1,61,ill\nP2,45,NA\nP3,38,well\n")
    for labels in ("status", "clinic.csv:status"):
        found = read(["clinic.csv", "genes.csv"], labels=labels)
        assert found.views.feature_names["clinic"].tolist() == ["age"]
        assert found.y.tolist() == ["ill", None, "well", None]


def test_labels_in_several_tables_must_agree(folder):
    (folder / "a.csv").write_text("id,x,status\np,1,ill\nq,2,\n")
    (folder / "b.csv").write_text("id,z,status\np,1,ill\nq,2,well\n")
    assert read(["a.csv", "b.csv"], labels="status").y.tolist() == ["ill", "well"]
    (folder / "b.csv").write_text("id,z,status\np,1,well\nq,2,well\n")
    with pytest.raises(ViewsError, match="'p' has the label 'ill' in one table and 'well'"):
        read(["a.csv", "b.csv"], labels="status")


def test_a_column_called_label_is_a_feature_with_a_note(folder):
    (folder / "a.csv").write_text("id,x,label\np,1,0\nq,2,1\n")
    assert "say labels='label'" in read("a.csv").notes[0]


def test_labels_by_name_from_files_of_ours(folder):
    views, _ = read(["clinic.csv", "genes.csv"])
    write(views, "all.npz", y=[0, 0, 1, 1], extra={"site": ["a", "b", "a", "b"]})
    assert read("all.npz", labels="site").y.tolist() == ["a", "b", "a", "b"]
    assert read("all.npz", labels="y").y.tolist() == [0, 0, 1, 1]
    (folder / "outcome.csv").write_text(OUTCOME)
    assert read("all.npz", labels="outcome.csv:status").y.tolist() == ["ill", None, None, "well"]
    with pytest.raises(UnknownLabelsError, match="'site'"):
        read("all.npz", labels="sit")
    with pytest.raises(ViewsError, match="leave id out"):
        read("all.npz", id="patient_id")


# -- folders -------------------------------------------------------------------------------------


def test_a_folder_of_tables_needs_no_toml(folder):
    found = read(folder)
    assert found.views.equals(read(["clinic.csv", "genes.csv"]).views)
    assert "clinic.csv, genes.csv" in found.notes[0]


@pytest.mark.parametrize(("name", "labels"), [("labels.csv", None), ("outcome.csv", "outcome.csv")])
def test_the_labels_of_a_folder_are_no_view(folder, monkeypatch, name, labels):
    (folder / name).write_text("patient_id,outcome\nP1,ill\nP2,well\n")
    monkeypatch.chdir("/")
    found = read(folder, labels=labels)
    assert found.views.names == ("clinic", "genes")
    assert found.y.tolist() == ["ill", "well", None, None]


def test_a_folder_that_lost_its_toml_is_no_folder_of_tables(folder):
    write(read(["clinic.csv", "genes.csv"]), folder / "ours")
    (folder / "ours" / "views.toml").unlink()
    with pytest.raises(FileNotFoundError, match=r"no views\.toml"):
        read(folder / "ours")


def test_a_link_out_of_a_folder_of_tables_is_refused(folder):
    (folder / "shared").mkdir()
    (folder / "shared" / "mine.csv").symlink_to(folder / "clinic.csv")
    with pytest.raises(FileFormatError, match="outside of its folder"):
        read(folder / "shared")


# -- parquet and AnnData -------------------------------------------------------------------------


@pytest.mark.parametrize("name", [None, "patient_id", "who"])
def test_an_index_that_pandas_wrote_has_the_ids(folder, name):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    index = pd.Index(["P3", "P1"], name=name)
    table = pd.DataFrame({"x": [1.0, 2.0], "site": ["a", "b"]}, index=index)
    table.to_parquet("scan.parquet")
    options = {} if name == "who" else {"id": "patient_id"}
    found = read(["clinic.csv", "scan.parquet"], labels="site", **options)
    assert found.views["scan"][[0, 2]].ravel().tolist() == [2.0, 1.0]
    assert found.y.tolist() == ["b", None, "a"]
    told = "an index without a name" if name is None else "the column 'who'"
    assert any(told in note for note in found.notes) == (name != "patient_id")


def test_labels_come_from_a_parquet_file(folder):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"status": ["ill", None]}, index=["P1", "P2"])
    frame.to_parquet("outcome.parquet")
    assert read("clinic.csv", labels="outcome.parquet").y.tolist() == ["ill", None, None]


@pytest.fixture
def cells(folder):
    anndata, pd = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    found = anndata.AnnData(
        sparse.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]])),
        obs=pd.DataFrame({"cell_type": pd.Categorical(["B", None])}, index=["P3", "P1"]),
        var=pd.DataFrame(index=["g1", "g2"]),
        layers={"counts": np.array([[5.0, 6.0], [7.0, 8.0]])},
    )
    found.write_h5ad(folder / "cells.h5ad")
    return found


def test_an_anndata_file_is_a_view_with_labels_from_obs(cells):
    found = read(["clinic.csv", "cells.h5ad"], id="patient_id", labels="cell_type")
    assert found.views["cells"][[0, 2]].toarray().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert found.views.feature_names["cells"].tolist() == ["g1", "g2"]
    assert found.y.tolist() == [None, None, "B"]


def test_a_layer_of_an_anndata_file_is_named_after_it(cells):
    views = read(["cells.h5ad", "cells.h5ad:counts"]).views
    assert views.names == ("cells", "counts")
    assert views["counts"].tolist() == [[5.0, 6.0], [7.0, 8.0]]
    with pytest.raises(FileFormatError, match="no layer 'count'; did you mean 'counts'"):
        read("cells.h5ad:count")
    del cells.X
    cells.write_h5ad("cells.h5ad")
    assert read("cells.h5ad").views["cells"].tolist() == [[5.0, 6.0], [7.0, 8.0]]


def test_an_anndata_file_that_reaches_for_others_is_refused(cells):
    h5py = pytest.importorskip("h5py")
    with h5py.File("cells.h5ad", "a") as file:
        del file["layers/counts"]
        file["layers/counts"] = h5py.ExternalLink("other.h5", "/secret")
    with pytest.raises(FileFormatError, match="link to something elsewhere"):
        read("cells.h5ad")


def test_an_anndata_file_that_would_grow_is_refused(cells):
    with pytest.raises(FileFormatError, match="max_bytes"):
        read("cells.h5ad", max_bytes=10)


def test_wild_indices_in_an_anndata_file_are_refused(cells):
    h5py = pytest.importorskip("h5py")
    with h5py.File("cells.h5ad", "a") as file:
        file["X/indices"][0] = 2_000_000
    with pytest.raises(FileFormatError):
        read("cells.h5ad")


def test_labels_come_from_obs_of_a_mudata_file(folder):
    mudata, anndata = pytest.importorskip("mudata"), pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    obs = pd.DataFrame({"kind": ["B", "T"], "y": [0, 1]}, index=["P3", "P1"])
    rna = anndata.AnnData(np.eye(2), obs=obs, var=pd.DataFrame(index=["g1", "g2"]))
    other = pd.DataFrame(index=["P3", "P1"])
    atac = anndata.AnnData(np.eye(2), obs=other, var=pd.DataFrame(index=["a1", "a2"]))
    with mudata.set_options(pull_on_update=False):
        container = mudata.MuData({"rna": rna, "atac": atac})
        container.obs["site"] = ["x", "y"]
        container.write("all.h5mu")
    assert read("all.h5mu", labels="site").y.tolist() == ["x", "y"]
    assert read("all.h5mu", labels="kind").y.tolist() == ["B", "T"]
    assert read("all.h5mu", labels="rna:kind").y.tolist() == ["B", "T"]
    with pytest.raises(UnknownLabelsError):
        read("all.h5mu", labels="nothing")


# -- ids that are not called so, or not written alike ---------------------------------------------


@pytest.mark.parametrize("name", ["pid", "studyid", "width", "subject"])
def test_a_first_column_of_the_same_numbers_in_another_order_has_the_ids(folder, name):
    (folder / "a.csv").write_text(f"{name},x\n11,1\n12,2\n13,3\n")
    (folder / "b.csv").write_text(f"{name},z\n13,30\n11,10\n12,20\n")
    found = read(["a.csv", "b.csv"])
    np.testing.assert_array_equal(found.views["b"], [[10], [20], [30]])
    assert found.views.sample_ids.tolist() == [11, 12, 13]
    assert f"the ids of view 'b' are taken from the column {name!r}" in found.notes


def test_a_first_column_of_other_numbers_is_a_feature_and_it_is_said(folder):
    (folder / "a.csv").write_text("humidity,x\n11,1\n12,2\n")
    (folder / "b.csv").write_text("humidity,patient_id\n12,1\n14,2\n")
    found = read(["a.csv", "b.csv"])
    assert found.views.shape == (2, 4)
    assert (
        "the column 'humidity' of view 'a' is a feature; for ids say id='humidity'" in found.notes
    )


@pytest.mark.parametrize(
    ("written", "ids"),
    [(["P1 ", " P2", "P3"], ["P1", "P2", "P3"]), (["1.0", "2.0", "3"], [1, 2, 3])],
    ids=["spaces", "floats"],
)
def test_ids_are_joined_as_they_are_meant(folder, written, ids):
    rows = "".join(f"{key},{place}\n" for place, key in enumerate(written))
    (folder / "a.csv").write_text("id,x\n" + rows)
    (folder / "b.csv").write_text("id,z\n" + "".join(f"{key},5\n" for key in ids))
    views = read(["a.csv", "b.csv"]).views
    assert views.sample_ids.tolist() == ids
    assert views.observed.all()


def test_ids_that_are_equal_as_numbers_stay_apart(folder):
    (folder / "a.csv").write_text("id,x\n1.1,1\n1.10,2\n1.2,3\n")
    assert read("a.csv").views.sample_ids.tolist() == ["1.1", "1.10", "1.2"]


def test_a_decimal_comma_is_told_from_words(folder):
    (folder / "a.csv").write_text("id;x\np;1,5\n")
    with pytest.raises(FileFormatError, match="has '1,5'; write numbers with a point"):
        read("a.csv")


def test_an_index_of_numbers_that_pandas_wrote_as_a_range_has_the_ids(folder):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    table.to_parquet("a.parquet")
    table[::-1].to_parquet("b.parquet")
    table[::-1].to_parquet("c.parquet")
    with pytest.raises(ViewsError, match=r"b.parquet has ids .* and a.parquet has none"):
        read(["a.parquet", "b.parquet"])
    assert read(["b.parquet", "c.parquet"]).views.sample_ids.tolist() == [2, 1, 0]
    (folder / "d.csv").write_text("id,z\n0,5\n1,6\n2,7\n")
    labels = pd.DataFrame({"label": [7, 6, 5]}, index=range(2, -1, -1))
    labels.to_parquet("labels.parquet")
    assert read(["d.csv"], labels="labels.parquet").y.tolist() == [5, 6, 7]


def test_an_index_of_several_levels_is_no_feature(folder):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    index = pd.MultiIndex.from_product([[1, 2], [3, 4]], names=["ward", "bed"])
    pd.DataFrame({"x": np.arange(4.0)}, index=index).to_parquet("a.parquet")
    with pytest.raises(FileFormatError, match=r"index has 2 levels \(ward, bed\)"):
        read("a.parquet")


def test_a_header_of_more_characters_than_a_cell_may_have_is_read(tmp_path):
    names = [f"gene number {i:05d}" for i in range(10_000)]
    for separator in ",;\t":
        rows = separator.join(names), separator.join("1" * len(names))
        (tmp_path / "wide.csv").write_text("\n".join(rows))
        assert read(tmp_path / "wide.csv").views["wide"].shape == (1, 10_000)


def test_separators_in_quotes_separate_nothing(tmp_path):
    (tmp_path / "quoted.csv").write_text('"size, in m, at noon";price\n1;2\n')
    assert list(read(tmp_path / "quoted.csv").views.feature_names["quoted"]) == [
        "size, in m, at noon",
        "price",
    ]
