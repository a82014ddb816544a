"""``manyviews fit``: a method by name, a file of views, a folder of results."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import _options as options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from manyviews.app.cli._input import ChosenLabels
    from manyviews.app.cli._result import Result
    from manyviews.data import Dataset

FORMAT = 1
"""Version of the folder; ``predict`` refuses higher ones."""

WRITTEN = {
    "config.json",
    "coordinates.csv",
    "labels.csv",
    "model.pkl",
    "model.skops",
    "predictions.csv",
    "scores.json",
}
"""What a folder of ours may hold; anything else in it is somebody's own."""


@click.command()
@click.argument("method")
@options.data_argument
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder to write."
)
@click.option("--force", is_flag=True, help="Replace DIR if an earlier fit wrote it.")
@options.set_option
@options.config_option
@options.seed_option
@options.labels_option
@options.views_option
@options.pickle_option
@options.json_option
def fit(
    method: str,
    data: Path,
    out: Path,
    force: bool,
    pairs: tuple[str, ...],
    config: Path | None,
    seed: int | None,
    labels: str | None,
    view_names: str | None,
    allow_pickle: bool,
    as_json: bool,
) -> None:
    """Fit a method to a file of views.

    METHOD is a name that 'manyviews methods' lists, or package.module:Class. DATA is an .npz or
    .h5mu file or a folder with a views.toml. DIR gets labels.csv or coordinates.csv, scores.json,
    config.json and the model.

    A method that learns from labels gets those that DATA has. A clusterer gets labels only when
    --labels names them; its clusters are compared to those that DATA has.
    """
    from manyviews.app.cli._input import choose_labels, read_data
    from manyviews.app.cli._output import emit
    from manyviews.app.config import build, check_settings, read_settings
    from manyviews.app.lookup import find_method

    cls = find_method(method)
    settings = read_settings(pairs, config)
    check_settings(cls, settings)
    with _claimed(out, force) as folder:
        dataset = read_data(data, view_names)
        chosen = choose_labels(dataset, labels)
        model = build(cls, settings, seed=seed, view_names=dataset.views.names)
        job = Job(method, data, dataset, chosen, seed, allow_pickle)
        summary = {**run(job, model, folder), "out": str(out)}
    emit(summary, as_json=as_json, show=lambda console: _show(summary, console))


@contextmanager
def _claimed(out: Path, force: bool) -> Iterator[Path]:
    """Take the name of the folder before any work; give it back, with its parents, on failure."""
    from manyviews.data import replaced_folder

    absent = [folder for folder in out.parents if not folder.exists()]
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replaced_folder(out, lambda path: _refuse_folder(path, force)) as folder:
            yield folder
    except BaseException:
        for folder in absent:
            with suppress(OSError):  # somebody uses it by now
                folder.rmdir()
        raise


@dataclass(frozen=True)
class Job:
    """What was asked for."""

    method: str
    data: Path
    dataset: Dataset
    labels: ChosenLabels
    seed: int | None
    allow_pickle: bool

    @property
    def model_file(self) -> str:
        """Name of the file of the model."""
        return "model.pkl" if self.allow_pickle else "model.skops"


def run(job: Job, model: Any, folder: Path) -> dict[str, Any]:
    """Fit, write everything into a folder, and sum up what that was."""
    from manyviews.app.cli._result import fitted_result

    model = _fitted(model, job)
    result = fitted_result(model, job.dataset.views, job.labels.names)
    return _write(folder, job, model, result)


def _fitted(model: Any, job: Job) -> Any:
    from manyviews.app.cli._result import kind_of

    views, y, name = job.dataset.views, job.labels.y, type(model).__name__
    if y is None and _needs_labels(model):
        raise ValueError(
            f"{name} learns from labels and there are none in {job.data}; name them with --labels."
        )
    if y is None or (
        kind_of(model) == "clusterer" and not (job.labels.given or _needs_labels(model))
    ):
        arguments: tuple[Any, ...] = (views,)
    elif _needs_labels(model) and not _knows_unlabelled(model):
        arguments = _labelled_only(views, y, name)
    else:
        arguments = (views, y)
    with redirect_stdout(sys.stderr):  # what a verbose method prints is not the result
        return model.fit(*arguments)


