"""Sources of a command: files of views, the labels that go with them, and their checksum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import click

from manyviews.app.lookup import SettingsError
from manyviews.data import Dataset, Views, read
from manyviews.exceptions import UnknownLabelsError
from manyviews.typing import AnyArray


@dataclass(frozen=True)
class ChosenLabels:
    """Labels with what their numbers stand for, and where they come from."""

    y: AnyArray | None
    names: tuple[str, ...]
    source: str
    given: bool
    """Whether they were asked for, rather than found in the data."""


@dataclass(frozen=True)
class Source:
    """Where the data are, and how they are to be read."""

    data: tuple[str, ...]
    """Files as they were typed: ``clinic.csv``, ``genes=new.parquet``, ``cells.h5ad:counts``."""
    id_columns: tuple[str, ...] = ()
    labels: str | None = None
    view_names: str | None = None

    def __str__(self) -> str:
        return ", ".join(self.data)

    def read(self) -> Dataset:
        """Read the files, and keep the views that were named."""
        asked = None if self.labels == "none" else self.labels
        try:
            dataset = read(list(self.data), id=_by_view(self.id_columns), labels=asked)
        except UnknownLabelsError as error:
            raise SettingsError(str(error)) from error
        if self.view_names is None:
            return dataset
        chosen = [name.strip() for name in self.view_names.split(",") if name.strip()]
        return replace(dataset, views=dataset.views.subset(chosen))

    def is_of_tables(self) -> bool:
        """Whether all that is named are tables, which need to be told their ids."""
        return not any(Path(_file_in(file)).suffix in {"", ".npz", ".h5mu"} for file in self.data)

    def label_column(self) -> str | None:
        """Name of a column of the tables that has the labels, which new tables may have, too."""
        if self.labels in {None, "none", "y"} or Path(str(self.labels)).is_file():
            return None
        file, _, column = str(self.labels).rpartition(":")
        return None if Path(file).is_file() and file not in self.data else column


def read_data(source: Source) -> Dataset:
    """Read the data, and say what was decided in reading them."""
    dataset = source.read()
    for note in dataset.notes:
        click.echo(f"Note: {note}.", err=True)
    return dataset


def _by_view(id_columns: Sequence[str]) -> str | dict[str, str] | None:
    if len(id_columns) == 1 and "=" not in id_columns[0]:
        return id_columns[0]
    parts = [text.partition("=") for text in id_columns]
    for view, equals, _ in parts:
        if not equals:
            raise SettingsError(
                f"--id {view} is not the only one; name a view in each, as in --id clinic={view}."
            )
    return {view: column for view, _, column in parts} or None


def row_ids(views: Views) -> list[Any]:
    """Names of the objects, or their row numbers."""
    ids = views.sample_ids
    return list(range(len(views))) if ids is None else ids.tolist()


def choose_labels(dataset: Dataset, option: str | None) -> ChosenLabels:
    """Tell the labels that an option has asked for from those that the data just have."""
    if option == "none":
        return ChosenLabels(None, (), "none", given=True)
    return ChosenLabels(dataset.y, dataset.label_names, option or "y", given=option is not None)


def checksum(data: Sequence[str]) -> str:
    """SHA-256 of a file, or of the names and contents of several."""
    paths = [Path(_file_in(text)) for text in data]
    if len(paths) == 1 and paths[0].is_file():
        with paths[0].open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    whole = sha256()
    for path in paths:
        parts = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        for part in parts:
            name = part.name if part == path else part.relative_to(path).as_posix()
            whole.update(f"{name}\0{checksum([str(part)])}\n".encode())
    return whole.hexdigest()


def _file_in(text: str) -> str:
    """Path in what was typed, without the name of a view and a layer."""
    while not Path(text).exists() and ("=" in text or ":" in text):
        text = text.partition("=")[2] if "=" in text else text.rpartition(":")[0]
    return text
