"""Write beside the target and move into place, so that a failure leaves the old data untouched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from manyviews.data._io._claim import Claim, claimed


@contextmanager
def replaced_file(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """Give a temporary path in the same folder; move it over ``path`` if the block succeeds.

    From the beginning to the end no other process can write ``path`` by these functions.
    """
    target = _resolved(path)
    with claimed(target) as claim:
        _refuse_file(path, target, overwrite)
        yield claim.new
        _sync(claim.new)
        _refuse_file(path, target, overwrite)  # it may have come since
        if target.exists():
            shutil.copymode(target, claim.new)
        claim.new.replace(target)
        _sync_folder(target.parent)


@contextmanager
def replaced_folder(path: Path, check: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """Give an empty temporary folder beside ``path``; move it there if the block succeeds.

    From the beginning to the end no other process can write ``path`` by these functions. ``check``
    raises if what stands there must not be replaced; it is asked first, and again at the end if
    there is anything in the way by then.

    No system call replaces a folder that has files in it: the old one is first moved aside, and
    moved back if the new one cannot take its place, by the next command if this one is killed.
    """
    target = _resolved(path)
    with claimed(target) as claim:
        if check is not None:
            check(path)
        claim.new.mkdir()
        yield claim.new
        for file in claim.new.iterdir():
            _sync(file)
        _sync_folder(claim.new)
        _move_in(claim, path, check)
        _sync_folder(target.parent)


def _resolved(path: Path) -> Path:
    target = path.resolve()  # so that a link stays a link
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write into; create it.")
    return target


def _refuse_file(path: Path, target: Path, overwrite: bool) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; choose another name for the file.")
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{path} is a pipe or a device; choose another name for the file.")
    if target.exists() and not overwrite:
        raise FileExistsError(f"{path} exists already; choose another name, or remove it.")


def _move_in(claim: Claim, path: Path, check: Callable[[Path], None] | None) -> None:
    if claim.target.exists():
        shutil.copymode(claim.target, claim.new)
        with suppress(OSError):  # an empty folder makes room, one with files does not
            claim.target.rmdir()
    if not claim.target.exists():
        claim.new.replace(claim.target)
        return
    if check is not None:
        check(path)
    claim.target.replace(claim.old)
    try:
        claim.new.replace(claim.target)
    except BaseException:
        claim.old.replace(claim.target)
        raise


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
