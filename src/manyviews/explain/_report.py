"""What a diagnosis holds: a line per view, a line per pair, the whole, and findings in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from manyviews.exceptions import MissingExtraError
from manyviews.explain._show import as_html, as_text

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
    findings: tuple[Finding, ...]

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
