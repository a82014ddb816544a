"""A classifier in a few words, and the places where another one knows better [@rueping2005].

A global model on few features answers; where it is known to be wrong, in *local patterns*, a local
model that may use everything answers instead. From the top: how much of each pattern pays;
what objects show as probabilities; clusters of what the global model gets wrong, and the medoids
that stand for them; detectors of patterns; the estimator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import ndtr, rel_entr, xlogy
from sklearn.base import clone

from manyviews.base import BaseMultiViewClassifier, ViewTags, reads_views, seeded
from manyviews.data import Views
from manyviews.exceptions import ParameterError, UnknownViewError
from manyviews.explain.information_bottleneck import bottleneck
from manyviews.explain.pattern_report import (
    Confusion,
    LocalPattern,
    LocalPatternReport,
    PatternFeature,
    WeightedFeature,
)
from manyviews.explain.restricted_models import (
    Columns,
    Data,
    Model,
    Said,
    Way,
    calibrated,
    column_weights,
    deal,
    fit_columns,
    is_linear,
    learn,
    left_out,
    spreads,
)
from manyviews.maths import generator
from manyviews.typing import (
    AnyArray,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    Interval,
    Matrix,
    Positive,
    RandomState,
    Share,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = [
    "LocalPatternClassifier",
    "best_share",
    "best_thresholds",
    "informative",
    "largest_cut",
    "medoids",
    "misjudged",
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
ELIMINATED = 0.1
"""Part of the features that is eliminated at a time."""
TIE = 1e-9
"""Objects that are as close to a pattern, relatively, are in it together or not at all."""
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
    return float(ranks[allowed][-ranks[allowed] >= cuts[int(worth.argmax())]].max())


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
            rows = np.abs(np.asarray(block[:, chosen].toarray()))
            high, shares = (rows > 0).astype(np.float64), rows
        else:
            chosen = np.arange(len(own))
            dense = np.asarray(block.toarray() if is_sparse(block) else block)
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
    wrong = np.maximum(wrong, np.finfo(np.float64).tiny)  # of models that are always certain
    return np.asarray(wrong / wrong.sum())  # P_orig(x | Y != f(x))


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
    mean = p_u @ p_v
    information = float(p_u @ rel_entr(p_v, mean).sum(axis=1))  # I(U; V)
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


# What both models say, and where each is right ----------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """Both models, and what they say of the objects when these are left out."""

    simple: Model
    """The global one."""
    full: Model
    """The local one."""
    codes: IntArray
    """True classes; -1: unlabelled."""
    simple_codes: IntArray
    """What the global model says; left out, where an object is labelled."""
    full_codes: IntArray
    shares: FloatArray
    """P_orig(Y|x) by the global model."""
    folds: IntArray

    @property
    def simple_right(self) -> IntArray:
        """1 where the global model is right."""
        return (self.simple_codes == self.codes).astype(np.intp)

    @property
    def full_right(self) -> IntArray:
        """1 where the local model is right."""
        return (self.full_codes == self.codes).astype(np.intp)

    @property
    def gains(self) -> IntArray:
        """What is gained where the local model speaks: 1, 0 or -1; 0 for unlabelled objects."""
        return self.full_right - self.simple_right


def judge(simple: Way, full: Way, data: Data, codes: IntArray, n_classes: int, cv: int) -> Judged:
    """Fit both models, and let each say what it says of objects left out."""
    folds = deal(data.matrix, codes, cv)
    models, said = [], []
    for way in (simple, full):
        apart = left_out(way, data, codes, folds, n_classes)
        model = calibrated(learn(way, data, codes), apart, codes)
        if (codes < 0).any():
            apart = _completed(apart, model.ask(data.rows(codes < 0), n_classes), codes < 0)
        models.append(model)
        said.append(apart)
    return Judged(
        models[0],
        models[1],
        codes,
        said[0].codes,
        said[1].codes,
        said[0].shares(models[0].sharpness),
        folds,
    )


def _completed(said: Said, others: Said, unlabelled: Any) -> Said:
    """Say of unlabelled objects, which were never left out, what the models say of them."""
    codes, scores = said.codes.copy(), said.scores.copy()
    codes[unlabelled], scores[unlabelled] = others.codes, others.scores
    return Said(codes, scores)


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
    chosen = matrix[:, columns]
    return np.asarray(chosen.toarray() if is_sparse(chosen) else chosen)


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
        ranks[test] = (len(known) - lower + 1) / (len(known) + 1)
    labelled = local >= 0
    share = best_share(ranks[labelled], judged.gains[labelled], max_local)
    model = learn(way, data, local)
    threshold = largest_cut(_log_odds(model, data), int(share * len(local) + TIE))
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


def model_weights(model: Model, data: Data) -> FloatArray:
    """Weights of the columns of a model, targets × columns, per standard deviation; else zeros."""
    found = column_weights(model.estimator, len(model.columns))
    if found is None:
        return np.zeros((1, len(model.columns)))
    if not is_linear(model.estimator):
        return found
    return np.asarray(found * spreads(data.matrix[:, model.columns]))


@dataclass(frozen=True)
class Clustering:
    """How patterns are clustered, and described by medoids."""

    n_patterns: int
    n_features: int | None
    beta: float | None
    background: FloatArray | None
    """P(w|u), what is known of each object already; None: nothing."""
    max_local: float


def by_medoids(shown: Shown, data: Data, judged: Judged, way: Clustering) -> Regions:
    """Cluster what the global model gets wrong; medoids stand for the clusters (5.2 and 5.3)."""
    p_u = misjudged(judged.shares, judged.simple_codes)
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


# The estimator ------------------------------------------------------------------------------------

Names = Sequence[str] | None


class LocalPatternClassifier(BaseMultiViewClassifier):
    """Explain a classifier in a few words, and say where these are not to be relied on.

    Take it when people have to understand, or check, what decides: a *global model* on a few
    features decides nearly everywhere, and a *local model* that may use everything decides in a
    few *local patterns*, at most a share ``max_local`` of the objects, where the global one is
    known to be wrong. :meth:`describe` gives a page with the features and their weights, and for
    each pattern a typical object and what goes wrong there. Take the local model alone where nobody
    asks why, and the global one alone where it is as accurate.

    Parameters
    ----------
    global_estimator : classifier, optional
        To be understood: logistic regression by default. With fewer features than there are
        (``n_features``) it needs ``coef_`` or ``feature_importances_``. It gets comparable columns
        (see Notes); a method of this library gets views.
    local_estimator : classifier, optional
        To be accurate: by default a support vector machine with a Gaussian kernel, and where a
        sparse view has more than 50 features logistic regression.
    detector : {"classifier", "bottleneck", "conditional"}
        How patterns are found: by a classifier like the global one that tells where to use the
        local model; by clusters of what the global model gets wrong; or by such clusters that tell
        more than is known already (``background``).
    max_local : float
        Largest share of the objects for which the local model may answer, τ in the paper.
    n_features : int or None
        Most features of the global model, and as many of the detector; None: all.
    global_views, local_views : list of str, optional
        The views that the global model and the patterns use, and those of the local model; all by
        default. So keywords may explain what sounds decide.
    n_patterns : int
        Clusters that patterns are made of; with ``detector="classifier"`` there is one pattern.
    background : {"clusters", "model"}
        What ``detector="conditional"`` takes as known: what objects look like in general, as many
        clusters of all of them as there are classes; or the probabilities of the global model.
    beta : float, optional
        What a nat about the features is worth in clustering, in nats remembered of the objects;
        chosen by default so that clusters are mostly clear.
    cv : int
        Folds in which objects are left out to see which model is right.
    random_state : int, generator or None
        Seeds estimators whose own is None; nothing else is drawn.
    verbose : int
        1 says what is done.

    Attributes
    ----------
    global_estimator_, local_estimator_ : classifiers
        Fitted. Their classes are positions in ``classes_``.
    global_features_ : list of str
        Features of the global model, ``view__feature``.
    local_share_ : float
        Share of the objects of ``fit`` for which the local model answers, at most ``max_local``.
    disagreement_ : float
        Share of them that get another answer than the global model's, at most ``local_share_``.
    global_accuracy_, local_accuracy_, combined_accuracy_ : float
        Accuracy of each on labelled objects left out; patterns were chosen by the last.
    n_patterns_ : int
        Patterns that pay.
    regions_ : Regions
        The patterns as arrays: columns, thresholds, medoids.
    models_ : tuple
        Both models with the columns and views that they see.
    columns_ : Columns
        How views become comparable columns.
    description_ : LocalPatternReport
        What :meth:`describe` gives.
    classes_ : array
        The classes.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.explain import LocalPatternClassifier
    >>> sides = np.linspace(-1, 1, 20)
    >>> x, z = (side.ravel() for side in np.meshgrid(sides, sides))
    >>> y = np.where(z > 0.8, x < 0, x > 0).astype(int)  # x decides, but the other way at the top
    >>> model = LocalPatternClassifier(max_local=0.1, n_features=1).fit(np.c_[x, z], y)
    >>> model.global_features_, model.local_share_ <= 0.1
    (['view0__0'], True)
    >>> model.decided_by([[0.5, 0.9], [0.5, -0.9]]).tolist()
    ['local', 'global']
    >>> model.predict([[0.5, 0.9], [0.5, -0.9]])
    array([0, 1])

    Notes
    -----
    **Objective**
        Among patterns of at most ``τ n`` objects, those with the highest accuracy of the combined
        model, ``Σ_i [local right] − [global right]`` over the objects in them (section 5). The
        clusters of section 5.2 minimise ``F = I(U;C) − β I(V;C)`` and those of 5.3 ``I(U;C) −
        β I(V;C|W)``, with ``P(u) = P_orig(Y ≠ f(x)|x)``, normalised.

    **Symbols**
        f → ``global_estimator_``; τ → ``max_local``; ``l_i = 1`` → the global model is wrong and
        the local one right; U → objects; V → features of ``global_views``; C → clusters, of which
        patterns are made; W → ``background``; k → ``n_patterns``.

    **Algorithm**
        1. ``fit_columns``: features of dense views, and of sparse ones up to 50, are standardised,
           rows of other sparse views get one length; then each view has the same total variance.
        2. ``eliminate``: as long as the global model has more than ``n_features`` features, a tenth
           of them, those of the lowest absolute weights, is removed (section 6.1).
        3. ``judge``: both models are fitted to all labelled objects; which is right where is read
           from models that were learnt without the object.
        4. "classifier": ``by_classifier`` learns ``l_i`` from few features (5.1). "bottleneck" and
           "conditional": ``clustered`` clusters all objects weighted by P(u) (``misjudged``);
           ``informative`` chooses the features of the highest I(x; c); ``medoids`` minimise the
           expected distance under P(x, c).
        5. ``best_thresholds`` by dynamic programming, or ``best_share`` of a classifier: how close
           to a medoid objects have to be. Objects that are equally close stay together.

    **Deviations**
        The paper does not say whether ``l_i`` is read from the objects that the models were fitted
        to. Here they are left out, with the elimination done anew in each fold: on them a flexible
        local model is right nearly always and would be trusted everywhere. ``combined_accuracy_``
        is still optimistic, as the patterns were chosen by it; the medoid of a pattern, which is in
        it however small it is, is not counted. Where objects tie, the paper exceeds τ (its Table 1
        has a disagreement of .147 for τ = .05); here fewer objects are local. The bound is on the
        objects of ``fit``; among others the share varies as shares do.
        Platt's scaling of decisions is fitted without its offset, so that the most probable class
        is the one predicted; a classifier that only names classes is scaled in the same way.
        P(v|u), which the paper has for words, is for a standardised feature z the pair Φ(z) and
        1 − Φ(z), high and low; I(x; c) is that of being high, or of a word being there.
        Distances are Euclidean on the columns; the paper has cosines for texts, which are undefined
        for a text with none of ten words. More than two classes work as two do.
        An object that lacks views gets the mean of their features, and one that lacks all of the
        global model's views is an average object to it: it gets that answer unless it is in a
        pattern. Unlabelled objects count for τ and for the clusters, and are given to local
        estimators of this library.

    **Complexity**
        ``cv + 1`` fits of each model; with elimination of p features as often as ``log(p /
        n_features) / 0.1`` times. The bottleneck takes objects × features × clusters per step.

    References
    ----------
    [@rueping2005], [@platt1999]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _deterministic_start: ClassVar[dict[str, Any]] = {}

    models_: tuple[Model, Model]
    global_estimator_: Any
    local_estimator_: Any
    global_features_: list[str]
    regions_: Regions
    columns_: Columns
    description_: LocalPatternReport
    local_share_: float
    disagreement_: float
    global_accuracy_: float
    local_accuracy_: float
    combined_accuracy_: float
    n_patterns_: int

    def __init__(
        self,
        global_estimator: Classifier | None = None,
        local_estimator: Classifier | None = None,
        detector: Literal["classifier", "bottleneck", "conditional"] = "classifier",
        max_local: Share = 0.05,
        n_features: Count | None = 10,
        *,
        global_views: Names = None,
        local_views: Names = None,
        n_patterns: Count = 3,
        background: Literal["clusters", "model"] = "clusters",
        beta: Positive | None = None,
        cv: Annotated[int, Interval(2)] = 5,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.global_estimator = global_estimator
        self.local_estimator = local_estimator
        self.detector = detector
        self.max_local = max_local
        self.n_features = n_features
        self.global_views = global_views
        self.local_views = local_views
        self.n_patterns = n_patterns
        self.background = background
        self.beta = beta
        self.cv = cv
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(detector="bottleneck", max_local=0.2)
        yield cls(detector="conditional", max_local=0.2, background="model")

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Fit both models, see where each is right, and find the patterns that pay.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        y : array-like of shape (n_objects,)
            Classes, -1 (or None, NaN) where an object is unlabelled.
        """
        views = self._fit_views(X)
        named = _named_views(views, self.global_views, self.local_views)
        labels = self._fit_labels(y, views)
        columns = fit_columns(views)
        data = Data(views, columns.matrix(views))
        simple, full = self._ways(columns, named, generator(self.random_state))
        self._report(f"leaves out {len(data.views)} objects in {self.cv} folds")
        judged = judge(simple, full, data, labels.codes, len(labels.classes), self.cv)
        regions = self._detected(simple, data, columns, judged)
        self._store(data, columns, judged, regions)
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Predict the class of each object: by the local model in local patterns, else globally."""
        data = self._data(X)
        return self.classes_[self._codes(data, self.regions_.find(data) >= 0)]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probabilities of the classes, by the model that decides."""
        data = self._data(X)
        local = self.regions_.find(data) >= 0
        found = np.empty((len(data.views), len(self.classes_)))
        for model, rows in zip(self.models_, (~local, local), strict=True):
            if rows.any():
                found[rows] = model.predict_proba(data.rows(rows), len(self.classes_))
        return found

    def decided_by(self, X: ViewsLike) -> AnyArray:
        """Which model speaks for each object: "global" or "local".

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        """
        return np.where(self.pattern_of(X) >= 0, "local", "global").astype(object)

    def pattern_of(self, X: ViewsLike) -> IntArray:
        """The local pattern that each object is in, as numbered from 0 in ``describe``; -1: none.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        """
        return self._fitted_regions().find(self._data(X))

    def describe(self) -> LocalPatternReport:
        """The page for the user: what decides, where it does not, and what is typical there."""
        self._fitted_regions()
        return self.description_

    def _fitted_regions(self) -> Regions:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return self.regions_

    def _data(self, X: ViewsLike) -> Data:
        views = self._new_views(X)
        return Data(views, self.columns_.matrix(views))

    def _codes(self, data: Data, local: Any) -> IntArray:
        codes = np.empty(len(data.views), dtype=np.intp)
        for model, rows in zip(self.models_, (~local, local), strict=True):
            if rows.any():
                codes[rows] = model.ask(data.rows(rows), len(self.classes_)).codes
        return codes

    def _ways(
        self, columns: Columns, named: tuple[tuple[str, ...], ...], rng: np.random.Generator
    ) -> tuple[Way, Way]:
        """How both models are learnt; the limit of features is that of the global one."""
        simple = _linear() if self.global_estimator is None else self.global_estimator
        full = self.local_estimator
        if full is None:
            full = _linear() if any(columns.wide) else _kernel_machine()
        ways = [
            Way(seeded(clone(estimator), rng), names, columns.of(names), limit, ELIMINATED, role)
            for estimator, names, limit, role in (
                (simple, named[0], self.n_features, "global_estimator"),
                (full, named[1], None, "local_estimator"),
            )
        ]
        return ways[0], ways[1]

    def _detected(self, simple: Way, data: Data, columns: Columns, judged: Judged) -> Regions:
        if self.max_local == 0:
            return nowhere()
        if self.detector == "classifier":
            way = simple
            if reads_views(way.estimator):
                way = Way(_linear(), way.names, way.columns, self.n_features, ELIMINATED, way.role)
            return by_classifier(way, data, judged, self.max_local)
        seen = shown(data, columns, simple.names)
        way = Clustering(
            self.n_patterns, self.n_features, self.beta, self._known(seen, judged), self.max_local
        )
        return by_medoids(seen, data, judged, way)

    def _known(self, seen: Shown, judged: Judged) -> FloatArray | None:
        """P(w|u): what is known of each object already (section 5.3)."""
        if self.detector == "bottleneck":
            return None
        if self.background == "model":
            return judged.shares
        everybody = np.full(len(seen.p_v), 1.0 / len(seen.p_v))
        return clustered(everybody, seen.p_v, judged.shares.shape[1], self.beta, None)

    def _store(self, data: Data, columns: Columns, judged: Judged, regions: Regions) -> None:
        self.columns_, self.regions_ = columns, regions
        self.models_ = judged.simple, judged.full
        self.global_estimator_, self.local_estimator_ = (m.estimator for m in self.models_)
        labelled = judged.codes >= 0
        found = regions.find(data)
        self.local_share_ = float((found >= 0).mean())
        simple = judged.simple.ask(data, len(self.classes_)).codes
        combined = self._codes(data, found >= 0)
        self.disagreement_ = float((combined != simple).mean())
        self.global_accuracy_ = float(judged.simple_right[labelled].mean())
        self.local_accuracy_ = float(judged.full_right[labelled].mean())
        right = np.where(found >= 0, judged.full_right, judged.simple_right)
        self.combined_accuracy_ = float(right[labelled].mean())
        self.n_patterns_ = int(np.isfinite(regions.thresholds).sum())
        names = self.layout_.column_names()
        self.global_features_ = (
            [] if judged.simple.by_views else names[judged.simple.columns].tolist()
        )
        self.description_ = _described(self, data, judged, found)
        self._report(
            f"finds {self.n_patterns_} local patterns with {self.local_share_:.1%} of the objects"
        )

    def _report(self, said: str) -> None:
        if self.verbose:
            print(f"{type(self).__name__}: {said}")


def _linear() -> Any:
    from sklearn.linear_model import LogisticRegression

    # Newton's method: the answer does not hang on where an inexact search stopped.
    return LogisticRegression(solver="newton-cg", tol=1e-8, max_iter=1000)


def _kernel_machine() -> Any:
    from sklearn.svm import SVC

    return SVC(tol=1e-8)


def _named_views(views: Views, *given: Names) -> tuple[tuple[str, ...], ...]:
    """Views for each model, in the order of the views; all where none are named."""
    found = []
    for names, role in zip(given, ("global_views", "local_views"), strict=True):
        wanted = (
            views.names if names is None else [names] if isinstance(names, str) else list(names)
        )
        if not wanted:
            raise ParameterError(f"{role} is empty; name at least one view, or give None for all.")
        for name in wanted:
            if name not in views.names:
                known = ", ".join(repr(view) for view in views.names)
                raise UnknownViewError(f"{role} names the view {name!r}; the views are {known}.")
        found.append(tuple(name for name in views.names if name in wanted))
    return tuple(found)


# The page for the user ----------------------------------------------------------------------------


def _described(
    model: LocalPatternClassifier, data: Data, judged: Judged, found: IntArray
) -> LocalPatternReport:
    simple, full = judged.simple, judged.full
    kept = np.flatnonzero(np.isfinite(model.regions_.thresholds))
    return LocalPatternReport(
        n_objects=len(found),
        n_labelled=int((judged.codes >= 0).sum()),
        classes=tuple(model.classes_.tolist()),
        detector=model.detector,
        max_local=float(model.max_local),
        global_model=type(simple.estimator).__name__,
        global_features=() if simple.by_views else _weighted(model, data, simple),
        global_views=simple.names,
        local_model=type(full.estimator).__name__,
        local_views=full.names,
        n_local_features=len(full.columns),
        global_accuracy=model.global_accuracy_,
        local_accuracy=model.local_accuracy_,
        combined_accuracy=model.combined_accuracy_,
        local_share=model.local_share_,
        disagreement=model.disagreement_,
        patterns=tuple(_pattern(model, data, judged, found, int(pattern)) for pattern in kept),
    )


def _weighted(
    model: LocalPatternClassifier, data: Data, simple: Model
) -> tuple[WeightedFeature, ...]:
    """Features of the global model with their weights, the heaviest first."""
    names = shown_names(model)
    has_weights = column_weights(simple.estimator, len(simple.columns)) is not None
    weights = model_weights(simple, data)
    order = np.argsort(-np.abs(weights).mean(axis=0), kind="stable")
    return tuple(
        WeightedFeature(
            names[simple.columns[place]],
            tuple(weights[:, place].tolist()) if has_weights else (),
        )
        for place in order
    )


def shown_names(model: LocalPatternClassifier) -> list[str]:
    """Names of the features as a user knows them: with the view only if there are several."""
    names: list[str] = model.layout_.column_names().tolist()
    if len(model.layout_.names) > 1:
        return names
    start = len(model.layout_.names[0]) + 2
    return [name[start:] for name in names]


def _pattern(
    model: LocalPatternClassifier, data: Data, judged: Judged, found: IntArray, pattern: int
) -> LocalPattern:
    inside = found == pattern
    labelled = inside & (judged.codes >= 0)
    medoid = int(model.regions_.medoids[pattern])
    classes = model.classes_.tolist()
    own = data.rows([medoid])
    answers = [classes[each.ask(own, len(classes)).codes[0]] for each in model.models_]
    ids, truth = data.views.sample_ids, int(judged.codes[medoid])
    wrong = np.flatnonzero(labelled & (judged.simple_right == 0))
    pairs = np.column_stack([judged.codes[wrong], judged.simple_codes[wrong]])
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    return LocalPattern(
        n_objects=int(inside.sum()),
        share=float(inside.mean()),
        n_labelled=int(labelled.sum()),
        medoid=medoid,
        sample_id=None if ids is None else ids.tolist()[medoid],
        medoid_class=None if truth < 0 else classes[truth],
        medoid_global=answers[0],
        medoid_local=answers[1],
        features=_features(model, data, inside, medoid),
        global_accuracy=float(judged.simple_right[labelled].mean()) if labelled.any() else None,
        local_accuracy=float(judged.full_right[labelled].mean()) if labelled.any() else None,
        mistakes=tuple(
            Confusion(classes[kinds[place][0]], classes[kinds[place][1]], int(counts[place]))
            for place in np.argsort(-counts, kind="stable")
        ),
    )


def _features(
    model: LocalPatternClassifier, data: Data, inside: Any, medoid: int
) -> tuple[PatternFeature, ...]:
    """Describe a pattern by its features in the units of the data."""
    names, found = shown_names(model), []
    regions = model.regions_
    for column, information in zip(regions.columns, regions.information.tolist(), strict=True):
        view, place = model.columns_.locate(int(column))
        seen = data.views.observed_in(view)
        raw = data.views[view][:, [place]]
        values = np.asarray(raw.toarray() if is_sparse(raw) else raw, dtype=np.float64)[:, 0]
        found.append(
            PatternFeature(
                names[column],
                float(values[medoid]) if seen[medoid] else None,
                _mean(values[inside & seen]),
                _mean(values[~inside & seen]),
                information,
            )
        )
    return tuple(found)


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None
