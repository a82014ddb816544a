"""The information curve of the digits, and what restarts and clusters make of it."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from manyviews.explain import InformationBottleneck
from manyviews.plot import InformationCurveDisplay

pixels = load_digits().data[:400]
figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")
model = InformationBottleneck(10, distribution="shares", n_init=1, random_state=0).fit(pixels)
InformationCurveDisplay.from_estimator(model, ax=left, title="ten clusters of 400 digits")

first = model.information_curve_.beta[1] / 1.2  # where the first cluster splits
betas = first * np.geomspace(1.02, 5.0, 10)
found = [
    InformationBottleneck(10, beta, distribution="shares", n_init=1, random_state=0).fit(pixels)
    for beta in betas
]
right.plot(betas, [each.n_clusters_ for each in found], "o-", color="#0072b2", label="clusters")
sharp = [10 * np.mean(each.membership_.max(axis=1)) for each in found]
right.plot(betas, sharp, "D--", color="#d55e00", label="ten times the mean membership")
right.axvline(model.beta_, color="grey", linewidth=0.8)
right.set_xscale("log")
right.set_xlabel("beta")
right.legend(frameon=False, fontsize=8)
right.spines[["top", "right"]].set_visible(False)
