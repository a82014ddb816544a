"""Spectral clustering in which views teach each other their leading eigenvectors [@kumar2013].

From the top: Algorithm 1 with graphs of low rank; the smallest entry of such a graph, exactly and
without forming it; the estimator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from scipy.linalg import block_diag, eigh, qr, solve_triangular

from manyviews.cluster.spectral._shared import SpectralClusterer, check_combine, refuse_left_out
from manyviews.data import Views
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
    unit_rows,
    weighted_triangle,
)
from manyviews.similarity import SimilarityLike, ViewSimilarities
from manyviews.typing import (
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    RandomState,
    Repeats,
    Verbosity,
    is_sparse,
)

__all__ = ["CoTrainedSpectral", "CoTraining", "co_train"]

CONCAT = "concat"

_NOTHING = 1e-10
"""An eigenvalue below this share of the largest is zero: its eigenvector could be any. A judgement:
eigenvalues of low rank are right to about 1e-15 times the largest, those of clusters are larger."""
_EXACT, _ROUGH = 1e-9, 5e-5
"""Residual of the first eigenvectors, and of those of a sparse graph that rounds will change: it
can be reached in single precision, takes 3.3 s for 4.3 s at 100,000 objects, and ends in the same
clusters (``bench_co_trained``)."""
_PLAIN = 4096
"""Up to this many rows every entry is computed. A judgement: half a second at most, and a matrix
product needs no bookkeeping."""
_BLOCK = 512
"""Rows of which all entries are held at once: 16 MB at ``_PLAIN`` rows."""
_GROUP = 64
"""Largest number of rows in a group: the bounds cost a 64th of the entries. A judgement."""
_AT_ONCE = 64
"""Groups whose bounds are held at once: with ``_GROUP``, as many numbers as rows times 64."""
_LONGEST = 64
"""Rows, the longest ones, of which all entries are looked at first. A judgement: they cost no more
than one group, and mostly have the smallest entry, by which bounds tell the most."""
_SAMPLE = 10_000
"""Of more rows than this, evenly spaced ones are enough to choose axes by. A judgement: axes change
how tight the bounds are, never the answer."""


@dataclass(frozen=True)
class Placing:
    """The eigenvectors of a normalised graph as a function of a row: the Nyström extension.

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
class ProjectedGraph:
    """Symmetric similarities ``L C Lᵀ`` of low rank, with ``L = [U, K U, 1]``.

    L is left in its parts: putting them side by side took a third of a round at 100,000 objects.
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
        product += weights[-1]  # the column of ones
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
            left = {  # rows of [U, K U, 1], with a new object's places for its row of U
                name: np.hstack(
                    [
                        _others(placed, name),
                        _times(gram, _others(known, name)),
                        np.ones((gram.shape[0], 1)),
                    ]
                )
                for name, gram in cross.items()
            }
            placed = {name: placing[name].place(left[name]) for name in cross}
        return placed


def co_train(grams: Mapping[str, Gram], n_components: int, n_iter: int) -> CoTraining:
    """Project each view's similarities on the leading eigenvectors of the others, and repeat.

    Similarities are symmetric, dense, sparse or low-rank, and their rows sum to zero or more. With
    one view there is nothing to learn from and no round is run.

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
        graphs = {  # steps 1 and 2 of Algorithm 1
            name: project_on_others(gram, vectors[-1], name) for name, gram in near.items()
        }
        found = {name: _leading(graph, n_components) for name, graph in graphs.items()}  # step 3
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


def project_on_others(
    gram: Gram | Ordered, vectors: Mapping[str, FloatArray], name: str
) -> ProjectedGraph:
    """Return a view's similarities, projected on what the other views see, none below zero.

    Examples
    --------
    >>> U = np.array([[0.0, 1.0], [0.6, 0.0], [0.8, 0.0]])
    >>> K = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 5.0], [1.0, 5.0, 0.0]])
    >>> project_on_others(K, {"this": np.zeros((3, 2)), "other": U}, "this").toarray().round(2)
    array([[0.  , 0.92, 1.06],
           [0.92, 2.4 , 2.5 ],
           [1.06, 2.5 , 2.4 ]])
    """
    theirs = _others(vectors, name)
    images = _times(gram, theirs)
    shift = max(0.0, -smallest_entry(theirs, images))  # the constant of §3.2.1
    halves = np.kron([[0.0, 0.5], [0.5, 0.0]], np.eye(theirs.shape[1]))  # sym(Σ U_i U_iᵀ K_v)
    ones = np.ones((len(theirs), 1))
    return ProjectedGraph((theirs, images, ones), block_diag(halves, shift))


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


