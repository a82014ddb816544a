"""One view alone: facts, principal components, clusters, and how well it predicts the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from manyviews.data import Labels
from manyviews.explain.report import ViewReport
from manyviews.maths import effective_rank
from manyviews.metrics import view_agreement
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

__all__ = ["Clusters", "Folds", "Look", "look_at", "view_facts"]

MAX_COMPONENTS = 200
"""Principal components that stand for a view in all that is learned from it."""
MIN_COMPONENTS = 50
"""A view keeps a tenth as many components as it has objects, but at least this many."""
FOLDS = 5
"""Folds of every cross-validation; fewer where the smallest class is smaller."""
CLUSTER_COMPONENTS = 10
"""Principal components that k-means sees."""
CLUSTER_RANGE = range(2, 11)
"""Numbers of clusters that are tried; the best silhouette decides."""
SILHOUETTE_OBJECTS = 1_000
"""Objects on which a silhouette is computed: it needs all distances between them."""
NEGLIGIBLE_VARIANCE = 1e-10
"""Share of the variance below which a component is dropped. A judgement: 1e-5 of the spread is
far above rounding, and far below what any of the measurements could see."""
SECOND_LARGEST = 0.05
"""Share of the objects that the second largest cluster must hold, else k-means has only split off
outliers. A judgement, the counterpart of LARGEST_CLUSTER among the findings."""
RESTARTS = 3
"""Starts of each of the 18 k-means of a view. A judgement between poor optima and time."""


def view_facts(name: str, matrix: Matrix, seen: BoolArray) -> ViewReport:
    """Shape, kind, gaps and spread of one view; the effective rank is left at 0."""
    rows = matrix[seen]
    values = rows.data if is_sparse(rows) else rows
    cells = max(rows.shape[0] * rows.shape[1], 1)
    missing = int(np.count_nonzero(np.isnan(values)))
    complete = fill_cells(rows)
    variances = column_variances(complete)
    total = float(variances.sum())
    return ViewReport(
        name=name,
        n_features=int(matrix.shape[1]),
        kind="sparse" if is_sparse(matrix) else "dense",
        dtype=str(matrix.dtype),
        density=(int(np.count_nonzero(values)) - missing) / cells,
        observed=float(seen.mean()) if len(seen) else 0.0,
        missing_cells=missing / cells,
        empty_rows=_empty_share(rows),
        constant_features=int(np.count_nonzero(variances == 0.0)),
        spread=float(np.sqrt(total)),
        dominant_share=float(variances.max() / total) if total > 0.0 else 0.0,
        effective_rank=0.0,
    )


def _empty_share(rows: Matrix) -> float:
    if 0 in rows.shape:
        return 0.0
    filled = np.diff(rows.indptr) > 0 if is_sparse(rows) else (rows != 0.0).any(axis=1)
    return 1.0 - float(filled.mean())


def fill_cells(rows: Matrix) -> Matrix:
    """Put the column's mean where a cell is NaN (0 where a whole column is); else no copy."""
    values = rows.data if is_sparse(rows) else rows
    gaps = np.isnan(values)
    if not gaps.any():
        return rows
    if is_sparse(rows):
        known = sparse.csr_array(
            (np.where(gaps, 0.0, values), rows.indices, rows.indptr), shape=rows.shape
        )
        empty = np.bincount(rows.indices[gaps], minlength=rows.shape[1])
        means = np.asarray(known.sum(axis=0)).ravel() / np.maximum(rows.shape[0] - empty, 1)
        known.data[gaps] = means[rows.indices[gaps]]
        return known
    counts = (~gaps).sum(axis=0)
    means = np.where(gaps, 0.0, values).sum(axis=0) / np.maximum(counts, 1)
    return np.where(gaps, means, values)


