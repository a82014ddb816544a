"""The catalogue: complete against the data folder, and clear when files are absent or wrong."""

from __future__ import annotations

import inspect
import os
import pickle
import re
import shutil
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

import pytest

import manyviews.datasets as datasets
from manyviews.exceptions import FileFormatError

DATA = os.environ.get("MANYVIEWS_DATA")
ENTRIES = datasets.available()
LOADER_NAMES = {"3sources": "load_three_sources"}
name_of, has_files = attrgetter("name"), attrgetter("files")


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    """A machine on which nothing is set and nothing is there."""
    monkeypatch.delenv("MANYVIEWS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "manyviews"


@pytest.mark.data
def test_every_file_of_the_folder_is_registered_and_every_registered_one_is_there():
    held = {
        (file.parent.name, file.name)
        for file in Path(DATA).glob("*/*")
        if file.name != "README.md" and not file.name.startswith(".")
    }
    assert held == {(entry.name, file.name) for entry in ENTRIES for file in entry.files}


@pytest.mark.data
@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_sizes_and_checksums_are_those_of_the_files(entry):
    for file in entry.files:
        content = (Path(DATA) / entry.name / file.name).read_bytes()
        assert (len(content), sha256(content).hexdigest()) == (file.size, file.sha256)
    assert datasets.info(entry.name).present


@pytest.mark.data
def test_numbers_of_objects_and_widths_are_those_the_readmes_state():
    checked = 0
    for entry in ENTRIES:
        readme = Path(DATA) / entry.name / "README.md"
        stated = re.search(r"^- samples: (\d+)$", readme.read_text(), re.M) if entry.files else None
        if stated:
            text = readme.read_text()
            assert entry.n_objects == int(stated[1]), entry.name
            widths = dict(re.findall(r"^- view (\w+) (\d+) ", text, re.M))
            single = re.search(r"^- X \(\d+, (\d+)\)", text, re.M)
            expected = {"X": single[1]} if single else widths
            assert {view: str(width) for view, width in entry.views.items()} == expected
            assert len(entry.classes) == int(re.search(r"^- classes: (\d+)", text, re.M)[1])
            checked += 1
    assert checked >= 25


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_an_entry_says_all_it_should(entry):
    assert len(entry.description) > 80
    assert all([entry.title, entry.citation, entry.licence])
    assert entry.url.startswith(("http://", "https://"))
    assert 0 < entry.n_complete <= entry.n_objects
    assert bool(entry.views) == (entry.kind in {"views", "matrix", "kernels"})
    assert bool(entry.languages) == (entry.kind in {"tagged", "parallel"})
    assert bool(entry.classes) == (entry.kind != "parallel")
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in entry.files)


def test_entries_are_sorted_and_known_by_unique_names():
    names = [entry.name for entry in ENTRIES]
    assert names == sorted(set(names))
    assert len(names) == 41


def test_every_data_set_of_several_views_has_a_loader_that_states_its_size():
    for entry in ENTRIES:
        if entry.kind in {"views", "kernels"}:
            name = LOADER_NAMES.get(entry.name, f"load_{entry.name}")
            assert name in datasets.__all__
            assert str(entry.n_objects) in inspect.getdoc(getattr(datasets, name))


def test_everything_exported_is_there_and_nothing_twice():
    assert len(set(datasets.__all__)) == len(datasets.__all__)
    assert set(datasets.__all__) <= set(dir(datasets))


def test_an_entry_can_be_changed_by_no_one_but_its_owner():
    datasets.info("cora").views["words"] = 0
    assert datasets.info("cora").views["words"] == 1433
    assert pickle.loads(pickle.dumps(datasets.info("cora"))) == datasets.info("cora")


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(ValueError, match=r"no data set 'three_sources'; did you mean '3sources'\?"):
        datasets.info("three_sources")
    with pytest.raises(ValueError, match=r"no data set 'zzz'; datasets.available\(\) lists all"):
        datasets.load("zzz")


