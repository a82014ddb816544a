"""The compared methods of Section 4.1, each a function from a sample to its test accuracy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from manyviews.app.reproduce.ando2007._data import Sample, Setting, draw

POOL_SIZE = None
PER_CLASS = 100


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
        max_iter=None,
        combine="refit",
        random_state=seed,
    )
    return _semi_supervised(model, sample)


def naive_bayes_em(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """Nigam et al.'s, with their smoothing: one count for each token and class."""
    from manyviews.semi_supervised import NaiveBayesEM

    return _semi_supervised(NaiveBayesEM(class_alpha=1.0, max_iter=1000), sample)


def naive_bayes(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """The same without the unlabelled objects: what EM starts from."""
    from manyviews.semi_supervised import NaiveBayesEM

    return _semi_supervised(NaiveBayesEM(weight=0.0, class_alpha=1.0), sample)


def co_em(sample: Sample, seed: int) -> float:  # noqa: ARG001 (nothing is drawn)
    """Nigam & Ghani's, which the paper has not: naive Bayes in each view, for thirty sweeps."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.naive_bayes import MultinomialNB

    from manyviews.semi_supervised import CoEMClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few objects may go on changing
        return _semi_supervised(CoEMClassifier(MultinomialNB(), max_iter=30), sample)


def _semi_supervised(model: Any, sample: Sample) -> float:
    model.fit(sample.training, sample.labels)
    return float(model.score(sample.test, sample.answers))


METHODS: dict[str, Callable[[Sample, int], float]] = {
    "supervised": supervised,
    "co-training": co_training,
    "NB-EM": naive_bayes_em,
    "naive Bayes": naive_bayes,
    "co-EM": co_em,
}


@cache
def accuracies(setting: Setting, seed: int) -> dict[str, float]:
    """Accuracy of every method on one data set, in per cent; several tables share them."""
    sample = draw(setting, seed)
    return {name: 100.0 * method(sample, seed) for name, method in METHODS.items()}
