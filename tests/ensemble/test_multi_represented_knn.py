"""Neighbours of every view vote: laws, hand-worked numbers, gaps and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import cosine_distances, euclidean_distances
from sklearn.neighbors import KNeighborsClassifier

from manyviews import Views
from manyviews.ensemble import MultiRepresentedKNN
from manyviews.ensemble.multi_represented_knn import (
    class_confidences,
    combined,
    nearest,
    sureness,
    typical_distance,
)
from manyviews.exceptions import UnobservedViewsError, ViewsError


def three_views(seed=0, n_objects=36, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    centres = rng.normal(size=(n_classes, 3, 5))
    views = centres[y] + rng.normal(size=(n_objects, 3, 5))
    return {name: views[:, place] for place, name in enumerate("abc")}, y


def rows_of(views, rows):
    return {name: matrix[rows] for name, matrix in views.items()}


def votes(typical, softening):
    return lambda distances: 1.0 / ((distances / typical) ** 2 + softening**2)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), metric=st.sampled_from(["euclidean", "cosine"]))
def test_one_view_is_nearest_neighbours_weighted_by_distance(seed, metric):
    views, y = three_views(seed)
    new, _ = three_views(seed + 1)
    model = MultiRepresentedKNN(7, metric=metric, weighting="uniform").fit(views["a"], y)
    weights = votes(model.typical_distances_["view0"], 0.1)
    expected = KNeighborsClassifier(7, weights=weights, metric=metric).fit(views["a"], y)
    np.testing.assert_allclose(
        model.predict_proba(new["a"]), expected.predict_proba(new["a"]), atol=1e-9
    )


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), exponent=st.floats(-5, 5))
def test_the_unit_of_a_view_changes_nothing(seed, exponent):
    views, y = three_views(seed)
    new, _ = three_views(seed + 1)
    factor = 10.0**exponent
    model = MultiRepresentedKNN(5).fit(views, y)
    other = MultiRepresentedKNN(5).fit({**views, "b": factor * views["b"]}, y)
    assert other.typical_distances_["b"] == pytest.approx(factor * model.typical_distances_["b"])
    found = other.predict_proba({**new, "b": factor * new["b"]})
    np.testing.assert_allclose(found, model.predict_proba(new), atol=1e-6)


def test_names_and_orders_change_nothing():
    views, y = three_views(1)
    new, _ = three_views(2)
    expected = MultiRepresentedKNN(5).fit(views, y).predict_proba(new)
    turned = np.random.default_rng(0).permutation(len(y))
    renamed = {"z": views["c"][turned], "y": views["a"][turned], "x": views["b"][turned]}
    model = MultiRepresentedKNN(5).fit(renamed, y[turned])
    found = model.predict_proba({"z": new["c"], "y": new["a"], "x": new["b"]})
    np.testing.assert_allclose(found, expected)


def test_by_hand():
    views = {"a": [[0.0], [1.0], [3.0]], "b": [[0.0], [4.0], [0.5]]}
    model = MultiRepresentedKNN(2, softening=0.0).fit(views, ["x", "y", "y"])
    assert model.typical_distances_ == {"a": 3.0, "b": 4.0}  # of 3, 2, 3 and 4, 4, 3.5
    found = model.view_confidences({"a": [[0.5]], "b": [[0.25]]})
    np.testing.assert_allclose(found["a"], [[0.5, 0.5]])
    np.testing.assert_allclose(found["b"], [[0.5, 0.5]])
    asked = {"a": [[0.25]], "b": [[3.0]]}
    found = model.view_confidences(asked)
    np.testing.assert_allclose(found["a"], [[0.9, 0.1]])  # votes 1/0.25² and 1/0.75²
    np.testing.assert_allclose(found["b"], [[0.0, 1.0]])
    sure = 1.0 + 0.9 * np.log2(0.9) + 0.1 * np.log2(0.1)
    expected = sure * 0.9 / (sure + 1.0)
    assert model.predict_proba(asked)[0, 0] == pytest.approx(expected)
    plain = MultiRepresentedKNN(2, "uniform", softening=0.0).fit(views, ["x", "y", "y"])
    np.testing.assert_allclose(plain.predict_proba(asked), [[0.45, 0.55]])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_neighbours_are_those_of_the_whole_table(metric, kind):
    rng = np.random.default_rng(3)
    rows, asked = rng.normal(size=(40, 4)), rng.normal(size=(9, 4))
    if metric == "cosine":
        rows, asked = (m / np.linalg.norm(m, axis=1, keepdims=True) for m in (rows, asked))
    table = {"euclidean": euclidean_distances, "cosine": cosine_distances}[metric]
    found = nearest(kind(rows), kind(asked), 6, metric)
    distances = table(asked, rows)
    assert np.array_equal(found.indices, distances.argsort(axis=1)[:, :6])
    np.testing.assert_allclose(found.distances, np.sort(distances, axis=1)[:, :6], atol=1e-7)
    own = np.sort(table(rows, rows), axis=1)[:, 6]
    assert typical_distance(kind(rows), 6, metric) == pytest.approx(np.median(own))


def test_copies_leave_a_typical_distance():
    assert typical_distance(np.array([[0.0], [0.0], [0.0], [8.0]]), 1, "euclidean") == 2.0
    assert typical_distance(np.zeros((4, 1)), 1, "euclidean") == 1.0
    assert typical_distance(np.zeros((1, 1)), 1, "euclidean") == 1.0


def test_sureness_runs_from_none_to_one():
    found = sureness(np.array([[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0.0]]))
    np.testing.assert_allclose(found, [1.0, 0.0, 1.0 - np.log(2) / np.log(3)], atol=1e-12)


def test_copies_vote_without_end_only_where_nothing_softens():
    distances, codes = np.array([[0.0, 1.0, 1.0]]), np.array([[0, 1, 1]])
    soft = class_confidences(distances, codes, 2, 0.5)
    np.testing.assert_allclose(soft, [[4.0 / 5.6, 1.6 / 5.6]])
    np.testing.assert_allclose(class_confidences(distances, codes, 2, 0.0), [[1, 0]], atol=1e-12)


def test_a_view_that_is_not_shown_leaves_the_sum():
    views, y = three_views(4)
    new, _ = three_views(5)
    model = MultiRepresentedKNN(5).fit(views, y)
    found = model.view_confidences(new)
    kept = [found["a"], found["c"]]
    weights = [sureness(each)[:, None] for each in kept]
    expected = sum(w * c for w, c in zip(weights, kept, strict=True)) / sum(weights)
    gap = {"a": new["a"], "c": new["c"]}
    np.testing.assert_allclose(model.predict_proba(gap), expected)
    assert np.isnan(model.view_confidences(gap)["b"]).all()


def test_training_objects_vote_in_the_views_they_show():
    arrays, y = three_views(6)
    observed = np.ones((36, 3), dtype=bool)
    observed[:12, 1] = False
    new, _ = three_views(7)
    found = MultiRepresentedKNN(5).fit(Views(arrays, observed=observed), y).view_confidences(new)
    rest = MultiRepresentedKNN(5).fit(arrays["b"][12:], y[12:]).predict_proba(new["b"])
    np.testing.assert_allclose(found["b"], rest)
    whole = MultiRepresentedKNN(5).fit(arrays["a"], y).predict_proba(new["a"])
    np.testing.assert_allclose(found["a"], whole)


def test_given_weights_multiply():
    views, y = three_views(8)
    new, _ = three_views(9)
    without = MultiRepresentedKNN(5).fit({"a": views["a"], "c": views["c"]}, y)
    weightless = MultiRepresentedKNN(5, view_weights={"a": 2, "b": 0, "c": 2}).fit(views, y)
    np.testing.assert_allclose(
        weightless.predict_proba(new), without.predict_proba({"a": new["a"], "c": new["c"]})
    )
    only = weightless.predict_proba({"b": new["b"]})  # better than nothing
    np.testing.assert_allclose(only, weightless.view_confidences(new)["b"])
    plain = MultiRepresentedKNN(5, "uniform", view_weights=[3, 1, 0]).fit(views, y)
    found = plain.view_confidences(new)
    np.testing.assert_allclose(plain.predict_proba(new), (3 * found["a"] + found["b"]) / 4)


def test_views_that_are_all_unsure_are_averaged():
    even = np.array([[0.5, 0.5]])
    weights = [np.zeros((1, 2)), np.array([[1.0, 3.0]])]
    np.testing.assert_allclose(combined([even, even], weights, np.array([0.9, 0.1])), even)


@pytest.mark.parametrize("weighting", ["entropy", "uniform"])
def test_leave_one_out_is_a_loop_of_fits(weighting):
    arrays, y = three_views(10, n_objects=24)
    observed = np.ones((24, 3), dtype=bool)
    observed[::4, 0] = False
    observed[1::4, 2] = False
    y = np.where(np.arange(24) == 5, -1, y)
    views = Views(arrays, observed=observed)
    parameters = {"n_neighbors": {"a": 4, "b": 50, "c": 1}, "weighting": weighting, "softening": 0}
    found = MultiRepresentedKNN(**parameters).leave_one_out_predictions(views, y)
    for left_out in range(24):
        others = np.arange(24) != left_out
        loop = MultiRepresentedKNN(**parameters).fit(views[others], y[others])
        assert found[left_out] == loop.predict(views[left_out])[0]


def test_left_out_of_a_view_that_nobody_else_shows():
    arrays, y = three_views(11, n_objects=12)
    observed = {"c": np.arange(12) == 3}
    found = MultiRepresentedKNN(3).leave_one_out_predictions(Views(arrays, observed=observed), y)
    others = {"a": arrays["a"], "b": arrays["b"]}
    expected = MultiRepresentedKNN(3).leave_one_out_predictions(others, y)
    assert found[3] == expected[3]


def test_sparse_and_single_precision_are_taken_as_they_are():
    rng = np.random.default_rng(12)
    y = np.arange(40) % 2
    counts = rng.poisson(1.0 + 2.0 * (np.arange(12) % 2 == y[:, None])).astype(np.float32)
    for metric in ("euclidean", "cosine"):
        dense = MultiRepresentedKNN(5, metric=metric).fit({"text": counts}, y)
        sparse = MultiRepresentedKNN(5, metric=metric).fit({"text": csr_array(counts)}, y)
        expected = dense.predict_proba({"text": counts[:9] + 1})
        np.testing.assert_allclose(sparse.predict_proba({"text": counts[:9] + 1}), expected)
        found = dense.predict_proba({"text": csr_array(counts[:9] + 1)})
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_rows_of_zeros_have_no_direction(kind):
    text = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    size = np.array([[0.0], [1.0], [1.1], [1.2]])
    y = ["x", "y", "y", "y"]
    metric = {"text": "cosine", "size": "euclidean"}
    model = MultiRepresentedKNN(1, metric=metric).fit({"text": kind(text), "size": size}, y)
    empty = {"text": kind(np.zeros((1, 2))), "size": [[0.1]]}
    assert model.predict(empty)[0] == "x"
    np.testing.assert_allclose(
        model.predict_proba({"text": kind(np.zeros((1, 2)))}), [[0.25, 0.75]]
    )


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0 should be"),
        ({"n_neighbors": {"a": 3}}, "n_neighbors has no value for the view 'b'"),
        ({"weighting": "loud"}, "weighting='loud' should be"),
        ({"metric": "manhattan"}, "metric='manhattan' should be"),
        ({"softening": -0.1}, "softening=-0.1 should be"),
        ({"view_weights": 2.0}, "view_weights=2.0 should be"),
        ({"view_weights": [0, 0, 0]}, "view_weights are all zero"),
    ],
)
def test_bad_parameters_are_refused(parameters, named):
    views, y = three_views()
    with pytest.raises(ValueError, match=named):
        MultiRepresentedKNN(**parameters).fit(views, y)


def test_where_nearness_is_told_apart_nowhere_all_neighbours_count_the_same():
    views, y = three_views()
    even = MultiRepresentedKNN(5, softening=1e6).fit(views, y).predict_proba(views)
    far = MultiRepresentedKNN(5, softening=1e300).fit(views, y).predict_proba(views)
    np.testing.assert_allclose(far, even, atol=1e-9)


def test_a_view_without_any_labelled_object_is_refused():
    arrays, y = three_views()
    views = Views(arrays, observed={"b": y == 0})
    with pytest.raises(UnobservedViewsError, match="view 'b' shows no labelled object"):
        MultiRepresentedKNN().fit(views, np.where(y == 0, -1, y))


def test_an_object_without_any_view_is_refused():
    views, y = three_views()
    model = MultiRepresentedKNN().fit(views, y)
    new = Views(rows_of(views, slice(3)), observed=[[True] * 3, [False] * 3, [True] * 3])
    with pytest.raises(ViewsError, match="object 1 is observed in no view"):
        model.predict(new)


def test_views_of_mostly_zeros_are_compared_by_the_cosine():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    counts = rng.poisson(0.2, size=(40, 20)) + 3.0 * np.eye(2, 20)[y]
    views = {"text": counts, "links": csr_array(counts), "size": rng.normal(size=(40, 2))}
    model = MultiRepresentedKNN().fit(views, y)
    metrics = {name: each.metric for name, each in model.references_.items()}
    assert metrics == {"text": "cosine", "links": "cosine", "size": "euclidean"}
