"""What follows from the scores of Table 2: ranks, who is ahead of whom, and correlations."""

from __future__ import annotations

import numpy as np

from manyviews.typing import FloatArray
from papers.dalvi2015.published import METHODS


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
