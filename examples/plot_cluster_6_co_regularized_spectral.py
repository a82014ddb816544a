"""
CoRegularizedSpectral: views that correct each other's eigenvectors
===================================================================

Two views of two overlapping groups. In each view alone spectral clustering mixes up many objects,
but not the same ones. :class:`manyviews.cluster.CoRegularizedSpectral` draws the eigenvectors of
the views towards each other; its parameter ``agreement`` says how strongly.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import subspace_angles
from sklearn.metrics import normalized_mutual_info_score as nmi

from manyviews.cluster import CoRegularizedSpectral
from manyviews.datasets import make_contradictory_affinities, make_kumar1

# %%
# From no agreement at all to nothing but agreement, over several draws of the data. What k-means
# sees at the end is one view's eigenvectors (``combine="first"``) or those of both side by side.
# The angle is that between the spaces of the two views' eigenvectors: 90 degrees is as far apart as
# can be.

strengths = [0.0, 0.01, 0.03, 0.1, 0.3, 1.0]
n_draws = 3
scores = {combine: np.zeros((n_draws, len(strengths))) for combine in ("first", "second", "concat")}
angles = np.zeros((n_draws, len(strengths)))
for draw in range(n_draws):
    views, y = make_kumar1(300, random_state=draw)
    for place, strength in enumerate(strengths):
        for combine, found in scores.items():
            model = CoRegularizedSpectral(
                2, agreement=strength, combine=combine, n_init=3, random_state=0
            ).fit(views)
            found[draw, place] = nmi(y, model.labels_)
        spaces = model.view_embeddings_.values()
        angles[draw, place] = np.degrees(subspace_angles(*spaces).max())

# %%
# Each view learns from the other what it cannot see: its own clustering rises from what it finds
# alone to what both know together. Side by side the views already know most of it without any
# agreement.

positions = np.arange(len(strengths))
shown = {
    "first": ("the first view", "#0072b2"),
    "second": ("the second view", "#d55e00"),
    "concat": ("both side by side", "#009e73"),
}
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for combine, (label, colour) in shown.items():
    left.plot(positions, scores[combine].mean(axis=0), marker="o", color=colour, label=label)
left.set(ylabel="normalised mutual information", title="clusters found by")
left.legend(frameon=False)
right.plot(positions, angles.mean(axis=0), marker="o", color="grey")
right.set(ylabel="degrees between the views", ylim=(0, None), title="how far apart the views are")
for axes in (left, right):
    axes.set_xticks(positions, [f"{strength:g}" for strength in strengths])
    axes.set_xlabel("agreement")
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# New objects are placed by the same equations as the training objects, also those with one view.

model = CoRegularizedSpectral(2, agreement=0.3, random_state=0).fit(views)
new, truth = make_kumar1(400, random_state=99)
first_only = {"first": new["first"], "second": np.full_like(new["second"], np.nan)}
print(f"both views: {nmi(truth, model.predict(new)):.2f}")
print(f"first view: {nmi(truth, model.predict(first_only)):.2f}")

# %%
# Where two views tell different stories, no agreement can be right: here the second view groups
# the objects in another way, and the answer lies somewhere between.

views, y = make_contradictory_affinities(200)
model = CoRegularizedSpectral(2, "precomputed", mode="centroid", agreement=0.1, random_state=0)
print(f"contradictory views: {nmi(y, model.fit_predict(views)):.2f}")
