"""HybridTree: the goodness by hand, the tree against plain references, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.cluster import hierarchy
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from manyviews import Views
from manyviews.cluster import HybridTree
from manyviews.cluster.trees import hybrid_tree
from manyviews.cluster.trees._shared import mean_rows, root_shares
from manyviews.cluster.trees.bregman_ward import Part, agglomerate, cut_tree
from manyviews.cluster.trees.hybrid_tree import (
    condensed,
    cut_by_columns,
    find_split,
    margin,
    two_means,
)
from manyviews.exceptions import ViewsWarning
from manyviews.maths import (
    BinaryRelativeEntropy,
    CustomDivergence,
    GeneralizedKL,
    ItakuraSaito,
    Mahalanobis,
    SquaredEuclidean,
    cluster_cost,
    merge_cost,
)

POSITIVE = [GeneralizedKL(), ItakuraSaito(), SquaredEuclidean(), BinaryRelativeEntropy()]
SUM = 2 * GeneralizedKL() + 0.5 * SquaredEuclidean()
CUBE = CustomDivergence(phi=lambda X: (X**3).sum(axis=1), gradient=lambda X: 3 * X**2)
few = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 10_000)


def shares(n, width, seed):
    return np.random.default_rng(seed).dirichlet(np.full(width, 2.0), size=n)


def two_views(n, seed, *, gaps=0.0):
    rng = np.random.default_rng(seed)
    views = {"sound": rng.normal(size=(n, 3)), "context": shares(n, 4, seed + 1)}
    observed = rng.random((n, 2)) >= gaps
    observed[~observed.any(axis=1), 0] = True
    return Views(views, observed=observed)


DIVERGENCES = {"sound": SquaredEuclidean(), "context": GeneralizedKL()}


def tree_of(views, **options):
    return HybridTree(DIVERGENCES, **options).fit(views).tree_


def greedy_halves(X, sizes, divergence):
    """Merge the pair of the lowest cost by definition, all pairs looked at every time."""
    clusters = [([row], X[row], sizes[row]) for row in range(len(X))]
    while len(clusters) > 2:
        pairs = [(i, j) for j in range(len(clusters)) for i in range(j)]
        costs = [
            float(merge_cost(divergence, *clusters[i][1:], *clusters[j][1:])) for i, j in pairs
        ]
        i, j = pairs[int(np.argmin(costs))]
        (rows, mean, size), (more, other, extra) = clusters[i], clusters.pop(j)
        both = (mean * size + other * extra) / (size + extra)
        clusters[i] = (rows + more, both, size + extra)
    second = np.zeros(len(X), dtype=bool)
    second[next(rows for rows, _, _ in clusters if 0 not in rows)] = True
    return second


def top_of_ward(X, sizes, divergence):
    return cut_tree(agglomerate([Part(X, sizes, divergence)])[0], 2) == 1


def members(tree):
    """Rows of every node, from the leaves up."""
    found = {node: np.flatnonzero(tree.leaf_of == node) for node in set(tree.leaf_of.tolist())}
    for split in reversed(range(tree.n_splits)):
        halves = found[2 * split + 1], found[2 * split + 2]
        found[int(tree.split_nodes[split])] = np.sort(np.concatenate(halves))
    return found


# -- the split of one node -------------------------------------------------------------------------


@pytest.mark.parametrize("divergence", [*POSITIVE, SUM, CUBE, Mahalanobis(np.diag([4.0, 1, 1, 9]))])
@pytest.mark.parametrize("seed", range(4))
def test_the_top_of_ward_is_that_of_plain_greedy_merging(divergence, seed):
    X = shares(14, 4, seed)
    sizes = np.random.default_rng(seed).integers(1, 5, size=14).astype(float)
    found = top_of_ward(X, sizes, divergence)
    assert_array_equal(found, greedy_halves(X, sizes, divergence))


def test_zeros_are_merged_like_any_counts():
    X = np.random.default_rng(0).poisson(0.7, size=(12, 5)).astype(float)
    found = top_of_ward(X, np.ones(12), GeneralizedKL())
    assert_array_equal(found, greedy_halves(X, np.ones(12), GeneralizedKL()))


def test_the_goodness_of_a_split_by_hand():
    split = find_split(
        np.array([[0.0], [2.0], [10.0]]), SquaredEuclidean(), condense=9, refine=True
    )
    assert_array_equal(split.second, [False, False, True])
    assert split.before == pytest.approx(56.0)  # mean 4: 16 + 4 + 36
    assert split.after == pytest.approx(2.0)
    assert HybridTree().fit([[0.0], [2.0], [10.0]]).tree_.goodness[0] == pytest.approx(28.0)


def test_three_clusters_are_not_cut_through():
    """Figure 1: k-means may divide the middle one of three clusters, Ward's method does not."""
    rng = np.random.default_rng(0)
    places = np.repeat([0.0, 10.0, 21.0], 30)
    split = find_split(
        (places + rng.normal(size=90))[:, None], SquaredEuclidean(), condense=256, refine=True
    )
    assert_array_equal(split.second, places == 21.0)


