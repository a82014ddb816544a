"""A view that already is a matrix of similarities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from manyviews.maths import Gram
from manyviews.similarity._base import PositiveSimilarity, Similarity
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_ASYMMETRY = 1e-6
"""How far from symmetric similarities may be, relative to their largest; half of it is averaged."""


@dataclass
class Precomputed(Similarity):
    """Take a view as it is: its columns are the training objects, its entries similarities.

    New objects come as rows of their similarities to the training objects. The columns of training
    objects that the view does not show are not read.

    Examples
    --------
    >>> K = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> similarity = Precomputed().fitted(K)
    >>> similarity.cross(np.array([[0.2, 0.3]]), K)
    array([[0.2, 0.3]])
    """

    def fitted(self, X: Matrix, places: IntArray | None = None) -> FittedPrecomputed:
        """Remember which columns are the training objects, and check that they are."""
        columns = np.arange(X.shape[0]) if places is None else places
        if len(columns) and X.shape[1] <= columns[-1]:
            raise ValueError(
                f"a precomputed view has {X.shape[1]} columns for {columns[-1] + 1} objects; give "
                "the similarities of every object to every object."
            )
        _check_symmetric(X[:, columns], columns)
        return FittedPrecomputed(columns)

    def gram(self, X: Matrix) -> Gram:
        """Return the columns of the observed objects."""
        return self.fitted(X).gram(X)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Return the columns of the observed training objects."""
        return self.fitted(X).cross(new, X)


@dataclass(eq=False)
class FittedPrecomputed(PositiveSimilarity):
    """A precomputed view of which it is known what object each column is."""

    objects: IntArray = field(default_factory=lambda: np.arange(0), repr=False)

    def gram(self, X: Matrix) -> Gram:
        """Return the columns of the observed objects, symmetric to the last digit."""
        found = X[:, self.objects]
        return (found + found.T) / 2

    def cross(self, new: Matrix, X: Matrix) -> Gram:  # noqa: ARG002 (they are in `new`)
        """Return the columns of the observed training objects."""
        return new[:, self.objects]

    def diagonal(self, X: Matrix) -> FloatArray:
        """Similarity of each object to itself."""
        return np.asarray(X[:, self.objects].diagonal(), dtype=np.float64)

    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives one column."""
        if is_sparse(X):
            turned = X.T.tocsr()
            return lambda number: turned[[self.objects[number]]].toarray().ravel()
        return lambda number: X[:, self.objects[number]]

    def restricted(self, chosen: IntArray) -> Self:
        """Return the similarity to some of the training objects."""
        return type(self)(self.objects[chosen])


def _check_symmetric(found: Matrix, columns: IntArray) -> None:
    gaps = abs(found - found.T)
    if not gaps.size or gaps.max() <= _ASYMMETRY * abs(found).max():
        return
    row, column = np.unravel_index(gaps.argmax(), gaps.shape)
    raise ValueError(
        f"a precomputed view is not symmetric: object {columns[row]} to {columns[column]} is "
        f"{found[row, column]:g} and back {found[column, row]:g}; use (K + K.T) / 2."
    )
