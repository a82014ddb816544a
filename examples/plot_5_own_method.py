"""
Your own method, checked by the contract
========================================

A method is one file: a pure function for the mathematics, and a class that checks, calls and
stores. The base classes read views in every form, keep the gaps, match new objects to the fitted
views, restart, iterate and warn. :mod:`manyviews.testing` then tries every rule that a multi-view
estimator has to keep.

The method here is k-means with one set of clusters and one centre per cluster *and view*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any, ClassVar, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import cdist

from manyviews.base import AlternatingMixin, BaseMultiViewClusterer, ViewTags
from manyviews.data import Views, per_view
from manyviews.datasets import hide_views, make_correlated_views
from manyviews.metrics import adjusted_rand_score
from manyviews.testing import estimator_checks, failures
from manyviews.typing import (
    ByView,
    Count,
    FloatArray,
    IntArray,
    NonNegative,
    RandomState,
    Verbosity,
    ViewsLike,
)

# %%
# The mathematics
# ---------------
#
# Plain functions on checked views. A line that does an equation says which.


@dataclass(frozen=True)
class Clustering:
    """Centres by view, the cluster of each object, and the cost of both."""

    centres: dict[str, FloatArray]
    labels: IntArray
    cost: float


def distances(
    views: Views, centres: Mapping[str, FloatArray], weights: Mapping[str, float]
) -> FloatArray:
    """Weighted squared distance to each cluster, over the views an object has."""
    n_clusters = len(next(iter(centres.values())))
    total = np.zeros((len(views), n_clusters))
    for name, matrix in views.items():
        seen = views.observed_in(name)
        total[seen] += weights[name] * cdist(matrix[seen], centres[name], "sqeuclidean")  # Eq. (1)
    return total


def assign(
    views: Views, centres: Mapping[str, FloatArray], weights: Mapping[str, float]
) -> Clustering:
    """Put every object into its nearest cluster."""
    table = distances(views, centres, weights)
    return Clustering(dict(centres), table.argmin(axis=1), float(table.min(axis=1).sum()))


def recentre(views: Views, clustering: Clustering) -> dict[str, FloatArray]:
    """Return the mean of each cluster's observed rows; the old centre where there are none."""
    centres = {}
    for name, matrix in views.items():
        centres[name] = clustering.centres[name].copy()
        for cluster in range(len(centres[name])):
            members = views.observed_in(name) & (clustering.labels == cluster)
            if members.any():
                centres[name][cluster] = matrix[members].mean(axis=0)
    return centres


# %%
# The estimator
# -------------
#
# ``AlternatingMixin`` has the restarts, the loop, the history and the warning; the class says how
# to start, how to step, what the objective is and what to keep.


class Problem(NamedTuple):
    """What all starts share."""

    views: Views
    weights: dict[str, float]


