"""The least F at one β: annealing from one cluster on, and other starts [@rose1998]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from manyviews.explain.bottleneck_equations import (
    TINY,
    Clusters,
    Problem,
    Run,
    assign,
    conditional_of,
    describe,
    likeness_to,
    minimize,
)
from manyviews.typing import FloatArray, IntArray

__all__ = ["InformationCurve", "search"]

GROWTH = 1.2
"""Factor between two β of the annealing. A judgement: with 1.1 the path has twice the points, and
the partitions of the development sets are the same but for a few objects."""
PATH_STEPS, PATH_TOL = 50, 1e-3
"""Steps and change of memberships at which the annealing goes on to the next β; only the last β is
followed to the end. A judgement."""
SHARP, BEYOND = 0.9, 2
"""Share of H(C) that I(U;C) has, and steps of the annealing from there on, where β="auto" stops.
On twelve development sets the mean NMI is .580 without more steps, .584 after one, .598 after two,
.590 at twice the β and .548 at five times it: near the transitions the iteration crawls, and far
beyond them other starts are sharp from their first step on and go nowhere."""
MOST_FAILURES = 5
"""Splits that leave no more clusters than before, after which there are no others. A judgement."""
LARGEST = 1e9
"""β beyond which objects differ by rounding only: the first transition is where β times the largest
squared correlation of U and V is one, and correlations are told to eight digits."""
DEAD = 1e-9
"""Share of all objects below which a cluster has died: it shrinks by a factor in every step."""
ALIKE = 0.01
"""Clusters for which no object's odds differ by more than this from those of any other object are
one cluster: nothing tells them apart."""
TRIAL = 30
"""Steps after which starts are compared; then the best goes on alone."""


@dataclass(frozen=True)
class InformationCurve:
    """What clusters keep against what they remember, over the β that the annealing went through."""

    beta: FloatArray
    i_uc: FloatArray
    """I(U;C) in nats."""
    i_vc: FloatArray
    """I(V;C) in nats; I(V;C|W) of the conditional form."""
    n_clusters: IntArray
    """How many clusters there are at each β."""
    i_uv: float
    """I(U;V) in nats, or I(U;V|W): all that the objects tell, which no clusters exceed."""


@dataclass(frozen=True)
class Point:
    """The annealing at one β."""

    beta: float
    clusters: Clusters


@dataclass(frozen=True)
class Instability:
    """How each cluster would split, and from which β on it does."""

    rates: FloatArray
    """The cluster is unstable where β times its rate is above one."""
    directions: FloatArray
    """Objects × clusters: how the objects of a cluster would part, in standard deviations."""

    @property
    def critical_beta(self) -> float:
        """The least β at which any cluster splits; infinity if none ever does."""
        largest = float(self.rates.max())
        return 1.0 / largest if largest > 1.0 / LARGEST else np.inf


def anneal(
    problem: Problem,
    n_clusters: int,
    beta: float | None,
    rng: np.random.Generator,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Point]:
    """Follow the minimum from one cluster to β, or to where n clusters are sharp if it is None."""
    everybody = np.ones((len(problem.p_u), 1))
    points = [Point(0.0, describe(problem, everybody))]
    failures, waiting = 0, False
    while True:
        at, clusters = points[-1].beta, points[-1].clusters
        n_found = len(clusters.p_c)
        more = n_found < n_clusters and failures < MOST_FAILURES
        waiting = waiting and more
        torn = instability(problem, clusters, rng) if more and not waiting else None
        critical = np.inf if torn is None else torn.critical_beta
        ended = np.isinf(critical) and not waiting
        if ended and (n_found == 1 or (beta is None and is_settled(points))):
            return points
        now = at * GROWTH if np.isinf(critical) else max(at, GROWTH * critical)
        now = min(now, LARGEST if beta is None else beta)
        unstable = [] if torn is None else clusters_to_split(torn, clusters, now, n_clusters)
        if now == at and not unstable:
            return points
        start = split(clusters.membership, unstable, torn)
        run = minimize(problem, start, now, max_iter=PATH_STEPS, tol=PATH_TOL)
        points.append(Point(now, merged(problem, run.clusters, now)))
        # A split that leaves no more clusters than before waits for the next β.
        waiting = bool(unstable) and len(points[-1].clusters.p_c) <= n_found
        failures += waiting
        tell(f"beta {now:.4g}: {len(points[-1].clusters.p_c)} clusters")


def is_settled(points: list[Point]) -> bool:
    """Whether there have been as many clusters, and as sharp, for some steps."""
    if len(points) <= BEYOND:
        return False
    former = points[-1 - BEYOND].clusters
    return len(former.p_c) == len(points[-1].clusters.p_c) and is_sharp(former)


def is_sharp(clusters: Clusters) -> bool:
    """Whether the clusters keep nearly all that sharp ones of their sizes would remember."""
    return clusters.i_uc >= SHARP * -float(np.sum(xlogy(clusters.p_c, clusters.p_c)))


def instability(problem: Problem, clusters: Clusters, rng: np.random.Generator) -> Instability:
    """Return the leading direction in which two copies of each cluster would part.

    Copies with memberships P(c|u) (1 ± s(u)) / 2 have P(v|w, c) (1 ± E[s|v, w, c]), and the third
    equation turns s into s̄ + β T s, where T s(u) = Σ_w P(w|u) (Σ_v P(v|u, w) E[s|v, w, c] −
    E[s|w, c]). Apart from constants, its largest eigenvalue decides, found by power iteration for
    all clusters at once. For one cluster and no W it is the largest squared correlation of U and V.
    """
    joint = problem.p_u[:, None] * clusters.membership
    p_u_c = joint / clusters.p_c
    # Starts with how well objects fit, which no order of objects, views or features changes. What
    # is drawn beside it counts only where this is blind, as between groups that mirror each other.
    s: FloatArray = standardized(clusters.likeness, p_u_c)
    s = s + BLIND * rng.standard_normal(joint.shape)
    s = standardized(s, p_u_c)
    for _ in range(POWER_STEPS):
        turned = responses(problem, clusters, joint, s)
        rates = np.einsum("uc,uc,uc->c", p_u_c, s, turned)
        before, s = s, standardized(turned, p_u_c)
        still = np.einsum("uc,uc,uc->c", p_u_c, s, before) >= 1.0 - POWER_TOL
        if (still | (rates <= 1.0 / LARGEST)).all():
            break
    return Instability(rates, s)


BLIND = 1e-3
"""Of the standard deviation; see :func:`instability`."""
POWER_STEPS, POWER_TOL = 50, 1e-4
"""Products for a direction, and the distance of its cosine from one at which it is found. A
judgement: a direction need not be exact, as what is split by it is then iterated."""


def standardized(s: FloatArray, p_u_c: FloatArray) -> FloatArray:
    """Take from each column its mean in the cluster, and divide by its deviation; zero if none."""
    s = s - np.einsum("uc,uc->c", p_u_c, s)
    deviations = np.sqrt(np.einsum("uc,uc,uc->c", p_u_c, s, s))
    flat = deviations <= TINY
    return np.where(flat, 0.0, s / np.where(flat, 1.0, deviations))


def responses(problem: Problem, clusters: Clusters, joint: FloatArray, s: FloatArray) -> FloatArray:
    """Return T s of :func:`instability`, a column for each cluster."""
    turned = np.zeros_like(s)
    for context, p_v in zip(problem.contexts, clusters.p_v_given_c, strict=True):
        weights = joint[context.rows] * context.p_w[:, None]
        weights /= np.maximum(weights.sum(axis=0), TINY)  # P(u|w, c)
        weighted = weights * s[context.rows]
        moved = np.asarray(context.p_v.T @ weighted).T
        by_feature = np.divide(moved, p_v, out=np.zeros_like(moved), where=p_v > 0)
        shown = np.asarray(context.p_v @ np.ascontiguousarray(by_feature.T))
        turned[context.rows] += context.p_w[:, None] * (shown - weighted.sum(axis=0))
    return turned


def clusters_to_split(
    torn: Instability, clusters: Clusters, beta: float, n_clusters: int
) -> list[int]:
    """Return the unstable clusters, as many as may be split, those that gain most first.

    To second order in how far the copies part, F falls by P(c) (β rate − 1) times its square.
    """
    gains = clusters.p_c * (beta * torn.rates - 1.0)
    order = [int(place) for place in np.argsort(-gains, kind="stable") if gains[place] > 0]
    return order[: n_clusters - len(clusters.p_c)]


def split(membership: FloatArray, which: list[int], torn: Instability | None) -> FloatArray:
    """Part some clusters in two along their directions."""
    if torn is None or not which:
        return membership
    first = expit(torn.directions[:, which])
    parts = membership[:, which] * first, membership[:, which] * (1.0 - first)
    kept = np.delete(membership, which, axis=1)
    return np.hstack([kept, *parts])


def without_dead(problem: Problem, clusters: Clusters) -> Clusters:
    """Drop clusters that hardly any object is in."""
    alive = clusters.p_c > DEAD
    if alive.all():
        return clusters
    membership = clusters.membership[:, alive]
    return describe(problem, membership / membership.sum(axis=1, keepdims=True))


def merged(problem: Problem, clusters: Clusters, beta: float) -> Clusters:
    """Make one of clusters that no object tells apart, which leaves F as it is; largest first."""
    clusters = without_dead(problem, clusters)
    odds = beta * clusters.likeness[problem.p_u > 0]
    groups: list[list[int]] = []
    for place in np.argsort(-clusters.p_c, kind="stable"):
        for group in groups:
            if np.ptp(odds[:, place] - odds[:, group[0]]) <= ALIKE:
                group.append(int(place))
                break
        else:
            groups.append([int(place)])
    groups.sort(key=lambda group: -float(clusters.p_c[group].sum()))
    if groups == [[place] for place in range(len(clusters.p_c))]:
        return clusters
    joined = [clusters.membership[:, group].sum(axis=1) for group in groups]
    return describe(problem, np.stack(joined, axis=1))


def start_from_objects(
    problem: Problem, n_clusters: int, beta: float, rng: np.random.Generator
) -> FloatArray:
    """Memberships by the likeness to some objects, each mixed half and half with all of them."""
    candidates = np.flatnonzero(problem.p_u > 0)
    drawn = rng.choice(candidates, n_clusters, replace=len(candidates) < n_clusters)
    joint = np.tile(problem.p_u[:, None], (1, n_clusters))
    joint[drawn, np.arange(n_clusters)] += 1.0
    seeds = [conditional_of(context, joint[context.rows]) for context in problem.contexts]
    equal = np.full(n_clusters, 1.0 / n_clusters)
    return assign(equal, likeness_to(problem, seeds), beta)


@dataclass(frozen=True)
class Search:
    """The best of several starts at one β, and the path of the annealing."""

    beta: float
    run: Run
    path: tuple[Point, ...]


def search(
    problem: Problem,
    n_clusters: int,
    beta: float | None,
    *,
    n_init: int,
    max_iter: int,
    tol: float,
    rng: np.random.Generator,
    tell: Callable[[str], None] = lambda _: None,
) -> Search:
    """Anneal, then try starts from objects at the same β; the lowest F goes on to its end."""
    # Generators of their own: the first starts are the same, however many there are.
    first, *others = rng.spawn(n_init)
    path = anneal(problem, n_clusters, beta, first, tell)
    if beta is None:
        beta = path[-1].beta or 1.0  # with one cluster any β will do
    steps = min(TRIAL, max_iter)
    best = minimize(problem, path[-1].clusters.membership, beta, max_iter=steps, tol=tol)
    tell(f"start 1 of {n_init}, F {best.history[-1]:.6g}")
    for number, own in enumerate(others, 2):
        start = start_from_objects(problem, n_clusters, beta, own)
        run = minimize(problem, start, beta, max_iter=steps, tol=tol)
        tell(f"start {number} of {n_init}, F {run.history[-1]:.6g}")
        best = min(best, run, key=lambda each: float(each.history[-1]))
    return Search(beta, finished(problem, best, beta, max_iter=max_iter, tol=tol), tuple(path))


def finished(problem: Problem, run: Run, beta: float, *, max_iter: int, tol: float) -> Run:
    """Follow a start to its end, and merge what turns out to be one cluster."""
    while True:
        left = max_iter - (len(run.history) - 1)
        if not run.converged and left > 0:
            more = minimize(problem, run.clusters.membership, beta, max_iter=left, tol=tol)
            run = Run(more.clusters, np.append(run.history, more.history[1:]), more.converged)
        fewer = merged(problem, run.clusters, beta)
        if len(fewer.p_c) == len(run.clusters.p_c):
            return Run(fewer, run.history, run.converged)  # by size
        run = Run(fewer, np.append(run.history, fewer.objective(beta)), converged=False)
        if left <= 0:
            return run


def curve_of(problem: Problem, found: Search) -> InformationCurve:
    """Take the points of the annealing, up to the β of the fit, and the fit itself."""
    points = [point for point in found.path if point.beta < found.beta]
    points.append(Point(found.beta, found.run.clusters))
    return InformationCurve(
        np.array([point.beta for point in points]),
        np.maximum([point.clusters.i_uc for point in points], 0.0),
        np.maximum([point.clusters.i_vc for point in points], 0.0),
        np.array([len(point.clusters.p_c) for point in points]),
        problem.i_uv,
    )
