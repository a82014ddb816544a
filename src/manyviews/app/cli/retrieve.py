"""``manyviews retrieve``: search with a fitted retriever, by words or by objects of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from manyviews.app.cli import frame

if TYPE_CHECKING:
    from rich.console import Console

    from manyviews.data import Views
    from manyviews.embed import CrossViewRetriever, Retrieved


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--query", "texts", multiple=True, metavar="TEXT", help="Words to look for; may be repeated."
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Look for what is near to each object of this file of views.",
)
@click.option(
    "--view",
    metavar="NAME",
    help="View to ask by. By default, words are of the view that knows most of them, and an "
    "object is placed by all views that it shows.",
)
@click.option(
    "--index",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Search the objects of this file of views instead of those of the fit.",
)
@click.option("--target", metavar="NAME", help="View to place the objects of --index by.")
@click.option("--k", type=click.IntRange(1), default=5, show_default=True, help="How many to find.")
@frame.trust_option
@frame.pickle_option
@frame.json_option
def retrieve(
    folder: Path,
    texts: tuple[str, ...],
    data: Path | None,
    view: str | None,
    index: Path | None,
    target: str | None,
    k: int,
    trust: tuple[str, ...],
    allow_pickle: bool,
    as_json: bool,
) -> None:
    """Search objects by words, or by other objects.

    DIR is a folder that 'manyviews fit CrossViewRetriever' wrote. Give either --query or --data.
    Prints rank, id and score of the objects found; a larger score is nearer.
    """
    from manyviews.app.lookup import SettingsError

    if bool(texts) == (data is not None):
        raise SettingsError("give either --query with words or --data with a file of objects.")
    if target is not None and index is None:
        raise SettingsError("--target says by which view to place the objects of --index; give it.")
    model = _load(folder, trust, allow_pickle=allow_pickle)
    if index is not None:
        model.index(_objects(index, target, model))
    if data is None:
        answers = [_by_words(model, text, view, k) for text in texts]
    else:
        answers = _by_objects(model, _objects(data, view, model), view, k)
    payload = {"n_indexed": len(model.ids_), "queries": [answer.to_dict() for answer in answers]}
    frame.emit(payload, as_json=as_json, show=lambda console: _show(answers, console))


@dataclass(frozen=True)
class Answer:
    """Objects found for one query."""

    query: Any
    view: str | None
    """By which it was asked; None if by all."""
    ids: list[Any]
    scores: list[float]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        found = zip(self.ids, self.scores, strict=True)
        hits = [{"rank": r, "id": i, "score": s} for r, (i, s) in enumerate(found, 1)]
        return {"query": self.query, "view": self.view, "found": hits}


def _load(folder: Path, trust: tuple[str, ...], *, allow_pickle: bool) -> CrossViewRetriever:
    from manyviews.app.cli.predict import load_fitted
    from manyviews.embed import CrossViewRetriever

    _, model = load_fitted(folder, trust, allow_pickle=allow_pickle)
    if not isinstance(model, CrossViewRetriever):
        raise ValueError(
            f"{folder} holds a {type(model).__name__}, which does not search; fit a "
            "CrossViewRetriever, with that as its embedding if it makes a common space."
        )
    return model


def _objects(path: Path, view: str | None, model: CrossViewRetriever) -> Views:
    """Read objects, and keep of their views one, or those that the model knows."""
    from manyviews.app.cli.sources import Source, read_data
    from manyviews.exceptions import UnknownViewError

    views = read_data(Source((str(path),), view_names=view)).views
    known = [name for name in model.view_names_ if name in views]
    if not known:
        raise UnknownViewError(
            f"{path} has none of the views of the model ({', '.join(model.view_names_)}) but "
            f"{', '.join(views.names)}; give the same views under the same names."
        )
    return views.subset(known)


def _by_words(model: CrossViewRetriever, text: str, view: str | None, k: int) -> Answer:
    chosen = _view_of(model, text) if view is None else view
    return _answers(model.query_words(text, chosen, k), [text], chosen)[0]


def _view_of(model: CrossViewRetriever, text: str) -> str:
    """Return the view that knows most of the words, the first among equals."""
    counts = {
        name: float(words.counts([text]).sum()) for name, words in model.vocabularies_.items()
    }
    if not counts:
        raise ValueError(
            "no view had names of features when the model was fitted, so words mean nothing to it; "
            "ask by objects with --data."
        )
    best = max(counts, key=lambda name: counts[name])
    if not counts[best]:
        raise ValueError(
            f"no word of the query {text!r} is known in any view ({', '.join(counts)}); use words "
            "that the documents have."
        )
    return best


def _by_objects(model: CrossViewRetriever, views: Views, view: str | None, k: int) -> list[Answer]:
    from manyviews.app.cli.sources import row_ids

    return _answers(model.query(views, k), row_ids(views), view)


def _answers(found: Retrieved, queries: list[Any], view: str | None) -> list[Answer]:
    rows = zip(queries, found.ids.tolist(), found.scores.tolist(), strict=True)
    return [Answer(query, view, ids, scores) for query, ids, scores in rows]


def _show(answers: list[Answer], console: Console) -> None:

    for answer in answers:
        title = f"{answer.query}" if answer.view is None else f"{answer.query} ({answer.view})"
        ranks = range(1, len(answer.ids) + 1)
        rows = zip(ranks, map(str, answer.ids), answer.scores, strict=True)
        console.print(
            frame.table(("rank", "id", "score"), rows, title=title, right=("rank", "score"))
        )
