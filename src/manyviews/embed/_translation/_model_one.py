"""IBM Model 1: which words of one language explain those of another, by EM [@brown1993]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from manyviews.typing import FloatArray


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
        explained = _explanations(corpus, target.nnz)
        history.append(target.data @ np.log(explained) - constant)
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
    """What the kernels go through; the probabilities among them are changed in place."""
    matrices = (probabilities, by_word)
    rows = [part for each in matrices for part in (each.indptr, each.indices, each.data)]
    return [*rows, target.indptr, target.indices, target.shape[1]]


def _explanations(corpus: list[Any], n_cells: int) -> FloatArray:
    """∑ᵢ t(f|eᵢ) of every target word f in every text, in the order of ``target.data``."""
    from manyviews.embed._translation._kernels import add_explanations

    explained = np.zeros(n_cells)
    add_explanations(*corpus, explained)
    return explained


def _reestimate(corpus: list[Any], shares: FloatArray, expected_counts: FloatArray) -> None:
    from manyviews.embed._translation._kernels import reestimate_rows

    reestimate_rows(*corpus, shares, expected_counts)
