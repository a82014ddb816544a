"""``HyperplaneKNN`` beside the same rule in a plain loop over objects and classes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks._measure import Comparison, compare, growing, medians, peak_bytes, timed
from manyviews.ensemble import HyperplaneKNN
from manyviews.typing import FloatArray, IntArray

WIDTHS = (216, 76, 64, 6, 47, 240)
"""Those of the six views of the multiple features digits."""
NEIGHBORS = (1, 3, 5, 7, 10, 15, 20)
PENALTIES = (0.1, 1.0, 10.0, 100.0)


def growth(*sizes: int) -> Iterator[Comparison]:
    rows = [beside_a_loop(n_objects) for n_objects in sizes]
    yield from rows
    yield growing("predict", sizes, [row.seconds for row in rows], power=2)
    yield growing("the plain loop", sizes, [row.reference_seconds for row in rows], power=2)


def beside_a_loop(n_objects: int) -> Comparison:
    """Predictions for as many new objects as there are training objects."""
    views, y = clouds(n_objects, 10, WIDTHS)
    new, _ = clouds(n_objects, 10, WIDTHS, seed=1)
    model = HyperplaneKNN(10, 1.0, standardize=False, hyperplanes="joint").fit(views, y)
    wide, asked = (np.hstack(list(each.values())) for each in (views, new))
    if n_objects <= 500:
        np.testing.assert_array_equal(model.predict(new), loop(asked, wide, y, 10, 1.0))
    return compare(
        f"predict {n_objects:,} by {n_objects:,} × 649 features, 10 classes, K = 10",
        lambda: model.predict(new),
        lambda: loop(asked, wide, y, 10, 1.0),
        at_most=0.1,
        repeats=5,
    )


def left_out(n_objects: int, n_classes: int, widths: tuple[int, ...]) -> Comparison:
    """All pairs of parameters left out at once, beside as many plain loops of one pair."""
    views, y = clouds(n_objects, n_classes, widths)
    wide = np.hstack(list(views.values()))

    def candidate() -> IntArray:
        return HyperplaneKNN.leave_one_out(
            views,
            y,
            n_neighbors=NEIGHBORS,
            penalty=PENALTIES,
            standardize=False,
            hyperplanes="joint",
        )

    itself = np.arange(n_objects)
    n_pairs = len(NEIGHBORS) * len(PENALTIES)
    expected = loop(wide, wide, y, 10, 1.0, itself)
    found = candidate()[NEIGHBORS.index(10), PENALTIES.index(1.0)]
    np.testing.assert_array_equal(found, expected)
    times = medians(
        lambda: {
            "ours": timed(candidate)[0],
            "theirs": timed(lambda: loop(wide, wide, y, 10, 1.0, itself))[0] * n_pairs,
        }
    )
    return Comparison(
        f"leave-one-out of {n_objects:,} × {wide.shape[1]} features, {n_classes} classes, "
        f"{len(NEIGHBORS)} × {len(PENALTIES)} parameters (the loop: one pair, times {n_pairs})",
        times["ours"],
        times["theirs"],
        peak_bytes(candidate),
        "at most 0.1×",
        times["ours"] <= 0.1 * times["theirs"],
    )


def beside_one_pair(n_objects: int) -> Comparison:
    """What all pairs of parameters cost beyond one."""
    views, y = clouds(n_objects, 10, WIDTHS)
    several = HyperplaneKNN(list(NEIGHBORS), list(PENALTIES), standardize=True)
    single = HyperplaneKNN(max(NEIGHBORS), 1.0, standardize=True)
    return compare(
        f"leave-one-out of {n_objects:,}: 28 pairs of parameters beside one",
        lambda: several.leave_one_out_predictions(views, y),
        lambda: single.leave_one_out_predictions(views, y),
        at_most=5.0,
        repeats=5,
    )


def loop(
    queries: FloatArray,
    rows: FloatArray,
    y: IntArray,
    n_neighbors: int,
    penalty: float,
    itself: IntArray | None = None,
) -> IntArray:
    """The rule as it is written: one small system for each object and class."""
    classes = np.unique(y)
    nearest = np.empty(len(queries), dtype=int)
    for place, x in enumerate(queries):
        squares = []
        for label in classes:
            members = y == label
            if itself is not None:
                members[itself[place]] = False
            group = rows[members]
            order = np.argsort(((group - x) ** 2).sum(axis=1))[:n_neighbors]
            near = group[order]
            middle = near.mean(axis=0)
            V = (near - middle).T
            gap = x - middle
            alpha = np.linalg.solve(V.T @ V + penalty * np.eye(V.shape[1]), V.T @ gap)
            rest = gap - V @ alpha
            squares.append(rest @ rest + penalty * alpha @ alpha)
        nearest[place] = classes[np.argmin(squares)]
    return nearest


def clouds(
    n_objects: int, n_classes: int, widths: tuple[int, ...], seed: int = 0
) -> tuple[dict[str, FloatArray], IntArray]:
    """Classes around flats of eight dimensions, seen through several views."""
    shape = np.random.default_rng(7)
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    inner = rng.normal(size=(n_objects, 8))
    views = {}
    for place, width in enumerate(widths):
        flats = shape.normal(size=(n_classes, 8, width))
        centres = shape.normal(size=(n_classes, width))
        noise = 0.5 * rng.normal(size=(n_objects, width))
        views[f"view{place}"] = centres[y] + np.einsum("nk,nkd->nd", inner, flats[y]) + noise
    return views, y


SHORT = (
    partial(growth, 150, 300),
    partial(left_out, 150, 10, (20, 21, 21, 21, 21, 21)),
    partial(beside_one_pair, 200),
)
ALL = (
    partial(growth, 500, 1_000, 2_000),
    partial(left_out, 313, 27, (20, 21, 21, 21, 21, 21)),
    partial(left_out, 1_000, 10, WIDTHS),
    partial(beside_one_pair, 2_000),
)
