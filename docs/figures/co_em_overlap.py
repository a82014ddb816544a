"""How far groups have to be apart in each view for co-EM to keep them."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from manyviews.cluster import CoEMMixture, Gaussian

warnings.simplefilter("ignore", ConvergenceWarning)
angles = 2 * np.pi * np.arange(3) / 3
triangle = np.column_stack([np.cos(angles), np.sin(angles)]) / np.sqrt(3)  # sides of length 1


def scores(distance, seed):
    rng = np.random.default_rng(seed)
    group = np.arange(240) % 3
    views = [rng.normal(distance * triangle[group], 1.0) for _ in range(2)]
    forms = {
        "co-EM, eta=1": (views, {}),
        'co-EM, anneal="linear"': (views, {"anneal": "linear", "max_iter": 60}),
        "side by side": (np.hstack(views), {}),
    }
    return {
        name: adjusted_rand_score(
            group,
            CoEMMixture(
                3, Gaussian(), init="objects", n_init=2, tol=1e-5, random_state=seed, **options
            )
            .fit(X)
            .labels_,
        )
        for name, (X, options) in forms.items()
    }


distances = np.array([2.0, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0])
found = {distance: [scores(distance, seed) for seed in range(2)] for distance in distances}
colours = {
    "co-EM, eta=1": "#0072b2",
    'co-EM, anneal="linear"': "#56b4e9",
    "side by side": "#e69f00",
}
figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
for name, colour in colours.items():
    means = [np.mean([each[name] for each in found[distance]]) for distance in distances]
    axes.plot(distances, means, color=colour, label=name)
axes.set(
    xlabel="distance between groups in each view, in standard deviations",
    ylabel="adjusted Rand index",
    ylim=(-0.05, 1.05),
)
axes.legend(frameon=False, fontsize=9, loc="lower right")
axes.spines[["top", "right"]].set_visible(False)
