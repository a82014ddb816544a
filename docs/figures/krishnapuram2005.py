"""Figure 2 of Krishnapuram et al. on mines and on pages, from the numbers that were kept."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

KEPT = json.loads(Path("../../papers/found/krishnapuram2005.json").read_text())
tables = {table["key"]: table for table in KEPT["tables"]}
SETS = {"sensors": "generated mines", "pages": "course pages"}
PANELS = {
    "2a": "(a) 100 labels",
    "2b": "(b) 27 views of labelled",
    "2c": "(c) 129 views of unlabelled",
    "2d": "(d) 85 views of either",
}
ACTIVE, RANDOM = "#0072b2", "#e69f00"


def means(key):
    """The rows as numbers, and the mean over the starts of each column."""
    cells = tables[key]["cells"]
    columns = dict.fromkeys(cell["column"] for cell in cells)
    points = [float(cell["row"]) for cell in cells if cell["column"] == next(iter(columns))]
    return np.array(points), {
        name: np.array([cell["mean"] for cell in cells if cell["column"] == name])
        for name in columns
    }


def draw(ax, key):
    """Draw the active choice, the random ones with a band of one s.d., and the start."""
    points, curves = means(key)
    random, band = curves["random"], curves["s.d. of random"]
    ax.fill_between(points, random - band, random + band, color=RANDOM, alpha=0.25, lw=0)
    ax.plot(points, random, color=RANDOM, ls="--", label="random, ± one s.d.")
    ax.plot(points, curves["active"], color=ACTIVE, label="active")
    if "at the start" in curves:
        ax.plot(points, curves["at the start"], color="0.5", ls=":", label="at the start")
    ax.grid(color="0.92")


figure, axes = plt.subplots(2, 5, figsize=(13, 5.6), layout="constrained")
for row, (name, title) in zip(axes, SETS.items(), strict=True):
    draw(row[0], f"2a-found-{name}")
    row[0].set_ylabel(f"{title}\nnumber found", fontsize=9)
    for ax, (key, what) in zip(row[1:], PANELS.items(), strict=True):
        draw(ax, f"{key}-{name}")
        ax.set_xlim(-0.01, 0.6)
        ax.set_ylim(0.0 if name == "sensors" else 0.5, 1.01)
        if name == "sensors":
            ax.set_title(what, fontsize=10)
axes[0, 0].set_title("(a) while labelling", fontsize=10)
axes[0, 1].set_ylabel("share detected", fontsize=9)
axes[1, 1].set_ylabel("share detected", fontsize=9)
axes[1, 0].set_xlabel("labels asked for", fontsize=9)
for ax in axes[1, 1:]:
    ax.set_xlabel("share of false alarms", fontsize=9)
handles, labels = axes[0, 1].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
