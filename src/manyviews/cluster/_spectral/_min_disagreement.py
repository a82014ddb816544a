"""Spectral clustering of the graph that pairs of views of the same objects make [@desa2005]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from manyviews.cluster._spectral._base import Extension, SpectralClusterer, refuse_left_out
from manyviews.cluster._spectral._pairing_graph import disagreement_extensions
from manyviews.data import Views
from manyviews.exceptions import UnknownViewError, UnobservedViewsError
from manyviews.maths import Gram
from manyviews.similarity import SimilarityLike, ViewSimilarities
from manyviews.typing import BoolArray, ByView, Count, FloatArray, RandomState, Repeats, Verbosity

AVERAGE = "average"


def merge_places(
    placed: Mapping[str, FloatArray], observed: BoolArray, preferred: str | None = None
) -> FloatArray:
    """Bring the places that an object has in the views together.

    Parameters
    ----------
    placed : mapping of arrays
        By view: one row for each object seen in it; a row of zeros says nothing.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view.
    preferred : str, optional
        A view whose rows are taken as they are, where it has any; else rows are averaged.

    Examples
    --------
    >>> placed = {"a": np.array([[1.0, 0.0]]), "b": np.array([[0.0, 1.0], [0.0, 1.0]])}
    >>> merge_places(placed, np.array([[True, True], [False, True]]))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    n_components = next(iter(placed.values())).shape[1]
    total, count = np.zeros((len(observed), n_components)), np.zeros((len(observed), 1))
    known = {}
    for (name, rows), seen in zip(placed.items(), observed.T, strict=True):
        says = rows.any(axis=1)
        known[name] = np.flatnonzero(seen)[says], rows[says]
        total[known[name][0]] += known[name][1]
        count[known[name][0]] += 1
    merged = total / np.maximum(count, 1)
    if preferred is not None:
        places, rows = known[preferred]
        merged[places] = rows
    return merged


def min_disagreement_embedding(
    affinities: Mapping[str, Gram], n_components: int, *, observed: BoolArray | None = None
) -> FloatArray:
    """Place objects as :class:`MinDisagreementSpectral` does, without clustering the places.

    Parameters
    ----------
    affinities : mapping of matrices
        By view: similarities among the objects seen in it; symmetric.
    n_components : int
        How many coordinates.
    observed : array of bool of shape (n_objects, n_views), optional
        Which object is seen in which view; by default all in all.

    Returns
    -------
    array of shape (n_objects, n_components)

    Examples
    --------
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> Y = min_disagreement_embedding({"first": pairs, "second": pairs}, 2)
    >>> np.abs(np.round(Y @ Y.T, 6))[0]
    array([1., 1., 0., 0.])
    """
    if observed is None:
        n_objects = next(iter(affinities.values())).shape[0]
        observed = np.ones((n_objects, len(affinities)), dtype=bool)
    found = disagreement_extensions(affinities, observed, n_components)
    return merge_places(
        {name: found[name].place(own) for name, own in affinities.items()}, observed
    )


