"""Queries of few words: the heaviest of a document, or those that a person types [@fortuna2005]."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.base import check_argument
from manyviews.embed._retrieval._search import largest
from manyviews.maths import row_blocks
from manyviews.typing import AnyArray, BoolArray, Count, FloatArray, Matrix, is_sparse

_BLOCK_ENTRIES = 1 << 20
"""How large a table of entries, one row per document, is made at a time."""

_EDGES = "\"'“”‘’«»()[]{}.,;:!?…"
"""What may stand around a word without being part of it."""


def keyword_queries(matrix: Any, n_keywords: int, *, keep_length: bool = True) -> Any:
    """Keep the heaviest words of each document: the ``n_keywords`` largest entries of each row.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_documents, n_words)
        Weights of words, such as tf-idf; entries of zero or less are never keywords.
    n_keywords : int
        How many to keep; a row with fewer positive entries keeps those. Among equal weights the
        words that come first are kept.
    keep_length : bool
        Bring each row back to the Euclidean length that it had, so that a query is placed like a
        document of these words; methods that centre the views would take it for a faint one.

    Returns
    -------
    array or csr_array, as given
        The weights at the keywords and zero elsewhere.

    Examples
    --------
    >>> keyword_queries(np.array([[0.1, 0.7, 0.0, 0.7, 0.2]]), 2, keep_length=False)
    array([[0. , 0.7, 0. , 0.7, 0. ]])
    """
    check_argument("n_keywords", n_keywords, Count)
    check_argument("keep_length", keep_length, bool)
    weights = sparse.csr_array(matrix, copy=True)
    weights.sum_duplicates()
    lengths = _lengths(weights)
    weights.data[~_heaviest(weights, n_keywords)] = 0
    weights.eliminate_zeros()
    if keep_length:
        weights.data *= np.repeat(lengths, np.diff(weights.indptr)) / _lengths_by_entry(weights)
    return weights if is_sparse(matrix) else weights.toarray()


def _heaviest(weights: sparse.csr_array, count: int) -> BoolArray:
    """Which stored entries are among the so many largest of their row, and positive."""
    kept = weights.data > 0
    lengths = np.diff(weights.indptr)
    longest = max(int(lengths.max(initial=0)), count, 1)
    for part in row_blocks(len(lengths), max(1, _BLOCK_ENTRIES // longest)):
        stored = np.arange(longest) < lengths[part, None]
        entries = slice(weights.indptr[part.start], weights.indptr[part.stop])
        table = np.full(stored.shape, -np.inf)
        table[stored] = weights.data[entries]
        chosen = np.zeros(stored.shape, dtype=bool)
        np.put_along_axis(chosen, largest(table, count), True, axis=1)
        kept[entries] &= chosen[stored]
    return kept


@dataclass(frozen=True)
class Vocabulary:
    """The words of a view, and how much each weighs where it occurs."""

    words: AnyArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    """Mean of the entries of each word that are not zero; zero for a word that never occurs."""
    length: float
    """Mean length of the rows, which the row of a query gets too."""

    def counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """How often each word is in each text; what is not in the vocabulary is passed over."""
        columns = {str(word): column for column, word in enumerate(self.words.tolist())}
        folded = {word.casefold(): column for word, column in reversed(columns.items())}
        known = {**folded, **columns}
        longest = 1 + max((word.count(" ") for word in columns), default=0)
        found = [Counter(_known_terms(text, known, longest)) for text in texts]
        ends = np.cumsum([0, *(len(counter) for counter in found)])
        indices = [column for counter in found for column in counter]
        values = [float(count) for counter in found for count in counter.values()]
        shape = (len(found), len(self.words))
        return sparse.csr_array((values, np.array(indices, dtype=np.intp), ends), shape=shape)

    def rows(self, texts: Sequence[str]) -> sparse.csr_array:
        """Rows of the view that the texts stand for, as long as its rows are on average."""
        rows = sparse.csr_array(self.counts(texts).multiply(self.weights))
        rows.eliminate_zeros()
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows.data *= np.repeat(
            self.length / lengths[lengths > 0], np.diff(rows.indptr)[lengths > 0]
        )
        return rows


def learn_vocabulary(words: AnyArray, rows: Matrix) -> Vocabulary:
    """Learn what words weigh from the observed rows of a view."""
    entries = sparse.csr_array(rows, dtype=np.float64)
    entries.eliminate_zeros()
    documents = np.bincount(entries.indices, minlength=len(words))
    totals = np.bincount(entries.indices, weights=entries.data, minlength=len(words))
    weights = totals / np.maximum(documents, 1)
    return Vocabulary(np.asarray(words), weights, float(_lengths(entries).mean()))


def _lengths(rows: sparse.csr_array) -> FloatArray:
    return np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())


def _lengths_by_entry(rows: sparse.csr_array) -> FloatArray:
    """Length of the row that each stored entry stands in."""
    return np.repeat(_lengths(rows), np.diff(rows.indptr))


def _known_terms(text: str, known: Mapping[str, int], longest: int) -> Iterator[int]:
    """Columns of the words of a text, and of its runs of words where the vocabulary has such."""
    words = list(_words(text, known))
    for count in range(1, longest + 1):
        for start in range(len(words) - count + 1):
            column = _column(" ".join(words[start : start + count]), known)
            if column is not None:
                yield column


def _words(text: str, known: Mapping[str, int]) -> Iterator[str]:
    """Words between blanks; one that is not known falls into its letters and digits."""
    for chunk in text.split():
        word = chunk.strip(_EDGES)
        if _column(word, known) is not None:
            yield word
        else:
            yield from re.findall(r"\w+", word)


def _column(word: str, known: Mapping[str, int]) -> int | None:
    return known.get(word, known.get(word.casefold()))
