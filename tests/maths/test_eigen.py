"""The eigen-solver against NumPy's, on matrices that are easy and on those that are not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import block_diag
from sklearn.exceptions import ConvergenceWarning

from manyviews.maths import (
    LowRank,
    Ordered,
    eigen,
    gram_eigenvectors,
    in_order,
    operator_eigenvectors,
)

block_krylov = operator_eigenvectors.__globals__["block_krylov"]


def symmetric(values, seed=0):
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.standard_normal((len(values), len(values))))
    matrix = (basis * values) @ basis.T
    return (matrix + matrix.T) / 2


def spectrum(size, leading, below=0.5):
    rest = np.linspace(below, -0.3, size - len(leading))
    return np.concatenate([leading, rest])


def ring_of_cliques(n_cliques, size, joined, seed=0):
    """Normalised adjacency of cliques, some of them joined by an edge."""
    rng = np.random.default_rng(seed)
    n = n_cliques * size
    weights = np.kron(np.eye(n_cliques), np.ones((size, size))) * rng.uniform(0.5, 1, (n, n))
    weights = (weights + weights.T) / 2
    for clique in range(joined):
        one, other = clique * size, (clique + 1) * size
        weights[one, other] = weights[other, one] = 0.5
    scale = 1 / np.sqrt(weights.sum(axis=1))
    return scale[:, None] * weights * scale


def assert_leading(matrix, values, vectors, *, residual=1e-8):
    """Orthonormal eigenvectors of the largest eigenvalues, found by NumPy's own solver."""
    dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    n_components = len(values)
    expected = np.linalg.eigvalsh(dense)[::-1][:n_components]
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_components), atol=1e-10)
    assert np.linalg.norm(dense @ vectors - vectors * values, axis=0).max() <= residual


@pytest.mark.parametrize("leading", [[1.0, 0.9, 0.8], [1.0, 0.9999, 0.9998], [1.0, 1.0, 1.0]])
def test_a_cold_start_finds_the_leading_eigenvectors(leading):
    matrix = symmetric(spectrum(500, leading))
    assert_leading(matrix, *gram_eigenvectors(matrix, 3))


@pytest.mark.parametrize("n_components", [1, 4, 7])
def test_from_any_start_the_answer_is_the_same(n_components):
    matrix = symmetric(spectrum(450, [1.0, 0.9, 0.8, 0.7, 0.69, 0.68, 0.6]))
    start = np.random.default_rng(5).standard_normal((450, n_components))
    assert_leading(matrix, *gram_eigenvectors(matrix, n_components, start=start))


@pytest.mark.parametrize("joined", [0, 3, 11])
@pytest.mark.parametrize("n_components", [3, 12])
def test_no_copy_of_a_repeated_eigenvalue_is_missed(joined, n_components):
    matrix = ring_of_cliques(12, 40, joined)
    for gram in (matrix, sparse.csr_array(matrix)):
        assert_leading(gram, *gram_eigenvectors(gram, n_components))


def test_a_single_vector_method_alone_would_miss_copies():
    matrix = sparse.csr_array(ring_of_cliques(12, 40, joined=0))
    values, _ = eigen._arpack(lambda block: matrix @ block, 480, 12, 1e-9)
    assert values[-1] < 0.9, "the look beside the answer has nothing to do; is it still needed?"


@pytest.mark.parametrize("gap", [0.2, 0.02, 0.002])
@pytest.mark.parametrize("missed", [True, False])
def test_the_look_finds_a_copy_that_was_missed_and_sees_none_where_none_is(gap, missed):
    values = spectrum(600, [1.0, 0.95, 0.9, 0.9], below=0.9 - gap)
    wrong = [0, 1, 2, 4] if missed else [0, 1, 2, 3]
    found = values[wrong], np.eye(600)[:, wrong]
    answer = eigen._completed(lambda block: (values * block.T).T, found, 1e-9)
    np.testing.assert_allclose(answer[0], [1.0, 0.95, 0.9, 0.9], atol=1e-9)
    assert (answer is found) != missed


def graph_in_pieces(sizes, seed=0, density=0.5):
    """Normalised adjacency of random graphs side by side, the rows in a random order."""
    rng = np.random.default_rng(seed)
    pieces = []
    for size in sizes:
        weights = rng.uniform(0.5, 1.0, (size, size)) * (rng.random((size, size)) < density)
        weights = np.triu(weights, 1)
        ring = np.arange(size)
        weights[ring, np.roll(ring, -1)] += 0.5  # in one piece, whatever was drawn
        weights = weights + weights.T + np.eye(size)
        scale = 1 / np.sqrt(weights.sum(axis=1))
        pieces.append(scale[:, None] * weights * scale)
    shuffle = rng.permutation(sum(sizes))
    piece = np.repeat(np.arange(len(sizes)), sizes)[shuffle]
    return block_diag(*pieces)[np.ix_(shuffle, shuffle)], piece


