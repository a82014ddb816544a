"""
FusedSpectral: sum, product, one wide table, or the best view
=============================================================

The simple ways to cluster several views spectrally are to make one similarity of them:
:class:`manyviews.cluster.FusedSpectral`. Each way wins somewhere and breaks somewhere; any other
method has to beat the best of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from manyviews import Views
from manyviews.cluster import FusedSpectral
from manyviews.datasets import make_complementary_affinities, make_kumar1

# %%
# Five situations:
#
# - *overlap*: two views show two clusters, each with much overlap;
# - *parts*: there are four clusters, and each of two views tells only two pairs of them apart;
# - *units*: one view shows two clusters, the other is noise in units that make it large;
# - *wild values*: three views show two clusters, and one value in fifteen is wild;
# - *false ties*: each view ties objects of different clusters, but other objects in each view
#   (these views are similarities, which have no features to put side by side).

rng = np.random.default_rng(0)
n = 300
y = rng.integers(2, size=n)
quarter = 2 * y + rng.integers(2, size=n)


def blob(centres, spread=1.0):
    return centres[:, None] + spread * rng.normal(size=(n, 2))


def with_wild_values(matrix):
    wild = rng.random(n) < 1 / 15
    return np.where(wild[:, None], rng.normal(0, 40, size=matrix.shape), matrix)


ties, halves = make_complementary_affinities(4.0, n, random_state=0)
noise = rng.uniform(0, 0.1, size=(n, n))
noise = noise + noise.T

situations = {
    "overlap": make_kumar1(n, random_state=0),
    "parts": (Views({"one": blob(4 * (quarter // 2)), "two": blob(4 * (quarter % 2))}), quarter),
    "units": (Views({"clear": blob(4 * y), "noise": blob(0 * y, 30.0)}), y),
    "wild values": (Views([with_wild_values(blob(5 * y)) for _ in range(3)]), y),
    "false ties": (Views({name: matrix + noise for name, matrix in ties.items()}), halves),
}

# %%
# All fusions on all situations.

fusions = ("sum", "product", "concat", "best")


def score(name, fusion):
    views, labels = situations[name]
    affinity = "precomputed" if name == "false ties" else "rbf"
    if affinity == "precomputed" and fusion == "concat":
        return np.nan
    n_clusters = len(np.unique(labels))
    model = FusedSpectral(n_clusters, affinity, fusion=fusion, random_state=0)
    return adjusted_rand_score(labels, model.fit_predict(views))


scores = np.array([[score(name, fusion) for fusion in fusions] for name in situations])
print(f"{'':<12}" + "".join(f"{fusion:>9}" for fusion in fusions))
for name, row in zip(situations, scores, strict=True):
    print(f"{name:<12}" + "".join(f"{value:9.2f}" for value in row))

# %%
# ``"best"`` says which view it took, and how tightly each one clusters.

best = FusedSpectral(2, fusion="best", random_state=0).fit(situations["units"][0])
print(best.best_view_, {name: round(value, 3) for name, value in best.view_distortions_.items()})

# %%
# Darker is better.

figure, axes = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
axes.imshow(scores, cmap="Blues", vmin=0, vmax=1.2, aspect="auto")
axes.set_xticks(range(len(fusions)), [f'"{fusion}"' for fusion in fusions])
axes.set_yticks(range(len(situations)), list(situations))
axes.tick_params(length=0)
axes.spines[:].set_visible(False)
for (row, column), value in np.ndenumerate(scores):
    text = "–" if np.isnan(value) else f"{abs(value):.2f}"
    colour = "white" if value > 0.7 else "black"
    axes.text(column, row, text, ha="center", va="center", color=colour)
axes.set_title("agreement with the clusters (adjusted Rand index)", fontsize=10)
plt.show()