def _leading(graph: ProjectedGraph, n_components: int) -> tuple[Placing, FloatArray]:
    """The eigenvectors of a graph without negative weights; step 3 of Algorithm 1.

    With ``D^{-1/2} L = Q T`` they are ``Q y``, where ``T C Tᵀ y = λ y``; and since ``λ Q y`` is
    ``D^{-1/2} L C Tᵀ y``, it takes only the triangle ``T``.
    """
    reach = graph.core @ graph.sums()
    degrees = graph.times(reach)
    # Degrees are sums that may cancel: what is left of them below this is rounding.
    least = len(degrees) * np.finfo(np.float64).eps * float(degrees.max())
    tied = degrees > least
    scale = np.divide(1.0, np.sqrt(np.abs(degrees)), out=np.zeros_like(degrees), where=tied)
    inner = weighted_triangle(graph.parts, scale)
    values, vectors = leading_eigenvectors(inner @ graph.core @ inner.T, n_components)
    weights = graph.core @ inner.T @ _over(vectors, values)
    placed = graph.times(weights)
    placed *= scale[:, None]  # in place: it is as large as an embedding
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


def _times(gram: Gram | Ordered, block: FloatArray) -> FloatArray:
    """A product that leaves similarities in single precision as they are, without a copy."""
    if isinstance(gram, LowRank):
        return gram @ block
    return np.asarray(gram @ block.astype(gram.dtype, copy=False), dtype=np.float64)


