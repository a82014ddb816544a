"""Figure 1 of Williams and Carin for two widths, from the numbers that were kept."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

KEPT = json.loads(Path("../../papers/found/williams2005.json").read_text())
tables = {table["key"]: table for table in KEPT["tables"]}
READINGS = {"": "wide", "-narrow": "narrow"}
STYLES = {
    "complete data": ("0.5", ":"),
    "proposed": ("tab:blue", "-"),
    "conditional mean": ("tab:orange", "--"),
    "unconditional mean": ("tab:green", "-."),
}


def trials(key, column):
    """Shares, and trials × shares of one method."""
    cells = [cell for cell in tables[key]["cells"] if cell["column"] == column]
    values = np.array([cell["values"] for cell in cells], float).T
    return [float(cell["row"]) for cell in cells], values[~np.isnan(values).any(axis=1)]


figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), sharex=True, layout="constrained")
for row, part in zip(axes, ("a", "b"), strict=True):
    for ax, (suffix, title) in zip(row, READINGS.items(), strict=True):
        key = f"figure-1{part}{suffix}"
        columns = dict.fromkeys(cell["column"] for cell in tables[key]["cells"])
        for name in columns:
            shares, values = trials(key, name)
            error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
            colour, style = STYLES[name]
            ax.errorbar(shares, values.mean(axis=0), error, color=colour, ls=style, label=name)
        ax.grid(color="0.92")
        if part == "a":
            ax.set_title(title, fontsize=10)
            ax.set_ylim(0.58, 1.0)
        else:
            ax.set_xlabel("share of missing features")
            ax.set_ylim(0, None)
axes[0, 0].set_ylabel("AUC")
axes[1, 0].set_ylabel("distance from the true kernel")
handles, labels = axes[0, 0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
