"""Kernels of low rank, by landmarks, pivots or random Fourier features; and short names.

Names stand here because this is the module that knows all similarities: a kernel of low rank takes
any other, as an object or by its short name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy.linalg import solve_triangular

from manyviews.base import check_argument, check_params
from manyviews.maths import LowRank, generator, inverse_root, pivoted_cholesky, to_dense
from manyviews.similarity.base import (
    DataDependent,
    PositiveSimilarity,
    Similarity,
    SimilarityLike,
)
from manyviews.similarity.graphs import AutoGraph, KNNGraph, SelfTuningRBF
from manyviews.similarity.kernels import RBF, Cosine, Linear, Polynomial, Precomputed
from manyviews.similarity.rows import alike, as_double
from manyviews.typing import Count, FloatArray, IntArray, Matrix, NonNegative, RandomState

__all__ = ["SHORT_NAMES", "LowRankKernel", "as_kernel", "as_similarity"]

_MOST_FREQUENCIES = 2**15
"""Of so many columns a product of two factors, rank × rank, has 8 GB, for an error below 0.01."""


@dataclass
class LowRankKernel(DataDependent):
    """A kernel whose matrix is ``F Fᵀ`` with few columns in ``F``, and is never formed.

    Time and memory grow with the number of objects instead of its square. ``F`` has one row per
    object, a function of that object alone once the landmarks are chosen: new objects take part
    as known ones do, and a training row that comes again gets its row.

    Parameters
    ----------
    kernel : Similarity or name
        What is approximated: a kernel, or ``Precomputed()``, of which only some columns are read.
    rank : int
        How many columns ``F`` has at most.
    method : {"nystroem", "cholesky", "fourier"}
        By similarities to random landmarks [@williams2001]; by similarities to pivots chosen one
        by one where the kernel is known worst [@fine2001]; or by random Fourier features
        [@rahimi2007], for :class:`RBF` only. Pivots need the fewest columns for a given accuracy;
        landmarks are quickest to choose; Fourier features look at no data, and converge slowest.
    tol : float
        Pivots end when this share of the trace is left, though at ``rank`` at the latest.
    random_state : int, RandomState, Generator or None
        Draws the landmarks and the frequencies; the pivots need none.

    Notes
    -----
    With ``rank`` as large as the number of rows, landmarks and pivots give the kernel itself. The
    Fourier features come in pairs, a cosine and a sine, so that every row is exactly alike to
    itself; an odd ``rank`` is lowered by one.

    References
    ----------
    [@fine2001], [@rahimi2007], [@williams2001]

    Examples
    --------
    >>> X = np.arange(6.0)[:, None]
    >>> approximate = LowRankKernel(RBF(gamma=0.1), rank=4, method="cholesky").fitted(X)
    >>> K = approximate.gram(X)
    >>> K.rank, bool(abs(K.toarray() - RBF(gamma=0.1).gram(X)).max() < 0.01)
    (4, True)
    """

    kernel: SimilarityLike = field(default_factory=RBF)
    rank: Count = 100
    method: Literal["nystroem", "cholesky", "fourier"] = field(default="nystroem", kw_only=True)
    tol: NonNegative = field(default=1e-6, kw_only=True)
    random_state: RandomState = field(default=0, kw_only=True)

    def fitted(self, X: Matrix, places: IntArray | None = None) -> LowRankFeatures:
        """Choose the landmarks, the pivots or the frequencies."""
        check_params(self)
        kernel = as_similarity(self.kernel, "kernel").fitted(X, places)
        if not isinstance(kernel, PositiveSimilarity):
            raise ValueError(
                f"{type(kernel).__name__} need not be positive semi-definite and has no "
                "factor of low rank; use a kernel such as RBF()."
            )
        if self.method == "fourier":
            return self._fourier_features(kernel, X)
        if self.method == "cholesky":
            return self._pivots(kernel, X)
        return self._landmarks(kernel, X)

    def _landmarks(self, kernel: PositiveSimilarity, X: Matrix) -> LandmarkFeatures:
        n = X.shape[0]
        chosen = generator(self.random_state).permutation(n)[: self.rank]
        some = kernel.restricted(chosen)
        # Nyström: K ≈ C W⁻¹ Cᵀ, with the pseudo-inverse where landmarks repeat each other.
        core = to_dense(some.cross(X[chosen], X[chosen])).astype(np.float64)
        return LandmarkFeatures(some, X[chosen], inverse_root((core + core.T) / 2))

    def _pivots(self, kernel: PositiveSimilarity, X: Matrix) -> LandmarkFeatures:
        found = pivoted_cholesky(
            kernel.diagonal(X), kernel.columns(X), tol=self.tol, max_rank=self.rank
        )
        # F = L at the pivots, so that k(x, pivots) L⁻ᵀ is the row of F that any x would have.
        at_pivots = found.factor[found.pivots]
        root = solve_triangular(at_pivots, np.eye(len(at_pivots)), lower=True).T
        return LandmarkFeatures(kernel.restricted(found.pivots), X[found.pivots], root)

    def _fourier_features(self, kernel: Similarity, X: Matrix) -> FourierFeatures:
        if not isinstance(kernel, RBF) or isinstance(kernel.gamma, str):
            raise ValueError(
                f"method='fourier' is for RBF only, not for {type(kernel).__name__}; "
                "use method='nystroem' or 'cholesky'."
            )
        if not 2 <= self.rank <= _MOST_FREQUENCIES:
            raise ValueError(
                f"rank={self.rank} should be from 2, a cosine and a sine, to {_MOST_FREQUENCIES} "
                "with method='fourier'; landmarks and pivots need fewer columns for the same "
                "accuracy."
            )
        shape = (X.shape[1], self.rank // 2)
        draws = generator(self.random_state).standard_normal(shape)
        # By Bochner's theorem the Gaussian kernel is E cos ω(x − y) over ω ~ N(0, 2γ I).
        return FourierFeatures(draws * np.sqrt(2.0 * kernel.gamma))


class LowRankFeatures(Similarity):
    """Inner products of features of each row; a child says what these are."""

    @abstractmethod
    def feature_rows(self, rows: Matrix) -> FloatArray:
        """Return the features of some rows."""

    def gram(self, X: Matrix) -> LowRank:
        """Similarities among the training rows ``X``."""
        found = self.feature_rows(X)
        return LowRank(found, found)

    def cross(self, new: Matrix, X: Matrix) -> LowRank:
        """Similarities of new rows to the training rows ``X``."""
        return LowRank(self.feature_rows(alike(new, X)), self.feature_rows(X))


@dataclass(eq=False)
class LandmarkFeatures(LowRankFeatures):
    """Similarities to landmarks, rotated so that inner products give the kernel at these."""

    kernel: PositiveSimilarity
    landmarks: Matrix = field(repr=False)
    root: FloatArray = field(repr=False)
    """A root of the inverse of the similarities among the landmarks."""

    def feature_rows(self, rows: Matrix) -> FloatArray:
        """Return the similarities to the landmarks times the root."""
        return to_dense(self.kernel.cross(rows, self.landmarks)) @ self.root


@dataclass(eq=False)
class FourierFeatures(LowRankFeatures):
    """Cosines and sines of random frequencies, as many as the kernel is wide."""

    frequencies: FloatArray = field(repr=False)

    def feature_rows(self, rows: Matrix) -> FloatArray:
        """Return the cosines, then the sines."""
        angles = as_double(rows) @ self.frequencies
        found = np.hstack([np.cos(angles), np.sin(angles)])
        found /= np.sqrt(self.frequencies.shape[1])
        return found


# Short names --------------------------------------------------------------------------------------

SHORT_NAMES: dict[str, Callable[[], Similarity]] = {
    "auto": AutoGraph,
    "cosine": Cosine,
    "knn": KNNGraph,
    "linear": Linear,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
    "rbf": RBF,
    "self_tuning": SelfTuningRBF,
}


def as_similarity(value: Any, parameter: str = "affinity") -> Similarity:
    """Return the similarity that a user gave, as an object or by its short name.

    ``parameter`` is what the user calls it, for the message.

    Examples
    --------
    >>> as_similarity("rbf")
    RBF(gamma='median')
    """
    check_argument(parameter, value, SimilarityLike)
    return SHORT_NAMES[value]() if isinstance(value, str) else value


def as_kernel(value: Any, view: str, parameter: str = "kernel") -> Similarity:
    """Return the similarity given for a view; refuse one that need not be positive semi-definite.

    Examples
    --------
    >>> as_kernel("linear", "text")
    Linear()
    """
    kernel = as_similarity(value, parameter)
    if not isinstance(kernel, PositiveSimilarity | LowRankKernel | Precomputed):
        raise ValueError(
            f"{parameter}={value!r} of view {view!r} need not be positive semi-definite; give a "
            "kernel such as Linear(), RBF(), LowRankKernel() or Precomputed()."
        )
    return kernel
