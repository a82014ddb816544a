"""What the paper says of its Figure 2, each sentence by a number from one start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from papers.krishnapuram2005.campaign import PANELS, Trial

Evidence = Mapping[str, Trial]
"""The panels, from one start."""
Claim = Callable[[Evidence], bool]

ENOUGH = 0.9
"""A sentence holds if it is true from so many of the starts."""


def ahead(panel: str) -> Claim:
    """Active choice beats the mean of random ones."""
    return lambda evidence: evidence[panel].lead() > 0


def helps_more(panel: str, other: str) -> Claim:
    """The lead over random choice is larger in one panel than in another."""
    return lambda evidence: evidence[panel].lead() > evidence[other].lead()


def finds_more(evidence: Evidence) -> bool:
    """More of what is looked for is among the objects asked about."""
    found = evidence["2a"]
    others = [each.n_found[-1] for each in found.random]
    return bool(found.active.n_found[-1] > np.mean(others))


CLAIMS: dict[str, Claim] = {
    "labels: active finds more than random": finds_more,
    **{f"{panel.title}: active above random": ahead(key) for key, panel in PANELS.items()},
    "active helps more for labels than for views of labelled objects": helps_more("2a", "2b"),
    "active helps more for views of unlabelled objects than of labelled ones": helps_more(
        "2c", "2b"
    ),
}
"""Sentences of Section 6 and what Figure 2 shows, by what they say."""


def share_true(claim: Claim, starts: Sequence[Evidence]) -> float:
    """From what share of the starts a sentence is true."""
    return float(np.mean([claim(evidence) for evidence in starts]))
