"""Figures 3.2, 3.3, 4.1 and 4.2 of Kumar's thesis, from the numbers that were kept."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from manyviews.plot import CurvesDisplay

KEPT = json.loads(Path("../../papers/found/kumar2013-clustering.json").read_text())
TITLES = {
    "figure-3.2": ("Co-training (Figure 3.2)", "correlation ρ given the cluster"),
    "figure-4.1": ("Co-regularisation (Figure 4.1)", "correlation ρ given the cluster"),
    "figure-3.3": ("Complementary wrong edges (Figure 3.3)", "weight α of the wrong edges"),
    "figure-4.2": ("Reuters (Figure 4.2)", "strength λ of the agreement"),
}


def column(table, name, field):
    cells = [cell for cell in table["cells"] if cell["column"] == name]
    return np.array([cell[field] for cell in cells], dtype=float)


figure, axes = plt.subplots(2, 2, figsize=(10, 7.2), layout="constrained")
for ax, (key, (title, x_label)) in zip(axes.flat, TITLES.items(), strict=True):
    table = next(table for table in KEPT["tables"] if table["key"] == key)
    names = list(dict.fromkeys(cell["column"] for cell in table["cells"]))
    points = list(dict.fromkeys(float(cell["row"]) for cell in table["cells"]))
    CurvesDisplay(
        points,
        {name: column(table, name, "mean") for name in names},
        spreads={name: column(table, name, "spread") for name in names},
        published={name: column(table, name, "published") for name in names},
        x_label=x_label,
        y_label="NMI",
        title=title,
    ).plot(ax)
axes[1, 1].set_xscale("symlog", linthresh=0.001)
axes[1, 0].set_ylim(top=1.85)  # room for the legend
axes[1, 0].legend(fontsize="small", loc="upper right", frameon=False)
