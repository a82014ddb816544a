"""Kernel CCA against dense solutions, linear CCA, kernel principal components and its own laws."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import GridSearchCV

from manyviews import Views
from manyviews.datasets import load_parallel
from manyviews.embed import CCA, KernelCCA
from manyviews.embed.canonical.kernel_cca import (
    Settings,
    metric_eigenvectors,
    pivot_coordinates,
    space_of_grams,
    space_of_pivots,
)
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.maths import canonical_pairs
from manyviews.similarity import RBF, Linear, LowRankKernel, Polynomial, fit_kernel

DATA = os.environ.get("MANYVIEWS_DATA")


def correlated(seed=0, n=80, widths=(4, 3), noise=0.4, gaps=0.0):
    """Views of a few hidden causes; each object is seen in one view at least."""
    rng = np.random.default_rng(seed)
    causes = rng.standard_normal((n, 3))
    views = {
        f"v{i}": np.tanh(causes @ rng.standard_normal((3, width)))
        + noise * rng.standard_normal((n, width))
        for i, width in enumerate(widths)
    }
    observed = rng.random((n, len(widths))) >= gaps
    observed[np.arange(n), rng.integers(len(widths), size=n)] = True
    return Views(views, observed=observed)


def centred(gram):
    gram = gram - gram.mean(axis=0)
    return gram - gram.mean(axis=1, keepdims=True)


def aligned(one, other):
    """Columns of the second, with the signs of the first."""
    return other * np.sign(np.einsum("ij,ij->j", one, other))


def dense_solution(grams, tau, n_components):
    """The generalised eigenproblem written out, on the range of the kernels."""
    bases = []
    for gram in grams:
        values, vectors = np.linalg.eigh(gram)
        bases.append(vectors[:, values > 1e-9 * values[-1]])
    pairs = list(zip(grams, bases, strict=True))
    rights = [b.T @ ((1 - tau) * k @ k + tau * k) @ b for k, b in pairs]
    cross = bases[0].T @ grams[0] @ grams[1] @ bases[1]
    left = np.block(
        [
            [np.zeros((len(cross), len(cross))), cross],
            [cross.T, np.zeros((cross.shape[1], cross.shape[1]))],
        ]
    )
    values, vectors = linalg.eigh(left, linalg.block_diag(*rights))
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    parts = np.split(vectors, [len(cross)])
    places = [k @ b @ part for (k, b), part in zip(pairs, parts, strict=True)]
    return (1 - tau) * values, places


@pytest.mark.parametrize("n_components", [2, 12])  # by whole matrices, by pivots
@pytest.mark.parametrize("tau", [0.2, 0.9])
def test_it_is_the_dense_generalised_eigensolution(n_components, tau):
    views = correlated(1)
    model = KernelCCA(n_components, RBF(0.2), tau, cholesky_tol=0.0).fit(views)
    grams = [centred(RBF(0.2).gram(matrix)) for _, matrix in views.items()]
    values, places = dense_solution(grams, tau, n_components)
    np.testing.assert_allclose(model.penalized_correlations_, values, atol=1e-8)
    for ours, theirs in zip(model.transform_views(views).values(), places, strict=True):
        scale = np.linalg.norm(ours, axis=0) / np.linalg.norm(theirs, axis=0)
        np.testing.assert_allclose(ours, aligned(ours, theirs * scale), atol=1e-5)


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_with_a_linear_kernel_it_is_cca_with_the_same_penalty(gaps):
    views, tau = correlated(2, gaps=gaps), 0.6
    shares = {}
    for v, (name, matrix) in enumerate(views.items()):
        rows = matrix[views.observed[:, v]]
        shares[name] = tau / ((1 - tau) * len(rows)) / rows.var(axis=0).mean()
    linear = CCA(3, regularization=shares).fit(views)
    kernel = KernelCCA(3, "linear", tau, cholesky_tol=0.0).fit(views)
    np.testing.assert_allclose(kernel.correlations_, linear.correlations_, atol=1e-9)
    np.testing.assert_allclose(kernel.pair_correlations_, linear.pair_correlations_, atol=1e-9)
    ours, theirs = kernel.transform_views(views), linear.transform_views(views)
    for name in views.names:
        seen = views.observed_in(name)
        np.testing.assert_allclose(
            ours[name][seen], aligned(ours[name][seen], theirs[name][seen]), atol=1e-8
        )
        mine = kernel.feature_weights(name)
        np.testing.assert_allclose(mine, aligned(mine, linear.weights_[name]), atol=1e-8)


def test_without_penalty_a_linear_kernel_gives_the_classical_correlations():
    views = correlated(3)
    model = KernelCCA(3, "linear", 0.0, cholesky_tol=0.0).fit(views)
    classical = canonical_pairs(views["v0"], views["v1"]).correlations
    np.testing.assert_allclose(model.correlations_, classical, atol=1e-10)
    np.testing.assert_allclose(model.penalized_correlations_, classical, atol=1e-10)


@given(
    seed=st.integers(0, 10_000),
    n_views=st.integers(1, 4),
    gaps=st.sampled_from([0.0, 0.3]),
    tau=st.sampled_from([0.5, 0.8, 0.95]),
)
@settings(deadline=None, max_examples=25)
def test_whole_matrices_and_pivots_give_the_same(seed, n_views, gaps, tau):
    views = correlated(seed, n=150, widths=(3, 4, 2, 5)[:n_views], gaps=gaps)
    kernels = {name: fit_kernel(views, name, RBF(0.1)) for name in views.names}
    chosen = dict.fromkeys(views.names, Settings(tau, 0.0, None))
    whole = space_of_grams(kernels, views.observed, chosen, 2)
    pivots = space_of_pivots(kernels, views.observed, chosen, 2)
    assert whole is not None
    np.testing.assert_allclose(whole.values, pivots.values, atol=1e-8)
    np.testing.assert_allclose(whole.pair_correlations, pivots.pair_correlations, atol=1e-6)
    for name in views.names:
        rows = kernels[name].rows
        one, other = whole.functions[name](rows), pivots.functions[name](rows)
        np.testing.assert_allclose(one, aligned(one, other), atol=1e-5)


@given(seed=st.integers(0, 10_000), gaps=st.sampled_from([0.0, 0.4]), kernel=st.sampled_from("lrc"))
@settings(deadline=None, max_examples=25)
def test_correlations_lie_between_0_and_1_and_those_penalised_fall(seed, gaps, kernel):
    views = correlated(seed, n=60, gaps=gaps)
    chosen = {"l": "linear", "r": "rbf", "c": "cosine"}[kernel]
    model = KernelCCA(2, chosen, 0.3).fit(views)
    assert (model.correlations_ >= -1e-12).all()
    assert (model.correlations_ <= 1.0).all()
    assert (np.diff(model.penalized_correlations_) <= 1e-12).all()
    places = model.transform_views(views)
    both = views.observed.all(axis=1)
    for i, told in enumerate(model.correlations_):
        shown = np.corrcoef(*(places[name][both, i] for name in views.names))[0, 1]
        assert told == pytest.approx(shown, abs=1e-8)


@pytest.mark.parametrize("n_components", [2, 20])
def test_variates_are_uncorrelated_in_the_penalised_metric_and_across_views(n_components):
    views, tau = correlated(4, n=100), 0.4
    model = KernelCCA(n_components, "rbf", tau, cholesky_tol=0.0).fit(views)
    places = model.transform_views(views)
    for name in views.names:
        gram = RBF().fitted(views[name]).gram(views[name])
        own = np.zeros((len(views), n_components))
        own[model.pivots_[name]] = model.dual_coef_[name]
        own -= own.mean(axis=0)  # the kernel centred is the kernel for these
        penalty = tau / (1 - tau) * own.T @ gram @ own
        inner = (places[name].T @ places[name] + penalty) / len(views)
        np.testing.assert_allclose(inner, np.eye(n_components), atol=1e-6)
    across = places["v0"].T @ places["v1"] / len(views)
    np.testing.assert_allclose(across, np.diag(model.penalized_correlations_), atol=1e-6)


def test_one_view_gives_kernel_principal_components_at_unit_penalised_variance():
    matrix, tau = correlated(5)["v0"], 0.5
    for n_components in (3, 10):
        model = KernelCCA(n_components, RBF(0.3), tau, cholesky_tol=0.0).fit(matrix)
        reference = KernelPCA(n_components, kernel="rbf", gamma=0.3)
        theirs = reference.fit_transform(matrix)
        values = reference.eigenvalues_
        theirs = theirs / np.sqrt(values * (values + tau / (1 - tau)) / len(matrix) / values)
        ours = model.transform(matrix)
        np.testing.assert_allclose(ours, aligned(ours, theirs), atol=1e-7)
        np.testing.assert_allclose(
            model.penalized_correlations_, values / (values + tau / (1 - tau)), atol=1e-9
        )


# -- pivots --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.1), Polynomial(2), LowRankKernel(RBF(), 12)])
def test_without_tolerance_coordinates_give_the_gram_matrix(kernel):
    views = correlated(6, n=70)
    fitted = fit_kernel(views, "v0", kernel)
    found = pivot_coordinates(fitted, tol=0.0)
    np.testing.assert_allclose(found.rows @ found.rows.T, fitted.gram, atol=1e-8)


@given(
    seed=st.integers(0, 10_000),
    tol=st.sampled_from([0.05, 0.4, 0.7]),
    shift=st.sampled_from([0.0, 30.0]),
    linear=st.booleans(),
)
@settings(deadline=None, max_examples=30)
def test_the_tolerance_bounds_the_distance_of_every_object_and_no_pivot_is_spare(
    seed, tol, shift, linear
):
    matrix = correlated(seed, n=40, widths=(6, 2))["v0"] + shift
    kernel = Linear() if linear else RBF(0.1)
    fitted = fit_kernel(Views({"v0": matrix}), "v0", kernel)
    found = pivot_coordinates(fitted, tol=tol)
    gram = fitted.gram
    spread = centred(gram).diagonal().mean()

    def farthest(chosen):
        """Largest squared distance from the span of some objects, by least squares."""
        across = gram[:, chosen]
        projected = across @ np.linalg.pinv(gram[np.ix_(chosen, chosen)], hermitian=True) @ across.T
        return (gram - projected).diagonal().max()

    known = spread + (gram - found.rows @ found.rows.T).mean()  # what pivots know of the spread
    pivots = found.pivots.places
    assert farthest(pivots) <= tol * known + 1e-9 * gram.max()
    assert len(pivots) == 1 or farthest(pivots[:-1]) > tol * spread - 1e-9 * gram.max()


@pytest.mark.parametrize("kernel", [RBF(0.1), Polynomial(3)])
@pytest.mark.parametrize(("tol", "min_rank"), [(0.3, 0), (0.05, 0), (0.3, 25)])
def test_columns_one_by_one_and_the_whole_matrix_give_the_same_pivots(
    monkeypatch, kernel, tol, min_rank
):
    views = correlated(7, n=64)
    fitted = fit_kernel(views, "v0", kernel)
    by_gram = pivot_coordinates(fitted, tol=tol, min_rank=min_rank)
    monkeypatch.setattr("manyviews.embed.canonical.kernel_cca.LARGEST_GRAM", 0)
    by_columns = pivot_coordinates(fitted, tol=tol, min_rank=min_rank)
    assert len(by_gram.pivots.places) >= max(min_rank, 2)
    if kernel != RBF(0.1):  # of equal diagonals the first is taken, in an order that differs
        assert by_gram.pivots.places.tolist() == by_columns.pivots.places.tolist()
        np.testing.assert_allclose(by_gram.rows, by_columns.rows, atol=1e-8)


def test_pivots_do_not_depend_on_units_or_on_an_offset():
    matrix = correlated(8, widths=(8, 2))["v0"]
    chosen = [
        pivot_coordinates(fit_kernel(Views({"v0": m}), "v0", "linear"), tol=0.2).pivots.places
        for m in (matrix, 1000 * matrix, 1e-3 * matrix)
    ]
    assert chosen[0].tolist() == chosen[1].tolist() == chosen[2].tolist()
    far = pivot_coordinates(fit_kernel(Views({"v0": matrix + 50}), "v0", "linear"), tol=0.2)
    assert abs(len(far.pivots.places) - len(chosen[0])) <= 1  # one holds the offset


def test_there_are_as_many_pivots_as_components_and_no_more_than_allowed():
    views = correlated(9, n=150)
    many = KernelCCA(120, "rbf", cholesky_tol=0.9).fit(views)
    assert {len(pivots) for pivots in many.pivots_.values()} == {120}
    assert many.transform(views).shape == (150, 120)
    few = KernelCCA(2, "rbf", cholesky_tol=0.0, max_rank={"v0": 7, "v1": 11}).fit(views)
    assert [len(pivots) for pivots in few.pivots_.values()] == [7, 11]


def test_only_the_pivots_are_kept_and_they_are_enough_for_new_objects():
    views = correlated(10, n=120)
    model = KernelCCA(2, "rbf", cholesky_tol=0.1).fit(views[:100])
    for name, pivots in model.pivots_.items():
        rows = model.functions_[name].rows
        assert len(rows) == len(pivots) < 60
        np.testing.assert_allclose(rows, views[name][pivots], rtol=1e-15)  # shaken by two digits
        expected = RBF(RBF().fitted(views[name][:100]).gamma).matrix(views[name][100:], rows)
        np.testing.assert_allclose(
            expected @ model.dual_coef_[name] + model.intercept_[name],
            model.transform_views(views[100:])[name],
            atol=1e-10,
        )


def test_fewer_pivots_come_near_the_exact_space():
    views, new = correlated(11, n=400), correlated(11, n=500)[400:]
    exact = KernelCCA(2, "rbf", cholesky_tol=0.0).fit(views)
    near = KernelCCA(2, "rbf", cholesky_tol=0.02).fit(views)
    assert max(map(len, near.pivots_.values())) < 200
    shown = [
        np.corrcoef(*model.transform_views(new).values(), rowvar=False) for model in (exact, near)
    ]
    for i in range(2):
        assert abs(shown[0][i, 2 + i] - shown[1][i, 2 + i]) < 0.02


def test_unseen_objects_tell_what_correlates_and_a_search_can_choose_by_it():
    views, new = correlated(11, n=300), correlated(11, n=400)[300:]
    model = KernelCCA(2, "rbf", cholesky_tol=0.05).fit(views)
    np.testing.assert_allclose(model.correlate(views), model.correlations_, atol=1e-9)
    places = model.transform_views(new)
    shown = [np.corrcoef(places["v0"][:, i], places["v1"][:, i])[0, 1] for i in range(2)]
    np.testing.assert_allclose(model.correlate(new), shown, atol=1e-10)
    grid = {"tau": [1e-6, 0.9], "kernel": [RBF(5.0), RBF(0.1)]}
    search = GridSearchCV(KernelCCA(2, cholesky_tol=0.0), grid, cv=2).fit(views)
    assert search.best_params_["kernel"] == RBF(0.1)
    assert search.best_params_["tau"] == 0.9


# -- forms of the data ---------------------------------------------------------------------------


def test_sparse_views_give_what_dense_ones_give():
    rng = np.random.default_rng(12)
    views = {name: rng.poisson(0.3, (80, 40)).astype(float) for name in ("en", "fr")}
    for kernel, tol in (("linear", 0.4), ("cosine", 0.0), (RBF(0.05), 0.0)):
        dense = KernelCCA(2, kernel, cholesky_tol=tol).fit(views)
        packed = {name: sparse.csr_array(view) for name, view in views.items()}
        loose = KernelCCA(2, kernel, cholesky_tol=tol).fit(packed)
        np.testing.assert_allclose(loose.transform(packed), dense.transform(views), atol=1e-8)
        np.testing.assert_allclose(loose.transform(views), dense.transform(packed), atol=1e-8)


@pytest.mark.parametrize(("n_components", "gaps"), [(2, 0.0), (2, 0.3), (10, 0.3)])
def test_precomputed_kernels_give_what_the_kernels_give(n_components, gaps):
    views = correlated(13, n=100, gaps=gaps)
    old, new = views[:80], views[80:]
    grams, crosses = {}, {}
    for name in views.names:
        filled = np.nan_to_num(views[name])
        grams[name] = RBF(0.3).matrix(filled[:80])
        crosses[name] = RBF(0.3).matrix(filled[80:], filled[:80])
    one = KernelCCA(n_components, RBF(0.3), cholesky_tol=0.0).fit(old)
    other = KernelCCA(n_components, "precomputed", cholesky_tol=0.0)
    other.fit(Views(grams, observed=old.observed))
    np.testing.assert_allclose(one.correlations_, other.correlations_, atol=1e-6)
    mine, theirs = one.transform(new), other.transform(Views(crosses, observed=new.observed))
    np.testing.assert_allclose(mine, aligned(mine, theirs), atol=1e-4)
    assert other.functions_["v0"].rows.shape[0] == 0  # nothing of the matrix is kept


def test_objects_are_placed_by_the_views_they_have():
    views = correlated(14, n=100)
    model = KernelCCA(2, {"v0": "rbf", "v1": "linear"}, [0.2, 0.7], cholesky_tol=0.1).fit(views)
    alone = {name: model.transform({name: views[name]}) for name in views.names}
    places = model.transform_views(views)
    for name in views.names:
        np.testing.assert_allclose(alone[name], places[name])
    np.testing.assert_allclose(model.transform(views), (alone["v0"] + alone["v1"]) / 2)


def test_views_of_which_few_objects_are_shared_still_meet():
    whole = correlated(15, n=300, noise=0.2)
    observed = np.ones((300, 2), dtype=bool)
    observed[100:200, 0] = observed[200:, 1] = False
    with_gaps = KernelCCA(1, "rbf", cholesky_tol=0.0).fit(whole.with_observed(observed))
    places = with_gaps.transform_views(whole)  # half of these places were never seen together
    hidden = slice(100, 300)
    assert np.corrcoef(places["v0"][hidden, 0], places["v1"][hidden, 0])[0, 1] > 0.8


# -- the search for eigenvectors -----------------------------------------------------------------


def test_eigenvectors_in_a_metric_are_those_of_the_dense_problem():
    rng = np.random.default_rng(16)
    root = rng.standard_normal((90, 60)) * 0.8 ** np.arange(60)
    metric, coupling = root @ root.T, rng.standard_normal((90, 90))
    coupling = coupling + coupling.T
    found = metric_eigenvectors(
        lambda x: coupling @ x, lambda x: metric @ x, rng.standard_normal((90, 5)), 2
    )
    expected = np.linalg.eigvalsh(root.T @ coupling @ root)[::-1][:2]
    assert found is not None
    values, vectors, images = found
    np.testing.assert_allclose(values, expected, rtol=1e-8)
    np.testing.assert_allclose(metric @ vectors, images, atol=1e-8)
    np.testing.assert_allclose(vectors.T @ images, np.eye(2), atol=1e-8)


def test_many_equal_eigenvalues_are_given_up_and_solved_otherwise():
    assert metric_eigenvectors(lambda x: x, lambda x: 0 * x, np.ones((60, 3)), 2) is None
    twice = correlated(17, n=100)["v0"]
    model = KernelCCA(4, RBF(0.3), 0.001, cholesky_tol=0.0).fit({"a": twice, "b": twice})
    np.testing.assert_allclose(model.correlations_, 1.0)


@pytest.mark.parametrize("tau", [1e-300, 1e-17, 1e-14])
def test_a_penalty_below_rounding_is_solved_by_pivots(tau):
    views = correlated(21, n=60)
    found = KernelCCA(1, RBF(0.3), tau, cholesky_tol=0.0).fit(views)
    assert 0.99 < found.correlations_[0] <= 1.0 + 1e-9


def test_of_a_matrix_that_is_no_kernel_the_positive_part_is_taken():
    rng = np.random.default_rng(22)
    given = rng.normal(size=(2, 50, 50))
    views = dict(zip("ab", given + given.transpose(0, 2, 1), strict=True))
    few = KernelCCA(1, "precomputed", cholesky_tol=0.0).fit(views)  # whole matrices at first
    many = KernelCCA(2, "precomputed", cholesky_tol=0.0).fit(views)  # pivots
    np.testing.assert_allclose(few.correlations_[0], many.correlations_[0])


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tau": 1.0}, "tau=1.0 should be a number of at least 0 and below 1"),
        ({"tau": {"v0": 0.5, "v1": -1}}, r"tau\['v1'\]=-1"),
        ({"cholesky_tol": 1.5}, "cholesky_tol=1.5"),
        ({"max_rank": 2.5}, "max_rank=2.5"),
        ({"max_rank": 1}, "max_rank=1 of view 'v0' leaves fewer"),
        ({"n_components": 5}, "choose at most 3"),
        ({"kernel": "knn"}, "need not be positive semi-definite"),
        ({"kernel": "nothing"}, "kernel='nothing' should be a Similarity"),
    ],
)
def test_what_cannot_be_is_said(parameters, message):
    with pytest.raises(ValueError, match=message):
        KernelCCA(**parameters).fit(correlated(18))


def test_views_that_are_never_seen_together_are_refused():
    observed = np.array([[True, False]] * 10 + [[False, True]] * 10)
    with pytest.raises(UnobservedViewsError, match="'v0'"):
        KernelCCA().fit(correlated(19, n=20).with_observed(observed))


def test_too_many_components_are_a_fault_of_the_views():
    with pytest.raises(ViewsError, match=r"3 in view 'v1' \(n_features=3\)"):
        KernelCCA(4, cholesky_tol=0.0).fit(correlated(20))


def test_a_kernel_without_features_has_no_weights_of_features():
    model = KernelCCA(2, "rbf").fit(correlated(21))
    with pytest.raises(ValueError, match="has no features"):
        model.feature_weights("v0")


def test_it_reports_pivots_and_correlations(capsys):
    KernelCCA(1, verbose=1, cholesky_tol=0.0).fit(correlated(22))
    assert "pivots of 80 objects: 4 in 'v0', 3 in 'v1'" in capsys.readouterr().out


# -- real text -----------------------------------------------------------------------------------


@pytest.mark.skipif(not DATA, reason="MANYVIEWS_DATA is not set")
def test_the_threshold_of_the_paper_loses_little_on_parliamentary_debates():
    from sklearn.feature_extraction.text import TfidfVectorizer

    corpus = load_parallel("hansard_en_fr")
    rows = np.random.default_rng(0).permutation(len(corpus.texts["en"]))[:800]
    known, new = {}, {}
    for name in ("en", "fr"):
        texts = [corpus.texts[name][row] for row in rows]
        words = TfidfVectorizer()
        known[name] = words.fit_transform(texts[:500])
        new[name] = words.transform(texts[500:])
    found = {}
    for tol in (0.0, 0.4):
        places = KernelCCA(200, cholesky_tol=tol).fit(known).transform_views(new)
        units = [p / np.linalg.norm(p, axis=1, keepdims=True) for p in places.values()]
        found[tol] = np.mean((units[0] @ units[1].T).argmax(axis=1) == np.arange(300))
    assert found[0.0] > 0.9
    assert found[0.4] >= found[0.0] - 0.01
