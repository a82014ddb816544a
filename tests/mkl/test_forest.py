"""The forest over K-examples: its trees, its votes, and the similarity they make."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from manyviews import Views
from manyviews.mkl import KernelLibrary
from manyviews.mkl.forest import bin_numbers, choose_cuts, fit_forest
from manyviews.mkl.forest_kernels import (
    best_split,
    count_votes,
    divide,
    feature_gain,
    grow_tree,
    packed_nodes,
)
from manyviews.similarity import RBF, Linear


def n_log_n(most):
    sizes = np.arange(most + 1.0)
    return sizes * np.log(np.maximum(sizes, 1.0))


def entropy(labels):
    shares = np.bincount(labels, minlength=2) / max(len(labels), 1)
    return -sum(share * np.log(share) for share in shares if share > 0)


def a_problem(n_rows=400, n_features=12, seed=0, noise=0.3):
    """Positive where two features have the same sign, which no linear rule tells."""
    rng = np.random.default_rng(seed)
    examples = rng.standard_normal((n_rows, n_features))
    signs = np.where(examples[:, 0] * examples[:, 1] > 0, 1, -1)
    return examples + noise * rng.standard_normal(examples.shape), signs


def walk(tree, row):
    """One row down a tree as it was grown, step by step."""
    features, cuts, rights = tree
    node = 0
    while features[node] >= 0:
        node = rights[node] if row[features[node]] > cuts[node] else node + 1
    return cuts[node]


@pytest.fixture(scope="module")
def grown():
    examples, signs = a_problem()
    codes = bin_numbers(examples, choose_cuts(examples))
    positive = (signs > 0).astype(np.uint8)
    rng = np.random.default_rng(1)
    gains = np.zeros(12)
    trees = []
    for _ in range(5):
        rows = np.sort(rng.integers(400, size=400))
        columns = np.ascontiguousarray(codes.T)
        tree = grow_tree(columns, positive, rows.copy(), 10, 3, n_log_n(400), gains, rng)
        trees.append((rows, tree))
    return codes, positive, trees


# -- bins


def test_few_values_are_cut_between_any_two_and_a_constant_nowhere():
    cuts = choose_cuts(np.array([[1.0, 7.0], [3.0, 7.0], [3.0, 7.0], [10.0, 7.0]]))
    assert cuts[:, :3].tolist() == [[2.0, 6.5, np.inf], [np.inf] * 3]
    asked = np.array([[0.0, 1.0], [2.0, 7.0], [2.1, 9.0], [99.0, 7.0]])
    assert bin_numbers(asked, cuts).tolist() == [[0, 0], [0, 0], [1, 0], [2, 0]]


def test_many_values_fall_into_bins_of_equal_size():
    values = np.random.default_rng(0).standard_cauchy((20_000, 1))
    cuts = choose_cuts(values)
    assert np.isfinite(cuts).all()
    counts = np.bincount(bin_numbers(values, cuts).ravel(), minlength=256)
    assert counts.min() > 70
    assert counts.max() < 90


def test_codes_are_what_searchsorted_finds():
    rng = np.random.default_rng(0)
    cuts = choose_cuts(rng.standard_normal((3000, 2)))
    asked = np.concatenate([rng.standard_normal((500, 2)), cuts.T])
    for feature in range(2):
        expected = np.searchsorted(cuts[feature], asked[:, feature], side="left")
        assert bin_numbers(asked, cuts)[:, feature].tolist() == expected.tolist()


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=20)
def test_rounding_never_moves_a_value_into_another_bin(seed):
    rng = np.random.default_rng(seed)
    values = rng.choice(rng.standard_normal(40), (600, 1)) * 10.0 ** rng.integers(-3, 4)
    noisy = values * (1 + 1e-9 * rng.standard_normal(values.shape))
    cuts = choose_cuts(noisy)
    assert np.isfinite(cuts).sum() <= 39
    assert (bin_numbers(values, cuts) == bin_numbers(noisy, cuts)).all()


# -- one tree


@given(st.integers(0, 10_000), st.integers(6, 60), st.integers(2, 256))
@settings(deadline=None, max_examples=30)
def test_the_best_cut_of_a_feature_is_that_of_brute_force(seed, n_rows, n_codes):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_codes, size=n_rows).astype(np.uint8)
    positive = rng.integers(0, 2, size=n_rows).astype(np.uint8)
    rows = rng.permutation(n_rows)[: rng.integers(6, n_rows + 1)]
    counts = np.zeros(256, dtype=np.int64)
    gain, cut = feature_gain(
        codes, positive, rows, int(positive[rows].sum()), 3, n_log_n(n_rows), counts
    )
    assert not counts.any()
    here, labels = codes[rows], positive[rows]
    expected = {}
    for limit in range(n_codes):
        left = here <= limit
        if left.sum() >= 3 and (~left).sum() >= 3:
            inside = left.sum() * entropy(labels[left]) + (~left).sum() * entropy(labels[~left])
            expected[limit] = len(rows) * entropy(labels) - inside
    if cut < 0:
        assert max(expected.values(), default=0.0) < 1e-9
    else:
        assert gain == pytest.approx(expected[cut], abs=1e-9)
        assert gain == pytest.approx(max(expected.values()), abs=1e-9)


def test_a_split_looks_further_where_the_features_drawn_are_constant():
    codes = np.zeros((50, 10), dtype=np.uint8)
    codes[31, 5:] = 1
    positive = (codes[31] > 0).astype(np.uint8)
    for seed in range(5):
        found = best_split(
            codes,
            positive,
            np.arange(10),
            5,
            10,
            3,
            n_log_n(10),
            np.zeros(256, dtype=np.int64),
            np.arange(50),
            np.random.default_rng(seed),
        )
        assert found[1:] == (31, 0)


def test_rows_are_divided_at_a_cut():
    codes = np.array([3, 1, 2, 0, 5], dtype=np.uint8)
    rows = np.array([0, 1, 1, 2, 3, 4])
    assert divide(codes, rows, 2) == 4
    assert sorted(rows[:4]) == [1, 1, 2, 3]
    assert sorted(rows[4:]) == [0, 4]


def test_leaves_have_three_rows_or_more_and_vote_by_majority(grown):
    codes, positive, trees = grown
    for rows, tree in trees:
        features, cuts, rights = tree
        leaves = np.zeros(len(features), dtype=int)
        positives = np.zeros(len(features), dtype=int)
        for row in rows:
            node = 0
            while features[node] >= 0:
                right = codes[row, features[node]] > cuts[node]
                node = rights[node] if right else node + 1
            leaves[node] += 1
            positives[node] += positive[row]
        reached = leaves > 0
        assert (reached == (features < 0)).all()
        assert leaves[reached].min() >= 3
        assert (cuts[reached] == (2 * positives[reached] > leaves[reached])).all()


def test_packing_makes_trees_smaller_and_keeps_their_votes(grown):
    codes, _, trees = grown
    asked = np.random.default_rng(3).integers(0, 256, size=(300, 12)).astype(np.uint8)
    asked = np.concatenate([asked, codes])
    expected = np.zeros(len(asked), dtype=int)
    packed = []
    for _, tree in trees:
        expected += [walk(tree, row) for row in asked]
        packed.append(packed_nodes(*(part.copy() for part in tree)))
        assert len(packed[-1]) < len(tree[0])
    roots = np.cumsum([0, *map(len, packed[:-1])])
    votes = count_votes(asked, np.concatenate(packed), roots)
    assert votes.tolist() == expected.tolist()


# -- the forest


def votes_of_scikit_learn(examples, signs, new, seed):
    forest = RandomForestClassifier(
        60, criterion="entropy", min_samples_leaf=3, max_features=10, random_state=seed
    ).fit(examples, signs)
    return np.mean([tree.predict(new) for tree in forest.estimators_], axis=0)


def test_it_is_as_near_to_a_forest_of_scikit_learn_as_another_of_these():
    examples, signs = a_problem(600, noise=0.2)
    new, truth = a_problem(600, seed=1, noise=0.2)
    ours = fit_forest(examples, signs, n_trees=60, random_state=0).similarities(new)
    theirs, other = (votes_of_scikit_learn(examples, signs, new, seed) for seed in (0, 1))
    mine, reference = (np.mean((votes > 0.5) == (truth > 0)) for votes in (ours, theirs))
    assert reference > 0.75
    assert abs(mine - reference) < 0.03
    distance = np.sqrt(np.mean((ours - theirs) ** 2))
    assert distance < 1.3 * np.sqrt(np.mean((other - theirs) ** 2))


def test_what_matters_has_the_largest_importance():
    examples, signs = a_problem(1000, noise=0.0)
    forest = fit_forest(examples, signs, n_trees=30, random_state=0)
    assert forest.importances.sum() == pytest.approx(1.0)
    assert set(np.argsort(forest.importances)[-2:]) == {0, 1}
    assert forest.importances[:2].sum() > 0.6


def test_the_seed_decides():
    examples, signs = a_problem(200)
    one, same, other = (
        fit_forest(examples, signs, n_trees=10, random_state=seed).votes(examples)
        for seed in (0, 0, 1)
    )
    assert (one == same).all()
    assert (one != other).any()


def test_pairs_of_one_kind_are_all_alike():
    examples, _ = a_problem(30)
    forest = fit_forest(examples, np.ones(30, dtype=int), n_trees=5, random_state=0)
    assert (forest.similarities(examples) == 1.0).all()
    assert not forest.importances.any()


def test_single_precision_gives_the_same_votes():
    examples, signs = a_problem(300)
    single = examples.astype(np.float32)
    exact = fit_forest(single.astype(np.float64), signs, n_trees=20, random_state=0)
    assert (
        fit_forest(single, signs, n_trees=20, random_state=0).votes(single)
        == exact.votes(single.astype(np.float64))
    ).all()


@pytest.fixture(scope="module")
def library():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    views = Views(
        {"a": rng.standard_normal((40, 2)) + 2 * y[:, None], "b": rng.standard_normal((40, 3))}
    )
    return KernelLibrary([RBF(0.5), Linear()]), views, y


def test_the_similarity_of_training_objects_is_symmetric_and_that_of_their_pairs(
    library, monkeypatch
):
    spec, views, y = library
    kernels = spec.fitted(views)
    left, right = np.triu_indices(40)
    signs = np.where(y[left] == y[right], 1, -1)
    forest = fit_forest(kernels.pairs(left, right), signs, n_trees=25, random_state=0)
    whole = forest.gram(kernels)
    monkeypatch.setattr("manyviews.mkl.forest.BLOCK_ENTRIES", 7 * 40 * 4)  # blocks of seven rows
    for found in (whole, forest.gram(kernels)):
        assert (found == found.T).all()
        expected = forest.similarities(kernels.pairs(left, right))
        assert found[left, right].tolist() == expected.tolist()
    assert whole[y == 0][:, y == 0].mean() > whole[y == 0][:, y == 1].mean() + 0.5


def test_new_objects_are_compared_in_blocks(library, monkeypatch):
    spec, views, y = library
    kernels = spec.fitted(views[:30])
    left, right = np.triu_indices(30)
    signs = np.where(y[left] == y[right], 1, -1)
    forest = fit_forest(kernels.pairs(left, right), signs, n_trees=25, random_state=0)
    new = kernels.new(views[30:])
    whole = forest.gram(new)
    assert whole.shape == (10, 30)
    monkeypatch.setattr("manyviews.mkl.forest.BLOCK_ENTRIES", 3 * 30 * 4)
    assert (forest.gram(kernels.new(views[30:])) == whole).all()
    assert (forest.gram(kernels.new(views[:30])) == forest.gram(kernels)).all()


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        (np.ones((0, 2)), "there are no pairs"),
        (np.broadcast_to(1.0, (1, 70_000)), "takes up to 65536 kernels"),
    ],
)
def test_what_no_forest_grows_on(examples, message):
    with pytest.raises(ValueError, match=message):
        fit_forest(examples, np.ones(len(examples)), n_trees=5)
