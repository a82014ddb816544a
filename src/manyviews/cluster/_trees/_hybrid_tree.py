"""Top-down clustering in which every split is made by the view that splits best [@gupta2005]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import BaseMultiViewClusterer, ViewTags, check_params, hint_at_scales
from manyviews.cluster._trees._grow_tree import SeenRows, SplitRule, dense_view, grow_tree, route
from manyviews.cluster._trees._rows import compared_rows, rooted_views
from manyviews.cluster._trees._split_tree import SplitTree
from manyviews.data import Views, per_view
from manyviews.maths import Divergence, SquaredEuclidean
from manyviews.similarity import weights_of_views
from manyviews.typing import ByView, Count, IntArray, Interval, Verbosity, ViewsLike


class HybridTree(BaseMultiViewClusterer):
    """Build one tree from several views: at each fork the view speaks that has most to say.

    Take it where you ask which view tells which clusters apart: every fork names its view. It
    is meant for explaining; for the best clusters take :class:`CoRegularizedSpectral`.

    Parameters
    ----------
    divergence : Divergence, list or dict
        How objects differ in a view: one for all views, a list with one per view, or a dict by
        view name. If not given, :class:`~manyviews.maths.SquaredEuclidean`, between the rows, or
        between the roots of their shares where three quarters of the cells or more are zeros.
    n_clusters : int, optional
        Into how many clusters ``labels_`` and ``predict`` cut the tree. If not given, before the
        split with the largest drop in gain from the split before it, among the cuts into 2 to
        ``√n`` clusters. Cut elsewhere with ``labels_at``.
    view_weights : "auto" or None
        By default a view that looks empty of structure (:func:`~manyviews.similarity.judge_views`,
        asked of a thousand objects at most) splits nothing, of which a warning tells; None for all
        alike.
    max_leaves : int, optional
        Stop when the tree has so many leaves; by default objects are split until they are single
        or alike.
    condense : int
        Nodes with more objects are condensed to so many groups before Ward's method. At most as
        many objects are split exactly.
    refine : bool
        Whether objects move to the nearer mean after Ward's method.
    verbose : int
        1 prints a line per fit, 2 one per split.

    Attributes
    ----------
    tree_ : SplitTree
        The tree, with the view, the goodness and the gain of each split.
    labels_ : array of int of shape (n_objects,)
        Cluster of each object.
    n_clusters_ : int
        How many clusters there are.
    split_views_ : array of str of shape (n_splits,)
        The view that made each split, in order of rank.
    divergences_ : dict
        The divergence of each view, with what it learnt; of the views that are used.
    rooted_views_ : tuple of str
        Views that are compared by the roots of their rows' shares.
    view_weights_ : dict of float
        1 for a view that is used, 0 for one that is not.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.cluster import HybridTree
    >>> from manyviews.maths import GeneralizedKL, SquaredEuclidean
    >>> sound = [[0.0], [0.2], [4.0], [4.1]]
    >>> context = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.6, 0.4]]
    >>> divergence = {"sound": SquaredEuclidean(), "context": GeneralizedKL()}
    >>> model = HybridTree(divergence, n_clusters=3).fit({"sound": sound, "context": context})
    >>> model.labels_
    array([2, 0, 1, 1])
    >>> model.split_views_[:2]
    array(['sound', 'context'], dtype='<U7')
    >>> model.predict({"sound": [[4.4]], "context": None})
    array([1])

    Notes
    -----
    **Objective**
        Every node X is divided by the view whose two clusters have the largest *goodness*
        cost(X) / (cost(X₁) + cost(X₂)) (Section 4.2), with cost(S) = Σ d(x, μ_S) (Section 3). A
        ratio has no unit, so that views with different divergences can be compared.

    **Symbols**
        D_φ → ``divergence``; X, Y → the views; goodness → ``tree_.goodness``; its inverse, the
        similarity of Figure 6 → ``tree_.similarities``.

    **Algorithm**
        1. ``find_split``: in each view that shows two different objects of a node, merge the
           node's objects by Ward's method (``top_of_ward``, the Lemma) until two clusters are left.
        2. ``best_split``: take the view with the largest goodness.
        3. ``grow_tree``: the same in both halves, until objects are single or alike.

    **Deviations**
        *Order.* The paper recurses and leaves open how to cut the tree. Here the node comes next
        whose split takes away the largest share of its view's whole cost, so that a tree for
        fewer leaves is the beginning of one for more. With one view this is the order of Ward's
        method.
        *Refinement.* Ward's clusters need not be those of the nearer mean, by which new objects
        are placed. With ``refine`` objects move to the nearer of the two means until none does;
        the goodness can only rise, and ``predict`` agrees with ``labels_``. ``refine=False``
        keeps the clusters of the paper, and single objects of ``labels_`` may then be predicted
        elsewhere.
        *Large nodes.* The paper's method needs n² costs. A node of more than ``condense`` objects
        is first condensed to so many groups by cutting columns at their means, and Ward's method
        merges the groups.
        *Ties.* Two different objects are split with infinite goodness by every view; then that
        view splits them in which they make the largest share of the whole cost.
        *Unobserved views.* A view splits the objects it shows; the cost of the others, taken for
        average, stays as it is, so that the goodness falls towards 1 with the share it shows.
        Objects that it does not show go to the half whose means are nearer in the views they have,
        each measured by its mean divergence; if none tells, to the larger half.
        *Words and links.* The paper leaves the divergence to the user. Where none is given, views
        of mostly zeros are compared by the roots of the shares that the cells have of their row,
        which is Hellinger's distance: by that the NMI is .46 in the mean over the twenty
        development sets, by the rows themselves .33 (300 objects of each).

    **Complexity**
        O(n · m · d) time per level and view for the nodes above m = ``condense`` objects, and
        O(n · m · d) for all nodes below; O(n · d + m²) memory. ``predict`` is O(d) per object and
        level. Views are made dense, but for those of more columns than objects under
        ``SquaredEuclidean``: their objects are split by their coordinates in the span of all, which
        are n at most (O(n² d + n³) once); only the cuts of large nodes look at the columns. The
        means in ``tree_`` have all columns.

    References
    ----------
    [@gupta2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _contract_exemptions: ClassVar[dict[str, str]] = {
        "every_new_view_counts": "three clusters are made by two splits, each in one view, so that "
        "of three views one decides nothing for objects that have them all"
    }

    tree_: SplitTree
    divergences_: dict[str, Divergence]
    rooted_views_: tuple[str, ...]
    view_weights_: dict[str, float]

    def __init__(
        self,
        divergence: ByView[Divergence | None] = None,
        n_clusters: Count | None = None,
        *,
        view_weights: Literal["auto"] | None = "auto",
        max_leaves: Count | None = None,
        condense: Annotated[int, Interval(2)] = 256,
        refine: bool = True,
        verbose: Verbosity = 0,
    ) -> None:
        self.divergence = divergence
        self.n_clusters = n_clusters
        self.view_weights = view_weights
        self.max_leaves = max_leaves
        self.condense = condense
        self.refine = refine
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(n_clusters=3)
        yield cls(n_clusters=3, condense=10)

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Grow the tree and cut it."""
        check_params(self)
        self._refuse_more_clusters_than_leaves()
        views = self._fit_views(X, min_objects=self.n_clusters or 1)
        self._check_labels(X, y)
        views = self._settle(views)
        rule = SplitRule(self.max_leaves, self.condense, self.refine)
        self.tree_ = grow_tree(SeenRows.in_span(views, self.divergences_), rule, self._report)
        self.n_clusters_ = self.n_clusters or self.tree_.n_clusters_at_largest_drop()
        self.labels_ = self.tree_.labels_at(self.n_clusters_)
        self.split_views_ = np.array(views.names)[self.tree_.split_views]
        if self.verbose:
            print(f"{type(self).__name__}: {self.tree_!r}")
        return self

    def predict(self, X: ViewsLike) -> IntArray:
        """Lead objects down the tree to their clusters, by the views that they have."""
        views = self._compared(self._new_views(X))
        data = SeenRows.of(views, self.divergences_)
        nodes = route(self.tree_, data, self.n_clusters_ - 1)
        return self.tree_.node_labels(self.n_clusters_)[nodes]

    def apply(self, X: ViewsLike) -> IntArray:
        """Lead objects down to the leaves; ``tree_.node_labels(k)`` turns nodes into clusters."""
        views = self._compared(self._new_views(X))
        return route(self.tree_, SeenRows.of(views, self.divergences_), self.tree_.n_splits)

    def labels_at(self, n_clusters: int) -> IntArray:
        """Cut the tree elsewhere: the labels of the fitted objects in so many clusters."""
        return self.tree_.labels_at(n_clusters)

    def _settle(self, views: Views) -> Views:
        """Decide which views are used and how their rows are compared; return those rows."""
        given = per_view(self.divergence, views.names, parameter="divergence")
        self.view_weights_ = weights_of_views(self.view_weights, views)
        self.rooted_views_ = rooted_views(views, given)
        rows = self._compared(views)
        usual = [name for name in rows.names if given[name] is None]
        hint_at_scales(rows, usual, type(self).__name__)
        self.divergences_ = {}
        for name in rows.names:
            chosen, seen = given[name] or SquaredEuclidean(), rows.observed_in(name)
            if seen.any() and type(chosen) is not SquaredEuclidean:  # which has nothing to learn
                chosen = chosen.fitted(dense_view(rows, name)[seen])
            self.divergences_[name] = chosen
        return rows

    def _compared(self, views: Views) -> Views:
        return compared_rows(views, self.view_weights_, self.rooted_views_)

    def _refuse_more_clusters_than_leaves(self) -> None:
        if (self.n_clusters or 1) > (self.max_leaves or np.inf):
            raise ValueError(
                f"n_clusters={self.n_clusters!r} is more than max_leaves={self.max_leaves!r}; "
                "raise max_leaves."
            )

    def _report(self, line: str) -> None:
        if self.verbose > 1:
            print(f"{type(self).__name__}: {line}")
