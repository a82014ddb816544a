"""Spectral clustering whose views are drawn towards each other's eigenvectors [@kumar2013]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import Run
from manyviews.cluster.spectral._shared import SpectralClusterer, refuse_left_out
from manyviews.cluster.spectral.co_regularized import (
    Embeddings,
    Graph,
    Ties,
    centroid_ties,
    co_regularize,
    pairwise_ties,
)
from manyviews.data import Views
from manyviews.maths import Gram, unit_rows
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
)

_TIES = {"pairwise": pairwise_ties, "centroid": centroid_ties}
_CONCAT = "concat"
_NEGLIGIBLE = 1e-8
"""Directions of the readout with singular values below this share of the largest are left out."""


@dataclass(frozen=True)
class Readout:
    """Where an object stands, from its similarities to the training objects in all views."""

    contributions: dict[str, FloatArray]
    """By view: ``D^{-1/2} U``, what a similarity to each training object adds."""
    turn: FloatArray
    """From the sums of these, views side by side, to the coordinates."""
    lengths: tuple[float, ...]
    """Of each group of as many coordinates as there are clusters: the length rows are given."""

    def place(self, cross: Mapping[str, Gram]) -> FloatArray:
        """Coordinates of objects; zero for one without any similarity."""
        sums = [_extended(cross[name], part) for name, part in self.contributions.items()]
        rows = np.hstack(sums)
        size = np.abs(rows).max(axis=1, keepdims=True)  # an object may be far from all others
        rows = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0) @ self.turn
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
    turn = np.linalg.lstsq(seen, np.hstack(targets), rcond=_NEGLIGIBLE)[0]
    contributions: dict[str, FloatArray] = {
        name: graph.scale[:, None] * own for (name, graph), own in pairs
    }
    return Readout(contributions, turn, tuple(lengths))


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
        3. Within a small space for each view, spanned by the ``U_v``, by gradients of the objective
           and by the last step (``Spaces``), for all views at once: the leading eigenvectors of
           ``L_v + Σ_w λ_vw U_w U_wᵀ`` (Eq. 4.6), or of ``L_v + λ_v U* U*ᵀ`` (Eq. 4.8) with ``U*``
           by Eq. 4.10, mixed by Anderson's method where that is no worse (``settle``). Add the
           gradient there and repeat until the embeddings stand still (``co_regularize``).
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
        _check_combine(self.combine, self.mode, views.names)
        found = super()._compare(views)
        refuse_left_out(self.combine, self.view_weights_)
        return found

    def _embed(self, grams: Mapping[str, Gram], observed: BoolArray) -> FloatArray:  # noqa: ARG002
        weights = np.array([self.view_weights_[name] for name in grams])
        graphs = {name: Graph.of(gram) for name, gram in grams.items()}
        run = self._run(list(graphs.values()), _TIES[self.mode](self.agreement, weights))
        self._store(run, list(grams))
        self.readout_ = fit_readout(graphs, run.state, *self._targets())
        return self.readout_.place(grams)

    def _run(self, graphs: Sequence[Graph], ties: Ties) -> Run[Embeddings]:
        def report(step: int, value: float) -> None:
            if self.verbose > 1:
                print(f"{type(self).__name__}: step {step}, objective {value:.6g}")

        run = co_regularize(
            graphs, self.n_clusters, ties, max_iter=self.max_iter, tol=self.tol, report=report
        )
        if self.verbose:
            print(f"{type(self).__name__}: objective {run.objective:.6g} after {run.n_iter} steps")
        if not run.converged:
            _warn_not_converged(run, self.max_iter)
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


def _check_combine(combine: str, mode: str, names: Sequence[str]) -> None:
    if combine != _CONCAT and mode == "centroid":
        raise ValueError(
            f"combine={combine!r} chooses among the views and mode='centroid' has a consensus of "
            "all; leave combine at 'concat', or use mode='pairwise'."
        )
    if combine != _CONCAT and combine not in names:
        known = ", ".join(map(repr, names))
        raise ValueError(
            f"combine={combine!r} is neither 'concat' nor one of the views {known}; give one."
        )


def _warn_not_converged(run: Run[Embeddings], max_iter: int) -> None:
    change = abs(run.history[-1] - run.history[-2])
    warnings.warn(
        f"CoRegularizedSpectral did not converge in max_iter={max_iter} steps (the objective last "
        f"changed by {change:.2g}); raise max_iter or tol.",
        ConvergenceWarning,
        stacklevel=5,
    )
