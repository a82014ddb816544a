"""
SubspaceFeatures: features from unlabelled pairs
================================================

Ten classes, a hundred labels, and thousands of objects without any. Each object has two short
texts. :class:`manyviews.embed.SubspaceFeatures` asks each text what the other one is about, a
question that needs no label, and keeps the few directions in which it can be answered: if the
texts have only their class in common, these directions tell the class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from manyviews.datasets import make_token_views
from manyviews.embed import LogLinearMixtureFeatures, SubspaceFeatures

N_LABELLED, N_TEST = 100, 1000
views, y = make_token_views(
    12_000, vocabulary=400, class_vocabulary=150, consecutive=True, random_state=0
)
labelled, test = slice(N_LABELLED), slice(N_LABELLED, N_LABELLED + N_TEST)
print(views)

# %%
# A linear classifier that has the words only learns from the labelled objects.

words = LogisticRegression().fit(views[labelled].concatenate(), y[labelled])
print(f"words: {words.score(views[test].concatenate(), y[test]):.2f}")

# %%
# The same classifier with the learnt features beside the words. The test objects are left out of
# ``fit``; how many objects without a label it has makes the difference.

sizes = [0, 300, 1000, 3000, 10_900]
accuracy = []
for n_unlabelled in sizes:
    training = np.r_[:N_LABELLED, N_LABELLED + N_TEST : N_LABELLED + N_TEST + n_unlabelled]
    known = np.where(training < N_LABELLED, y[training], -1)
    features = SubspaceFeatures().fit(views[training], known)  # as many as classes in each view
    model = LogisticRegression().fit(features.transform(views[labelled]), y[labelled])
    accuracy.append(model.score(features.transform(views[test]), y[test]))
    print(f"{n_unlabelled:>6} unlabelled: {accuracy[-1]:.2f}")

# %%
# How well the first text predicts which word leads the second one, in each of its directions. The
# first direction is the intercept; then come as many as there are classes less one, and after
# them there is a step down to what chance finds.

many = SubspaceFeatures(20).fit(views)
strength = many.singular_values_["first"]

# %%
# Left, what the objects without labels are worth; middle, the step; right, the test objects by two
# features of the first text, which no label has made.

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
left.plot(range(len(sizes)), accuracy, "o-", color="#0b5c86", label="words and features")
left.axhline(words.score(views[test].concatenate(), y[test]), color="#c8641e", label="words alone")
left.set_xticks(range(len(sizes)), [f"{size:,}" for size in sizes])
left.set(xlabel="objects without a label", ylabel="test accuracy", ylim=(0, 1.02))
left.legend(frameon=False, loc="lower right")

middle.bar(range(1, 21), strength, color=["#0b5c86"] * 10 + ["#c9c2b4"] * 10)
middle.set(xlabel="direction", ylabel="canonical correlation", xticks=[1, 10, 20])

shown = many.transform_views(views[test])["first"]
right.scatter(shown[:, 1], shown[:, 2], c=y[test], cmap="tab10", s=8)
right.set(xlabel="second feature", ylabel="third feature", xticks=[], yticks=[])
for axes in (left, middle, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# :class:`manyviews.embed.LogLinearMixtureFeatures` learns the same kind of features from the
# probabilities of classes rather than from directions. It takes longer, and has 2,000 objects here.

training = np.r_[:N_LABELLED, N_LABELLED + N_TEST : N_LABELLED + N_TEST + 2000]
mixture = LogLinearMixtureFeatures(random_state=0)
mixture.fit(views[training], np.where(training < N_LABELLED, y[training], -1))
model = LogisticRegression().fit(mixture.transform(views[labelled]), y[labelled])
mixture_accuracy = model.score(mixture.transform(views[test]), y[test])
print(f"log-linear mixture, 2,000 unlabelled: {mixture_accuracy:.2f}")
