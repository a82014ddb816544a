"""Draw the cost of a wrong share of classes, and how far apart classes have to be."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.semi_supervised import SpectralGraphTransducer, TransductiveSVM

TRUE_SHARE = 0.25


def clouds(distance, seed):
    rng = np.random.default_rng(seed)
    y = (np.arange(200) % 4 == 0).astype(int)
    views = {
        name: rng.standard_normal((200, 3)) + distance * np.outer(y, [0.6, 0.8, 0.0])
        for name in ("one", "two")
    }
    known = np.full(200, -1)
    for label in (0, 1):
        chosen = rng.choice(np.flatnonzero(y == label), 3, replace=False)
        known[chosen] = label
    return views, y, known


def right(model, distance, seed):
    views, y, known = clouds(distance, seed)
    return np.mean(model.fit(views, known).transduction_ == y)


def machine(share, **options):
    """A linear machine with the costs of the paper."""
    return TransductiveSVM("linear", C=1.0, proportions=share, relative=False, **options)


methods = {
    "SVM on the labels": (lambda share: machine(share, C_unlabelled=0.0)),
    "TransductiveSVM": (lambda share: machine(share, C_unlabelled=1.0)),
    "SpectralGraphTransducer": (lambda share: SpectralGraphTransducer(proportions=share)),
}
colours = dict(zip(methods, ("#999999", "#0072b2", "#d55e00"), strict=True))
shares = np.array([0.1, 0.2, 0.25, 0.3, 0.4, 0.6])
distances = np.array([0.75, 1.0, 1.5, 2.0, 3.0])
figure, (left, middle) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained", sharey=True)
for name, make in methods.items():
    by_share = [np.mean([right(make(s), 2.0, seed) for seed in range(3)]) for s in shares]
    left.plot(shares, by_share, color=colours[name], label=name)
    by_distance = [
        np.mean([right(make(TRUE_SHARE), d, seed) for seed in range(3)]) for d in distances
    ]
    middle.plot(distances, by_distance, color=colours[name])
left.axvline(TRUE_SHARE, color="#bbbbbb", linewidth=1, linestyle=":")
left.set(xlabel="share asked for (true: 0.25)", ylabel="share labelled right", ylim=(0.55, 1.01))
middle.set(xlabel="distance of the classes in each view (right share)")
left.legend(frameon=False, fontsize=8, loc="lower center")
for axes in (left, middle):
    axes.spines[["top", "right"]].set_visible(False)
