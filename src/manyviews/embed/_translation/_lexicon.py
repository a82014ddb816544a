"""Words of one language with their translations into another and how probable these are."""

from __future__ import annotations

import csv
import gzip
import json
import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self, cast

import numpy as np
from scipy.sparse import csr_array

from manyviews.base import check_argument
from manyviews.exceptions import FileFormatError, MissingExtraError
from manyviews.typing import Count, FloatArray, IntArray, Share

NULL = ""
"""How the word that stands for nothing is written."""

HEADER = ["source", "target", "probability"]


@dataclass(frozen=True, eq=False)
class Lexicon:
    r"""Which words a word is translated to, with probabilities.

    The empty word is NULL. As a source it gives the words that come from nothing; how probably a
    word is translated to nothing is told by ``to_nothing``. Only probable translations are kept,
    so that those of a word may sum to less than one.

    Examples
    --------
    >>> from manyviews.embed import WordTranslator
    >>> english = ["the house", "the book", "a book"]
    >>> german = ["das Haus", "das Buch", "ein Buch"]
    >>> translator = WordTranslator(n_iter=20, token_pattern=r"\w+").fit(english, german)
    >>> lexicon = translator.lexicon("ab")
    >>> lexicon
    Lexicon of 4 words with 4 translations
    >>> [(word, round(probability, 2)) for word, probability in lexicon.best("house")]
    [('haus', 1.0)]
    """

    source_words: list[str] = field(repr=False)
    """In alphabetical order, NULL first."""
    target_words: list[str] = field(repr=False)
    """In alphabetical order."""
    probabilities: csr_array = field(repr=False)
    """One row per source word, one column per target word."""
    to_nothing: FloatArray = field(repr=False)
    """For each source word, the share of its tokens that have no counterpart."""

    def __getstate__(self) -> dict[str, Any]:  # stores have a hard time with so many small strings
        words = {name: json.dumps(getattr(self, name)) for name in ("source_words", "target_words")}
        return self.__dict__ | words

    def __setstate__(self, state: dict[str, Any]) -> None:
        words = {name: json.loads(state[name]) for name in ("source_words", "target_words")}
        self.__dict__.update(state | words)

    def __len__(self) -> int:
        return int(self.probabilities.nnz)

    def __repr__(self) -> str:
        words = np.diff(self.probabilities.indptr)[1:]
        return f"Lexicon of {np.count_nonzero(words)} words with {words.sum()} translations"

    def best(self, word: str, k: int = 5) -> list[tuple[str, float]]:
        """The ``k`` most probable translations of a word; none if it is unknown."""
        check_argument("word", word, str)
        check_argument("k", k, Count)
        row = bisect_left(self.source_words, word)
        if row == len(self.source_words) or self.source_words[row] != word:
            return []
        entries = slice(*self.probabilities.indptr[row : row + 2])
        targets, chances = self.probabilities.indices[entries], self.probabilities.data[entries]
        order = np.lexsort((targets, -chances))[:k]
        return [(self.target_words[targets[i]], float(chances[i])) for i in order]

    def best_words(self) -> dict[str, str]:
        """The most probable translation of every word that has one."""
        rows, columns, _ = self._ordered()
        known, first = np.unique(rows, return_index=True)
        pairs = zip(known, columns[first], strict=True)
        return {self.source_words[row]: self.target_words[column] for row, column in pairs if row}

    def omitted(self, above: float) -> set[str]:
        """The words that more than this share of their tokens have no counterpart of."""
        check_argument("above", above, Share)
        return {self.source_words[row] for row in np.flatnonzero(self.to_nothing > above)}

    def to_frame(self) -> Any:
        """A pandas DataFrame with the columns source, target and probability.

        Its rows are those of :meth:`save`: the empty source is NULL, the empty target nothing.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("to_frame", "mudata") from error
        return pd.DataFrame(self._entries(), columns=HEADER)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a tab-separated table with a header, packed if the name ends in ``.gz``.

        The best translation of a word comes first. Rows with an empty source are words from
        nothing, rows with an empty target tell how probably a word is translated to nothing.
        """
        with _open(path, "wt") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows((source, target, repr(p)) for source, target, p in self._entries())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a table that :meth:`save` wrote, or one written by hand in the same form."""
        with _open(path, "rt") as file:
            lines = csv.reader(file, delimiter="\t")
            if next(lines, None) != HEADER:
                raise FileFormatError(
                    f"{path} does not begin with the line 'source<tab>target<tab>probability'; "
                    "give a table with these three columns."
                )
            entries = [_read_entry(line, lines.line_num, path) for line in lines]
        _refuse_repeated(entries, path)
        return cls._from_entries(entries)

    @classmethod
    def _from_entries(cls, entries: list[tuple[str, str, float]]) -> Self:
        sources = sorted({NULL, *(source for source, _, _ in entries)})
        targets = sorted({target for _, target, _ in entries if target != NULL})
        row_of, column_of = (_numbers(words) for words in (sources, targets))
        to_nothing = np.zeros(len(sources))
        for source, target, chance in entries:
            if target == NULL:
                to_nothing[row_of[source]] = chance
        pairs = [entry for entry in entries if entry[1] != NULL]
        rows = [row_of[source] for source, _, _ in pairs]
        columns = [column_of[target] for _, target, _ in pairs]
        chances = np.array([chance for _, _, chance in pairs], dtype=np.float64)
        shape = (len(sources), len(targets))
        return cls(sources, targets, csr_array((chances, (rows, columns)), shape=shape), to_nothing)

    def _entries(self) -> Iterator[tuple[str, str, float]]:
        rows, columns, chances = self._ordered()
        for row, column, chance in zip(rows, columns, chances.tolist(), strict=True):
            yield self.source_words[row], self.target_words[column], chance
        for row in np.flatnonzero(self.to_nothing):
            yield self.source_words[row], NULL, float(self.to_nothing[row])

    def _ordered(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Rows, columns and probabilities; the best of each row first, then by the alphabet."""
        pairs = self.probabilities.tocoo()
        rows, columns = pairs.coords
        order = np.lexsort((columns, -pairs.data, rows))
        return rows[order], columns[order], pairs.data[order]


