"""What no object could satisfy, refused with the path that shows it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from manyviews.maths._ontology._reading import Pair
from manyviews.maths._ontology._relation import Relation, arrows, shortest_path


def refuse_unknown_names(
    classes: Sequence[Hashable], constraints: dict[str, tuple[Pair, ...]]
) -> None:
    """Refuse constraints on classes that are not there."""
    known = set(classes)
    for kind, pairs in constraints.items():
        for pair in pairs:
            unknown = [name for name in pair if name not in known]
            if unknown:
                raise ValueError(
                    f"{kind} has the pair {pair!r}, but {unknown[0]!r} is not among the classes "
                    "given; add it to classes."
                )


def refuse_cycles(parents: Relation, downwards: Sequence[Hashable]) -> None:
    """Refuse classes that contain themselves; those never come when one goes down."""
    settled = set(downwards)
    left = next((name for name in parents if name not in settled), None)
    if left is None:
        return
    trail = [left]  # what is left has a parent that is left, so that this walk runs into itself
    while trail[-1] not in trail[:-1]:
        trail.append(next(above for above in parents[trail[-1]] if above not in settled))
    cycle = trail[trail.index(trail[-1]) :]
    raise ValueError(
        f"The subset relation has a cycle, {arrows(cycle)}; take one of its pairs away."
    )


def refuse_contradictions(
    mutex: Sequence[Pair], parents: Relation, downwards: Sequence[Hashable]
) -> None:
    """Refuse classes that lie in two classes that exclude each other."""
    for one, other in mutex:
        if one == other:
            raise ValueError(f"{one!r} excludes itself; take this pair out of mutex.")
    excluded: dict[Hashable, set[Hashable]] = {}
    for one, other in mutex:
        excluded.setdefault(one, set()).add(other)
        excluded.setdefault(other, set()).add(one)
    inside: dict[Hashable, set[Hashable]] = {}
    for name in downwards:
        inside[name] = {name}.union(*(inside[above] for above in parents[name]))
        if any(inside[name] & excluded.get(one, set()) for one in inside[name]):
            one, other = next(pair for pair in mutex if inside[name].issuperset(pair))
            paths = [shortest_path(name, end, parents) for end in (one, other)]
            ways = " and ".join(arrows(path) for path in paths if len(path) > 1)
            raise ValueError(
                f"{one!r} and {other!r} exclude each other, but {name!r} lies in both: {ways}; "
                "take the exclusion or one of these subset pairs away."
            )
