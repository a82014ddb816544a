"""Members are chosen as said: by chance, by their errors, or because the ensemble gains."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews.ensemble import view_subset_ensemble as selection
from manyviews.ensemble.members import all_subsets, read_subsets
from manyviews.ensemble.view_subset_ensemble import hold_out
from manyviews.exceptions import UnknownViewError


@pytest.mark.parametrize("n_views", [1, 2, 3, 6])
def test_there_are_as_many_subsets_as_the_paper_counts(n_views):
    subsets = all_subsets([f"v{place}" for place in range(n_views)])
    assert len(set(subsets)) == 2**n_views - 1


def test_subsets_are_read_in_the_order_of_the_views():
    assert read_subsets([["c", "a"], "b"], ["a", "b", "c"]) == [("a", "c"), ("b",)]


@pytest.mark.parametrize(
    ("given", "error", "word"),
    [
        ([], ValueError, "empty"),
        ([[]], ValueError, "empty"),
        ([["a"], "a"], ValueError, "twice"),
        ([["a", "z"]], UnknownViewError, "'z'"),
    ],
)
def test_bad_subsets_are_refused(given, error, word):
    with pytest.raises(error, match=word):
        read_subsets(given, ["a", "b"])


def test_too_many_subsets_are_refused():
    with pytest.raises(ValueError, match="2047"):
        read_subsets("all", [f"v{place}" for place in range(11)])


def test_drawing_takes_each_once():
    rng = np.random.default_rng(0)
    drawn = [selection.draw(20, 6, rng).chosen for _ in range(50)]
    assert all(len(set(chosen)) == 6 for chosen in drawn)
    assert set(np.concatenate(drawn)) == set(range(20))


def test_who_is_clearly_ahead_stays_alone():
    errors = np.array([0.2, 0.05, 0.21])
    ones = np.ones(3, dtype=int)
    assert selection.one_standard_error_selection(
        errors, ones, np.full(3, 1000), 9
    ).chosen.tolist() == [1]
    # of 8 objects (0.35 * 8 + 1) / 10 = 0.38 are wrong: 0.35 + sqrt(0.38 * 0.62 / 10) = 0.5035
    assert selection.one_standard_error_selection(
        errors + 0.3, ones, np.full(3, 8), 9
    ).chosen.tolist() == [1, 0]


def test_equal_errors_prefer_fewer_views():
    errors = np.full(4, 0.1)
    chosen = selection.one_standard_error_selection(
        errors, np.array([3, 1, 2, 1]), np.full(4, 50), 3
    ).chosen
    assert chosen.tolist() == [1, 3, 2]


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), most=st.integers(1, 5))
def test_forward_falls_until_nothing_helps(seed, most):
    rng = np.random.default_rng(seed)
    errors, sizes = rng.random(5), rng.integers(1, 4, 5)
    table = {
        frozenset(group): float(rng.integers(0, 30)) / 30
        for size in range(1, 6)
        for group in combinations(range(5), size)
    }
    found = selection.forward_selection(
        errors, sizes, most, lambda rows: table[frozenset(rows.tolist())]
    )
    chosen = found.chosen.tolist()
    assert chosen[0] == errors.argmin()
    assert (np.diff(found.history) < 0).all()
    for step in range(1, len(chosen)):
        before, rest = chosen[:step], set(range(5)) - set(chosen[:step])
        best = min(table[frozenset([*before, other])] for other in rest)
        assert found.history[step] == best
    if len(chosen) < min(most, 5):
        rest = set(range(5)) - set(chosen)
        assert all(table[frozenset([*chosen, other])] >= found.history[-1] for other in rest)


@settings(deadline=None, max_examples=30)
@given(
    codes=st.lists(st.integers(0, 3), min_size=8, max_size=60),
    share=st.floats(0.2, 0.6),
    seed=st.integers(0, 99),
)
def test_holding_out_keeps_every_class(codes, share, seed):
    codes = np.array(codes)
    try:
        train, held = hold_out(codes, share, np.random.default_rng(seed))
    except ValueError:
        assert all(np.floor(share * n + 0.5) == 0 or n == 1 for n in np.bincount(codes) if n)
        return
    assert np.array_equal(np.sort(np.concatenate([train, held])), np.arange(len(codes)))
    assert set(codes[train]) == set(codes)
    for code, n in enumerate(np.bincount(codes)):
        assert abs((codes[held] == code).sum() - share * n) <= 1.0


def test_a_share_that_holds_out_nothing_is_refused():
    with pytest.raises(ValueError, match=r"validation=0\.01"):
        hold_out(np.array([0, 1, 0, 1]), 0.01, np.random.default_rng(0))
