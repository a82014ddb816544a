"""
KernelCCA: a hidden cause behind two bent views
===============================================

Each object has a hidden phase. One view shows it as a place on a spiral, the other as three sensors
that swing with it. No straight direction of the one goes with any of the other.
:class:`manyviews.embed.KernelCCA` finds functions that do, from a few of the objects.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.embed import CCA, KernelCCA
from manyviews.similarity import RBF

rng = np.random.default_rng(0)
phase = rng.uniform(0.25, 1.0, 3000) * 6 * np.pi
spiral = np.column_stack([phase * np.cos(phase), phase * np.sin(phase)])
swings = np.column_stack([np.sin(phase / 3), np.cos(phase / 3), np.sin(5 * phase / 3)])
views = Views(
    {
        "spiral": spiral / 6 + rng.normal(0, 0.12, spiral.shape),
        "sensors": swings + rng.normal(0, 0.2, swings.shape),
    }
)
known, new = views[:2000], views[2000:]


def shown(model):
    """Correlation between the views of the first coordinates of unseen objects."""
    places = model.transform_views(new)
    return float(np.corrcoef(places["spiral"][:, 0], places["sensors"][:, 0])[0, 1])


# %%
# Straight directions see little in common. A Gaussian kernel follows the bends: each view has a
# coordinate that one can read off the other.

kernel = {"spiral": RBF(2.0), "sensors": RBF(2.0)}
linear = CCA(1).fit(known)
bent = KernelCCA(2, kernel, cholesky_tol=0.01).fit(known)
scores = {"CCA": shown(linear), "KernelCCA": shown(bent)}
for name, score in scores.items():
    print(f"{name:<10} correlation of unseen objects {score:.2f}")
print("pivots of 2,000 objects:", {name: len(pivots) for name, pivots in bent.pivots_.items()})

# %%
# How many pivots does it need? ``cholesky_tol`` says how far an object may be from what the pivots
# span; here their number is set by hand. Without a bound and with a tolerance of 0 all objects are
# pivots and the answer is exact.

bounds = [2, 4, 8, 16, 32, 64, 128, None]
models = [KernelCCA(2, kernel, cholesky_tol=0.0, max_rank=most).fit(known) for most in bounds]
n_pivots = [len(model.pivots_["spiral"]) for model in models]
curve = [shown(model) for model in models]
for count, score in zip(n_pivots, curve, strict=True):
    print(f"pivots {count:>5}   unseen objects {score:.3f}")

# %%
# Left and middle: unseen objects, coloured by the first coordinate that *the other view* gives
# them. The colour runs along the spiral, although the spiral was not looked at, and along the curve
# of the sensors. Right: some tens of pivots are as good as all two thousand objects.

places = bent.transform_views(new)
figure, panels = plt.subplots(1, 3, figsize=(10, 3.3), layout="constrained")
panels[0].scatter(*new["spiral"].T, c=places["sensors"][:, 0], s=5, cmap="viridis")
panels[0].set_title("spiral, coloured by the sensors", fontsize=10)
panels[1].scatter(*new["sensors"][:, :2].T, c=places["spiral"][:, 0], s=5, cmap="viridis")
panels[1].set_title("sensors, coloured by the spiral", fontsize=10)
for axes in panels[:2]:
    axes.set(xticks=[], yticks=[])
    axes.set_aspect("equal")
panels[2].semilogx(n_pivots, curve, "o-", ms=4, color="#0072b2", label="KernelCCA")
panels[2].axhline(scores["CCA"], color="#999999", linestyle="--", label="CCA")
panels[2].set(xlabel="pivots of each view", ylabel="correlation of unseen objects", ylim=(0, 1.03))
panels[2].legend(frameon=False, loc="center right")
for axes in panels:
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
