"""Classifiers on subsets of the views, and one decision from what they say [@okun2005].

What members say of objects are *codes*, the positions of classes, objects × members, with -1
where a member is silent; or *shares* of the classes, members × objects × classes, NaN where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import get_tags

from manyviews.base import reads_views, refusing_overflow
from manyviews.data import Views
from manyviews.exceptions import UnknownViewError
from manyviews.maths import dense_within_memory, log_softmax
from manyviews.typing import FloatArray, Having, IntArray, Interval, Matrix, is_sparse

__all__ = [
    "Combine",
    "Folds",
    "Inside",
    "Member",
    "Memory",
    "Panel",
    "ParamGrid",
    "Rule",
    "Select",
    "Subset",
    "Subsets",
    "Training",
    "Validation",
    "all_subsets",
    "folds",
    "moderated",
    "modified",
    "n_observations",
    "nearest_counts",
    "normalised",
    "product",
    "read_subsets",
    "reads_views",
    "spoken",
    "stored_alike",
    "train_member",
    "vote_counts",
]

Inside: TypeAlias = Annotated[float, Interval(0, 1, above=True, below=True)]
"""A part of the whole, neither nothing nor all."""
Select: TypeAlias = Literal["random", "cv", "validation"]
Combine: TypeAlias = Literal["crv", "vote", "modified_product", "moderation"]
Subsets: TypeAlias = Literal["auto", "all"] | Sequence[str | Sequence[str]]
Objects: TypeAlias = Annotated[Any, Having("objects", "__len__")]
Labels: TypeAlias = Annotated[Any, Having("their labels", "__len__")]
Validation: TypeAlias = Inside | tuple[Objects, Labels] | Literal["left_out"]
Splitter: TypeAlias = Annotated[Any, Having("a splitter", "split")]
Split: TypeAlias = tuple[
    Annotated[Any, Having("rows to train on", "__len__")],
    Annotated[Any, Having("rows left out", "__len__")],
]
Folds: TypeAlias = Annotated[int, Interval(2)] | Splitter | Sequence[Split]
Grid: TypeAlias = Mapping[str, Sequence[Any]]
ParamGrid: TypeAlias = Grid | Sequence[Grid] | None


Subset: TypeAlias = tuple[str, ...]
"""Names of views, in the order of the views."""

MOST_VIEWS = 10
"""Beyond this, all subsets are too many to train: they double with every view."""


def all_subsets(names: Sequence[str]) -> list[Subset]:
    """Every subset but the empty one, small ones first.

    Examples
    --------
    >>> all_subsets(["a", "b"])
    [('a',), ('b',), ('a', 'b')]
    >>> len(all_subsets("CSHVPZ"))
    63
    """
    sizes = range(1, len(names) + 1)
    return [subset for size in sizes for subset in combinations(names, size)]


def few_subsets(names: Sequence[str]) -> list[Subset]:
    """Each view alone, all but each, and all.

    Examples
    --------
    >>> few_subsets("abc")
    [('a',), ('b',), ('c',), ('b', 'c'), ('a', 'c'), ('a', 'b'), ('a', 'b', 'c')]
    """
    whole = tuple(names)
    without = [whole[:place] + whole[place + 1 :] for place in range(len(whole))]
    return [*((name,) for name in whole), *without, whole]


def read_subsets(given: Any, names: Sequence[str]) -> list[Subset]:
    """Read subsets as a user gave them: "auto", "all", or a list of view names and lists of such.

    Examples
    --------
    >>> read_subsets(["text", ["links", "text"]], ["text", "links"])
    [('text',), ('text', 'links')]
    """
    if isinstance(given, str):
        many = given == "auto" and len(names) > MOST_VIEWS
        return few_subsets(names) if many else _all_of(names)
    subsets = [_read_one(subset, names) for subset in given]
    if not subsets:
        raise ValueError("subsets is empty; name at least one subset of the views, or say 'all'.")
    for place, subset in enumerate(subsets):
        if subset in subsets[:place]:
            raise ValueError(f"subsets names {spoken(subset)} twice; leave one out.")
    return subsets


def spoken(subset: Iterable[str]) -> str:
    """How a subset is called in messages.

    Examples
    --------
    >>> spoken(("text", "links"))
    "'text' + 'links'"
    """
    return " + ".join(repr(name) for name in subset)


def _all_of(names: Sequence[str]) -> list[Subset]:
    if len(names) > MOST_VIEWS:
        raise ValueError(
            f"{len(names)} views have {2 ** len(names) - 1} subsets, which are too many to train; "
            "give a list of subsets."
        )
    return all_subsets(names)


def _read_one(subset: Any, names: Sequence[str]) -> Subset:
    wanted = [subset] if isinstance(subset, str) else list(subset)
    if not wanted:
        raise ValueError("subsets holds an empty one; name at least one view in each.")
    for name in wanted:
        if name not in names:
            known = ", ".join(repr(view) for view in names)
            raise UnknownViewError(
                f"subsets names the view {name!r}, which is not among the views {known}; "
                "rename or remove it."
            )
    return tuple(name for name in names if name in wanted)


SILENT = -1
"""Code of no class, where a classifier says nothing of an object."""
_NEVER = -2
"""Equal to nothing that is remembered, so that silence agrees with nobody."""
_BLOCK = 1_000_000
"""Pairs of label vectors that are compared at a time."""


def vote_counts(codes: IntArray, n_classes: int) -> FloatArray:
    """How many members vote for each class.

    Parameters
    ----------
    codes : array of int of shape (n_objects, n_members)
        The class that each member takes an object for, by its position; -1 where it is silent.
    n_classes : int
        How many classes there are.

    Returns
    -------
    array of shape (n_objects, n_classes)

    Examples
    --------
    >>> vote_counts(np.array([[0, 1, 1], [2, -1, -1]]), 3)
    array([[1., 2., 0.],
           [0., 0., 1.]])
    """
    counts = np.zeros((len(codes), n_classes + 1))  # the last column takes silence
    rows = np.arange(len(codes))
    for votes in codes.T:
        counts[rows, votes] += 1.0
    return counts[:, :-1]


def nearest_counts(
    remembered: IntArray, labels: IntArray, codes: IntArray | None, n_classes: int
) -> FloatArray:
    """Classes of the training objects whose label vectors are nearest by Hamming distance (CRV).

    [@lepisto2003]

    Parameters
    ----------
    remembered : array of int of shape (n_training, n_members)
        What the members say of each training object when they have not seen it.
    labels : array of int of shape (n_training,)
        The true classes of these.
    codes : array of int of shape (n_objects, n_members) or None
        What they say of the objects in question; None: the training objects themselves, none of
        which is a neighbour of itself.
    n_classes : int
        How many classes there are.

    Returns
    -------
    array of shape (n_objects, n_classes)
        How many of the nearest training objects are of each class.

    Examples
    --------
    >>> remembered = np.array([[0, 0, 1], [1, 1, 1], [1, 0, 1]])
    >>> labels = np.array([0, 1, 1])
    >>> nearest_counts(remembered, labels, np.array([[0, 0, 0], [1, 1, -1]]), 2)
    array([[1., 0.],
           [0., 1.]])
    """
    patterns, place = distinct_rows(remembered)
    counts = np.zeros((len(patterns), n_classes))
    np.add.at(counts, (place, labels), 1.0)
    if codes is None:
        return _of_the_others(patterns, counts, place, labels)
    asked, which = distinct_rows(codes)
    return _of_nearest(asked, patterns, counts)[which]


def distinct_rows(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Each row once, and where every row went.

    Examples
    --------
    >>> rows, place = distinct_rows(np.array([[1, 0], [0, 0], [1, 0]]))
    >>> rows[place]
    array([[1, 0],
           [0, 0],
           [1, 0]])
    """
    place = np.zeros(len(codes), dtype=np.intp)
    base = int(codes.max(initial=0)) + 2
    for column in codes.T:  # a number for each row, renumbered before it can overflow
        place = np.unique(place * base + (column + 1), return_inverse=True)[1]
    _, first = np.unique(place, return_index=True)
    return codes[first], place


