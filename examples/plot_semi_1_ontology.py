"""
SeededSphericalKMeans: labels that contain each other
=====================================================

A *fruit* is a *food*, and no food is a *company*. When classes form such an ontology, an object has
several labels, and :class:`manyviews.semi_supervised.SeededSphericalKMeans` assigns them so that
they fit together: what both views make of *food* helps to tell which food.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score

from manyviews.datasets import make_hierarchical_views
from manyviews.semi_supervised import SeededSphericalKMeans

# %%
# Entities, the text patterns they occur in and the columns of tables that list them: as noun
# phrases on the Web, of which only a few have been labelled by hand.

data = make_hierarchical_views(random_state=4)
ontology = data.ontology
names = np.array(data.label_names, dtype=object)[data.y]
print(data.views)
print(ontology)
for name in ontology.classes:
    print("    " * ontology.levels[name] + str(name))

# %%
# One in twenty-five is labelled. Given the ontology, a label is read with all that contain it;
# the answer is an indicator matrix, whose rows ``ontology.label_sets`` spells out.

rng = np.random.default_rng(0)
labelled = rng.random(len(names)) < 0.04
y = np.where(labelled, names, None)
model = SeededSphericalKMeans(ontology=ontology).fit(data.views, y)
found = model.transduction_
for row in np.flatnonzero(~labelled)[:3]:
    (labels,) = ontology.label_sets(found[[row]])
    print(f"{names[row]:<12} is found to be {', '.join(sorted(map(str, labels)))}")
print(f"{ontology.violations(found).sum()} constraints are broken")

# %%
# What is it worth? Beside it, the same method that knows the seven leaves only, and one view alone.
# All learn from the same labels and are judged on the leaves of the unlabelled entities, averaged
# over three draws of the data.

PERCENTAGES = (2, 4, 8, 16)
leaves = [ontology.classes.index(name) for name in ontology.leaves]


def learn(kind, views, y):
    """Labels of all objects, as an indicator matrix."""
    if kind == "ontology":
        return SeededSphericalKMeans(ontology=ontology).fit(views, y).transduction_
    seen = views if kind == "leaves only" else views.subset(["patterns"])
    flat = SeededSphericalKMeans().fit(seen, y).transduction_
    return ontology.closure(ontology.indicator(flat))


scores = {kind: [] for kind in ("ontology", "leaves only", "one view")}
by_class = {}
for percentage in PERCENTAGES:
    trials = {kind: [] for kind in scores}
    for draw in range(3):
        drawn = make_hierarchical_views(random_state=draw)
        known = np.random.default_rng(draw).random(len(drawn.y)) < percentage / 100
        names = np.array(drawn.label_names, dtype=object)[drawn.y]
        truth = drawn.extra["indicator"][~known]
        for kind in scores:
            labels = learn(kind, drawn.views, np.where(known, names, None))[~known]
            trials[kind].append(f1_score(truth, labels, average=None, zero_division=0))
    for kind, each in trials.items():
        mean = np.mean(each, axis=0)
        scores[kind].append(mean[leaves].mean())
        by_class[kind, percentage] = mean

# %%
# The fewer labels there are, the more the ontology adds. The bars show where from, at 4 %: broad
# classes, of which there are more examples, are known well, and lead to their leaves.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
colours = {"ontology": "#0b5c86", "leaves only": "#d98324", "one view": "#9a9a9a"}
for kind, values in scores.items():
    left.plot(PERCENTAGES, values, "o-", color=colours[kind], label=kind)
left.set_xscale("log", base=2)
left.set_xticks(PERCENTAGES, [str(p) for p in PERCENTAGES])
left.set(xlabel="labelled entities in %", ylabel="macro F1 of the leaves", ylim=(0, 1))
left.legend(frameon=False)

order = [place for place, name in enumerate(ontology.classes) if name not in ontology.roots]
for shift, kind in ((-0.2, "ontology"), (0.2, "leaves only")):
    heights = np.arange(len(order)) + shift
    right.barh(heights, by_class[kind, 4][order], height=0.38, color=colours[kind])
right.set_yticks(range(len(order)), [str(ontology.classes[place]) for place in order])
for tick, place in zip(right.get_yticklabels(), order, strict=True):
    inner = ontology.classes[place] not in ontology.leaves
    tick.set_fontweight("bold" if inner else "normal")
right.invert_yaxis()
right.set(xlabel="F1 with 4 % labelled", xlim=(0, 1))
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# New entities need not be in both views: each is judged by those that show it. Here the same ones
# are seen in full, and then in one view only. With so few labels the second view does not always
# add to the first: over draws of the data, both views and patterns alone are about even.

old, new = slice(None, 1200), slice(1200, None)
model.fit(data.views[old], y[old])
later, truth = data.views[new], data.extra["indicator"][new]
hidden = np.zeros(len(later), dtype=bool)
for what, seen in (
    ("both views", later),
    ("patterns only", later.with_observed({"tables": hidden})),
    ("tables only", later.with_observed({"patterns": hidden})),
):
    share = (model.predict(seen) == truth).all(axis=1).mean()
    print(f"{what:<14}all labels right for {share:.2f}")