class MinDisagreementSpectral(SpectralClusterer):
    """Cluster objects so that their views disagree least, also where many lack a view.

    Take it where most objects were seen in one view only and are compared by a dense kernel: the
    objects that were seen in two or more views connect the others. With graphs of neighbours, or
    with all views complete, :class:`CoRegularizedSpectral` is the first choice.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of eigenvectors.
    affinity : Similarity, name, list or dict
        How alike two objects are in a view: ``"rbf"``, ``RBF(gamma=0.5)``, ``KNNGraph(10)``, for
        all views or one per view; not negative on the whole (rows sum to more than zero).
    combine : str
        ``"average"``: the rows of an object in all its views are averaged before k-means. The name
        of a view, when it is far more reliable than the others: its rows are taken, and
        the others' for the objects that lack it.
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
    embedding_ : array of shape (n_objects, n_clusters)
        Coordinates of the objects, which k-means has clustered.
    cluster_centers_ : array of shape (n_clusters, n_clusters)
        Centres of the clusters in these coordinates.
    extensions_ : dict of Extension
        By view, what places an object from its similarities to the training objects.
    view_structure_ : dict of ViewStructure
        By view: how much structure it has, and whether it looks empty.
    view_weights_ : dict of float
        1 for the views that take part, 0 for those left out.
    similarities_ : ViewSimilarities
        What compares new objects with the training objects.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.cluster import MinDisagreementSpectral
    >>> views = {"size": [[1.0], [1.2], [5.0], None], "colour": [[0.0], None, [3.0], [3.1]]}
    >>> model = MinDisagreementSpectral(n_clusters=2, affinity="rbf", random_state=0).fit(views)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    >>> new = model.predict({"size": [[4.8]], "colour": None})  # with either view alone
    >>> bool(new[0] == model.labels_[2])
    True

    Notes
    -----
    **Objective**
        The normalised cut of a graph with one node for each view of each object. A node in one
        view is tied to a node in another by how alike the two are to the objects that are seen in
        both views, ``w_ij = Σ_k A_1(i, k) A_2(k, j)``, ``W = A_1 A_2``, Eq. (1) and (2), with
        ``k`` over the paired objects only. Nodes of the same view are not tied, so a cut can only
        be paid for by views that disagree. The cut is relaxed to the leading eigenvectors of
        ``D^{-1/2} [[0, W], [W', 0]] D^{-1/2}``, the singular vectors of
        ``L_W = D_row^{-1/2} W D_col^{-1/2}``.

    **Symbols**
        ``A_v1``, ``A_v2`` → the similarities that ``affinity`` gives, over the objects each view
        shows; ``p`` paired objects and ``m``, ``n`` with one view → the presence mask of the
        views; ``Y`` → :meth:`place`, averaged in ``embedding_``.

    **Algorithm**
        1. Similarities within each view, without filling any gap (``observed_similarities``).
        2. Leading eigenvectors of the graph's Laplacian by products with each ``A_v``, without
           ever forming ``W``; low-rank similarities are solved exactly in the span of their
           factors (``disagreement_extensions``).
        3. Rows of unit length, the nodes of an object brought together (``merge_places``),
           k-means.

    **Deviations**
        *More than two views*: all pairs of views make one graph with a node for each view of each
        object, and ties ``W_vw = A_v A_w`` between all pairs of different views. Each view's
        similarities are first divided by their root mean square, so that no pair of views
        outweighs the others by the units of its similarities. With two views this is the paper's
        graph, and that scale is without effect; with one view there are no pairs, and the method is
        the spectral clustering of Ng, Jordan and Weiss on ``A`` itself (its diagonal kept).
        *Objects with one view* get that view's row. The paper takes view 1 for paired objects in
        its experiments and the mean where views are equally reliable: this is ``combine``. *New
        objects* get the Nyström extension, from either view alone, which the paper announces.
        Rows that are zero, of an object like no paired one, take no part in the mean (the paper's
        listing divides by zero there).

    **Complexity**
        Two products of each view's similarities with a vector per step of the eigen-solver: dense
        O(n²), sparse O(non-zeros), low rank O(n r²) in all. A new object costs one row of
        similarities per view.

    References
    ----------
    [@desa2005], [@ng2001]
    """

    extensions_: dict[str, Extension]

    def __init__(
        self,
        n_clusters: Count = 8,
        affinity: ByView[SimilarityLike] = "auto",
        *,
        combine: str = AVERAGE,
        view_weights: Literal["auto"] | None = "auto",
        n_init: Repeats = 10,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.combine = combine
        self.view_weights = view_weights
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def _compare(self, views: Views) -> tuple[ViewSimilarities, dict[str, Gram]]:
        if self.combine != AVERAGE and self.combine not in views.names:
            known = ", ".join(map(repr, (AVERAGE, *views.names)))
            raise UnknownViewError(
                f"combine={self.combine!r} is none of {known}; give one of them."
            )
        found = super()._compare(views)
        refuse_left_out(self.combine, self.view_weights_)
        _refuse_unpaired(views.subset(list(found[1])))
        return found

    def _filled(self, fitted: ViewSimilarities, found: Mapping[str, Gram]) -> dict[str, Gram]:  # noqa: ARG002
        return dict(found)  # objects are compared through pairs

    def _cross(self, views: Views) -> dict[str, Gram]:
        return self.similarities_.cross_observed(views)

    def _embed(self, grams: Mapping[str, Gram], observed: BoolArray) -> FloatArray:
        self.extensions_ = disagreement_extensions(grams, observed, self.n_clusters)
        return self._place(grams, observed)

    def _place(self, cross: Mapping[str, Gram], observed: BoolArray) -> FloatArray:
        placed = {name: self.extensions_[name].place(gram) for name, gram in cross.items()}
        return merge_places(placed, observed, None if self.combine == AVERAGE else self.combine)


def _refuse_unpaired(views: Views) -> None:
    """Refuse a view that nothing ties to the others."""
    if views.n_views == 1:
        return
    paired = views.observed.sum(axis=1) > 1
    for name in views.names:
        if not (views.observed_in(name) & paired).any():
            raise UnobservedViewsError(
                f"view {name!r} is never seen together with another view, so nothing ties it to "
                "the others; leave it out, or add objects that are seen in it and in another."
            )
