"""Draw the harm of gaps to two ways of clustering, with sparse and with dense similarities."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from manyviews import Views
from manyviews.cluster import FusedSpectral, MinDisagreementSpectral

shares = np.linspace(0.0, 0.9, 7)
fits = {"n_clusters": 3, "n_init": 3, "random_state": 0}
models = {
    "FusedSpectral, neighbours": (FusedSpectral(**fits), "#e69f00", "-"),
    "MinDisagreementSpectral, neighbours": (MinDisagreementSpectral(**fits), "#0072b2", "-"),
    "FusedSpectral, Gaussian": (FusedSpectral(affinity="rbf", **fits), "#e69f00", "--"),
    "MinDisagreementSpectral, Gaussian": (
        MinDisagreementSpectral(affinity="rbf", **fits),
        "#0072b2",
        "--",
    ),
}
curves = {name: [] for name in models}
for share in shares:
    scores = {name: [] for name in models}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = rng.integers(3, size=210)
        X = [rng.normal(size=(3, 5))[y] * 1.6 + rng.normal(size=(210, 5)) for _ in range(2)]
        observed = np.ones((210, 2), dtype=bool)
        lacking = rng.permutation(210)[: round(share * 210)]
        observed[lacking, np.arange(len(lacking)) % 2] = False
        for name, (model, _, _) in models.items():
            labels = model.fit_predict(Views(X, observed=observed))
            scores[name].append(adjusted_rand_score(y, labels))
    for name in models:
        curves[name].append(np.mean(scores[name]))

figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
for name, (_, colour, line) in models.items():
    axes.plot(100 * shares, curves[name], line, color=colour, marker="o", markersize=4, label=name)
axes.set(
    xlabel="objects that lack one of two views (%)",
    ylabel="agreement with the clusters",
    ylim=(-0.03, 1.03),
)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False, fontsize=9)
