"""The data of chapters 3 and 4, each with the kernel that the text names for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import manyviews as mv
from manyviews.data import Views
from manyviews.typing import IntArray
from papers._frame import DataFolder

FOLDERS = {
    "Reuters": "reuters5_600",
    "Handwritten": "mfeat",
    "BBC": "bbc",
    "BBCSport": "bbcsport",
}
"""Where each real set is found."""
N_TOPICS = 100
"""Dimensions that latent semantic analysis leaves of the Reuters texts."""
BBC_WIDTH = 100.0
"""Width of the Gaussian kernel on the counts of both BBC sets."""


@dataclass(frozen=True)
class Setting:
    """Views, the classes to find, and how objects are compared."""

    views: Views
    y: IntArray
    affinity: mv.similarity.Similarity

    @property
    def n_clusters(self) -> int:
        """As many as there are classes."""
        return len(np.unique(self.y))

    def first(self, n_views: int) -> Setting:
        """Return the same with the first views only."""
        return Setting(self.views.subset(self.views.names[:n_views]), self.y, self.affinity)


def is_drawn(name: str) -> bool:
    """Whether a set is drawn anew for each seed, and not read."""
    return name not in FOLDERS


def setting(name: str, seed: int, data: DataFolder) -> Setting:
    """Return a set of data by its name in Table 4.1."""
    from manyviews import datasets

    if is_drawn(name):
        make = {"Synth data 1": datasets.make_kumar1, "Synth data 2": datasets.make_kumar2}[name]
        drawn = make(random_state=seed)
        return Setting(drawn.views, np.asarray(drawn.y), mv.similarity.RBF(gamma="median"))
    found: Any = datasets.load(FOLDERS[name], data_home=data.path(FOLDERS[name]).parent)
    if name == "Reuters":
        views = by_topics(found.views.subset(["EN", "FR", "GR"]))
        return Setting(views, np.asarray(found.y), mv.similarity.RBF(gamma="median"))
    if name == "Handwritten":
        return Setting(
            found.views.subset(["fou", "fac"]),
            np.asarray(found.y),
            mv.similarity.RBF(gamma="median"),
        )
    complete = found.views.observed.all(axis=1)
    views = in_halves(found.views[complete])
    return Setting(
        views, np.asarray(found.y)[complete], mv.similarity.RBF(gamma=0.5 / BBC_WIDTH**2)
    )


def in_halves(views: Views) -> Views:
    """Two views of half the segments each, as articles that were cut in two have them."""
    half = views.n_views // 2
    return Views(
        {
            "first": views.subset(views.names[:half]).concatenate(),
            "second": views.subset(views.names[half:]).concatenate(),
        }
    )


def by_topics(views: Views, n_topics: int = N_TOPICS) -> Views:
    """Latent semantic analysis of each view."""
    from sklearn.decomposition import TruncatedSVD

    def topics(matrix: Any) -> Any:
        return TruncatedSVD(n_topics, random_state=0).fit_transform(matrix)

    return Views({name: topics(matrix) for name, matrix in views.items()})
