"""Which labels and which views to acquire, actively beside at random [@krishnapuram2005].

``campaign`` has the data, the four panels of Figure 2 and one trial of each; ``claims`` what the
paper says of them; ``tables`` the layout. What several tables need is measured once per seed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import DataFolder, Measured, Progress
from papers.krishnapuram2005.campaign import (
    N_LABELLED,
    N_OBJECTS,
    N_RANDOM,
    PANELS,
    Criterion,
    Measure,
    Trial,
    preferences,
    trial,
)
from papers.krishnapuram2005.claims import CLAIMS, share_true
from papers.krishnapuram2005.tables import ASKED, KINDS, PAPER, SIDE_STARTS, VIEW_PANELS

__all__ = ["PAPER", "run"]


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table, once per seed."""
    for name in PAPER.table(table).data:
        data.path(name)  # so that it is known to be used, and missed at once
    kind, _, name = table.rpartition("-")
    if kind == "why":
        return Measured(np.array([why(name, seed, str(data.root)) for seed in seeds]), (WHY,))
    starts = measured(kind, name, seeds, str(data.root), progress)
    if kind == "claims":
        shares = [[share_true(claim, starts)] for claim in CLAIMS.values()]
        return Measured(np.array([shares] * len(seeds)), (SHARES,))
    rows = ROWS.get(kind, roc)
    values = np.array([rows(start) for start in starts])
    unmeasured = np.full((len(seeds) - len(starts), *values.shape[1:]), np.nan)
    notes = (SIZES,) if rows is not roc and rows is not found else ()
    return Measured(np.concatenate([values, unmeasured]), notes)


def measured(
    kind: str, name: str, seeds: range, folder: str, progress: Progress
) -> list[dict[str, Trial]]:
    """The panels that a table is about, from each start."""
    panels = PANELS_OF.get(kind, (kind,))
    criterion = CRITERIA.get(kind, "conditional-mean")
    chosen = seeds[:SIDE_STARTS] if kind in CRITERIA else seeds
    starts: list[dict[str, Trial]] = []
    for number, seed in enumerate(chosen):
        starts.append({})
        for place, panel in enumerate(panels):
            done = len(panels) * number + place
            progress(done, len(panels) * len(chosen), f"{kind}-{name} seed {seed}")
            starts[-1][panel] = trial(name, panel, seed, folder, criterion)
    progress(1, 1)
    return starts


def found(start: dict[str, Trial]) -> FloatArray:
    """How many were found after so many questions."""
    only = start["2a"]
    others = np.array([each.n_found for each in only.random])
    columns = [only.active.n_found, others.mean(axis=0), others.std(axis=0, ddof=1)]
    return np.array(columns)[:, ASKED].T


def roc(start: dict[str, Trial]) -> FloatArray:
    """Curves of one panel."""
    (only,) = start.values()
    others = np.array([each.detected for each in only.random])
    return np.array(
        [
            only.start.detected,
            only.active.detected,
            others.mean(axis=0),
            others.std(axis=0, ddof=1),
        ]
    ).T


def gains(start: dict[str, Trial], measure: Measure = "auc") -> FloatArray:
    """What the panels amount to, one in each row."""
    rows = []
    for each in start.values():
        others, lead = each.at_random(measure), each.lead(measure)
        deviation = float(others.std(ddof=1))
        complete = np.nan if each.everything is None else getattr(each.everything, measure)
        first = [each.active.first_view, np.mean([one.first_view for one in each.random])]
        rows.append(
            [
                getattr(each.start, measure),
                getattr(each.active, measure),
                others.mean(),
                deviation,
                lead,
                lead / deviation if deviation > 0 else np.nan,
                each.beaten(measure),
                complete,
                *([np.nan, np.nan] if each.everything is None else first),
            ]
        )
    return np.array(rows)


def why(name: str, seed: int, folder: str) -> FloatArray:
    """What is asked for first, of each panel that asks for one kind of thing."""
    found = [preferences(name, panel, seed, folder) for panel in KINDS]
    return np.array([[each.nats, each.with_doubt, each.with_length] for each in found])


ROWS: dict[str, Callable[[dict[str, Trial]], FloatArray]] = {
    "2a-found": found,
    "gains": gains,
    "new": partial(gains, measure="new_auc"),
    **dict.fromkeys(("mixture", "doubt"), gains),
}
CRITERIA: dict[str, Criterion] = {"mixture": "mixture", "doubt": "doubt"}
"""Of the tables that are not about the paper's own criterion."""
PANELS_OF = {
    "claims": tuple(PANELS),
    "gains": tuple(PANELS),
    "new": tuple(PANELS),
    "mixture": VIEW_PANELS,
    "doubt": tuple(PANELS),
    "2a-found": ("2a",),
}
WHY = "At the start; correlations are Spearman's, within each view that is asked for."
SHARES = "The share of the starts is the same for every seed."
SIZES = (
    f"{N_OBJECTS} objects for each start, {N_LABELLED} of them labelled and two thirds with one "
    f"view; {N_RANDOM} random trials from each start, whose mean and deviation these are; a tie "
    "counts as half a trial beaten."
)
