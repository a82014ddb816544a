"""Spectral clustering in which views teach each other their leading eigenvectors [@kumar2013]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np

from manyviews.cluster._spectral._base import SpectralClusterer, refuse_left_out
from manyviews.cluster._spectral._co_training import CoTraining, co_train
from manyviews.data import Views
from manyviews.exceptions import UnknownViewError
from manyviews.maths import Gram, unit_rows
from manyviews.similarity import SimilarityLike, ViewSimilarities
from manyviews.typing import (
    BoolArray,
    ByView,
    Count,
    FloatArray,
    Interval,
    RandomState,
    Repeats,
    Verbosity,
)

CONCAT = "concat"


class CoTrainedSpectral(SpectralClusterer):
    """Cluster objects whose views each tell most of the clusters, and err in different places.

    Take it where the views are graphs or kernels with wrong similarities in different places.
    Where one view is much worse than the others, :class:`CoRegularizedSpectral` is safer.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of eigenvectors in each view.
    affinity : Similarity, name, list or dict
        How alike two objects are in a view: ``"rbf"``, ``RBF(gamma=0.5)``, ``KNNGraph(10)``, for
        all views or one per view; not negative on the whole (rows sum to zero or more).
    n_iter : int
        Number of rounds. The first brings most; 0 leaves each view as it is.
    combine : str
        ``"concat"``: the eigenvectors of all views side by side. The name of a view, when it is
        known to tell more than the others: only its own.
    view_weights : "auto" or None
        With "auto" a view that looks empty of structure (``view_structure_``) is left out; with
        None all views take part.
    n_init : int
        Number of starts of k-means.
    random_state : int, Generator or None
        Seed of the starts.
    verbose : int
        1 tells what is being done.

    Attributes
    ----------
    labels_ : array of shape (n_objects,)
        Cluster of each object.
    embedding_ : array of shape (n_objects, n_coordinates)
        Coordinates of the objects, which k-means has clustered.
    view_embeddings_ : dict of arrays of shape (n_objects, n_clusters)
        By view: the rows of its eigenvectors after the last round, of unit length.
    agreement_history_ : array of shape (n_rounds + 1, n_views)
        How much of a view's space lies in the others', at first and after each round:
        ``tr(U_i U_iᵀ U_j U_jᵀ) / k``, the mean over the other views. It jumps in the first round
        where views tell the same, and zigzags or stays low where they contradict each other.
    shift_history_ : array of shape (n_rounds, n_views)
        The constant that made the similarities of each round non-negative.
    cluster_centers_ : array of shape (n_clusters, n_coordinates)
        Centres of the clusters in the coordinates of ``embedding_``.
    co_training_ : CoTraining
        What places new objects.
    view_structure_ : dict of ViewStructure
        By view: how much structure it has, and whether it looks empty.
    view_weights_ : dict of float
        1 for the views that take part, 0 for those left out.
    similarities_ : ViewSimilarities
        What compares new objects with the training objects.
    n_iter_ : int
        Number of rounds run; 0 with one view.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.cluster import CoTrainedSpectral
    >>> views = {"size": [[1.0], [1.2], [5.0], [5.1]], "colour": [[0.0], [0.3], [3.0], None]}
    >>> model = CoTrainedSpectral(n_clusters=2, affinity="rbf", random_state=0).fit(views)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    >>> new = model.predict({"size": [[4.8]], "colour": None})
    >>> bool(new[0] == model.labels_[2])
    True

    Notes
    -----
    **Objective**
        None is optimised, and rounds need not converge. In each view the normalised cut is relaxed
        to ``max tr(Uᵀ L_v U)`` with ``UᵀU = I`` and ``L_v = D_v^{-1/2} S_v D_v^{-1/2}``. At first
        ``S_v`` is the similarity ``K_v`` of the view; then, round by round,
        ``S_v = sym((Σ_{i≠v} U_i U_iᵀ) K_v)`` with ``sym(A) = (A + Aᵀ) / 2``: of what a view says,
        what the other views' eigenvectors can express is kept, the rest is thrown away
        (Algorithm 1; §3.2 for more than two views).

    **Symbols**
        ``K_v`` → what ``affinity`` gives; ``k`` → ``n_clusters``; ``iter`` → ``n_iter``;
        ``U_v`` → ``view_embeddings_`` (rows of unit length); ``V`` → ``embedding_``; "the most
        informative view" → ``combine``.

    **Algorithm**
        1. Similarities in each view, gaps filled from the other views (``fit_similarities``).
        2. Leading eigenvectors of each view alone (``co_train``); those of a sparse graph to a
           residual of 5e-5 if rounds follow, after which the result is within about 2e-4.
        3. ``n_iter`` times: ``S_v`` of each view as a matrix of low rank
           ``½ Σ_i (U_i (K_v U_i)ᵀ + (K_v U_i) U_iᵀ)``, made non-negative (``seen_by_others``,
           ``smallest_entry``), and its leading eigenvectors, exactly, from a small problem.
        4. Rows of unit length, of one view or of all views side by side, and k-means.

    **Deviations**
        *Negative entries* (§3.2.1): the text adds "a rank-1 matrix that has all its entries equal
        to the minimum negative entry". Added as it is printed it would make entries smaller still;
        it is subtracted here, so that the smallest entry becomes zero. The smallest entry is found
        exactly. This makes degrees non-negative, but not, as the text says, the Laplacian positive
        semi-definite: its eigenvalues lie between -1 and 1. The constant can be several times the
        mean similarity, which evens out the degrees; see ``shift_history_``. *Eigenvalues that are
        not positive*: their eigenvectors are arbitrary or point away from the clusters; they are
        set to zero, where the text would go on with whatever the eigen-solver returns. Two views
        that contradict each other exactly then lose all but the constant, and there is nothing to
        cluster. *One view*: the clustering of Ng, Jordan and Weiss, without any round. The diagonal
        of ``K_v`` is kept. *New objects* are not in the text: they go through the same rounds, each
        time by the Nyström extension; a training object that comes again gets its own row.

    **Complexity**
        The eigenvectors of each view once. In each of the rounds and for each of V views a product
        of ``K_v`` with m = (V - 1) k vectors (dense O(n² m), sparse O(non-zeros m)), O(n m²) for
        the eigenvectors, and the smallest entry, O(n² m) at worst and mostly a small part of it.
        No matrix of n × n is formed unless ``affinity`` gives one. Kept for new objects: n k
        numbers per view and round.

    References
    ----------
    [@kumar2013], [@ng2001]
    """

    view_embeddings_: dict[str, FloatArray]
    agreement_history_: FloatArray
    shift_history_: FloatArray
    co_training_: CoTraining
    n_iter_: int

    def __init__(
        self,
        n_clusters: Count = 8,
        affinity: ByView[SimilarityLike] = "auto",
        *,
        n_iter: Annotated[int, Interval(0, 10_000)] = 5,
        combine: str = CONCAT,
        view_weights: Literal["auto"] | None = "auto",
        n_init: Repeats = 10,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.n_iter = n_iter
        self.combine = combine
        self.view_weights = view_weights
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def _compare(self, views: Views) -> tuple[ViewSimilarities, dict[str, Gram]]:
        if self.combine != CONCAT and self.combine not in views.names:
            known = ", ".join(map(repr, (CONCAT, *views.names)))
            raise UnknownViewError(
                f"combine={self.combine!r} is none of {known}; give one of them."
            )
        found = super()._compare(views)
        refuse_left_out(self.combine, self.view_weights_)
        return found

    def _embed(self, grams: Mapping[str, Gram], observed: BoolArray) -> FloatArray:  # noqa: ARG002
        self.co_training_ = co_train(grams, self.n_clusters, self.n_iter)
        self.n_iter_ = len(self.co_training_.rounds)
        self.shift_history_ = self.co_training_.shifts
        self.agreement_history_ = self.co_training_.agreement
        self.view_embeddings_ = _directions(self.co_training_.embeddings)
        return self._combined(self.view_embeddings_)

    def _place(self, cross: Mapping[str, Gram], observed: BoolArray) -> FloatArray:  # noqa: ARG002
        return self._combined(_directions(self.co_training_.place(cross)))

    def _combined(self, placed: Mapping[str, FloatArray]) -> FloatArray:
        if self.combine == CONCAT:
            return np.hstack(list(placed.values()))
        return placed[self.combine]


def _directions(placed: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Rows of unit length; step 4 of Algorithm 1."""
    return {name: unit_rows(rows) for name, rows in placed.items()}
