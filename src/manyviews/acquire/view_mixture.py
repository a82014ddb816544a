"""What a view would show, given the others: a mixture of Gaussians [@krishnapuram2005].

Within a component the views are independent (section 5.1), so that the component is all that one
view tells of another. From the top: the mixture; its fit; its moments (Eq. 18 to 22).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.special import expit, logsumexp, softmax
from scipy.stats import norm, qmc

from manyviews.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "ViewMixture",
    "conditional_means",
    "fit_view_mixture",
    "graph_moments",
    "label_moments",
    "second_moments",
    "shares",
]

MAX_COMPONENTS = 8
"""Components at most. A judgement: each is asked of ten objects or more by the criterion that
chooses among them, and plans have a few hundred objects."""
WORTH = 2.0
"""Objects that the variance over all components is worth in that of one: the fewest that have a
variance at all. Fraley & Raftery (2007) use a prior of this form."""
MEAN_WORTH = 0.01
"""Objects that the mean over all components is worth in that of one: Fraley & Raftery's."""
FLOOR = 1e-6
"""Smallest variance along an axis, relative to the view's largest: rounding errors of
coordinates are 1e-16 of their size, squared 1e-32, and none that matters is smaller than this."""
MAX_ITER, TOL = 50, 1e-4
"""Of the expectation-maximisation: what is left at 1e-4 nats an object changes no ranking."""
POINTS = 1024
"""Points of the quasi-random integral over the scores of three and more classes: accurate to about
1e-3."""


@dataclass(frozen=True)
class ViewMixture:
    """Gaussian components; within each, views are independent and so are the axes of a view.

    The axes of a view are the principal axes of all objects that show it, so that covariances are
    full matrices with axes that the components share: a number of objects smaller than that of
    the features is enough.
    """

    weights: FloatArray
    """``π_c``, (n_components,)."""
    axes: tuple[FloatArray, ...]
    """Of each view, (n_features, n_features), one axis in each column."""
    means: tuple[FloatArray, ...]
    """Of each view along its axes, (n_components, n_features)."""
    variances: tuple[FloatArray, ...]
    """Of each view along its axes, (n_components, n_features)."""

    def mean(self, view: int) -> FloatArray:
        """Means of the components in the coordinates of the rows."""
        return self.means[view] @ self.axes[view].T

    def covariances(self, view: int) -> FloatArray:
        """Covariances of the components in the coordinates of the rows."""
        axes = self.axes[view]
        return (axes * self.variances[view][:, None]) @ axes.T


def _log_gaussians(turned: FloatArray, means: FloatArray, variances: FloatArray) -> FloatArray:
    """Log-densities of rows under Gaussians of independent features, (n, n_components)."""
    precisions = 1.0 / variances
    squares = (
        turned**2 @ precisions.T
        - 2.0 * turned @ (means * precisions).T
        + (means**2 * precisions).sum(axis=1)
    )
    constants = np.log(2 * np.pi * variances).sum(axis=1)
    return -0.5 * (squares + constants)


def shares(mixture: ViewMixture, rows: Sequence[FloatArray], observed: BoolArray) -> FloatArray:
    """``π'_c``: how likely each component is, given the views that an object shows, Eq. (18)."""
    turned = [part @ axes for part, axes in zip(rows, mixture.axes, strict=True)]
    found: FloatArray = softmax(_log_joint(mixture, turned, observed), axis=1)
    return found


def _log_joint(
    mixture: ViewMixture, turned: Sequence[FloatArray], observed: BoolArray
) -> FloatArray:
    """``log π_c Π_v N(x_v | μ_cv, Σ_cv)`` over the views shown, of rows along their axes."""
    found = np.tile(np.log(mixture.weights), (len(observed), 1))
    for view, seen in enumerate(observed.T):
        found[seen] += _log_gaussians(
            turned[view][seen], mixture.means[view], mixture.variances[view]
        )
    return found


def conditional_means(mixture: ViewMixture, view: int, given: FloatArray) -> FloatArray:
    """``m_1 = Σ_c π'_c μ_c``: what the view is expected to show, (n, n_features)."""
    return given @ mixture.mean(view)


# -- fit -------------------------------------------------------------------------------------------


