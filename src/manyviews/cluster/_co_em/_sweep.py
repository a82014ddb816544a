"""Co-EM on checked arrays: every view re-estimates itself by what the others believe [@bickel2005].

Each view's M step takes the posterior averaged over the views, Eq. (13) of the paper, with the
latest beliefs of all of them, and its own beliefs follow at once: Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from manyviews.maths import Likelihood, LikelihoodRows, log_softmax, row_blocks, safe_log
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix

Family: TypeAlias = Likelihood[Any, Any]

_BLOCK = 1 << 14
"""Rows whose beliefs are worked out at a time, so that they stay in the cache."""


@dataclass(frozen=True)
class Problem:
    """What all starts share."""

    views: tuple[LikelihoodRows, ...]
    n_components: int
    known: IntArray
    """Component of each labelled object, -1 for others."""
    share: FloatArray
    """One over the number of other views that say something of an object; 0 if there is none."""


@dataclass(frozen=True)
class Belief:
    """What one view thinks of every object; zeros where it has nothing to go by."""

    posterior: FloatArray
    log_posterior: FloatArray
    """Zeros also where a label says it all."""
    log_likelihood: float


@dataclass(frozen=True)
class Criterion:
    """Q^MV with its parts, at the present parameters."""

    value: float
    log_likelihoods: tuple[float, ...]
    disagreement: float


@dataclass(frozen=True)
class Sweep:
    """State after a pass over the views."""

    parameters: tuple[Any, ...]
    priors: tuple[FloatArray, ...]
    beliefs: tuple[Belief, ...]
    eta: float
    """Weight of the others in this pass."""
    history: tuple[Criterion, ...]


@dataclass(frozen=True)
class CoEMStatistics:
    """What one E step leaves for the M step; adds up over subsets of the objects."""

    views: dict[str, Any]
    """Sums of each view that is to be updated, as its likelihood makes them."""
    masses: dict[str, FloatArray]
    """Weight of each component in every view, for the prior."""

    def __add__(self, other: CoEMStatistics) -> CoEMStatistics:
        if self.views.keys() != other.views.keys():
            raise ValueError(
                f"statistics of the views {list(self.views)} and {list(other.views)} do not add "
                "up; summarize the same views of every subset."
            )
        return CoEMStatistics(
            {name: stats + other.views[name] for name, stats in self.views.items()},
            {name: mass + other.masses[name] for name, mass in self.masses.items()},
        )


def pose(
    views: Sequence[tuple[Family, Matrix, BoolArray]], known: IntArray, n_components: int
) -> Problem:
    """Keep of each view the rows that are observed and say something."""
    telling = [observed & family.informative(matrix) for family, matrix, observed in views]
    others = np.sum(telling, axis=0) - 1
    share = np.divide(1.0, others, out=np.zeros(len(known)), where=others > 0)[:, None]
    kept = [
        LikelihoodRows.among(family, matrix, tells)
        for (family, matrix, _), tells in zip(views, telling, strict=True)
    ]
    return Problem(tuple(kept), n_components, known, share)


def sweep(problem: Problem, state: Sweep, eta: float, *, shared_prior: bool) -> Sweep:
    """One pass over the views: E and M step in each, by the latest beliefs of all (Table 1)."""
    parameters, priors, beliefs = list(state.parameters), list(state.priors), list(state.beliefs)
    common = mean_belief(beliefs)
    for number, view in enumerate(problem.views):
        weights = view.of(blend(beliefs, number, eta, problem.share))
        stats = view.family.summarize(view.matrix, weights)
        parameters[number] = view.family.update(stats)
        priors[number] = common if shared_prior else component_shares(weights)
        beliefs[number] = believe(view, parameters[number], priors[number], problem.known)
    found = criterion(beliefs, eta, problem.share)
    return Sweep(tuple(parameters), tuple(priors), tuple(beliefs), eta, (*state.history, found))


def begin(problem: Problem, responsibilities: Sequence[FloatArray], eta: float) -> Sweep:
    """State before the first pass: parameters from given responsibilities, one array per view."""
    parameters, priors, beliefs = [], [], []
    for view, weights in zip(problem.views, responsibilities, strict=True):
        rows = view.of(weights)
        parameters.append(view.family.update(view.family.summarize(view.matrix, rows)))
        priors.append(component_shares(rows))
        beliefs.append(believe(view, parameters[-1], priors[-1], problem.known))
    found = criterion(beliefs, eta, problem.share)
    return Sweep(tuple(parameters), tuple(priors), tuple(beliefs), eta, (found,))


def weigh(
    problem: Problem, parameters: Sequence[Any], priors: Sequence[FloatArray], eta: float
) -> list[FloatArray]:
    """E step alone: the weights of its rows that each view would learn from at given parameters."""
    beliefs = [
        believe(view, own, prior, problem.known)
        for view, own, prior in zip(problem.views, parameters, priors, strict=True)
    ]
    return [
        view.of(blend(beliefs, number, eta, problem.share))
        for number, view in enumerate(problem.views)
    ]


def believe(view: LikelihoodRows, parameters: Any, prior: FloatArray, known: IntArray) -> Belief:
    """Posterior of the components by one view alone, labels kept."""
    joint = view.family.log_density(view.matrix, parameters)
    posterior, evidence = np.empty_like(joint), np.empty_like(joint[:, 0])
    log_prior = safe_log(prior).astype(joint.dtype)
    labels = view.of(known)
    labelled = np.flatnonzero(labels >= 0)
    told = joint[labelled, labels[labelled]] + log_prior[labels[labelled]]
    for rows in row_blocks(view.n_rows, _BLOCK):
        joint[rows] += log_prior
        posterior[rows], evidence[rows] = log_softmax(joint[rows])  # Eq. (14); joint in place
    evidence[labelled] = told
    posterior[labelled] = np.eye(len(prior))[labels[labelled]]
    joint[labelled] = 0.0
    total = float(view.log_base.sum()) + float(evidence.sum(dtype=np.float64))
    return Belief(view.spread(posterior, len(known)), view.spread(joint, len(known)), total)


def blend(beliefs: Sequence[Belief], view: int, eta: float, share: FloatArray) -> FloatArray:
    """Posterior that a view learns from: (1 − η) its own and η the mean of the others', Eq. (13).

    Objects that only this view shows keep its own.
    """
    own = beliefs[view].posterior
    if eta == 0 or len(beliefs) == 1:
        return own
    others = _mean_of_others(beliefs, view, share)
    return others if eta == 1 else (1.0 - eta) * own + eta * others


def _mean_of_others(beliefs: Sequence[Belief], view: int, share: FloatArray) -> FloatArray:
    posteriors = [belief.posterior for place, belief in enumerate(beliefs) if place != view]
    if len(posteriors) == 1 and share.all():
        return posteriors[0]
    mean: FloatArray = sum(posteriors[1:], start=posteriors[0]) * share
    alone = np.flatnonzero(share[:, 0] == 0)
    mean[alone] = beliefs[view].posterior[alone]
    return mean


def mean_belief(beliefs: Sequence[Belief]) -> FloatArray:
    """Return the prior that all views share: the mean of all their posteriors, Eq. (17)."""
    mass = sum(belief.posterior.sum(axis=0, dtype=np.float64) for belief in beliefs)
    return np.asarray(mass / np.sum(mass))


def component_shares(weights: FloatArray) -> FloatArray:
    """Return the share of each component in the weights of all rows."""
    mass = weights.sum(axis=0, dtype=np.float64)
    return np.asarray(mass / mass.sum())


def criterion(beliefs: Sequence[Belief], eta: float, share: FloatArray) -> Criterion:
    """Q^MV of Eq. (12), at parameters that are the new and the old ones at once.

    log(α P(x|j)) is log P(x) + log P(j|x), so that Q^MV = Σ log P(x) + Σ blend · log P(j|x), and
    Δ of Eq. (10) is Σ (own − mean of others) · log P(j|x).
    """
    own = [_dot(belief.posterior, belief.log_posterior) for belief in beliefs]
    if len(beliefs) == 1:
        crossed = own
    else:
        crossed = [
            _dot(_mean_of_others(beliefs, view, share), belief.log_posterior)
            for view, belief in enumerate(beliefs)
        ]
    likelihoods = tuple(belief.log_likelihood for belief in beliefs)
    value = sum(likelihoods) + (1.0 - eta) * sum(own) + eta * sum(crossed)
    return Criterion(value, likelihoods, max(sum(own) - sum(crossed), 0.0))


def _dot(one: FloatArray, other: FloatArray) -> float:
    return float(np.einsum("ij,ij->", one, other, dtype=np.float64))
