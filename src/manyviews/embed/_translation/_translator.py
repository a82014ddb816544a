"""A translator of words learnt from parallel texts, both ways, that works offline [@brown1993]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack
from sklearn.exceptions import NotFittedError

from manyviews.base import check_argument, check_params
from manyviews.embed._translation._lexicon import NULL, Lexicon, keep_probable, word_operator
from manyviews.embed._translation._model_one import WordModel, train_model_one
from manyviews.embed._translation._words import Text, count_words, read_texts, word_splitter
from manyviews.maths import Options
from manyviews.typing import Count, Interval, Positive, Share

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
