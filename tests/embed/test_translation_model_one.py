"""Model 1 against token-by-token EM, and what EM promises."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from manyviews.embed.translation.translator import train_model_one

texts = st.lists(
    st.tuples(
        st.lists(st.integers(0, 3), min_size=0, max_size=5),
        st.lists(st.integers(0, 4), min_size=1, max_size=5),
    ),
    min_size=1,
    max_size=6,
)


def counted(sides, n_words):
    matrix = np.zeros((len(sides), n_words))
    for row, words in enumerate(sides):
        np.add.at(matrix[row], words, 1)
    return csr_array(matrix)


def both_counted(pairs):
    return counted([a for a, _ in pairs], 4), counted([b for _, b in pairs], 5)


def token_by_token(pairs, n_iter, n_targets=5):
    """t(f|e) and likelihoods by going through every pair of tokens; "0" is NULL."""
    t = {}
    for sources, targets in pairs:
        t |= dict.fromkeys(product(["0", *sources], targets), 1 / n_targets)
    history = []
    for iteration in range(n_iter + 1):
        counts, totals, likelihood = Counter(), Counter(), 0.0
        for sources, targets in pairs:
            for f in targets:
                explained = sum(t[e, f] for e in ["0", *sources])
                likelihood += np.log(explained / (len(sources) + 1))
                for e in ["0", *sources]:
                    counts[e, f] += t[e, f] / explained
                    totals[e] += t[e, f] / explained
        history.append(likelihood)
        if iteration < n_iter:
            t = {(e, f): count / totals[e] for (e, f), count in counts.items()}
            last = totals
    return t, np.array(history), last


@given(pairs=texts, n_iter=st.integers(1, 8))
@settings(deadline=None, max_examples=30)
def test_counts_give_what_tokens_give(pairs, n_iter):
    model = train_model_one(*both_counted(pairs), n_iter)
    t, history, totals = token_by_token(pairs, n_iter)
    dense = np.zeros((5, 5))
    for (e, f), chance in t.items():
        dense[0 if e == "0" else e + 1, f] = chance
    np.testing.assert_allclose(model.probabilities.toarray(), dense, rtol=0, atol=1e-10)
    np.testing.assert_allclose(model.log_likelihood_history, history, rtol=1e-10, atol=1e-10)
    expected = [totals["0"], *(totals.get(e, 0.0) for e in range(4))]
    np.testing.assert_allclose(model.expected_counts, expected, rtol=0, atol=1e-10)


def test_a_corpus_worked_by_hand():
    """One text "x" with the translation "p q": every iteration gives NULL and x a half of each."""
    model = train_model_one(csr_array([[1.0]]), csr_array([[1.0, 1.0]]), 1)
    np.testing.assert_allclose(model.probabilities.toarray(), [[0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(model.expected_counts, [1.0, 1.0])
    np.testing.assert_allclose(model.log_likelihood_history, 2 * [2 * np.log(0.5)])
    np.testing.assert_allclose(model.null_share, [0.5, 0.5])


@given(pairs=texts, null_weight=st.sampled_from([0.3, 1.0, 4.0]))
@settings(deadline=None, max_examples=30)
def test_the_likelihood_never_falls_and_rows_sum_to_one(pairs, null_weight):
    model = train_model_one(*both_counted(pairs), 10, null_weight=null_weight)
    history = model.log_likelihood_history
    assert len(history) == 11
    assert (np.diff(history) >= -1e-10 * abs(history[:-1])).all()
    seen = np.diff(model.probabilities.indptr) > 0
    np.testing.assert_allclose(model.probabilities.sum(axis=1)[seen], 1.0, rtol=1e-12)
    assert model.expected_counts.sum() == pytest.approx(sum(len(b) for _, b in pairs))


@given(pairs=texts, seed=st.integers(0, 99))
@settings(deadline=None, max_examples=20)
def test_the_order_of_texts_does_not_matter(pairs, seed):
    shuffled = [pairs[row] for row in np.random.default_rng(seed).permutation(len(pairs))]
    one, two = (train_model_one(*both_counted(each), 5) for each in (pairs, shuffled))
    np.testing.assert_allclose(
        one.probabilities.toarray(), two.probabilities.toarray(), rtol=0, atol=1e-12
    )


def test_more_null_words_are_as_good_as_a_word_in_every_text():
    rng = np.random.default_rng(0)
    source = csr_array(rng.integers(0, 3, (6, 4)).astype(float))
    target = csr_array(rng.integers(0, 3, (6, 5)).astype(float))
    filled = csr_array(np.c_[np.full(6, 2.0), source.toarray()])
    few = train_model_one(source, target, 6, null_weight=3.0)
    many = train_model_one(filled, target, 6, null_weight=1.0)
    np.testing.assert_allclose(
        few.probabilities.toarray(), many.probabilities.toarray()[1:], atol=1e-12
    )
    np.testing.assert_allclose(few.log_likelihood_history, many.log_likelihood_history)


def test_the_input_stays_as_it_is():
    source, target = csr_array([[1.0, 2.0]]), csr_array([[1.0, 0.0, 1.0]])
    before = source.data.copy(), target.data.copy()
    train_model_one(source, target, 2)
    np.testing.assert_array_equal(source.data, before[0])
    np.testing.assert_array_equal(target.data, before[1])
