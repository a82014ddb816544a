"""``manyviews datasets``: the catalogue of data sets, and how to get one into a file."""

from __future__ import annotations

from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

home_option = click.option(
    "--data",
    "data_home",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where the data sets are; by default what MANYVIEWS_DATA names.",
)


@click.group()
def datasets() -> None:
    """List, describe and export data sets."""


@datasets.command("list")
@home_option
@frame.json_option
def list_command(data_home: Path | None, as_json: bool) -> None:
    """List real data sets, and those made on the spot."""
    from manyviews.datasets import available

    found = {
        "real": [asdict(entry) for entry in available(data_home=data_home)],
        "made": [{"name": name, "title": _purpose(make)} for name, make in made().items()],
    }
    frame.emit(found, as_json=as_json, show=lambda console: _show_list(found, console))


@datasets.command("show")
@click.argument("name")
@home_option
@frame.json_option
def show_command(name: str, data_home: Path | None, as_json: bool) -> None:
    """Describe one data set: its views, traps, citation, terms and source."""
    from manyviews.app.cli.docstrings import read_docstring
    from manyviews.datasets import info

    if name in made():
        description = read_docstring(made()[name].__doc__).text
        parameters = [str(p) for p in signature(made()[name]).parameters.values()]
        content = {"name": name, "description": description, "parameters": parameters}
    else:
        _check_name(name)
        content = asdict(info(name, data_home=data_home))
    frame.emit(content, as_json=as_json, show=lambda console: _show_one(content, console))


@datasets.command("export")
@click.argument("name")
@click.argument("out", type=click.Path(path_type=Path), metavar="OUT")
@home_option
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter that 'manyviews datasets show NAME' lists, as in n_objects=200; may be "
    "repeated.",
)
@click.option("--seed", type=frame.SEED, metavar="N", help="For data made on the spot.")
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
@frame.json_option
def export_command(
    name: str,
    out: Path,
    data_home: Path | None,
    pairs: tuple[str, ...],
    seed: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a data set to OUT: an .npz or .h5mu file, or a folder of csv files."""
    from manyviews.app.cli.info import contents, show_contents
    from manyviews.data import write

    if out.exists() and not force:
        raise FileExistsError(f"{out} exists already; choose another name, or add --force.")
    dataset = _made(name, pairs, seed) if name in made() else _loaded(name, pairs, seed, data_home)
    write(dataset, out)
    content = {"out": str(out), **contents(dataset)}

    def show(console: Console) -> None:
        show_contents(content, console)
        console.print(f"Written to {out}.", soft_wrap=True)

    frame.emit(content, as_json=as_json, show=show)


def made() -> dict[str, Callable[..., Any]]:
    """Return the data sets that need no files, by name."""
    from manyviews import datasets as room

    return {name: getattr(room, name) for name in room.__all__ if name.startswith("make_")}


def _check_name(name: str) -> None:
    from manyviews.app.lookup import SettingsError, suggest
    from manyviews.datasets import available

    known = [*(entry.name for entry in available()), *made()]
    if name not in known:
        raise SettingsError(f"there is no data set {name!r}; {suggest(name, known)}")


def _made(name: str, pairs: tuple[str, ...], seed: int | None) -> Any:
    from manyviews.app.lookup import SettingsError, suggest
    from manyviews.app.settings import read_settings

    make = made()[name]
    known = signature(make).parameters
    given = {".".join(path): value for path, value in read_settings(pairs).items()}
    if seed is not None and "random_state" in known:
        given.setdefault("random_state", seed)
    for key in given:
        if key not in known:
            raise SettingsError(f"{name} has no parameter {key!r}; {suggest(key, known)}")
    missing = [key for key, p in known.items() if p.default is p.empty and key not in given]
    if missing:
        raise SettingsError(
            f"{name} needs a value for {missing[0]!r}; give it with --set {missing[0]}=…."
        )
    return make(**given)


def _loaded(name: str, pairs: tuple[str, ...], seed: int | None, data_home: Path | None) -> Any:
    from manyviews.app.lookup import SettingsError
    from manyviews.data import Dataset
    from manyviews.datasets import load

    _check_name(name)
    if pairs or seed is not None:
        raise SettingsError(f"{name!r} is read as it is; leave out --set and --seed.")
    dataset = load(name, data_home=data_home)
    if not isinstance(dataset, Dataset):
        raise ValueError(
            f"the data set {name!r} is text and has no views to write; read it in Python with "
            f"manyviews.datasets.load({name!r})."
        )
    return dataset


def _purpose(make: Callable[..., Any]) -> str:
    from manyviews.app.cli.docstrings import read_docstring

    return read_docstring(make.__doc__).purpose


def _show_list(found: dict[str, list[dict[str, Any]]], console: Console) -> None:

    columns = ("name", "kind", "objects", "views", "classes", "present", "title")
    rows = [
        (
            *(e[key] for key in ("name", "kind", "n_objects")),
            *(len(e[key]) or None for key in ("views", "classes")),
            *(e[key] for key in ("present", "title")),
        )
        for e in found["real"]
    ]
    numbers = ("objects", "views", "classes")
    console.print(frame.table(columns, rows, title="Real data sets", right=numbers))
    rows = [(entry["name"], entry["title"]) for entry in found["made"]]
    console.print(frame.table(("name", "title"), rows, title="Made on the spot"))


def _show_one(content: dict[str, Any], console: Console) -> None:

    hidden = {"description", "files"}
    rows = [(key, value) for key, value in content.items() if key not in hidden and value != ()]
    console.print(frame.table(("", ""), rows))
    console.print(content["description"])
