"""The paper's tables, what follows from them, and the readings between which data decide."""

from __future__ import annotations

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import Numbers, Paper, Place, Table, published, unpublished

_PRINTED = published("dalvi2015")

METHODS: tuple[str, ...] = _PRINTED["2"]["columns"]
PROPOSED = ("PRODSCORE", "SUMSCORE", "MAXAGREE")
HIERARCHICAL_METHODS: tuple[str, ...] = _PRINTED["4"]["columns"]

FLAT: dict[str, tuple[float, ...]] = _PRINTED["2"]["values"]
"""Macro F1 of the methods."""
AGREEMENT: dict[str, tuple[float]] = _PRINTED["2-agreement"]["values"]
"""Share of objects on whose labels V1 and V2 agree."""
AVERAGE_RANKS: tuple[float, ...] = _PRINTED["2-rank"]["values"]["average rank"]
CORRELATIONS: dict[str, tuple[float, float]] = _PRINTED["3"]["values"]
"""Of relative improvements with the view imbalance, and p-values."""
HIERARCHICAL: dict[str, tuple[float, ...]] = _PRINTED["4"]["values"]
"""Macro F1 on the leaves of NELL_mv."""
HIERARCHICAL_AGREEMENT: dict[str, tuple[float]] = _PRINTED["4-agreement"]["values"]


def average_ranks(macro: FloatArray, micro: FloatArray) -> FloatArray:
    """Mean rank of each method (column) over cases (rows), by macro and by micro F1."""
    from scipy.stats import rankdata

    ranks = [rankdata(-scores.round(1), axis=1).mean(axis=0) for scores in (macro, micro)]
    return np.asarray(np.mean(ranks, axis=0))


def counts_ahead(macro: FloatArray) -> FloatArray:
    """In how many cases each proposed method (row) is no worse than each baseline (column)."""
    score = dict(zip(METHODS, macro.round(1).T, strict=True))
    baselines = (np.maximum(score["V1"], score["V2"]), score["V12"], score["COTRAIN"])
    return np.array(
        [
            [float((score[method] >= baseline).sum()) for baseline in baselines]
            for method in ("PRODSCORE", "SUMSCORE", "MAXAGREE")
        ]
    )


def improvements(macro: FloatArray) -> FloatArray:
    """View imbalance of each case, and relative improvements in per cent (columns)."""
    score = dict(zip(METHODS, macro.T, strict=True))
    return np.column_stack(
        [
            np.abs(score["V1"] - score["V2"]),
            100.0 * (score["PRODSCORE"] / score["V12"] - 1.0),
            100.0 * (score["MAXAGREE"] / score["V12"] - 1.0),
            100.0 * (score["MAXAGREE"] / score["PRODSCORE"] - 1.0),
        ]
    )


def correlations(macro: FloatArray) -> FloatArray:
    """Pearson correlation of each improvement with the imbalance, and its p-value."""
    from scipy.stats import pearsonr

    imbalance, *gains = improvements(macro).T
    return np.array([list(pearsonr(imbalance, gain)) for gain in gains])


SETS = ("cora", "webkb", "citeseer", "pubmed", "leaves100")
GAINS = ("imbalance", "PRODSCORE over V12", "MAXAGREE over V12", "MAXAGREE over PRODSCORE")
FLIPPING = ("V1", "V2", "V12", "Hier-SUMSCORE", "Hier-PRODSCORE", "Hier-MAXAGREE")
ROUNDS = tuple(str(number) for number in range(1, 13))

READINGS = {
    "cora 10%, citing": "cora 10%",
    "cora 10%, both": "cora 10%",
    "webkb 10%, citing": "webkb 10%",
    "citeseer 10%, citing": "citeseer 10%",
    "leaves100 10%, stratified": "leaves100 10%",
    "leaves100 10%, standardised": "leaves100 10%",
    "leaves100 10%, standardised stratified": "leaves100 10%",
    "leaves100 10%, standardised stratified margin": "leaves100 10%",
}
"""Cases in another reading, and the published case they are held against."""

