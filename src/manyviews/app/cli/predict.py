"""``manyviews predict``: a fitted model applied to the objects in another file."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from manyviews.app.cli.results import Result
    from manyviews.app.cli.sources import Source
    from manyviews.data import Views


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@frame.data_argument
@frame.fitted_id_option
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE.csv", help="Write here, not to stdout."
)
@click.option("--force", is_flag=True, help="Replace FILE.csv if there is one.")
@frame.views_option
@frame.trust_option
@frame.pickle_option
@frame.json_option
def predict(
    folder: Path,
    data: tuple[str, ...],
    id_columns: tuple[str, ...],
    out: Path | None,
    force: bool,
    view_names: str | None,
    trust: tuple[str, ...],
    allow_pickle: bool,
    as_json: bool,
) -> None:
    """Apply a fitted model to new objects.

    DIR is a folder that 'manyviews fit' wrote, DATA the same views of other objects: tables are
    read by the same columns, and one with another name is given as view=file. Prints csv with one
    row per object: its label (and probabilities), or its coordinates for methods that transform.
    A view that DATA lacks altogether counts as unobserved.
    """
    from manyviews.app.cli.results import new_result
    from manyviews.app.cli.sources import Source, row_ids

    if out is not None and out.exists() and not force:
        raise FileExistsError(f"{out} exists already; choose another name, or add --force.")
    config, model = load_fitted(folder, trust, allow_pickle=allow_pickle)
    source = Source(data, id_columns, view_names=view_names)
    views = matched(new_views(source, config), config["layout"]["names"], source)
    names = config["labels"]["names"]
    result = new_result(model, views, names)
    _deliver(result, row_ids(views), names, out, force=force, as_json=as_json)


def new_views(source: Source, config: dict[str, Any]) -> Views:
    """Read new objects by the ids that the model knew, leaving out the labels if they are there."""
    from manyviews.app.cli.sources import read_data
    from manyviews.app.lookup import SettingsError

    known = config.get("data", {})
    if not source.id_columns and source.is_of_tables():
        source = replace(source, id_columns=tuple(known.get("id", ())))
    if column := known.get("label_column"):
        with suppress(SettingsError):  # new objects need not have labels
            return read_data(replace(source, labels=column)).views
    return read_data(source).views


def load_fitted(
    folder: Path, trust: tuple[str, ...], *, allow_pickle: bool
) -> tuple[dict[str, Any], Any]:
    """Load a fitted model with its configuration, both of the same fit."""
    from manyviews.app.lookup import import_from_here
    from manyviews.app.model import load_model

    if trust or allow_pickle:
        import_from_here()
    config = read_configuration(folder)
    while True:
        model = load_model(folder / config["model"], trust=trust, allow_pickle=allow_pickle)
        still = read_configuration(folder)
        if still == config:
            return config, model
        config = still  # another fit has replaced the folder meanwhile


def read_configuration(folder: Path) -> dict[str, Any]:
    """Read the ``config.json`` of a fitted model, refusing one from the future."""
    from manyviews.app.cli.fit import FORMAT
    from manyviews.data import settled
    from manyviews.exceptions import FileFormatError

    settled(folder)
    path = folder / "config.json"
    if not path.is_file():
        raise FileNotFoundError(
            f"{folder} is not a folder that 'manyviews fit' wrote: it has no config.json."
        )
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = int(config["format"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileFormatError(f"{path} is damaged ({error}); fit the model again.") from error
    if found > FORMAT:
        raise FileFormatError(
            f"{folder} was written in format {found} and this version of manyviews reads formats "
            f"up to {FORMAT}; install a newer manyviews."
        )
    if not (
        config.get("model") in ("model.skops", "model.pkl")
        and isinstance(config.get("data", {}), dict)
        and all(_has_names(config.get(key)) for key in ("layout", "labels"))
    ):
        raise FileFormatError(f"{path} is damaged: an entry is missing; fit the model again.")
    return config


def _has_names(entry: Any) -> bool:
    """Whether an entry lists names, as those of views and of labels do."""
    names = entry.get("names") if isinstance(entry, dict) else None
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def matched(views: Views, names: list[str], data: object) -> Views:
    """Count as unobserved, and say so, what the new data lack of the views of ``fit``."""
    import warnings

    from manyviews.data import Views
    from manyviews.exceptions import UnknownViewError

    missing = [name for name in names if name not in views]
    if not missing:
        return views
    if len(missing) == len(names):
        raise UnknownViewError(
            f"{data} has none of the views of the model ({', '.join(names)}) but "
            f"{', '.join(views.names)}; give the same views under the same names, a table as in "
            f"{names[0]}=file.csv."
        )
    for name in missing:
        warnings.warn(f"{data} has no view {name!r}; it counts as unobserved.", stacklevel=2)
    return Views(
        {**dict(views.items()), **dict.fromkeys(missing)},
        observed={name: views.observed_in(name) for name in views.names},
        feature_names=views.feature_names,
        sample_ids=views.sample_ids,
    )


def _deliver(
    result: Result,
    ids: list[Any],
    names: list[str],
    out: Path | None,
    *,
    force: bool,
    as_json: bool,
) -> None:
    from manyviews.data import replaced_file

    rows = result.rows(ids, names)
    if out is None and not as_json:
        frame.write_csv(result.columns, rows, sys.stdout)
        return
    payload: dict[str, Any] = {"kind": result.kind, "n_objects": len(ids)}
    if out is None:
        payload |= {"columns": result.columns, "rows": list(rows)}
    else:
        payload["out"] = str(out)
        with replaced_file(out, overwrite=force) as temporary:
            frame.write_csv_file(result.columns, rows, temporary)
    frame.emit(
        payload,
        as_json=as_json,
        show=lambda console: console.print(f"Written to {out}.", soft_wrap=True),
    )
