"""Logistic regression in every view, drawn together by a Gaussian prior [@krishnapuram2005].

From the top: the likelihood, the most probable weights, the strengths of the prior by generalised
EM, the posterior, the estimator. Coordinates and the prior of Eq. (5) are in ``coupled_prior``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy.linalg import block_diag, cho_solve, cholesky, lapack, qr, solve_triangular
from scipy.special import expit, logsumexp, softmax

from manyviews.acquire.coupled_prior import (
    Prior,
    agreement,
    fit_coordinates,
    neighbour_graph,
    smoothness_of,
)
from manyviews.acquire.posterior import Posterior
from manyviews.base import (
    BaseMultiViewClassifier,
    Run,
    ViewTags,
    alternate,
    report,
    warn_not_converged,
    warn_of_minutes,
)
from manyviews.data import Labels, Views
from manyviews.maths import (
    check_memory,
)
from manyviews.similarity.views import shown_rows
from manyviews.typing import (
    AnyArray,
    BoolArray,
    Count,
    FloatArray,
    IntArray,
    Interval,
    NonNegative,
    Verbosity,
    ViewsLike,
)

__all__ = ["BayesianCoTraining", "Likelihood", "most_probable", "pose_likelihood", "pose_prior"]

Strength: TypeAlias = Annotated[float, Interval(0, 1e4)]
"""Beyond, rounding of the coupled terms would swamp the ridge that keeps the precision positive."""
Ridge: TypeAlias = Annotated[float, Interval(1e-6, 1e6)]

FLAT = 1e-7
"""Prior precision of an intercept that labels of all classes determine: it moves no probability by
1e-6, and keeps the precision of Eq. (5) positive definite."""
HELD = 1.0
"""Prior precision of the intercept of a view in which some class has no label: without one it would
run off to infinity. Log odds of one is what a standard deviation may say of the classes there."""
SOLVED = 1e-13
"""Newton decrement, in nats, at which weights are the most probable ones: they are then known to
some 1e-7 of their posterior's standard deviation."""
NEAR = 1e-8
"""Newton decrement at which the most probable weights are known well enough to learn strengths."""
MOST_NEWTON = 200
"""Newton's steps at most; from zero it takes ten or so, and each gains."""
ROUNDING = 1e-10
"""Decrements below this share of the objective cannot be seen in it: a full step is taken."""
FARTHEST = 2.0
"""Logarithm by which an extrapolation may lead beyond two steps of EM. A judgement: it is taken
only if it is better."""
NOTHING = 1e-100
"""Strengths below this are none: from here on their reciprocals squared are still finite."""
LONG = 5e11
"""Multiplications of dense factors that take a minute of one processor, at some 1e10 a second."""
STEPS = 30
"""Factorisations of a usual fit: five to ten steps of three."""


# -- the likelihood of the labels ------------------------------------------------------------------


