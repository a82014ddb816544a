"""Spectral clustering of the graph that pairs of views of the same objects make [@desa2005].

From the top: the graph, which is never formed; its leading eigenvectors, by three ways that suit
different similarities; the places of an object brought together; the estimator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from manyviews.cluster.spectral._shared import (
    Extension,
    SpectralClusterer,
    check_combine,
    eigen_weights,
    extension_of,
    refuse_left_out,
)
from manyviews.data import Views
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import (
    Gram,
    LowRank,
    fix_signs,
    frobenius,
    inverse_root_degrees,
    leading_eigenvectors,
    operator_eigenvectors,
)
from manyviews.similarity import SimilarityLike, ViewSimilarities
from manyviews.typing import (
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    RandomState,
    Repeats,
    Verbosity,
)

__all__ = ["MinDisagreementSpectral", "min_disagreement_embedding"]

AVERAGE = "average"


@dataclass(frozen=True)
class PairingGraph:
    """The graph whose nodes are the views of the objects, tied through objects seen in two views.

    Nodes ``(i, v)`` and ``(j, w)`` of different views are tied by ``Σ_k A_v(i, k) A_w(k, j)`` over
    the objects ``k`` seen in both, Eq. (1). Its matrix is never formed: what stands on the nodes
    of a view goes through the similarities there to the objects, and from the objects through the
    similarities of the other views to their nodes.
    """

    grams: list[Gram]
    """Similarities within each view, over the objects seen in it."""
    objects: list[IntArray]
    """Which objects these are."""
    factors: list[float]
    """What brings the similarities of all views to the same size."""
    n_objects: int

    @classmethod
    def of(cls, grams: Mapping[str, Gram], observed: BoolArray) -> PairingGraph:
        """The graph of similarities that are brought to the same root mean square.

        For two views their size is without effect; of more than two, one whose similarities are
        larger than the others' would outweigh them.
        """
        sizes = [frobenius(gram) / max(gram.shape[0], 1) for gram in grams.values()]
        factors = [1 / size if size > 0 else 1.0 for size in sizes]
        double = [  # single precision would be converted anew for every product
            np.asarray(gram, dtype=np.float64) if isinstance(gram, np.ndarray) else gram
            for gram in grams.values()
        ]
        return cls(double, [np.flatnonzero(seen) for seen in observed.T], factors, len(observed))

    @property
    def sizes(self) -> list[int]:
        """Number of nodes in each view."""
        return [len(objects) for objects in self.objects]

    def split(self, nodes: FloatArray) -> list[FloatArray]:
        """Cut what stands on all nodes into views."""
        return np.split(nodes, np.cumsum(self.sizes)[:-1])

    def within(self, block: FloatArray, view: int) -> FloatArray:
        """``A_v`` times what stands on the objects seen in a view."""
        return self.factors[view] * (self.grams[view] @ block)

    def to_objects(self, block: FloatArray, view: int) -> FloatArray:
        """``A_v`` times what stands on the nodes of a view, zero for objects not seen in it."""
        at_objects = np.zeros((self.n_objects, *block.shape[1:]))
        at_objects[self.objects[view]] = self.within(block, view)
        return at_objects

    def from_others(self, blocks: list[FloatArray]) -> list[FloatArray]:
        """For each view, what the other views bring to the objects seen in it."""
        brought = [self.to_objects(block, view) for view, block in enumerate(blocks)]
        total = np.sum(brought, axis=0)
        return [(total - own)[objects] for own, objects in zip(brought, self.objects, strict=True)]


def disagreement_extensions(
    grams: Mapping[str, Gram], observed: BoolArray, n_components: int
) -> dict[str, Extension]:
    """Place the nodes of the pairing graph by the leading eigenvectors of its Laplacian.

    By view: what places an object from its similarities there. For two views the places of the
    training objects are the rows of the leading left and right singular vectors of
    ``D_row^{-1/2} A_1 A_2 D_col^{-1/2}``, brought to unit length.

    Examples
    --------
    >>> first = np.kron(np.eye(2), np.ones((2, 2)))
    >>> grams = {"first": first, "second": first + 0.1}
    >>> found = disagreement_extensions(grams, np.ones((4, 2), dtype=bool), 2)
    >>> rows = found["first"].place(first)
    >>> np.abs(rows @ rows.T).round(2)[0]
    array([1., 1., 0., 0.])
    """
    if len(grams) == 1:
        return {name: extension_of(gram, n_components) for name, gram in grams.items()}
    graph = PairingGraph.of(grams, observed)
    # Degrees of the nodes are the products of the graph with ones; of that product, all but the
    # last factor A_v is what a new object's similarities are multiplied with.
    reach = graph.from_others([np.ones(size) for size in graph.sizes])
    scale = np.concatenate(
        [
            inverse_root_degrees(graph.within(ones, view)[:, None], kind=f"view {name!r}: row")
            for view, (name, ones) in enumerate(zip(grams, reach, strict=True))
        ]
    )
    values, vectors = _leading_nodes(graph, scale, n_components)
    contributions = graph.from_others(graph.split(scale[:, None] * vectors))
    return {
        name: Extension(eigen_weights(block, values, scale), ones)
        for name, block, ones in zip(grams, contributions, reach, strict=True)
    }


def _leading_nodes(
    graph: PairingGraph, scale: FloatArray, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors of ``D^{-1/2} A_sMD D^{-1/2}``; the nodes stand view by view."""
    if all(isinstance(gram, LowRank) for gram in graph.grams):
        return _leading_in_range(graph, scale, n_components)
    if len(graph.grams) == 2 and n_components <= min(graph.sizes):
        return _leading_of_pair(graph, scale, n_components)

    def laplacian(nodes: FloatArray) -> FloatArray:
        brought = graph.from_others(graph.split(_times(scale, nodes)))
        products = [graph.within(block, view) for view, block in enumerate(brought)]  # Eq. (2)
        return _times(scale, np.concatenate(products))

    return operator_eigenvectors(laplacian, len(scale), n_components)


