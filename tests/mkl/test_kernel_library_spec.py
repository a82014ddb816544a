"""The parts of a kernel library, the names of its kernels, and its refusals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from manyviews import Views
from manyviews.exceptions import UnknownViewError, UnobservedViewsError
from manyviews.maths import generator
from manyviews.mkl import KernelLibrary, kumar2013_kernels
from manyviews.similarity import RBF, Kernel, Linear, Polynomial, Precomputed


@pytest.fixture
def views():
    rng = generator(0)
    data = {"text": rng.normal(size=(8, 2)), "body": rng.normal(size=(8, 2))}
    return Views(data, feature_names={"body": ["mass", "height"]})


def names(library, views):
    return list(library.fitted(views).names)


def test_names_read_well(views):
    library = KernelLibrary({"text": [RBF(gamma=2.0**-3), RBF(gamma=0.3)], "body": "linear"})
    assert names(library, views) == ["text RBF(2^-3)", "text RBF(0.3)", "body linear"]


def test_features_go_by_their_names(views):
    library = KernelLibrary("linear", on={"text": "views", "body": "both"})
    expected = ["text linear", "body linear", "body mass linear", "body height linear"]
    assert names(library, views) == expected
    assert names(KernelLibrary("linear", on="features"), views.subset(["body"])) == [
        "mass linear",
        "height linear",
    ]


def test_equal_names_are_told_apart(views):
    library = KernelLibrary(
        [Polynomial(2, gamma=1.0), Polynomial(2, gamma=2.0), "linear", Linear()]
    )
    found = names(library, views.subset(["text"]))
    assert found == [
        "text Polynomial(degree=2, gamma=1.0, coef0=1.0)",
        "text Polynomial(degree=2, gamma=2.0, coef0=1.0)",
        "text Linear() (1)",
        "text Linear() (2)",
    ]


def test_each_kernel_knows_its_view(views):
    kernels = KernelLibrary({"text": ["linear", "rbf"], "body": None}).fitted(views)
    assert kernels.views == ["text"] * 2 + ["body"] * 5


def test_a_view_may_have_no_kernel(views):
    assert names(KernelLibrary({"text": [], "body": "rbf"}), views) == ["body RBF(median)"]


def test_a_kernel_of_ones_own_is_taken(views):
    class Cubes(Kernel):
        def prepared(self, rows, X):
            return super().prepared(rows, X) ** 3

        def from_products(self, found, left, right):
            return found

    kernels = KernelLibrary([Cubes(), "linear"], on="both", normalize=False).fitted(views)
    cubes = views["text"] ** 3
    np.testing.assert_allclose(kernels.gram(0), cubes @ cubes.T)
    np.testing.assert_allclose(kernels.gram(1), views["text"] @ views["text"].T)
    np.testing.assert_allclose(kernels.gram(3), np.outer(cubes[:, 1], cubes[:, 1]))


def test_parameters_are_read_and_set():
    library = KernelLibrary(["linear"])
    assert clone(library).set_params(on="both") == KernelLibrary(["linear"], on="both")


@pytest.mark.parametrize(
    ("library", "message"),
    [
        (KernelLibrary(on="columns"), "on='columns' of KernelLibrary should be 'views'"),
        (KernelLibrary(keep="always"), "keep='always' of KernelLibrary should be"),
        (KernelLibrary([]), "the library has no kernel"),
        (KernelLibrary(["knn"]), "need not be positive semi-definite"),
        (KernelLibrary(["linnear"]), "kernels=['linnear'] of KernelLibrary should be a Similarity"),
        (KernelLibrary(Precomputed(), on="features"), "use on='views' for view 'text'"),
        (KernelLibrary(Precomputed()), "view 'text' is precomputed and has 2 columns for 8"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_sentence(views, library, message):
    with pytest.raises(ValueError, match=r"^[^\n]*[.]$") as refusal:
        library.fitted(views)
    assert message in str(refusal.value)


def test_a_dict_names_the_views(views):
    with pytest.raises(UnknownViewError, match="'text'"):
        KernelLibrary({"body": "linear"}).fitted(views)


def test_a_view_that_nobody_shows_is_named(views):
    hidden = Views(views, observed={"body": np.arange(8) == 7})
    with pytest.raises(UnobservedViewsError, match="view 'body' is observed for no object"):
        KernelLibrary().fitted(hidden, np.arange(5))


def test_too_many_sparse_features_are_refused():
    views = Views({"text": csr_array((4, 5001))})
    with pytest.raises(ValueError, match=r"5001 features.*use on='views'"):
        KernelLibrary(on="both").fitted(views)


def test_values_beyond_all_numbers_are_refused():
    views = Views({"a": 1e40 * np.arange(3.0)[:, None]})
    with pytest.raises(ValueError, match="degree=4 of Polynomial makes similarities"):
        KernelLibrary(kumar2013_kernels()).fitted(views)
