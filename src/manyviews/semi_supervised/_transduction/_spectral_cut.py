"""The cheapest cut of a graph that keeps to given labels, among its smooth cuts [@joachims2003]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import brentq

from manyviews.maths import (
    Gram,
    LowRank,
    fix_signs,
    gram_eigenvectors,
    inverse_root_degrees,
    operator_eigenvectors,
    scaled,
)
from manyviews.typing import BoolArray, FloatArray, IntArray, is_sparse

_TIE = 1e-7
"""Eigenvalues this close, relative to the largest, are one that occurs several times."""
_EIGEN_ACCURACY = 1e-7
_STRONGEST = 1e12
"""A larger ``c`` moves labelled objects by less than rounding, and the penalties get lost in it."""
_ROUNDING = 1e-12
"""Parts of a vector below this share of it are nothing."""


@dataclass(frozen=True)
class SmoothCuts:
    """Functions on a graph from smooth to rough: ``z = V w`` with ``wᵀ w = n``."""

    basis: FloatArray
    """``V``, a column per eigenvector; rows of zeros for objects without any edge."""
    penalties: FloatArray
    """What a unit of each column costs in place of the eigenvalues: 1, 4, 9, …"""


@dataclass(frozen=True)
class CutTargets:
    """Where the labelled objects of a two-class problem are drawn to, and how strongly."""

    positive: float
    """``γ₊``."""
    negative: float
    """``γ₋``."""
    rows: IntArray
    """The labelled objects."""
    wanted: FloatArray
    """``γ`` of each of them."""
    strengths: FloatArray
    """``C`` of each of them, by which both classes weigh the same in all."""

    @property
    def threshold(self) -> float:
        """Above it an object is positive."""
        return (self.positive + self.negative) / 2

    def standardised(self, values: FloatArray) -> FloatArray:
        """Values moved and scaled so that ``γ₊`` is 1 and ``γ₋`` is -1."""
        return (values - self.threshold) * 2 / (self.positive - self.negative)


def cut_targets(signs: IntArray, share: float) -> CutTargets:
    """Where labelled objects belong if a share of all objects is positive.

    Parameters
    ----------
    signs : array of shape (n_objects,)
        1 and -1 for labelled objects, 0 for the others.
    share : float
        Of all objects, how many are positive; between 0 and 1.

    Examples
    --------
    >>> targets = cut_targets(np.array([1, 0, -1, -1]), share=0.2)
    >>> targets.positive, targets.negative, targets.threshold
    (2.0, -0.5, 0.75)
    >>> targets.strengths
    array([1.5 , 0.75, 0.75])
    """
    positive = np.sqrt((1.0 - share) / share)  # γ₊ = sqrt(l₋ / l₊)
    negative = -np.sqrt(share / (1.0 - share))  # γ₋ = −sqrt(l₊ / l₋)
    rows = np.flatnonzero(signs)
    is_positive = signs[rows] > 0
    n_positive = int(is_positive.sum())
    strengths = np.where(
        is_positive, len(rows) / (2 * n_positive), len(rows) / (2 * (len(rows) - n_positive))
    )
    wanted = np.where(is_positive, positive, negative)
    return CutTargets(float(positive), float(negative), rows, wanted, strengths)


def cut_by_labels(cuts: SmoothCuts, targets: CutTargets, C: float) -> FloatArray:
    """Minimise ``zᵀ L z + c (z − γ)ᵀ C (z − γ)`` over the smooth cuts.

    One graph's cuts serve many sets of labels: :class:`SpectralGraphTransducer` finds both for
    one set. The minimum under ``wᵀ w = n`` is that of [@gander1989].

    Parameters
    ----------
    cuts : SmoothCuts
        From :func:`smooth_cuts`.
    targets : CutTargets
        From :func:`cut_targets`.
    C : float
        ``c``, how strongly labelled objects are drawn to their targets.

    Returns
    -------
    array of shape (n_objects,)
        ``z``; an object above ``targets.threshold`` is positive.

    Examples
    --------
    >>> path = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    >>> cuts = smooth_cuts(path, 5, normalized=True)
    >>> targets = cut_targets(np.array([1, 0, 0, 0, 0, -1]), share=0.5)
    >>> cut_by_labels(cuts, targets, C=10.0) > targets.threshold
    array([ True,  True,  True, False, False, False])
    """
    labelled = cuts.basis[targets.rows]
    pulled = labelled * (min(C, _STRONGEST) * targets.strengths)[:, None]
    G = np.diag(cuts.penalties) + labelled.T @ pulled  # G = D + c Vᵀ C V
    b = pulled.T @ targets.wanted  # b = c Vᵀ C γ
    return cuts.basis @ on_sphere(G, b, float(len(cuts.basis)))


def on_sphere(G: FloatArray, b: FloatArray, squared_radius: float) -> FloatArray:
    """Minimise ``wᵀ G w − 2 bᵀ w`` over ``wᵀ w = squared_radius``; ``G`` is symmetric.

    The solution is ``(G − λ I)⁻¹ b`` with the one ``λ`` not above the smallest eigenvalue of ``G``
    that gives the length. If ``b`` lacks the smallest eigenvectors, the length may have to be
    filled with one of them, in either direction.

    Examples
    --------
    >>> on_sphere(np.diag([1.0, 2.0]), np.array([0.0, 3.0]), 1.0)
    array([0., 1.])
    """
    values, vectors = eigh(G)
    vectors = fix_signs(vectors)
    along = vectors.T @ b
    above, radius = values - values[0], np.sqrt(squared_radius)
    bottom = above <= _ROUNDING * max(np.abs(values).max(), 1.0)
    if np.linalg.norm(along[bottom]) <= _ROUNDING * np.linalg.norm(along):
        along[bottom] = 0.0
        shortest = np.divide(along, above, out=np.zeros_like(along), where=~bottom)
        if shortest @ shortest <= squared_radius:
            shortest[0] = np.sqrt(squared_radius - shortest @ shortest)
            return np.asarray(vectors @ shortest)

    def too_long(step: float) -> float:
        """Positive if the solution at ``λ = values[0] − step`` is longer than the radius."""
        return float(1.0 / radius - 1.0 / np.linalg.norm(along / (above + step)))  # nearly linear

    least = max(np.linalg.norm(along[bottom]) / radius, np.finfo(np.float64).tiny)
    most = np.linalg.norm(along) / radius
    step = least if too_long(least) <= 0 else brentq(too_long, least, 2 * most, maxiter=500)
    return np.asarray(vectors @ (along / (above + step)))


def smooth_cuts(graph: Gram, n_components: int, *, normalized: bool) -> SmoothCuts:
    """Eigenvectors 2 to ``n_components + 1`` of a graph's Laplacian, with their penalties.

    Parameters
    ----------
    graph : matrix of shape (n, n)
        Symmetric weights of the edges.
    n_components : int
        ``d``; fewer where the graph has fewer.
    normalized : bool
        Take the Laplacian in units of the degrees ``B``, ``(B − A) v = λ B v`` (normalised cut),
        instead of ``(B − A) v = λ v`` (ratio cut).
    """
    degrees = np.asarray(graph.sum(axis=1), dtype=np.float64)
    joined = degrees > 0
    if joined.sum() < 2:
        raise ValueError(
            "the graph has no edges, so labels cannot spread; give a graph with more neighbours."
        )
    inside = _restricted(graph, joined)
    if normalized:
        scale = inverse_root_degrees(inside)
        found = _wanted(n_components, inside)
        values, vectors = gram_eigenvectors(
            scaled(inside, scale, scale), found, tol=_EIGEN_ACCURACY
        )
        typical = np.sqrt(degrees[joined].mean())
        constant, stretch = 1.0 / scale, scale * typical
    else:
        values, vectors = _smoothest(inside, degrees[joined], _wanted(n_components, inside))
        constant, stretch = np.ones(int(joined.sum())), np.ones(int(joined.sum()))
    values, vectors = beside(constant, values, vectors)
    basis = np.zeros((len(degrees), len(values)))
    basis[joined] = stretch[:, None] * vectors
    return SmoothCuts(basis, rank_penalties(values))


def _wanted(n_components: int, graph: Gram) -> int:
    """How many eigenvectors with the constant one; not more than there are."""
    most = min(graph.shape[0], graph.rank) if isinstance(graph, LowRank) else graph.shape[0]
    return int(min(n_components + 1, most))


def _smoothest(graph: Gram, degrees: FloatArray, wanted: int) -> tuple[FloatArray, FloatArray]:
    """Largest eigenvalues of ``s I − L``: the smallest of ``L``, whose largest is below ``s``."""
    shift = 2.0 * degrees.max() - degrees
    if is_sparse(graph):
        whole = sparse.csr_array(graph + sparse.diags_array(shift))
        return gram_eigenvectors(whole, wanted, tol=_EIGEN_ACCURACY)

    def apply(block: FloatArray) -> FloatArray:
        turned = shift[:, None] * block if block.ndim == 2 else shift * block
        return np.asarray(turned + graph @ block)

    return operator_eigenvectors(apply, len(degrees), wanted, tol=_EIGEN_ACCURACY)


def beside(
    constant: FloatArray, values: FloatArray, vectors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Leave a known leading eigenvector out, also if it is mixed with others of its eigenvalue.

    Examples
    --------
    >>> mixed = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> beside(np.array([1.0, 1.0]), np.array([1.0, 1.0]), mixed)[1].round(3)
    array([[ 0.707],
           [-0.707]])
    """
    part = vectors.T @ (constant / np.linalg.norm(constant))
    turn = np.linalg.qr(np.column_stack([part, np.eye(len(part))]))[0][:, 1:]
    left, order = eigh(turn.T @ (values[:, None] * turn))
    return left[::-1], fix_signs(vectors @ (turn @ order[:, ::-1]))


def rank_penalties(values: FloatArray) -> FloatArray:
    """Squares of the ranks of falling values; equal values share the mean of their squares.

    Examples
    --------
    >>> rank_penalties(np.array([1.0, 0.5, 0.5, 0.1]))
    array([ 1. ,  6.5,  6.5, 16. ])
    """
    apart = np.diff(values, prepend=values[:1]) < -_TIE * np.abs(values).max(initial=0.0)
    group = np.cumsum(apart)
    squares = np.arange(1.0, len(values) + 1) ** 2
    return (np.bincount(group, weights=squares) / np.bincount(group))[group]


def _restricted(graph: Gram, kept: BoolArray) -> Gram:
    if kept.all():
        return graph
    if isinstance(graph, LowRank):
        return LowRank(graph.left[kept], graph.right[kept])
    if is_sparse(graph):
        return graph[kept][:, kept]
    return graph[np.ix_(kept, kept)]
