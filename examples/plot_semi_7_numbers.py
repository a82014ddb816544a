"""
CoRLSRegressor, CoTrainingRegressor: numbers in place of classes
================================================================

How far diabetes has progressed a year later is a number, known for few people and asked for all.
One view has what is seen of a person, the other what is measured in the blood. Two methods learn
from people without the number as well; :class:`manyviews.mkl.TargetAlignmentRegressor` weighs
kernels of the views and learns from the labelled alone.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score

from manyviews import Views
from manyviews.mkl import TargetAlignmentRegressor
from manyviews.semi_supervised import CoRLSRegressor, CoTrainingRegressor

X, truth = load_diabetes(return_X_y=True)
views = Views({"person": X[:, :4], "blood": X[:, 4:]})

# %%
# In ``y``, NaN stands where the number is not known. Five draws of who is known; the score is the
# share of variance explained among all others, which is below zero if the mean would do better.
# Pools of 100 and 30 rounds, in place of the default's larger ones, keep this short.

models = {
    "CoRLSRegressor": CoRLSRegressor(),
    "CoTrainingRegressor": CoTrainingRegressor(pool_size=100, max_iter=30, random_state=0),
    "TargetAlignmentRegressor": TargetAlignmentRegressor(),
}
sizes = [20, 40, 80, 160]
scores = {name: [] for name in [*models, "ridge, views side by side"]}
for n_known in sizes:
    found = {name: [] for name in scores}
    for seed in range(5):
        known = np.random.default_rng(seed).permutation(len(truth))[:n_known]
        rest = np.setdiff1d(np.arange(len(truth)), known)
        y = np.full(len(truth), np.nan)
        y[known] = truth[known]
        for name, model in models.items():
            predicted = model.fit(views, y).predict(views[rest])
            found[name].append(r2_score(truth[rest], predicted))
        ridge = RidgeCV(np.logspace(-3, 3, 13)).fit(X[known], truth[known])
        found["ridge, views side by side"].append(ridge.score(X[rest], truth[rest]))
    for name, values in found.items():
        scores[name].append(np.mean(values))

for name, values in scores.items():
    print(f"{name:<26}" + "".join(f"{value:>7.2f}" for value in values))

# %%
# A plain ridge regression stands beside them, and here none beats it: the number is a nearly linear
# function of all ten measurements, and neither view is enough alone. So always compare. Of the
# three, ``CoRLSRegressor`` is the one for few numbers, and ``TargetAlignmentRegressor`` for many.

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
for (name, values), colour in zip(
    scores.items(), ("#0b5c86", "#c8553d", "#7fb069", "0.4"), strict=True
):
    axes.semilogx(sizes, values, "o-", color=colour, ms=4, label=name, base=2)
axes.set_xticks(sizes, [str(size) for size in sizes])
axes.set(xlabel="people whose number is known", ylabel="variance explained in the others")
axes.legend(frameon=False, fontsize=9)
axes.spines[["top", "right"]].set_visible(False)
plt.show()
