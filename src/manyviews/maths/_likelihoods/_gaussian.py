"""Points about a mean, with full, diagonal or spherical covariance, from moments that add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.sparse import csr_array

from manyviews.maths._likelihoods._base import Likelihood, fill_weightless, row_blocks, take_rows
from manyviews.maths._memory import check_covariances
from manyviews.typing import FloatArray, Matrix, NonNegative, Share, is_sparse

Covariance = Literal["full", "diag", "spherical"]

_LOG_2_PI = float(np.log(2.0 * np.pi))
_DENSE_BLOCK = 4096
"""Rows of a sparse matrix that are made dense at a time."""
_FAR = 1e6
"""Squared distance of a component from the mean of all rows, in its own variances, beyond which
products of matrices lose more than six of sixteen digits; there it is done row by row."""


@dataclass(frozen=True)
class Moments:
    """Weight, mean and scatter about that mean, of each component."""

    mass: FloatArray
    mean: FloatArray
    scatter: FloatArray
    """Components × features (× features): sum of the squared deviations, not divided."""

    def __add__(self, other: Moments) -> Moments:
        mass = self.mass + other.mass
        share = (other.mass / np.where(mass > 0, mass, 1.0))[:, None]
        shift = other.mean - self.mean
        between = self.mass[:, None] * share
        if self.scatter.ndim == 2:
            moved = between * shift**2
        else:
            moved = between[:, :, None] * shift[:, :, None] * shift[:, None, :]
        return Moments(mass, self.mean + share * shift, self.scatter + other.scatter + moved)


@dataclass(frozen=True)
class GaussianParameters:
    """Where each component lies and how it spreads."""

    means: FloatArray
    """Components × features."""
    covariances: FloatArray
    """Components × features × features if full; components × features if diagonal; one variance
    per component if spherical."""
    factors: FloatArray
    """Lower Cholesky factors of the covariances; roots of the variances if not full."""


@dataclass
class Gaussian(Likelihood[Moments, GaussianParameters]):
    """Normal distribution of points.

    Parameters
    ----------
    covariance : {"full", "diag", "spherical"}
        Whether a component has all covariances, a variance per feature, or one variance.
    reg : float
        Added to every variance, so that none becomes zero.
    shrinkage : float
        Share of every variance that is taken from all rows together, and by which covariances
        shrink to zero, as in [@friedman1989]: components with few rows then do not close in on
        them, in whatever unit a feature is.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import Gaussian
    >>> family = Gaussian(covariance="spherical", reg=0)
    >>> found = family.update(family.summarize(np.array([[0.0], [2.0]]), np.ones((2, 1))))
    >>> found.means, found.covariances
    (array([[1.]]), array([1.]))
    """

    covariance: Covariance = "full"
    reg: NonNegative = 1e-6
    shrinkage: Share = 0.0

    def check(self, X: Matrix, *, view: str) -> None:
        """Accept everything."""

    def summarize(self, X: Matrix, responsibilities: FloatArray) -> Moments:
        """Take the moments of each component about its own mean."""
        R = np.asarray(responsibilities, dtype=np.float64)
        if self.covariance == "full":
            check_covariances(R.shape[1], X.shape[1])
        if not is_sparse(X):
            return _moments(np.asarray(X, dtype=np.float64), R, full=self.covariance == "full")
        if self.covariance != "full":
            return _sparse_moments(X, R)
        blocks = row_blocks(X.shape[0], _DENSE_BLOCK)
        first, *others = (
            _moments(take_rows(X, rows).toarray().astype(np.float64), R[rows], full=True)
            for rows in blocks
        )
        return sum(others, start=first)

    def update(self, stats: Moments) -> GaussianParameters:
        """Return means and covariances; a component without weight gets those of all rows."""
        whole = _pooled(stats)
        means = fill_weightless(stats.mean, stats.mass, whole.mean)
        scatter = fill_weightless(stats.scatter, stats.mass, whole.scatter)
        mass = np.maximum(fill_weightless(stats.mass, stats.mass, whole.mass), _TINY)
        spread = whole.scatter[0] / max(float(whole.mass[0]), _TINY)
        if self.covariance == "full":
            covariances = (1.0 - self.shrinkage) * scatter / mass[:, None, None]
            covariances += self.shrinkage * np.diag(np.diag(spread))
            covariances += self.reg * np.eye(means.shape[1])
            return GaussianParameters(means, covariances, _lower_factors(covariances))
        variances = (1.0 - self.shrinkage) * scatter / mass[:, None] + self.shrinkage * spread
        variances += self.reg
        if self.covariance == "spherical":
            variances = variances.mean(axis=1)
        flat = np.flatnonzero(~(variances.reshape(len(means), -1) > 0).all(axis=1))
        if len(flat):
            raise ValueError(_degenerate(int(flat[0])))
        return GaussianParameters(means, variances, np.sqrt(variances))

    def log_density(self, X: Matrix, parameters: GaussianParameters) -> FloatArray:
        """Return log densities, by the squared distance in units of the covariance."""
        d = X.shape[1]
        if self.covariance == "full":
            distances = _full_distances(X, parameters)
            halved_logs = np.log(np.einsum("kii->ki", parameters.factors)).sum(axis=1)
        else:
            roots = parameters.factors.reshape(len(parameters.means), -1)
            factors = np.broadcast_to(roots, parameters.means.shape)
            distances = _diagonal_distances(X, parameters.means, factors)
            halved_logs = np.log(factors).sum(axis=1)
        return np.asarray(-0.5 * (distances + d * _LOG_2_PI) - halved_logs)


_TINY = float(np.finfo(np.float64).tiny)


def _moments(X: FloatArray, R: FloatArray, *, full: bool) -> Moments:
    mass = R.sum(axis=0)
    mean = (R.T @ X) / np.maximum(mass, _TINY)[:, None]
    if full:
        scatter = np.empty((R.shape[1], X.shape[1], X.shape[1]))
        for component, centre in enumerate(mean):
            away = X - centre
            scatter[component] = away.T @ (R[:, component, None] * away)
        return Moments(mass, mean, scatter)
    middle = X.mean(axis=0) if len(X) else np.zeros(X.shape[1])
    between = mass[:, None] * (mean - middle) ** 2
    scatter = R.T @ np.square(X - middle) - between
    for component in map(int, np.flatnonzero((scatter * _FAR < between).any(axis=1))):
        scatter[component] = R[:, component] @ np.square(X - mean[component])
    return Moments(mass, mean, scatter)


def _sparse_moments(X: csr_array, R: FloatArray) -> Moments:
    """Without making rows dense: by the squares, less the square of the mean."""
    mass = R.sum(axis=0)
    mean = np.asarray((X.T @ R).T) / np.maximum(mass, _TINY)[:, None]
    squares = np.asarray((X.power(2).T @ R).T)
    return Moments(mass, mean, np.maximum(squares - mass[:, None] * mean**2, 0.0))


def _pooled(stats: Moments) -> Moments:
    """Moments of all components together, as one component."""
    mass = stats.mass.sum()
    mean = stats.mass @ stats.mean / max(float(mass), _TINY)
    shifts = stats.mean - mean
    weighted = stats.mass[:, None] * shifts
    full = stats.scatter.ndim == 3
    between = weighted.T @ shifts if full else (weighted * shifts).sum(axis=0)
    return Moments(mass[None], mean[None], (stats.scatter.sum(axis=0) + between)[None])


def _lower_factors(covariances: FloatArray) -> FloatArray:
    factors = np.empty_like(covariances)
    for component, covariance in enumerate(covariances):
        try:
            factors[component] = cholesky(covariance, lower=True)
        except LinAlgError as error:
            raise ValueError(_degenerate(component)) from error
    return factors


def _degenerate(component: int) -> str:
    return (
        f"the covariance of component {component} has no spread in some direction; raise reg, "
        "lower n_components, or use covariance='diag' or 'spherical'."
    )


def _full_distances(X: Matrix, parameters: GaussianParameters) -> FloatArray:
    distances = np.empty((X.shape[0], len(parameters.means)))
    size = _DENSE_BLOCK if is_sparse(X) else max(X.shape[0], 1)
    for rows in row_blocks(X.shape[0], size):
        block = take_rows(X, rows)
        points = block.toarray() if is_sparse(block) else block
        for component, mean in enumerate(parameters.means):
            away = solve_triangular(
                parameters.factors[component], (points - mean).T, lower=True, check_finite=False
            )
            distances[rows, component] = np.einsum("di,di->i", away, away)
    return distances


def _diagonal_distances(X: Matrix, means: FloatArray, factors: FloatArray) -> FloatArray:
    if is_sparse(X):
        precisions = factors**-2
        crossed = X.power(2) @ precisions.T - 2.0 * (X @ (means * precisions).T)
        return np.asarray(crossed + (means**2 * precisions).sum(axis=1))
    middle = X.mean(axis=0, dtype=np.float64) if len(X) else np.zeros(X.shape[1])
    away, shifts, precisions = X - middle, means - middle, factors**-2
    constants = (shifts**2 * precisions).sum(axis=1)
    distances = np.square(away) @ precisions.T - 2.0 * (away @ (shifts * precisions).T) + constants
    for component in np.flatnonzero(constants > _FAR):
        gaps = (X - means[component]) / factors[component]
        distances[:, component] = np.einsum("ij,ij->i", gaps, gaps)
    return np.maximum(distances, 0.0, out=distances)
