"""Seeded spherical k-means: Algorithm 1 by hand and by brute force, its laws, label ontologies."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import get_tags

from manyviews import Views
from manyviews.exceptions import ViewsWarning
from manyviews.maths import Ontology, assign_labels, assignment_value, sum_members
from manyviews.semi_supervised import SeededSphericalKMeans
from manyviews.semi_supervised.seeded_spherical_k_means import (
    Rule,
    Seeds,
    decide,
    effective_scores,
    learn,
    members,
    next_round,
    pose,
    read_label_sets,
    scores_of,
    start,
)

METHODS = ("sum", "product", "max_agree", "cotrain")
TREE = {"thing": {"food": ["fruit", "meat"], "place": ["city", "river"]}}
LEAVES = ("fruit", "meat", "city", "river")

seeds = st.integers(0, 10_000)


def topics(seed, n_objects=48, n_views=2, n_classes=4, noise=1.0, missing=0.0, labelled=0.3):
    """Non-negative objects around directions, with the classes of some of them."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_objects) % n_classes
    arrays = {}
    for view in range(n_views):
        width = 6 + view
        axes = rng.gamma(0.5, size=(n_classes, width))
        arrays[f"v{view}"] = axes[truth] + noise * rng.gamma(0.3, size=(n_objects, width))
    observed = rng.random((n_objects, n_views)) >= missing
    observed[~observed.any(axis=1), 0] = True
    observed[:n_classes] = True
    y = np.where(rng.random(n_objects) < labelled, truth, -1)
    y[:n_classes] = truth[:n_classes]
    return Views(arrays, observed=observed), y, truth


def one_hot(y, n_classes):
    return Seeds(y[:, None] == np.arange(n_classes), y >= 0)


def alike(views):
    return dict.fromkeys(views.names, 1.0)


def problem_of(views, y, n_classes=4):
    return pose(views, one_hot(y, n_classes), alike(views))


