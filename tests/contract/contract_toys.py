"""Small estimators that keep every rule of the contract, for testing the contract itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import (
    AlternatingMixin,
    BaseMultiViewClassifier,
    BaseMultiViewClusterer,
    BaseMultiViewTransformer,
    ViewTags,
)
from manyviews.data import Views
from manyviews.typing import Count, NonNegative, Positive, RandomState, Verbosity


def dense_views(views: Views) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each view as a dense matrix, zero where unobserved, with its presence mask."""
    found = []
    for name, matrix in views.items():
        seen = views.observed_in(name)
        dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        found.append((np.where(seen[:, None], dense, 0.0), seen))
    return found


def mean_distances(views, centroids):
    """Squared distance per feature to each centroid, averaged over the views observed."""
    total = np.zeros((len(views[0][0]), len(centroids[0])))
    for (matrix, seen), centres in zip(views, centroids, strict=True):
        gaps = (matrix[:, None, :] - centres[None, :, :]) ** 2
        total += seen[:, None] * gaps.mean(axis=2)
    return total / sum(seen.astype(float) for _, seen in views)[:, None]


def group_means(matrix, seen, labels, n_groups, otherwise):
    """Mean of the observed rows of each group; ``otherwise`` where there is none."""
    means = np.array(otherwise, dtype=float)
    for group in range(n_groups):
        rows = seen & (labels == group)
        if rows.any():
            means[group] = matrix[rows].mean(axis=0)
    return means


@dataclass(frozen=True)
class Partition:
    centroids: tuple[np.ndarray, ...]
    labels: np.ndarray
    cost: float


class ToyKMeans(AlternatingMixin, BaseMultiViewClusterer):
    """k-means on the mean of the views' squared distances."""

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _deterministic_start: ClassVar[dict[str, Any]] = {"init": "central"}

    def __init__(
        self,
        n_clusters: Count = 3,
        *,
        init: Literal["random", "central"] = "random",
        n_init: Count = 2,
        max_iter: Count = 50,
        tol: NonNegative = 1e-6,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X):
        views = dense_views(self._new_views(X))
        return mean_distances(views, self.centroids_).argmin(axis=1)

    def _min_objects(self):
        return self.n_clusters

    def _prepare(self, views, y):
        return dense_views(views)

    def _start(self, problem, rng):
        middle = [
            np.full((1, matrix.shape[1]), matrix[seen].mean(axis=0) if seen.any() else 0.0)
            for matrix, seen in problem
        ]
        filled = [
            np.where(seen[:, None], matrix, centre)
            for (matrix, seen), centre in zip(problem, middle, strict=True)
        ]
        away = sum(((m - c) ** 2).mean(axis=1) for m, c in zip(filled, middle, strict=True))
        first = rng.integers(len(away)) if self.init == "random" else away.argmin()
        chosen = [int(first)]
        while len(chosen) < self.n_clusters:
            gaps = [sum(((m - m[seed]) ** 2).mean(axis=1) for m in filled) for seed in chosen]
            chosen.append(int(np.min(gaps, axis=0).argmax()))
        return self._assign(problem, tuple(matrix[chosen] for matrix in filled))

    def _assign(self, problem, centroids):
        distances = mean_distances(problem, centroids)
        return Partition(centroids, distances.argmin(axis=1), float(distances.min(axis=1).mean()))

    def _step(self, problem, state):
        centroids = tuple(
            group_means(matrix, seen, state.labels, self.n_clusters, old)
            for (matrix, seen), old in zip(problem, state.centroids, strict=True)
        )
        return self._assign(problem, centroids)

    def _objective(self, state):
        return -state.cost

    def _store(self, problem, state):
        self.centroids_ = state.centroids
        self.labels_ = state.labels


class ToyCentroidClassifier(BaseMultiViewClassifier):
    """Nearest class centroid over the views, once refined by the unlabelled objects."""

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    def __init__(self, sharpness: Positive = 1.0):
        self.sharpness = sharpness

    def fit(self, X, y):
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        problem = dense_views(views)
        centroids = self._centroids(problem, labels.codes)
        nearest = mean_distances(problem, centroids).argmin(axis=1)
        codes = np.where(labels.labelled, labels.codes, nearest)
        self.centroids_ = self._centroids(problem, codes)
        return self

    def predict_proba(self, X):
        problem = dense_views(self._new_views(X))
        scores = -self.sharpness * mean_distances(problem, self.centroids_)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)

    def decision_function(self, X):
        scores = np.log(self.predict_proba(X) + 1e-300)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X):
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def _centroids(self, problem, codes):
        n_classes = len(self.classes_)
        return tuple(
            group_means(
                matrix, seen, codes, n_classes, np.tile(matrix.mean(axis=0), (n_classes, 1))
            )
            for matrix, seen in problem
        )


