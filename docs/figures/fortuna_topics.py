"""Table 7 of Fortuna and Shawe-Taylor on laws, from the numbers that were kept."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

KEPT = json.loads(Path("../../papers/found/fortuna2005.json").read_text())
tables = {
    table["key"]: {(cell["row"], cell["column"]): cell for cell in table["cells"]}
    for table in KEPT["tables"]
}
WAYS = ("EN-EN", "EN-FR", "FR-EN", "FR-FR")
TOPICS = ("finance", "tax", "resources", "transport")
CORPORA = {
    "Hansard": ("pairs of debates, by people", "tab:gray"),
    "artificial": ("pairs of laws, by machine", "tab:orange"),
    "laws": ("pairs of laws, by people", "tab:blue"),
}

figure, axes = plt.subplots(1, 4, figsize=(10, 3.6), sharey=True, layout="constrained")
places = np.arange(len(WAYS))
for ax, topic in zip(axes, TOPICS, strict=True):
    for shift, (corpus, (label, colour)) in zip((-0.27, 0, 0.27), CORPORA.items(), strict=True):
        cells = [tables["7"][f"400 {way}", f"{topic}, {corpus}"] for way in WAYS]
        ax.bar(
            places + shift,
            [cell["mean"] for cell in cells],
            0.25,
            yerr=[cell["spread"] for cell in cells],
            color=colour,
            ecolor="0.35",
            label=label,
        )
    for place, way in zip(places, WAYS, strict=True):
        own = "ENGLISH" if way.endswith("EN") else "FRENCH"
        level = tables["6"][own, topic]["mean"]
        line = ax.hlines(level, place - 0.42, place + 0.42, color="black", lw=1.2)
    line.set_label("words, trained in the language of the test")
    ax.set_title(topic, fontsize=10)
    ax.set_xticks(places, WAYS, fontsize=8)
    ax.grid(axis="y", color="0.92")
    ax.set_axisbelow(True)
axes[0].set_ylabel("average precision, in percent")
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
