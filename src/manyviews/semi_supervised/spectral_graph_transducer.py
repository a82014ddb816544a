"""Labels spread over the mean graph of the views by its smoothest cuts [@joachims2003].

From the top: the cheapest cut of a graph that keeps to labels, its smooth cuts, the mean graph of
several views, the estimator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.optimize import brentq

from manyviews.base import BaseMultiViewClassifier, ViewTags, report, warn_of_minutes
from manyviews.data import Labels, Views
from manyviews.maths import (
    Gram,
    LowRank,
    fix_signs,
    gram_eigenvectors,
    inverse_root_degrees,
    operator_eigenvectors,
    row_blocks,
    rows_at_a_time,
    scaled,
    spread_gram,
    to_dense,
)
from manyviews.semi_supervised._shared import (
    Proportions,
    best_class,
    chosen_graphs,
    flat,
    read_or_judge_class_weights,
    read_proportions,
    signs_of,
    softmax_of_decisions,
    two_class_problems,
)
from manyviews.semi_supervised.class_shares import estimated_shares
from manyviews.similarity import SimilarityLike, ViewSimilarities, observed_similarities
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Positive,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = [
    "CutTargets",
    "SmoothCuts",
    "SpectralGraphTransducer",
    "cut_by_labels",
    "cut_targets",
    "smooth_cuts",
]

EIGEN_TOLERANCE = 1e-7
"""Residual of the eigenvectors beside the largest eigenvalue. On 10,000 objects of
``bench_transduction``, 1e-4 takes 0.83 of its time and moves values by 6e-5, 1e-10 takes 1.1 of it
and moves them by 5e-11 (2026-11)."""
LONG = 5e8
"""Objects times squared eigenvectors beyond which a search takes minutes: 10,000 objects and 81
vectors, 7e7, took 5 s of one processor, 20,000 took 14 s (2026-11)."""
LARGEST_C = 1e12
"""A larger ``c`` moves labelled objects by less than rounding, and the penalties get lost in it."""
ROUNDING = 1e-12
"""Parts of a vector below this share of it are nothing: ``eigh`` of a matrix of size ``d`` errs by
some ``d`` units of the last digit, 2e-14 for ``d = 80``."""


# -- the cut that keeps to labels ------------------------------------------------------------------


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
    weighted = labelled * (min(C, LARGEST_C) * targets.strengths)[:, None]
    # wᵀGw − 2bᵀw is zᵀLz + c (z − γ)ᵀC(z − γ) with z = Vw, but for a constant [@joachims2003]
    G = np.diag(cuts.penalties) + labelled.T @ weighted  # G = D + c Vᵀ C V
    b = weighted.T @ targets.wanted  # b = c Vᵀ C γ
    return cuts.basis @ minimum_on_sphere(G, b, float(len(cuts.basis)))


def minimum_on_sphere(G: FloatArray, b: FloatArray, squared_radius: float) -> FloatArray:
    """Minimise ``wᵀ G w − 2 bᵀ w`` over ``wᵀ w = squared_radius``; ``G`` is symmetric.

    The solution is ``(G − λ I)⁻¹ b`` with the one ``λ`` not above the smallest eigenvalue of ``G``
    that gives the length: the root of the secular equation. In its hard case ``b`` lacks the
    smallest eigenvectors, and the length may have to be filled with one of them, in either
    direction.

    Examples
    --------
    >>> minimum_on_sphere(np.diag([1.0, 2.0]), np.array([0.0, 3.0]), 1.0)
    array([0., 1.])
    """
    values, vectors = eigh(G)
    vectors = fix_signs(vectors)
    coefficients = vectors.T @ b
    gaps, radius = values - values[0], np.sqrt(squared_radius)
    smallest = gaps <= ROUNDING * max(np.abs(values).max(), 1.0)
    if np.linalg.norm(coefficients[smallest]) <= ROUNDING * np.linalg.norm(coefficients):
        coefficients[smallest] = 0.0
        shortest = np.divide(coefficients, gaps, out=np.zeros_like(coefficients), where=~smallest)
        if shortest @ shortest <= squared_radius:
            shortest[0] = np.sqrt(squared_radius - shortest @ shortest)
            return np.asarray(vectors @ shortest)

    def secular(shift: float) -> float:
        """``1/r − 1/|w|`` at ``λ = values[0] − shift``, which is nearly linear; 0 at the root."""
        return float(1.0 / radius - 1.0 / np.linalg.norm(coefficients / (gaps + shift)))

    lower = max(np.linalg.norm(coefficients[smallest]) / radius, np.finfo(np.float64).tiny)
    upper = 2 * np.linalg.norm(coefficients) / radius
    shift = lower if secular(lower) <= 0 else brentq(secular, lower, upper, maxiter=500)
    return np.asarray(vectors @ (coefficients / (gaps + shift)))


# -- smooth cuts of a graph ------------------------------------------------------------------------


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
    connected = degrees > 0
    if connected.sum() < 2:
        raise ValueError(
            "the graph has no edges, so labels cannot spread; give a graph with more neighbours."
        )
    inside, inside_degrees = _restricted(graph, connected), degrees[connected]
    n_vectors = min(n_components + 1, inside.shape[0])  # the constant one is left out below
    if isinstance(inside, LowRank):
        n_vectors = min(n_vectors, inside.rank)
    if normalized:
        scale = inverse_root_degrees(inside)
        values, vectors = gram_eigenvectors(
            scaled(inside, scale, scale), n_vectors, tol=EIGEN_TOLERANCE
        )
        constant, stretch = 1.0 / scale, scale * np.sqrt(inside_degrees.mean())
    else:
        values, vectors = _ratio_cuts(inside, inside_degrees, n_vectors)
        constant = stretch = np.ones(len(inside_degrees))
    values, vectors = without_constant(constant, values, vectors)
    basis = np.zeros((len(degrees), len(values)))
    basis[connected] = stretch[:, None] * vectors
    return SmoothCuts(basis, rank_penalties(values))


def _ratio_cuts(graph: Gram, degrees: FloatArray, n_vectors: int) -> tuple[FloatArray, FloatArray]:
    """Largest eigenvalues of ``s I − L``: the smallest of ``L``, whose largest is below ``s``."""
    shift = 2.0 * degrees.max() - degrees
    if is_sparse(graph):
        whole = sparse.csr_array(graph + sparse.diags_array(shift))
        return gram_eigenvectors(whole, n_vectors, tol=EIGEN_TOLERANCE)

    def apply(block: FloatArray) -> FloatArray:
        diagonal = shift[:, None] * block if block.ndim == 2 else shift * block
        return np.asarray(diagonal + graph @ block)

    return operator_eigenvectors(apply, len(degrees), n_vectors, tol=EIGEN_TOLERANCE)


def _restricted(graph: Gram, kept: BoolArray) -> Gram:
    if kept.all():
        return graph
    if isinstance(graph, LowRank):
        return LowRank(graph.left[kept], graph.right[kept])
    if is_sparse(graph):
        return graph[kept][:, kept]
    return graph[np.ix_(kept, kept)]


def without_constant(
    constant: FloatArray, values: FloatArray, vectors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Leave a known leading eigenvector out, also if it is mixed with others of its eigenvalue.

    Rayleigh and Ritz's method in what is orthogonal to it within the span of the vectors.

    Examples
    --------
    >>> mixed = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> without_constant(np.array([1.0, 1.0]), np.array([1.0, 1.0]), mixed)[1].round(3)
    array([[ 0.707],
           [-0.707]])
    """
    coefficients = vectors.T @ (constant / np.linalg.norm(constant))
    first = np.column_stack([coefficients, np.eye(len(coefficients))])
    complement = np.linalg.qr(first)[0][:, 1:]
    ritz_values, rotation = eigh(complement.T @ (values[:, None] * complement))
    return ritz_values[::-1], fix_signs(vectors @ (complement @ rotation[:, ::-1]))


