"""Classes that contain or exclude each other, and who breaks such constraints [@dalvi2015]."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from manyviews.exceptions import ParameterError
from manyviews.maths._ontology._checks import (
    refuse_contradictions,
    refuse_cycles,
    refuse_unknown_names,
)
from manyviews.maths._ontology._reading import (
    Pair,
    once_in_either_order,
    read_classes,
    read_pairs,
    sibling_pairs,
    walk,
)
from manyviews.maths._ontology._relation import (
    Relation,
    neighbours,
    reachable,
)
from manyviews.typing import BoolArray, IntArray

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
