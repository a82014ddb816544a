"""Draw the gain by a second view, from its opposite to a copy."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from manyviews import MergeViews
from manyviews.datasets import make_correlated_views

correlations = np.linspace(-0.9, 1.0, 20)
model = make_pipeline(MergeViews(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-6))
curves = {"first view alone": [], "both views": []}
for rho in correlations:
    views, y = make_correlated_views(rho, n_objects=2000, random_state=0)
    curves["first view alone"].append(cross_val_score(model, views.subset(["first"]), y).mean())
    curves["both views"].append(cross_val_score(model, views, y).mean())

figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
axes.plot(correlations, curves["both views"], color="#0072b2", label="both views")
axes.plot(correlations, curves["first view alone"], color="#e69f00", label="first view alone")
axes.axvline(0, color="grey", linewidth=0.8, linestyle=":")
axes.annotate("independent\ngiven the class", (0, 0.9), ha="center", fontsize=8, color="grey",
              bbox={"facecolor": "white", "edgecolor": "none"})  # fmt: skip
axes.annotate("copies", (1, 0.9), ha="right", fontsize=8, color="grey")
axes.set(
    xlabel="correlation between the views once the class is known",
    ylabel="accuracy",
    ylim=(0.89, 1.005),
)
axes.legend(frameon=False, loc="upper right")
axes.spines[["top", "right"]].set_visible(False)
