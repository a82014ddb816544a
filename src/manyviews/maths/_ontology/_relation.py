"""Walks along a relation between classes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from manyviews.maths._ontology._reading import Pair

Relation = dict[Hashable, tuple[Hashable, ...]]


def neighbours(classes: Sequence[Hashable], pairs: Iterable[Pair]) -> Relation:
    """Return what each class is paired with."""
    found: dict[Hashable, list[Hashable]] = {name: [] for name in classes}
    for one, other in pairs:
        found[one].append(other)
    return {name: tuple(others) for name, others in found.items()}


def reachable(start: Hashable, relation: Relation) -> tuple[Hashable, ...]:
    """Return all that can be reached, the nearest first."""
    found = dict.fromkeys(relation[start])
    queue = list(found)
    for name in queue:
        for further in relation[name]:
            if further not in found:
                found[further] = None
                queue.append(further)
    return tuple(found)


def shortest_path(start: Hashable, end: Hashable, parents: Relation) -> list[Hashable]:
    """Return a shortest way up."""
    came_from: dict[Hashable, Hashable] = {start: start}
    queue = [start]
    for name in queue:
        for parent in parents[name]:
            if parent not in came_from:
                came_from[parent] = name
                queue.append(parent)
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


def arrows(names: Sequence[Hashable]) -> str:
    """Write a path."""
    return " → ".join(map(str, names))
