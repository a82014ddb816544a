"""Rows as directions: at unit length, with their cosines to centres and their sums by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse


@dataclass(frozen=True)
class Directions:
    """The views as unit rows, all zero where a view shows an object no direction."""

    units: tuple[Matrix, ...]
    shown: BoolArray
    """Which object has a direction in which view (objects × views)."""
    alone: tuple[IntArray, ...]
    """Objects that have a direction in this view and in no other, by view."""


def directions(matrices: Sequence[Matrix], observed: BoolArray) -> Directions:
    """Bring every observed row to unit length; what is unobserved or zero has no direction.

    Examples
    --------
    >>> found = directions([np.array([[3.0, 4.0], [0.0, 0.0]])], np.array([[True], [True]]))
    >>> found.units[0].tolist(), found.shown.ravel().tolist()
    ([[0.6000000000000001, 0.8], [0.0, 0.0]], [True, False])
    """
    units, shown = zip(
        *(_unit_rows(m, seen) for m, seen in zip(matrices, observed.T, strict=True)), strict=True
    )
    single = np.sum(shown, axis=0) == 1
    alone = tuple(np.flatnonzero(single & in_view) for in_view in shown)
    return Directions(units, np.column_stack(shown), alone)


def cosines(unit: Matrix, centres: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Cosine of every centre (row) with every object (column), into ``out`` if that is given.

    Examples
    --------
    >>> cosines(np.eye(2), np.array([[0.6, 0.8]]))
    array([[0.6, 0.8]])
    """
    if is_sparse(unit):
        return (unit @ np.ascontiguousarray(centres.T)).T
    if unit.dtype == np.float64:  # which order BLAS does faster depends on the precision
        return np.matmul(centres, unit.T, out=out)
    return np.matmul(unit, centres.T, out=None if out is None else out.T).T


def best_cluster(scores: FloatArray) -> IntArray:
    """Row of the largest score of each object (column), the first among equals.

    Examples
    --------
    >>> best_cluster(np.array([[0.1, 0.5], [0.2, 0.5]]))
    array([1, 0], dtype=int32)
    """
    return best_and_score(scores)[0]


def best_and_score(scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """Row of the largest score of each object (column), and that score.

    Examples
    --------
    >>> best_and_score(np.array([[0.1, 0.5], [0.2, 0.5]]))[1]
    array([0.2, 0.5])
    """
    from manyviews.maths._direction_kernels import best_rows, best_rows_by_column

    by_column = scores.flags.f_contiguous
    return (best_rows_by_column if by_column else best_rows)(scores)


def sum_directions(unit: Matrix, labels: IntArray, n_clusters: int) -> FloatArray:
    """Sum of the directions of each cluster; objects labelled -1 are left out.

    Examples
    --------
    >>> sum_directions(np.eye(3), np.array([1, -1, 1]), 2)
    array([[0., 0., 0.],
           [1., 0., 1.]])
    """
    if is_sparse(unit):
        from manyviews.maths._direction_kernels import add_sparse_rows

        sums = np.zeros((n_clusters, unit.shape[1]), dtype=unit.dtype)
        add_sparse_rows(unit.data, unit.indices, unit.indptr, labels, sums)
        return sums
    counted = np.asarray(labels >= 0, dtype=unit.dtype)
    starts = np.arange(len(labels) + 1, dtype=np.int32)
    members = sparse.csc_array(
        (counted, np.maximum(labels, 0), starts), shape=(n_clusters, len(labels))
    )
    return np.asarray(members @ unit)


def sum_members(unit: Matrix, members: BoolArray) -> FloatArray:
    """Sum of the directions of each group, of which an object may be in none or in several.

    Parameters
    ----------
    unit : array or CSR array of shape (n_objects, n_features)
        Directions, one row per object.
    members : array of bool of shape (n_objects, n_groups)
        Which object is in which group.

    Returns
    -------
    array of shape (n_groups, n_features)
        One sum per group.

    Examples
    --------
    >>> members = np.array([[True, True], [False, True]])
    >>> sum_members(np.eye(2), members)
    array([[1., 0.],
           [1., 1.]])
    """
    if not is_sparse(unit):
        return np.asarray(sparse.csr_array(members, dtype=unit.dtype).T @ unit)
    from manyviews.maths._direction_kernels import add_chosen_sparse_rows

    sums = np.zeros((members.shape[1], unit.shape[1]), dtype=unit.dtype)
    add_chosen_sparse_rows(unit.data, unit.indices, unit.indptr, *np.nonzero(members), sums)
    return sums


def unit_length(rows: FloatArray) -> FloatArray:
    """Rows at length one; rows of zeros as they are.

    Examples
    --------
    >>> unit_length(np.array([[0.0, 5.0], [0.0, 0.0]]))
    array([[0., 1.],
           [0., 0.]])
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows * _inverse(lengths)[:, None]


def dense_rows(rows: Matrix) -> FloatArray:
    """Some rows as a dense array.

    Examples
    --------
    >>> dense_rows(sparse.csr_array(np.eye(2))[[1]])
    array([[0., 1.]])
    """
    return np.asarray(rows.toarray()) if is_sparse(rows) else rows


def _unit_rows(matrix: Matrix, seen: BoolArray) -> tuple[Matrix, BoolArray]:
    if not is_sparse(matrix):
        rows = matrix if seen.all() else np.where(seen[:, None], matrix, matrix.dtype.type(0))
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return rows * _inverse(lengths)[:, None], lengths > 0
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    data = matrix.data * np.repeat(_inverse(lengths), np.diff(matrix.indptr))
    parts = (data, matrix.indices, matrix.indptr)
    return sparse.csr_array(parts, shape=matrix.shape), seen & (lengths > 0)


def _inverse(lengths: FloatArray) -> FloatArray:
    """One over each length; zero where that is zero."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
