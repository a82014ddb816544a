"""Similarities that are there already, looked up by the numbers of objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from manyviews.base import check_params
from manyviews.maths import Gram
from manyviews.similarity._base import PositiveSimilarity
from manyviews.typing import FloatArray, Having, IntArray, Matrix, is_sparse


@dataclass(eq=False)
class Lookup(PositiveSimilarity):
    """Look similarities up in a matrix that is given once; rows are numbers of objects.

    A view for it has one column: for each object its number, its row in the matrix. Objects can
    then be split, shuffled and cross-validated as any others are, training and new ones alike,
    while the matrix stays where it is; copies made by scikit-learn's ``clone`` share it.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_objects, n_objects)
        Similarities of all objects there will ever be; symmetric and positive semi-definite where
        a kernel is wanted.
    name : str, optional
        What it is called in plots.
    checked : bool
        Whether it is known to be a kernel, so that methods need not look again.

    Examples
    --------
    >>> K = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> similarity = Lookup(K)
    >>> similarity.cross(np.array([[2]]), np.array([[0], [1]]))
    array([[0.1, 0.2]])
    """

    matrix: Annotated[Any, Having("an array or sparse matrix", "shape", "diagonal")] = field(
        repr=False
    )
    name: str | None = None
    checked: bool = field(default=False, repr=False)

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Lookup:  # noqa: ARG002
        """Check that the rows are numbers of objects; nothing is chosen."""
        check_params(self)
        self.numbers(X)
        return self

    def gram(self, X: Matrix) -> Gram:
        """Similarities among objects."""
        return self.cross(X, X)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of objects to objects."""
        rows, columns = self.numbers(new), self.numbers(X)
        found = self.matrix[rows][:, columns]
        return found if is_sparse(found) else np.asarray(found)

    def diagonal(self, X: Matrix) -> FloatArray:
        """Similarity of each object to itself."""
        return np.asarray(self.matrix.diagonal()[self.numbers(X)], dtype=np.float64)

    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives the similarities of all objects to one of them."""
        numbers = self.numbers(X)

        def column(number: int) -> FloatArray:
            found = self.matrix[[numbers[number]]]
            return (found.toarray() if is_sparse(found) else found).ravel()[numbers]

        return column

    def numbers(self, rows: Matrix) -> IntArray:
        """Numbers of objects from rows of a view, checked.

        Examples
        --------
        >>> Lookup(np.eye(3)).numbers(np.array([[2.0], [0.0]]))
        array([2, 0])
        """
        n_objects = self._n_objects()
        if rows.shape[1] != 1:
            raise ValueError(
                f"{self!r} reads one column, the numbers of the objects, and got "
                f"{rows.shape[1]}; give np.arange({n_objects})[:, None]."
            )
        values = (rows.toarray() if is_sparse(rows) else rows).ravel()
        wrong = np.flatnonzero((values != np.floor(values)) | (values < 0) | (values >= n_objects))
        if len(wrong):
            raise ValueError(
                f"row {wrong[0]} asks {self!r} for object {values[wrong[0]]:g}, and its objects "
                f"are numbered from 0 to {n_objects - 1}; give numbers among these."
            )
        return values.astype(np.intp)

    def _n_objects(self) -> int:
        shape = getattr(self.matrix, "shape", None)
        if shape is None or len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(
                f"{self!r} needs a square array, objects × objects, and has "
                f"{type(self.matrix).__name__ if shape is None else shape}; give the similarities "
                "of all objects to all objects."
            )
        return int(shape[0])

    def __sklearn_clone__(self) -> Lookup:
        """Return a copy that shares the matrix."""
        return replace(self)
