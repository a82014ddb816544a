"""The catalogue of real data sets: what each one is, whose, under which terms, and its files."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from hashlib import file_digest
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

from manyviews.exceptions import FileFormatError

Kind: TypeAlias = Literal["views", "matrix", "kernels", "tagged", "parallel", "sequences"]


@dataclass(frozen=True)
class FileInfo:
    """One file of a data set, and how to know it is the right one."""

    name: str
    size: int
    sha256: str = field(repr=False)


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a data set before it is read.

    Examples
    --------
    >>> from manyviews import datasets
    >>> cora = datasets.info("cora")
    >>> cora.n_objects, dict(cora.views), len(cora.classes)
    (2708, {'words': 1433, 'cites': 2708}, 7)
    """

    name: str
    """What ``load`` takes, and the name of the folder of its files."""
    title: str
    kind: Kind
    """"views", "matrix" (one view), "kernels", "tagged", "parallel" or "sequences"."""
    n_objects: int
    """Objects, sentences, aligned lines or sequences."""
    n_complete: int
    """How many objects are observed in every view."""
    views: Mapping[str, int] = field(repr=False)
    """Width of each view, in order; empty for text."""
    classes: tuple[str, ...] = field(repr=False)
    """Names of the classes, or the types of entities of a tagged corpus, as far as known."""
    languages: tuple[str, ...] = field(repr=False)
    """Of a text: ISO codes."""
    description: str = field(repr=False)
    """What the views are, and what to beware of."""
    citation: str = field(repr=False)
    licence: str = field(repr=False)
    """As far as known; data sets are not part of this package."""
    url: str = field(repr=False)
    """The original public source; its files are of another form than ours."""
    files: tuple[FileInfo, ...] = field(repr=False)
    present: bool = False
    """Whether its files were in the data folder when asked, judged by their sizes."""


def available(*, data_home: DataHome = None) -> list[DatasetInfo]:
    """List all real data sets by name, telling which are present in the data folder.

    Parameters
    ----------
    data_home : path, optional
        The data folder: see :func:`get_data_home`.

    Returns
    -------
    list of DatasetInfo
        Sorted by name.

    Examples
    --------
    >>> from manyviews import datasets
    >>> [entry.name for entry in datasets.available() if entry.kind == "kernels"]
    ['football_kernels']
    """
    return [_looked_for(entry, data_home) for entry in _catalogue().values()]


def info(name: str, *, data_home: DataHome = None) -> DatasetInfo:
    """Describe one data set: what its views are, its traps, citation, licence, source and files.

    Parameters
    ----------
    name : str
        One of those that :func:`available` lists.
    data_home : path, optional
        The data folder, for ``present``: see :func:`get_data_home`.

    Returns
    -------
    DatasetInfo
        The entry of the catalogue.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("mfeat").url
    'https://archive.ics.uci.edu/dataset/72/multiple+features'
    """
    if name not in _catalogue():
        near = get_close_matches(name, _catalogue(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else "datasets.available() lists all there are."
        raise ValueError(f"there is no data set {name!r}; {hint}")
    return _looked_for(_catalogue()[name], data_home)


def find_files(
    entry: DatasetInfo, data_home: DataHome, only: Iterable[str] | None = None
) -> dict[str, Path]:
    """Paths of the files of a data set, after seeing that they are there and intact."""
    folder = get_data_home(data_home) / entry.name
    wanted = [file for file in entry.files if only is None or file.name in set(only)]
    check_present(folder, (file.name for file in wanted), entry.name, entry.url)
    for file in wanted:
        check_intact(folder / file.name, file.size, file.sha256)
    return {file.name: folder / file.name for file in wanted}


def expect_kind(name: str, kind: Kind) -> DatasetInfo:
    """Return the entry of a data set, which must be of one kind."""
    entry = info(name)
    if entry.kind != kind:
        names = ", ".join(repr(other.name) for other in _catalogue().values() if other.kind == kind)
        raise ValueError(
            f"the data set {name!r} is of kind {entry.kind!r}, not {kind!r}; use datasets.load, or "
            f"name one of {names}."
        )
    return entry


def _looked_for(entry: DatasetInfo, data_home: DataHome) -> DatasetInfo:
    folder = get_data_home(data_home) / entry.name
    sizes = {file.name: file.size for file in entry.files}
    return replace(entry, views=dict(entry.views), present=folder_is_complete(folder, sizes))


@cache
def _catalogue() -> Mapping[str, DatasetInfo]:
    text = files("manyviews.datasets").joinpath("_catalogue.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    return {name: _entry(name, tables[name]) for name in sorted(tables)}


def _entry(name: str, table: dict[str, Any]) -> DatasetInfo:
    return DatasetInfo(
        name=name,
        title=table["title"],
        kind=table["kind"],
        n_objects=table["n_objects"],
        n_complete=table.get("n_complete", table["n_objects"]),
        views=table.get("views", {}),
        classes=tuple(table.get("classes", ())),
        languages=tuple(table.get("languages", ())),
        description=" ".join(table["description"].split()),
        citation=table["citation"],
        licence=table["licence"],
        url=table["url"],
        files=tuple(FileInfo(**file) for file in table["files"]),
    )


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
