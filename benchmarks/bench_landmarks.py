"""The forest over K-examples and learning with landmarks, against scikit-learn doing the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.svm import LinearSVC

from benchmarks._measure import Comparison, compare, growing, seconds_by_size
from manyviews.mkl import LandmarkClassifier
from manyviews.mkl.forest import fit_forest
from manyviews.mkl.landmarks import COSTS, fit_linear_machine, folds_of
from manyviews.similarity import RBF

N_TREES = 20
"""Both forests take a time in proportion to their trees, of which the thesis has 500."""
N_VOTERS, N_SOME = 100, 5_000


def k_examples(
    n_objects: int, n_kernels: int, n_pairs: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Products of single features, weakly informative, and whether the classes are the same."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_objects)
    rows = rng.standard_normal((n_objects, n_kernels)) + 0.4 * y[:, None]
    left, right = np.triu_indices(n_objects)
    chosen = rng.permutation(len(left))[:n_pairs]
    left, right = left[chosen], right[chosen]
    return rows[left] * rows[right], np.where(y[left] == y[right], 1, -1)


def forests(name: str, n_objects: int, n_kernels: int, n_pairs: int) -> Iterator[Comparison]:
    """Growing trees on all pairs, and the votes of more trees, grown on some, for all pairs."""
    examples, signs = k_examples(n_objects, n_kernels, n_pairs, seed=0)
    single, n_candidates = examples.astype(np.float32), min(10, examples.shape[1])
    reference = RandomForestClassifier(
        N_TREES, criterion="entropy", min_samples_leaf=3, max_features=n_candidates, random_state=0
    )
    yield compare(
        f"{name}: {N_TREES} trees on {len(signs):,} K-examples (scikit-learn's)",
        lambda: fit_forest(examples, signs, n_trees=N_TREES, random_state=0),
        lambda: reference.fit(single, signs),
        at_most=0.2,
        repeats=5,
    )
    reference.set_params(n_estimators=N_VOTERS).fit(single[:N_SOME], signs[:N_SOME])
    ours = fit_forest(examples[:N_SOME], signs[:N_SOME], n_trees=N_VOTERS, random_state=0)
    yield compare(
        f"{name}: votes of {N_VOTERS} trees for {len(signs):,} K-examples (scikit-learn's)",
        lambda: ours.votes(examples),
        lambda: votes_of(reference, single),
        at_most=0.7,
        repeats=5,
    )


def votes_of(forest: Any, examples: np.ndarray) -> np.ndarray:
    return sum(tree.predict(examples) for tree in forest.estimators_)


def rings(n_objects: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((n_objects, 10))
    noise = 0.5 * rng.standard_normal(n_objects)
    return rows, (rows[:, 0] * rows[:, 1] + noise > 0).astype(int)


def linear_machine(n_objects: int) -> Comparison:
    """The machine on a third of the objects as landmarks, C by the same four folds."""
    rows, codes = rings(n_objects)
    features = RBF().fitted(rows).cross(rows, rows[: n_objects // 3])
    features -= features.mean(axis=0)
    features /= np.sqrt((features**2).sum(axis=1).mean())
    search = GridSearchCV(
        LinearSVC(dual=False, random_state=0), {"C": COSTS}, cv=PredefinedSplit(folds_of(codes))
    )
    return compare(
        f"linear machine, C by folds, n={n_objects:,}, l=n/3 (GridSearchCV of LinearSVC)",
        lambda: fit_linear_machine(features, codes),
        lambda: search.fit(features, codes),
        at_most=1.0,
        repeats=5,
    )


def growth(n_landmarks: int, *sizes: int) -> Comparison:
    """With so many landmarks, whatever the number of objects, the time grows with that number."""
    model = LandmarkClassifier(RBF(), n_landmarks=n_landmarks, random_state=0)
    works = {n: partial(model.fit, *rings(n)) for n in sizes}
    name = f"LandmarkClassifier, {n_landmarks} landmarks"
    return growing(name, *seconds_by_size(works), at_most=1.2)


SHORT = (
    partial(forests, "fewer than sonar's", 80, 60, 2_000),
    partial(linear_machine, 300),
    partial(growth, 100, 500, 2_000),
)
ALL = (
    partial(forests, "sonar's size", 166, 60, 13_861),
    partial(forests, "pima's size", 614, 8, 50_000),
    partial(linear_machine, 2_000),
    partial(growth, 300, 2_000, 4_000, 8_000, 16_000),
)
