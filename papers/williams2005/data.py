"""The data: features or whole views hidden at random, or views that nobody measured."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.typing import FloatArray, IntArray, is_sparse

IONOSPHERE, DIGITS = "ionosphere", "mfeat"
N_DIGITS = 713
"""Digits drawn for each trial: as many as the paper had objects with four views."""
N_DIRECTIONS = 10
"""What is left of each view of digits, tumours and stories."""
TRAINING = 0.25
"""Share of the objects whose classes are known."""


@dataclass(frozen=True)
class Objects:
    """Rows with NaN where something is missing, and their classes."""

    rows: FloatArray
    y: IntArray
    complete: FloatArray | None = None
    """The same rows before something was hidden."""


def with_gaps(views: Views, y: IntArray, share: float, rng: np.random.Generator) -> Objects:
    """Hide a share of the views of all objects; every object keeps one."""
    from manyviews.datasets import hide_views

    hidden = hide_views(views, share, seed=rng)
    return Objects(np.asarray(hidden), y, np.asarray(views))


def partition(n_objects: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Divide objects at random into those for training and those for the test."""
    order = rng.permutation(n_objects)
    n_training = round(TRAINING * n_objects)
    return order[:n_training], order[n_training:]


def ionosphere(share: float, rng: np.random.Generator, folder: str) -> Objects:
    """Radar returns, each of the 34 features a view of its own."""
    views, y = _radar(folder)
    return with_gaps(views, y, share, rng)


def digits(share: float, rng: np.random.Generator, folder: str) -> Objects:
    """Some of the digits, drawn at random, in six views that are hidden as a whole."""
    views, y = _reduced(DIGITS, folder)
    some = rng.permutation(len(views))[:N_DIGITS]
    return with_gaps(views[some], y[some], share, rng)


def naturally_incomplete(name: str, folder: str) -> Objects:
    """Tumours or stories with the gaps they came with."""
    views, y = _reduced(name, folder)
    return Objects(np.asarray(views), y)


@cache
def _radar(folder: str) -> tuple[Views, IntArray]:
    from manyviews.datasets import load_matrix

    found = load_matrix(IONOSPHERE, data_home=folder)
    rows = np.asarray(found.views, dtype=np.float64)
    return one_view_per_feature(rows), np.asarray(found.y)


@cache
def _reduced(name: str, folder: str) -> tuple[Views, IntArray]:
    from manyviews.datasets import load

    found: Any = load(name, data_home=folder)
    return reduced(found.views), np.asarray(found.y)


def one_view_per_feature(rows: FloatArray) -> Views:
    """As many views as there are columns."""
    return Views({f"feature {column}": rows[:, [column]] for column in range(rows.shape[1])})


def reduced(views: Views) -> Views:
    """A few directions of each view, learnt where it is observed, with a mean variance of one.

    Counts of words become tf-idf weights and then singular directions; anything else is
    standardised and then turned to its principal components.
    """
    from sklearn.decomposition import PCA, TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from manyviews.compose import PerView

    if any(is_sparse(rows) for _, rows in views.items()):
        directions = TruncatedSVD(N_DIRECTIONS, random_state=0)
        steps = make_pipeline(TfidfTransformer(sublinear_tf=True), directions)
        return _comparable(PerView(steps).fit_transform(views))
    widths = views.layout.widths
    each = [
        make_pipeline(StandardScaler(), PCA(min(N_DIRECTIONS, width), random_state=0))
        for width in widths
    ]
    return _comparable(PerView(each).fit_transform(views))


def _comparable(views: Views) -> Views:
    """Views whose features have a variance of one in the mean, so that none weighs more."""

    def scaled(rows: Any) -> FloatArray:
        return np.asarray(rows / np.sqrt(np.nanvar(rows, axis=0).mean()))

    return Views({name: scaled(rows) for name, rows in views.items()})
