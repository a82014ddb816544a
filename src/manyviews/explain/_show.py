"""How a diagnosis shows itself in a terminal and in a notebook: tables, then sentences."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from manyviews.explain._report import Diagnosis, PairReport, ViewReport

Table = list[list[str]]
"""A row of heads, then rows of cells."""
_NOTHING = "–"
_MARKS = {"problem": "!!", "advice": "! ", "good": "+ ", "note": "  "}
_COLOURS = {"problem": "#b2182b", "advice": "#b35806", "good": "#1b7837", "note": "#555555"}


def as_text(diagnosis: Diagnosis) -> str:
    """Aligned tables followed by the findings."""
    parts = [headline(diagnosis), *map(_aligned, tables(diagnosis)), together_line(diagnosis)]
    found = [f"{_MARKS[finding.severity]} {finding.sentence}" for finding in diagnosis.findings]
    parts.append("\n".join(["Findings", *(found or ["   nothing stands out."])]))
    return "\n\n".join(part for part in parts if part)


def as_html(diagnosis: Diagnosis) -> str:
    """Return the same as HTML."""
    items = "".join(
        f"<li><span style='color:{_COLOURS[finding.severity]}'><b>{finding.severity}</b></span> "
        f"{escape(finding.sentence)}</li>"
        for finding in diagnosis.findings
    )
    shown = "".join(_html_table(table) for table in tables(diagnosis))
    return (
        f"<div><p><b>{escape(headline(diagnosis))}</b></p>{shown}"
        f"<p>{escape(together_line(diagnosis))}</p>"
        f"<ul>{items or '<li>nothing stands out.</li>'}</ul></div>"
    )


def tables(diagnosis: Diagnosis) -> list[Table]:
    """Three narrow tables rather than one wide one: a terminal or a page has a hundred columns."""
    found = [content_table(diagnosis), quality_table(diagnosis)]
    return [*found, pair_table(diagnosis)] if diagnosis.per_pair else found


def headline(diagnosis: Diagnosis) -> str:
    """What was looked at, and how."""
    joint = diagnosis.joint
    text = f"Diagnosis of {len(diagnosis.per_view)} views of {joint.n_objects:,} objects"
    if joint.measure == "silhouette":
        return f"{text}, no labels; quality is the silhouette of k-means"
    text += f", {joint.labelled:.0%} labelled, {len(joint.class_counts)} classes"
    if joint.n_folds is None:
        return text
    text += f"; quality is balanced accuracy over {joint.n_folds} folds"
    return text if joint.complete == 1.0 else f"{text}, of each view on the objects that have it"


def together_line(diagnosis: Diagnosis) -> str:
    """All views together, in one line."""
    joint = diagnosis.joint
    if joint.quality is None:
        return f"All views together: {joint.note}" if joint.note else ""
    text = f"All views together: {_measured(joint.quality, joint.quality_error)}"
    chance = f"chance {_number(joint.chance)}"
    if joint.gain is None:
        return f"{text}, {chance}"
    gain = f"({_signed(joint.gain, joint.gain_error)} against {joint.best_view} alone)"
    best = next(view for view in diagnosis.per_view if view.name == joint.best_view)
    if best.observed == 1.0:
        return f"{text} {gain}, {chance}"
    there = _measured(best.together, best.together_error)
    return f"{text} over all objects, {chance}; {there} on those that have {best.name} {gain}"


def content_table(diagnosis: Diagnosis) -> Table:
    """One row per view: what is there."""
    heads = ["view", "features", "kind", "density", "observed", "eff. rank"]
    return [heads, *map(_content_row, diagnosis.per_view)]


def _content_row(view: ViewReport) -> list[str]:
    return [
        view.name,
        f"{view.n_features:,}",
        f"{view.kind} {view.dtype}",
        f"{view.density:.2g}",
        f"{view.observed:.0%}" if view.observed in {0.0, 1.0} else f"{view.observed:.1%}",
        f"{view.effective_rank:.1f}",
    ]


def quality_table(diagnosis: Diagnosis) -> Table:
    """One row per view: what it is worth."""
    views = diagnosis.per_view
    columns = {
        "view": [view.name for view in views],
        "quality": [_measured(view.quality, view.quality_error) for view in views],
        "all views there": [_measured(view.together, view.together_error) for view in views],
        "chance": [_number(view.chance) for view in views],
        "adds to others": [_signed(view.gain, view.gain_error) for view in views],
        "silhouette": [_number(view.silhouette) for view in views],
        "clusters": [_NOTHING if v.n_clusters is None else str(v.n_clusters) for v in views],
    }
    unlabelled = diagnosis.joint.measure == "silhouette"
    if unlabelled or diagnosis.joint.complete == 1.0:
        del columns["all views there"]  # without gaps it is one number, below the tables
    if unlabelled:
        del columns["adds to others"], columns["silhouette"]
    return [list(columns), *(list(row) for row in zip(*columns.values(), strict=True))]


def pair_table(diagnosis: Diagnosis) -> Table:
    """One row per pair."""
    labelled = diagnosis.joint.measure != "silhouette"
    heads = ["pair", "both"]
    heads += ["agreement", "expected"] if labelled else []
    heads += ["ARI", "correlations", "dependence", "p", "given"]
    return [heads, *(_pair_row(pair, labelled) for pair in diagnosis.per_pair)]


def _pair_row(pair: PairReport, labelled: bool) -> list[str]:
    row = [f"{pair.views[0]}, {pair.views[1]}", f"{pair.shared:.0%}"]
    if labelled:
        row += [_number(pair.agreement), _number(pair.expected_agreement)]
    return [
        *row,
        _number(pair.cluster_agreement),
        " ".join(_number(value) for value in pair.correlations) or _NOTHING,
        _number(pair.dependence),
        _NOTHING if pair.p_value is None else f"{pair.p_value:.3f}",
        pair.given if pair.p_value is not None else pair.note or _NOTHING,
    ]


def _number(value: float | None) -> str:
    if value is None:
        return _NOTHING
    return f"{value:.2f}".replace("-0.00", "0.00")


def _measured(value: float | None, error: float | None) -> str:
    return _number(value) if error is None else f"{_number(value)} ± {_number(error)}"


def _signed(value: float | None, error: float | None) -> str:
    if value is None or error is None:
        return _NOTHING
    return f"{value:+.3f} ± {error:.3f}"


def _aligned(table: Table) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    return "\n".join([lines[0], "─" * len(max(lines, key=len)), *lines[1:]])


def _html_table(table: Table) -> str:
    head = _html_row(table[0], "th")
    body = "".join(_html_row(row, "td") for row in table[1:])
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _html_row(cells: Sequence[str], tag: str) -> str:
    inner = "".join(f"<{tag} style='text-align:left'>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"
