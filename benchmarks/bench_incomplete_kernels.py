"""Kernels of incomplete rows: against the factorisations they need, complete rows, and the paper.

The components of the mixture overlap, so that all pairs of them count. Where a reference would
take minutes or hours it is measured on a sample of pairs and scaled to all of them; the names say
so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.linalg import block_diag

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growing,
    medians,
    peak_bytes,
    seconds_by_size,
)
from manyviews.maths import Conditionals, conditionals
from manyviews.similarity import RBF
from manyviews.similarity.incomplete.kernels import ExpectedPolynomial
from manyviews.similarity.incomplete.rbf import ExpectedRBF

WIDTH, N_COMPONENTS, SIGMA = 34, 4, 6.0
SAMPLE = 3_000
FEW = 40


def beside_complete_rows(n: int) -> Comparison:
    complete, four = four_patterns(n)
    return compare(
        f"{n:,} rows, four patterns, beside the RBF matrix of complete rows",
        lambda: ExpectedRBF(SIGMA)(four),
        lambda: RBF(0.5 / SIGMA**2).gram(complete),
        at_most=30.0,
        repeats=5,
    )


def beside_its_factorisations(n: int) -> Iterator[Comparison]:
    """All patterns distinct, beside NumPy's batched Cholesky of as many and as large matrices."""
    known = distinct_patterns(n)
    ExpectedRBF(SIGMA)(known[:3])
    whole, parts = stacks(known)

    def measure() -> dict[str, float]:
        return {
            "ours": cpu_seconds(lambda: ExpectedRBF(SIGMA)(known)),
            "whole": cpu_seconds(lambda: [np.linalg.cholesky(stack) for stack in whole.stacks]),
            "parts": cpu_seconds(lambda: [np.linalg.cholesky(stack) for stack in parts.stacks]),
            "paper": scaled_paper(known),
        }

    found = medians(measure)
    extra = peak_bytes(lambda: ExpectedRBF(SIGMA)(known))
    name = f"{n:,} rows, {len(known.observed):,} patterns"
    as_needed = found["parts"].scaled(parts.scale)
    row = Comparison(name, found["ours"], 1.0, extra, "", met=True)
    for what, seconds, goal in (
        ("Cholesky of what either lacks, by components", found["whole"].scaled(whole.scale), 3),
        ("Cholesky of what one or both lack, as it is needed", as_needed, 3),
        (f"the paper's formula in a loop, scaled from {FEW} pairs", found["paper"], 0.01),
    ):
        yield replace(
            row,
            name=f"{name}, beside {what}" + ("" if goal < 1 else ", scaled from a sample"),
            reference_seconds=seconds,
            goal=f"at most {goal:g}×",
            met=found["ours"] <= goal * seconds,
        )


class Stacks:
    """Positive definite matrices by their size, and how many times as many there are in all."""

    def __init__(self, sizes: list[int], scale: float) -> None:
        rng = np.random.default_rng(0)
        self.scale = scale
        self.stacks = []
        for size in set(sizes) - {0}:
            root = rng.standard_normal((size, 2 * size))
            matrix = root @ root.T + np.eye(size)
            self.stacks.append(np.repeat(matrix[None], sizes.count(size), axis=0))


def stacks(known: Conditionals) -> tuple[Stacks, Stacks]:
    """What a sample of pairs of rows needs: whole matrices, or parts one after the other."""
    rng = np.random.default_rng(1)
    missing, n = ~known.observed[known.pattern], len(known)
    active = known.weights >= 1e-16
    whole: list[int] = []
    parts: list[int] = []
    n_pairs = SAMPLE // N_COMPONENTS**2
    for i, j in rng.integers(n, size=(n_pairs, 2)):
        either, both = missing[i] | missing[j], missing[i] & missing[j]
        joint = int((np.outer(known.weights[i], known.weights[j]) >= 1e-16).sum())
        whole += [int(either.sum())] * joint
        parts += [int(both.sum())] * joint
        for row in (i, j):
            parts += [int((missing[row] & ~both).sum())] * int(active[row].sum())
    scale = n * (n + 1) / 2 / n_pairs
    return Stacks(whole, scale), Stacks(parts, scale)


def growth(*sizes: int) -> Comparison:
    """Twice the rows, four times the pairs."""
    works = {n: partial(ExpectedRBF(SIGMA), distinct_patterns(n)) for n in sizes}
    return growing("rows of distinct patterns", *seconds_by_size(works), power=2, at_most=2.2)


def polynomial(n: int) -> Comparison:
    """Degree three, beside the Gaussian kernel of the same rows."""
    known = four_patterns(n)[1]
    return compare(
        f"{n:,} rows, four patterns: degree three beside the Gaussian kernel",
        lambda: ExpectedPolynomial(3, 0.1, 1.0)(known),
        lambda: ExpectedRBF(SIGMA)(known),
        repeats=5,
    )


def beside_the_paper(n: int) -> Comparison:
    """Equation (4) for few pairs, scaled to all of them."""
    known = four_patterns(n)[1]
    found = medians(
        lambda: {
            "ours": cpu_seconds(lambda: ExpectedRBF(SIGMA)(known)),
            "paper": scaled_paper(known),
        }
    )
    return Comparison(
        f"{n:,} rows, four patterns, beside the paper's formula in a loop, scaled from {FEW} pairs",
        found["ours"],
        found["paper"],
        None,
        "at most 0.01×",
        found["ours"] <= 0.01 * found["paper"],
    )