def modified(shares: FloatArray, threshold: float) -> FloatArray:
    """Raise shares below a threshold to it and leave the others, against vetoes [@alkoot2002].

    Examples
    --------
    >>> modified(np.array([[[0.0, 1.0]]]), 0.1)
    array([[[0.1, 1. ]]])
    """
    return np.maximum(shares, threshold)  # section 3; NaN, which is silence, stays


def moderated(shares: FloatArray, n_observations: FloatArray) -> FloatArray:
    """Shares κ/k with a uniform prior over m classes: (κ + 1) / (k + m) [@alkoot2002moderating].

    Examples
    --------
    >>> moderated(np.array([[[0.0, 1.0]], [[0.5, 0.5]]]), np.array([1, 8])).round(2)
    array([[[0.33, 0.67]],
           [[0.5 , 0.5 ]]])
    """
    k = np.asarray(n_observations, dtype=np.float64)[:, None, None]
    return np.asarray((k * shares + 1.0) / (k + shares.shape[2]))  # (κ + 1) / (k + m), section 3


def product(shares: FloatArray) -> FloatArray:
    """Product over the members that speak, made to sum to one; zeros where none does.

    Examples
    --------
    >>> product(np.array([[[0.2, 0.8]], [[0.5, 0.5]], [[np.nan, np.nan]]]))
    array([[0.2, 0.8]])
    """
    speaks = np.isfinite(shares[:, :, 0])
    logs = np.log(np.where(speaks[:, :, None], shares, 1.0)).sum(axis=0)
    joint, _ = log_softmax(logs)
    return np.where(np.any(speaks, axis=0, keepdims=True).T, joint, 0.0)


