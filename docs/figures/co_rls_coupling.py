"""Digits with two labels per class: what coupling does to each view and to their mean."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import load_digits_views
from manyviews.semi_supervised import CoRLS

views, truth = load_digits_views()
rows = np.random.default_rng(0).permutation(len(truth))[:500]
views, truth = views[rows], truth[rows]


def scores(coupling, seed):
    rng = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for label in range(10):
        chosen = rng.choice(np.flatnonzero(truth == label), 2, replace=False)
        y[chosen] = label
    model = CoRLS("rbf", gamma=0.01, coupling=coupling, relative=False).fit(views, y)
    asked = views[y < 0]
    found = {**model.view_decisions(asked), "mean of all": model.decision_function(asked)}
    return [np.mean(own.argmax(axis=1) == truth[y < 0]) for own in found.values()]


couplings = 10.0 ** np.arange(-3, 3)
means = np.array([np.mean([scores(c, seed) for seed in range(4)], axis=0) for c in couplings])
figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
names = [*views.names, "mean of all"]
colours = ["#0072b2", "#009e73", "#cc79a7", "black"]
for name, curve, colour in zip(names, means.T, colours, strict=True):
    axes.semilogx(couplings, curve, "o-", ms=4, color=colour, label=name)
axes.set(xlabel="coupling", ylabel="accuracy on unlabelled digits")
axes.legend(frameon=False, fontsize=9)
axes.spines[["top", "right"]].set_visible(False)
