"""``manyviews fit``: a method by name, a file of views, a folder of results."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from manyviews.app.cli.results import Result
    from manyviews.app.cli.sources import ChosenLabels, Source
    from manyviews.data import Dataset, Views

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
"""Files that a folder of ours may hold; anything else in it is somebody's own."""


@click.command()
@click.argument("method")
@frame.data_argument
@frame.id_option
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Folder to write."
)
@click.option("--force", is_flag=True, help="Replace DIR if an earlier fit wrote it.")
@frame.set_option
@frame.config_option
@frame.seed_option
@frame.labels_option
@frame.views_option
@click.option(
    "--standardize",
    is_flag=True,
    help="Fill empty cells by the mean and bring every feature of dense views to mean 0 and "
    "variance 1 before the fit. Methods of scikit-learn's get this in any case.",
)
@click.option(
    "--cv",
    "folds",
    type=click.IntRange(min=2),
    metavar="FOLDS",
    help="Score on held-out objects, too: the mean over that many folds of the labelled ones.",
)
@frame.pickle_option
@frame.json_option
def fit(
    method: str,
    data: tuple[str, ...],
    id_columns: tuple[str, ...],
    out: Path,
    force: bool,
    pairs: tuple[str, ...],
    config: Path | None,
    seed: int | None,
    labels: str | None,
    view_names: str | None,
    standardize: bool,
    folds: int | None,
    allow_pickle: bool,
    as_json: bool,
) -> None:
    """Fit a method to files of views.

    METHOD is a name that 'manyviews methods' lists, one of scikit-learn's, which gets the views
    standardised, balanced and merged, or package.module:Class. DATA is an .npz or .h5mu file, a
    folder, or several tables of the same objects (.csv, .tsv, .parquet, .h5ad). DIR gets
    labels.csv or coordinates.csv, scores.json, config.json and the model.

    A method that learns from labels gets those that DATA has. A clusterer gets labels only when
    --labels names them; its clusters are compared to those that DATA has.
    """
    from manyviews.app.cli.sources import Source, choose_labels, read_data
    from manyviews.app.lookup import find_method
    from manyviews.app.settings import build, check_settings, read_settings

    cls = find_method(method)
    settings = read_settings(pairs, config)
    check_settings(cls, settings)
    with _claimed(out, force) as folder:
        source = Source(data, id_columns, labels, view_names)
        dataset = read_data(source)
        chosen = choose_labels(dataset, labels)
        model = build(cls, settings, seed=seed, view_names=dataset.views.names)
        job = Job(source, dataset, chosen, seed, folds, allow_pickle)
        is_foreign = method.isidentifier() and not cls.__module__.startswith("manyviews.")
        model = prepared(model, job, is_foreign=is_foreign, standardize=standardize)
        summary = {**run(job, model, folder), "out": str(out)}
    frame.emit(summary, as_json=as_json, show=lambda console: _show(summary, console))


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
    """A fit that was asked for."""

    source: Source
    dataset: Dataset
    labels: ChosenLabels
    seed: int | None
    folds: int | None
    allow_pickle: bool

    @property
    def model_file(self) -> str:
        """Name of the file of the model."""
        return "model.pkl" if self.allow_pickle else "model.skops"


def run(job: Job, model: Any, folder: Path) -> dict[str, Any]:
    """Fit, write everything into a folder, and sum up what that was."""
    from manyviews.app.cli.results import fitted_result, held_out, scores

    views, y, names = job.dataset.views, job.labels.y, job.labels.names
    _refuse_labels(model, job)
    with redirect_stdout(sys.stderr):  # what a verbose method prints is not the result
        held = {} if job.folds is None else held_out(model, views, y, job.folds, job.seed)
        model = _fitted(model, job)
    result = fitted_result(model, views, names)
    return _write(folder, job, model, result, {**scores(model, views, result, y, names), **held})


def prepared(model: Any, job: Job, *, is_foreign: bool, standardize: bool) -> Any:
    """Put before a method what makes views suit it, where that was asked for.

    Features are filled and standardised, so that units do not matter; for a method of
    scikit-learn's, views are also balanced, so that a wide one does not outvote the others, and
    merged. A pipeline has its own steps.
    """
    from sklearn.pipeline import Pipeline, make_pipeline

    from manyviews.compose import MergeViews

    views = job.dataset.views
    if is_foreign and not isinstance(model, Pipeline):
        return make_pipeline(_standardized(views), MergeViews(balance=True), model)
    if standardize:
        return make_pipeline(_standardized(views), model)
    _refuse_missing_cells(model, views)
    return model


def _standardized(views: Views) -> Any:
    """Fill and standardise dense views; a sparse one would be full of numbers afterwards."""
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from manyviews.compose import PerView
    from manyviews.typing import is_sparse

    return PerView(
        {
            name: "passthrough"
            if is_sparse(matrix)
            else make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
            for name, matrix in views.items()
        }
    )


