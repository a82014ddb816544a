"""What the paper prints, how the tables are measured, and why ours differ."""

from __future__ import annotations

from papers._frame import Paper, Place, Table, published

PUBLISHED = published("rueping2005")
SETS = tuple(PUBLISHED["2"]["values"])
FILES = {
    "balance": "balance_scale",
    "breast": "breast_cancer_wisconsin",
    "diabetes": "pima",
    "liver": "bupa",
    "wine": "wine",
}
"""Folders of the sets; digits are those that scikit-learn ships."""
DETECTORS = ("SVM", "IB", "CIB", "IB, local examples", "CIB, local examples")
"""The paper's three, and its bottlenecks with our default: only local examples have weight."""
COLUMNS_2 = ("global", "local", *DETECTORS)
TEXT = "course"
STUDY = {
    "τ .05, 10 features": (0.05, 10),
    "τ .05, 20 features": (0.05, 20),
    "τ .025, 10 features": (0.025, 10),
    "τ .025, 20 features": (0.025, 20),
}
COLUMNS_1 = ("global", "local", "combined", "disagreement")
BOUNDS = {"2": 0.05, "2-loose": 0.3}


def _numbers(table: str, rows: tuple[str, ...], width: int) -> tuple[tuple[float | None, ...], ...]:
    printed = (PUBLISHED[table]["values"][row] for row in rows)
    return tuple((*row, *[None] * (width - len(row))) for row in printed)


REASONS_2: dict[Place, str] = {}
REASONS_LOOSE: dict[Place, str] = {}
OTHER = "Other data: the paper's songs and reviews are not public."


PAPER = Paper(
    key="rueping2005",
    title="Interpreting classifiers by multiple views",
    authors=("Stefan Rüping",),
    year=2005,
    seeds=3,
    quick_seeds=1,
    deviations=(
        "balance is L against R (576); breast has the 683 complete rows; digits are the 360 or so "
        "of scikit-learn, the mean over the four pairs of digits of which the UCI training set has "
        "the paper's 776; wine is one class against the rest, the mean over the three.",
        "Business and medicine are not public.",
        "τ is stated for the songs only (.05); with it nobody can gain the .265 of balance, so "
        "that the table is also measured with τ = .3.",
        "A tenth of the features is rounded, one at least; the paper says at times only one.",
        "Both machines are LinearSVC at C = 1 on standardised features; the paper says neither.",
        "Two medoids, as in section 6.1; β and the number of clusters are not stated.",
        "The bottlenecks weigh all objects by P(Y ≠ f(x)|x), as the paper writes it; columns "
        "called local examples have our default.",
        "For the songs stand 1051 pages of universities, courses or not: words of the page "
        "explain, words of the page and of links to it decide.",
    ),
    tables=(
        *(
            Table(
                key,
                f"Accuracy, 5-fold, τ = {bound:g}",
                rows=SETS,
                columns=COLUMNS_2,
                values=_numbers("2", SETS, len(COLUMNS_2)),
                higher_is_better=True,
                resolution=0.01,
                decimals=3,
                data=tuple(FILES.values()),
                reasons=reasons,
            )
            for (key, bound), reasons in zip(
                BOUNDS.items(), (REASONS_2, REASONS_LOOSE), strict=True
            )
        ),
        Table(
            "1",
            "Influence of τ and of the number of features, pages for songs",
            rows=tuple(STUDY),
            columns=COLUMNS_1,
            values=_numbers("1", tuple(STUDY), len(COLUMNS_1)),
            resolution=0.01,
            decimals=3,
            data=(TEXT,),
            reasons=dict.fromkeys(COLUMNS_1, OTHER),
        ),
        Table(
            "text",
            "Conditional and plain patterns, τ = .05, pages for songs",
            rows=("songs",),
            columns=("global", "local", "CIB", "IB"),
            values=_numbers("text", ("songs",), 4),
            resolution=0.01,
            decimals=3,
            data=(TEXT,),
            reasons={"songs": OTHER},
        ),
    ),
)
