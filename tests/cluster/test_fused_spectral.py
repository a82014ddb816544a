from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from manyviews.cluster import FusedSpectral
from manyviews.cluster.spectral.fused import (
    feature_means,
    product_of_grams,
    sum_of_grams,
    wide_view,
    without_diagonal,
)
from manyviews.data import Views
from manyviews.datasets import make_complementary_affinities
from manyviews.exceptions import ViewsError
from manyviews.maths import LowRank, spectral_embedding, to_dense
from manyviews.similarity import RBF, KNNGraph, fit_similarities

KINDS = ("dense", "sparse", "low rank")


def shaped(kind: str, seed: int, n: int = 12):
    rng = np.random.default_rng(seed)
    left, right = rng.uniform(size=(n, 3)), rng.uniform(size=(8, 3))
    if kind == "low rank":
        return LowRank(left, right)
    K = left @ right.T
    if kind == "sparse":
        return sparse.csr_array(K * (rng.random(K.shape) < 0.4))
    return K


def same_up_to_rotation(one, other, atol=1e-7):
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=atol)


@pytest.mark.parametrize("kinds", list(product(KINDS, repeat=3)), ids="-".join)
def test_products_of_all_shapes_are_those_of_the_entries(kinds):
    grams = [shaped(kind, seed) for seed, kind in enumerate(kinds)]
    found = product_of_grams(grams)
    np.testing.assert_allclose(to_dense(found), np.prod([to_dense(g) for g in grams], axis=0))
    if "sparse" in kinds:
        assert sparse.issparse(found)
    elif "dense" not in kinds:
        assert isinstance(found, LowRank)


@pytest.mark.parametrize("kinds", list(product(KINDS, repeat=2)), ids="-".join)
def test_sums_of_all_shapes_are_those_of_the_entries(kinds):
    grams = [shaped(kind, seed) for seed, kind in enumerate(kinds)]
    if set(kinds) == {"sparse", "low rank"}:
        with pytest.raises(ValueError, match="give all views an affinity of one kind"):
            sum_of_grams(grams, [1.0, 1.0])
        return
    found = sum_of_grams(grams, [1.0, 0.5])
    np.testing.assert_allclose(to_dense(found), to_dense(grams[0]) + 0.5 * to_dense(grams[1]))
    if len(set(kinds)) == 1:
        assert type(found) is type(grams[0])


def test_a_product_of_too_many_columns_is_refused_with_the_numbers():
    wide = LowRank(np.ones((2, 50)), np.ones((2, 50)))
    with pytest.raises(ValueError, match="rank 50 and 50 has rank 2500, more than 2000"):
        product_of_grams([wide, wide])


def test_sparse_similarities_lose_their_diagonal_and_nothing_else():
    K = np.random.default_rng(0).uniform(size=(6, 6))
    emptied = without_diagonal(sparse.csr_array(K))
    np.testing.assert_array_equal(emptied.toarray(), K - np.diag(np.diag(K)))
    assert emptied.nnz == 30
    with pytest.raises(ValueError, match="zero_diagonal=False"):
        without_diagonal(LowRank(K, K))


def draw(seed: int, n: int = 25, widths=(2, 3)) -> Views:
    rng = np.random.default_rng(seed)
    return Views({f"v{w}": rng.uniform(0.1, 2.0, size=(n, w)) for w in widths})


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6), gamma=st.floats(0.1, 2.0))
def test_product_of_equally_wide_gaussians_is_the_gaussian_of_all_features(seed, gamma):
    views = draw(seed)
    joint = FusedSpectral(3, RBF(gamma), fusion="product", n_init=1, random_state=0).fit(views)
    wide = FusedSpectral(3, RBF(gamma), fusion="concat", n_init=1, random_state=0).fit(views)
    same_up_to_rotation(joint.embedding_, wide.embedding_, atol=1e-5)


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_sum_of_linear_kernels_is_the_linear_kernel_of_all_features(seed):
    views = draw(seed)
    added = FusedSpectral(3, "linear", fusion="sum", n_init=1, random_state=0).fit(views)
    wide = FusedSpectral(3, "linear", fusion="concat", n_init=1, random_state=0).fit(views)
    same_up_to_rotation(added.embedding_, wide.embedding_, atol=1e-5)


@pytest.mark.parametrize("zero_diagonal", [False, True])
@pytest.mark.parametrize("fusion", ["sum", "product"])
def test_it_is_the_spectral_embedding_of_the_fused_similarities(fusion, zero_diagonal):
    views = draw(1)
    first, second = (rbf_kernel(X, gamma=0.7) for _, X in views.items())
    K = first + second if fusion == "sum" else first * second
    model = FusedSpectral(
        3, RBF(0.7), fusion=fusion, zero_diagonal=zero_diagonal, random_state=0
    ).fit(views)
    same_up_to_rotation(model.embedding_, spectral_embedding(K, 3, zero_diagonal=zero_diagonal))


