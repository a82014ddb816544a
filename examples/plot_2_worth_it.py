"""
diagnose: is a second view worth it?
====================================

A second view can bring new knowledge, repeat the first, contradict it, or be missing where it is
needed. :func:`manyviews.diagnose` tells these apart before any method is chosen. Here it looks at
four situations whose truth is known, because they are generated.
"""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views, diagnose
from manyviews.datasets import hide_views, make_correlated_views
from manyviews.plot import DiagnosisDisplay

# %%
# The four situations
# -------------------
#
# Two classes, two views of two features each, 400 objects. In the first the noise of one view tells
# nothing of the noise of the other; in the second both views are the same; in the third each view
# falls into two clear groups, but the groups of one have nothing to do with those of the other; the
# fourth is the first with a third of the views missing.


def make_contradiction(n_objects, seed):
    rng = np.random.default_rng(seed)
    groups = rng.integers(2, size=(2, n_objects))
    clouds = rng.normal(size=(2, n_objects, 2)) + 6.0 * groups[:, :, np.newaxis]
    return Views({"first": clouds[0], "second": clouds[1]}), groups[0]


independent, y = make_correlated_views(rho=0.0, n_objects=400, random_state=0)
copies, y_copies = make_correlated_views(rho=1.0, n_objects=400, random_state=0)
contradictory, y_contradictory = make_contradiction(400, seed=0)
situations = {
    "independent given the class": (independent, y),
    "copies": (copies, y_copies),
    "contradictory": (contradictory, y_contradictory),
    "a third missing": (hide_views(independent, 1 / 3, seed=0), y),
}

# %%
# One feature of each view against the other. Colour is the class.

figure, panels = plt.subplots(1, 4, figsize=(11, 3), layout="constrained")
for axes, (name, (views, classes)) in zip(panels, situations.items(), strict=True):
    for label, colour in ((0, "#0072b2"), (1, "#e69f00")):
        rows = views[classes == label]
        axes.scatter(rows["first"][:, 0], rows["second"][:, 0], s=6, color=colour)
    axes.set(title=name, xlabel="first view", ylabel="second view", xticks=[], yticks=[])
plt.show()

# %%
# What the diagnosis says
# -----------------------
#
# Each view alone and, on the same objects, both; then both on all objects, and the findings.

diagnoses = {name: diagnose(views, classes) for name, (views, classes) in situations.items()}
for name, diagnosis in diagnoses.items():
    alone = [f"{v.name} {v.quality:.2f} (both {v.together:.2f})" for v in diagnosis.per_view]
    print(f"{name}: {', '.join(alone)}; on all objects {diagnosis.joint.quality:.2f}")
    for finding in diagnosis.findings:
        print(
            fill(
                f"[{finding.severity}] {finding}", 88, initial_indent="  ", subsequent_indent="    "
            )
        )
    print()

# %%
# The first situation is the one that multi-view methods are made for: errors of one view are
# corrected by the other. In the second nothing is gained, whatever the method. In the third no
# method that looks for agreement can help, since there is none; the labels follow the first view
# here, so the second is at chance. In the fourth both views still help each other, by much more
# than in the first, since each stands in where the other is missing.
#
# The same as a picture, for the fourth:

DiagnosisDisplay.from_diagnosis(diagnoses["a third missing"])
plt.show()
