"""Labels with an index find their objects through scikit-learn's tools, or are refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import MergeViews, PerView, Views
from manyviews.cluster import BregmanWard, CoRegularizedSpectral, CoSphericalKMeans
from manyviews.compose import LabelledOnly, SplitViews
from manyviews.embed import CCA, CrossViewRetriever
from manyviews.exceptions import ViewsError
from manyviews.semi_supervised import CoTraining

pd = pytest.importorskip("pandas")

N = 60


@pytest.fixture
def tables():
    rng = np.random.default_rng(0)
    y = pd.Series(np.arange(N) % 2, name="kind")
    signal = rng.normal(size=(N, 6)) + 4 * y.to_numpy()[:, None]
    return {"a": pd.DataFrame(signal[:, :3]), "b": pd.DataFrame(signal[:, 3:])}, y


def models():
    return {
        "classifier": LabelledOnly(),
        "pipeline of ours": make_pipeline(PerView(StandardScaler()), LabelledOnly()),
        "pipeline of theirs": make_pipeline(MergeViews(), LogisticRegression()),
    }


@pytest.mark.parametrize("model", models().values(), ids=models())
def test_cross_validation_with_labels_in_another_order_is_refused(tables, model):
    views, y = Views(tables[0]), tables[1]
    assert cross_val_score(model, views, y, cv=3, error_score="raise").min() > 0.9
    shuffled = y.sample(frac=1, random_state=0)
    with pytest.raises(ViewsError, match="y is matched to the views by its index"):
        cross_val_score(model, views, shuffled, cv=3, error_score="raise")


@pytest.mark.parametrize("model", models().values(), ids=models())
def test_splits_of_tables_and_labels_fit_each_other(tables, model):
    data, y = tables
    a, a_new, b, b_new, known, new = train_test_split(data["a"], data["b"], y, random_state=0)
    fitted = model.fit({"a": a, "b": b}, known)
    assert fitted.score({"a": a_new, "b": b_new}, new) > 0.9
    with pytest.raises(ViewsError, match="view 'b' has the object"):
        fitted.predict({"a": a_new, "b": b_new[::-1]})


def test_a_classifier_matches_in_fit_and_score(tables):
    data, y = tables
    shuffled = y.sample(frac=1, random_state=0)
    views = Views(data)
    model = CoTraining(random_state=0).fit(views, shuffled)
    expected = CoTraining(random_state=0).fit(views, y)
    np.testing.assert_array_equal(model.predict_proba(views), expected.predict_proba(views))
    assert model.score(data, shuffled) == model.score(data, y) == model.score(views, y.to_frame())
    with pytest.raises(ViewsError, match="sample_weight is matched"):
        model.score(views, y, sample_weight=pd.Series(1.0, index=range(1, N + 1)))


def test_one_plain_table_is_matched_too(tables):
    table, y = tables[0]["a"], tables[1]
    shuffled = y.sample(frac=1, random_state=0)
    assert LabelledOnly().fit(table, shuffled).score(table, shuffled) > 0.9
    with pytest.raises(ViewsError, match="lacks the object 0"):
        LabelledOnly().fit(table, y.set_axis(range(1, N + 1)))
    assert LabelledOnly().fit(table.to_numpy(), shuffled)  # an array has no ids


@pytest.mark.parametrize("first", [PerView(StandardScaler()), MergeViews(), SplitViews({"a": 3})])
def test_the_first_step_of_a_pipeline_refuses_what_the_next_would_mix_up(tables, first):
    table, y = tables[0]["a"], tables[1]
    pipeline = make_pipeline(first, LabelledOnly())
    pipeline.fit(table, y)
    with pytest.raises(ViewsError, match=f"another order.*steps after {type(first).__name__}"):
        pipeline.fit(table, y[::-1])


def test_ids_pass_through_plain_tables(tables):
    table = tables[0]["a"].set_axis([f"o{i}" for i in range(N)])
    scaler = PerView(StandardScaler()).fit(table)
    assert scaler.transform(table[5:7]).sample_ids.tolist() == ["o5", "o6"]
    labelled = PerView(StandardScaler()).fit(table, tables[1].set_axis(table.index)[::-1])
    np.testing.assert_array_equal(
        labelled.transform(table)["view0"], scaler.transform(table)["view0"]
    )


def test_transformers_that_learn_from_labels_match_them(tables):
    from sklearn.feature_selection import SelectKBest

    data, y = tables
    views = Views(data)
    chosen = PerView(SelectKBest(k=1)).fit(views, y)
    again = PerView(SelectKBest(k=1)).fit(views, y.sample(frac=1, random_state=0))
    for name in views.names:
        expected = chosen.transformers_[name].scores_
        np.testing.assert_allclose(again.transformers_[name].scores_, expected)


def test_groups_go_with_the_rows(tables):
    views, y = Views(tables[0]), tables[1]
    groups = pd.Series(np.arange(N) // 6)
    scores = cross_val_score(LabelledOnly(), views, y, groups=groups, cv=GroupKFold(3))
    assert scores.min() > 0.9


@pytest.mark.parametrize(
    "model",
    [CoRegularizedSpectral(2, random_state=0), CoSphericalKMeans(2, random_state=0), BregmanWard()],
    ids=lambda model: type(model).__name__,
)
def test_clusters_are_scored_by_labels_of_their_own_objects(tables, model):
    views, y = Views(tables[0]), tables[1]
    model.fit(views, y)
    with pytest.raises(ViewsError, match=r"another order.*steps after"):
        model.fit(views, y.sample(frac=1, random_state=0))


@pytest.mark.parametrize("of_tables", [False, True])
def test_tables_that_come_out_have_the_ids_of_those_that_go_in(tables, of_tables):
    data = {name: table.sample(frac=1, random_state=0) for name, table in tables[0].items()}
    ids = data["a"].index.tolist()
    X = data if of_tables else Views(data)
    for model in (CCA(2), MergeViews()):
        model.set_output(transform="pandas")
        assert model.fit_transform(X).index.tolist() == ids
        assert model.transform(X).index.tolist() == ids


def test_a_wide_table_with_its_columns_in_another_order_is_refused(tables):
    data = {name: table.add_prefix(name) for name, table in tables[0].items()}
    model = LabelledOnly().fit(data, tables[1])
    wide = pd.concat(data.values(), axis=1)
    np.testing.assert_array_equal(model.predict(wide), model.predict(data))
    with pytest.raises(ViewsError, match="view 'a' has 'b0' in column 0 where fit saw 'a0'"):
        model.predict(wide[["b0", "b1", "b2", "a0", "a1", "a2"]])


def test_names_of_searched_objects_are_matched(tables):
    views = Views(tables[0])
    names = pd.Series([f"o{i}" for i in range(N)])
    retriever = CrossViewRetriever(CCA(2)).fit(views).index(views, names[::-1])
    assert retriever.query(views[:3], k=1).ids[:, 0].tolist() == ["o0", "o1", "o2"]
