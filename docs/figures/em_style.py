"""How EM leaves the classes for something else that most of the words follow."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import MultinomialNB

from manyviews.semi_supervised import CoEMClassifier, NaiveBayesEM

n_papers, n_labelled, n_fields = 600, 20, 4
models = {
    "co-EM": CoEMClassifier(MultinomialNB(alpha=0.1), max_iter=100, tol=0.1),
    "naive Bayes EM, λ = 1": NaiveBayesEM(alpha=0.1),
    "naive Bayes EM, λ = 0.01": NaiveBayesEM(alpha=0.1, weight=0.01),
    "labelled papers only": NaiveBayesEM(alpha=0.1, weight=0),
}
styles = {
    "co-EM": {"color": "#0072b2", "linewidth": 2},
    "naive Bayes EM, λ = 1": {"color": "#e69f00"},
    "naive Bayes EM, λ = 0.01": {"color": "#e69f00", "linestyle": "--"},
    "labelled papers only": {"color": "#8a8378", "linestyle": ":"},
}


def draw(rng, field, other, share, size, length):
    one, two = (rng.dirichlet(np.full(size, 0.08), size=n_fields) for _ in range(2))
    mixed = (1 - share) * one[field] + share * two[other]
    return np.stack([rng.multinomial(length, p) for p in mixed])


def accuracies(share, seed):
    rng = np.random.default_rng(seed)
    field, style, decade = (rng.integers(n_fields, size=n_papers) for _ in range(3))
    words = draw(rng, field, style, share, size=400, length=15)
    references = draw(rng, field, decade, 0.3, size=200, length=4)
    labels = np.where(np.arange(n_papers) < n_labelled, field, -1)
    found = {name: model.fit([words, references], labels) for name, model in models.items()}
    return [(each.transduction_ == field)[n_labelled:].mean() for each in found.values()]


shares = np.arange(0, 0.91, 0.15)
found = np.array([[accuracies(share, seed) for seed in range(2)] for share in shares])
figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for name, means in zip(models, found.mean(axis=1).T, strict=True):
    axes.plot(shares, means, label=name, **styles[name])
axes.set(xlabel="share of the words that follow the style", ylabel="accuracy", ylim=(0, 1.03))
axes.legend(frameon=False, fontsize=9, loc="lower left")
axes.spines[["top", "right"]].set_visible(False)