def rank_penalties(values: FloatArray) -> FloatArray:
    """Squares of the ranks of falling values; equal values share the mean of their squares.

    Examples
    --------
    >>> rank_penalties(np.array([1.0, 0.5, 0.5, 0.1]))
    array([ 1. ,  6.5,  6.5, 16. ])
    """
    # Equal is what the eigensolver cannot tell apart.
    falls = np.diff(values, prepend=values[:1]) < -EIGEN_TOLERANCE * np.abs(values).max(initial=0.0)
    group = np.cumsum(falls)
    squares = np.arange(1.0, len(values) + 1) ** 2
    return (np.bincount(group, weights=squares) / np.bincount(group))[group]


# -- the mean graph of the views -------------------------------------------------------------------


@dataclass(frozen=True)
class MeanGraph:
    """``A = Σ_v w_v A_v / d_v``, with ``d_v`` the mean degree of view v; no edge where unseen.

    Its Laplacian is the same sum of the Laplacians of the views.
    """

    similarities: ViewSimilarities
    factors: dict[str, float]
    """By view: what an edge there counts, ``w_v / (d_v Σ w)``."""

    def summed(self, found: Mapping[str, Gram], rows: BoolArray) -> Gram:
        """Edges from objects that views show as ``rows`` says, from those in each view."""
        columns = self.similarities.observed
        parts = []
        for view, (name, gram) in enumerate(found.items()):
            at = np.flatnonzero(rows[:, view]), np.flatnonzero(columns[:, view])
            weighed = scaled(gram, np.full(len(at[0]), self.factors[name]), np.ones(len(at[1])))
            parts.append(spread_gram(weighed, *at, (len(rows), len(columns))))
        return sum_of_graphs(parts)

    def cross(self, new: Views) -> Gram:
        """Edges of new objects to the training objects."""
        return self.summed(self.similarities.cross_observed(new), new.observed)

    def neighbours_mean(self, new: Views, values: FloatArray) -> FloatArray:
        """Mean of the training objects' values over the edges of new objects; 0 without any."""
        means = []
        for part in row_blocks(len(new), rows_at_a_time(len(values))):
            edges = self.cross(new[part])
            degrees = np.asarray(edges.sum(axis=1), dtype=np.float64)[:, None]
            sums = np.asarray(edges @ values, dtype=np.float64)
            means.append(np.divide(sums, degrees, out=np.zeros_like(sums), where=degrees > 0))
        return np.concatenate(means)


