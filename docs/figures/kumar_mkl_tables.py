"""Tables 5.2 and 6.3 of Kumar's thesis: ours beside the published numbers."""

import json
from pathlib import Path

import matplotlib.pyplot as plt

KEPT = json.loads(Path("../../papers/found/kumar2013-mkl.json").read_text())
SETS = ("Sonar", "Ionosphere", "Pima", "Vertebral")
OURS, THEIRS = "#0072B2", "#999999"


def cells_of(key, column):
    table = next(table for table in KEPT["tables"] if table["key"] == key)
    return [cell for cell in table["cells"] if cell["column"] == column]


def draw(ax, cells, shift, marker):
    """Published means and deviations in grey, ours in colour just below, one line per method."""
    for place, cell in enumerate(cells):
        style = {"fmt": marker, "ms": 4, "elinewidth": 1, "capsize": 0}
        ax.errorbar(cell["published"], place + shift, xerr=cell["published_spread"],
                    color=THEIRS, **style)  # fmt: skip
        if cell["mean"] is not None:
            ax.errorbar(cell["mean"], place + shift + 0.16, xerr=cell["spread"] or 0.0,
                        color=OURS, **style)  # fmt: skip


figure, axes = plt.subplots(2, 4, figsize=(11, 7), layout="constrained", height_ratios=(7, 4))
columns = [cell["column"] for cell in next(t for t in KEPT["tables"] if t["key"] == "5.2")["cells"]]
for place, name in enumerate(SETS):
    many, few = dict.fromkeys(column for column in columns if column.startswith(name))
    draw(axes[0, place], cells_of("5.2", few), -0.3, "o")
    draw(axes[0, place], cells_of("5.2", many), 0.08, "s")
    axes[0, place].set_title(f"{name}: 13 ● {many.split('=')[1]} ■", fontsize=9)
    draw(axes[1, place], cells_of("6.3", name), -0.1, "o")
    axes[1, place].set_title(f"{name}: linear", fontsize=9)
    axes[1, place].set_xlabel("accuracy in %")
    axes[0, place].sharex(axes[1, place])
for row, key, column in ((0, "5.2", columns[0]), (1, "6.3", "Sonar")):
    names = [cell["row"] for cell in cells_of(key, column)]
    for place, ax in enumerate(axes[row]):
        ax.set_yticks(range(len(names)), names if place == 0 else [""] * len(names))
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.grid(axis="x", color="#EEEEEE")
        ax.set_axisbelow(True)
