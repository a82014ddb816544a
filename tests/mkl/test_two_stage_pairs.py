"""Pairs: all of them, each once, half of each kind; links before labels; bad links refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews.mkl.two_stage import (
    NO_LINKS,
    draw_pairs,
    read_links,
    refuse_contradictions,
)


def unordered(pairs):
    return {tuple(sorted(pair)) for pair in zip(pairs.left, pairs.right, strict=True)}


def all_pairs(codes):
    n = len(codes)
    known = [(i, j) for i in range(n) for j in range(i, n) if codes[i] >= 0 and codes[j] >= 0]
    same = {(i, j) for i, j in known if codes[i] == codes[j]}
    return same, set(known) - same


@given(
    codes=st.lists(st.integers(-1, 3), min_size=2, max_size=14).map(np.array),
    n_pairs=st.integers(2, 150),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=30)
def test_pairs_are_those_of_the_labels_each_once(codes, n_pairs, seed):
    same, different = all_pairs(codes)
    pairs = draw_pairs(codes, NO_LINKS, n_pairs, np.random.default_rng(seed))
    size = min(len(same), len(different), n_pairs // 2)
    assert len(pairs) == 2 * size
    assert list(pairs.signs) == [1, -1] * size
    found = unordered(pairs)
    assert len(found) == 2 * size
    assert sum(pair in same for pair in found) == size
    assert sum(pair in different for pair in found) == size


def test_every_pair_is_as_likely():
    codes = np.array([0, 0, 0, 1, 1, 2])
    counts = {}
    for seed in range(600):
        for pair in unordered(draw_pairs(codes, NO_LINKS, 6, np.random.default_rng(seed))):
            counts[pair] = counts.get(pair, 0) + 1
    same, different = all_pairs(codes)
    for kind in (same, different):
        assert [counts[pair] / 600 for pair in kind] == pytest.approx(
            np.full(len(kind), 3 / len(kind)), abs=0.08
        )


def test_links_come_first_and_alone_suffice():
    codes = np.array([0, 0, 1, 1, -1, -1])
    links = read_links([[4, 0], [0, 4]], [[5, 1]], 6)
    pairs = draw_pairs(codes, links, 4, np.random.default_rng(0))
    assert {(0, 4), (1, 5)} <= unordered(pairs)
    assert len(pairs) == 4
    only = draw_pairs(np.full(6, -1), links, 100, np.random.default_rng(0))
    assert unordered(only) == {(0, 4), (1, 5)}
    assert list(links.objects) == [0, 1, 4, 5]


def test_a_million_objects_and_as_many_classes_are_no_matter():
    codes = np.arange(1_000_000) // 2
    pairs = draw_pairs(codes, NO_LINKS, 1000, np.random.default_rng(0))
    assert (np.sign((codes[pairs.left] == codes[pairs.right]) - 0.5) == pairs.signs).all()


@pytest.mark.parametrize(
    ("must", "cannot", "words"),
    [
        ([[0, 1, 2]], None, r"must_link has shape \(1, 3\)"),
        (None, [0, 1], r"cannot_link has shape \(2,\)"),
        ([[0.0, 1.0]], None, "type float64"),
        ([[0, 1], [2, 9]], None, r"row 1 of must_link, \[2, 9\], names an object beyond 0 to 4"),
        (None, [[-1, 2]], "row 0 of cannot_link"),
        (None, [[3, 3]], "links an object to itself"),
        ([[1, 2]], [[0, 3], [2, 1]], "objects 1 and 2 stand in must_link and in cannot_link"),
    ],
)
def test_bad_links_are_refused(must, cannot, words):
    with pytest.raises(ValueError, match=words):
        read_links(must, cannot, 5)


def test_links_against_labels_are_refused():
    codes = np.array([0, 1, 0, -1])
    refuse_contradictions(read_links([[0, 2], [1, 3]], [[0, 1]], 4), codes)
    with pytest.raises(ValueError, match="must_link contradicts the labels of objects 0 and 1"):
        refuse_contradictions(read_links([[1, 0]], None, 4), codes)
    with pytest.raises(ValueError, match="cannot_link contradicts"):
        refuse_contradictions(read_links(None, [[2, 0]], 4), codes)