class SharedKMeans(AlternatingMixin, BaseMultiViewClusterer):
    r"""Cluster objects by all their views at once, with a centre in every view.

    Take it where groups are round and of like size in every view, and some objects lack views.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    view_weights : float, list or dict
        Weight of each view: one for all, or one per view.
    n_init, max_iter, tol, random_state, verbose
        Starts, steps, the relative change that ends them, the seed, and how much to print.

    Attributes
    ----------
    labels_ : array of shape (n,)
        Cluster of each object.
    centres_ : dict
        Centres by view.
    objective_history_, n_iter_, converged_
        The course of the best start.

    Examples
    --------
    >>> model = SharedKMeans(2, random_state=0).fit([[[0.0], [0.1], [9.0]], [[1.0], None, [5.0]]])
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2])
    True

    Notes
    -----
    **Objective**
        .. math:: \sum_i \sum_{v \in V_i} w_v \, \lVert x_i^v - \mu_{c_i}^v \rVert^2 \qquad (1)

        is made small, with :math:`V_i` the views observed for object :math:`i`.

    **Symbols**
        w → ``view_weights``; μ → ``centres_``; c → ``labels_``; k → ``n_clusters``.

    **Algorithm**
        1. Take ``n_clusters`` objects as centres, column means where they lack a view (``_start``).
        2. Put every object into its nearest cluster (``assign``).
        3. Move the centres to the means of their objects (``recentre``); go on with 2.

    **Deviations**
        None from textbook k-means with one view. An object with fewer views weighs less in (1).

    **Complexity**
        Time of order n · k · d for a step with n objects and d features of all views together.
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True)

    def __init__(
        self,
        n_clusters: Count = 3,
        *,
        view_weights: ByView[NonNegative] = 1.0,
        n_init: Count = 5,
        max_iter: Count = 100,
        tol: NonNegative = 1e-6,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.view_weights = view_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X: ViewsLike) -> IntArray:
        """Place new objects, which may lack views."""
        views = self._new_views(X)
        return assign(views, self.centres_, self._weights(views)).labels

    def _weights(self, views: Views) -> dict[str, float]:
        return per_view(self.view_weights, views.names, parameter="view_weights")

    def _min_objects(self) -> int:
        return self.n_clusters

    def _prepare(self, views: Views, y: Any) -> Problem:  # noqa: ARG002 (a hook's signature)
        return Problem(views, self._weights(views))

    def _start(self, problem: Problem, rng: np.random.Generator) -> Clustering:
        views = problem.views
        chosen = rng.choice(len(views), self.n_clusters, replace=False)
        centres = {}
        for name, matrix in views.items():
            seen = views.observed_in(name)
            middle = matrix[seen].mean(axis=0) if seen.any() else np.zeros(matrix.shape[1])
            centres[name] = np.where(seen[chosen, np.newaxis], matrix[chosen], middle)
        return assign(views, centres, problem.weights)

    def _step(self, problem: Problem, state: Clustering) -> Clustering:
        return assign(problem.views, recentre(problem.views, state), problem.weights)

    def _objective(self, state: Clustering) -> float:
        return -state.cost

    def _store(self, problem: Problem, state: Clustering) -> None:  # noqa: ARG002
        self.labels_ = state.labels
        self.centres_ = state.centres


# %%
# Does it work?
# -------------
#
# Two clusters in two views, with 30 % of the views hidden. Each view alone sees some of the
# objects; both together see all of them, and see them better.

views, y = make_correlated_views(rho=0.0, n_objects=600, random_state=0)
views = hide_views(views, 0.3, seed=0)
model = SharedKMeans(2, random_state=0).fit(views)

agreement = {}
for name in views.names:
    seen = views.observed_in(name)
    alone = SharedKMeans(2, random_state=0).fit(views.subset([name])[seen])
    agreement[f"{name} alone, {seen.sum()} objects"] = adjusted_rand_score(y[seen], alone.labels_)
agreement[f"both, {len(views)} objects"] = adjusted_rand_score(y, model.labels_)
for name, value in agreement.items():
    print(f"{name:<28} adjusted Rand index {value:.2f}")

# %%
# The objective of the best start. It never rises; a test should say so for random data.

figure, axes = plt.subplots(figsize=(5, 2.6), layout="constrained")
axes.plot(-model.objective_history_, marker="o", color="#0b5c86")
axes.set(xlabel="step", ylabel="cost, Eq. (1)")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Does it keep the rules?
# -----------------------
#
# ``failures`` runs every check that applies and returns those that are broken, with the reason. In
# a test suite, ``parametrize_with_checks`` makes one test of each.

checks = estimator_checks(SharedKMeans())
broken = failures(SharedKMeans())
print(f"{len(checks)} rules apply, {len(broken)} are broken")

# %%
# The rules can fail. Here is a version that is blind to all views but the first two, the way a
# method for two views would be if it dropped the others in silence.


class Blind(SharedKMeans):
    def _weights(self, views: Views) -> dict[str, float]:
        return {name: float(place < 2) for place, name in enumerate(views.names)}


for name, reason in failures(Blind()).items():
    print(fill(f"{name}: {reason}", width=88, subsequent_indent="    "))
