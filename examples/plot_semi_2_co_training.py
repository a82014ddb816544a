"""
CoTraining, and what it never takes back
========================================

:class:`manyviews.semi_supervised.CoTraining` starts with two labels here. In each round the
classifier of each view labels the objects that it is surest of, and the others learn from them.
With two moons in one view and two lines in the other this goes well for most pairs of labels, and
completely wrong for some: what was labelled in the first round is never revised.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from manyviews.compose import LabelledOnly, MergeViews
from manyviews.datasets import make_two_moons_two_lines
from manyviews.semi_supervised import CoTraining, SelfTraining

views, y = make_two_moons_two_lines(200, random_state=0)

# %%
# A smooth classifier for the moons and a linear one for the lines. Twenty times, one object of
# each class is labelled; the pool and the number per round are those of Blum and Mitchell.

members = {
    "moons": GaussianProcessClassifier(RBF(1.0), optimizer=None),
    "lines": LogisticRegression(),
}


def co_train(labelled):
    labels = np.full(len(y), -1)
    labels[labelled] = y[labelled]
    as_published = {"pool_size": 75, "per_class": 1, "confirm": False}
    return CoTraining(members, **as_published, max_iter=20, random_state=0).fit(views, labels)


rng = np.random.default_rng(0)
pairs = [[rng.choice(np.flatnonzero(y == label)) for label in (0, 1)] for _ in range(20)]
models = [co_train(pair) for pair in pairs]
accuracies = np.array([np.mean(model.transduction_ == y) for model in models])
print("right in the 20 fits, in %:", *np.sort(100 * accuracies).round().astype(int))

# %%
# The record says who labelled what, when and how surely. In the worst fit both labels that the
# moons gave in the first round were wrong, hardly surer than chance and disputed by the lines; from
# the second round on the lines had learnt them and agreed.

best, worst = models[accuracies.argmax()], models[accuracies.argmin()]
print(worst.provenance_)


def share_wrong(model, number):
    record = model.provenance_[model.provenance_.round == number]
    return np.mean(record.label != y[record.object])


for name, model in {"best": best, "worst": worst}.items():
    print(name, "fit, share of wrong labels in rounds 1 to 5:", end=" ")
    print(*(f"{share_wrong(model, number):.2f}" for number in range(1, 6)))

# %%
# So disputes early in the record are a warning that needs no truth: there are more of them in the
# fits that went wrong.

early = np.array(
    [model.provenance_[model.provenance_.round <= 3].disputed.mean() for model in models]
)
print(
    f"disputed in rounds 1 to 3: {early[accuracies < 0.95].mean():.2f} of the labels in fits",
    end=" ",
)
print(f"that went wrong, {early[accuracies >= 0.95].mean():.2f} in the others")

# %%
# Both fits, after as many rounds: the two labels given (large), the labels added (small, crossed if
# wrong), and where each view's classifier draws its boundary.


def boundary(axes, model, view):
    matrix = views[view]
    low, high = matrix.min(axis=0) - 0.3, matrix.max(axis=0) + 0.3
    across, up = np.meshgrid(*(np.linspace(a, b, 80) for a, b in zip(low, high, strict=True)))
    points = np.column_stack([across.ravel(), up.ravel()])
    second = model.classifiers_[view].predict_proba(points)[:, 1].reshape(across.shape)
    axes.contourf(across, up, second, levels=[0, 0.5, 1], colors=["#dcebf5", "#fbeed2"])
    axes.contour(across, up, second, levels=[0.5], colors="#6b6255", linewidths=1)


def scatter(axes, model, view, labelled):
    matrix, record = views[view], model.provenance_
    colours = np.array(["#0072b2", "#d68900"])
    axes.scatter(*matrix.T, s=6, color="#c9c2b4")
    added = matrix[record.object]
    axes.scatter(*added.T, s=16, color=colours[record.label])
    axes.scatter(
        *matrix[labelled].T, s=110, color=colours[y[labelled]], edgecolor="black", zorder=3
    )
    wrong = record.label != y[record.object]
    axes.scatter(*added[wrong].T, s=30, marker="x", color="#a3123a", linewidth=0.9)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


figure, panels = plt.subplots(2, 2, figsize=(8, 6.4), layout="constrained")
for row, (name, place) in enumerate(
    {"best": accuracies.argmax(), "worst": accuracies.argmin()}.items()
):
    for axes, view in zip(panels[row], views.names, strict=True):
        boundary(axes, models[place], view)
        scatter(axes, models[place], view, pairs[place])
        axes.set_title(
            f"{name} fit ({accuracies[place]:.0%} right): {view}", fontsize=10, loc="left"
        )
plt.show()

# %%
# What helps: more labels to start from, and a look at the first rounds of the record. With five
# labels per class no fit of ten goes wrong.

more = [
    np.concatenate([rng.choice(np.flatnonzero(y == label), 5, replace=False) for label in (0, 1)])
    for _ in range(10)
]
with_more = np.array([np.mean(co_train(rows).transduction_ == y) for rows in more])
print(f"worst of 10 fits with five labels per class: {with_more.min():.2f}")

# %%
# Beside it, from the same labels: :class:`manyviews.semi_supervised.SelfTraining`, in which all
# views teach themselves together, and the classifier that learns from the labelled objects alone
# (:class:`manyviews.compose.LabelledOnly` leaves the others out).

beside = {
    "self-training": SelfTraining(members, random_state=0),
    "labels alone": LabelledOnly(make_pipeline(MergeViews(), LogisticRegression())),
}
right = {name: [] for name in beside}
for rows in more:
    labels = np.full(len(y), -1)
    labels[rows] = y[rows]
    for name, model in beside.items():
        right[name].append(model.fit(views, labels).score(views, y))
for name, scores in right.items():
    print(f"{name}: {np.mean(scores):.2f} right in the mean, {np.min(scores):.2f} in the worst fit")
