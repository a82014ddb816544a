"""Draw pairs of wines in thirteen kernels, as they are and centred at unit variance."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from manyviews import Views
from manyviews.mkl import KernelLibrary, kumar2013_kernels

X, y = load_wine(return_X_y=True)
views = Views({"wine": StandardScaler().fit_transform(X)})
left, right = np.triu_indices(len(y), 1)
same = y[left] == y[right]

figure, panels = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained", sharey=True)
titles = {"as they are": False, "centred, unit variance": True}
for axes, (title, normalize) in zip(panels, titles.items(), strict=True):
    kernels = KernelLibrary(kumar2013_kernels(), normalize=normalize).fitted(views)
    examples = kernels.pairs(left, right)
    places = np.arange(len(kernels))
    for shown, colour, shift, label in (
        (same, "#0072b2", -0.17, "pairs of one class"),
        (~same, "#e69f00", 0.17, "pairs of two classes"),
    ):
        low, middle, high = np.quantile(examples[shown], (0.1, 0.5, 0.9), axis=0)
        axes.hlines(places + shift, low, high, color=colour, linewidth=4, alpha=0.45)
        axes.plot(middle, places + shift, "o", color=colour, markersize=4, label=label)
    axes.set_title(title, fontsize=10)
    axes.axvline(0, color="#9aa5ad", linewidth=0.8, zorder=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)
panels[0].set_xscale("symlog", linthresh=0.1)
panels[0].set_xticks([-(10.0**4), -100, -1, 0, 1, 100, 10.0**4])
panels[0].set_yticks(places, [name.removeprefix("wine ") for name in kernels.names])
panels[0].invert_yaxis()
panels[0].set_xlabel("kernel value (logarithmic beyond 0.1)")
panels[1].set_xlabel("kernel value")
panels[0].legend(frameon=False, fontsize=8, loc="upper left")
