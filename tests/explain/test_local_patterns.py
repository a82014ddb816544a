"""Local patterns: the parts against brute force, the bounds as laws, the page, bad input."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import xlogy
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from manyviews import MergeViews, Views
from manyviews.ensemble import ViewSubsetEnsemble
from manyviews.exceptions import ParameterError, UnknownViewError
from manyviews.explain import LocalPatternClassifier
from manyviews.explain.pattern_detectors import (
    best_share,
    best_thresholds,
    crisp_beta,
    informative,
    largest_cut,
    medoids,
    misjudged,
    spread_start,
)
from manyviews.explain.restricted_models import (
    Data,
    Way,
    column_weights,
    deal,
    eliminate,
    fit_columns,
    left_out,
    sharpness,
)

DETECTORS = ("classifier", "bottleneck", "conditional")


def strip(n_steps=16, flipped=2):
    """Points of a grid whose side decides, but the other way in the upper strip."""
    sides = np.linspace(-1, 1, n_steps)
    x, z = (side.ravel() for side in np.meshgrid(sides, sides))
    top = z > sides[-flipped - 1] + 1e-9
    return np.column_stack([x, z]), np.where(top, x < 0, x > 0).astype(int), top


def noisy(n_objects, n_classes, seed, *, whole):
    """Two views in which a third of the objects is hard to tell; with ties if numbers are whole."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    words = rng.normal(size=(n_objects, 4)) + 1.5 * (y[:, None] == np.arange(4))
    sound = rng.normal(size=(n_objects, 3)) + 2.5 * (y[:, None] == np.arange(3))
    if whole:
        words, sound = np.rint(words), np.rint(sound)
    return Views({"words": words, "sound": sound}), y


# -- how much of each pattern pays -----------------------------------------------------------------


def by_trying(patterns, closeness, gains, budget):
    """Every combination of cuts, of which none parts equals."""
    names = range(int(patterns.max()) + 1)
    cuts = [[np.inf, *np.unique(closeness[patterns == name])] for name in names]
    best = (0.0, 0)
    for thresholds in product(*cuts):
        inside = closeness >= np.array(thresholds)[patterns]
        if inside.sum() <= budget:
            best = max(best, (float(gains[inside].sum()), -int(inside.sum())))
    return best


@given(
    objects=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(-1, 1)), min_size=1, max_size=9
    ),
    budget=st.integers(0, 9),
)
def test_thresholds_are_the_best_there_are(objects, budget):
    patterns, closeness, gains = (np.array(column) for column in zip(*objects, strict=True))
    budget = min(budget, len(objects))
    thresholds, gain = best_thresholds(patterns, closeness.astype(float), gains, budget)
    inside = closeness >= thresholds[patterns]
    assert (gain, -inside.sum()) == by_trying(patterns, closeness, gains, budget)
    assert gains[inside].sum() == gain


def test_objects_that_tie_are_left_out_together():
    closeness = np.array([2.0, 1.0, 1.0 + 1e-13, 1.0, 0.0])
    thresholds, gain = best_thresholds(np.zeros(5, dtype=int), closeness, np.ones(5), 3)
    assert gain == 1.0
    assert_array_equal(closeness >= thresholds[0], [True, False, False, False, False])
    assert largest_cut(closeness, 3) == thresholds[0]
    assert largest_cut(closeness, 4) == pytest.approx(0.5)
    assert largest_cut(closeness, 0) == np.inf


def test_a_share_that_gains_nothing_is_none():
    ranks = np.array([0.25, 0.5, 0.75, 1.0])
    assert best_share(ranks, np.array([-1, 1, 0, 0]), 1.0) == 0.0
    assert best_share(ranks, np.array([-1, 1, 1, 0]), 1.0) == 0.75
    assert best_share(ranks, np.array([-1, 1, 1, 0]), 0.7) == 0.0


# -- clusters, features and medoids ----------------------------------------------------------------


def random_clusters(seed, n_objects=12, n_clusters=3):
    rng = np.random.default_rng(seed)
    p_u = rng.dirichlet(np.ones(n_objects))
    return rng, p_u, rng.dirichlet(np.ones(n_clusters), n_objects)


