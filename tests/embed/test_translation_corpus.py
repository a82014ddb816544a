"""Pairs made by machine: which texts are kept, which are translated, in what order."""

from __future__ import annotations

import numpy as np
import pytest

from manyviews.embed import paired_corpus

A = [f"a{i}" for i in range(5)]
B = [f"b{i}" for i in range(5)]


def to_b(texts):
    return [f"{text} in b" for text in texts]


def to_a(texts):
    return (f"{text} in a" for text in texts)  # any iterable will do


def test_two_collections_are_used_whole():
    corpus = paired_corpus(A[:2], B[:3], to_b, to_a)
    texts_a, texts_b = corpus
    assert texts_a == ["a0", "a1", "b0 in a", "b1 in a", "b2 in a"]
    assert texts_b == ["a0 in b", "a1 in b", "b0", "b1", "b2"]
    assert corpus.translated.tolist() == ["b", "b", "a", "a", "a"]
    assert corpus.source_rows.tolist() == [0, 1, 0, 1, 2]
    assert len(corpus) == 5
    assert repr(corpus) == "PairedCorpus of 5 pairs: 2 written in a, 3 in b"


def test_the_first_half_is_kept_in_the_first_language():
    corpus = paired_corpus(A, tuple(B), to_b, to_a, halves="first")
    assert corpus.texts_a == ["a0", "a1", "a2", "b3 in a", "b4 in a"]
    assert corpus.texts_b == ["a0 in b", "a1 in b", "a2 in b", "b3", "b4"]
    assert corpus.source_rows.tolist() == [0, 1, 2, 3, 4]


def test_random_halves_use_every_text_once():
    n = 101
    docs_a, docs_b = ([f"{side}{i}" for i in range(n)] for side in "ab")
    corpus = paired_corpus(docs_a, docs_b, to_b, to_a, halves="random", random_state=3)
    for row, (a, b, made) in enumerate(zip(*corpus, corpus.translated, strict=True)):
        assert (a, b) == (
            (f"a{row}", f"a{row} in b") if made == "b" else (f"b{row} in a", f"b{row}")
        )
    assert np.sum(corpus.translated == "b") == 51
    assert 10 < np.sum(corpus.translated[:51] == "b") < 41
    again = paired_corpus(docs_a, docs_b, to_b, to_a, halves="random", random_state=3)
    assert again.texts_a == corpus.texts_a
    other = paired_corpus(docs_a, docs_b, to_b, to_a, halves="random", random_state=4)
    assert other.texts_a != corpus.texts_a


def test_a_translator_is_called_once_with_its_texts_only():
    calls = []

    def remember(texts):
        calls.append(list(texts))
        return to_b(texts)

    paired_corpus(A, B, remember, to_a, halves="first")
    assert calls == [["a0", "a1", "a2"]]
    paired_corpus([], B, remember, to_a)
    assert len(calls) == 1


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="docs_a is one string"):
        paired_corpus("a", B, to_b, to_a)
    with pytest.raises(ValueError, match="docs_b has float at position 1"):
        paired_corpus(A, ["b", np.nan], to_b, to_a)
    with pytest.raises(ValueError, match="docs_a has 4 texts and docs_b 5"):
        paired_corpus(A[:4], B, to_b, to_a, halves="first")
    with pytest.raises(ValueError, match="halves='last'"):
        paired_corpus(A, B, to_b, to_a, halves="last")
    with pytest.raises(ValueError, match="translate_ab='ab' should be a function"):
        paired_corpus(A, B, "ab", to_a)
    with pytest.raises(ValueError, match="random_state=nan"):
        paired_corpus(A, B, to_b, to_a, halves="random", random_state=np.nan)
    with pytest.raises(ValueError, match="translate_ab gave 1 texts for 5"):
        paired_corpus(A, B, lambda texts: texts[:1], to_a)
    with pytest.raises(ValueError, match="what translate_ba gave is one string"):
        paired_corpus(A, B, to_b, "".join)
