"""
hide_views: gaps that look real
===============================

Experiments with missing views are only as good as the gaps. :func:`manyviews.datasets.hide_views`
hides views in four patterns; each leaves every object at least one view.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from manyviews.datasets import hide_views, make_token_views

views, y = make_token_views(
    120, vocabulary=300, class_vocabulary=60, n_tokens=(7, 7), random_state=0
)
print(views)

# %%
# A third view with texts of very different lengths, so that there is something for ``"tail"`` to
# look at: short texts lose their views first.

rng = np.random.default_rng(0)
lengths = rng.geometric(0.05, size=len(views))
notes = np.stack([rng.multinomial(length, np.full(50, 1 / 50)) for length in lengths])
three = {"first": views["first"], "second": views["second"], "notes": notes}

# %%
# Rows are views, columns are objects in their order; dark is observed.

patterns = {
    "random": "any view of any object",
    "outage": "a view is down for a while",
    "single": "some objects keep one view only",
    "tail": "objects with little content lose views first",
}
gaps = {pattern: hide_views(three, 0.3, pattern=pattern, seed=0) for pattern in patterns}

figure, panels = plt.subplots(4, 1, figsize=(8, 5.2), layout="constrained", sharex=True)
colours = ListedColormap(["#f0e8d8", "#0b5c86"])
for axes, (pattern, meaning) in zip(panels, patterns.items(), strict=True):
    hidden = gaps[pattern]
    axes.imshow(hidden.observed.T, aspect="auto", interpolation="nearest", cmap=colours)
    axes.set_yticks(range(hidden.n_views), hidden.names)
    axes.set_yticks(np.arange(0.5, hidden.n_views - 1), minor=True)
    axes.grid(which="minor", axis="y", color="white", linewidth=3)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(f'"{pattern}": {meaning}', loc="left", fontsize=10)
panels[-1].set_xlabel("object")
plt.show()

# %%
# How much is hidden, and from whom. With ``"single"`` the share is that of the objects which are
# left with one view; with the other patterns it is the share of all (object, view) pairs.

print(f"{'pattern':<10}{'hidden':>8}{'complete':>10}{'one view':>10}{'length if lost':>16}")
for pattern, hidden in gaps.items():
    n_seen = hidden.observed.sum(axis=1)
    print(
        f"{pattern:<10}{1 - hidden.observed.mean():>8.2f}{(n_seen == 3).mean():>10.2f}"
        f"{(n_seen == 1).mean():>10.2f}{lengths[n_seen < 3].mean():>16.1f}"
    )
print(f"mean length of all notes: {lengths.mean():.1f}")

# %%
# The last column shows why the pattern matters: with ``"tail"`` the objects with gaps are special,
# so a method that ignores them learns from a biased sample. With ``"random"`` they are not.
