"""MultiViewDBSCAN against scikit-learn, against the definition by brute force, and its rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.cluster import DBSCAN
from sklearn.datasets import make_moons

from manyviews import Views
from manyviews.cluster import MultiViewDBSCAN, dbscan
from manyviews.cluster.dbscan import density_clusters, pairs_told_apart
from manyviews.datasets import make_two_moons_two_lines
from manyviews.exceptions import ViewsError, ViewsWarning
from manyviews.metrics import adjusted_rand_score


def points(seed, n_objects, n_views, *, grid=False, missing=0.0):
    """Loose groups in each view, on a grid with many ties if asked, some views unobserved."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(4, size=n_objects)
    arrays = {}
    for view in range(n_views):
        spread = groups[:, None] * 2.0 + rng.standard_normal((n_objects, 2))
        arrays[f"v{view}"] = np.rint(2 * spread) if grid else spread
    observed = rng.random((n_objects, n_views)) >= missing
    observed[~observed.any(axis=1), 0] = True
    return Views(arrays, observed=observed)


def neighbours_by_definition(views, eps, rule):
    """Dense neighbourhoods, straight from the definition, empty where a view is unobserved."""
    hoods = []
    for name, matrix in views.items():
        seen = views.observed_in(name)
        gaps = np.linalg.norm(matrix[:, None] - matrix[None], axis=2)
        hoods.append(np.where(np.isnan(gaps), False, gaps <= eps) & seen[:, None] & seen[None])
    return np.any(hoods, axis=0) if rule == "union" else np.all(hoods, axis=0)


def expand_one_by_one(hood, min_samples):
    """The textbook's DBSCAN: expand the cluster of each core object in turn."""
    core = hood.sum(axis=1) >= min_samples
    labels = np.full(len(hood), -1)
    number = 0
    for first in np.flatnonzero(core):
        if labels[first] != -1:
            continue
        stack = [first]
        while stack:
            here = stack.pop()
            if labels[here] == -1:
                labels[here] = number
                if core[here]:
                    stack.extend(np.flatnonzero(hood[here] & (labels == -1)))
        number += 1
    return labels, core


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), eps=st.sampled_from([0.4, 1.0, 2.0]), grid=st.booleans())
def test_one_view_is_scikit_learn(seed, eps, grid):
    X = points(seed, 60, 1, grid=grid)["v0"]
    ours = MultiViewDBSCAN(eps=eps, min_samples=4).fit(X)
    theirs = DBSCAN(eps=eps, min_samples=4).fit(X)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert np.array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    np.testing.assert_allclose(ours.components_["view0"], theirs.components_, rtol=1e-12)


@pytest.mark.parametrize("metric", ["cosine", "manhattan", "chebyshev"])
def test_metrics_are_scikit_learns(metric):
    X = np.abs(points(3, 80, 1)["v0"]) + 0.1
    eps = 0.01 if metric == "cosine" else 0.6
    ours = MultiViewDBSCAN(eps=eps, metric=metric).fit(X)
    theirs = DBSCAN(eps=eps, metric=metric).fit(X)
    assert len(np.unique(theirs.labels_)) > 1
    assert np.array_equal(ours.labels_, theirs.labels_)


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    rule=st.sampled_from(["union", "intersection"]),
    n_views=st.integers(1, 3),
    missing=st.sampled_from([0.0, 0.3]),
    grid=st.booleans(),
)
def test_many_views_follow_the_definition(seed, rule, n_views, missing, grid):
    views = points(seed, 50, n_views, missing=missing, grid=grid)
    eps = 1.0 if rule == "union" else 2.0
    model = MultiViewDBSCAN(eps=eps, min_samples=4, rule=rule).fit(views)
    labels, core = expand_one_by_one(neighbours_by_definition(views, eps, rule), 4)
    assert np.array_equal(model.labels_, labels)
    assert np.array_equal(model.core_sample_indices_, np.flatnonzero(core))
    assert np.array_equal(model.predict(views), labels)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), batch=st.integers(1, 40))
def test_batches_do_not_matter(seed, batch):
    rng = np.random.default_rng(seed)
    hood = rng.random((40, 40)) < 0.04
    hood = hood | hood.T | np.eye(40, dtype=bool)
    rows = [csr_array(hood[first : first + batch]) for first in range(0, 40, batch)]
    labels, core = density_clusters(rows, 40, 4)
    expected_labels, expected_core = expand_one_by_one(hood, 4)
    assert np.array_equal(core, expected_core)
    assert np.array_equal(labels, expected_labels)


def test_links_are_merged_on_the_way(monkeypatch):
    """A chain of small batches and dense neighbourhoods, so that links are merged many times."""
    monkeypatch.setattr(dbscan, "BATCH", 16)
    X, _ = make_moons(300, noise=0.05, random_state=0)
    ours = MultiViewDBSCAN(eps=0.6, min_samples=5).fit(X)
    assert np.array_equal(ours.labels_, DBSCAN(eps=0.6, min_samples=5).fit_predict(X))


