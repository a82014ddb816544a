"""``manyviews diagnose``: whether the views of a file can help each other, in words."""

from __future__ import annotations

from pathlib import Path

import click

from manyviews.app.cli import frame


@click.command()
@frame.data_argument
@frame.id_option
@frame.labels_option
@frame.views_option
@click.option(
    "--seed",
    type=frame.SEED,
    default=0,
    show_default=True,
    metavar="N",
    help="For folds, permutations and clusterings.",
)
@click.option(
    "--plot", type=click.Path(path_type=Path), metavar="FILE.png", help="Draw the diagnosis too."
)
@frame.json_option
def diagnose(
    data: tuple[str, ...],
    id_columns: tuple[str, ...],
    labels: str | None,
    view_names: str | None,
    seed: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Tell whether the views can help each other.

    What each view can do alone, how each two go together, what all do together, and what follows
    from it in plain words.
    """
    from manyviews import diagnose as diagnosis_of
    from manyviews.app.cli.sources import Source, choose_labels, read_data

    if plot is not None:
        frame.check_picture(plot)
    dataset = read_data(Source(data, id_columns, labels, view_names))
    diagnosis = diagnosis_of(dataset.views, choose_labels(dataset, labels).y, random_state=seed)
    if plot is not None:
        frame.draw(lambda plots: plots.DiagnosisDisplay.from_diagnosis(diagnosis), plot)
    frame.emit(
        diagnosis.to_dict(),
        as_json=as_json,
        show=lambda console: console.print(repr(diagnosis), soft_wrap=True),
    )
    if plot is not None:
        click.echo(f"Drawn in {plot}.", err=True)
