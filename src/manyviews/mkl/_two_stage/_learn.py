"""From base kernels and what is known of pairs to one similarity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from manyviews.mkl._combination import Combination, LinearCombination
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.mkl._two_stage._pairs import Links, draw_pairs
from manyviews.mkl._two_stage._polynomial import PolynomialCombination, term_names
from manyviews.mkl._two_stage._problem import KExamples, Solution
from manyviews.mkl._two_stage._settings import Settings
from manyviews.mkl._two_stage._solvers import Selection, choose_regularization
from manyviews.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Learnt:
    """A similarity, and how it was come by."""

    combination: Combination
    names: list[str] = field(repr=False)
    """What the weights belong to."""
    solution: Solution
    regularization: float
    n_pairs: int
    selection: Selection | None = None
    """How the regularisation was chosen, if it was."""


def learn_similarity(
    kernels: KernelMatrices,
    codes: IntArray,
    links: Links,
    settings: Settings,
    rng: np.random.Generator,
    report: Callable[[str], None],
) -> Learnt:
    """Draw pairs, and learn to tell those of one class from those of two by the kernels.

    Parameters
    ----------
    kernels : KernelMatrices
        Base kernels among the training objects.
    codes : array of shape (n_objects,)
        Class of each object, -1 if it has none.
    links : Links
        Pairs that are known beyond that.
    settings : Settings
        How to learn.
    rng : Generator
        Source of chance.
    report : function
        Told what goes on.
    """
    pairs = draw_pairs(codes, links, settings.most_pairs(len(kernels)), rng)
    if not len(pairs):
        raise ValueError(
            "there are no pairs of one class, or none of two, to learn a kernel from; give labels, "
            "or must_link and cannot_link both."
        )
    values = kernels.pairs(pairs.left, pairs.right)
    if settings.combiner == "forest":
        return _forest(kernels, values, pairs.signs, settings, rng)
    return _weighted(kernels, KExamples(values, pairs.signs, settings.degree), settings, report)


def _weighted(
    kernels: KernelMatrices,
    examples: KExamples,
    settings: Settings,
    report: Callable[[str], None],
) -> Learnt:
    """A linear K-classifier without negative weights, so that the similarity is a kernel."""
    chosen, regularization, start = None, settings.regularization, None
    if regularization is None:
        chosen = choose_regularization(examples, settings.solver, report)
        regularization, start = chosen.regularization, chosen.best
    solution = settings.solver.solve(examples, regularization, start)
    weights, degree = solution.weights, settings.degree
    combination = (
        LinearCombination(weights) if degree == 1 else PolynomialCombination(weights, degree)
    )
    names = term_names(kernels.names, degree)
    return Learnt(combination, names, solution, regularization, len(examples), chosen)


def _forest(
    kernels: KernelMatrices,
    values: FloatArray,
    signs: IntArray,
    settings: Settings,
    rng: np.random.Generator,
) -> Learnt:
    """Votes of trees, which need not be a kernel."""
    from manyviews.mkl._forest._forest import fit_forest

    forest = fit_forest(values, signs, n_trees=settings.n_trees, random_state=rng)
    solution = Solution(forest.importances, np.nan, settings.n_trees)
    return Learnt(forest, list(kernels.names), solution, np.nan, len(signs))
