"""From fitted kernels to functions of the views that correlate: by pivots, or by whole matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from manyviews.embed._canonical._moments import Source, moments_of
from manyviews.embed._canonical._pivots import pivot_coordinates
from manyviews.embed._canonical._solution import pair_correlations, solve
from manyviews.embed._canonical._whole_grams import dual_directions
from manyviews.maths import check_memory
from manyviews.similarity import ViewFunction, ViewKernel
from manyviews.typing import BoolArray, FloatArray, IntArray

_FEW = 40
"""One component for so many objects is few: then whole matrices need no decomposition."""
_LARGEST_WHOLE = 20_000
"""Up to so many objects whole matrices are formed."""


@dataclass(frozen=True)
class Settings:
    """How the kernel of one view is reduced and penalised."""

    tau: float
    tol: float
    max_rank: int | None


@dataclass(frozen=True)
class KernelSpace:
    """Functions of the views, one column per component, the best first."""

    functions: dict[str, ViewFunction]
    pivots: dict[str, IntArray]
    """The objects that the functions compare others with."""
    values: FloatArray
    """What was made as large as possible, divided by the number of pairs of views."""
    pair_correlations: FloatArray
    """Of the training objects, components × views × views."""

    def with_signs(self, signs: FloatArray) -> KernelSpace:
        """The same space with components turned about."""
        turned = {
            name: replace(each, weights=each.weights * signs, intercept=each.intercept * signs)
            for name, each in self.functions.items()
        }
        return replace(self, functions=turned)


def kernel_space(
    kernels: Mapping[str, ViewKernel],
    observed: BoolArray,
    settings: Mapping[str, Settings],
    n_components: int,
) -> KernelSpace:
    """Find the functions of each view that correlate most with those of the others.

    Parameters
    ----------
    kernels : mapping
        By view, fitted to the objects that it shows.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view.
    settings : mapping
        By view.
    n_components : int
        How many functions; there are fewer if the kernels have fewer pivots.
    """
    whole = (_is_whole(kernels[name], each, n_components) for name, each in settings.items())
    if len(kernels) > 1 and all(whole):
        found = _space_of_grams(kernels, observed, settings, n_components)
        if found is not None:
            return found
    return _space_of_pivots(kernels, observed, settings, n_components)


def _is_whole(fitted: ViewKernel, settings: Settings, n_components: int) -> bool:
    """Whether all objects are pivots, and so few components wanted that a search finds them."""
    n = len(fitted.places)
    every = settings.tol == 0.0 and settings.tau > 0.0 and settings.max_rank is None
    return every and fitted.largest_rank == n <= _LARGEST_WHOLE and n_components <= n // _FEW


def _space_of_pivots(
    kernels: Mapping[str, ViewKernel],
    observed: BoolArray,
    settings: Mapping[str, Settings],
    n_components: int,
) -> KernelSpace:
    """Reduce every kernel to coordinates, and solve by the moments of these."""
    coordinates = {
        name: pivot_coordinates(
            fitted,
            tol=settings[name].tol,
            min_rank=n_components,
            max_rank=settings[name].max_rank,
        )
        for name, fitted in kernels.items()
    }
    moments = moments_of(_sources([c.rows for c in coordinates.values()], observed), observed)
    ridges = [
        # (1 − τ) K² + τ K is (1 − τ) n times a covariance with this on its diagonal
        each.tau / ((1.0 - each.tau) * moments.own(v).count)
        for v, each in enumerate(settings.values())
    ]
    found = solve(moments, ridges, n_components)
    functions = {
        name: each.function(found.weights[v], moments.own(v).means[0])
        for v, (name, each) in enumerate(coordinates.items())
    }
    return KernelSpace(
        functions,
        {name: each.pivots.places for name, each in coordinates.items()},
        found.values,
        pair_correlations(moments, found.weights),
    )


def _space_of_grams(
    kernels: Mapping[str, ViewKernel],
    observed: BoolArray,
    settings: Mapping[str, Settings],
    n_components: int,
) -> KernelSpace | None:
    """Solve for coefficients of all objects; None if the search for directions takes too long."""
    largest = max(len(fitted.places) for fitted in kernels.values())
    check_memory(
        (largest, largest),
        f"the whole kernel among {largest:,} objects",
        remedy="read few of its columns, by a cholesky_tol above 0 or by max_rank",
    )
    found = dual_directions(
        (fitted.gram for fitted in kernels.values()),
        observed,
        [each.tau for each in settings.values()],
        n_components,
    )
    if found is None:
        return None
    functions, pivots = {}, {}
    for v, (name, fitted) in enumerate(kernels.items()):
        kept = fitted.restricted(np.arange(len(fitted.places)))  # a copy: the user's may change
        functions[name] = ViewFunction(
            kept.kernel, kept.rows, found.coefficients[v], found.intercepts[v]
        )
        pivots[name] = kept.places
    moments = moments_of(_sources(found.variates, observed), observed)
    alone = [np.eye(n_components)] * len(functions)
    return KernelSpace(functions, pivots, found.values, pair_correlations(moments, alone))


def _sources(rows_seen: Sequence[FloatArray], observed: BoolArray) -> list[Source]:
    """One row per object; those of objects that a view does not show are never read."""
    found = []
    for rows, seen in zip(rows_seen, observed.T, strict=True):
        if len(rows) < len(seen):
            spread = np.zeros((len(seen), rows.shape[1]))
            spread[seen] = rows
            found.append(Source(spread))
        else:
            found.append(Source(rows))
    return found
