"""
NaiveBayesEM: when unlabelled texts help, and when they hurt
============================================================

:class:`~manyviews.semi_supervised.NaiveBayesEM` fits one model to labelled and unlabelled objects
alike. If the classes are what the model sees in the data, unlabelled objects are nearly as good as
labelled ones. If it sees something else, they pull it there. The weight λ of an unlabelled object
says how far.

Six hundred papers of four fields, twenty of them labelled. Their words follow the field and, for
a share of them, the style of the author; their references follow the field and the decade.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.naive_bayes import MultinomialNB

from manyviews.metrics import adjusted_rand_score
from manyviews.semi_supervised import CoEMClassifier, NaiveBayesEM

n_papers, n_labelled, n_fields = 600, 20, 4


def draw(rng, field, other, share, size, length):
    one, two = (rng.dirichlet(np.full(size, 0.08), size=n_fields) for _ in range(2))
    mixed = (1 - share) * one[field] + share * two[other]
    return np.stack([rng.multinomial(length, p) for p in mixed])


def papers(share, seed):
    rng = np.random.default_rng(seed)
    field, style, decade = (rng.integers(n_fields, size=n_papers) for _ in range(3))
    words = draw(rng, field, style, share, size=400, length=15)
    references = draw(rng, field, decade, 0.3, size=200, length=4)
    return {"words": words, "references": references}, field, style


# %%
# Accuracy on the unlabelled papers, for several weights. At λ = 0 this is plain naive Bayes.

weights = np.array([0, 0.003, 0.01, 0.03, 0.1, 0.3, 1])
shares = {"half of the words": 0.5, "70 % of the words": 0.7}


def accuracy(model, X, field):
    labels = np.where(np.arange(n_papers) < n_labelled, field, -1)
    found = model.fit(X, labels).transduction_
    return (found == field)[n_labelled:].mean()


em, co_em = {}, {}
for name, share in shares.items():
    samples = [papers(share, seed) for seed in range(4)]
    em[name] = np.array(
        [
            [accuracy(NaiveBayesEM(weight=w, alpha=0.1), X, field) for w in weights]
            for X, field, _ in samples
        ]
    )
    member = MultinomialNB(alpha=0.1)
    co_em[name] = np.mean(
        [accuracy(CoEMClassifier(member, tol=0.05), X, field) for X, field, _ in samples]
    )

# %%
# Where the model went in the second case: to the style, which most of the words follow.

X, field, style = papers(0.7, seed=0)
labels = np.where(np.arange(n_papers) < n_labelled, field, -1)
agreement = {}
for weight in (0, 1):
    found = NaiveBayesEM(weight=weight, alpha=0.1).fit(X, labels).transduction_
    agreement[weight] = adjusted_rand_score(field, found), adjusted_rand_score(style, found)
    print(f"λ = {weight}: like the field {agreement[weight][0]:.2f}, ", end="")
    print(f"like the style {agreement[weight][1]:.2f}")

# %%
# Co-EM (:class:`~manyviews.semi_supervised.CoEMClassifier`) has the same naive Bayes in each view,
# but each view learns from the other. The references know nothing of the style, so that the words
# are never taught it.

figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.4), layout="constrained", sharey=True)
places = np.arange(len(weights))
for axes, name in zip(panels, shares, strict=True):
    mean, spread = em[name].mean(axis=0), em[name].std(axis=0)
    axes.axhline(co_em[name], color="#0072b2", linestyle="--", label="co-EM")
    axes.axhline(mean[0], color="#b8b0a0", label="labelled papers only")
    axes.fill_between(places, mean - spread, mean + spread, color="#e69f00", alpha=0.2, lw=0)
    axes.plot(places, mean, "o-", color="#e69f00", label="naive Bayes EM")
    axes.set_xticks(places, [f"{w:g}" for w in weights])
    axes.set(title=f"{name} follow the style", xlabel="λ, weight of an unlabelled paper")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set(ylabel="accuracy", ylim=(0.2, 1.03))
panels[1].legend(frameon=False, loc="center right", bbox_to_anchor=(1.0, 0.72), fontsize=9)
plt.show()
