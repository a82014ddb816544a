"""Clusters that keep what matters of what the objects tell [@rueping2005; @tishby1999]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import (
    BaseMultiViewClusterer,
    MultiViewTags,
    ViewTags,
    report,
    warn_not_converged,
    warn_user,
)
from manyviews.data import Views, in_row_order, per_view
from manyviews.exceptions import UnobservedViewsError, ViewsWarning
from manyviews.explain.annealing import InformationCurve, Search, curve_of, search
from manyviews.explain.bottleneck_equations import (
    Bottleneck,
    Problem,
    assign,
    bottleneck,
    likeness_to,
    membership_of,
)
from manyviews.explain.distributions import Distribution, fit_distribution, pose_views
from manyviews.maths import generator
from manyviews.similarity import used_views, weights_of_views
from manyviews.typing import (
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    NonNegative,
    Positive,
    RandomState,
    Repeats,
    Verbosity,
    ViewsLike,
)

__all__ = ["Bottleneck", "InformationBottleneck", "InformationCurve", "bottleneck", "membership_of"]


class InformationBottleneck(BaseMultiViewClusterer):
    """Cluster objects softly, keeping as much as can be kept of what their features tell.

    Take it for counts, frequencies and other rows that are distributions, such as words and links,
    where it matters how much is kept, in nats, and how surely an object belongs to a cluster. Take
    :class:`~manyviews.cluster.CoSphericalKMeans` for large sets of texts of which only the groups
    are wanted, and :class:`ConditionalInformationBottleneck` to find what is not known already.

    Parameters
    ----------
    n_clusters : int
        Most clusters. There are fewer where ``beta`` does not pay for more; see ``n_clusters_``.
    beta : "auto" or float
        What a nat of relevant information is worth, in nats remembered: the larger, the more and
        the sharper clusters. By default two steps, each of a fifth, beyond the least β of the
        annealing at which there are ``n_clusters`` clusters and I(U;C) is nine tenths of H(C): a
        scale that comes from the data, where no number would suit words as well as measurements.
        See ``beta_``.
    distribution : "auto", "shares" or "bins", list or dict
        How a row becomes P(v|u). ``"shares"``: each value by the sum of its row, for counts and
        other amounts of one unit, none negative. ``"bins"``: each feature has the same share,
        divided among the two of its bins whose knots are around the value; for measurements in any
        units. By default shares for views of mostly zeros and no negative values, bins for others.
    n_bins : int
        Knots of a feature at most; they are quantiles.
    view_weights : "auto", list, dict or None
        Shares of the views in P(v|u), which are divided among those that an object shows. By
        default alike, but a view that looks empty of structure
        (:func:`~manyviews.similarity.judge_views`) has none, of which a warning tells; None for
        all alike.
    n_init : int
        Number of starts: the annealing, which draws nothing that matters, and others from objects
        drawn at random at the β it ends at. The lowest F is kept.
    max_iter : int
        Most steps at the final β.
    tol : float
        Largest change of any membership in a step at which to stop.
    random_state : int, generator or None
        Draws the starts.
    verbose : int
        1 reports the annealing and the starts.

    Attributes
    ----------
    labels_ : array of int of shape (n_objects,)
        Cluster of largest membership; 0 is the largest cluster.
    membership_ : array of shape (n_objects, n_clusters)
        P(c|u), one column for each of ``n_clusters_``.
    n_clusters_ : int
        How many clusters there are.
    beta_ : float
        The β of the memberships.
    p_c_ : array of shape (n_clusters,)
        P(c), in falling order.
    p_v_given_c_ : dict of arrays of shape (n_clusters, n_values)
        P(v|c) of each view, over its features, or over the knots of those that vary.
    distributions_ : dict
        How the rows of each view become distributions, with the knots.
    objective_history_ : array
        F at ``beta_``, at the best start and after every step.
    information_curve_ : InformationCurve
        I(U;C) and I(V;C) at each β of the annealing, the fit itself last.
    i_uc_, i_vc_, i_uv_ : float
        I(U;C), I(V;C) and I(U;V) in nats.
    n_iter_ : int
        Number of steps of the best start at ``beta_``.
    converged_ : bool
        Whether it stopped before ``max_iter``.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_weights_ : dict of float
        Weights of the views.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.explain import InformationBottleneck
    >>> words = np.array([[3, 0, 0, 0, 1], [2, 1, 0, 0, 0], [0, 0, 4, 0, 1], [0, 0, 2, 1, 0]])
    >>> model = InformationBottleneck(2, distribution="shares", random_state=0)
    >>> model = model.fit({"words": words})
    >>> model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    np.True_
    >>> model.predict({"words": [[5, 2, 0, 0, 0]]}) == model.labels_[0]
    array([ True])
    >>> bool(model.i_vc_ < model.i_uv_)
    True

    Notes
    -----
    **Objective**
        F = I(U;C) − β I(V;C), least over P(c|u), Section 3: clusters C that forget which object
        was seen and remember which feature.

    **Symbols**
        U → an object, drawn with ``sample_weight``; V → a feature, drawn from the object's row;
        C → its cluster; β → ``beta_``, P(c|u) → ``membership_``, P(c) → ``p_c_``, P(v|c) →
        ``p_v_given_c_``.

    **Algorithm**
        1. ``pose_views``: rows become P(v|u), Section 3 and ``distribution``.
        2. ``anneal``: deterministic annealing [@rose1998]. From one cluster on, β grows. Each
           cluster that is unstable at β parts in two along its leading direction (``instability``),
           those that gain most first, and ``minimize`` repeats the three equations of Section 3,
           each of which is the exact minimum over one of P(c), P(v|c) and P(c|u).
        3. ``search``: other starts at the same β; the lowest F is followed to its end. Clusters
           that no object tells apart are merged, which leaves F as it is.

    **Deviations**
        The third equation is misprinted: it lacks the sum over v. The derivative of the Lagrangian
        by P(c|u) is zero where P(c|u) ∝ P(c) exp(β Σ_v P(v|u) log P(v|c)), which is what is
        iterated; the tests compare it with finite differences. In the second, P(u|c) is
        P(c|u) P(u) / P(c). A logarithm of zero is held at -708, see ``likeness_to``.
        The paper says nothing of β, starts or new objects. New objects get the third equation.
        With several views V is a feature of any of them, and which view it is of counts as known:
        F has I(V;C|view), which is I(V;C) where every object shows every view, and where views are
        missing the clusters do not tell which. An object that shows nothing has no weight and
        P(c|u) = P(c).
        F is not convex, and the minimum that is found may not be the least; that is why the points
        of ``information_curve_`` need not be concave, although the best ones are.

    **Complexity**
        A step costs two products of each view with a matrix of ``n_clusters`` columns, O(nnz · k),
        and the logarithms of the features, O(m · k). The annealing takes up to 50 steps for each
        of its β, some ten where clusters are plain.

    References
    ----------
    [@rueping2005], [@tishby1999], [@rose1998]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _deterministic_start: ClassVar[dict[str, Any]] = {"n_init": 1}
    _given: ClassVar[str] = ""
    """What nothing tells the objects apart beyond, for a warning."""

    beta_: float
    converged_: bool
    distributions_: dict[str, Distribution]
    i_uc_: float
    i_uv_: float
    i_vc_: float
    information_curve_: InformationCurve
    membership_: FloatArray
    n_clusters_: int
    n_iter_: int
    objective_history_: FloatArray
    p_c_: FloatArray
    p_v_given_c_: dict[str, FloatArray]
    view_weights_: dict[str, float]

    def __init__(
        self,
        n_clusters: Count = 8,
        beta: Literal["auto"] | Positive = "auto",
        *,
        distribution: ByView[Literal["auto", "shares", "bins"]] = "auto",
        n_bins: Annotated[int, Interval(2)] = 10,
        view_weights: AutoViewWeights = "auto",
        n_init: Repeats = 10,
        max_iter: Count = 1000,
        tol: NonNegative = 1e-4,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.distribution = distribution
        self.n_bins = n_bins
        self.view_weights = view_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(3)
        yield cls(3, 8.0, distribution="shares", n_init=1)

    @property
    def _expected_failed_checks(self) -> dict[str, str]:
        proba = "it takes a clusterer with predict_proba for a classifier"
        drawn = "starts are drawn from the objects, and an object that occurs twice is drawn as two"
        return {
            "check_estimator_sparse_array": proba,
            "check_estimator_sparse_matrix": proba,
            "check_sample_weight_equivalence_on_dense_data": drawn,
            "check_sample_weight_equivalence_on_sparse_data": drawn,
        }

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.distribution == "shares"
        return tags

    def fit(self, X: ViewsLike, y: Any = None, *, sample_weight: Any = None) -> Self:
        """Cluster the objects.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        y : object, optional
            Ignored.
        sample_weight : array-like of shape (n_objects,), optional
            P(u) up to a factor; all alike by default. Objects of no weight only get memberships.
        """
        views = self._fit_views(X, min_objects=self.n_clusters)
        self._check_labels(views, y)
        return self._learn(views, read_weights(sample_weight, views), None)

    def predict(self, X: ViewsLike) -> IntArray:
        """Return the cluster of largest membership of each object, by the views it has."""
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Return P(c|u) of any objects, by the third equation."""
        return self._membership(self._new_views(X), None)

    def _learn(self, views: Views, weights: FloatArray, p_w_given_u: FloatArray | None) -> Self:
        view_weights = weights_of_views(self.view_weights, views)
        used = used_views(views, view_weights)
        kinds = per_view(self.distribution, views.names, parameter="distribution")
        distributions = {
            name: _fitted(used, name, kinds[name], weights, self.n_bins) for name in used.names
        }
        problem = pose_views(used, distributions, view_weights, weights, p_w_given_u)
        if not problem.p_u.any():
            raise UnobservedViewsError(
                "all objects of weight are empty in all views, with no value above zero, and teach "
                "nothing; leave them out."
            )
        self.view_weights_, self.distributions_ = view_weights, distributions
        found = search(
            problem,
            self.n_clusters,
            None if self.beta == "auto" else float(self.beta),
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            rng=generator(self.random_state),
            tell=self._tell,
        )
        self._store(problem, found)
        return self

    def _store(self, problem: Problem, found: Search) -> None:
        clusters = found.run.clusters
        self.beta_, self.n_clusters_ = found.beta, len(clusters.p_c)
        self.p_c_ = clusters.p_c
        self._set_p_v_given_c(clusters.p_v_given_c)
        # P(c|u) by the third equation of section 3, whose fixed point the search has found
        self.membership_ = assign(clusters.p_c, clusters.likeness, found.beta)
        self.labels_ = self.membership_.argmax(axis=1)
        self.objective_history_ = found.run.history
        self.n_iter_, self.converged_ = len(found.run.history) - 1, found.run.converged
        self.i_uc_, self.i_vc_ = max(clusters.i_uc, 0.0), max(clusters.i_vc, 0.0)  # 0: rounding
        self.i_uv_ = problem.i_uv
        self.information_curve_ = curve_of(problem, found)
        if not self.converged_:
            warn_not_converged(self, f"did not converge in max_iter={self.max_iter} steps")
        if self.n_clusters_ == 1 < self.n_clusters:
            self._warn_of_one_cluster(found)

    def _set_p_v_given_c(self, by_context: tuple[FloatArray, ...]) -> None:
        self.p_v_given_c_ = dict(zip(self.distributions_, by_context, strict=True))

    def _by_context(self) -> list[FloatArray]:
        return list(self.p_v_given_c_.values())

    def _membership(self, views: Views, p_w_given_u: FloatArray | None) -> FloatArray:
        used = used_views(views, self.view_weights_)
        weightless = np.zeros(len(views))
        problem = pose_views(used, self.distributions_, self.view_weights_, weightless, p_w_given_u)
        return assign(self.p_c_, likeness_to(problem, self._by_context()), self.beta_)

    def _warn_of_one_cluster(self, found: Search) -> None:
        """β may be too small for any split, or there may be nothing to split by."""
        if self.beta == "auto":
            said = f"nothing tells the objects apart{self._given}, and they are one cluster"
            remedy = "look at the views with manyviews.diagnose"
        else:
            said = f"beta={found.beta:g} does not pay for a second cluster"
            remedy = "raise it, or leave it to beta='auto'"
        warn_user(f"{said}; {remedy}.", ViewsWarning)

    def _tell(self, message: str) -> None:
        if self.verbose:
            report(self, message)


def _fitted(views: Views, name: str, kind: str, weights: FloatArray, n_bins: int) -> Distribution:
    rows = np.flatnonzero(views.observed_in(name) & (weights > 0))
    if not len(rows):
        raise UnobservedViewsError(
            f"view {name!r} is observed for no object of weight and teaches nothing; leave it out."
        )
    return fit_distribution(views[name][rows], kind, weights[rows], n_bins)


def read_weights(sample_weight: Any, views: Views) -> FloatArray:
    """Read the weights of the objects, one each if there are none."""
    if sample_weight is None:
        return np.ones(len(views))
    weights = np.asarray(
        in_row_order(sample_weight, views.sample_ids, "sample_weight"), dtype=float
    )
    if weights.shape != (len(views),):
        raise ValueError(
            f"sample_weight has shape {weights.shape} for {len(views)} objects; give one number "
            "for each."
        )
    wrong = np.flatnonzero(~((weights >= 0) & np.isfinite(weights)))
    if len(wrong):
        raise ValueError(
            f"sample_weight of row {wrong[0]} is {weights[wrong[0]]:g}; give numbers of at least 0."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for all objects; give some of them a weight.")
    return weights / weights.max()  # a sum of large numbers may overflow