def normalised(weights: FloatArray, prior: FloatArray) -> FloatArray:
    """Weights of the classes as shares, and the prior where there is no weight.

    Examples
    --------
    >>> normalised(np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([0.4, 0.6]))
    array([[0.75, 0.25],
           [0.4 , 0.6 ]])
    """
    total = weights.sum(axis=1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), prior)


def _agreements(asked: IntArray, patterns: IntArray) -> IntArray:
    """In how many members two label vectors agree; silence agrees with nobody."""
    most = max(int(patterns.max(initial=0)), int(asked.max(initial=0)))
    narrow = np.int8 if most <= np.iinfo(np.int8).max else np.int32  # bytes compare faster
    mine = np.where(asked < 0, _NEVER, asked).T.astype(narrow, order="C")
    theirs = patterns.T.astype(narrow, order="C")
    total = np.zeros((len(asked), len(patterns)), dtype=np.min_scalar_type(len(mine)))
    for one, other in zip(mine, theirs, strict=True):
        total += (one[:, None] == other).view(np.uint8)
    return total


def _of_nearest(asked: IntArray, patterns: IntArray, counts: FloatArray) -> FloatArray:
    found = np.empty((len(asked), counts.shape[1]))
    step = max(1, _BLOCK // max(len(patterns), 1))
    for start in range(0, len(asked), step):
        agreements = _agreements(asked[start : start + step], patterns)
        # The least Hamming distance between vectors of class predictions: CRV, section 4
        nearest = agreements == agreements.max(axis=1, keepdims=True)
        found[start : start + step] = nearest.astype(counts.dtype) @ counts
    return found


def _of_the_others(
    patterns: IntArray, counts: FloatArray, place: IntArray, labels: IntArray
) -> FloatArray:
    """The same for training objects, each without itself."""
    found = np.empty_like(counts)
    alone = counts.sum(axis=1) == 1.0
    step = max(1, _BLOCK // len(patterns))
    for start in range(0, len(patterns), step):
        rows = np.arange(start, min(start + step, len(patterns)))
        agreements = _agreements(patterns[rows], patterns).astype(np.int32)
        single = np.flatnonzero(alone[rows])
        agreements[single, rows[single]] = -1
        nearest = agreements == agreements.max(axis=1, keepdims=True)
        found[rows] = nearest.astype(counts.dtype) @ counts
    others = found[place]
    shared = np.flatnonzero(~alone[place])  # who shares a vector stands among its own neighbours
    others[shared, labels[shared]] -= 1.0
    return others


@dataclass(frozen=True)
class Training:
    """How the classifier of any subset is trained."""

    estimator: Any
    param_grid: ParamGrid
    cv: Any
    n_classes: int
    needs_all: bool
    """Whether a subset that nobody can learn from is an error: so if a user has named it."""


@dataclass(frozen=True)
class Member:
    """A trained classifier, and what it said of each training object without having seen it."""

    subset: Subset
    estimator: Any
    left_out: IntArray
    """Codes, and ``SILENT`` for objects that lack one of its views."""
    error: float
    """Share of wrong labels among those."""
    n_judged: int


def train_member(views: Views, codes: IntArray, subset: Subset, way: Training) -> Member | None:
    """Train on the objects that show the subset; None if these are of fewer than two classes."""
    part = views.subset(subset)
    seen = np.flatnonzero(part.observed.all(axis=1))
    known = codes[seen]
    if len(np.unique(known)) < 2:
        return None
    rows = rows_for(way.estimator, part[seen])
    try:
        with refusing_overflow(way.estimator, rows):
            estimator, labels = best_by_left_out(way, rows, known)
    except ValueError as error:
        error.add_note(f"This is the classifier of {spoken(subset)}, with {len(seen)} objects.")
        raise
    left_out = np.full(len(codes), SILENT, dtype=np.int32)
    left_out[seen] = labels
    return Member(subset, estimator, left_out, float(np.mean(labels != known)), len(seen))


def best_by_left_out(way: Training, rows: Any, codes: IntArray) -> tuple[Any, IntArray]:
    """Of all parameters in the grid, those with the fewest wrong left-out labels."""
    from sklearn.model_selection import ParameterGrid

    tried: list[tuple[int, int, Any, IntArray]] = []
    for params in ParameterGrid(grids(way.param_grid)):
        estimator = clone(way.estimator).set_params(**params)
        labels = left_out_labels(estimator, rows, codes, way.cv)
        tried.append((int((labels != codes).sum()), len(tried), estimator, labels))
    _, _, estimator, labels = min(tried, key=lambda attempt: attempt[:2])
    if not hasattr(estimator, "leave_one_out_predictions"):
        estimator.fit(rows, codes)
    return estimator, labels


def grids(given: ParamGrid) -> list[Mapping[str, Sequence[Any]]]:
    """Grids of parameters to try, one after the other; an empty one for parameters as they are.

    Examples
    --------
    >>> grids(None), grids({"C": [0.1, 1.0]})
    ([{}], [{'C': [0.1, 1.0]}])
    """
    found = [given] if isinstance(given, Mapping) else [{}] if given is None else list(given)
    empty = [name for grid in found for name, values in grid.items() if not len(values)]
    if empty or not found:
        of = f" of {empty[0]!r}" if empty else ""
        raise ValueError(f"param_grid={given!r} has no value{of} to try; give one or more.")
    return found


def left_out_labels(estimator: Any, rows: Any, codes: IntArray, cv: Any) -> IntArray:
    """Label each object as if it had not been there, in the quickest exact way there is.

    Estimators with ``leave_one_out_predictions`` know how; nearest neighbours leave out the object
    itself; all others are trained again on the objects of the other folds.
    """
    from sklearn.neighbors import KNeighborsClassifier

    if hasattr(estimator, "leave_one_out_predictions"):
        return np.asarray(estimator.leave_one_out_predictions(rows, codes), dtype=np.int32)
    if isinstance(estimator, KNeighborsClassifier):
        if estimator.n_neighbors >= len(codes):
            raise ValueError(
                f"n_neighbors={estimator.n_neighbors} are more than the {len(codes) - 1} objects "
                "that stay when one is left out; give fewer, or label more objects."
            )
        return np.asarray(clone(estimator).fit(rows, codes).predict(None), dtype=np.int32)
    labels = np.full(len(codes), SILENT, dtype=np.int32)
    for train, test in folds(cv, rows, codes):
        if len(np.unique(codes[train])) == 1:
            labels[test] = codes[train][0]
        else:
            labels[test] = clone(estimator).fit(rows[train], codes[train]).predict(rows[test])
    if (labels == SILENT).any():
        raise ValueError(
            f"cv={cv!r} leaves object {int((labels == SILENT).argmax())} out of every fold; give "
            "one in which each object is tested."
        )
    return labels


def folds(cv: Any, rows: Any, codes: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Train and test rows; a number deals out the objects class by class, in their order.

    Examples
    --------
    >>> [test.tolist() for _, test in folds(2, None, np.array([0, 0, 1, 1, 1]))]
    [[0, 2, 4], [1, 3]]
    """
    if not isinstance(cv, int | np.integer):
        from sklearn.model_selection import check_cv

        for train, test in check_cv(cv).split(rows, codes):
            yield known_rows(train, len(codes)), known_rows(test, len(codes))
        return
    fold = np.empty(len(codes), dtype=np.intp)
    fold[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % cv
    for number in range(min(int(cv), len(codes))):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def known_rows(given: Any, n_objects: int) -> IntArray:
    """Positions of objects, from positions or a mask as a way to split gives them."""
    found = np.asarray(given)
    if found.dtype == bool and found.shape == (n_objects,):
        return np.flatnonzero(found)
    whole = found.ndim == 1 and found.dtype.kind in "iu"
    if not whole or ((found < 0) | (found >= n_objects)).any():
        raise ValueError(
            f"cv splits into rows that are not those of {n_objects} objects; give positions from "
            f"0 to {n_objects - 1}."
        )
    return found


def rows_for(estimator: Any, views: Views) -> Any:
    """Objects as an estimator takes them: views if it knows views, else columns side by side.

    Sparse views become dense for estimators whose tags say that they take no sparse ones.
    """
    if not get_tags(estimator).input_tags.sparse and any(is_sparse(m) for _, m in views.items()):
        dense = {name: _dense(m, name) for name, m in views.items()}
        views = Views(dense, observed=views.observed)
    return views if reads_views(estimator) else views.concatenate()


def stored_alike(views: Views, sparse_names: Sequence[str]) -> Views:
    """Views stored as in fit, sparse or dense: some estimators mind when asked."""
    other = {
        name: _dense(matrix, name) if is_sparse(matrix) else csr_array(np.nan_to_num(matrix))
        for name, matrix in views.items()
        if is_sparse(matrix) != (name in sparse_names)
    }
    if not other:
        return views
    return Views({**dict(views.items()), **other}, observed=views.observed)


def _dense(matrix: Matrix, name: str) -> FloatArray:
    return dense_within_memory(
        matrix,
        f"view {name!r} made dense, {matrix.shape[0]:,} objects with {matrix.shape[1]:,} features,",
        remedy="use an estimator that takes sparse views, or reduce the view by TruncatedSVD",
    )


def speaks(subset: Subset, views: Views) -> IntArray:
    """Objects of which a member can say something: those that show all its views."""
    return np.flatnonzero(views.subset(subset).observed.all(axis=1))


def codes_of(estimator: Any, subset: Subset, views: Views, rows: IntArray) -> IntArray:
    """The class that a member takes some objects for."""
    asked = rows_for(estimator, views.subset(subset)[rows])
    with refusing_overflow(estimator, asked):
        return np.asarray(estimator.predict(asked), dtype=np.int32)


def shares_of(
    estimator: Any, subset: Subset, views: Views, rows: IntArray, n_classes: int
) -> FloatArray:
    """Shares of all classes for some objects; one and zeros if it only names a class."""
    shares = np.zeros((len(rows), n_classes))
    if not hasattr(estimator, "predict_proba"):
        codes = codes_of(estimator, subset, views, rows)
        shares[np.arange(len(rows)), codes] = 1.0
        return shares
    asked = rows_for(estimator, views.subset(subset)[rows])
    with refusing_overflow(estimator, asked):
        shares[:, np.asarray(estimator.classes_, dtype=np.intp)] = estimator.predict_proba(asked)
    return shares


def n_observations(estimator: Any) -> float:
    """How many neighbours stand behind a member's shares; one where it is not known."""
    if hasattr(estimator, "best_estimator_"):
        return n_observations(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return n_observations(estimator.steps[-1][1])
    return float(estimator.n_neighbors) if hasattr(estimator, "kneighbors") else 1.0


@dataclass(frozen=True)
class Said:
    """What several say of some objects: classes by code, or shares of the classes."""

    codes: IntArray | None
    shares: FloatArray | None
    n_observations: FloatArray

    def of(self, columns: IntArray) -> Said:
        """What some of them say."""
        return Said(
            None if self.codes is None else self.codes[:, columns],
            None if self.shares is None else self.shares[columns],
            self.n_observations[columns],
        )


@dataclass(frozen=True)
class Memory:
    """What they said of the training objects without having seen them, and the true classes."""

    codes: IntArray
    labels: IntArray
    prior: FloatArray

    @classmethod
    def of_members(cls, members: Sequence[Member], labels: IntArray, n_classes: int) -> Memory:
        """Lay the members' left-out labels side by side."""
        codes = np.column_stack([member.left_out for member in members])
        return cls(codes, labels, np.bincount(labels, minlength=n_classes) / len(labels))

    def of(self, columns: IntArray) -> Memory:
        """What some of them said."""
        return Memory(self.codes[:, columns], self.labels, self.prior)


@dataclass(frozen=True)
class Rule:
    """A way of combining, with what it needs to know."""

    name: Combine
    threshold: float

    @property
    def weighs_shares(self) -> bool:
        """Whether it wants shares of the classes, not just a class from each."""
        return self.name in ("modified_product", "moderation")

    def __call__(self, said: Said, memory: Memory) -> FloatArray:
        """Shares of the classes for each object; the prior where nobody speaks."""
        n_classes = len(memory.prior)
        if said.shares is not None:
            shares = said.shares
            if self.name == "modified_product":
                weights = product(modified(shares, self.threshold))
            else:
                weights = product(moderated(shares, said.n_observations))
        elif self.name == "crv":
            weights = nearest_counts(memory.codes, memory.labels, said.codes, n_classes)
        else:
            assert said.codes is not None
            weights = vote_counts(said.codes, n_classes)
        return normalised(weights, memory.prior)

    def left_out(self, memory: Memory) -> FloatArray:
        """Shares of the classes for each training object, judged by the others."""
        n_classes = len(memory.prior)
        if self.name == "crv":
            weights = nearest_counts(memory.codes, memory.labels, None, n_classes)
        else:
            weights = vote_counts(memory.codes, n_classes)
        return normalised(weights, memory.prior)


@dataclass(frozen=True)
class Panel:
    """Trained classifiers; those after the first ``n_members`` speak where no member does."""

    subsets: Sequence[Subset]
    estimators: Sequence[Any]
    n_members: int

    def ask(self, views: Views, n_classes: int, *, shares: bool, first: int | None = None) -> Said:
        """Ask all who can say something of each object.

        Who stands in is asked where the ``first`` members are silent, all members if not given.
        """
        who = self._who_speaks(views, self.n_members if first is None else first)
        weights = np.array([n_observations(estimator) for estimator in self.estimators])
        asked = zip(self.estimators, self.subsets, who, strict=True)
        if shares:
            found = np.full((len(self.subsets), len(views), n_classes), np.nan)
            for place, (estimator, subset, rows) in enumerate(asked):
                if len(rows):
                    found[place, rows] = shares_of(estimator, subset, views, rows, n_classes)
            return Said(None, found, weights)
        codes = np.full((len(views), len(self.subsets)), SILENT, dtype=np.int32)
        for place, (estimator, subset, rows) in enumerate(asked):
            if len(rows):
                codes[rows, place] = codes_of(estimator, subset, views, rows)
        return Said(codes, None, weights)

    def at_stage(self, first: int) -> IntArray:
        """Positions of the ``first`` members, then of all other single views, to stand in."""
        later = range(first, len(self.subsets))
        singles = [place for place in later if len(self.subsets[place]) == 1]
        return np.array([*range(first), *singles])

    def stage(self, said: Said, first: int) -> Said:
        """What is left of it if there were only the ``first`` members, and who stands in."""
        kept = said.of(self.at_stage(first))
        if kept.codes is not None:
            codes = kept.codes.copy()
            codes[(codes[:, :first] != SILENT).any(axis=1), first:] = SILENT
            return replace(kept, codes=codes)
        assert kept.shares is not None
        shares = kept.shares.copy()
        shares[first:, np.isfinite(shares[:first, :, 0]).any(axis=0)] = np.nan
        return replace(kept, shares=shares)

    def _who_speaks(self, views: Views, first: int) -> list[IntArray]:
        """For each classifier, the objects that it is asked about."""
        able = [speaks(subset, views) for subset in self.subsets]
        silent = np.ones(len(views), dtype=bool)
        for rows in able[:first]:
            silent[rows] = False
        return [
            rows if place < self.n_members else rows[silent[rows]]
            for place, rows in enumerate(able)
        ]
