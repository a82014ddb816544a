"""
CoRLS: choosing the coupling
============================

:class:`~manyviews.semi_supervised.CoRLS` fits one function per view to a few labels and makes the
functions agree on the objects without labels. How much they have to agree is ``coupling``. Too
little leaves every view alone with its labels, too much lets no function say what others cannot.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import make_two_moons_two_lines
from manyviews.semi_supervised import CoRLS
from manyviews.similarity import RBF

# %%
# Two classes are two moons in one view and two lines in the other, as in the toy of Sindhwani,
# Niyogi and Belkin (2005); here the moons are noisy. Within a class, nothing in one view tells
# where an object is in the other. One object of each class is labelled.

views, truth = make_two_moons_two_lines(200, noise=0.2, random_state=0)


def one_label_each(seed):
    rng = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for label in (0, 1):
        y[rng.choice(np.flatnonzero(truth == label))] = label
    return y


def fit(y, coupling):
    kernels = {"moons": RBF(2.0), "lines": "linear"}
    return CoRLS(kernels, gamma=0.01, coupling=coupling).fit(views, y)


y = one_label_each(9)
chosen = {"alone": 0.0, "coupled": 3.0, "too much": 3000.0}
models = {name: fit(y, coupling) for name, coupling in chosen.items()}

# %%
# Alone, each view is cut half way between its two labelled points, which says nothing of shapes.
# Coupled, each view looks for a function that the other can follow: only the class is something
# that both can tell, and so both find it, the moons with a curve and the lines with a line between
# them. With a thousand times more coupling the noise of the moons counts: no function of the moons
# follows the lines everywhere, the functions shrink, and where to cut what is left hangs on the two
# labelled points. With these two, the cut misses; with others it need not.

figure, panels = plt.subplots(2, 3, figsize=(9, 5.4), layout="constrained")
colours = np.array(["#0072b2", "#d55e00"])
for row, (name, rows) in zip(panels, views.items(), strict=True):
    low, high = rows.min(axis=0) - 0.3, rows.max(axis=0) + 0.3
    x, z = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 120))
    places = np.column_stack([x.ravel(), z.ravel()])
    other = "lines" if name == "moons" else "moons"
    for axes, (title, model) in zip(row, models.items(), strict=True):
        found = model.view_decisions({name: places, other: None})[name].reshape(x.shape)
        axes.contourf(x, z, found > 0, levels=[-1, 0.5, 2], colors=["#dcebf7", "#fbe6d8"])
        axes.scatter(*rows.T, s=8, c=colours[truth], linewidths=0)
        axes.scatter(*rows[y >= 0].T, s=110, c=colours[truth[y >= 0]], marker="D", ec="black")
        wrong = np.mean((model.view_decisions(views)[name] > 0) != truth)
        axes.set_title(f"{title} ({model.coupling:g}): {wrong:.0%} wrong", loc="left", fontsize=10)
        axes.set(xticks=[], yticks=[])
    row[0].set_ylabel(name)
plt.show()

# %%
# Over several draws of the two labels, the error of each view falls as soon as the coupling can
# overrule ``gamma``, which is 0.01, and that of the moons rises again when agreement is all that
# counts. How far the views are apart (``disagreement_``) is known without any further label, and so
# is how much the functions still tell: their spread over the objects. A good coupling is one where
# the views have come together and the functions are still there.

couplings = 10.0 ** np.arange(-4, 5)
errors, apart, spread = [], [], []
for coupling in couplings:
    fits = [fit(one_label_each(seed), coupling) for seed in range(6)]
    decisions = [model.view_decisions(views) for model in fits]
    errors.append([[np.mean((own > 0) != truth) for own in each.values()] for each in decisions])
    apart.append([model.disagreement_ for model in fits])
    spread.append([np.mean([own.var() for own in each.values()]) for each in decisions])
mean_errors = np.mean(errors, axis=1)
mean_apart, mean_spread = np.mean(apart, axis=1), np.mean(spread, axis=1)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for name, curve, colour in zip(views.names, mean_errors.T, ("#009e73", "#cc79a7"), strict=True):
    left.semilogx(couplings, curve, "o-", color=colour, ms=4, label=name)
left.set(xlabel="coupling", ylabel="error", ylim=(-0.01, None))
right.semilogx(couplings, mean_apart, "o-", color="black", ms=4, label="disagreement")
right.semilogx(couplings, mean_spread, "o-", color="#e69f00", ms=4, label="variance of functions")
right.set(xlabel="coupling")
for axes in (left, right):
    axes.axvspan(1, 10, color="#f0e8d8", zorder=0)
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
