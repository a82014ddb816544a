"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

data_argument = click.argument("data", nargs=-1, required=True, metavar="DATA…")


def _id_option(default: str) -> Callable[[F], F]:
    return click.option(
        "--id",
        "id_columns",
        multiple=True,
        metavar="COLUMN|VIEW=COLUMN",
        help="Column of the tables with the ids of the objects, by which they are joined; may be "
        f"repeated for one view each. By default {default}.",
    )


id_option = _id_option("a first column that is called like ids")
fitted_id_option = _id_option("the one of the fit")

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)

labels_option = click.option(
    "--labels",
    metavar="NAME|FILE[:COLUMN]|none",
    help="Labels: a column of the tables or an array in DATA by name, a csv or parquet file of "
    "ids and labels (an empty or missing label is an unlabelled object), or 'none'. By default "
    "those that DATA itself has.",
)

views_option = click.option(
    "--views",
    "view_names",
    metavar="NAME,…",
    help="Use these views only, in this order. By default all of them.",
)

set_option = click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter, as in n_clusters=6, affinity.gamma=0.1 or "
    "'transformer=StandardScaler()'; may be repeated.",
)

config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE.toml|json",
    help="Set parameters from a file; --set goes over it.",
)

SEED = click.IntRange(0, 2**32 - 1)

seed_option = click.option(
    "--seed", type=SEED, metavar="N", help="Set random_state wherever there is one."
)

trust_option = click.option(
    "--trust",
    multiple=True,
    metavar="MODULE.TYPE",
    help="Allow a further type in the model file; may be repeated.",
)

pickle_option = click.option(
    "--allow-pickle",
    is_flag=True,
    help="Allow the model to be a pickle, which runs code when it is loaded.",
)
