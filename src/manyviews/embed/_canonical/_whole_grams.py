"""A few canonical directions of whole Gram matrices, which are factorised once and never reduced.

With ``A = K + ρ I`` of a centred Gram matrix, ``M = K A⁻¹ = I − ρ A⁻¹`` is what the penalty leaves
of a view. Along ``w = √n Φᵀ A⁻¹ x`` the objects lie at ``√n M x`` and the constraint reads
``xᵀ M x``: the directions are eigenvectors of the couplings between views in the metric ``M``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from manyviews.maths import generator
from manyviews.typing import BoolArray, FloatArray, IntArray

_GUARDS = 3
"""Vectors beside the wanted ones with which a search starts."""
_MOST_BLOCKS = 40
"""After so many products with a block the search is given up."""
_LARGE, _BETWEEN = 200, 4
"""A space of more directions than the first is looked at only after so many blocks."""
_TOL = 1e-9
"""Largest residual of an eigenvector, relative to the largest eigenvalue."""
_DEPENDENT = 1e-13
"""A direction whose squared length in the metric is this share of its own is none."""

Apply = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class DualDirections:
    """Coefficients of the objects that each view shows, one column per component."""

    coefficients: tuple[FloatArray, ...]
    intercepts: tuple[FloatArray, ...]
    variates: tuple[FloatArray, ...]
    """Where the directions put these objects."""
    values: FloatArray
    """For two views the regularised correlations; for more the mean of those between views."""


def dual_directions(
    grams: Iterable[FloatArray], observed: BoolArray, tau: Sequence[float], n_components: int
) -> DualDirections | None:
    """Directions of the coefficients of objects; None where only pivots lead to them.

    That is so if too many values are nearly the same, or a kernel is not safely positive.

    Parameters
    ----------
    grams : matrices
        By view, similarities among the objects that it shows.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view.
    tau : sequence
        By view, the share of the penalty; above 0 and below 1.
    n_components : int
        How many directions; few beside the objects.
    """
    metrics = []
    for gram, share in zip(grams, tau, strict=True):
        posed = Metric.of(gram, share / (1.0 - share))
        if posed is None:
            return None
        metrics.append(posed)
    edges = np.cumsum([len(each.mean) for each in metrics])[:-1]

    def metric(block: FloatArray) -> FloatArray:
        parts = zip(metrics, np.split(block, edges), strict=True)
        return np.vstack([each.apply(part) for each, part in parts])

    start = generator(0).standard_normal((int(observed.sum()), n_components + _GUARDS))
    found = metric_eigenvectors(Couplings.of(observed).apply, metric, start, n_components)
    if found is None:
        return None
    values, vectors, images = found
    n_views = len(metrics)
    scales = [np.sqrt(n_views * len(each.mean)) for each in metrics]  # xᵀ M x of all views is V
    coefficients = [
        each.coefficients(part) * scale
        for each, part, scale in zip(
            metrics, np.split(vectors - images, edges), scales, strict=True
        )
    ]
    return DualDirections(
        tuple(coefficients),
        tuple(-(each.mean @ own) for each, own in zip(metrics, coefficients, strict=True)),
        tuple(p * scale for p, scale in zip(np.split(images, edges), scales, strict=True)),
        values / max(n_views - 1, 1),
    )


@dataclass(frozen=True)
class Metric:
    """``M = I − ρ (K + ρ I)⁻¹`` of a Gram matrix, once centred."""

    factor: tuple[FloatArray, bool]
    mean: FloatArray
    """Mean similarity of each object to all."""
    penalty: float

    @classmethod
    def of(cls, gram: FloatArray, penalty: float) -> Metric | None:
        """Centre and factorise; None if the kernel is not positive, or not beyond rounding."""
        mean = gram.mean(axis=0)
        centred = gram - mean
        centred -= mean[:, None] - mean.mean()
        if penalty <= len(gram) * np.finfo(np.float64).eps * np.trace(centred):
            return None
        centred[np.diag_indices_from(centred)] += penalty
        # A symmetric matrix by rows is one by columns, as LAPACK wants it: no copy.
        try:
            factor = cho_factor(centred.T, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        return cls(factor, mean, penalty)

    def apply(self, block: FloatArray) -> FloatArray:
        """``M x``."""
        return block - self.penalty * cho_solve(self.factor, block, check_finite=False)

    def coefficients(self, lost: FloatArray) -> FloatArray:
        """``A⁻¹ x`` from ``x − M x``, for the plain kernel instead of the centred one."""
        found = lost / self.penalty
        return found - found.mean(axis=0)


@dataclass(frozen=True)
class Couplings:
    """Sums over pairs of views of what their shared objects show, about its mean."""

    pairs: tuple[tuple[IntArray, IntArray, float], ...]
    """Places of shared objects in the one and the other stacked view, and the pair's weight."""

    @classmethod
    def of(cls, observed: BoolArray) -> Couplings:
        counts = observed.sum(axis=0)
        if len(counts) == 1:
            every = np.arange(counts[0])
            return cls(((every, every, 0.5),))
        places = np.cumsum(observed, axis=0) - 1 + (np.cumsum(counts) - counts)
        pairs = []
        for v in range(len(counts)):
            for w in range(v):
                shared = np.flatnonzero(observed[:, v] & observed[:, w])
                if len(shared):
                    weight = float(np.sqrt(counts[v] * counts[w])) / len(shared)
                    pairs.append((places[shared, v], places[shared, w], weight))
        return cls(tuple(pairs))

    def apply(self, block: FloatArray) -> FloatArray:
        """What the other views say of each object."""
        found = np.zeros_like(block)
        for one, other, weight in self.pairs:
            for into, out_of in ((one, other), (other, one)):
                part = block[out_of]
                found[into] += weight * (part - part.mean(axis=0))
        return found


