"""From the moments of views to the directions along which they correlate, and how far they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from manyviews.embed._canonical._moments import Moments, PairMoments, Source, moments_of
from manyviews.embed._canonical._multiset import (
    Blocks,
    canonical_directions,
    maxvar,
    whiten,
)
from manyviews.embed._canonical._randomized import Basis
from manyviews.embed._canonical._sumcor import sumcor
from manyviews.exceptions import UnobservedViewsError
from manyviews.typing import BoolArray, FloatArray


@dataclass(frozen=True)
class Solution:
    """Weights by view, one column per component, and what they reach on the training objects."""

    weights: tuple[FloatArray, ...]
    values: FloatArray
    """What was made as large as possible, divided by the number of pairs of views."""
    ranks: tuple[int, ...]
    """In how many directions each view varies."""
    history: FloatArray
    n_iter: int = 1
    converged: bool = True


def solve(
    moments: Moments,
    ridges: Sequence[float],
    n_components: int,
    *,
    criterion: str = "maxvar",
    max_iter: int = 1000,
    tol: float = 1e-12,
    report: Callable[[str], None] | None = None,
) -> Solution:
    """Find the directions of one view (principal), two (canonical) or more (by a criterion).

    Parameters
    ----------
    moments : Moments
        Of the views.
    ridges : sequence of float
        What is added to every variance, by view.
    n_components : int
        How many; the solution has fewer where there are no more.
    criterion : str
        ``"maxvar"`` or ``"sumcor"``.
    max_iter, tol : int, float
        When the iteration for ``"sumcor"`` ends.
    report : callable, optional
        Is told of the progress of that.
    """
    every = range(moments.n_views)
    blocks: Blocks = [[moments.covariance(v, w) for w in every] for v in every]
    penalised = [blocks[v][v] + ridge * np.eye(len(blocks[v][v])) for v, ridge in enumerate(ridges)]
    if moments.n_views == 1:
        alone = canonical_directions(blocks, penalised, n_components)
        n_found = alone.weights[0].shape[1]
        return Solution(alone.weights, alone.values, (n_found,), np.array([alone.values.sum()]))
    whitened = whiten(blocks, penalised)
    if criterion == "maxvar":
        found = maxvar(whitened, n_components)
        total = np.array([found.values.sum()])
        return Solution(found.weights, found.values, whitened.ranks, total)
    best = sumcor(whitened, n_components, max_iter=max_iter, tol=tol, report=report)
    return Solution(
        best.weights, best.values, whitened.ranks, best.history, best.n_iter, best.converged
    )


@dataclass(frozen=True)
class FeatureDirections:
    """What the directions of a view are in terms of its features."""

    weights: FloatArray
    loadings: FloatArray
    """Correlations of the features with the variates; 0 where either is constant."""
    means: FloatArray


def in_features(own: PairMoments, weights: FloatArray, basis: Basis | None) -> FeatureDirections:
    """Bring directions, and what they correlate with, back from coordinates to features."""
    towards = own.cross @ weights / own.count  # covariances of coordinates with the variates
    variances = np.einsum("fk,fk->k", weights, towards)
    if basis is None:
        scales, means = np.sqrt(np.diag(own.cross) / own.count), own.means[0]
    else:
        axes, scales = basis.directions, basis.scales
        means = basis.means + axes @ (own.means[0] - basis.means @ axes)
        weights, towards = axes @ weights, axes @ towards
    sizes = np.outer(scales, np.sqrt(np.maximum(variances, 0.0)))
    loadings = np.divide(towards, sizes, out=np.zeros_like(towards), where=sizes > 0.0)
    return FeatureDirections(weights, np.clip(loadings, -1.0, 1.0), means)


def pair_correlations(moments: Moments, weights: Sequence[FloatArray]) -> FloatArray:
    """Correlations of the variates of every two views over the objects that both show.

    Returns
    -------
    array of shape (n_components, n_views, n_views)
        NaN where fewer than two objects are shown by both.
    """
    n_views = moments.n_views
    found = np.full((weights[0].shape[1], n_views, n_views), np.nan)
    for v in range(n_views):
        for w in range(v, n_views):
            pair = moments.pair(v, w)
            if pair.count > 1:
                found[:, v, w] = found[:, w, v] = pair.correlations(weights[v], weights[w])
    return found


def mean_correlations(pairs: FloatArray) -> FloatArray:
    """Mean over the pairs of different views by component; 1 for a view that is alone.

    Examples
    --------
    >>> mean_correlations(np.array([[[1.0, 0.5, 0.7], [0.5, 1.0, 0.3], [0.7, 0.3, 1.0]]]))
    array([0.5])
    """
    n_views = pairs.shape[1]
    if n_views == 1:
        return np.ones(len(pairs))
    above = np.triu_indices(n_views, 1)
    return np.asarray(np.nanmean(pairs[:, above[0], above[1]], axis=1))


def correlations_of(places: Sequence[FloatArray], observed: BoolArray) -> FloatArray:
    """Mean correlations by component of objects that were placed by each of their views."""
    moments = moments_of([Source(own) for own in places], observed)
    pairs = pair_correlations(moments, [np.eye(own.shape[1]) for own in places])
    above = np.triu_indices(len(places), 1)
    if len(places) > 1 and np.isnan(pairs[:, above[0], above[1]]).all():
        raise UnobservedViewsError(
            "no two views are observed together for two of the objects, so that nothing can "
            "correlate; give objects with two views or more."
        )
    return mean_correlations(pairs)
