"""Documents in two languages: what tau, the tolerance and the dimensions do to finding a mate."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer

from manyviews import PerView
from manyviews.datasets import make_bilingual_topics
from manyviews.embed import KernelCCA

counts = make_bilingual_topics(1000, length=30, fidelity=0.6, random_state=0).views
views = PerView(TfidfTransformer()).fit_transform(counts)
pairs, new = views[:400], views[400:]


def mates_first(model, n_components=None):
    """Share of new English documents to which their own French one is the nearest."""
    places = model.transform_views(new)
    rows = [place[:, :n_components] for place in (places["en"], places["fr"])]
    units = [each / np.linalg.norm(each, axis=1, keepdims=True) for each in rows]
    return np.mean((units[0] @ units[1].T).argmax(axis=1) == np.arange(len(new)))


dimensions = [2, 5, 10, 20, 40, 60, 80]
shares = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]
tolerances = [0.0, 0.2, 0.4, 0.6, 0.8]
figure, panels = plt.subplots(1, 3, figsize=(9, 2.9), layout="constrained", sharey=True)
for tau, colour in ((0.01, "#999999"), (0.5, "#0072b2"), (0.99, "#d55e00")):
    model = KernelCCA(max(dimensions), tau=tau, cholesky_tol=0.0).fit(pairs)
    curve = [mates_first(model, n) for n in dimensions]
    panels[0].plot(dimensions, curve, "o-", ms=4, color=colour, label=f"tau={tau}")
panels[0].set(xlabel="components", ylabel="mates found first")
panels[0].legend(frameon=False, fontsize=9)
curve = [mates_first(KernelCCA(60, tau=t, cholesky_tol=0.0).fit(pairs)) for t in shares]
odds = [t / (1 - t) for t in shares]
panels[1].semilogx(odds, curve, "o-", ms=4, color="#0072b2")
panels[1].set(xlabel="tau / (1 − tau)")
for n_components, colour in ((20, "#009e73"), (60, "#0072b2")):
    models = [KernelCCA(n_components, cholesky_tol=tol).fit(pairs) for tol in tolerances]
    n_pivots = [len(model.pivots_["en"]) for model in models]
    curve = [mates_first(model) for model in models]
    label = f"{n_components} components"
    panels[2].plot(n_pivots, curve, "o-", ms=4, color=colour, label=label)
panels[2].set(xlabel="pivots (tolerance 0.8 to 0)")
panels[2].legend(frameon=False, fontsize=9)
for axes in panels:
    axes.spines[["top", "right"]].set_visible(False)
