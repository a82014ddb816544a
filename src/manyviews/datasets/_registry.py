"""The catalogue of real data sets: what each one is, whose, under which terms, and its files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

from manyviews.datasets._home import (
    DataHome,
    check_intact,
    check_present,
    folder_is_complete,
    get_data_home,
)

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
