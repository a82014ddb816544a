"""Correlations that mean nothing, and how a ridge, chosen on new pairs, finds those that do."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews import Views
from manyviews.embed import CCA

rng = np.random.default_rng(0)


def view_of(signal, n_features, nuisance):
    own = nuisance * rng.normal(size=(len(signal), 5)) @ rng.normal(size=(5, n_features))
    return rng.normal(size=(len(signal), n_features)) + 0.4 * signal + own


def pairs(n_objects, n_features, strength, nuisance=0.0):
    signal = strength * rng.normal(size=(n_objects, 1))
    return Views({name: view_of(signal, n_features, nuisance) for name in ("left", "right")})


n_features = 40
sizes = np.array([82, 90, 100, 120, 160, 240, 400, 800, 1600, 3200])
nothing = [CCA(1).fit(pairs(size, n_features, 0.0)).correlations_[0] for size in sizes]

views = pairs(1120, n_features, 1.0, nuisance=1.0)
train, test = views[:120], views[120:]
shares = np.geomspace(1e-3, 1e2, 26)
models = [CCA(1, share).fit(train) for share in shares]
auto = CCA(1, "auto").fit(train)

figure, panels = plt.subplots(1, 2, figsize=(8.4, 3), layout="constrained")
panels[0].semilogx(sizes / (2 * n_features), nothing, "o-", ms=4, color="#0b5c86")
panels[0].set_title("two views of pure noise", loc="left", fontsize=10)
panels[0].set(xlabel="objects per feature (both views)", ylabel="first correlation", ylim=(0, 1.03))
panels[0].set_xticks([1, 2, 5, 10, 40], ["1", "2", "5", "10", "40"])
panels[0].minorticks_off()
seen = [model.correlations_[0] for model in models]
unseen = [model.score(test) for model in models]
panels[1].semilogx(shares, seen, ":", color="#999999", label="training pairs")
panels[1].semilogx(shares, unseen, color="#0b5c86", label="new pairs")
share = np.mean(list(auto.regularization_.values()))
panels[1].plot(share, auto.score(test), "o", color="#d55e00", label='"auto"')
panels[1].set_title("one common signal, 120 pairs", loc="left", fontsize=10)
panels[1].set(xlabel="regularization", ylim=(0, 1.03))
panels[1].legend(frameon=False, fontsize=9)
for axes in panels:
    axes.spines[["top", "right"]].set_visible(False)