@given(seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_information_of_a_feature_is_that_of_the_joint_distribution(seed):
    rng, p_u, membership = random_clusters(seed)
    presence = rng.random((len(p_u), 4))
    expected = []
    for high in presence.T:
        joint = np.einsum("u,uc,ux->cx", p_u, membership, np.column_stack([high, 1 - high]))
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        expected.append(np.sum(xlogy(joint, joint) - xlogy(joint, apart)))
    assert_allclose(informative(p_u, membership, presence), expected, atol=1e-12)


@given(seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_medoids_have_the_least_expected_distance(seed):
    rng, p_u, membership = random_clusters(seed)
    points = rng.normal(size=(len(p_u), 3))
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    found = medoids(points, p_u, membership)
    for cluster, medoid in enumerate(found):
        costs = apart @ (p_u * membership[:, cluster])
        assert costs[medoid] == pytest.approx(costs.min())


def test_of_copies_the_most_probable_is_the_medoid():
    points = np.zeros((3, 1))
    assert medoids(points, np.array([0.2, 0.5, 0.3]), np.ones((3, 1))) == [1]


@given(seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_misjudged_objects_have_the_probability_of_the_errors(seed):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(3), 8)
    codes = shares.argmax(axis=1)
    found = misjudged(shares, codes)
    assert found.sum() == pytest.approx(1.0)
    first, second = rng.choice(8, 2, replace=False)
    errors = 1.0 - shares.max(axis=1)
    assert found[first] * errors[second] == pytest.approx(found[second] * errors[first])


def test_of_a_model_that_is_always_certain_all_objects_weigh_alike():
    assert_array_equal(misjudged(np.eye(2), np.array([0, 1])), [0.5, 0.5])


def test_a_start_puts_apart_what_shows_different_things():
    p_v = np.array([[0.9, 0.1, 0.0], [0.8, 0.2, 0.0], [0.0, 0.1, 0.9], [0.0, 0.2, 0.8]])
    start = spread_start(np.full(4, 0.25), p_v, 2)
    assert_allclose(start.sum(axis=1), 1.0)
    found = start.argmax(axis=1)
    assert found[0] == found[1] != found[2] == found[3]
    assert crisp_beta(np.full(4, 0.25), np.tile(p_v[:1], (4, 1))) == 20.0  # nothing to tell


# -- models on few columns -------------------------------------------------------------------------


def way(estimator, n_columns, n_features=None, share=0.0):
    return Way(estimator, ("view0",), np.arange(n_columns), n_features, "global_estimator", share)


def test_elimination_is_scikit_learns():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 7))
    y = (X[:, 2] - 2 * X[:, 5] + 0.3 * X[:, 1] > 0).astype(int)
    X -= X.mean(axis=0)
    X /= X.std(axis=0)
    theirs = RFE(LogisticRegression(tol=1e-8), n_features_to_select=3).fit(X, y)

    def weigh(places):
        return np.abs(LogisticRegression(tol=1e-8).fit(X[:, places], y).coef_[0])

    assert_array_equal(eliminate(weigh, 7, 3, 0.0), np.flatnonzero(theirs.support_))


@given(n_columns=st.integers(1, 60), n_features=st.integers(1, 20), share=st.floats(0, 1))
def test_elimination_leaves_as_many_as_asked_for(n_columns, n_features, share):
    kept = eliminate(lambda places: places.astype(float), n_columns, n_features, share)
    assert_array_equal(kept, np.arange(n_columns)[-n_features:])


def test_weights_are_found_in_pipelines_and_missed_elsewhere():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    assert column_weights(make_pipeline(LinearSVC()).fit(X, y), 3).shape == (1, 3)
    assert column_weights(DecisionTreeClassifier().fit(X, y), 3).shape == (1, 3)
    assert column_weights(KNeighborsClassifier().fit(X, y), 3) is None


def test_objects_left_out_are_unknown_to_who_speaks_of_them():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(90, 2)), rng.integers(2, size=90)
    data = Data(Views(X), X)
    one = way(KNeighborsClassifier(1), 2)  # right about all that it knows
    said = left_out(one, data, codes, deal(X, codes, 5), 2)
    assert 0.3 < (said.codes == codes).mean() < 0.7


