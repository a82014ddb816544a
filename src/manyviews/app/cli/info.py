"""``manyviews info``: what is in a file of views, before anything is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from rich.console import Console

    from manyviews.data import Dataset, Views

PATTERNS_SHOWN = 16
"""Patterns of presence that are listed: all that four views have."""
CLASSES_SHOWN = 30
"""Classes that are listed. A judgement: about as many lines as a window has."""


@click.command()
@frame.data_argument
@frame.id_option
@frame.labels_option
@frame.json_option
def info(
    data: tuple[str, ...], id_columns: tuple[str, ...], labels: str | None, as_json: bool
) -> None:
    """Tell what is in files of views.

    DATA is one file or folder of views, or several tables of the same objects.
    """
    from manyviews.app.cli.sources import Source

    source = Source(data, id_columns, labels)
    content = {"path": str(source), **contents(source.read())}
    frame.emit(content, as_json=as_json, show=lambda console: show_contents(content, console))


def contents(dataset: Dataset) -> dict[str, Any]:
    """Describe views, labels, other arrays, and which objects have which views."""
    from manyviews.data import summaries

    views = dataset.views
    return {
        "name": dataset.name,
        "n_objects": len(views),
        "n_features": views.shape[1],
        "has_ids": views.sample_ids is not None,
        "notes": list(dataset.notes),
        "views": [
            {**row._asdict(), "feature_names": row.name in views.feature_names}
            for row in summaries(views)
        ],
        "labels": _labels(dataset),
        "extra": [
            {"name": name, "dtype": str(array.dtype), "shape": list(array.shape)}
            for name, array in dataset.extra.items()
        ],
        "patterns": patterns(views),
    }


def patterns(views: Views) -> list[dict[str, Any]]:
    """Count the objects by the set of views in which they are seen, most frequent first."""
    import numpy as np

    found, counts = np.unique(views.observed, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [
        {
            "views": [n for n, seen in zip(views.names, found[i], strict=True) if seen],
            "n_objects": int(counts[i]),
        }
        for i in order
    ]


def _labels(dataset: Dataset) -> dict[str, Any] | None:
    from manyviews.app.cli.results import shown_label
    from manyviews.data import split_labelled

    if dataset.y is None:
        return None
    labels = split_labelled(dataset.y)
    return {
        "n_labelled": int(labels.labelled.sum()),
        "n_unlabelled": int((~labels.labelled).sum()),
        "classes": [
            {"label": shown_label(label, dataset.label_names), "n_objects": int(count)}
            for label, count in zip(labels.classes, labels.counts, strict=True)
        ],
    }


def show_contents(content: dict[str, Any], console: Console) -> None:
    """Print the description of a data set."""
    ids = "with ids" if content["has_ids"] else "without ids"
    console.print(
        f"{frame.cell(content['n_objects'])} objects ({ids}) in {len(content['views'])} views, "
        f"{frame.cell(content['n_features'])} features"
    )
    for note in content["notes"]:
        console.print(f"Note: {note}.")
    columns = ("name", "n_features", "kind", "dtype", "density", "observed")
    rows = [
        (*(view[c] for c in columns[:-1]), f"{view['observed']:.1%}") for view in content["views"]
    ]
    console.print(
        frame.table(columns, rows, title="Views", right=("n_features", "density", "observed"))
    )
    _show_labels(content["labels"], console)
    if content["extra"]:
        rows = [(e["name"], e["dtype"], " × ".join(map(str, e["shape"]))) for e in content["extra"]]
        console.print(frame.table(("name", "dtype", "shape"), rows, title="Other arrays"))
    _show_patterns(content["patterns"], console)


def _show_labels(labels: dict[str, Any] | None, console: Console) -> None:

    if labels is None:
        console.print("No labels.\n")
        return
    classes = labels["classes"]
    title = (
        f"Labels: {len(classes)} classes, {frame.cell(labels['n_labelled'])} objects labelled, "
        f"{frame.cell(labels['n_unlabelled'])} not"
    )
    rows = [(c["label"], c["n_objects"]) for c in classes[:CLASSES_SHOWN]]
    console.print(frame.table(("label", "objects"), rows, title=title, right=("objects",)))
    if len(classes) > CLASSES_SHOWN:
        console.print(f"… and {len(classes) - CLASSES_SHOWN} more classes\n")


def _show_patterns(found: list[dict[str, Any]], console: Console) -> None:

    if len(found) == 1 and found[0]["views"]:
        console.print("Every object is seen in the same views.")
        return
    rows = [(p["n_objects"], p["views"] or "none at all") for p in found[:PATTERNS_SHOWN]]
    console.print(
        frame.table(("objects", "seen in"), rows, title="Patterns of presence", right=("objects",))
    )
    if len(found) > PATTERNS_SHOWN:
        console.print(f"… and {len(found) - PATTERNS_SHOWN} more patterns")
