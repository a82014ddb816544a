"""Directions with the largest sum of correlations, by Horst's iteration [@horst1961]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from manyviews.base import Run, alternate
from manyviews.embed._canonical._multiset import Whitened, leading, most_components
from manyviews.typing import FloatArray


@dataclass(frozen=True)
class SumcorDirections:
    """Weights of the features by view, and how they were found."""

    weights: tuple[FloatArray, ...]
    values: FloatArray
    """Mean of the regularised correlations between two views, by component."""
    history: FloatArray
    """Sum of the values found so far, after every sweep of every component."""
    n_iter: int
    """The most sweeps that a component took."""
    converged: bool


def sumcor(
    whitened: Whitened,
    n_components: int,
    *,
    max_iter: int = 1000,
    tol: float = 1e-12,
    report: Callable[[str], None] | None = None,
) -> SumcorDirections:
    """Find component after component, each uncorrelated with those before it in every view.

    A component starts where MAXVAR would put it, scaled to variance 1 in every view, and never
    gets worse from there. ``report`` is told of each component when it is reached.
    """
    cross = whitened.cross.copy()
    turns, runs = [], list[Run[FloatArray]]()
    for number in range(min(n_components, most_components(whitened.ranks))):
        runs.append(_component(whitened, cross, max_iter, tol))
        turns.append(runs[-1].state)
        cross = _deflated(whitened, cross, turns[-1])
        if report is not None:
            report(f"component {number}: {runs[-1].objective:.6g} after {runs[-1].n_iter} sweeps")
    values = np.array([run.objective for run in runs])
    before = np.concatenate([[0.0], np.cumsum(values)[:-1]]) if runs else values
    return SumcorDirections(
        whitened.weights(whitened.split(np.column_stack(turns))) if runs else _none(whitened),
        values,
        np.concatenate([run.history + old for run, old in zip(runs, before, strict=True)] or [[0]]),
        max((run.n_iter for run in runs), default=0),
        all(run.converged for run in runs),
    )


def _component(whitened: Whitened, cross: FloatArray, max_iter: int, tol: float) -> Run[FloatArray]:
    n_views = len(whitened.roots)
    edges = np.cumsum([0, *whitened.ranks])
    start = _unit_parts(leading(cross, 1)[1][:, 0], edges)

    def sweep(turn: FloatArray) -> FloatArray:
        turn = turn.copy()
        for first, last in pairwise(edges):
            pull = cross[first:last] @ turn  # Σ of the others: the view's own block is zero
            length = np.linalg.norm(pull)
            if length > 0.0:
                turn[first:last] = pull / length
        return turn

    def mean_correlation(turn: FloatArray) -> float:
        return float(turn @ cross @ turn) / (n_views * (n_views - 1))

    return alternate(start, sweep, mean_correlation, max_iter=max_iter, tol=tol)


def _unit_parts(stacked: FloatArray, edges: FloatArray) -> FloatArray:
    """Bring the part of every view to unit length, where it has any."""
    parts = np.split(stacked, edges[1:-1])
    return np.concatenate([part / (np.linalg.norm(part) or 1.0) for part in parts])


def _deflated(whitened: Whitened, cross: FloatArray, turn: FloatArray) -> FloatArray:
    """Take a component's direction out of every view."""
    apart = np.zeros((len(turn), len(whitened.roots)))
    for view, part in enumerate(whitened.split(np.arange(len(turn)))):
        apart[part, view] = turn[part]
    cross = cross - apart @ (apart.T @ cross)
    return cross - (cross @ apart) @ apart.T


def _none(whitened: Whitened) -> tuple[FloatArray, ...]:
    return tuple(np.zeros((len(root), 0)) for root in whitened.roots)
