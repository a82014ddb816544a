"""``manyviews explain``: why a fitted model says what it says, in words and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from manyviews.app.cli.sources import Source
    from manyviews.data import Views
    from manyviews.explain import ViewContributions
    from manyviews.typing import AnyArray

PAGE, TEXT, PICTURE, OBJECTS = "model.txt", "views.txt", "views.png", "objects.csv"
"""Files of the folder: the model's own page, contributions of the views, who carried what."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@frame.data_argument
@frame.fitted_id_option
@frame.labels_option
@frame.views_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the texts, the picture and a table of the objects here.",
)
@click.option("--force", is_flag=True, help="Replace FOLDER if an earlier 'explain' wrote it.")
@click.option(
    "--seed",
    type=frame.SEED,
    default=0,
    show_default=True,
    metavar="N",
    help="For permutations and resamples.",
)
@frame.trust_option
@frame.pickle_option
@frame.json_option
def explain(
    folder: Path,
    data: tuple[str, ...],
    id_columns: tuple[str, ...],
    labels: str | None,
    view_names: str | None,
    out: Path | None,
    force: bool,
    seed: int,
    trust: tuple[str, ...],
    allow_pickle: bool,
    as_json: bool,
) -> None:
    """Tell why a fitted model says what it says.

    DIR is a folder that 'manyviews fit' wrote, DATA the same views of any objects, best of some
    that the model was not fitted to. Prints the page of models that describe themselves, then what
    each view adds: what is lost without it, and how far the model relies on it. With labels the
    scores are against these, else against the model's own answers.
    """
    from manyviews.app.cli.predict import load_fitted
    from manyviews.app.cli.results import last_step
    from manyviews.app.cli.sources import Source
    from manyviews.explain import view_contributions

    if out is not None:
        _refuse_folder(out, force=force)
    config, model = load_fitted(folder, trust, allow_pickle=allow_pickle)
    views, y = objects_and_labels(Source(data, id_columns, labels, view_names), config)
    described = getattr(last_step(model), "describe", None)
    page = None if described is None else str(_named(described(), config["labels"]["names"]))
    found = view_contributions(model, views, y, random_state=seed)
    written: list[str] = []
    missing = ""
    if out is not None:
        written, missing = _write(out, page, found, config["labels"]["names"], force=force)
    payload = {
        "model": str(folder),
        "description": page,
        "contributions": found.to_dict(),
        "out": None if out is None else str(out),
        "files": written,
        "without_picture": missing or None,
    }
    text = "\n\n".join([*([page] if page else []), str(found)])
    frame.emit(payload, as_json=as_json, show=lambda console: console.print(text, soft_wrap=True))
    if missing:
        click.echo(f"No picture: {missing}", err=True)
    if out is not None and not as_json:
        click.echo(f"Written to {out}: {', '.join(written)}", err=True)


def _named(page: Any, names: list[str]) -> Any:
    """A page with the names that the labels had in the data, if it can be renamed."""
    return page.with_class_names(names) if names and hasattr(page, "with_class_names") else page


def objects_and_labels(source: Source, config: dict[str, Any]) -> tuple[Views, AnyArray | None]:
    """Read objects as the model knew them, and their labels as it calls them, if there are any."""
    from contextlib import suppress
    from dataclasses import replace

    from manyviews.app.cli.predict import matched
    from manyviews.app.cli.sources import choose_labels, read_data
    from manyviews.app.lookup import SettingsError

    known = config.get("data", {})
    if not source.id_columns and source.is_of_tables():
        source = replace(source, id_columns=tuple(known.get("id", ())))
    dataset, column = None, known.get("label_column")
    if source.labels is None and column:
        with suppress(SettingsError):  # other objects need not have labels
            dataset = read_data(replace(source, labels=column))
    if dataset is None:
        dataset = read_data(source)
    views = matched(dataset.views, config["layout"]["names"], source)
    chosen = choose_labels(dataset, source.labels)
    return views, _as_fitted(chosen.y, chosen.names, config["labels"]["names"])


def _as_fitted(y: AnyArray | None, names: tuple[str, ...], fitted: list[str]) -> AnyArray | None:
    """Labels by the numbers that the model gave their names, where both have names."""
    import numpy as np

    if y is None or not names or not fitted or list(names) == list(fitted):
        return y
    place = {name: number for number, name in enumerate(fitted)}
    strangers = [name for name in names if name not in place]
    if strangers:
        raise ValueError(
            f"the label {strangers[0]!r} was not there in fit, which knew {', '.join(fitted)}; "
            "name other labels with --labels, or none by --labels none."
        )
    table = np.array([place[name] for name in names])
    numbers = np.asarray(y)
    return np.where(numbers >= 0, table[numbers], -1)


def _refuse_folder(out: Path, *, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"{out} is a file; give --out a folder.")
    held = sorted(path.name for path in out.iterdir()) if out.exists() else []
    if held and not force:
        raise FileExistsError(f"the folder {out} is not empty; choose another, or add --force.")
    foreign = [name for name in held if name not in {PAGE, TEXT, PICTURE, OBJECTS}]
    if foreign:
        raise FileExistsError(
            f"the folder {out} holds {foreign[0]!r}, which no explanation wrote and --force would "
            "delete; move it away or choose another folder."
        )


def _write(
    out: Path, page: str | None, found: ViewContributions, names: list[str], *, force: bool
) -> tuple[list[str], str]:
    """Write everything into a folder; return the files, and why there is no picture if so."""
    from manyviews.data import replaced_folder
    from manyviews.exceptions import MissingExtraError

    missing = ""
    out.parent.mkdir(parents=True, exist_ok=True)
    with replaced_folder(out, lambda path: _refuse_folder(path, force=force)) as folder:
        if page is not None:
            (folder / PAGE).write_text(page.rstrip() + "\n", encoding="utf-8")
        (folder / TEXT).write_text(f"{found}\n", encoding="utf-8")
        if found.answers is not None:
            columns, rows = object_rows(found, names)
            frame.write_csv_file(columns, rows, folder / OBJECTS)
        try:
            frame.draw(
                lambda plots: plots.ViewContributionDisplay.from_contributions(found),
                folder / PICTURE,
            )
        except MissingExtraError as error:
            missing = str(error)
        written = sorted(path.name for path in folder.iterdir())
    return written, missing


def object_rows(
    found: ViewContributions, label_names: list[str]
) -> tuple[list[str], list[list[Any]]]:
    """One row per object: its id, the answer, the view that carried it, what each view says."""
    from manyviews.app.cli.results import shown_label

    ids = found.rows if found.sample_ids is None else found.sample_ids
    names = [f"score_{view.name}" for view in found.per_view]
    rows = [
        [name, shown_label(answer, label_names), carried, *scores]
        for name, answer, carried, scores in zip(
            ids.tolist(),
            found.answers.tolist(),  # type: ignore[union-attr]
            found.carried.tolist(),  # type: ignore[union-attr]
            found.view_scores.tolist(),  # type: ignore[union-attr]
            strict=True,
        )
    ]
    return ["id", "answer", "carried", *names], rows
