"""Views brought to one size, and which objects are compared in which of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from manyviews.data import Views
from manyviews.ensemble._hyperplane._distances import Members
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import dense_new_rows
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse


@dataclass(frozen=True)
class Standard:
    """Mean of the features of one view and what they are divided by, on the objects that show it.

    Sparse views are only divided, never moved: distances do not see the difference.
    """

    means: FloatArray | None
    """``None`` for a sparse view."""
    spreads: FloatArray

    @classmethod
    def of(cls, rows: Matrix, *, scale: bool, balance: bool) -> Standard:
        """Learn from the rows that are observed; a constant feature keeps its spread of one.

        ``scale`` brings each feature to unit variance, ``balance`` then the view to unit variance
        in all, so that neither its units nor the number of its features count.
        """
        doubles = rows.astype(np.float64)
        if is_sparse(doubles):
            first = np.asarray(doubles.mean(axis=0)).ravel()
            variances = np.asarray((doubles * doubles).mean(axis=0)).ravel() - first**2
            rounding = 1e-14 * first**2
        else:
            first = doubles.mean(axis=0)
            variances = doubles.var(axis=0)
            rounding = (1e-14 * np.abs(first)) ** 2
        varies = variances > rounding
        spreads = np.where(varies & scale, np.sqrt(np.maximum(variances, 0.0)), 1.0)
        if balance and varies.any():
            spreads = spreads * np.sqrt(np.sum(variances[varies] / spreads[varies] ** 2))
        return cls(None if is_sparse(doubles) else first, spreads)

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
    views: Views, codes: IntArray, n_classes: int, *, scale: bool, balance: bool
) -> tuple[References, dict[str, Standard]]:
    """Bring the labelled objects to one size, as :meth:`Standard.of` says."""
    standards = {}
    for name, matrix in views.items():
        seen = np.flatnonzero(views.observed_in(name))
        if len(seen) == 0:
            raise UnobservedViewsError(
                f"view {name!r} is observed for no labelled object and teaches nothing; "
                "leave it out."
            )
        standards[name] = Standard.of(matrix[seen], scale=scale, balance=balance)
    rows = standardised(views, standards)
    return References(rows, np.array(views.observed), codes, n_classes), standards


def standardised(views: Views, standards: dict[str, Standard]) -> dict[str, Matrix]:
    """All views in the units of ``fit``."""
    return {name: standards[name].apply(matrix) for name, matrix in views.items()}


def joint_comparisons(
    rows: dict[str, Matrix], observed: BoolArray, references: References
) -> Iterator[Comparison]:
    """Group queries by the views they show, each group with the objects that show these too.

    Queries that show no view in which every class is shown are compared view by view.
    """
    patterns, group_of = np.unique(observed, axis=0, return_inverse=True)
    for group, pattern in enumerate(patterns):
        chosen = group_of.ravel() == group
        shared = references.shared(pattern)
        if shared is None:
            yield from view_comparisons(rows, observed & chosen[:, None], references)
        else:
            yield _compared(rows, np.flatnonzero(chosen), shared, references)


def view_comparisons(
    rows: dict[str, Matrix], observed: BoolArray, references: References
) -> Iterator[Comparison]:
    """Compare in one view after the other all that show it."""
    for number in range(len(references.views)):
        places = np.flatnonzero(observed[:, number])
        if len(places):
            alone = np.arange(len(references.views)) == number
            yield _compared(rows, places, alone, references)


def _compared(
    rows: dict[str, Matrix], places: IntArray, pattern: BoolArray, references: References
) -> Comparison:
    """Some queries beside the objects that show all of some views, in these."""
    names = [name for name, kept in zip(references.views, pattern, strict=True) if kept]
    member_places = references.showing(pattern)
    members = Members(
        _side_by_side(references.views, names, member_places),
        references.codes[member_places],
        references.n_classes,
    )
    return Comparison(places, _side_by_side(rows, names, places), members, member_places)


def _side_by_side(rows: dict[str, Matrix], names: list[str], places: IntArray) -> Matrix:
    parts = [rows[name][places] for name in names]
    if len(parts) == 1:
        return parts[0]
    if any(is_sparse(part) for part in parts):
        return sparse.csr_array(sparse.hstack(parts, format="csr"))
    return np.hstack(parts)
