from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.linear_model import LogisticRegression

from manyviews.datasets import make_token_views


def tokens_by_class(matrix, y):
    """For each class, the set of tokens that ever occur."""
    return [set(np.unique(matrix[y == label].indices)) for label in np.unique(y)]


def test_counts_add_up_and_classes_keep_to_their_lists():
    views, y = make_token_views(3000, 4, 60, 12, (5, 3), random_state=0)
    for name, n_tokens in (("first", 5), ("second", 3)):
        matrix = views[name]
        assert issparse(matrix)
        assert matrix.shape == (3000, 60)
        assert (matrix.sum(axis=1) == n_tokens).all()
        assert [len(tokens) for tokens in tokens_by_class(matrix, y)] == [12] * 4
    assert np.bincount(y).min() > 650


def test_independent_tokens_are_uniform_over_the_list_and_may_repeat():
    views, y = make_token_views(5000, 2, 40, 10, (4, 4), random_state=0)
    own = views["first"][y == 0]
    totals = own.sum(axis=0)
    expected = 4 * own.shape[0] / 10
    assert np.abs(totals[totals > 0] / expected - 1).max() < 0.1
    # chance that 4 draws from 10 are all different: 0.504
    assert (own.max(axis=1).toarray() == 1).mean() == pytest.approx(0.504, abs=0.04)


def test_consecutive_tokens_are_one_of_as_many_runs_as_the_list_is_long():
    views, y = make_token_views(4000, 2, 40, 10, (4, 4), consecutive=True, random_state=0)
    own = views["first"][y == 0].toarray()
    assert own.max() == 1
    runs = np.unique(own, axis=0)
    assert len(runs) == 10
    # neighbouring runs share three of four tokens, and each run has two neighbours
    assert np.array_equal((runs @ runs.T == 3).sum(axis=1), [2] * 10)


@pytest.mark.parametrize("dependency", [0.0, 0.3, 1.0])
def test_dependency_is_the_share_of_objects_with_one_start(dependency):
    views, y = make_token_views(
        20_000, 2, 40, 10, (3, 3), consecutive=True, dependency=dependency, random_state=0
    )
    runs = [
        np.unique(views[name][y == 0].toarray(), axis=0, return_inverse=True)[1].ravel()
        for name in views.names
    ]
    table = np.zeros((10, 10))
    np.add.at(table, tuple(runs), 1)
    # each start is tied to one start of the other view with r, and to any of ten otherwise
    tied = table.max(axis=1).sum() / table.sum()
    assert tied == pytest.approx(dependency + (1 - dependency) / 10, abs=0.03)


def test_super_classes_share_lists_so_that_only_both_views_tell_the_class():
    dataset = make_token_views(6000, 10, 500, 20, (6, 6), super_classes=True, random_state=0)
    views, y = dataset.views, dataset.y
    first, second = (tokens_by_class(views[name], y) for name in views.names)
    for one in range(10):
        for other in range(one):
            assert (first[one] == first[other]) == (one // 2 == other // 2)
            assert (second[one] == second[other]) == (one - other == 5)
    assert np.array_equal(dataset.extra["first"], y // 2)
    pairs = np.column_stack([dataset.extra["first"], dataset.extra["second"]])
    assert len(np.unique(pairs, axis=0)) == 10


def test_hundred_labels_give_about_the_accuracy_of_the_paper():
    accuracies = []
    for seed in range(4):
        views, y = make_token_views(1100, random_state=seed)
        wide = views.concatenate()
        model = LogisticRegression(max_iter=500).fit(wide[:100], y[:100])
        accuracies.append(model.score(wide[100:], y[100:]))
    assert np.mean(accuracies) == pytest.approx(0.23, abs=0.05)


def test_the_default_has_the_papers_size_and_is_seeded():
    one, other = make_token_views(random_state=0), make_token_views(random_state=0)
    assert len(one.views) == 30_000
    assert len(np.unique(one.y)) == 10
    assert one.extra == {}
    assert one.views.equals(other.views)
    assert not one.views.equals(make_token_views(random_state=1).views)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"class_vocabulary": 60, "vocabulary": 50}, "class_vocabulary=60 is larger"),
        ({"dependency": 0.5}, "set consecutive=True"),
        ({"dependency": 1.5, "consecutive": True}, "dependency=1.5"),
        ({"n_classes": 9, "super_classes": True}, "n_classes=9.*divisible by 2"),
        ({"n_classes": 2, "super_classes": True}, "at least 4"),
        ({"n_classes": 1}, "n_classes=1"),
        ({"n_classes": 10**18}, "give at most 100,000"),
        ({"consecutive": np.array([1, 2])}, "consecutive=.* give True or False"),
        ({"n_tokens": 5}, "n_tokens=5"),
        ({"n_tokens": (5, 0)}, "each of n_tokens=0"),
    ],
)
def test_impossible_tokens_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_token_views(10, **arguments)