@given(seed=st.integers(0, 100))
@settings(max_examples=10)
def test_folds_hang_neither_on_the_order_of_objects_nor_on_that_of_features(seed):
    rng = np.random.default_rng(seed)
    X, codes = rng.normal(size=(23, 4)), rng.integers(-1, 3, size=23)
    order, turned = rng.permutation(23), rng.permutation(4)
    folds = deal(X, codes, 5)
    assert_array_equal(deal(X[order][:, turned], codes[order], 5), folds[order])
    assert_array_equal(folds < 0, codes < 0)
    sizes = np.bincount(folds[folds >= 0])
    assert sizes.max() - sizes.min() <= 1


def test_sharpness_is_that_of_the_highest_likelihood():
    rng = np.random.default_rng(0)
    decisions = rng.normal(size=400)
    codes = (rng.random(400) < 1 / (1 + np.exp(-3 * decisions))).astype(int)
    found = sharpness(np.column_stack([-decisions / 2, decisions / 2]), codes)
    theirs = LogisticRegression(C=1e9, fit_intercept=False, tol=1e-10).fit(
        decisions[:, None], codes
    )
    assert found == pytest.approx(theirs.coef_[0, 0], rel=1e-4)


def test_columns_have_no_units():
    views, _ = noisy(30, 2, 0, whole=False)
    other = Views({"words": 1000 * views["words"] + 300, "sound": views["sound"] / 50})
    first, second = fit_columns(views), fit_columns(other)
    assert_allclose(first.matrix(views), second.matrix(other), atol=1e-9)
    total = [first.matrix(views)[:, first.of([name])].var(axis=0).sum() for name in views.names]
    assert total[0] == pytest.approx(total[1])
    assert first.locate(5) == ("sound", 1)


def test_wide_sparse_views_stay_sparse_whatever_form_new_rows_have():
    rng = np.random.default_rng(0)
    words = sparse.csr_array((rng.random((40, 80)) < 0.1) * 3.0)
    views = Views({"words": words, "size": rng.normal(size=(40, 2))})
    columns = fit_columns(views)
    found = columns.matrix(views)
    assert sparse.issparse(found)
    assert found.nnz <= words.nnz + 80
    dense = Views({"words": words.toarray(), "size": views["size"]})
    assert_allclose(columns.matrix(dense).toarray(), found.toarray())


# -- the laws --------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 50),
    detector=st.sampled_from(DETECTORS),
    max_local=st.sampled_from([0.0, 0.03, 0.1, 0.3, 1.0]),
    whole=st.booleans(),
    n_classes=st.integers(2, 3),
)
@settings(max_examples=12, deadline=None)
def test_the_bound_holds_and_nothing_else_differs(seed, detector, max_local, whole, n_classes):
    views, y = noisy(48, n_classes, seed, whole=whole)
    model = LocalPatternClassifier(detector=detector, max_local=max_local, n_features=2, cv=3)
    model.fit(views, y)
    spoke = model.decided_by(views) == "local"
    simple, full = (model.predict_by(views, which) for which in ("global", "local"))
    predicted = model.predict(views)
    assert spoke.mean() == model.local_share_ <= max_local
    assert_array_equal(predicted, np.where(spoke, full, simple))
    assert model.disagreement_ == (predicted != simple).mean() <= model.local_share_
    assert_array_equal(spoke, model.pattern_of(views) >= 0)
    assert len(model.global_features_) <= 2
    assert len(model.regions_.columns) <= 2
    assert sum(pattern.n_objects for pattern in model.describe().patterns) == spoke.sum()
    assert model.combined_accuracy_ >= 0.0
    proba = model.predict_proba(views)
    assert_array_equal(model.classes_[proba.argmax(axis=1)], predicted)


