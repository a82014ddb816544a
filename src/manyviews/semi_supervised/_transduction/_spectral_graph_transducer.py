"""Labels spread over the mean graph of the views by its smoothest cuts [@joachims2003]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import BaseMultiViewClassifier, ViewTags
from manyviews.data import Labels
from manyviews.semi_supervised._class_shares import estimated_shares
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
from manyviews.semi_supervised._transduction._mean_graph import MeanGraph, fit_mean_graph
from manyviews.semi_supervised._transduction._spectral_cut import (
    CutTargets,
    SmoothCuts,
    cut_by_labels,
    cut_targets,
    smooth_cuts,
)
from manyviews.similarity import SimilarityLike
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    Positive,
    Verbosity,
    ViewsLike,
)


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
        self._say(f"joining {len(views)} objects in {views.n_views} views")
        self.graph_, edges = fit_mean_graph(views, chosen, self.view_weights_)
        self._say(f"{self.n_components} smoothest cuts of the mean graph")
        cuts = smooth_cuts(edges, self.n_components, normalized=self.normalized)
        self.class_shares_ = self._shares(cuts, labels)
        self._say(f"shares of the classes {np.round(self.class_shares_, 3).tolist()}")
        targets = [
            cut_targets(signs_of(labels.codes, positive), self.class_shares_[positive])
            for positive in two_class_problems(len(labels.classes))
        ]
        self._store(cuts, targets)
        found = best_class(self.embedding_)
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
        best = best_class(self._values(X))
        return np.asarray(self.classes_[best])

    def _shares(self, cuts: SmoothCuts, labels: Labels) -> FloatArray:
        """Share of each class; estimated with the cuts as features, rough ones counting less."""
        if self.proportions != "auto":
            return read_proportions(self.proportions, labels)
        features = cuts.basis / cuts.penalties**0.25  # K = V D^(-1/2) Vᵀ
        return np.maximum(
            estimated_shares(features @ features[labels.labelled].T, labels),
            1.0 / len(features),
        )

    def _say(self, what: str) -> None:
        if self.verbose:
            print(f"SpectralGraphTransducer: {what}")

    def _values(self, X: ViewsLike) -> FloatArray:
        views = self._new_views(X)
        moved = self.embedding_ - self.isolated_values_
        return self.graph_.neighbours_mean(views, moved) + self.isolated_values_

    def _store(self, cuts: SmoothCuts, targets: list[CutTargets]) -> None:
        labelled = cuts.basis[targets[0].rows]
        if not labelled.any():
            raise ValueError(
                "no labelled object has an edge in the graph, so labels cannot spread; "
                "give a graph with more neighbours."
            )
        self.embedding_ = np.column_stack(
            [each.standardised(cut_by_labels(cuts, each, self.C)) for each in targets]
        )
        self.isolated_values_ = np.array([each.standardised(np.zeros(1))[0] for each in targets])
