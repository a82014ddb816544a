"""Building and subsetting large ``Views`` against doing the same by hand on the arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._measure import Comparison, compare, peak_bytes
from manyviews import Views


def rows(kind: str, n_objects: int) -> Iterator[Comparison]:
    rng = np.random.default_rng(0)
    chosen_rows = {
        "index": rng.permutation(n_objects)[: n_objects // 2],
        "mask": rng.random(n_objects) < 0.5,
        "slice": slice(0, n_objects // 2),
    }
    arrays = KINDS[kind](rng, n_objects)
    views = Views(arrays)
    yield building(f"{kind}, {n_objects:,}", arrays)
    for how, chosen in chosen_rows.items():
        yield compare(
            f"{kind}, {n_objects:,}: rows by {how}",
            lambda chosen=chosen: views[chosen],
            lambda chosen=chosen: [array[chosen] for array in arrays.values()],
            at_most=None if how == "slice" else 1.3,  # a slice moves no data: microseconds
        )


def building(kind: str, arrays: dict[str, Any]) -> Comparison:
    """Time and memory of building, beside one pass over the data."""
    values = [array if isinstance(array, np.ndarray) else array.data for array in arrays.values()]
    comparison = compare(
        f"{kind}: building (beside one sum)",
        lambda: Views(arrays),
        lambda: [value.sum() for value in values],
    )
    extra = peak_bytes(lambda: Views(arrays))
    no_copy = extra < sum(value.nbytes for value in values) / 10
    return replace(comparison, extra_bytes=extra, goal="no copy", met=no_copy)


def dense(rng: np.random.Generator, n_objects: int) -> dict[str, Any]:
    return {name: rng.standard_normal((n_objects, 50)) for name in ("one", "two")}


def text(rng: np.random.Generator, n_objects: int) -> dict[str, Any]:
    """50 words of 100,000 in each document."""
    per_row, width = 50, 100_000
    steps = rng.integers(1, width // per_row, size=(n_objects, per_row), dtype=np.int32)
    indices = np.cumsum(steps, axis=1, dtype=np.int32).ravel() - 1
    indptr = np.arange(0, n_objects * per_row + 1, per_row, dtype=np.int32)
    data = np.ones(len(indices))
    return {"text": sparse.csr_array((data, indices, indptr), shape=(n_objects, width))}


KINDS = {"dense 50+50": dense, "sparse 100,000": text}
SHORT = tuple(partial(rows, kind, 100_000) for kind in KINDS)
ALL = tuple(partial(rows, kind, 1_000_000) for kind in KINDS)
