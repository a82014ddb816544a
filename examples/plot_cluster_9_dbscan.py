"""
MultiViewDBSCAN: near in one view, or near in all
=================================================

:class:`manyviews.cluster.MultiViewDBSCAN` finds clusters of any shape and leaves outliers out. What
"near" means is up to you: near in some view (``rule="union"``) or in every one
(``rule="intersection"``).
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.cluster import MultiViewDBSCAN
from manyviews.datasets import make_two_moons_two_lines
from manyviews.metrics import adjusted_rand_score

clean, y = make_two_moons_two_lines(600, noise=0.14, random_state=0)
blur = 0.25 * np.random.default_rng(0).standard_normal((600, 2))
views = Views({"moons": clean["moons"], "lines": clean["lines"] + blur})
print(views)

# %%
# With so much noise the moons touch, and so do the lines. Each view alone, then the union and the
# intersection. The radii were chosen with the truth at hand, so that each shows its best.

found = {
    "moons alone": MultiViewDBSCAN(eps=0.10).fit(views.subset(["moons"])),
    "lines alone": MultiViewDBSCAN(eps=0.12).fit(views.subset(["lines"])),
    "union": MultiViewDBSCAN(eps={"moons": 0.10, "lines": 0.12}, rule="union").fit(views),
    "intersection": MultiViewDBSCAN(eps=0.4, rule="intersection").fit(views),
}
for name, model in found.items():
    labels = model.labels_
    print(
        f"{name:<14}{labels.max() + 1:>3} clusters, {np.mean(labels == -1):>4.0%} noise, "
        f"agreement {adjusted_rand_score(y, labels):.2f}"
    )

# %%
# One bridge in one view is enough for the union to join everything; the intersection needs a
# bridge of objects that are near in both views, and can afford a wider radius.

COLOURS = np.array(["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"])
figure, panels = plt.subplots(2, 4, figsize=(11, 4.6), layout="constrained", sharex="row")
for column, (title, model) in enumerate(found.items()):
    noise = model.labels_ == -1
    panels[0, column].set_title(title, fontsize=10)
    for axes, view in zip(panels[:, column], views.names, strict=True):
        axes.scatter(*views[view][noise].T, s=8, color="#999999", marker="x", linewidths=0.8)
        colours = COLOURS[model.labels_[~noise] % len(COLOURS)]
        axes.scatter(*views[view][~noise].T, s=8, color=colours)
        axes.set(xticks=[], yticks=[])
for axes, view in zip(panels[:, 0], views.names, strict=True):
    axes.set_ylabel(view)
plt.show()

# %%
# ``eps="auto"``, the default, reads radii off the data, view by view: a start to vary from, not
# the last word.

for rule in ("union", "intersection"):
    model = MultiViewDBSCAN(rule=rule).fit(views)
    radii = ", ".join(f"{name} {radius:.2f}" for name, radius in model.eps_.items())
    print(f"{rule:<14}{radii}: agreement {adjusted_rand_score(y, model.labels_):.2f}")
