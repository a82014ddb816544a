"""Figure 3 of Sindhwani, Niyogi and Belkin: noise joins the moons, and the lines part them."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.data import Views
from papers.sindhwani2005 import moons as moons

COLOURS = np.array(["tab:blue", "tab:orange"])
PANELS = [
    (moons.LAP, "moons", "LapSVM"),
    (moons.LAP, "lines", "LapSVM"),
    (moons.LAP_NOISE, "moons", "LapSVM, noise"),
    (moons.CO_LAP_NOISE, "moons", "Co-LapSVM, noise"),
]
SEED = 3

figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
for ax, (method, name, title) in zip(axes.flat, PANELS, strict=True):
    views, y, known = moons.drawn(SEED, 0.0 if method == moons.LAP else moons.NOISE)
    decide = moons.fitted(method, views, known)
    points = views[name]
    sides = [np.linspace(axis.min() - 0.4, axis.max() + 0.4, 140) for axis in points.T]
    across, up = np.meshgrid(*sides)
    shown = np.column_stack([across.ravel(), up.ravel()])
    absent = np.full(shown.shape, np.nan)
    rows = {other: shown if other == name else absent for other in views.names}
    if method != moons.CO_LAP_NOISE:  # machines of single views want to see each
        rows = dict.fromkeys(views.names, shown)
    height = decide(Views(rows))[name].reshape(across.shape)
    ax.contourf(across, up, height, levels=[-1e9, 0.0, 1e9], colors=COLOURS, alpha=0.18)
    ax.contour(across, up, height, levels=[0.0], colors="0.4", linewidths=0.8)
    ax.scatter(*points.T, c=COLOURS[y], s=8)
    for at in np.flatnonzero(known >= 0):
        ax.scatter(
            *points[at], c=COLOURS[y[at]], s=110, marker="od"[y[at]], edgecolor="k", zorder=3
        )
    right = np.mean((decide(views)[name] > 0) == (y == 1))
    ax.set_title(f"{title}: {name}, {right:.0%} right", fontsize=10)
    ax.set(xticks=[], yticks=[], aspect="equal")
