"""Steps of EM for classes that make the views independent of each other [@nigam2000text]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from manyviews.maths import (
    Bernoulli,
    Likelihood,
    LikelihoodRows,
    Multinomial,
    log_softmax,
    row_blocks,
    safe_log,
)
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix

Family: TypeAlias = Likelihood[Any, Any]

_BLOCK = 1 << 14
"""Rows whose posteriors are worked out at a time, so that they stay in the cache."""


@dataclass(frozen=True)
class Problem:
    """What every step starts from."""

    views: tuple[LikelihoodRows, ...]
    known: IntArray
    """Class of each labelled object, -1 for others."""
    n_classes: int
    weight: float
    """λ: what an unlabelled object counts, where a labelled one counts 1."""
    class_alpha: float
    exponents: tuple[float, ...]
    """What each view counts: the power of its densities; one of 0 learns and says nothing."""

    @cached_property
    def log_base(self) -> float:
        """Part of the log posterior that no parameter changes."""
        parts = (
            power * (view.log_base @ view.of(self.counts))
            for view, power in zip(self.views, self.exponents, strict=True)
        )
        return float(sum(parts))

    @cached_property
    def counts(self) -> FloatArray:
        """What each object counts."""
        return np.where(self.known >= 0, 1.0, self.weight)


@dataclass(frozen=True)
class Parameters:
    """What a naive Bayes classifier knows."""

    views: tuple[Any, ...]
    """Of each view, as its likelihood has them."""
    prior: FloatArray


@dataclass(frozen=True)
class NaiveBayesStatistics:
    """What one E step leaves for the M step; adds up over subsets of the objects."""

    views: dict[str, Any]
    """Sums of each view, as its likelihood makes them."""
    mass: FloatArray
    """Weight of each class."""

    def __add__(self, other: NaiveBayesStatistics) -> NaiveBayesStatistics:
        if self.views.keys() != other.views.keys():
            raise ValueError(
                f"statistics of the views {list(self.views)} and {list(other.views)} do not add "
                "up; summarize the same views of every subset."
            )
        sums = {name: stats + other.views[name] for name, stats in self.views.items()}
        return NaiveBayesStatistics(sums, self.mass + other.mass)


@dataclass(frozen=True)
class Expectation:
    """Parameters with what they say of every object."""

    parameters: Parameters
    posterior: FloatArray
    """Objects × classes; that of a labelled object is its label."""
    log_posterior: float
    """Of the parameters, given all objects: what EM raises."""


def pose(
    views: Sequence[tuple[Family, Matrix, BoolArray]],
    known: IntArray,
    n_classes: int,
    *,
    weight: float,
    class_alpha: float,
    exponents: Sequence[float],
) -> Problem:
    """Keep of each view the rows that are observed and say something."""
    kept = [
        LikelihoodRows.among(family, matrix, observed & family.informative(matrix))
        for family, matrix, observed in views
    ]
    return Problem(tuple(kept), known, n_classes, weight, class_alpha, tuple(exponents))


def begin(problem: Problem) -> Expectation:
    """Estimate from the labelled objects alone, then judge all."""
    return expect(problem, maximize(problem, one_hot(problem.known, problem.n_classes)))


def step(problem: Problem, state: Expectation) -> Expectation:
    """One M step from the present posteriors, and the E step that follows it."""
    return expect(problem, maximize(problem, weigh(problem, state.posterior)))


def weigh(problem: Problem, posterior: FloatArray) -> FloatArray:
    """Weight of each object in each class: P(c|x), times λ if it has no label."""
    if problem.weight == 1:
        return posterior
    return posterior * problem.counts.astype(posterior.dtype)[:, None]


def maximize(problem: Problem, weights: FloatArray) -> Parameters:
    """M step: parameters of every view, and the prior, from weighted objects."""
    sums = summaries(problem, weights)
    found = [view.family.update(own) for view, own in zip(problem.views, sums, strict=True)]
    mass = weights.sum(axis=0, dtype=np.float64)
    return Parameters(tuple(found), class_shares(mass, problem.class_alpha))


def summaries(problem: Problem, weights: FloatArray) -> list[Any]:
    """Sums of every view from weighted objects, times what the view counts.

    A view that counts nothing learns as if it did, to answer where it is asked alone.
    """
    found = []
    for view, power in zip(problem.views, problem.exponents, strict=True):
        own = view.of(weights)
        if power not in (0.0, 1.0):
            own = own * own.dtype.type(power)
        found.append(view.family.summarize(view.matrix, own))
    return found


def class_shares(mass: FloatArray, alpha: float) -> FloatArray:
    """Share of each class, after ``alpha`` is added to the weight of each.

    Examples
    --------
    >>> class_shares(np.array([3.0, 0.0]), 1.0)
    array([0.8, 0.2])
    """
    smoothed = mass + alpha
    return np.asarray(smoothed / smoothed.sum())


def expect(problem: Problem, parameters: Parameters) -> Expectation:
    """E step: posteriors of the unlabelled objects, and the log posterior of the parameters."""
    n_objects = len(problem.known)
    say = np.broadcast_to(problem.exponents, (n_objects, len(problem.views)))
    joint = log_joint(problem.views, parameters, say)
    posterior, evidence = np.empty_like(joint), np.empty(len(joint))
    labelled = np.flatnonzero(problem.known >= 0)
    codes = problem.known[labelled]
    told = joint[labelled, codes]
    for rows in row_blocks(len(joint), _BLOCK):
        posterior[rows], evidence[rows] = log_softmax(joint[rows])  # P(c|x)
    posterior[labelled] = np.eye(problem.n_classes)[codes]
    evidence[labelled] = told
    likelihood = float(evidence @ problem.counts) + problem.log_base
    prior = log_prior(problem, parameters)
    return Expectation(parameters, posterior, likelihood + prior)


def log_joint(
    views: Sequence[LikelihoodRows], parameters: Parameters, say: FloatArray
) -> FloatArray:
    """Log of P(c) Π_v P(x_v|c) for every object and class, by the views it has.

    ``say`` (objects × views) is what a view counts for an object, a power of its density.
    """
    densities = (
        _powered(view.spread(view.family.log_density(view.matrix, own), len(say)), counts)
        for view, own, counts in zip(views, parameters.views, say.T, strict=True)
    )
    joint: FloatArray = sum(densities, start=next(densities))
    joint += safe_log(parameters.prior).astype(joint.dtype)
    return joint


def log_prior(problem: Problem, parameters: Parameters) -> float:
    """Log density of the parameters, up to a constant, under which smoothing is their estimate."""
    total = problem.class_alpha * float(safe_log(parameters.prior).sum())
    for view, own, power in zip(problem.views, parameters.views, problem.exponents, strict=True):
        total += _log_smoothing(view.family, own) if power else 0.0
    return total


def one_hot(codes: IntArray, n_classes: int) -> FloatArray:
    """Rows with a 1 at the class, zeros for an unlabelled object.

    Examples
    --------
    >>> one_hot(np.array([1, -1]), 2)
    array([[0., 1.],
           [0., 0.]])
    """
    rows = np.zeros((len(codes), n_classes))
    labelled = np.flatnonzero(codes >= 0)
    rows[labelled, codes[labelled]] = 1.0
    return rows


def _powered(log_density: FloatArray, counts: FloatArray) -> FloatArray:
    """Log densities times what the view counts for each object."""
    if (counts == 1).all():
        return log_density
    scale = counts.astype(log_density.dtype)[:, None]
    return np.where(scale > 0, scale * log_density, log_density.dtype.type(0))


def _log_smoothing(family: Family, parameters: Any) -> float:
    """Log density of further counts ``alpha``, one of everything in every class."""
    if isinstance(family, Multinomial):
        return family.alpha * float(parameters.log_probabilities.sum(dtype=np.float64))
    if isinstance(family, Bernoulli):
        both = parameters.log_present.sum(dtype=np.float64) + parameters.log_absent.sum()
        return family.alpha * float(both)
    return 0.0
