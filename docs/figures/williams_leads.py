"""Draw the gain of integrating over filling in, trial by trial, from the kept numbers."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

KEPT = json.loads(Path("../../papers/found/williams2005.json").read_text())
tables = {table["key"]: table for table in KEPT["tables"]}
PANELS = {"figure-1a": "ionosphere, features missing", "figure-2": "digits, whole views missing"}
OTHERS = {"conditional mean": "tab:orange", "unconditional mean": "tab:green"}
READINGS = {"": ("wide", "--"), "-narrow": ("narrow", "-")}


def trials(key, column):
    """Shares, and trials × shares of one method."""
    cells = [cell for cell in tables[key]["cells"] if cell["column"] == column]
    values = np.array([cell["values"] for cell in cells], float).T
    return [float(cell["row"]) for cell in cells], values[~np.isnan(values).any(axis=1)]


figure, axes = plt.subplots(1, 2, figsize=(9, 4.0), layout="constrained")
for ax, (key, title) in zip(axes, PANELS.items(), strict=True):
    for suffix, (width, style) in READINGS.items():
        shares, proposed = trials(key + suffix, "proposed")
        for name, colour in OTHERS.items():
            lead = 100 * (proposed - trials(key + suffix, name)[1])
            error = lead.std(axis=0, ddof=1) / np.sqrt(len(lead))
            label = f"over the {name}, {width}"
            ax.errorbar(shares, lead.mean(axis=0), error, color=colour, ls=style, label=label)
    ax.axhline(0, color="0.6", lw=0.8)
    ax.set_title(title, fontsize=10)
    ax.set_xlabel("share missing")
    ax.grid(color="0.92")
axes[0].set_ylabel("lead in points of AUC")
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
