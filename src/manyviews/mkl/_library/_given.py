"""Whether a matrix that is given as a kernel is one: symmetric and positive semi-definite."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh

from manyviews.mkl._library._raw import Given
from manyviews.typing import FloatArray, IntArray

_ASYMMETRY = 1e-6
"""How far from symmetric a kernel may be, relative to its largest entry."""
_NEGATIVE = 1e-6
"""How far below zero an eigenvalue may be, relative to the root of the sum of squared entries."""
_TILE = 256
_IN_FIT = 500
"""Of more objects than this, so many at equal steps are looked at in every fit."""
_ONCE = 2000
"""The same for matrices that are given once."""


def check_symmetric(raw: Given, name: str, objects: IntArray | None = None) -> bool:
    """Refuse a kernel that is not finite and symmetric; return whether it is to the last digit.

    ``objects`` are the numbers by which the user knows the rows.
    """
    largest, worst, at = 0.0, 0.0, (0, 0)
    for rows in _tiles(raw.shape[0]):
        for columns in _tiles(rows.stop):
            one, other = raw.block(rows, columns), raw.block(columns, rows)
            gaps = np.abs(one - other.T)
            gap, top = float(gaps.max()), float(np.abs(one).max())
            if not np.isfinite(gap + top):
                raise ValueError(
                    f"the kernel matrix {name!r} has NaN or infinite entries; for objects that it "
                    "does not show, give it a view by itself in which they are unobserved."
                )
            largest = max(largest, top)
            if gap > worst:
                worst, place = gap, np.unravel_index(gaps.argmax(), gaps.shape)
                at = (rows.start + int(place[0]), columns.start + int(place[1]))
    if worst > _ASYMMETRY * largest:
        there, back = raw.block(*map(_only, at)), raw.block(*map(_only, at[::-1]))
        row, column = at if objects is None else (objects[at[0]], objects[at[1]])
        raise ValueError(
            f"the kernel matrix {name!r} is not symmetric: object {row} with {column} is "
            f"{there.item():g} and back {back.item():g}; use (K + K.T) / 2."
        )
    return worst == 0.0


def check_positive(raw: Given, name: str, *, once: bool = False) -> None:
    """Refuse a kernel that is not positive semi-definite.

    An eigenvalue may be below zero by up to a millionth of the Frobenius norm, which rounding to
    single precision makes of a zero. Of many objects only some at equal steps are looked at: 500
    in every fit, 2,000 where the matrix is given ``once``.
    """
    n_objects, at_most = raw.shape[0], _ONCE if once else _IN_FIT
    sample = _sample(raw, None if n_objects <= at_most else at_most)
    norm = float(np.linalg.norm(sample))
    if norm == 0.0:
        return
    unit = sample / norm
    if _has_root(unit.astype(np.float32)) or _has_root(unit):  # singles are quick, doubles sure
        return
    values = eigvalsh(sample, check_finite=False)
    raise ValueError(
        f"the kernel matrix {name!r} is not positive semi-definite: its eigenvalues go from "
        f"{values[0]:.3g} to {values[-1]:.3g}; set the negative ones to zero, or learn from it as "
        "a similarity by LandmarkClassifier."
    )


def _has_root(unit: FloatArray) -> bool:
    """Whether a matrix of norm one, its diagonal raised a little, has a Cholesky factor."""
    raised = unit.copy()
    raised[np.diag_indices_from(raised)] += _NEGATIVE
    try:
        cholesky(raised, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _tiles(stop: int) -> list[slice]:
    return [slice(start, min(start + _TILE, stop)) for start in range(0, stop, _TILE)]


def _only(number: int) -> slice:
    return slice(number, number + 1)


def _sample(raw: Given, n_chosen: int | None) -> FloatArray:
    """All rows and columns, or some at equal steps."""
    n_objects = raw.shape[0]
    if n_chosen is None:
        return raw.block(slice(0, n_objects), slice(0, n_objects))
    chosen = np.linspace(0, n_objects - 1, n_chosen).astype(np.intp)
    pairs = np.repeat(chosen, n_chosen), np.tile(chosen, n_chosen)
    return next(raw.paired(*pairs))[1].reshape(n_chosen, n_chosen)
