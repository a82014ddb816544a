"""How much smoothness helps, over which graphs, on digits with three labels per class."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import load_digits_views
from manyviews.semi_supervised import CoLaplacianRLS
from manyviews.similarity import KNNGraph

views, y = load_digits_views()
views, y = views[:300], y[:300]
graphs = {name: KNNGraph(8).gram(matrix) for name, matrix in views.items()}
own = {name: {other: float(other == name) for other in views.names} for name in views.names}
strengths = 10.0 ** np.arange(-5, 0)


def few_labels(seed):
    rng = np.random.default_rng(seed)
    few = np.full(len(y), -1)
    for label in range(10):
        few[rng.choice(np.flatnonzero(y == label), 3, replace=False)] = label
    return few


def accuracies(strength, weights, seed):
    few = few_labels(seed)
    paper = {"relative": False, "proportions": "labelled"}
    model = CoLaplacianRLS(
        "rbf", graphs, gamma=1e-3, intrinsic=strength, view_weights=weights, **paper
    )
    each = model.fit(views, few).view_decisions(views)
    return {name: np.mean(f.argmax(axis=1)[few < 0] == y[few < 0]) for name, f in each.items()}


figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
for name, colour in zip(views.names, ("#0072b2", "#e69f00", "#009e73"), strict=True):
    for weights, style in ((None, "-"), (own[name], ":")):
        means = [
            np.mean([accuracies(strength, weights, seed)[name] for seed in range(2)])
            for strength in strengths
        ]
        whose = "all graphs" if weights is None else "its own"
        axes.semilogx(strengths, means, style, color=colour, label=f"{name}, {whose}")
axes.set(xlabel="intrinsic", ylabel="accuracy of a view")
axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.25))
axes.spines[["top", "right"]].set_visible(False)
