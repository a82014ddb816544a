"""Pairs of objects that are of one class or of two, as many of each, from labels and links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.typing import AnyArray, IntArray


@dataclass(frozen=True)
class Links:
    """Pairs of objects that a user says to be of one class, or of two."""

    must: IntArray
    """Pairs of one class, a row each."""
    cannot: IntArray
    """Pairs of two classes, a row each."""

    def __bool__(self) -> bool:
        return len(self.must) + len(self.cannot) > 0

    @property
    def objects(self) -> IntArray:
        """Numbers of the objects that are linked."""
        return np.unique(np.concatenate([self.must.ravel(), self.cannot.ravel()]))

    def renumbered(self, numbers: IntArray) -> Links:
        """Return the links with other numbers for the objects: ``numbers[old]``."""
        return Links(numbers[self.must], numbers[self.cannot])


NO_LINKS = Links(np.empty((0, 2), dtype=np.intp), np.empty((0, 2), dtype=np.intp))


@dataclass(frozen=True)
class Pairs:
    """Pairs of objects: same, different, same, different and so on."""

    left: IntArray
    right: IntArray
    signs: IntArray
    """1 for two objects of one class, -1 for objects of two, Eq. (5.1)."""

    def __len__(self) -> int:
        return len(self.signs)


def read_links(must_link: Any, cannot_link: Any, n_objects: int) -> Links:
    """Read the pairs that a user gave and refuse those that cannot be."""
    must = _read("must_link", must_link, n_objects)
    cannot = _read("cannot_link", cannot_link, n_objects)
    both = np.isin(_keys(must, n_objects), _keys(cannot, n_objects))
    if both.any():
        left, right = must[np.argmax(both)]
        raise ValueError(
            f"objects {left} and {right} stand in must_link and in cannot_link; "
            "leave them in one of the two."
        )
    return Links(must, cannot)


def refuse_contradictions(links: Links, codes: IntArray) -> None:
    """Refuse links that contradict the labels (codes; -1: none)."""
    for name, pairs, wrong in (
        ("must_link", links.must, np.not_equal),
        ("cannot_link", links.cannot, np.equal),
    ):
        left, right = codes[pairs].T
        against = wrong(left, right) & (left >= 0) & (right >= 0)
        if against.any():
            one, other = pairs[np.argmax(against)]
            raise ValueError(
                f"{name} contradicts the labels of objects {one} and {other}; "
                "take out the pair, or the label of one of them."
            )


def draw_pairs(codes: IntArray, links: Links, n_pairs: int, rng: np.random.Generator) -> Pairs:
    """Draw pairs without repetition, as many of one class as of two.

    Links are taken before pairs of labelled objects; objects may be paired with themselves, as in
    Eq. (5.2). How long it takes depends on neither the number of objects (but for sorting them
    once) nor that of classes.

    Parameters
    ----------
    codes : array of shape (n_objects,)
        Class of each object, -1 if it has none.
    links : Links
        Pairs known beyond the labels.
    n_pairs : int
        Most pairs.
    rng : Generator
        Source of chance.

    Examples
    --------
    >>> pairs = draw_pairs(np.array([0, 0, 1]), NO_LINKS, 4, np.random.default_rng(0))
    >>> pairs.signs
    array([ 1, -1,  1, -1])
    """
    classes = _Classes.of(codes)
    found = min(
        n_pairs // 2, len(links.must) + classes.n_same, len(links.cannot) + classes.n_different
    )
    same = _draw(links.must, classes.n_same, classes.same, found, rng)
    different = _draw(links.cannot, classes.n_different, classes.different, found, rng)
    mixed = np.stack([same, different], axis=1).reshape(-1, 2)
    return Pairs(mixed[:, 0], mixed[:, 1], np.tile([1, -1], found))


@dataclass(frozen=True)
class _Classes:
    """Labelled objects sorted by class; all their pairs have a number, which none has to list."""

    objects: IntArray
    first: IntArray
    """Where each sorted object's class begins: so many are in classes before."""

    @classmethod
    def of(cls, codes: IntArray) -> _Classes:
        objects = np.flatnonzero(codes >= 0)
        objects = objects[np.argsort(codes[objects], kind="stable")]
        return cls(objects, np.searchsorted(codes[objects], codes[objects]))

    @property
    def n_same(self) -> int:
        return int(np.sum(self._own()))

    @property
    def n_different(self) -> int:
        return int(np.sum(self.first))

    def same(self, numbers: IntArray) -> AnyArray:
        """Pairs of one class: each object with those of its class up to itself."""
        place, partner = _place(numbers, self._own())
        return self.objects[np.stack([place, self.first[place] + partner], axis=1)]

    def different(self, numbers: IntArray) -> AnyArray:
        """Pairs of two classes: each object with those of the classes before."""
        return self.objects[np.stack(_place(numbers, self.first), axis=1)]

    def _own(self) -> IntArray:
        return np.arange(1, len(self.objects) + 1) - self.first


def _place(numbers: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Which group each number falls into, groups having so many members, and its rank there."""
    ends = np.cumsum(counts)
    group = np.searchsorted(ends, numbers, side="right")
    return group, numbers - (ends[group] - counts[group])


def _draw(
    given: IntArray, n_others: int, other: Any, size: int, rng: np.random.Generator
) -> AnyArray:
    """Draw given pairs before others, in random order."""
    kept = given[rng.permutation(len(given))[:size]]
    missing = size - len(kept)
    if not missing:
        return kept
    drawn = other(rng.choice(n_others, missing, replace=False))
    return rng.permutation(np.concatenate([kept, drawn])) if len(kept) else drawn


def _read(name: str, given: Any, n_objects: int) -> IntArray:
    """Pairs of object numbers, the smaller first, each once."""
    pairs = np.asarray([] if given is None else given)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {pairs.shape} and type {pairs.dtype}; give an array of integers of "
            "shape (n_pairs, 2), the numbers of two objects in each row."
        )
    for fault, wrong in (
        (f"names an object beyond 0 to {n_objects - 1}", (pairs < 0) | (pairs >= n_objects)),
        ("links an object to itself", pairs[:, :1] == pairs[:, 1:]),
    ):
        rows = wrong.any(axis=1)
        if rows.any():
            row = int(np.argmax(rows))
            raise ValueError(f"row {row} of {name}, {pairs[row].tolist()}, {fault}; correct it.")
    return np.unique(np.sort(pairs.astype(np.intp), axis=1), axis=0)


def _keys(pairs: IntArray, n_objects: int) -> IntArray:
    return pairs[:, 0] * n_objects + pairs[:, 1]
