"""WordTranslator on 20,000 aligned blocks: time, memory, growth, and beside plain dictionaries.

The blocks are those of the Hansard if MANYVIEWS_DATA names a folder that has it, and generated
ones of the same length otherwise; the rows say which.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable
from functools import cache, partial

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growing,
    medians,
    resident_peak,
    seconds_by_size,
)
from manyviews.datasets import load_parallel
from manyviews.embed import WordTranslator
from manyviews.typing import IntArray

LARGE = 20_000
N_ITER = 5
SECONDS = 120.0
MEMORY = 6 * 2**30
Texts = list[str]


@cache
def blocks() -> tuple[Texts, Texts]:
    if "MANYVIEWS_DATA" in os.environ:
        corpus = load_parallel("hansard_en_fr")
        return list(corpus.texts["en"]), list(corpus.texts["fr"])
    return generated(LARGE)


def generated(n_texts: int) -> tuple[Texts, Texts]:
    """Words as frequent as in a language, shuffled and one in five wrong on the other side."""
    rng = np.random.default_rng(0)
    frequency = 1 / np.arange(5, 25_005)
    chosen = rng.choice(25_000, (n_texts, 65), p=frequency / frequency.sum())
    noise = rng.permutation(chosen.ravel()).reshape(chosen.shape)
    other = rng.permuted(np.where(rng.random(chosen.shape) < 0.2, noise, chosen), axis=1)
    return spelt(chosen, "a"), spelt(other, "b")


def spelt(numbers: IntArray, language: str) -> Texts:
    return [" ".join(f"{language}{number}" for number in row) for row in numbers]


def source() -> str:
    return "Hansard" if "MANYVIEWS_DATA" in os.environ else "generated"


def train(n_texts: int, **params: int) -> WordTranslator:
    english, french = blocks()
    return WordTranslator(N_ITER, **params).fit(english[:n_texts], french[:n_texts])


def both_directions(n_texts: int) -> Comparison:
    """The goal of the room, in CPU seconds of one thread, beside merely counting the words."""
    train(10)  # compiles
    found = medians(
        lambda: {
            "train": cpu_seconds(lambda: train(n_texts)),
            "count": cpu_seconds(lambda: count(n_texts)),
        }
    )
    memory = resident_peak("bench_translation", "blocks()", f"train({n_texts})")
    return Comparison(
        f"{source()}, {n_texts:,} blocks, {N_ITER} iterations, both directions, beside counting",
        found["train"],
        found["count"],
        memory,
        f"{SECONDS:.0f} s, {MEMORY / 2**30:.0f} GiB",
        found["train"] <= SECONDS and memory <= MEMORY,
    )


def count(n_texts: int) -> None:
    for texts in blocks():
        CountVectorizer().fit_transform(texts[:n_texts])


def two_threads(n_texts: int) -> Comparison:
    """Seconds by the clock, one direction per thread, beside one after the other."""
    train(10)

    def seconds(n_jobs: int) -> float:
        start = time.perf_counter()
        train(n_texts, n_jobs=n_jobs)
        return time.perf_counter() - start

    found = medians(lambda: {"two": seconds(2), "one": seconds(1)})
    name = f"{source()}, {n_texts:,} blocks: two threads beside one, seconds by the clock"
    met = found["two"] <= SECONDS
    return Comparison(name, found["two"], found["one"], None, f"{SECONDS:.0f} s", met)


def beside_dictionaries(n_texts: int) -> Comparison:
    """A few blocks, beside EM over pairs of tokens with dictionaries, as textbooks write it."""
    english, french = (texts[:n_texts] for texts in blocks())
    cut = CountVectorizer().build_analyzer()
    pairs = [(cut(a), cut(b)) for a, b in zip(english, french, strict=True)]

    def textbook() -> None:
        by_dictionaries(pairs)
        by_dictionaries([(b, a) for a, b in pairs])

    name = f"{source()}, {n_texts} blocks, beside dictionaries of pairs of words"
    return compare(name, lambda: train(n_texts), textbook, repeats=5)


def by_dictionaries(pairs: list[tuple[list[str], list[str]]]) -> dict[tuple[str, str], float]:
    probabilities: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(N_ITER):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for sources, targets in pairs:
            for target in targets:
                found = [(word, probabilities[word, target]) for word in ("", *sources)]
                explained = sum(chance for _, chance in found)
                for word, chance in found:
                    counts[word, target] += chance / explained
                    totals[word] += chance / explained
        probabilities = {pair: count / totals[pair[0]] for pair, count in counts.items()}
    return probabilities


def growth(*sizes: int) -> Comparison:
    """Blocks repeat words, so that there are fewer pairs to a block the more blocks there are."""
    train(10)
    works: dict[int, Callable[[], object]] = {n: partial(train, n) for n in sizes}
    return growing(f"{source()}, blocks", *seconds_by_size(works), at_most=1.1)


SHORT = (partial(beside_dictionaries, 20), partial(growth, 200, 800))
ALL = (
    partial(both_directions, LARGE),
    partial(two_threads, LARGE),
    partial(beside_dictionaries, 50),
    partial(growth, 2_500, 5_000, 10_000, LARGE),
)
