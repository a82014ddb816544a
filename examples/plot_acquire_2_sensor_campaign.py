"""
A sensor campaign: which object to visit next, and with what
============================================================

Objects in a field may be mines. A radar has passed most of them, a camera a few, and a handful has
been dug up. Every further answer costs: digging most, the camera less, the radar little.
:func:`~manyviews.acquire.plan` puts all of these questions into one list, by what each answer is
expected to tell a classifier for its price.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.acquire import BayesianCoTraining, plan

# %%
# The field: three kinds of soil, which both sensors see and which have nothing to do with mines,
# and a signal of the mines that is weak in each sensor.

COSTS = {"label": 30, "view": {"camera": 2, "radar": 1}}


def field(seed, n_objects=300):
    rng = np.random.default_rng(seed)
    mine = (rng.random(n_objects) < 0.4).astype(int)
    soil = rng.integers(3, size=n_objects)
    camera = rng.standard_normal((n_objects, 20)) + rng.standard_normal((3, 20))[soil]
    radar = rng.standard_normal((n_objects, 4)) + rng.standard_normal((3, 4))[soil]
    camera[:, :4] += 1.2 * mine[:, None]
    radar[:, :2] += [1.3, 1.0] * mine[:, None]
    return Views({"camera": camera, "radar": radar}), mine


def first_knowledge(mine, seed):
    """Four objects of each class dug up, 30 % photographed, 70 % or more passed by the radar."""
    rng = np.random.default_rng(100 + seed)
    dug = np.concatenate([rng.choice(np.flatnonzero(mine == c), 4, replace=False) for c in (0, 1)])
    y = np.full(len(mine), -1)
    y[dug] = mine[dug]
    seen = rng.random((len(mine), 2)) < [0.3, 0.7]
    seen[~seen.any(axis=1), 1] = True
    return y, seen


# %%
# A hundred units of money, and what they buy. The gain of each question is what it adds to those
# above it: after one mine of a kind has been dug up, its neighbour is worth less.

truth_views, mine = field(0)
y, seen = first_knowledge(mine, 0)
model = BayesianCoTraining().fit(Views(truth_views, observed=seen), y)
first = plan(model, Views(truth_views, observed=seen), y, budget=100, costs=COSTS)
print(first)

# %%
# The campaign goes on: ask, measure, fit again, four rounds of a hundred. Beside it one that only
# digs, and both once more with questions drawn at random for the same money. What counts here is
# how well the classifier tells all objects of the field, with both sensors, at the end.


def random_questions(model, views, y, budget, kinds, rng):
    possible = plan(model, views, y, np.inf, COSTS, kinds, diverse=False)
    chosen = []
    for place in rng.permutation(len(possible)):
        if possible[place].cost <= budget:
            chosen.append(possible[place])
            budget -= possible[place].cost
    return chosen


def campaign(kinds, planned, seed, rounds=4, budget=100):
    whole, mine = field(seed)
    y, seen = first_knowledge(mine, seed)
    rng = np.random.default_rng(seed)
    scores = []
    for _ in range(rounds + 1):
        views = Views(whole, observed=seen)
        model = BayesianCoTraining().fit(views, y)
        right = model.predict(whole) == mine
        scores.append(np.mean([right[mine == c].mean() for c in (0, 1)]))
        if planned:
            actions = plan(model, views, y, budget, COSTS, kinds)
        else:
            actions = random_questions(model, views, y, budget, kinds, rng)
        for action in actions:
            if action.kind == "label":
                y[action.row] = mine[action.row]
            else:
                seen[action.row, whole.names.index(action.view)] = True
    return scores


ways = {
    "planned": (("label", "view"), True, "#0072b2"),
    "planned digs": (("label",), True, "#009e73"),
    "random digs": (("label",), False, "#cc79a7"),
    "random": (("label", "view"), False, "#d55e00"),
}
curves = {
    how: np.array([campaign(kinds, planned, seed) for seed in range(8)])
    for how, (kinds, planned, _) in ways.items()
}

# %%
# On the left, each question of the first plan: its price is its width, so that areas are nats. On
# the right, the mean of eight fields, with its standard error. For the same money, planned
# questions end some eight points above random ones. A campaign that only digs, at the planned
# places, comes close: most of what is told is told by digging, and most of the money goes there.
# Information about the weights is not accuracy; how far the one brings the other is for each field
# to show.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
colours = {None: "#444444", "camera": "#56b4e9", "radar": "#e69f00"}
edge = np.cumsum([0.0, *(action.cost for action in first)])
left.bar(
    edge[:-1],
    [action.gain_per_cost for action in first],
    width=np.diff(edge),
    align="edge",
    color=[colours[action.view] for action in first],
    edgecolor="white",
    linewidth=0.8,
)
for view, colour in colours.items():
    left.bar(0, 0, color=colour, label="dig" if view is None else view)
left.set(xlabel="spent", ylabel="nats for each unit")
left.legend(frameon=False, fontsize=9)
for how, (_, _, colour) in ways.items():
    spent = 100 * np.arange(curves[how].shape[1])
    mean = curves[how].mean(axis=0)
    error = curves[how].std(axis=0, ddof=1) / np.sqrt(len(curves[how]))
    right.plot(spent, mean, "o-", ms=4, color=colour, label=how)
    right.fill_between(spent, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)
right.set(xlabel="spent", ylabel="balanced accuracy", xticks=100 * np.arange(5))
right.legend(frameon=False, fontsize=9)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()

print({how: np.round(curve.mean(axis=0), 3).tolist() for how, curve in curves.items()})
