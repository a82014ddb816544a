from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from manyviews.cluster import MinDisagreementSpectral
from manyviews.cluster.spectral.min_disagreement import disagreement_extensions, merge_places
from manyviews.data import Views
from manyviews.exceptions import UnknownViewError, UnobservedViewsError
from manyviews.maths import LowRank, spectral_embedding
from manyviews.similarity import RBF, Similarity


def matlab_listing(W: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The paper's listing, line by line: Y for the nodes of view 1 and of view 2."""
    top, bottom = W.sum(axis=1), W.sum(axis=0)
    L = np.diag(top**-0.5) @ W @ np.diag(bottom**-0.5)
    U, _, Vt = np.linalg.svd(L)
    X = np.vstack([U[:, :k], Vt[:k].T])
    Y = X / np.sqrt((X * X).sum(axis=1))[:, None]
    return Y[: len(W)], Y[len(W) :]


def same_up_to_rotation(one, other, atol=1e-7):
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=atol)


def places(grams, observed, k):
    found = disagreement_extensions(grams, observed, k)
    return [found[name].place(gram) for name, gram in grams.items()]


def gaussian_grams(n, seed, n_views=2):
    rng = np.random.default_rng(seed)
    return {f"v{v}": rbf_kernel(rng.normal(size=(n, 2)), gamma=0.5) for v in range(n_views)}


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 4))
def test_two_views_are_the_papers_listing(seed, k):
    grams = gaussian_grams(9, seed)
    first, second = matlab_listing(grams["v0"] @ grams["v1"], k)
    ours = places(grams, np.ones((9, 2), dtype=bool), k)
    same_up_to_rotation(np.vstack(ours), np.vstack([first, second]), atol=1e-6)


@pytest.mark.parametrize("n", [12, 300])  # 24 nodes: decomposed whole; 600: through products
def test_partly_paired_objects_are_tied_through_the_paired_only(n):
    both, only_first = n // 2, n // 4
    observed = np.ones((n, 2), dtype=bool)
    observed[both : both + only_first, 1] = False
    observed[both + only_first :, 0] = False
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(n, 2)) for _ in range(2)]
    grams = {
        name: rbf_kernel(x[seen], gamma=0.5)
        for name, x, seen in zip("ab", X, observed.T, strict=True)
    }
    W = grams["a"][:, :both] @ grams["b"][:both, :]  # (p+m) × p times p × (p+n), Figure 4
    expected = matlab_listing(W, 3)
    same_up_to_rotation(np.vstack(places(grams, observed, 3)), np.vstack(expected))


def block_matrix(grams, observed):
    """The affinities of all nodes, entry by entry from Eq. (1)."""
    nodes = [(v, i) for v, seen in enumerate(observed.T) for i in np.flatnonzero(seen)]
    spread = []
    for gram, seen in zip(grams.values(), observed.T, strict=True):
        full = np.zeros((len(observed), len(observed)))
        full[np.ix_(seen, seen)] = gram / np.sqrt(np.mean(gram**2))
        spread.append(full)
    B = np.zeros((len(nodes), len(nodes)))
    for a, (v, i) in enumerate(nodes):
        for b, (w, j) in enumerate(nodes):
            if v != w:
                paired = observed[:, v] & observed[:, w]
                B[a, b] = spread[v][i, paired] @ spread[w][paired, j]
    return B


def test_three_views_with_gaps_are_one_graph_of_all_pairs():
    n = 12
    observed = np.random.default_rng(1).random((n, 3)) < 0.7
    observed[0] = True
    grams = {
        name: gram[np.ix_(seen, seen)]
        for (name, gram), seen in zip(
            gaussian_grams(n, 2, n_views=3).items(), observed.T, strict=True
        )
    }
    expected = spectral_embedding(block_matrix(grams, observed), 3)
    same_up_to_rotation(np.vstack(places(grams, observed, 3)), expected)


@pytest.mark.parametrize("n_views", [2, 3])
def test_units_of_one_views_similarities_do_not_matter(n_views):
    grams = gaussian_grams(15, 3, n_views=n_views)
    observed = np.ones((15, n_views), dtype=bool)
    larger = {**grams, "v0": 1000 * grams["v0"]}
    same_up_to_rotation(
        np.vstack(places(grams, observed, 3)), np.vstack(places(larger, observed, 3))
    )


def test_one_view_is_plain_spectral_clustering():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = MinDisagreementSpectral(3, RBF(0.5), random_state=0).fit({"only": X})
    same_up_to_rotation(model.embedding_, spectral_embedding(rbf_kernel(X, gamma=0.5), 3))


@pytest.mark.parametrize("n_views", [2, 3])
@pytest.mark.parametrize("kind", ["sparse", "low rank", "mixed"])
def test_all_shapes_of_similarities_give_the_same_places(kind, n_views):
    rng = np.random.default_rng(4)
    factors = [rng.uniform(0.05, 1.0, size=(25, 6)) for _ in range(n_views)]
    dense = {f"v{v}": f @ f.T for v, f in enumerate(factors)}
    shaped = {f"v{v}": LowRank(f, f) for v, f in enumerate(factors)}
    if kind == "sparse":
        shaped = {name: sparse.csr_array(gram) for name, gram in dense.items()}
    if kind == "mixed":
        shaped["v0"] = sparse.csr_array(dense["v0"])
    observed = np.ones((25, n_views), dtype=bool)
    same_up_to_rotation(
        np.vstack(places(shaped, observed, 4)), np.vstack(places(dense, observed, 4)), atol=1e-6
    )


