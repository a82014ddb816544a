"""The class that each object gets from all others, for many parameters in one pass [@okun2005]."""

from __future__ import annotations

import numpy as np

from manyviews.ensemble._hyperplane._distances import Grid, Members, class_distances
from manyviews.ensemble._hyperplane._rows import References, comparisons
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix


def nearest_classes(
    queries: Matrix, members: Members, grid: Grid, itself: IntArray | None = None
) -> IntArray:
    """Class of the nearest hyperplane, the first among equals.

    Neighbours are searched once for all parameters and factorised once for all numbers of
    neighbours; of the distances only the smallest so far are kept.

    Returns
    -------
    array of int of shape (n_n_neighbors, n_penalties, n_queries)

    Examples
    --------
    >>> members = Members(np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1]), 2)
    >>> nearest_classes(members.rows, members, Grid((1,), (1.0,)), np.arange(4))
    array([[[0, 0, 1, 1]]])
    """
    shape = (*grid.shape, queries.shape[0])
    codes = np.zeros(shape, dtype=np.intp)
    smallest = np.full(shape, np.inf)
    for code, squares in enumerate(class_distances(queries, members, grid, itself)):
        nearer = squares < smallest
        codes[nearer] = code
        smallest[nearer] = squares[nearer]
    return codes


def left_out_classes(
    rows: dict[str, Matrix],
    observed: BoolArray,
    labels: IntArray,
    references: References,
    grid: Grid,
) -> IntArray:
    """Class of each object by the references other than itself.

    ``labels`` are the codes of the objects, -1 for those that are no reference; references stand
    in the order in which the labelled objects do.
    """
    reference_of = np.where(labels >= 0, np.cumsum(labels >= 0) - 1, -1)
    codes = np.empty((*grid.shape, len(labels)), dtype=np.intp)
    for group in comparisons(rows, observed, references):
        member_of = np.full(len(references.codes) + 1, -1)  # the last entry is what -1 finds
        member_of[group.member_places] = np.arange(len(group.member_places))
        itself = member_of[reference_of[group.places]]
        codes[:, :, group.places] = nearest_classes(group.queries, group.members, grid, itself)
    return codes


def errors(codes: IntArray, labels: IntArray) -> FloatArray:
    """Share of the labelled objects whose class is missed, for each pair of parameters."""
    labelled = labels >= 0
    return np.asarray((codes[:, :, labelled] != labels[labelled]).mean(axis=2))
