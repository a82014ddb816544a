"""WordTranslator on 20,000 aligned blocks: time, memory, growth, and beside plain dictionaries.

The blocks are those of the Hansard if MANYVIEWS_DATA names a folder that has it, and generated
ones of the same length otherwise; the rows say which.
"""

from __future__ import annotations

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growth_exponent,
    resident_peak,
)
from manyviews.datasets import load_parallel
from manyviews.embed import WordTranslator
from manyviews.typing import IntArray

SIZES = (2_500, 5_000, 10_000, 20_000)
SMALL = 50
N_ITER = 5
SECONDS = 120.0
MEMORY = 6 * 2**30
Texts = list[str]


def run() -> Iterator[Comparison]:
    train(10)  # compiles
    yield both_directions()
    yield two_threads()
    yield beside_dictionaries()
    yield growth()


@cache
def blocks() -> tuple[Texts, Texts]:
    if "MANYVIEWS_DATA" in os.environ:
        corpus = load_parallel("hansard_en_fr")
        return list(corpus.texts["en"]), list(corpus.texts["fr"])
    return generated(SIZES[-1])


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


def both_directions() -> Comparison:
    """The goal of the room, in CPU seconds of one thread, beside merely counting the words."""
    seconds, counting = ([] for _ in range(2))
    for _ in range(5):
        seconds.append(cpu_seconds(lambda: train(SIZES[-1])))
        counting.append(cpu_seconds(count))
    mine = statistics.median(seconds)
    memory = resident_peak("bench_translation", "blocks()", "train(SIZES[-1])")
    return Comparison(
        f"{source()}, {SIZES[-1]:,} blocks, {N_ITER} iterations, both directions; counting words",
        mine,
        statistics.median(counting),
        memory,
        f"{SECONDS:.0f} s, {MEMORY / 2**30:.0f} GiB",
        mine <= SECONDS and memory <= MEMORY,
    )


def count() -> None:
    for texts in blocks():
        CountVectorizer().fit_transform(texts)


def two_threads() -> Comparison:
    """Seconds by the clock, one direction per thread, beside one after the other."""
    seconds = {n_jobs: [] for n_jobs in (2, 1)}
    for _ in range(5):
        for n_jobs, list_of_seconds in seconds.items():
            start = time.perf_counter()
            train(SIZES[-1], n_jobs=n_jobs)
            list_of_seconds.append(time.perf_counter() - start)
    two, one = (statistics.median(each) for each in seconds.values())
    name = f"{source()}, {SIZES[-1]:,} blocks: two threads, one thread, seconds by the clock"
    return Comparison(name, two, one, None, f"{SECONDS:.0f} s", two <= SECONDS)


def beside_dictionaries() -> Comparison:
    """A few blocks, beside EM over pairs of tokens with dictionaries, as textbooks write it."""
    english, french = (texts[:SMALL] for texts in blocks())
    cut = CountVectorizer().build_analyzer()
    pairs = [(cut(a), cut(b)) for a, b in zip(english, french, strict=True)]

    def textbook() -> None:
        by_dictionaries(pairs)
        by_dictionaries([(b, a) for a, b in pairs])

    name = f"{source()}, {SMALL} blocks, beside dictionaries of pairs of words"
    return compare(name, lambda: train(SMALL), textbook, repeats=5)


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


def growth() -> Comparison:
    """The exponent with which the time grows with the number of blocks, beside counting only."""
    seconds, counting = [], []
    for size in SIZES:
        english, french = (texts[:size] for texts in blocks())
        row = compare(
            "",
            lambda size=size: train(size),
            lambda a=english, b=french: [CountVectorizer().fit_transform(x) for x in (a, b)],
            repeats=5,
        )
        seconds.append(row.seconds)
        counting.append(row.reference_seconds)
    ours, theirs = growth_exponent(SIZES, seconds), growth_exponent(SIZES, counting)
    name = f"{source()}, growth exponent over {SIZES[0]:,} to {SIZES[-1]:,} blocks (counting words)"
    return Comparison(name, ours, theirs, None, "at most 1.1", ours <= 1.1)
