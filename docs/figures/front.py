"""Five objects, three views, some of them missing."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.datasets import hide_views, load_digits_views

views, y = load_digits_views()
chosen = [3, 14, 5, 36, 48]
objects = hide_views(views[chosen], 0.27, seed=4)
heads = {"pixels": "what it looks like", "fourier": "its frequencies", "profiles": "ink by line"}
colours = {"pixels": None, "fourier": "#0072b2", "profiles": "#d55e00"}

figure, panels = plt.subplots(3, 5, figsize=(8.4, 4.2), layout="constrained")
for row, name in enumerate(objects.names):
    top = np.nanmax(objects[name])
    for column, axes in enumerate(panels[row]):
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_color("#bbbbbb")
        if not objects.observed_in(name)[column]:
            axes.set_facecolor("#f3f3f3")
            axes.text(0.5, 0.5, "missing", ha="center", va="center", color="#888888",
                      transform=axes.transAxes, fontsize=9)  # fmt: skip
        elif name == "pixels":
            axes.imshow(objects[name][column].reshape(8, 8), cmap="Greys", aspect="auto")
        else:
            values = objects[name][column]
            axes.bar(range(len(values)), values, width=0.9, color=colours[name])
            axes.set_ylim(0, top * (0.5 if name == "fourier" else 1.0))
        if row == 0:
            axes.set_title(f"object {column + 1}", fontsize=10)
    panels[row, 0].set_ylabel(f"{name}\n{heads[name]}", fontsize=9)
