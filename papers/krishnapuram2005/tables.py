"""Figure 2 on data that anyone can have, what it amounts to, and the claims of Section 6."""

from __future__ import annotations

from collections.abc import Mapping

from papers._frame import Paper, Place, Table, unpublished
from papers.krishnapuram2005.campaign import FALSE_ALARMS, PANELS
from papers.krishnapuram2005.claims import CLAIMS, ENOUGH

SETS = {"sensors": "generated mines", "pages": "course pages"}
"""Keys of tables end with these."""
DATA: dict[str, tuple[str, ...]] = {"sensors": (), "pages": ("course",)}

ASKED = tuple(range(0, PANELS["2a"].n_questions + 1, 10))
FOUND = ("active", "random", "s.d. of random")
CURVES = ("at the start", *FOUND)
GAINS = (
    "at the start",
    "active",
    "random",
    "s.d. of random",
    "lead",
    "lead in s.d.",
    "random trials beaten",
    "all known",
    "first view, active",
    "first view, random",
)
VIEW_PANELS = tuple(key for key, panel in PANELS.items() if not panel.labels)

DEVIATIONS = ()
REASONS: dict[str, Mapping[Place, str]] = {"sensors": {}, "pages": {}}


def _found(name: str) -> Table:
    return Table(
        f"2a-found-{name}",
        f"Number found while asking for labels, {SETS[name]}",
        rows=tuple(map(str, ASKED)),
        columns=FOUND,
        values=unpublished(len(ASKED), len(FOUND)),
        decimals=1,
        data=DATA[name],
        axes=("labels asked for", "number found"),
    )


def _curves(key: str, name: str) -> Table:
    panel = PANELS[key]
    return Table(
        f"{key}-{name}",
        f"ROC after {panel.n_questions} {panel.title}, {SETS[name]}",
        rows=tuple(map(str, FALSE_ALARMS)),
        columns=CURVES,
        values=unpublished(len(FALSE_ALARMS), len(CURVES)),
        decimals=3,
        data=DATA[name],
        axes=("share of false alarms", "share detected"),
    )


def _gains(name: str, panels: tuple[str, ...], key: str, what: str) -> Table:
    return Table(
        f"{key}-{name}",
        f"AUC on {what}, {SETS[name]}",
        rows=tuple(f"({panel[-1]}) {PANELS[panel].title}" for panel in panels),
        columns=GAINS,
        values=unpublished(len(panels), len(GAINS)),
        decimals=3,
        data=DATA[name],
    )


def _claims(name: str) -> Table:
    return Table(
        f"claims-{name}",
        f"What Section 6 says of Figure 2 (share of the starts for which it is true), {SETS[name]}",
        rows=tuple(CLAIMS),
        columns=("holds",),
        values=((1.0,),) * len(CLAIMS),
        higher_is_better=True,
        resolution=1 - ENOUGH,
        data=DATA[name],
        reasons=REASONS[name],
    )


def _tables(name: str) -> tuple[Table, ...]:
    return (
        _claims(name),
        _gains(name, tuple(PANELS), "gains", "objects without a label"),
        _gains(name, tuple(PANELS), "new", "new objects"),
        _found(name),
        *(_curves(key, name) for key in PANELS),
    )


PAPER = Paper(
    key="krishnapuram2005",
    title="Active learning of features and labels",
    authors=(
        "Balaji Krishnapuram",
        "David Williams",
        "Ya Xue",
        "Lawrence Carin",
        "Mário A. T. Figueiredo",
        "Alexander J. Hartemink",
    ),
    year=2005,
    seeds=10,
    quick_seeds=1,
    deviations=DEVIATIONS,
    tables=(
        *_tables("sensors"),
        *_tables("pages"),
        _gains(
            "pages",
            VIEW_PANELS,
            "mixture",
            "objects without a label, views expected by the whole mixture",
        ),
    ),
)
