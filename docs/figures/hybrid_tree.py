"""Two views that tell different stories, and the tree that tells both."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.cluster import HybridTree
from manyviews.plot import DendrogramDisplay

rng = np.random.default_rng(3)
group = np.repeat(np.arange(4), 7)
views = {
    "sound": np.c_[6.0 * (group % 2), np.zeros(28)] + rng.normal(size=(28, 2)),
    "context": np.c_[np.zeros(28), 5.0 * (group // 2)] + rng.normal(size=(28, 2)),
}
model = HybridTree(n_clusters=4).fit(views)

marks, shades = "osD^", ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
figure = plt.figure(figsize=(8, 4.6), layout="constrained")
panels = figure.subplot_mosaic([["sound", "tree"], ["context", "tree"]], width_ratios=[1, 2])
for name, matrix in views.items():
    for cluster in range(4):
        rows = model.labels_ == cluster
        panels[name].scatter(*matrix[rows].T, s=14, marker=marks[cluster], color=shades[cluster])
    panels[name].set_title(f"view {name!r}", fontsize="medium")
    panels[name].set(xticks=[], yticks=[])
display = DendrogramDisplay.from_estimator(
    model, ax=panels["tree"], n_clusters=4, labels=["●"] * 28, colors=["#333333", "#e69f00"]
)
for text, tip in zip(panels["tree"].get_yticklabels(), display.tips_, strict=True):
    text.set_color(shades[model.labels_[tip]])
