"""The answer of a diagnosis: a line per view and pair, the whole, findings; and how it prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any, Literal

from manyviews.base import headed
from manyviews.exceptions import MissingExtraError

__all__ = ["Diagnosis", "Finding", "JointReport", "PairReport", "ViewReport"]

Severity = Literal["problem", "advice", "good", "note"]


@dataclass(frozen=True)
class ViewReport:
    """What one view is and what it can do alone; None where it could not be measured."""

    name: str
    n_features: int
    kind: str
    """``dense`` or ``sparse``."""
    dtype: str
    density: float
    """Share of non-zero cells in the observed rows."""
    observed: float
    """Share of objects for which the view is observed."""
    missing_cells: float
    """Share of NaN cells in the observed rows."""
    empty_rows: float
    """Share of the observed rows that hold nothing but zeros."""
    constant_features: int
    """How many features never change."""
    spread: float
    """Root mean squared distance of the rows from their mean."""
    dominant_share: float
    """Share of the variance that the most variable feature carries."""
    effective_rank: float
    """How many directions the centred rows fill: see :func:`manyviews.maths.effective_rank`."""
    quality: float | None = None
    """Cross-validated balanced accuracy of the view alone with labels, silhouette without."""
    quality_error: float | None = None
    """Standard error of the accuracy over the folds."""
    chance: float | None = None
    """What a view without any information would reach."""
    together: float | None = None
    """Accuracy of all views on the objects that have this one, to compare its quality with."""
    together_error: float | None = None
    """Standard error of that accuracy over the folds."""
    gain: float | None = None
    """Accuracy of all views minus accuracy of all other views, over all objects."""
    gain_error: float | None = None
    """Standard error of the gain over the folds."""
    silhouette: float | None = None
    """Silhouette of the best k-means clustering of the view."""
    silhouette_chance: float | None = None
    """The same for a Gaussian cloud with the variances of the view."""
    n_clusters: int | None = None
    """Number of clusters with the best silhouette."""
    largest_cluster: float | None = None
    """Share of the objects in the largest of them."""
    note: str = ""
    """Why something is not there."""


@dataclass(frozen=True)
class PairReport:
    """What two views have to do with each other, on the objects that have both."""

    views: tuple[str, str]
    shared: float
    """Share of the objects for which both are observed."""
    agreement: float | None = None
    """With labels: share of objects on which the two out-of-fold predictions agree. Without:
    the adjusted Rand index of the two clusterings."""
    expected_agreement: float | None = None
    """With labels: the agreement if, given the class, each erred independently. Without: 0."""
    cluster_agreement: float | None = None
    """Adjusted Rand index of the two clusterings, with labels or without."""
    correlations: tuple[float, ...] = ()
    """First canonical correlations, measured on objects held out."""
    dependence: float | None = None
    """Kernel dependence from 0 (independent) to 1 (the same), given the class if there is one."""
    p_value: float | None = None
    """Permutation p-value of independence, within classes if there are any."""
    given: str = "nothing"
    """What the dependence is conditioned on: ``class`` or ``nothing``."""
    note: str = ""


@dataclass(frozen=True)
class JointReport:
    """All views together, against the best of them."""

    n_objects: int
    n_measured: int
    """Objects that were looked at: fewer than all when there are very many."""
    measure: str
    """``balanced accuracy`` or ``silhouette``."""
    labelled: float
    """Share of the objects that carry a label."""
    class_counts: dict[str, int]
    complete: float = 1.0
    """Share of the objects for which every view is observed."""
    n_folds: int | None = None
    quality: float | None = None
    """Of all views side by side, over all objects; an unobserved view counts as its mean."""
    quality_error: float | None = None
    chance: float | None = None
    best_view: str | None = None
    """The view of the highest quality, each measured on the objects that have it."""
    gain: float | None = None
    """Accuracy of all views minus that of the best view, on the objects that have the best view."""
    gain_error: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing, in words, with the numbers behind it."""

    kind: str
    severity: Severity
    views: tuple[str, ...]
    sentence: str
    numbers: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """The answer of :func:`manyviews.diagnose`; prints as tables followed by findings."""

    per_view: tuple[ViewReport, ...]
    per_pair: tuple[PairReport, ...]
    joint: JointReport
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types that JSON can hold."""
        return {
            "per_view": [_plain(asdict(view)) for view in self.per_view],
            "per_pair": [_plain(asdict(pair)) for pair in self.per_pair],
            "joint": _plain(asdict(self.joint)),
            "findings": [_plain(asdict(finding)) for finding in self.findings],
        }

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row per view."""
        frame = _frame([asdict(view) for view in self.per_view], "to_frame")
        return frame.set_index("name").rename_axis("view")

    def pairs_to_frame(self) -> Any:
        """A pandas DataFrame with one row per pair of views."""
        rows = [_pair_row(pair) for pair in self.per_pair]
        columns = list(_pair_row(PairReport(("", ""), 0.0)))
        return _frame(rows, "pairs_to_frame", columns).set_index(["first", "second"])

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def _pair_row(pair: PairReport) -> dict[str, Any]:
    row = asdict(pair)
    first, second = row.pop("views")
    found = row.pop("correlations")
    return {
        "first": first,
        "second": second,
        **row,
        "first_correlation": found[0] if found else None,
    }


def _frame(rows: list[dict[str, Any]], purpose: str, columns: list[str] | None = None) -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(purpose, "mudata") from error
    return pd.DataFrame(rows, columns=columns)


def _plain(value: Any) -> Any:
    """Turn tuples into lists, the rest being plain already."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


Table = list[list[str]]
"""A row of heads, then rows of cells."""
_NOTHING = "–"
_MARKS = {"problem": "!!", "advice": "! ", "good": "+ ", "note": "  "}
_COLOURS = {"problem": "#b2182b", "advice": "#b35806", "good": "#1b7837", "note": "#555555"}


def as_text(diagnosis: Diagnosis) -> str:
    """Aligned tables followed by the findings."""
    parts = [headline(diagnosis), *map(headed, tables(diagnosis)), together_line(diagnosis)]
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
    return [heads, *(_pair_cells(pair, labelled) for pair in diagnosis.per_pair)]


def _pair_cells(pair: PairReport, labelled: bool) -> list[str]:
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


def _html_table(table: Table) -> str:
    head = _html_row(table[0], "th")
    body = "".join(_html_row(row, "td") for row in table[1:])
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _html_row(cells: Sequence[str], tag: str) -> str:
    inner = "".join(f"<{tag} style='text-align:left'>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{inner}</tr>"
