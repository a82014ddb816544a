"""How many different places a batch asks about, of fifty that were visited six times each."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.acquire import BayesianCoTraining, plan

rng = np.random.default_rng(0)
place = np.arange(300) % 50
truth = place % 2
views = Views(
    {
        name: (rng.standard_normal((50, width)) + 0.5 * truth[:50, None])[place]
        + 0.1 * rng.standard_normal((300, width))
        for name, width in {"wide": 20, "narrow": 8}.items()
    }
)
y = np.where(np.arange(300) < 8, truth, -1)
model = BayesianCoTraining().fit(views, y)

figure, axes = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
sizes = np.arange(1, 41)
axes.plot(sizes, sizes, color="grey", linewidth=0.8, label="as many as questions")
for diverse, colour, style in ((True, "#0072b2", "o-"), (False, "#d55e00", "D--")):
    found = plan(model, views, y, 40, kinds="label", diverse=diverse)
    asked = place[[action.row for action in found]]
    different = [len(set(asked[:size].tolist())) for size in sizes]
    axes.plot(sizes, different, style, color=colour, ms=3, label=f"diverse={diverse}")
axes.set(xlabel="labels asked for", ylabel="different places")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
