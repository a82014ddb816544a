"""The answer of ``view_contributions``: a line per view, how it prints, and findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from textwrap import fill
from typing import Any

import numpy as np

from manyviews.base import headed
from manyviews.exceptions import MissingExtraError
from manyviews.explain.findings import MIN_GAIN
from manyviews.explain.report import Finding, Severity
from manyviews.typing import AnyArray, FloatArray, IntArray

__all__ = ["ViewContribution", "ViewContributions", "with_findings"]

# -- the answer ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ViewContribution:
    """What one view adds; None where it could not be measured."""

    name: str
    n_objects: int
    """Objects with a known answer that show this view and another one: the scores are theirs."""
    n_alone: int
    """Objects that show no other view, of which nothing can be said without it."""
    score: float | None = None
    """With all views."""
    without: float | None = None
    """Without this one."""
    drop: float | None = None
    """The difference: what is lost by leaving the view out."""
    drop_low: float | None = None
    drop_high: float | None = None
    permuted: float | None = None
    """With this view taken from other objects, mean over the permutations."""
    loss: float | None = None
    """``score - permuted``: how far the model relies on the view."""
    loss_low: float | None = None
    loss_high: float | None = None
    carried: float | None = None
    """Share of the objects whose decision this view carried."""
    note: str = ""
    """Why something is not there."""


@dataclass(frozen=True, repr=False, eq=False)
class ViewContributions:
    """The answer of :func:`view_contributions`; prints as a table followed by findings."""

    per_view: tuple[ViewContribution, ...]
    method: str
    measure: str
    """``accuracy``, ``R²``, ``adjusted Rand index``, or ``score`` for the method's own."""
    truth: str
    """What the answers are compared with: ``labels``, or the ``own answers`` with all views."""
    evaluated: str
    """Which objects were asked about, by which models."""
    n_fits: int
    n_objects: int
    n_measured: int
    dropping: str
    """What dropping a view meant."""
    decided_by: str
    """How it was found which view carried a decision."""
    score: float | None
    """With all views, over all objects that were measured."""
    score_low: float | None
    score_high: float | None
    rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """Rows of the objects that were asked about."""
    sample_ids: AnyArray | None = None
    """Their ids, if they have any."""
    answers: AnyArray | None = None
    """What the model answers for them; of a score there are none."""
    view_scores: FloatArray | None = None
    """Objects × views: how much each view speaks for the answer; NaN where unobserved."""
    carried: AnyArray | None = None
    """The view that carried the decision of each object; None where no single one did."""
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything but the single objects, in plain types that JSON can hold."""
        names = ("method", "measure", "truth", "evaluated", "n_fits", "n_objects", "n_measured")
        more = ("dropping", "decided_by", "score", "score_low", "score_high")
        return {
            **{name: getattr(self, name) for name in (*names, *more)},
            "per_view": [asdict(view) for view in self.per_view],
            "findings": [{**asdict(each), "views": list(each.views)} for each in self.findings],
        }

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row per view."""
        frame = _pandas("to_frame").DataFrame([asdict(view) for view in self.per_view])
        return frame.set_index("name").rename_axis("view")

    def objects_to_frame(self) -> Any:
        """A pandas DataFrame with one row per object: answer, who carried it, scores by view."""
        pandas = _pandas("objects_to_frame")
        if self.answers is None or self.view_scores is None:
            raise ValueError(f"{self.method} gives a score and no answers for single objects.")
        names = [view.name for view in self.per_view]
        index = self.rows if self.sample_ids is None else self.sample_ids
        scores = {f"score_{name}": self.view_scores[:, i] for i, name in enumerate(names)}
        columns = {"answer": self.answers, "carried": self.carried, **scores}
        return pandas.DataFrame(columns, index=pandas.Index(index, name="object"))

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


