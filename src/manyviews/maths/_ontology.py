"""Classes that contain or exclude each other, and who breaks such constraints [@dalvi2015]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np

from manyviews.exceptions import ParameterError
from manyviews.typing import BoolArray, IntArray

Pair = tuple[Hashable, Hashable]
Relation = dict[Hashable, tuple[Hashable, ...]]
EdgeDirection = Literal["parent_to_child", "child_to_parent"]


@dataclass(frozen=True, eq=False, repr=False)
class Ontology:
    """Classes with the constraints between them: who is part of whom, and who excludes whom.

    The subset relation need not be a tree: a class may have several parents. Construction refuses
    what no object could satisfy: cycles, and classes that lie in two classes that exclude each
    other.

    Parameters
    ----------
    subset : iterable of (child, parent)
        Whoever belongs to the child belongs to the parent.
    mutex : iterable of (class, class)
        Nobody belongs to both.
    classes : iterable, optional
        All classes in the order of their columns; by default those of ``subset``, then those of
        ``mutex``, as they first appear. Classes without any constraint may be listed.

    Attributes
    ----------
    classes : tuple
        The classes, any hashables.
    subset, mutex : tuple of pairs
        The constraints, each once.
    subset_pairs, mutex_pairs : int arrays of shape (n_constraints, 2)
        The same by position in ``classes``.

    Examples
    --------
    >>> food = Ontology.from_dict({"food": ["fruit", "meat"], "company": None})
    >>> food
    Ontology(4 classes, 2 subset, 2 mutex)
    >>> food.ancestors("fruit")
    ('food',)
    >>> food.violations(food.indicator([["food", "fruit"], "meat", ["food", "company"]]))
    array([0, 1, 1])

    References
    ----------
    [@dalvi2015], section 3
    """

    subset: tuple[Pair, ...] = ()
    mutex: tuple[Pair, ...] = ()
    classes: tuple[Hashable, ...] = ()

    def __init__(
        self,
        subset: Iterable[Any] = (),
        mutex: Iterable[Any] = (),
        classes: Iterable[Hashable] | None = None,
    ) -> None:
        contained = read_pairs(subset, "subset")
        excluded = read_pairs(mutex, "mutex")
        object.__setattr__(self, "classes", read_classes(contained, excluded, classes))
        object.__setattr__(self, "subset", tuple(dict.fromkeys(contained)))
        object.__setattr__(self, "mutex", once_in_either_order(excluded))
        refuse_unknown_names(self.classes, {"subset": self.subset, "mutex": self.mutex})
        refuse_cycles(self._parents, self._downwards())
        refuse_contradictions(self.mutex, self._parents, self._downwards())

    # Reading ----------------------------------------------------------------------------------

    @classmethod
    def read(cls, thing: Any) -> Ontology:
        """Read an ontology from whatever describes one.

        Parameters
        ----------
        thing : Ontology, nested dict or list, list of (child, parent), or NetworkX DiGraph
            See :meth:`from_dict`, :meth:`from_edges` and :meth:`from_networkx`.
        """
        if isinstance(thing, Ontology):
            return thing
        if hasattr(thing, "edges") and hasattr(thing, "nodes"):
            return cls.from_networkx(thing)
        if isinstance(thing, dict):
            return cls.from_dict(thing)
        if isinstance(thing, list | tuple):
            if all(isinstance(entry, list | tuple) and len(entry) == 2 for entry in thing):
                return cls.from_edges(thing)
            return cls.from_dict(thing)
        raise ParameterError(
            f"An ontology cannot be read from {type(thing).__name__}; give an Ontology, a nested "
            "dict, a list of (child, parent) or a NetworkX DiGraph."
        )

    @classmethod
    def from_dict(cls, nested: Any, *, siblings_exclude: bool = True) -> Ontology:
        """Read a hierarchy written as nested dicts, with lists (or nothing) at the ends.

        Parameters
        ----------
        nested : dict, or list of classes and dicts
            ``{"animal": {"mammal": ["cat", "dog"], "bird": []}, "plant": None}``.
        siblings_exclude : bool
            Whether the children of one parent exclude each other, and so the roots.
        """
        found = list(walk(nested, None))
        edges = [(name, parent) for name, parent in found if parent is not None]
        classes = dict.fromkeys(name for name, _ in found)
        return cls(edges, sibling_pairs(edges, classes) if siblings_exclude else (), classes)

    @classmethod
    def from_edges(cls, edges: Iterable[Any], *, siblings_exclude: bool = False) -> Ontology:
        """Read (child, parent) pairs.

        Parameters
        ----------
        edges : iterable of (child, parent)
            The subset relation.
        siblings_exclude : bool
            Whether the children of one parent exclude each other, and so the roots.
        """
        pairs = read_pairs(edges, "edges")
        classes = dict.fromkeys(name for pair in pairs for name in pair)
        return cls(pairs, sibling_pairs(pairs, classes) if siblings_exclude else ())

    @classmethod
    def from_networkx(cls, graph: Any, *, edges: EdgeDirection = "parent_to_child") -> Ontology:
        """Read a NetworkX DiGraph; its nodes are the classes.

        Parameters
        ----------
        graph : networkx.DiGraph
            An edge with the attribute ``relation="mutex"`` is an exclusion, any other a subset.
        edges : {"parent_to_child", "child_to_parent"}
            Which way the subset edges point.
        """
        if edges not in ("parent_to_child", "child_to_parent"):
            raise ValueError(
                f"edges should be 'parent_to_child' or 'child_to_parent', not {edges!r}."
            )
        if not graph.is_directed():
            raise ValueError(
                "The graph is undirected and says not who contains whom; give a DiGraph."
            )
        subset: list[Pair] = []
        mutex: list[Pair] = []
        for start, end, attributes in graph.edges(data=True):
            relation = attributes.get("relation", "subset")
            if relation not in ("subset", "mutex"):
                raise ValueError(
                    f"The edge {start!r} → {end!r} has the relation {relation!r}; use 'subset' or "
                    "'mutex'."
                )
            down = edges == "parent_to_child" and relation == "subset"
            (subset if relation == "subset" else mutex).append(
                (end, start) if down else (start, end)
            )
        return cls(subset, mutex, graph.nodes)

    # Asking -----------------------------------------------------------------------------------

    @cached_property
    def subset_pairs(self) -> IntArray:
        """Positions of (child, parent)."""
        return self._pairs(self.subset)

    @cached_property
    def mutex_pairs(self) -> IntArray:
        """Positions of classes that exclude each other."""
        return self._pairs(self.mutex)

    @property
    def roots(self) -> tuple[Hashable, ...]:
        """Classes without parents."""
        return tuple(name for name in self.classes if not self._parents[name])

    @property
    def leaves(self) -> tuple[Hashable, ...]:
        """Classes without children."""
        return tuple(name for name in self.classes if not self._children[name])

    @property
    def levels(self) -> dict[Hashable, int]:
        """How far below a root each class lies, by the longest way."""
        depth = dict.fromkeys(self.classes, 0)
        for name in self._downwards():
            for child in self._children[name]:
                depth[child] = max(depth[child], depth[name] + 1)
        return depth

    def parents(self, name: Hashable) -> tuple[Hashable, ...]:
        """Return the classes that directly contain a class."""
        return self._look_up(self._parents, name)

    def children(self, name: Hashable) -> tuple[Hashable, ...]:
        """Return the classes that a class directly contains."""
        return self._look_up(self._children, name)

    def ancestors(self, name: Hashable) -> tuple[Hashable, ...]:
        """Return all classes that contain a class, the nearest first."""
        return reachable(name, self._parents) if self.parents(name) else ()

    def descendants(self, name: Hashable) -> tuple[Hashable, ...]:
        """Return all classes that a class contains, the nearest first."""
        return reachable(name, self._children) if self.children(name) else ()

    def indicator(self, label_sets: Iterable[Any]) -> BoolArray:
        """Write one set, list or single label per object as rows of an indicator matrix."""
        sets = list(label_sets)
        matrix = np.zeros((len(sets), len(self)), dtype=bool)
        for row, labels in enumerate(sets):
            for label in self._members(labels):
                if label not in self._position:
                    raise ValueError(
                        f"Row {row} has the label {label!r}, which the ontology does not know; "
                        "add it to its classes."
                    )
                matrix[row, self._position[label]] = True
        return matrix

    def label_sets(self, indicator: Any) -> list[frozenset[Hashable]]:
        """Return the classes of each row of an indicator matrix."""
        matrix = self._read_indicator(indicator)
        return [frozenset(self.classes[k] for k in np.flatnonzero(row)) for row in matrix]

    def closure(self, indicator: Any) -> BoolArray:
        """Return the indicator matrix with all ancestors added."""
        matrix = self._read_indicator(indicator)
        closed: BoolArray = matrix.astype(np.float32) @ self._contained.astype(np.float32) > 0
        return closed

    def violations(self, indicator: Any) -> IntArray:
        """Count the constraints that each row of an indicator matrix breaks."""
        matrix = self._read_indicator(indicator)
        count = np.zeros(len(matrix), dtype=np.intp)
        for child, parent in self.subset_pairs:
            count += matrix[:, child] & ~matrix[:, parent]
        for one, other in self.mutex_pairs:
            count += matrix[:, one] & matrix[:, other]
        return count

    def __len__(self) -> int:
        return len(self.classes)

    def __repr__(self) -> str:
        return f"Ontology({len(self)} classes, {len(self.subset)} subset, {len(self.mutex)} mutex)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ontology) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __getstate__(self) -> dict[str, Any]:  # without what can be derived
        return {"subset": self.subset, "mutex": self.mutex, "classes": self.classes}

    # Derived ----------------------------------------------------------------------------------

    def _identity(self) -> tuple[Any, ...]:
        """The order of the classes matters, that of the constraints does not."""
        exclusions = frozenset(frozenset(pair) for pair in self.mutex)
        return self.classes, frozenset(self.subset), exclusions

    @cached_property
    def _position(self) -> dict[Hashable, int]:
        return {name: place for place, name in enumerate(self.classes)}

    @cached_property
    def _parents(self) -> Relation:
        return neighbours(self.classes, self.subset)

    @cached_property
    def _children(self) -> Relation:
        return neighbours(self.classes, [(parent, child) for child, parent in self.subset])

    @cached_property
    def _contained(self) -> BoolArray:
        """Whether the class of the row lies in that of the column, itself included."""
        inside = np.eye(len(self), dtype=bool)
        for name in self._downwards():
            for parent in self._parents[name]:
                inside[self._position[name]] |= inside[self._position[parent]]
        return inside

    def _downwards(self) -> list[Hashable]:
        """Every class after its parents; those on a cycle never come."""
        waiting = {name: len(self._parents[name]) for name in self.classes}
        order = [name for name, count in waiting.items() if count == 0]
        for name in order:
            for child in self._children[name]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    order.append(child)
        return order

    def _pairs(self, pairs: Sequence[Pair]) -> IntArray:
        places = [[self._position[one], self._position[other]] for one, other in pairs]
        array = np.array(places, dtype=np.intp).reshape(len(pairs), 2)
        array.setflags(write=False)
        return array

    def _look_up(self, relation: Relation, name: Hashable) -> tuple[Hashable, ...]:
        if name not in relation:
            raise KeyError(f"There is no class {name!r} in the ontology.")
        return relation[name]

    def _members(self, labels: Any) -> Iterable[Hashable]:
        """One label, or a collection of them; a tuple may be the name of a class."""
        if isinstance(labels, set | frozenset | list | np.ndarray):
            return labels
        if isinstance(labels, tuple) and labels not in self._position:
            return labels
        return (labels,)

    def _read_indicator(self, indicator: Any) -> BoolArray:
        matrix = np.asarray(indicator)
        if matrix.ndim != 2 or matrix.shape[1] != len(self):
            raise ValueError(
                f"The indicator matrix has shape {matrix.shape}; give one column for each of the "
                f"{len(self)} classes."
            )
        return matrix.astype(bool)


# Reading: constraints and hierarchies as users write them -----------------------------------------


def read_pairs(pairs: Iterable[Any], what: str) -> list[Pair]:
    """Read constraints, each on two classes."""
    read: list[Pair] = []
    for place, pair in enumerate(pairs):
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"{what} has {pair!r} at place {place}; give pairs of two classes.")
        read.append((pair[0], pair[1]))
    return read


def read_classes(
    subset: list[Pair], mutex: list[Pair], classes: Iterable[Hashable] | None
) -> tuple[Hashable, ...]:
    """Return the classes as given, or else as the constraints name them."""
    if classes is None:
        found = tuple(dict.fromkeys(name for pair in (*subset, *mutex) for name in pair))
    else:
        found = tuple(classes)
        repeated = [name for name, count in Counter(found).items() if count > 1]
        if repeated:
            raise ValueError(f"classes has {repeated[0]!r} twice; name every class once.")
    if not found:
        raise ValueError("The ontology has no class; give subset or mutex pairs, or classes.")
    return found


def once_in_either_order(pairs: list[Pair]) -> tuple[Pair, ...]:
    """Keep the first of pairs that say the same."""
    kept: dict[frozenset[Hashable], Pair] = {}
    for pair in pairs:
        kept.setdefault(frozenset(pair), pair)
    return tuple(kept.values())


def walk(nested: Any, parent: Hashable) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield every class of a nested description, with its parent or None."""
    if nested is None:
        return
    if isinstance(nested, dict):
        for name, below in nested.items():
            yield name, parent
            yield from walk(below, name)
    elif isinstance(nested, list | tuple | set | frozenset):
        for entry in nested:
            if isinstance(entry, dict | list):
                yield from walk(entry, parent)
            else:
                yield entry, parent
    else:
        yield nested, parent


def sibling_pairs(edges: list[Pair], classes: Iterable[Hashable]) -> Iterator[Pair]:
    """Yield all pairs of children of one parent, and of classes without parents."""
    inner = {child for child, _ in edges}
    groups: dict[Hashable, dict[Hashable, None]] = {}
    for child, parent in edges:
        groups.setdefault(parent, {})[child] = None
    yield from combinations([name for name in classes if name not in inner], 2)
    for group in groups.values():
        yield from combinations(group, 2)


# Refusing what no object could satisfy, with the path that shows it -------------------------------


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


# Walks along a relation between classes -----------------------------------------------------------


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
