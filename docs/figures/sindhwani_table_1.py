"""Table 1 of Sindhwani, Niyogi and Belkin, from the numbers that were kept."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

KEPT = json.loads(Path("../../papers/found/sindhwani2005.json").read_text())
table = next(table for table in KEPT["tables"] if table["key"] == "1")
cells = {(cell["row"], cell["column"]): cell for cell in table["cells"]}
rows = list(dict.fromkeys(cell["row"] for cell in table["cells"]))


def column(name, field):
    return np.array([cells[row, name][field] for row in rows], dtype=float)


figure, axes = plt.subplots(1, 3, figsize=(10, 5.2), sharey=True, layout="constrained")
places = np.arange(len(rows))[::-1]
for ax, view in zip(axes, ("link", "page", "page+link"), strict=True):
    ax.errorbar(
        column(view, "mean"),
        places,
        xerr=column(view, "spread"),
        fmt="o",
        color="tab:blue",
        ecolor="0.8",
        label="best of the grid, ± one deviation",
    )
    validated = column(f"{view}, validated", "mean")
    ax.plot(validated, places, "|", color="tab:blue", ms=13, mew=2, label="validated")
    ax.plot(column(view, "published"), places, "D", color="tab:red", ms=5, label="published")
    ax.set_title(view, fontsize=10)
    ax.set_xlabel("break-even point, in percent")
    ax.grid(axis="y", color="0.92")
axes[0].set_yticks(places, rows)
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False)
