"""CoSphericalKMeans against references by hand, one view against the plain method, and its laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from manyviews import Views
from manyviews.cluster import CoSphericalKMeans
from manyviews.cluster.co_spherical_k_means import (
    centred_rows,
    consensus,
    from_labels,
    k_means_plus_plus,
    mean_cosines,
    start,
    sweep,
    sweep_to_new_maximum,
    updated_sums,
    vote_and_similarity,
    vote_of_others,
)
from manyviews.cluster.co_spherical_k_means_kernels import changed_rows, empty_clusters
from manyviews.exceptions import ViewsWarning
from manyviews.maths import directions, sum_directions


def cones(seed, n_objects=60, n_views=2, k=3, noise=0.35, missing=0.0):
    """Objects around k directions in every view, of all lengths, some views unobserved."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n_objects) % k
    arrays = {}
    for view in range(n_views):
        axes = rng.standard_normal((k, 5 + view))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        rows = axes[groups] + noise * rng.standard_normal((n_objects, 5 + view))
        arrays[f"v{view}"] = rows * rng.uniform(0.1, 10.0, size=(n_objects, 1))
    observed = rng.random((n_objects, n_views)) >= missing
    observed[~observed.any(axis=1), 0] = True
    return Views(arrays, observed=observed), groups


def of(views):
    return directions([matrix for _, matrix in views.items()], views.observed)


def first_state(views, labels, k=3):
    return from_labels(views, labels.astype(np.int32), np.zeros((k, len(labels))))


def spherical_k_means(X, labels, k, n_iter):
    """Plain spherical k-means, one object and one cluster at a time [Dhillon and Modha]."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    for _ in range(n_iter):
        centres = np.array([unit[labels == j].sum(axis=0) for j in range(k)])
        centres /= np.linalg.norm(centres, axis=1, keepdims=True)
        labels = np.array([np.argmax([row @ centre for centre in centres]) for row in unit])
    return labels, centres


def co_sweep_by_hand(units, centres):
    """The paper's loop for two views: M and E step in one view, then in the other."""
    c = [None, centres[1]]
    labels = np.argmax(units[1] @ c[1].T, axis=1)
    for view in (0, 1):
        sums = np.array([units[view][labels == j].sum(axis=0) for j in range(len(centres[0]))])
        c[view] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        labels = np.argmax(units[view] @ c[view].T, axis=1)
    return c


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_one_view_is_spherical_k_means(seed):
    views, _ = cones(seed, n_views=1, noise=0.6)
    labels = np.random.default_rng(seed).permutation(np.arange(60) % 3)
    state = first_state(of(views), labels)
    for _ in range(4):
        state = sweep(of(views), state)
    expected, centres = spherical_k_means(views["v0"], labels, 3, 5)
    assert np.allclose(state.centroids[0], centres)
    assert np.array_equal(state.scores[0].argmax(axis=0), expected)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_with_one_view_a_sweep_never_lowers_the_similarity(seed):
    views, _ = cones(seed, n_views=1, noise=1.0)
    problem = of(views)
    state = start(problem, 4, np.random.default_rng(seed))
    for _ in range(10):
        after = sweep(problem, state)
        assert after.similarity >= state.similarity - 1e-12
        state = after


def test_with_two_views_a_sweep_can_lower_the_similarity():
    views, _ = cones(0, n_objects=200, noise=1.2)
    problem = of(views)
    state = start(problem, 3, np.random.default_rng(0))
    history = []
    for _ in range(30):
        state = sweep(problem, state)
        history.append(state.similarity)
    assert (np.diff(history) < -1e-6).any()


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_two_views_sweep_as_in_the_paper(seed):
    views, groups = cones(seed, noise=0.5)
    problem = of(views)
    state = first_state(problem, groups)
    for _ in range(3):
        by_hand = co_sweep_by_hand(problem.units, state.centroids)
        state = sweep(problem, state)
        for ours, theirs in zip(state.centroids, by_hand, strict=True):
            assert np.allclose(ours, theirs)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6), n_views=st.integers(1, 4), missing=st.sampled_from([0.0, 0.4]))
def test_similarity_is_its_definition_and_a_step_reaches_for_more(seed, n_views, missing):
    views, _ = cones(seed, n_views=n_views, noise=0.8, missing=missing)
    problem = of(views)
    state = start(problem, 3, np.random.default_rng(seed))
    total = 0.0
    for row in range(len(views)):
        seen = [v for v in range(n_views) if views.observed[row, v]]
        total += max(
            sum(problem.units[v][row] @ state.centroids[v][j] for v in seen) for j in range(3)
        )
    assert state.similarity == pytest.approx(total / views.observed.sum())
    assert sweep_to_new_maximum(problem, state).similarity >= state.similarity


