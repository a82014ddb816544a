"""
TwoStageMKL, TargetAlignment: which kernel carries the decision
===============================================================

Handwritten digits are seen as Fourier coefficients and as profiles. Neither view suffices alone,
and around them are sensors that measure nothing at all. A sum of kernels over all of these has to
find out which to listen to: :class:`manyviews.mkl.AverageKernel` does not try,
:class:`manyviews.mkl.BestKernel` listens to one, :class:`manyviews.mkl.TargetAlignment` and
:class:`manyviews.mkl.TwoStageMKL` learn a weight for each.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from manyviews import Views
from manyviews.datasets import load_digits_views
from manyviews.mkl import (
    AverageKernel,
    BestKernel,
    KernelLibrary,
    LandmarkClassifier,
    LpMKL,
    SimpleMKL,
    TargetAlignment,
    TwoStageMKL,
)
from manyviews.plot import KernelWeightsDisplay

digits, y = load_digits_views()
rng = np.random.default_rng(0)
chosen = rng.permutation(np.flatnonzero(np.isin(y, [2, 3, 5, 8, 9])))
digits, y = digits[chosen].subset(["fourier", "profiles"]), y[chosen]
train, test = slice(0, 150), slice(150, None)


def with_sensors(n_sensors):
    """The two views, and others of four random numbers."""
    rng = np.random.default_rng(1)
    noise = {f"sensor {n + 1}": rng.standard_normal((len(y), 4)) for n in range(n_sensors)}
    return Views({**dict(digits.items()), **noise})


# %%
# Two kernels on every view, a Gaussian and a linear one. The library centres them and brings them
# to one scale, so that weights can be compared.

library = KernelLibrary(["rbf", "linear"])
methods = {
    "average": AverageKernel(library, C=1.0),
    "best one": BestKernel(library, C=1.0),
    "alignment": TargetAlignment(library, C=1.0),
    "two-stage": TwoStageMKL(library, C=1.0, random_state=0),
}
numbers = [0, 10, 20, 40]
accuracy = {name: [] for name in methods}
fitted = {}
for n_sensors in numbers:
    views = with_sensors(n_sensors)
    for name, method in methods.items():
        model = clone(method).fit(views[train], y[train])
        accuracy[name].append(model.score(views[test], y[test]))
        fitted[name, n_sensors] = model

print(f"{'sensors':<12}" + "".join(f"{n_sensors:>7}" for n_sensors in numbers))
for name, scores in accuracy.items():
    print(f"{name:<12}" + "".join(f"{100 * score:>6.1f}%" for score in scores))

# %%
# The average drowns. The best kernel is safe, but gives away what the second view would add. The
# learnt sums stay within about a point of where they are without any noise. Their weights tell why;
# with twenty sensors there are 44 kernels:

figure, (curves, one, other) = plt.subplots(
    1, 3, figsize=(11.5, 3.6), layout="constrained", width_ratios=(1.2, 1, 1)
)
colours = ("#999999", "#000000", "#E69F00", "#56B4E9")
for (name, scores), colour in zip(accuracy.items(), colours, strict=True):
    curves.plot(numbers, scores, "o-", ms=4, color=colour, label=name)
curves.set(xlabel="sensors that measure nothing", ylabel="accuracy on new digits")
curves.legend(frameon=False, fontsize=9)
curves.spines[["top", "right"]].set_visible(False)
share = {}
for name, axes in (("alignment", one), ("two-stage", other)):
    model = fitted[name, 20]
    KernelWeightsDisplay.from_estimator(model, top=5, normalize=True, title=name, ax=axes)
    weights = model.kernel_weights_ / model.kernel_weights_.sum()
    carries = np.isin(model.kernels_.views, ["fourier", "profiles"])
    share[name] = float(weights[carries].sum())
    if axes.get_legend() is not None:
        axes.get_legend().remove()  # the names say it
plt.show()

# %%
# Both give most of the weight to the two real views: alignment to their Gaussians, as the linear
# kernels beside them would add little; the two-stage method shares it between the Gaussian and the
# linear kernel of each view. What the forty kernels of the sensors get is spread thinly, and does
# little harm: a sum of many unrelated kernels is nearly a multiple of the identity.

for name, value in share.items():
    print(f"{name}: {100 * value:.0f}% of all weight on the two real views")

# %%
# The others of the family, with the same twenty sensors. :class:`manyviews.mkl.SimpleMKL` wants few
# kernels, :class:`manyviews.mkl.LpMKL` many; :class:`manyviews.mkl.LandmarkClassifier` weighs
# similarities to objects, not kernels, and so has no way to leave a sensor out.

others = {
    "simple": SimpleMKL(library, C=1.0, tol=0.05),
    "lp": LpMKL(library, C=1.0, tol=0.05),
    "landmarks": LandmarkClassifier(random_state=0),
}
views = with_sensors(20)
with_twenty = {}
for name, method in others.items():
    with_twenty[name] = method.fit(views[train], y[train]).score(views[test], y[test])
    print(f"{name:<12}{100 * with_twenty[name]:>6.1f}%")
