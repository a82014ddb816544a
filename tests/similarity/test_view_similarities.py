"""Similarities of all views together: fitting, new objects, gaps, names, files."""

import pickle
from typing import get_args

import numpy as np
import pytest
from scipy import sparse

from manyviews.app.model import load_model, save_model
from manyviews.data import Views
from manyviews.exceptions import UnknownViewError
from manyviews.maths import LowRank, to_dense
from manyviews.similarity import (
    RBF,
    Cosine,
    KNNGraph,
    Linear,
    LowRankKernel,
    Precomputed,
    SelfTuningRBF,
    SimilarityLike,
    fit_similarities,
)
from manyviews.similarity.low_rank import SHORT_NAMES, as_similarity
from manyviews.similarity.views import fill_unobserved

AFFINITIES = [
    RBF(),
    Cosine(),
    SelfTuningRBF(3),
    KNNGraph(4),
    KNNGraph(4, "similarity"),
    KNNGraph(4, "similarity", metric="cosine", kernel=Cosine(), symmetric="mutual"),
    LowRankKernel(RBF(), 8),
    LowRankKernel(RBF(), 8, method="cholesky"),
    LowRankKernel(RBF(), 8, method="fourier"),
]
NAMES = [repr(affinity)[:60] for affinity in AFFINITIES]


def gappy_views(n=24, *, gaps=True):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((n, 3)), np.abs(rng.standard_normal((n, 5)))
    observed = np.ones((n, 2), dtype=bool)
    if gaps:
        observed[2:7, 0] = observed[9:12, 1] = False
    return Views({"a": X, "b": sparse.csr_array(Y)}, observed=observed)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("affinity", AFFINITIES, ids=NAMES)
def test_training_objects_that_come_again_get_their_rows(affinity, gaps):
    views = gappy_views(gaps=gaps)
    fitted, grams = fit_similarities(views, affinity)
    again = fitted.cross(views)
    for name, gram in grams.items():
        assert type(again[name]) is type(gram)
        np.testing.assert_allclose(to_dense(again[name]), to_dense(gram), atol=1e-8)
        np.testing.assert_allclose(to_dense(gram), to_dense(gram).T, atol=1e-10)


@pytest.mark.parametrize("affinity", AFFINITIES, ids=NAMES)
def test_new_objects_with_one_view_alone(affinity):
    views = gappy_views()
    fitted, _ = fit_similarities(views, affinity)
    one = Views(views[:4], observed=np.array([[True, False]] * 2 + [[False, True]] * 2))
    cross = fitted.cross(one)
    for gram in cross.values():
        assert to_dense(gram).shape == (4, 24)
        assert np.isfinite(to_dense(gram)).all()
    alone = fitted.cross(Views(views[:2], observed=np.array([[True, False]] * 2)))
    np.testing.assert_allclose(to_dense(alone["b"]), to_dense(cross["b"])[:2], atol=1e-10)
    expected = to_dense(cross["a"]) / fitted.scales["a"] * fitted.scales["b"]
    lacking = views.observed_in("a")
    np.testing.assert_allclose(
        to_dense(alone["b"])[:, lacking], expected[:2][:, lacking], atol=1e-10
    )


@pytest.mark.parametrize("affinity", AFFINITIES, ids=NAMES)
def test_a_view_that_shows_nobody_is_filled_by_the_others(affinity):
    views = gappy_views(gaps=False)
    fitted, grams = fit_similarities(
        Views(views, observed=np.tile([True, False], (24, 1))), affinity
    )
    assert to_dense(grams["b"]).shape == (24, 24)
    assert to_dense(fitted.cross(views[:3])["a"]).shape == (3, 24)


@pytest.mark.parametrize("affinity", AFFINITIES, ids=NAMES)
def test_names_do_not_matter_and_order_does_not(affinity):
    views = gappy_views()
    grams = fit_similarities(views, affinity)[1]
    turned = Views({"x": views["b"], "y": views["a"]}, observed=views.observed[:, ::-1])
    found = fit_similarities(turned, affinity)[1]
    for old, new in (("a", "y"), ("b", "x")):
        np.testing.assert_allclose(to_dense(found[new]), to_dense(grams[old]), atol=1e-8)