@pytest.mark.parametrize("detector", DETECTORS)
def test_with_no_share_it_is_the_global_model(detector):
    X, y, _ = strip()
    model = LocalPatternClassifier(detector=detector, max_local=0.0, n_features=1).fit(X, y)
    scaled = (X[:, :1] - X[:, :1].mean()) / X[:, :1].std()
    alone = clone(model.global_estimator_).fit(scaled, y)
    assert_array_equal(model.predict(X), alone.predict(scaled))
    assert_allclose(model.predict_proba(X), alone.predict_proba(scaled), atol=1e-6)
    assert set(model.decided_by(X)) == {"global"}
    assert "max_local=0 allows none" in str(model.describe())


@pytest.mark.parametrize("detector", DETECTORS)
def test_with_a_perfect_detector_and_all_shares_it_is_the_local_model(detector):
    """One strip is wrong, a feature tells which, and a tree knows all: nothing is left to gain."""
    X, y, top = strip(20, flipped=5)
    model = LocalPatternClassifier(
        None, DecisionTreeClassifier(random_state=0), detector, 1.0, 2, n_patterns=2
    ).fit(X, y)
    inner = np.linspace(-0.97, 0.97, 30)
    new = np.column_stack([side.ravel() for side in np.meshgrid(inner, inner)])
    full, simple = model.predict_by(new, "local"), model.predict_by(new, "global")
    assert (full != simple).mean() > 0.15
    assert (model.predict(X)[top] == y[top]).mean() > 0.9
    if detector == "classifier":
        assert_array_equal(model.predict(new), full)
        assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("detector", DETECTORS)
def test_patterns_are_found_where_the_global_model_is_wrong(detector):
    X, y, top = strip(20)
    model = LocalPatternClassifier(detector=detector, max_local=0.12, n_features=1).fit(X, y)
    spoke = model.decided_by(X) == "local"
    assert model.global_features_ == ["view0__0"]
    if detector == "classifier":
        assert_array_equal(spoke, top)
    assert model.score(X, y) >= (model.predict_by(X, "global") == y).mean()


@pytest.mark.parametrize("detector", DETECTORS)
def test_neither_order_nor_names_matter(detector):
    views, y = noisy(60, 2, 3, whole=False)
    model = LocalPatternClassifier(detector=detector, max_local=0.2, n_features=2)
    expected = clone(model).fit(views, y).predict_proba(views)
    order = np.random.default_rng(0).permutation(len(y))
    found = clone(model).fit(views[order], y[order]).predict_proba(views)
    assert_allclose(found, expected, atol=1e-6)
    other = Views({"a": views["sound"], "b": views["words"]})
    assert_allclose(clone(model).fit(other, y).predict_proba(other), expected, atol=1e-6)


def test_probabilities_of_a_machine_without_any_are_those_of_its_decisions():
    views, y = noisy(90, 3, 1, whole=False)
    model = LocalPatternClassifier(LinearSVC(dual=False), SVC(), max_local=0.0, n_features=3)
    model.fit(views, y)
    proba = model.predict_proba(views)
    assert_allclose(proba.sum(axis=1), 1.0)
    assert_array_equal(proba.argmax(axis=1), model.predict_by(views, "global"))
    right = (model.predict(views) == y).mean()
    assert abs(proba.max(axis=1).mean() - right) < 0.15  # about as sure as it is right


# -- views, gaps, estimators of all kinds ----------------------------------------------------------


def test_each_model_looks_at_its_own_views():
    views, y = noisy(60, 2, 0, whole=False)
    model = LocalPatternClassifier(
        max_local=0.3, global_views=["words"], local_views=["sound"], detector="bottleneck"
    ).fit(views, y)
    rng = np.random.default_rng(0)
    mixed = {
        name: Views({**dict(views.items()), name: rng.permutation(views[name])})
        for name in views.names
    }
    for which, own, other in (("global", "words", "sound"), ("local", "sound", "words")):
        expected = model.predict_by(views, which)
        assert_array_equal(model.predict_by(mixed[other], which), expected)
        assert (model.predict_by(mixed[own], which) != expected).any()
    assert_array_equal(model.decided_by(mixed["sound"]), model.decided_by(views))
    assert all(name.startswith("words__") for name in model.global_features_)