def tree_seeds(y, ontology):
    return read_label_sets([None if code < 0 else LEAVES[code] for code in y], ontology)


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def quiet(model, X, y):
    """Fit where a run that goes on is not the point."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


# -- the algorithm ----------------------------------------------------------------------------


def test_one_round_by_hand():
    views = Views(
        {"a": [[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]], "b": np.array([[1.0, 0], [0, 1], [5, 0]])}
    )
    problem = problem_of(views, np.array([0, 1, -1]), 2)
    first = start(problem)
    assert first.flips == 0
    scores = scores_of(problem.unlabelled.units, first.centres)
    assert np.allclose(scores, [[[0.6, 0.8]], [[1.0, 0.0]]])
    after = next_round(problem, partial(members, Rule("sum")), first)  # 1.6 against 0.8
    assert after.bits[0].tolist() == [[True, False]]
    assert after.flips == 1
    assert np.allclose(
        after.centres[0], [[1.6 / np.hypot(1.6, 0.8), 0.8 / np.hypot(1.6, 0.8)], [0, 1]]
    )
    assert np.allclose(after.centres[1], np.eye(2))
    assert next_round(problem, partial(members, Rule("sum")), after).flips == 0


def reference(arrays, y, n_classes, max_iter):
    """Algorithm 1 with SUMSCORE, object by object; fully observed, every object with evidence."""
    units = [unit(a) for a in arrays]
    codes = y.copy()
    flips = []
    for _ in range(max_iter):
        sums = [[u[codes == k].sum(axis=0) for k in range(n_classes)] for u in units]
        centres = [unit(np.array(s)) for s in sums]
        new = y.copy()
        for row in np.flatnonzero(y < 0):
            new[row] = np.argmax(
                [
                    sum(u[row] @ c[k] for u, c in zip(units, centres, strict=True))
                    for k in range(n_classes)
                ]
            )
        moved = new != codes
        flips.append(int(moved.sum() + (moved & (codes >= 0)).sum()))
        codes = new
        if flips[-1] == 0:
            break
    return codes, flips


@given(seed=seeds, n_views=st.integers(1, 3))
@settings(deadline=None, max_examples=20)
def test_sum_is_algorithm_1(seed, n_views):
    views, y, _ = topics(seed, n_views=n_views)
    codes, flips = reference([m for _, m in views.items()], y, 4, 50)
    model = SeededSphericalKMeans("sum", max_iter=50, view_weights=None).fit(views, y)
    assert model.transduction_.tolist() == codes.tolist()
    assert model.flips_.tolist() == flips


@given(
    seed=seeds,
    missing=st.sampled_from([0.0, 0.3]),
    method=st.sampled_from(["sum", "max_agree"]),
    tree=st.booleans(),
)
@settings(deadline=None, max_examples=25)
def test_rounds_never_lower_the_objective(seed, missing, method, tree):
    views, y, _ = topics(seed, missing=missing, noise=2.0)
    ontology = Ontology.read(TREE) if tree else None
    given_labels = tree_seeds(y, ontology) if tree else one_hot(y, 4)
    problem = pose(views, given_labels, alike(views))
    rule = Rule(method, ontology, alpha=(0.5, 0.05, 0.4))
    current, values = start(problem), []
    for _ in range(8):
        current = next_round(problem, partial(members, rule), current)
        values.append(objective(problem, rule, current))
    assert np.all(np.diff(values) >= -1e-9)


def objective(problem, rule, state):
    """Eq. (4), (7), (9) or (10) summed over all objects, up to what the labelled ones break."""
    views = problem.unlabelled
    scores = scores_of(views.units, state.centres)
    labelled = sum(np.sum(c * s) for c, s in zip(state.centres, problem.seed_sums, strict=True))
    gained = sum(np.sum(s * b) for s, b in zip(scores, state.bits, strict=True))
    alpha = rule.alpha if rule.method == "max_agree" else (1.0, 0.0, 1.0)
    shown = views.shown
    broken = differ = 0.0
    for view, bits in enumerate(state.bits):
        rows = shown[:, view] if rule.method == "max_agree" else shown.any(axis=1)
        slack = (
            np.abs(bits.sum(axis=1) - 1)
            if rule.ontology is None
            else rule.ontology.violations(bits)
        )
        broken += slack[rows].sum() / (1 if rule.method == "max_agree" else len(state.bits))
        for other in range(view):
            both = shown[:, view] & shown[:, other]
            differ += (bits[both] != state.bits[other][both]).sum()
    return alpha[0] * (labelled + gained) - alpha[1] * differ - alpha[2] * broken


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_with_one_view_all_assignments_are_the_same(seed):
    views, y, _ = topics(seed, n_views=1)
    fitted = [SeededSphericalKMeans(method, view_weights=None).fit(views, y) for method in METHODS]
    for model in fitted[1:]:
        assert model.transduction_.tolist() == fitted[0].transduction_.tolist()
        assert np.allclose(model.cluster_centers_["v0"], fitted[0].cluster_centers_["v0"])


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_agreement_at_any_price_is_the_sum(seed):
    views, y, _ = topics(seed, noise=2.0)
    agreed = SeededSphericalKMeans(alpha=(0.5, 100.0, 100.0), view_weights=None).fit(views, y)
    summed = SeededSphericalKMeans("sum", view_weights=None).fit(views, y)
    assert agreed.transduction_.tolist() == summed.transduction_.tolist()
    assert agreed.flips_.tolist() == summed.flips_.tolist()


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_views_that_need_not_agree_learn_alone(seed):
    views, y, _ = topics(seed, noise=2.0)
    together = SeededSphericalKMeans(alpha=(0.5, 0.0, 1.0), view_weights=None).fit(views, y)
    for name in views.names:
        alone = SeededSphericalKMeans().fit(views.subset([name]), y)
        assert np.allclose(together.cluster_centers_[name], alone.cluster_centers_[name])


@given(seed=seeds, method=st.sampled_from(METHODS), missing=st.sampled_from([0.0, 0.3]))
@settings(deadline=None, max_examples=25)
def test_order_of_objects_and_names_of_views_do_not_matter(seed, method, missing):
    views, y, _ = topics(seed, missing=missing)
    order = np.random.default_rng(seed).permutation(len(y))
    model = quiet(SeededSphericalKMeans(method, view_weights=None), views, y)
    moved = quiet(clone(model), views[order], y[order])
    assert moved.transduction_.tolist() == model.transduction_[order].tolist()
    renamed = Views({"x": views["v1"], "y": views["v0"]}, observed=views.observed[:, ::-1])
    assert quiet(clone(model), renamed, y).transduction_.tolist() == model.transduction_.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_labelled_objects_keep_their_labels(method):
    views, y, truth = topics(3, labelled=0.6)
    wrong = np.where(np.arange(len(y)) == 5, (truth + 1) % 4, y)
    model = quiet(SeededSphericalKMeans(method), views, wrong)
    assert model.transduction_[5] == wrong[5]
    known = wrong >= 0
    for bits in model.view_members_.values():
        assert np.array_equal(bits[known].argmax(axis=1), wrong[known])


@pytest.mark.parametrize("method", METHODS)
def test_without_unlabelled_objects_classes_are_mean_directions(method):
    views, _, truth = topics(4)
    model = SeededSphericalKMeans(method).fit(views, truth)
    for name, matrix in views.items():
        means = unit(np.array([unit(matrix)[truth == k].sum(axis=0) for k in range(4)]))
        assert np.allclose(model.cluster_centers_[name], means)
    assert model.flips_.tolist() == [0]
    assert model.converged_
    assert model.transduction_.tolist() == truth.tolist()


@pytest.mark.parametrize("method", ["sum", "product", "max_agree"])
def test_unlabelled_objects_help(method):
    gains = []
    for seed in range(6):
        views, _, truth = topics(seed, n_objects=200, noise=1.2)
        y = np.where(np.arange(200) < 8, truth, -1)
        seeded = quiet(SeededSphericalKMeans(method), views, y)
        plain = SeededSphericalKMeans(method).fit(views[:8], y[:8])
        gains.append(seeded.score(views, truth) - plain.score(views, truth))
    assert np.mean(gains) > 0.02


@pytest.mark.parametrize("method", METHODS)
def test_training_objects_are_predicted_as_they_were_labelled(method):
    views, y, _ = topics(5, missing=0.2)
    model = quiet(SeededSphericalKMeans(method), views, y)
    assert model.predict(views[y < 0]).tolist() == model.transduction_[y < 0].tolist()


# -- views that are missing -----------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_an_object_is_judged_by_the_views_that_show_it(method):
    views, y, _ = topics(6, n_views=3)
    model = quiet(SeededSphericalKMeans(method), views, y)
    hidden = views.with_observed({"v0": np.zeros(len(y), bool), "v2": np.zeros(len(y), bool)})
    cosines = unit(views["v1"]) @ model.cluster_centers_["v1"].T
    assert model.predict(hidden).tolist() == cosines.argmax(axis=1).tolist()
    assert np.allclose(model.decision_function(hidden), cosines)
    by_view = model.view_decisions(hidden)
    assert np.isnan(by_view["v0"]).all()
    assert np.allclose(by_view["v1"], cosines)


@pytest.mark.parametrize("method", METHODS)
def test_a_view_that_shows_no_unlabelled_object_says_nothing(method):
    views, y, _ = topics(7)
    rest = views.with_observed({"v1": y >= 0})
    model = SeededSphericalKMeans(method).fit(rest, y)
    alone = SeededSphericalKMeans("sum").fit(views.subset(["v0"]), y)
    assert model.transduction_.tolist() == alone.transduction_.tolist()
    assert model.flips_.tolist() == alone.flips_.tolist()


def test_max_agree_with_gaps_is_max_agree_on_the_views_shown():
    rng = np.random.default_rng(0)
    scores = [rng.random((30, 4)) for _ in range(3)]
    shown = rng.random((30, 3)) < 0.6
    for score, seen in zip(scores, shown.T, strict=True):
        score[~seen] = 0.0
    rule = Rule("max_agree", alpha=(0.5, 0.02, 0.1))
    found = members(rule, scores, shown.astype(float))
    for row in range(30):
        there = np.flatnonzero(shown[row])
        alone = rule.agreeing([scores[v][[row]] for v in there]) if len(there) else []
        for view, bits in zip(there, alone, strict=True):
            assert found[view][row].tolist() == bits[0].tolist()
        for view in np.flatnonzero(~shown[row]):
            assert not found[view][row].any()


@given(seed=seeds, n_views=st.integers(1, 4), alpha_2=st.sampled_from([0.0, 0.02, 0.1, 0.3]))
@settings(deadline=None, max_examples=25)
def test_who_is_settled_beforehand_is_settled_well(seed, n_views, alpha_2):
    rng = np.random.default_rng(seed)
    scores = [rng.uniform(-1, 1, (40, 5)) * rng.random((40, 1)) for _ in range(n_views)]
    alpha = (0.5, alpha_2, rng.uniform(0.3, 2.0))
    found = members(Rule("max_agree", alpha=alpha), scores, np.ones((40, n_views)))
    best = assign_labels(scores, "max_agree", alpha=alpha, solver="exact")
    values = [assignment_value(scores, bits, "max_agree", alpha=alpha) for bits in (found, best)]
    assert np.allclose(*values, atol=1e-12)


def test_many_views_that_agree_are_settled_without_a_search(monkeypatch):
    views, y, truth = topics(0, n_views=12)
    monkeypatch.setattr(Rule, "agreeing", lambda *_: pytest.fail("searched for labels"))
    model = SeededSphericalKMeans().fit(views, y)
    assert np.mean(model.transduction_ == truth) > 0.9


def test_an_object_like_nothing_known_enters_no_class():
    words = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.1, 0]])
    model = SeededSphericalKMeans("sum").fit({"words": words}, [0, 1, -1, -1])
    assert not model.view_members_["words"][2].any()
    assert model.cluster_centers_["words"][0, 2] == 0.0


def test_a_class_without_labels_in_a_view_is_found_there_through_the_others():
    words = np.array([[1.0, 0], [0, 1], [1, 0.1], [0.1, 1]])
    links = np.array([[1.0, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 2.0]])
    views = Views({"words": words, "links": links}, observed={"links": [True, False, True, True]})
    y = np.array([0, 1, -1, -1])
    first = start(problem_of(views, y, 2))
    assert first.centres[1].tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    nowhere = Views(
        {"words": words, "links": links}, observed={"links": [True, False, True, False]}
    )
    model = SeededSphericalKMeans().fit(nowhere, y)
    assert not model.cluster_centers_["links"][1].any()
    assert model.transduction_.tolist() == [0, 1, 0, 1]


# -- weights of views -----------------------------------------------------------------------------


def with_noise(views):
    noise = np.random.default_rng(0).normal(size=(len(views), 100))
    return Views({**dict(views.items()), "noise": noise})


@pytest.mark.parametrize("method", METHODS)
def test_a_view_of_noise_is_named_and_left_out(method):
    views, y, _ = topics(1, n_objects=200)
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty") as told:
        model = SeededSphericalKMeans(method).fit(with_noise(views), y)
    assert told[0].filename == __file__
    assert model.view_weights_ == {"v0": 1.0, "v1": 1.0, "noise": 0.0}
    alone = SeededSphericalKMeans(method).fit(views, y)
    assert model.transduction_.tolist() == alone.transduction_.tolist()
    assert model.predict(with_noise(views)).tolist() == alone.predict(views).tolist()


def test_with_an_ontology_a_view_of_noise_is_left_out_too():
    views, y, _ = topics(1, n_objects=200)
    sets = [None if code < 0 else LEAVES[code] for code in y]
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty"):
        model = SeededSphericalKMeans(ontology=TREE).fit(with_noise(views), sets)
    alone = SeededSphericalKMeans(ontology=TREE).fit(views, sets)
    assert np.array_equal(model.transduction_, alone.transduction_)


@given(seed=seeds, method=st.sampled_from(METHODS))
@settings(deadline=None, max_examples=12)
def test_a_view_given_twice_weighs_as_one_of_weight_two(seed, method):
    views, y, _ = topics(seed)
    names = "v0", "v0", "v1"
    twice = [unit(views[name]) @ np.eye(len(views[name][0]), 4) for name in names]
    shares = np.tile([1.0, 1.0, 1.0], (len(y), 1)), np.tile([2.0, 1.0], (len(y), 1))
    assert np.allclose(
        effective_scores(method, twice, shares[0]), effective_scores(method, twice[1:], shares[1])
    )


def test_an_object_that_only_views_without_weight_show_is_told_by_them():
    views, y, truth = topics(2, noise=0.2)
    model = SeededSphericalKMeans(view_weights=[1, 0]).fit(views, y)
    hidden = views.with_observed({"v0": np.zeros(len(y), bool)})
    assert np.mean(model.predict(hidden) == truth) > 0.9


# -- single assignments ---------------------------------------------------------------------------


def test_products_leave_to_the_sum_what_they_cannot_tell():
    shown = np.array([[True, True], [True, True], [True, False], [True, True], [False, False]])
    one = np.array([[0.5, 0.4], [0.9, 0.0], [0.3, 0.2], [-0.5, 0.1], [0.0, 0.0]])
    two = np.array([[0.2, 0.5], [0.0, 0.3], [0.0, 0.0], [-0.5, 0.1], [0.0, 0.0]])
    expected = [[0.1, 0.2], [0.9, 0.3], [0.3, 0.2], [0.0, 0.01], [0.0, 0.0]]
    assert np.allclose(effective_scores("product", [one, two], shown.astype(float)), expected)


def test_cotraining_centres_a_view_on_what_the_other_says():
    shares = np.ones((1, 2))
    one, two = np.array([[0.9, 0.1]]), np.array([[0.2, 0.3]])
    first, second = members(Rule("cotrain"), [one, two], shares)
    assert first.tolist() == [[False, True]]
    assert second.tolist() == [[True, False]]
    alone = members(Rule("cotrain"), [one, 0 * two], np.array([[True, False]]))
    assert alone[0].tolist() == [[True, False]]


def test_cotraining_with_three_views_sums_the_others():
    scores = [np.array([[0.9, 0.1]]), np.array([[0.2, 0.4]]), np.array([[0.1, 0.5]])]
    found = members(Rule("cotrain"), scores, np.ones((1, 3), dtype=bool))
    assert [bits.argmax() for bits in found] == [1, 0, 0]


def test_views_of_max_agree_may_differ_and_one_label_comes_out():
    far_apart = [np.array([[0.9, 0.0, 0.5]]), np.array([[0.0, 0.9, 0.5]])]
    shares = np.ones((1, 2))
    first, second = members(Rule("max_agree"), far_apart, shares)
    assert first.tolist() == [[True, False, False]]
    assert second.tolist() == [[False, True, False]]
    assert decide(Rule("max_agree"), far_apart, shares).tolist() == [[False, False, True]]


def test_sums_of_members_are_a_matrix_product():
    rng = np.random.default_rng(1)
    rows = rng.random((20, 5)) * (rng.random((20, 5)) < 0.5)
    chosen = rng.random((20, 3)) < 0.4
    expected = chosen.T.astype(float) @ rows
    assert np.allclose(sum_members(rows, chosen), expected)
    assert np.allclose(sum_members(csr_array(rows), chosen), expected)


# -- forms of data, and the end of the rounds ------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ontology", [None, TREE])
def test_sparse_is_dense(method, ontology):
    views, y, _ = topics(8, missing=0.2)
    labels = y if ontology is None else tree_labels(y)
    thin = Views(
        {name: csr_array(np.nan_to_num(m)) for name, m in views.items()}, observed=views.observed
    )
    dense = quiet(SeededSphericalKMeans(method, ontology=ontology), views, labels)
    sparse = quiet(SeededSphericalKMeans(method, ontology=ontology), thin, labels)
    assert np.array_equal(dense.transduction_, sparse.transduction_)
    assert np.allclose(dense.decision_function(views), sparse.decision_function(thin))


def test_single_precision_is_kept():
    views, y, _ = topics(9)
    single = Views({name: m.astype(np.float32) for name, m in views.items()})
    model = SeededSphericalKMeans().fit(single, y)
    assert {c.dtype for c in model.cluster_centers_.values()} == {np.dtype(np.float32)}
    assert model.decision_function(single).dtype == np.float32
    assert (
        model.transduction_.tolist() == SeededSphericalKMeans().fit(views, y).transduction_.tolist()
    )


def test_a_run_that_is_cut_short_says_so():
    views, y, _ = topics(0, noise=2.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 rounds"):
        model = SeededSphericalKMeans(max_iter=1).fit(views, y)
    assert not model.converged_
    assert model.n_iter_ == 1


def test_a_run_that_goes_in_circles_ends_and_says_so():
    views, y, _ = topics(0, noise=2.0)
    problem, turns = problem_of(views, y), iter(range(100))

    def restless(scores, shares):
        bits = members(Rule("sum"), scores, shares)[0]
        return [np.roll(bits, next(turns) % 3, axis=1)] * len(scores)

    learnt = learn(problem, restless, max_iter=100)
    assert learnt.circling
    assert not learnt.converged
    assert 3 < len(learnt.flips) < 100
    hard, y, _ = topics(2, n_objects=40, noise=2.0, labelled=0.1)
    with pytest.warns(ConvergenceWarning, match="goes in circles in which"):
        model = SeededSphericalKMeans("cotrain").fit(hard, y)
    assert model.n_iter_ < 100


def test_it_stops_when_few_labels_change():
    views, y, _ = topics(0, noise=2.0)
    full = SeededSphericalKMeans("sum").fit(views, y)
    assert full.n_iter_ > 2
    early = SeededSphericalKMeans("sum", tol=full.flips_[1] / np.sum(y < 0)).fit(views, y)
    assert early.n_iter_ == 2
    assert early.converged_


def test_rounds_are_reported(capsys):
    views, y, _ = topics(0)
    SeededSphericalKMeans(verbose=2).fit(views, y)
    printed = capsys.readouterr().out
    assert "round 1, " in printed
    assert "labels changed in the last of" in printed


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"assignment": "vote"}, "assignment='vote' should be 'sum', 'product', 'max_agree', or"),
        ({"alpha": (1.0, -1.0, 1.0)}, r"alpha=\(1.0, -1.0, 1.0\) should be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params, message):
    views, y, _ = topics(0)
    with pytest.raises(ValueError, match=message):
        SeededSphericalKMeans(**params).fit(views, y)


# -- ontologies ------------------------------------------------------------------------------------


def tree_labels(y):
    return [None if code < 0 else {LEAVES[code]} for code in y]


def test_answers_of_max_agree_are_closed_under_the_ontology():
    views, y, truth = topics(10, missing=0.2)
    model = SeededSphericalKMeans(ontology=TREE).fit(views, tree_labels(y))
    ontology = Ontology.read(TREE)
    assert list(model.classes_) == list(ontology.classes)
    for answer in (model.transduction_, model.predict(views)):
        assert answer.shape == (len(y), 7)
        assert answer.dtype.kind == "i"
        assert not ontology.violations(answer).any()
        assert (answer[:, [2, 3, 5, 6]].sum(axis=1) == 1).all()  # leaves
    seen = np.flatnonzero(y >= 0)
    found = ontology.label_sets(model.transduction_[seen])
    assert found == [{LEAVES[y[r]], "thing", *ontology.parents(LEAVES[y[r]])} for r in seen]
    right = ontology.closure(ontology.indicator([LEAVES[code] for code in truth]))
    assert (model.transduction_ == right).mean() > 0.8


ALL_SETS = np.array(np.meshgrid(*[[False, True]] * 7)).reshape(7, -1).T


@pytest.mark.parametrize("method", METHODS)
def test_no_other_labels_are_better(method):
    views, y, _ = topics(10, missing=0.2)
    model = quiet(SeededSphericalKMeans(method, ontology=TREE), views, tree_labels(y))
    scores, penalty = model.decision_function(views), 1.0
    if method == "max_agree":  # alpha 0.5 for the mean over the views seen
        scores = 0.5 * scores / views.observed.sum(axis=1)[:, None]
    broken = Ontology.read(TREE).violations(ALL_SETS)
    values = scores @ ALL_SETS.T.astype(float) - penalty * broken
    found = model.predict(views).astype(bool)
    own = (scores * found).sum(axis=1) - penalty * Ontology.read(TREE).violations(found)
    assert np.allclose(own, values.max(axis=1))


def test_labels_of_any_form_are_the_same():
    import pandas as pd

    views, y, _ = topics(11)
    ontology = Ontology.read(TREE)
    indicator = ontology.indicator([() if c < 0 else LEAVES[c] for c in y]).astype(int)
    indicator[y < 0] = -1
    frame = pd.DataFrame(indicator, columns=list(ontology.classes)).iloc[:, ::-1]
    words = np.array([None if c < 0 else LEAVES[c] for c in y], dtype=object)
    closed = np.where(indicator < 0, -1, ontology.closure(indicator == 1))
    expected = SeededSphericalKMeans(ontology=TREE).fit(views, tree_labels(y)).transduction_
    forms = [indicator, frame, csr_array(indicator), words, closed, indicator.tolist()]
    forms.append([np.nan if c < 0 else [LEAVES[c]] for c in y])
    for form in forms:
        found = SeededSphericalKMeans(ontology=ontology).fit(views, form).transduction_
        assert np.array_equal(found, expected)


class Graph:
    """What is asked of a NetworkX DiGraph."""

    def __init__(self, ontology):
        self.nodes = ontology.classes
        self._edges = [(parent, child, {}) for child, parent in ontology.subset]
        self._edges += [(one, other, {"relation": "mutex"}) for one, other in ontology.mutex]

    def is_directed(self):
        return True

    def edges(self, data):
        assert data
        return self._edges


def test_ontologies_of_any_form_are_the_same():
    views, y, _ = topics(12)
    ontology = Ontology.read(TREE)
    expected = SeededSphericalKMeans(ontology=TREE).fit(views, tree_labels(y)).transduction_
    for form in (ontology, Graph(ontology)):
        model = clone(SeededSphericalKMeans(ontology=form)).fit(views, tree_labels(y))
        assert np.array_equal(model.transduction_, expected)


def test_a_label_may_be_an_inner_class():
    views, y, truth = topics(13, labelled=0.2)
    coarse = [None if c < 0 else {LEAVES[c]} for c in y]
    for row in np.flatnonzero((y < 0) & (np.arange(len(y)) % 3 == 0)):
        coarse[row] = "food" if truth[row] < 2 else "place"
    model = SeededSphericalKMeans(ontology=TREE).fit(views, coarse)
    rows = [row for row, labels in enumerate(coarse) if labels == "food"]
    assert model.transduction_[rows].tolist() == [[1, 1, 0, 0, 0, 0, 0]] * len(rows)


def test_ontology_scores_and_tools_of_scikit_learn():
    views, _, truth = topics(14, n_objects=60, noise=0.4)
    ontology = Ontology.read(TREE)
    y = ontology.closure(ontology.indicator([LEAVES[c] for c in truth])).astype(int)
    model = SeededSphericalKMeans(ontology=ontology)
    assert get_tags(model).classifier_tags.multi_label
    assert not get_tags(SeededSphericalKMeans()).classifier_tags.multi_label
    assert cross_val_score(model, views, y, cv=3).mean() > 0.8
    some = np.where(np.arange(60)[:, None] % 2, y, -1)
    assert cross_val_score(model, views, some, cv=3).mean() > 0.8
    grid = {"assignment": METHODS, "ontology": [TREE, ontology]}
    assert GridSearchCV(model, grid, cv=3, error_score="raise").fit(views, y).best_score_ > 0.8
    fitted = model.fit(views, y)
    right = (fitted.predict(views) == y).all(axis=1)
    assert fitted.score(views, y) == pytest.approx(right.mean())
    assert fitted.score(views, [LEAVES[c] for c in truth]) == pytest.approx(right.mean())
    half = np.where(np.arange(60) < 30, 1.0, 0.0)
    assert fitted.score(views, y, sample_weight=half) == pytest.approx(right[:30].mean())
    assert fitted.score(views, some) == pytest.approx(right[1::2].mean())


@pytest.mark.parametrize("ontology", [TREE, Ontology.read(TREE)])
def test_fitted_ontologies_are_stored(ontology):
    from skops import io

    views, y, _ = topics(15, missing=0.2)
    model = SeededSphericalKMeans(ontology=ontology).fit(views, tree_labels(y))
    stored = io.dumps(model)
    again = io.loads(stored, trusted=io.get_untrusted_types(data=stored))
    for copy in (pickle.loads(pickle.dumps(model)), again):
        assert np.array_equal(copy.predict(views), model.predict(views))


def test_a_general_ontology_is_kept():
    ontology = Ontology(
        subset=[("spa", "hotel"), ("spa", "health"), ("inn", "hotel"), ("clinic", "health")],
        mutex=[("inn", "clinic"), ("spa", "inn"), ("spa", "clinic"), ("inn", "health")],
    )
    names = np.array(["spa", "inn", "clinic"])
    views, y, truth = topics(16, n_objects=30, n_classes=3, noise=0.3)
    model = SeededSphericalKMeans(ontology=ontology)
    model.fit(views, [None if c < 0 else {names[c]} for c in y])
    right = ontology.closure(ontology.indicator(names[truth]))
    assert not ontology.violations(model.transduction_).any()
    assert (model.transduction_ == right).mean() > 0.9


def test_a_class_nobody_is_labelled_with_is_never_assigned_alone():
    views, y, _ = topics(17)
    tree = {"thing": {**TREE["thing"], "person": ["actor"]}}
    model = SeededSphericalKMeans(ontology=tree).fit(views, tree_labels(y))
    unused = [list(model.classes_).index(name) for name in ("person", "actor")]
    assert not model.predict(views)[:, unused].any()
    assert not model.cluster_centers_["v0"][unused].any()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "requires y"),
        ([None, None], "no object is labelled"),
        ([{"fruit", "city"}, None], "row 0 of y is in 'food' and in 'place', which exclude"),
        ([{"stone"}, None], "'stone', which the ontology does not know"),
        (np.array([[1, 0, 0], [0, 1, 1]]), "3 columns for the 7 classes"),
        (np.array([[1, 1, 1, 0, 0, 0, 0], [-1, 0, 0, 0, 0, 0, 0]]), "row 1 of y is"),
        ([{"fruit"}], "inconsistent numbers of samples"),
    ],
)
def test_labels_that_make_no_sense_are_refused(labels, message):
    views = {"a": [[1.0, 0.0], [0.0, 1.0]]}
    with pytest.raises(ValueError, match=message):
        SeededSphericalKMeans(ontology=TREE).fit(views, labels)


def test_a_frame_that_lacks_a_class_is_refused():
    import pandas as pd

    with pytest.raises(ValueError, match="y has no column 'thing'"):
        read_label_sets(pd.DataFrame({"fruit": [1]}), Ontology.read(TREE))


def test_learning_without_reports_is_the_same():
    views, y, _ = topics(18)
    problem = problem_of(views, y)
    told = []
    one = learn(
        problem,
        partial(members, Rule("sum")),
        max_iter=20,
        report=lambda n, r: told.append((n, r.flips)),
    )
    other = learn(problem, partial(members, Rule("sum")), max_iter=20)
    assert one.flips == other.flips == tuple(flips for _, flips in told)