def test_large_low_rank_and_sparse_similarities_are_never_multiplied_out():
    n = 30_000  # n × n numbers would be 7 GB
    groups = np.arange(n) % 2
    factor = np.eye(2)[groups] + np.random.default_rng(0).uniform(0, 0.2, size=(n, 2))
    observed = np.ones((n, 2), dtype=bool)
    ring = sparse.diags_array([np.ones(n - 2)] * 2, offsets=[-2, 2], format="csr")
    chains = sparse.csr_array(ring + sparse.eye_array(n, format="csr"))
    for grams in (
        {"a": LowRank(factor, factor), "b": LowRank(factor, factor)},
        {"a": LowRank(factor, factor), "b": chains},
    ):
        first, second = places(grams, observed, 2)
        labels = (first + second)[:, 1] > np.median((first + second)[:, 1])
        assert adjusted_rand_score(labels, groups) > 0.9


def test_combining_averages_what_is_known_or_prefers_a_view():
    placed = {
        "a": np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]]),
    }
    observed = np.array([[1, 1], [1, 0], [1, 1], [0, 1]], dtype=bool)
    mean = merge_places(placed, observed)
    np.testing.assert_allclose(mean, [[0.5, 0.5], [0, 1], [1, 0], [0.6, 0.8]])
    by_a = merge_places(placed, observed, "a")
    np.testing.assert_allclose(by_a, [[1, 0], [0, 1], [1, 0], [0.6, 0.8]])


def test_estimator_averages_the_listings_rows_and_can_prefer_one_view():
    rng = np.random.default_rng(5)
    X = {"a": rng.normal(size=(40, 2)), "b": rng.normal(size=(40, 3))}
    W = rbf_kernel(X["a"], gamma=0.4) @ rbf_kernel(X["b"], gamma=0.4)
    first, second = matlab_listing(W, 3)
    average = MinDisagreementSpectral(3, RBF(0.4), random_state=0).fit(X)
    same_up_to_rotation(average.embedding_, (first + second) / 2)
    alone = MinDisagreementSpectral(3, RBF(0.4), combine="b", random_state=0).fit(X)
    same_up_to_rotation(alone.embedding_, second)


@pytest.mark.parametrize("name", ["a", "b"])
def test_either_view_alone_gives_a_new_object_the_row_of_that_view(name):
    rng = np.random.default_rng(6)
    X = {"a": rng.normal(size=(30, 2)), "b": rng.normal(size=(30, 2))}
    model = MinDisagreementSpectral(2, combine=name, random_state=0).fit(X)
    other = "b" if name == "a" else "a"
    new = model.place({name: X[name][:5], other: np.full((5, 2), np.nan)})
    np.testing.assert_allclose(new, model.embedding_[:5], atol=1e-9)


def test_pairs_teach_what_a_view_alone_does_not_show():
    # View b falls into groups twice: most clearly by something of its own, and by the classes.
    rng = np.random.default_rng(0)
    n = 120
    classes, own = rng.integers(2, size=(2, n))
    views = Views(
        {
            "a": np.column_stack([4 * classes, np.zeros(n)]) + rng.normal(size=(n, 2)),
            "b": np.column_stack([5 * own, 3 * classes]) + 0.7 * rng.normal(size=(n, 2)),
        },
        observed=np.column_stack([np.arange(n) < 20, np.ones(n)]).astype(bool),
    )
    alone = MinDisagreementSpectral(2, "rbf", random_state=0).fit({"b": views["b"]}).labels_
    tied = MinDisagreementSpectral(2, "rbf", random_state=0).fit(views).labels_
    assert adjusted_rand_score(own, alone) > 0.9
    assert adjusted_rand_score(classes[20:], tied[20:]) > 0.7


@dataclass
class Products(Similarity):
    """Inner products, as factors."""

    def gram(self, X):
        return self.cross(X, X)

    def cross(self, new, X):
        return LowRank(new, X)


def test_low_rank_affinity_from_fit_to_predict():
    rng = np.random.default_rng(7)
    groups = np.arange(60) % 3
    X = {name: np.eye(3)[groups] + rng.uniform(0, 0.3, size=(60, 3)) for name in "abc"}
    dense = MinDisagreementSpectral(3, "linear", random_state=0).fit(X)
    model = MinDisagreementSpectral(3, Products(), random_state=0).fit(X)
    same_up_to_rotation(model.embedding_, dense.embedding_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert adjusted_rand_score(groups, model.labels_) == 1.0


def test_too_low_a_rank_is_said():
    X = {name: np.random.default_rng(8).uniform(size=(9, 1)) for name in "ab"}
    with pytest.raises(ValueError, match="3 eigenvectors are asked of similarities of rank 2"):
        MinDisagreementSpectral(3, Products()).fit(X)


def test_views_that_are_never_paired_are_named():
    X = {"a": [[1.0], [2.0], None], "b": [[1.0], [3.0], None], "c": [None, None, [1.0]]}
    with pytest.raises(UnobservedViewsError, match="view 'c' is never seen together"):
        MinDisagreementSpectral(2).fit(X)


def test_unknown_view_to_prefer_is_named():
    X = {"a": np.eye(4), "b": np.eye(4)}
    with pytest.raises(UnknownViewError, match="combine='words' is none of 'average', 'a', 'b'"):
        MinDisagreementSpectral(2, combine="words").fit(X)


def test_negative_degrees_are_refused_with_their_view():
    X = {"a": np.array([[1.0], [-1.0], [-1.0]]), "b": np.array([[1.0], [1.0], [-3.0]])}
    with pytest.raises(ValueError, match=r"view .a.: row . of the weights sums to -"):
        MinDisagreementSpectral(2, "linear").fit(X)
