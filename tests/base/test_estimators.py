"""Bases: tags, remembered layouts, labels, and parameters by view name."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import get_tags

from manyviews.base import (
    BaseMultiView,
    BaseMultiViewClassifier,
    BaseMultiViewRegressor,
    ViewTags,
)
from manyviews.compose import PerView
from manyviews.data import Views
from manyviews.ensemble import ViewSubsetEnsemble
from manyviews.exceptions import NumberOfViewsError, UnobservedViewsError, ViewsError
from manyviews.semi_supervised import CoTraining, CoTrainingRegressor, SelfTraining

A, B = np.arange(6.0).reshape(3, 2), np.arange(9.0).reshape(3, 3)


class Reader(BaseMultiView):
    """Only reads."""

    view_tags = ViewTags(unobserved=False, sparse=False, min_views=1, max_views=3)

    def fit(self, X, y=None):
        self._fit_views(X)
        return self

    def read(self, X):
        return self._new_views(X)


class Namer(BaseMultiViewClassifier):
    def fit(self, X, y=None):
        self.labels = self._fit_labels(y, self._fit_views(X))
        return self


class Estimator(BaseMultiViewRegressor):
    """Remembers the numbers, and answers with the first feature of the first view."""

    def __init__(self, accept_unknown: bool = False):
        self.accept_unknown = accept_unknown

    def fit(self, X, y=None):
        views = self._fit_views(X)
        self.targets_ = self._fit_targets(y, views, accept_unknown=self.accept_unknown)
        return self

    def predict(self, X):
        return self._new_views(X)["a"][:, 0]


def test_tags_reach_scikit_learn():
    tags = get_tags(Reader())
    assert tags.views.max_views == 3
    assert tags.input_tags.sparse is False
    assert get_tags(PerView()).input_tags.sparse is True
    assert get_tags(Namer()).estimator_type == "classifier"
    assert get_tags(Estimator()).estimator_type == "regressor"


def test_the_layout_is_remembered():
    model = Reader().fit({"a": pd.DataFrame(A, columns=["x", "z"]), "b": B})
    assert model.view_names_ == ("a", "b")
    assert model.layout_.widths == (2, 3)
    assert model.n_features_in_ == 5
    assert not hasattr(model, "feature_names_in_")


def test_feature_names_are_kept_if_every_view_has_them_and_forgotten_in_the_next_fit():
    named = {"a": pd.DataFrame(A, columns=["x", "z"]), "b": pd.DataFrame(B, columns=list("pqr"))}
    model = Reader().fit(named)
    assert list(model.feature_names_in_) == ["a__x", "a__z", "b__p", "b__q", "b__r"]
    assert not hasattr(model.fit({"a": A, "b": B}), "feature_names_in_")


def test_refusals_name_the_method():
    with pytest.raises(NumberOfViewsError, match="Reader takes at most 3"):
        Reader().fit([A, A, A, A])
    with pytest.raises(ViewsError, match="Reader takes dense views"):
        Reader().fit({"a": sparse.csr_array(A)})
    with pytest.raises(UnobservedViewsError, match="Reader needs every"):
        Reader().fit({"a": A, "b": [[1.0], None, [2.0]]})


def test_new_data_need_a_fit():
    with pytest.raises(NotFittedError):
        Reader().read([A, B])


def test_a_plain_matrix_is_one_view_and_a_wide_one_is_cut():
    assert Reader().fit(A).view_names_ == ("view0",)
    model = Reader().fit({"a": A, "b": B})
    assert model.read(np.hstack([A, B])).names == ("a", "b")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([-1, -1, -1], "no object is labelled"),
        ([1, -1, 1], r"one class only \(.*1.*\)"),
        ([0, 1], "inconsistent numbers of samples"),
        ([0.5, 1.5, 2.25], "Unknown label type"),
        ([0.0, np.inf, 1.0], "y contains infinity"),
    ],
)
def test_labels_that_teach_nothing_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        Namer().fit(A, y)


def test_classes_are_remembered():
    model = Namer().fit(A, ["b", None, "a"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.labels.codes.tolist() == [1, -1, 0]


# -- parameters by view name ---------------------------------------------------------------------


def per_view_model():
    return PerView({"a": StandardScaler(), "b": MinMaxScaler()})


def test_parameters_inside_dicts_are_listed():
    params = per_view_model().get_params()
    assert params["transformer__a__with_mean"] is True
    assert isinstance(params["transformer__b"], MinMaxScaler)
    assert "transformer__a" not in per_view_model().get_params(deep=False)


def test_parameters_inside_dicts_are_set_without_changing_the_users_dict():
    given = {"a": StandardScaler(), "b": MinMaxScaler()}
    model = PerView(given).set_params(transformer__a="passthrough")
    assert model.transformer["a"] == "passthrough"
    assert isinstance(given["a"], StandardScaler)
    model.set_params(transformer__b__clip=True)
    assert model.transformer["b"].clip is True


def test_setting_whole_and_part_at_once():
    model = PerView().set_params(
        transformer={"a": StandardScaler(), "b": "passthrough"}, transformer__a__with_std=False
    )
    assert model.transformer["a"].with_std is False


def test_unknown_views_and_parameters_are_refused():
    with pytest.raises(ValueError, match="transformer has no view 'c'"):
        per_view_model().set_params(transformer__c__clip=True)
    with pytest.raises(ValueError, match="Invalid parameter"):
        per_view_model().set_params(nothing=1)


def test_clones_share_nothing():
    model = per_view_model()
    twin = clone(model).set_params(transformer__a__with_mean=False)
    assert model.transformer["a"].with_mean is True
    assert twin.transformer["a"].with_mean is False


def test_views_are_read_in_every_form_alike():
    for data in ([A, B], {"view1": B, "view0": A}, Views({"view0": A, "view1": B})):
        model = Reader().fit([A, B])
        np.testing.assert_array_equal(np.asarray(model.read(data)), np.hstack([A, B]))


@pytest.mark.parametrize("named", [False, True])
def test_a_fit_that_refuses_a_matrix_leaves_the_old_one(named):
    good, bad = A, np.full((3, 4), np.inf)
    if named:
        good, bad = pd.DataFrame(good, columns=["x", "z"]), pd.DataFrame(bad, columns=list("pqrs"))
    model = Reader().fit(good)
    with pytest.raises(ViewsError, match="infinity"):
        model.fit(bad)
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.read(good)["view0"], A)


@pytest.mark.parametrize(
    "y",
    [
        [1.0, np.nan, 3.0],
        [1, None, 3],
        np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False]),
        pd.Series([1.0, None, 3.0]),
    ],
)
def test_numbers_may_be_unknown_where_a_regressor_accepts_it(y):
    found = Estimator(accept_unknown=True).fit({"a": A}, y).targets_
    assert np.array_equal(found, [1.0, np.nan, 3.0], equal_nan=True)
    with pytest.raises(ValueError, match="NaN"):
        Estimator().fit({"a": A}, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y"),
        ([1.0, np.inf, 2.0], "infinity"),
        ([np.nan] * 3, "nothing to learn from"),
        (["low", "high", "low"], "no number"),
        ([1.0, 2.0], "inconsistent"),
    ],
)
def test_numbers_that_teach_nothing_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        Estimator(accept_unknown=True).fit({"a": A}, y)


def test_a_regressor_matches_numbers_by_id():
    views = Views({"a": pd.DataFrame(A, index=["ann", "bob", "cid"])})
    shuffled = pd.Series(A[:, 0], index=["ann", "bob", "cid"]).iloc[[2, 0, 1]]
    model = Estimator().fit(views, shuffled)
    assert model.targets_.tolist() == A[:, 0].tolist()
    assert model.score(views, shuffled) == 1.0


# -- estimators that a user brings ----------------------------------------------------------------

TREE = DecisionTreeClassifier(random_state=0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "model",
    [
        CoTraining(TREE),
        CoTraining(TREE, combine="refit"),
        SelfTraining(TREE),
        CoTrainingRegressor(DecisionTreeRegressor(random_state=0)),
        ViewSubsetEnsemble(TREE),
    ],
    ids=lambda model: " ".join(repr(model).split()),
)
def test_values_that_a_given_tree_cannot_hold_are_refused_in_a_sentence(model, form):
    groups = np.arange(20) % 2
    X = {name: form(np.outer(groups + 1.0, [1.0, 0.0, 2.0])) for name in "ab"}
    with pytest.raises(ValueError, match=r"^values beyond 3\.4e\+38 are too large for"):
        clone(model).fit({name: matrix * 1e39 for name, matrix in X.items()}, groups)
    fitted = clone(model).fit(X, groups)
    with pytest.raises(ValueError, match=r"^values beyond 3\.4e\+38 are too large for"):
        fitted.predict({name: matrix * 1e39 for name, matrix in X.items()})
