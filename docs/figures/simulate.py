"""Learning curves on the digits: what the margin saves, and that the entropy saves nothing."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import MergeViews, PerView
from manyviews.acquire import simulate
from manyviews.compose import LabelledOnly
from manyviews.datasets import load_digits_views
from manyviews.plot import LearningCurveDisplay

views, y = load_digits_views()
rows = np.random.default_rng(0).permutation(len(y))[:400]
model = LabelledOnly(make_pipeline(PerView(StandardScaler()), MergeViews(), LogisticRegression()))
curves = simulate(
    model, views[rows], y[rows], ["margin", "entropy"], budget=80, batch=10, seeds=4, start=1
)

figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
LearningCurveDisplay.from_curves(curves, ax=axes, title="ten digits, ten labels at the start")