def low_rank(matrix):
    values, vectors = np.linalg.eigh(matrix)
    return LowRank(vectors * values, vectors)


SHAPES = {
    "dense": np.asarray,
    "dense, single precision": lambda matrix: matrix.astype(np.float32),
    "sparse": sparse.csr_array,
    "sparse, single precision": lambda matrix: sparse.csr_array(matrix.astype(np.float32)),
    "sparse, in another order": lambda matrix: Ordered.of(sparse.csr_array(matrix)),
    "low rank": low_rank,
}


@pytest.mark.parametrize("n_components", [1, 3, 5])
@pytest.mark.parametrize("tol", [1e-9, 1e-3])
@pytest.mark.parametrize("sizes", [[200, 150, 100, 4, 3, 2, 2, 2], [20, 10, 7, 4, 3, 2, 2, 2]])
@pytest.mark.parametrize("shape", SHAPES)
def test_of_more_parts_than_asked_for_the_largest_are_chosen(shape, sizes, tol, n_components):
    for seed in range(3):
        matrix, piece = graph_in_pieces(sizes, seed)
        values, vectors = gram_eigenvectors(SHAPES[shape](matrix), n_components, tol=tol)
        np.testing.assert_allclose(values, 1.0, atol=1e-5)
        for place in range(n_components):
            outside = vectors[piece != place, place]
            np.testing.assert_allclose(outside, 0.0, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_flat_parts_leave_the_solver_no_choice(shape):
    sizes = [200, 150, 100, 4, 3, 2, 2, 2]
    blocks = [np.full((size, size), 1.0 / size) for size in sizes]
    values, vectors = gram_eigenvectors(SHAPES[shape](block_diag(*blocks)), 3)
    np.testing.assert_allclose(values, 1.0, atol=1e-6)
    expected = block_diag(*[np.full((size, 1), size**-0.5) for size in sizes])[:, :3]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_of_parts_of_equal_size_those_of_the_first_objects_are_chosen(shape):
    matrix, piece = graph_in_pieces([60] * 8, seed=1)
    first = [int(np.flatnonzero(piece == number)[0]) for number in range(8)]
    _, vectors = gram_eigenvectors(SHAPES[shape](matrix), 3)
    for column, number in zip(vectors.T, np.argsort(first)[:3], strict=True):
        np.testing.assert_allclose(column[piece != number], 0.0, atol=1e-9)


@pytest.mark.parametrize("factor", [1e-250, 1e-22])
def test_what_rounding_swallows_joins_no_parts(factor):
    matrix, piece = graph_in_pieces([200, 150, 100, 4, 3, 2, 2, 2])
    faint = factor * np.random.default_rng(0).random(matrix.shape)
    whole = matrix + faint + faint.T
    for gram in (whole.copy(), sparse.csr_array(whole)):
        _, vectors = gram_eigenvectors(gram, 3)
        np.testing.assert_allclose(vectors[piece >= 3], 0.0, atol=1e-9)
        assert abs(gram - whole).max() == 0.0, "the matrix itself is left as it was"


def test_a_start_in_parts_never_gets_worse():
    matrix, _ = graph_in_pieces([300, 200, 20])
    start = np.linalg.qr(np.random.default_rng(0).standard_normal((520, 3)))[0]
    values, vectors = gram_eigenvectors(sparse.csr_array(matrix), 3, start=start)
    assert_leading(matrix, values, vectors)


@pytest.mark.parametrize("shape", ["dense", "sparse", "low rank"])
def test_shaken_digits_choose_nothing_else(shape):
    """Eigenvalues that are equal by symmetry: a ring of cliques, each joined to the next."""
    weights = np.kron(np.roll(np.eye(12), 1, axis=1), np.eye(6)) / 50
    matrix = np.kron(np.eye(12), np.full((6, 6), 1 / 6)) + weights + weights.T
    expected = gram_eigenvectors(SHAPES[shape](matrix), 4)
    for seed in range(5):
        noise = np.random.default_rng(seed).standard_normal(matrix.shape) * 1e-16
        values, vectors = gram_eigenvectors(SHAPES[shape](matrix + noise + noise.T), 4)
        np.testing.assert_allclose(values, expected[0], atol=1e-13)
        np.testing.assert_allclose(vectors, expected[1], atol=1e-11)


def test_larger_eigenvalues_in_small_parts_are_found():
    sizes = [300, 200, 20, 10]
    blocks = [
        np.full((size, size), height / size)
        for size, height in zip(sizes, [1.0, 1.0, 5.0, 3.0], strict=True)
    ]
    gram = sparse.csr_array(block_diag(*blocks))
    values, _ = gram_eigenvectors(gram, 2)
    np.testing.assert_allclose(values, [5.0, 3.0])


@given(
    factor=st.floats(0.0, 2.0), seed=st.integers(0, 1000), tol=st.sampled_from([1e-1, 1e-3, 1e-9])
)
@settings(deadline=None, max_examples=20)
def test_a_warm_start_never_gets_worse_however_loose_the_tolerance(factor, seed, tol):
    rng = np.random.default_rng(seed)
    matrix = symmetric(spectrum(420, rng.uniform(0.4, 1.0, 6)), seed)
    start = np.linalg.qr(rng.standard_normal((420, 4)))[0]
    other = np.linalg.qr(rng.standard_normal((420, 4)))[0]

    def apply(block):
        return matrix @ block + factor * other @ (other.T @ block)

    values, vectors = operator_eigenvectors(apply, 420, 4, start=start, tol=tol)
    assert values.sum() >= np.trace(start.T @ apply(start)) - 1e-10
    gaps = np.linalg.norm(apply(vectors) - vectors * values, axis=0)
    assert gaps.max() <= tol * (2.0 + factor) + 1e-12
    whole = np.linalg.eigvalsh(apply(np.eye(420)))[::-1]
    nearest = np.abs(whole[:, None] - values).min(axis=0)
    assert (nearest <= gaps + 1e-9).all()  # all that a residual tells
    if tol <= 1e-3:
        np.testing.assert_allclose(values, whole[:4], atol=max(tol, 1e-9))


def test_a_near_start_saves_products():
    matrix = symmetric(spectrum(500, [1.0, 0.95, 0.9]))
    products = []

    def apply(block):
        products.append(1)
        return matrix @ block

    _, vectors = operator_eigenvectors(apply, 500, 3, start=np.eye(500)[:, :3], tol=1e-6)
    far = len(products)
    products.clear()
    operator_eigenvectors(apply, 500, 3, start=vectors, tol=1e-6)
    assert len(products) == 1 < far


def test_the_same_call_gives_the_same_answer_and_leaves_chance_alone():
    matrix = symmetric(spectrum(450, [1.0, 0.9]))
    before = np.random.get_state()[1].copy()  # noqa: NPY002 (that it is untouched is the point)
    one, two = (gram_eigenvectors(matrix, 2) for _ in range(2))
    np.testing.assert_array_equal(one[1], two[1])
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_a_wanted_direction_that_the_start_lacks_is_found():
    matrix = np.diag(spectrum(450, [1.0, 0.95, 0.9, 0.85]))
    assert_leading(matrix, *gram_eigenvectors(matrix, 2, start=np.eye(450)[:, [0, 300]]))


def test_a_start_with_dependent_columns_does_no_harm():
    matrix = symmetric(spectrum(450, [1.0, 0.9, 0.8]))
    start = np.zeros((450, 3))
    start[:, 0] = start[:, 1] = 1.0
    assert_leading(matrix, *gram_eigenvectors(matrix, 3, start=start))


def test_single_precision_is_used_as_it_is():
    matrix = symmetric(spectrum(500, [1.0, 0.9, 0.8]))
    values, vectors = gram_eigenvectors(matrix.astype(np.float32), 3)
    np.testing.assert_allclose(values, [1.0, 0.9, 0.8], atol=1e-5)
    assert vectors.dtype == np.float64


def four_groups(rng, n=600):
    """Normalised adjacency of a random graph in which groups know each other well."""
    group = np.arange(n) % 4
    odds = np.where(group[:, None] == group, 0.06, 0.004)
    graph = np.triu(rng.random((n, n)) < odds, 1).astype(float)
    scale = 1 / np.sqrt((graph + graph.T).sum(axis=1))
    return sparse.csr_array(scale[:, None] * (graph + graph.T) * scale)


@pytest.mark.parametrize("how", ["cold", "warm", "plus"])
def test_a_loose_answer_for_a_sparse_graph_is_orthonormal_in_double_precision(how):
    rng = np.random.default_rng(0)
    matrix = four_groups(rng)
    block = np.linalg.qr(rng.standard_normal((600, 4)))[0]
    extra = {"cold": {}, "warm": {"start": block}, "plus": {"plus": 0.2 * block, "start": block}}
    whole = matrix.toarray() + (0.04 * block @ block.T if how == "plus" else 0.0)
    expected = np.linalg.eigvalsh(whole)[:-5:-1]
    values, vectors = gram_eigenvectors(matrix, 4, tol=1e-3, **extra[how])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)
    np.testing.assert_allclose((vectors * (whole @ vectors)).sum(axis=0), values, atol=1e-12)
    assert np.linalg.norm(whole @ vectors - vectors * values, axis=0).max() <= 1e-3
    np.testing.assert_allclose(values, expected, atol=1e-5)


