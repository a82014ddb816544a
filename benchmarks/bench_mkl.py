"""Learning weights of kernels that are given, against MKLpy and against plain NumPy.

Of ``p`` kernels three in ten are informative: Gaussian kernels of four features of which the mean
depends on the class (by 0.5 standard deviations); all others are Gaussian kernels of four features
of pure noise. All are centred and of unit variance before anybody is given them. All learn
weights and then a classifier on the weighted sum: ours and the plain references an SVM, MKLpy's the
learner that each brings. (Most of EasyMKL's time is its learner's, KOMD; with an SVM instead it
took 0.6 s at n = 2,000 in a single run.) Times are taken with C = 1; how often objects not seen are
told right is asked with the C that ours choose by themselves, over several draws. MKLpy takes part
where it can be imported.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.optimize import nnls
from sklearn.svm import SVC

from benchmarks._measure import Comparison, compare, growth_exponent, medians, timed
from manyviews.mkl import KernelLibrary, LpMKL, SimpleMKL, TargetAlignment, TwoStageMKL

SIZES = ((13, 500), (13, 1000), (13, 2000), (100, 500))
N_NEW = 1000
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
    import torch
    from MKLpy import algorithms

    torch.set_num_threads(1)
    model = getattr(algorithms, name)()
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


def run(sizes: tuple[tuple[int, int], ...] = SIZES) -> Iterator[Comparison]:
    warnings.simplefilter("ignore")
    peers = has_mklpy()
    for p, n in sizes:
        task, where = given(p, n), f"p={p}, n={n:,}"
        for name, plain in PLAIN.items():
            yield against(f"{where}: {name} / plain", METHODS[name], plain, task, at_most=1.0)
        if not peers:
            continue
        for name in PLAIN:
            most = 1 / 15 if n == 2000 else None
            easy = lambda task: mklpy("EasyMKL", task)  # noqa: E731
            yield against(f"{where}: {name} / EasyMKL", METHODS[name], easy, task, at_most=most)
        yield from slow_peers(where, task)
        yield from quality(where, p, n)
    yield from growth(sizes)


def has_mklpy() -> bool:
    """Whether MKLpy is here and can be imported; says so if not."""
    if find_spec("MKLpy") is None:
        print("MKLpy is not installed: its rows are left out.")
        return False
    try:
        import MKLpy.algorithms  # noqa: F401
    except ImportError as error:
        print(f"MKLpy cannot be imported ({error}): its rows are left out.")
        return False
    return True


def against(name: str, one: Any, other: Any, task: Given, at_most: float | None) -> Comparison:
    return compare(name, lambda: one(task), lambda: other(task), at_most=at_most, repeats=5)


def slow_peers(where: str, task: Given) -> Iterator[Comparison]:
    """GRAM and CKA, once each: they take seconds to minutes."""
    n, p = len(task.y), len(task.train)
    for peer in ("GRAM", "CKA"):
        if p > 13 if peer == "CKA" else n > SLOW:
            continue
        theirs, _ = timed(lambda peer=peer: mklpy(peer, task))
        for name in PLAIN:
            mine = medians(lambda name=name: {name: timed(lambda: METHODS[name](task))[0]})[name]
            most = 1 / 50 if peer == "CKA" and n == 2000 else None
            goal = "" if most is None else "50× ahead"
            met = most is None or mine <= most * theirs
            yield Comparison(f"{where}: {name} / {peer} (once)", mine, theirs, None, goal, met)


def quality(where: str, p: int, n: int) -> Iterator[Comparison]:
    """Accuracy on new objects and the share of weight on informative kernels, beside EasyMKL's."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    learners = {"EasyMKL": lambda task: mklpy("EasyMKL", task), **CHOOSING}
    for draw in range(N_DRAWS):
        task = given(p, n, draw)
        for name, learn in learners.items():
            seconds, learnt = timed(lambda learn=learn, task=task: learn(task))
            row = seconds, learnt.accuracy, informed(learnt, task)
            found.setdefault(name, []).append(row)
    means = {name: np.mean(rows, axis=0) for name, rows in found.items()}
    their_seconds, theirs, their_share = means.pop("EasyMKL")
    for name, (seconds, accuracy, share) in means.items():
        said = (
            f"{where}: {name} accuracy {accuracy:.4f} ({theirs:.4f}), "
            f"informed weight {share:.2f} ({their_share:.2f})"
        )
        goal = "≥ EasyMKL − 0.005, more weight" if name in PLAIN else ""
        met = not goal or (accuracy >= theirs - 0.005 and share > their_share)
        yield Comparison(said, seconds, their_seconds, None, goal, met)


def informed(learnt: Learnt, task: Given) -> float:
    size = np.abs(learnt.weights)
    return float(size[task.informative].sum() / size.sum())


def growth(sizes: tuple[tuple[int, int], ...]) -> Iterator[Comparison]:
    """How the time of each method grows with the objects, at p = 13."""
    counts = [n for p, n in sizes if p == 13]
    if len(counts) < 2:
        return
    for name, learn in METHODS.items():
        tasks = (given(13, n) for n in counts)
        seconds = [timed(lambda task=task, learn=learn: learn(task))[0] for task in tasks]
        said = f"{name} grows with n^{growth_exponent(counts, seconds):.2f}"
        yield Comparison(said, seconds[-1], seconds[0], None, "", True)