def test_the_others_vote_and_who_has_no_other_view_votes_alone():
    views = Views(
        {
            "a": [[1.0, 0.0], [0.0, 1.0], [0.0, 3.0]],
            "b": [[0.0, 1.0], [1.0, 0.0], None],
            "c": [[0.0, 0.0], [9.0, 0.0], None],
        }
    )
    problem = of(views)
    scores = [unit.T for unit in problem.units]  # as if the axes were the centres
    assert vote_of_others(problem, scores, 0).tolist() == [1, 0, 1]
    assert vote_and_similarity(problem, scores)[0].tolist() == [1, 0, 1]
    assert vote_of_others(problem, scores, 1).tolist() == [0, 0, 1]
    assert problem.shown.tolist() == [[True, True, False], [True] * 3, [True, False, False]]


def test_consensus_leaves_out_who_is_in_dispute():
    views = Views({"a": [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], "b": [[1.0, 0.0]] * 2 + [[0.0, 1.0]]})
    problem = of(views)
    state = first_state(problem, np.array([0, 0, 1]), k=2)
    axes = (np.eye(2), np.eye(2))
    scores = tuple(unit @ axis.T for unit, axis in zip(problem.units, axes, strict=True))
    disputed = replace(state, centroids=axes, scores=tuple(score.T for score in scores))
    centres = consensus(problem, disputed)  # object 1 is in cluster 1 by a, in 0 by b and by both
    assert np.allclose(centres[0], np.eye(2))
    assert np.allclose(centres[1], np.eye(2))


def test_an_empty_cluster_takes_the_object_that_suits_least():
    rows = np.array([[1.0, 0.0], [1.0, 0.05], [0.0, 1.0], [1.0, -0.05]])
    problem = of(Views({"a": rows}))
    scores = np.stack([problem.units[0] @ [1.0, 0.0], np.full(4, -1.0)])
    state = from_labels(problem, np.zeros(4, dtype=np.int32), scores)
    assert np.allclose(state.centroids[0][1], [0.0, 1.0])
    model = CoSphericalKMeans(4, random_state=0).fit(np.repeat(rows[:2], 3, axis=0))
    assert set(model.labels_) <= set(range(4))  # fewer directions than clusters


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.4]))
def test_mean_cosines_are_over_shared_views(seed, missing):
    views, _ = cones(seed, n_objects=12, n_views=3, missing=missing)
    problem = of(views)
    found = mean_cosines(problem.units, problem.shown.astype(np.float32), np.array([4]))[0]
    for row in range(12):
        shared = [v for v in range(3) if views.observed[row, v] and views.observed[4, v]]
        cosines = [problem.units[v][row] @ problem.units[v][4] for v in shared]
        assert found[row] == pytest.approx(np.mean(cosines) if shared else 0.0)


def test_seeds_are_spread_over_the_groups():
    views, groups = cones(1, n_objects=300, k=6, noise=0.02)
    hits = 0
    for seed in range(10):
        scores = k_means_plus_plus(of(views), 6, np.random.default_rng(seed))
        hits += adjusted_rand_score(groups, scores.argmax(axis=0)) > 0.99
    assert hits >= 9


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_sums_by_cluster_dense_and_sparse(seed):
    rng = np.random.default_rng(seed)
    rows = rng.random((40, 6))
    labels = rng.integers(-1, 3, size=40).astype(np.int32)
    by_hand = np.array([rows[labels == j].sum(axis=0) for j in range(3)])
    assert np.allclose(sum_directions(rows, labels, 3), by_hand)
    assert np.allclose(sum_directions(csr_array(rows), labels, 3), by_hand)


@settings(deadline=None, max_examples=20)
@pytest.mark.parametrize(("n_moved", "n_objects"), [(0, 40), (9, 40), (40, 40), (100, 500)])
@given(seed=st.integers(0, 10**6))
def test_sums_follow_the_objects_that_moved(seed, n_moved, n_objects):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n_objects, 6))
    before = rng.integers(3, size=n_objects).astype(np.int32)
    after = before.copy()
    after[:n_moved] = (after[:n_moved] + rng.integers(1, 3, size=n_moved)) % 3
    expected = np.array([rows[after == j].sum(axis=0) for j in range(3)])
    for matrix in (rows, csr_array(rows)):
        found = updated_sums(matrix, sum_directions(rows, before, 3), before, after)
        assert np.allclose(found, expected)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.1, 1.0]))
