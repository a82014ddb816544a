"""Digits by a graph of neighbours and by a kernel: accuracy against the number of landmarks."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import load_digits_views
from manyviews.mkl import LandmarkClassifier
from manyviews.similarity import KNNGraph

views, y = load_digits_views()
rows = np.random.default_rng(0).permutation(np.flatnonzero(np.isin(y, [2, 3, 5, 8, 9])))
views, y = views[rows].subset(["fourier", "profiles"]), y[rows]
numbers = [5, 10, 20, 40, 80, 160]


def scores(similarity, n_landmarks):
    found = []
    for seed in range(2):
        model = LandmarkClassifier(similarity, n_landmarks=n_landmarks, random_state=seed)
        found.append(model.fit(views[:240], y[:240]).score(views[240:], y[240:]))
    return found


figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
for similarity, name, colour in (
    ("rbf", "Gaussian kernel", "#0072B2"),
    (KNNGraph(20), "among the 20 nearest or not: no kernel", "#D55E00"),
):
    curve = np.array([scores(similarity, number) for number in numbers])
    axes.fill_between(numbers, curve.min(axis=1), curve.max(axis=1), color=colour, alpha=0.18, lw=0)
    axes.semilogx(numbers, curve.mean(axis=1), "o-", ms=4, color=colour, label=name)
axes.axvline(80, color="#999999", lw=1, ls=":")
axes.set_xticks(numbers, numbers)
axes.minorticks_off()
axes.set(xlabel="landmarks, of 240 objects (dotted: a third)", ylabel="accuracy on new digits")
axes.legend(frameon=False, fontsize=9)
axes.spines[["top", "right"]].set_visible(False)