@dataclass(frozen=True)
class Grouped:
    """Rows in groups of neighbours: ``rows @ signed.T`` is the matrix, in single precision."""

    vectors: FloatArray
    images: FloatArray
    rows: FloatArray
    signed: FloatArray
    starts: IntArray
    """Where each group begins."""
    slack: float
    """How far rounding may take a product of two rows, or a bound of it."""

    def entries(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Single entries of ``(U Wᵀ + W Uᵀ) / 2``, in double precision."""
        one = np.einsum("ij,ij->i", self.vectors[rows], self.images[columns])
        other = np.einsum("ij,ij->i", self.images[rows], self.vectors[columns])
        return (one + other) / 2


def smallest_entry(vectors: FloatArray, images: FloatArray) -> float:
    """Return the smallest entry of ``(U Wᵀ + W Uᵀ) / 2``, with U and W of shape (n, m).

    Notes
    -----
    Branch and bound. Entries are inner products of the rows' coordinates, some of these with a
    minus sign. Rows that lie close together are put into small groups; the smallest product of a
    row with anything in the box around a group bounds what the row can have there, and only where
    that is below the best entry so far are entries computed: in single precision, and again in
    double where it counts. It holds O(n m) numbers. Time is O(n² m) at worst, when no bound tells
    anything; where rows gather around few directions, as those of a spectral embedding do, hardly
    a group is looked into, and the bounds are most of the work: O(n² m / 64).

    Examples
    --------
    >>> smallest_entry(np.array([[1.0], [-2.0]]), np.array([[1.0], [3.0]]))
    -6.0
    """
    if len(vectors) <= _PLAIN:  # every entry on or right of the diagonal
        left, right = np.hstack([vectors, images]), np.hstack([images, vectors])
        starts = range(0, len(left), _BLOCK)
        return min(float((left[i : i + _BLOCK] @ right[i:].T).min()) for i in starts) / 2
    size = float(np.abs(images).max()) or 1.0  # single precision has no room for large kernels
    grouped = _group(vectors, images / size)
    best = _smallest_of_longest(grouped)
    for first in range(0, len(grouped.starts), _AT_ONCE):
        best = _smallest_in_groups(grouped, first, best)
    return best * size


def _signed_coordinates(both: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coordinates X and signs s with ``X diag(s) Xᵀ`` the matrix, and axes close to the rows.

    With ``[U, W] = Q R`` the matrix is ``Q H Qᵀ``, and the eigenvectors of the small H give X.
    """
    width = both.shape[1]
    squares = both.T @ both
    squares.flat[:: width + 1] += 1e-12 * np.trace(squares)  # any root will do: keep it regular
    root = np.linalg.cholesky(squares).T
    halves = np.roll(root, width // 2, axis=1) / 2
    values, rotation = eigh(halves @ root.T)
    rows = both @ solve_triangular(root, rotation * np.sqrt(np.abs(values)))
    parts = [_rotated_to_axes(rows[:, values > 0]), _rotated_to_axes(rows[:, values <= 0])]
    return np.hstack(parts), np.repeat([1.0, -1.0], [part.shape[1] for part in parts])


def _rotated_to_axes(rows: FloatArray) -> FloatArray:
    """Rotate coordinates so that long rows that differ most lie near the axes: boxes get thin."""
    if not rows.any():
        return rows
    some = rows[:: -(-len(rows) // _SAMPLE)]
    _, chosen = qr(some.T, mode="r", pivoting=True, check_finite=False)
    left, _, right = np.linalg.svd(some[chosen[: rows.shape[1]]].T)
    return rows @ (left @ right)  # the polar factor: the rotation nearest to the chosen rows


def _group(vectors: FloatArray, images: FloatArray) -> Grouped:
    """Halve the rows at the median of their widest coordinate, as a k-d tree does."""
    rows, signs = _signed_coordinates(np.hstack([vectors, images]))
    single = np.ascontiguousarray(rows, dtype=np.float32)
    order = np.arange(len(rows))
    starts, waiting = [], [(0, len(rows))]
    while waiting:
        start, stop = waiting.pop()
        if stop - start <= _GROUP:
            starts.append(start)
            continue
        part, half = single[start:stop], (stop - start) // 2
        sides = np.argpartition(part[:, part.var(axis=0).argmax()], half)
        single[start:stop] = part[sides]
        order[start:stop] = order[start:stop][sides]
        waiting += [(start + half, stop), (start, start + half)]
    longest = np.abs(single).max(axis=0).astype(np.float64)
    slack = 4 * (len(signs) + 2) * float(np.finfo(np.float32).eps) * float(longest @ longest)
    signed = single * signs.astype(np.float32)
    return Grouped(vectors[order], images[order], single, signed, np.array(starts), slack)


def _smallest_of_longest(grouped: Grouped) -> float:
    """An entry as small as any that the longest rows have: mostly the smallest of all."""
    lengths = np.einsum("ij,ij->i", grouped.rows, grouped.rows)
    longest = np.argpartition(lengths, -_LONGEST)[-_LONGEST:]
    columns = np.array([int((grouped.rows @ grouped.signed[row]).argmin()) for row in longest])
    return float(grouped.entries(longest, columns).min())


def _smallest_in_groups(grouped: Grouped, first: int, best: float) -> float:
    """The smallest of ``best`` and of the entries of some groups with the rows from there on."""
    ends = np.append(grouped.starts, len(grouped.rows))[first : first + _AT_ONCE + 1]
    rows = grouped.rows[ends[0] :]
    bounds = _lowest_products(rows, grouped.signed[ends[0] : ends[-1]], ends[:-1] - ends[0])
    for bound, start, stop in zip(bounds, ends[:-1], ends[1:], strict=True):
        later = bound[start - ends[0] :]  # earlier groups have met this one
        doubtful = start + np.flatnonzero(later < best + grouped.slack)
        if not len(doubtful):
            continue
        products = grouped.rows[doubtful] @ grouped.signed[start:stop].T
        if products.min() < best + grouped.slack:
            near, columns = np.nonzero(products < best + grouped.slack)
            best = min(best, float(grouped.entries(doubtful[near], start + columns).min()))
    return best


def _lowest_products(rows: FloatArray, signed: FloatArray, starts: IntArray) -> FloatArray:
    """What the product of a row with anything in the box around a group is at least."""
    lowest = np.minimum.reduceat(signed, starts, axis=0)
    highest = np.maximum.reduceat(signed, starts, axis=0)
    bounds: FloatArray = lowest @ np.maximum(rows, 0).T
    bounds += highest @ np.minimum(rows, 0).T
    return bounds


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
           ``½ Σ_i (U_i (K_v U_i)ᵀ + (K_v U_i) U_iᵀ)``, made non-negative (``project_on_others``,
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
        check_combine(self.combine, CONCAT, views.names)
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