def test_absent_files_are_explained_in_one_sentence(no_data):
    assert [entry.name for entry in datasets.available() if entry.present] == ["digits_views"]
    with pytest.raises(datasets.DatasetNotFoundError) as caught:
        datasets.load_cora()
    message = str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)
    for part in ("'cora'", "'cora.npz'", str(no_data / "cora"), "MANYVIEWS_DATA", "linqs.org"):
        assert part in message
    assert message.count("\n") == 0


@pytest.mark.parametrize("entry", list(filter(has_files, ENTRIES)), ids=name_of)
def test_every_kind_of_data_set_is_missed_in_the_same_way(entry, tmp_path):
    with pytest.raises(datasets.DatasetNotFoundError, match=re.escape(entry.url)):
        datasets.load(entry.name, data_home=tmp_path)


def test_the_folder_is_the_argument_else_the_variable_else_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("MANYVIEWS_DATA", str(tmp_path / "variable"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert datasets.get_data_home(tmp_path / "argument") == tmp_path / "argument"
    assert datasets.get_data_home() == tmp_path / "variable"
    monkeypatch.setenv("MANYVIEWS_DATA", "")
    assert datasets.get_data_home() == tmp_path / "cache" / "manyviews"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr("sys.platform", "linux")
    assert datasets.get_data_home() == Path.home() / ".cache" / "manyviews"
    monkeypatch.setattr("sys.platform", "darwin")
    assert datasets.get_data_home() == Path.home() / "Library" / "Caches" / "manyviews"


@pytest.fixture
def copied_wine(tmp_path):
    """A data folder of one's own to spoil."""
    return Path(shutil.copytree(Path(DATA) / "wine", tmp_path / "wine")) / "wine.npz"


@pytest.mark.data
def test_a_tampered_file_is_refused_naming_file_and_checksums(copied_wine):
    home = copied_wine.parents[1]
    assert len(datasets.load("wine", data_home=home).views) == 178
    content = bytearray(copied_wine.read_bytes())
    content[1000] ^= 1
    copied_wine.write_bytes(content)
    expected, found = datasets.info("wine").files[0].sha256, sha256(content).hexdigest()
    assert datasets.info("wine", data_home=home).present  # by its size it could be the file
    with pytest.raises(FileFormatError, match=f"wine.npz .*{expected}.*{found}.*put the original"):
        datasets.load("wine", data_home=home)


@pytest.mark.data
def test_a_cut_file_is_refused_by_its_size(copied_wine):
    copied_wine.write_bytes(copied_wine.read_bytes()[:-1])
    assert not datasets.info("wine", data_home=copied_wine.parents[1]).present
    with pytest.raises(FileFormatError, match="expected 6556 bytes, found 6555 bytes"):
        datasets.load("wine", data_home=copied_wine.parents[1])


@pytest.mark.data
def test_a_file_is_read_for_its_checksum_once(copied_wine, monkeypatch):
    from manyviews.datasets import catalogue

    calls = []
    digest = catalogue.file_digest
    monkeypatch.setattr(catalogue, "file_digest", lambda *given: calls.append(1) or digest(*given))
    for _ in range(3):
        datasets.load_matrix("wine", data_home=copied_wine.parents[1])
    assert len(calls) == 1


def test_loaders_by_kind_refuse_other_kinds_and_unknown_options():
    with pytest.raises(ValueError, match=r"'cora' is of kind 'views', not 'tagged'.*'wikigold'"):
        datasets.load_tagged("cora")
    with pytest.raises(ValueError, match="'wikigold' has no split 'train'; it has 'all'"):
        datasets.load_tagged("wikigold", split="train")
    with pytest.raises(
        ValueError, match="'multi30k' has no language 'it'; it has 'en', 'fr', 'de'"
    ):
        datasets.load_parallel("multi30k", languages=["it"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'split'"):
        datasets.load("cora", split="train")
