"""
CoLaplacianSVM: noisy moons, recovered by the lines
===================================================

A Laplacian SVM lets unlabelled objects speak: neighbours should get the same answer. That helps
while the neighbours of an object are of its class. Here two classes are two moons in one view and
two lines in the other, with one label each; then noise merges the moons.
:class:`~manyviews.semi_supervised.CoLaplacianSVM` asks every view to be smooth over the graphs of
*all* views, and the lines still tell whose neighbour an object is (Figure 3 of Sindhwani, Niyogi
and Belkin, 2005).
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import make_two_moons_two_lines
from manyviews.semi_supervised import CoLaplacianRLS, CoLaplacianSVM
from manyviews.similarity import RBF, KNNGraph

clear, y = make_two_moons_two_lines(200, random_state=1)
noisy, noisy_y = make_two_moons_two_lines(200, noise=0.2, random_state=1)


def one_label_each(y):
    few = np.full(len(y), -1)
    for label in (0, 1):
        few[np.flatnonzero(y == label)[0]] = label
    return few


# %%
# Four models for the moons: without unlabelled objects, with the graph of the moons alone (a
# Laplacian SVM), the same on noisy moons, and there with the graphs of both views.

alone, both = {"moons": 1, "lines": 0}, {"moons": 1, "lines": 1}
tasks = {
    "SVM": (clear, y, {"intrinsic": 0.0}),
    "Laplacian SVM": (clear, y, {"view_weights": alone}),
    "Laplacian SVM, noise": (noisy, noisy_y, {"view_weights": alone}),
    "Co-Laplacian SVM, noise": (noisy, noisy_y, {"view_weights": both}),
}
models, right = {}, {}
for name, (views, truth, options) in tasks.items():
    kernels = {"moons": RBF(gamma=4.0), "lines": "linear"}
    model = CoLaplacianSVM(kernels, KNNGraph(8), **{"gamma": 1e-3, "intrinsic": 200.0} | options)
    models[name] = model.fit(views, one_label_each(truth))
    moons = model.view_decisions(views)["moons"]
    right[name] = np.mean((moons > 0) == truth)
    print(f"{name:<24} {right[name]:.0%} of the moons right")

# %%
# Each function is defined everywhere, not only at the objects it was trained on: the line is where
# it changes its mind about a new object, seen in the moons only. Dark rings are the two labels.


def draw_boundary(axes, model, views):
    low, high = views["moons"].min(axis=0) - 0.3, views["moons"].max(axis=0) + 0.3
    across, up = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 60))
    grid = np.column_stack([across.ravel(), up.ravel()])
    values = model.decision_function({"moons": grid, "lines": None}).reshape(across.shape)
    limit = np.quantile(np.abs(values), 0.9)
    shades = np.linspace(-limit, limit, 15)
    axes.contourf(across, up, values, levels=shades, cmap="PuOr", alpha=0.35, extend="both")
    axes.contour(across, up, values, levels=[0.0], colors="black", linewidths=1.5)


figure, panels = plt.subplots(2, 2, figsize=(8, 6), layout="constrained")
for axes, (name, (views, truth, _)) in zip(panels.flat, tasks.items(), strict=True):
    draw_boundary(axes, models[name], views)
    colours = np.where(truth == 1, "#542788", "#b35806")
    axes.scatter(*views["moons"].T, s=9, c=colours)
    given = one_label_each(truth) >= 0
    axes.scatter(*views["moons"][given].T, s=90, c=colours[given], edgecolors="black", linewidths=2)
    axes.set_title(f"{name}: {right[name]:.0%}", loc="left", fontsize=10)
    axes.set(xticks=[], yticks=[])
plt.show()

# %%
# With one label a class the SVM draws a straight border between the two. Smoothness over the moons'
# own graph bends it around them. Noise ties the moons together, and their graph now says that both
# are one; half of the joint graph's edges lie along the lines and never cross. Where a function is
# cut matters as much as its shape: ``proportions`` gives each class its share of all objects, by
# default its share among the labels. With ``proportions=None`` and one label a class, two objects
# decide the threshold, and it is wrong if one of them is an outlier among the noisy moons.

# %%
# :class:`~manyviews.semi_supervised.CoLaplacianRLS` has the squared loss in place of the hinge. It
# solves one linear system and finds much the same border.

squared = CoLaplacianRLS(kernels, KNNGraph(8), gamma=1e-3, intrinsic=200.0, view_weights=both)
found = squared.fit(noisy, one_label_each(noisy_y)).view_decisions(noisy)["moons"]
squared_right = np.mean((found > 0) == noisy_y)
print(f"squared loss, noise      {squared_right:.0%} of the moons right")
