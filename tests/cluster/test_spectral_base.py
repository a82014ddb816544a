from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone

from manyviews.cluster import CoTrainedSpectral, FusedSpectral, MinDisagreementSpectral
from manyviews.cluster.spectral.fused import extension_of, group_rows
from manyviews.data import Views
from manyviews.exceptions import ViewsWarning
from manyviews.maths import LowRank, spectral_embedding
from manyviews.similarity import RBF, Cosine, KNNGraph, LowRankKernel


def positive_gram(n: int, seed: int, rank: int | None = None) -> np.ndarray:
    factor = np.random.default_rng(seed).uniform(0.1, 1.0, size=(n, rank or n))
    return factor @ factor.T


def three_views(n: int = 36, seed: int = 0) -> Views:
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % 3
    views = {
        name: rng.normal(size=(n, 4)) + 3.0 * np.eye(4)[groups] * strength
        for name, strength in {"a": 1.5, "b": 2.0, "c": 1.0}.items()
    }
    observed = rng.random((n, 3)) < 0.8
    observed[~observed.any(axis=1), 0] = True
    return Views({name: np.abs(view) for name, view in views.items()}, observed=observed)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 12), k=st.integers(1, 4))
def test_training_objects_stand_where_njw_put_them(seed, n, k):
    K = positive_gram(n, seed)
    ours, theirs = extension_of(K, k).place(K), spectral_embedding(K, k)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-7)


@pytest.mark.parametrize("kind", ["dense", "single precision", "sparse", "low rank"])
def test_all_shapes_of_similarities_give_the_same_places(kind):
    factor = np.random.default_rng(0).uniform(0.1, 1.0, size=(30, 5))
    K = factor @ factor.T
    gram = {
        "dense": K,
        "single precision": K.astype(np.float32),
        "sparse": sparse.csr_array(K),
        "low rank": LowRank(factor, factor),
    }[kind]
    expected = spectral_embedding(K, 4)
    rows = extension_of(gram, 4).place(gram)
    atol = 1e-3 if kind == "single precision" else 1e-8
    np.testing.assert_allclose(rows @ rows.T, expected @ expected.T, atol=atol)


def test_coordinates_without_an_eigenvalue_are_zero():
    K = positive_gram(10, seed=1, rank=2)
    rows = extension_of(K, 4).place(K)
    assert np.abs(rows[:, 2:]).max() == 0
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0)


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_units_of_the_similarities_do_not_matter(factor):
    K = positive_gram(12, seed=2)
    plain, large = extension_of(K, 3).place(K), extension_of(factor * K, 3).place(factor * K)
    np.testing.assert_allclose(plain @ plain.T, large @ large.T, atol=1e-8)


def test_an_object_far_from_all_others_keeps_its_direction():
    K = positive_gram(12, seed=3)
    placed = extension_of(K, 3)
    far = placed.place(K[:2] * np.array([[1e-200], [0.0]]))
    np.testing.assert_allclose(far[0], placed.place(K)[0], atol=1e-12)
    assert not far[1].any()


def test_an_isolated_training_object_disturbs_no_other():
    K = np.zeros((9, 9))
    K[:8, :8] = positive_gram(8, seed=4)
    rows, others = extension_of(K, 2).place(K), spectral_embedding(K[:8, :8], 2)
    np.testing.assert_allclose(rows[:8] @ rows[:8].T, others @ others.T, atol=1e-8)
    assert not rows[8].any()


