"""Figures 5.1 and 6.1 of Kumar's thesis: pairs of objects as points in the space of kernels."""

import matplotlib.pyplot as plt
import numpy as np

from papers.kumar2013_mkl.k_space import (
    circles,
    k_examples,
    separation,
    two_noisy_views,
)

SAME, OTHER = "#0072B2", "#D55E00"
DIRECTIONS = {"μ = (0, 1)": 90, "μ = (1, 0)": 0, "μ = (1, 1)": 45}


def scatter(ax, values, same, title):
    """Draw pairs of one class and pairs of two, in an order that hides neither."""
    colours = np.where(same, SAME, OTHER)
    ax.scatter(*values.T, c=colours, s=5, alpha=0.5, lw=0)
    ax.set_title(title, fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)


figure, axes = plt.subplots(2, 3, figsize=(10, 6.6), layout="constrained")

values, same = k_examples(two_noisy_views(0))
shown = np.random.default_rng(0).choice(len(same), 1500, replace=False)
reach = np.abs(values[shown]).max()
for ax, (name, degrees) in zip(axes[0], DIRECTIONS.items(), strict=True):
    told = separation(values, same, degrees)
    scatter(ax, values[shown], same[shown], f"{name}: {100 * told:.0f} % in order")
    x, y = reach * np.cos(np.deg2rad(degrees)), reach * np.sin(np.deg2rad(degrees))
    ax.plot([-x, x], [-y, y], color="#009E73", lw=2)
    ax.set(xlabel="$K_1$", ylabel="$K_2$")

drawn = circles(0, 40)
points, classes = np.hstack([drawn.views[name] for name in drawn.views.names]), np.asarray(drawn.y)
for code, marker, label in ((1, "o", "positive"), (0, "s", "negative")):
    axes[1, 0].plot(*points[classes == code].T, marker, ms=4, color="#444444", label=label,
                    mfc="#444444" if code else "white")  # fmt: skip
axes[1, 0].set_title("two circles", fontsize=10)
axes[1, 0].set_aspect("equal")
axes[1, 0].legend(frameon=False, fontsize=8, loc="center")
axes[1, 0].spines[["top", "right"]].set_visible(False)
values, same = k_examples(drawn)
scatter(axes[1, 1], values, same, "their pairs")
axes[1, 1].set(xlabel="$K_1$", ylabel="$K_2$")
scatter(axes[1, 2], values**2, same, "their pairs, kernels squared")
axes[1, 2].set(xlabel="$K_1^2$", ylabel="$K_2^2$")
for colour, label in ((SAME, "pair of one class"), (OTHER, "pair of two classes")):
    axes[0, 1].plot([], [], "o", ms=4, color=colour, label=label)
axes[0, 1].legend(frameon=False, fontsize=8, loc="lower right")
