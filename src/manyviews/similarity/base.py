"""The interface of similarities: choose what depends on data, then compare rows with rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from manyviews.base import check_params
from manyviews.maths import Gram, LowRank, Options, to_dense
from manyviews.typing import FloatArray, IntArray, Matrix, RandomState

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from manyviews.similarity.neighbors import Neighbors

__all__ = [
    "DataDependent",
    "EdgeSimilarity",
    "Fitted",
    "PositiveSimilarity",
    "Similarity",
    "SimilarityLike",
]


class Similarity(Options, ABC):
    """How alike two rows of a view are; the ``affinity`` of a method.

    A similarity is a set of choices and never changes by being used: :meth:`fitted` returns one
    in which every choice that depends on data is made, ready for :meth:`gram` and :meth:`cross`.
    The answer of both is dense, sparse or low-rank, as the similarity has it. Whatever it has,
    :meth:`matrix`, :meth:`graph` and :meth:`factor` give the one that is asked for.
    """

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Similarity:  # noqa: ARG002
        """Return the similarity with all that depends on the rows of ``X`` chosen.

        ``places`` tells where the rows stand among all objects; only a similarity whose columns
        are objects asks for it.
        """
        return self

    @abstractmethod
    def gram(self, X: Matrix) -> Gram:
        """Similarities among the rows of ``X``; symmetric."""

    @abstractmethod
    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of new rows to the rows of ``X`` that :meth:`fitted` has seen."""

    def matrix(self, X: Matrix, Y: Matrix | None = None) -> FloatArray:
        """Similarities of the rows of ``X`` to those of ``Y``, or among themselves, dense.

        What depends on data is chosen by ``Y``, or by ``X`` if it is alone.

        Examples
        --------
        >>> import numpy as np
        >>> from manyviews.similarity import Linear
        >>> Linear().matrix(np.array([[1.0], [2.0]]), np.array([[3.0]]))
        array([[3.],
               [6.]])
        """
        if Y is None:
            return to_dense(self.fitted(X).gram(X))
        return to_dense(self.fitted(Y).cross(X, Y))

    def graph(self, X: Matrix, n_neighbors: int) -> csr_array:
        """Similarities of each row of ``X`` to those nearest to it, sparse and symmetric.

        Nearest are the rows of largest similarity; the whole matrix is formed to find them, except
        by kernels, which look for neighbours first (:class:`manyviews.similarity.KNNGraph`).
        """
        from manyviews.similarity.graphs import KNNGraph, largest_entries  # its child

        check_params(KNNGraph(n_neighbors))
        return largest_entries(self.matrix(X), n_neighbors)

    def factor(
        self,
        X: Matrix,
        rank: int,
        *,
        method: Literal["nystroem", "cholesky", "fourier"] = "nystroem",
        tol: float = 1e-6,
        random_state: RandomState = 0,
    ) -> LowRank:
        """Similarities among the rows of ``X`` as a product of low rank, never formed.

        The parameters are those of :class:`manyviews.similarity.LowRankKernel`.
        """
        from manyviews.similarity.low_rank import LowRankKernel  # its child

        wrapped = LowRankKernel(self, rank, method=method, tol=tol, random_state=random_state)
        return wrapped.fitted(X).gram(X)

    def restricted(self, chosen: IntArray) -> Self:  # noqa: ARG002 (a hook)
        """Return the similarity to some of the rows that :meth:`fitted` has seen."""
        return self

    def feature_rows(self, rows: Matrix) -> Matrix | None:  # noqa: ARG002 (a hook)
        """Rows of which this fitted similarity is the inner product; None if there are none.

        Examples
        --------
        >>> import numpy as np
        >>> from manyviews.similarity import RBF, Cosine
        >>> Cosine().feature_rows(np.array([[3.0, 4.0]])), RBF().feature_rows(np.ones((1, 1)))
        (array([[0.6, 0.8]]), None)
        """
        return None


SimilarityLike: TypeAlias = (
    Similarity
    | Literal["auto", "cosine", "knn", "linear", "polynomial", "precomputed", "rbf", "self_tuning"]
)
"""A view's similarity, as an object or by its short name: ``affinity: ByView[SimilarityLike]``."""


class DataDependent(Similarity):
    """A similarity that compares nothing itself: what :meth:`fitted` returns does."""

    @abstractmethod
    def fitted(self, X: Matrix, places: IntArray | None = None) -> Similarity:
        """Return the similarity with all that depends on the rows of ``X`` chosen."""

    def gram(self, X: Matrix) -> Gram:
        """Similarities among the rows of ``X``; symmetric."""
        return self.fitted(X).gram(X)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of new rows to the rows of ``X``."""
        return self.fitted(X).cross(new, X)


class Fitted(Similarity):
    """A similarity in which all is chosen, whatever rows it sees; beside what it is fitted of."""

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Return itself."""
        return self


class EdgeSimilarity(Similarity):
    """A similarity that can weigh the edges of a graph without comparing all with all."""

    @abstractmethod
    def fitted_on(self, X: Matrix, neighbors: Neighbors) -> EdgeSimilarity:
        """Return it with all that depends on the rows chosen, given their nearest rows."""

    @abstractmethod
    def edge_weights(self, new: Matrix, X: Matrix, neighbors: Neighbors) -> FloatArray:
        """Similarities of each new row to its neighbours among the rows of ``X``."""


class PositiveSimilarity(Similarity):
    """A similarity of positive semi-definite matrices that can be had column by column."""

    @abstractmethod
    def diagonal(self, X: Matrix) -> FloatArray:
        """Similarity of each row to itself."""

    @abstractmethod
    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives the similarities of all rows of ``X`` to one of them."""
