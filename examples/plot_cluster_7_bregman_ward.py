"""
BregmanWard: Ward's tree with the right divergence
==================================================

Ward's method measures everything by squared distances, which suits noise that is the same
everywhere. Counts and spectra are not like that: what is large is noisy.
:class:`~manyviews.cluster.BregmanWard` builds the same kind of tree with the divergence that suits
each view.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from scipy.cluster.hierarchy import dendrogram

from manyviews import Views
from manyviews.cluster import BregmanWard, GeneralizedKL, ItakuraSaito, SquaredEuclidean
from manyviews.metrics import adjusted_rand_score

# %%
# Recordings of three kinds, each with its spectrum and the words said in it. Low bands are loud and
# some words frequent in all of them; the kinds differ where there is little to hear or to count.

rng = np.random.default_rng(0)
kinds = np.repeat([0, 1, 2], 40)
bands, words = np.arange(30), np.arange(60)

loudness = np.tile(1000.0 / (1 + bands) ** 2, (3, 1))
rates = np.tile(80.0 / (1 + words), (3, 1))
for kind in range(3):
    loudness[kind, 12 + 6 * kind : 18 + 6 * kind] *= 1.8
    rates[kind, 15 + kind :: 3] *= 1.7

views = Views(
    {
        "spectrum": loudness[kinds] * rng.gamma(6.0, 1 / 6.0, size=(len(kinds), len(bands))),
        "words": rng.poisson(rates[kinds]).astype(float),
    }
)

# %%
# A periodogram errs by a share of itself, which is what :class:`~manyviews.maths.ItakuraSaito`
# sees; counts err by their square root, which is what :class:`~manyviews.maths.GeneralizedKL` sees.
# Both are log-likelihood ratios, so that adding them makes sense; a spectrum averaged over six
# windows counts six times.

suited = {"spectrum": 6 * ItakuraSaito(), "words": GeneralizedKL()}
models = {
    "squared distances": BregmanWard(SquaredEuclidean(), n_clusters=3),
    "squared distances, balanced": BregmanWard(n_clusters=3, view_weights="balanced"),
    "suited divergences": BregmanWard(suited, n_clusters=3),
}
for title, model in models.items():
    print(f"{title:<30}{adjusted_rand_score(kinds, model.fit_predict(views)):.2f}")
for name in views.names:
    alone = BregmanWard(suited[name], n_clusters=3).fit_predict(views[name])
    print(f"{'suited, only ' + name:<30}{adjusted_rand_score(kinds, alone):.2f}")

# %%
# The strip below each tree shows the kind of every recording. With squared distances the loudest
# bands and the most frequent words decide, which say nothing.

colours = ListedColormap(["#0072b2", "#e69f00", "#009e73"])
figure, panels = plt.subplots(
    2, 2, figsize=(9, 3.6), height_ratios=(12, 1), layout="constrained", sharey="row"
)
for (title, model), (tree, strip) in zip(
    [item for item in models.items() if item[0] != "squared distances"], panels.T, strict=True
):
    linkage = model.linkage_.copy()
    linkage[:, 2] /= linkage[-1, 2]
    drawn = dendrogram(linkage, ax=tree, no_labels=True, color_threshold=0,
                       above_threshold_color="#555555")  # fmt: skip
    strip.imshow([kinds[drawn["leaves"]]], aspect="auto", interpolation="nearest",
                 cmap=colours)  # fmt: skip
    tree.set_title(title, loc="left", fontsize=10)
    tree.spines[:].set_visible(False)
    strip.set_axis_off()
panels[0, 0].set_ylabel("height")
plt.show()

# %%
# The tree can be cut anywhere after the fit. Without ``n_clusters`` it is cut before the largest
# jump in cost, and new recordings are placed even if only one of the views was taken.

model = BregmanWard(suited).fit(views)
print("clusters found:", model.n_clusters_)
print("sizes of five: ", np.bincount(model.labels_at(5)))
heard = rng.gamma(6.0, 1 / 6.0, size=(3, len(bands))) * loudness
print("by sound only: ", model.predict({"spectrum": heard, "words": None}), "for kinds 0, 1, 2")
