"""Learning weights of kernels that are given, against MKLpy and against plain NumPy.

Of ``p`` kernels three in ten are informative: Gaussian kernels of four features of which the mean
depends on the class (by 0.5 standard deviations); all others are Gaussian kernels of four features
of pure noise. All are centred and of unit variance before anybody is given them. All learn
weights and then a classifier on the weighted sum: ours and the plain references an SVM, MKLpy's the
learner that each brings. (Most of EasyMKL's time is its learner's, KOMD; with an SVM instead it
took 0.6 s at n = 2,000 in a single run.) Times are taken with C = 1; how often objects not seen are
told right is asked with the C that ours choose by themselves, over several draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

import numpy as np
from scipy.optimize import nnls
from sklearn.svm import SVC

from benchmarks._measure import Comparison, Median, compare, growing, medians, peer, timed
from manyviews.mkl import KernelLibrary, LpMKL, SimpleMKL, TargetAlignment, TwoStageMKL

SIZES = ((13, 500), (13, 1_000), (13, 2_000), (100, 500))
N_NEW = 1_000
N_DRAWS = 5
"""Accuracies are means over so many draws."""
C = 1.0
N_PAIRS = 200_000
SLOW = 500
"""GRAM, which takes a thousand steps, is asked up to so many objects."""


@dataclass(frozen=True)
class Given:
    """Kernels of training objects, of new to training objects, their classes and our library."""

    train: list[np.ndarray]
    new: list[np.ndarray]
    y: np.ndarray
    y_new: np.ndarray
    informative: np.ndarray
    library: KernelLibrary

    @property
    def numbers(self) -> np.ndarray:
        return np.arange(len(self.y), dtype=float)[:, None]


@dataclass(frozen=True)
class Learnt:
    """Weights of the kernels and how often the classifier is right on new objects."""

    weights: np.ndarray
    accuracy: float


@lru_cache(maxsize=1)
def given(p: int, n: int, draw: int = 0) -> Given:
    """Draw kernels: the first three in ten know the classes."""
    rng = np.random.default_rng((draw, p, n))
    y = rng.integers(0, 2, n + N_NEW)
    informative = np.arange(p) < round(0.3 * p)
    train, new = [], []
    for knows in informative:
        rows = rng.normal(size=(n + N_NEW, 4)) + 0.5 * knows * (2 * y - 1)[:, None]
        squares = (rows**2).sum(axis=1)
        raw = np.exp(-0.2 * np.maximum(squares[:, None] + squares[:n] - 2 * rows @ rows[:n].T, 0))
        mean = raw[:n].mean(axis=0)
        centred = raw - raw.mean(axis=1)[:, None] - mean + mean.mean()
        centred /= np.trace(centred[:n]) / n
        train.append((centred[:n] + centred[:n].T) / 2)
        new.append(centred[n:])
    named = {f"kernel {number}": gram for number, gram in enumerate(train)}
    library = KernelLibrary.from_matrices(named, normalize=False)
    return Given(train, new, y[:n], y[n:], informative, library)


def ours(kind: Any, task: Given, **params: Any) -> Learnt:
    """Fit one of our methods; new objects are compared by the weights, as for everybody."""
    model = kind(task.library, **params).fit(task.numbers, task.y)
    combined = weighted(model.kernel_weights_, task.new)
    right = model.classes_[model.estimator_.predict(combined)] == task.y_new
    return Learnt(model.kernel_weights_, float(right.mean()))


def mklpy(name: str, task: Given) -> Learnt:
    """Fit one of MKLpy's methods as it comes, with the learner that it brings."""
    model = peer("MKLpy.algorithms", name)()
    torch = import_module("torch")
    torch.set_num_threads(1)
    model.fit([torch.from_numpy(gram) for gram in task.train], torch.from_numpy(task.y))
    found = model.predict([torch.from_numpy(gram) for gram in task.new])
    weights = np.asarray(model.solution.weights, dtype=float).ravel()
    return Learnt(weights, float((np.asarray(found) == task.y_new).mean()))


def plain_two_stage(task: Given) -> Learnt:
    """Pegasos on K-examples of pairs drawn at random, with weights cut at zero (Eq. 5.2)."""
    rng, n, rate = np.random.default_rng(0), len(task.y), 1e-3
    left, right = rng.integers(0, n, size=(2, N_PAIRS))
    examples = np.stack([gram[left, right] for gram in task.train], axis=1)
    target = np.where(task.y[left] == task.y[right], 1.0, -1.0)
    weights = np.zeros(len(task.train))
    for step in range(1, 1001):
        rows = rng.integers(0, N_PAIRS, 100)
        wrong = target[rows] * (examples[rows] @ weights) < 1
        gradient = rate * weights - (target[rows] * wrong) @ examples[rows] / 100
        weights = np.maximum(weights - gradient / (rate * step), 0.0)
    return plain_svm(weights, task)


def plain_alignment(task: Given) -> Learnt:
    """All products by BLAS on blocks of rows, then non-negative least squares (Eq. 5.3)."""
    n, p = len(task.y), len(task.train)
    products, aims = np.zeros((p, p)), np.zeros(p)
    for start in range(0, n, 100):
        block = np.stack([gram[start : start + 100].ravel() for gram in task.train])
        target = np.where(task.y[start : start + 100, None] == task.y, 1.0, -1.0)
        products += block @ block.T
        aims += block @ target.ravel()
    root = np.linalg.cholesky(products + 1e-12 * np.trace(products) * np.eye(p))
    weights = nnls(root.T, np.linalg.solve(root, aims))[0]
    return plain_svm(weights / np.linalg.norm(weights), task)


