"""Classes by the nearest hyperplane, of new objects and of each from all others [@okun2005]."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from manyviews.ensemble._hyperplane._distances import Grid, blocks, class_distances
from manyviews.ensemble._hyperplane._rows import Comparison, References
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix

Compare = Callable[[dict[str, Matrix], BoolArray, References], Iterator[Comparison]]
"""Which objects are compared in which views: side by side, or one view after the other."""


def summed_distances(
    rows: dict[str, Matrix],
    observed: BoolArray,
    references: References,
    grid: Grid,
    compare: Compare,
    itself: IntArray | None = None,
) -> Iterator[tuple[slice, FloatArray]]:
    """Squared distances to the hyperplanes of all classes, summed over the comparisons.

    Neighbours are searched once for all parameters and factorised once for all numbers of
    neighbours. A class that no object stands for in a comparison is as far there as the others
    are in the mean: the comparison speaks neither for nor against it.

    Parameters
    ----------
    rows, observed
        The objects asked about, view by view.
    references : References
        The labelled objects.
    grid : Grid
        The parameters.
    compare : callable
        ``joint_comparisons`` or ``view_comparisons``.
    itself : array of int of shape (n_objects,), optional
        The reference that each object is, -1 if it is none: it is left out for this object.

    Yields
    ------
    part : slice
        Which objects.
    squares : array of shape (n_n_neighbors, n_penalties, n_objects_of_part, n_classes)
    """
    n_classes = references.n_classes
    for part in blocks(len(observed), int(np.prod(grid.shape)) * n_classes):
        chosen = {name: matrix[part] for name, matrix in rows.items()}
        squares = np.zeros((*grid.shape, len(observed[part]), n_classes))
        for group in compare(chosen, observed[part], references):
            left_out = None if itself is None else _member(group, references, itself[part])
            found = class_distances(group.queries, group.members, grid, left_out)
            squares[:, :, group.places] += _told(np.stack(list(found), axis=-1))
        yield part, squares


def _member(group: Comparison, references: References, itself: IntArray) -> IntArray:
    """Which of the members each query is, -1 if none."""
    member_of = np.full(len(references.codes) + 1, -1)  # the last entry is what -1 finds
    member_of[group.member_places] = np.arange(len(group.member_places))
    return np.asarray(member_of[itself[group.places]])


def _told(squares: FloatArray) -> FloatArray:
    """Distances with those to classes that nobody stands for as the mean of the others."""
    known = np.isfinite(squares)
    if known.all():
        return squares
    total = np.where(known, squares, 0.0).sum(axis=-1, keepdims=True)
    return np.where(known, squares, total / np.maximum(known.sum(axis=-1, keepdims=True), 1))


def nearest_classes(squares: FloatArray, references: References) -> IntArray:
    """Class of the nearest hyperplane, along the last axis; among equals the most frequent."""
    counts = np.bincount(references.codes, minlength=references.n_classes)
    order = np.argsort(-counts, kind="stable")
    return np.asarray(order[squares[..., order].argmin(axis=-1)])


def left_out_classes(
    rows: dict[str, Matrix],
    observed: BoolArray,
    labels: IntArray,
    references: References,
    grid: Grid,
    compare: Compare,
) -> IntArray:
    """Class of each object by the references other than itself, for all pairs of parameters.

    ``labels`` are the codes of the objects, -1 for those that are no reference; references stand
    in the order in which the labelled objects do.
    """
    itself = np.where(labels >= 0, np.cumsum(labels >= 0) - 1, -1)
    codes = np.empty((*grid.shape, len(labels)), dtype=np.intp)
    for part, squares in summed_distances(rows, observed, references, grid, compare, itself):
        codes[:, :, part] = nearest_classes(squares, references)
    return codes


def errors(codes: IntArray, labels: IntArray) -> FloatArray:
    """Share of the labelled objects whose class is missed, for each pair of parameters."""
    labelled = labels >= 0
    return np.asarray((codes[:, :, labelled] != labels[labelled]).mean(axis=2))