def test_border_object_goes_to_the_first_cluster_in_fit_and_in_predict():
    line = np.array([2.0, 2.1, 2.2, 1.0, 0.0, -0.1, -0.2])[:, None]  # 1.0 touches both groups
    model = MultiViewDBSCAN(eps=1.0, min_samples=4).fit(line)
    assert model.labels_.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert 3 not in model.core_sample_indices_
    assert model.predict(line).tolist() == model.labels_.tolist()
    assert model.predict([[1.0], [-1.0], [9.0]]).tolist() == [0, 1, -1]


def test_new_objects_by_the_views_they_have():
    views = {"a": [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], "b": [[3.0]] * 3 + [[7.0]] * 3}
    new = {"a": [[0.1], None, [0.1], None], "b": [None, [7.0], [7.0], [5.0]]}
    union = MultiViewDBSCAN(eps=0.3, min_samples=3).fit(views)
    assert union.predict(new).tolist() == [0, 1, 0, -1]
    both = MultiViewDBSCAN(eps=0.3, min_samples=3, rule="intersection").fit(views)
    assert both.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    assert both.predict(new).tolist() == [-1, -1, -1, -1]
    assert both.predict({"a": [[0.3]], "b": [[3.1]]}).tolist() == [0]


def test_radius_and_metric_by_view():
    views = {"a": [[0.0], [1.0], [50.0]], "b": [[0.0], [90.0], [99.0]]}
    model = MultiViewDBSCAN(eps={"a": 2.0, "b": 10.0}, min_samples=2).fit(views)
    assert model.eps_ == {"a": 2.0, "b": 10.0}
    assert model.labels_.tolist() == [0, 0, 0]
    assert MultiViewDBSCAN(eps=[2.0, 5.0], min_samples=2).fit(views).labels_.tolist() == [0, 0, -1]


def test_automatic_radius_finds_moons_and_lines():
    views, y = make_two_moons_two_lines(300, noise=0.05, random_state=0)
    rng = np.random.default_rng(0)
    stray = {name: rng.uniform(4.0, 40.0, size=(8, 2)) for name in views.names}
    both = {name: np.vstack([views[name], stray[name]]) for name in views.names}
    model = MultiViewDBSCAN(rule="intersection").fit(both)
    assert (model.labels_[300:] == -1).all()
    kept = model.labels_[:300] != -1
    assert kept.mean() > 0.85
    for label in np.unique(model.labels_[:300][kept]):
        assert len(np.unique(y[model.labels_[:300] == label])) == 1


def test_automatic_radius_scales_with_the_view_and_not_with_the_order():
    views = points(5, 120, 2)
    order = np.random.default_rng(0).permutation(120)
    first = MultiViewDBSCAN().fit(views).eps_
    again = MultiViewDBSCAN().fit(views[order]).eps_
    scaled = MultiViewDBSCAN().fit({"v0": 10 * views["v0"], "v1": views["v1"]}).eps_
    assert first == pytest.approx(again)
    assert scaled["v0"] == pytest.approx(10 * first["v0"])
    assert scaled["v1"] == pytest.approx(first["v1"])


