"""Where the files of the real data sets are, and whether they are the right ones."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import file_digest
from pathlib import Path
from typing import TypeAlias

from manyviews.exceptions import FileFormatError

VARIABLE = "MANYVIEWS_DATA"

DataHome: TypeAlias = str | os.PathLike[str] | None


class DatasetNotFoundError(FileNotFoundError):
    """The files of a data set are not in the data folder."""


def get_data_home(data_home: DataHome = None) -> Path:
    """Return the folder in which data sets are looked for, each in a folder of its own name.

    Parameters
    ----------
    data_home : path, optional
        The folder itself. Without it: the environment variable ``MANYVIEWS_DATA``, and without
        that ``manyviews`` in the user's cache folder (``XDG_CACHE_HOME`` where it is set).

    Returns
    -------
    Path
        The folder, which need not exist.

    Examples
    --------
    >>> from manyviews.datasets import get_data_home
    >>> get_data_home("data").name
    'data'
    """
    chosen = data_home or os.environ.get(VARIABLE)
    return Path(chosen).expanduser() if chosen else _cache_folder() / "manyviews"


def _cache_folder() -> Path:
    stated = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if stated.is_absolute():  # the XDG rules say to ignore a relative one
        return stated
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    return Path.home() / ".cache"


def folder_is_complete(folder: Path, sizes: Mapping[str, int]) -> bool:
    """Whether all files are in a folder, judged by their sizes alone."""
    return all(
        (folder / file).is_file() and (folder / file).stat().st_size == size
        for file, size in sizes.items()
    )


def check_present(folder: Path, files: Iterable[str], name: str, url: str) -> None:
    """Refuse to go on when a file of a data set is absent."""
    for file in files:
        if not (folder / file).is_file():
            raise DatasetNotFoundError(
                f"the data set {name!r} is not in {folder}, where its file {file!r} should be; set "
                f"{VARIABLE}, or data_home, to the folder that holds {folder.name}/{file}, or take "
                f"the original, which is of another form, from {url} and read it yourself."
            )


def check_intact(path: Path, size: int, sha256: str) -> None:
    """Refuse a file that is not the one that was registered; reads each file once per process."""
    found = path.stat()
    if found.st_size != size:
        raise _damaged(path, f"{size} bytes", f"{found.st_size} bytes")
    digest = _digest(path, found.st_size, found.st_mtime_ns)
    if digest != sha256:
        raise _damaged(path, f"SHA-256 {sha256}", digest)


@cache
def _digest(path: Path, size: int, modified: int) -> str:  # noqa: ARG001  (a changed file is read anew)
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _damaged(path: Path, expected: str, found: str) -> FileFormatError:
    return FileFormatError(
        f"{path} is damaged or another version: expected {expected}, found {found}; "
        "put the original file back."
    )
