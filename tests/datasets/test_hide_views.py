from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from manyviews.data import Views
from manyviews.datasets import hide_views


def some_views(n_objects=60, n_views=3, seed=0, gaps=0.0):
    rng = np.random.default_rng(seed)
    observed = rng.random((n_objects, n_views)) >= gaps
    return Views([rng.normal(size=(n_objects, 2)) for _ in range(n_views)], observed=observed)


def capacity(views):
    """How many cells can go while every object keeps one that it had."""
    return int(np.maximum(views.observed.sum(axis=1) - 1, 0).sum())


@pytest.mark.parametrize("pattern", ["random", "outage", "tail"])
@given(
    n_objects=st.integers(1, 40),
    n_views=st.integers(1, 4),
    gaps=st.sampled_from([0.0, 0.3]),
    share=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=40)
def test_exactly_the_share_is_hidden_and_everyone_keeps_a_view(
    pattern, n_objects, n_views, gaps, share, seed
):
    views = some_views(n_objects, n_views, seed, gaps)
    wanted = round(share * views.observed.sum())
    if wanted > capacity(views):
        with pytest.raises(ValueError, match="cannot be hidden while every object keeps a view"):
            hide_views(views, share, pattern, seed=seed)
        return
    hidden = hide_views(views, share, pattern, seed=seed)
    assert not (hidden.observed & ~views.observed).any()
    assert (views.observed & ~hidden.observed).sum() == wanted
    assert_array_equal(hidden.observed.any(axis=1), views.observed.any(axis=1))
    for name in views.names:
        seen = hidden.observed_in(name)
        assert_array_equal(hidden[name][seen], views[name][seen])


@pytest.mark.parametrize("pattern", ["random", "outage", "tail"])
def test_the_largest_share_in_the_message_works_and_leaves_one_view_each(pattern):
    views = some_views(50, 3)
    with pytest.raises(ValueError, match=r"at most 0\.6666"):
        hide_views(views, 0.7, pattern)
    assert (hide_views(views, 0.6666, pattern, seed=0).observed.sum(axis=1) == 1).all()


@pytest.mark.parametrize("pattern", ["random", "outage", "tail"])
def test_objects_may_lose_everything_if_asked(pattern):
    views = some_views(30, 2)
    assert not hide_views(views, 1.0, pattern, seed=0, keep_one=False).observed.any()
    assert (~hide_views(views, 0.8, pattern, seed=0, keep_one=False).observed).sum() == 48


@given(st.floats(0, 1), st.integers(0, 1000))
@settings(deadline=None, max_examples=40)
def test_single_leaves_the_share_of_objects_with_one_view(share, seed):
    views = some_views(30, 3, seed, gaps=0.3)
    before = views.observed.sum(axis=1)
    after = hide_views(views, share, "single", seed=seed).observed.sum(axis=1)
    changed = before != after
    assert changed.sum() == round(share * (before >= 2).sum())
    assert (after[changed] == 1).all()


def test_single_keeps_each_view_equally_often():
    kept = hide_views(some_views(3000, 3), 1.0, "single", seed=0).observed.sum(axis=0)
    assert np.abs(kept - 1000).max() < 100


def test_random_gaps_do_not_depend_on_the_view_or_the_place():
    observed = hide_views(some_views(6000, 3), 0.3, seed=0).observed
    assert np.abs((~observed).mean(axis=0) - 0.3).max() < 0.02
    assert np.abs((~observed).reshape(6, 1000, 3).mean(axis=(1, 2)) - 0.3).max() < 0.03


def test_random_gaps_are_nearly_independent_when_few():
    gone = ~hide_views(some_views(20_000, 4), 0.1, seed=0).observed
    both = (gone[:, 0] & gone[:, 1]).mean()
    assert both == pytest.approx(0.01, abs=0.003)


def n_runs(gone):
    return int((np.diff(gone.astype(int), axis=0, prepend=0) == 1).sum())


def test_outages_are_runs():
    views = some_views(1000, 2)
    outage = ~hide_views(views, 0.2, "outage", seed=0).observed
    scattered = ~hide_views(views, 0.2, "random", seed=0).observed
    assert outage.sum() == scattered.sum() == 400
    assert n_runs(outage) <= 20
    assert n_runs(scattered) > 200


def test_the_tail_loses_views_first():
    norms = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 6.0])
    scale = np.array([1.0, 100.0])  # units of a view do not matter
    views = Views({"a": norms[:, None] * scale[0], "b": norms[:, None] * scale[1]})
    observed = hide_views(views, 0.25, "tail", seed=0).observed
    assert_array_equal(observed.sum(axis=1), [2, 1, 2, 1, 1, 2])


def test_in_the_tail_the_emptiest_view_goes_first():
    full = np.array([[1.0], [9.0], [9.0]])
    views = Views({"a": full, "b": 2 * full, "c": np.array([[5.0], [9.0], [9.0]])})
    observed = hide_views(views, 2 / 9, "tail", seed=0).observed
    assert_array_equal(observed, [[False, False, True], [True] * 3, [True] * 3])


def test_the_tail_of_sparse_views_and_rows_with_nan_cells():
    dense = np.array([[3.0, np.nan], [1.0, 0.0], [4.0, 4.0]])
    counts = sparse.csr_array(np.array([[3.0, 0], [0, 0], [4.0, 4.0]]))
    observed = hide_views({"dense": dense, "counts": counts}, 1 / 6, "tail", seed=0).observed
    assert_array_equal(observed, [[True, True], [True, False], [True, True]])


@pytest.mark.parametrize("pattern", ["random", "outage", "single", "tail"])
def test_seeded_and_leaving_the_input_alone(pattern):
    matrices = [np.ones((40, 2)), np.ones((40, 3))]
    one = hide_views(matrices, 0.4, pattern, seed=1)
    assert one.equals(hide_views(matrices, 0.4, pattern, seed=1))
    assert not one.equals(hide_views(matrices, 0.4, pattern, seed=2))
    assert all((matrix == 1).all() for matrix in matrices)
    assert hide_views(matrices, 0.0, pattern).observed.all()


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan, "half", True])
def test_impossible_shares_are_refused(share):
    with pytest.raises(ValueError, match="share="):
        hide_views(some_views(), share)


def test_unknown_patterns_are_refused():
    with pytest.raises(ValueError, match="pattern='holes' is not known; choose one of 'random'"):
        hide_views(some_views(), 0.1, "holes")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"pattern": ["random"]}, "pattern=.* is not known"),
        ({"keep_one": np.array([True, False])}, "keep_one=.* give True or False"),
        ({"seed": -1}, "random_state=-1 should be None, a seed of at least 0"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(options, says):
    with pytest.raises(ValueError, match=says):
        hide_views(some_views(), 0.1, **options)
