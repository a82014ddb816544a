"""BregmanWard: equal to SciPy's Ward, equal to brute force, and sound where views are missing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster import hierarchy
from sklearn.metrics import adjusted_rand_score

from manyviews import Views
from manyviews.cluster import (
    BinaryRelativeEntropy,
    BregmanWard,
    CustomDivergence,
    GeneralizedKL,
    ItakuraSaito,
    Mahalanobis,
    SquaredEuclidean,
)
from manyviews.cluster.trees import bregman_ward
from manyviews.cluster.trees._shared import root_shares
from manyviews.cluster.trees.bregman_ward import (
    Part,
    agglomerate,
    agglomerate_in_numpy,
    compiled_clusters,
)
from manyviews.exceptions import UnobservedViewsError, ViewsWarning
from manyviews.maths import cluster_cost, merge_cost

OWN_KL = CustomDivergence(phi=GeneralizedKL().phi, gradient=GeneralizedKL().gradient)
DIVERGENCES = {
    "squared": SquaredEuclidean(),
    "kl": GeneralizedKL(),
    "itakura-saito": ItakuraSaito(),
    "mahalanobis": Mahalanobis(np.diag([1.0, 4.0, 9.0]) + 0.5),
    "binary": BinaryRelativeEntropy(),
    "sum": 0.5 * GeneralizedKL() + SquaredEuclidean(),
    "own": OWN_KL,
}
every_divergence = pytest.mark.parametrize("name", DIVERGENCES)
laws = settings(deadline=None, max_examples=10)
seeds = st.integers(0, 10_000)


def draw(rng, n_objects, n_features=3):
    """Values in (0, 1), many near its ends, where entropies are steep."""
    return np.clip(rng.beta(0.4, 0.4, size=(n_objects, n_features)), 1e-4, 1 - 1e-4)


def partition_cost(parts, rows):
    return sum(
        part.weight * cluster_cost(part.divergence, part.matrix[[r for r in rows if part.sizes[r]]])
        for part in parts
    )


def brute_force(parts):
    """Try all pairs at every step, with costs by definition."""
    groups = {row: [row] for row in range(len(parts[0].matrix))}
    children, costs, node = [], [], len(groups)
    while len(groups) > 1:
        rises = {}
        for one in groups:
            for other in groups:
                if one < other:
                    apart = partition_cost(parts, groups[one]) + partition_cost(
                        parts, groups[other]
                    )
                    rise = partition_cost(parts, groups[one] + groups[other]) - apart
                    shared = any(
                        part.sizes[groups[one]].any() and part.sizes[groups[other]].any()
                        for part in parts
                    )
                    rises[one, other] = rise if shared else np.inf
        pair = min(rises, key=rises.__getitem__)
        children.append(pair)
        costs.append(rises[pair])
        groups[node] = groups.pop(pair[0]) + groups.pop(pair[1])
        node += 1
    return np.array(children), np.array(costs)


def with_gaps(rng, n_objects):
    """Who is observed in each of two views; every object is in one at least."""
    first = rng.random(n_objects) < 0.7
    second = (rng.random(n_objects) < 0.7) | ~first
    first[0] = second[0] = True
    return first, second


# -- SciPy's Ward ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (60, 1), (150, 4), (700, 20)])
@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_squared_distances_give_scipys_ward(shape, shift):
    X = np.random.default_rng(0).normal(size=shape) + shift
    found, expected = BregmanWard().fit(X).linkage_, hierarchy.ward(X)
    np.testing.assert_array_equal(found[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(found[:, 2], expected[:, 2], rtol=1e-9 if shift == 0 else 1e-6)


def test_views_under_one_divergence_are_their_concatenation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 7))
    parts = {"a": X[:, :3], "b": X[:, 3:4], "c": X[:, 4:]}
    np.testing.assert_allclose(
        BregmanWard(view_weights=None).fit(parts).linkage_, hierarchy.ward(X)
    )
    weighted = np.hstack([2 * X[:, :3], X[:, 3:4], 3 * X[:, 4:]])
    model = BregmanWard(view_weights={"a": 4, "b": 1, "c": 9}).fit(parts)
    np.testing.assert_allclose(model.linkage_, hierarchy.ward(weighted))


def test_mahalanobis_is_ward_on_whitened_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))
    values, vectors = np.linalg.eigh(np.cov(X.T))
    found = BregmanWard(Mahalanobis()).fit(X).linkage_
    np.testing.assert_allclose(found, hierarchy.ward(X @ vectors / np.sqrt(values)), rtol=1e-8)


def test_equal_rows_merge_for_nothing():
    rng = np.random.default_rng(0)
    distinct = rng.gamma(1.0, size=(4, 3))
    X = np.repeat(distinct, 5, axis=0)
    for divergence in (SquaredEuclidean(), GeneralizedKL(), ItakuraSaito(), OWN_KL):
        model = BregmanWard(divergence).fit(X)
        assert (model.merge_costs_[:16] == 0).all()
        assert (model.merge_costs_[16:] > 0).all()
        assert model.n_clusters_ == 4
        np.testing.assert_array_equal(model.labels_, np.repeat(np.arange(4), 5))


# -- brute force ----------------------------------------------------------------------------------


@every_divergence
@pytest.mark.parametrize("search", [agglomerate, agglomerate_in_numpy])
@pytest.mark.parametrize("gaps", [False, True])
@laws
@given(seed=seeds)
def test_it_is_the_greedy_agglomeration(name, search, gaps, seed):
    rng = np.random.default_rng(seed)
    n_objects = 8
    parts = [Part(draw(rng, n_objects), np.ones(n_objects), DIVERGENCES[name])]
    if gaps:
        first, second = (seen.astype(float) for seen in with_gaps(rng, n_objects))
        parts = [
            Part(parts[0].matrix, first, DIVERGENCES[name], 0.7),
            Part(draw(rng, n_objects, 2), second, GeneralizedKL()),
        ]
    expected, costs = brute_force(parts)
    children, found = search(parts)
    comparable = np.isfinite(costs)  # what is joined for want of anything else is arbitrary
    np.testing.assert_allclose(found, np.where(comparable, costs, 0.0), rtol=1e-8, atol=1e-10)
    np.testing.assert_array_equal(children[comparable], expected[comparable])


@every_divergence
def test_compiled_and_plain_agree_on_many_objects(name):
    rng = np.random.default_rng(1)
    n_objects = 300
    first, second = (seen.astype(float) for seen in with_gaps(rng, n_objects))
    parts = [
        Part(draw(rng, n_objects), first, DIVERGENCES[name], 2.0),
        Part(draw(rng, n_objects, 2), second, ItakuraSaito()),
    ]
    assert (compiled_clusters(parts) is None) == (name == "own")
    compiled, plain = agglomerate(parts), agglomerate_in_numpy(parts)
    np.testing.assert_array_equal(compiled[0], plain[0])
    np.testing.assert_allclose(compiled[1], plain[1], rtol=1e-8, atol=1e-10)


def test_a_users_own_equals_the_known_one():
    X = np.random.default_rng(0).gamma(0.5, size=(80, 4)) + 1e-3
    known, own = BregmanWard(GeneralizedKL()).fit(X), BregmanWard(OWN_KL).fit(X)
    np.testing.assert_allclose(own.linkage_, known.linkage_, rtol=1e-7)


@pytest.mark.parametrize("name", ["squared", "kl", "binary", "itakura-saito"])
@laws
@given(seed=seeds)
def test_the_screening_bound_is_below_the_cost(name, seed):
    from manyviews.cluster.trees import bregman_ward_kernels as kernels

    rng = np.random.default_rng(seed)
    n_objects = 40
    X = np.exp(rng.normal(scale=rng.uniform(0.01, 3), size=(n_objects, 3)))
    X = X / X.max() if name == "binary" else X * 10.0 ** rng.integers(-9, 9)
    sizes = rng.choice([1.0, 2.0, 7.0, 5000.0], size=n_objects)
    clusters = compiled_clusters([Part(X, sizes, DIVERGENCES[name], 0.3)])
    lower, scratch = np.empty(n_objects), np.empty(n_objects, np.float32)
    kernels.lower_bounds(clusters, 0, 0, lower, scratch)
    costs = [kernels.merge_cost(clusters, 0, other, np.inf) for other in range(n_objects)]
    lemma = 0.3 * merge_cost(DIVERGENCES[name], X[0], sizes[0], X, sizes)
    np.testing.assert_allclose(costs, lemma, rtol=1e-8, atol=1e-12 * sizes.max() * X.max())
    assert (lower <= np.array(costs) + 1e-12 * sizes.max() * X.max()).all()
    if name == "squared":
        np.testing.assert_allclose(lower, costs, rtol=1e-3, atol=1e-8 * max(costs))


@pytest.mark.parametrize("name", ["squared", "kl", "binary", "itakura-saito"])
def test_the_screening_bound_allows_for_single_precision(name):
    """Rows that differ by less than the last digits of their largest column tell."""
    from manyviews.cluster.trees import bregman_ward_kernels as kernels

    rng = np.random.default_rng(0)
    X = rng.uniform(0.4, 0.6, size=20) * (1 + 1e-6 * rng.normal(size=(500, 20)))
    X[0], X[1] = 1e-3, 1 - 1e-3
    clusters = compiled_clusters([Part(X, np.ones(500), DIVERGENCES[name])])
    lower, scratch = np.empty(500), np.empty(500, np.float32)
    for slot in range(2, 40):
        kernels.lower_bounds(clusters, slot, 0, lower, scratch)
        costs = [kernels.merge_cost(clusters, slot, other, np.inf) for other in range(500)]
        assert (lower <= np.array(costs) + 1e-14).all()
        assert (lower[:2] > 0.2 * np.array(costs[:2])).all()  # no less than in double precision


@every_divergence
def test_reports_change_nothing(name):
    """They interrupt the search, which then closes the gaps between clusters."""
    rng = np.random.default_rng(2)
    first, second = (seen.astype(float) for seen in with_gaps(rng, 150))
    parts = [
        Part(draw(rng, 150), first, DIVERGENCES[name]),
        Part(draw(rng, 150), second, GeneralizedKL()),
    ]
    said: list[str] = []
    told, silent = agglomerate(parts, said.append), agglomerate(parts)
    assert len(said) == 20
    np.testing.assert_array_equal(told[0], silent[0])
    np.testing.assert_array_equal(told[1], silent[1])


# -- what is not reducible ------------------------------------------------------------------------


def test_a_merge_may_cost_less_than_the_one_before():
    """Three rows that are alike: the union of two is nearer to the third than either was."""
    X = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    model = BregmanWard(GeneralizedKL()).fit(X)
    expected = [2 * np.log(2), 6 * np.log(1.5) - 2 * np.log(2)]
    np.testing.assert_allclose(model.merge_costs_, expected)
    assert expected[1] < expected[0]
    np.testing.assert_allclose(model.linkage_[:, 2], 2 * np.sqrt(np.log(2)))


@every_divergence
def test_heights_never_fall_and_the_costs_add_up(name):
    X = draw(np.random.default_rng(3), 60)
    model = BregmanWard(DIVERGENCES[name]).fit(X)
    assert hierarchy.is_valid_linkage(model.linkage_)
    assert hierarchy.is_monotonic(model.linkage_)
    assert model.merge_costs_.sum() == pytest.approx(cluster_cost(DIVERGENCES[name], X))


def test_missing_views_make_squared_distances_not_reducible_either():
    sizes = np.array([[1, 3], [3, 1], [2, 1]])
    means = np.array([[1.0, -1.0], [-2.0, -4.0], [-3.0, 1.0]])

    def cost(size_a, mean_a, size_b, mean_b):
        return float((size_a * size_b / (size_a + size_b) * (mean_a - mean_b) ** 2).sum())

    first = cost(sizes[0], means[0], sizes[1], means[1])
    to_third = [cost(sizes[i], means[i], sizes[2], means[2]) for i in (0, 1)]
    union = (sizes[:2] * means[:2]).sum(axis=0) / sizes[:2].sum(axis=0)
    assert first < min(to_third)
    assert cost(sizes[:2].sum(axis=0), union, sizes[2], means[2]) < min(to_third)


# -- the tree -------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:The number of unique classes")  # of scikit-learn 1.7
def test_cuts_are_scipys():
    X = np.random.default_rng(0).normal(size=(90, 3))
    model = BregmanWard(n_clusters=4).fit(X)
    for n_clusters in (1, 2, 5, 30, 90):
        expected = hierarchy.fcluster(hierarchy.ward(X), n_clusters, criterion="maxclust")
        found = model.labels_at(n_clusters)
        assert adjusted_rand_score(expected, found) == 1
        assert len(np.unique(found)) == n_clusters
        firsts = np.unique(found, return_index=True)[1]
        assert (np.diff(firsts) > 0).all()
    np.testing.assert_array_equal(model.labels_, model.labels_at(4))


@pytest.mark.parametrize("n_groups", [2, 3, 5])
def test_without_a_number_it_finds_groups_that_are_apart(n_groups):
    rng = np.random.default_rng(0)
    groups = np.arange(100) % n_groups
    rates = 5 + 95 * np.eye(n_groups)[groups]
    model = BregmanWard(GeneralizedKL()).fit(rng.poisson(rates))
    assert model.n_clusters_ == n_groups
    assert adjusted_rand_score(groups, model.labels_) == 1


def test_one_and_two_objects():
    one = BregmanWard().fit([[1.0, 2.0]])
    assert one.linkage_.shape == (0, 4)
    assert one.labels_.tolist() == [0]
    assert one.predict([[5.0, 5.0]]).tolist() == [0]
    two = BregmanWard().fit([[1.0], [3.0]])
    assert two.labels_.tolist() == [0, 1]
    np.testing.assert_allclose(two.linkage_, [[0, 1, 2, 2]])


def test_centres_and_sizes_are_those_of_the_members():
    rng = np.random.default_rng(0)
    views = {"a": rng.random((30, 3)), "b": rng.random((30, 2))}
    views["b"][:4] = np.nan
    model = BregmanWard(n_clusters=3).fit(views)
    for cluster in range(3):
        members = model.labels_ == cluster
        np.testing.assert_allclose(
            model.cluster_centers_["a"][cluster], views["a"][members].mean(axis=0)
        )
        seen = members & (np.arange(30) >= 4)
        assert model.cluster_sizes_["b"][cluster] == seen.sum()
        if seen.any():
            centre = views["b"][seen].mean(axis=0)
            np.testing.assert_allclose(model.cluster_centers_["b"][cluster], centre)


# -- missing views --------------------------------------------------------------------------------


def two_views(rng, n_objects=120, n_groups=3):
    groups = np.arange(n_objects) % n_groups
    counts = rng.poisson(1 + 9 * np.eye(n_groups)[groups])
    points = 4 * np.eye(n_groups)[groups] + rng.normal(size=(n_objects, n_groups))
    return {"words": counts.astype(float), "place": points}, groups


MIXED = {"words": GeneralizedKL(), "place": SquaredEuclidean()}


def test_objects_without_a_common_view_do_not_merge_for_nothing():
    rng = np.random.default_rng(0)
    views, groups = two_views(rng)
    observed = np.ones((120, 2), dtype=bool)
    observed[:40, 0] = observed[40:80, 1] = False
    model = BregmanWard(MIXED, n_clusters=3).fit(Views(views, observed=observed))
    assert adjusted_rand_score(groups, model.labels_) > 0.9
    new, new_groups = two_views(rng)
    hidden = Views(new, observed={"words": np.arange(120) % 2 == 0})
    assert adjusted_rand_score(new_groups, model.predict(hidden)) > 0.85


def test_views_that_nothing_connects_still_make_one_tree():
    X = {"a": [[0.0], [1.0], None, None], "b": [None, None, [5.0], [7.0]]}
    model = BregmanWard(n_clusters=2, view_weights=None).fit(X)
    assert model.labels_.tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(model.merge_costs_, [0.5, 2.0, 0.0])
    assert hierarchy.is_valid_linkage(model.linkage_)
    assert hierarchy.is_monotonic(model.linkage_)
    # each cluster has the mean of all in the view it does not show
    np.testing.assert_allclose(model.cluster_centers_["b"], [[6.0], [6.0]])


# -- new objects ----------------------------------------------------------------------------------


def test_new_objects_go_to_the_nearest_mean_over_the_views_observed():
    rng = np.random.default_rng(0)
    views, _ = two_views(rng)
    model = BregmanWard(MIXED, n_clusters=5, view_weights=[0.3, 2.0]).fit(views)
    new, _ = two_views(rng)
    far = 0.3 * GeneralizedKL().between(new["words"], model.cluster_centers_["words"])
    near = 2.0 * SquaredEuclidean().between(new["place"], model.cluster_centers_["place"])
    np.testing.assert_array_equal(model.predict(new), (far + near).argmin(axis=1))
    only = {"words": new["words"], "place": None}
    np.testing.assert_array_equal(model.predict(only), far.argmin(axis=1))


def test_an_object_that_no_mean_expects_goes_where_it_costs_least():
    X = np.array([[9.0, 1.0, 0.0], [8.0, 2.0, 0.0], [1.0, 9.0, 0.0], [2.0, 8.0, 0.0]])
    model = BregmanWard(GeneralizedKL(), n_clusters=2).fit(X)
    new = np.array([[5.0, 1.0, 1.0], [1.0, 5.0, 1.0], [1.0, 5.0, 0.0]])
    assert np.isinf(GeneralizedKL().between(new[:2], model.cluster_centers_["view0"])).all()
    assert model.predict(new).tolist() == [0, 1, 1]


def counts_with_equal_rows(rng, n_objects=300):
    groups = np.arange(n_objects) % 3
    words = rng.poisson(1 + 3 * np.eye(3)[groups])[:, :2].astype(float)
    return Views({"words": words, "place": rng.integers(3, size=(n_objects, 2)) + groups[:, None]})


def each_object_in_one_view(rng, n_objects=300):
    views, _ = two_views(rng, n_objects)
    first = rng.random(n_objects) < 0.5
    return Views(views, observed=np.column_stack([first, ~first]))


def some_objects_in_one_view(rng, n_objects=300):
    views, _ = two_views(rng, n_objects)
    return Views(views, observed=np.column_stack(with_gaps(rng, n_objects)))


@pytest.mark.parametrize(
    "draw_objects", [counts_with_equal_rows, each_object_in_one_view, some_objects_in_one_view]
)
@pytest.mark.parametrize("divergence", [None, MIXED])
@pytest.mark.parametrize("n_clusters", [2, 5, 12])
def test_training_objects_are_predicted_into_their_own_clusters(
    draw_objects, divergence, n_clusters
):
    views = draw_objects(np.random.default_rng(0))
    model = BregmanWard(divergence, n_clusters=n_clusters).fit(views)
    np.testing.assert_array_equal(model.predict(views), model.labels_)
    order = np.random.default_rng(1).permutation(len(views))[:50]
    np.testing.assert_array_equal(model.predict(views[order]), model.labels_[order])


def test_exceptions_are_those_nearer_to_another_mean():
    views, _ = two_views(np.random.default_rng(0), n_objects=300)
    model = BregmanWard(n_clusters=5, view_weights=None).fit(views)
    distances = sum(
        SquaredEuclidean().between(rows, model.cluster_centers_[name])
        for name, rows in views.items()
    )
    elsewhere = np.flatnonzero(distances.argmin(axis=1) != model.labels_)
    assert 0.01 < len(elsewhere) / 300 < 0.15
    np.testing.assert_array_equal(model.exception_labels_, model.labels_[elsewhere])
    for name, rows in views.items():
        np.testing.assert_allclose(model.exceptions_[name], rows[elsewhere], rtol=1e-12)


def test_equal_rows_that_a_cut_tells_apart_cannot_be_told_apart_later():
    X = np.repeat([[0.0], [5.0]], 3, axis=0)
    model = BregmanWard(n_clusters=4).fit(X)
    assert len(np.unique(model.labels_)) == 4
    assert len(np.unique(model.predict(X))) == 2


def test_an_object_is_compared_with_clusters_that_share_a_view_with_it():
    """The mean of all, which stands in for a view that a cluster lacks, attracts nobody."""
    rng = np.random.default_rng(0)
    model = BregmanWard(n_clusters=5).fit(each_object_in_one_view(rng))
    shown = {name: model.cluster_sizes_[name] > 0 for name in ("words", "place")}
    assert not (shown["words"] & shown["place"]).any()
    new, _ = two_views(rng)
    for name, other in (("words", "place"), ("place", "words")):
        assert shown[name][model.predict({name: new[name], other: None})].all()


def test_a_zero_has_no_sign_and_sparse_rows_are_the_same_rows():
    views = counts_with_equal_rows(np.random.default_rng(0))
    model = BregmanWard(n_clusters=5).fit(views)
    signed = {name: np.where(rows == 0, -0.0, rows) for name, rows in views.items()}
    np.testing.assert_array_equal(model.predict(signed), model.labels_)
    packed = {name: sparse.csr_array(rows) for name, rows in views.items()}
    np.testing.assert_array_equal(model.predict(packed), model.labels_)


# -- parameters -----------------------------------------------------------------------------------


def test_balanced_weights_undo_the_scale_of_a_view():
    rng = np.random.default_rng(0)
    views, _ = two_views(rng)
    larger = {"words": views["words"], "place": 1000 * views["place"]}
    model = BregmanWard(MIXED, view_weights="balanced", n_clusters=3).fit(views)
    other = BregmanWard(MIXED, view_weights="balanced", n_clusters=3).fit(larger)
    np.testing.assert_array_equal(model.children_, other.children_)
    assert np.mean(list(model.view_weights_.values())) == pytest.approx(1)
    costs = [model.view_weights_[name] * cluster_cost(MIXED[name], views[name]) for name in MIXED]
    assert costs[0] == pytest.approx(costs[1])
    constant = BregmanWard(view_weights="balanced").fit(np.ones((5, 2)))
    assert constant.view_weights_ == {"view0": 1.0}


def test_sparse_counts_are_the_same_counts():
    views, _ = two_views(np.random.default_rng(0))
    sparse_views = {"words": sparse.csr_array(views["words"]), "place": views["place"]}
    dense, found = BregmanWard(MIXED).fit(views), BregmanWard(MIXED).fit(sparse_views)
    np.testing.assert_array_equal(found.linkage_, dense.linkage_)
    np.testing.assert_array_equal(found.predict(sparse_views), dense.predict(views))


def test_a_row_outside_the_domain_is_named_in_fit_and_in_predict():
    views, _ = two_views(np.random.default_rng(0))
    model = BregmanWard(MIXED).fit(views)
    bad = {**views, "words": views["words"].copy()}
    bad["words"][7, 1] = -1
    for act in (lambda: BregmanWard(MIXED).fit(bad), lambda: model.predict(bad)):
        with pytest.raises(ValueError, match="'words' has -1 at row 7, column 1"):
            act()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "at least 1"),
        ({"divergence": "kl"}, "divergence='kl' should be a Divergence"),
        ({"view_weights": "equal"}, "'balanced'"),
        ({"view_weights": [1.0, 0.0]}, r"view_weights\[1\]=0.0 should be a number above 0"),
        ({"view_weights": {"words": 1.0}}, "'place'"),
    ],
)
def test_parameters_are_checked(parameters, message):
    views, _ = two_views(np.random.default_rng(0), n_objects=6)
    with pytest.raises(ValueError, match=message):
        BregmanWard(**parameters).fit(views)


def test_numbers_of_clusters_are_checked():
    views, _ = two_views(np.random.default_rng(0), n_objects=6)
    with pytest.raises(ValueError, match="6"):
        BregmanWard(n_clusters=7).fit(views)
    model = BregmanWard().fit(views)
    for wrong in (0, 7, 2.5, np.nan, "two", None):
        with pytest.raises(ValueError, match=f"^n_clusters={wrong!r} should be an integer .*\\.$"):
            model.labels_at(wrong)


def test_a_view_that_nobody_shows_is_refused():
    with pytest.raises(UnobservedViewsError, match="'b'"):
        BregmanWard().fit({"a": np.eye(3), "b": np.full((3, 2), np.nan)})


def test_progress_is_reported_by_tenths(capsys):
    BregmanWard(verbose=1).fit(np.random.default_rng(0).normal(size=(101, 2)))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 20
    assert lines[9] == "BregmanWard: compared 101 of 101 objects"
    assert lines[-1] == "BregmanWard: 100 of 100 merges"


def test_what_takes_long_is_said_before(monkeypatch):
    monkeypatch.setattr(bregman_ward, "LONG", 30**2 * (4 + 20))
    X = np.random.default_rng(0).normal(size=(31, 4))
    BregmanWard(n_clusters=2).fit({"a": X[:30, :1], "b": X[:30, 1:]})
    said = "31 objects in 4 columns, which takes minutes; cluster a sample and predict the others"
    with pytest.warns(UserWarning, match=said) as caught:
        BregmanWard(n_clusters=2, view_weights=None).fit({"a": X[:, :1], "b": X[:, 1:]})
    assert caught[0].filename == __file__


# -- views of any kind ----------------------------------------------------------------------------


def texts(seed, n_objects=60):
    """Texts on three subjects, of very different lengths, and a measurement of each."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n_objects) % 3
    topics = np.full((3, 30), 0.2)
    for subject in range(3):
        topics[subject, 10 * subject : 10 * subject + 10] = 4.0
    shares = rng.dirichlet(np.ones(30), size=n_objects) * topics[groups]
    lengths = rng.choice([6, 300], size=n_objects)
    words = [rng.multinomial(n, p / p.sum()) for n, p in zip(lengths, shares, strict=True)]
    place = np.column_stack([np.cos(groups), np.sin(2 * groups)])
    return {
        "words": np.hstack([np.array(words, dtype=float), np.zeros((n_objects, 90))]),
        "place": place + 0.3 * rng.normal(size=(n_objects, 2)),
    }, groups


