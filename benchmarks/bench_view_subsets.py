"""Ensembles over subsets of views: combining label vectors, leaving one out, choosing members."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from benchmarks._measure import Comparison, compare, growing, seconds_by_size
from manyviews import Views
from manyviews.ensemble import ViewSubsetEnsemble, nearest_counts
from manyviews.ensemble.members import all_subsets

N_MEMBERS, N_CLASSES = 9, 10
N_VIEWS = 6


def combining(n_remembered: int, n_new: int) -> Iterator[Comparison]:
    """Nearest label vectors of new objects among those that are remembered."""
    remembered, labels = label_vectors(n_remembered, seed=0)
    new, _ = label_vectors(n_new, seed=1)
    brute = KNeighborsClassifier(1, metric="hamming", algorithm="brute").fit(remembered, labels)
    name = f"CRV, {n_new:,} vectors among {n_remembered:,}, 9 members"

    def ours() -> object:
        return nearest_counts(remembered, labels, new, N_CLASSES)

    yield compare(
        f"{name} (beside scikit-learn's nearest by Hamming distance)",
        ours,
        lambda: brute.predict(new),
        at_most=0.2,
        repeats=5,
    )
    yield compare(
        f"{name} (beside all distances by SciPy)",
        ours,
        lambda: cdist(new, remembered, "hamming"),
        at_most=0.5,
        repeats=5,
    )
    yield compare(
        f"CRV, 300 of {n_remembered:,} (beside a plain loop)",
        lambda: nearest_counts(remembered, labels, new[:300], N_CLASSES),
        lambda: plain_loop(remembered, labels, new[:300]),
        at_most=0.2,
        repeats=5,
    )


def growth(*sizes: int) -> Comparison:
    """As many objects asked as remembered: distinct vectors grow more slowly than both."""
    works = {}
    for n in sizes:
        (remembered, labels), (new, _) = label_vectors(n, seed=0), label_vectors(n, seed=1)
        works[n] = partial(nearest_counts, remembered, labels, new, N_CLASSES)
    return growing("CRV, both sides", *seconds_by_size(works), power=2, at_most=2)


def training(n_objects: int) -> Comparison:
    """63 subsets with exact leave-one-out, beside doing so by training again."""
    views, y = blobs(n_objects)
    subsets = all_subsets(views.names)
    matrices = [np.ascontiguousarray(views.subset(names).concatenate()) for names in subsets[:3]]

    def again() -> None:
        for matrix in matrices:
            cross_val_predict(KNeighborsClassifier(5), matrix, y, cv=LeaveOneOut())

    return compare(
        f"63 subsets of {n_objects} objects, left out one by one (beside 3 subsets by folds)",
        lambda: ViewSubsetEnsemble(KNeighborsClassifier(5)).fit(views, y),
        again,
        at_most=0.5,
        repeats=5,
    )


def choosing(n_objects: int) -> Comparison:
    """What choosing greedily among 63 costs beyond training them."""
    views, y = blobs(n_objects)
    knn = KNeighborsClassifier(5)
    return compare(
        f"choosing members by the left-out error of {n_objects} (beside choosing none)",
        lambda: ViewSubsetEnsemble(
            knn, selection="validation", validation="left_out", random_state=0
        ).fit(views, y),
        lambda: ViewSubsetEnsemble(knn, selection="cv").fit(views, y),
        at_most=2.0,
        repeats=5,
    )


def label_vectors(n_objects: int, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of members that are wrong in one case of five."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, N_CLASSES, n_objects)
    wrong = rng.random((n_objects, N_MEMBERS)) < 0.2
    guesses = rng.integers(0, N_CLASSES, (n_objects, N_MEMBERS))
    return np.where(wrong, guesses, labels[:, None]).astype(np.int32), labels


def plain_loop(remembered: np.ndarray, labels: np.ndarray, new: np.ndarray) -> list[int]:
    found = []
    for vector in new:
        distances = (remembered != vector).sum(axis=1)
        near = labels[distances == distances.min()]
        found.append(int(np.bincount(near).argmax()))
    return found


def blobs(n_objects: int) -> tuple[Views, np.ndarray]:
    """Ten groups seen in six views of twenty features each."""
    rng = np.random.default_rng(0)
    y = np.arange(n_objects) % N_CLASSES
    views = {
        f"view{place}": rng.standard_normal((N_CLASSES, 20))[y]
        + 2.5 * rng.standard_normal((n_objects, 20))
        for place in range(N_VIEWS)
    }
    return Views(views), y


SHORT = (partial(combining, 10_000, 2_000), partial(growth, 1_000, 4_000), partial(training, 150))
ALL = (
    partial(combining, 10_000, 2_000),
    partial(growth, 2_000, 4_000, 8_000, 16_000),
    partial(training, 400),
    partial(choosing, 400),
)
