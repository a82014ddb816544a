"""A translator of words that works offline, learnt from parallel texts both ways [@brown1993].

From the top: texts as counts of words, IBM Model 1 by EM, lexicons in memory and in files, the
translator.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import IO, Annotated, Any, Literal, Self, TypeAlias, cast

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack
from sklearn.exceptions import NotFittedError

from manyviews.base import check_argument, check_params
from manyviews.exceptions import FileFormatError, MissingExtraError
from manyviews.maths import Options
from manyviews.typing import Count, FloatArray, IntArray, Interval, Positive, Share

__all__ = ["Lexicon", "WordTranslator"]

# Texts as words and their counts ------------------------------------------------------------------

Text: TypeAlias = str | Sequence[str]
"""One text, as a string or already cut into words."""


def read_texts(texts: Iterable[Any], name: str) -> list[Text]:
    """List the texts, each a string or a sequence of words; refuses anything else."""
    if isinstance(texts, str):
        raise ValueError(f"{name} is one string; give a list of texts.")
    listed = list(texts)
    for row, text in enumerate(listed):
        is_text = isinstance(text, str) or (
            isinstance(text, Sequence | np.ndarray) and all(isinstance(word, str) for word in text)
        )
        if not is_text:
            raise ValueError(
                f"{name} has {type(text).__name__} at position {row}; "
                "give a string or a list of words for each text."
            )
    return listed


def word_splitter(
    *, lowercase: bool, strip_accents: Any, token_pattern: str, tokenizer: Any
) -> Callable[[Text], list[str]]:
    """Cut strings as scikit-learn's vectorizers do; texts that are cut already stay as they are."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(
        lowercase=lowercase,
        strip_accents=strip_accents,
        token_pattern=None if tokenizer else token_pattern,
        tokenizer=tokenizer,
    )
    try:
        cut = vectorizer.build_analyzer()
    except (re.error, ValueError) as error:  # ValueError: several groups, of which one is the word
        raise ValueError(
            f"token_pattern={token_pattern!r} is no pattern of words: {error}; give a regular "
            "expression with one group at most."
        ) from error
    return lambda text: cut(text) if isinstance(text, str) else list(text)


def count_words(
    texts: list[Text], split: Callable[[Text], list[str]], name: str
) -> tuple[csr_array, list[str]]:
    """How often each word stands in each text, and the words in alphabetical order."""
    from sklearn.feature_extraction.text import CountVectorizer

    if not any(split(text) for text in texts):
        raise ValueError(f"{name} has no words; give texts, or another tokenizer or token_pattern.")
    vectorizer = CountVectorizer(analyzer=split, dtype=np.float64)
    counts = vectorizer.fit_transform(texts)
    return csr_array(counts), sorted(vectorizer.vocabulary_)


# IBM Model 1: which words of one language explain those of another, by EM -------------------------


@dataclass(frozen=True)
class WordModel:
    """Probabilities t(f|e) of a target word f given a source word e, and how they were found."""

    probabilities: csr_array
    """Rows are NULL and the source words, columns are target words; rows sum to one."""
    expected_counts: FloatArray
    """How many target tokens NULL and each source word explain, in expectation."""
    log_likelihood_history: FloatArray
    """Before the first and after each iteration, without the constant for the length."""

    @property
    def null_share(self) -> FloatArray:
        """For each target word, the share of its tokens that NULL explains."""
        by_all = self.expected_counts @ self.probabilities
        by_null = self.expected_counts[0] * self.probabilities[[0]].toarray().ravel()
        return np.divide(by_null, by_all, out=np.zeros_like(by_null), where=by_all > 0)


