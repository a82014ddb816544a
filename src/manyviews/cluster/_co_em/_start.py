"""Where co-EM starts: random responsibilities, objects drawn at random, or labelled objects."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from manyviews.cluster._co_em._sweep import Problem
from manyviews.typing import FloatArray

Start: TypeAlias = Literal["random", "objects"] | FloatArray


def draw_start(problem: Problem, init: Start, rng: np.random.Generator) -> list[FloatArray]:
    """Responsibilities of every object for every component, one array per view.

    Labelled objects have theirs in all views. The other objects are left to the components that
    no label stands for: without weight if there is none, as Nigam and Ghani start.
    """
    known, shape = problem.known, (len(problem.known), problem.n_components)
    named = np.zeros(problem.n_components, dtype=bool)
    named[known[known >= 0]] = True
    starts = []
    for drawn in _draw(init, shape, len(problem.views), rng):
        start = np.where(named, 0.0, drawn)
        start[known >= 0] = 0.0
        start[known >= 0, known[known >= 0]] = 1.0
        starts.append(start)
    return starts


def _draw(
    init: Start, shape: tuple[int, int], n_views: int, rng: np.random.Generator
) -> list[FloatArray]:
    n_objects, n_components = shape
    if not isinstance(init, str):
        return [init] * n_views
    if init == "random":
        return [rng.dirichlet(np.ones(n_components), n_objects) for _ in range(n_views)]
    drawn = np.full(shape, 1.0 / n_objects)  # all objects together weigh as much as the one
    drawn[rng.choice(n_objects, n_components, replace=False), np.arange(n_components)] += 1.0
    return [drawn] * n_views
