"""Several tables about the same objects: each file is a view, and rows are joined by id."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from manyviews.data.io.cells import guess_ids
from manyviews.data.io.folder import FORMATS, LABELS, OBSERVED, TOML, in_place
from manyviews.data.io.safety import DamageError, reading, refuse_absent
from manyviews.data.io.sheet import LABEL_COLUMNS, as_labels, read_label_file, refuse_repeated
from manyviews.data.io.tables import (
    ID,
    PANDAS_INDEX,
    Table,
    find_separator,
    is_called_id,
    read_csv,
    read_parquet,
    read_svmlight,
)
from manyviews.data.rows import nearest
from manyviews.data.views import Dataset, Views
from manyviews.exceptions import FileFormatError, UnknownLabelsError, ViewsError
from manyviews.typing import AnyArray, is_sparse

KINDS = {**FORMATS, ".h5ad": "h5ad"}
"""Files that hold one table, by their suffix."""


@dataclass(frozen=True)
class File:
    """A file that a user has named, perhaps with a part of it and with a name for the view.

    Examples
    --------
    >>> File.named("outcome.csv:status").part, File.named("clinic=new/patients.csv").view_name
    ('status', 'clinic')
    """

    path: Path
    part: str | None = None
    view: str | None = None

    @classmethod
    def named(cls, text: str) -> File:
        """Read a name; signs that belong to the path of a file itself separate nothing."""
        if Path(text).exists():
            return cls(Path(text))
        view, equals, rest = text.partition("=")
        if equals and view.isidentifier():
            return replace(cls.named(rest), view=view)
        head, colon, part = text.rpartition(":")
        if colon and part and Path(head).suffix.lower() in KINDS:
            return cls(Path(head), part)
        return cls(Path(text))

    @property
    def view_name(self) -> str:
        """How the view is called: as was said, or like the layer, or like the file."""
        return self.view or self.part or self.path.stem


def read_folder_of_tables(
    folder: Path,
    *,
    id_columns: str | Mapping[str, str] | None = None,
    labels: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    """Read all tables of a folder without ``views.toml``; ``labels.csv`` has the labels."""
    if labels is None and (folder / LABELS).is_file():
        labels = str(folder / LABELS)
    elif labels is not None and File.named(str(folder / labels)).path.is_file():
        labels = str(folder / labels)
    answers = None if labels is None else File.named(labels)
    tables = [
        file
        for file in map(File, sorted(folder.iterdir()))
        if file.path.suffix.lower() in KINDS and not file.path.name.startswith(".")
    ]
    for file in tables:
        if not file.path.resolve().is_relative_to(folder.resolve()):
            raise FileFormatError(
                f"{file.path} is a link to a file outside of its folder, which could be any of "
                "yours; move the file there."
            )
    files = [file for file in tables if file != answers]  # a file of labels is no view
    if not files or (folder / OBSERVED).is_file():  # the mask of a folder that we wrote
        raise FileNotFoundError(
            f"the folder {folder} has no {TOML} and no tables of its own; write one that names "
            f"the views, or put tables there ({', '.join(KINDS)})."
        )
    dataset = read_tables(by_view(files), id_columns=id_columns, labels=labels, max_bytes=max_bytes)
    note = f"there is no {TOML}, so every table is a view: {', '.join(f.path.name for f in files)}"
    return replace(dataset, name=folder.resolve().name, notes=(note, *dataset.notes))


def named_tables(
    path: str | PathLike[str] | Sequence[str | PathLike[str]] | Mapping[str, str | PathLike[str]],
) -> dict[str, File] | None:
    """Files of tables by view, or None if it is one file or folder that holds all views."""
    if isinstance(path, Mapping):
        files = {name: File.named(str(file)) for name, file in path.items()}
    else:
        listed = [path] if isinstance(path, str | PathLike) else list(path)
        named = [File.named(str(file)) for file in listed]
        if len(named) == 1 and (
            named[0].path.suffix.lower() not in KINDS or named[0].path.is_dir()
        ):
            return None
        files = by_view(named)
    if not files:
        raise ViewsError("there are no files; name at least one.")
    return files


def by_view(files: Sequence[File]) -> dict[str, File]:
    """Name each view by its file; two of one name are refused."""
    named: dict[str, File] = {}
    for file in files:
        name = file.view_name
        if name in named:
            raise ViewsError(
                f"{named[name].path} and {file.path} would both be the view {name!r}; give one of "
                f"them another name, as in other={file.path}."
            )
        named[name] = file
    return named


def read_tables(
    files: Mapping[str, File],
    *,
    id_columns: str | Mapping[str, str] | None = None,
    labels: str | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    """Read each file as a view and join the rows by id, or by position where no file has ids.

    The objects stand in the order of the first table; those that only later ones have follow.
    """
    chosen = _Labels.chosen(labels, files)
    ids = {name: _id_column(id_columns, name) for name in files}
    tables = {
        name: _read_table(file, ids[name], chosen.aside(file), max_bytes)
        for name, file in files.items()
    }
    if key := _shared_key(tables):
        tables = {n: _read_table(f, key, chosen.aside(f), max_bytes) for n, f in files.items()}
    _refuse_half_named(tables, files)
    objects = _objects(tables)
    n_objects = len(next(iter(tables.values()))) if objects is None else len(objects)
    rows = {name: in_place(name, table, objects, n_objects) for name, table in tables.items()}
    views = Views(
        {name: matrix for name, (matrix, _) in rows.items()},
        observed={name: seen for name, (_, seen) in rows.items()},
        feature_names={n: np.array(t.names, object) for n, t in tables.items() if t.names},
        sample_ids=None if objects is None else guess_ids(objects),
    )
    shared = id_columns if isinstance(id_columns, str) else None
    y = chosen.read(tables, objects, n_objects, shared)
    notes = tuple(_notes(tables, ids, views))
    return Dataset(views, y, name=", ".join(files), notes=notes)


def relabelled(dataset: Dataset, labels: str | None) -> Dataset:
    """Take other labels than those that a file of ours has: an array in it, or those of a file."""
    if labels is None or (labels == "y" and "y" not in dataset.extra and dataset.y is not None):
        return dataset
    if labels in dataset.extra:
        values = dataset.extra[labels]
        if values.ndim != 1:
            raise ViewsError(
                f"the array {labels!r} has the shape {values.shape} and cannot be labels; "
                "name one with one value per object."
            )
        return replace(dataset, y=values, label_names=())
    file = File.named(labels)
    if file.path.is_file():
        ids = dataset.views.sample_ids
        objects = range(len(dataset.views)) if ids is None else ids.tolist()
        return replace(dataset, y=read_label_file(file.path, objects, file.part), label_names=())
    known = [*dataset.extra, *(["y"] if dataset.y is not None else [])]
    raise _no_labels(labels, known)


# -- labels --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Labels:
    """Where the labels are: in a file of their own, or in a column of the tables."""

    file: File | None = None
    column: str | None = None
    table: Path | None = None
    """The one table that has the column, where that was said."""

    @classmethod
    def chosen(cls, labels: str | None, files: Mapping[str, File]) -> _Labels:
        if labels is None:
            return cls()
        file = File.named(labels)
        if not file.path.is_file():
            if file.part is not None or file.path.suffix.lower() in KINDS:
                raise FileNotFoundError(f"there is no file {str(file.path)!r} to read labels from.")
            return cls(column=labels)
        among = any(file.path.resolve() == other.path.resolve() for other in files.values())
        if not among:
            return cls(file=file)
        if file.part is None:
            raise ViewsError(
                f"{file.path} is given for the labels and as a view; leave it out of the views, or "
                f"name the column with the labels, as in {file.path}:outcome."
            )
        return cls(column=file.part, table=file.path.resolve())

    def aside(self, file: File) -> Collection[str]:
        """Columns of a table that are labels, and so no features."""
        if self.column is None or self.table not in {None, file.path.resolve()}:
            return ()
        return (self.column,)

    def read(
        self,
        tables: Mapping[str, Table],
        objects: list[str] | None,
        n_objects: int,
        id_column: str | None,
    ) -> AnyArray | None:
        """Read the labels in the order of the objects."""
        keys: list[str] = list(map(str, range(n_objects))) if objects is None else objects
        if self.file is not None:
            return read_label_file(self.file.path, keys, self.file.part, id_column)
        if self.column is None:
            return None
        found: dict[str, str] = {}
        for table in tables.values():
            for key, cell in zip(
                table.keys or keys, table.aside.get(self.column, ()), strict=False
            ):
                if cell and found.setdefault(key, cell) != cell:
                    raise ViewsError(
                        f"the object {key!r} has the label {found[key]!r} in one table and "
                        f"{cell!r} in another; say which, as in table.csv:{self.column}."
                    )
        if not any(self.column in table.aside for table in tables.values()):
            names = (name for table in tables.values() for name in table.names or ())
            raise _no_labels(self.column, names)
        return as_labels([found.get(key, "").strip() for key in keys])


def _no_labels(labels: str, known: Collection[str] | Iterator[str]) -> Exception:
    if Path(labels).suffix.lower() in KINDS:
        return FileNotFoundError(f"there is no file {labels!r} to read labels from.")
    return UnknownLabelsError(
        f"there are no labels {labels!r} in the data, nor a file of that name; "
        f"{nearest(labels, known)}"
    )


# -- tables --------------------------------------------------------------------------------------


def _id_column(stated: str | Mapping[str, str] | None, name: str) -> str | None:
    return stated if stated is None or isinstance(stated, str) else stated.get(name)


def _read_table(
    file: File, id_column: str | None, aside: Collection[str], max_bytes: int | None
) -> Table:
    path, kind = file.path, KINDS.get(file.path.suffix.lower(), "table")
    if path.is_dir():
        raise ViewsError(f"{path} is a folder; name it alone, or name the tables in it.")
    refuse_absent(path)
    if file.part is not None and kind != "h5ad":
        raise ViewsError(f"{path} has no layers, so {file.part!r} names nothing; leave it out.")
    with reading(path, f"{kind} file"):
        match kind:
            case "h5ad":
                from manyviews.data.io.h5mu import read_h5ad

                table = read_h5ad(path, layer=file.part, aside=aside, max_bytes=max_bytes)
            case "parquet":
                table = read_parquet(path, id_column=id_column, max_bytes=max_bytes, aside=aside)
            case "svmlight":
                table = read_svmlight(path, None, None)
            case "csv":
                table = read_csv(
                    path, id_column=id_column, separator=find_separator(path), aside=aside
                )
            case _:
                raise DamageError(f"it is no table; give files that end in {', '.join(KINDS)}.")
        table = table.with_plain_keys()
        _check_table(table)
    return table


def _check_table(table: Table) -> None:
    if not math.prod(table.matrix.shape):
        lack = "rows" if table.matrix.shape[1] else "columns beside the ids and labels"
        raise DamageError(f"it has no {lack}, so it is no view; leave it out.")
    if table.keys is None:
        return
    if "" in table.keys:
        raise DamageError(
            f"its column of ids {table.id_column!r} is empty in row {list(table.keys).index('')}; "
            "give every object an id, or leave the row out."
        )
    refuse_repeated(table.keys)


def _shared_key(tables: Mapping[str, Table]) -> str | None:
    """Name of the first column of all tables, if it has their ids though its name does not say so.

    That is to say whole numbers that occur once, the same in every table, under a name with "id"
    in it or in another order.
    """
    firsts = {table.names[0] if table.names else None for table in tables.values()}
    name = firsts.pop()
    if len(tables) < 2 or firsts or name is None or any(t.keys for t in tables.values()):
        return None
    if not all(_tells_apart(table, 0) for table in tables.values()):
        return None
    one, *others = (table.matrix[:, 0].tolist() for table in tables.values())
    same = all(set(one) == set(other) for other in others)
    return name if same and ("id" in name.casefold() or any(one != o for o in others)) else None


def _tells_apart(table: Table, column: int) -> bool:
    """Whether a column has whole numbers, each once, as ids do."""
    if is_sparse(table.matrix):
        return False
    values = table.matrix[:, column]
    whole = bool(np.isfinite(values).all()) and bool((values == np.rint(values)).all())
    return whole and len(np.unique(values)) == len(values)


def _refuse_half_named(tables: Mapping[str, Table], files: Mapping[str, File]) -> None:
    """Refuse tables that could be joined neither by id nor by position."""
    unnamed = [name for name, table in tables.items() if table.keys is None]
    if unnamed and len(unnamed) < len(tables):
        named = next(name for name in tables if name not in unnamed)
        raise ViewsError(
            f"{files[named].path} has ids ({_shown_column(tables[named])}) and "
            f"{files[unnamed[0]].path} has none that are known as such; name its column of ids by "
            "id, for one view as in id={'view': 'column'} or --id view=column."
        )
    lengths = {name: len(tables[name]) for name in unnamed}
    if len(set(lengths.values())) > 1:
        one = unnamed[0]
        other = next(name for name in unnamed if lengths[name] != lengths[one])
        raise ViewsError(
            f"{files[one].path} has {lengths[one]} rows and {files[other].path} {lengths[other]}, "
            "and neither has a column that is known to have ids; name it by id, or give both one "
            "row per object in the same order."
        )
    _refuse_strangers({name: t.keys for name, t in tables.items() if t.keys is not None}, files)


def _refuse_strangers(keys: Mapping[str, Sequence[str]], files: Mapping[str, File]) -> None:
    """Refuse a table none of whose objects is in another, as its ids must be of another kind."""
    for name, own in keys.items():
        others = {key for other, found in keys.items() if other != name for key in found}
        if len(keys) > 1 and others.isdisjoint(own):
            stranger = next(found[0] for other, found in keys.items() if other != name)
            raise ViewsError(
                f"{files[name].path} has no object in common with another table: its ids are like "
                f"{own[0]!r} and those of others like {stranger!r}; name the columns with the same "
                "ids by id."
            )


def _objects(tables: Mapping[str, Table]) -> list[str] | None:
    everyone: dict[str, None] = {}
    for table in tables.values():
        if table.keys is None:
            return None
        everyone.update(dict.fromkeys(table.keys))
    return list(everyone)


def _shown_column(table: Table) -> str:
    if table.id_column is None:
        return "its row names"
    unnamed = table.id_column in {"", PANDAS_INDEX, "Unnamed: 0"}
    return "an index without a name" if unnamed else f"the column {table.id_column!r}"


def _like_ids(table: Table) -> str | None:
    """Name of a feature that may well be ids: so called, or first with "id" in its name."""
    for place, name in enumerate(table.names or ()):
        called = is_called_id(name) or (place == 0 and "id" in name.casefold())
        if called and _tells_apart(table, place):
            return name
    return None


def _notes(
    tables: Mapping[str, Table], stated: Mapping[str, str | None], views: Views
) -> Iterator[str]:
    """Say what was decided that nobody has stated."""
    for name, table in tables.items():
        if table.id_column not in {None, ID, stated[name]}:
            yield f"the ids of view {name!r} are taken from {_shown_column(table)}"
        if table.keys is None and (column := _like_ids(table)):
            yield f"the column {column!r} of view {name!r} is a feature; for ids say id={column!r}"
    if len(tables) > 1 and views.sample_ids is None:
        yield "no table has ids, so rows are joined by their position"
    for name, table in tables.items():
        found = [n for n in table.names or () if n.casefold() in LABEL_COLUMNS[1:]]
        if found:
            yield (
                f"the column {found[0]!r} of view {name!r} is a feature; if it has the labels, "
                f"say labels={found[0]!r}"
            )
    partial = int((~views.observed.all(axis=1)).sum())
    if partial:
        yield (
            f"{partial:,} of {len(views):,} objects are not in every table; what a table lacks is "
            "unobserved"
        )