def _knows_unlabelled(model: Any) -> bool:
    """Whether -1, None and NaN mean to a method that a label is missing."""
    from manyviews.app.cli._scores import last_step
    from manyviews.base import BaseMultiView

    return isinstance(last_step(model), BaseMultiView)


def _labelled_only(views: Any, y: Any, name: str) -> tuple[Any, Any]:
    from manyviews.data import split_labelled

    labelled = split_labelled(y).labelled
    if not labelled.all():
        warnings.warn(
            f"{name} learns from labelled objects only; {int((~labelled).sum())} of {len(views)} "
            "were left out of the fit.",
            stacklevel=2,
        )
    return views[labelled], y[labelled]


def _needs_labels(model: Any) -> bool:
    from sklearn.utils import get_tags

    from manyviews.app.cli._scores import last_step

    answering = last_step(model)  # a pipeline does not hand this tag on
    return hasattr(answering, "__sklearn_tags__") and bool(get_tags(answering).target_tags.required)


def _refuse_folder(out: Path, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"{out} is a file; give --out a folder.")
    held = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if held and not force:
        raise FileExistsError(f"the folder {out} is not empty; choose another, or add --force.")
    foreign = [name for name in held if name not in WRITTEN]
    if foreign:
        raise FileExistsError(
            f"the folder {out} holds {foreign[0]!r}, which no fit wrote and --force would delete; "
            "move it away or choose another folder."
        )


def _write(folder: Path, job: Job, model: Any, result: Result | None) -> dict[str, Any]:
    from manyviews.app.cli._input import row_ids
    from manyviews.app.cli._output import plain, write_csv_file, write_json
    from manyviews.app.cli._scores import scores
    from manyviews.app.model import foreign_types, save_model

    views, names = job.dataset.views, job.labels.names if hasattr(model, "classes_") else ()
    if result is not None:
        rows = result.rows(row_ids(views), names)
        write_csv_file(result.columns, rows, folder / f"{result.kind}.csv")
    measured = plain(scores(model, views, result, job.labels.y, job.labels.names))
    write_json(measured, folder / "scores.json")
    save_model(model, folder / job.model_file, allow_pickle=job.allow_pickle)
    trust = foreign_types(folder / job.model_file)
    write_json(_configuration(job, model, names, trust), folder / "config.json")
    return {
        "method": _full_name(model),
        "scores": measured,
        "files": sorted(path.name for path in folder.iterdir()),
        "trust": trust,
    }


def _configuration(
    job: Job, model: Any, label_names: tuple[str, ...], trust: list[str]
) -> dict[str, Any]:
    from manyviews.app.cli._input import checksum
    from manyviews.app.cli._result import kind_of
    from manyviews.app.config import resolved
    from manyviews.app.versions import versions

    layout = job.dataset.views.layout
    return {
        "format": FORMAT,
        "method": _full_name(model),
        "kind": kind_of(model),
        "parameters": resolved(model),
        "seed": job.seed,
        "data": {"path": str(job.data), "sha256": checksum(job.data)},
        "labels": {"source": job.labels.source, "names": label_names},
        "layout": {"names": layout.names, "widths": layout.widths},
        "n_objects": len(job.dataset.views),
        "model": job.model_file,
        "trust": trust,
        "versions": versions(),
    }


def _full_name(model: Any) -> str:
    return f"{type(model).__module__}:{type(model).__qualname__}"


def _show(summary: dict[str, Any], console: Console) -> None:
    from manyviews.app.cli._output import table

    name = summary["method"].rpartition(":")[2]
    console.print(table(("score", "value"), summary["scores"].items(), title=f"{name}, fitted"))
    if summary["trust"]:
        allowed = " ".join(f"--trust {name}" for name in summary["trust"])
        console.print(f"To predict with this model add: {allowed}")
    console.print(f"Written to {summary['out']}: {', '.join(summary['files'])}", soft_wrap=True)