@few
@given(seed=seeds, which=st.integers(0, len(POSITIVE) - 1))
def test_moving_to_the_nearer_mean_never_costs(seed, which):
    X, divergence = shares(30, 3, seed), POSITIVE[which]
    second = np.random.default_rng(seed).random(30) < 0.4
    second[:2] = True, False
    moved, means = two_means(X, second, divergence)

    def cost(halves):
        return cluster_cost(divergence, X[halves]) + cluster_cost(divergence, X[~halves])

    assert 0 < moved.sum() < 30
    assert cost(moved) <= cost(second) * (1 + 1e-12)
    nearer = divergence.between(X, means)
    assert_array_equal(moved, nearer[:, 1] < nearer[:, 0])


@few
@given(seed=seeds, which=st.integers(0, len(POSITIVE) - 1))
def test_the_margin_is_a_difference_of_divergences(seed, which):
    X, divergence = shares(9, 3, seed), POSITIVE[which]
    apart = divergence.between(X, X[:2])
    assert_allclose(margin(X, X[:2], divergence), apart[:, 0] - apart[:, 1], atol=1e-9, rtol=1e-9)


def test_the_margin_at_the_border_of_the_domain():
    means = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    X = np.array([[0.6, 0.4, 0.0], [0.6, 0.0, 0.4], [0.2, 0.4, 0.4]])
    assert_array_equal(np.sign(margin(X, means, GeneralizedKL())), [-1, 1, 0])


def test_condensed_groups_are_tight_and_as_many_as_asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    groups = condensed(X, 40, SquaredEuclidean())
    means, sizes = mean_rows(X, groups, groups.max() + 1)
    assert sizes.sum() == 600
    assert 30 <= len(sizes) <= 40
    within = ((X - means[groups]) ** 2).sum()
    assert within < 0.25 * ((X - X.mean(axis=0)) ** 2).sum()
    assert_allclose(means[groups[0]], X[groups == groups[0]].mean(axis=0))


def test_fewer_kinds_of_rows_than_groups():
    X = np.repeat(np.eye(3), 50, axis=0)
    assert len(np.unique(condensed(X, 20, SquaredEuclidean()))) == 3


@pytest.mark.parametrize("n_groups", [2, 9, 60])
def test_sparse_rows_are_cut_as_dense_ones(n_groups):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 30)) * (rng.random((80, 30)) < 0.1)
    dense, thin = cut_by_columns(X, n_groups), cut_by_columns(sparse.csr_array(X), n_groups)
    assert_array_equal(dense, thin)
    assert len(np.unique(dense)) == n_groups