def test_an_object_without_the_global_views_is_an_average_one_to_the_global_model():
    views, y = noisy(60, 2, 0, whole=False)
    model = LocalPatternClassifier(global_views=["words"], max_local=0.0).fit(views, y)
    average = {"words": views["words"].mean(axis=0, keepdims=True), "sound": views["sound"][:1]}
    blind = {"words": None, "sound": views["sound"][:5]}
    assert_allclose(
        model.predict_proba(blind), np.tile(model.predict_proba(average), (5, 1)), atol=1e-9
    )


@pytest.mark.parametrize("detector", DETECTORS)
def test_texts_stay_sparse_and_may_lack_a_view(detector):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    counts = rng.poisson(0.2, size=(80, 60)) + 2 * (np.arange(60) == 7) * y[:, None]
    shown = {"words": np.arange(80) % 9 > 0, "sound": np.arange(80) % 7 > 0}
    views = Views(
        {"words": sparse.csr_array(counts * 1.0), "sound": rng.normal(size=(80, 2))},
        observed=shown,
    )
    model = LocalPatternClassifier(detector=detector, max_local=0.1, n_features=4)
    views = views[views.observed.any(axis=1)]
    y = y[np.column_stack(list(shown.values())).any(axis=1)]
    model.fit(views, y)
    assert "words__7" in model.global_features_
    assert model.local_share_ <= 0.1
    assert model.score(views, y) > 0.8


def test_unlabelled_objects_count_for_the_bound_but_not_for_the_gain():
    X, y, top = strip(20)
    hidden = y.copy()
    hidden[::3] = -1
    model = LocalPatternClassifier(max_local=0.12, n_features=1).fit(X, hidden)
    assert model.describe().n_labelled == (hidden >= 0).sum()
    assert_array_equal(model.decided_by(X) == "local", top)
    assert model.score(X, y) > 0.95


