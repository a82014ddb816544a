"""
BayesianCoTraining: two sensors and what is known of them
=========================================================

:class:`~manyviews.acquire.BayesianCoTraining` fits a logistic regression to every view and lets
them agree where an object is seen by several. What it keeps is more than its answers: a Gaussian
posterior of all weights, whose entropy says in one number how much is still unknown.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.acquire import BayesianCoTraining

# %%
# Two sensors look at 300 places, a wide one with sixty features and a narrow one with nine, as in
# the campaign of Krishnapuram et al. (2005), only smaller. Each place has a class that both can see
# through their own noise. The narrow sensor has not been to the labelled places: alone, it cannot
# learn anything.

WIDTHS = {"wide": 60, "narrow": 9}


def campaign(seed, n_labelled=20):
    rng = np.random.default_rng(seed)
    truth = np.arange(300) % 2
    views = {
        name: rng.standard_normal((300, width))
        + 4.0 / np.sqrt(width) * (truth[:, None] - 0.5) * rng.choice([-1, 1], width)
        for name, width in WIDTHS.items()
    }
    labelled = np.arange(300) < n_labelled
    observed = np.column_stack([np.ones(300, dtype=bool), ~labelled])
    return Views(views, observed=observed), np.where(labelled, truth, -1), truth


# %%
# The coupling decides how much the sensors listen to each other. Without any, the narrow one is at
# chance. With a little it already leans the right way: what the wide one says of the other 280
# places, right or wrong, is enough to find few weights, and it gets better than its teacher. But it
# says so timidly, and the mean of both sensors is still the wide one. With more coupling it speaks
# up, and the mean gains. Too much asks for functions on which both agree exactly, noise included:
# all get worse.

couplings = 10.0 ** np.arange(-3, 3)
right = {name: [] for name in (*WIDTHS, "both")}
for coupling in (0.0, *couplings):
    scores = {name: [] for name in right}
    for seed in range(4):
        views, y, truth = campaign(seed)
        model = BayesianCoTraining(coupling, 0.0, update_hyperparameters=False).fit(views, y)
        asked = y == -1
        for name, shares in model.view_probabilities(views).items():
            scores[name].append(np.mean(shares[asked].argmax(axis=1) == truth[asked]))
        scores["both"].append(np.mean(model.predict(views)[asked] == truth[asked]))
    for name, found in scores.items():
        right[name].append(np.mean(found))

figure, (left, middle) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
colours = {"wide": "#0072b2", "narrow": "#d55e00", "both": "black"}
for name, found in right.items():
    left.semilogx(couplings, found[1:], "o-", color=colours[name], ms=4, label=name)
    left.axhline(found[0], color=colours[name], lw=0.8, ls=":")
left.set(xlabel="coupling (dotted: none)", ylabel="accuracy without a label", ylim=(0.4, 1.0))
left.legend(frameon=False, fontsize=9)

# %%
# Every label makes the posterior narrower. Its entropy falls by half a nat with each of the first
# labels and by a quarter of that with each of the last (the axis doubles): labels of places like
# those that are known tell less. That difference is what a plan of what to ask next is made of.

numbers = [4, 8, 16, 32, 64, 128]
entropies = []
for number in numbers:
    views, y, _ = campaign(0, 128)
    y[number:] = -1
    model = BayesianCoTraining(1.0, update_hyperparameters=False).fit(views, y)
    entropies.append(model.posterior_.entropy())
middle.semilogx(numbers, entropies, "o-", color="black", ms=4, base=2)
middle.set(xlabel="labels", ylabel="entropy of the weights (nats)")
middle.set_xticks(numbers, numbers)
for axes in (left, middle):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
