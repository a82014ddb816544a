"""
TransductiveSVM, SpectralGraphTransducer: labels for the objects at hand
========================================================================

Often nobody asks for a rule, only for the labels of the objects that are there. Two methods are
made for that. :class:`~manyviews.semi_supervised.TransductiveSVM` looks for a wide margin that
the unlabelled objects stay out of, :class:`~manyviews.semi_supervised.SpectralGraphTransducer`
for a cut that goes through few edges between neighbours.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import make_two_moons_two_lines
from manyviews.semi_supervised import SpectralGraphTransducer, TransductiveSVM
from manyviews.similarity import RBF, KNNGraph

# %%
# Two classes, seen through two views of one feature each, so that both views fit in one picture.
# One object in three is of the second class. The two labelled objects happen to differ most along
# the clouds, not across them.

rng = np.random.default_rng(0)
truth = (np.arange(240) % 3 == 0).astype(int)
across = np.where(truth == 1, 1.0, -1.0) + 0.25 * rng.standard_normal(240)
along = rng.standard_normal(240)
known = np.full(240, -1)
along[:2], known[:2] = (1.6, -1.6), (1, 0)
clouds = {"across": across[:, None], "along": along[:, None]}

machines = {
    "SVM on two labels": TransductiveSVM(C_unlabelled=0.0, proportions=1 / 3),
    "TransductiveSVM, a third positive": TransductiveSVM(proportions=1 / 3),
    "TransductiveSVM, two thirds positive": TransductiveSVM(proportions=2 / 3),
}
machine_scores = {}
for name, machine in machines.items():
    machine_scores[name] = machine.fit(clouds, known).score(clouds, truth)
    print(f"{machine_scores[name]:.3f}  {name}")

# %%
# The plain machine has only the two labels to go by. The transductive one turns its margin into the
# gap. But it does as it is told: with a wrong share of positive objects it has to label objects
# of the larger cloud as positive, and cuts that cloud. If nothing is said, the share is that among
# the labelled objects, here one half, which would be wrong, too.
#
# Now curved classes: moons in one view, noisy until they touch, and lines in the other.

views, moon_truth = make_two_moons_two_lines(200, noise=0.15, random_state=0)
moon_known = np.full(len(moon_truth), -1)
picked = [np.flatnonzero(moon_truth == label)[[0]] for label in (0, 1)]
for label, chosen in enumerate(picked):
    moon_known[chosen] = label
alone = views.subset(["moons"])
graph = KNNGraph(n_neighbors=8)

transducers = {
    "TransductiveSVM, moons": (TransductiveSVM(RBF(2.0)), alone),
    "SpectralGraphTransducer, moons": (SpectralGraphTransducer(graph), alone),
    "SpectralGraphTransducer, both views": (SpectralGraphTransducer(graph), views),
}
moon_scores = {}
for name, (model, data) in transducers.items():
    moon_scores[name] = np.mean(model.fit(data, moon_known).transduction_ == moon_truth)
    print(f"{moon_scores[name]:.3f}  {name}")

# %%
# A margin in the moons cannot be wide, and where they touch the graph of the moons has edges
# between them. In the mean of the two graphs an object has neighbours on its line as well, all of
# its own class, and the cut that goes through few edges is the right one.

figure, panels = plt.subplots(2, 3, figsize=(10, 6), layout="constrained")
colours = np.array(["#0072b2", "#d55e00"])
x, z = np.meshgrid(np.linspace(-2, 2, 150), np.linspace(-3, 3, 150))
plane = {"across": x.reshape(-1, 1), "along": z.reshape(-1, 1)}
for axes, (name, machine) in zip(panels[0], machines.items(), strict=True):
    values = machine.decision_function(plane).reshape(x.shape)
    axes.contour(x, z, values, levels=[-1, 0, 1], colors="#555555", linestyles=["--", "-", "--"])
    axes.scatter(across, along, s=8, c=colours[machine.transduction_], linewidths=0)
    axes.scatter(across[:2], along[:2], s=90, c=colours[[1, 0]], edgecolors="black", marker="D")
    axes.set_title(f"{name}\n{machine_scores[name]:.0%} right", fontsize=9)
    axes.set(xlabel="view “across”", ylabel="view “along”", xlim=(-2, 2), ylim=(-3, 3))
for axes, (name, (model, _)) in zip(panels[1], transducers.items(), strict=True):
    axes.scatter(*views["moons"].T, s=8, c=colours[model.transduction_], linewidths=0)
    for label, chosen in enumerate(picked):
        place = views["moons"][chosen].T
        axes.scatter(*place, s=90, c=colours[label], edgecolors="black", marker="D")
    axes.set_title(f"{name}\n{moon_scores[name]:.0%} right", fontsize=9)
    axes.set(xlabel="view “moons”", xticks=[], yticks=[])
for axes in panels.flat:
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Both also answer for objects that were not there, and for objects that lack a view: the machine by
# its function, the transducer by the mean over the object's neighbours.

model = transducers["SpectralGraphTransducer, both views"][0]
new, new_truth = make_two_moons_two_lines(100, noise=0.15, random_state=1)
both_right = model.score(new, new_truth)
lines_right = model.score({"moons": None, "lines": new["lines"]}, new_truth)
print(f"new objects: {both_right:.2f} right, seen on their lines only: {lines_right:.2f} right")