def train_model_one(
    source: csr_array, target: csr_array, n_iter: int, *, null_weight: float = 1.0
) -> WordModel:
    """Estimate t(f|e) from the word counts of texts and of their translations.

    The likelihood of a text f₁…f_m given e₁…e_l and NULL = e₀ is ∏ⱼ ∑ᵢ t(fⱼ|eᵢ) / (l + 1)ᵐ up to a
    constant: Model 1 of [@brown1993]. It depends on how often each word stands in a text, not on
    where, so counts are all it needs. All t start equal; the likelihood is concave in t, so that
    the start decides only where within a flat maximum EM ends.

    Parameters
    ----------
    source, target : csr_array of shape (n_texts, n_words)
        How often each word stands in each text; row ``i`` of one translates row ``i`` of the other.
    n_iter : int
        How many iterations of EM.
    null_weight : float
        How many NULL words each source text has, 1 in the paper.

    Returns
    -------
    WordModel
        What was found.
    """
    by_word = _texts_of_each_word(source, null_weight)
    probabilities = _uniform(by_word, target)
    corpus = _arrays(probabilities, by_word, target)
    choices = np.log(source.sum(axis=1) + null_weight)  # a token comes from one of l + 1 words
    constant = target.sum(axis=1) @ choices
    expected_counts = np.zeros(by_word.shape[0])
    history = []
    for _ in range(n_iter):
        explained = _explanations(corpus, target.nnz)  # Σᵢ t(f|eᵢ) of Model 1 [@brown1993]
        history.append(target.data @ np.log(explained) - constant)
        # t(f|e) ← the expected counts, summing to one: the M step of Model 1 [@brown1993]
        _reestimate(corpus, target.data / explained, expected_counts)
    history.append(target.data @ np.log(_explanations(corpus, target.nnz)) - constant)
    return WordModel(probabilities, expected_counts, np.array(history))


def _texts_of_each_word(source: csr_array, null_weight: float) -> csr_array:
    """Words as rows, texts as columns; NULL comes first and stands in every text."""
    null = csr_array(np.full((1, source.shape[0]), null_weight))
    return vstack([null, source.T], format="csr").astype(np.float64)


def _uniform(by_word: csr_array, target: csr_array) -> csr_array:
    """The same probability for every target word that a source word ever stands beside."""
    beside = by_word.astype(bool) @ target.astype(bool)
    start = np.full(beside.nnz, 1 / target.shape[1])
    return csr_array((start, beside.indices, beside.indptr), shape=beside.shape)


def _arrays(probabilities: csr_array, by_word: csr_array, target: csr_array) -> list[Any]:
    """Arrays that the kernels go through; the probabilities among them are changed in place."""
    matrices = (probabilities, by_word)
    rows = [part for each in matrices for part in (each.indptr, each.indices, each.data)]
    return [*rows, target.indptr, target.indices, target.shape[1]]


def _explanations(corpus: list[Any], n_cells: int) -> FloatArray:
    """∑ᵢ t(f|eᵢ) of every target word f in every text, in the order of ``target.data``."""
    from manyviews.embed.translation.translator_kernels import add_explanations

    explained = np.zeros(n_cells)
    add_explanations(*corpus, explained)
    return explained


def _reestimate(corpus: list[Any], shares: FloatArray, expected_counts: FloatArray) -> None:
    from manyviews.embed.translation.translator_kernels import reestimate_rows

    reestimate_rows(*corpus, shares, expected_counts)


# Lexicons: words with their translations and how probable these are, in memory and in files -------

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


# The translator -----------------------------------------------------------------------------------

Direction = Literal["ab", "ba"]


