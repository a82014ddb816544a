"""How many dimensions search wants, and what unlabelled pairs give to classification."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from manyviews import PerView
from manyviews.datasets import make_bilingual_topics
from manyviews.embed import CrossViewClassifier, CrossViewRetriever, KernelCCA

DRAWS = range(2)
DIMENSIONS = (2, 5, 10, 20, 40, 80)
LABELLED = (30, 60, 120, 240, 480)


def corpus(draw, length):
    """Documents in two languages, weighted by tf-idf, and their topics."""
    views, topics = make_bilingual_topics(700, length=length, random_state=draw)
    return PerView(TfidfTransformer()).fit_transform(views), topics


def mates_found(dimension, n_keywords):
    """Share of 200 new English documents whose French mate is among the first ten."""
    found = []
    for draw in DRAWS:
        views, _ = corpus(draw, length=30)
        search = CrossViewRetriever(KernelCCA(dimension)).fit(views[:500])
        shares = search.top_n_accuracy(views[500:], "en", "fr", n=10, n_keywords=n_keywords)
        found.append(shares[10])
    return np.mean(found)


def french_right(n_labelled, with_pairs):
    """Share of 200 new French documents whose topic is told right."""
    found = []
    for draw in DRAWS:
        views, topics = corpus(draw, length=8)
        known = np.arange(500) < n_labelled
        model = CrossViewClassifier(KernelCCA(8))
        if with_pairs:
            model.fit(views[:500], np.where(known, topics[:500], -1))
        else:
            model.fit(views[:500][known], topics[:500][known])
        found.append(model.score({"fr": views["fr"][500:]}, topics[500:]))
    return np.mean(found)


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
for name, n_keywords, colour in (
    ("whole documents", None, "#0072b2"),
    ("ten keywords", 10, "#56b4e9"),
    ("five keywords", 5, "#e69f00"),
):
    shares = [mates_found(dimension, n_keywords) for dimension in DIMENSIONS]
    left.plot(DIMENSIONS, shares, color=colour, marker="o", label=name)
left.axhline(10 / 200, color="#9a9a9a", linewidth=1)
left.annotate("by chance", (2, 0.06), color="#6a6a6a", fontsize=8)
left.set_xscale("log", base=2)
left.set_xticks(DIMENSIONS, DIMENSIONS)
left.minorticks_off()
left.set(xlabel="dimensions of the space", ylabel="share", title="French mate among the first ten")
left.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.08))
for name, with_pairs, colour in (
    ("space from 500 pairs", True, "#0072b2"),
    ("space from the labelled pairs only", False, "#e69f00"),
):
    scores = [french_right(count, with_pairs) for count in LABELLED]
    right.plot(LABELLED, scores, color=colour, marker="o", label=name)
right.axhline(1 / 8, color="#9a9a9a", linewidth=1)
right.set_xscale("log")
right.set_xticks(LABELLED, LABELLED)
right.minorticks_off()
right.set(xlabel="labelled documents", title="topic of French documents told right")
right.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 0.08))
for axes in (left, right):
    axes.set_ylim(0, 1.02)
    axes.spines[["top", "right"]].set_visible(False)