def test_views_of_mostly_zeros_are_compared_by_the_roots_of_their_shares():
    views, groups = texts(0)
    model = BregmanWard(n_clusters=3).fit(views)
    assert model.rooted_views_ == ("words",)
    by_hand = {"words": root_shares(views["words"]), "place": views["place"]}
    squared = BregmanWard(SquaredEuclidean(), n_clusters=3, view_weights="balanced")
    np.testing.assert_array_equal(model.labels_, squared.fit(by_hand).labels_)
    long = adjusted_rand_score(groups, squared.fit(views).labels_)
    assert adjusted_rand_score(groups, model.labels_) > long + 0.2
    np.testing.assert_array_equal(model.predict(views), model.labels_)
    thin = {**views, "words": sparse.csr_array(views["words"])}
    np.testing.assert_array_equal(BregmanWard(n_clusters=3).fit(thin).labels_, model.labels_)


def test_units_of_a_view_do_not_matter():
    views, _ = texts(0)
    model = BregmanWard(n_clusters=3).fit(views)
    scaled = {"words": 8 * views["words"], "place": 1024 * views["place"]}
    np.testing.assert_array_equal(BregmanWard(n_clusters=3).fit(scaled).labels_, model.labels_)


def test_a_view_of_noise_counts_nothing_and_is_named():
    views, _ = texts(0)
    noise = np.random.default_rng(5).normal(size=(60, 50))
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty of structure") as caught:
        model = BregmanWard(n_clusters=3).fit({**views, "noise": noise})
    assert caught[0].filename == __file__
    assert model.view_weights_["noise"] == 0
    np.testing.assert_array_equal(model.labels_, BregmanWard(n_clusters=3).fit(views).labels_)
    new = {**views, "noise": noise}
    np.testing.assert_array_equal(model.predict(new), model.labels_)


def test_root_shares_of_sparse_rows_are_those_of_dense_ones():
    rows = np.array([[4.0, 0.0, -12.0], [0.0, 0.0, 0.0], [0.0, 5.0, 0.0]])
    expected = np.array([[0.5, 0.0, -np.sqrt(0.75)], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(root_shares(rows), expected)
    np.testing.assert_allclose(root_shares(sparse.csr_array(rows)).toarray(), expected)