def keep_probable(matrix: csr_array, minimum: float, most: int | None) -> csr_array:
    """Drop what is below a probability, and all but the most probable ones of each row."""
    kept = np.flatnonzero(matrix.data >= minimum)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[kept]
    columns, chances = matrix.indices[kept], matrix.data[kept]
    order = np.lexsort((columns, -chances, rows))
    starts = np.searchsorted(rows, np.arange(matrix.shape[0]))  # rows are in order already
    rank = np.arange(len(kept)) - starts[rows[order]]
    chosen = order if most is None else order[rank < most]
    return csr_array((chances[chosen], (rows[chosen], columns[chosen])), shape=matrix.shape)


def word_operator(
    lexicon: Lexicon, words: Sequence[str], into: Sequence[str], *, keep_unknown: bool
) -> csr_array:
    """The matrix that turns counts of ``words`` into expected counts of the words ``into``."""
    row_of, column_of = _numbers(lexicon.source_words), _numbers(into)
    rows = np.array([row_of.get(word, -1) for word in words], dtype=np.int64)
    known = np.flatnonzero(rows > 0)  # row 0 is NULL
    pairs = lexicon.probabilities[rows[known]].tocoo()
    from_rows, targets = pairs.coords
    columns = np.array([column_of.get(word, -1) for word in lexicon.target_words], dtype=np.int64)
    there = columns[targets] >= 0
    own = np.array(
        [(i, column_of[word]) for i, word in enumerate(words) if rows[i] < 0 and word in column_of],
        dtype=np.int64,
    ).reshape(-1, 2)[: None if keep_unknown else 0]
    coordinates = (
        np.concatenate([known[from_rows[there]], own[:, 0]]),
        np.concatenate([columns[targets[there]], own[:, 1]]),
    )
    chances = np.concatenate([pairs.data[there], np.ones(len(own))])
    return csr_array((chances, coordinates), shape=(len(words), len(into)))


def _numbers(words: Sequence[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words)}


def _open(path: str | os.PathLike[str], mode: str) -> IO[str]:
    opener: Any = gzip.open if Path(path).suffix == ".gz" else open
    return cast("IO[str]", opener(path, mode, encoding="utf-8", newline=""))


def _read_entry(
    line: list[str], number: int, path: str | os.PathLike[str]
) -> tuple[str, str, float]:
    try:
        source, target, chance = line
        probability = float(chance)
    except ValueError as error:
        raise FileFormatError(
            f"{path}, line {number}, is {line!r}; write a source word, a target word and a number."
        ) from error
    if not 0 <= probability <= 1:
        raise FileFormatError(
            f"{path}, line {number}, has the probability {chance}; write a number from 0 to 1."
        )
    return source, target, probability


def _refuse_repeated(entries: list[tuple[str, str, float]], path: str | os.PathLike[str]) -> None:
    seen = set()
    for source, target, _ in entries:
        if (source, target) in seen:
            raise FileFormatError(
                f"{path} has the pair {source!r}, {target!r} more than once; keep one of them."
            )
        seen.add((source, target))