def test_changed_rows_and_empty_clusters_are_what_numpy_finds(seed, share):
    rng = np.random.default_rng(seed)
    before = rng.integers(6, size=12).astype(np.int32)
    after = np.where(rng.random(12) < share, (before + 1) % 6, before).astype(np.int32)
    assert np.array_equal(changed_rows(before, after), np.flatnonzero(before != after))
    shown = rng.random((12, 2)) < 0.7
    sizes = np.bincount(after, weights=shown[:, 1], minlength=6)
    assert np.array_equal(empty_clusters(after, shown[:, 1], 6), np.flatnonzero(sizes == 0))


@pytest.mark.parametrize("n_views", [1, 2, 3])
@pytest.mark.parametrize("orders", ["CCC", "FFF", "CFC"])
def test_vote_and_similarity_of_scores_of_any_layout_and_precision(n_views, orders):
    rng = np.random.default_rng(n_views)
    problem = directions([np.ones((50, 2))] * n_views, np.ones((50, n_views), dtype=bool))
    scores = [
        np.asarray(rng.standard_normal((4, 50)), dtype=dtype, order=order)
        for dtype, order in zip((np.float64, np.float32, np.float64), orders, strict=True)
    ][:n_views]
    vote, similarity = vote_and_similarity(problem, scores)
    expected = np.sum(scores, axis=0).max(axis=0).sum()
    assert similarity == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(vote, np.sum(scores[1:] or scores, axis=0).argmax(axis=0))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_predict_on_the_training_objects_is_labels(missing):
    views, groups = cones(3, n_objects=150, n_views=3, missing=missing)
    model = CoSphericalKMeans(3, random_state=0).fit(views)
    assert np.array_equal(model.predict(views), model.labels_)
    assert adjusted_rand_score(groups, model.labels_) > 0.6
    for name, centres in model.cluster_centers_.items():
        assert centres.shape == (3, views[name].shape[1])
        assert np.allclose(np.linalg.norm(centres, axis=1), 1.0)


def test_lengths_of_rows_do_not_matter():
    views, _ = cones(4)
    factors = np.random.default_rng(0).uniform(0.01, 100.0, size=(60, 1))
    from_zero = CoSphericalKMeans(3, center=False, random_state=0)
    one = clone(from_zero).fit(views)
    two = clone(from_zero).fit({n: factors * m for n, m in views.items()})
    assert np.array_equal(one.labels_, two.labels_)


def test_sparse_and_single_precision_agree_with_dense():
    views, _ = cones(5, n_objects=90, noise=0.2)
    model = CoSphericalKMeans(3, n_init=1, random_state=0)  # among equal starts rounding decides
    dense = clone(model).fit(views)
    thin = clone(model).fit({n: csr_array(m) for n, m in views.items()})
    single = clone(model).fit({n: m.astype(np.float32) for n, m in views.items()})
    assert np.array_equal(dense.labels_, thin.labels_)
    assert np.array_equal(dense.labels_, single.labels_)
    assert single.cluster_centers_["v0"].dtype == np.float32


def test_an_object_without_any_direction_gets_a_cluster():
    views, _ = cones(6)
    rows = {
        name: np.vstack([matrix, np.zeros((1, matrix.shape[1]))]) for name, matrix in views.items()
    }
    model = CoSphericalKMeans(3, center=False, random_state=0).fit(rows)
    assert model.labels_[-1] == 0
    assert np.array_equal(model.predict(rows), model.labels_)


def test_views_together_beat_each_alone():
    views, groups = cones(11, n_objects=400, n_views=3, noise=0.5)
    together = CoSphericalKMeans(3, random_state=0).fit(views)
    alone = [
        CoSphericalKMeans(3, random_state=0).fit(views.subset([name])).labels_
        for name in views.names
    ]
    best = max(adjusted_rand_score(groups, labels) for labels in alone)
    assert adjusted_rand_score(groups, together.labels_) > best + 0.1


def test_updating_by_sums_is_one_more_pass():
    views, _ = cones(7, n_objects=80, noise=0.6)
    model = CoSphericalKMeans(3, center=False, random_state=0).fit(views)
    problem = of(views)
    scores = [
        u @ model.cluster_centers_[n].T for u, n in zip(problem.units, views.names, strict=True)
    ]
    model.update(model.summarize(views[:30]) + model.summarize(views[30:]))
    labels = scores[1].argmax(axis=1)  # what the second view sees re-centres the first
    sums = np.array([problem.units[0][labels == j].sum(axis=0) for j in range(3)])
    expected = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    assert np.allclose(model.cluster_centers_["v0"], expected)


def test_bad_numbers_of_clusters_are_named():
    with pytest.raises(ValueError, match="n_clusters=0 should be an integer of at least 1"):
        CoSphericalKMeans(0).fit(np.eye(4))
    with pytest.raises(ValueError, match="a minimum of 9 is required by CoSphericalKMeans"):
        CoSphericalKMeans(9).fit(np.eye(4))


