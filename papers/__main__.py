"""Run a paper's experiment and set ours beside the published numbers: ``python -m papers KEY``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

from manyviews.data import replaced_file
from manyviews.exceptions import FileFormatError, MissingExtraError
from papers._frame import (
    DataFolder,
    Experiment,
    Progress,
    Report,
    Table,
    TableReport,
    UnknownPaperError,
    load_experiment,
    paper_keys,
    run_experiment,
    silent,
)
from papers._frame.show import show_papers, show_report


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
def main(
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
        show_report(report, Console())
    for path in drawn:
        click.echo(f"Drawn in {path}.", err=True)


def _list_papers(as_json: bool) -> None:
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
    folder: Path | None,
    *,
    show_progress: bool,
) -> Report:
    data = DataFolder.locate(folder)
    tables = _with_data(experiment.paper.tables, data) if table is None else [table]
    try:
        with _progress(experiment.paper.key, show_progress) as progress:
            return run_experiment(
                experiment, data=data, tables=tables, seeds=seeds, progress=progress
            )
    except (OSError, FileFormatError, MissingExtraError) as error:  # not there, damaged, no extra
        raise click.ClickException(f"{experiment.paper.key} could not run: {error}") from error


def _with_data(tables: tuple[Table, ...], data: DataFolder) -> list[str] | None:
    """Tables whose data are there, the others being named; None, for all, if that is none."""
    missing = {table.key: data.missing(table.data) for table in tables}
    if all(missing.values()):
        return None
    for name in dict.fromkeys(names[0] for names in missing.values() if names):
        keys = [key for key, names in missing.items() if names[:1] == [name]]
        click.echo(f"Tables left out: {', '.join(keys)}; {data.complaint(name)}", err=True)
    return [key for key, names in missing.items() if not names]


def _write(report: Report, out: Path) -> None:
    try:
        report.write(out)
    except OSError as error:
        raise click.ClickException(f"{out} could not be written: {error}.") from error


def _draw(report: Report, folder: Path) -> list[Path]:
    """Draw every table that is a set of curves; return the files."""
    os.environ.setdefault("MPLBACKEND", "Agg")  # into files only
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for table in report.tables:
        if table.table.axes is not None:
            path = folder / f"{report.paper.key}-{table.table.key}.png"
            _draw_curves(curves_of(table), path)
            drawn.append(path)
    return drawn


def _draw_curves(curves: dict[str, Any], path: Path) -> None:
    from manyviews.plot import CurvesDisplay

    try:
        figure = CurvesDisplay(**curves).plot().figure_
    except MissingExtraError as error:
        raise click.ClickException(str(error)) from error
    with replaced_file(path) as temporary:
        figure.savefig(temporary, format="png", dpi=150)


def curves_of(report: TableReport) -> dict[str, Any]:
    """Return what :class:`manyviews.plot.CurvesDisplay` draws of a table whose rows are numbers.

    Examples
    --------
    >>> from papers._frame import Measured, compare
    >>> table = Table("f", "A figure", ("0", "1"), ("ours",), ((None,), (None,)), axes=("x", "y"))
    >>> report = TableReport(table, compare(table, Measured(np.array([[[0.5], [0.7]]]))))
    >>> curves_of(report)["curves"]["ours"].tolist()
    [0.5, 0.7]
    """
    table = report.table
    if table.axes is None:
        raise ValueError(f"table {table.key!r} is no set of curves; it says no axes.")
    fields = {"curves": "mean", "spreads": "spread", "published": "published"}
    by_field = {
        name: {
            column: np.array(
                [getattr(cell, field) for cell in report.cells if cell.column == column], float
            )
            for column in table.columns
        }
        for name, field in fields.items()
    }
    return {
        "points": [float(row) for row in table.rows],
        **by_field,
        "x_label": table.axes[0],
        "y_label": table.axes[1],
        "title": table.caption,
    }


@contextmanager
def _progress(title: str, wanted: bool) -> Iterator[Progress]:
    """Give a bar on a terminal and silence elsewhere."""
    from rich.progress import Progress as ProgressBar

    console = Console(stderr=True)
    if not (wanted and console.is_terminal):
        yield silent
        return
    with ProgressBar(console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def tell(done: int, total: int, doing: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{title} {doing}".strip())

        yield tell


if __name__ == "__main__":
    main(prog_name="python -m papers")