def fit_mean_graph(
    views: Views, graph: Any, weights: Mapping[str, float]
) -> tuple[MeanGraph, Gram]:
    """Build the graph of each view, and their mean.

    Examples
    --------
    >>> views = Views({"a": [[0.0], [1.0], [5.0]], "b": [[0.0], None, [0.1]]})
    >>> weights = {"a": 1.0, "b": 3.0}
    >>> mean, edges = fit_mean_graph(views, "linear", weights)
    >>> {name: round(factor, 3) for name, factor in mean.factors.items()}
    {'a': 0.021, 'b': 150.0}
    """
    similarities, found = observed_similarities(views, graph)
    total = sum(weights.values())
    factors = {}
    for name, gram in found.items():
        degree = float(np.mean(gram.sum(axis=1))) if gram.shape[0] else 0.0
        factors[name] = weights[name] / total / degree if degree > 0 else 0.0
    mean = MeanGraph(similarities, factors)
    return mean, mean.summed(found, views.observed)


def sum_of_graphs(grams: list[Gram]) -> Gram:
    """Sum of similarities: sparse if all are, of low rank if all are, else dense.

    Examples
    --------
    >>> sum_of_graphs([np.eye(2), LowRank(np.ones((2, 1)), np.ones((2, 1)))])
    array([[2., 1.],
           [1., 2.]])
    """
    alike = all(is_sparse(gram) for gram in grams) or all(isinstance(g, LowRank) for g in grams)
    parts: list[Any] = list(grams) if alike else [to_dense(gram) for gram in grams]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


# -- the estimator ---------------------------------------------------------------------------------


