"""``manyviews plan``: which labels to ask for and which views to measure next."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from manyviews.acquire import Action, Plan
    from manyviews.app.cli.sources import Source
    from manyviews.data import Views
    from manyviews.typing import AnyArray

COLUMNS = ("rank", "id", "kind", "view", "gain", "cost", "gain_per_cost")
"""Of the csv."""
KINDS = ("label", "view")


@click.command()
@frame.data_argument
@frame.id_option
@frame.labels_option
@frame.views_option
@click.option(
    "--budget",
    type=float,
    required=True,
    metavar="NUMBER",
    help="What the answers may cost together; 'inf' ranks all questions.",
)
@click.option(
    "--costs",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Costs: lines of question,cost, where a question is 'label' or the name of a view; or a "
    "table with the ids of the objects in its first column, and a column for each question. An "
    "empty cost is a question that cannot be asked. By default each costs 1.",
)
@click.option(
    "--kinds",
    default="label,view",
    show_default=True,
    metavar="KIND,…",
    help="Ask for labels, for views, or for both.",
)
@click.option(
    "--diverse/--no-diverse",
    default=True,
    show_default=True,
    help="Value each question as if those above it had been answered, or each by itself.",
)
@click.option(
    "--expectation",
    type=click.Choice(["conditional-mean", "mixture"]),
    default="conditional-mean",
    show_default=True,
    help="What stands for a view before it is measured; with 'mixture' gains are upper bounds.",
)
@click.option(
    "--model",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder that 'manyviews fit BayesianCoTraining' wrote. By default one is fitted to "
    "DATA.",
)
@frame.set_option
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE.csv", help="Write the plan here, too."
)
@click.option("--force", is_flag=True, help="Replace FILE.csv if there is one.")
@click.option("--csv", "as_csv", is_flag=True, help="Print csv in place of the table.")
@frame.trust_option
@frame.pickle_option
@frame.json_option
def plan(
    data: tuple[str, ...],
    id_columns: tuple[str, ...],
    labels: str | None,
    view_names: str | None,
    budget: float,
    costs: Path | None,
    kinds: str,
    diverse: bool,
    expectation: str,
    folder: Path | None,
    pairs: tuple[str, ...],
    out: Path | None,
    force: bool,
    as_csv: bool,
    trust: tuple[str, ...],
    allow_pickle: bool,
    as_json: bool,
) -> None:
    """Say what to label or measure next.

    DATA are the objects, some of them without label or without some views. Fits BayesianCoTraining
    to them, or takes a model that is fitted, and ranks the questions by the information that their
    answers are expected to give, in nats, for each unit of cost. Prints those that the budget
    pays for.
    """
    from manyviews import acquire
    from manyviews.app.cli.sources import Source
    from manyviews.app.lookup import SettingsError

    if out is not None and out.exists() and not force:
        raise FileExistsError(f"{out} exists already; choose another name, or add --force.")
    if as_csv and as_json:
        raise SettingsError("--csv and --json are two ways to print a plan; choose one.")
    asked = _kinds(kinds)
    source = Source(data, id_columns, labels, view_names)
    y: AnyArray | None
    if folder is None:
        model, views, y = _fitted(source, pairs)
    else:
        model, views, y = _loaded(folder, source, pairs, trust, allow_pickle=allow_pickle)
    found = acquire.plan(
        model,
        views,
        y,
        budget,
        None if costs is None else read_cost_file(costs, views),
        asked,  # type: ignore[arg-type]  # held to their words by plan
        expectation=expectation,  # type: ignore[arg-type]
        diverse=diverse,
    )
    _deliver(found, out, force=force, as_csv=as_csv, as_json=as_json)


def _kinds(text: str) -> tuple[str, ...]:
    """Kinds as they were typed, refusing others."""
    from manyviews.app.lookup import SettingsError

    found = tuple(name.strip() for name in text.split(",") if name.strip())
    strangers = [name for name in found if name not in KINDS]
    if strangers or not found:
        wrong = repr(strangers[0]) if strangers else "nothing"
        raise SettingsError(f"--kinds asks for {wrong}; give label, view, or label,view.")
    return found


def _fitted(source: Source, pairs: tuple[str, ...]) -> tuple[Any, Views, AnyArray]:
    """Fit the model to the objects that are planned for."""
    from manyviews.app.cli.sources import choose_labels, read_data
    from manyviews.app.lookup import SettingsError, find_method
    from manyviews.app.settings import build, check_settings, read_settings

    cls = find_method("BayesianCoTraining")
    settings = read_settings(pairs, None)
    check_settings(cls, settings)
    dataset = read_data(source)
    chosen = choose_labels(dataset, source.labels)
    if chosen.y is None:
        raise SettingsError(
            f"{source} has no labels to begin with; name them by --labels, or give a model that "
            "is fitted by --model."
        )
    model = build(cls, settings, seed=None, view_names=dataset.views.names)
    return model.fit(dataset.views, chosen.y), dataset.views, chosen.y


def _loaded(
    folder: Path,
    source: Source,
    pairs: tuple[str, ...],
    trust: tuple[str, ...],
    *,
    allow_pickle: bool,
) -> tuple[Any, Views, AnyArray | None]:
    """Load a fitted model, and read objects and labels as it knew them."""
    from manyviews.app.cli.explain import objects_and_labels
    from manyviews.app.cli.predict import load_fitted
    from manyviews.app.lookup import SettingsError

    if pairs:
        raise SettingsError("--set is for the model that is fitted here; leave out it or --model.")
    config, model = load_fitted(folder, trust, allow_pickle=allow_pickle)
    views, y = objects_and_labels(source, config)
    return model, views, y


def read_cost_file(path: Path, views: Views) -> dict[str, Any]:
    """Costs in a csv file: a line for each question, or a table of objects by questions."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = [line for line in csv.reader(file) if any(cell.strip() for cell in line)]
    if len(lines) < 2:
        raise ValueError(f"{path} holds no costs; give lines of question,cost under that head.")
    head, body = [cell.strip() for cell in lines[0]], lines[1:]
    for number, line in enumerate(body, start=2):
        if len(line) != len(head):
            raise ValueError(
                f"{path} has {len(line)} cells in line {number} and {len(head)} in its head; "
                "give one for each column."
            )
    if sorted(head) == ["cost", "question"]:
        place, price = head.index("question"), head.index("cost")
        names = [line[place].strip() for line in body]
        _refuse_repeated(names, path, "question")
        return {name: _cost(line[price], path) for name, line in zip(names, body, strict=True)}
    return _costs_by_object(head, body, path, views)