def fit_view_mixture(
    rows: Sequence[FloatArray], observed: BoolArray, max_components: int = MAX_COMPONENTS
) -> ViewMixture:
    """Fit by expectation-maximisation, as many components as the BIC asks for.

    Nothing is drawn: components begin as the parts of a divisive partition, which halves the most
    scattered part at the mean of its principal axis. The order of objects does not matter.

    Parameters
    ----------
    rows : sequence of arrays of shape (n_objects, n_features)
        Without an intercept.
    observed : array of bool of shape (n_objects, n_views)
    max_components : int
    """
    pairs = [_turned(part, seen) for part, seen in zip(rows, observed.T, strict=True)]
    axes, turned = zip(*pairs, strict=True)
    n_seen = int(observed.any(axis=1).sum())
    parts: IntArray = np.zeros(len(observed), dtype=np.intp)
    best, best_score = None, np.inf
    filled = np.hstack(
        [
            np.where(seen[:, None], part, part[seen].mean(axis=0) if seen.any() else 0)
            for part, seen in zip(turned, observed.T, strict=True)
        ]
    )
    for n_components in range(1, max_components + 1):
        if n_components > 1:
            divided = divide(filled, parts)
            if divided is None:
                break
            parts = divided
        found, log_likelihood = _maximised(axes, turned, observed, np.eye(n_components)[parts])
        n_parameters = n_components * (1 + 2 * sum(part.shape[1] for part in turned)) - 1
        score = -2 * log_likelihood + n_parameters * np.log(max(n_seen, 2))
        if score >= best_score:
            break
        best, best_score = found, score
    assert best is not None  # one component always has a score
    return best


