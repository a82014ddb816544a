"""Draw the data of the generators, one column each."""

import matplotlib.pyplot as plt

from manyviews.datasets import (
    make_complementary_affinities,
    make_contradictory_affinities,
    make_kumar1,
    make_two_circles,
    make_two_moons_two_lines,
)

clouds = {
    "make_kumar1": make_kumar1(400, random_state=0),
    "make_two_moons_two_lines": make_two_moons_two_lines(200, noise=0.05, random_state=0),
}
matrices = {
    "make_complementary_affinities": make_complementary_affinities(1.0, 40, random_state=0),
    "make_contradictory_affinities": make_contradictory_affinities(40),
}
COLOURS = ("#0072b2", "#e69f00")

figure, panels = plt.subplots(2, 5, figsize=(12, 5), layout="constrained")
for column, (name, (views, y)) in enumerate(clouds.items()):
    panels[0, column].set_title(name, fontsize=8.5)
    for row, view in enumerate(views.names):
        for label, colour in enumerate(COLOURS):
            points = views[view][y == label]
            panels[row, column].scatter(*points.T, s=5, color=colour)
        panels[row, column].set_ylabel(view, fontsize=9)
for column, (name, (views, _)) in enumerate(matrices.items(), start=2):
    panels[0, column].set_title(name, fontsize=8.5)
    for row, view in enumerate(views.names):
        panels[row, column].imshow(views[view], cmap="Blues", interpolation="nearest")
        panels[row, column].set_ylabel(view, fontsize=9)
views, y = make_two_circles(200, random_state=0)
panels[0, 4].set_title("make_two_circles", fontsize=8.5)
for label, colour in enumerate(COLOURS):
    rows = views[y == label]
    panels[0, 4].scatter(rows["horizontal"], rows["vertical"], s=5, color=colour)
    panels[1, 4].hist(rows["horizontal"].ravel(), bins=25, color=colour, alpha=0.7)
panels[0, 4].set_ylabel("both, one against the other", fontsize=9)
panels[1, 4].set_ylabel("horizontal alone", fontsize=9)
for axes in panels.flat:
    axes.set(xticks=[], yticks=[])
