"""What a command reads: a file of views, the labels that go with it, and its checksum."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.app.lookup import SettingsError, suggest
from manyviews.data import Dataset, Views, read
from manyviews.exceptions import FileFormatError
from manyviews.typing import AnyArray

HEADINGS = ("class", "label", "labels")


@dataclass(frozen=True)
class ChosenLabels:
    """Labels with what their numbers stand for, and where they come from."""

    y: AnyArray | None
    names: tuple[str, ...]
    source: str
    given: bool
    """Whether they were asked for, rather than found in the data."""


def read_data(path: Path, view_names: str | None = None) -> Dataset:
    """Read a file of views, and keep some of them."""
    dataset = read(path)
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
        labels = _labels_of(row_ids(dataset.views), Path(option))
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


def _labels_of(ids: Sequence[Any], path: Path) -> AnyArray:
    rows = _rows(path)
    if not any(any(row) for row in rows):
        raise FileFormatError(f"{path} has no rows; write one label per object.")
    labels = np.full(len(ids), None, dtype=object)
    if all(len(row) <= 1 for row in rows):
        labels[:] = _in_order(rows, len(ids), path)
    else:
        by_id = _by_id(rows, {str(key) for key in ids}, path)
        _report_strangers(by_id, ids, path)
        labels[:] = [by_id.get(str(key)) for key in ids]
    return labels


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [[value.strip() for value in row] for row in csv.reader(file, strict=True)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(f"{path} cannot be read as csv ({error}); correct it.") from error
    return rows


def _in_order(rows: list[list[str]], n_objects: int, path: Path) -> list[str | None]:
    values = [row[0] if row else "" for row in rows]
    if values[0].lower() in HEADINGS:
        del values[0]
    while len(values) > n_objects and not values[-1]:  # empty lines at the end
        values.pop()
    if len(values) == n_objects + 1:  # a heading that we do not know
        del values[0]
    if len(values) != n_objects:
        raise FileFormatError(
            f"{path} has {len(values)} labels for {n_objects} objects; give one per object, or "
            "two columns, id and label."
        )
    return [value or None for value in values]


def _by_id(rows: list[list[str]], ids: set[str], path: Path) -> dict[str, str | None]:
    heading = [name.lower() for name in rows[0]]
    headed = rows[0][0] not in ids
    if headed and {"id", "label"} <= set(heading):
        columns = heading.index("id"), heading.index("label")
    elif len(heading) == 2:
        columns = 0, 1
    else:
        raise FileFormatError(
            f"{path} has {len(heading)} columns; give two, id and label, or name them so."
        )
    found: dict[str, str | None] = {}
    for number, row in enumerate(rows[headed:], 1 + headed):
        if not any(row):
            continue
        if len(row) <= max(columns):
            raise FileFormatError(f"{path} has too few columns in row {number}; complete it.")
        key = row[columns[0]]
        if key in found:
            raise FileFormatError(f"{path} names the object {key!r} twice; keep one label of it.")
        found[key] = row[columns[1]] or None
    return found


def _report_strangers(by_id: dict[str, str | None], ids: Sequence[Any], path: Path) -> None:
    known = {str(key) for key in ids}
    strangers = [key for key in by_id if key not in known]
    if len(strangers) == len(by_id):
        raise FileFormatError(
            f"{path} labels none of the objects in the data, whose ids are like {str(ids[0])!r} "
            f"and not like {next(iter(by_id), '')!r}; use the same ids."
        )
    if strangers:
        warnings.warn(
            f"{path} labels {len(strangers)} objects that are not in the data, "
            f"the first {strangers[0]!r}.",
            stacklevel=2,
        )
