"""PerView, MergeViews and SplitViews alone and in scikit-learn's pipelines."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

from manyviews import MergeViews, PerView, SplitViews, Views
from manyviews.exceptions import (
    ParameterError,
    UnknownViewError,
    UnobservedViewsError,
    ViewsError,
)


@pytest.fixture
def labelled():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    dense = rng.normal(size=(60, 3)) + y[:, None]
    counts = sparse.csr_array(rng.poisson(1 + y[:, None], size=(60, 5)).astype(float))
    mask = np.ones((60, 2), dtype=bool)
    mask[::7, 0] = False
    mask[3::7, 1] = False
    return Views({"dense": dense, "counts": counts}, observed=mask), y


def test_each_view_is_transformed_on_its_observed_rows(labelled):
    views, _ = labelled
    model = PerView({"dense": StandardScaler(), "counts": MaxAbsScaler()}).fit(views)
    out = model.transform(views)
    seen = views.observed_in("dense")
    expected = StandardScaler().fit_transform(views["dense"][seen])
    np.testing.assert_allclose(out["dense"][seen], expected)
    assert np.isnan(out["dense"][~seen]).all()
    assert sparse.issparse(out["counts"])
    np.testing.assert_array_equal(out.observed, views.observed)
    assert out.names == views.names


def test_fit_then_transform_is_fit_transform(labelled):
    views, y = labelled
    model = PerView([StandardScaler(), "passthrough"])
    assert model.fit(views, y).transform(views).equals(model.fit_transform(views, y))


@pytest.mark.exact
def test_passing_through_changes_nothing(labelled):
    views, _ = labelled
    assert PerView().fit_transform(views).equals(views)


def test_supervised_transformers_learn_from_labelled_objects_only(labelled):
    views, y = labelled
    few = np.where(np.arange(60) % 3 == 0, y, -1)
    model = PerView({"dense": SelectKBest(k=1), "counts": "passthrough"}).fit(views, few)
    rows = views.observed_in("dense") & (few >= 0)
    expected = SelectKBest(k=1).fit(views["dense"][rows], few[rows])
    np.testing.assert_allclose(model.transformers_["dense"].scores_, expected.scores_)


def test_new_objects_without_a_view_stay_without(labelled):
    views, _ = labelled
    model = PerView(StandardScaler(with_mean=False)).fit(views)
    out = model.transform({"dense": None, "counts": views["counts"][:4]})
    assert out["dense"].shape == (4, 3)
    assert not out.observed_in("dense").any()


def test_missing_cells_can_be_filled_per_view():
    views = Views({"a": [[1.0, np.nan], [3.0, 4.0], [np.nan, np.nan]], "b": np.eye(3)})
    out = PerView(SimpleImputer()).fit_transform(views)
    np.testing.assert_array_equal(out["a"][:2], [[1, 4], [3, 4]])
    assert not out.observed[2, 0]


def test_names_follow_the_transformer():
    frame = pd.DataFrame({"colour": [0.0, 1.0, 1.0]}, index=list("xyz"))
    views = Views({"look": frame, "size": np.ones((3, 1))})
    model = PerView({"look": OneHotEncoder(), "size": "passthrough"})
    out = model.fit_transform(views)
    assert list(out.feature_names["look"]) == ["colour_0.0", "colour_1.0"]
    assert list(model.get_feature_names_out()) == [
        "look__colour_0.0",
        "look__colour_1.0",
        "size__0",
    ]
    assert list(out.sample_ids) == ["x", "y", "z"]


def test_pandas_output_keeps_views_apart(labelled):
    views, _ = labelled
    frame = PerView().set_output(transform="pandas").fit_transform(views)
    assert frame.columns[0] == "dense__0"
    np.testing.assert_array_equal(Views(frame).observed, views.observed)


@pytest.mark.parametrize(
    ("transformer", "error", "message"),
    [
        ({"dense": "passthrough"}, UnknownViewError, "no value for the view 'counts'"),
        (LogisticRegression(), ParameterError, "a transformer with fit_transform and transform"),
        (
            {"dense": "passthrough", "counts": "drop"},
            ParameterError,
            "transformer.'counts'.='drop'",
        ),
    ],
)
def test_what_cannot_be_applied_is_refused(labelled, transformer, error, message):
    with pytest.raises(error, match=message):
        PerView(transformer).fit(labelled[0])


def test_a_view_never_observed_cannot_be_learnt():
    with pytest.raises(UnobservedViewsError, match="'b' is observed for no object"):
        PerView(StandardScaler()).fit({"a": np.eye(2), "b": np.full((2, 2), np.nan)})


@pytest.mark.parametrize(("fill", "expected"), [("mean", 2.0), ("zero", 0.0), ("nan", np.nan)])
def test_gaps_are_filled_as_asked(fill, expected):
    views = Views({"a": [[1.0], [3.0], None], "b": np.ones((3, 1))})
    merged = MergeViews(fill).fit_transform(views)
    np.testing.assert_array_equal(merged[:, 0], [1.0, 3.0, expected])


def test_the_mean_is_that_of_fit(labelled):
    train = Views({"a": [[1.0], [3.0]], "b": np.ones((2, 1))})
    model = MergeViews().fit(train)
    np.testing.assert_array_equal(model.transform({"a": None, "b": [[5.0]]}), [[2.0, 5.0]])


def test_merging_sparse_views_gives_a_sparse_matrix(labelled):
    views, _ = labelled
    model = MergeViews(indicator=True)
    merged = model.fit_transform(views)
    assert sparse.issparse(merged)
    assert merged.shape == (60, 10)
    np.testing.assert_array_equal(merged[:, [8, 9]].toarray(), views.observed)
    assert list(model.get_feature_names_out()[-2:]) == ["observed__dense", "observed__counts"]


def test_an_unknown_fill_is_refused():
    with pytest.raises(ValueError, match="fill='median' should be 'mean'"):
        MergeViews("median").fit(np.eye(2))


def pipeline():
    scale = PerView({"dense": StandardScaler(), "counts": MaxAbsScaler()})
    return make_pipeline(scale, MergeViews(), LogisticRegression())


def test_pipelines_are_cross_validated_on_views(labelled):
    views, y = labelled
    full = Views({name: np.nan_to_num(np.asarray(views.subset([name]))) for name in views.names})
    columns = [("dense", StandardScaler(), [0, 1, 2]), ("counts", MaxAbsScaler(), [3, 4, 5, 6, 7])]
    by_hand = make_pipeline(ColumnTransformer(columns), LogisticRegression())
    np.testing.assert_array_equal(
        cross_val_predict(pipeline(), full, y, cv=3),
        cross_val_predict(by_hand, np.asarray(full), y, cv=3),
    )


def test_pipelines_are_cross_validated_with_gaps(labelled):
    views, y = labelled
    assert np.isfinite(cross_val_score(pipeline(), views, y, cv=3)).all()


def test_grids_reach_parameters_by_view_name(labelled):
    views, y = labelled
    grid = {"perview__transformer__dense__with_std": [True, False], "mergeviews__fill": ["zero"]}
    search = GridSearchCV(pipeline(), grid, cv=2).fit(views, y)
    assert search.best_params_["mergeviews__fill"] == "zero"


def test_permutation_importance_takes_views():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    views = Views({"good": y[:, None] + rng.normal(size=(60, 1)) / 9, "bad": rng.random((60, 1))})
    model = make_pipeline(PerView(StandardScaler()), MergeViews(), LogisticRegression())
    found = permutation_importance(model.fit(views, y), views, y, n_repeats=3, random_state=0)
    assert found.importances_mean[0] > 0.3
    assert found.importances_mean[1] < 0.1


def test_bagging_finds_the_views_again(labelled):
    views, y = labelled
    whole, y = views.drop_unobserved(), y[views.observed.all(axis=1)]
    widths = dict(zip(views.names, views.layout.widths, strict=True))
    member = make_pipeline(SplitViews(widths), *pipeline())
    bag = BaggingClassifier(member, n_estimators=3, random_state=0).fit(whole, y)
    assert bag.score(whole, y) > 0.8
    assert bag.estimators_[0][1].view_names_ == ("dense", "counts")


def test_splitting_by_name_and_position():
    frame = pd.DataFrame(np.arange(8.0).reshape(2, 4), columns=list("abcd"))
    model = SplitViews({"x": ["d", "a"], "z": [1, 2]})
    out = model.fit_transform(frame)
    np.testing.assert_array_equal(out["x"], [[3, 0], [7, 4]])
    assert list(model.get_feature_names_out()) == ["x__d", "x__a", "z__b", "z__c"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": 2, "z": 1}, "add up to 3 but the matrix has 4"),
        ({"x": 2, "z": [2, 3]}, "widths for some views and lists for others"),
        ({"x": [9]}, "the column 9"),
        ({"x": ["nothing"]}, "the column 'nothing'"),
    ],
)
def test_columns_that_are_not_there_are_refused(columns, message):
    with pytest.raises(ViewsError, match=message):
        SplitViews(columns).fit(np.ones((2, 4)))
