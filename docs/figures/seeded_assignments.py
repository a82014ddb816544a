"""Accuracy of the four assignments as the second view gets better, and as it is hidden."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.datasets import make_hierarchical_views
from manyviews.semi_supervised import SeededSphericalKMeans

warnings.simplefilter("ignore", ConvergenceWarning)  # co-training goes in circles
DRAWS = range(2)


def accuracy(method, quality=0.35, hidden=0.0):
    """Share of the unlabelled objects that get the right leaf."""
    found = []
    for draw in DRAWS:
        data = make_hierarchical_views(800, quality=(0.35, quality), skew=0.5, random_state=draw)
        rng = np.random.default_rng(draw)
        labelled = rng.random(800) < 0.1
        views = data.views.with_observed({"tables": rng.random(800) >= hidden})
        y = np.where(labelled, data.y, -1)
        if method == "first view alone":
            model = SeededSphericalKMeans("sum").fit(views.subset(["patterns"]), y)
        else:
            model = SeededSphericalKMeans(method).fit(views, y)
        found.append(np.mean((model.transduction_ == data.y)[~labelled]))
    return np.mean(found)


STYLES = {
    "max_agree": {"color": "#0072b2", "marker": "o"},
    "sum": {"color": "#56b4e9", "marker": "s", "linestyle": "--"},
    "product": {"color": "#e69f00", "marker": "o"},
    "cotrain": {"color": "#009e73", "marker": "o"},
    "first view alone": {"color": "#9a9a9a"},
}
qualities = (0.05, 0.2, 0.35, 0.5)
shares = (0.0, 0.25, 0.5, 0.75)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
for name, style in STYLES.items():
    left.plot(qualities, [accuracy(name, quality=q) for q in qualities], label=name, **style)
    right.plot(shares, [accuracy(name, hidden=share) for share in shares], **style)
left.set(xlabel="quality of the second view (first: 0.35)", ylabel="right labels")
right.set(xlabel="share of objects that lack the second view")
left.legend(frameon=False)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
