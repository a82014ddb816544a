"""Views as sources of moments, the ridge that each is given, and whether it is enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from manyviews.data import Layout, Views
from manyviews.embed._canonical._moments import Moments, PairMoments, Source
from manyviews.embed._canonical._randomized import Basis, leading_basis
from manyviews.embed._canonical._shrinkage import shrinkage_share
from manyviews.exceptions import UnobservedViewsError


def sources_of(views: Views, bases: dict[str, Basis]) -> list[Source]:
    """Views by their features, or by their coordinates along a basis where they have one."""
    return [
        Source(matrix, bases[name].directions if name in bases else None)
        for name, matrix in views.items()
    ]


def refuse_lonely_views(views: Views) -> None:
    """Refuse a view that is seen too rarely to share anything with another."""
    together = views.observed.T.astype(int) @ views.observed.astype(int)
    for v, name in enumerate(views.names):
        if together[v, v] < 2:
            raise UnobservedViewsError(
                f"view {name!r} is observed for fewer than two objects and teaches nothing; "
                "leave it out."
            )
        if views.n_views > 1 and np.delete(together[v], v).max() < 2:
            raise UnobservedViewsError(
                f"view {name!r} is observed with no other view for more than one object, so that "
                "nothing is known of what they share; leave it out."
            )


def find_bases(views: Views, rank: int, rng: np.random.Generator) -> dict[str, Basis]:
    """Return the leading directions of each view that has more features than those."""
    found = {}
    for name, matrix in views.items():
        if matrix.shape[1] > rank:
            seen = views.observed_in(name)
            rows = matrix if seen.all() else matrix[np.flatnonzero(seen)]
            found[name] = leading_basis(rows, rank, rng)
    return found


def read_share(
    share: float | Literal["auto"], name: str, views: Views, source: Source, own: PairMoments
) -> float:
    """Return the share of its mean variance that a view's variances are raised by."""
    if share == "auto":
        seen = views.observed_in(name)
        rows = slice(None) if seen.all() else np.flatnonzero(seen)
        return shrinkage_share(source, rows, len(views), own, views.layout.width(name))
    return float(share)


def ridges_of(
    moments: Moments, layout: Layout, shares: Mapping[str, float], bases: Mapping[str, Basis]
) -> list[float]:
    """κᵥ: shares of the mean variance of all features, also of what no basis holds."""
    ridges = []
    for v, (name, share) in enumerate(shares.items()):
        own = moments.own(v)
        kept = bases[name].kept if name in bases else 1.0
        variance = float(np.trace(own.cross)) / max(own.count, 1)
        ridges.append(share * variance / (kept or 1.0) / layout.width(name))
    return ridges


def certain_correlations(
    moments: Moments, ranks: Sequence[int], shares: Mapping[str, float]
) -> str | None:
    """Say of the first two views without ridge that they have too many features for a finding."""
    for (v, one), (w, other) in combinations(enumerate(shares), 2):
        count = moments.pair(v, w).count
        certain = min(ranks[v] + ranks[w] - (count - 1), ranks[v], ranks[w])
        if certain > 0 and count > 1 and shares[one] == shares[other] == 0.0:
            return (
                f"views {one!r} and {other!r} vary in {ranks[v]} and {ranks[w]} directions and "
                f"have {count} objects in common, in which any data show correlations of 1 "
                f"({certain} of them); set regularization to 'auto' or a share such as 0.1, or "
                "reduce the features."
            )
    return None
