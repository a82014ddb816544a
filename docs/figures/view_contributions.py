"""Draw the cost of dropping and of permuting a view, the closer the other is to a copy of it."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import make_correlated_views
from manyviews.explain import view_contributions
from manyviews.semi_supervised import CoEMClassifier

correlations, seeds = [0.0, 0.3, 0.6, 0.8, 0.95, 0.99], range(3)
curves = np.empty((2, len(correlations), len(seeds)))
for place, rho in enumerate(correlations):
    for seed in seeds:
        views, y = make_correlated_views(rho, n_objects=400, random_state=seed)
        found = view_contributions(CoEMClassifier(), views, y, n_resamples=20)
        curves[:, place, seed] = found.per_view[0].drop, found.per_view[0].loss

figure, axes = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
for curve, label, style in zip(
    curves, ["first view dropped", "first view permuted"], ["o-", "D--"], strict=True
):
    axes.errorbar(correlations, curve.mean(axis=1), yerr=curve.std(axis=1), fmt=style,
                  capsize=2, label=label)  # fmt: skip
for line, colour in zip(axes.containers, ["#0072b2", "#d55e00"], strict=True):
    for part in (line[0], *line[1], *line[2]):
        part.set_color(colour)
axes.axhline(0.0, color="grey", linewidth=0.8)
axes.set(xlabel="correlation between the views once the class is known", ylabel="accuracy lost")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