class Signs(ClassifierMixin, BaseEstimator):
    """Names a class and nothing else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.coef_ = np.array([[np.corrcoef(column, y)[0, 1] for column in X.T]])
        return self

    def predict(self, X):
        return self.classes_[(X @ self.coef_[0] > 0).astype(int)]


@pytest.mark.parametrize(
    ("simple", "full"),
    [
        (DecisionTreeClassifier(max_depth=2), RandomForestClassifier(10)),
        (LinearSVC(dual=False), SVC()),
        (Signs(), KNeighborsClassifier(3)),
        (LogisticRegression(), ViewSubsetEnsemble()),
        (LogisticRegression(), make_pipeline(MergeViews(), LogisticRegression())),
    ],
)
def test_both_models_may_be_any_classifiers(simple, full):
    views, y = noisy(60, 2, 0, whole=False)
    model = LocalPatternClassifier(simple, full, max_local=0.2, n_features=3, random_state=0)
    model.fit(views, y)
    assert model.score(views, y) > 0.7
    assert "Global model" in str(model.describe())


def test_a_global_model_may_take_views_if_no_feature_is_eliminated():
    views, y = noisy(60, 2, 0, whole=False)
    simple = make_pipeline(MergeViews(), LogisticRegression())
    model = LocalPatternClassifier(simple, n_features=None, max_local=0.1).fit(views, y)
    assert model.global_features_ == []
    assert "Pipeline, on all of words, sound." in str(model.describe())
    with pytest.raises(ParameterError, match="takes views, of which no features can be eliminated"):
        clone(model).set_params(n_features=2).fit(views, y)


def test_who_has_no_weights_is_told_what_to_give():
    views, y = noisy(60, 2, 0, whole=False)
    model = LocalPatternClassifier(KNeighborsClassifier(), n_features=2)
    with pytest.raises(ParameterError, match="neither coef_ nor feature_importances_"):
        model.fit(views, y)
    assert model.set_params(n_features=None).fit(views, y).score(views, y) > 0.7


def test_views_that_are_not_there_are_refused_by_name():
    views, y = noisy(20, 2, 0, whole=False)
    with pytest.raises(UnknownViewError, match="global_views names the view 'smell'"):
        LocalPatternClassifier(global_views=["smell"]).fit(views, y)
    with pytest.raises(ParameterError, match="local_views is empty"):
        LocalPatternClassifier(local_views=[]).fit(views, y)


def test_one_object_of_a_class_is_not_too_few():
    views, y = noisy(30, 2, 0, whole=False)
    y = np.where(np.arange(30) == 4, 2, y)
    model = LocalPatternClassifier(max_local=0.1, n_features=2).fit(views, y)
    assert_array_equal(model.classes_, [0, 1, 2])
    assert model.predict_proba(views).shape == (30, 3)


def test_it_says_what_it_does_if_asked(capsys):
    X, y, _ = strip()
    LocalPatternClassifier(verbose=1, max_local=0.2).fit(X, y)
    assert "LocalPatternClassifier: finds 1 local patterns" in capsys.readouterr().out


# -- the page --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def described():
    X, y, _ = strip(20)
    views = Views(
        {"words": X * [10.0, 1000.0] + 5.0, "sound": X[:, :1] * X[:, 1:]},
        feature_names={"words": ["jazz", "loud"], "sound": ["beat"]},
        sample_ids=[f"song{row}" for row in range(len(y))],
    )
    model = LocalPatternClassifier(max_local=0.12, n_features=1, global_views=["words"])
    return model.fit(views, np.where(y, "likes", "dislikes")), views, y


def test_the_page_names_features_weights_and_the_typical_object(described):
    model, views, y = described
    page = model.describe()
    assert [each.name for each in page.global_features] == ["words__jazz"]
    assert page.global_features[0].weights[0] > 0
    pattern = page.patterns[0]
    medoid = views.loc[pattern.sample_id]
    row = int(pattern.sample_id.removeprefix("song"))
    assert pattern.features[0].name == "words__loud"
    assert pattern.features[0].medoid == pytest.approx(medoid["words"][0, 1])
    assert pattern.medoid == row
    assert pattern.medoid_class == ("likes" if y[row] else "dislikes")
    inside = model.pattern_of(views) == 0
    assert pattern.n_objects == inside.sum() == 40
    assert pattern.features[0].inside == pytest.approx(views["words"][inside, 1].mean())
    assert pattern.features[0].elsewhere == pytest.approx(views["words"][~inside, 1].mean())


def test_the_page_says_what_goes_wrong_and_what_it_is_worth(described):
    model, _, _ = described
    page = model.describe()
    pattern = page.patterns[0]
    assert pattern.global_accuracy == 0.0
    assert sum(each.n_objects for each in pattern.mistakes) == 40
    assert {(each.truth, each.answer) for each in pattern.mistakes} == {
        ("likes", "dislikes"),
        ("dislikes", "likes"),
    }
    assert page.disagreement == model.disagreement_ <= page.local_share <= page.max_local == 0.12
    gained = 0.1 * (pattern.local_accuracy - pattern.global_accuracy)
    assert page.combined_accuracy == pytest.approx(page.global_accuracy + gained)
    text = str(page)
    for said in ("words__jazz", "words__loud", pattern.sample_id, "likes taken for dislikes"):
        assert said in text
    assert all(len(line) <= 100 for line in text.splitlines())


def test_the_page_is_plain_enough_for_json_and_classes_can_be_named(described):
    model, _, _ = described
    found = json.loads(json.dumps(model.describe().to_dict()))
    assert found["patterns"][0]["features"][0]["name"] == "words__loud"
    X, y, _ = strip(20)
    page = LocalPatternClassifier(max_local=0.12, n_features=1).fit(X, y).describe()
    named = page.with_class_names(["rain", "sun"])
    assert named.classes == ("rain", "sun")
    assert "sun taken for rain" in str(named)
    assert [each.name for each in page.global_features] == ["0"]  # one view goes without saying


def test_a_page_without_patterns_says_so_and_three_classes_have_a_column_each():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 3)) + 9.0 * (y[:, None] == np.arange(3))
    page = LocalPatternClassifier().fit(X, y).describe()
    assert page.patterns == ()
    assert len(page.global_features[0].weights) == 3
    assert "none pays" in str(page)
