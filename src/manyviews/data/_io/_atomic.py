"""Write beside the target and move into place, so that a failure leaves the old data untouched."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced_file(path: Path) -> Iterator[Path]:
    """Give a temporary path in the same folder; move it over ``path`` if the block succeeds."""
    target = _resolved(path)
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; choose another name for the file.")
    temporary = _beside(target)
    try:
        yield temporary
        _sync(temporary)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """Give an empty temporary folder beside ``path``; move it there if the block succeeds.

    No system call replaces a folder that has files in it: the old one is first moved aside, and
    moved back if the new one cannot take its place.
    """
    target = _resolved(path)
    temporary = _beside(target)
    temporary.mkdir()
    try:
        yield temporary
        for file in temporary.iterdir():
            _sync(file)
        _sync_folder(temporary)
        _swap(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync_folder(target.parent)


def _resolved(path: Path) -> Path:
    target = path.resolve()  # so that a link stays a link
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write into; create it.")
    return target


def _beside(target: Path) -> Path:
    return target.with_name(f".manyviews-{secrets.token_hex(8)}.tmp")


def _swap(new: Path, target: Path) -> None:
    if not target.exists():
        new.replace(target)
        return
    shutil.copymode(target, new)
    old = _beside(target)
    target.replace(old)
    try:
        new.replace(target)
    except BaseException:
        old.replace(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
