"""Kernels on two views of digits and on noise: where three methods put the weight."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.datasets import load_digits_views
from manyviews.mkl import KernelLibrary, LpMKL, SimpleMKL, TwoStageMKL
from manyviews.plot import KernelWeightsDisplay

digits, y = load_digits_views()
rng = np.random.default_rng(0)
rows = rng.permutation(np.flatnonzero(np.isin(y, [3, 5, 8])))[:150]
views = Views(
    {
        "fourier": digits["fourier"][rows],
        "profiles": digits["profiles"][rows],
        "noise": rng.standard_normal((150, 5)),
    }
)
library = KernelLibrary(["rbf", "linear", "polynomial"])
models = {
    "TwoStageMKL": TwoStageMKL(library, C=10.0, random_state=0),
    "SimpleMKL": SimpleMKL(library, C=10.0),
    "LpMKL(p=2)": LpMKL(library, C=10.0),
}
figure, panels = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
for axes, (name, model) in zip(panels, models.items(), strict=True):
    model.fit(views, y[rows])
    KernelWeightsDisplay.from_estimator(model, top=9, normalize=True, title=name, ax=axes)
