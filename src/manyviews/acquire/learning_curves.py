"""The answer of ``simulate``: what each criterion reached at which cost, beside random choice."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
from scipy.special import stdtrit

from manyviews.base import headed
from manyviews.exceptions import MissingExtraError
from manyviews.typing import AnyArray, FloatArray, IntArray

__all__ = ["Lead", "LearningCurve", "LearningCurves", "Saving", "Taken"]

LEVEL = 0.95
"""Of the intervals; what people expect of one that is not said to be another."""
N_RESAMPLES = 1_000
"""Resamples of the seeds: 25 lie beyond each end of an interval of 95 %."""
RANDOM = "random"
"""The criterion that all others are compared with."""


@dataclass(frozen=True)
class Taken:
    """One action that was taken."""

    step: int
    kind: str
    """``label`` or ``view``."""
    row: int
    """Row of the object in the views as given."""
    view: str | None
    """The view that was measured."""
    cost: float


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """One run: what was known and how good the model was, from the start on."""

    criterion: str
    seed: int
    cost: FloatArray
    """Spent so far, beyond the start; one value for the start and for each step."""
    n_labels: IntArray
    """Labels known, those of the start included."""
    n_measured: IntArray
    """Views measured since the start."""
    score: FloatArray
    actions: tuple[Taken, ...]

    def at(self, costs: FloatArray) -> FloatArray:
        """The score that is reached by the time that so much is spent."""
        return self.score[np.searchsorted(self.cost, costs, side="right") - 1]


@dataclass(frozen=True)
class Lead:
    """Area between the curves of a criterion and of random, over the cost: a mean difference."""

    criterion: str
    difference: float
    """Mean over cost and seeds; positive where the criterion is better."""
    low: float | None
    """Lower end of the 95 % interval over paired seeds; None for a single seed."""
    high: float | None
    n_seeds: int

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, or ``not told apart`` from random."""
        if self.low is not None and self.high is not None:
            if self.low > 0:
                return "better"
            if self.high < 0:
                return "worse"
        return "not told apart"


@dataclass(frozen=True)
class Saving:
    """What a level costs by a criterion and by random, by the mean curves over the seeds."""

    criterion: str
    level: float
    cost: float | None
    """None where the criterion does not reach the level."""
    random_cost: float | None
    saved: float | None
    low: float | None
    """95 % interval by resampling paired seeds; None where many resamples miss the level."""
    high: float | None


