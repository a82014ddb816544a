"""``manyviews reproduce``: run a paper's experiment and set ours beside the published numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from manyviews.app.reproduce import Experiment, Progress, Report


@click.command()
@click.argument("key", required=False)
@click.option("--table", "table", metavar="T", help="Run one table only.")
@click.option("--seeds", type=click.IntRange(min=1), metavar="N", help="Number of repetitions.")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where the data sets are; else the environment variable MANYVIEWS_DATA says.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE.json",
    help="Write all numbers to a file.",
)
@click.option(
    "--plots",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Draw the tables that are curves into a folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
@click.option("--quick", is_flag=True, help="Few repetitions, only to see that it runs.")
def reproduce(
    key: str | None,
    table: str | None,
    seeds: int | None,
    data: Path | None,
    out: Path | None,
    plots: Path | None,
    as_json: bool,
    quick: bool,
) -> None:
    """Run a paper's experiment and compare with its published numbers.

    Without KEY, list the papers and their tables.
    """
    if key is None:
        if table or seeds or data or out or plots or quick:
            raise click.UsageError("options other than --json need the KEY of a paper.")
        _list_papers(as_json)
        return
    if quick and seeds:
        raise click.UsageError("--quick and --seeds both set the repetitions; give one of them.")
    if out is not None and not out.parent.is_dir():
        raise click.BadParameter(f"there is no folder {out.parent}.", param_hint="--out")
    experiment = _experiment(key, table)
    repetitions = experiment.paper.quick_seeds if quick else seeds or experiment.paper.seeds
    report = _run(experiment, table, range(repetitions), data, show_progress=not as_json)
    if out is not None:
        _write(report, out)
    drawn = [] if plots is None else _draw(report, plots)
    if as_json:
        click.echo(report.as_json(), nl=False)
    else:
        _show(report)
    for path in drawn:
        click.echo(f"Drawn in {path}.", err=True)


def _show(report: Report) -> None:
    from rich.console import Console

    from manyviews.app.reproduce._show import show_report

    show_report(report, Console())


def _list_papers(as_json: bool) -> None:
    from rich.console import Console

    from manyviews.app.reproduce import load_experiment, paper_keys
    from manyviews.app.reproduce._show import show_papers

    papers = [load_experiment(key).paper for key in paper_keys()]
    if not as_json:
        show_papers(papers, Console())
        return
    listing = [
        {
            "key": paper.key,
            "title": paper.title,
            "authors": list(paper.authors),
            "year": paper.year,
            "tables": [table.key for table in paper.tables],
            "data": list(paper.data),
        }
        for paper in papers
    ]
    click.echo(json.dumps(listing, indent=1, ensure_ascii=False))


def _experiment(key: str, table: str | None) -> Experiment:
    from manyviews.app.reproduce import UnknownPaperError, load_experiment

    try:
        experiment = load_experiment(key)
    except UnknownPaperError as error:
        raise click.BadParameter(str(error), param_hint="KEY") from error
    if table is not None:
        try:
            experiment.paper.table(table)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--table") from error
    return experiment


def _run(
    experiment: Experiment,
    table: str | None,
    seeds: range,
    data: Path | None,
    *,
    show_progress: bool,
) -> Report:
    from manyviews.app.reproduce import DataFolder, run_experiment
    from manyviews.exceptions import FileFormatError, MissingExtraError

    tables = None if table is None else [table]
    try:
        with _progress(experiment.paper.key, show_progress) as progress:
            return run_experiment(
                experiment,
                data=DataFolder.locate(data),
                tables=tables,
                seeds=seeds,
                progress=progress,
            )
    except (OSError, FileFormatError, MissingExtraError) as error:  # not there, damaged, no extra
        raise click.ClickException(f"{experiment.paper.key} could not run: {error}") from error


def _write(report: Report, out: Path) -> None:
    try:
        report.write(out)
    except OSError as error:
        raise click.ClickException(f"{out} could not be written: {error}.") from error


def _draw(report: Report, folder: Path) -> list[Path]:
    """Draw every table that is a set of curves; return the files."""
    from manyviews.app.cli._picture import draw
    from manyviews.app.reproduce._curves import curves_of
    from manyviews.exceptions import MissingExtraError

    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for table in report.tables:
        if table.table.axes is None:
            continue
        display = partial(_display, curves_of(table))
        path = folder / f"{report.paper.key}-{table.table.key}.png"
        try:
            draw(display, path)
        except MissingExtraError as error:
            raise click.ClickException(str(error)) from error
        drawn.append(path)
    return drawn


def _display(curves: dict[str, Any], plots: Any) -> Any:
    return plots.CurvesDisplay(**curves).plot()


@contextmanager
def _progress(title: str, wanted: bool) -> Iterator[Progress]:
    """Give a bar on a terminal and silence elsewhere."""
    from rich.console import Console
    from rich.progress import Progress as ProgressBar

    from manyviews.app.reproduce import silent

    console = Console(stderr=True)
    if not (wanted and console.is_terminal):
        yield silent
        return
    with ProgressBar(console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def tell(done: int, total: int, doing: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{title} {doing}".strip())

        yield tell
