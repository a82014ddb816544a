"""The generated data of Section 4.2.1, and the methods of Section 4.1 with their accuracies."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

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


POOL_SIZE = None
PER_CLASS = 100
N_CLASSES = 10

Method = Callable[[Sample, int], float]
"""From a sample and a seed to the share of right answers."""


def linear_classifier() -> Any:
    """The discriminative linear classifier, which the paper does not name."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=300)


def supervised(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """The linear classifier on both views side by side."""
    labelled = sample.labels >= 0
    few = sample.training[labelled].concatenate()
    model = linear_classifier().fit(few, sample.labels[labelled])
    return float(model.score(sample.test.concatenate(), sample.answers))


def co_training(sample: Sample, seed: int) -> float:
    """Blum & Mitchell's, until all objects are labelled; the final classifier has both views."""
    from manyviews.semi_supervised import CoTraining

    model = CoTraining(
        linear_classifier(),
        pool_size=POOL_SIZE,
        per_class=PER_CLASS,
        confirm=False,
        max_iter=None,
        combine="refit",
        random_state=seed,
        view_weights=None,
    )
    return _semi_supervised(model, sample)


def naive_bayes_em(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """Nigam et al.'s, with their smoothing: one count for each token and class."""
    from manyviews.semi_supervised import NaiveBayesEM

    return _semi_supervised(NaiveBayesEM("multinomial", class_alpha=1.0, max_iter=1000), sample)


def naive_bayes(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """The same without the unlabelled objects: what EM starts from."""
    from manyviews.semi_supervised import NaiveBayesEM

    return _semi_supervised(NaiveBayesEM("multinomial", weight=0.0, class_alpha=1.0), sample)


def co_em(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """Nigam & Ghani's, which the paper has not: naive Bayes in each view, for thirty sweeps."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.naive_bayes import MultinomialNB

    from manyviews.semi_supervised import CoEMClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few objects may go on changing
        return _semi_supervised(
            CoEMClassifier(MultinomialNB(), max_iter=30, view_weights=None), sample
        )


def linear_subspace(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """LS: Section 3.2, as many features per view as there are classes."""
    return _with_subspace(sample, N_CLASSES)


def half_subspace(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """LS with as many features per view as there are super classes."""
    return _with_subspace(sample, N_CLASSES // 2)


def interactions(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """The same with the products of the features of both views instead."""
    return _with_subspace(sample, N_CLASSES // 2, interactions=True)


def log_linear_mixture(sample: Sample, seed: int) -> float:
    """LLM: Section 3.3, from a start by the labelled objects."""
    return _with_mixture(sample, seed)


def super_class_mixture(sample: Sample, seed: int) -> float:
    """LLM with a start by the objects labelled with the super classes of each view."""
    half = N_CLASSES // 2
    of_first = {label: label // 2 for label in range(N_CLASSES)}
    of_second = {label: label % half for label in range(N_CLASSES)}
    return _with_mixture(sample, seed, super_classes={"first": of_first, "second": of_second})


def _with_subspace(sample: Sample, n_components: int, **options: Any) -> float:
    from manyviews.embed import SubspaceFeatures

    return _classified(SubspaceFeatures(n_components, **options), sample)


def _with_mixture(sample: Sample, seed: int, **options: Any) -> float:
    from sklearn.exceptions import ConvergenceWarning

    from manyviews.embed import LogLinearMixtureFeatures

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # views that depend go on for long
        return _classified(LogLinearMixtureFeatures(random_state=seed, **options), sample)


def _classified(features: Any, sample: Sample) -> float:
    """Features from all training objects, then the linear classifier on the labelled ones."""
    features.fit(sample.training, sample.labels)
    labelled = sample.labels >= 0
    few = features.transform(sample.training[labelled])
    model = linear_classifier().fit(few, sample.labels[labelled])
    return float(model.score(features.transform(sample.test), sample.answers))


def _semi_supervised(model: Any, sample: Sample) -> float:
    model.fit(sample.training, sample.labels)
    return float(model.score(sample.test, sample.answers))


METHODS: dict[str, Method] = {
    "supervised": supervised,
    "co-training": co_training,
    "NB-EM": naive_bayes_em,
    "LS": linear_subspace,
    "LLM": log_linear_mixture,
    "naive Bayes": naive_bayes,
    "co-EM": co_em,
}
"""In the order of the columns."""

FOR_SUPER_CLASSES: dict[str, Method] = {
    "5-dim LS": half_subspace,
    "5-dim LS w/view interactions": interactions,
    "5-class LLM": super_class_mixture,
}
"""Those that know how many groups of classes a view tells apart: Figure 3 (b)."""


@cache
def accuracies(setting: Setting, seed: int) -> dict[str, float]:
    """Accuracy of every method on one data set, in per cent; several tables share them."""
    sample = draw(setting, seed)
    methods = METHODS | FOR_SUPER_CLASSES if setting.super_classes else METHODS
    return {name: 100.0 * method(sample, seed) for name, method in methods.items()}
