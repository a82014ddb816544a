"""The three equations of the information bottleneck on arrays, with or without W [@rueping2005].

The plain bottleneck [@tishby1999] and its conditional form [@gondek2003] are one computation: the
plain one knows a single value of W.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from manyviews.maths import log_softmax, safe_log
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

__all__ = ["Bottleneck", "bottleneck", "membership_of"]

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Context:
    """The objects as one value w of the irrelevant variable shows them."""

    rows: IntArray | slice
    """Objects with P(w|u) > 0."""
    p_w: FloatArray
    """P(w|u) of these."""
    p_v: Matrix
    """P(v|u, w) of these: rows × features."""


@dataclass(frozen=True)
class Problem:
    """What the equations are given: P(u), and P(w|u) with P(v|u, w) for every w."""

    p_u: FloatArray
    contexts: tuple[Context, ...]
    conditional: bool = True
    """Whether there is a W at all; without, the one context is certain."""

    @cached_property
    def i_uv(self) -> float:
        """I(U;V), or I(U;V|W), in nats: all that the objects tell."""
        told = 0.0
        for context in self.contexts:
            values = context.p_v.copy()
            cells = values.data if is_sparse(values) else values
            cells[...] = xlogy(cells, cells)
            by_row = np.asarray(values.sum(axis=1)).ravel()
            told += float(np.sum(self.p_u[context.rows] * context.p_w * by_row))
        return max(told + self.h_v, 0.0)  # 0: rounding

    @cached_property
    def h_v(self) -> float:
        """H(V|W) in nats."""
        total = 0.0
        for context in self.contexts:
            p_v = np.asarray(context.p_v.T @ (self.p_u[context.rows] * context.p_w))
            total += float(xlogy(p_v.sum(), p_v.sum()) - np.sum(xlogy(p_v, p_v)))
        return total


@dataclass(frozen=True)
class Clusters:
    """The first two equations at given memberships, and what they are worth."""

    membership: FloatArray
    p_c: FloatArray
    p_v_given_c: tuple[FloatArray, ...]
    """P(v|w, c) by context: clusters × features."""
    likeness: FloatArray
    """Σ_w P(w|u) Σ_v P(v|u, w) log P(v|w, c): objects × clusters."""
    i_uc: float
    i_vc: float

    def objective(self, beta: float) -> float:
        """F = I(U;C) − β I(V;C|W)."""
        return self.i_uc - beta * self.i_vc


@dataclass(frozen=True)
class Run:
    """Where the iterated equations led from one start, context by context."""

    clusters: Clusters
    history: FloatArray
    converged: bool


@dataclass(frozen=True)
class Bottleneck:
    """Where the iterated equations led from one start."""

    membership: FloatArray
    """P(c|u): objects × clusters."""
    p_c: FloatArray
    """P(c); zero for a cluster that has died."""
    p_v_given_c: FloatArray
    """P(v|c): clusters × features; of the conditional form P(v|w, c), values of W × clusters ×
    features. A cluster without objects has P(v), or P(v|w)."""
    history: FloatArray
    """F = I(U;C) − β I(V;C), or − β I(V;C|W), in nats, at the start and after every step."""
    i_uc: float
    """I(U;C) in nats: what the clusters remember."""
    i_vc: float
    """I(V;C) in nats, or I(V;C|W): what of it is relevant."""
    converged: bool
    """Whether no membership moved by more than ``tol`` in the last step."""
    beta: float


def bottleneck(
    p_u: FloatArray,
    p_v_given_u: Matrix,
    n_clusters: int,
    beta: float,
    *,
    p_w_given_u: FloatArray | None = None,
    p_v_given_uw: Sequence[Matrix] | FloatArray | None = None,
    start: FloatArray | None = None,
    max_iter: int,
    tol: float,
    rng: np.random.Generator,
) -> Bottleneck:
    """Iterate the equations at one β from one start: a local minimum of F.

    Parameters
    ----------
    p_u : array of shape (n_objects,)
        P(u); an object of no weight gets memberships and forms no cluster.
    p_v_given_u : array or CSR array of shape (n_objects, n_features)
        P(v|u): rows sum to one. A row of zeros says nothing; give it no weight.
    n_clusters : int
        Number of clusters.
    beta : float
        What a nat of relevant information is worth, in nats remembered.
    p_w_given_u : array of shape (n_objects, n_values), optional
        P(w|u), what is known already; without it the plain bottleneck.
    p_v_given_uw : n_values matrices of shape (n_objects, n_features), optional
        P(v|u, w) by w; without it P(v|u) whatever w is.
    start : array of shape (n_objects, n_clusters), optional
        Memberships to start from; drawn uniformly from all if not given.
    max_iter : int
        Most steps.
    tol : float
        Largest change of any membership in a step at which to stop.
    rng : Generator
        Draws the start.

    Examples
    --------
    >>> rows = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.0, 0.1, 0.9]])
    >>> found = bottleneck(
    ...     np.full(3, 1 / 3), rows, 2, 20.0, max_iter=100, tol=1e-6, rng=np.random.default_rng(0)
    ... )
    >>> found.membership.argmax(axis=1) == found.membership[0].argmax()
    array([ True,  True, False])
    >>> bool((np.diff(found.history) <= 1e-12).all())
    True
    """
    problem = pose(p_u, p_v_given_u, p_w_given_u, p_v_given_uw)
    if start is None:
        start = rng.dirichlet(np.ones(n_clusters), len(p_u))
    run = minimize(problem, start, beta, max_iter=max_iter, tol=tol)
    found, by_context = run.clusters, run.clusters.p_v_given_c
    p_v_given_c = np.array(by_context) if problem.conditional else by_context[0]
    measures = run.history, found.i_uc, found.i_vc, run.converged, beta
    return Bottleneck(found.membership, found.p_c, p_v_given_c, *measures)


def membership_of(
    p_v_given_u: Matrix,
    p_c: FloatArray,
    p_v_given_c: FloatArray,
    beta: float,
    *,
    p_w_given_u: FloatArray | None = None,
    p_v_given_uw: Sequence[Matrix] | FloatArray | None = None,
) -> FloatArray:
    """Return P(c|u) of any objects by the third equation, at the clusters of a ``Bottleneck``.

    Examples
    --------
    >>> membership_of(np.array([[1.0, 0.0]]), np.array([0.5, 0.5]), np.eye(2), 2.0).round(3)
    array([[1., 0.]])
    """
    weightless = np.zeros(p_v_given_u.shape[0])
    problem = pose(weightless, p_v_given_u, p_w_given_u, p_v_given_uw)
    by_context = tuple(p_v_given_c) if problem.conditional else (p_v_given_c,)
    return assign(p_c, likeness_to(problem, by_context), beta)


def pose(
    p_u: FloatArray,
    p_v_given_u: Matrix,
    p_w_given_u: FloatArray | None = None,
    p_v_given_uw: Sequence[Matrix] | FloatArray | None = None,
) -> Problem:
    """Keep for every value of W the objects that may have it."""
    if p_w_given_u is None:
        everybody = Context(slice(None), np.ones(len(p_u)), p_v_given_u)
        return Problem(p_u, (everybody,), conditional=False)
    contexts = []
    for value, p_w in enumerate(np.ascontiguousarray(p_w_given_u.T)):
        p_v = p_v_given_u if p_v_given_uw is None else p_v_given_uw[value]
        rows = np.flatnonzero(p_w > 0)
        if len(rows) == len(p_w):
            contexts.append(Context(slice(None), p_w, p_v))
        else:
            contexts.append(Context(rows, p_w[rows], p_v[rows]))
    return Problem(p_u, tuple(contexts), conditional=True)


def minimize(problem: Problem, start: FloatArray, beta: float, *, max_iter: int, tol: float) -> Run:
    """Repeat the three equations until no membership moves by more than ``tol``."""
    clusters = describe(problem, start)
    history, converged = [clusters.objective(beta)], False
    for _ in range(max_iter):
        membership = assign(clusters.p_c, clusters.likeness, beta)
        converged = bool(np.abs(membership - clusters.membership).max(initial=0.0) <= tol)
        clusters = describe(problem, membership)
        history.append(clusters.objective(beta))
        if converged:
            break
    return Run(clusters, np.array(history), converged)


def describe(problem: Problem, membership: FloatArray) -> Clusters:
    """Return P(c) and P(v|w, c) at these memberships, with I(U;C) and I(V;C|W)."""
    joint = problem.p_u[:, None] * membership  # P(u, c)
    p_c = joint.sum(axis=0)  # P(c) = Σ_u P(u) P(c|u), section 3
    p_v_given_c = [conditional_of(context, joint[context.rows]) for context in problem.contexts]
    likeness = likeness_to(problem, p_v_given_c)
    i_uc = float(np.sum(xlogy(joint, membership)) - np.sum(xlogy(p_c, p_c)))
    # Σ P(w, c, v) log P(v|w, c) is a sum over the objects, whose likeness is needed anyway.
    i_vc = float(np.einsum("uc,uc->", joint, likeness)) + problem.h_v
    return Clusters(membership, p_c, tuple(p_v_given_c), likeness, i_uc, i_vc)


def conditional_of(context: Context, joint: FloatArray) -> FloatArray:
    """Return P(v|w, c) = Σ_u P(v|u, w) P(u|w, c); where there is no such u, P(v|w)."""
    weights = joint * context.p_w[:, None]  # P(u, w, c)
    p_cv = np.asarray(context.p_v.T @ weights).T  # P(w, c, v), of section 3.1
    p_cw = p_cv.sum(axis=1, keepdims=True)
    pooled = p_cv.sum(axis=0) / max(float(p_cw.sum()), TINY)
    return np.divide(p_cv, p_cw, out=np.tile(pooled, (len(p_cv), 1)), where=p_cw > 0)


def likeness_to(problem: Problem, p_v_given_c: Sequence[FloatArray]) -> FloatArray:
    """Return Σ_w P(w|u) Σ_v P(v|u, w) log P(v|w, c), objects × clusters.

    A logarithm of zero is held at -708. F, with its two distributions as arguments of their own, is
    then still an upper bound that is tight at the old memberships, so that no step raises it; and
    an object may enter a cluster that lacks a little of what it shows, as it has to: where β times
    the share of that is below one, the slope of F at a membership of zero is minus infinity.
    """
    likeness = np.zeros((len(problem.p_u), len(p_v_given_c[0])))
    for context, p_v in zip(problem.contexts, p_v_given_c, strict=True):
        logs = np.ascontiguousarray(safe_log(p_v).T)
        likeness[context.rows] += context.p_w[:, None] * np.asarray(context.p_v @ logs)
    return likeness


def assign(p_c: FloatArray, likeness: FloatArray, beta: float) -> FloatArray:
    """Return P(c|u) ∝ P(c) exp(β Σ_w P(w|u) Σ_v P(v|u, w) log P(v|w, c))."""
    # The third equation of sections 3 and 3.1, with the sum over v that its exponent lacks there.
    return log_softmax(safe_log(p_c) + beta * likeness)[0]
