"""Four similarities of one data set: what each joins, and what spectral clustering makes of it."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.cluster import KMeans

from manyviews.maths import spectral_embedding
from manyviews.similarity import RBF, KNNGraph, SelfTuningRBF

rng = np.random.default_rng(3)
angle = rng.uniform(0, 2 * np.pi, 300)
radius = np.repeat([1.0, 3.0], [100, 200]) + 0.12 * rng.standard_normal(300)
rings = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
blob = np.array([5.5, 0.0]) + 0.08 * rng.standard_normal((100, 2))
X = np.vstack([rings, blob])

chosen = {
    'RBF(gamma="median")': RBF(),
    "RBF(gamma=400)": RBF(gamma=400.0),
    "SelfTuningRBF()": SelfTuningRBF(),
    "KNNGraph(10)": KNNGraph(10),
}
figure, panels = plt.subplots(1, 4, figsize=(9.6, 2.4), layout="constrained", sharey=True)
for axes, (title, similarity) in zip(panels, chosen.items(), strict=True):
    K = similarity.matrix(X)
    labels = KMeans(3, n_init=10, random_state=0).fit_predict(spectral_embedding(K, 3))
    i, j = np.triu_indices(len(X), 1)
    strong = rng.permutation(np.flatnonzero(K[i, j] > 0.3))[:2500]
    lines = np.stack([X[i[strong]], X[j[strong]]], axis=1)
    axes.add_collection(LineCollection(lines, colors="#9aa5ad", linewidths=0.4, alpha=0.5))
    colours = np.array(["#0072b2", "#e69f00", "#009e73"])
    order = {label: rank for rank, label in enumerate(dict.fromkeys(labels))}
    axes.scatter(*X.T, s=5, c=colours[[order[label] for label in labels]], zorder=2)
    axes.set_title(title, fontsize=9)
    axes.set(xlim=(-3.6, 6.1), ylim=(-3.6, 3.6))
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
