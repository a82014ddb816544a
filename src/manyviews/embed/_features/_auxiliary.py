"""Auxiliary problems: what can be asked of the other views without any label [@ando2007]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy import sparse

from manyviews.data import Views, per_view, spread_rows
from manyviews.exceptions import UnobservedViewsError
from manyviews.typing import AnyArray, FloatArray, IntArray, Matrix, is_sparse

AuxiliaryFunction: TypeAlias = Literal["argmax", "nonzero"] | Callable[[Matrix], Any]
"""What is asked of a view, by a name or as a function of its observed rows."""


@dataclass(frozen=True)
class Auxiliary:
    """What one view says of every object, as zeros and ones."""

    values: sparse.csr_array
    """Shape (n_objects, m); an empty row where the view is unobserved or says nothing."""
    exclusive: bool
    """Whether the columns are the values of one function, so that at most one of them is 1."""


@dataclass(frozen=True)
class Block:
    """The problems that one view poses."""

    source: str
    columns: slice
    exclusive: bool


@dataclass(frozen=True)
class Problems:
    """What the objects that show a view are asked about their other views."""

    rows: IntArray
    """The objects that show the view and, in another one, something to be asked about."""
    targets: sparse.csr_array
    """Shape (len(rows), n_problems), zeros and ones; every problem is true of some object."""
    blocks: tuple[Block, ...]
    """Which problems come from which view, in the order of the columns."""


def auxiliary_values(auxiliary: Any, views: Views) -> dict[str, Auxiliary]:
    """Apply the auxiliary function of each view to the objects that it shows.

    Parameters
    ----------
    auxiliary : {"argmax", "nonzero"}, callable, list or dict
        One for all views, or one per view. A callable gets the observed rows of a view and gives
        integers (n,), -1 for no value, or zeros and ones (n, m), dense or sparse.
    views : Views
        The objects.

    Examples
    --------
    >>> views = Views({"a": [[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]]})
    >>> auxiliary_values("argmax", views)["a"].values.toarray()
    array([[0., 1.],
           [1., 0.],
           [0., 0.]])
    """
    functions = per_view(auxiliary, views.names, parameter="auxiliary")
    return {name: _of_view(functions[name], name, views) for name in views.names}


def problems_of(
    name: str, values: Mapping[str, Auxiliary], views: Views, *, most: int | None = None
) -> Problems:
    """Pose to a view the problems of all other views, side by side; to an only view its own.

    Of each view the ``most`` that are most often true are kept, all without such a number.

    Where another view is unobserved, its problems are false: a view that is missing at random
    shrinks their solutions and leaves their span.
    """
    others = [other for other in views.names if other != name] or [name]
    seen = views.observed_in(name)
    asked = np.zeros(len(views), dtype=bool)
    for other in others:
        asked |= np.diff(values[other].values.indptr) > 0
    rows = np.flatnonzero(seen & asked)
    if not len(rows):
        raise UnobservedViewsError(
            f"no object shows view {name!r} and something in another view, so nothing can be "
            "learnt about it; leave it out."
        )
    parts, blocks, start = [], [], 0
    for other in others:
        part = values[other].values[rows]
        part = part[:, _frequent(np.bincount(part.indices, minlength=part.shape[1]), most)]
        parts.append(part)
        columns = slice(start, start := start + int(part.shape[1]))
        blocks.append(Block(other, columns, values[other].exclusive))
    targets = sparse.csr_array(sparse.hstack(parts, format="csr"))
    return Problems(rows, targets, tuple(blocks))


def _frequent(counts: IntArray, most: int | None) -> IntArray:
    """Problems that are true of anybody, the ``most`` frequent of them, in their order."""
    falling = np.argsort(-counts, kind="stable")
    return np.sort(falling[: np.count_nonzero(counts)][:most])


def largest_entry(rows: Matrix) -> IntArray:
    """Which entry of each row is largest, the first of equal ones; -1 for a row of zeros.

    Sparse rows are read as they are stored.

    Examples
    --------
    >>> largest_entry(np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
    array([ 1, -1,  0])
    """
    if is_sparse(rows):
        return _largest_stored(rows)
    return np.where(rows.any(axis=1), rows.argmax(axis=1), -1)


def _largest_stored(rows: sparse.csr_array) -> IntArray:
    """The same from the stored entries; where all are negative, a zero between them is larger."""
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    width, counts = rows.shape[1], np.diff(rows.indptr)
    filled = np.flatnonzero(counts)
    found = np.full(rows.shape[0], -1, dtype=np.intp)
    if not len(filled):
        return found
    starts, sizes = rows.indptr[filled], counts[filled]
    largest = np.maximum.reduceat(rows.data, starts)
    is_largest = rows.data == np.repeat(largest, sizes)
    found[filled] = np.minimum.reduceat(np.where(is_largest, rows.indices, width), starts)
    below = (largest < 0) & (sizes < width)
    if below.any():
        place = np.arange(len(rows.indices)) - np.repeat(starts, sizes)
        skipped = np.where(rows.indices != place, place, np.repeat(sizes, sizes))
        found[filled[below]] = np.minimum.reduceat(skipped, starts)[below]
    return found


def _of_view(function: Any, name: str, views: Views) -> Auxiliary:
    seen = np.flatnonzero(views.observed_in(name))
    if not len(seen):
        return Auxiliary(sparse.csr_array((len(views), 1)), exclusive=True)
    matrix = views[name]
    rows = matrix if len(seen) == len(views) else matrix[seen]
    found = _evaluate(function, rows)
    if found.ndim == 1:
        values, exclusive = _one_hot(_checked_codes(found, rows.shape[0], name)), True
    else:
        values, exclusive = _checked_binary(found, rows.shape[0], name), False
    spread = values if len(seen) == len(views) else spread_rows(values, seen, len(views))
    return Auxiliary(sparse.csr_array(spread), exclusive)


def _evaluate(function: AuxiliaryFunction, rows: Matrix) -> Any:
    if callable(function):
        found = function(rows)
        return found if is_sparse(found) else np.asarray(found)
    if function == "argmax":
        return largest_entry(rows)
    return sparse.csr_array(rows) != 0


def _checked_codes(codes: AnyArray, n_rows: int, name: str) -> IntArray:
    if codes.dtype.kind not in "iub" or codes.shape != (n_rows,) or codes.min() < -1:
        raise ValueError(
            f"the auxiliary function of view {name!r} gave an array of shape {codes.shape} and "
            f"type {codes.dtype} for {n_rows} rows; let it give one integer per row, 0 or more, "
            "or -1 for no value."
        )
    return codes.astype(np.intp)


def _checked_binary(values: Any, n_rows: int, name: str) -> sparse.csr_array:
    if values.ndim != 2 or values.shape[0] != n_rows or values.shape[1] == 0:
        raise ValueError(
            f"the auxiliary functions of view {name!r} gave the shape {values.shape} for {n_rows} "
            "rows; let them give one row for each, with a column for every function."
        )
    binary = sparse.csr_array(values)
    binary.eliminate_zeros()
    if binary.dtype.kind not in "biuf" or not np.all(binary.data == 1):
        raise ValueError(
            f"the auxiliary functions of view {name!r} gave something other than 0 and 1; let "
            "them say of every row whether it is so."
        )
    return binary.astype(np.float64)


def _one_hot(codes: IntArray) -> sparse.csr_array:
    """One column per value that occurs, in rising order; an empty row for -1."""
    said = np.flatnonzero(codes >= 0)
    values, columns = np.unique(codes[said], return_inverse=True)
    ones: FloatArray = np.ones(len(said))
    shape = (len(codes), max(len(values), 1))
    return sparse.csr_array((ones, (said, columns)), shape=shape)
