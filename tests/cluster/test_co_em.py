"""Co-EM against brute force, scikit-learn, and the laws its mathematics states."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import gammaln, logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from manyviews import Views
from manyviews.cluster import Bernoulli, CoEMMixture, Gaussian, Multinomial, VonMisesFisher
from manyviews.cluster.co_em import (
    TRIAL,
    Sweep,
    ViewPosterior,
    averaged_posterior,
    begin,
    criterion,
    pose,
    sweep,
    view_posterior,
)
from manyviews.datasets import hide_views, make_correlated_views
from manyviews.exceptions import ViewsWarning

quick = settings(deadline=None, max_examples=25)


def counts(seed, n=40, widths=(6, 5), groups=3):
    """Bags of words whose preferred words depend on the group, in several views."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % groups
    views = []
    for width in widths:
        topics = rng.dirichlet(np.full(width, 0.5), size=groups)
        views.append(np.stack([rng.multinomial(12, topics[g]) for g in group]).astype(float))
    return views, group


def responsibilities(n, k, seed):
    return np.random.default_rng(seed + 99).dirichlet(np.ones(k), size=n)


def posed(views, family, k, known=None, observed=None):
    n = len(views[0])
    masks = [np.ones(n, bool)] * len(views) if observed is None else observed
    known = np.full(n, -1) if known is None else known
    return pose([(family, X, seen) for X, seen in zip(views, masks, strict=True)], known, k)


def iterate(problem, start, n_iter, eta=1.0, shared_prior=True):
    state = begin(problem, [start] * len(problem.views), eta)
    for _ in range(n_iter):
        state = sweep(problem, state, eta, shared_prior=shared_prior)
    return state


def multinomial_em(X, R, n_iter):
    """The textbook mixture of multinomials, by loops."""
    n, k = R.shape
    base = gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1)
    history = []
    for step in range(n_iter + 1):
        prior = R.mean(axis=0)
        theta = np.array([sum(R[i, j] * X[i] for i in range(n)) for j in range(k)])
        theta /= theta.sum(axis=1, keepdims=True)
        joint = np.array(
            [
                [np.log(prior[j]) + (X[i] * np.log(theta[j])).sum() for j in range(k)]
                for i in range(n)
            ]
        )
        history.append(logsumexp(joint, axis=1).sum() + base.sum())
        if step < n_iter:
            R = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    return theta, prior, np.array(history)


# -- one view ------------------------------------------------------------------------------------


def test_one_view_is_the_textbook_mixture_of_multinomials():
    (X,), _ = counts(0, widths=(6,))
    X = X + 1  # no zero probabilities in the loops
    start = responsibilities(len(X), 3, 0)
    theta, prior, history = multinomial_em(X, start, 8)
    state = iterate(posed([X], Multinomial(alpha=0), 3), start, 8)
    np.testing.assert_allclose(state.parameters[0].probabilities, theta, rtol=1e-8)
    np.testing.assert_allclose(state.priors[0], prior, rtol=1e-8)
    ours = [each.log_likelihoods[0] for each in state.history]
    np.testing.assert_allclose(ours, history, rtol=1e-10)


@pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
def test_one_view_is_the_gaussian_mixture_of_scikit_learn(covariance):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(c, 1.0, size=(30, 3)) for c in (0.0, 2.0, 4.0)])
    start = responsibilities(len(X), 3, 1)
    family = Gaussian(covariance, reg=1e-6)
    first = family.update(family.summarize(X, start))
    precisions = np.linalg.inv(first.covariances) if covariance == "full" else 1 / first.covariances
    theirs = GaussianMixture(
        3,
        covariance_type=covariance,
        tol=0,
        max_iter=25,
        weights_init=start.mean(axis=0),
        means_init=first.means,
        precisions_init=precisions,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(X)
        ours = CoEMMixture(3, family, init=start, n_init=1, max_iter=25, tol=0).fit(X)
    found = ours.parameters_["view0"]
    np.testing.assert_allclose(found.means, theirs.means_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.covariances, theirs.covariances_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.prior_, theirs.weights_, rtol=1e-8)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_array_equal(ours.labels_, theirs.predict(X))


@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
def test_with_one_view_eta_does_not_matter(eta):
    (X,), _ = counts(2, widths=(6,))
    start = responsibilities(len(X), 3, 2)
    problem = posed([X], Multinomial(), 3)
    expected = iterate(problem, start, 5, eta=0.0)
    found = iterate(problem, start, 5, eta=eta)
    np.testing.assert_array_equal(found.posteriors[0].posterior, expected.posteriors[0].posterior)
    assert found.history[-1].disagreement == 0
    assert found.history[-1].value == pytest.approx(expected.history[-1].value, rel=1e-12)


# -- eta = 0 -------------------------------------------------------------------------------------


@quick
@given(seed=st.integers(0, 500))
def test_without_weight_of_others_every_view_is_fitted_for_itself(seed):
    views, _ = counts(seed)
    start = responsibilities(40, 3, seed)
    together = iterate(posed(views, Multinomial(), 3), start, 6, eta=0, shared_prior=False)
    for place, X in enumerate(views):
        alone = iterate(posed([X], Multinomial(), 3), start, 6, eta=0, shared_prior=False)
        np.testing.assert_allclose(
            together.posteriors[place].posterior, alone.posteriors[0].posterior, atol=1e-12
        )


@pytest.mark.parametrize("family", [Multinomial(alpha=0), Gaussian("diag", reg=0)], ids=repr)
@quick
@given(seed=st.integers(0, 500))
def test_without_weight_of_others_no_likelihood_falls(family, seed):
    views, _ = counts(seed)
    if isinstance(family, Gaussian):
        rng = np.random.default_rng(seed)
        views = [X + rng.normal(size=X.shape) for X in views]
    start = responsibilities(40, 2, seed)
    state = iterate(posed(views, family, 2), start, 12, eta=0, shared_prior=False)
    likelihoods = np.array([each.log_likelihoods for each in state.history])
    assert (np.diff(likelihoods, axis=0) >= -1e-9 * np.abs(likelihoods[:-1])).all()


@quick
@given(seed=st.integers(0, 500))
def test_with_smoothing_the_penalised_likelihood_does_not_fall(seed):
    alpha = 0.5
    (X,), _ = counts(seed, widths=(6,))
    problem = posed([X], Multinomial(alpha=alpha), 3)
    state = begin(problem, [responsibilities(40, 3, seed)], 0.0)
    penalised = []
    for _ in range(12):
        log_theta = state.parameters[0].log_probabilities
        penalised.append(state.history[-1].log_likelihoods[0] + alpha * log_theta.sum())
        state = sweep(problem, state, 0.0, shared_prior=False)
    assert (np.diff(penalised) >= -1e-8).all()


# -- the criterion -------------------------------------------------------------------------------


def random_posteriors(rng, n, k, s, seen):
    joints, posteriors = [], []
    for view in range(s):
        joint = rng.normal(size=(n, k))
        evidence = logsumexp(joint, axis=1, keepdims=True)
        log_posterior = np.where(seen[:, [view]], joint - evidence, 0.0)
        posterior = np.where(seen[:, [view]], np.exp(log_posterior), 0.0)
        likelihood = float(evidence[seen[:, view]].sum())
        posteriors.append(ViewPosterior(posterior, log_posterior, likelihood))
        joints.append(np.where(seen[:, [view]], joint, 0.0))
    return joints, posteriors


def share_of(seen):
    others = seen.sum(axis=1) - 1
    return np.where(others > 0, 1 / np.maximum(others, 1), 0.0)[:, None]


def disagreement(old, new, seen):
    """Eq. (10) by its definition: old posteriors outside the logarithm, new ones inside."""
    total = 0.0
    for i, row in enumerate(seen):
        views = np.flatnonzero(row)
        for v in views:
            for u in views:
                if u != v:
                    gap = new[v].log_posterior[i] - new[u].log_posterior[i]
                    total += (old[v].posterior[i] * gap).sum() / (len(views) - 1)
    return total


@quick
@given(
    seed=st.integers(0, 10_000),
    s=st.integers(2, 4),
    eta=st.floats(0, 1),
    gaps=st.booleans(),
)
def test_theorem_1(seed, s, eta, gaps):
    rng = np.random.default_rng(seed)
    n, k = 7, 3
    seen = rng.random((n, s)) < 0.6 if gaps else np.ones((n, s), bool)
    _, old = random_posteriors(rng, n, k, s, seen)
    joints, new = random_posteriors(rng, n, k, s, seen)
    share = share_of(seen)
    single = sum((one.posterior * joint).sum() for one, joint in zip(old, joints, strict=True))
    left = single - eta * disagreement(old, new, seen)  # Eq. (7)
    right = sum(
        (averaged_posterior(old, v, eta, share) * joints[v]).sum() for v in range(s)
    )  # Eq. (12)
    assert left == pytest.approx(right, abs=1e-9)
    found = criterion(new, eta, share)
    assert found.disagreement == pytest.approx(disagreement(new, new, seen), abs=1e-9)
    by_hand = sum((averaged_posterior(new, v, eta, share) * joints[v]).sum() for v in range(s))
    assert found.value == pytest.approx(by_hand, abs=1e-9)


def test_averaged_posterior_worked_by_hand():
    own, other, third = (np.array([[p, 1 - p]]) for p in (0.5, 0.2, 0.6))
    posteriors = [ViewPosterior(p, np.log(p), 0.0) for p in (own, other, third)]
    found = averaged_posterior(posteriors, 0, 0.5, np.array([[0.5]]))
    np.testing.assert_allclose(found, [[0.45, 0.55]])


@quick
@given(seed=st.integers(0, 500), eta=st.floats(0, 1))
def test_each_m_step_raises_its_part_of_the_criterion(seed, eta):
    views, _ = counts(seed, widths=(6, 5, 4))
    problem = posed(views, Multinomial(alpha=0), 3)
    state = iterate(problem, responsibilities(40, 3, seed), 2, eta=eta)
    weights = averaged_posterior(state.posteriors, 0, eta, problem.share)
    view = problem.views[0]

    def local(parameters):
        return (weights * view.family.log_density(view.matrix, parameters)).sum()

    new = sweep(problem, state, eta, shared_prior=True)
    assert local(new.parameters[0]) >= local(state.parameters[0]) - 1e-8


def test_shared_prior_is_the_mean_of_all_posteriors_before_the_sweep():
    views, _ = counts(3)
    problem = posed(views, Multinomial(), 3)
    state = iterate(problem, responsibilities(40, 3, 3), 3, eta=0.7)
    expected = np.mean([one.posterior.mean(axis=0) for one in state.posteriors], axis=0)
    after = sweep(problem, state, 0.7, shared_prior=True)
    for prior in after.priors:
        np.testing.assert_allclose(prior, expected)
    averaged = [
        averaged_posterior(state.posteriors, v, 0.7, problem.share).mean(axis=0) for v in range(2)
    ]
    np.testing.assert_allclose(np.mean(averaged, axis=0), expected)  # Eq. (16) is Eq. (17)


# -- gaps ----------------------------------------------------------------------------------------


def test_an_object_in_one_view_is_learnt_from_by_that_view_alone():
    views, _ = counts(4)
    observed = [np.ones(40, bool), np.arange(40) >= 10]
    problem = posed(views, Multinomial(), 3, observed=observed)
    state = iterate(problem, responsibilities(40, 3, 4), 2)
    found = averaged_posterior(state.posteriors, 0, 1.0, problem.share)
    np.testing.assert_array_equal(found[:10], state.posteriors[0].posterior[:10])
    np.testing.assert_array_equal(found[10:], state.posteriors[1].posterior[10:])
    assert not state.posteriors[1].posterior[:10].any()


def test_an_empty_row_is_as_an_unobserved_one():
    views, _ = counts(5)
    views[1][:10] = 0
    empty = CoEMMixture(3, "multinomial", random_state=0, n_init=2).fit(views)
    hidden = CoEMMixture(3, "multinomial", random_state=0, n_init=2).fit(
        Views(views, observed=np.column_stack([np.ones(40, bool), np.arange(40) >= 10]))
    )
    np.testing.assert_array_equal(empty.labels_, hidden.labels_)
    np.testing.assert_allclose(empty.objective_history_, hidden.objective_history_)


def test_an_object_that_says_nothing_gets_the_prior():
    views, _ = counts(6)
    model = CoEMMixture(3, "multinomial", random_state=0, n_init=1).fit(views)
    nothing = {"view0": np.zeros((1, 6)), "view1": None}
    np.testing.assert_allclose(model.predict_proba(nothing)[0], model.prior_)


def test_an_empty_view_is_refused():
    views, _ = counts(7)
    with pytest.raises(ValueError, match="view 'b' is observed for no object, or is empty"):
        CoEMMixture(3, "multinomial", view_weights=None).fit(
            {"a": views[0], "b": np.zeros((40, 3))}
        )


# -- labels --------------------------------------------------------------------------------------


def nigam_ghani(first, second, labels, n_iter, alpha):
    """Co-EM of Nigam and Ghani: two naive Bayes classifiers that label for each other."""
    known = labels >= 0
    hard = np.zeros((len(labels), labels.max() + 1))
    hard[known, labels[known]] = 1

    def train(X, P):
        words = P.T @ X + alpha
        return np.log(P.sum(axis=0) / P.sum()), np.log(words / words.sum(axis=1, keepdims=True))

    def label(X, model):
        joint = model[0] + X @ model[1].T
        P = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        P[known] = hard[known]
        return P

    model_b = train(second, hard)  # from the labelled objects only
    for _ in range(n_iter):
        model_a = train(first, label(second, model_b))
        model_b = train(second, label(first, model_a))
    return model_a, model_b


def test_two_views_with_labels_are_the_co_em_of_nigam_and_ghani():
    (first, second), group = counts(8, n=60)
    labels = np.where(np.arange(60) < 12, group, -1)
    expected = nigam_ghani(first, second, labels, 7, alpha=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = CoEMMixture(
            3, Multinomial(alpha=0.5), shared_prior=False, n_init=1, max_iter=7, tol=0
        ).fit({"a": first, "b": second}, labels)
    for name, (log_prior, log_words) in zip(("a", "b"), expected, strict=True):
        np.testing.assert_allclose(
            model.parameters_[name].log_probabilities, log_words, rtol=1e-8, atol=1e-10
        )
        np.testing.assert_allclose(np.log(model.view_priors_[name]), log_prior, atol=1e-10)


def test_labels_are_kept_and_name_the_components():
    views, group = counts(9, n=60)
    names = np.array(["ant", "bee", "cat"], dtype=object)[group]
    given_names = np.where(np.arange(60) < 12, names, None)
    given_names[0] = "cat"  # a wrong one
    model = CoEMMixture(3, "multinomial", random_state=0).fit(views, given_names)
    assert list(model.classes_) == ["ant", "bee", "cat"]
    assert model.labels_[0] == 2
    assert (model.labels_[1:12] == group[1:12]).all()
    assert (model.predict(views) == group).mean() > 0.8


def test_components_beyond_the_classes_are_found_among_the_unlabelled():
    views, group = counts(10, n=90)
    y = np.where((group < 2) & (np.arange(90) < 30), group, -1)
    model = CoEMMixture(3, "multinomial", random_state=0).fit(views, y)
    assert model.classes_.tolist() == [0, 1]
    assert (model.predict(views) == group).mean() > 0.8


def test_without_labels_there_are_no_classes():
    views, group = counts(0)
    model = CoEMMixture(3, "multinomial", n_init=1, random_state=0).fit(views, group)
    assert hasattr(model, "classes_")
    assert not hasattr(model.fit(views), "classes_")


def test_a_likelihood_changed_after_fit_does_not_change_the_model():
    views, _ = counts(0)
    family = Multinomial(alpha=0.5)
    model = CoEMMixture(3, family, n_init=1, random_state=0).fit(views)
    family.alpha = 7.0
    assert {each.alpha for each in model.likelihoods_.values()} == {0.5}


def test_too_many_classes_are_refused():
    views, group = counts(0)
    with pytest.raises(ValueError, match="y has 3 classes and n_components is 2"):
        CoEMMixture(2).fit(views, group)


def test_labels_clamp_the_criterion_too():
    views, group = counts(11)
    known = np.where(np.arange(40) < 20, group, -1)
    problem = posed(views, Multinomial(), 3, known=known)
    state = iterate(problem, responsibilities(40, 3, 11), 3)
    for one, view, parameters, prior in zip(
        state.posteriors, problem.views, state.parameters, state.priors, strict=True
    ):
        joint = view.family.log_density(view.matrix, parameters) + np.log(prior)
        expected = joint[np.arange(20), group[:20]].sum() + logsumexp(joint[20:], axis=1).sum()
        assert one.log_likelihood - view.log_base.sum() == pytest.approx(expected)
        np.testing.assert_array_equal(one.posterior[:20], np.eye(3)[group[:20]])


# -- annealing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("anneal", ["linear", "exponential", lambda t: max(0.0, 0.9 - 0.1 * t)])
def test_annealing_does_not_stop_before_eta_is_zero(anneal):
    views, _ = counts(12)
    model = CoEMMixture(
        3, "multinomial", anneal=anneal, tol=1e6, max_iter=40, n_init=1, random_state=0
    ).fit(views)
    assert model.eta_ == 0
    assert model.converged_
    assert model.n_iter_ == (10 if callable(anneal) else 21)


def test_annealing_that_does_not_end_is_warned_of():
    views, _ = counts(12)
    model = CoEMMixture(
        3, "multinomial", anneal=lambda _: 0.5, tol=1e6, max_iter=5, n_init=1, random_state=0
    )
    with pytest.warns(ConvergenceWarning):
        model.fit(views)


def test_after_annealing_likelihoods_climb():
    views, _ = counts(13)
    model = CoEMMixture(
        3, Multinomial(alpha=0), anneal="linear", shared_prior=False, max_iter=30, n_init=1
    ).set_params(random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(views)
    for history in model.log_likelihood_history_.values():
        assert (np.diff(history[17:]) >= -1e-8).all()


@pytest.mark.parametrize("eta", [-0.1, 1.5])
def test_eta_outside_is_refused(eta):
    views, _ = counts(0)
    with pytest.raises(ValueError, match=f"eta={eta} should be a number from 0 to 1"):
        CoEMMixture(3, "multinomial", eta=eta).fit(views)


@pytest.mark.parametrize("eta", [-0.1, 2, "much", np.nan, None])
def test_what_anneal_gives_is_checked(eta):
    views, _ = counts(0)
    with pytest.raises(ValueError, match=rf"anneal\(0\)={eta!r} .* negative probabilities"):
        CoEMMixture(3, "multinomial", anneal=lambda _: eta).fit(views)


def test_an_unknown_schedule_is_refused():
    views, _ = counts(0)
    with pytest.raises(ValueError, match="cannot be called with the number of a sweep"):
        CoEMMixture(3, "multinomial", anneal=len).fit(views)
    with pytest.raises(ValueError, match="anneal='slowly' should be"):
        CoEMMixture(3, "multinomial", anneal="slowly").fit(views)


# -- the estimator -------------------------------------------------------------------------------


def test_views_may_mix_likelihoods():
    (words, _), group = counts(14, n=60)
    rng = np.random.default_rng(14)
    X = {
        "words": csr_array(words),
        "place": rng.normal(group[:, None] * 3.0, 1.0, size=(60, 2)),
        "flags": (rng.random((60, 8)) < 0.1 + 0.8 * (np.arange(8) % 3 == group[:, None])) * 1.0,
        "heading": rng.normal(np.eye(3)[group], 0.3),
    }
    model = CoEMMixture(
        3,
        {
            "words": "multinomial",
            "place": Gaussian("diag"),
            "flags": Bernoulli(alpha=0.5),
            "heading": VonMisesFisher(),
        },
        init="objects",
        random_state=0,
    ).fit(X)
    found = [np.bincount(group[model.labels_ == j]).max() for j in range(3)]
    assert sum(found) > 55
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert set(model.log_likelihood_history_) == set(X)
    assert len(model.disagreement_history_) == model.n_iter_ + 1 == len(model.objective_history_)


def test_objective_is_likelihoods_less_entropy_less_dissent():
    views, _ = counts(15)
    model = CoEMMixture(3, "multinomial", eta=0.4, n_init=1, random_state=0).fit(views)
    entropy = 0.0
    for name, X in zip(model.view_names_, views, strict=True):
        joint = X @ model.parameters_[name].log_probabilities.T + np.log(model.view_priors_[name])
        log_posterior = joint - logsumexp(joint, axis=1, keepdims=True)
        entropy -= (np.exp(log_posterior) * log_posterior).sum()
    likelihood = sum(history[-1] for history in model.log_likelihood_history_.values())
    expected = likelihood - entropy - 0.4 * model.disagreement_history_[-1]
    assert model.objective_history_[-1] == pytest.approx(expected, rel=1e-10)


def test_score_samples_is_the_density_of_the_mixture():
    views, _ = counts(16)
    model = CoEMMixture(3, "multinomial", n_init=1, random_state=0).fit(views)
    joint = np.tile(np.log(model.prior_), (40, 1))
    for X, parameters in zip(views, model.parameters_.values(), strict=True):
        joint += X @ parameters.log_probabilities.T
        joint += (gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1))[:, None]
    np.testing.assert_allclose(model.score_samples(views), logsumexp(joint, axis=1))
    assert model.score(views) == pytest.approx(logsumexp(joint, axis=1).mean())


def test_single_precision_follows_double():
    views, _ = counts(17)
    start = responsibilities(40, 3, 17)
    double = CoEMMixture(3, "multinomial", init=start, n_init=1).fit(views)
    single = CoEMMixture(3, "multinomial", init=start, n_init=1).fit(
        [X.astype(np.float32) for X in views]
    )
    np.testing.assert_array_equal(double.labels_, single.labels_)
    n = min(len(double.objective_history_), len(single.objective_history_))
    np.testing.assert_allclose(
        double.objective_history_[:n], single.objective_history_[:n], rtol=1e-4
    )
    assert single.objective_history_.dtype == np.float64


def state_of(model, problem):
    """The state that a fitted model is in."""
    parameters, priors = tuple(model.parameters_.values()), tuple(model.view_priors_.values())
    posteriors = tuple(
        view_posterior(view, own, prior, problem.known)
        for view, own, prior in zip(problem.views, parameters, priors, strict=True)
    )
    return Sweep(parameters, priors, posteriors, model.eta_, ())


@pytest.mark.parametrize("eta", [0.3, 1.0])
def test_sweeps_by_subsets_are_sweeps_over_all(eta):
    views, _ = counts(18)
    named = Views(dict(zip("ab", views, strict=True)))
    model = CoEMMixture(
        3, "multinomial", eta=eta, shared_prior=False, n_init=1, tol=0.1, random_state=0
    )
    model.fit(named)
    problem = posed(views, Multinomial(), 3)
    expected = sweep(problem, state_of(model, problem), eta, shared_prior=False)
    for name in model.view_names_:
        parts = [model.summarize(named[rows], view=name) for rows in (slice(0, 13), slice(13, 40))]
        model.update(parts[0] + parts[1])
    for place, name in enumerate(model.view_names_):
        found = model.parameters_[name].log_probabilities
        np.testing.assert_allclose(found, expected.parameters[place].log_probabilities, rtol=1e-9)
        np.testing.assert_allclose(model.view_priors_[name], expected.priors[place])


def test_statistics_of_other_views_do_not_add_up():
    views, _ = counts(19)
    model = CoEMMixture(3, "multinomial", n_init=1, random_state=0).fit(views)
    with pytest.raises(ValueError, match="do not add up"):
        model.summarize(views, view="view0") + model.summarize(views)


def test_labels_of_subsets_are_those_of_fit():
    views, group = counts(20)
    y = np.array(["x", "y", "z"])[group]
    model = CoEMMixture(3, "multinomial", n_init=1, random_state=0).fit(views, y)
    stats = model.summarize(views, y)
    np.testing.assert_allclose(stats.masses["view0"], np.bincount(group))
    with pytest.raises(ValueError, match="'w' was not there in fit"):
        model.summarize(views, np.full(40, "w"))


def test_renaming_views_changes_nothing():
    views, _ = counts(21)
    one = CoEMMixture(3, "multinomial", random_state=0, n_init=2).fit(
        {"a": views[0], "b": views[1]}
    )
    other = CoEMMixture(3, "multinomial", random_state=0, n_init=2).fit(
        {"z": views[0], "c": views[1]}
    )
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.objective_history_, other.objective_history_)


def test_permuted_objects_get_permuted_answers_from_the_same_start():
    views, _ = counts(22)
    start, order = responsibilities(40, 3, 22), np.random.default_rng(0).permutation(40)
    one = CoEMMixture(3, "multinomial", init=start, n_init=1).fit(views)
    other = CoEMMixture(3, "multinomial", init=start[order], n_init=1).fit(
        [X[order] for X in views]
    )
    np.testing.assert_array_equal(one.labels_[order], other.labels_)


@pytest.mark.parametrize(
    "init", ["best", np.full((40, 3), "a"), np.ones((3, 3)), -np.ones((40, 3)), np.eye(40, 3) * 0]
)
def test_starts_that_make_no_sense_are_refused(init):
    views, _ = counts(0)
    with pytest.raises(ValueError, match=r"init.* should be 'random', 'objects',? or an array"):
        CoEMMixture(3, "multinomial", init=init).fit(views)


def test_counts_below_zero_are_refused_in_predict_too():
    views, _ = counts(0)
    model = CoEMMixture(3, "multinomial", n_init=1, random_state=0).fit(views)
    with pytest.raises(ValueError, match="view 'view1', row 1, holds -1"):
        model.predict([views[0][:2], np.array([[0.0] * 5, [-1.0] * 5])])


def test_likelihoods_are_reached_by_name_in_grids():
    model = CoEMMixture(3, {"a": Multinomial(), "b": Gaussian()})
    model.set_params(likelihood__a__alpha=2.0)
    assert model.likelihood["a"].alpha == 2.0
    assert "likelihood__b__covariance" in model.get_params()


def test_components_that_melt_into_one_are_told():
    views, _ = make_correlated_views(rho=0.2, n_objects=300, random_state=0)
    melting = CoEMMixture(2, {"first": Gaussian("diag"), "second": Gaussian()}, random_state=0)
    with pytest.warns(ConvergenceWarning, match="only 1 of 2 components have objects; give init="):
        melting.fit(views)
    kept = clone(melting).set_params(init="objects", eta=0.5).fit(views)
    assert len(np.unique(kept.labels_)) == 2


def test_likelihood_is_chosen_by_the_numbers_of_a_view():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    words = rng.poisson(np.where(np.repeat(np.eye(2), 20, axis=1)[y], 0.3, 0.05))
    views = Views(
        {
            "words": csr_array(words.astype(float)),
            "signed": words * rng.choice([-1.0, 1.0], size=40),
            "asked": (rng.random((60, 6)) < 0.3 + 0.4 * y[:, None]).astype(float),
            "sizes": rng.standard_normal((60, 3)) + 3.0 * y[:, None],
        }
    )
    views = hide_views(views, share=0.1, seed=0)
    model = CoEMMixture(2, n_init=2, random_state=0).fit(views)
    assert model.likelihoods_ == {
        "words": VonMisesFisher(),
        "signed": VonMisesFisher(),
        "asked": Bernoulli(),
        "sizes": Gaussian("diag", shrinkage=0.2),
    }
    dense = CoEMMixture(2, n_init=2, random_state=0).fit(
        Views({**dict(views.items()), "words": words.astype(float)}, observed=views.observed)
    )
    assert dense.likelihoods_ == model.likelihoods_
    assert np.mean(model.labels_ == y) in (0.0, 1.0) or abs(np.mean(model.labels_ == y) - 0.5) > 0.4


class CountedSweeps(CoEMMixture):
    """Counts how often each state is stepped on from."""

    def _prepare(self, views, y):
        self.n_sweeps_ = 0
        return super()._prepare(views, y)

    def _step(self, problem, state):
        self.n_sweeps_ += 1
        return super()._step(problem, state)


def test_only_the_start_that_is_best_after_a_trial_goes_on():
    rng = np.random.default_rng(0)
    views = {"a": rng.normal(size=(80, 3)), "b": rng.normal(size=(80, 2))}
    settings = {"eta": 0, "view_weights": None, "max_iter": 60, "tol": 0, "random_state": 0}
    with pytest.warns(ConvergenceWarning):
        model = CountedSweeps(3, n_init=4, **settings).fit(views)
    assert model.n_sweeps_ == 4 * TRIAL + 60 - TRIAL
    assert model.n_iter_ == 60
    assert len(model.objective_history_) == len(model.disagreement_history_) == 61
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        trials = [
            CoEMMixture(3, n_init=n, **(settings | {"max_iter": TRIAL})).fit(views)
            for n in range(1, 5)
        ]
    assert model.objective_history_[TRIAL] == trials[-1].objective_history_[-1]
    assert max(t.objective_history_[-1] for t in trials) == trials[-1].objective_history_[-1]


def test_a_view_of_noise_is_left_out_and_named():
    rng = np.random.default_rng(0)
    points = 4.0 * np.eye(3)[np.arange(90) % 3]
    views = {name: points + rng.normal(size=(90, 3)) for name in ("a", "b")}
    noisy = {**views, "noise": rng.normal(size=(90, 50))}
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty of structure") as caught:
        model = CoEMMixture(3, random_state=0).fit(noisy)
    assert caught[0].filename == __file__
    assert model.view_weights_ == {"a": 1.0, "b": 1.0, "noise": 0.0}
    assert np.array_equal(model.labels_, CoEMMixture(3, random_state=0).fit(views).labels_)
    assert np.array_equal(model.predict(noisy), model.labels_)
    model.update(model.summarize(noisy))
    assert list(model.parameters_) == ["a", "b"]
    everything = CoEMMixture(3, view_weights=None, random_state=0).fit(noisy)
    assert list(everything.parameters_) == ["a", "b", "noise"]