@given(seed=st.integers(0, 100), tol=st.sampled_from([1e-4, 1e-2, 0.5]))
@settings(deadline=None, max_examples=15)
def test_in_single_precision_a_start_loses_next_to_nothing(seed, tol):
    rng = np.random.default_rng(seed)
    matrix = four_groups(rng)
    good, _ = np.linalg.qr(gram_eigenvectors(matrix, 4)[1] + 1e-4 * rng.standard_normal((600, 4)))
    values, _ = gram_eigenvectors(matrix, 4, start=good, tol=tol)
    assert values.sum() >= np.sum(good * (matrix @ good)) - 1e-9


def test_low_rank_and_dense_agree():
    factor = np.random.default_rng(0).standard_normal((450, 6))
    values, vectors = gram_eigenvectors(LowRank(factor, factor), 4)
    assert_leading(factor @ factor.T / 450, values / 450, vectors)


@pytest.mark.parametrize("shape", ["dense", "sparse", "low rank"])
@pytest.mark.parametrize("warm", [True, False])
def test_what_is_added_counts(shape, warm):
    rng = np.random.default_rng(0)
    factor, plus = rng.standard_normal((450, 6)) / 20, rng.standard_normal((450, 3)) / 20
    dense = factor @ factor.T
    grams = {"dense": dense, "sparse": sparse.csr_array(dense), "low rank": LowRank(factor, factor)}
    start = rng.standard_normal((450, 4)) if warm else None
    found = gram_eigenvectors(grams[shape], 4, plus=plus, start=start)
    assert_leading(dense + plus @ plus.T, *found)


