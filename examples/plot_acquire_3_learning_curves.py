"""
Learning curves: would choosing what to label pay?
==================================================

A criterion for what to label next may halve the work, or do nothing at all.
:func:`manyviews.acquire.simulate` tells which, on objects whose labels are known: it hides them,
lets a criterion choose, and runs random choice beside it from the same starts. Here, one digit is
sought among many others, once with labels that can be trusted and once with labels that cannot.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import MergeViews, PerView
from manyviews.acquire import rank, simulate
from manyviews.compose import LabelledOnly
from manyviews.datasets import load_digits_views
from manyviews.plot import LearningCurveDisplay

views, digits = load_digits_views()
rng = np.random.default_rng(0)
eights = rng.permutation(np.flatnonzero(digits == 8))[:40]
others = rng.permutation(np.flatnonzero(digits != 8))[:560]
rows = np.sort(np.concatenate([eights, others]))
views, y = views[rows], (digits[rows] == 8).astype(int)
print(f"{len(y)} digits seen three ways, {y.sum()} of them eights")

# %%
# Any classifier will do: a logistic regression on all views together, which learns from what has a
# label. It starts with two eights and two others, and may ask for 60 labels, six at a time.

model = LabelledOnly(make_pipeline(PerView(StandardScaler()), MergeViews(), LogisticRegression()))
settings = {"budget": 60, "batch": 6, "start": 2, "seeds": 6, "scoring": "balanced_accuracy"}
curves = simulate(model, views, y, "margin", **settings)
print(curves)

# %%
# Eights are rare: random choice mostly finds others, and a model that has seen hardly any eights
# calls nothing an eight. The margin asks for what may be one, and so finds more of them.

asked = {
    name: np.mean([y[a.row] for curve in curves.curves if curve.criterion == name
                   for a in curve.actions])
    for name in curves.criteria
}  # fmt: skip
print("share of eights among what was asked:", {k: round(float(v), 2) for k, v in asked.items()})

# %%
# The same with labels that say nothing, as they are if the question put to people was not clear:
# there is no boundary to find, and no question is better than another.

drawn = rng.permutation(y)
hopeless = simulate(model, views, drawn, "margin", **settings)
print(hopeless.sentence("margin"))

figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True, layout="constrained")
LearningCurveDisplay.from_curves(curves, ax=panels[0], title="eights among digits")
LearningCurveDisplay.from_curves(hopeless, ax=panels[1], title="labels dealt out at random")
plt.show()

# %%
# A simulation of hours can be stopped, or be killed: with ``path`` its state is on disk after each
# step, and the same call goes on from there. Further seeds and criteria may be added.

with TemporaryDirectory() as folder:
    settings |= {"budget": 30, "path": Path(folder, "eights")}
    first = simulate(model, views, y, "margin", **settings | {"seeds": 2})
    more = simulate(model, views, y, ["margin", "entropy"], **settings | {"seeds": 3})
print(len(first.curves), "runs at first,", len(more.curves), "runs now")

# %%
# If choosing pays, :func:`manyviews.acquire.rank` says what to ask in earnest.

known = np.where(np.arange(len(y)) % 6 == 0, y, -1)
ranking = rank(model.fit(views, known), views, known, criterion="margin", n=6)
print(ranking)
