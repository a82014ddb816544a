"""What a command reads: a file of views, the labels that go with it, and its checksum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import click

from manyviews.app.lookup import SettingsError, suggest
from manyviews.data import Dataset, Views, read, read_label_file
from manyviews.exceptions import FileFormatError
from manyviews.typing import AnyArray


@dataclass(frozen=True)
class ChosenLabels:
    """Labels with what their numbers stand for, and where they come from."""

    y: AnyArray | None
    names: tuple[str, ...]
    source: str
    given: bool
    """Whether they were asked for, rather than found in the data."""


def read_data(path: Path, view_names: str | None = None) -> Dataset:
    """Read a file of views, say what was decided in reading it, and keep some of them."""
    dataset = read(path)
    for note in dataset.notes:
        click.echo(f"Note: {note}.", err=True)
    if view_names is None:
        return dataset
    chosen = [name.strip() for name in view_names.split(",") if name.strip()]
    return replace(dataset, views=dataset.views.subset(chosen))


def row_ids(views: Views) -> list[Any]:
    """Names of the objects, or their row numbers."""
    ids = views.sample_ids
    return list(range(len(views))) if ids is None else ids.tolist()


def choose_labels(dataset: Dataset, option: str | None) -> ChosenLabels:
    """Find the labels that an option asks for; without one those that the data have."""
    if option is None or (option == "y" and "y" not in dataset.extra):
        if option is not None and dataset.y is None:
            raise SettingsError("the data have no labels of their own; leave out --labels y.")
        return ChosenLabels(dataset.y, dataset.label_names, "y", given=option is not None)
    if option == "none":
        return ChosenLabels(None, (), "none", given=True)
    if option in dataset.extra:
        return ChosenLabels(_one_column(option, dataset.extra[option]), (), option, given=True)
    if Path(option).is_file():
        labels = read_label_file(Path(option), row_ids(dataset.views))
        return ChosenLabels(labels, (), option, given=True)
    if Path(option).suffix:
        raise FileNotFoundError(f"there is no file {option!r} to read labels from.")
    known = [*dataset.extra, *(["y"] if dataset.y is not None else []), "none"]
    raise SettingsError(f"there are no labels {option!r} in the data; {suggest(option, known)}")


def checksum(path: Path) -> str:
    """SHA-256 of a file, or of the names and contents of all files in a folder."""
    if path.is_file():
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    whole = sha256()
    for part in sorted(part for part in path.rglob("*") if part.is_file()):
        whole.update(f"{part.relative_to(path).as_posix()}\0{checksum(part)}\n".encode())
    return whole.hexdigest()


def _one_column(name: str, values: AnyArray) -> AnyArray:
    if values.ndim != 1:
        raise FileFormatError(
            f"the array {name!r} has the shape {values.shape} and cannot be labels; "
            "name one with one value per object."
        )
    return values
