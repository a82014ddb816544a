"""Draw similarities to an object of which one sensor is known: filled, or integrated over."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.similarity import RBF, IncompleteGaussianMixture, IncompleteRBF

SIGMA = 0.6

rng = np.random.default_rng(0)
branch = rng.choice([-1.0, 1.0], size=400)
first = rng.uniform(-1.0, 3.0, size=400)
second = branch * (0.4 + 0.5 * (first + 1)) + 0.25 * rng.standard_normal(400)
rows = np.column_stack([first, second])
incomplete = np.array([[1.5, np.nan]])

axis = np.linspace(-3.2, 3.2, 90), np.linspace(-3.2, 3.2, 90)
grid = np.column_stack([values.ravel() for values in np.meshgrid(axis[0] + 1, axis[1])])
one, two = (
    IncompleteGaussianMixture(number, random_state=0, n_init=5).fit(rows) for number in (1, 2)
)
filled = one.conditional(incomplete).expected
panels = {
    "conditional mean in the gap": RBF(0.5 / SIGMA**2).cross(grid, filled),
    "integrated, one Gaussian": IncompleteRBF(one, SIGMA).cross(grid, incomplete),
    "integrated, two Gaussians": IncompleteRBF(two, SIGMA).cross(grid, incomplete),
}

figure, places = plt.subplots(1, 3, figsize=(9.5, 3.4), layout="constrained", sharey=True)
for axes, (title, values) in zip(places, panels.items(), strict=True):
    image = values.reshape(90, 90)
    axes.contourf(axis[0] + 1, axis[1], image / image.max(), levels=12, cmap="Blues", zorder=0)
    axes.scatter(*rows.T, s=4, color="#a03020", alpha=0.5, linewidths=0)
    axes.axvline(1.5, color="#444444", lw=1, ls=":")
    axes.set_title(f"{title}\nlargest {image.max():.2f}", fontsize=10)
    axes.set_xlabel("first sensor")
    axes.spines[["top", "right"]].set_visible(False)
places[0].set_ylabel("second sensor")