def column_variances(rows: Matrix) -> FloatArray:
    """Variance of each column, exactly 0 where it never changes."""
    n_rows, n_columns = rows.shape
    if n_rows == 0 or n_columns == 0:
        return np.zeros(n_columns)
    if not is_sparse(rows):
        changing = rows.max(axis=0) > rows.min(axis=0)
        return np.where(changing, rows.var(axis=0, dtype=np.float64), 0.0)
    # The difference of squares rounds to a little more than 0: only the extremes tell constants.
    high, low = rows.max(axis=0).toarray().ravel(), rows.min(axis=0).toarray().ravel()
    data = rows.data.astype(np.float64)
    means = np.bincount(rows.indices, weights=data, minlength=n_columns) / n_rows
    squares = np.bincount(rows.indices, weights=data**2, minlength=n_columns) / n_rows
    return np.where(high > low, np.clip(squares - means**2, 0.0, None), 0.0)


def reduce_view(matrix: Matrix, seen: BoolArray, seed: int) -> FloatArray:
    """Scores on the leading principal components, total variance 1, zero where unobserved.

    Features of a dense view are standardised first, as are those of a sparse view of 50 features
    or fewer; rows of other sparse views are scaled to length 1, which suits counts and links and
    keeps them sparse. Labels play no part, so that what is cross-validated on the scores is not
    spoilt. A constant view gives no component at all.
    """
    rows = fill_cells(matrix[seen])
    if is_sparse(rows) and rows.shape[1] <= MIN_COMPONENTS:  # so narrow that it fits any memory
        rows = rows.toarray()
    scores = np.zeros((len(seen), 0))
    if 0 in rows.shape or not column_variances(rows).any():
        return scores
    n_components = min(MAX_COMPONENTS, max(MIN_COMPONENTS, rows.shape[0] // 10), *rows.shape)
    found = (_sparse_scores if is_sparse(rows) else _dense_scores)(rows, n_components, seed)
    found = found - found.mean(axis=0)  # sparse rows are not centred before, to stay sparse
    variances = np.square(found).mean(axis=0)
    total = float(variances.sum())
    if total <= 0.0:
        return scores
    kept = variances > NEGLIGIBLE_VARIANCE * total
    scores = np.zeros((len(seen), int(kept.sum())))
    scores[seen] = found[:, kept] / np.sqrt(total)
    return scores


def _dense_scores(rows: FloatArray, n_components: int, seed: int) -> FloatArray:
    from sklearn.decomposition import PCA

    columns = rows[:, column_variances(rows) > 0.0].astype(np.float64)
    columns -= columns.mean(axis=0)
    columns /= columns.std(axis=0)
    return PCA(min(n_components, *columns.shape), random_state=seed).fit_transform(columns)


def _sparse_scores(rows: Matrix, n_components: int, seed: int) -> FloatArray:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    unit = normalize(sparse.csr_array(rows, dtype=np.float64))
    return TruncatedSVD(n_components, random_state=seed).fit_transform(unit)


@dataclass(frozen=True)
class Clusters:
    """Clusterings of one view, and the number of clusters that suits it best."""

    labels: dict[int, IntArray]
    """By number of clusters; -1 where the view is unobserved."""
    n_clusters: int
    silhouette: float
    chance: float
    """Best silhouette of a Gaussian cloud with the same variances."""
    largest: float
    """Share of the objects in the largest cluster."""


def find_clusters(scores: FloatArray, seen: BoolArray, seed: int) -> Clusters | None:
    """Cluster the observed objects for every number of clusters; None if there are too few.

    A number of clusters whose second largest cluster holds less than 5 % of the objects has only
    split off outliers, and is chosen only if all are like that.
    """
    points = scores[seen, :CLUSTER_COMPONENTS]
    # Copies of an object differ by rounding, and k-means warns of fewer points than clusters.
    distinct = len(np.unique(points.round(6), axis=0)) if points.size else 0
    sizes = [size for size in CLUSTER_RANGE if size < distinct]
    if not sizes:
        return None
    rng = np.random.default_rng(seed)
    # k-means splits anything: a cloud without clusters says what a silhouette is worth here.
    cloud = rng.normal(size=points.shape) * points.std(axis=0)
    sample = rng.permutation(len(points))[:SILHOUETTE_OBJECTS]
    own = [_cluster(points, size, seed) for size in sizes]
    silhouettes = np.array([_silhouette(points, labels, sample) for labels in own])
    chance = max(_silhouette(cloud, _cluster(cloud, size, seed), sample) for size in sizes)
    seconds = np.array([np.sort(np.bincount(labels))[-2] for labels in own])
    balanced = seconds / len(points) >= SECOND_LARGEST
    eligible = np.where(balanced, silhouettes, -np.inf) if balanced.any() else silhouettes
    best = int(eligible.argmax())
    return Clusters(
        {size: _spread(labels, seen) for size, labels in zip(sizes, own, strict=True)},
        sizes[best],
        float(silhouettes[best]),
        float(chance),
        float(np.bincount(own[best]).max() / len(points)),
    )


def cluster_agreement(first: Clusters, second: Clusters) -> float | None:
    """Adjusted Rand index of two views, at the number of clusters of either where they agree best.

    None where too few objects are in both.
    """
    from sklearn.metrics import adjusted_rand_score

    found = []
    for size in {first.n_clusters, second.n_clusters}:
        if size in first.labels and size in second.labels:
            one, other = first.labels[size], second.labels[size]
            both = (one >= 0) & (other >= 0)
            if both.sum() >= 2:
                found.append(float(adjusted_rand_score(one[both], other[both])))
    return max(found, default=None)


def _cluster(points: FloatArray, n_clusters: int, seed: int) -> IntArray:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=RESTARTS, random_state=seed).fit_predict(points)


def _silhouette(points: FloatArray, labels: IntArray, sample: IntArray) -> float:
    from sklearn.metrics import silhouette_score

    found = len(np.unique(labels[sample]))
    if not 2 <= found < len(sample):
        return 0.0
    return float(silhouette_score(points[sample], labels[sample]))


def _spread(labels: IntArray, seen: BoolArray) -> IntArray:
    everywhere = np.full(len(seen), -1, dtype=np.intp)
    everywhere[seen] = labels
    return everywhere


@dataclass(frozen=True)
class Folds:
    """Labelled objects dealt out to folds, each class evenly."""

    codes: IntArray
    """Class of each object, -1 where it takes no part."""
    fold: IntArray
    """Fold of each object, -1 where it takes no part."""
    n_folds: int
    n_classes: int
    """Classes that take part."""

    @property
    def used(self) -> BoolArray:
        """Which objects take part."""
        return self.fold >= 0


def deal_folds(labels: Labels, rng: np.random.Generator) -> Folds | None:
    """Deal out the classes with two or more objects; None if fewer than two classes have them.

    There are five folds, or as many as the smallest of these classes has objects.
    """
    large = labels.counts >= 2
    if large.sum() < 2:
        return None
    n_folds = min(FOLDS, int(labels.counts[large].min()))
    used = labels.labelled & large[labels.codes]
    codes = np.where(used, labels.codes, -1)
    fold = np.full(len(codes), -1, dtype=np.intp)
    dealt = 0  # going on where the last class ended keeps the folds equally large
    for code in np.flatnonzero(large):
        members = rng.permutation(np.flatnonzero(codes == code))
        fold[members] = (dealt + np.arange(len(members))) % n_folds
        dealt += len(members)
    return Folds(codes, fold, n_folds, int(large.sum()))


def out_of_fold(scores: FloatArray, seen: BoolArray, folds: Folds) -> IntArray:
    """Predict each object from the folds it is not in; -1 where that is impossible."""
    predictions = np.full(len(scores), -1, dtype=np.intp)
    usable = folds.used & seen
    for fold in range(folds.n_folds):
        train, test = usable & (folds.fold != fold), usable & (folds.fold == fold)
        if test.any() and len(np.unique(folds.codes[train])) >= 2:
            predictions[test] = discriminate(scores[train], folds.codes[train], scores[test])
    return predictions


def discriminate(train: FloatArray, codes: IntArray, test: FloatArray) -> IntArray:
    """Linear discriminant analysis with equal priors and a Ledoit-Wolf covariance.

    Equal priors aim at balanced accuracy. The pooled covariance within classes is shrunk towards
    a multiple of the identity, which stands in for tuning: it takes wide data and tiny classes
    as they are, and has nothing that must converge.
    """
    from sklearn.covariance import ledoit_wolf

    classes, members = np.unique(codes, return_inverse=True)
    means = np.array([train[members == code].mean(axis=0) for code in range(len(classes))])
    covariance, _ = ledoit_wolf(train - means[members], assume_centered=True)
    # The shrinkage may be 0: a trace of ridge lets singular covariances be solved.
    floor = 1e-9 * float(np.trace(covariance)) / len(covariance)
    ridge = floor if floor > 0.0 else 1.0  # classes without any spread: nearest mean
    weights = np.linalg.solve(covariance + ridge * np.eye(len(covariance)), means.T)
    margins = test @ weights - 0.5 * np.einsum("ij,ji->i", means, weights)
    return classes[margins.argmax(axis=1)]


def accuracies(predictions: IntArray, folds: Folds, among: BoolArray | None = None) -> FloatArray:
    """Balanced accuracy in each fold, over predicted objects; NaN where a fold has none."""
    usable = folds.used & (predictions >= 0)
    if among is not None:
        usable = usable & among
    values = np.full(folds.n_folds, np.nan)
    for fold in range(folds.n_folds):
        rows = usable & (folds.fold == fold)
        if not rows.any():
            continue
        right = (predictions == folds.codes)[rows]
        _, members, counts = np.unique(folds.codes[rows], return_inverse=True, return_counts=True)
        values[fold] = (np.bincount(members, weights=right) / counts).mean()
    return values


def mean_and_error(per_fold: FloatArray) -> tuple[float, float]:
    """Mean over folds, and its standard error."""
    return float(per_fold.mean()), float(per_fold.std(ddof=1) / np.sqrt(len(per_fold)))


def agreement(first: IntArray, second: IntArray, folds: Folds) -> tuple[float | None, float | None]:
    """Share of equal predictions, and the share expected if errors were independent.

    The expectation takes, in each true class, the two views' own shares of predictions as they
    are and pairs them at random. Both are None where no object has both views.
    """
    rows = folds.used & (first >= 0) & (second >= 0)
    if not rows.any():
        return None, None
    one, other, truth = first[rows], second[rows], folds.codes[rows]
    size = int(max(one.max(), other.max())) + 1
    expected = 0.0
    for code in np.unique(truth):
        of_class = truth == code
        shares = np.bincount(one[of_class], minlength=size) / of_class.sum()
        expected += float(shares @ np.bincount(other[of_class], minlength=size))
    return view_agreement([one, other]), expected / len(truth)


@dataclass(frozen=True)
class Look:
    """One view as the rest of the diagnosis needs it."""

    report: ViewReport
    scores: FloatArray
    seen: BoolArray
    clusters: Clusters | None
    predictions: IntArray | None

    @property
    def usable(self) -> bool:
        """Whether there is anything to learn from."""
        return self.scores.shape[1] > 0


def look_at(
    report: ViewReport, matrix: Matrix, seen: BoolArray, folds: Folds | None, seed: int
) -> Look:
    """Measure one view alone."""
    scores = reduce_view(matrix, seen, seed)
    report = replace(
        report, effective_rank=effective_rank(fill_cells(matrix[seen]), random_state=seed)
    )
    if scores.shape[1] == 0:
        note = "never observed" if not seen.any() else "constant"
        return Look(replace(report, note=note), scores, seen, None, None)
    clusters = find_clusters(scores, seen, seed)
    if clusters is not None:
        report = replace(
            report,
            silhouette=clusters.silhouette,
            silhouette_chance=clusters.chance,
            n_clusters=clusters.n_clusters,
            largest_cluster=clusters.largest,
        )
    if folds is None:
        return Look(report, scores, seen, clusters, None)
    predictions = out_of_fold(scores, seen, folds)
    per_fold = accuracies(predictions, folds)
    if np.isnan(per_fold).any():
        note = "too few labelled objects have this view"
        return Look(replace(report, note=note), scores, seen, clusters, None)
    quality, error = mean_and_error(per_fold)
    # A class that never has this view cannot be guessed from it: chance is higher then.
    n_classes = len(np.unique(folds.codes[folds.used & seen]))
    report = replace(report, quality=quality, quality_error=error, chance=1.0 / n_classes)
    return Look(report, scores, seen, clusters, predictions)
