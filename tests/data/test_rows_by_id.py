"""Objects by their ids, and results that go back under them."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from manyviews import Views
from manyviews.exceptions import UnknownObjectError, ViewsError

IDS = ["P0001", "P0512", "P0700"]


@pytest.fixture
def views():
    return Views({"a": np.arange(3.0)[:, None], "b": [[1.0], None, [3.0]]}, sample_ids=IDS)


def test_loc_gives_one_object(views):
    found = views.loc["P0512"]
    assert found.sample_ids.tolist() == ["P0512"]
    assert (found["a"].tolist(), found.observed.tolist()) == ([[1.0]], [[True, False]])


@pytest.mark.parametrize("kind", [list, np.array, "Index", "Series"])
def test_loc_gives_several_in_their_order(views, kind):
    if isinstance(kind, str):
        kind = getattr(pytest.importorskip("pandas"), kind)
    assert views.loc[kind(["P0700", "P0001"])].equals(views[[2, 0]])


def test_loc_knows_numbers_and_repeated_ids(views):
    numbered = Views(views, sample_ids=[7, 9, 7])
    assert numbered.loc[np.int64(9)].equals(numbered[1])
    assert numbered.loc[7].equals(numbered[[0, 2]])


def test_loc_of_nothing_is_empty(views):
    assert len(views.loc[[]]) == 0


@pytest.mark.parametrize(
    ("key", "match"),
    [
        ("P0521", "no object 'P0521'; did you mean 'P0512'"),
        (["P0001", "x"], "no object 'x'; there are 'P0001', 'P0512'"),
        (np.array([True, False, True]), r"views\[mask\]"),
        (slice("P0001", None), r"views\[3:7\]"),
        (None, "no object None"),
        ({"P0001"}, "no set"),
        (np.array([["P0001"]]), r"flat list of ids, not one of the shape \(1, 1\)"),
    ],
)
def test_loc_refuses_in_one_sentence(views, key, match):
    with pytest.raises(ViewsError, match=match):
        views.loc[key]


def test_loc_without_ids_is_refused():
    with pytest.raises(ViewsError, match=r"no ids; choose rows by number, as in views\[3\]"):
        Views({"a": np.eye(2)}).loc["P1"]


def test_loc_tells_text_from_numbers():
    with pytest.raises(KeyError, match="no object '7'; did you mean 7"):
        Views({"a": np.eye(2)}, sample_ids=[7, 8]).loc["7"]


def test_loc_finds_times_however_they_are_written():
    days = np.array(["2020-01-31", "2020-02-01"], dtype="datetime64[ns]")
    views = Views({"a": np.eye(2)}, sample_ids=days)
    for day in ("2020-02-01", date(2020, 2, 1), days[1], [date(2020, 2, 1)]):
        assert views.loc[day].equals(views[1])
    with pytest.raises(UnknownObjectError, match="'soon' is none"):
        views.loc["soon"]


def test_frame_of_has_the_ids(views):
    pytest.importorskip("pandas")
    frame = views.frame_of(np.eye(3)[:, :2], ["x", "y"])
    assert (frame.index.tolist(), frame.columns.tolist()) == (IDS, ["x", "y"])
    assert views.frame_of(frame[::-1]).index.tolist() == IDS
    assert views.frame_of(frame[::-1]).to_numpy()[0].tolist() == [1.0, 0.0]
    with pytest.raises(ViewsError, match="2 rows for 3 objects"):
        views.frame_of([0, 1])


@pytest.fixture
def container():
    anndata, pd = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    obs = pd.DataFrame(index=["P0700", "other", "P0512", "P0001"])
    return anndata.AnnData(np.zeros((4, 1)), obs=obs)


def test_annotate_matches_by_id(views, container):
    embedding = np.arange(6.0).reshape(3, 2)
    obs = {"cluster": np.array([0, 1, 2]), "kind": ["a", "b", None], "age": [1.5, 2.5, 3.5]}
    views.annotate(container, obs=obs, obsm={"X_cca": embedding})
    assert container.obs["cluster"].tolist()[::2] == [2, 1]
    assert container.obs["cluster"].isna().tolist() == [False, True, False, False]
    assert container.obs["kind"].isna().tolist() == [True, True, False, False]
    assert container.obs["age"].dropna().tolist() == [3.5, 2.5, 1.5]
    np.testing.assert_array_equal(container.obsm["X_cca"][[3, 2, 0]], embedding)
    assert np.isnan(container.obsm["X_cca"][1]).all()


def test_annotated_files_can_be_written(views, container, tmp_path):
    anndata = pytest.importorskip("anndata")
    views.annotate(container, obs={"cluster": np.array([0, 1, 2])}, obsm={"X": np.eye(3)})
    container.write_h5ad(tmp_path / "a.h5ad")
    again = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert again.obs["cluster"].tolist()[::2] == [2, 1]


def test_annotate_takes_mudata(views, container):
    mudata = pytest.importorskip("mudata")
    with mudata.set_options(pull_on_update=False):
        container.var_names = ["g"]
        both = mudata.MuData({"rna": container})
    views.annotate(both, obs={"cluster": [0, 1, 2]}, obsm={"X_cca": np.eye(3)})
    assert both.obs.loc["P0512", "cluster"] == 1
    assert both.obsm["X_cca"][3].tolist() == [1.0, 0.0, 0.0]


def test_annotate_refuses_strangers_and_changes_nothing(views, container):
    with pytest.raises(UnknownObjectError, match="the container has not"):
        views.annotate(container[:2].copy(), obs={"cluster": [0, 1, 2]})
    with pytest.raises(ViewsError, match="short has the shape"):
        views.annotate(container, obs={"cluster": [0, 1, 2], "short": [1]})
    assert list(container.obs) == []
    with pytest.raises(ViewsError, match="no ids"):
        Views({"a": np.eye(3)}).annotate(container, obs={"cluster": [0, 1, 2]})


def test_annotate_refuses_ids_that_name_two_rows(views, container):
    with pytest.raises(ViewsError, match="views names the object 'P0001' more than once"):
        views[[0, 0]].annotate(container, obs={"cluster": [0, 1]})
    container.obs_names = ["P0700", "P0512", "P0512", "P0001"]
    with pytest.raises(ViewsError, match="the container names the object 'P0512' more than once"):
        views.annotate(container, obs={"cluster": [0, 1, 2]})