@dataclass(frozen=True, repr=False, eq=False)
class LearningCurves:
    """The answer of :func:`manyviews.acquire.simulate`; prints as a table and a sentence each."""

    curves: tuple[LearningCurve, ...]
    method: str
    measure: str
    evaluation: str
    """Which objects the scores are of."""
    budget: float
    batch: int
    kinds: tuple[str, ...]
    n_objects: int
    n_start: int
    """Labels at the start."""

    @property
    def criteria(self) -> tuple[str, ...]:
        """Names of the criteria, random last."""
        return tuple(dict.fromkeys(curve.criterion for curve in self.curves))

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds, each of which has the same start for all criteria."""
        return tuple(dict.fromkeys(curve.seed for curve in self.curves))

    @property
    def costs(self) -> FloatArray:
        """Every cost at which some curve has a step."""
        return np.unique(np.concatenate([curve.cost for curve in self.curves]))

    def scores(self, criterion: str) -> FloatArray:
        """Seeds × costs: the scores of one criterion by the time that so much is spent."""
        own = [curve for curve in self.curves if curve.criterion == criterion]
        if not own:
            raise ValueError(
                f"there is no curve of {criterion!r}; there are {', '.join(self.criteria)}."
            )
        return np.array([curve.at(self.costs) for curve in own])

    def band(self, criterion: str) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation over the seeds at each cost; no deviation of one seed."""
        scores = self.scores(criterion)
        spread = scores.std(axis=0, ddof=1) if len(scores) > 1 else np.zeros(scores.shape[1])
        return scores.mean(axis=0), spread

    def lead(self, criterion: str) -> Lead:
        """How far a criterion is above random in the mean over the cost, seeds paired."""
        apart = self.scores(criterion) - self.scores(RANDOM)
        widths = np.diff(self.costs)
        total = float(widths.sum())
        # a curve holds its score until the next step; where all is free the end is what counts
        areas = apart[:, :-1] @ widths / total if total > 0 else apart[:, -1]
        mean, n_seeds = float(areas.mean()), len(areas)
        if n_seeds < 2:
            return Lead(criterion, mean, None, None, n_seeds)
        reach = stdtrit(n_seeds - 1, (1 + LEVEL) / 2) * areas.std(ddof=1) / np.sqrt(n_seeds)
        return Lead(criterion, mean, float(mean - reach), float(mean + reach), n_seeds)

    def saving(self, criterion: str, level: float | None = None) -> Saving:
        """What reaching a level costs; by default the level that random ends with."""
        own, others, costs = self.scores(criterion), self.scores(RANDOM), self.costs
        wanted = float(others.mean(axis=0)[-1]) if level is None else float(level)
        cost, random_cost = (first_cost(s.mean(axis=0), costs, wanted) for s in (own, others))
        saved = None if cost is None or random_cost is None else random_cost - cost
        low, high = self._saving_interval(own, others, wanted) if saved is not None else (None,) * 2
        return Saving(criterion, wanted, cost, random_cost, saved, low, high)

    def _saving_interval(
        self, own: FloatArray, others: FloatArray, level: float
    ) -> tuple[float | None, float | None]:
        if len(own) < 2:
            return None, None
        rng = np.random.default_rng(0)
        saved = np.full(N_RESAMPLES, np.nan)
        for place in range(N_RESAMPLES):
            drawn = rng.integers(len(own), size=len(own))
            ends = [first_cost(s[drawn].mean(axis=0), self.costs, level) for s in (own, others)]
            if None not in ends:
                saved[place] = ends[1] - ends[0]  # type: ignore[operator]
        # a resample that misses the level saves an unknown amount: with many of them, no interval
        if np.isnan(saved).mean() > 1 - LEVEL:
            return None, None
        low, high = np.nanquantile(saved, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return float(low), float(high)

    def sentence(self, criterion: str) -> str:
        """Whether choosing paid, in words."""
        lead, saving = self.lead(criterion), self.saving(criterion)
        spent = f"in the mean over a cost of {float(self.costs[-1]):g}"
        apart = _spanned(lead.difference, lead.low, lead.high)
        if lead.n_seeds < 2:
            return (
                f"{criterion} is {apart} {self.measure} above random {spent}, with a single seed, "
                "which tells nothing of chance: give more."
            )
        if lead.verdict == "not told apart":
            return (
                f"{criterion} cannot be told from random: {self.measure} {apart} {spent}, "
                f"{lead.n_seeds} paired seeds."
            )
        said = f"{criterion} is {lead.verdict} than random: {self.measure} {apart} {spent}, "
        said += f"{lead.n_seeds} paired seeds; "
        if saving.random_cost == 0:
            return f"{said}random ends no higher than it begins."
        if saving.cost is None:
            return f"{said}it does not reach the {saving.level:.3f} that random ends with."
        return (
            f"{said}it reaches the {saving.level:.3f} that random ends with at a cost of "
            f"{saving.cost:g}, random at {saving.random_cost:g}."
        )

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row per criterion, seed and step."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("to_frame", "mudata") from error
        return pandas.DataFrame(
            {
                "criterion": curve.criterion,
                "seed": curve.seed,
                "step": step,
                "cost": float(curve.cost[step]),
                "n_labels": int(curve.n_labels[step]),
                "n_measured": int(curve.n_measured[step]),
                "score": float(curve.score[step]),
            }
            for curve in self.curves
            for step in range(len(curve.cost))
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain types that JSON can hold."""
        names = ("method", "measure", "evaluation", "budget", "batch", "n_objects", "n_start")
        chosen = [name for name in self.criteria if name != RANDOM]
        return {
            **{name: getattr(self, name) for name in names},
            "kinds": list(self.kinds),
            "curves": [_plain(curve) for curve in self.curves],
            "lead": [vars(self.lead(name)) for name in chosen],
            "saving": [vars(self.saving(name)) for name in chosen],
        }

    def __str__(self) -> str:
        head = (
            f"Learning curves of {self.method}: {self.measure} on {self.evaluation}, "
            f"{len(self.seeds)} seed{'s' * (len(self.seeds) != 1)}, {self.n_start} labels at the "
            f"start, budget {self.budget:g}, {self.batch} at a time"
        )
        lines = [self.sentence(name) for name in self.criteria if name != RANDOM]
        said = [fill(line, WIDTH) for line in lines]
        return "\n\n".join([fill(head, WIDTH), headed(self._table()), "\n".join(said)]).rstrip()

    __repr__ = __str__

    def _table(self) -> list[list[str]]:
        heads = ["criterion", "labels", "views", "cost", "start", "half way", "end", "above random"]
        return [heads, *map(self._row, self.criteria)]

    def _row(self, criterion: str) -> list[str]:
        own = [curve for curve in self.curves if curve.criterion == criterion]
        half = float(self.costs[-1]) / 2
        lead = self.lead(criterion)
        return [
            criterion,
            f"{round(float(np.mean([curve.n_labels[-1] for curve in own])), 1):g}",
            f"{round(float(np.mean([curve.n_measured[-1] for curve in own])), 1):g}",
            f"{round(float(np.mean([curve.cost[-1] for curve in own])), 1):g}",
            *(_meant([curve.at(np.array([place]))[0] for curve in own]) for place in (0.0, half)),
            _meant([curve.score[-1] for curve in own]),
            "–" if criterion == RANDOM else _spanned(lead.difference, lead.low, lead.high),
        ]


WIDTH = 100
"""Characters of a line, as many as a page of the guide has for code."""


def first_cost(scores: FloatArray, costs: FloatArray, level: float) -> float | None:
    """The first cost at which a curve is at a level; None if it never is.

    Examples
    --------
    >>> first_cost(np.array([0.5, 0.7, 0.6]), np.array([0.0, 2.0, 4.0]), 0.6)
    2.0
    """
    reached = scores >= level - 1e-12  # a mean of equal numbers may be less than they by rounding
    return float(costs[reached.argmax()]) if reached.any() else None


def _plain(curve: LearningCurve) -> dict[str, Any]:
    arrays = ("cost", "n_labels", "n_measured", "score")
    return {
        "criterion": curve.criterion,
        "seed": curve.seed,
        **{name: getattr(curve, name).tolist() for name in arrays},
        "actions": [vars(action) for action in curve.actions],
    }


def _meant(values: list[Any] | AnyArray) -> str:
    return f"{np.mean(values):.3f}"


def _spanned(value: float, low: float | None, high: float | None) -> str:
    def number(each: float) -> str:
        return f"{round(each, 3) + 0.0:+.3f}"  # no minus before a zero

    if low is None or high is None:
        return number(value)
    return f"{number(value)} ({number(low)} to {number(high)})"
