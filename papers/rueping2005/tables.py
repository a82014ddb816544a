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
BOUNDS = {"2": 0.05, "2-loose": 0.3, "2-free": 1.0}


def _numbers(table: str, rows: tuple[str, ...], width: int) -> tuple[tuple[float | None, ...], ...]:
    printed = (PUBLISHED[table]["values"][row] for row in rows)
    return tuple((*row, *[None] * (width - len(row))) for row in printed)


OTHER = "Other data: the paper's songs and reviews are not public."
ONE_FEATURE = (
    "Which single feature is left hangs on the machine, its C and the units of the features, of "
    "which the paper says nothing."
)
WHICH_CLASS = "The paper does not say which two classes its wine has; here the mean over three."
TIES = (
    "Kept to τ = .05. Objects that are alike in the one feature are local together or not at all, "
    "and mostly they are more than that; the paper lets them exceed τ (its Table 1)."
)
UNSTATED = (
    "The number of clusters, β, P(v|u) of numbers and the bound are not stated, and here objects "
    "that tie are kept within the bound."
)
FIRST: dict[Place, str] = {
    ("diabetes", "global"): ONE_FEATURE,
    ("diabetes", "CIB"): "Its global model starts lower: " + ONE_FEATURE,
    ("wine", "global"): WHICH_CLASS,
}
REASONS: dict[str, dict[Place, str]] = {
    "2": {**FIRST, **dict.fromkeys(("SVM", "IB", "CIB"), TIES)},
    "2-loose": {**FIRST, **dict.fromkeys(("SVM", "IB", "CIB"), UNSTATED)},
    "2-free": {**FIRST, **dict.fromkeys(("SVM", "IB", "CIB"), UNSTATED)},
}


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
        "that the table is also measured with τ = .3 and without a bound.",
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
                reasons=REASONS[key],
            )
            for key, bound in BOUNDS.items()
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