class SpectralGraphTransducer(BaseMultiViewClassifier):
    """Label objects so that neighbours in the graphs of the views have the same label.

    Take it where classes keep to groups of neighbours, whatever their shape, and where many
    views are missing: an object that one view does not show is reached through others. Where
    groups hold several classes, take :class:`CoTraining` or :class:`TransductiveSVM`.

    Parameters
    ----------
    graph : Similarity, name, list or dict, optional
        Similarities in a view, for all views or one per view. If not given, the ten nearest
        neighbours, by the cosine in views most of whose cells are zero, such as words and links
        (0.720 against 0.631 by distances for all, the mean over the sets of ``make quality`` with
        five labels a class), ``KNNGraph()`` in others. Joachims weighs edges by the cosine:
        ``KNNGraph(100, "similarity", kernel=Cosine(), metric="cosine", symmetric="mean")``.
    C : float
        How strongly labelled objects are drawn to their targets, ``c``.
    n_components : int
        How many eigenvectors, ``d``; all if the graph has fewer.
    normalized : bool
        Whether the Laplacian is in units of the degrees.
    proportions : "auto", "labelled", float or dict
        Share of each class among the objects: the mean of those among the labels and those among
        the answers of a ridge regression over the smooth cuts ("auto"); as among the labelled
        ones, right if they were drawn at random; of the second of two classes, or of each by its
        label. It sets the targets and is a wish only, unlike that of
        ``TransductiveSVM``.
    view_weights : "auto", list or dict of float, optional
        Factor of each view's Laplacian. "auto": 1, but 0 for a view that looks empty of structure,
        which a warning names: one whose neighbourhoods look like chance, unless the labels speak
        for it.
    verbose : int
        1 reports the graph, the cuts and the shares of the classes.

    Attributes
    ----------
    classes_ : array
        The classes.
    transduction_ : array of shape (n_objects,)
        Class of every training object: the given one, or the one that was found.
    embedding_ : array of shape (n_objects, n_problems)
        ``z`` of every training object, once ``γ₊`` is 1 and ``γ₋`` is −1 and the threshold 0.
    isolated_values_ : array of shape (n_problems,)
        The same for an object without any edge.
    graph_ : MeanGraph
        What joins new objects to the training objects.
    view_weights_ : dict of float
        The factors of the views.
    class_shares_ : array of shape (n_classes,)
        The share of each class that was asked for.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.semi_supervised import SpectralGraphTransducer
    >>> from manyviews.similarity import KNNGraph
    >>> views = {"size": [[0.0], [0.4], [0.8], [2.2], [2.6], [3.0]],
    ...          "price": [[1.0], [1.1], [1.0], [4.0], None, [4.0]]}
    >>> model = SpectralGraphTransducer(KNNGraph(3))
    >>> model.fit(views, ["small", None, None, None, None, "large"]).transduction_.tolist()
    ['small', 'small', 'small', 'large', 'large', 'large']
    >>> model.predict({"size": [[2.9]], "price": None})
    array(['large'], dtype=object)

    Notes
    -----
    **Objective**
        Minimise ``zᵀ L z + c (z − γ)ᵀ C (z − γ)`` over ``z`` with ``zᵀ 1 = 0`` and ``zᵀ z = n``: a
        ratio cut of the graph, relaxed to numbers, in which labelled objects are drawn to ``γ₊`` or
        ``γ₋`` [@joachims2003]. ``L`` is the mean of the Laplacians of the views,
        ``Σ_v w_v L_v``, as proposed there for co-training.

    **Symbols**
        ``c`` → ``C``; ``d`` → ``n_components``; ``k``, ``A`` → inside ``graph``; ``B`` → degrees;
        ``γ₊``, ``γ₋``, ``C`` → ``CutTargets``; ``V``, ``D`` → ``SmoothCuts``; ``w_v`` →
        ``view_weights``; ``z`` → ``embedding_``.

    **Algorithm**
        1. The graph of each view on the objects it shows, divided by its mean degree, and their
           mean (``fit_mean_graph``).
        2. Eigenvectors 2 to ``d + 1`` of its Laplacian; the eigenvalues become 1, 4, 9, …
           (``smooth_cuts``).
        3. Shares of the classes, unless given: ``estimated_shares``.
           ``γ₊ = sqrt(l₋ / l₊)``, ``γ₋ = −sqrt(l₊ / l₋)``, and labelled objects of both classes
           weigh the same in all (``cut_targets``).
        4. ``z = V (G − λ I)⁻¹ b`` with ``G = D + c Vᵀ C V``, ``b = c Vᵀ C γ`` and the ``λ`` that
           gives it the length (``cut_by_labels``).
        5. Above ``(γ₊ + γ₋) / 2`` an object is positive. More than two classes: each against all
           others; the largest ``z``, once ``γ₊`` is 1 and ``γ₋`` is −1, decides.

    **Deviations**
        *λ* is the root of the secular equation of [@gander1989], found from one symmetric
        eigenproblem of size ``d``, instead of the smallest eigenvalue of a matrix of size ``2d``
        that is not symmetric; the two agree, and the former also has an answer where ``b`` lacks
        the smoothest direction. *Normalised*, the constraints become ``zᵀ B 1 = 0`` and
        ``zᵀ B z = 1ᵀ B 1``, the generalised eigenproblem that the normalised cut leads to, with the
        degrees of the mean graph. *Pieces*: of a graph that falls apart, the constant is left out
        of the eigenvectors of eigenvalue 0, which the solver mixes; equal eigenvalues share the
        mean of their penalties, so that the answer does not depend on the solver's choice
        among them. *Objects without any edge* have ``z = 0``, which speaks for the larger class.
        *New objects*, for which the paper has no answer, get the mean of ``z`` over their edges.
        Also an object that equals a training object gets that mean, which is smoother than its own
        ``z`` (eigenvector ``k`` is multiplied by ``1 − λ_k``), so that ``predict`` and
        ``transduction_`` agree on 0.93 of the unlabelled objects and are right in 0.730 and 0.745
        (19 sets of ``make quality``, five labels a class, one draw), or in 0.745 and 0.738 without
        the two sets of 40 objects and fewer. Dividing by ``1 − λ_k``, Nyström's extension, would
        give back ``z``, but is right in 0.681 of 30 % held out, where the mean is in 0.742.
        *Unobserved views* have no edges.
        *Shares*: the paper takes those of the labels, which on an unbalanced set of which as many
        objects of each class are labelled is wrong; see ``proportions``. Labelled objects keep
        their labels in ``transduction_``.

    **Complexity**
        The graphs; ``d`` eigenvectors by Lanczos, ``O(d · edges + n d²)`` per restart; then
        ``O(d³ + l d²)`` for each class. Sparse graphs stay sparse.

    References
    ----------
    [@joachims2003], [@gander1989], [@sindhwani2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    transduction_: AnyArray
    embedding_: FloatArray
    isolated_values_: FloatArray
    graph_: MeanGraph
    view_weights_: dict[str, float]
    class_shares_: FloatArray

    def __init__(
        self,
        graph: ByView[SimilarityLike | None] = None,
        *,
        C: Positive = 3200.0,
        n_components: Count = 80,
        normalized: bool = True,
        proportions: Proportions | Literal["auto"] = "auto",
        view_weights: AutoViewWeights = "auto",
        verbose: Verbosity = 0,
    ) -> None:
        self.graph = graph
        self.C = C
        self.n_components = n_components
        self.normalized = normalized
        self.proportions = proportions
        self.view_weights = view_weights
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls("rbf", normalized=False, n_components=10)

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Join the objects in each view, and spread the labels over the mean graph."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        chosen = chosen_graphs(self.graph, views)
        self._tell(f"joining {len(views)} objects in {views.n_views} views")
        self.graph_, edges = fit_mean_graph(views, chosen, self.view_weights_)
        self._tell(f"{self.n_components} smoothest cuts of the mean graph")
        self._warn_of_long_search(edges)
        cuts = smooth_cuts(edges, self.n_components, normalized=self.normalized)
        if not cuts.basis[labels.labelled].any():
            raise ValueError(
                "no labelled object has an edge in the graph, so labels cannot spread; "
                "give a graph with more neighbours."
            )
        self.class_shares_ = self._shares(cuts, labels)
        self._tell(f"shares of the classes {np.round(self.class_shares_, 3).tolist()}")
        targets = [
            cut_targets(signs_of(labels.codes, positive), self.class_shares_[positive])
            for positive in two_class_problems(len(labels.classes))
        ]
        self.embedding_ = np.column_stack(
            [each.standardised(cut_by_labels(cuts, each, self.C)) for each in targets]
        )
        self.isolated_values_ = np.array([each.standardised(np.zeros(1))[0] for each in targets])
        found = best_class(self.embedding_, self._error)
        self.transduction_ = self.classes_[np.where(labels.labelled, labels.codes, found)]
        return self

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class: the logistic function, or softmax, of twice the decisions.

        They are not calibrated on other objects.
        """
        return softmax_of_decisions(self._values(X))

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Mean of the training objects' values over the edges of new objects."""
        return flat(self._values(X))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of new objects, from whatever views they have."""
        values = self._values(X)  # which says so if there was no fit
        return np.asarray(self.classes_[best_class(values, self._error)])

    def _shares(self, cuts: SmoothCuts, labels: Labels) -> FloatArray:
        """Share of each class; estimated with the cuts as features, rough ones counting less."""
        if self.proportions != "auto":
            return read_proportions(self.proportions, labels)
        features = cuts.basis / cuts.penalties**0.25  # K = V D^(-1/2) Vᵀ
        return np.maximum(
            estimated_shares(features @ features[labels.labelled].T, labels),
            1.0 / len(features),
        )

    @property
    def _error(self) -> float:
        """How far values may be from exact ones."""
        return EIGEN_TOLERANCE * float(np.abs(self.embedding_).max())

    def _tell(self, message: str) -> None:
        if self.verbose:
            report(self, message)

    def _warn_of_long_search(self, edges: Gram) -> None:
        n_objects, n_vectors = edges.shape[0], self.n_components + 1
        if n_objects * n_vectors**2 > LONG and not isinstance(edges, LowRank):
            warn_of_minutes(
                self,
                f"looks for {n_vectors} eigenvectors of a graph of {n_objects:,} objects",
                "lower n_components (the time grows with its square), or learn from fewer objects "
                "and predict the others",
            )

    def _values(self, X: ViewsLike) -> FloatArray:
        views = self._new_views(X)
        from_isolated = self.embedding_ - self.isolated_values_
        return self.graph_.neighbours_mean(views, from_isolated) + self.isolated_values_
