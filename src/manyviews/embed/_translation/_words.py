"""From texts to words and their counts, the same way in training and in translation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

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