def blobs(seed, n_features, n_groups=4, n_objects=240):
    """Groups of normal points about centres that lie apart, with another order in each view."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_groups
    views = {
        name: 12.0 * rng.standard_normal((n_groups, n_features))[y]
        + rng.standard_normal((n_objects, n_features))
        for name in ("a", "b")
    }
    return views, y


@pytest.mark.parametrize("n_features", [2, 30])
@pytest.mark.parametrize("rule", ["union", "intersection"])
def test_automatic_radius_tells_groups_apart_in_few_and_in_many_features(rule, n_features):
    views, y = blobs(0, n_features)
    labels = MultiViewDBSCAN(rule=rule).fit_predict(views)
    kept = labels != -1
    assert kept.mean() > 0.8
    assert adjusted_rand_score(y[kept], labels[kept]) > 0.9


def test_automatic_radius_of_a_sample_does_for_all(monkeypatch):
    views, y = blobs(0, 3, n_objects=900)
    monkeypatch.setattr(dbscan, "SAMPLE", 200)
    labels = MultiViewDBSCAN().fit_predict(views)
    kept = labels != -1
    assert kept.mean() > 0.8
    assert adjusted_rand_score(y[kept], labels[kept]) > 0.9


def test_automatic_radius_fits_to_one_that_is_given():
    views, y = blobs(2, 2)
    model = MultiViewDBSCAN(eps={"a": "auto", "b": 1e-6}).fit(views)
    assert model.eps_["b"] == 1e-6
    assert adjusted_rand_score(y, model.labels_) > 0.8


def test_automatic_metric_is_the_cosine_for_rows_of_mostly_zeros():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    lengths = rng.choice([3.0, 300.0], size=(90, 1))
    size = rng.standard_normal((90, 1)) + 5.0 * y[:, None]
    words = lengths * (rng.random((90, 60)) < 0.2) * np.repeat(np.eye(3), 20, axis=1)[y]
    model = MultiViewDBSCAN().fit({"words": csr_array(words), "size": size})
    assert model.metrics_ == {"words": "cosine", "size": "euclidean"}
    dense = MultiViewDBSCAN().fit({"words": words, "size": size})
    assert dense.metrics_ == model.metrics_


def test_one_cluster_or_none_is_warned_of_where_the_radius_was_not_given():
    X = np.random.default_rng(0).uniform(size=(60, 1)).cumsum(axis=0)
    with pytest.warns(ViewsWarning, match="only noise .* give eps by hand"):
        MultiViewDBSCAN(min_samples=61).fit(X)
    MultiViewDBSCAN(eps=1e9).fit(X)  # asked for, and no warning


def blobs_and_noise():
    views, y = blobs(0, 2)
    return views, {**views, "noise": np.random.default_rng(5).normal(size=(len(y), 50))}


@pytest.mark.parametrize("rule", ["union", "intersection"])
def test_a_view_of_noise_is_named_and_left_out(rule):
    views, more = blobs_and_noise()
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty of structure") as caught:
        model = MultiViewDBSCAN(rule=rule).fit(more)
    assert caught[0].filename == __file__
    assert {name for name, weight in model.view_weights_.items() if not weight} == {"noise"}
    assert "noise" not in model.eps_
    alone = MultiViewDBSCAN(rule=rule).fit(views)
    assert np.array_equal(model.labels_, alone.labels_)
    assert np.array_equal(model.predict(more), model.labels_)
    assert (model.predict({**dict.fromkeys(views), "noise": more["noise"]}) == -1).all()


def test_all_views_are_used_if_asked_for_or_if_a_radius_is_given():
    _, more = blobs_and_noise()
    for model in (MultiViewDBSCAN(view_weights=None), MultiViewDBSCAN(eps=0.1)):
        assert set(model.fit(more).eps_) == set(more)


def test_verbose_says_radii_and_progress(capsys):
    views, _ = blobs(0, 2)
    MultiViewDBSCAN(verbose=1).fit(views)
    said = capsys.readouterr().out
    assert "eps " in said
    assert "240 of 240" in said


def test_pairs_told_apart_are_counted():
    labels = np.array([0, 0, 1, 2, -1, -1])
    pairs = [(i, j) for i in range(6) for j in range(6) if labels[i] != labels[j]]
    assert pairs_told_apart(labels) == sum(labels[i] >= 0 and labels[j] >= 0 for i, j in pairs)


def test_copies_leave_a_positive_radius_or_a_clear_error():
    X = np.vstack([np.zeros((20, 1)), np.arange(5)[:, None] + 1.0])
    with pytest.warns(ViewsWarning, match="found one cluster"):
        assert MultiViewDBSCAN(min_samples=2).fit(X).eps_["view0"] > 0
    with pytest.raises(ViewsError, match=r"view 'view0' shows every object at least .* times"):
        MultiViewDBSCAN().fit(np.ones((20, 2)))
    with pytest.raises(ViewsError, match="view 'b' is observed for 0"):
        MultiViewDBSCAN().fit({"a": np.eye(3), "b": None})


def test_sparse_views_stay_sparse_and_give_the_same():
    views = points(7, 80, 2)
    thin = {name: csr_array(matrix) for name, matrix in views.items()}
    dense = MultiViewDBSCAN(eps=0.7).fit(views)
    model = MultiViewDBSCAN(eps=0.7).fit(thin)
    assert np.array_equal(model.labels_, dense.labels_)
    assert isinstance(model.components_["v0"], csr_array)
    assert np.array_equal(model.predict(views), dense.labels_)


def test_no_cluster_is_an_answer():
    model = MultiViewDBSCAN(eps=1e-9).fit({"a": np.eye(8)})
    assert model.labels_.tolist() == [-1] * 8
    assert model.predict({"a": np.eye(8)[:2]}).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"eps": 0.0}, "eps=0.0 should be a number above 0, or 'auto'"),
        ({"eps": "wide"}, "eps='wide' should be"),
        ({"min_samples": 0}, "min_samples=0"),
        ({"rule": "both"}, "rule='both'"),
        ({"metric": "precomputed"}, "metric='precomputed' for view 'view0'"),
        ({"metric": "euclid"}, "metric='euclid' for view 'view0' .* 'euclidean'"),
        ({"metric": "mahalanobis"}, "metric='mahalanobis' for view 'view0'"),
        ({"metric": "haversine"}, "metric='haversine' .* dense views of 6 columns"),
        ({"metric": len}, "cannot be called with two rows"),
        ({"metric": lambda x, y: np.nan}, "gives nan for two rows"),
        ({"metric": lambda x, y: -1.0}, "gives -1.0 for two rows"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        MultiViewDBSCAN(**params).fit(np.eye(6))


def test_a_search_of_minutes_is_announced_before_it_begins(monkeypatch):
    monkeypatch.setattr(dbscan, "LONG", 100)
    said = "^MultiViewDBSCAN compares all pairs of 30 objects in each view, which takes minutes; "
    with pytest.warns(UserWarning, match=said):
        MultiViewDBSCAN().fit(points(0, 30, 2))
