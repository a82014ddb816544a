"""Views standardised and laid side by side, as far as the objects to compare show them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from manyviews.data import Views
from manyviews.ensemble._hyperplane._distances import Members
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.maths import dense_new_rows
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse


@dataclass(frozen=True)
class Standard:
    """Mean and spread of the features of one view, on the objects that show it.

    Sparse views are only divided, never moved: distances do not see the difference.
    """

    means: FloatArray | None
    """``None`` for a sparse view."""
    spreads: FloatArray

    @classmethod
    def of(cls, rows: Matrix, *, scale: bool) -> Standard:
        """Learn from the rows that are observed; a constant feature keeps its spread of one."""
        doubles = rows.astype(np.float64)
        if is_sparse(doubles):
            first = np.asarray(doubles.mean(axis=0)).ravel()
            variances = np.asarray((doubles * doubles).mean(axis=0)).ravel() - first**2
            rounding = 1e-14 * first**2
        else:
            first = doubles.mean(axis=0)
            variances = doubles.var(axis=0)
            rounding = (1e-14 * np.abs(first)) ** 2
        spreads = np.where(variances > rounding, np.sqrt(np.maximum(variances, 0.0)), 1.0)
        means = None if is_sparse(doubles) else first
        return cls(means, spreads if scale else np.ones_like(spreads))

    def apply(self, rows: Matrix) -> Matrix:
        """Rows in the kind that the view had in ``fit``, dense or sparse."""
        if self.means is None:
            scaled = sparse.csr_array(rows, dtype=np.float64)
            data = scaled.data / self.spreads[scaled.indices]
            return sparse.csr_array((data, scaled.indices, scaled.indptr), shape=scaled.shape)
        dense = dense_new_rows(rows)
        return (dense - self.means) / self.spreads


@dataclass(frozen=True)
class References:
    """The labelled objects of ``fit``, standardised view by view."""

    views: dict[str, Matrix]
    """Rows of each view; what is unobserved stays so."""
    observed: BoolArray
    codes: IntArray
    n_classes: int

    def shared(self, pattern: BoolArray) -> BoolArray | None:
        """Those of some views in which to compare: the most features that all classes show.

        All of them, if each class has an object that shows them all; ``None`` if in no view all
        classes are shown.
        """
        widths = np.array([matrix.shape[1] for matrix in self.views.values()])
        choices = np.unique(np.vstack([pattern, self.observed & pattern]), axis=0)
        for choice in choices[np.argsort(-(choices @ widths), kind="stable")]:
            if choice.any() and len(np.unique(self.codes[self.showing(choice)])) == self.n_classes:
                return np.asarray(choice)
        return None

    def showing(self, pattern: BoolArray) -> IntArray:
        """Which of them show all of some views."""
        return np.flatnonzero(self.observed[:, pattern].all(axis=1))


@dataclass(frozen=True)
class Comparison:
    """Queries that are compared in the same views, and the objects to compare them with."""

    places: IntArray
    """Which queries these are."""
    queries: Matrix
    members: Members
    member_places: IntArray
    """Which references the members are."""


def read_references(
    views: Views, codes: IntArray, n_classes: int, *, scale: bool
) -> tuple[References, dict[str, Standard]]:
    """Standardise the labelled objects."""
    standards = {}
    for name, matrix in views.items():
        seen = np.flatnonzero(views.observed_in(name))
        if len(seen) == 0:
            raise UnobservedViewsError(
                f"view {name!r} is observed for no labelled object and teaches nothing; "
                "leave it out."
            )
        standards[name] = Standard.of(matrix[seen], scale=scale)
    rows = standardised(views, standards)
    return References(rows, np.array(views.observed), codes, n_classes), standards


def standardised(views: Views, standards: dict[str, Standard]) -> dict[str, Matrix]:
    """All views in the units of ``fit``."""
    return {name: standards[name].apply(matrix) for name, matrix in views.items()}


def comparisons(
    rows: dict[str, Matrix], observed: BoolArray, references: References
) -> Iterator[Comparison]:
    """Group queries by the views they show, each group with the objects that show these too."""
    patterns, group_of = np.unique(observed, axis=0, return_inverse=True)
    for group, pattern in enumerate(patterns):
        places = np.flatnonzero(group_of.ravel() == group)
        shared = references.shared(pattern)
        if shared is None:
            raise ViewsError(
                f"row {places[0]} shows no view in which every class has a labelled object, so "
                "its classes cannot be compared; label objects of each class that show it."
            )
        names = [name for name, kept in zip(references.views, shared, strict=True) if kept]
        member_places = references.showing(shared)
        yield Comparison(
            places,
            _side_by_side(rows, names, places),
            Members(
                _side_by_side(references.views, names, member_places),
                references.codes[member_places],
                references.n_classes,
            ),
            member_places,
        )


def _side_by_side(rows: dict[str, Matrix], names: list[str], places: IntArray) -> Matrix:
    parts = [rows[name][places] for name in names]
    if len(parts) == 1:
        return parts[0]
    if any(is_sparse(part) for part in parts):
        return sparse.csr_array(sparse.hstack(parts, format="csr"))
    return np.hstack(parts)
