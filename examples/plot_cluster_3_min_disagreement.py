"""
MinDisagreementSpectral: what a few pairs teach
===============================================

Two labs have measured the same kind of object, each with its own instrument, and only a few objects
went through both. :class:`manyviews.cluster.MinDisagreementSpectral` clusters all of them: the
paired objects tie the two views together, and every other object is compared with the paired ones.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from manyviews import Views
from manyviews.cluster import FusedSpectral, MinDisagreementSpectral

# %%
# The second instrument sees the two kinds, but it also sees which of two batches an object comes
# from, and that much more clearly. The first sees the kinds only.

rng = np.random.default_rng(0)
n_objects = 400
kinds, batches = rng.integers(2, size=(2, n_objects))
first = np.column_stack([4 * kinds, np.zeros(n_objects)]) + rng.normal(size=(n_objects, 2))
second = np.column_stack([5 * batches, 3 * kinds]) + 0.7 * rng.normal(size=(n_objects, 2))


def measured(n_pairs):
    """The first objects in both views, the others in one by turns."""
    observed = np.ones((n_objects, 2), dtype=bool)
    others = np.arange(n_pairs, n_objects)
    observed[others, others % 2] = False
    return Views({"first": first, "second": second}, observed=observed)


views = measured(40)
print(views)

# %%
# Clustered alone, the second view falls into batches. Adding up the similarities of both views does
# not help: nothing is known of two objects that share no view, and so the clearest groups are the
# objects of one instrument and those of the other. Tied by 40 pairs, the kinds come out, also among
# the objects that only the second instrument has seen. This is so with a Gaussian, which compares
# every two objects. Where a graph of neighbours suits the data, as it does here, the sum of the
# graphs does as well.

only_second = ~views.observed_in("first")
models = {
    "second view alone": FusedSpectral(2, "rbf", random_state=0).fit(
        {"second": second[only_second]}
    ),
    "sum of the views": FusedSpectral(2, "rbf", random_state=0).fit(views),
    "tied by 40 pairs": MinDisagreementSpectral(2, "rbf", random_state=0).fit(views),
    "sum of the graphs": FusedSpectral(2, random_state=0).fit(views),
}
found = {
    name: model.labels_ if len(model.labels_) < n_objects else model.labels_[only_second]
    for name, model in models.items()
}
for name, labels in found.items():
    by_kind = adjusted_rand_score(kinds[only_second], labels)
    by_batch = adjusted_rand_score(batches[only_second], labels)
    print(f"{name:<20} agreement with kinds {by_kind:5.2f}, with batches {by_batch:5.2f}")

# %%
# How many pairs does it take? The score is that of the objects with the second view only.

counts = (4, 8, 12, 20, 40, 80, 200)
scores = []
for n_pairs in counts:
    views = measured(n_pairs)
    only_second = ~views.observed_in("first")
    labels = MinDisagreementSpectral(2, "rbf", random_state=0).fit_predict(views)
    scores.append(adjusted_rand_score(kinds[only_second], labels[only_second]))

# %%
# A new object needs one view, whichever it has.

model = models["tied by 40 pairs"]
new = {"first": [[4.2, 0.0], None], "second": [None, [4.8, 2.9]]}
print("two new objects of kind 1:", model.predict(new))
print("an old object of kind 1:", model.labels_[np.argmax(kinds)])

# %%
# The same objects under three clusterings, and the score against the number of pairs.

only_second = ~measured(40).observed_in("first")
figure, panels = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
for axes, (name, labels) in zip(panels[:3], found.items(), strict=False):
    colours = np.array(["#0072b2", "#e69f00"])[labels]
    axes.scatter(*second[only_second].T, c=colours, s=9)
    axes.set(title=name, xlabel="shows the batch", ylabel="shows the kind", xticks=[], yticks=[])
panels[3].plot(counts, scores, marker="o", color="#0072b2")
panels[3].set(
    title="seen in the second view only",
    xlabel="number of pairs",
    ylabel="agreement with the kinds",
    xscale="log",
    ylim=(-0.05, 1.05),
)
plt.show()

# %%
# It cannot help where the views depend on each other beyond the clusters: had the first instrument
# seen the batches too, they would be the clearest agreement between the views, and be found.
