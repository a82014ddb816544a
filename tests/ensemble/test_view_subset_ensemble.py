"""The ensemble over subsets of views: members, their left-out labels, gaps, and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from manyviews import PerView, Views
from manyviews.compose import MergeViews
from manyviews.ensemble import HyperplaneKNN, ViewSubsetEnsemble, members
from manyviews.exceptions import ViewsError

N_CLASSES = 3


def blobs(n, seed, noise=1.3):
    """Three views of three groups, none of which tells them all."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % N_CLASSES
    centres = {
        "a": np.array([[0, 0], [3, 0], [3, 0]]),
        "b": np.array([[0, 0, 1], [0, 0, 1], [3, 1, 0]]),
        "c": np.array([[0.0], [1.0], [2.0]]),
    }
    views = {
        name: centre[y] + noise * rng.standard_normal((n, centre.shape[1]))
        for name, centre in centres.items()
    }
    return Views(views), y


@pytest.fixture(scope="module")
def data():
    return *blobs(60, 0), *blobs(40, 1)


def left_out_by_loop(estimator, rows, y):
    found = []
    for row in range(len(y)):
        rest = np.arange(len(y)) != row
        found.append(estimator.fit(rows[rest], y[rest]).predict(rows[row : row + 1])[0])
    return np.array(found)


def test_left_out_labels_of_neighbours_are_those_of_a_loop(data):
    views, y, *_ = data
    model = ViewSubsetEnsemble(KNeighborsClassifier(3), selection="random", max_members=7)
    model.fit(views, y)
    assert len(model.members_) == len(model.subsets_) == 7
    for place, names in enumerate(model.members_):
        rows = views.subset(names).concatenate()
        expected = left_out_by_loop(KNeighborsClassifier(3), rows, y)
        assert np.array_equal(model.left_out_[:, place], expected)
        error = model.errors_[model.subsets_.index(names)]
        assert error == np.mean(expected != y)


def test_hook_of_the_estimator_is_used_and_leaves_it_fitted(data):
    views, y, new, _ = data
    model = ViewSubsetEnsemble(HyperplaneKNN([1, 3], [1.0, 10.0]), [["a", "b"]]).fit(views, y)
    alone = HyperplaneKNN([1, 3], [1.0, 10.0])
    expected = alone.leave_one_out_predictions(views.subset(["a", "b"]), y)
    assert np.array_equal(model.left_out_[:, 0], expected)
    assert np.array_equal(
        model.estimators_[0].predict(new.subset(["a", "b"])), alone.predict(new.subset(["a", "b"]))
    )