@dataclass(frozen=True)
class Likelihood:
    """Labelled rows of each view, and their classes as targets: a column for the second of two."""

    rows: tuple[FloatArray, ...]
    targets: tuple[FloatArray, ...]
    slices: tuple[slice, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """How many blocks of how many weights there are."""
        return self.targets[0].shape[1], self.slices[-1].stop

    @property
    def n_free(self) -> int:
        """Blocks that are not determined by the others: probabilities sum to one."""
        return max(self.shape[0] - 1, 1)

    @property
    def n_rows(self) -> int:
        """Labelled rows of all views together."""
        return sum(len(rows) for rows in self.rows)

    @property
    def steepest(self) -> float:
        """Largest curvature in a score: a quarter for two classes, a half for more [@bohning1992].

        That half is among directions that sum to zero over the classes: ``diag(p) − p pᵀ ≤ ½ I``.
        """
        return 0.25 if self.shape[0] == 1 else 0.5

    def side_by_side(self) -> FloatArray:
        """Labelled rows of all views as rows over all weights."""
        return np.asarray(block_diag(*self.rows))

    def value(self, weights: FloatArray) -> float:
        """Log-likelihood, summed over the views."""
        total = 0.0
        for rows, targets, place in self._views():
            scores = rows @ weights[:, place].T
            total += float(np.vdot(targets, scores) - _log_total(scores).sum())
        return total

    def probabilities(self, weights: FloatArray) -> list[FloatArray]:
        """Probabilities of the classes of the labelled rows of each view, Eq. (1)."""
        return [class_shares(rows @ weights[:, place].T) for rows, _, place in self._views()]

    def gradient(self, shares: Sequence[FloatArray]) -> FloatArray:
        """Gradient of the log-likelihood where these are the probabilities."""
        found = np.zeros(self.shape)
        for (rows, targets, place), own in zip(self._views(), shares, strict=True):
            found[:, place] = (targets - own).T @ rows
        return found

    def curvature(self, shares: Sequence[FloatArray], direction: FloatArray) -> FloatArray:
        """Product of the negative Hessian Ψ of Eq. (7), with all classes, and a direction."""
        found = np.zeros(self.shape)
        for (rows, _, place), own in zip(self._views(), shares, strict=True):
            moved = rows @ direction[:, place].T
            moved = own * (moved - (own * moved).sum(axis=1, keepdims=True))
            found[:, place] = moved.T @ rows
        return found

    def information(self, shares: Sequence[FloatArray], block: int) -> FloatArray:
        """Ψ of Eq. (7) of one block: ``Σ p (1 − p) x xᵀ`` in each view."""
        weights = [own[:, block] * (1.0 - own[:, block]) for own in shares]
        return self._squares(weights)

    def bound(self) -> FloatArray:
        """Böhning's bound on the curvature, the same at all weights and for all classes."""
        return self._squares([np.full(len(rows), self.steepest) for rows in self.rows])

    def _squares(self, weights: Sequence[FloatArray]) -> FloatArray:
        found = np.zeros((self.shape[1], self.shape[1]))
        for rows, own, place in zip(self.rows, weights, self.slices, strict=True):
            found[place, place] = (rows * own[:, None]).T @ rows
        return found

    def _views(self) -> Iterator[tuple[FloatArray, FloatArray, slice]]:
        return zip(self.rows, self.targets, self.slices, strict=True)


def _log_total(scores: FloatArray) -> FloatArray:
    """Logarithm of what probabilities are divided by; the first of two classes has score zero."""
    if scores.shape[1] == 1:
        return np.asarray(np.logaddexp(0.0, scores[:, 0]))
    return np.asarray(logsumexp(scores, axis=1)) if len(scores) else np.zeros(0)


def class_shares(scores: FloatArray) -> FloatArray:
    """Probabilities of the classes; of two, of the second.

    Examples
    --------
    >>> class_shares(np.array([[0.0]])), class_shares(np.array([[1.0, 1.0, 1.0, 1.0]]))
    (array([[0.5]]), array([[0.25, 0.25, 0.25, 0.25]]))
    """
    if not len(scores):
        return scores
    return np.asarray(expit(scores) if scores.shape[1] == 1 else softmax(scores, axis=1))


# -- the most probable weights ---------------------------------------------------------------------


@dataclass(frozen=True)
class Reduced:
    """Directions in which labels move the weights, in coordinates in which the prior is white.

    The most probable weights are ``Δ⁻¹`` times a sum of labelled rows: with fewer of these than
    weights, that is where they are looked for. ``weights = u basisᵀ`` has the penalty ``½ |u|²``.
    """

    prior_factor: FloatArray
    """Lower Cholesky factor of Δ."""
    basis: FloatArray
    bound_factor: FloatArray
    """Lower Cholesky factor of the identity plus Böhning's bound in these coordinates."""

    def log_ratio(self) -> float:
        """``½ log |Δ| − ½ log |Δ + B|`` with B Böhning's bound."""
        return -float(np.log(self.bound_factor.diagonal()).sum())

    def covariances(self) -> tuple[FloatArray, FloatArray]:
        """``Δ⁻¹`` and ``(Δ + B)⁻¹``, the second by what labels take from the first."""
        prior = inverse(self.prior_factor)
        taken = np.eye(len(self.bound_factor)) - inverse(self.bound_factor)
        return prior, prior - self.basis @ taken @ self.basis.T


def reduce_to_labels(likelihood: Likelihood, precision: FloatArray) -> Reduced:
    """Find the directions that matter and the bound on the curvature in them."""
    factor = cholesky(precision, lower=True, check_finite=False)
    if likelihood.n_rows < len(factor):
        whitened = solve_triangular(factor, likelihood.side_by_side().T, lower=True)
        directions, triangle = qr(whitened, mode="economic", check_finite=False)
        basis = solve_triangular(factor, directions, lower=True, trans="T", check_finite=False)
        core = likelihood.steepest * (triangle @ triangle.T)
    else:
        basis = solve_triangular(factor, np.eye(len(factor)), lower=True, trans="T")
        core = basis.T @ likelihood.bound() @ basis
    core[np.diag_indices_from(core)] += 1.0
    return Reduced(factor, basis, cholesky(core, lower=True, check_finite=False))


def most_probable(
    likelihood: Likelihood, reduced: Reduced, start: FloatArray, *, tol: float = SOLVED
) -> FloatArray:
    """Maximise ``ℓ(w) − ½ wᵀ Δ w``, which is concave, by truncated Newton steps.

    Böhning's bound preconditions the conjugate gradients, whose first iterate goes where the
    maximum of the bound lies: a step is never worse than that of his algorithm.
    """
    position = start

    def penalised(at: FloatArray) -> float:
        return likelihood.value(at @ reduced.basis.T) - 0.5 * float(np.vdot(at, at))

    value = penalised(position)
    for _ in range(MOST_NEWTON):
        shares = likelihood.probabilities(position @ reduced.basis.T)
        gradient = likelihood.gradient(shares) @ reduced.basis - position
        step = newton_step(likelihood, shares, reduced, gradient)
        decrement = float(np.vdot(gradient, step))
        length, ahead = 1.0, penalised(position + step)
        seen = decrement > ROUNDING * max(abs(value), 1.0)
        while seen and ahead < value + 1e-4 * length * decrement:  # Armijo's rule
            length /= 2
            ahead = penalised(position + length * step)
        position, value = position + length * step, ahead
        if decrement <= tol:
            break
    return position


def newton_step(
    likelihood: Likelihood, shares: Sequence[FloatArray], reduced: Reduced, gradient: FloatArray
) -> FloatArray:
    """Solve ``(Δ + Ψ) step = gradient`` by preconditioned conjugate gradients."""
    basis, bound = reduced.basis, (reduced.bound_factor, True)
    step, residual = np.zeros_like(gradient), gradient
    ahead = cho_solve(bound, residual.T, check_finite=False).T
    direction, size = ahead, float(np.vdot(residual, ahead))
    # Superlinear: the nearer the maximum, the more accurately its equations are solved.
    enough = size * min(0.01, size**0.5)
    for _ in range(gradient.size):
        if size <= max(enough, np.finfo(float).tiny):
            break
        curved = direction + likelihood.curvature(shares, direction @ basis.T) @ basis
        along = size / float(np.vdot(direction, curved))
        step = step + along * direction
        residual = residual - along * curved
        ahead = cho_solve(bound, residual.T, check_finite=False).T
        before, size = size, float(np.vdot(residual, ahead))
        direction = ahead + (size / before) * direction
    return step


# -- strengths of the prior by generalised EM ------------------------------------------------------


@dataclass(frozen=True)
class State:
    """Strengths, the most probable weights given them, and what the next strengths come from."""

    strengths: FloatArray
    weights: FloatArray
    objective: float
    reduced: Reduced


@dataclass(frozen=True)
class CoupledRegression:
    """Likelihood, prior and the Gamma priors of its strengths."""

    likelihood: Likelihood
    prior: Prior
    given: FloatArray
    """Means of the Gamma priors; a strength of zero stays zero."""
    shape: float

    def at(self, strengths: FloatArray, start: FloatArray, tol: float = NEAR) -> State:
        """M step: the most probable weights, and the logarithm of the evidence's lower bound."""
        reduced = reduce_to_labels(self.likelihood, self.prior.precision(strengths))
        # The projection, in the metric of the prior, of the weights that were the most probable.
        near = start @ reduced.prior_factor @ (reduced.prior_factor.T @ reduced.basis)
        position = most_probable(self.likelihood, reduced, near, tol=tol)
        weights = position @ reduced.basis.T
        objective = (
            self.likelihood.value(weights)
            - 0.5 * float(np.vdot(position, position))
            + self.likelihood.n_free * reduced.log_ratio()
            + self._log_gamma(strengths)
        )
        return State(strengths, weights, objective, reduced)

    def expected_strengths(self, state: State) -> FloatArray:
        """E step: ``(α + k/2) / (β + q/2)`` for each strength."""
        n_free = self.likelihood.n_free
        prior, posterior = state.reduced.covariances()
        ranks = n_free * state.strengths * self.prior.traces(prior)
        quadratics = self.prior.traces(state.weights.T @ state.weights + n_free * posterior)
        rates = np.divide(self.shape, self.given, out=np.ones(len(self.given)), where=self._on)
        return np.where(self._on, (self.shape + ranks / 2) / (rates + quadratics / 2), 0.0)

    def step(self, state: State) -> State:
        """Two steps of EM and an extrapolation of their path, if that is better (SQUAREM)."""
        first = self.at(self.expected_strengths(state), state.weights)
        second = self.at(self.expected_strengths(first), first.weights)
        here, one, two = (
            np.log(np.where(self._on, each.strengths, 1.0)) for each in (state, first, second)
        )
        move, bend = one - here, two - 2 * one + here
        bent = float(np.linalg.norm(bend))
        stride = float(np.linalg.norm(move)) / bent if bent > 0 else 1.0
        if stride <= 1.0:
            return second
        ahead = here + 2 * stride * move + stride**2 * bend
        ahead = np.exp(np.clip(ahead, two - FARTHEST, two + FARTHEST))
        further = self.at(np.where(self._on, ahead, 0.0), second.weights)
        return further if further.objective > second.objective else second

    def _log_gamma(self, strengths: FloatArray) -> float:
        on = self._on
        shares = strengths[on] / self.given[on]
        return float(self.shape * (np.log(shares) - shares).sum())

    @property
    def _on(self) -> BoolArray:
        return self.given > NOTHING


def inverse(factor: FloatArray) -> FloatArray:
    """Inverse of a matrix from its lower Cholesky factor.

    Examples
    --------
    >>> inverse(np.array([[2.0, 0.0], [0.0, 1.0]]))
    array([[0.25, 0.  ],
           [0.  , 1.  ]])
    """
    lower, _ = lapack.dpotri(factor, lower=1)
    half = np.tril(lower)
    return np.asarray(half + np.tril(lower, -1).T)


def log_posterior(likelihood: Likelihood, precision: FloatArray, weights: FloatArray) -> float:
    """``L(w) = ℓ(w) + log p(w)`` of section 2.2, without its constant."""
    return likelihood.value(weights) - 0.5 * float(np.vdot(weights @ precision, weights))


def laplace_factors(
    likelihood: Likelihood, precision: FloatArray, weights: FloatArray
) -> tuple[FloatArray, ...]:
    """Cholesky factors of the posterior precision of each block, Eq. (7)."""
    shares = likelihood.probabilities(weights)
    return tuple(
        cholesky(precision + likelihood.information(shares, block), lower=True, check_finite=False)
        for block in range(len(weights))
    )


# -- from views to arrays --------------------------------------------------------------------------


def pose_likelihood(
    coordinates: Sequence[FloatArray], observed: BoolArray, codes: IntArray, n_classes: int
) -> Likelihood:
    """Keep the labelled rows that each view shows."""
    ends = np.cumsum([0, *(own.shape[1] for own in coordinates)])
    slices = tuple(slice(int(low), int(high)) for low, high in pairwise(ends))
    hot = np.eye(n_classes)[:, 1:] if n_classes == 2 else np.eye(n_classes)
    told = [(codes >= 0) & seen for seen in observed.T]
    return Likelihood(
        tuple(own[rows] for own, rows in zip(coordinates, told, strict=True)),
        tuple(hot[codes[rows]] for rows in told),
        slices,
    )


@dataclass(frozen=True)
class Scales:
    """What the terms of the prior were divided by, and the widths of the graphs."""

    n_shared: float
    edges: FloatArray
    """Sum of K over the pairs of each view."""
    widths: FloatArray


def pose_prior(
    coordinates: Sequence[FloatArray],
    observed: BoolArray,
    likelihood: Likelihood,
    *,
    balance: float,
    by_feature: bool,
    smooth: bool,
    n_neighbors: int | None,
) -> tuple[Prior, Scales]:
    """Make the terms of Eq. (5), in means over objects and pairs of neighbours."""
    slices, n_weights = likelihood.slices, likelihood.shape[1]
    intercepts = np.array([place.stop - 1 for place in slices])
    group = np.repeat(np.arange(len(slices)), [place.stop - place.start for place in slices])
    group[intercepts] = -1
    if by_feature:
        group[group >= 0] = np.arange((group >= 0).sum())
    fixed = np.zeros(n_weights)
    told = [bool((own.sum(axis=0) > 0).all()) for own in _class_columns(likelihood)]
    fixed[intercepts] = balance if balance > 0 else np.where(told, FLAT, HELD)
    shared = float(max((observed.sum(axis=1) > 1).sum(), 1))
    smoothness = np.zeros((n_weights, n_weights))
    edges, widths = np.ones(len(slices)), np.ones(len(slices))
    for view, place in enumerate(slices):
        if smooth:
            shown = coordinates[view][observed[:, view]]
            graph, widths[view] = neighbour_graph(shown[:, :-1], n_neighbors)
            edges[view] = max(float(graph.sum()) / 2, 1e-300)
            smoothness[place, place] = smoothness_of(shown, graph) / edges[view]
    ties = agreement(np.hstack(coordinates), observed, slices) / shared
    n_ridges = int((group >= 0).sum()) if by_feature else len(slices)
    return Prior(fixed, group, n_ridges, ties, smoothness), Scales(shared, edges, widths)


def _class_columns(likelihood: Likelihood) -> Iterator[FloatArray]:
    """Targets of each view with a column for every class."""
    for own in likelihood.targets:
        yield np.hstack([1.0 - own, own]) if own.shape[1] == 1 else own


# -- the estimator ---------------------------------------------------------------------------------


class BayesianCoTraining(BaseMultiViewClassifier):
    """Classify by a logistic regression per view that agree, and keep how sure they are.

    Take it to ask what to label or measure next: it keeps the posterior of its weights, from which
    a plan says what each answer would tell. It is a classifier from few labels, too, linear in
    every view and without a random start. On the twenty sets of ``make quality`` (five labels a
    class, one draw) its mean accuracy is 0.703, and 0.606 with 30 % of the views hidden; that of
    logistic regression on balanced concatenation is 0.647 and 0.550. Where only the answers count,
    take :class:`~manyviews.semi_supervised.CoTraining` (0.752 and 0.687) or, for classes that are
    not to be told by weights of features, :class:`~manyviews.semi_supervised.CoRLS` (0.720 and
    0.630).

    Parameters
    ----------
    coupling : float
        How much the views have to agree: the expected weight of their mean squared difference, over
        the objects that show two views, labelled or not. 0 leaves each view alone.
    smoothness : float
        How much neighbours in a view have to be alike to it: the expected weight of the mean
        squared difference between neighbours. 0 makes no graph.
    sparsity : float
        Expected ridge of the weights, once the view has a total variance of one; the larger, the
        nearer to zero.
    update_hyperparameters : bool
        Whether the three are learnt from the data, by view or feature in the case of the ridge.
        Otherwise they are as given.
    balance : "auto" or float
        How even the classes are believed to be among all objects of a view, labelled or not: the
        prior precision of the mean log odds of a view. "auto": 1, but 0 if ``coupling`` and
        ``smoothness`` are, so that unlabelled objects count for nothing. 0 leaves intercepts free.
    prior_shape : float
        How firmly it is believed that they are as given: the shape of their Gamma priors, of which
        what is given is the mean. It compares to half the number of weights.
    relevance : {"view", "feature"}
        Whether a view has one ridge or, as in the paper, each of its features has its own; then
        views are not rotated and ``max_features`` is without effect. With the latter a
        ``prior_shape`` of one or less lets features be dropped.
    n_neighbors : int or None
        Nearest neighbours that ``smoothness`` is about; None: all pairs, as in the paper.
    max_features : int or None
        Views with more features than this, or than rows, are turned to their leading principal
        directions, this many at most. None: all directions of the rows, which loses nothing and
        takes cubic time in their number.
    max_iter : int
        Steps at most, each of two or three fits.
    tol : float
        Relative change of the objective at which strengths are learnt.
    verbose : int
        1 reports how it ended, 2 each step.

    Attributes
    ----------
    classes_ : array
        The classes.
    transduction_ : array of shape (n_objects,)
        The class of every training object: the given one, or the one found.
    posterior_ : Posterior
        Weights of all views, the Cholesky factors of their precision, and the numbers in it.
    coupling_, smoothness_ : float
        The learnt strengths, in the units of the parameters.
    sparsity_ : dict
        The learnt ridge of each view, or of each of its features.
    coordinates_ : dict
        How rows of each view become the model's coordinates.
    objective_history_ : array
        The bound on the logarithm of the evidence, at the start and after each step.
    n_iter_ : int
        Steps taken.
    converged_ : bool
        Whether ``max_iter`` was enough.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.acquire import BayesianCoTraining
    >>> from manyviews.datasets import make_kumar1
    >>> views, truth = make_kumar1(200, random_state=0)
    >>> y = np.full(200, -1)
    >>> for label in (0, 1):
    ...     y[np.flatnonzero(truth == label)[:3]] = label
    >>> model = BayesianCoTraining().fit(views, y)
    >>> float(np.mean(model.predict(views) == truth)) > 0.75
    True
    >>> len(model.posterior_.factors), model.posterior_.factors[0].shape
    (1, (6, 6))

    Notes
    -----
    **Objective**
        For given strengths λ maximise ``ℓ(w) − ½ wᵀ Δ_prior(λ) w``, with ``ℓ`` the sum over views
        and labelled objects of the logarithm of Eq. (1), and ``Δ_prior(λ) = Λ + λ_co C + Σ_v λ_v
        Δ_v`` (Eq. 5). The strengths maximise ``max_w [ℓ(w) − ½ wᵀ Δ_prior w] + ½ log |Δ_prior| − ½
        log |Δ_prior + B| + Σ_t α (log λ_t − λ_t / m_t)``, a lower bound on the logarithm of the
        evidence plus their Gamma priors of mean m_t. ``objective_history_`` has it, and never
        falls, up to the accuracy of the weights.

    **Symbols**
        λ_co → ``coupling`` over the number of objects that show two views; λ_v → ``smoothness``
        over the sum of the view's K; Λ → ``sparsity``, with nothing for the intercepts; α →
        ``prior_shape``, and β = α / mean; x → ``coordinates``; C → ``agreement``; K →
        ``neighbour_graph``; Δ_v → ``smoothness_of``; Ψ → ``Likelihood.information``; B → Böhning's
        bound, ``Likelihood.bound``; ŵ_MAP and Δ_post → ``posterior_``.

    **Algorithm**
        1. ``fit_coordinates``: scale each view, and rotate those that are wide.
        2. ``pose_prior``: the terms of Eq. (5); ``pose_likelihood``: the labelled rows.
        3. M step, ``CoupledRegression.at``: the most probable weights by truncated Newton steps,
           with conjugate gradients preconditioned by Böhning's bound, in the space of the labelled
           rows if these are fewer than the weights.
        4. E step, ``expected_strengths``: ``λ_t = (α + k_t / 2) / (α / m_t + q_t / 2)``, where
           ``q_t = E wᵀ Q_t w`` under the Gaussian of precision ``Δ_prior + B`` at the weights, Q_t
           is what λ_t multiplies, and ``k_t = λ_t tr(Δ_prior⁻¹ Q_t)``.
        5. Steps are extrapolated (SQUAREM), and the extrapolation is taken if it is better.
        6. ``laplace_factors``: Eq. (7) for each class.

    **Deviations**
        The paper says that E[λ] is analytic by conjugacy. It would be if every term had a
        normaliser of its own, but that of Eq. (4) is the determinant of the sum. Its logarithm is
        convex in the logarithms of λ, so its tangent bounds it from below: with it each λ_t has a
        Gamma posterior with the share k_t of the dimensions, and these sum to all. The paper takes
        the quadratic forms at the weights alone; then weights shrink and ridges grow until little
        is left of a few labels among hundreds of weights (accuracy on bbcsport 0.76 → 0.20, on
        tcga_breast 0.93 → 0.84, five labels a class). Here the weights' uncertainty is added,
        under Böhning's bound, with which every step still gains. C sums over all objects that show
        both views, labelled or not, for every pair of views: the text says unlabelled ones, Eq.
        (21) adds the term for a labelled one. K is kept for nearest neighbours, and its constant
        is left to λ_v; one number stands for all views, as in the paper. The terms are means over
        objects, so that a default suits a hundred and ten thousand of them. The
        paper has no intercepts; here they are the views' mean log odds over all objects, and their
        precision is ``balance`` (0 stands for 1e-7, and for 1 in a view where some class has no
        label). More than two classes:
        softmax with a block of weights per class, the posterior without the terms between blocks.
        The default is one ridge per view, for which a rotation is exact. Eq. (8) prints ``2πe``
        once instead of once per dimension. ``predict_proba`` is the mean of the views'
        probabilities at the most probable weights; the paper does not say.

    **Complexity**
        With P weights, L labelled rows and c classes: O(P³ + P² min(L, P)) time per fit and O(c P²)
        memory; making the terms takes O(n P²).

    References
    ----------
    [@krishnapuram2005], [@bohning1992], [@halko2011]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    def __init__(
        self,
        coupling: Strength = 0.1,
        smoothness: Strength = 1.0,
        sparsity: Ridge = 0.01,
        update_hyperparameters: bool = True,
        *,
        balance: Strength | Literal["auto"] = "auto",
        prior_shape: Annotated[float, Interval(1e-3, 1e9)] = 30.0,
        relevance: Literal["view", "feature"] = "view",
        n_neighbors: Count | None = 10,
        max_features: Count | None = 300,
        max_iter: Count = 100,
        tol: NonNegative = 1e-7,
        verbose: Verbosity = 0,
    ) -> None:
        self.coupling = coupling
        self.smoothness = smoothness
        self.sparsity = sparsity
        self.update_hyperparameters = update_hyperparameters
        self.balance = balance
        self.prior_shape = prior_shape
        self.relevance = relevance
        self.n_neighbors = n_neighbors
        self.max_features = max_features
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(coupling=1.0, smoothness=0.0, update_hyperparameters=False)
        yield cls(relevance="feature", prior_shape=1.0)

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn one classifier per view from labelled and unlabelled objects."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        by_feature = self.relevance == "feature"
        self.coordinates_ = {
            name: fit_coordinates(
                shown_rows(views, name)[0], self.max_features, rotate=not by_feature
            )
            for name in views.names
        }
        coordinates = self._coordinates(views)
        self._check_size(sum(own.shape[1] for own in coordinates), len(labels.classes))
        likelihood = pose_likelihood(coordinates, views.observed, labels.codes, len(labels.classes))
        prior, scales = pose_prior(
            coordinates,
            views.observed,
            likelihood,
            balance=self._balance(),
            by_feature=by_feature,
            smooth=self.smoothness > 0,
            n_neighbors=self.n_neighbors,
        )
        state = self._learn(likelihood, prior)
        self._store(likelihood, prior, scales, state)
        self._answer(views, labels)
        return self

    def _balance(self) -> float:
        if isinstance(self.balance, str):
            return 1.0 if self.coupling > 0 or self.smoothness > 0 else 0.0
        return float(self.balance)

    def _learn(self, likelihood: Likelihood, prior: Prior) -> State:
        """Find the weights, and the strengths if they are to be learnt."""
        given = np.append(np.full(prior.n_ridges, self.sparsity), [self.coupling, self.smoothness])
        problem = CoupledRegression(likelihood, prior, given.astype(np.float64), self.prior_shape)
        start = problem.at(problem.given, np.zeros(likelihood.shape))
        if not self.update_hyperparameters:
            return self._ended(problem, Run(start, np.array([start.objective]), converged=True))
        run = alternate(
            start,
            problem.step,
            lambda state: state.objective,
            max_iter=self.max_iter,
            tol=self.tol,
            report=self._report,
        )
        return self._ended(problem, run)

    def _ended(self, problem: CoupledRegression, run: Run[State]) -> State:
        """Keep how it ended, and the weights to the last digit."""
        self.objective_history_ = run.history
        self.n_iter_, self.converged_ = max(run.n_iter, 1), run.converged
        if self.verbose:
            report(self, f"objective {run.objective:.6g} after {run.n_iter} steps")
        if not run.converged:
            warn_not_converged(self, f"did not converge in max_iter={self.max_iter} steps")
        return problem.at(run.state.strengths, run.state.weights, SOLVED)

    def _report(self, step: int, objective: float) -> None:
        if self.verbose > 1:
            report(self, f"step {step}, objective {objective:.6g}")

    def _check_size(self, n_weights: int, n_classes: int) -> None:
        """Refuse matrices that do not fit, and announce those that take long."""
        n_blocks = 1 if n_classes == 2 else n_classes
        check_memory(
            (n_blocks, n_weights, n_weights),
            f"precisions of {n_weights:,} weights in {n_blocks} blocks",
            remedy="lower max_features",
        )
        rounds = STEPS if self.update_hyperparameters else 1
        if (2.0 * rounds + n_blocks / 3.0) * float(n_weights) ** 3 > LONG:
            warn_of_minutes(
                self,
                f"factorises matrices of {n_weights:,} weights",
                "lower max_features, or give update_hyperparameters=False",
            )

    def _store(self, likelihood: Likelihood, prior: Prior, scales: Scales, state: State) -> None:
        *ridges, coupling, smoothness = state.strengths.tolist()
        names, slices = self.view_names_, likelihood.slices
        self.coupling_, self.smoothness_ = coupling, smoothness
        self.sparsity_ = {
            name: np.array([ridges[number] for number in prior.group[place][:-1]])
            if self.relevance == "feature"
            else ridges[view]
            for view, (name, place) in enumerate(zip(names, slices, strict=True))
        }
        precision = prior.precision(state.strengths)
        self.posterior_ = Posterior(
            mean=state.weights,
            factors=laplace_factors(likelihood, precision, state.weights),
            slices=slices,
            coupling=coupling / scales.n_shared,
            smoothness=smoothness / scales.edges,
            widths=scales.widths,
            n_neighbors=self.n_neighbors,
        )

    def _answer(self, views: Views, labels: Labels) -> None:
        best = _best_class(self._mean_probabilities(views))
        self.transduction_ = self.classes_[np.where(labels.labelled, labels.codes, best)]

    def _coordinates(self, views: Views) -> list[FloatArray]:
        found: list[FloatArray] = []
        for name in views.names:
            rows, places = shown_rows(views, name)
            own = self.coordinates_[name](rows)
            found.append(np.zeros((len(views), own.shape[1])))
            found[-1][places] = own
        return found

    def coordinates(self, X: ViewsLike) -> list[FloatArray]:
        """Rows of each view as the model sees them: the intercept's column last, zeros unobserved.

        Weights in ``posterior_`` are of these columns.
        """
        return self._coordinates(self._new_views(X))

    def view_probabilities(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Probabilities of all classes to each view alone, Eq. (1); NaN where unobserved."""
        return self._view_probabilities(self._new_views(X))

    def _view_probabilities(self, views: Views) -> dict[str, FloatArray]:
        found = {}
        for view, name in enumerate(views.names):
            rows, places = shown_rows(views, name)
            weights = self.posterior_.mean[:, self.posterior_.slices[view]]
            shares = class_shares(self.coordinates_[name](rows) @ weights.T)
            found[name] = np.full((len(views), len(self.classes_)), np.nan)
            found[name][places] = (
                np.hstack([1.0 - shares, shares]) if shares.shape[1] == 1 else shares
            )
        return found

    def _mean_probabilities(self, views: Views) -> FloatArray:
        shares = np.stack(list(self._view_probabilities(views).values()))
        seen = views.observed.T[:, :, None]
        total: FloatArray = np.where(seen, shares, 0.0).sum(axis=0)
        return total / views.observed.sum(axis=1, keepdims=True)

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class: the mean over the views that show an object."""
        return self._mean_probabilities(self._new_views(X))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of each object."""
        best = _best_class(self._mean_probabilities(self._new_views(X)))
        return self.classes_[best]


TIED = 1e-9
"""Probabilities this close are equal up to rounding; the first class is taken."""


def _best_class(shares: FloatArray) -> IntArray:
    return np.asarray((shares >= shares.max(axis=1, keepdims=True) - TIED).argmax(axis=1))
