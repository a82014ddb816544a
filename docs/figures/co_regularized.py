"""Draw the measure of agreement: the leading eigenvalues of one view's graph."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import issparse

from manyviews.datasets import load_digits_views
from manyviews.similarity import RBF, KNNGraph

views, _ = load_digits_views()
pixels = views[views.names[0]][::2]
kinds = {"Gaussian kernel, median width": RBF(), "graph of 10 neighbours": KNNGraph(10)}

figure, panels = plt.subplots(1, 2, figsize=(7.5, 2.9), layout="constrained")
for axes, (title, affinity) in zip(panels, kinds.items(), strict=True):
    gram = affinity.fitted(pixels).gram(pixels)
    gram = gram.toarray() if issparse(gram) else gram
    scale = 1 / np.sqrt(gram.sum(axis=1))
    values = np.linalg.eigvalsh(gram * np.outer(scale, scale))[::-1][:20]  # D^{-1/2} K D^{-1/2}
    numbers = np.arange(2, 21)
    axes.plot(numbers, values[1:], marker="o", markersize=4, color="#0072b2")
    top = values[1]
    axes.annotate("", (19, top), (19, top - 0.03), arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0})  # fmt: skip # noqa: E501
    axes.annotate("agreement\n0.03", (18.4, top - 0.015), ha="right", va="center", fontsize=8)
    axes.axvline(10.5, color="grey", linewidth=0.8, linestyle=":")
    axes.set(title=title, xlabel="number of the eigenvalue", xticks=(2, 5, 10, 15, 20))
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("eigenvalue")
