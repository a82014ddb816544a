"""
HybridTree: one tree from two views
===================================

Is a dolphin more like a salmon or more like a horse? By where it lives the one, by how it is built
the other. :class:`manyviews.cluster.HybridTree` lets the views take turns: every fork of its tree
is made by the view that splits best there, and says so.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.cluster import BregmanWard, HybridTree
from manyviews.maths import GeneralizedKL, SquaredEuclidean
from manyviews.plot import DendrogramDisplay

# %%
# Twenty animals in two views. *build*: legs, hair, feathers, scales, warm blood, and the logarithm
# of the weight in kilograms. *life*: hours of the day spent on land, in fresh water, at sea and in
# the air, roughly.

animals = {
    "horse": ([4, 1, 0, 0, 1, 2.7], [24, 0, 0, 0]),
    "mouse": ([4, 1, 0, 0, 1, -1.7], [24, 0, 0, 0]),
    "fox": ([4, 1, 0, 0, 1, 0.9], [24, 0, 0, 0]),
    "otter": ([4, 1, 0, 0, 1, 1.0], [15, 9, 0, 0]),
    "bat": ([2, 1, 0, 0, 1, -1.6], [18, 0, 0, 6]),
    "seal": ([0, 1, 0, 0, 1, 2.0], [6, 0, 18, 0]),
    "dolphin": ([0, 0, 0, 0, 1, 2.3], [0, 0, 24, 0]),
    "whale": ([0, 0, 0, 0, 1, 4.5], [0, 0, 24, 0]),
    "eagle": ([2, 0, 1, 0, 1, 0.7], [17, 0, 0, 7]),
    "swift": ([2, 0, 1, 0, 1, -1.4], [2, 0, 0, 22]),
    "ostrich": ([2, 0, 1, 0, 1, 2.0], [24, 0, 0, 0]),
    "duck": ([2, 0, 1, 0, 1, 0.1], [8, 13, 0, 3]),
    "gull": ([2, 0, 1, 0, 1, -0.1], [8, 0, 7, 9]),
    "penguin": ([2, 0, 1, 0, 1, 1.0], [10, 0, 14, 0]),
    "lizard": ([4, 0, 0, 1, 0, -1.5], [24, 0, 0, 0]),
    "crocodile": ([4, 0, 0, 1, 0, 2.3], [10, 14, 0, 0]),
    "sea turtle": ([4, 0, 0, 1, 0, 2.1], [0, 0, 24, 0]),
    "carp": ([0, 0, 0, 1, 0, 0.6], [0, 24, 0, 0]),
    "salmon": ([0, 0, 0, 1, 0, 0.6], [0, 8, 16, 0]),
    "tuna": ([0, 0, 0, 1, 0, 2.0], [0, 0, 24, 0]),
}
build = np.array([body for body, _ in animals.values()], dtype=float)
hours = np.array([day for _, day in animals.values()], dtype=float) + 0.5  # no share is zero
views = Views(
    {"build": build / build.std(axis=0), "life": hours / hours.sum(axis=1, keepdims=True)},
    sample_ids=list(animals),
)

# %%
# Weights and shares of a day have no common unit, and need none: each view has a divergence of its
# own, and a split is judged by how many times it lowers the view's cost.

divergence = {"build": SquaredEuclidean(), "life": GeneralizedKL()}
model = HybridTree(divergence).fit(views)
tree = model.tree_
print(tree)
print("split  view     goodness  objects")
for rank in range(5):
    view, goodness = model.split_views_[rank], tree.goodness[rank]
    sizes = tree.sizes[2 * rank + 1 : 2 * rank + 3]
    print(f"{rank + 1:>5}  {view:<8} {goodness:>8.2f}  {sizes[0]} and {sizes[1]}")

# %%
# Cut anywhere; the next cluster always comes out of one of those before.

for n_clusters in (2, 4):
    labels = tree.labels_at(n_clusters)
    for cluster in range(n_clusters):
        print(n_clusters, ", ".join(views.sample_ids[labels == cluster]))

# %%
# New objects walk down the same forks, also with a view missing. A bat of which only the build is
# known, and an unknown thing seen flying:

ends = {name: place for place, name in enumerate(animals)}
new = {"build": [views["build"][ends["bat"]], None], "life": [None, [0.02, 0.02, 0.02, 0.94]]}
for leaf in model.apply(new):
    print(", ".join(views.sample_ids[tree.leaf_of == leaf]))

# %%
# The picture beside the sum of both views (:class:`manyviews.cluster.BregmanWard`, balanced): the
# sum has one answer for every fork, the hybrid tree shows which view gave it.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.4), layout="constrained")
DendrogramDisplay.from_estimator(model, ax=left, labels=views.sample_ids)
left.set_title("hybrid: each fork by its best view", loc="left", pad=28)
linear = BregmanWard(divergence, view_weights="balanced").fit(views)
DendrogramDisplay.from_estimator(linear, ax=right, labels=views.sample_ids, colors=["#767676"])
right.set_title("sum of the views", loc="left", pad=28)
plt.show()

# %%
# When it misleads
# ----------------
#
# The goodness compares views by ratios, and ratios are easier to come by in few dimensions: halving
# a featureless cloud lowers its cost 2.75 times in one dimension, 1.5 times in two, hardly at
# all in twenty. A narrow view of pure noise can so win the first fork. Look at the goodness of each
# view alone before trusting the tree, and leave out views that have nothing to say.

rng = np.random.default_rng(0)
for width in (1, 2, 5, 20):
    noise = HybridTree(max_leaves=2).fit(rng.normal(size=(2000, width)))
    print(f"noise in {width:>2} dimensions: goodness {noise.tree_.goodness[0]:.2f}")
