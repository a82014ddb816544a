"""Draw the harm of noisy and missing views to neighbours of all features and of every view."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import Views
from manyviews.datasets import hide_views, load_digits_views
from manyviews.ensemble import MultiRepresentedKNN

views, y = load_digits_views()
order = np.random.default_rng(0).permutation(len(y))
known, new = order[:600], order[600:]


def disturbed(share):
    """New objects, in which some views are noise; one of each object is left as it is."""
    rng = np.random.default_rng(1)
    hit = rng.random((len(new), 3)) < share
    hit[np.arange(len(new)), rng.integers(3, size=len(new))] = False
    matrices = {}
    for (name, matrix), noisy in zip(views[new].items(), hit.T, strict=True):
        noise = matrix.mean(axis=0) + matrix.std(axis=0) * rng.normal(size=matrix.shape)
        matrices[name] = np.where(noisy[:, None], noise, matrix)
    return Views(matrices)


wide = make_pipeline(SimpleImputer(), StandardScaler(), KNeighborsClassifier(10))
methods = {
    "entropy": (MultiRepresentedKNN(10), "#0072b2"),
    "uniform": (MultiRepresentedKNN(10, "uniform"), "#e69f00"),
    "all features, gaps filled by means": (wide, "#888888"),
}
shares = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
for name, (method, colour) in methods.items():
    known_rows = np.asarray(views[known]) if method is wide else views[known]
    method.fit(known_rows, y[known])
    scores = []
    for share in shares:
        asked = disturbed(share)
        scores.append(method.score(np.asarray(asked) if method is wide else asked, y[new]))
    left.plot(shares, scores, color=colour, marker="o", label=name)
    scores = []
    for share in shares:
        gaps = hide_views(views, share, seed=0) if share else views
        gaps = np.asarray(gaps) if method is wide else gaps
        scores.append(method.fit(gaps[known], y[known]).score(gaps[new], y[new]))
    right.plot(shares, scores, color=colour, marker="o", label=name)
left.set(xlabel="share of views of new objects replaced by noise", ylabel="accuracy")
right.set(xlabel="share of views hidden")
left.legend(frameon=False, fontsize=8)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
