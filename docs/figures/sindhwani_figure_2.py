"""Figure 2 of Sindhwani, Niyogi and Belkin: where three methods cut two moons and two lines."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.data import Views
from papers.sindhwani2005 import moons as moons

COLOURS = np.array(["tab:blue", "tab:orange"])
TITLES = {
    moons.RLS: "RLS",
    moons.ONE_ROUND: "co-trained RLS, one round",
    moons.CO_RLS: "Co-RLS",
}


def grid_around(points, margin=0.4, steps=140):
    sides = [
        np.linspace(axis.min() - margin, axis.max() + margin, steps)
        for axis in np.asarray(points).T
    ]
    return np.meshgrid(*sides)


views, y, _ = moons.drawn(0)
known = moons.misleading(views, y)
given = np.flatnonzero(known >= 0)
added = moons.co_trained(views, known, 1).provenance_

figure, axes = plt.subplots(3, 2, figsize=(8, 9), layout="constrained")
for row, (method, title) in zip(axes, TITLES.items(), strict=True):
    decide = moons.fitted(method, views, known)
    for ax, name in zip(row, views.names, strict=True):
        points = views[name]
        across, up = grid_around(points)
        shown = np.column_stack([across.ravel(), up.ravel()])
        absent = np.full(shown.shape, np.nan)
        sheet = Views({other: shown if other == name else absent for other in views.names})
        height = decide(sheet)[name].reshape(across.shape)
        ax.contourf(across, up, height, levels=[-1e9, 0.0, 1e9], colors=COLOURS, alpha=0.18)
        ax.contour(across, up, height, levels=[0.0], colors="0.4", linewidths=0.8)
        ax.scatter(*points.T, c=COLOURS[y], s=8)
        for at in given:
            ax.scatter(
                *points[at], c=COLOURS[y[at]], s=110, marker="od"[y[at]], edgecolor="k", zorder=3
            )
        if method == moons.ONE_ROUND:
            ax.scatter(
                *points[added.object].T,
                c=COLOURS[added.label.astype(int)],
                s=130,
                marker="P",
                edgecolor="k",
                zorder=3,
            )
        right = np.mean((decide(views)[name] > 0) == (y == 1))
        ax.set_title(f"{title}: {name}, {right:.0%} right", fontsize=10)
        ax.set(xticks=[], yticks=[], aspect="equal")
