"""Draw rounds of co-training on similarities in which each view mixes up two groups."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.cluster.spectral.co_trained import co_train, project_on_others
from manyviews.data import Views
from manyviews.similarity import fit_similarities

rng = np.random.default_rng(0)
group = np.repeat([0, 1, 2], 40)
centres = {"first": np.array([0.0, 1.6, 6.0]), "second": np.array([0.0, 4.4, 6.0])}
views = Views(
    {name: (at[group] + rng.normal(scale=0.8, size=120))[:, None] for name, at in centres.items()}
)
_, graphs = fit_similarities(views, "rbf")
before = co_train(graphs, 3, n_iter=0).embeddings
after = {name: project_on_others(graph, before, name).toarray() for name, graph in graphs.items()}

figure, panels = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
shown = {f"{name} view": graph for name, graph in graphs.items()}
shown |= {f"{name} view, as the other sees it": graph for name, graph in after.items()}
for axes, (title, matrix) in zip(panels, shown.items(), strict=True):
    axes.imshow(matrix, cmap="Blues", interpolation="nearest")
    axes.set_title(title, fontsize=9)
    axes.set(xticks=[], yticks=[])