def test_grouped_rows_belong_to_the_nearest_centre():
    rows = np.random.default_rng(6).normal(size=(50, 3))
    centers, labels = group_rows(rows, 6, n_init=2, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(labels, cdist(rows, centers).argmin(axis=1))


FAMILY = [
    MinDisagreementSpectral(3, n_init=2, random_state=0),
    MinDisagreementSpectral(3, combine="b", n_init=2, random_state=0),
    *(
        FusedSpectral(3, fusion=fusion, n_init=2, random_state=0)
        for fusion in ("sum", "product", "concat", "best")
    ),
]


@pytest.mark.parametrize("affinity", [RBF(), RBF(0.3), Cosine(), "linear"], ids=str)
@pytest.mark.parametrize("model", FAMILY, ids=str)
def test_training_objects_that_come_again_keep_place_and_cluster(model, affinity):
    views = three_views()
    model = clone(model).set_params(affinity=affinity).fit(views)
    np.testing.assert_allclose(model.place(views), model.embedding_, atol=1e-9)
    np.testing.assert_array_equal(model.predict(views), model.labels_)
    np.testing.assert_array_equal(model.predict(views[[7]]), model.labels_[[7]])


@pytest.mark.parametrize("model", FAMILY, ids=str)
def test_order_and_names_of_the_objects_and_views_do_not_matter(model):
    views = three_views()
    order = np.random.default_rng(0).permutation(len(views))
    first = model.fit(views).embedding_
    moved = model.fit(views[order]).embedding_
    np.testing.assert_allclose(moved @ moved.T, (first @ first.T)[np.ix_(order, order)], atol=1e-7)
    turned = model.fit(views.subset(["c", "a", "b"])).embedding_
    np.testing.assert_allclose(turned @ turned.T, first @ first.T, atol=1e-7)


@pytest.mark.parametrize("name", ["n_clusters", "n_init"])
def test_impossible_numbers_are_refused(name):
    with pytest.raises(ValueError, match=f"{name}=0 should be an integer (of at least|from) 1"):
        FusedSpectral(2).set_params(**{name: 0}).fit(three_views())


@pytest.mark.parametrize("model", FAMILY, ids=str)
def test_low_rank_kernels_are_inductive_too(model):
    views = three_views(60)
    if model.get_params().get("fusion") == "product":  # filled gaps raise ranks beyond its limit
        views = views.drop_unobserved()
    model = clone(model).set_params(affinity=LowRankKernel(RBF(), rank=12, method="nystroem"))
    model.fit(views)
    np.testing.assert_allclose(model.place(views), model.embedding_, atol=1e-6)
    np.testing.assert_array_equal(model.predict(views), model.labels_)


@pytest.mark.parametrize("model", FAMILY, ids=str)
def test_neighbour_graphs_place_training_objects_nearly_where_they_are(model):
    views = three_views(90)
    model = clone(model).set_params(affinity=KNNGraph(12)).fit(views)
    assert np.mean(model.predict(views) == model.labels_) > 0.9


def test_many_clusters_are_all_found_by_rows_that_stand_for_them():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 60
    rows = np.eye(60)[y] + 0.02 * rng.standard_normal((300, 60))
    for seed in range(3):
        labels = group_rows(rows, 60, n_init=1, rng=np.random.default_rng(seed))[1]
        assert len(np.unique(np.column_stack([labels, y]), axis=0)) == 60


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.parametrize("rows", [np.ones((5, 1)), np.ones((5, 3))])
def test_rows_with_too_few_directions_for_pivots_are_grouped_all_the_same(rows):
    centers, labels = group_rows(rows, 2, n_init=1, rng=np.random.default_rng(0))
    np.testing.assert_allclose(centers[labels], rows)


@pytest.mark.parametrize("model", [CoTrainedSpectral, FusedSpectral, MinDisagreementSpectral])
def test_progress_is_told_while_it_works(model, capsys):
    model(3, verbose=1, random_state=0).fit(three_views())
    said = capsys.readouterr().out
    assert f"{model.__name__}: comparing 36 objects in 3 views" in said
    assert f"{model.__name__}: k-means in " in said
    model(3, random_state=0).fit(three_views())
    assert not capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:view 'a' looks empty")  # it has become so by the feature
@pytest.mark.parametrize("affinity", ["auto", "rbf"])
def test_a_feature_that_drowns_all_others_is_named(affinity):
    views = {name: np.nan_to_num(view) for name, view in three_views().items()}
    views["a"] = views["a"] * [1000.0, 1.0, 1.0, 1.0]
    with pytest.warns(ViewsWarning, match="of the variance of view 'a'"):
        FusedSpectral(3, affinity, view_weights=None, random_state=0).fit(views)