@pytest.mark.parametrize("affinity", AFFINITIES, ids=NAMES)
def test_fitted_similarities_are_kept_in_files(affinity, tmp_path):
    views = gappy_views()
    fitted, _ = fit_similarities(views, affinity)
    expected = fitted.cross(views[:5])
    save_model(fitted, tmp_path / "model.skops")
    for copy in (pickle.loads(pickle.dumps(fitted)), load_model(tmp_path / "model.skops")):
        found = copy.cross(views[:5])
        for name in views.names:
            np.testing.assert_array_equal(to_dense(found[name]), to_dense(expected[name]))


def test_each_view_has_its_own():
    views = gappy_views(gaps=False)
    grams = fit_similarities(views, {"a": "linear", "b": KNNGraph(3)})[1]
    np.testing.assert_allclose(grams["a"], views["a"] @ views["a"].T)
    assert sparse.issparse(grams["b"])
    with pytest.raises(UnknownViewError, match="affinity has no value for the view 'b'"):
        fit_similarities(views, {"a": RBF()})


def test_short_names():
    kinds = {name: type(as_similarity(name)).__name__ for name in ("knn", "rbf", "self_tuning")}
    assert kinds == {"knn": "KNNGraph", "rbf": "RBF", "self_tuning": "SelfTuningRBF"}
    with pytest.raises(
        ValueError, match="affinity='gauss' should be a Similarity, 'auto', 'cosine'"
    ):
        as_similarity("gauss")


def test_the_names_that_are_declared_are_those_that_are_known():
    _, names = get_args(SimilarityLike)
    assert set(get_args(names)) == set(SHORT_NAMES)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_given_similarities_with_gaps(make):
    views = gappy_views(gaps=False)
    seen = gappy_views().observed
    K = {name: RBF().gram(views[name]) for name in views.names}
    hidden = {}
    for view, name in enumerate(K):
        hidden[name] = K[name].copy()
        hidden[name][:, ~seen[:, view]] = -99.0  # columns that must not be read
    given = Views({name: make(matrix) for name, matrix in hidden.items()}, observed=seen)
    fitted, grams = fit_similarities(given, Precomputed())
    shown = {name: K[name][np.ix_(seen[:, v], seen[:, v])] for v, name in enumerate(K)}
    typical = fitted.typical if make is np.asarray else 0.0  # a graph says nothing by zero
    expected = fill_unobserved(shown, seen, seen, fitted.scales, typical)
    again = fitted.cross(given)
    for name in K:
        np.testing.assert_allclose(to_dense(grams[name]), expected[name], atol=1e-12)
        np.testing.assert_allclose(to_dense(again[name]), expected[name], atol=1e-12)


def test_given_similarities_that_are_none_are_refused():
    with pytest.raises(ValueError, match="object 0 to 1 is 1 and back 0"):
        Precomputed().fitted(np.array([[1.0, 1.0], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="object 0 to 1 is 1 and back 0"):
        Precomputed().fitted(sparse.csr_array(np.array([[1.0, 1.0], [0.0, 1.0]])))
    with pytest.raises(ValueError, match="2 columns for 3 objects"):
        Precomputed().fitted(np.ones((3, 2)))


@pytest.mark.parametrize("affinity", [*AFFINITIES, Linear()])
def test_the_three_forms_of_an_answer(affinity):
    X, Y = gappy_views(gaps=False)["a"], np.ones((2, 3))
    assert isinstance(affinity.matrix(X), np.ndarray)
    np.testing.assert_allclose(affinity.matrix(Y, X), to_dense(affinity.fitted(X).cross(Y, X)))
    assert sparse.issparse(affinity.graph(X, 3))
    if isinstance(affinity, RBF | Cosine | Linear):
        assert isinstance(affinity.factor(X, 3), LowRank)
