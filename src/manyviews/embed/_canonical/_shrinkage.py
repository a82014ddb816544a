"""How much ridge a covariance needs, judged by the scatter of its own estimate [@ledoit2004]."""

from __future__ import annotations

import numpy as np

from manyviews.embed._canonical._moments import PairMoments, Rows, Source, block_size, blocks_of
from manyviews.typing import FloatArray

_MOST = 1e6
"""A share beyond which only the ridge is left; reached where nothing but it would be best."""


def shrinkage_share(
    source: Source, rows: Rows, n_objects: int, own: PairMoments, n_features: int
) -> float:
    """Share of the mean variance to add to every variance, as Ledoit and Wolf would shrink.

    They mix the covariance S with the identity, ``(1 - δ) S + δ μ I`` where μ is the mean variance;
    up to a factor, which no correlation shows, that is ``S + δ / (1 - δ) μ I``.

    Parameters
    ----------
    source : Source
        The view.
    rows : slice or array of int
        The objects that it shows.
    n_objects : int
        How many objects there are.
    own : PairMoments
        Its moments over these.
    n_features : int
        How many features the view has, which may be more than it has coordinates here.
    """
    mean_variance = float(np.trace(own.cross)) / own.count / n_features
    if mean_variance <= 0.0:
        return 0.0
    covariance = own.cross / own.count / mean_variance  # in units that no fourth power overflows
    total = float(np.square(covariance).sum())
    away = total - n_features  # n_features times d² of the paper
    fourth = _fourth_powers(source, rows, n_objects, own.means[0], mean_variance**0.5) / own.count
    error = max((fourth - total) / own.count, 0.0)  # n_features times b̄²
    if error <= 0.0 or away <= 0.0:
        return 0.0
    shrinkage = min(error / away, 1.0)
    return min(shrinkage / max(1.0 - shrinkage, 1.0 / _MOST), _MOST)


def _fourth_powers(
    source: Source, rows: Rows, n_objects: int, means: FloatArray, unit: float
) -> float:
    """Sum over the objects of the fourth powers of their distances from the mean, in a unit."""
    found = 0.0
    for block in blocks_of(rows, n_objects, block_size(source.width)):
        part = (source.block(block) - means) / unit
        found += float(np.square(np.einsum("ij,ij->i", part, part)).sum())
    return found
