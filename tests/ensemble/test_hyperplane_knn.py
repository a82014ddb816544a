"""Nearest hyperplanes as a classifier: laws, leave-one-out, gaps and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from manyviews import Views
from manyviews.ensemble import HyperplaneKNN, ViewSubsetEnsemble
from manyviews.ensemble import hyperplane_knn as module
from manyviews.exceptions import UnobservedViewsError


def two_views(seed=0, n_objects=40, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    centres = 2.0 * rng.normal(size=(n_classes, 7))
    X = centres[y] + rng.normal(size=(n_objects, 7))
    return {"a": X[:, :4], "b": 10.0 * X[:, 4:]}, y


def side_by_side(views):
    return np.hstack(list(views.values()))


def rows_of(views, rows):
    return {name: matrix[rows] for name, matrix in views.items()}


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), standardize=st.booleans())
def test_one_neighbour_is_the_nearest_neighbour(seed, standardize):
    views, y = two_views(seed)
    new, _ = two_views(seed + 1)
    wide, asked = side_by_side(views), side_by_side(new)
    if standardize:
        scaler = StandardScaler().fit(wide)
        wide, asked = scaler.transform(wide), scaler.transform(asked)
    expected = KNeighborsClassifier(1).fit(wide, y)
    model = HyperplaneKNN(1, 3.0, standardize=standardize, hyperplanes="joint").fit(views, y)
    assert np.array_equal(model.predict(new), expected.predict(asked))
    nearest = expected.kneighbors(asked)[0][:, 0]
    np.testing.assert_allclose(-model.decision_function(new).max(axis=1), nearest, rtol=1e-7)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_turning_the_space_changes_nothing(seed):
    views, y = two_views(seed)
    new, _ = two_views(seed + 1)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(7, 7)))[0]
    joint = {"standardize": False, "hyperplanes": "joint"}
    plain = HyperplaneKNN(4, **joint).fit(views, y)
    turned = HyperplaneKNN(4, **joint).fit(side_by_side(views) @ turn, y)
    np.testing.assert_allclose(
        turned.decision_function(side_by_side(new) @ turn),
        plain.decision_function(new),
        rtol=1e-6,
        atol=1e-7,
    )


def test_units_change_nothing_once_standardised():
    views, y = two_views()
    new, _ = two_views(1)
    other = {"a": views["a"], "b": 1e4 * views["b"] + 7.0}
    asked = {"a": new["a"], "b": 1e4 * new["b"] + 7.0}
    found = HyperplaneKNN().fit(other, y).decision_function(asked)
    np.testing.assert_allclose(found, HyperplaneKNN().fit(views, y).decision_function(new))


def test_leave_one_out_is_a_loop_of_fits():
    views, y = two_views(3, n_objects=24)
    found = HyperplaneKNN.leave_one_out(
        views, y, n_neighbors=[1, 3, 30], penalty=[0.1, 5], standardize=False
    )
    assert found.shape == (3, 2, 24)
    for row, n_neighbors in enumerate([1, 3, 30]):
        for column, penalty in enumerate([0.1, 5]):
            for left_out in range(24):
                others = np.arange(24) != left_out
                model = HyperplaneKNN(n_neighbors, penalty, standardize=False)
                model.fit(rows_of(views, others), y[others])
                expected = model.predict(rows_of(views, [left_out]))
                assert found[row, column, left_out] == expected[0]


def test_leave_one_out_with_gaps_is_a_loop_of_fits():
    arrays, y = two_views(4, n_objects=30)
    observed = np.ones((30, 2), dtype=bool)
    observed[::5, 0] = False
    observed[1::5, 1] = False
    views = Views(arrays, observed=observed)
    model = HyperplaneKNN(3, 1.0, standardize=False)
    found = model.leave_one_out_predictions(views, y)
    for left_out in range(30):
        others = np.arange(30) != left_out
        loop = HyperplaneKNN(3, 1.0, standardize=False).fit(views[others], y[others])
        assert found[left_out] == loop.predict(views[left_out])[0]
    assert model.loo_error_ == np.mean(found != y)


def test_leave_one_out_keeps_the_standards_of_all():
    views, y = two_views(5, n_objects=20)
    wide = StandardScaler().fit_transform(side_by_side(views))
    found = HyperplaneKNN(3).leave_one_out_predictions(views, y)
    plain = HyperplaneKNN(3, 1.0, standardize=False).leave_one_out_predictions(wide, y)
    assert np.array_equal(found, plain)


def test_the_choice_is_the_first_of_the_smallest_errors():
    views, y = two_views(6)
    grid = {"n_neighbors": (3, 1, 8), "penalty": (10.0, 0.01)}
    model = HyperplaneKNN(**grid).fit(views, y)
    errors = (HyperplaneKNN.leave_one_out(views, y, **grid) != y).mean(axis=2)
    np.testing.assert_array_equal(model.loo_errors_, errors)
    row, column = np.argwhere(errors == errors.min())[0]
    assert (model.n_neighbors_, model.penalty_) == (
        grid["n_neighbors"][row],
        grid["penalty"][column],
    )
    assert model.loo_error_ == errors.min()
    single = HyperplaneKNN(model.n_neighbors_, model.penalty_, standardize=model.standardize_)
    single.fit(views, y)
    new, _ = two_views(7)
    np.testing.assert_array_equal(model.decision_function(new), single.decision_function(new))
    assert single.loo_error_ is None


def test_predictions_left_out_are_those_of_the_parameters_chosen():
    views, y = two_views(8)
    model = HyperplaneKNN("loo", "loo")
    found = model.leave_one_out_predictions(views, y)
    same = HyperplaneKNN(model.n_neighbors_, model.penalty_).leave_one_out_predictions(views, y)
    assert np.array_equal(found, same)
    assert model.loo_errors_.shape == (8, 5)
    assert model.predict(views).shape == (40,)  # it is fitted to all


def test_unlabelled_objects_take_no_part():
    views, y = two_views(9)
    thinned = np.where(np.arange(40) % 4 == 0, -1, y)
    labelled = thinned >= 0
    new, _ = two_views(10)
    model = HyperplaneKNN([2, 5], 1).fit(views, thinned)
    plain = HyperplaneKNN([2, 5], 1).fit(rows_of(views, labelled), y[labelled])
    np.testing.assert_allclose(model.decision_function(new), plain.decision_function(new))
    found = HyperplaneKNN(3).leave_one_out_predictions(views, thinned)
    expected = HyperplaneKNN(3).fit(views, thinned).predict(rows_of(views, ~labelled))
    assert np.array_equal(found[~labelled], expected)


def test_an_object_without_a_view_is_judged_as_if_there_were_none():
    views, y = two_views(11)
    new, _ = two_views(12)
    found = HyperplaneKNN(4, 1.0).fit(views, y).decision_function({"a": new["a"]})
    alone = HyperplaneKNN(4, 1.0).fit({"a": views["a"]}, y).decision_function({"a": new["a"]})
    np.testing.assert_allclose(found, alone)


def test_training_objects_count_where_they_show_what_is_asked():
    arrays, y = two_views(13)
    observed = np.ones((40, 2), dtype=bool)
    observed[:10, 1] = False
    views = Views(arrays, observed=observed)
    new, _ = two_views(14)
    joint = {"standardize": False, "hyperplanes": "joint"}
    model = HyperplaneKNN(3, 1.0, **joint).fit(views, y)
    complete = HyperplaneKNN(3, 1.0, **joint).fit(rows_of(arrays, slice(10, None)), y[10:])
    np.testing.assert_allclose(model.decision_function(new), complete.decision_function(new))
    of_a = HyperplaneKNN(3, 1.0, **joint).fit({"a": arrays["a"]}, y)
    found = model.decision_function({"a": new["a"], "b": None})
    np.testing.assert_allclose(found, of_a.decision_function({"a": new["a"]}))


def test_where_a_class_never_shows_all_views_those_it_shows_decide():
    arrays, y = two_views(15)
    observed = np.ones((40, 2), dtype=bool)
    observed[y == 1, 1] = False
    joint = {"standardize": False, "hyperplanes": "joint"}
    model = HyperplaneKNN(3, 1.0, **joint).fit(Views(arrays, observed=observed), y)
    new, _ = two_views(16)
    of_a = HyperplaneKNN(3, 1.0, **joint).fit({"a": arrays["a"]}, y)
    np.testing.assert_allclose(
        model.decision_function(new), of_a.decision_function({"a": new["a"]})
    )
    assert set(model.predict({"b": new["b"]})) == {0, 2}  # nothing speaks for class 1


def test_squared_distances_of_the_views_are_summed():
    views, y = two_views(21)
    new, _ = two_views(22)
    one = {"n_neighbors": 3, "penalty": 0.5, "standardize": True}
    found = HyperplaneKNN(**one).fit(views, y).decision_function(new)
    parts = [
        HyperplaneKNN(**one).fit({name: views[name]}, y).decision_function({name: new[name]})
        for name in views
    ]
    np.testing.assert_allclose(found**2, parts[0] ** 2 + parts[1] ** 2, rtol=1e-9)


@pytest.mark.parametrize("standardize", [True, False])
def test_copies_of_a_feature_do_not_make_a_view_count_more(standardize):
    views, y = two_views(23)
    new, _ = two_views(24)
    wide = {"a": np.tile(views["a"], 5), "b": views["b"]}
    asked = {"a": np.tile(new["a"], 5), "b": new["b"]}
    model = HyperplaneKNN(3, 0.5, standardize=standardize)
    plain = model.fit(views, y).decision_function(new)
    np.testing.assert_allclose(model.fit(wide, y).decision_function(asked), plain, rtol=1e-7)


@pytest.mark.parametrize("hyperplanes", ["per_view", "joint"])
def test_a_class_that_a_view_never_shows_is_as_far_there_as_the_others_are_in_the_mean(hyperplanes):
    arrays, y = two_views(25)
    observed = np.ones((40, 2), dtype=bool)
    observed[y == 1, 1] = False
    model = HyperplaneKNN(3, 1.0, standardize=True, hyperplanes=hyperplanes)
    model.fit(Views(arrays, observed=observed), y)
    new, _ = two_views(26)
    squares = model.decision_function({"b": new["b"]}) ** 2
    np.testing.assert_allclose(squares[:, 1], (squares[:, 0] + squares[:, 2]) / 2)


def test_where_nothing_tells_classes_apart_the_most_frequent_is_the_answer():
    arrays, _ = two_views(27)
    y = np.repeat(["a", "b", "c"], [5, 20, 15])
    observed = np.column_stack([np.ones(40, dtype=bool), y == "c"])
    model = HyperplaneKNN(3, 1.0, standardize=True).fit(Views(arrays, observed=observed), y)
    assert set(model.predict({"b": arrays["b"]})) == {"b"}


def test_standardising_is_chosen_by_the_left_out_error():
    rng = np.random.default_rng(28)
    y = np.arange(60) % 2
    tells, units = 3.0 * y + rng.normal(size=60), 1000.0 * rng.normal(size=60)
    mixed = {"table": np.column_stack([tells, units])}
    assert HyperplaneKNN(3, 1.0).fit(mixed, y).standardize_
    rare = np.where(rng.random((60, 40)) < 0.02, rng.normal(size=(60, 40)), 0.0)
    texts = {"text": np.column_stack([5.0 * y + rng.normal(size=60), rare])}
    model = HyperplaneKNN(3, 1.0).fit(texts, y)
    assert not model.standardize_
    assert model.loo_errors_.shape == (1, 1)
    fixed = HyperplaneKNN(3, 1.0, standardize=False).fit(texts, y)
    np.testing.assert_array_equal(model.decision_function(texts), fixed.decision_function(texts))


def test_sparse_views_are_divided_and_not_moved():
    rng = np.random.default_rng(17)
    y = np.arange(30) % 3
    counts = rng.poisson(1.0 + 3.0 * (np.arange(9) % 3 == y[:, None])).astype(float)
    other = rng.normal(size=(30, 2))
    dense = HyperplaneKNN(3).fit({"text": counts, "size": other}, y)
    sparse = HyperplaneKNN(3).fit({"text": csr_array(counts), "size": other}, y)
    new = {"text": counts[:5] + 1.0, "size": other[:5]}
    np.testing.assert_allclose(sparse.decision_function(new), dense.decision_function(new))
    crossed = {"text": csr_array(new["text"]), "size": new["size"]}
    np.testing.assert_allclose(dense.decision_function(crossed), dense.decision_function(new))


def test_a_feature_that_never_changes_is_kept_as_it_is():
    views, y = two_views(18)
    wider = {**views, "c": np.full((40, 1), 0.1)}
    new, _ = two_views(19)
    found = HyperplaneKNN().fit(wider, y).decision_function({**new, "c": np.full((40, 1), 0.1)})
    np.testing.assert_allclose(found, HyperplaneKNN().fit(views, y).decision_function(new))


def test_two_classes_give_one_number():
    views, y = two_views(20, n_classes=2)
    model = HyperplaneKNN(3).fit(views, np.where(y == 1, "yes", "no"))
    scores = model.decision_function(views)
    assert scores.shape == (40,)
    assert np.array_equal(model.predict(views) == "yes", scores > 0)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0 should be"),
        ({"n_neighbors": [3, 2.5]}, "n_neighbors"),
        ({"n_neighbors": []}, "n_neighbors"),
        ({"n_neighbors": "all"}, "n_neighbors='all'"),
        ({"penalty": -1}, "penalty=-1 should be"),
        ({"penalty": [1.0, float("nan")]}, "penalty"),
    ],
)
def test_bad_parameters_are_refused(parameters, named):
    views, y = two_views()
    with pytest.raises(ValueError, match=named):
        HyperplaneKNN(**parameters).fit(views, y)


def test_a_view_without_any_labelled_object_is_refused():
    arrays, y = two_views()
    observed = {"b": y == 0}
    with pytest.raises(UnobservedViewsError, match="view 'b' is observed for no labelled object"):
        HyperplaneKNN().fit(Views(arrays, observed=observed), np.where(y == 0, -1, y))


@pytest.mark.parametrize("model", [HyperplaneKNN(), ViewSubsetEnsemble()], ids=repr)
def test_leaving_out_one_of_many_is_announced(model, monkeypatch):
    views, y = two_views()
    monkeypatch.setattr(module, "LONG", 1e3)
    said = "^HyperplaneKNN compares 40 objects with all others .*, which takes minutes; .*True"
    with pytest.warns(UserWarning, match=said):
        model.fit(views, y)
