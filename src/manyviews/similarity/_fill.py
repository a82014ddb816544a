"""A similarity that one view cannot give is the mean over the views that can [@kumar2013]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from manyviews.maths import Gram, LowRank, spread_gram, to_dense
from manyviews.similarity._rows import blocks, check_similarities
from manyviews.typing import BoolArray, FloatArray, IntArray, is_sparse

_MOST_ENTRIES = 10**8
"""Views of different kinds are filled in dense matrices of at most so many entries."""


def fill_unobserved(
    found: Mapping[str, Gram],
    row_observed: BoolArray,
    column_observed: BoolArray,
    scales: Mapping[str, float],
    typical: float = 0.0,
) -> dict[str, Gram]:
    """Similarities over all objects from those among the objects each view shows.

    Parameters
    ----------
    found : mapping of matrices
        By view: similarities of the row objects seen there to the column objects seen there.
    row_observed, column_observed : arrays of bool
        Which object is seen in which view, objects × views, in the order of ``found``.
    scales : mapping of float
        By view: the typical size of its similarities.
    typical : float
        Similarity, divided by the scale, of pairs of which nothing is known.

    Returns
    -------
    dict of matrices
        By view, over all row and column objects. Where a view lacks one of the pair, the mean of
        the similarities over the views that show both, each divided by its scale, times the scale
        of this view. Where there is no such view, the ``typical`` one: a zero would say that the
        two are as unlike as can be, which nobody has seen. A graph says so of almost all pairs,
        so that sparse similarities stay zero there. A view whose similarities are all zero has no
        scale and is not counted.

    Notes
    -----
    Sparse similarities of all views stay sparse, those of low rank stay of low rank (their rank
    grows, see :func:`low_rank_mean`), and so stays a view that shows all. Otherwise those with
    gaps become dense.
    """
    if row_observed.all() and column_observed.all():
        return dict(found)
    seen = Seen(found, row_observed, column_observed, scales, typical)
    kinds = {
        type(gram) if isinstance(gram, LowRank) else is_sparse(gram) for gram in found.values()
    }
    if kinds == {True}:
        return _fill_sparse(seen)
    if kinds == {LowRank}:
        return _fill_low_rank(seen)
    return _fill_dense(seen)


@dataclass(frozen=True)
class Seen:
    """Similarities by view, and whom each view shows."""

    found: Mapping[str, Gram]
    rows: BoolArray
    columns: BoolArray
    scales: Mapping[str, float]
    typical: float

    @property
    def shape(self) -> tuple[int, int]:
        """How many row objects and column objects there are."""
        return len(self.rows), len(self.columns)

    @property
    def counted(self) -> list[int]:
        """Numbers of the views that have a scale."""
        return [view for view, name in enumerate(self.found) if self.scales[name] > 0]

    def places(self, view: int) -> tuple[IntArray, IntArray]:
        """The row and column objects that a view shows."""
        return np.flatnonzero(self.rows[:, view]), np.flatnonzero(self.columns[:, view])

    def complete(self, view: int) -> bool:
        """Whether a view shows all objects."""
        return bool(self.rows[:, view].all() and self.columns[:, view].all())


# -- dense -------------------------------------------------------------------------------------


def _fill_dense(seen: Seen) -> dict[str, Gram]:
    """One more matrix than the result has, the mean, is held at a time."""
    _refuse_large_mixture(seen)
    mean = _dense_mean(seen)
    filled: dict[str, Gram] = {}
    for view, (name, gram) in enumerate(seen.found.items()):
        if seen.complete(view):
            filled[name] = gram
            continue
        result = mean * seen.scales[name]
        result[np.ix_(*seen.places(view))] = to_dense(gram)
        filled[name] = result
    return filled


def _dense_mean(seen: Seen) -> FloatArray:
    """Mean over the views that show both, each divided by its scale."""
    check_similarities(seen.shape)
    mean = np.zeros(seen.shape)
    names = list(seen.found)
    for view in seen.counted:
        rows, columns = seen.places(view)
        gram = to_dense(seen.found[names[view]])
        for part in blocks(len(rows), seen.shape[1]):
            mean[np.ix_(rows[part], columns)] += gram[part] / seen.scales[names[view]]
    counted_rows = seen.rows[:, seen.counted].astype(float)
    counted_columns = seen.columns[:, seen.counted].T.astype(float)
    for part in blocks(*seen.shape):
        counts = counted_rows[part] @ counted_columns
        mean[part] /= np.maximum(counts, 1.0)
        mean[part][counts == 0] = seen.typical
    return mean


def _refuse_large_mixture(seen: Seen) -> None:
    """Where no view is dense already, dense matrices may be far larger than was bargained for."""
    if any(isinstance(gram, np.ndarray) for gram in seen.found.values()):
        return
    if seen.shape[0] * seen.shape[1] > _MOST_ENTRIES:
        raise ValueError(
            f"some views have sparse and some low-rank similarities, which can be filled for "
            f"unobserved views only in dense matrices of {seen.shape[0]} × {seen.shape[1]}; "
            "use similarities of one kind in all views."
        )


# -- sparse ------------------------------------------------------------------------------------


def _fill_sparse(seen: Seen) -> dict[str, Gram]:
    """Only pairs that are stored in some view can have a mean that is not zero."""
    spread: list[sparse.csr_array] = []
    total = sparse.csr_array(seen.shape)
    for view, (name, gram) in enumerate(seen.found.items()):
        spread.append(spread_gram(gram, *seen.places(view), seen.shape))
        if seen.scales[name] > 0:
            total = total + spread[view] / seen.scales[name]
    at_row = np.repeat(np.arange(seen.shape[0]), np.diff(total.indptr))
    shown = [seen.rows[at_row, v] & seen.columns[total.indices, v] for v in range(len(spread))]
    counts = sum((shown[view].astype(float) for view in seen.counted), np.zeros(total.nnz))
    means = np.divide(total.data, counts, out=np.zeros(total.nnz), where=counts > 0)
    filled: dict[str, Gram] = {}
    for view, name in enumerate(seen.found):
        data = np.where(shown[view], 0.0, means * seen.scales[name])
        missing = sparse.csr_array((data, total.indices, total.indptr), shape=seen.shape)
        filled[name] = spread[view] + missing  # the one is zero wherever the other is not
    return filled


# -- of low rank -------------------------------------------------------------------------------


def _fill_low_rank(seen: Seen) -> dict[str, Gram]:
    filled: dict[str, Gram] = {}
    names = list(seen.found)
    for view, name in enumerate(names):
        result = spread_gram(seen.found[name], *seen.places(view), seen.shape)
        assert isinstance(result, LowRank)
        if not seen.complete(view) and seen.scales[name] > 0:
            for other in seen.counted:
                if other != view:
                    share = seen.scales[name] / seen.scales[names[other]]
                    result = result + low_rank_mean(seen, view, other, share)
            result = result + unknown_pairs(seen, seen.typical * seen.scales[name])
        filled[name] = result
    return filled


def low_rank_mean(seen: Seen, view: int, other: int, share: float) -> LowRank:
    """What the similarities of one view add to those that another view lacks.

    Let ``p`` and ``q`` be the sets of views that show the row and the column object. The mean
    weighs an entry of the other view by ``1 / |p ∩ q|`` where ``view`` is not in both, and by zero
    where it is: a number that depends on ``p`` and ``q`` only. So the weights are a small matrix
    over the sets that occur, ``W(p, q) = Σ_t a_t(p) b_t(q)`` by its singular values, and the
    weighted matrix is ``Σ_t diag(a_t(p_i)) L Rᵀ diag(b_t(q_j))``: of low rank, at most the rank
    of the other view times the number of sets that contain it.
    """
    rows, columns = seen.places(other)
    gram = seen.found[list(seen.found)[other]]
    assert isinstance(gram, LowRank)
    row_sets, row_set = np.unique(seen.rows[rows], axis=0, return_inverse=True)
    column_sets, column_set = np.unique(seen.columns[columns], axis=0, return_inverse=True)
    weights = _mean_weights(row_sets, column_sets, seen.counted, view) * share
    terms = [
        LowRank(gram.left * one[row_set.ravel(), None], gram.right * two[column_set.ravel(), None])
        for one, two in _separated(weights)
    ]
    empty = LowRank(np.zeros((len(rows), 0)), np.zeros((len(columns), 0)))
    spread = spread_gram(sum(terms, empty), rows, columns, seen.shape)
    assert isinstance(spread, LowRank)
    return spread


def unknown_pairs(seen: Seen, value: float) -> LowRank:
    """One value for all pairs that no view shows, which again are blocks of sets of views."""
    row_sets, row_set = np.unique(seen.rows, axis=0, return_inverse=True)
    column_sets, column_set = np.unique(seen.columns, axis=0, return_inverse=True)
    counts = row_sets[:, seen.counted].astype(float) @ column_sets[:, seen.counted].T.astype(float)
    pairs = _separated(value * (counts == 0))
    left = [one[row_set.ravel()] for one, _ in pairs]
    right = [two[column_set.ravel()] for _, two in pairs]
    n_rows, n_columns = seen.shape
    return LowRank(
        np.reshape(left, (len(pairs), n_rows)).T, np.reshape(right, (len(pairs), n_columns)).T
    )


def _separated(weights: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """A matrix as a sum of products of a column and a row, as few as there can be."""
    left, values, right = np.linalg.svd(weights, full_matrices=False)
    kept = np.flatnonzero(values > 1e-12 * max(values.max(initial=0.0), 1.0))
    return [(left[:, term] * values[term], right[term]) for term in kept]


def _mean_weights(
    row_sets: BoolArray, column_sets: BoolArray, counted: list[int], view: int
) -> FloatArray:
    """``1 / |p ∩ q|`` for every pair of sets of views, zero where both contain the view."""
    counts = row_sets[:, counted].astype(float) @ column_sets[:, counted].T.astype(float)
    weights = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0)
    weights[np.outer(row_sets[:, view], column_sets[:, view])] = 0.0
    return weights