def scaled_paper(known: Conditionals) -> float:
    """Seconds that the paper's formula takes for one half of the matrix."""
    n = len(known)
    pairs = np.random.default_rng(2).integers(n, size=(FEW, 2))
    once = cpu_seconds(lambda: [paper_kernel(known, i, j) for i, j in pairs])
    return once * n * (n + 1) / 2 / FEW


def paper_kernel(known: Conditionals, i: int, j: int) -> float:
    """The paper's chain of partitions, step by step as it stands there."""
    seen_i, seen_j = known.observed[known.pattern[[i, j]]]
    both, only_i, only_j = ~seen_i & ~seen_j, ~seen_i & seen_j, seen_i & ~seen_j
    x_i, x_j = known.means[i, 0], known.means[j, 0]
    order = np.concatenate([np.flatnonzero(both), np.flatnonzero(only_j)])
    total = 0.0
    for zeta in range(N_COMPONENTS):
        mu, spread = known.means[i, zeta], known.covariances[known.pattern[i], zeta]
        G = SIGMA**2 * np.eye(only_i.sum()) + spread[np.ix_(only_i, only_i)]
        upsilon = spread[np.ix_(both, only_i)] @ np.linalg.inv(G)
        f = mu[both] + upsilon @ (x_j[only_i] - mu[only_i])
        F = SIGMA**2 * np.eye(both.sum()) + spread[np.ix_(both, both)]
        F -= upsilon @ spread[np.ix_(only_i, both)]
        a = np.concatenate([f, x_i[only_j]])
        A = block_diag(F, SIGMA**2 * np.eye(only_j.sum()))
        inner = 0.0
        for xi in range(N_COMPONENTS):
            b = known.means[j, xi][order]
            B = known.covariances[known.pattern[j], xi][np.ix_(order, order)]
            inner += known.weights[j, xi] * product_constant(a, A, b, B)
        gap = x_j[only_i] - mu[only_i]
        total += known.weights[i, zeta] * density(gap, G) * inner
    shared = seen_i & seen_j
    return density(x_j[shared] - x_i[shared], SIGMA**2 * np.eye(shared.sum())) * total


def product_constant(a: np.ndarray, A: np.ndarray, b: np.ndarray, B: np.ndarray) -> float:
    """z_c of the paper's step (i)."""
    inverse_a, inverse_b = np.linalg.inv(A), np.linalg.inv(B)
    precision = inverse_a + inverse_b
    C = np.linalg.inv(precision)
    c = C @ (inverse_a @ a + inverse_b @ b)
    square = a @ inverse_a @ a + b @ inverse_b @ b - c @ precision @ c
    logs = np.linalg.slogdet(C)[1] - np.linalg.slogdet(A)[1] - np.linalg.slogdet(B)[1]
    return float(np.exp(0.5 * (logs - square - len(a) * np.log(2 * np.pi))))


def density(gap: np.ndarray, covariance: np.ndarray) -> float:
    """A normal density."""
    square = gap @ np.linalg.inv(covariance) @ gap
    log_determinant = np.linalg.slogdet(covariance)[1]
    return float(np.exp(-0.5 * (square + log_determinant + len(gap) * np.log(2 * np.pi))))


def distinct_patterns(n: int) -> Conditionals:
    """Half of the cells missing at random."""
    rows, mixture, rng = overlapping(n)
    rows[rng.random(rows.shape) < 0.5] = np.nan
    return conditionals(rows, *mixture)


def four_patterns(n: int) -> tuple[np.ndarray, Conditionals]:
    """Complete rows, and the same with one of three sensors off in three quarters of them."""
    rows, mixture, _ = overlapping(n)
    complete = rows.copy()
    for number, columns in enumerate(np.array_split(np.arange(WIDTH), 3), 1):
        rows[np.ix_(np.arange(n) % 4 == number, columns)] = np.nan
    return complete, conditionals(rows, *mixture)


def overlapping(n: int) -> tuple[np.ndarray, tuple[np.ndarray, ...], np.random.Generator]:
    """Rows of a mixture of four Gaussians near each other."""
    rng = np.random.default_rng(0)
    means = 0.2 * rng.standard_normal((N_COMPONENTS, WIDTH))
    roots = 0.2 * rng.standard_normal((N_COMPONENTS, WIDTH, WIDTH)) + np.eye(WIDTH)
    covariances = roots @ roots.transpose(0, 2, 1)
    weights = np.full(N_COMPONENTS, 1 / N_COMPONENTS)
    components = rng.integers(N_COMPONENTS, size=n)
    rows = means[components] + np.einsum(
        "ijk,ik->ij", roots[components], rng.standard_normal((n, WIDTH))
    )
    return rows, (weights, means, covariances), rng


SHORT = (
    partial(beside_its_factorisations, 150),
    partial(beside_complete_rows, 1_000),
    partial(beside_the_paper, 1_000),
)
ALL = (
    partial(beside_its_factorisations, 2_000),
    partial(growth, 125, 250, 500),
    partial(beside_complete_rows, 5_000),
    partial(beside_the_paper, 5_000),
    partial(polynomial, 5_000),
)