PUBMED = (
    "The links at hand are symmetric, 88,651 of them; the paper's are directed, 44,300, and its "
    "second view told next to nothing, while here it is the better one."
)
LEAVES = (
    "A random 10 % of 16 leaves leaves one species in five without any label; that the paper drew "
    "otherwise, standardised or took other features is a guess, and none of the table readings "
    "brings all of its numbers."
)
SPLITS = (
    "Other splits: of the 877 pages 39 are in the smallest class, and scores vary by several "
    "points from split to split; the paper gives no spread."
)
CITATIONS = (
    "Other splits; the paper gives no spread, so that a difference of a point or two may be chance."
)
LIBRARY = (
    "The estimator's own deviations: objects without evidence enter no class, products that are "
    "all zero are left to the sum, and co-training is decided by the sum of the views."
)
OTHER_READING = (
    "Not the reading of Table 2: shown beside the same published numbers to see which fits them."
)
NELL = (
    "The paper's entities are not at hand; this is a generated set of the same number, levels and "
    "skew, so that orders may be compared and heights may not."
)
FEWER = "The paper has eight more cases, of data that are not at hand."
HIER_SUM = (
    "Eq. (9) takes one for a broken constraint and adds up the scores of the views, so that two "
    "leaves are worth their price as soon as the second scores more than one: about 1.3 leaves "
    "per object come out."
)

REASONS_OF_FLAT: dict[Place, str] = {
    **{f"pubmed {p}%": PUBMED for p in (10, 30)},
    **{f"leaves100 {p}%": LEAVES for p in (10, 30)},
    **{f"webkb {p}%": SPLITS for p in (10, 30)},
    **{f"{name} {p}%": CITATIONS for name in ("cora", "citeseer") for p in (10, 30)},
}

_published_macro = np.array(list(FLAT.values()))


def _as_numbers(array: object) -> Numbers:
    return tuple(tuple(float(value) for value in row) for row in np.asarray(array))


def _flat_table(
    key: str, caption: str, *, printed: bool = True, reasons: dict[Place, str] | None = None
) -> Table:
    values = tuple(FLAT.values()) if printed else unpublished(len(FLAT), len(METHODS))
    return Table(
        key,
        caption,
        rows=tuple(FLAT),
        columns=METHODS,
        values=values,
        higher_is_better=True,
        resolution=0.1,
        decimals=1,
        data=SETS,
        reasons=reasons or {},
    )


def _hierarchical_table(key: str, caption: str, *, printed: bool, data: tuple[str, ...]) -> Table:
    columns = HIERARCHICAL_METHODS
    values = tuple(HIERARCHICAL.values()) if printed else unpublished(len(HIERARCHICAL), 8)
    reasons: dict[Place, str] = {}
    if printed:
        reasons = {**dict.fromkeys(columns, NELL), "Hier-SUMSCORE": HIER_SUM}
    return Table(
        key,
        caption,
        rows=tuple(HIERARCHICAL),
        columns=columns,
        values=values,
        higher_is_better=True,
        resolution=0.1,
        decimals=1,
        data=data,
        axes=("labelled objects in %", "F1 in %"),
        reasons=reasons,
    )