def _leading_of_pair(
    graph: PairingGraph, scale: FloatArray, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """The same for two views: singular vectors of ``L_W``, by the eigenvectors of ``L_W L_W'``.

    The squares of the singular values lie further apart than these and their negatives, which
    are the eigenvalues of the whole graph, and the vectors are shorter.
    """
    # Iterate on the view with fewer nodes; the other side follows by one product.
    near, far = np.argsort(graph.sizes, kind="stable")
    scales = graph.split(scale)

    def across(block: FloatArray, source: int, target: int) -> FloatArray:
        at_objects = graph.to_objects(_times(scales[source], block), source)
        return _times(scales[target], graph.within(at_objects[graph.objects[target]], target))

    squares, one_side = operator_eigenvectors(
        # L_W L_W' with L_W = D_row^{-1/2} W D_col^{-1/2} of section 1, a factor at a time
        lambda block: across(across(block, near, far), far, near),
        graph.sizes[near],
        n_components,
    )
    values = np.sqrt(np.maximum(squares, 0.0))
    other_side = across(one_side, near, far)
    other_side = np.divide(other_side, values, out=np.zeros_like(other_side), where=values > 0)
    sides = [one_side, other_side] if near == 0 else [other_side, one_side]
    return values, fix_signs(np.concatenate(sides))


def _times(scale: FloatArray, nodes: FloatArray) -> FloatArray:
    return scale.reshape(-1, *[1] * (nodes.ndim - 1)) * nodes


def _leading_in_range(
    graph: PairingGraph, scale: FloatArray, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """The same for similarities of low rank: the Laplacian maps into the span of their factors."""
    scales = graph.split(scale)
    bases = [
        np.linalg.qr(part[:, None] * gram.left)[0]
        for gram, part in zip(graph.grams, scales, strict=True)
        if isinstance(gram, LowRank)
    ]
    images = [
        graph.to_objects(_times(part, basis), view)
        for view, (basis, part) in enumerate(zip(bases, scales, strict=True))
    ]
    at_objects = np.hstack(images)
    owner = np.repeat(np.arange(len(bases)), [basis.shape[1] for basis in bases])
    # Nodes of the same view are not tied: its diagonal block is zero.
    core = np.where(owner[:, None] == owner, 0.0, at_objects.T @ at_objects)
    if n_components > len(core):
        raise ValueError(
            f"{n_components} eigenvectors are asked of similarities of rank {len(core)} in all "
            "views together; raise the rank of the approximation, or ask for fewer clusters."
        )
    values, vectors = leading_eigenvectors(core, n_components)
    parts = [basis @ vectors[owner == view] for view, basis in enumerate(bases)]
    return values, fix_signs(np.concatenate(parts))


def merge_places(
    placed: Mapping[str, FloatArray], observed: BoolArray, preferred: str | None = None
) -> FloatArray:
    """Bring the places that an object has in the views together.

    Each view has one row for each object seen in it; a row of zeros says nothing. The rows of the
    ``preferred`` view are taken as they are, where it has any; else rows are averaged.

    Examples
    --------
    >>> placed = {"a": np.array([[1.0, 0.0]]), "b": np.array([[0.0, 1.0], [0.0, 1.0]])}
    >>> merge_places(placed, np.array([[True, True], [False, True]]))
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    n_components = next(iter(placed.values())).shape[1]
    total, count = np.zeros((len(observed), n_components)), np.zeros((len(observed), 1))
    for rows, seen in zip(placed.values(), observed.T, strict=True):
        says = rows.any(axis=1)
        total[np.flatnonzero(seen)[says]] += rows[says]
        count[np.flatnonzero(seen)[says]] += 1
    merged = total / np.maximum(count, 1)
    if preferred is not None:
        rows, seen = placed[preferred], observed[:, list(placed).index(preferred)]
        says = rows.any(axis=1)
        merged[np.flatnonzero(seen)[says]] = rows[says]
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
        check_combine(self.combine, AVERAGE, views.names)
        found = super()._compare(views)
        refuse_left_out(self.combine, self.view_weights_)
        _refuse_unpaired(views.subset(list(found[1])))
        return found

    def _fills_gaps(self) -> bool:
        return False  # objects are compared through pairs

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