def test_sparse_similarities_give_what_dense_ones_do():
    views = draw(2, n=40)
    grams = {name: gram * (gram > 0.6) for name, gram in fit_similarities(views, "rbf")[1].items()}
    for fusion in ("sum", "product"):
        model = FusedSpectral(3, "precomputed", fusion=fusion, random_state=0)
        dense = model.fit(grams).embedding_
        thin = model.fit({name: sparse.csr_array(K) for name, K in grams.items()}).embedding_
        same_up_to_rotation(thin, dense, atol=1e-6)


@pytest.mark.parametrize("fusion", ["sum", "product", "best", "concat"])
def test_with_one_view_all_fusions_are_one(fusion):
    views = draw(3).subset(["v2"])
    model = FusedSpectral(3, RBF(0.5), fusion=fusion, random_state=0).fit(views)
    same_up_to_rotation(model.embedding_, spectral_embedding(rbf_kernel(views["v2"], gamma=0.5), 3))


def test_weights_are_factors_and_zero_leaves_a_view_out():
    views = draw(4)
    alone = FusedSpectral(3, random_state=0).fit(views.subset(["v3"]))
    weights = {"v2": 0.0, "v3": 2.0}
    weighted = FusedSpectral(3, view_weights=weights, random_state=0).fit(views)
    same_up_to_rotation(weighted.embedding_, alone.embedding_)
    assert weighted.view_weights_ == weights


def two_groups_and_noise(n: int = 60) -> tuple[Views, np.ndarray]:
    rng = np.random.default_rng(5)
    groups = np.arange(n) % 2
    clear = rng.normal(size=(n, 2)) + 6 * groups[:, None]
    return Views({"noise": rng.normal(size=(n, 2)), "clear": clear}), groups


def test_best_is_the_view_of_the_tightest_clusters_and_only_that():
    views, groups = two_groups_and_noise()
    best = FusedSpectral(2, fusion="best", random_state=0).fit(views)
    alone = FusedSpectral(2, random_state=0).fit(views.subset(["clear"]))
    assert best.best_view_ == "clear"
    assert best.view_distortions_["clear"] < best.view_distortions_["noise"]
    same_up_to_rotation(best.embedding_, alone.embedding_)
    assert adjusted_rand_score(groups, best.labels_) == 1.0


def test_unobserved_features_are_their_means_dense_or_sparse():
    X = {"a": [[0.0, 2.0], [4.0, 0.0], None], "b": [[1.0], None, [3.0]]}
    views = Views(X)
    means = feature_means(views)
    expected = [[0.0, 2.0, 1.0], [4.0, 0.0, 2.0], [2.0, 1.0, 3.0]]
    np.testing.assert_allclose(wide_view(views, means), expected)
    thin = Views(
        {name: sparse.csr_array(np.nan_to_num(view)) for name, view in views.items()},
        observed=views.observed,
    )
    wide = wide_view(thin, feature_means(thin))
    assert sparse.issparse(wide)
    np.testing.assert_allclose(wide.toarray(), expected)


def test_what_each_view_spoils_elsewhere_is_multiplied_away_and_not_added_away():
    views, labels = make_complementary_affinities(20.0, n_objects=60, random_state=0)
    model = FusedSpectral(2, "precomputed", random_state=0)
    joint = model.set_params(fusion="product").fit(views).labels_
    assert adjusted_rand_score(labels, joint) == 1.0
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):  # all objects are alike
        added = model.set_params(fusion="sum").fit(views).labels_
    assert adjusted_rand_score(labels, added) == 0.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fusion": "mean"}, "fusion='mean' should be 'sum', 'neighbourhoods', 'product', 'con"),
        ({"fusion": "best", "view_weights": [1, 2]}, "view_weights are the factors of"),
        ({"view_weights": [1, -1]}, r"view_weights\[1\]=-1 should be a number of at least 0"),
        ({"view_weights": [0, 0]}, "view_weights are all zero"),
        ({"fusion": "concat", "affinity": ["rbf", "linear"]}, "give one affinity"),
        ({"fusion": "concat", "affinity": "precomputed"}, "no features to concatenate"),
    ],
)
def test_bad_parameters_get_one_sentence(parameters, message):
    with pytest.raises((ValueError, ViewsError), match=message):
        FusedSpectral(2, **parameters).fit(draw(6))


def test_more_pieces_than_clusters_are_warned_of():
    spots = np.repeat([[0.0], [10.0], [20.0]], 4, axis=0) + np.tile(np.arange(4.0)[:, None], (3, 1))
    views = {"one": spots, "two": -spots}
    graph = KNNGraph(3)
    with pytest.warns(UserWarning, match="fall into 3 pieces and n_clusters=2"):
        FusedSpectral(2, graph, random_state=0).fit(views)
    labels = FusedSpectral(3, graph, random_state=0).fit(views).labels_  # and no warning here
    assert len(set(labels[::4])) == 3