PAPER = Paper(
    key="dalvi2015",
    title="Multi-view hierarchical semi-supervised learning by optimal assignment of sets of "
    "labels to instances",
    authors=("Bhavana Dalvi", "William W. Cohen"),
    year=2015,
    seeds=10,
    quick_seeds=2,
    deviations=(
        "Labelled objects count in the scores, with the labels they came with: so measured, V1, "
        "V2, V12 and PRODSCORE come out on the citation sets; the table 2-unlabelled, without "
        "them, is 3 to 11 points lower there with 10 % labelled, and more with 30 %. The paper "
        "does not say.",
        "The second view of cora, webkb and citeseer is the pages that link to a page: Table 1 "
        "counts as many features as there are pages with links out.",
        "Formulas are taken at their word: an object all of whose scores are zero goes to the "
        "first class, and enters its centroid. That is what makes PRODSCORE as poor as V2 in the "
        "paper. The estimator does not do so: see the table 2-library.",
        "COTRAIN's labels are those that the second view gives and the first is centred on; the "
        "paper does not say whose they are, and these come nearest. It often goes in circles, and "
        "is stopped after 50 rounds.",
        "MAXAGREE's labels in the end maximise Eq. (7) or (10) over labels equal in both views.",
        "Wikipedia_linqs, Citeseer_2 and NELL_mv are not at hand. Table 4 is on generated entities "
        "and, in 4-entities, on 1,396 entities of German court decisions with coarse and fine "
        "types. The species of leaves100 come without names, so that no genus can be told.",
        "Ranks are of scores rounded as printed, ties sharing the mean rank.",
    ),
    tables=(
        _flat_table("2", "Macro F1 in %, all objects", reasons=REASONS_OF_FLAT),
        _flat_table(
            "2-unlabelled",
            "Macro F1 in % of the unlabelled objects alone",
            reasons={**dict.fromkeys(FLAT, OTHER_READING)},
        ),
        _flat_table(
            "2-library",
            "Macro F1 in %, all objects, by SeededSphericalKMeans",
            reasons={**dict.fromkeys(FLAT, LIBRARY)},
        ),
        _flat_table("2-micro", "Micro F1 in %, all objects", printed=False),
        Table(
            "2-agreement",
            "Share of objects on whose labels V1 and V2 agree",
            rows=tuple(AGREEMENT),
            columns=("agreement",),
            values=tuple(AGREEMENT.values()),
            resolution=0.01,
            data=SETS,
            reasons=REASONS_OF_FLAT,
        ),
        Table(
            "2-rank",
            "Average rank by macro and micro F1 over the cases of Table 2",
            rows=("average rank",),
            columns=METHODS,
            values=(AVERAGE_RANKS,),
            higher_is_better=False,
            resolution=0.1,
            decimals=1,
            data=SETS,
            reasons={"average rank": FEWER},
        ),
        Table(
            "readings",
            "Macro F1 in %, all objects, of other readings of the data",
            rows=tuple(READINGS),
            columns=METHODS,
            values=tuple(FLAT[case] for case in READINGS.values()),
            higher_is_better=True,
            resolution=0.1,
            decimals=1,
            data=("cora", "webkb", "citeseer", "leaves100"),
            reasons={**dict.fromkeys(READINGS, OTHER_READING)},
        ),
        Table(
            "3",
            "Correlation of relative improvements with the view imbalance",
            rows=tuple(CORRELATIONS),
            columns=("correlation", "p-value"),
            values=tuple(CORRELATIONS.values()),
            resolution=0.01,
            data=SETS,
            reasons={**dict.fromkeys(CORRELATIONS, FEWER)},
        ),
        Table(
            "figure-6",
            "In how many of ten cases a proposed method is no worse than a baseline, macro F1",
            rows=PROPOSED,
            columns=("max(V1, V2)", "V12", "COTRAIN"),
            values=_as_numbers(counts_ahead(_published_macro)),
            decimals=0,
            resolution=1,
            data=SETS,
            reasons={
                "PRODSCORE": "It is ahead on pubmed and leaves100, where its published scores are "
                "half of ours or less: see Table 2.",
            },
        ),
        Table(
            "figure-7",
            "View imbalance and relative improvements in %, macro F1",
            rows=tuple(FLAT),
            columns=GAINS,
            values=_as_numbers(improvements(_published_macro)),
            decimals=1,
            resolution=0.1,
            data=SETS,
            reasons=REASONS_OF_FLAT,
        ),
        _hierarchical_table("4", "Macro F1 in % on leaves, generated", printed=True, data=()),
        _hierarchical_table(
            "4-micro", "Micro F1 in % on leaves, generated", printed=False, data=()
        ),
        Table(
            "4-agreement",
            "Share of objects on whose labels V1 and V2 agree, generated and entities",
            rows=tuple(HIERARCHICAL_AGREEMENT),
            columns=("generated", "entities"),
            values=tuple((*value, None) for value in HIERARCHICAL_AGREEMENT.values()),
            resolution=0.01,
            data=("german_ler",),
            axes=("labelled objects in %", "agreement"),
            reasons={"generated": NELL},
        ),
        _hierarchical_table(
            "4-entities",
            "Macro F1 in % on leaves, entities of court decisions",
            printed=False,
            data=("german_ler",),
        ),
        _hierarchical_table(
            "4-entities-micro",
            "Micro F1 in % on leaves, entities of court decisions",
            printed=False,
            data=("german_ler",),
        ),
        Table(
            "figure-11b",
            "Labels changed in each round, generated, 30 % labelled",
            rows=ROUNDS,
            columns=FLIPPING,
            values=unpublished(len(ROUNDS), len(FLIPPING)),
            decimals=0,
            axes=("round", "labels changed"),
        ),
    ),
)
