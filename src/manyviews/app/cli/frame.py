"""The frame of every command: the group that loads it, its options, and how its results leave.

From the top: commands that load on use, with errors and warnings as sentences; options that
several commands share; tables, JSON and csv; pictures. Nothing heavy is imported before a command
runs.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeVar

import click

from manyviews.app.lookup import SettingsError, suggest
from manyviews.exceptions import MemoryLimitError

if TYPE_CHECKING:
    from rich.console import Console, Group

# -- commands that load on use, errors that leave as one sentence ----------------------------------

EXPECTED = (ValueError, OSError, ImportError, ArithmeticError, NotImplementedError)
"""Errors whose own message is meant for the user."""

INTERRUPTED = 130
"""Exit code of a command ended by ctrl-C: 128 and the number of the signal, as shells have it."""

LONGEST = 600
"""Characters of a message that are shown. A judgement: five lines of a window of 120, and the
messages of other packages that are longer print whole arrays."""


class LazyCommand(NamedTuple):
    """Where a command is, and what the list of commands says of it."""

    target: str
    """``module:name``, the module being one of this package."""
    help: str


class WrongUsageError(click.ClickException):
    """Something was asked for that does not exist."""

    exit_code = 2


class LazyGroup(click.Group):
    """A group that imports a command when it is invoked and turns errors into sentences."""

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        """Names of the commands, in the order in which one meets them."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in self.lazy:
            return None
        module, _, name = self.lazy[cmd_name].target.partition(":")
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name those that are spelt like it."""
        if args and args[0] not in self.lazy and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}; {suggest(args[0], self.lazy)}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's signature)
        formatter: click.HelpFormatter,
    ) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in self.lazy.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what it raises becomes one sentence unless debugging."""
        with warnings_as_sentences(), errors_as_sentences(debug=bool(ctx.params.get("debug"))):
            return super().invoke(ctx)


@contextmanager
def errors_as_sentences(*, debug: bool) -> Iterator[None]:
    """Turn errors into click's, which print ``Error: …`` and set the exit code."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
        raise
    except Exception as error:
        if debug:
            raise
        raise _as_click(error) from error


def _as_click(error: Exception) -> click.ClickException:
    kind = WrongUsageError if isinstance(error, SettingsError) else click.ClickException
    return kind(sentence(error))


def sentence(error: Exception) -> str:
    """Say in one line what an error says."""
    if isinstance(error, MemoryError) and not isinstance(error, MemoryLimitError):
        text = "there is not enough memory for this; use fewer objects or features."
    elif isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    elif isinstance(error, EXPECTED) and str(error):
        text = str(error)
    else:
        text = f"{type(error).__name__}: {error} (see where with 'manyviews --debug …')"
    line = " ".join(text.split())
    if len(line) <= LONGEST:
        return line
    return f"{line[:LONGEST]}… (read all of it with 'manyviews --debug …')"


@contextmanager
def warnings_as_sentences() -> Iterator[None]:
    """Show warnings as one line each on the error stream."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        yield


def _show_warning(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001 (the signature of warnings.showwarning)
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,
    line: str | None = None,  # noqa: ARG001
) -> None:
    click.echo(f"Warning: {' '.join(str(message).split())}", file=file or sys.stderr)


# -- options that several commands share -----------------------------------------------------------

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


# -- results: tables for people, JSON for programs, csv for both -----------------------------------

WIDTH_WITHOUT_TERMINAL = 120
"""Columns of a table that goes to a file or a pipe, where there is no window to ask. A judgement:
the table of ``manyviews methods`` folds the sentences of its methods into a few lines."""


def emit(payload: Any, *, as_json: bool, show: Callable[[Console], None]) -> None:
    """Print a result, as JSON or as the given function shows it."""
    if as_json:
        click.echo(json.dumps(plain(payload), indent=2, allow_nan=False))
    else:
        show(console())


def console() -> Console:
    """Return a console for results, in which text is never taken for markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
    return Console(markup=False, highlight=False, emoji=False, width=width, soft_wrap=False)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str = "",
    right: Sequence[str] = (),
) -> Group:
    """Make a table under its title; columns named in ``right`` hold numbers."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell(value) for value in row))
    return Group(Text(title, style="bold"), made) if title else Group(made)


def cell(value: Any) -> str:
    """Write a value for a person."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {cell(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    return str(value)


def plain(value: Any) -> Any:
    """Return what JSON can hold: NumPy becomes Python, what is not finite becomes null.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"a": np.float32(0.5), "b": np.array([1.0, np.nan]), 3: (True, None)})
    {'a': 0.5, 'b': [1.0, None], '3': [True, None]}
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    return str(value)


def write_json(payload: Any, path: Path) -> None:
    """Write a readable JSON file."""
    text = json.dumps(plain(payload), indent=2, allow_nan=False, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: TextIO) -> None:
    """Write rows of csv; what is missing is an empty cell, and numbers keep every digit."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["" if _is_missing(value) else value for value in row])


def write_csv_file(columns: Sequence[str], rows: Iterable[Sequence[Any]], path: Path) -> None:
    """Write a csv file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(columns, rows, file)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


# -- pictures, drawn without a screen --------------------------------------------------------------

FORMATS = ("pdf", "png", "svg")


def check_picture(path: Path) -> None:
    """Refuse a file name that ends in no known format."""
    if path.suffix.lstrip(".").lower() not in FORMATS:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise ValueError(f"{path} is no name for a picture; let it end in one of {endings}.")


def draw(make: Callable[[Any], Any], path: Path) -> None:
    """Draw into a file, whose ending gives the format.

    ``make`` gets the module ``manyviews.plot`` and returns a display that has been drawn.
    """
    check_picture(path)
    os.environ.setdefault("MPLBACKEND", "Agg")  # a command draws into files only
    from manyviews import plot
    from manyviews.data import replaced_file

    figure = make(plot).figure_
    with replaced_file(path) as temporary:
        figure.savefig(temporary, format=path.suffix.lstrip(".").lower(), dpi=150)