@pytest.mark.parametrize("condense", [256, 20])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_wide_views_are_split_in_few_columns_as_in_all(monkeypatch, condense, missing):
    rng = np.random.default_rng(4)
    groups = np.arange(60) % 4
    matrices = {}
    for name in "ab":
        often = 0.1 + 0.4 * rng.random((4, 300))[groups]
        cells = rng.random((60, 300)) * (rng.random((60, 300)) < often)
        matrices[name] = sparse.csr_array(cells)
    observed = rng.random((60, 2)) >= missing
    observed[~observed.any(axis=1), 0] = True
    views = Views(matrices, observed=observed)
    widths = []
    monkeypatch.setattr(
        hybrid_tree,
        "agglomerate",
        lambda parts: widths.append(parts[0].matrix.shape[1]) or agglomerate(parts),
    )
    model = HybridTree(n_clusters=4, condense=condense, view_weights=None).fit(views)
    assert max(widths) <= 60
    monkeypatch.setattr(hybrid_tree, "is_wide", lambda *_: False)
    plain = HybridTree(n_clusters=4, condense=condense, view_weights=None).fit(views)
    assert max(widths) == 300
    assert_array_equal(model.tree_.leaf_of, plain.tree_.leaf_of)
    assert_allclose(model.tree_.goodness, plain.tree_.goodness)
    for name, means in plain.tree_.means.items():
        assert_allclose(model.tree_.means[name], means, atol=1e-12)
    assert_array_equal(model.predict(views), model.labels_)


def test_rows_as_near_to_one_mean_as_to_the_other_have_no_margin():
    means = np.array([[0.1, 0.0, 0.0], [0.0, 0.1 + 1e-15, 0.0]])
    third = np.array([[0.0, 0.0, 0.7], [0.0, 0.01, 0.0]])
    found = margin(third, means, SquaredEuclidean())
    assert found[0] == 0
    assert found[1] > 0


def test_condensing_hardly_changes_plain_clusters():
    rng = np.random.default_rng(1)
    groups = rng.integers(5, size=400)
    X = 6 * rng.normal(size=(5, 4))[groups] + rng.normal(size=(400, 4))
    exact = HybridTree(n_clusters=5, condense=400).fit(X).labels_
    condensed_labels = HybridTree(n_clusters=5, condense=40).fit(X).labels_
    assert adjusted_rand_score(exact, groups) > 0.95
    assert adjusted_rand_score(exact, condensed_labels) > 0.95


# -- the tree against references -------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:The number of unique classes")  # of scikit-learn 1.7
@pytest.mark.parametrize("seed", range(3))
def test_with_one_view_and_no_refinement_it_is_wards_tree(seed):
    X = np.random.default_rng(seed).normal(size=(40, 3))
    tree = HybridTree(refine=False).fit(X).tree_
    ward = hierarchy.ward(X)
    unit = np.sqrt(2 * cluster_cost(SquaredEuclidean(), X))
    assert_allclose(tree.to_linkage()[:, 2] * unit, ward[:, 2], rtol=1e-9)
    for n_clusters in range(1, 41):
        expected = hierarchy.cut_tree(ward, n_clusters).ravel()
        assert adjusted_rand_score(tree.labels_at(n_clusters), expected) == 1.0


def bisect(X, rows, divergence):
    """Split recursively, by Ward's method and 2-means; return all nodes as sets of rows."""
    nodes = {frozenset(rows.tolist())}
    if len(rows) < 2:
        return nodes
    second = greedy_halves(X[rows], np.ones(len(rows)), divergence)
    while True:
        means = np.stack([X[rows][~second].mean(axis=0), X[rows][second].mean(axis=0)])
        apart = divergence.between(X[rows], means)
        nearer = apart[:, 1] < apart[:, 0]
        if np.array_equal(nearer, second):
            break
        second = nearer
    return nodes | bisect(X, rows[~second], divergence) | bisect(X, rows[second], divergence)


@pytest.mark.parametrize("divergence", POSITIVE)
def test_with_one_view_it_is_plain_recursive_bisection(divergence):
    X = shares(24, 4, seed=5)
    tree = HybridTree(divergence).fit({"only": X}).tree_
    nodes = {frozenset(rows.tolist()) for rows in members(tree).values()}
    assert nodes == bisect(X, np.arange(24), divergence)