def test_folds_stratify_and_cover():
    codes = np.array([0] * 7 + [1] * 5 + [2])
    tests = [test for _, test in members.folds(3, None, codes)]
    assert np.array_equal(np.sort(np.concatenate(tests)), np.arange(13))
    for code, n in enumerate(np.bincount(codes)):
        assert {(codes[test] == code).sum() for test in tests} <= {n // 3, -(-n // 3)}


def test_other_estimators_are_left_out_by_folds(data):
    views, y, *_ = data
    folds = KFold(4, shuffle=True, random_state=0)
    model = ViewSubsetEnsemble(GaussianNB(), [["b"]], cv=folds).fit(views, y)
    expected = np.empty(len(y))
    for train, test in folds.split(y):
        expected[test] = GaussianNB().fit(views["b"][train], y[train]).predict(views["b"][test])
    assert np.array_equal(model.left_out_[:, 0], expected)


def test_a_split_that_forgets_objects_is_refused(data):
    views, y, *_ = data
    with pytest.raises(ValueError, match="leaves object") as raised:
        ViewSubsetEnsemble(GaussianNB(), cv=ShuffleSplit(2, test_size=0.2, random_state=0)).fit(
            views, y
        )
    assert "'a'" in raised.value.__notes__[0]
    with pytest.raises(ValueError, match="cv=1"):
        ViewSubsetEnsemble(GaussianNB(), cv=1).fit(views, y)


def test_parameters_are_those_of_the_lowest_left_out_error(data):
    views, y, *_ = data
    grid = {"n_neighbors": [1, 3, 7, 15]}
    model = ViewSubsetEnsemble(
        KNeighborsClassifier(), selection="random", max_members=7, param_grid=grid
    ).fit(views, y)
    for names, estimator in zip(model.members_, model.estimators_, strict=True):
        rows = views.subset(names).concatenate()
        wrong = [
            (left_out_by_loop(KNeighborsClassifier(k), rows, y) != y).mean()
            for k in grid["n_neighbors"]
        ]
        assert estimator.n_neighbors == grid["n_neighbors"][int(np.argmin(wrong))]
        assert model.errors_[model.subsets_.index(names)] == min(wrong)


def test_one_member_is_its_nearest_neighbour_rule(data):
    views, y, new, _ = data
    model = ViewSubsetEnsemble(KNeighborsClassifier(1), [["c"]]).fit(views, y)
    said = KNeighborsClassifier(1).fit(views["c"], y).predict(new["c"])
    left_out = left_out_by_loop(KNeighborsClassifier(1), views["c"], y)
    expected = [np.bincount(y[left_out == code]).argmax() for code in said]
    assert np.array_equal(model.predict(new), expected)


@pytest.mark.parametrize("combine", ["crv", "vote", "modified_product", "moderation"])
def test_rules_are_those_of_the_members_answers(data, combine):
    views, y, new, _ = data
    model = ViewSubsetEnsemble(
        KNeighborsClassifier(5), selection="random", max_members=4, combine=combine, random_state=3
    ).fit(views, y)
    rows = [new.subset(names).concatenate() for names in model.members_]
    asked = list(zip(model.estimators_, rows, strict=True))
    codes = np.column_stack([estimator.predict(matrix) for estimator, matrix in asked])
    shares = np.stack([estimator.predict_proba(matrix) for estimator, matrix in asked])
    if combine == "crv":
        weights = np.zeros((len(new), N_CLASSES))
        for row, vector in enumerate(codes):
            distances = (model.left_out_[:, :4] != vector).sum(axis=1)
            near = y[distances == distances.min()]
            weights[row] = np.bincount(near, minlength=N_CLASSES)
    elif combine == "vote":
        weights = np.stack([np.bincount(row, minlength=N_CLASSES) for row in codes])
    elif combine == "modified_product":
        weights = np.maximum(shares, 0.01).prod(axis=0)
    else:
        weights = ((5 * shares + 1) / (5 + N_CLASSES)).prod(axis=0)
    expected = weights / weights.sum(axis=1, keepdims=True)
    assert np.allclose(model.predict_proba(new), expected)


def test_classifiers_that_only_name_a_class_have_all_weight_there(data):
    views, y, new, _ = data
    model = ViewSubsetEnsemble(RidgeClassifier(), [["a"]], combine="moderation").fit(views, y)
    said = model.estimators_[0].predict(new["a"])
    found = model.predict_proba(new)
    assert np.allclose(found[np.arange(len(new)), said], 2 / (1 + N_CLASSES))
    assert np.allclose(np.sort(found, axis=1)[:, 0], 1 / (1 + N_CLASSES))


def test_behind_a_pipeline_or_a_search_neighbours_are_counted():
    knn = KNeighborsClassifier(7)
    assert members.n_observations(knn) == 7
    assert members.n_observations(make_pipeline(StandardScaler(), knn)) == 7
    search = GridSearchCV(knn, {"n_neighbors": [2]}, cv=2).fit([[0.0], [1], [2], [3]], [0, 0, 1, 1])
    assert members.n_observations(search) == 2
    assert members.n_observations(GaussianNB()) == 1


def test_those_who_know_views_get_views(data):
    views, y, new, _ = data
    pipeline = make_pipeline(PerView(PCA(1)), MergeViews(), GaussianNB())
    assert members.reads_views(pipeline)
    assert members.reads_views(GridSearchCV(pipeline, {}))
    assert not members.reads_views(make_pipeline(PCA(1), GaussianNB()))
    model = ViewSubsetEnsemble(pipeline, [["a", "b"]], cv=3).fit(views, y)
    expected = pipeline.fit(views.subset(["a", "b"]), y).predict(new.subset(["a", "b"]))
    assert np.array_equal(model.estimators_[0].predict(new.subset(["a", "b"])), expected)


@pytest.mark.parametrize("combine", ["crv", "vote"])
def test_selection_by_other_objects_is_forward_on_them(data, combine):
    views, y, new, new_y = data
    knn = KNeighborsClassifier(3)
    model = ViewSubsetEnsemble(
        knn, selection="validation", combine=combine, validation=(new, new_y)
    ).fit(views, y)
    first = model.subsets_[int(model.errors_.argmin())]
    assert model.members_[0] == first
    assert (np.diff(model.selection_history_) < 0).all()
    assert model.score(new, new_y) == pytest.approx(1 - model.selection_history_[-1])
    pairs = [[first, names] for names in model.subsets_ if names != first]
    scores = [
        ViewSubsetEnsemble(knn, pair, "random", combine).fit(views, y).score(new, new_y)
        for pair in pairs
    ]
    if len(model.members_) > 1:
        assert model.selection_history_[1] == pytest.approx(1 - max(scores))
    else:
        assert 1 - max(scores) >= model.selection_history_[0] - 1e-9


def test_unlabelled_validation_objects_are_not_asked(data):
    views, y, new, new_y = data
    some = np.where(np.arange(len(new_y)) < 20, new_y, -1)
    one, other = (
        ViewSubsetEnsemble(KNeighborsClassifier(3), selection="validation", validation=given)
        .fit(views, y)
        .selection_history_
        for given in ((new, some), (new[:20], new_y[:20]))
    )
    assert np.array_equal(one, other)
    with pytest.raises(ValueError, match="no labelled object"):
        ViewSubsetEnsemble(
            KNeighborsClassifier(3), selection="validation", validation=(new, -np.ones(40, int))
        ).fit(views, y)


def test_members_chosen_on_held_out_objects_are_trained_on_all(data):
    views, y, *_ = data
    model = ViewSubsetEnsemble(KNeighborsClassifier(3), selection="validation", random_state=0).fit(
        views, y
    )
    assert all(estimator.n_samples_fit_ == len(y) for estimator in model.estimators_)
    assert (model.left_out_[:, : len(model.members_)] >= 0).all()
    again = ViewSubsetEnsemble(KNeighborsClassifier(3), selection="validation", random_state=0).fit(
        views, y
    )
    assert again.members_ == model.members_


def test_left_out_selection_has_the_error_that_leaving_out_has(data):
    views, y, *_ = data
    model = ViewSubsetEnsemble(
        KNeighborsClassifier(3), selection="validation", validation="left_out"
    ).fit(views, y)
    codes = model.left_out_[:, : len(model.members_)]
    wrong = 0
    for row in range(len(y)):
        distances = (codes != codes[row]).sum(axis=1)
        distances[row] = 99
        near = y[distances == distances.min()]
        wrong += np.bincount(near).argmax() != y[row]
    assert model.selection_history_[-1] == pytest.approx(wrong / len(y))


def test_several_views_help_where_none_tells_all(data):
    views, y, new, new_y = data
    model = ViewSubsetEnsemble().fit(views, y)
    singles = [
        ViewSubsetEnsemble(subsets=[[name]]).fit(views, y).score(new, new_y) for name in "abc"
    ]
    assert model.score(new, new_y) > max(singles)


# -- gaps ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def gappy():
    views, y = blobs(80, 2, noise=0.5)
    observed = np.ones((80, 3), dtype=bool)
    observed[::5, 0] = False
    observed[1::5, 1] = False
    return views.with_observed(observed), y


def test_members_learn_from_the_objects_that_show_their_views(gappy):
    views, y = gappy
    model = ViewSubsetEnsemble(KNeighborsClassifier(3), selection="random", max_members=7)
    model.fit(views, y)
    for names, estimator, left_out in zip(
        model.members_, model.estimators_, model.left_out_.T, strict=True
    ):
        shows = views.subset(names).observed.all(axis=1)
        assert estimator.n_samples_fit_ == shows.sum()
        assert np.array_equal(left_out >= 0, shows)


@pytest.mark.parametrize("combine", ["crv", "vote", "modified_product", "moderation"])
def test_members_that_lack_a_view_are_silent(gappy, combine):
    """An object without a view is judged as by the ensemble of the members that can speak."""
    views, y = gappy
    new, _ = blobs(20, 3, noise=0.5)
    subsets = [["a"], ["b", "c"], ["c"]]
    knn = KNeighborsClassifier(3)
    model = ViewSubsetEnsemble(knn, subsets, "random", combine).fit(views, y)
    fewer = ViewSubsetEnsemble(knn, [["a"], ["c"]], "random", combine).fit(views, y)
    without = {"a": new["a"], "c": new["c"]}
    assert np.allclose(model.predict_proba(without), fewer.predict_proba(without))


@pytest.mark.parametrize("combine", ["crv", "vote", "moderation"])
def test_single_views_stand_in_where_all_members_are_silent(gappy, combine):
    views, y = gappy
    new, _ = blobs(20, 3, noise=0.5)
    knn = KNeighborsClassifier(3)
    model = ViewSubsetEnsemble(knn, [["a", "b"]], combine=combine).fit(views, y)
    assert model.members_ == [["a", "b"]]
    assert model.substitutes_ == [["a"], ["b"], ["c"]]
    singles = ViewSubsetEnsemble(knn, ["b", "c"], "random", combine).fit(views, y)
    without = {"b": new["b"], "c": new["c"]}
    assert np.allclose(model.predict_proba(without), singles.predict_proba(without))


def test_where_nobody_can_speak_the_prior_does():
    views, y = blobs(30, 4)
    observed = np.ones((30, 3), dtype=bool)
    observed[:, 2] = y == 1  # only one class shows the third view
    model = ViewSubsetEnsemble(KNeighborsClassifier(3)).fit(views.with_observed(observed), y)
    assert ["c"] not in model.subsets_
    shares = model.predict_proba({"c": views["c"][:4]})
    assert np.allclose(shares, 1 / 3)


def test_a_named_subset_that_teaches_nothing_is_refused():
    views, y = blobs(30, 4)
    observed = np.ones((30, 3), dtype=bool)
    observed[:, 2] = y == 1
    with pytest.raises(ViewsError, match=r"'b' \+ 'c'"):
        ViewSubsetEnsemble(KNeighborsClassifier(3), [["a"], ["b", "c"]]).fit(
            views.with_observed(observed), y
        )


@pytest.mark.parametrize("combine", ["crv", "vote", "moderation"])
def test_stages_are_ensembles_of_the_first_members(gappy, combine):
    views, y = gappy
    new, _ = blobs(30, 3)
    observed = np.random.default_rng(0).random((30, 3)) < 0.6
    observed[:, 2] |= ~observed.any(axis=1)
    new = new.with_observed(observed)
    subsets = [["a", "b"], ["b", "c"], ["a"]]
    knn = KNeighborsClassifier(3)
    model = ViewSubsetEnsemble(knn, subsets, "random", combine).fit(views, y)
    staged = list(model.staged_predict(new))
    assert len(staged) == 3
    assert np.array_equal(staged[-1], model.predict(new))
    for n_members, found in enumerate(staged, start=1):
        first = model.members_[:n_members]
        fewer = ViewSubsetEnsemble(knn, first, "random", combine).fit(views, y)
        assert np.array_equal(found, fewer.predict(new))


# -- forms and bad input ---------------------------------------------------------------------------


def test_dense_only_estimators_get_dense_rows(data):
    views, y, new, _ = data
    sparse = Views({**dict(views.items()), "b": csr_array(views["b"])})
    one = ViewSubsetEnsemble(GaussianNB()).fit(views, y)
    other = ViewSubsetEnsemble(GaussianNB()).fit(sparse, y)
    assert other.sparse_views_ == ["b"]
    assert np.allclose(one.predict_proba(new), other.predict_proba(new))


def test_unlabelled_objects_take_no_part(data):
    views, y, new, _ = data
    thin = np.where(np.arange(len(y)) % 4 == 0, -1, y)
    one = ViewSubsetEnsemble(KNeighborsClassifier(3)).fit(views, thin)
    other = ViewSubsetEnsemble(KNeighborsClassifier(3)).fit(views[thin >= 0], thin[thin >= 0])
    assert np.array_equal(one.left_out_, other.left_out_)
    assert np.allclose(one.predict_proba(new), other.predict_proba(new))


def test_estimators_without_a_seed_are_repeatable(data):
    views, y, new, _ = data
    tree = DecisionTreeClassifier(max_features=1)
    one, other = (
        ViewSubsetEnsemble(tree, random_state=5).fit(views, y).predict_proba(new) for _ in range(2)
    )
    assert np.array_equal(one, other)
    assert tree.random_state is None


def test_a_class_that_a_fold_lacks_is_lived_with():
    views, y = blobs(12, 0)
    y = np.where(np.arange(12) == 3, 0, 1)
    model = ViewSubsetEnsemble(LogisticRegression(), combine="moderation", cv=4).fit(views, y)
    assert np.isfinite(model.predict_proba(views)).all()
    constant = ViewSubsetEnsemble(DummyClassifier(), cv=2).fit(views[2:4], y[2:4])
    assert constant.left_out_[:, 0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("params", "word"),
    [
        ({"combine": "mean"}, "combine='mean'"),
        ({"selection": "best"}, "selection='best'"),
        ({"max_members": 0}, "max_members=0"),
        ({"threshold": 1.0}, "threshold=1.0"),
        ({"validation": 0}, "validation=0"),
        ({"validation": "loo"}, "validation='loo'"),
        ({"validation": (1, 2)}, "a tuple of objects and their labels"),
        ({"param_grid": []}, "has no value to try"),
        ({"param_grid": {"penalty": []}}, "has no value of 'penalty' to try"),
        ({"subsets": "some"}, "subsets='some' should be 'auto', 'all'"),
        ({"cv": 1}, "cv=1 should be an integer of at least 2"),
        ({"estimator": LogisticRegression(), "cv": [([0], [999])]}, "are not those of"),
        ({"estimator": LogisticRegression(), "cv": [([0], [-1])]}, "are not those of"),
        ({"estimator": KNeighborsClassifier(10**6)}, "when one is left out; give fewer"),
        ({"validation": (1, 2, 3)}, "a tuple of objects and their labels"),
        (
            {"selection": "validation", "validation": "left_out", "combine": "moderation"},
            "knows labels only",
        ),
    ],
)
def test_bad_parameters_are_refused(data, params, word):
    views, y, *_ = data
    with pytest.raises(ValueError, match=word):
        ViewSubsetEnsemble(**params).fit(views, y)


def test_it_reports_members_and_subsets(data, capsys):
    views, y, *_ = data
    ViewSubsetEnsemble(KNeighborsClassifier(3), ["a", ["a", "c"]], verbose=2).fit(views, y)
    printed = capsys.readouterr().out.splitlines()
    assert "'a' + 'c' has the left-out error" in printed[1]
    assert "of 2 subsets" in printed[2]


def test_many_views_are_taken_alone_all_but_one_and_all():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    views = {f"v{n}": rng.normal(size=(30, 1)) + y[:, None] for n in range(11)}
    model = ViewSubsetEnsemble(KNeighborsClassifier(3)).fit(views, y)
    assert all(len(member) in (1, 10, 11) for member in model.members_)
    with pytest.raises(ValueError, match="11 views have 2047 subsets"):
        ViewSubsetEnsemble(KNeighborsClassifier(3), "all").fit(views, y)
