"""Small words and judgements that several findings share."""

from __future__ import annotations

from collections.abc import Sequence

from manyviews.explain import _thresholds as limit
from manyviews.explain._report import JointReport, ViewReport


def percent(share: float) -> str:
    """A share as a percentage that is never rounded to 0 or 100."""
    if 0.0 < share < 0.01:
        return "less than 1%"
    if 0.99 < share < 1.0:
        return "more than 99%"
    return f"{share:.0%}"


def plural(count: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{count} {one if count == 1 else many}"


def enumerate_names(names: Sequence[str], most: int = 6) -> str:
    """Names as in a sentence: ``a, b and c``; beyond six, the rest by number."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def is_near_chance(view: ViewReport, joint: JointReport) -> bool:
    """Whether a measured view alone is hardly better than no view."""
    if view.quality is None or view.chance is None:
        return False
    if joint.measure == "silhouette":
        return not has_clusters(view)
    beyond = view.quality - view.chance
    error = view.quality_error or 0.0
    return beyond < limit.NEAR_CHANCE * (1.0 - view.chance) or (
        beyond <= limit.STANDARD_ERRORS * error
    )


def has_clusters(view: ViewReport) -> bool:
    """Whether a view falls into clusters that are neither chance nor a few outliers."""
    if view.silhouette is None or view.silhouette_chance is None or view.largest_cluster is None:
        return False
    return (
        view.silhouette - view.silhouette_chance >= limit.STRUCTURE
        and view.largest_cluster <= limit.LARGEST_CLUSTER
    )
