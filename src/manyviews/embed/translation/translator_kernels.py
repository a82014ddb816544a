"""The two sums of Model 1's E-step, word by word, over the texts that a word stands in."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import FloatArray, IntArray


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def add_explanations(
    row_starts: IntArray,
    row_words: IntArray,
    probabilities: FloatArray,
    source_starts: IntArray,
    source_texts: IntArray,
    source_counts: FloatArray,
    text_starts: IntArray,
    text_words: IntArray,
    n_targets: int,
    explained: FloatArray,
) -> None:
    """Add to each (text, target word) what every source word of the text gives it."""
    row = np.zeros(n_targets)
    for source in range(len(source_starts) - 1):
        entries = slice(row_starts[source], row_starts[source + 1])
        row[row_words[entries]] = probabilities[entries]
        for place in range(source_starts[source], source_starts[source + 1]):
            text, count = source_texts[place], source_counts[place]
            for cell in range(text_starts[text], text_starts[text + 1]):
                explained[cell] += count * row[text_words[cell]]
        row[row_words[entries]] = 0.0


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def reestimate_rows(
    row_starts: IntArray,
    row_words: IntArray,
    probabilities: FloatArray,
    source_starts: IntArray,
    source_texts: IntArray,
    source_counts: FloatArray,
    text_starts: IntArray,
    text_words: IntArray,
    n_targets: int,
    shares: FloatArray,
    totals: FloatArray,
) -> None:
    """Turn each row into expected counts, keep their total, and norm the row to one, in place."""
    gathered = np.zeros(n_targets)
    for source in range(len(source_starts) - 1):
        for place in range(source_starts[source], source_starts[source + 1]):
            text, count = source_texts[place], source_counts[place]
            for cell in range(text_starts[text], text_starts[text + 1]):
                gathered[text_words[cell]] += count * shares[cell]
        total = 0.0
        for entry in range(row_starts[source], row_starts[source + 1]):
            probabilities[entry] *= gathered[row_words[entry]]
            total += probabilities[entry]
            gathered[row_words[entry]] = 0.0
        totals[source] = total
        if total > 0.0:
            for entry in range(row_starts[source], row_starts[source + 1]):
                probabilities[entry] /= total
