"""Judging a view: blocks, noise, constants, gaps, and what cannot be told."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from manyviews.data import Views
from manyviews.maths import LowRank
from manyviews.similarity import (
    KNNGraph,
    auto_view_weights,
    constant_views,
    judge_views,
    structure_of,
)
from manyviews.similarity.structure import edge_lift, neighbour_graph


def groups(n=150, n_groups=3, seed=0):
    rng = np.random.default_rng(seed)
    return np.eye(n_groups)[np.arange(n) % n_groups] * 8 + rng.standard_normal((n, n_groups))


def noise(n=150, n_features=60, seed=1):
    return np.random.default_rng(seed).standard_normal((n, n_features))


def judged(views, observed=None):
    """Judge graphs of neighbours."""
    n = len(next(iter(views.values())))
    observed = np.ones((n, len(views)), dtype=bool) if observed is None else observed
    pairs = zip(views.items(), observed.T, strict=True)
    return judge_views({name: KNNGraph(10).gram(X[seen]) for (name, X), seen in pairs}, observed)


def empty(found):
    return [name for name, view in found.items() if view.empty]


def test_groups_are_told_from_noise():
    found = judged({"groups": groups(), "noise": noise()})
    assert empty(found) == ["noise"]
    assert found["groups"].structure > 0.9
    assert found["noise"].structure < 0.2


def test_separate_blocks_have_all_the_structure_there_can_be():
    blocks = sparse.csr_array(np.kron(np.eye(5), np.ones((12, 12))))
    assert judge_views({"blocks": blocks}, np.ones((60, 1), bool))["blocks"].structure == (
        pytest.approx(1.0, abs=1e-6)
    )


def test_the_second_eigenvalue_is_that_of_the_whole_matrix():
    gram = KNNGraph(10).gram(noise())
    pattern = (gram.toarray() != 0).astype(float)
    roots = np.sqrt(pattern.sum(axis=1))
    second = np.linalg.eigvalsh(pattern / np.outer(roots, roots))[-2]
    at_random = 2 / np.sqrt(pattern.sum() / 150)
    found = judge_views({"noise": gram}, np.ones((150, 1), bool))["noise"].structure
    assert found == pytest.approx((second - at_random) / (1 - at_random), abs=1e-3)


def test_noise_of_few_features_is_told_by_the_views_that_agree():
    views = {"one": groups(), "two": groups(seed=5), "noise": noise(n_features=2)}
    found = judged(views)
    assert found["noise"].structure > 0.5  # neighbours on a plane are no random graph
    assert empty(found) == ["noise"]


def test_noise_of_few_features_is_told_wherever_it_falls():
    views = {"one": groups(400, 6), "two": groups(400, 6, seed=5), "three": groups(400, 6, seed=6)}
    missed = [
        (n_features, seed)
        for n_features in (1, 2, 5)
        for seed in range(10, 30)
        if "noise" not in empty(judged({**views, "noise": noise(400, n_features, seed)}))
    ]
    assert missed == []


def test_a_shuffled_view_is_told_though_some_objects_have_many_neighbours():
    rows = groups(300, 6) * np.random.default_rng(3).lognormal(0, 1.5, size=(300, 1))
    order = np.random.default_rng(4).permutation(300)
    found = judged({"one": groups(300, 6), "two": groups(300, 6, seed=5), "shuffled": rows[order]})
    assert empty(found) == ["shuffled"]


def test_chance_is_that_of_all_orders_of_the_objects():
    one, other = (
        neighbour_graph(KNNGraph(4).gram(rows), np.arange(60), 60)[0]
        for rows in (groups(60), noise(60, 3))
    )
    everyone = np.arange(60)
    lift, error = edge_lift(one, everyone, other, everyone)
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(4000):
        order = rng.permutation(60)
        drawn.append(float(one.multiply(other[order][:, order]).sum()))
    assert float(one.multiply(other).sum()) / lift == pytest.approx(np.mean(drawn), rel=0.02)
    assert error == pytest.approx(np.std(drawn) / np.mean(drawn), rel=0.05)


def test_two_views_that_share_nothing_are_both_kept():
    assert empty(judged({"groups": groups(), "plane": noise(n_features=2)})) == []


@pytest.mark.parametrize("n_objects", [30, 150])  # of the fewer the structure is not told
def test_a_constant_matrix_looks_empty_however_it_is_rounded(n_objects):
    rounded = 1 + 1e-13 * groups(n_objects) @ groups(n_objects).T  # would show the groups
    grams = {"groups": groups(n_objects) @ groups(n_objects).T, "constant": rounded}
    assert empty(judge_views(grams, np.ones((n_objects, 2), bool))) == ["constant"]


@pytest.mark.parametrize("as_kind", [np.asarray, sparse.csr_array])
def test_a_constant_view_looks_empty_whatever_neighbours_it_has(as_kind):
    rounded = np.array([0.1, 0, 3]) * (1 + 1e-13 * groups())
    views = Views({"groups": groups(), "constant": as_kind(rounded)})
    assert constant_views(views) == ["constant"]
    assert empty(structure_of(views)) == ["constant"]


def test_a_view_that_joins_nobody_looks_empty():
    grams = {"groups": KNNGraph(10).gram(groups()), "nobody": sparse.csr_array((150, 150))}
    assert empty(judge_views(grams, np.ones((150, 2), bool))) == ["nobody"]


@pytest.mark.parametrize("kind", ["dense", "low rank"])
def test_dense_and_low_rank_similarities_are_judged_by_their_largest(kind):
    grams = {}
    for name, X in {"groups": groups(), "noise": noise()}.items():
        rows = X / np.linalg.norm(X, axis=1, keepdims=True)
        grams[name] = rows @ rows.T if kind == "dense" else LowRank(rows, rows)
    assert empty(judge_views(grams, np.ones((150, 2), bool))) == ["noise"]


def test_views_with_gaps_are_judged_by_what_they_show():
    rng = np.random.default_rng(0)
    views = {"one": groups(240), "two": groups(240, seed=5), "noise": noise(240)}
    found = judged(views, rng.random((240, 3)) > 0.3)
    assert empty(found) == ["noise"]
    assert found["one"].confirmed > 2


def test_graphs_of_nearly_all_pairs_confirm_and_deny_nothing():
    rng = np.random.default_rng(0)
    dense = [sparse.csr_array((rng.random((30, 30)) < 0.8).astype(float)) for _ in range(2)]
    assert np.isnan(edge_lift(dense[0], np.arange(30), dense[1], np.arange(30))).all()


def test_of_few_objects_nothing_is_told():
    assert np.isnan(judged({"few": noise(20)})["few"].structure)


def test_where_all_look_empty_all_count():
    found = judged({"one": noise(seed=2), "two": noise(seed=3)})
    assert empty(found) == ["one", "two"]
    assert auto_view_weights(found) == {"one": 1.0, "two": 1.0}
