"""
CoEMMixture: papers by what they say and whom they cite
=======================================================

A text says what it is about, and it also says how it is written. A list of references says what it
is about, and also how old it is. :class:`manyviews.cluster.CoEMMixture` fits a mixture to each
view and lets each learn from what the other believes, so that what only one view knows dies out and
what both know remains.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.cluster import CoEMMixture, Multinomial
from manyviews.metrics import cluster_entropy

rng = np.random.default_rng(0)
n_papers, n_fields = 800, 4
field = rng.integers(n_fields, size=n_papers)
style = rng.integers(4, size=n_papers)  # seen in the words only
decade = rng.integers(4, size=n_papers)  # seen in the references only

# %%
# A paper has about sixty words: three in five depend on the style of its author, two in five on
# its field. It has about eight references: three in five depend on the field, two in five on the
# decade. Every fifth paper has no references at all, and of every tenth the references are unknown.
# Co-EM takes both.


def draw(first, second, share, size, length):
    """Counts whose probabilities mix those of two groupings."""
    one, two = (rng.dirichlet(np.full(size, 0.05), size=4) for _ in range(2))
    mixed = share * one[first] + (1 - share) * two[second]
    return np.stack([rng.multinomial(n, p) for n, p in zip(length, mixed, strict=True)])


words = draw(field, style, 0.4, 400, rng.poisson(60, size=n_papers))
lengths = rng.poisson(8, size=n_papers) * (rng.random(n_papers) > 0.2)
references = draw(field, decade, 0.6, 200, lengths)
views = Views(
    {"words": words, "references": references},
    observed={"references": rng.random(n_papers) > 0.1},
)
print(views)

# %%
# Each view alone, both side by side, and co-EM. How many bits are still missing to name the field,
# the style and the decade: 0 if the clusters tell it, 2 if they tell nothing. Every fit is the best
# of ten starts by its own objective.

settings = {"n_components": n_fields, "likelihood": Multinomial(alpha=0.01), "random_state": 0}
side_by_side = np.hstack([words, np.where(views.observed[:, [1]], references, 0)])
both = np.flatnonzero(views.observed.all(axis=1) & (references.sum(axis=1) > 0))
contenders = {
    "words": (views.subset(["words"]), slice(None)),
    "references": (views[both].subset(["references"]), both),
    "side by side": (side_by_side, slice(None)),
    "co-EM": (views, slice(None)),
}
bits, models = {}, {}
for name, (data, papers) in contenders.items():
    models[name] = CoEMMixture(**settings).fit(data)
    found = models[name].labels_
    bits[name] = [cluster_entropy(truth[papers], found) for truth in (field, style, decade)]
    print(f"{name:<14}" + "".join(f"{value:6.2f}" for value in bits[name]))

# %%
# Side by side the many words decide, and they are about the style: the likelihood is right, it is
# the question that is wrong. Co-EM asks for what both views can agree on, and that is the field
# alone. The right panel shows how it goes: random mixtures have no opinion to disagree about; then
# the views form some, clash, and settle on those that they can share.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
positions = np.arange(len(bits))
colours = ["#0b5c86", "#e69f00", "#b8b0a0"]
for place, (truth, colour) in enumerate(zip(("field", "style", "decade"), colours, strict=True)):
    known = [2.0 - values[place] for values in bits.values()]
    left.bar(positions + 0.27 * (place - 1), known, 0.25, color=colour, label=truth)
left.axhline(2.0, color="grey", linewidth=0.8, linestyle=":")
left.set_xticks(positions, [name.replace(" ", "\n", 1) for name in bits])
left.set_ylabel("bits the clusters tell, of 2")
left.legend(frameon=False, ncols=3, fontsize=9, loc="lower right", bbox_to_anchor=(1, 0.99))

model = models["co-EM"]
sweeps = np.arange(model.n_iter_ + 1)
right.plot(sweeps, model.disagreement_history_ / n_papers, color="#0b5c86")
right.set_xlabel("sweep")
right.set_ylabel("disagreement per paper", color="#0b5c86")
other = right.twinx()
other.plot(sweeps, model.objective_history_ / n_papers, color="#e69f00")
other.set_ylabel("objective per paper", color="#e69f00")
for axes in (left, right, other):
    axes.spines["top"].set_visible(False)
left.spines["right"].set_visible(False)
plt.show()

# %%
# New papers are placed by whatever is known of them, be it one view.

some = views[:5]
print(model.predict(some), model.predict({"words": None, "references": references[:5]}))
