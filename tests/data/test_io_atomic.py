"""A failure while writing leaves the old data as they were, and nothing beside them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from manyviews import Views, read, write
from manyviews.data.io import atomic

OLD, NEW = Views({"a": np.eye(3)}), Views({"a": 2 * np.eye(4), "b": np.ones((4, 2))})
NAMES = ("set.npz", "set.h5mu", "set")


class BrokenError(RuntimeError):
    pass


def broken(*args, **kwargs):
    raise BrokenError


@pytest.fixture
def folder(tmp_path, request):
    write(OLD, tmp_path / request.param)
    return tmp_path


def assert_untouched(folder, name):
    assert [entry.name for entry in folder.iterdir()] == [name]
    assert read(folder / name).views.equals(OLD)


@pytest.mark.parametrize(("folder", "name"), [(n, n) for n in NAMES], indirect=["folder"])
@pytest.mark.parametrize("where", ["fsync", "replace", "interrupt"])
def test_old_data_survive_a_failure(folder, name, where, monkeypatch):
    with monkeypatch.context() as patch:
        if where == "fsync":
            patch.setattr(os, "fsync", broken)
        elif where == "replace":
            patch.setattr(Path, "replace", broken)
        else:
            patch.setattr(atomic, "_sync", lambda path: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt if where == "interrupt" else BrokenError):
            write(NEW, folder / name)
    assert_untouched(folder, name)


@pytest.mark.parametrize("folder", ["set.npz"], indirect=True)
def test_old_npz_survives_a_failure_in_the_middle(folder, monkeypatch):
    calls = []

    def third_fails(*args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            raise OSError("No space left on device")
        return original(*args, **kwargs)

    original = np.lib.format.write_array
    with monkeypatch.context() as patch:
        patch.setattr(np.lib.format, "write_array", third_fails)
        with pytest.raises(OSError, match="No space"):
            write(NEW, folder / "set.npz")
    assert len(calls) == 3
    assert_untouched(folder, "set.npz")


@pytest.mark.parametrize("folder", ["set"], indirect=True)
def test_old_folder_moves_back_when_the_new_one_cannot_take_its_place(folder, monkeypatch):
    calls = []

    def second_fails(self, target):
        calls.append(1)
        if len(calls) == 2:
            raise BrokenError
        return original(self, target)

    original = Path.replace
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", second_fails)
        with pytest.raises(BrokenError):
            write(NEW, folder / "set")
    assert len(calls) == 3
    assert_untouched(folder, "set")


@pytest.mark.parametrize("name", NAMES)
def test_a_new_target_replaces_the_old_one(tmp_path, name):
    write(NEW, tmp_path / name)
    write(OLD, tmp_path / name)
    assert_untouched(tmp_path, name)


@pytest.mark.parametrize("name", NAMES)
def test_a_first_write_that_fails_leaves_nothing(tmp_path, name, monkeypatch):
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(BrokenError):
        write(NEW, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link(tmp_path):
    write(OLD, tmp_path / "real.npz")
    (tmp_path / "link.npz").symlink_to("real.npz")
    write(NEW, tmp_path / "link.npz")
    assert (tmp_path / "link.npz").is_symlink()
    assert read(tmp_path / "real.npz").views.equals(NEW)


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_the_file_mode_is_kept(tmp_path):
    write(OLD, tmp_path / "set.npz")
    (tmp_path / "set.npz").chmod(0o640)
    write(NEW, tmp_path / "set.npz")
    assert (tmp_path / "set.npz").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("kept", ["notes.txt", "raw"])
def test_a_folder_with_files_of_others_is_not_replaced(tmp_path, kept):
    write(OLD, tmp_path / "set")
    (tmp_path / "set" / kept).mkdir()
    with pytest.raises(FileExistsError, match=kept):
        write(NEW, tmp_path / "set")
    assert read(tmp_path / "set").views.equals(OLD)


def test_a_folder_that_is_not_ours_is_not_replaced(tmp_path):
    (tmp_path / "notes.txt").write_text("keep me")
    with pytest.raises(FileExistsError, match=r"views\.toml"):
        write(NEW, tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "keep me"


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "set").mkdir()
    write(OLD, tmp_path / "set")
    assert_untouched(tmp_path, "set")


def test_the_same_data_make_the_same_bytes(tmp_path):
    write(NEW, tmp_path / "one.npz", y=[1, 2, -1, 0])
    write(NEW, tmp_path / "two.npz", y=[1, 2, -1, 0])
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with a name")
def test_a_pipe_or_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with (
        pytest.raises(FileExistsError, match="is a pipe or a device"),
        atomic.replaced_file(tmp_path / "pipe") as temporary,
    ):
        temporary.write_text("new")
    assert (tmp_path / "pipe").is_fifo()


def test_a_full_disk_is_told_before_hdf5_ends_the_process(tmp_path, monkeypatch):
    pytest.importorskip("mudata")
    old = Views({"a": np.eye(3)})
    write(old, tmp_path / "set.h5mu")
    usage = shutil.disk_usage(tmp_path)._replace(free=2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OSError, match="No space left"):
        write(Views({"a": np.ones((300, 40))}), tmp_path / "set.h5mu")
    assert read(tmp_path / "set.h5mu").views.equals(old)
    assert [path.name for path in tmp_path.iterdir()] == ["set.h5mu"]
