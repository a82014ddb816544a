"""Divergences of quadratic functions: squared distances, plain and in a given metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.maths._divergences._base import Divergence
from manyviews.maths._memory import check_memory
from manyviews.typing import FloatArray

_RANK_CUT = 1e-10
"""Directions with less than this share of the largest variance count as constant."""


@dataclass
class SquaredEuclidean(Divergence):
    """Squared Euclidean distance, ``φ(x) = ‖x‖²``; every real vector is in its domain.

    Gupta and Dasgupta's example in Section 2 has half of it; this is the one of their cost in
    Section 3, which is that of k-means.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredEuclidean().between(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[25.]])
    """

    def phi(self, X: FloatArray) -> FloatArray:
        """Squared length of each row."""
        return np.einsum("ij,ij->i", X, X)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Twice each row."""
        return 2 * X

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Squared distance of each row of ``X`` to the same row of ``Y``."""
        return self.phi(X - Y)

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Accept everything."""


@dataclass(eq=False)
class Mahalanobis(Divergence):
    """Squared distance in the metric of a precision matrix, ``φ(x) = xᵀPx``.

    Parameters
    ----------
    precision : array of shape (d, d), optional
        The matrix ``P``, symmetric, without negative eigenvalues. If not given, ``fitted`` takes
        the inverse of the covariance of the data, or its pseudo-inverse where they are constant in
        some direction; differences in such a direction then do not count.

    Examples
    --------
    >>> import numpy as np
    >>> metric = Mahalanobis(np.diag([1.0, 0.01]))
    >>> metric.between(np.array([[0.0, 0.0]]), np.array([[1.0, 10.0]]))
    array([[2.]])
    """

    precision: FloatArray | None = None

    def phi(self, X: FloatArray) -> FloatArray:
        """Quadratic form at each row."""
        return np.einsum("ij,ij->i", X @ self.known_precision(), X)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Twice each row, in the metric."""
        return 2 * X @ self.known_precision()

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Squared distance of each row of ``X`` to the same row of ``Y``, in the metric."""
        return np.maximum(self.phi(X - Y), 0.0)

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Refuse a precision that does not fit the view; its rows may be anything."""
        if self.precision is None:
            return
        given, width = np.asarray(self.precision), X.shape[1]
        if given.dtype.kind not in "fiub" or not np.isfinite(given).all():
            raise ValueError(
                f"the precision of Mahalanobis for view {view!r} has entries that are no finite "
                "numbers; give a matrix of numbers."
            )
        precision = self.known_precision()
        if precision.shape != (width, width):
            raise ValueError(
                f"the precision of Mahalanobis has shape {precision.shape}, but view {view!r} has "
                f"{width} columns; give a matrix of shape ({width}, {width})."
            )
        if not np.allclose(precision, precision.T):
            raise ValueError(
                f"the precision of Mahalanobis for view {view!r} is not symmetric; "
                "give the mean of it and its transpose."
            )
        values = np.linalg.eigvalsh(precision)
        if values.min(initial=0.0) < -_RANK_CUT * values.max(initial=0.0):
            raise ValueError(
                f"the precision of Mahalanobis for view {view!r} has the negative eigenvalue "
                f"{values[0]:.3g}; add a multiple of the identity."
            )

    def fitted(self, X: FloatArray) -> Mahalanobis:
        """Return itself, or one with the inverse of the covariance of the rows."""
        if self.precision is not None:
            return self
        check_memory(
            (X.shape[1], X.shape[1]),
            f"the covariance of {X.shape[1]:,} features",
            remedy="use SquaredEuclidean(), or reduce the features, as by PerView(PCA(100))",
        )
        centred = np.asarray(X, dtype=np.float64) - X.mean(axis=0)
        covariance = centred.T @ centred / max(len(X) - 1, 1)
        return Mahalanobis(np.linalg.pinv(covariance, rcond=_RANK_CUT, hermitian=True))

    def known_precision(self) -> FloatArray:
        """Return the matrix, or say that it is to be learnt first."""
        if self.precision is None:
            raise ValueError(
                "Mahalanobis has no precision yet; give one, or call fitted(X) on the data."
            )
        return np.asarray(self.precision, dtype=np.float64)
