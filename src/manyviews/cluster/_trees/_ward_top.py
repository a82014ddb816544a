"""The two clusters at the top of Ward's tree, under any Bregman divergence [@gupta2005]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.maths import (
    BinaryRelativeEntropy,
    Divergence,
    GeneralizedKL,
    ItakuraSaito,
    Mahalanobis,
    SquaredEuclidean,
    SumOfDivergences,
    merge_cost,
)
from manyviews.typing import BoolArray, FloatArray, IntArray


def top_of_ward(means: FloatArray, sizes: FloatArray, divergence: Divergence) -> BoolArray:
    """Merge the cheapest pair of clusters until two are left; return who is in the second.

    Examples
    --------
    >>> from manyviews.maths import SquaredEuclidean
    >>> top_of_ward(np.array([[0.0], [2.5], [7.0]]), np.array([9.0, 1.0, 1.0]), SquaredEuclidean())
    array([False, False,  True])
    """
    if len(means) == 2:
        return np.array([False, True])
    form = CompiledForm.of(means, divergence)
    owner = np.arange(len(means))
    if form is None:
        _merge_down_to_two(means.copy(), sizes.copy(), divergence, owner)
    else:
        from manyviews.cluster._trees._ward_top_kernel import merge_down_to_two

        centre = sizes @ form.means / sizes.sum()
        merge_down_to_two(form.terms, form.weights, centre, form.means, sizes.copy(), owner)
    return owner != owner[0]


@dataclass(frozen=True)
class CompiledForm:
    """Means and divergences as the compiled merging takes them."""

    means: FloatArray
    terms: IntArray
    """Kind of divergence, first column and column after the last, of each term."""
    weights: FloatArray

    @classmethod
    def of(cls, means: FloatArray, divergence: Divergence) -> CompiledForm | None:
        """Write a sum of known divergences in columns; nothing if one is not known."""
        summands = [(1.0, divergence)]
        if isinstance(divergence, SumOfDivergences):
            summands = divergence.weighted()
        blocks, terms, start = [], [], 0
        for _, term in summands:
            if type(term) not in _FORMS:
                return None
            kind, form = _FORMS[type(term)]
            blocks.append(form(means, term))
            terms.append((kind, start, start + blocks[-1].shape[1]))
            start += blocks[-1].shape[1]
        weights = np.array([weight for weight, _ in summands], dtype=float)
        return cls(np.hstack(blocks), np.array(terms), weights)


def _whitened(means: FloatArray, divergence: Any) -> FloatArray:
    values, vectors = np.linalg.eigh(divergence.known_precision())
    return means @ (vectors * np.sqrt(np.maximum(values, 0.0)))


def _as_given(means: FloatArray, divergence: Any) -> FloatArray:  # noqa: ARG001 (a form)
    return means


def _heads_and_tails(means: FloatArray, divergence: Any) -> FloatArray:  # noqa: ARG001 (a form)
    return np.hstack([means, 1 - means])


_FORMS: dict[type[Divergence], tuple[int, Callable[[FloatArray, Any], FloatArray]]] = {
    SquaredEuclidean: (0, _as_given),
    Mahalanobis: (0, _whitened),
    GeneralizedKL: (1, _as_given),
    BinaryRelativeEntropy: (1, _heads_and_tails),
    ItakuraSaito: (2, _as_given),
}
"""What the compiled merging calls a divergence, and the columns it takes for it."""


def _merge_down_to_two(
    means: FloatArray, sizes: FloatArray, divergence: Divergence, owner: IntArray
) -> None:
    """Do what the compiled merging does, one row of costs at a time, under any divergence."""
    costs = np.full((len(means), len(means)), np.inf)
    alive = np.arange(len(means))
    for slot in alive[1:]:
        costs[slot, :slot] = merge_cost(
            divergence, means[:slot], sizes[:slot], means[slot], sizes[slot]
        )
    while len(alive) > 2:
        gone, kept = np.unravel_index(costs.argmin(), costs.shape)
        means[kept] += (means[gone] - means[kept]) * (sizes[gone] / (sizes[kept] + sizes[gone]))
        sizes[kept] += sizes[gone]
        owner[owner == gone] = kept
        costs[gone], costs[:, gone] = np.inf, np.inf
        alive = alive[alive != gone]
        others = alive[alive != kept]
        new = merge_cost(divergence, means[others], sizes[others], means[kept], sizes[kept])
        costs[np.maximum(others, kept), np.minimum(others, kept)] = new  # the Lemma
