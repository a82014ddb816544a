"""Features learnt from pairs as the views become dependent: the paper's, whitened, all words."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from manyviews.datasets import make_token_views
from manyviews.embed import SubspaceFeatures

METHODS = {
    "every word asked about": ("#009e73", {"auxiliary": "nonzero"}),
    "default": ("#0072b2", {}),
    "whiten=False": ("#cc79a7", {"whiten": False}),
    "words alone": ("black", None),
}
N_LABELLED = 100


def accuracy(options, dependency, seed):
    views, y = make_token_views(
        6000, vocabulary=400, class_vocabulary=150, consecutive=True, dependency=dependency,
        random_state=seed,
    )  # fmt: skip
    few, test = slice(N_LABELLED), slice(N_LABELLED, 1000)
    if options is None:
        model = LogisticRegression().fit(views[few].concatenate(), y[few])
        return model.score(views[test].concatenate(), y[test])
    features = SubspaceFeatures(10, **options).fit(views)
    model = LogisticRegression().fit(features.transform(views[few]), y[few])
    return model.score(features.transform(views[test]), y[test])


dependencies = np.linspace(0, 1, 6)
figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
for name, (colour, options) in METHODS.items():
    curve = [accuracy(options, r, seed=0) for r in dependencies]
    axes.plot(dependencies, curve, "o-", ms=4, color=colour, label=name)
axes.set(
    xlabel="how often the views depend on each other, r", ylabel="test accuracy", ylim=(0, 1.02)
)
axes.legend(frameon=False, fontsize=9)
axes.spines[["top", "right"]].set_visible(False)