def _refuse_missing_cells(model: Any, views: Views) -> None:
    """Name the option that fills cells, which the error of a method does not know of."""
    import numpy as np

    from manyviews.typing import is_sparse

    tags = getattr(model, "view_tags", None)
    if tags is None or tags.missing_cells:
        return
    for name, matrix in views.items():
        if is_sparse(matrix):
            continue
        rows = np.flatnonzero(np.isnan(matrix).any(axis=1) & views.observed_in(name))
        if len(rows):
            row = rows[0] if views.sample_ids is None else repr(views.sample_ids.tolist()[rows[0]])
            raise ValueError(
                f"the view {name!r} has empty cells for {len(rows)} objects, the first {row}, and "
                f"{type(model).__name__} needs numbers; add --standardize to fill them."
            )


def _refuse_labels(model: Any, job: Job) -> None:
    """Refuse labels that are not there, or that a regressor cannot learn."""
    from manyviews.app.cli.results import kind_of, last_step

    if job.labels.y is None and _needs_labels(model):
        raise ValueError(
            f"{type(last_step(model)).__name__} learns from labels and there are none in "
            f"{job.source}; name them with --labels."
        )
    if (
        job.labels.y is not None
        and kind_of(model) == "regressor"
        and job.labels.y.dtype.kind in "OU"
    ):
        raise ValueError(
            f"{type(last_step(model)).__name__} learns numbers and the labels are words; take a "
            "classifier, or name other labels with --labels."
        )


def _fitted(model: Any, job: Job) -> Any:
    from manyviews.app.cli.results import kind_of, knows_unlabelled, last_step

    views, y, name = job.dataset.views, job.labels.y, type(last_step(model)).__name__
    if y is None or (
        kind_of(model) == "clusterer" and not (job.labels.given or _needs_labels(model))
    ):
        arguments: tuple[Any, ...] = (views,)
    elif _needs_labels(model) and not knows_unlabelled(model):
        arguments = _labelled_only(views, y, name)
    else:
        arguments = (views, y)
    return model.fit(*arguments)


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

    from manyviews.app.cli.results import last_step

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


def _write(
    folder: Path, job: Job, model: Any, result: Result | None, measured: dict[str, Any]
) -> dict[str, Any]:
    from manyviews.app.cli.results import last_step
    from manyviews.app.cli.sources import row_ids
    from manyviews.app.model import foreign_types, save_model

    views, names = job.dataset.views, job.labels.names if hasattr(model, "classes_") else ()
    if result is not None:
        rows = result.rows(row_ids(views), names)
        frame.write_csv_file(result.columns, rows, folder / f"{result.kind}.csv")
    measured = frame.plain(measured)
    frame.write_json(measured, folder / "scores.json")
    save_model(model, folder / job.model_file, allow_pickle=job.allow_pickle)
    trust = foreign_types(folder / job.model_file)
    frame.write_json(_configuration(job, model, names, trust), folder / "config.json")
    return {
        "method": _full_name(model),
        "name": type(last_step(model)).__name__,
        "scores": measured,
        "files": sorted(path.name for path in folder.iterdir()),
        "trust": trust,
    }


def _configuration(
    job: Job, model: Any, label_names: tuple[str, ...], trust: list[str]
) -> dict[str, Any]:
    from manyviews.app.cli.results import kind_of
    from manyviews.app.cli.sources import checksum
    from manyviews.app.model import versions
    from manyviews.app.settings import resolved

    layout = job.dataset.views.layout
    return {
        "format": FORMAT,
        "method": _full_name(model),
        "kind": kind_of(model),
        "parameters": resolved(model),
        "seed": job.seed,
        "data": {
            "path": str(job.source),
            "sha256": checksum(job.source.data),
            "id": job.source.id_columns,
            "label_column": job.source.label_column(),
        },
        "labels": {"source": job.labels.source, "names": label_names},
        "layout": {"names": layout.names, "widths": layout.widths},
        "n_objects": len(job.dataset.views),
        "model": job.model_file,
        "trust": trust,
        "versions": versions(),
    }


def _full_name(model: Any) -> str:
    return f"{type(model).__module__}:{type(model).__qualname__}"


def _shown_score(value: Any) -> Any:
    """Write a score over folds as its mean with the spread; others as they are."""
    if isinstance(value, dict) and value.keys() == {"mean", "sd", "folds"}:
        return f"{value['mean']:.4g} ± {value['sd']:.2g} over {value['folds']} folds"
    return value


def _show(summary: dict[str, Any], console: Console) -> None:
    from manyviews.app.cli.results import TRAINING_SCORE

    rows = [(name, _shown_score(value)) for name, value in summary["scores"].items()]
    title = f"{summary['name']}, fitted"
    console.print(frame.table(("score", "value"), rows, title=title))
    if TRAINING_SCORE in summary["scores"] and not any("held_out" in name for name, _ in rows):
        console.print(
            "The accuracy is on the training data; --cv 5 scores objects that were held out."
        )
    if summary["trust"]:
        allowed = " ".join(f"--trust {name}" for name in summary["trust"])
        console.print(f"To predict with this model add: {allowed}")
    console.print(f"Written to {summary['out']}: {', '.join(summary['files'])}", soft_wrap=True)
