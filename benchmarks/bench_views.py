"""Building and subsetting large ``Views`` against doing the same by hand on the arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._measure import Comparison, compare, peak_bytes
from manyviews import Views

N_OBJECTS = 1_000_000


def run() -> Iterator[Comparison]:
    rng = np.random.default_rng(0)
    rows = {
        "index": rng.permutation(N_OBJECTS)[: N_OBJECTS // 2],
        "mask": rng.random(N_OBJECTS) < 0.5,
        "slice": slice(0, N_OBJECTS // 2),
    }
    for kind, make in (("dense 50+50", dense), ("sparse 100,000", text)):
        arrays = make(rng)
        yield building(kind, arrays)
        views = Views(arrays)
        for how, chosen in rows.items():
            yield compare(
                f"{kind}: rows by {how}",
                lambda views=views, chosen=chosen: views[chosen],
                lambda arrays=arrays, chosen=chosen: [a[chosen] for a in arrays.values()],
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


def dense(rng: np.random.Generator) -> dict[str, Any]:
    return {name: rng.standard_normal((N_OBJECTS, 50)) for name in ("one", "two")}


def text(rng: np.random.Generator) -> dict[str, Any]:
    """50 words of 100,000 in each of a million documents."""
    per_row, width = 50, 100_000
    steps = rng.integers(1, width // per_row, size=(N_OBJECTS, per_row), dtype=np.int32)
    indices = np.cumsum(steps, axis=1, dtype=np.int32).ravel() - 1
    indptr = np.arange(0, N_OBJECTS * per_row + 1, per_row, dtype=np.int32)
    data = np.ones(len(indices))
    return {"text": sparse.csr_array((data, indices, indptr), shape=(N_OBJECTS, width))}
