"""Where a local model should speak: regions that a global one misjudges [@rueping2005].

From the top: how much of each region pays; what objects show, as probabilities; clusters of
what the global model gets wrong, and the medoids that stand for them; the detectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, rel_entr, xlogy

from manyviews.explain.bottleneck_equations import bottleneck
from manyviews.explain.restricted_models import (
    Columns,
    Data,
    Judged,
    Model,
    Way,
    learn,
    model_weights,
)
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

__all__ = [
    "Clustering",
    "Regions",
    "Shown",
    "best_share",
    "best_thresholds",
    "by_classifier",
    "by_medoids",
    "clustered",
    "informative",
    "largest_cut",
    "medoids",
    "misjudged",
    "nowhere",
    "shown",
]

MOST_WORDS = 500
"""Features of a wide sparse view by which objects are clustered, those that most objects show: the
paper takes the 500 most frequent words."""
MOST_CANDIDATES = 1000
"""Objects that may become the medoid of a cluster, the most probable ones: the matrix of their
distances to 10,000 objects has 80 MB."""
CRISP = 20.0
"""β is so many times the reciprocal of I(U;V): what all objects together have to tell is then worth
20 nats, and memberships are mostly clear. A judgement."""
MAX_ITER, TOL = 500, 1e-8
"""Steps and accuracy of the bottleneck; it is small, and its result should not hang on the last
step."""
TIE = 1e-9
"""Objects that are as close to a pattern, relatively, are in it together or not at all."""
LEAST_SHARE = 1e-6
"""Share of objects, where some but next to none are worth it: of up to a million objects, one."""
STARTED = 0.9
"""Membership of the objects in the cluster from whose seed they start. A judgement."""


# How much of each pattern pays --------------------------------------------------------------------


def best_thresholds(
    patterns: IntArray, closeness: FloatArray, gains: FloatArray, budget: int
) -> tuple[FloatArray, float]:
    """How close to each pattern an object has to be, for the largest gain within the budget.

    Solved exactly: of each pattern only closeness at which more is gained than at any higher one
    can be part of a solution, and the best combination of these is found by dynamic programming
    over the number of objects.

    Parameters
    ----------
    patterns : array of int of shape (n_objects,)
        The pattern that each object is nearest to.
    closeness : array of shape (n_objects,)
        How close it is to it.
    gains : array of shape (n_objects,)
        What is gained where the local model speaks of it: 1, 0 or -1.
    budget : int
        Most objects in all patterns together.

    Returns
    -------
    thresholds : array of shape (n_patterns,)
        Infinite for a pattern that does not pay.
    gain : float
        What is gained. Of solutions of one gain that with the fewest objects.

    Examples
    --------
    >>> patterns, closeness = np.array([0, 0, 0, 1, 1]), np.array([3.0, 2.0, 1.0, 2.0, 1.0])
    >>> best_thresholds(patterns, closeness, np.array([1, -1, 1, 1, 1]), 3)
    (array([2.5, 0.5]), 3.0)
    """
    n_patterns = int(patterns.max(initial=-1)) + 1
    best = np.full(budget + 1, -np.inf)  # gain by number of objects
    best[0] = 0.0
    choices: list[IntArray] = []
    offers = [records(closeness[patterns == p], gains[patterns == p]) for p in range(n_patterns)]
    for sizes, worth, _ in offers:
        reached, choice = best.copy(), np.full(budget + 1, -1)
        for number, (size, gain) in enumerate(zip(sizes, worth, strict=True)):
            if size <= budget:
                offered = np.append(np.full(size, -np.inf), best[: budget + 1 - size]) + gain
                better = offered > reached
                reached[better], choice[better] = offered[better], number
        best = reached
        choices.append(choice)
    used = int(best.argmax())
    gain = float(best[used])
    thresholds = np.full(n_patterns, np.inf)
    for pattern in reversed(range(n_patterns)):
        number = choices[pattern][used]
        if number >= 0:
            sizes, _, cuts = offers[pattern]
            thresholds[pattern] = cuts[number]
            used -= int(sizes[number])
    return thresholds, gain


def records(closeness: FloatArray, gains: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Numbers of closest objects that gain more than any smaller number; gains and thresholds.

    Objects that are equally close are never parted.

    Examples
    --------
    >>> records(np.array([3.0, 2.0, 2.0, 1.0]), np.array([1, 1, -1, 1]))
    (array([1, 4]), array([1., 2.]), array([2.5, 0.5]))
    """
    order, ends, cuts = steps(closeness)
    gained = np.cumsum(gains[order], dtype=np.float64)[ends - 1]
    before = np.maximum.accumulate(np.append(0.0, gained))[:-1]
    record = gained > before
    return ends[record], gained[record], cuts[record]


