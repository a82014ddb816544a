"""
IncompleteRBF: learning with half the sensors missing
=====================================================

Four sensors look for buried objects, and hardly any place is seen by all of them. Usually the gaps
are filled and the kernel is computed as if nothing had happened. A filled value looks as sure as
a measured one, though it may be far from anything that ever occurs.
:class:`manyviews.similarity.IncompleteRBF` takes the mean of the kernel over all that could stand
in the gaps.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from manyviews import Views
from manyviews.datasets import hide_views
from manyviews.similarity import (
    RBF,
    ConditionalMeanImputer,
    IncompleteGaussianMixture,
    IncompleteRBF,
    KernelFeatures,
    UnconditionalMeanImputer,
)

# %%
# Objects are of nine kinds, which lie on a board; mines are the dark squares. Each sensor measures
# one direction, twice and with noise: none of them can tell mines from clutter alone.

DIRECTIONS = {"radar": (1, 0), "infrared": (0, 1), "acoustic": (0.7, 0.7), "magnetic": (0.7, -0.7)}


def survey(n_objects, rng):
    squares = rng.integers(3, size=(n_objects, 2))
    places = 2.0 * (squares - 1) + 0.35 * rng.standard_normal((n_objects, 2))
    sensors = {}
    for name, direction in DIRECTIONS.items():
        signal = places @ np.array(direction)
        noise = 0.25 * rng.standard_normal((n_objects, 2))
        sensors[name] = np.column_stack([signal, signal / 2]) + noise
    return Views(sensors), squares.sum(axis=1) % 2


# %%
# The same classifier three times, and once more on what nobody has: complete objects. Mixtures and
# means are learnt from the training objects, gaps and all, inside the pipeline.

SIGMA = 1.0


def classifier():
    return LogisticRegression(C=10.0, max_iter=1000)


usual = KernelFeatures(RBF(gamma=0.5 / SIGMA**2))
models = {
    "kernel integrated over the gaps": make_pipeline(
        KernelFeatures(IncompleteRBF(sigma=SIGMA)), classifier()
    ),
    "gaps filled with conditional means": make_pipeline(
        ConditionalMeanImputer(), usual, classifier()
    ),
    "gaps filled with means": make_pipeline(UnconditionalMeanImputer(), usual, classifier()),
}
shares = [0.0, 0.15, 0.3, 0.45, 0.6, 0.75]
n_trials, n_training = 4, 200
curves = {name: np.empty((n_trials, len(shares))) for name in ["complete objects", *models]}
for trial in range(n_trials):
    complete, mines = survey(500, np.random.default_rng(trial))
    known, unknown = slice(0, n_training), slice(n_training, None)
    for place, share in enumerate(shares):
        gappy = hide_views(complete, share, seed=trial)
        for name in curves:
            views = complete if name == "complete objects" else gappy
            model = models.get(name) or make_pipeline(usual, classifier())
            model.fit(views[known], mines[known])
            chances = model.predict_proba(views[unknown])[:, 1]
            curves[name][trial, place] = roc_auc_score(mines[unknown], chances)

print(f"{'share of sensors missing':<36}" + "".join(f"{share:>7.0%}" for share in shares))
for name, values in curves.items():
    print(f"{name:<36}" + "".join(f"{value:>7.2f}" for value in values.mean(axis=0)))

# %%
# Left: where a conditional mean puts objects of which only the radar is known. On a line, through
# squares of either kind; what lies above and below could as well be true. Bars show two standard
# deviations of the conditional distribution that the kernel is integrated over. Right: the price,
# as the area under the ROC curve on new objects that lack as much.

complete, mines = survey(400, np.random.default_rng(0))
mixture = IncompleteGaussianMixture().fit(complete)
radar = np.column_stack([np.linspace(-2.4, 2.4, 9), np.linspace(-1.2, 1.2, 9)])
given = mixture.conditional({"radar": radar})
filled = given.expected
spread = 2 * np.sqrt(given.covariances[given.pattern[0], 0, 2, 2])

figure, (board, scores) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for kind, colour, label in ((0, "#e8b06a", "clutter"), (1, "#0b5c86", "mine")):
    chosen = mines == kind
    board.scatter(
        complete["radar"][chosen, 0],
        complete["infrared"][chosen, 0],
        s=9,
        color=colour,
        label=label,
    )
board.errorbar(
    filled[:, 0],
    filled[:, 2],
    yerr=spread,
    fmt="X",
    markersize=7,
    color="#a03020",
    elinewidth=1,
    capsize=3,
    label="radar only, gap filled",
)
board.set(
    xlabel="radar", ylabel="infrared", title="What the gaps are filled with", ylim=(-4.2, 5.6)
)
board.legend(loc="upper center", ncols=3, fontsize=8, frameon=False)

colours = ["#888888", "#0b5c86", "#a03020", "#e8b06a"]
for (name, values), colour in zip(curves.items(), colours, strict=True):
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    scores.plot(shares, mean, "o-", color=colour, label=name)
    scores.fill_between(shares, mean - deviation, mean + deviation, color=colour, alpha=0.15, lw=0)
scores.set(xlabel="share of sensors missing", ylabel="AUC", title="Finding mines", ylim=(0.5, 1.02))
scores.legend(loc="lower left", fontsize=8, frameon=False)
for axes in (board, scores):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# With nothing missing all four are the same. Then the filled objects fall behind first, because
# each pretends to be somewhere; the integrated kernel says of two objects with gaps that they *may*
# be alike, and the classifier gives them the weight that this is worth. The last point shows the
# limit: with three of four sensors missing no two are ever seen together, so that nothing can be
# learnt of how they depend on each other, and the integrated kernel falls behind, too.
