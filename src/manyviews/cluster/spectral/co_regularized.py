"""Spectral clustering whose views are drawn towards each other's eigenvectors [@kumar2013]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np

from manyviews.base import Run, warn_not_converged
from manyviews.cluster.spectral._shared import SpectralClusterer, check_combine, refuse_left_out
from manyviews.cluster.spectral.self_consistent_field import (
    ROUNDING,
    STATIONARY,
    ProjectedProblem,
    SearchSpaces,
    self_consistent_field,
)
from manyviews.data import Views
from manyviews.maths import (
    Gram,
    LowRank,
    Ordered,
    generator,
    gram_eigenvectors,
    in_order,
    inverse_root_degrees,
    is_connected,
    leading_eigenvectors,
    operator_eigenvectors,
    scaled,
    unit_rows,
)
from manyviews.similarity import SimilarityLike, ViewSimilarities
from manyviews.typing import (
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    Interval,
    NonNegative,
    RandomState,
    Repeats,
    Verbosity,
    is_sparse,
)

__all__ = ["CoRegularizedSpectral"]

_CONCAT = "concat"
_FINEST = 1e-9
"""Residual of eigenvectors below which nothing is gained."""
_BEGINNING = 1e-5
"""Residual of the eigenvectors of each view alone, if steps follow that will mend it: from 1e-4 a
block leaves four steps more to be done on 5,000 objects, and 1e-7 saves none."""
_BLOCKS = 6
"""A space holds so many times as many vectors as an embedding before it is restarted. By Gaussians
on 5,000 objects it ends in 12 steps within 6e-4 of the end; with 4, in 13 within 1.3e-3."""
_WHOLE = 1.5
"""Matrices that are no larger than this many full spaces are solved whole."""
_SMALL = 150
"""The same up to this size in any case."""
_INNER = 0.1
"""Steps within spaces end when they move this share of what the last spaces have brought."""
_STEPS = 4
"""Steps from whose lengths it is judged how they shrink; single ratios of them go up and down."""
_RANK_CUT = 1e-8
"""Directions of the readout with singular values below this share of the largest are left out: the
rank cut of a matrix known to single precision."""


# -- graphs and what couples them ------------------------------------------------------------------


@dataclass(frozen=True)
class Graph:
    """``D^{-1/2} K D^{-1/2}``; unless ``K`` is sparse, it is what it does to vectors, no copy."""

    gram: Gram
    scale: FloatArray
    """``1 / sqrt(d)`` of each object."""
    normalised: Gram | Ordered | None = None
    """The matrix itself, if ``K`` is sparse."""

    @classmethod
    def of(cls, gram: Gram) -> Graph:
        """Normalise similarities by their degrees."""
        scale = inverse_root_degrees(gram)
        if is_sparse(gram):
            return cls(gram, scale, in_order(scaled(gram, scale, scale)))
        return cls(gram, scale)

    @property
    def rounding(self) -> float:
        """Below this, the accuracy of eigenvectors is not to be had in the precision given."""
        single = isinstance(self.gram, np.ndarray) and self.gram.dtype == np.float32
        return ROUNDING * float(np.finfo(np.float32 if single else np.float64).eps)

    def __len__(self) -> int:
        return len(self.scale)

    def __matmul__(self, block: FloatArray) -> FloatArray:
        scale = self.scale if block.ndim == 1 else self.scale[:, None]
        inner = scale * block
        if isinstance(self.gram, np.ndarray):  # a product of two types would copy the matrix
            inner = inner.astype(self.gram.dtype, copy=False)
        product: FloatArray = scale * (self.gram @ inner)
        return product

    def eigenvectors(self, n_components: int, tol: float) -> tuple[FloatArray, FloatArray]:
        """Leading eigenvectors, the embedding by this graph alone (4.1)."""
        if isinstance(self.gram, np.ndarray) and is_connected(self.gram):
            tol, start = max(tol, self.rounding), None
            if tol >= _BEGINNING:
                # Each product reads the whole matrix: five of a block on 5,000 objects, 44 of one
                # vector.
                start = generator(0).standard_normal((len(self), n_components))
            return operator_eigenvectors(
                self.__matmul__, len(self), n_components, start=start, tol=tol
            )
        if self.normalised is None:
            return gram_eigenvectors(scaled(self.gram, self.scale, self.scale), n_components)
        return gram_eigenvectors(self.normalised, n_components, tol=tol)


@dataclass(frozen=True)
class Coupling:
    """How strongly the embeddings of the views are coupled, and what that adds to the problem."""

    strengths: FloatArray
    """λ of each pair of views, views × views, or λ_v of each view to the consensus, (views,)."""
    shares: FloatArray
    """How much each view counts in the consensus, in proportion to λ_v."""

    @property
    def centred(self) -> bool:
        """Whether views are coupled with a consensus and not with each other."""
        return self.strengths.ndim == 1

    @property
    def coupled(self) -> BoolArray:
        """Which views are coupled with any other."""
        if self.centred:
            return self.strengths > 0
        others = self.strengths - np.diag(np.diag(self.strengths))
        return np.asarray((others > 0).any(axis=1))

    def agreement(self, overlaps: FloatArray) -> float:
        """What the objective gains by agreement, given all ``U_vᵀ U_w`` as blocks of a matrix."""
        n_views = len(self.shares)
        rotation = self.consensus_rotation(overlaps)
        if rotation is not None:
            rows = np.split(overlaps, n_views)
            return float(sum(self.strengths * [np.sum((row @ rotation) ** 2) for row in rows]))
        width = len(overlaps) // n_views
        traces = (overlaps**2).reshape(n_views, width, n_views, width).sum(axis=(1, 3))
        return float(np.sum(np.triu(self.strengths * traces, 1)))  # Eq. (4.5), (4.7)

    def consensus_rotation(self, overlaps: FloatArray) -> FloatArray | None:
        """From the embeddings side by side to ``U*``, the leading vectors of ``Σ_v λ_v U_v U_vᵀ``.

        None if the views are not coupled with a consensus.
        """
        if not self.centred:
            return None
        width = len(overlaps) // len(self.shares)
        roots = np.repeat(np.sqrt(self.shares), width)
        values, vectors = leading_eigenvectors(roots[:, None] * overlaps * roots, width)
        return roots[:, None] * (vectors / np.sqrt(values))  # Eq. (4.10)

    def factor(
        self, view: int, embeddings: Sequence[FloatArray], rotation: FloatArray | None, *, own: bool
    ) -> FloatArray:
        """Factor ``F`` of what is added to the graph of a view, ``F Fᵀ = Σ_w λ_vw U_w U_wᵀ``.

        ``own`` says whether ``w = v`` counts, which holds the view where it is; ``rotation`` leads
        to the consensus, which alone counts where there is one.
        """
        if rotation is not None:
            found: FloatArray = np.hstack(embeddings) @ rotation
            return np.sqrt(self.strengths[view]) * found  # Eq. (4.8)
        terms = [
            np.sqrt(strength) * other
            for place, (strength, other) in enumerate(
                zip(self.strengths[view], embeddings, strict=True)
            )
            if strength > 0 and (own or place != view)
        ]
        return np.hstack([embeddings[view][:, :0], *terms])  # Eq. (4.6)


def pairwise_coupling(agreement: float, weights: FloatArray) -> Coupling:
    """Couple each pair of views by ``λ sqrt(w_v w_w)``; the diagonal holds each view where it is.

    Examples
    --------
    >>> pairwise_coupling(0.5, np.array([1.0, 4.0])).strengths
    array([[0.5, 1. ],
           [1. , 2. ]])
    """
    return Coupling(agreement * np.sqrt(np.outer(weights, weights)), weights)


def centroid_coupling(agreement: float, weights: FloatArray) -> Coupling:
    """Couple each view with the consensus by ``λ_v = λ w_v``.

    Examples
    --------
    >>> centroid_coupling(0.5, np.array([1.0, 4.0])).strengths
    array([0.5, 2. ])
    """
    return Coupling(agreement * weights, weights)


def consensus(embeddings: Sequence[FloatArray], shares: FloatArray) -> FloatArray:
    """Return the leading eigenvectors of ``Σ_v λ_v U_v U_vᵀ`` (4.10), in the span of the views.

    Where views contradict each other, eigenvalues are equal, and it lies between the views.

    Examples
    --------
    >>> u = np.eye(3)[:, :1]
    >>> consensus([u, u], np.ones(2)).T
    array([[1., 0., 0.]])
    """
    n_components = embeddings[0].shape[1]
    side_by_side = np.hstack(
        [np.sqrt(share) * own for share, own in zip(shares, embeddings, strict=True)]
    )
    return gram_eigenvectors(LowRank(side_by_side, side_by_side), n_components)[1]


# -- the embeddings of all views -------------------------------------------------------------------


@dataclass(frozen=True)
class Embeddings:
    """Orthonormal coordinates of the objects in each view, and those all views agree on."""

    views: tuple[FloatArray, ...]
    consensus: FloatArray | None = None
    """``U*``, if the views are coupled with one."""


def co_regularize(
    graphs: Sequence[Graph],
    n_components: int,
    coupling: Coupling,
    *,
    max_iter: int = 100,
    tol: float = 1e-3,
    report: Callable[[int, float], None] | None = None,
) -> Run[Embeddings]:
    """Embed each graph by itself, then all at once, each by itself and the embeddings of all.

    Parameters
    ----------
    graphs : sequence of Graph
        One per view.
    n_components : int
        Number of coordinates.
    coupling : Coupling
        From :func:`pairwise_coupling` (4.5) or :func:`centroid_coupling` (4.7).
    max_iter : int
        Largest number of steps.
    tol : float
        How far the embeddings may still be from the fixed point, as the root mean squared sine of
        the angles between their spaces.
    report : callable, optional
        Is told the number of each step and the objective after it.

    Returns
    -------
    Run
        Its ``state`` are the embeddings, its ``history`` the objective, which never falls.

    Notes
    -----
    A Rayleigh-Ritz method: a step solves the same problem within a small search space for each
    view, by :func:`self_consistent_field`. Spaces begin with the embedding of the view alone and
    what the others see most, and are expanded by the gradient of the objective; full ones are
    restarted from the embedding, the last step and the next best vectors, as in LOBPCG
    [@knyazev2001] and its kin for one matrix and no coupling. An embedding lies in its space, so
    that the objective never falls; a step takes one product of each graph with ``n_components``
    vectors. Small matrices are solved whole.

    Examples
    --------
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> graphs = [Graph.of(pairs), Graph.of(np.ones((4, 4)))]
    >>> run = co_regularize(graphs, 2, pairwise_coupling(0.5, np.ones(2)))
    >>> np.abs((run.state.views[1] @ run.state.views[1].T).round(2))
    array([[0.5, 0.5, 0. , 0. ],
           [0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0.5]])
    """
    tol = max(tol, *(graph.rounding for graph in graphs))
    alone = _alone(graphs, n_components, coupling)
    most = n_components * _BLOCKS
    if len(graphs[0]) <= max(_SMALL, _WHOLE * most):
        problem = ProjectedProblem.whole(graphs, coupling)
        whole = self_consistent_field(problem, alone, max_iter, tol, report)
        return Run(_embeddings(whole.state, coupling), whole.history, converged=whole.converged)
    spaces = SearchSpaces(graphs, alone, coupling)
    history, steps, short = [spaces.objective], [0.0], 0
    for number in range(1, max_iter + 1):
        steps.append(spaces.improve(_INNER * steps[-1]))
        history.append(spaces.objective)
        if report is not None:
            report(number, history[-1])
        short = short + 1 if _distance_to_limit(steps) <= tol else 0
        if short > 1 or steps[-1] <= min(tol, STATIONARY):
            return Run(_embeddings(spaces.views, coupling), np.array(history), converged=True)
        spaces.restart(most - n_components)
        spaces.expand()
    return Run(_embeddings(spaces.views, coupling), np.array(history), converged=False)


def _alone(graphs: Sequence[Graph], n_components: int, coupling: Coupling) -> list[FloatArray]:
    """Embed each view by itself; one that is not coupled stays so, and is embedded for good."""
    # Among nearly equal eigenvalues a residual counts in full, and steps are slow to mend it.
    tols = np.where(coupling.coupled, _BEGINNING, _FINEST)
    pairs = zip(graphs, tols, strict=True)
    return [graph.eigenvectors(n_components, tol)[1] for graph, tol in pairs]


def _embeddings(views: Sequence[FloatArray], coupling: Coupling) -> Embeddings:
    return Embeddings(tuple(views), consensus(views, coupling.shares) if coupling.centred else None)


def _distance_to_limit(steps: Sequence[float]) -> float:
    """How far the limit is if steps go on to shrink geometrically as the last three have done.

    Examples
    --------
    >>> _distance_to_limit([8.0, 4.0, 2.0, 1.0])
    1.0
    """
    if len(steps) < _STEPS or steps[-1] >= steps[-_STEPS]:
        return np.inf
    rate = (steps[-1] / steps[-_STEPS]) ** (1 / (_STEPS - 1))
    return steps[-1] * max(rate / (1 - rate), 1.0)


# -- places of known and new objects ---------------------------------------------------------------


@dataclass(frozen=True)
class Readout:
    """Where an object stands, from its similarities to the training objects in all views."""

    contributions: dict[str, FloatArray]
    """By view: ``D^{-1/2} U``, what a similarity to each training object adds."""
    coefficients: FloatArray
    """From the sums of these, views side by side, to the coordinates."""
    lengths: tuple[float, ...]
    """Of each group of as many coordinates as there are clusters: the length rows are given."""

    def place(self, cross: Mapping[str, Gram]) -> FloatArray:
        """Coordinates of objects; zero for one without any similarity."""
        sums = [_extended(cross[name], part) for name, part in self.contributions.items()]
        rows = np.hstack(sums)
        size = np.abs(rows).max(axis=1, keepdims=True)  # an object may be far from all others
        rows = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0) @ self.coefficients
        groups = np.split(rows, len(self.lengths), axis=1)
        return np.hstack(
            [length * unit_rows(group) for length, group in zip(self.lengths, groups, strict=True)]
        )


def _extended(cross: Gram, contributions: FloatArray) -> FloatArray:
    """``l(x) U``, with ``l(x)`` the similarities of an object normalised by the degrees."""
    roots = np.sqrt(np.abs(np.asarray(cross.sum(axis=1), dtype=np.float64)))[:, None]
    if isinstance(cross, np.ndarray):  # a product of two types would copy the similarities
        contributions = contributions.astype(cross.dtype, copy=False)
    sums = np.asarray(cross @ contributions, dtype=np.float64)
    return np.divide(sums, roots, out=np.zeros_like(sums), where=roots > 0)


def fit_readout(
    graphs: Mapping[str, Graph],
    state: Embeddings,
    targets: Sequence[FloatArray],
    lengths: Sequence[float],
) -> Readout:
    """Find the linear map from ``l_v(x) U_v`` of all views to the coordinates of the objects.

    At a fixed point of the alternation the rows of the embeddings solve, at every object,
    ``u_v(x) Λ_v = l_v(x) U_v + Σ_w λ_vw u_w(x) U_wᵀ U_v``, one linear system over all views. Its
    solution is the map that is fitted here by least squares; before the fixed point, where no map
    is exact, it is the best one.
    """
    pairs = list(zip(graphs.items(), state.views, strict=True))
    seen = np.hstack([graph @ own for (_, graph), own in pairs])
    coefficients = np.linalg.lstsq(seen, np.hstack(targets), rcond=_RANK_CUT)[0]
    contributions: dict[str, FloatArray] = {
        name: graph.scale[:, None] * own for (name, graph), own in pairs
    }
    return Readout(contributions, coefficients, tuple(lengths))


# -- the estimator ---------------------------------------------------------------------------------

_COUPLINGS = {"pairwise": pairwise_coupling, "centroid": centroid_coupling}


class CoRegularizedSpectral(SpectralClusterer):
    """Cluster spectrally in every view, with the views' eigenvectors drawn towards each other.

    Take it first where the views are measurements or of mixed kinds: clusters may have any
    shape, and views may differ in worth. For texts :class:`CoSphericalKMeans` is as good and
    faster.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, and of eigenvectors.
    affinity : Similarity, name, list or dict
        How alike two objects are in a view, for all views or one per view. ``"auto"`` is a graph of
        neighbours, by the cosine where rows are mostly zeros
        (:class:`~manyviews.similarity.AutoGraph`): over the twenty development sets NMI is 0.58
        by it, 0.45 by ``KNNGraph(10)`` and 0.40 by Gaussians of median width.
    agreement : float
        λ, how much agreement counts. The eigenvalues of each ``L_v`` are at most one, and agreeing
        in a direction adds at most λ to them (with more than two views, λ for each other view): λ
        is the difference between eigenvalues that another view can overrule. Between the leading
        ones it is mostly some hundredths, be it for a Gaussian kernel of median width or for a
        graph of neighbours; the default is of that size, and in the range (0.01 to 0.075) over
        which the paper's figure is ahead. With 0 each view is embedded alone; above 1 only
        agreement counts.
    mode : {"pairwise", "centroid"}
        Whether the views are drawn to each other or to a consensus of all.
    combine : str
        In pairwise mode, what k-means sees: ``"concat"``, the views side by side, or the name of
        one view.
    view_weights : "auto", list or dict of float, or None
        How much each view counts in the agreement. "auto": 1 each, and views that look empty of
        structure (``view_structure_``) are left out; None: 1 each. Give a view that is known to be
        noisy a small one.
    max_iter : int
        Largest number of steps.
    tol : float
        Stop when the spaces of the views are no farther than this from where they will end: the
        root mean squared sine of the angles, estimated from how the last steps shrink, twice in a
        row.
    n_init : int
        Number of starts of k-means.
    random_state : int, Generator or None
        Seed of the starts.
    verbose : int
        1 tells what is being done and how the alternation ended, 2 each step.

    Attributes
    ----------
    labels_ : array of shape (n_objects,)
        Cluster of each object.
    view_embeddings_ : dict of arrays of shape (n_objects, n_clusters)
        ``U_v`` by view that is not left out, orthonormal columns.
    consensus_ : array of shape (n_objects, n_clusters)
        ``U*``; in centroid mode only.
    embedding_ : array of shape (n_objects, n_coordinates)
        What k-means has clustered.
    cluster_centers_ : array of shape (n_clusters, n_coordinates)
        Centres of the clusters there.
    readout_ : Readout
        What places an object from its similarities to the training objects.
    objective_history_ : array
        The objective at the start and after every step; never falls.
    n_iter_ : int
        Number of steps.
    converged_ : bool
        Whether ``tol`` was reached: going on would not move the spaces.
    view_structure_ : dict of ViewStructure
        By view: how much structure it has, and whether it looks empty.
    view_weights_ : dict of float
        The weights used, 0 for a view left out.
    similarities_ : ViewSimilarities
        What compares new objects with the training objects.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.cluster import CoRegularizedSpectral
    >>> from manyviews.datasets import load_digits_views
    >>> from manyviews.metrics import adjusted_rand_score
    >>> views, y = load_digits_views()  # pixels, Fourier magnitudes and profiles
    >>> model = CoRegularizedSpectral(n_clusters=10, random_state=0).fit(views[:300])
    >>> bool(adjusted_rand_score(y[:300], model.labels_) > 0.7)
    True
    >>> model.predict({"pixels": views["pixels"][300:305], "fourier": None, "profiles": None}).shape
    (5,)

    Notes
    -----
    **Objective**
        ``mode="pairwise"``: maximise ``Σ_v tr(U_vᵀ L_v U_v) + Σ_{v<w} λ_vw tr(U_v U_vᵀ U_w U_wᵀ)``
        (Eq. 4.3, 4.5). ``mode="centroid"``: maximise
        ``Σ_v tr(U_vᵀ L_v U_v) + Σ_v λ_v tr(U_v U_vᵀ U* U*ᵀ)`` (Eq. 4.7). All ``U`` have orthonormal
        columns.

    **Symbols**
        ``K``, ``L = D^{-1/2} K D^{-1/2}`` → ``Graph``; ``k`` → ``n_clusters``; ``λ`` →
        ``agreement``; ``λ_v = λ w_v``, ``λ_vw = λ sqrt(w_v w_w)`` with ``w`` → ``view_weights``;
        ``U_v`` → ``view_embeddings_``; ``U*`` → ``consensus_``; ``ε`` → ``tol``.

    **Algorithm**
        1. Similarities in each view, gaps filled from the other views (``fit_similarities``).
        2. ``U_v``: the leading eigenvectors of each ``L_v`` (``Graph.eigenvectors``).
        3. A Rayleigh-Ritz method (``co_regularize``): within a small search space for each view,
           spanned by the ``U_v``, by gradients of the objective and by the last step
           (``SearchSpaces``), a self-consistent field iteration with Anderson mixing
           (``self_consistent_field``) takes for all views at once the leading eigenvectors of
           ``L_v + Σ_w λ_vw U_w U_wᵀ`` (Eq. 4.6), or of ``L_v + λ_v U* U*ᵀ`` (Eq. 4.8) with ``U*``
           by Eq. 4.10. Expand the spaces by the gradient and repeat until the embeddings stand
           still.
        4. Read the coordinates of each object out of its similarities (``fit_readout``), bring them
           to unit length, and run k-means on ``U*``, or on the ``U_v`` side by side.

    **Deviations**
        Eq. 4.5 counts each pair twice, the step of Eq. 4.6 that is to maximise it only once; pairs
        are counted once here, as in Eq. 4.3, so that the step does maximise the objective and the
        objective never falls. The paper takes the views in turn, so that the first has a say that
        the others lack, and stops when the objective changes by less than ``1e-4``, which can be
        far from the end; here all views step at once, the fixed points are the same, the order of
        the views is without effect, and it stops when the embeddings are within ``tol`` of where
        they will end, as judged by how steps shrink. The coordinates that k-means
        sees are not the ``U`` themselves but their images under the map that places new objects: at
        a fixed point they are the same, before it they differ as little as any such map allows; so
        a training object that comes again is where it was. With ``view_weights`` in pairwise mode,
        which the paper has only for the centroid, a view's rows have length ``sqrt(w_v)`` in the
        concatenation: a view of weight zero has no say at all.

    **Complexity**
        Per step and view one product of ``L_v`` with ``n_clusters`` vectors: O(n² k) dense,
        O(non-zeros · k) sparse, O(n r k) of low rank; O(n k²) for the rest. Nothing of size n × n
        is made beside the similarities, which are not copied.

    References
    ----------
    [@kumar2013], [@ng2001]
    """

    view_embeddings_: dict[str, FloatArray]
    consensus_: FloatArray
    readout_: Readout
    objective_history_: FloatArray
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        n_clusters: Count = 8,
        affinity: ByView[SimilarityLike] = "auto",
        *,
        agreement: Annotated[float, Interval(0, 1e6)] = 0.03,  # beyond, graphs are rounded away
        mode: Literal["pairwise", "centroid"] = "pairwise",
        combine: str = "concat",
        view_weights: AutoViewWeights = "auto",
        max_iter: Count = 100,
        tol: NonNegative = 1e-3,
        n_init: Repeats = 10,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.agreement = agreement
        self.mode = mode
        self.combine = combine
        self.view_weights = view_weights
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(mode="centroid", agreement=0.5)

    def _compare(self, views: Views) -> tuple[ViewSimilarities, dict[str, Gram]]:
        if self.mode == "centroid" and self.combine != _CONCAT:
            raise ValueError(
                f"combine={self.combine!r} chooses among the views and mode='centroid' has a "
                "consensus of all; leave combine at 'concat', or use mode='pairwise'."
            )
        check_combine(self.combine, _CONCAT, views.names)
        found = super()._compare(views)
        refuse_left_out(self.combine, self.view_weights_)
        return found

    def _embed(self, grams: Mapping[str, Gram], observed: BoolArray) -> FloatArray:  # noqa: ARG002
        weights = np.array([self.view_weights_[name] for name in grams])
        graphs = {name: Graph.of(gram) for name, gram in grams.items()}
        run = self._run(list(graphs.values()), _COUPLINGS[self.mode](self.agreement, weights))
        self._store(run, list(grams))
        self.readout_ = fit_readout(graphs, run.state, *self._targets())
        return self.readout_.place(grams)

    def _run(self, graphs: Sequence[Graph], coupling: Coupling) -> Run[Embeddings]:
        def report(step: int, value: float) -> None:
            self._report(f"step {step}, objective {value:.6g}", verbose=2)

        run = co_regularize(
            graphs, self.n_clusters, coupling, max_iter=self.max_iter, tol=self.tol, report=report
        )
        self._report(f"objective {run.objective:.6g} after {run.n_iter} steps")
        if not run.converged:
            change = abs(run.history[-1] - run.history[-2])
            warn_not_converged(
                self,
                f"did not converge in max_iter={self.max_iter} steps (the objective last changed "
                f"by {change:.2g})",
            )
        return run

    def _store(self, run: Run[Embeddings], names: Sequence[str]) -> None:
        self.view_embeddings_ = dict(zip(names, run.state.views, strict=True))
        if run.state.consensus is not None:
            self.consensus_ = run.state.consensus
        elif hasattr(self, "consensus_"):
            del self.consensus_
        self.objective_history_ = run.history
        self.n_iter_ = run.n_iter
        self.converged_ = run.converged

    def _targets(self) -> tuple[list[FloatArray], list[float]]:
        """The coordinates k-means is to see, in groups, and the length of a row in each."""
        if self.mode == "centroid":
            return [self.consensus_], [1.0]
        if self.combine != _CONCAT:
            return [self.view_embeddings_[self.combine]], [1.0]
        return list(self.view_embeddings_.values()), [
            float(np.sqrt(self.view_weights_[name])) for name in self.view_embeddings_
        ]

    def _place(self, cross: Mapping[str, Gram], observed: BoolArray) -> FloatArray:  # noqa: ARG002
        return self.readout_.place(cross)