def metric_eigenvectors(
    couple: Apply, metric: Apply, start: FloatArray, n_components: int
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Largest eigenvalues of ``couple(metric(x)) = λ x``, the vectors, and their metric images.

    Both operators are symmetric and the metric is positive: block Lanczos in its inner product,
    with every block made orthogonal to all before it. None if a block has nothing new to say in
    some direction, or so many are searched that a decomposition is as quick.
    """
    vectors, images = np.empty((len(start), 0)), np.empty((len(start), 0))
    projection: FloatArray = np.empty((0, 0))
    block, image = _orthonormal(start, metric, vectors, images)
    for step in range(_MOST_BLOCKS):
        if block.shape != start.shape or 2 * vectors.shape[1] > len(start):
            break
        vectors, images = np.hstack([vectors, block]), np.hstack([images, image])
        raw = couple(image)
        projection = _bordered(projection, images.T @ raw)
        block, image = _orthonormal(raw, metric, vectors, images)
        if len(projection) < _LARGE or step % _BETWEEN == 0:
            values, turn = eigh(projection)
            values, leading = values[::-1], turn[:, ::-1][:, :n_components]
            beyond = image.T @ raw @ leading[-start.shape[1] :]
            residual = np.linalg.norm(beyond, axis=0).max()
            if block.shape == start.shape and residual <= _TOL * np.abs(values).max():
                return values[:n_components], vectors @ leading, images @ leading
    return None


def _bordered(projection: FloatArray, column: FloatArray) -> FloatArray:
    """A symmetric matrix with one more block of columns."""
    size, width = column.shape
    grown = np.empty((size, size))
    grown[: size - width, : size - width] = projection
    grown[:, size - width :] = column
    grown[size - width :, :] = column.T
    corner = grown[size - width :, size - width :]
    corner[:] = (corner + corner.T) / 2
    return grown


def _orthonormal(
    block: FloatArray, metric: Apply, vectors: FloatArray, images: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What is new in a block, orthonormal in the metric, with its image under it."""
    block = block - vectors @ (images.T @ block)
    image = metric(block)
    for _ in range(2):  # the second time what rounding left
        overlap = images.T @ block
        block, image = block - vectors @ overlap, image - images @ overlap
        values, turn = eigh(block.T @ image)
        kept = values > _DEPENDENT * np.square(block).sum(axis=0).max()
        scale = turn[:, kept] / np.sqrt(values[kept])
        block, image = block @ scale, image @ scale
        if not block.shape[1]:
            break
    return block, image
