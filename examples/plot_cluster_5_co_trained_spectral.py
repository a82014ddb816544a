"""
CoTrainedSpectral: graphs that are spoilt in different places
=============================================================

Two graphs of the same objects, each with wrong edges where the other has none.
:class:`manyviews.cluster.CoTrainedSpectral` projects each graph on the leading eigenvectors of the
other: what the other cannot express, such as edges that only one of them has, is thrown away.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import normalized_mutual_info_score as nmi

from manyviews.cluster import CoTrainedSpectral, FusedSpectral
from manyviews.datasets import (
    make_complementary_affinities,
    make_contradictory_affinities,
    make_kumar1,
)

warnings.simplefilter("ignore", ConvergenceWarning)  # the sum has one cluster only, and says so

# %%
# The stronger the wrong edges are, the harder it gets. From a strength of 2 on there is more
# between the clusters than inside them: one graph alone is lost, and so is the sum of both.

strengths = [0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0]
n_draws = 3
methods = {
    "first graph alone": CoTrainedSpectral(2, "precomputed", n_iter=0, combine="first"),
    "sum of the graphs": FusedSpectral(2, "precomputed", fusion="sum"),
    "co-trained, one round": CoTrainedSpectral(2, "precomputed", n_iter=1),
    "co-trained, five rounds": CoTrainedSpectral(2, "precomputed", n_iter=5),
}
scores = {name: np.zeros((n_draws, len(strengths))) for name in methods}
for draw in range(n_draws):
    for place, strength in enumerate(strengths):
        views, y = make_complementary_affinities(strength, 200, random_state=draw)
        for name, method in methods.items():
            method.set_params(n_init=3, random_state=0)
            scores[name][draw, place] = nmi(y, method.fit(views).labels_)

# %%
# Rounds need not converge. How much the views have in common after each of them is kept in
# ``agreement_history_``. With two clusters any two graphs have a half in common: the constant.

rng = np.random.default_rng(0)
views, _ = make_contradictory_affinities(200)
torn = {}
for name, graph in views.items():
    noise = 1e-3 * rng.random(graph.shape)
    torn[name] = graph + noise + noise.T
situations = {
    "two overlapping groups": ("rbf", make_kumar1(200, random_state=0).views),
    "complementary graphs": ("precomputed", make_complementary_affinities(5.0, 200, 0).views),
    "contradictory graphs": ("precomputed", torn),
}
agreement = {}
for name, (affinity, X) in situations.items():
    model = CoTrainedSpectral(2, affinity, n_iter=8, n_init=3, random_state=0).fit(X)
    agreement[name] = model.agreement_history_.mean(axis=1)

# %%
# One round is enough to find most of the clusters again, and more rounds bring no more: views that
# take turns in being right show as a zigzag. Views that share their clusters have most in common
# after one round. That they agree in the end is no proof: contradictory graphs come to agree as
# well, on something that neither of them shows.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
colours = ("#999999", "#e69f00", "#0072b2", "#56b4e9")
for (name, found), colour in zip(scores.items(), colours, strict=True):
    left.plot(strengths, found.mean(axis=0), marker="o", markersize=4, color=colour, label=name)
left.axvline(2, color="grey", linewidth=0.8, linestyle=":")
left.set(xscale="log", xlabel="strength of the wrong edges", ylim=(-0.03, 1.03))
left.set(ylabel="normalised mutual information", title="clusters found")
left.legend(frameon=False, fontsize=8, loc="upper right")
for (name, found), colour in zip(agreement.items(), ("#009e73", "#0072b2", "#d55e00"), strict=True):
    right.plot(found, marker="o", markersize=4, color=colour, label=name)
right.set(xlabel="rounds", ylabel="share of the space in common", ylim=(0.2, 1.03))
right.set(title="what the views have in common")
right.legend(frameon=False, fontsize=8, loc="lower right")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
