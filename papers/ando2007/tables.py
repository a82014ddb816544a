"""What Section 4.2 shows: Figures 1 to 3, and its sentences as a table of claims."""

from __future__ import annotations

from papers._frame import Numbers, Table, published
from papers.ando2007.claims import (
    CLAIMS,
    DEPENDENCIES,
    NAIVE_BAYES,
    NON_REDUNDANT,
    REASONS,
    REDUNDANT,
    Found,
)
from papers.ando2007.data import Setting
from papers.ando2007.methods import FOR_SUPER_CLASSES, METHODS

COLUMNS = tuple(METHODS)
SUPERVISED = published("ando2007")["figure-1"]["values"]["naive Bayes data"]
DIMENSIONS = ("LS", "LLM", *FOR_SUPER_CLASSES)
"""Columns of Figure 3 (b), beside which (a) has the first two."""

SETTINGS: dict[str, dict[str, Setting]] = {
    "figure-1": {"naive Bayes data": NAIVE_BAYES, "non-naive Bayes data": REDUNDANT["0"]},
    "figure-2": REDUNDANT,
    "figure-3": NON_REDUNDANT,
    "figure-3b": NON_REDUNDANT,
}
"""The data sets of each figure, by row."""


def settings_of(table: str) -> tuple[Setting, ...]:
    """Return the data sets that a table needs, each once."""
    figures = SETTINGS if table == "claims" else {table: SETTINGS[table]}
    return tuple(dict.fromkeys(s for rows in figures.values() for s in rows.values()))


def fill(table: str, found: Found) -> list[list[float]]:
    """Rows of a table from the accuracies of one seed."""
    if table == "claims":
        return [[float(holds(found))] for holds in CLAIMS.values()]
    columns = DIMENSIONS if table == "figure-3b" else COLUMNS
    return [[found[setting][name] for name in columns] for setting in SETTINGS[table].values()]


def _unpublished(n_columns: int) -> Numbers:
    return ((None,) * n_columns,) * len(DEPENDENCIES)


def _curves(key: str, caption: str, columns: tuple[str, ...] = COLUMNS) -> Table:
    return Table(
        key,
        caption,
        rows=DEPENDENCIES,
        columns=columns,
        values=_unpublished(len(columns)),
        higher_is_better=True,
        decimals=1,
        axes=("r: probability that the views depend on each other", "accuracy in %"),
    )


TABLES = (
    Table(
        "claims",
        "What Section 4.2.2 says (share of the seeds for which it is true)",
        rows=tuple(CLAIMS),
        columns=("holds",),
        values=((1.0,),) * len(CLAIMS),
        higher_is_better=True,
        reasons=REASONS,
    ),
    Table(
        "figure-1",
        "Accuracy in % with views that are independent given the class",
        rows=tuple(SETTINGS["figure-1"]),
        columns=COLUMNS,
        values=(
            (*SUPERVISED, *(None,) * (len(COLUMNS) - len(SUPERVISED))),
            (None,) * len(COLUMNS),
        ),
        higher_is_better=True,
        decimals=1,
    ),
    _curves("figure-2", "Accuracy in % as the views depend on each other"),
    _curves("figure-3", "The same with views that tell only super classes (3a)"),
    _curves("figure-3b", "The same with features for super classes (3b)", DIMENSIONS),
)
