"""Co-training from two labels on the tips of the moons, and the labels it got wrong."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression

from manyviews.datasets import make_two_moons_two_lines
from manyviews.semi_supervised import CoTraining

views, y = make_two_moons_two_lines(200, random_state=0)
across = views["moons"][:, 0]
given = [np.where(y == 0, across, -9).argmax(), np.where(y == 1, across, 9).argmin()]
labels = np.full(len(y), -1)
labels[given] = y[given]
members = {
    "moons": GaussianProcessClassifier(RBF(1.0), optimizer=None),
    "lines": LogisticRegression(),
}
as_published = {"pool_size": 75, "per_class": 1, "confirm": False}
model = CoTraining(members, **as_published, max_iter=20, random_state=0).fit(views, labels)
record = model.provenance_
wrong = record.label != y[record.object]
colours = np.array(["#0072b2", "#d68900"])

figure, panels = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
for axes, (name, matrix) in zip(panels, views.items(), strict=True):
    low, high = matrix.min(axis=0) - 0.3, matrix.max(axis=0) + 0.3
    grid = np.meshgrid(*(np.linspace(a, b, 80) for a, b in zip(low, high, strict=True)))
    points = np.column_stack([axis.ravel() for axis in grid])
    second = model.classifiers_[name].predict_proba(points)[:, 1].reshape(grid[0].shape)
    axes.contourf(*grid, second, levels=[0, 0.5, 1], colors=["#dcebf5", "#fbeed2"])
    axes.scatter(*matrix.T, s=6, color="#c9c2b4")
    axes.scatter(*matrix[record.object].T, s=14, color=colours[record.label])
    axes.scatter(*matrix[record.object][wrong].T, s=26, marker="x", color="#a3123a", linewidth=0.9)
    axes.scatter(*matrix[given].T, s=110, color=colours[y[given]], edgecolor="black", zorder=3)
    axes.set_title(name, loc="left", fontsize=10)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