@pytest.mark.parametrize("joined", [3, 11])
@pytest.mark.parametrize("how", ["cold", "warm", "plus"])
def test_the_order_in_memory_changes_nothing(monkeypatch, joined, how):
    shuffle = np.random.default_rng(1).permutation(480)
    gram = sparse.csr_array(ring_of_cliques(12, 40, joined)[np.ix_(shuffle, shuffle)])
    block = np.random.default_rng(2).standard_normal((480, 12)) / 20
    extra = {"cold": {}, "warm": {"start": block}, "plus": {"plus": block, "start": block}}[how]
    whole = gram.toarray() + (block @ block.T if how == "plus" else 0.0)
    assert_leading(whole, *gram_eigenvectors(Ordered.of(gram), 12, **extra))
    monkeypatch.setitem(in_order.__globals__, "_LARGE", 400)
    assert_leading(whole, *gram_eigenvectors(gram, 12, **extra))


def test_a_rank_that_is_too_small_is_told():
    with pytest.raises(ValueError, match="of rank 2; raise the rank"):
        gram_eigenvectors(LowRank(np.ones((5, 2)), np.ones((5, 2))), 3)


@pytest.mark.parametrize("n_components", [0, 6])
def test_a_number_that_cannot_be_is_told(n_components):
    with pytest.raises(ValueError, match="choose a number from 1 to 5"):
        gram_eigenvectors(np.eye(5), n_components)


def test_what_does_not_settle_is_warned_of(monkeypatch):
    monkeypatch.setitem(block_krylov.__globals__, "_MOST_PRODUCTS", 2)
    matrix = symmetric(np.linspace(1.0, 0.99, 450))
    start = np.random.default_rng(0).standard_normal((450, 2))
    with pytest.warns(ConvergenceWarning, match="nearly equal"):
        values, vectors = gram_eigenvectors(matrix, 2, start=start)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-10)
    assert (values < 1.0).all()


def test_equal_eigenvalues_of_large_connected_graphs_are_settled_by_the_rule():
    ring = np.zeros((25, 25))
    ring[np.arange(25), np.arange(25) - 1] = 0.25
    ring += ring.T
    torus = sparse.csr_array(sparse.kron(ring, np.eye(25)) + sparse.kron(np.eye(25), ring))
    upper = sparse.csr_array(sparse.triu(torus, 1))
    rng = np.random.default_rng(0)
    for n_components in (3, 4, 5):  # the second eigenvalue has four vectors
        expected = gram_eigenvectors(torus, n_components)[1]
        for _ in range(2):
            shaken = upper.copy()
            shaken.data *= 1 + rng.uniform(-3e-16, 3e-16, len(shaken.data))
            found = gram_eigenvectors(sparse.csr_array(shaken + shaken.T), n_components)[1]
            np.testing.assert_allclose(found, expected, atol=1e-6)
        by_products = operator_eigenvectors(lambda block: torus @ block, 625, n_components)[1]
        np.testing.assert_allclose(by_products, expected, atol=1e-6)
