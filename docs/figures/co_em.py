"""How strong a nuisance co-EM survives that only one view shows."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.cluster import CoEMMixture
from manyviews.metrics import cluster_entropy

n_papers, n_fields = 400, 4


def draw(rng, field, other, share, size, length):
    one, two = (rng.dirichlet(np.full(size, 0.05), size=n_fields) for _ in range(2))
    mixed = (1 - share) * one[field] + share * two[other]
    return np.stack([rng.multinomial(length, p) for p in mixed])


def bits_known(share, seed):
    rng = np.random.default_rng(seed)
    field, style, decade = (rng.integers(n_fields, size=n_papers) for _ in range(3))
    words = draw(rng, field, style, share, 300, 50)
    references = draw(rng, field, decade, 0.4, 150, 8)
    forms = {"words alone": words, "references alone": references}
    forms |= {"side by side": np.hstack([words, references]), "co-EM": [words, references]}
    model = CoEMMixture(n_fields, n_init=4, tol=1e-5, random_state=seed)
    return {
        name: np.log2(n_fields) - cluster_entropy(field, model.fit(X).labels_)
        for name, X in forms.items()
    }


shares = np.array([0, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 1])
found = {share: [bits_known(share, seed) for seed in range(3)] for share in shares}
styles = {
    "co-EM": {"color": "#0072b2", "linewidth": 2},
    "side by side": {"color": "#e69f00"},
    "words alone": {"color": "#b8b0a0"},
    "references alone": {"color": "grey", "linestyle": ":"},
}
figure, axes = plt.subplots(figsize=(6.4, 3), layout="constrained")
for name, style in styles.items():
    means = [np.mean([each[name] for each in found[share]]) for share in shares]
    axes.plot(shares, means, label=name, **style)
axes.set(xlabel="share of the words that follow the style", ylabel="bits known of the field")
axes.set_ylim(-0.05, 2.1)
axes.legend(frameon=False, fontsize=9, loc="lower left")
axes.spines[["top", "right"]].set_visible(False)
