"""Draw the worth of unlabelled objects, by the number of labels."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import MultinomialNB

from manyviews.datasets import make_token_views
from manyviews.semi_supervised import CoEMClassifier, NaiveBayesEM

n_objects, n_labels = 3000, np.array([10, 20, 40, 80, 320, 1280])
models = {
    "naive Bayes EM": NaiveBayesEM(),
    "co-EM": CoEMClassifier(MultinomialNB(), tol=0.1),
    "labelled objects only": NaiveBayesEM(weight=0),
}
styles = {
    "naive Bayes EM": {"color": "#e69f00", "marker": "o"},
    "co-EM": {"color": "#0072b2", "marker": "s"},
    "labelled objects only": {"color": "#8a8378", "marker": "^"},
}


def accuracies(model, seed):
    views, y = make_token_views(
        n_objects, 10, vocabulary=500, class_vocabulary=200, n_tokens=(7, 7), random_state=seed
    )
    order = np.argsort(np.arange(n_objects) - 10.0 * n_objects * first_of_each(y))
    views, y = views[order], y[order]
    found = []
    for count in n_labels:
        labels = np.where(np.arange(n_objects) < count, y, -1)
        found.append((model.fit(views, labels).transduction_ == y)[n_labels[-1] :].mean())
    return found


def first_of_each(y):
    """Mark one object of each class, so that every class is labelled."""
    first = np.zeros(len(y))
    first[np.unique(y, return_index=True)[1]] = 1
    return first


figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for name, model in models.items():
    means = np.mean([accuracies(model, seed) for seed in range(3)], axis=0)
    axes.semilogx(n_labels, means, label=name, markersize=4, **styles[name])
axes.set_xticks(n_labels, n_labels)
axes.minorticks_off()
axes.set(xlabel=f"labelled objects of {n_objects:,}", ylabel="accuracy", ylim=(0, 1.03))
axes.legend(frameon=False, fontsize=9, loc="lower right")
axes.spines[["top", "right"]].set_visible(False)