def clouds(seed, offset=0.0, n_objects=90):
    """Objects around three points in two views, both moved away from zero."""
    rng = np.random.default_rng(seed)
    angles = np.arange(n_objects) % 3 * 2 * np.pi / 3
    points = 5 * np.column_stack([np.cos(angles), np.sin(angles)])
    arrays = [points + rng.normal(size=(n_objects, 2)) for _ in range(2)]
    return {"first": arrays[0] + offset, "second": arrays[1] - offset}


def test_where_zero_is_does_not_matter_to_measurements():
    here = CoSphericalKMeans(3, random_state=0).fit(clouds(0))
    there = CoSphericalKMeans(3, random_state=0).fit(clouds(0, offset=100.0))
    assert np.array_equal(here.labels_, there.labels_)
    assert np.array_equal(here.predict(clouds(1)), there.predict(clouds(1, offset=100.0)))
    lost = CoSphericalKMeans(3, center=False, random_state=0).fit(clouds(0, offset=100.0))
    truth = np.arange(90) % 3
    assert adjusted_rand_score(truth, there.labels_) > adjusted_rand_score(truth, lost.labels_)


def test_views_of_mostly_zeros_are_not_centred_unless_asked():
    views = {**clouds(0), "words": np.tile(np.eye(5), (18, 1))}
    automatic = CoSphericalKMeans(3, view_weights=None, random_state=0).fit(views)
    assert list(automatic.feature_means_) == ["first", "second"]
    asked = CoSphericalKMeans(3, center=True, view_weights=None, random_state=0)
    sparse_words = {**views, "words": csr_array(views["words"])}
    assert np.allclose(asked.fit(sparse_words).feature_means_["words"], 0.2)
    one = {"first": False, "second": True, "words": False}
    chosen = CoSphericalKMeans(3, center=one, view_weights=None, random_state=0).fit(views)
    assert list(chosen.feature_means_) == ["second"]


def test_a_row_that_is_the_mean_but_for_rounding_has_no_direction():
    rows = np.full((3, 4), 0.1)
    mean = rows.mean(axis=0) * (1 + 1e-16)
    assert not centred_rows(rows, mean + np.finfo(float).eps / 8).any()


def with_noise(views):
    return {**views, "noise": np.random.default_rng(5).normal(size=(90, 60))}


def test_a_view_of_noise_counts_nothing_and_is_named():
    views = clouds(0)
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty of structure") as caught:
        model = CoSphericalKMeans(3, random_state=0).fit(with_noise(views))
    assert caught[0].filename == __file__
    assert model.view_weights_ == {"first": 1.0, "second": 1.0, "noise": 0.0}
    alone = CoSphericalKMeans(3, random_state=0).fit(views)
    assert np.array_equal(model.labels_, alone.labels_)
    assert np.array_equal(model.predict(with_noise(views)), model.labels_)
    equal = CoSphericalKMeans(3, view_weights=None, random_state=0).fit(with_noise(views))
    assert set(equal.view_weights_.values()) == {1.0}
    assert "noise" in equal.cluster_centers_


def test_weights_count_by_their_ratio_and_zero_leaves_a_view_out():
    views, _ = cones(2, n_views=3)
    doubled = CoSphericalKMeans(3, view_weights=[2.0, 4.0, 2.0], random_state=0).fit(views)
    once = CoSphericalKMeans(3, view_weights=[1.0, 2.0, 1.0], random_state=0).fit(views)
    assert np.array_equal(doubled.labels_, once.labels_)
    without = CoSphericalKMeans(3, view_weights=[1.0, 0.0, 1.0], random_state=0).fit(views)
    left = CoSphericalKMeans(3, view_weights=None, random_state=0).fit(views.subset(["v0", "v2"]))
    assert np.array_equal(without.labels_, left.labels_)
    by_one = CoSphericalKMeans(3, view_weights=[1e9, 1.0, 1.0], random_state=0).fit(views)
    assert by_one.objective_history_[-1] <= 1 + 1e-9
    nearest = (by_one.cluster_centers_["v0"] @ of_centred(by_one, views, "v0").T).argmax(axis=0)
    assert np.array_equal(by_one.labels_, nearest)


def of_centred(model, views, name):
    rows = views[name] - model.feature_means_[name]
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_order_of_the_views_changes_nothing():
    rng = np.random.default_rng(0)  # no clusters, so that each start ends elsewhere
    widths = {"a": 3, "b": 5, "c": 9}
    views = {name: rng.standard_normal((80, width)) for name, width in widths.items()}
    model = CoSphericalKMeans(5, n_init=2, random_state=0)
    labels = model.fit_predict(views)
    assert (model.fit_predict({name: views[name] for name in "cab"}) == labels).all()
    assert (model.predict({name: views[name] for name in "bca"}) == labels).all()
