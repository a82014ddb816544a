"""
Views in scikit-learn: digits through three views
=================================================

The same handwritten digits are seen as pixels, as Fourier magnitudes and as row and column
sums. How far does each view get alone, how far do they get together, and what remains when a third
of all views is missing?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import MergeViews, PerView
from manyviews.datasets import hide_views, load_digits_views

views, y = load_digits_views()
views, y = views[::2], y[::2]  # half of them will do here
print(views)

# %%
# One pipeline serves them all: scale each view on its own, lay the views side by side, fit a linear
# classifier. ``indicator=True`` adds a column per view that says whether it is observed.

model = make_pipeline(
    PerView(StandardScaler()), MergeViews(indicator=True), LogisticRegression(max_iter=300)
)
folds = StratifiedKFold(3, shuffle=True, random_state=0)


def accuracies(some_views):
    return cross_val_score(model, some_views, y, cv=folds)


scores = {f"{name} alone": accuracies(views.subset([name])) for name in views.names}
scores["all three"] = accuracies(views)

# %%
# Now a third of the (digit, view) pairs is hidden at random; every digit keeps at least one view.
# A digit that has lost its pixels can still be told by the other two. To compare: keep only the
# digits that have all three views, and most of the data are gone.

gappy = hide_views(views, share=1 / 3, pattern="random", seed=0)
scores["all three, a third hidden"] = accuracies(gappy)

complete = gappy.observed.all(axis=1)
print(f"{complete.sum()} of {len(views)} digits still have all three views")

# %%
# With the gaps a view alone can only speak about the digits that have it. The others must be
# guessed, and one guess in ten is right. Hiding costs every single view more than all three.

for name in views.names:
    seen = gappy.observed_in(name)
    right = cross_val_score(model, views.subset([name])[seen], y[seen], cv=folds)
    scores[f"{name} alone, a third hidden"] = seen.mean() * right + (1 - seen.mean()) * 0.1

for name, values in scores.items():
    print(f"{name:<30} {values.mean():.3f}")

# %%
# The same in a picture.

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
groups = [*views.names, "all three"]
places = np.arange(len(groups))
keys = [f"{name} alone" for name in views.names] + ["all three"]
for offset, suffix, colour, label in (
    (-0.2, "", "#0072b2", "every view observed"),
    (0.2, ", a third hidden", "#e69f00", "a third of the views hidden"),
):
    heights = [scores[key + suffix].mean() for key in keys]
    bars = axes.bar(places + offset, heights, width=0.38, color=colour, label=label)
    axes.bar_label(bars, fmt="%.2f", fontsize=8)
axes.axhline(0.1, color="grey", linestyle=":", linewidth=1)
axes.annotate("chance", (1, 0.1), xycoords=("axes fraction", "data"), va="center", color="grey")
axes.set(xticks=places, xticklabels=groups, ylim=(0, 1.12), ylabel="cross-validated accuracy")
axes.legend(frameon=False, ncols=2, loc="upper left", fontsize=8)
axes.spines[["top", "right"]].set_visible(False)
plt.show()
