"""Regions of one neighbour and of hyperplanes, and errors against the number of neighbours."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import load_digits_views
from manyviews.ensemble import HyperplaneKNN

PAPERS = {"standardize": True, "hyperplanes": "joint"}
steps = np.linspace(0.15, np.pi - 0.15, 7)
inner = np.column_stack([np.cos(steps), np.sin(steps)])
between = (steps[1:] + steps[:-1]) / 2
outer = 1.35 * np.column_stack([np.cos(between), np.sin(between)])
points, y = np.vstack([inner, outer]), np.repeat([0, 1], [len(inner), len(outer)])
across, up = np.meshgrid(np.linspace(-1.8, 1.8, 200), np.linspace(-0.1, 1.8, 150))
grid = np.column_stack([across.ravel(), up.ravel()])

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.0), layout="constrained")
for axes, n_neighbors, title in ((left, 1, "one neighbour"), (middle, 2, "lines through two")):
    model = HyperplaneKNN(n_neighbors, 0.1, **PAPERS).fit(points, y)
    regions = model.predict(grid).reshape(across.shape)
    axes.contourf(across, up, regions, levels=1, colors=["#0072b2", "#e69f00"], alpha=0.25)
    for label, colour in enumerate(("#0072b2", "#e69f00")):
        axes.scatter(*points[y == label].T, color=colour, edgecolor="white", s=35)
    axes.set(title=title, xticks=[], yticks=[])

views, digits = load_digits_views()
order = np.random.default_rng(0).permutation(len(digits))
known, new = order[:200], order[200:]
counts = [1, 2, 3, 4, 5, 7, 10, 15, 20]
for penalty, colour in ((0.01, "#0072b2"), (100.0, "#e69f00"), (10_000.0, "#009e73")):
    missed = HyperplaneKNN.leave_one_out(
        views[known], digits[known], n_neighbors=counts, penalty=[penalty], **PAPERS
    )
    errors = (missed[:, 0] != digits[known]).mean(axis=1)
    tests = [
        1
        - HyperplaneKNN(count, penalty, **PAPERS)
        .fit(views[known], digits[known])
        .score(views[new], digits[new])
        for count in counts
    ]
    right.plot(counts, tests, color=colour, marker="o", label=f"penalty {penalty:g}")
    right.plot(counts, errors, color=colour, linestyle=":", label="left out")
right.set(xlabel="n_neighbors", ylabel="share of errors", ylim=(0, 0.135), title="200 digits")
right.legend(frameon=False, fontsize=7, ncols=3, loc="upper center")
for axes in (left, middle, right):
    axes.spines[["top", "right"]].set_visible(False)
