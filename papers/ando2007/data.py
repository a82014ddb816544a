"""The generated data of Section 4.2.1, divided as the paper says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.data import Views
from manyviews.typing import IntArray

N_OBJECTS = 30_000
N_LABELLED = 100
N_TEST = 1_000


@dataclass(frozen=True)
class Setting:
    """How the two views depend on each other and on the class."""

    consecutive: bool = True
    """Tokens of a view follow each other in the list of the class: not naive Bayes."""
    dependency: float = 0.0
    """r."""
    super_classes: bool = False
    """Both views are needed to tell the ten classes."""


@dataclass(frozen=True)
class Sample:
    """One generated data set."""

    training: Views
    """The labelled objects, then the unlabelled ones."""
    labels: IntArray
    """Of the training objects, -1 for the unlabelled ones."""
    test: Views
    answers: IntArray


def draw(setting: Setting, seed: int) -> Sample:
    """Generate a data set: labelled, test and unlabelled objects, in this order as drawn."""
    from manyviews.datasets import make_token_views

    views, y = make_token_views(
        N_OBJECTS,
        consecutive=setting.consecutive,
        dependency=setting.dependency,
        super_classes=setting.super_classes,
        random_state=seed,
    )
    test = np.arange(N_LABELLED, N_LABELLED + N_TEST)
    training = np.r_[:N_LABELLED, N_LABELLED + N_TEST : N_OBJECTS]
    labels = np.where(training < N_LABELLED, y[training], -1)
    return Sample(views[training], labels, views[test], y[test])
