"""Sparse counts of words, for steps whose cost is that of sparse products."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

N_WORDS = 20_000
WORDS_PER_DOCUMENT = 85


def documents(n: int, dtype: Any) -> sparse.csr_array:
    """Documents of 85 different words each, all words equally frequent: no help from the cache."""
    rng = np.random.default_rng(0)
    stretch = N_WORDS // WORDS_PER_DOCUMENT
    within = rng.integers(0, stretch, size=(n, WORDS_PER_DOCUMENT), dtype=np.int32)
    indices = (within + stretch * np.arange(WORDS_PER_DOCUMENT, dtype=np.int32)).ravel()
    indptr = np.arange(0, n * WORDS_PER_DOCUMENT + 1, WORDS_PER_DOCUMENT, dtype=np.int32)
    data = rng.integers(1, 4, size=len(indices), dtype=np.int8).astype(dtype)
    return sparse.csr_array((data, indices, indptr), shape=(n, N_WORDS))
