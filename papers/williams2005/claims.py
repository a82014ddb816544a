"""Claims of Section 3 about its figures and tables, each by a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from manyviews.typing import FloatArray
from papers.williams2005.methods import (
    COMPLETE,
    CONDITIONAL,
    ESTIMATED,
    PROPOSED,
    UNCONDITIONAL,
)

Curves = dict[str, FloatArray]
"""Means over the trials by method, from few missing features or views to many."""


@dataclass(frozen=True)
class Evidence:
    """Means over all trials."""

    radar: Curves
    distances: Curves
    digits: Curves
    natural: Curves
    """One number per set of data that came with gaps."""


Claim = Callable[[Evidence], float]
"""The share of the points for which something is true."""
N_ENDS = 3
"""So many points at each end of a curve are few missing, and many."""


def before(curves: str, method: str, other: str) -> Claim:
    """One curve runs above another."""

    def share(evidence: Evidence) -> float:
        found: Curves = getattr(evidence, curves)
        return float(np.mean(found[method] > found[other]))

    return share


def leads_most_at_the_end(curves: str, other: str) -> Claim:
    """The lead of the proposed method is larger where much is missing than where little is."""

    def share(evidence: Evidence) -> float:
        found: Curves = getattr(evidence, curves)
        lead = found[PROPOSED] - found[other]
        return float(lead[-N_ENDS:].mean() > lead[:N_ENDS].mean())

    return share


def _sometimes_above_complete(evidence: Evidence) -> float:
    return float(np.any(evidence.radar[PROPOSED] > evidence.radar[COMPLETE]))


def _farther_with_share(evidence: Evidence) -> float:
    steps = [np.diff(evidence.distances[name]) for name in ESTIMATED]
    return float(np.mean(np.concatenate(steps) > 0))


def _on_both(make: Callable[..., Claim], others: Iterable[str]) -> dict[str, Claim]:
    titles = {"radar": "ionosphere", "digits": "mfeat"}
    return {
        f"{titles[curves]}: {_SAID[make.__name__]} {other}": (
            make(curves, PROPOSED, other) if make is before else make(curves, other)
        )
        for curves in titles
        for other in others
    }


_SAID = {
    "before": "proposed above",
    "leads_most_at_the_end": "lead largest where much is missing, over",
}
IMPUTED = (CONDITIONAL, UNCONDITIONAL)

CLAIMS: dict[str, Claim] = {
    **_on_both(before, IMPUTED),
    **_on_both(leads_most_at_the_end, IMPUTED),
    "ionosphere: proposed sometimes above complete data": _sometimes_above_complete,
    "ionosphere: kernels farther from the true one with more missing": _farther_with_share,
    "ionosphere: conditional mean nearer to the true kernel than proposed": before(
        "distances", PROPOSED, CONDITIONAL
    ),
    "natural gaps: proposed above conditional mean": before("natural", PROPOSED, CONDITIONAL),
    "natural gaps: proposed above unconditional mean": before("natural", PROPOSED, UNCONDITIONAL),
    "natural gaps: unconditional above conditional mean": before(
        "natural", UNCONDITIONAL, CONDITIONAL
    ),
}
"""Sentences of Section 3, and what Table 2 shows, by what they say."""
