"""
CoSphericalKMeans: what the second view adds
============================================

Three kinds of objects, seen in two views of which each confuses two kinds.
:class:`manyviews.cluster.CoSphericalKMeans` lets each view learn from what the other sees.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.cluster import CoSphericalKMeans
from manyviews.metrics import adjusted_rand_score

rng = np.random.default_rng(0)
kinds = np.repeat([0, 1, 2], 80)
angles = {"words": [20, 40, 120], "links": [150, 60, 40]}  # degrees, by kind


def seen(degrees):
    """Directions around those of the kinds, 10 degrees wide, of all lengths."""
    turned = np.deg2rad(np.take(degrees, kinds) + 10 * rng.standard_normal(len(kinds)))
    lengths = rng.uniform(0.5, 1.0, size=(len(kinds), 1))
    return lengths * np.column_stack([np.cos(turned), np.sin(turned)])


views = Views({name: seen(degrees) for name, degrees in angles.items()})
print(views)

# %%
# Each view alone, then both. Only directions count: how long a text is does not matter.

found = {
    f"{name} alone": CoSphericalKMeans(3, random_state=0).fit(views.subset([name]))
    for name in views.names
}
found["both views"] = CoSphericalKMeans(3, random_state=0).fit(views)
for name, model in found.items():
    print(f"{name:<12} agreement with the kinds: {adjusted_rand_score(kinds, model.labels_):.2f}")

# %%
# The clusters by colour, their centres as rays. Two kinds run into each other in either view; what
# one view cannot tell, the other can.

COLOURS = np.array(["#0072b2", "#e69f00", "#009e73"])
figure, panels = plt.subplots(2, 3, figsize=(9, 5), layout="constrained", sharex=True, sharey=True)
for column, (title, model) in enumerate(found.items()):
    # clusters are named after the kind that most of their objects are of
    kind_of = [np.bincount(kinds[model.labels_ == j], minlength=3).argmax() for j in range(3)]
    colours = COLOURS[np.take(kind_of, model.labels_)]
    score = adjusted_rand_score(kinds, model.labels_)
    panels[0, column].set_title(f"{title}: {score:.2f}", fontsize=10)
    for axes, view in zip(panels[:, column], views.names, strict=True):
        axes.scatter(*views[view].T, s=9, color=colours)
        for centre in model.cluster_centers_.get(view, []):
            axes.plot(*np.stack([0 * centre, 1.1 * centre]).T, color="black", linewidth=1)
        axes.set(xticks=[], yticks=[], aspect="equal")
for axes, view in zip(panels[:, 0], views.names, strict=True):
    axes.set_ylabel(view)
plt.show()

# %%
# A new object may lack a view: it goes where the views that it has point to.

new = {"words": [[1.0, 0.2], None], "links": [None, [-0.9, 0.4]]}
print(found["both views"].predict(new))