@dataclass(eq=False)
class WordTranslator(Options):
    r"""Translate texts word by word, by a lexicon learnt from texts and their translations.

    Take it where a common space of two languages has to be learnt and there are few or no pairs
    of texts: it needs no service and no download, and makes no sentences.

    Parameters
    ----------
    n_iter : int
        How many iterations of EM.
    symmetric : bool
        Whether a translation must be probable in both directions.
    null_weight : float
        How many NULL words each text has.
    min_probability : float
        Translations less probable than this are dropped; a word that has none left is unknown.
    max_translations : int or None
        How many translations of a word are kept; all of them if None.
    unknown : {"keep", "drop"}
        What becomes of words without translation: kept as they are, as names and numbers should
        be, or left out.
    omit_above : float
        A word is left out if more than this share of its tokens corresponds to nothing; 1
        leaves out none.
    lowercase : bool
        Whether to make texts lower case first.
    strip_accents : {"unicode", "ascii"}, callable or None
        How to fold accents, as in scikit-learn's vectorizers; for corpora of which one has lost
        them.
    token_pattern : str
        What a word is; as in scikit-learn, two letters or digits and more.
    tokenizer : callable, optional
        Cuts a string into words instead of ``token_pattern``.
    n_jobs : int, optional
        2 trains the two directions in two threads; -1 where there are as many cores.

    Attributes
    ----------
    lexicons_ : dict
        The lexicon of each direction, "ab" and "ba".
    log_likelihood_history_ : dict
        For each direction, the likelihood before the first and after each iteration; empty
        for a translator made from lexicons.

    Examples
    --------
    >>> from manyviews.embed import WordTranslator
    >>> english = ["the house", "the book", "a book", "a house"]
    >>> french = ["la maison", "le livre", "un livre", "une maison"]
    >>> translator = WordTranslator(n_iter=10, token_pattern=r"\w+").fit(english, french)
    >>> translator.translate_ab(["book house 1984"])
    ['livre maison 1984']
    >>> translator.translate_ba(["maison"])
    ['house']

    Notes
    -----
    **Objective**
        The likelihood of the translations f given the texts e,
        ∏ⱼ ∑ᵢ t(fⱼ|eᵢ) / (l + 1) over the tokens j of f and the l tokens i of e with NULL = e₀:
        IBM Model 1 of [@brown1993], in both directions. Where a word stands plays no role.

    **Symbols**
        t(f|e) → ``lexicon(...).probabilities``; e₀ → the empty word in a lexicon.

    **Algorithm**
        1. Count the words of each text (``count_words``).
        2. For each direction, EM from equal probabilities (``train_model_one``). An iteration goes
           through the source words: each gives its t(f|e) to the texts it stands in, then
           gathers its share of the words there (``add_explanations``, ``reestimate_rows``).
        3. With ``symmetric``, multiply t(b|a) by t(a|b) and norm it again (``agreed``).
        4. Keep the probable translations (``keep_probable``).

    **NULL**
        A word b that no word of a text explains is given to NULL in direction "ab"; translating a
        into b word by word never makes such words, since it would not know where. The other way
        round, a word a that NULL explains in direction "ba" corresponds to nothing in b:
        ``omit_above`` leaves it out. The longer the texts, the less of them a single NULL
        explains; ``null_weight`` gives each text more.

    **Deviations**
        ``null_weight`` and ``symmetric`` are not in the paper; the defaults are as it has them.
        Probabilities are pruned after training only, so that EM is exact and the likelihood,
        which is that of the model before pruning and before ``symmetric``, never falls.

    **Complexity**
        An iteration takes time in proportion to the pairs of different words over all texts,
        and memory for the different pairs (12 bytes each). 20,000 texts of 50 different words a
        side: 5 · 10⁷ pairs, of which 10⁷ are different.

    References
    ----------
    [@brown1993], [@fortuna2005]
    """

    n_iter: Count = 5
    _: KW_ONLY
    symmetric: bool = False
    null_weight: Positive = 1.0
    min_probability: Share = 0.01
    max_translations: Count | None = 20
    unknown: Literal["keep", "drop"] = "keep"
    omit_above: Share = 0.5
    lowercase: bool = True
    strip_accents: Literal["unicode", "ascii"] | Callable[[str], str] | None = None
    token_pattern: str = r"(?u)\b\w\w+\b"
    tokenizer: Callable[[str], Sequence[str]] | type[list[str]] | None = None
    n_jobs: Count | Annotated[int, Interval(high=-1)] | None = None

    def fit(self, parallel_a: Iterable[Text], parallel_b: Iterable[Text]) -> Self:
        """Learn both lexicons; text ``i`` of ``parallel_b`` translates that of ``parallel_a``.

        Parameters
        ----------
        parallel_a, parallel_b : list of str or of lists of words
            Aligned texts, the shorter the better: sentences or short paragraphs.

        Returns
        -------
        WordTranslator
            Itself.
        """
        check_params(self)
        counts_a, words_a = self._count(parallel_a, "parallel_a")
        counts_b, words_b = self._count(parallel_b, "parallel_b")
        if counts_a.shape[0] != counts_b.shape[0]:
            raise ValueError(
                f"parallel_a has {counts_a.shape[0]} texts and parallel_b {counts_b.shape[0]}; "
                "give each text with its translation."
            )
        ab, ba = self._train(counts_a, counts_b)
        self.log_likelihood_history_ = {
            "ab": ab.log_likelihood_history,
            "ba": ba.log_likelihood_history,
        }
        self.lexicons_ = {
            "ab": self._lexicon(ab, ba, words_a, words_b),
            "ba": self._lexicon(ba, ab, words_b, words_a),
        }
        return self

    @classmethod
    def from_lexicons(cls, ab: Lexicon, ba: Lexicon, **params: Any) -> Self:
        """Make a translator from lexicons, such as :meth:`Lexicon.load` reads, without training."""
        translator = cls(**params)
        check_params(translator)
        check_argument("ab", ab, Lexicon)
        check_argument("ba", ba, Lexicon)
        translator.log_likelihood_history_ = {}
        translator.lexicons_ = {"ab": ab, "ba": ba}
        return translator

    def translate_ab(self, texts: Iterable[Text]) -> list[str]:
        """Translate each word of the texts into the most probable one of the second language."""
        return self._translate(texts, "ab")

    def translate_ba(self, texts: Iterable[Text]) -> list[str]:
        """Translate each word of the texts into the most probable one of the first language."""
        return self._translate(texts, "ba")

    def translate_counts(
        self,
        counts: Any,
        words: Sequence[str],
        direction: Direction = "ab",
        *,
        into: Sequence[str] | None = None,
    ) -> csr_array:
        """Expected counts of the other language's words: all translations, as probable as they are.

        Parameters
        ----------
        counts : array or sparse matrix of shape (n_texts, len(words))
            How often each word stands in each text, or any weights of them.
        words : sequence of str
            What the columns are, written as the lexicon writes it: lower case, accents folded.
        direction : {"ab", "ba"}
            Into which language.
        into : sequence of str, optional
            What the columns of the result shall be; the target words of the lexicon by default.

        Returns
        -------
        csr_array of shape (n_texts, len(into))
            Expected counts; words that ``into`` does not have are left out.
        """
        lexicon = self.lexicon(direction)
        given = csr_array(counts)
        if given.shape[1] != len(words):
            raise ValueError(
                f"counts has {given.shape[1]} columns for {len(words)} words; give one per word."
            )
        columns = lexicon.target_words if into is None else into
        operator = word_operator(lexicon, words, columns, keep_unknown=self.unknown == "keep")
        omitted = lexicon.omitted(self.omit_above)
        kept = np.array([word not in omitted for word in words], dtype=np.float64)
        return csr_array(given @ (diags_array(kept) @ operator))

    def lexicon(self, direction: Direction = "ab") -> Lexicon:
        """Return the translations into the second language ("ab") or into the first ("ba")."""
        if not hasattr(self, "lexicons_"):
            raise NotFittedError("this WordTranslator has learnt nothing yet; call fit first.")
        check_argument("direction", direction, Direction)
        return self.lexicons_[direction]

    def _translate(self, texts: Iterable[Text], direction: Direction) -> list[str]:
        lexicon, split = self.lexicon(direction), self._splitter()
        table = lexicon.best_words() | dict.fromkeys(lexicon.omitted(self.omit_above), NULL)
        keep = self.unknown == "keep"
        spoken = (
            [table.get(word, word if keep else NULL) for word in split(text)]
            for text in read_texts(texts, "texts")
        )
        return [" ".join(filter(None, words)) for words in spoken]

    def _splitter(self) -> Callable[[Text], list[str]]:
        return word_splitter(
            lowercase=self.lowercase,
            strip_accents=self.strip_accents,
            token_pattern=self.token_pattern,
            tokenizer=self.tokenizer,
        )

    def _count(self, texts: Iterable[Text], name: str) -> tuple[csr_array, list[str]]:
        return count_words(read_texts(texts, name), self._splitter(), name)

    def _train(self, counts_a: csr_array, counts_b: csr_array) -> list[WordModel]:
        from joblib import Parallel, delayed

        ways = ((counts_a, counts_b), (counts_b, counts_a))
        n_jobs = None if self.n_jobs is None else min(self.n_jobs, len(ways))  # more have no work
        run = Parallel(n_jobs=n_jobs, prefer="threads")
        return list(
            run(
                delayed(train_model_one)(*way, self.n_iter, null_weight=self.null_weight)
                for way in ways
            )
        )

    def _lexicon(
        self, model: WordModel, reverse: WordModel, sources: list[str], targets: list[str]
    ) -> Lexicon:
        found = agreed(model, reverse) if self.symmetric else model.probabilities
        return Lexicon(
            [NULL, *sources],
            targets,
            keep_probable(found, self.min_probability, self.max_translations),
            np.concatenate([[0.0], reverse.null_share]),
        )


def agreed(model: WordModel, reverse: WordModel) -> csr_array:
    """t(b|a) t(a|b), each row brought to the sum one; the row of NULL stays as it is."""
    product = model.probabilities[1:].multiply(reverse.probabilities[1:].T.tocsr()).tocsr()
    sums = product.sum(axis=1)
    scaled = diags_array(np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)) @ product
    return csr_array(vstack([model.probabilities[[0]], scaled], format="csr"))