def steps(closeness: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Objects from the closest on, how many there are up to each step, and the cuts after these.

    A cut is half way to the next object, so that rounding moves nobody across it.
    """
    order = np.argsort(-closeness, kind="stable")
    falling = closeness[order]
    width = np.abs(falling) * TIE + np.finfo(np.float64).tiny
    last = np.append(falling[:-1] - falling[1:] > width[:-1], True)
    ends = np.flatnonzero(last) + 1 if len(falling) else np.zeros(0, dtype=np.intp)
    after = np.append(falling, falling[-1:] - 1.0)
    return order, ends, (after[ends - 1] + after[ends]) / 2


def largest_cut(closeness: FloatArray, most: int) -> float:
    """The threshold that lets in as many objects as allowed, or fewer where some are as close.

    Examples
    --------
    >>> largest_cut(np.array([3.0, 2.0, 2.0, 1.0]), 2)
    2.5
    """
    _, ends, cuts = steps(closeness)
    allowed = np.flatnonzero(ends <= most)
    return float(cuts[allowed[-1]]) if len(allowed) else np.inf


def best_share(ranks: FloatArray, gains: FloatArray, most: float) -> float:
    """The share of closest objects that gains most; 0 where nothing is gained.

    Parameters
    ----------
    ranks : array of shape (n_objects,)
        Which share of objects is as close as this one, or closer.
    gains : array of shape (n_objects,)
        What is gained where the local model speaks of it.
    most : float
        The largest share allowed.

    Examples
    --------
    >>> best_share(np.array([0.2, 0.4, 0.6, 0.8]), np.array([1, 1, -1, 1]), 0.5)
    0.4
    """
    allowed = ranks <= most + TIE
    sizes, worth, cuts = records(-ranks[allowed], gains[allowed])
    if not len(sizes):
        return 0.0
    inside = ranks[allowed][-ranks[allowed] >= cuts[int(worth.argmax())]]
    return max(float(inside.max()), LEAST_SHARE)


# What objects show, as probabilities --------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """What objects show of the features by which patterns are described."""

    columns: IntArray
    """Which columns of the matrix these are."""
    presence: FloatArray
    """Objects × columns: the probability that the feature is high; of words, that they occur."""
    p_v: FloatArray
    """P(v|u), the relevant features V of the bottleneck: rows sum to one."""


def shown(data: Data, columns: Columns, names: Sequence[str]) -> Shown:
    """Read presence and P(v|u) off the matrix.

    A standardised feature z is two values of V, high with probability Φ(z) and low. A wide sparse
    view is a distribution over its most frequent features. Views weigh alike; an object that lacks
    one shows the mean of all others in it.
    """
    places, presence, p_v = [], [], []
    for name in names:
        own = columns.of([name])
        view = columns.names.index(name)
        seen = data.views.observed_in(name)
        block = data.matrix[:, own]
        if columns.wide[view]:
            chosen = _frequent(block)
            rows = np.abs(np.asarray(_dense(block[:, chosen])))
            high, shares = (rows > 0).astype(np.float64), rows
        else:
            chosen = np.arange(len(own))
            dense = _dense(block)
            high = ndtr(dense / columns.factors[view])
            shares = np.hstack([high, 1.0 - high])
        high[~seen] = high[seen].mean(axis=0) if seen.any() else 0.0
        places.append(own[chosen])
        presence.append(high)
        p_v.append(_distributions(shares, seen))
    return Shown(np.concatenate(places), np.hstack(presence), np.hstack(p_v) / len(p_v))


def _frequent(block: Any) -> IntArray:
    """Columns that most rows show, in their order."""
    counts = np.bincount(block.indices, minlength=block.shape[1])
    if len(counts) <= MOST_WORDS:
        return np.arange(len(counts))
    return np.sort(np.argsort(-counts, kind="stable")[:MOST_WORDS])


def _distributions(shares: FloatArray, seen: Any) -> FloatArray:
    """Rows that sum to one; the mean of the others where there is nothing."""
    totals = shares.sum(axis=1)
    known = seen & (totals > 0)
    mean = np.full(shares.shape[1], 1.0 / shares.shape[1])
    found = np.tile(mean, (len(shares), 1))
    if known.any():
        found[known] = shares[known] / totals[known, None]
        found[~known] = found[known].mean(axis=0)
    return found


# Clusters of what the global model gets wrong -----------------------------------------------------


def misjudged(shares: FloatArray, codes: IntArray) -> FloatArray:
    """P(x): the probability of drawing an object if it is misclassified (section 5.2).

    Parameters
    ----------
    shares : array of shape (n_objects, n_classes)
        P_orig(Y|x) by the global model.
    codes : array of int of shape (n_objects,)
        f(x), what it predicts.

    Examples
    --------
    >>> misjudged(np.array([[0.9, 0.1], [0.3, 0.7]]), np.array([0, 1]))
    array([0.25, 0.75])
    """
    wrong = 1.0 - shares[np.arange(len(codes)), codes]  # P_orig(Y != f(x) | x)
    return _normalised(wrong)  # P_orig(x | Y != f(x))


def _normalised(weights: FloatArray) -> FloatArray:
    """Weights that sum to one; equal ones if a model is certain of everything."""
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1.0 / len(weights))


def clustered(
    p_u: FloatArray, p_v: FloatArray, n_clusters: int, beta: float | None, p_w: FloatArray | None
) -> FloatArray:
    """P(c|u) of the bottleneck, from a start that draws nothing."""
    found = bottleneck(
        p_u,
        p_v,
        n_clusters,
        crisp_beta(p_u, p_v) if beta is None else beta,
        p_w_given_u=p_w,
        start=spread_start(p_u, p_v, n_clusters),
        max_iter=MAX_ITER,
        tol=TOL,
        rng=np.random.default_rng(0),  # not drawn from: there is a start
    )
    return found.membership


def crisp_beta(p_u: FloatArray, p_v: FloatArray) -> float:
    """The β at which I(U;V), all that objects have to tell, is worth 20 nats."""
    known = p_u > 0
    weights, rows = p_u[known], p_v[known]
    information = float(weights @ rel_entr(rows, weights @ rows).sum(axis=1))  # I(U; V)
    return CRISP / information if information > CONSTANT else CRISP


CONSTANT = 1e-12
"""Information, in nats, that is none: objects that all show the same."""


def spread_start(p_u: FloatArray, p_v: FloatArray, n_clusters: int) -> FloatArray:
    """Memberships around seeds that are probable and far from each other.

    The distance is Hellinger's; the first seed is the one that is farthest from the mean.
    """
    points = np.sqrt(p_v)
    apart = np.square(points - np.sqrt(p_u @ p_v)).sum(axis=1)
    distances = np.empty((len(p_u), n_clusters))
    for cluster in range(n_clusters):
        worth = p_u * apart
        seed = int(np.argmax(worth >= worth.max() * (1 - TIE)))
        distances[:, cluster] = np.square(points - points[seed]).sum(axis=1)
        apart = distances[:, cluster] if not cluster else np.minimum(apart, distances[:, cluster])
    nearest = distances <= distances.min(axis=1, keepdims=True) + TIE
    first = nearest.argmax(axis=1)
    rest = (1.0 - STARTED) / max(n_clusters - 1, 1)
    start = np.full((len(p_u), n_clusters), rest)
    start[np.arange(len(p_u)), first] = STARTED if n_clusters > 1 else 1.0
    return start


def informative(p_u: FloatArray, membership: FloatArray, presence: FloatArray) -> FloatArray:
    """I(x; c) of each feature, high or low, and the clusters, in nats.

    Examples
    --------
    >>> presence = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> membership = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> informative(np.full(4, 0.25), membership, presence).round(4)
    array([0.6931, 0.    ])
    """
    joint = p_u[:, None] * membership  # P(x, c)
    p_c = joint.sum(axis=0)[:, None]
    high = joint.T @ presence
    low = p_c - high
    found = sum(
        (xlogy(part, np.maximum(part, 0.0)) - xlogy(part, p_c * part.sum(axis=0))).sum(axis=0)
        for part in (high, np.maximum(low, 0.0))
    )
    return np.maximum(np.asarray(found), 0.0)


def medoids(points: FloatArray, p_u: FloatArray, membership: FloatArray) -> IntArray:
    """The object of each cluster whose expected distance under P(x, c) to the others is least.

    Of objects that are equally near, such as copies, the most probable of the cluster.

    Examples
    --------
    >>> points = np.array([[0.0], [1.0], [2.5], [9.0]])
    >>> medoids(points, np.full(4, 0.25), np.array([[1.0, 0], [1.0, 0], [1.0, 0], [0, 1.0]]))
    array([1, 3])
    """
    found = []
    for weights in (p_u[:, None] * membership).T:  # P(x, c)
        candidates = np.argsort(-weights, kind="stable")[:MOST_CANDIDATES]
        costs = distances(points[candidates], points) @ weights
        near = np.flatnonzero(costs <= costs.min() * (1 + TIE))
        found.append(candidates[near[0]])  # the first one is the most probable
    return np.array(found, dtype=np.intp)


def distances(one: FloatArray, other: FloatArray) -> FloatArray:
    """Euclidean distances, free of cancellation: equal rows are at 0."""
    squares = np.zeros((len(one), len(other)))
    for left, right in zip(one.T, other.T, strict=True):
        squares += np.square(left[:, None] - right)
    return np.sqrt(squares)


# Detectors ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Regions:
    """The local patterns: what decides which one an object is in, if any."""

    columns: IntArray
    """The features that they are described by, the most informative first."""
    information: FloatArray
    """How informative these are: nats, or the weights of a classifier."""
    thresholds: FloatArray
    """How close to each pattern an object of it is; infinite for one that did not pay."""
    medoids: IntArray
    """Rows in ``fit`` of the typical objects."""
    points: FloatArray
    """These on the features; with a classifier they only serve for description."""
    model: Model | None = None
    """The classifier that tells local from other objects, if that is the detector."""

    def place(self, data: Data) -> tuple[IntArray, FloatArray]:
        """The nearest pattern of each object, and how close the object is to it."""
        if self.model is not None:
            said = self.model.ask(data, 2)
            return np.zeros(len(said.codes), dtype=np.intp), said.scores[:, 1] - said.scores[:, 0]
        apart = distances(dense_columns(data.matrix, self.columns), self.points)
        return nearest(apart)

    def find(self, data: Data) -> IntArray:
        """The pattern that each object is in; -1: none."""
        if not np.isfinite(self.thresholds).any():
            return np.full(len(data.views), -1, dtype=np.intp)
        patterns, closeness = self.place(data)
        return np.where(closeness >= self.thresholds[patterns], patterns, -1)


def nearest(apart: FloatArray) -> tuple[IntArray, FloatArray]:
    """The nearest of several points, the first of those equally near; and minus its distance."""
    least = apart.min(axis=1, keepdims=True)
    return (apart <= least * (1 + TIE)).argmax(axis=1), -least[:, 0]


def dense_columns(matrix: Matrix, columns: IntArray) -> FloatArray:
    """Some columns as a dense array; they are few."""
    return _dense(matrix[:, columns])


def _dense(block: Matrix) -> FloatArray:
    return np.asarray(block.toarray() if is_sparse(block) else block)


def nowhere() -> Regions:
    """No pattern at all."""
    nothing = np.zeros(0)
    none = np.zeros(0, dtype=np.intp)
    return Regions(none, nothing, nothing, none, np.zeros((0, 0)))


def by_classifier(way: Way, data: Data, judged: Judged, max_local: float) -> Regions:
    """Tell local examples from all others by a classifier on few features (section 5.1).

    How many objects are let in is chosen on objects left out of the classifier's fit, by the share
    of the objects of this fit that are as close.
    """
    local = np.where(judged.codes >= 0, judged.gains > 0, -1)  # l_i; -1: unlabelled
    if not (local == 1).any():
        return nowhere()
    ranks = np.ones(len(local))
    for fold in range(int(judged.folds.max()) + 1):
        train, test = (judged.folds != fold) & (local >= 0), judged.folds == fold
        model = learn(way, data.rows(train), local[train])
        known, new = (_log_odds(model, data.rows(rows)) for rows in (train, test))
        known.sort()
        lower = np.searchsorted(known, new - np.abs(new) * TIE)
        ranks[test] = (len(known) - lower) / len(known)
    labelled = local >= 0
    share = best_share(ranks[labelled], judged.gains[labelled], max_local)
    model = learn(way, data, local)
    most = int(max_local * len(local) + TIE)
    threshold = largest_cut(_log_odds(model, data), min(math.ceil(share * len(local) - TIE), most))
    weights = model_weights(model, data)
    order = np.argsort(-np.abs(weights).mean(axis=0), kind="stable")
    columns = model.columns[order]
    inside = _log_odds(model, data) >= threshold
    points = dense_columns(data.matrix, columns)
    middle = medoids(points, inside / max(inside.sum(), 1), np.ones((len(inside), 1)))
    return Regions(columns, weights[0, order], np.array([threshold]), middle, points[middle], model)


def _log_odds(model: Model, data: Data) -> FloatArray:
    scores = model.ask(data, 2).scores
    return scores[:, 1] - scores[:, 0]


@dataclass(frozen=True)
class Clustering:
    """How patterns are clustered, and described by medoids."""

    n_patterns: int
    n_features: int | None
    beta: float | None
    background: FloatArray | None
    """P(w|u), what is known of each object already; None: nothing."""
    only_local: bool
    """Whether only local examples have weight in the clusters."""
    max_local: float


def by_medoids(shown: Shown, data: Data, judged: Judged, way: Clustering) -> Regions:
    """Cluster what the global model gets wrong; medoids stand for the clusters (5.2 and 5.3)."""
    local = judged.gains > 0  # l_i
    if not local.any():
        return nowhere()
    p_u = misjudged(judged.shares, judged.simple_codes)
    if way.only_local:
        p_u = _normalised(np.where(local, p_u, 0.0))
    membership = clustered(p_u, shown.p_v, way.n_patterns, way.beta, way.background)
    told = informative(p_u, membership, shown.presence)
    chosen = np.argsort(-told, kind="stable")[: way.n_features]
    points = dense_columns(data.matrix, shown.columns[chosen])
    middle = medoids(points, p_u, membership)
    patterns, closeness = nearest(distances(points, points[middle]))
    gains = judged.gains.copy()
    gains[middle] = 0  # a medoid is in its own pattern however small, which proves nothing
    budget = int(way.max_local * len(gains) + TIE)
    thresholds, _ = best_thresholds(patterns, closeness, gains, budget)
    thresholds = np.append(thresholds, np.full(len(middle) - len(thresholds), np.inf))
    sizes = np.bincount(patterns[closeness >= thresholds[patterns]], minlength=len(middle))
    order = np.argsort(-sizes, kind="stable")  # those that do not pay are the last
    middle, thresholds = middle[order], thresholds[order]
    return Regions(shown.columns[chosen], told[chosen], thresholds, middle, points[middle])
