"""Draw what divergences look at, and what missing views cost a tree of two views."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.cluster import BregmanWard, GeneralizedKL, ItakuraSaito, SquaredEuclidean
from manyviews.datasets import hide_views
from manyviews.maths import merge_cost
from manyviews.metrics import adjusted_rand_score

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")

levels = np.logspace(-1, 2, 50)[:, None]
for divergence, colour, name in (
    (SquaredEuclidean(), "#0072b2", "SquaredEuclidean"),
    (GeneralizedKL(), "#e69f00", "GeneralizedKL"),
    (ItakuraSaito(), "#009e73", "ItakuraSaito"),
):
    costs = merge_cost(divergence, levels, 1, 1.5 * levels, 1)
    left.loglog(levels[:, 0], costs, color=colour, label=name)
left.set(xlabel="level x", ylabel="cost of merging x and 1.5 x", title="what counts as far")
left.legend(frameon=False, fontsize=8)

kinds = np.arange(150) % 3
shares = np.linspace(0, 0.45, 6)
together = {"words": GeneralizedKL(), "place": SquaredEuclidean()}
curves = {name: np.zeros(len(shares)) for name in ("both views", *together)}
for seed in range(5):
    rng = np.random.default_rng(seed)
    views = {
        "words": rng.poisson(1 + 4 * np.eye(3)[kinds]).astype(float),
        "place": 2.5 * np.eye(3)[kinds] + rng.normal(size=(len(kinds), 3)),
    }
    for at, share in enumerate(shares):
        hidden = hide_views(views, share, seed=seed)
        labels = BregmanWard(together, n_clusters=3).fit_predict(hidden)
        curves["both views"][at] += adjusted_rand_score(kinds, labels) / 5
        for name in together:
            alone = BregmanWard(together[name], n_clusters=3).fit(
                views[name][hidden.observed_in(name)]
            )
            nearest = np.full(len(kinds), 3)
            nearest[hidden.observed_in(name)] = alone.labels_
            curves[name][at] += adjusted_rand_score(kinds, nearest) / 5
for (name, curve), colour in zip(curves.items(), ("#333333", "#e69f00", "#0072b2"), strict=True):
    right.plot(shares, curve, color=colour, label=name if name == "both views" else f"{name} alone")
right.set(xlabel="share of views hidden", ylabel="adjusted Rand index", title="with gaps", ylim=0)
right.legend(frameon=False, fontsize=8)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