def test_every_split_is_made_by_the_best_view():
    views = two_views(30, seed=3)
    tree = tree_of(views)
    rows_of = members(tree)
    wholes = {
        name: cluster_cost(divergence, views[name]) for name, divergence in DIVERGENCES.items()
    }
    for split, node in enumerate(tree.split_nodes):
        found = {}
        for name, divergence in DIVERGENCES.items():
            halves = find_split(views[name][rows_of[node]], divergence, condense=99, refine=True)
            ratio = halves.before / halves.after if halves.after > 0 else np.inf
            found[name] = ratio, halves.before / wholes[name], halves
        best = max(found, key=lambda name: found[name][:2])
        assert tree.view_names[tree.split_views[split]] == best
        assert tree.goodness[split] == pytest.approx(found[best][0])
        halves = found[best][2]
        assert tree.gains[split] == pytest.approx((halves.before - halves.after) / wholes[best])


def test_views_that_tell_different_stories_split_in_turn():
    """Four groups: one view knows left from right, the other up from down."""
    rng = np.random.default_rng(0)
    group = rng.permutation(np.repeat(np.arange(4), 25))
    across = 8.0 * (group % 2)[:, None] + rng.normal(size=(100, 2))
    down = 50.0 * (group // 2)[:, None] + 10 * rng.normal(size=(100, 2))
    model = HybridTree(n_clusters=4).fit({"across": across, "down": down})
    assert adjusted_rand_score(group, model.labels_) == 1.0
    assert_array_equal(model.split_views_[:3], ["across", "down", "down"])


# -- laws ------------------------------------------------------------------------------------------


@few
@given(seed=seeds, gaps=st.sampled_from([0.0, 0.3]), n=st.integers(2, 25))
def test_laws_of_the_tree(seed, gaps, n):
    views = two_views(n, seed, gaps=gaps)
    model = HybridTree(DIVERGENCES).fit(views)
    tree = model.tree_
    assert (tree.goodness >= 1).all()
    assert ((tree.gains > 0) & (tree.gains <= 1 + 1e-12)).all()
    assert ((tree.similarities >= 0) & (tree.similarities <= 1)).all()
    assert tree.sizes[0] == n
    assert_array_equal(tree.sizes[tree.split_nodes], tree.sizes[1::2] + tree.sizes[2::2])
    for n_clusters in range(1, tree.n_leaves + 1):
        labels = tree.labels_at(n_clusters)
        assert_array_equal(np.unique(labels), np.arange(n_clusters))
        if n_clusters > 1:
            before = tree.labels_at(n_clusters - 1)
            changed = labels != before
            assert (labels[changed] == n_clusters - 1).all()
            assert len(np.unique(before[changed])) == 1
    assert_array_equal(model.predict(views), model.labels_)
    assert_array_equal(model.apply(views), tree.leaf_of)


@few
@given(seed=seeds)
def test_gains_add_up_to_the_cost_that_is_gone(seed):
    """With one view: whole cost = cost of the leaves + all that the splits took away."""
    X = shares(20, 3, seed)
    tree = HybridTree(GeneralizedKL(), max_leaves=6).fit(X).tree_
    leaves = sum(
        cluster_cost(GeneralizedKL(), X[tree.leaf_of == leaf]) for leaf in set(tree.leaf_of)
    )
    whole = cluster_cost(GeneralizedKL(), X)
    assert leaves + whole * tree.gains.sum() == pytest.approx(whole)


@few
@given(seed=seeds, gaps=st.sampled_from([0.0, 0.3]))
def test_order_and_names_mean_nothing(seed, gaps):
    views = two_views(18, seed, gaps=gaps)
    tree = tree_of(views)
    mixed = np.random.default_rng(seed).permutation(18)
    turned = tree_of(views[mixed])
    renamed = HybridTree([GeneralizedKL(), SquaredEuclidean()]).fit(
        Views({"b": views["context"], "a": views["sound"]}, observed=views.observed[:, ::-1])
    )
    assert turned.n_leaves == tree.n_leaves == renamed.tree_.n_leaves
    for n_clusters in range(1, tree.n_leaves + 1):
        labels = tree.labels_at(n_clusters)
        assert adjusted_rand_score(labels[mixed], turned.labels_at(n_clusters)) == 1.0
        assert adjusted_rand_score(labels, renamed.labels_at(n_clusters)) == 1.0


def test_scales_of_views_mean_nothing():
    views = two_views(25, seed=8)
    scaled = {"sound": 1000 * views["sound"], "context": views["context"]}
    assert_array_equal(tree_of(views).leaf_of, tree_of(scaled).leaf_of)


def test_fewer_leaves_are_the_beginning_of_more():
    views = two_views(40, seed=2)
    full, short = tree_of(views), tree_of(views, max_leaves=7)
    assert short.n_leaves == 7
    assert_array_equal(short.split_nodes, full.split_nodes[:6])
    assert_array_equal(short.labels_at(5), full.labels_at(5))


# -- leaving ---------------------------------------------------------------------------------------


def read_newick(text):
    """Parse into (label, length, children)."""
    place = 0

    def name():
        nonlocal place
        if text[place] == "'":
            end = place + 1
            while text[end] != "'" or text[end : end + 2] == "''":
                end += 2 if text[end : end + 2] == "''" else 1
            found, place = text[place + 1 : end].replace("''", "'"), end + 1
            return found
        start = place
        while text[place] not in ",():;":
            place += 1
        return text[start:place]

    def clade():
        nonlocal place
        children = []
        if text[place] == "(":
            while text[place] in "(,":
                place += 1
                children.append(clade())
            assert text[place] == ")"
            place += 1
        label, length = name(), None
        if text[place] == ":":
            place += 1
            length = float(name())
        return label, length, children

    root = clade()
    assert text[place:] == ";"
    return root


@pytest.mark.parametrize("max_leaves", [None, 6])
def test_newick_reads_back(max_leaves):
    views = two_views(15, seed=4)
    tree = tree_of(views, max_leaves=max_leaves)
    names = [f"it's {row}, (a_b)" for row in range(14)] + ["plain"]

    def rows_below(clade, depth=0.0):
        label, length, children = clade
        if not children:
            return [(names.index(label), depth + length)]
        return [each for child in children for each in rows_below(child, depth + (length or 0.0))]

    def check(clade):
        label, _, children = clade
        if children:
            node = frozenset(row for row, _ in rows_below(clade))
            found.add(node)
            if node in splits:
                assert label == splits[node]
            for child in children:
                check(child)

    nodes = members(tree)
    splits = {
        frozenset(nodes[int(node)].tolist()): tree.view_names[view]
        for node, view in zip(tree.split_nodes, tree.split_views, strict=True)
    }
    found: set[frozenset[int]] = set()
    root = read_newick(tree.to_newick(names))
    check(root)
    assert set(splits) <= found
    depths = [depth for _, depth in rows_below(root)]
    assert_allclose(depths, tree.heights[0])  # all objects lie level, at height 0
    assert "plain" in tree.to_newick(names, lengths=False)


def test_newick_needs_a_name_for_each():
    with pytest.raises(ValueError, match="2 entries for 3 objects"):
        HybridTree().fit([[0.0], [1.0], [3.0]]).tree_.to_newick(["a", "b"])


@few
@given(seed=seeds, n=st.integers(2, 20), leaves=st.sampled_from([None, 3]))
def test_the_linkage_is_valid_and_cuts_alike(seed, n, leaves):
    views = two_views(n, seed, gaps=0.2)
    tree = tree_of(views, max_leaves=leaves)
    linkage = tree.to_linkage()
    assert hierarchy.is_valid_linkage(linkage, throw=True)
    assert hierarchy.is_monotonic(linkage)
    assert len(linkage) == len(tree.merge_views) == n - 1
    assert (tree.merge_views[n - tree.n_leaves :] >= 0).all()
    for n_clusters in range(1, tree.n_leaves + 1):
        expected = hierarchy.cut_tree(linkage, n_clusters).ravel()
        assert adjusted_rand_score(tree.labels_at(n_clusters), expected) == 1.0


# -- unobserved views, new objects, and what cannot be split ---------------------------------------


def test_a_view_that_shows_few_objects_cannot_lead():
    """Two objects are split perfectly by any view; that says little of the other eighteen."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 10)
    plain = 9.0 * group[:, None] + rng.normal(size=(20, 1))
    rare = np.full((20, 1), np.nan)
    rare[:2] = [[0.0], [1.0]]
    model = HybridTree(n_clusters=2).fit({"rare": rare, "plain": plain})
    assert model.split_views_[0] == "plain"
    assert adjusted_rand_score(group, model.labels_) == 1.0
    assert model.tree_.goodness[0] > 1


def test_objects_follow_the_views_they_have():
    rng = np.random.default_rng(0)
    group = np.arange(40) % 2
    clear = 20.0 * group[:, None] + rng.normal(size=(40, 1))
    dim = 4.0 * group[:, None] + rng.normal(size=(40, 1))
    clear[:6] = np.nan
    model = HybridTree(n_clusters=2).fit({"clear": clear, "dim": dim})
    assert model.split_views_[0] == "clear"
    assert adjusted_rand_score(group, model.labels_) == 1.0
    only_dim = model.predict({"clear": None, "dim": [[-0.5], [5.0]]})
    assert_array_equal(only_dim, [model.labels_[0], model.labels_[1]])


def test_objects_that_no_view_compares_stay_together():
    views = Views({"a": [[1.0], None], "b": [None, [2.0]]})
    tree = HybridTree().fit(views).tree_
    assert tree.n_leaves == 1
    assert_array_equal(tree.labels_at(1), [0, 0])
    assert hierarchy.is_valid_linkage(tree.to_linkage())


def test_objects_that_are_alike_share_a_leaf():
    X = [[0.0], [1.0], [0.0], [1.0], [5.0]]
    model = HybridTree().fit(X)
    assert_array_equal(model.labels_at(3), [0, 2, 0, 2, 1])
    assert model.tree_.to_newick("abcde", lengths=False) == "(((a,c),(b,d))view0,e)view0;"
    with pytest.raises(ValueError, match="has 3 leaves"):
        model.labels_at(4)
    for wrong in (0, 2.5, np.nan, "two", np.ones((3, 3))):
        with pytest.raises(ValueError, match=r"^n_clusters=.* an integer of at least 1\.$"):
            model.labels_at(wrong)
    with pytest.raises(ValueError, match="has 3 leaves"):
        HybridTree(n_clusters=4).fit(X)


def test_the_number_of_clusters_is_where_the_gain_drops():
    rng = np.random.default_rng(0)
    group = np.arange(80) % 4
    X = 20.0 * np.eye(4)[group] + rng.normal(size=(80, 4))
    model = HybridTree(view_weights=None).fit({"a": X, "b": rng.normal(size=(80, 30))})
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(group, model.labels_) == 1.0
    assert HybridTree().fit([[1.0], [1.0]]).n_clusters_ == 1


def test_sparse_views_are_taken_as_they_are_meant():
    views = two_views(20, seed=1, gaps=0.3)
    thin = {name: sparse.csr_array(np.nan_to_num(matrix)) for name, matrix in views.items()}
    expected = HybridTree({"sound": Mahalanobis(), "context": ItakuraSaito()}, n_clusters=5)
    found = clone(expected).fit(Views(thin, observed=views.observed))
    assert_array_equal(found.labels_, expected.fit(views).labels_)
    assert_array_equal(found.predict(Views(thin, observed=views.observed)), found.labels_)


def test_one_object_is_a_leaf():
    tree = HybridTree().fit([[3.0]]).tree_
    assert (tree.n_leaves, tree.to_newick(["x"]), len(tree.to_linkage())) == (1, "x;", 0)


@pytest.mark.parametrize("refine", [True, False])
def test_large_nodes_predict_themselves_too(refine):
    views = two_views(300, seed=6, gaps=0.1)
    model = HybridTree(DIVERGENCES, n_clusters=8, max_leaves=20, condense=30, refine=refine)
    same = model.fit(views).predict(views) == model.labels_
    assert same.all() if refine else same.mean() > 0.5


def test_an_offset_changes_nothing():
    X = np.random.default_rng(0).normal(size=(60, 3))
    near, far = HybridTree().fit(X), HybridTree().fit(X + 1e6)
    for n_clusters in (2, 5, 20):
        same = adjusted_rand_score(near.labels_at(n_clusters), far.labels_at(n_clusters))
        assert same == 1.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0 should be an integer of at least 1"),
        ({"condense": 1}, "condense=1 should be an integer of at least 2"),
        ({"n_clusters": 5, "max_leaves": 3}, "raise max_leaves"),
        ({"divergence": "euclidean"}, "divergence='euclidean' should be a Divergence"),
        ({"divergence": ItakuraSaito()}, "view 'view0' has -1 at row 1"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        HybridTree(**parameters).fit([[1.0], [-1.0], [2.0], [4.0], [7.0]])


def test_new_objects_outside_the_domain_are_refused():
    model = HybridTree(GeneralizedKL()).fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match="zero or more"):
        model.predict([[-1.0]])


def test_it_tells_what_it_does(capsys):
    HybridTree(verbose=2).fit({"a": [[0.0], [1.0], [5.0]]})
    told = capsys.readouterr().out
    assert "view 'a' splits 3 objects into 2 and 1, goodness 28" in told
    assert "SplitTree(3 objects, 3 leaves; splits by 'a' 2)" in told


@few
@given(seed=seeds, rate=st.sampled_from([0.3, 2.0]))
def test_counts_with_zeros_predict_themselves(seed, rate):
    counts = np.random.default_rng(seed).poisson(rate, size=(25, 4)).astype(float)
    flags = counts[:, ::-1] > 0
    model = HybridTree([GeneralizedKL(), BinaryRelativeEntropy()]).fit([counts, flags])
    assert_array_equal(model.apply([counts, flags]), model.tree_.leaf_of)
    kinds = len(np.unique(counts, axis=0))
    assert model.tree_.n_leaves == kinds


def test_views_of_mostly_zeros_are_compared_by_the_roots_of_their_shares():
    rng = np.random.default_rng(0)
    words = rng.poisson(0.2, size=(40, 30)) * rng.choice([1.0, 40.0], size=(40, 1))
    views = {"words": words, "sound": rng.normal(size=(40, 3))}
    model = HybridTree(n_clusters=6, view_weights=None).fit(views)
    assert model.rooted_views_ == ("words",)
    by_hand = {**views, "words": root_shares(words)}
    squared = HybridTree(SquaredEuclidean(), n_clusters=6, view_weights=None)
    assert_array_equal(model.labels_, squared.fit(by_hand).labels_)
    assert not np.array_equal(model.labels_, squared.fit(views).labels_)
    assert_array_equal(model.predict(views), model.labels_)


def test_a_view_of_noise_splits_nothing_and_is_named():
    rng = np.random.default_rng(0)
    X = 3.0 * np.eye(3)[np.arange(90) % 3] + rng.normal(size=(90, 3))
    views = {"points": X, "noise": rng.normal(size=(90, 50))}
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty of structure") as caught:
        model = HybridTree(n_clusters=3).fit(views)
    assert caught[0].filename == __file__
    assert set(model.split_views_) == {"points"}
    assert_array_equal(model.predict(views), model.labels_)
    assert_array_equal(model.labels_, HybridTree(n_clusters=3).fit({"points": X}).labels_)


def test_a_tree_of_minutes_is_announced_unless_it_has_few_leaves(monkeypatch):
    monkeypatch.setattr(hybrid_tree, "LONG", 1)
    X = np.arange(24.0).reshape(6, 4) ** 2
    said = "^HybridTree grows a whole tree of 6 objects in 8 columns, which takes minutes; "
    with pytest.warns(UserWarning, match=said):
        HybridTree().fit([X, X])
    HybridTree(n_clusters=2, max_leaves=2).fit([X, X])
