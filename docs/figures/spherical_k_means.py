"""Agreement with the truth against noise and against gaps, for both views and for each alone."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.cluster import CoSphericalKMeans
from manyviews.datasets import hide_views
from manyviews.metrics import adjusted_rand_score


def cones(noise, seed):
    """Six directions in each of two views of twenty features, and noise around them."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(6, size=600)
    arrays = {}
    for name in ("first", "second"):
        axes = rng.standard_normal((6, 20))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        arrays[name] = axes[truth] + noise * rng.standard_normal((600, 20))
    return Views(arrays), truth


def score(views, truth):
    model = CoSphericalKMeans(6, n_init=3, random_state=0).fit(views)
    return adjusted_rand_score(truth, model.labels_)


def mean_score(noise, missing, names):
    scores = []
    for seed in range(3):
        views, truth = cones(noise, seed)
        if missing:
            views = hide_views(views, missing, seed=seed)
        chosen = views.subset(names)
        seen = chosen.observed.any(axis=1)
        scores.append(score(chosen[seen], truth[seen]))
    return np.mean(scores)


SETS = {"both views": ["first", "second"], "first alone": ["first"], "second alone": ["second"]}
noises = np.linspace(0.1, 0.6, 6)
gaps = [0.0, 0.1, 0.2, 0.3, 0.4]
figure, panels = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained", sharey=True)
for (label, names), colour in zip(SETS.items(), ("#0072b2", "#e69f00", "#009e73"), strict=True):
    style = {"color": colour, "marker": "o", "label": label}
    panels[0].plot(noises, [mean_score(noise, 0.0, names) for noise in noises], **style)
    panels[1].plot(gaps, [mean_score(0.3, gap, names) for gap in gaps], **style)
panels[0].set(xlabel="noise around the directions", ylabel="adjusted Rand index")
panels[1].set(xlabel="share of views hidden (noise 0.3)")
panels[0].legend(frameon=False)
for axes in panels:
    axes.spines[["top", "right"]].set_visible(False)