def plain_svm(weights: np.ndarray, task: Given) -> Learnt:
    machine = SVC(C=C, kernel="precomputed").fit(weighted(weights, task.train), task.y)
    right = machine.predict(weighted(weights, task.new)) == task.y_new
    return Learnt(weights, float(right.mean()))


def weighted(weights: np.ndarray, grams: list[np.ndarray]) -> np.ndarray:
    found = np.zeros_like(grams[0])
    for weight, gram in zip(weights, grams, strict=True):
        if weight:
            found += weight * gram
    return found


METHODS: dict[str, Callable[[Given], Learnt]] = {
    "TwoStageMKL": lambda task: ours(TwoStageMKL, task, C=C, regularization=1e-3, random_state=0),
    "TargetAlignment": lambda task: ours(TargetAlignment, task, C=C),
    "SimpleMKL": lambda task: ours(SimpleMKL, task, C=C),
    "LpMKL": lambda task: ours(LpMKL, task, C=C),
}
CHOOSING: dict[str, Callable[[Given], Learnt]] = {
    "TwoStageMKL": lambda task: ours(TwoStageMKL, task, random_state=0),
    "TargetAlignment": lambda task: ours(TargetAlignment, task),
    "SimpleMKL": lambda task: ours(SimpleMKL, task),
    "LpMKL": lambda task: ours(LpMKL, task),
}
"""The same with parameters that they choose by themselves."""
PLAIN = {"TwoStageMKL": plain_two_stage, "TargetAlignment": plain_alignment}


def beside_plain(p: int, n: int) -> Iterator[Comparison]:
    for name, plain in PLAIN.items():
        most = 1.0 if n >= SLOW else None  # the goal is set for these sizes
        yield against(f"p={p}, n={n:,}: {name} / plain", name, plain, given(p, n), most)


def beside_easy_mkl(p: int, n: int) -> Iterator[Comparison]:
    most, easy = 1 / 15 if n == 2_000 else None, partial(mklpy, "EasyMKL")
    for name in PLAIN:
        yield against(f"p={p}, n={n:,}: {name} / EasyMKL", name, easy, given(p, n), most)


def against(
    title: str, name: str, other: Callable[[Given], Learnt], task: Given, at_most: float | None
) -> Comparison:
    ours = METHODS[name]
    return compare(title, lambda: ours(task), lambda: other(task), at_most=at_most, repeats=5)


def beside_slow_peer(name: str, p: int, n: int) -> Iterator[Comparison]:
    """GRAM and CKA, once each: they take seconds to minutes."""
    task = given(p, n)
    theirs, _ = timed(lambda: mklpy(name, task))
    for own in PLAIN:
        mine = medians(lambda own=own: {own: timed(lambda: METHODS[own](task))[0]})[own]
        most = 1 / 50 if name == "CKA" and n == 2_000 else None
        goal = "" if most is None else "50× ahead"
        met = most is None or mine <= most * theirs
        yield Comparison(f"p={p}, n={n:,}: {own} / {name} (once)", mine, theirs, None, goal, met)


def quality(p: int, n: int) -> Iterator[Comparison]:
    """Accuracy on new objects and the share of weight on informative kernels, beside EasyMKL's."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    learners = {"EasyMKL": partial(mklpy, "EasyMKL"), **CHOOSING}
    for draw in range(N_DRAWS):
        task = given(p, n, draw)
        for name, learn in learners.items():
            seconds, learnt = timed(lambda learn=learn, task=task: learn(task))
            row = seconds, learnt.accuracy, informed(learnt, task)
            found.setdefault(name, []).append(row)
    means = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    their_seconds, theirs, their_share = means.pop("EasyMKL")
    for name, (seconds, accuracy, share) in means.items():
        title = f"p={p}, n={n:,}: {name}, mean of {N_DRAWS} draws (EasyMKL)"
        said = (
            f"accuracy {accuracy:.4f} ({theirs:.4f}), informed weight {share:.2f} "
            f"({their_share:.2f})"
        )
        goal = "≥ EasyMKL − 0.005, more weight" if name in PLAIN else ""
        met = not goal or (accuracy >= theirs - 0.005 and share > their_share)
        yield Comparison(title, seconds, their_seconds, None, goal, met, said)


def informed(learnt: Learnt, task: Given) -> float:
    size = np.abs(learnt.weights)
    return float(size[task.informative].sum() / size.sum())


def growth(p: int, *sizes: int) -> Iterator[Comparison]:
    """How the time of each method grows with the objects: their pairs, at least."""
    seconds: dict[str, list[Median]] = {name: [] for name in METHODS}
    for n in sizes:
        task = given(p, n)
        for name, learn in METHODS.items():
            found = medians(lambda: {"fit": timed(lambda: learn(task))[0]})  # noqa: B023
            seconds[name].append(found["fit"])
    for name, times in seconds.items():
        yield growing(f"p={p}: {name}", sizes, times, power=2)


SHORT = (
    partial(beside_plain, 13, 300),
    partial(beside_easy_mkl, 13, 300),
    partial(growth, 5, 150, 300),
)
ALL = (
    *(partial(beside_plain, p, n) for p, n in SIZES),
    *(partial(beside_easy_mkl, p, n) for p, n in SIZES),
    *(partial(beside_slow_peer, "GRAM", p, n) for p, n in SIZES if n <= SLOW),
    *(partial(beside_slow_peer, "CKA", p, n) for p, n in SIZES if p == 13),
    *(partial(quality, p, n) for p, n in SIZES),
    partial(growth, 13, 500, 1_000, 2_000),
)
