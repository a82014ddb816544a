"""Tables 3 and 4 of Fortuna and Shawe-Taylor, from the numbers that were kept."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

KEPT = json.loads(Path("../../papers/found/fortuna2005.json").read_text())
tables = {table["key"]: table for table in KEPT["tables"]}
DIMENSIONS = (400, 800, 1200)
WAYS = {"across": ("EN-FR", "FR-EN"), "within": ("EN-EN", "FR-FR")}
COLOURS = {"human": "tab:blue", "artificial": "tab:orange"}


def curve(key, corpus, ways, field):
    cells = {(cell["row"], cell["column"]): cell for cell in tables[key]["cells"]}
    return [
        np.mean([cells[f"{corpus} {size}", f"{way} Top1"][field] for way in ways])
        for size in DIMENSIONS
    ]


figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for ax, (key, count) in zip(axes, (("3", 5), ("4", 10)), strict=True):
    for corpus, colour in COLOURS.items():
        for name, style in (("within", "-"), ("across", "--")):
            ours = curve(key, corpus, WAYS[name], "mean")
            ax.plot(DIMENSIONS, ours, style, color=colour, label=f"{corpus} pairs, {name}")
            theirs = curve(key, corpus, WAYS[name], "published")
            marker = "D" if name == "within" else "o"
            ax.plot(DIMENSIONS, theirs, marker, color=colour, mfc="none", ms=6)
    ax.set_title(f"{count} keywords", fontsize=10)
    ax.set_xticks(DIMENSIONS)
    ax.set_xlabel("dimensions")
    ax.grid(color="0.92")
axes[0].set_ylabel("document found first, in percent")
axes[0].set_ylim(0, 104)
handles, labels = axes[0].get_legend_handles_labels()
for marker, name in (("D", "within"), ("o", "across")):
    handles.append(plt.Line2D([], [], ls="", marker=marker, color="0.4", mfc="none"))
    labels.append(f"published, {name}")
figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
