"""The graph that objects seen in several views make of their similarities [@desa2005]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from manyviews.cluster._spectral._base import Extension, eigen_weights, extension_of
from manyviews.maths import (
    Gram,
    LowRank,
    fix_signs,
    frobenius,
    inverse_root_degrees,
    leading_eigenvectors,
    operator_eigenvectors,
)
from manyviews.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class PairingGraph:
    """The graph whose nodes are the views of the objects, tied through objects seen in two views.

    Nodes ``(i, v)`` and ``(j, w)`` of different views are tied by ``Σ_k A_v(i, k) A_w(k, j)`` over
    the objects ``k`` seen in both, Eq. (1). Its matrix is never formed: what stands on the nodes
    of a view goes through the similarities there to the objects, and from the objects through the
    similarities of the other views to their nodes.
    """

    grams: tuple[Gram, ...]
    """Similarities within each view, over the objects seen in it."""
    places: tuple[IntArray, ...]
    """Which objects these are."""
    factors: tuple[float, ...]
    """What brings the similarities of all views to the same size."""
    n_objects: int

    @property
    def sizes(self) -> list[int]:
        """Number of nodes in each view."""
        return [len(places) for places in self.places]

    def split(self, nodes: FloatArray) -> list[FloatArray]:
        """Cut what stands on all nodes into views."""
        return np.split(nodes, np.cumsum(self.sizes)[:-1])

    def within(self, block: FloatArray, view: int) -> FloatArray:
        """Multiply the similarities of a view with what stands on the objects seen in it."""
        return self.factors[view] * (self.grams[view] @ block)

    def to_objects(self, block: FloatArray, view: int) -> FloatArray:
        """Bring what stands on the nodes of a view to the objects, by similarity."""
        at_objects = np.zeros((self.n_objects, *block.shape[1:]))
        at_objects[self.places[view]] = self.within(block, view)
        return at_objects

    def send(self, block: FloatArray, source: int, target: int) -> FloatArray:
        """Bring what stands on the nodes of one view to those of another, by ``W``."""
        return self.within(self.to_objects(block, source)[self.places[target]], target)

    def from_others(self, blocks: list[FloatArray]) -> list[FloatArray]:
        """For each view, what the other views bring to the objects seen in it."""
        brought = [self.to_objects(block, view) for view, block in enumerate(blocks)]
        total = np.sum(brought, axis=0)
        return [(total - own)[places] for own, places in zip(brought, self.places, strict=True)]

    def apply(self, blocks: list[FloatArray]) -> list[FloatArray]:
        """Multiply the affinities of the nodes with what stands on them, Eq. (2)."""
        return [self.within(block, view) for view, block in enumerate(self.from_others(blocks))]


def pairing_graph(grams: Mapping[str, Gram], observed: BoolArray) -> PairingGraph:
    """Build the graph, with the similarities of all views brought to the same size.

    For two views the size of the similarities is without effect; of more than two, one whose
    similarities are larger than the others' would outweigh them.
    """
    places = tuple(np.flatnonzero(seen) for seen in observed.T)
    sizes = [frobenius(gram) / max(gram.shape[0], 1) for gram in grams.values()]
    factors = tuple(1 / size if size > 0 else 1.0 for size in sizes)
    return PairingGraph(tuple(map(_double, grams.values())), places, factors, len(observed))


def _double(gram: Gram) -> Gram:
    """Single-precision dense similarities would be converted anew for every product."""
    return np.asarray(gram, dtype=np.float64) if isinstance(gram, np.ndarray) else gram


def disagreement_extensions(
    grams: Mapping[str, Gram], observed: BoolArray, n_components: int
) -> dict[str, Extension]:
    """Place the nodes of the pairing graph by the leading eigenvectors of its Laplacian.

    Parameters
    ----------
    grams : mapping of matrices
        By view: similarities among the objects seen in it; symmetric.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view.
    n_components : int
        How many eigenvectors.

    Returns
    -------
    dict of Extension
        By view: what places an object from its similarities there. For two views the places of
        the training objects are the rows of the leading left and right singular vectors of
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
    graph = pairing_graph(grams, observed)
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
        return _times(scale, np.concatenate(graph.apply(graph.split(_times(scale, nodes)))))

    return operator_eigenvectors(laplacian, len(scale), n_components)


def _leading_of_pair(
    graph: PairingGraph, scale: FloatArray, n_components: int
) -> tuple[FloatArray, FloatArray]:
    """The same for two views: singular vectors of ``L_W``, by the eigenvectors of ``L_W L_W'``.

    The squares of the singular values lie further apart than these and their negatives, which
    are the eigenvalues of the whole graph, and the vectors are shorter.
    """
    near, far = np.argsort(graph.sizes, kind="stable")
    scales = graph.split(scale)

    def across(block: FloatArray, source: int, target: int) -> FloatArray:
        return _times(scales[target], graph.send(_times(scales[source], block), source, target))

    squares, one_side = operator_eigenvectors(
        lambda block: across(across(block, near, far), far, near), graph.sizes[near], n_components
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
    bases = [
        np.linalg.qr(part[:, None] * gram.left)[0]
        for gram, part in zip(graph.grams, graph.split(scale), strict=True)
        if isinstance(gram, LowRank)
    ]
    at_objects = np.hstack(
        [
            graph.to_objects(_times(part, basis), view)
            for view, (basis, part) in enumerate(zip(bases, graph.split(scale), strict=True))
        ]
    )
    owner = np.repeat(np.arange(len(bases)), [basis.shape[1] for basis in bases])
    core = np.where(owner[:, None] == owner, 0.0, at_objects.T @ at_objects)
    if n_components > len(core):
        raise ValueError(
            f"{n_components} eigenvectors are asked of similarities of rank {len(core)} in all "
            "views together; raise the rank of the approximation, or ask for fewer clusters."
        )
    values, vectors = leading_eigenvectors(core, n_components)
    parts = [basis @ vectors[owner == view] for view, basis in enumerate(bases)]
    return values, fix_signs(np.concatenate(parts))
