"""
ViewSubsetEnsemble: a vote of subsets of the views
==================================================

Four views have fifteen subsets. Train a classifier for each and let them vote: does that beat one
classifier that sees all views side by side? And what if a new object lacks views? Then the subsets
that need them are silent, and the others decide. This is
:class:`~manyviews.ensemble.ViewSubsetEnsemble`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from manyviews import Views
from manyviews.datasets import hide_views, load_digits_views
from manyviews.ensemble import HyperplaneKNN, MultiRepresentedKNN, ViewSubsetEnsemble

# %%
# Digits as their upper half, their lower half, the strengths of their waves, and the ink in rows
# and columns. No view tells all digits, and 150 of them are few to learn from. To see more than an
# accident, there are three such samples.

digits, y = load_digits_views()
views = Views(
    {
        "upper": digits["pixels"][:, :32],
        "lower": digits["pixels"][:, 32:],
        "fourier": digits["fourier"],
        "profiles": digits["profiles"],
    }
)
order = np.random.default_rng(0).permutation(len(views))
samples, test = [order[start : start + 150] for start in range(0, 450, 150)], order[-500:]
knn = HyperplaneKNN([3, 7, 15], [1.0, 10.0], standardize=True, hyperplanes="joint")
print(views)


def error(labels):
    return 100 * np.mean(labels != y[test])


# %%
# With ``selection="random"`` and room for all, every subset is a member. Given in the order of
# their left-out errors, the best come first; ``staged_predict`` tells what the ensemble says when
# the first has joined, the first two, and so on. The rule can be changed after training.

side_by_side, ensembles = [], []
curves = {"vote": [], "crv": []}
for rows in samples:
    every = ViewSubsetEnsemble(knn, "all", "random", max_members=15).fit(views[rows], y[rows])
    ranked = [every.subsets_[place] for place in np.argsort(every.errors_, kind="stable")]
    every = ViewSubsetEnsemble(knn, ranked, "random", max_members=15).fit(views[rows], y[rows])
    for combine, curve in curves.items():
        stages = every.set_params(combine=combine).staged_predict(views[test])
        curve.append([error(labels) for labels in stages])
    ensembles.append(every.set_params(combine="vote"))
    side_by_side.append(clone(knn).fit(views[rows], y[rows]))

curves = {combine: np.mean(curve, axis=0) for combine, curve in curves.items()}
together = np.mean([error(model.predict(views[test])) for model in side_by_side])
for combine, curve in curves.items():
    print(f"{combine}: {curve[0]:.1f} % wrong by the best subset, {curve[-1]:.1f} % by all")
print(f"side by side: {together:.1f} %")

# %%
# Now hide views of the new objects. Most classifiers of views side by side need something to stand
# in for them, say the mean of the view; ``HyperplaneKNN`` can also measure distances in the views
# that are there.

shares = [0.0, 0.15, 0.3, 0.45, 0.6]
with_gaps = {"vote of all subsets": [], "distance in views there": [], "gaps filled by means": []}
for share in shares:
    hidden = hide_views(views[test], share, seed=1)
    found = {name: [] for name in with_gaps}
    for rows, ensemble, single in zip(samples, ensembles, side_by_side, strict=True):
        filled = {
            name: np.where(
                hidden.observed_in(name)[:, None], matrix, views[name][rows].mean(axis=0)
            )
            for name, matrix in hidden.items()
        }
        found["vote of all subsets"].append(error(ensemble.predict(hidden)))
        found["distance in views there"].append(error(single.predict(hidden)))
        found["gaps filled by means"].append(error(single.predict(filled)))
    for name, line in found.items():
        with_gaps[name].append(np.mean(line))

# %%
# Left: the vote gains on the best subset and ends where all views side by side are. Right: why one
# may want it all the same. With gaps it errs far less than a classifier whose gaps are filled, and
# as little as one that was made for gaps. The ensemble can do so with *any* classifier.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
for (combine, curve), colour in zip(curves.items(), ("#0b5c86", "#c8553d"), strict=True):
    left.plot(range(1, 16), curve, "o-", color=colour, markersize=4, label=combine)
left.axhline(together, color="0.4", linestyle="--", label="all views side by side")
left.set(xlabel="members, best first", ylabel="error on new objects, %", ylim=(0, 10))
left.set_title("as members join", loc="left", fontsize=10)
left.legend(frameon=False, loc="lower left")
for (name, line), colour in zip(with_gaps.items(), ("#0b5c86", "#7fb069", "0.4"), strict=True):
    right.plot(shares, line, "o-", color=colour, markersize=4, label=name)
right.set(xlabel="share of the views that new objects lack", ylim=(0, None))
right.set_title("as views are missing", loc="left", fontsize=10)
right.legend(frameon=False)
plt.show()

# %%
# :class:`~manyviews.ensemble.MultiRepresentedKNN` needs no members: each view finds neighbours of
# its own and has the more say, the more these agree. It takes gaps as they are.

neighbours = [MultiRepresentedKNN().fit(views[rows], y[rows]) for rows in samples]
by_neighbours = [np.mean([error(m.predict(X)) for m in neighbours]) for X in (views[test], hidden)]
print("MultiRepresentedKNN: {:.1f} % wrong, {:.1f} % with gaps".format(*by_neighbours))
