"""Draw the cost of dependent views for co-training, and how large its pool should be."""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import MultinomialNB

from manyviews.datasets import make_token_views
from manyviews.semi_supervised import CoTraining, SelfTraining

n_objects, n_classes, n_seeds = 600, 4, 2
member = MultinomialNB(alpha=0.1)


def draw(dependency, seed):
    views, y = make_token_views(
        n_objects,
        n_classes,
        class_vocabulary=250,
        consecutive=True,
        dependency=dependency,
        random_state=seed,
    )
    rng = np.random.default_rng(seed)
    labels = np.full(n_objects, -1)
    for label in range(n_classes):
        labels[rng.choice(np.flatnonzero(y == label), 5, replace=False)] = label
    return views, y, labels


def accuracy(method, views, y, labels, **params):
    model = method(member, max_iter=None, random_state=0, **params).fit(views, labels)
    rest = labels < 0
    return np.mean(model.transduction_[rest] == y[rest])


def supervised(views, y, labels):
    few = labels >= 0
    model = CoTraining(member).fit(views[few], labels[few])
    return np.mean(model.predict(views[~few]) == y[~few])


def curve(measure, values):
    return [np.mean([measure(value, seed) for seed in range(n_seeds)]) for value in values]


published = partial(CoTraining, confirm=False)


def with_method(method):
    return lambda r, seed: accuracy(method, *draw(r, seed), pool_size=None, per_class=5)


def with_pool(per_class):
    return lambda size, seed: accuracy(
        published, *draw(0.0, seed), pool_size=size, per_class=per_class
    )


figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3), layout="constrained", sharey=True)
shares = [0, 0.25, 0.5, 0.75, 1]
left.plot(shares, curve(with_method(published), shares), color="#0072b2", label="co-training")
left.plot(shares, curve(with_method(SelfTraining), shares), color="#e69f00", label="self-training")
alone = curve(lambda r, seed: supervised(*draw(r, seed)), shares)
left.plot(shares, alone, color="grey", linestyle=":", label="labels only")
left.set(xlabel="dependency of the views", ylabel="accuracy", ylim=(0.2, 1.03))

sizes = [20, 40, 80, 160, 320, 580]
for per_class, colour in ((1, "#0072b2"), (5, "#56b4e9")):
    found = curve(with_pool(per_class), sizes)
    right.plot(sizes, found, color=colour, marker=".", label=f"per_class={per_class}")
right.set_xscale("log")
right.set_xticks(sizes, sizes)
right.minorticks_off()
right.set_xlabel("pool_size (580 is all)")
for axes in (left, right):
    axes.legend(frameon=False, fontsize=9, loc="center left" if axes is left else "lower right")
    axes.spines[["top", "right"]].set_visible(False)
