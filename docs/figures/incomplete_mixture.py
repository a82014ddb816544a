"""Gaps filled by mixtures: tumours of which views are hidden, and a bent relation of two views."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from manyviews import Views
from manyviews.datasets import hide_views
from manyviews.similarity import (
    ConditionalMeanImputer,
    IncompleteGaussianMixture,
    UnconditionalMeanImputer,
)

COLOURS = {1: "#0072b2", 3: "#009e73", 6: "#d55e00"}


def by_mixture(n_components):
    mixture = IncompleteGaussianMixture(n_components, reg_covar=1e-2, random_state=0)
    return ConditionalMeanImputer(mixture)


rows = StandardScaler().fit_transform(np.log1p(load_breast_cancer().data))
tumours = Views({"mean": rows[:, :10], "error": rows[:, 10:20], "worst": rows[:, 20:]})
order = np.random.default_rng(0).permutation(len(rows))
known, new = order[:350], order[350:]
shares = [0.1, 0.3, 0.6]


def error(imputer, share):
    """Root mean square error in the hidden cells of new objects, over two masks."""
    squares = []
    for seed in range(2):
        gaps = hide_views(tumours, share, seed=seed)
        filled = imputer.fit(gaps[known]).transform(gaps[new])
        hidden = np.isnan(np.asarray(gaps[new]))
        squares.append(np.mean((filled - rows[new])[hidden] ** 2))
    return np.sqrt(np.mean(squares))


figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
curve = [error(UnconditionalMeanImputer(), share) for share in shares]
left.plot(shares, curve, "o-", ms=4, color="#999999", label="mean of the feature")
for n_components, colour in COLOURS.items():
    curve = [error(by_mixture(n_components), share) for share in shares]
    left.plot(shares, curve, "o-", ms=4, color=colour, label=f"n_components={n_components}")
left.set(xlabel="share of views hidden", ylabel="error of what is filled in", ylim=(0, None))
left.legend(frameon=False, fontsize=9)

rng = np.random.default_rng(0)
x = rng.uniform(-3, 3, (600, 1))
y = np.abs(x) + 0.2 * rng.normal(size=x.shape)
bent = hide_views(Views({"x": x, "y": y}), 0.4, pattern="single", seed=0)
line = np.linspace(-3, 3, 200)[:, None]
right.plot(x, y, ".", ms=2, color="#bbbbbb")
for n_components, colour in COLOURS.items():
    filled = by_mixture(n_components).fit(bent).transform({"x": line})
    right.plot(line, filled[:, 1], color=colour, label=f"n_components={n_components}")
right.set(xlabel="x, observed", ylabel="y, expected")
right.legend(frameon=False, fontsize=9)