def _pandas(purpose: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise MissingExtraError(purpose, "mudata") from error
    return pandas


WIDTH = 100
"""Characters of a line, as many as a page of the guide has for code."""
RULE_OF_THREE = 3.0
"""What none of n objects shows may still be so for 3 / n of all: the upper end of 95 % for a share
of which nothing was seen. Resampled objects that are all alike would give an interval of nothing,
so nothing is called spare on less."""
_MARKS = {"problem": "!!", "advice": "! ", "good": "+ ", "note": "  "}


def as_text(found: ViewContributions) -> str:
    """What was measured and how, a table, and the findings."""
    lines = [
        fill(
            each.sentence,
            WIDTH,
            initial_indent=f"{_MARKS[each.severity]} ",
            subsequent_indent="   ",
        )
        for each in found.findings
    ]
    said = "\n".join(["Findings", *(lines or ["   nothing stands out."])])
    return "\n\n".join([headline(found), headed(table_of(found)), said])


def headline(found: ViewContributions) -> str:
    """What was looked at, and how."""
    is_own = found.truth == "own answers" and found.answers is not None
    against = " with its own answers" if is_own else ""
    n_views = len(found.per_view)
    lines = [
        f"Contributions of {n_views} view{'s' * (n_views != 1)} to {found.method}: "
        f"{found.measure}{against} {_spanned(found.score, found.score_low, found.score_high)} "
        f"with all views, on {found.evaluated}",
        f"drop: a view is {found.dropping}",
        "loss: a view is that of other objects",
        *([f"carried: {found.decided_by}"] if found.decided_by else []),
    ]
    return "\n".join(fill(line, WIDTH) for line in lines)


def table_of(found: ViewContributions) -> list[list[str]]:
    """A row of heads, then a row for each view."""
    heads = ["view", "objects", "all", "without", "drop", "permuted", "loss", "carried"]
    return [heads, *map(_cells, found.per_view)]


def _cells(view: ViewContribution) -> list[str]:
    return [
        view.name,
        f"{view.n_objects:,}",
        _number(view.score),
        _number(view.without),
        _spanned(view.drop, view.drop_low, view.drop_high, sign=True),
        _number(view.permuted),
        _spanned(view.loss, view.loss_low, view.loss_high, sign=True),
        "–" if view.carried is None else f"{view.carried:.0%}",
    ]


def _number(value: float | None, *, sign: bool = False) -> str:
    if value is None or not np.isfinite(value):
        return "–"
    value = round(value, 3) + 0.0  # no minus before a zero
    return f"{value:+.3f}" if sign else f"{value:.3f}"


def _spanned(
    value: float | None, low: float | None, high: float | None, *, sign: bool = False
) -> str:
    if value is None or low is None or high is None:
        return _number(value, sign=sign)
    ends = f"({_number(low, sign=sign)} to {_number(high, sign=sign)})"
    return f"{_number(value, sign=sign)} {ends}"


# -- findings --------------------------------------------------------------------------------------


def view_findings(measure: str, view: ViewContribution) -> Iterator[Finding]:
    """What follows for one view; nothing is said without clear evidence."""

    def say(kind: str, severity: Severity, sentence: str) -> Finding:
        known = {name: v for name, v in asdict(view).items() if isinstance(v, float)}
        return Finding(kind, severity, (view.name,), sentence, known)

    lost = _change(view.drop, view.drop_low, view.drop_high)
    costs = _change(view.loss, view.loss_low, view.loss_high)
    turn = f"from {_number(view.score)} to {_number(view.without)}"
    if lost > 0:
        span = _spanned(view.drop, view.drop_low, view.drop_high)
        yield say("needed", "good", f"without {view.name} {measure} falls by {span}, {turn}.")
    elif lost < 0:
        span = _spanned(*(-_or(0.0, end) for end in (view.drop, view.drop_high, view.drop_low)))
        sentence = (
            f"without {view.name} {measure} rises by {span}, {turn}: leave it out, or check it."
        )
        yield say("harmful", "problem", sentence)
    elif costs > 0 and _most(view) < _or(0.0, view.loss_low):
        span = _spanned(view.loss, view.loss_low, view.loss_high)
        instead = _spanned(view.drop, view.drop_low, view.drop_high)
        sentence = (
            f"the model relies on {view.name} more than it needs it: permuting it costs {span}, "
            f"leaving it out {instead}; the other views make up for it."
        )
        yield say("replaceable", "advice", sentence)
    if view.n_alone:
        sentence = (
            f"{view.n_alone:,} objects show {view.name} only: without it nothing could be said of "
            "them, and they are not among those scored for it."
        )
        yield say("alone", "note", sentence)


def _or(default: float, value: float | None) -> float:
    return default if value is None else value


def _most(view: ViewContribution) -> float:
    """The most that may be lost without a view; without limit where that was not measured."""
    return max(_or(np.inf, view.drop_high), RULE_OF_THREE / max(view.n_objects, 1))


def _change(value: float | None, low: float | None, high: float | None) -> int:
    """1 or -1 for a difference that is large enough and whose interval leaves out 0, else 0."""
    if value is None or low is None or high is None or abs(value) < MIN_GAIN:
        return 0
    return 1 if low > 0 else -1 if high < 0 else 0


def joint_findings(single: list[Finding]) -> Iterator[Finding]:
    """What follows for several views at once."""
    spare = [each.views[0] for each in single if each.kind == "replaceable"]
    if len(spare) > 1:
        names = ", ".join(spare[:-1]) + f" and {spare[-1]}"
        sentence = (
            f"none of {names} is clearly missed, which does not mean that all can go: score the "
            "model without several before you do without more than one."
        )
        yield Finding("stand_in", "advice", tuple(spare), sentence)


def with_findings(found: ViewContributions) -> ViewContributions:
    """Apply the rules to what was measured; problems first, notes last."""
    single = [each for view in found.per_view for each in view_findings(found.measure, view)]
    said = [*single, *joint_findings(single)]
    order = ("problem", "advice", "good", "note")
    said.sort(key=lambda finding: order.index(finding.severity))
    return replace(found, findings=tuple(said))