class ToyProjection(BaseMultiViewTransformer):
    """Mean over the views of their projections on the leading axes, once standardised."""

    view_tags: ClassVar[ViewTags] = ViewTags()

    def __init__(self, n_components: Count = 1):
        self.n_components = n_components

    def fit(self, X, y=None):
        views = self._fit_views(X, min_objects=2)
        self.moments_, self.axes_ = {}, {}
        for name, matrix in views.items():
            mean, spread = matrix.mean(axis=0), matrix.std(axis=0)
            self.moments_[name] = mean, np.where(spread > 0, spread, 1.0)
            _, _, axes = np.linalg.svd(self._standardised(name, matrix), full_matrices=False)
            axes = np.vstack([axes, np.zeros((self.n_components, axes.shape[1]))])
            axes = axes[: self.n_components]
            largest = np.abs(axes).argmax(axis=1)
            signs = np.sign(axes[np.arange(len(axes)), largest])
            self.axes_[name] = axes * np.where(signs == 0, 1.0, signs)[:, None]
        self._n_features_out = self.n_components
        return self

    def transform(self, X):
        views = self._new_views(X)
        shadows = [
            self._standardised(name, matrix) @ self.axes_[name].T for name, matrix in views.items()
        ]
        return np.mean(shadows, axis=0)

    def get_feature_names_out(self, input_features=None):
        return np.asarray([f"axis{i}" for i in range(self.n_components)], dtype=object)

    def _standardised(self, name, matrix):
        mean, spread = self.moments_[name]
        return (matrix - mean) / spread


@dataclass(frozen=True)
class CrossMoments:
    count: int
    first: np.ndarray
    second: np.ndarray
    crossed: np.ndarray

    def __add__(self, other: CrossMoments) -> CrossMoments:
        return CrossMoments(
            self.count + other.count,
            self.first + other.first,
            self.second + other.second,
            self.crossed + other.crossed,
        )


class ToyCrossCovariance(BaseMultiViewTransformer):
    """The direction of each of two views that covaries most with the other's, from sums."""

    view_tags: ClassVar[ViewTags] = ViewTags(min_views=2, max_views=2, additive=True)

    def fit(self, X, y=None):
        views = self._fit_views(X, min_objects=2)
        return self.update(self._sums(views))

    def summarize(self, X) -> CrossMoments:
        return self._sums(self._new_views(X))

    def update(self, stats: CrossMoments) -> Self:
        first, second = stats.first / stats.count, stats.second / stats.count
        covariance = stats.crossed / stats.count - np.outer(first, second)
        left, _, right = np.linalg.svd(covariance)
        sign = 1.0 if left[np.abs(left[:, 0]).argmax(), 0] >= 0 else -1.0
        self.means_ = (first, second)
        self.directions_ = (sign * left[:, 0], sign * right[0])
        return self

    def transform(self, X):
        views = self._new_views(X)
        return np.column_stack(
            [
                (matrix - mean) @ direction
                for (_, matrix), mean, direction in zip(
                    views.items(), self.means_, self.directions_, strict=True
                )
            ]
        )

    def get_feature_names_out(self, input_features=None):
        return np.asarray([f"direction{i}" for i in range(2)], dtype=object)

    @staticmethod
    def _sums(views: Views) -> CrossMoments:
        (_, first), (_, second) = views.items()
        return CrossMoments(len(views), first.sum(axis=0), second.sum(axis=0), first.T @ second)


class BadKMeans(ToyKMeans):
    """Breaks five rules, each in one place, and keeps all others."""

    faults: ClassVar[set[str]] = {
        "fit_leaves_parameters_alone",
        "global_randomness_is_untouched",
        "every_new_view_counts",
        "nan_in_a_cell_is_as_tagged",
        "new_views_are_matched_by_name",
    }

    def fit(self, X, y=None):
        np.random.seed(0)  # noqa: NPY002 (the fault)
        super().fit(X, y)
        self.tol = max(self.tol, 1e-5)
        return self

    def predict(self, X):
        views = dense_views(super()._new_views(self._patched(X)))
        third = views[2:]
        if third and all(seen.all() for _, seen in views[:2]):
            return mean_distances(views[:2], self.centroids_[:2]).argmin(axis=1)
        return mean_distances(views, self.centroids_).argmin(axis=1)

    def _patched(self, X):
        names = getattr(self, "view_names_", ())
        if not (isinstance(X, dict) and set(X) == set(names)):
            return X
        return dict(zip(names, (self._filled(view) for view in X.values()), strict=True))

    @staticmethod
    def _filled(view):
        if not (isinstance(view, np.ndarray) and view.ndim == 2 and view.dtype.kind == "f"):
            return view
        hole = np.isnan(view) & ~np.isnan(view).all(axis=1, keepdims=True)
        return np.where(hole, 0.0, view)


class ExcusedKMeans(BadKMeans):
    """The same, with its faults declared."""

    _contract_exemptions: ClassVar[dict[str, str]] = dict.fromkeys(BadKMeans.faults, "a toy")


GOOD_TOYS = (
    ToyKMeans(random_state=0),
    ToyCentroidClassifier(),
    ToyProjection(n_components=2),
    ToyCrossCovariance(),
)