def _turned(rows: FloatArray, seen: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Principal axes of the rows that are shown, and the rows along them."""
    if seen.sum() < 2:
        return np.eye(rows.shape[1]), rows
    centred = rows[seen] - rows[seen].mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1]
    return axes, rows @ axes


def divide(rows: FloatArray, parts: IntArray) -> IntArray | None:
    """Halve the most scattered part at the mean of its principal axis; None if none scatters."""
    n_parts = int(parts.max(initial=-1)) + 1
    scatters = [
        ((part - part.mean(axis=0)) ** 2).sum()
        for part in (rows[parts == number] for number in range(n_parts))
    ]
    if not scatters or max(scatters) <= 0:
        return None
    chosen = parts == int(np.argmax(scatters))
    centred = rows[chosen] - rows[chosen].mean(axis=0)
    last = centred.shape[1] - 1
    axis = eigh(centred.T @ centred, subset_by_index=(last, last))[1][:, 0]
    along = centred @ axis
    halves = parts.copy()
    halves[np.flatnonzero(chosen)[along > 0]] = n_parts
    return halves


def _maximised(
    axes: tuple[FloatArray, ...],
    turned: tuple[FloatArray, ...],
    observed: BoolArray,
    start: FloatArray,
) -> tuple[ViewMixture, float]:
    """Alternate shares and Gaussians from the shares of a partition; return the likelihood too."""
    pooled = [
        _moments(rows[seen], np.ones((int(seen.sum()), 1)))
        for rows, seen in zip(turned, observed.T, strict=True)
    ]
    shown = observed.any(axis=1)
    given, before = start, -np.inf
    for _ in range(MAX_ITER):
        weights = given[shown].sum(axis=0)
        weights = (weights + MEAN_WORTH) / (weights + MEAN_WORTH).sum()
        means, variances = zip(
            *(
                _maximum(rows[seen], given[seen], whole)
                for rows, seen, whole in zip(turned, observed.T, pooled, strict=True)
            ),
            strict=True,
        )
        found = ViewMixture(weights, axes, means, variances)
        joint = _log_joint(found, turned, observed)
        log_likelihood = float(logsumexp(joint[shown], axis=1).sum()) if shown.any() else 0.0
        if log_likelihood - before <= TOL * max(int(shown.sum()), 1):
            break
        before = log_likelihood
        given = softmax(joint, axis=1)
    return found, log_likelihood


def _moments(rows: FloatArray, given: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mass, sums and sums of squares of each component."""
    return given.sum(axis=0), given.T @ rows, given.T @ rows**2


def _maximum(
    rows: FloatArray, given: FloatArray, pooled: tuple[FloatArray, FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Means and variances of the components, drawn towards those of all objects together."""
    (count,), (total,), (squares,) = pooled
    centre = total / max(count, 1.0)
    spread = np.maximum(squares / max(count, 1.0) - centre**2, 0.0)
    spread = np.maximum(spread, FLOOR * spread.max(initial=0.0) or 1.0)
    mass, sums, seconds = _moments(rows - centre, given)
    mean = sums / (mass + MEAN_WORTH)[:, None]
    scatter = seconds - 2 * mean * sums + mass[:, None] * mean**2
    variance = (np.maximum(scatter, 0.0) + WORTH * spread) / (mass + WORTH)[:, None]
    return centre + mean, variance


# -- moments, of every component -------------------------------------------------------------------


def second_moments(mixture: ViewMixture, view: int) -> FloatArray:
    """``E[x xᵀ]`` of rows with their intercept: ``μ_c μ_cᵀ + Σ_c``, which make up ``M_2``."""
    means = _with_intercept(mixture.mean(view), 1.0)
    found = means[:, :, None] * means[:, None, :]
    found[:, :-1, :-1] += mixture.covariances(view)
    return found


def graph_moments(mixture: ViewMixture, view: int, rows: FloatArray, width: float) -> FloatArray:
    """``Σ_j E[K_ij (x − x_j)(x − x_j)ᵀ]`` over all rows: ``Σ_j S_ij`` of Eq. (20).

    With ``K_ij = exp(−‖x − x_j‖² / 2σ²)``, ``Λ_c = (Σ_c⁻¹ + I/σ²)⁻¹`` and
    ``μ_cj = Λ_c (Σ_c⁻¹ μ_c + x_j / σ²)``, which the paper misprints, each row adds
    ``z_cj ((x_j − μ_cj)(x_j − μ_cj)ᵀ + Λ_c)``.
    """
    turned, axes = rows @ mixture.axes[view], mixture.axes[view]
    n_components, n_features = mixture.means[view].shape
    found = np.zeros((n_components, n_features + 1, n_features + 1))
    square = width**2
    for component in range(n_components):
        mean, variance = mixture.means[view][component], mixture.variances[view][component]
        inner = 1.0 / (1.0 / variance + 1.0 / square)  # Λ_c
        # z_cj = |Λ_c|^½ |Σ_c|^−½ exp(−½ (x_j − μ_c)ᵀ (Σ_c + σ² I)⁻¹ (x_j − μ_c))
        log_mass = -0.5 * np.log1p(variance / square).sum()
        mass = np.exp(log_mass - 0.5 * ((turned - mean) ** 2 / (variance + square)).sum(axis=1))
        apart = turned - inner * (mean / variance + turned / square)  # x_j − μ_cj
        sums = (mass[:, None] * apart).T @ apart + np.diag(mass.sum() * inner)
        found[component, :-1, :-1] = axes @ sums @ axes.T
    return found


def label_moments(mixture: ViewMixture, view: int, weights: FloatArray) -> FloatArray:
    """``E[p (1 − p) x xᵀ]`` of rows with their intercept, which make up ``M_6`` of Eq. (22).

    ``p`` hangs on the scores ``W x`` only. Given these the rest of x is Gaussian, so the scores
    are integrated over numerically and the rest in closed form. The paper has
    ``σ(z) σ(−z) ≈ N(z | 0, 8/π)`` instead, which is 1/4 at 0 and integrates to 1, as it should.

    Parameters
    ----------
    mixture : ViewMixture
    view : int
    weights : array of shape (n_blocks, n_features + 1)

    Returns
    -------
    array of shape (n_components, n_blocks, n_features + 1, n_features + 1)
    """
    means = _with_intercept(mixture.mean(view), 1.0)
    covariances = np.zeros((*means.shape, means.shape[1]))
    covariances[:, :-1, :-1] = mixture.covariances(view)
    return np.stack(
        [
            _label_moments(mean, covariance, weights)
            for mean, covariance in zip(means, covariances, strict=True)
        ]
    )


def _label_moments(mean: FloatArray, covariance: FloatArray, weights: FloatArray) -> FloatArray:
    """The same of one Gaussian: x = μ + G ε + what the scores do not hang on."""
    values, vectors = np.linalg.eigh(weights @ covariance @ weights.T)
    kept = values > FLOOR * FLOOR * max(values.max(), 0.0)
    scales = np.sqrt(values[kept])
    loading = covariance @ weights.T @ vectors[:, kept] / scales  # G
    nodes, masses = _normal_nodes(scales)
    scores = weights @ mean + nodes @ (vectors[:, kept] * scales).T
    p = expit(scores) if len(weights) == 1 else softmax(scores, axis=1)
    mass = masses[:, None] * p * (1 - p)
    zeroth = mass.sum(axis=0)
    first = mass.T @ nodes @ loading.T
    rest = covariance - loading @ loading.T + np.outer(mean, mean)
    found = zeroth[:, None, None] * rest
    found += first[:, :, None] * mean + mean[:, None] * first[:, None, :]
    for block in range(len(weights)):
        found[block] += loading @ ((mass[:, block, None] * nodes).T @ nodes) @ loading.T
    return found


def _normal_nodes(scales: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Points and masses that stand for independent normal variables, fine enough for a sigmoid."""
    if not len(scales):
        return np.zeros((1, 0)), np.ones(1)
    if len(scales) == 1:  # the trapezium rule converges exponentially: steps of ¼ and of ½ in z
        n_steps = int(np.ceil(18 * max(4.0, 2 * min(scales[0], 1e4))))
        nodes = np.linspace(-9, 9, n_steps + 1)
        masses = norm.pdf(nodes)
        return nodes[:, None], masses / masses.sum()
    points = norm.ppf(qmc.Sobol(len(scales), scramble=True, rng=0).random(POINTS))
    return points, np.full(POINTS, 1.0 / POINTS)


def _with_intercept(rows: FloatArray, value: float) -> FloatArray:
    return np.hstack([rows, np.full((len(rows), 1), value)])
