"""The sentences of Section 4.2.2, each said by number, and why some are not true here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from papers._frame import Place
from papers.ando2007.methods import Setting

DEPENDENCIES = ("0", "0.1", "0.3", "0.5", "1")
LOW = ("0", "0.1")
"""Where r is low."""

NAIVE_BAYES = Setting(consecutive=False)
REDUNDANT = {r: Setting(dependency=float(r)) for r in DEPENDENCIES}
NON_REDUNDANT = {r: Setting(dependency=float(r), super_classes=True) for r in DEPENDENCIES}

Found = Mapping[Setting, Mapping[str, float]]
"""Accuracies by data set and method."""
Claim = Callable[[Found], bool]

NEARLY_ALL = 95.0
"""What is taken for "nearly 100 %"."""
WELL = 90.0
"""What is taken for performing well."""
NO_BENEFIT = 2.0
"""Points above the supervised classifier that are not taken for a benefit."""
STEEP = 3.0
"""How many times the mean slope is no longer smooth."""


def above(setting: Setting, method: str, least: float) -> Claim:
    """A method reaches an accuracy."""
    return lambda found: found[setting][method] >= least


def without_benefit(method: str) -> Claim:
    """With views that depend completely, unlabelled objects do not help a method."""
    tied = REDUNDANT["1"]
    return lambda found: found[tied][method] - found[tied]["supervised"] <= NO_BENEFIT


def degrades(method: str) -> Claim:
    """A method is worse the more the views depend on each other."""

    def holds(found: Found) -> bool:
        free, half, tied = (found[REDUNDANT[r]][method] for r in ("0", "0.5", "1"))
        return free > half > tied

    return holds


def smoothly(method: str) -> Claim:
    """It is so without a cliff."""

    def holds(found: Found) -> bool:
        places = np.array([float(r) for r in DEPENDENCIES])
        values = np.array([found[REDUNDANT[r]][method] for r in DEPENDENCIES])
        slopes = -np.diff(values) / np.diff(places)
        return bool(slopes.max() <= STEEP * (values[0] - values[-1]))

    return holds


def before(
    method: str, other: str, kind: Mapping[str, Setting], places: Iterable[str] = DEPENDENCIES
) -> Claim:
    """One method is better than another in the mean over r."""
    return lambda found: lead(found, method, other, kind, places) > 0


def lead(
    found: Found,
    method: str,
    other: str,
    kind: Mapping[str, Setting],
    places: Iterable[str] = DEPENDENCIES,
) -> float:
    """By how many points, in the mean over r."""
    return float(np.mean([found[kind[r]][method] - found[kind[r]][other] for r in places]))


def _worse_without_naive_bayes(found: Found) -> bool:
    return found[REDUNDANT["0"]]["NB-EM"] < found[NAIVE_BAYES]["NB-EM"]


def _most_on_non_redundant(found: Found) -> bool:
    non_redundant = lead(found, "LLM", "LS", NON_REDUNDANT, LOW)
    return non_redundant > lead(found, "LLM", "LS", REDUNDANT, LOW)


def _falls_more(found: Found) -> bool:
    free, half = found[REDUNDANT["0"]], found[REDUNDANT["0.5"]]
    return free["LLM"] - half["LLM"] > free["LS"] - half["LS"]


INTERACTIONS = "5-dim LS w/view interactions"
ALL = ("LS", "LLM", "co-training", "NB-EM")

CLAIMS: dict[str, Claim] = {
    **{f"naive Bayes data: {m} nearly 100 %": above(NAIVE_BAYES, m, NEARLY_ALL) for m in ALL},
    "non-naive Bayes data: LS performs well": above(REDUNDANT["0"], "LS", WELL),
    "non-naive Bayes data: LLM performs well": above(REDUNDANT["0"], "LLM", WELL),
    "NB-EM is worse on non-naive Bayes data": _worse_without_naive_bayes,
    **{f"{m} degrades with r": degrades(m) for m in ALL},
    "LS degrades smoothly": smoothly("LS"),
    "LLM degrades smoothly": smoothly("LLM"),
    "r = 0.3: LS above 90 %": above(REDUNDANT["0.3"], "LS", 90.0),
    "r = 0.3: LLM above 90 %": above(REDUNDANT["0.3"], "LLM", 90.0),
    **{f"r = 1: {m} does not benefit": without_benefit(m) for m in ALL},
    "redundant views: co-training before NB-EM": before("co-training", "NB-EM", REDUNDANT),
    "non-redundant views: NB-EM before co-training": before("NB-EM", "co-training", NON_REDUNDANT),
    "non-redundant views, low r: LS before co-training": (
        before("LS", "co-training", NON_REDUNDANT, LOW)
    ),
    "non-redundant views, low r: LLM before co-training": (
        before("LLM", "co-training", NON_REDUNDANT, LOW)
    ),
    "non-redundant views: 5-dim LS before LS": before("5-dim LS", "LS", NON_REDUNDANT),
    "non-redundant views: interactions before 5-dim LS": (
        before(INTERACTIONS, "5-dim LS", NON_REDUNDANT)
    ),
    "non-redundant views, r = 0: 5-class LLM performs well": (
        above(NON_REDUNDANT["0"], "5-class LLM", WELL)
    ),
    "low r: LLM before LS": before("LLM", "LS", REDUNDANT, LOW),
    "low r: LLM's lead is largest on non-redundant views": _most_on_non_redundant,
    "LLM drops more rapidly than LS": _falls_more,
}
"""Sentences of Section 4.2.2, by what they say."""

REASONS: dict[Place, str] = {
    "naive Bayes data: LS nearly 100 %": (
        "Of seven independent tokens hardly one occurs twice, so that the largest entry is the "
        "first token by number, and the problems hear one token of seven. With problems about "
        'every token (auxiliary="nonzero") LS came to 97 % on data of the seeds 100 and 101.'
    ),
    "naive Bayes data: LLM nearly 100 %": (
        "For most seeds it ends a little below the 95 % that are asked for. A stronger penalty "
        "(0.3) brings 97 instead of 94 % on seed 100, but 78 instead of 86 % on its non-redundant "
        "views; one value serves all data here."
    ),
    "LLM drops more rapidly than LS": (
        "LLM has a penalty here and holds on for longer: on seed 100 it is at 80 % for r = 0.5, "
        "and LS at 64 %. On redundant views it falls further only between 0.5 and 1; on "
        "non-redundant ones it does so from 0.3 to 0.5 (figure-3), as the paper saw."
    ),
    "naive Bayes data: co-training nearly 100 %": (
        "With 100 labels a view alone is right for 20 % of the objects here, so that most of what "
        "co-training adds first is wrong. The paper's vocabularies may be kinder: with 5,000 "
        "tokens per view, lists of 500 and 2 tokens per object, for which the supervised "
        "classifier is right for 18 %, co-training came to 72 % on data of another seed."
    ),
    "NB-EM is worse on non-naive Bayes data": (
        "For some seeds EM finds the classes here in spite of its wrong model, and there is "
        "nothing left to lose; it degrades as soon as the views depend on each other."
    ),
    "r = 1: co-training does not benefit": (
        "Objects with consecutive tokens overlap, so that labels spread along the lists without "
        "any help of a second view: self-training on both views side by side gains more still."
    ),
    "r = 1: NB-EM does not benefit": "The gain is small, but more than 2 points for some seeds.",
    "non-redundant views: NB-EM before co-training": (
        "Co-training labels all objects here and had its settings chosen on other seeds. With "
        "Blum & Mitchell's, a pool of 75 and 30 rounds, it came to 20 % on such views with r = 0, "
        "and to 25 % on redundant ones (another seed), behind EM on both."
    ),
}
