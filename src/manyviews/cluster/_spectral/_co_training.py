"""Each view's graph as the other views see it, round by round [@kumar2013]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from manyviews.cluster._spectral._smallest_entry import smallest_entry
from manyviews.maths import (
    Gram,
    LowRank,
    Ordered,
    column_signs,
    gram_eigenvectors,
    in_order,
    inverse_root_degrees,
    leading_eigenvectors,
    scaled,
    weighted_triangle,
)
from manyviews.typing import FloatArray, is_sparse

_NOTHING = 1e-10
"""An eigenvalue below this share of the largest is zero: its eigenvector could be any."""
_EXACT, _ROUGH = 1e-9, 5e-5
"""Accuracy of the first eigenvectors, and of those of a sparse graph that rounds will change: this
is enough for the same clusters, and it can be reached in single precision."""


@dataclass(frozen=True)
class Placing:
    """The eigenvectors of a normalised graph as a function of a row of the graph.

    An eigenvector ``u`` of ``D^{-1/2} S D^{-1/2}`` with eigenvalue ``λ`` has at an object ``x`` the
    entry ``Σ_j S_xj u_j / sqrt(d_x d_j) / λ``. A row of ``S`` is known by its coordinates: the row
    itself, or where ``S`` is of low rank the row of its left factor.
    """

    weights: FloatArray
    """Eigenvectors over ``λ sqrt(d)``, brought to the coordinates."""
    reach: FloatArray
    """What each coordinate adds to the degree."""
    least_degree: float
    """Up to this degree, which is rounding, an object counts as tied to none."""

    def place(self, coordinates: Gram | Ordered) -> FloatArray:
        """One row per object; zero for an object that is tied to none."""
        degrees = _times(coordinates, self.reach)
        tied = degrees > self.least_degree
        scale = np.divide(1.0, np.sqrt(np.abs(degrees)), out=np.zeros_like(degrees), where=tied)
        return scale[:, None] * _times(coordinates, self.weights)


@dataclass(frozen=True)
class Seen:
    """Symmetric similarities ``L C Lᵀ`` of low rank, with ``L = [U, K U, 1]``.

    L is left in its parts: to put them side by side takes longer than to multiply with them.
    """

    parts: tuple[FloatArray, FloatArray, FloatArray]
    core: FloatArray

    def toarray(self) -> FloatArray:
        """The matrix itself."""
        left = np.hstack(self.parts)
        return left @ self.core @ left.T

    def sums(self) -> FloatArray:
        """Sums of the columns of L."""
        return np.concatenate([part.sum(axis=0) for part in self.parts])

    def times(self, weights: FloatArray) -> FloatArray:
        """Multiply L with a vector or a block of vectors."""
        vectors, images, _ = self.parts
        width = vectors.shape[1]
        product: FloatArray = vectors @ weights[:width]
        product += images @ weights[width:-1]
        product += weights[-1]
        return product


@dataclass(frozen=True)
class CoTraining:
    """What came out, with what placing new objects takes; all mappings are by view."""

    start: dict[str, Placing]
    rounds: list[dict[str, Placing]]
    vectors: list[dict[str, FloatArray]]
    """The eigenvectors before each round."""
    embeddings: dict[str, FloatArray]
    """The eigenvectors after the last round."""
    shifts: FloatArray
    """What was added to every similarity, rounds × views."""
    agreement: FloatArray
    """Mean share of a view's space that lies in another's, before and after rounds × views."""

    def place(self, cross: Mapping[str, Gram]) -> dict[str, FloatArray]:
        """Let new objects go through all rounds, by their similarities to the training objects."""
        placed = {name: self.start[name].place(gram) for name, gram in cross.items()}
        for known, placing in zip(self.vectors, self.rounds, strict=True):
            images = {name: _times(cross[name], _others(known, name)) for name in cross}
            placed = {
                name: placing[name].place(_coordinates(_others(placed, name), images[name]))
                for name in cross
            }
        return placed


def co_train(grams: Mapping[str, Gram], n_components: int, n_iter: int) -> CoTraining:
    """Project each view's similarities on the leading eigenvectors of the others, and repeat.

    Parameters
    ----------
    grams : mapping of matrices of shape (n, n)
        By view: symmetric similarities, dense, sparse or low-rank; rows sum to zero or more.
    n_components : int
        Number of eigenvectors in each view.
    n_iter : int
        Number of rounds; with one view there is nothing to learn from and none is run.

    Examples
    --------
    >>> halves = np.kron(np.eye(2), np.ones((2, 2)))
    >>> clear, vague = halves + 0.1, halves + 2.0
    >>> found = co_train({"clear": clear, "vague": vague}, 2, n_iter=3)
    >>> found.agreement[-1].round(6)
    array([1., 1.])
    """
    n_rounds = n_iter if len(grams) > 1 else 0
    near = {name: in_order(gram) for name, gram in grams.items()}
    start = {
        name: _start(near[name], gram, n_components, last=n_rounds == 0)
        for name, gram in grams.items()
    }
    vectors = [{name: start[name].place(gram) for name, gram in near.items()}]
    rounds, shifts = [], []
    for _ in range(n_rounds):
        graphs = {name: seen_by_others(gram, vectors[-1], name) for name, gram in near.items()}
        found = {name: _of_low_rank(graph, n_components) for name, graph in graphs.items()}
        rounds.append({name: placing for name, (placing, _) in found.items()})
        vectors.append({name: placed for name, (_, placed) in found.items()})
        shifts.append([float(graph.core[-1, -1]) for graph in graphs.values()])
    return CoTraining(
        start,
        rounds,
        vectors[:-1],
        vectors[-1],
        np.array(shifts).reshape(len(rounds), len(grams)),
        np.array([agreement(list(one.values())) for one in vectors]),
    )


def seen_by_others(gram: Gram | Ordered, vectors: Mapping[str, FloatArray], name: str) -> Seen:
    """Return a view's similarities, projected on what the other views see, none below zero.

    Examples
    --------
    >>> U = np.array([[0.0, 1.0], [0.6, 0.0], [0.8, 0.0]])
    >>> K = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 5.0], [1.0, 5.0, 0.0]])
    >>> seen_by_others(K, {"this": np.zeros((3, 2)), "other": U}, "this").toarray().round(2)
    array([[0.  , 0.92, 1.06],
           [0.92, 2.4 , 2.5 ],
           [1.06, 2.5 , 2.4 ]])
    """
    theirs = _others(vectors, name)
    images = _times(gram, theirs)
    shift = max(0.0, -smallest_entry(theirs, images))
    halves = np.kron([[0.0, 0.5], [0.5, 0.0]], np.eye(theirs.shape[1]))
    # S_v = sym(Σ U_i U_iᵀ K_v), steps 1 and 2 of Algorithm 1, plus the constant of §3.2.1
    ones = np.ones((len(theirs), 1))
    return Seen((theirs, images, ones), block_diag(halves, shift))


def agreement(bases: list[FloatArray]) -> FloatArray:
    """Mean share of each space that lies in each of the others: ``tr(U_i U_iᵀ U_j U_jᵀ) / k``.

    One for the same space, zero for spaces at right angles; one where there is no other.

    Examples
    --------
    >>> agreement([np.eye(3)[:, :2], np.eye(3)[:, 1:]])
    array([0.5, 0.5])
    """
    if len(bases) == 1:
        return np.ones(1)
    shares = [[float(np.sum((one.T @ other) ** 2)) for other in bases] for one in bases]
    between = np.array(shares) * (1 - np.eye(len(bases)))
    return between.sum(axis=1) / ((len(bases) - 1) * bases[0].shape[1])


def _start(near: Gram | Ordered, gram: Gram, n_components: int, *, last: bool) -> Placing:
    """The eigenvectors of one view alone, of L_v = D_v^{-1/2} K_v D_v^{-1/2}."""
    scale = inverse_root_degrees(gram)
    whole = near.scaled(scale) if isinstance(near, Ordered) else scaled(near, scale, scale)
    tol = _ROUGH if is_sparse(gram) and not last else _EXACT
    values, vectors = gram_eigenvectors(whole, n_components, tol=tol)
    weights = scale[:, None] * _over(vectors, values)
    return Placing(weights, np.ones(len(weights)), 0.0)


def _of_low_rank(graph: Seen, n_components: int) -> tuple[Placing, FloatArray]:
    """The eigenvectors of a graph without negative weights; step 3 of Algorithm 1.

    With ``D^{-1/2} L = Q T`` they are ``Q y``, where ``T C Tᵀ y = λ y``; and since ``λ Q y`` is
    ``D^{-1/2} L C Tᵀ y``, it takes only the triangle ``T``.
    """
    reach = graph.core @ graph.sums()
    degrees = graph.times(reach)
    least = len(degrees) * np.finfo(np.float64).eps * float(degrees.max())
    tied = degrees > least
    scale = np.divide(1.0, np.sqrt(np.abs(degrees)), out=np.zeros_like(degrees), where=tied)
    inner = weighted_triangle(graph.parts, scale)
    values, vectors = leading_eigenvectors(inner @ graph.core @ inner.T, n_components)
    weights = graph.core @ inner.T @ _over(vectors, values)
    placed = graph.times(weights)
    placed *= scale[:, None]
    signs = column_signs(placed)
    placed *= signs
    return Placing(weights * signs, reach, least), placed


def _over(vectors: FloatArray, values: FloatArray) -> FloatArray:
    """Divide eigenvectors by their eigenvalues; those of none or of a negative one become zero."""
    known = values > _NOTHING * np.abs(values).max(initial=0.0)
    return vectors * np.divide(1.0, values, out=np.zeros_like(values), where=known)


def _others(vectors: Mapping[str, FloatArray], name: str) -> FloatArray:
    """The columns of all views but one, side by side."""
    return np.hstack([columns for other, columns in vectors.items() if other != name])


def _coordinates(vectors: FloatArray, images: FloatArray) -> FloatArray:
    """The left factor of the projected similarities: ``[U, K U, 1]``."""
    return np.hstack([vectors, images, np.ones((len(vectors), 1))])


def _times(gram: Gram | Ordered, block: FloatArray) -> FloatArray:
    """A product that leaves similarities in single precision as they are, without a copy."""
    if isinstance(gram, LowRank):
        return gram @ block
    return np.asarray(gram @ block.astype(gram.dtype, copy=False), dtype=np.float64)
