"""
RBF, SelfTuningRBF, KNNGraph: which similarity, and what it costs
=================================================================

Spectral methods see a view only through its similarities. This example compares, on one view, what
a few of :mod:`manyviews.similarity` hold together, and how close kernels of low rank come to the
full matrix.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons

from manyviews import Views
from manyviews.maths import spectral_embedding
from manyviews.metrics import adjusted_rand_score
from manyviews.similarity import RBF, KNNGraph, LowRankKernel, SelfTuningRBF, fit_similarities

# %%
# Two moons, one drawn with three times as many points as the other.

X, y = make_moons((450, 150), noise=0.08, random_state=0)

chosen = {
    'RBF(gamma="median")': RBF(),
    "RBF(gamma=30)": RBF(gamma=30.0),
    "SelfTuningRBF()": SelfTuningRBF(),
    "KNNGraph(10)": KNNGraph(10),
    "KNNGraph(10, symmetric='mutual')": KNNGraph(10, symmetric="mutual"),
}
for name, similarity in chosen.items():
    embedding = spectral_embedding(similarity.matrix(X), 2)
    labels = KMeans(2, n_init=10, random_state=0).fit_predict(embedding)
    print(f"{name:<36}{adjusted_rand_score(y, labels):6.2f}")

# %%
# The median width is as wide as the whole picture and cuts the moons across. A width that suits
# them is found only by trying; local widths and neighbours need no trying. Neighbours that have to
# be mutual leave a few objects with nobody: these have an empty row, and no place.

lonely = np.diff(KNNGraph(10, symmetric="mutual").gram(X).indptr) == 0
print(f"objects without a mutual neighbour: {lonely.sum()} of {len(X)}")

# %%
# Kernels of low rank: the share of the matrix that is lost, by rank. Pivots are chosen where the
# kernel is known worst, landmarks at random, and Fourier features without looking at the data.

K = RBF(gamma=3.0).gram(X)
ranks = [4, 8, 16, 32, 64, 128]
lost = {
    method: [
        np.linalg.norm(
            K - LowRankKernel(RBF(gamma=3.0), rank, method=method, tol=0.0).gram(X).toarray()
        )
        / np.linalg.norm(K)
        for rank in ranks
    ]
    for method in ("fourier", "nystroem", "cholesky")
}

# %%
# Gaps: a view gives similarities of the objects it shows; the rest is the mean over the views that
# show both, in the unit of this view. Sparse graphs stay sparse.

observed = np.ones((len(X), 2), dtype=bool)
observed[::5, 0] = False
views = Views({"one": X[:, :1], "two": X[:, 1:]}, observed=observed)
_, graphs = fit_similarities(views, KNNGraph(10))
print({name: f"{graph.nnz} of {len(X) ** 2} stored" for name, graph in graphs.items()})

# %%
# On the left what the neighbours join, on the right what a low rank loses.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
edges = KNNGraph(10).gram(X).tocoo()
lines = np.stack([X[end] for end in edges.coords], axis=1)
left.add_collection(LineCollection(lines, colors="#b8c0c6", linewidths=0.3, zorder=1))
left.scatter(*X.T, s=7, c=np.array(["#0072b2", "#e69f00"])[y], zorder=2)
left.set(title="KNNGraph(10)", aspect="equal", xticks=[], yticks=[])
left.spines[:].set_visible(False)
for (method, losses), colour in zip(lost.items(), ("#009e73", "#e69f00", "#0072b2"), strict=True):
    right.loglog(ranks, losses, marker="o", markersize=3, color=colour, label=method)
right.set(title="RBF of low rank", xlabel="rank", ylabel="share of the norm that is lost")
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
plt.show()