def _costs_by_object(
    head: Sequence[str], body: Sequence[Sequence[str]], path: Path, views: Views
) -> dict[str, Any]:
    """A column of costs for each question; objects that are not listed cannot be asked about."""
    import numpy as np

    from manyviews.app.cli.sources import row_ids

    ids = [line[0].strip() for line in body]
    _refuse_repeated(ids, path, "object")
    _refuse_repeated(head[1:], path, "question")
    place = {str(name): row for row, name in enumerate(row_ids(views))}
    strangers = [name for name in ids if name not in place]
    if strangers:
        raise ValueError(
            f"{path} names the object {strangers[0]!r}, which the data do not have; its first "
            f"column, {head[0]!r}, should hold their ids, or its head be question,cost."
        )
    rows = [place[name] for name in ids]
    found = {}
    for column, name in enumerate(head[1:], start=1):
        found[name] = np.full(len(views), np.nan)
        found[name][rows] = [_cost(line[column], path) for line in body]
    left_out = len(views) - len(rows)
    if left_out:
        click.echo(
            f"Note: {path} has no costs of {left_out} of {len(views)} objects, which are not asked "
            "about.",
            err=True,
        )
    return found


def _refuse_repeated(names: Sequence[str], path: Path, what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{path} has the {what} {name!r} twice; keep one of them.")
        seen.add(name)


def _cost(text: str, path: Path) -> float:
    """A number, or NaN for an empty cell."""
    try:
        return float(text) if text.strip() else float("nan")
    except ValueError as error:
        raise ValueError(f"{path} has the cost {text!r}, which is no number.") from error


def _deliver(found: Plan, out: Path | None, *, force: bool, as_csv: bool, as_json: bool) -> None:
    """Print the plan, and write it if a file is named."""
    from manyviews.data import replaced_file

    rows = plan_rows(found)
    if out is not None:
        with replaced_file(out, overwrite=force) as temporary:
            frame.write_csv_file(COLUMNS, rows, temporary)
    if as_csv:
        frame.write_csv(COLUMNS, rows, sys.stdout)
    else:
        payload = {**found.to_dict(), "out": None if out is None else str(out)}
        frame.emit(payload, as_json=as_json, show=lambda console: _show(found, console))
    if not as_json:
        for note in found.notes:
            click.echo(f"Note: {note}", err=True)
        if out is not None:
            click.echo(f"Written to {out}.", err=True)


def plan_rows(found: Plan) -> list[list[Any]]:
    """One row per action; a free one has no gain per cost."""
    return [
        [rank, each.sample_id, each.kind, each.view, each.gain, each.cost, _per_cost(each)]
        for rank, each in enumerate(found, start=1)
    ]


def _per_cost(action: Action) -> float | None:
    return action.gain_per_cost if action.cost > 0 else None


def _show(found: Plan, console: Console) -> None:
    """The headline, and the table of all actions."""
    from manyviews.acquire.plan_report import headline

    console.print(headline(found), soft_wrap=True)
    if not len(found):
        return
    rows = [
        [rank, str(name), "label" if view is None else f"view {view}", gain, cost, ratio]
        for rank, name, _, view, gain, cost, ratio in plan_rows(found)
    ]
    heads = ("rank", "id", "question", "gain", "cost", "gain/cost")
    console.print(frame.table(heads, rows, right=("rank", "gain", "cost", "gain/cost")))
