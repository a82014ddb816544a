"""
CCA: what two photographs have in common
========================================

Two people write down the same digit, and each sheet is photographed in its own light. What the two
pictures have in common is the digit, and nothing else. :class:`~manyviews.embed.CCA` looks for
just that. A principal component analysis of one picture looks for what varies most: the light.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier

from manyviews import Views
from manyviews.datasets import load_digits_views
from manyviews.embed import CCA

# %%
# Digits 0 to 5 in pairs of different hands, and a light that falls in from a random side. Labels
# only make the pairs and colour the points; no method sees them.

images, digit = load_digits_views()
rng = np.random.default_rng(0)
x, y = np.meshgrid(np.linspace(-1, 1, 8), np.linspace(-1, 1, 8))
slopes = np.stack([x.ravel(), y.ravel(), np.ones(64)])


def photographed(pictures):
    return pictures / 16 + rng.normal(size=(len(pictures), 3)) @ slopes


chosen = [rng.permutation(np.flatnonzero(digit == label))[:176] for label in range(6)]
first = np.concatenate([rows[:88] for rows in chosen])
second = np.concatenate([rows[88:] for rows in chosen])
order = rng.permutation(len(first))
first, second, label = first[order], second[order], digit[first[order]]
pixels = images["pixels"]
views = Views({"first": photographed(pixels[first]), "second": photographed(pixels[second])})
train, test = views[:300], views[300:]
print(views)

# %%
# Three hundred pairs to learn from. CCA gets 64 pixels of each picture, a lot for 300 pairs, so it
# is told to shrink the covariances. Both methods then place pictures of the *first* hand alone,
# that neither has seen, in five dimensions. How often does the nearest training picture show the
# same digit?

principal = PCA(5).fit(train["first"])
common = CCA(5, regularization="auto").fit(train)


def by_pca(pairs):
    return principal.transform(pairs["first"])


def by_cca(pairs):
    return common.transform({"first": pairs["first"]})


nearest = {}
for name, place in {"PCA": by_pca, "CCA": by_cca}.items():
    judge = KNeighborsClassifier(1).fit(place(train), label[:300])
    nearest[name] = judge.score(place(test), label[300:])
    print(f"{name}: {nearest[name]:.0%} of the nearest pictures show the same digit")

# %%
# Are five dimensions too many, or too few? On the training pairs any direction correlates: without
# shrinkage, even the twelfth by 0.68. New pairs tell which are real. Six digits differ in five
# directions, and it is after the fifth that the correlation of new pairs falls to nothing. The same
# pairs show what shrinkage is worth: without it, the first component is not the best one any more.

curves = {}
for name, share in {"none": 0.0, "auto": "auto"}.items():
    model = CCA(12, regularization=share).fit(train)
    curves[name] = model.correlations_, model.correlate(test)
    print(f"{name}: shares {[round(own, 3) for own in model.regularization_.values()]}")

# %%
# Left and middle: unseen pictures of one hand, coloured by digit. Right: correlations by component.

figure, panels = plt.subplots(1, 3, figsize=(10.5, 3.6), layout="constrained")
for axes, (name, place) in zip(panels, {"PCA": by_pca, "CCA": by_cca}.items(), strict=False):
    points = place(test)
    axes.scatter(*points[:, :2].T, c=label[300:], cmap="Dark2", vmin=0, vmax=7, s=14, linewidths=0)
    axes.set_title(f"{name}: {nearest[name]:.0%} nearest alike", loc="left", fontsize=10)
    axes.set(xticks=[], yticks=[], xlabel="component 0", ylabel="component 1")
styles = {"none": "#999999", "auto": "#0b5c86"}
for name, (seen, unseen) in curves.items():
    panels[2].plot(seen, ":", color=styles[name], label=f"{name}, training pairs")
    panels[2].plot(unseen, "o-", ms=4, color=styles[name], label=f"{name}, new pairs")
panels[2].axhline(0, color="black", linewidth=0.6)
panels[2].set(xlabel="component", ylim=(-0.65, 1.02))
panels[2].set_title("correlation, by regularization", loc="left", fontsize=10)
panels[2].legend(frameon=False, fontsize=8, loc="lower left")
for axes in panels:
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
