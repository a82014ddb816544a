"""Pairs told apart by growing radii, and what gaps do to the union and to the intersection."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.cluster import MultiViewDBSCAN
from manyviews.datasets import hide_views, make_two_moons_two_lines
from manyviews.metrics import adjusted_rand_score

views, y = make_two_moons_two_lines(400, noise=0.08, random_state=0)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")

radius = MultiViewDBSCAN().fit(views).eps_["moons"]
radii = np.geomspace(radius / 3, 3 * radius, 40)
wide = MultiViewDBSCAN().fit(views).eps_["lines"] / radius
told, noise = [], []
for tried in radii:
    labels = MultiViewDBSCAN(eps={"moons": tried, "lines": wide * tried}).fit(views).labels_
    sizes = np.bincount(labels[labels >= 0]) if (labels >= 0).any() else np.zeros(1)
    told.append((sizes.sum() ** 2 - (sizes**2).sum()) / len(labels) ** 2)
    noise.append(np.mean(labels == -1))
left.plot(radii, told, color="#0072b2", label="pairs told apart")
left.plot(radii, noise, color="#0072b2", linestyle=":", label="noise")
left.axvline(radius, color="#e69f00", linestyle="--", label=f'eps="auto": {radius:.3f}')
left.set(xlabel="radius in the first view", ylabel="share", xscale="log")
left.set_xticks([0.02, 0.04, 0.08], ["0.02", "0.04", "0.08"])
left.minorticks_off()
left.legend(frameon=False, fontsize=8)

gaps = [0.0, 0.1, 0.2, 0.3, 0.4]
for (rule, eps), colour in zip(
    {"union": 0.12, "intersection": 0.3}.items(), ("#0072b2", "#e69f00"), strict=True
):
    scores, noise = [], []
    for gap in gaps:
        hidden = hide_views(views, gap, seed=0) if gap else views
        labels = MultiViewDBSCAN(eps=eps, rule=rule).fit(hidden).labels_
        scores.append(adjusted_rand_score(y, labels))
        noise.append(np.mean(labels == -1))
    right.plot(gaps, scores, color=colour, marker="o", label=f"{rule}: agreement")
    right.plot(gaps, noise, color=colour, linestyle=":", label=f"{rule}: noise")
right.set(xlabel="share of views hidden", ylim=(-0.05, 1.05))
right.legend(frameon=False, fontsize=8, loc=(0.58, 0.14))
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
