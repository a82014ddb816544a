"""Hints at views that are one feature, or raw counts, to a distance."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from manyviews import Views
from manyviews.base import hint_at_counts, hint_at_scales
from manyviews.cluster import (
    BregmanWard,
    CoSphericalKMeans,
    FusedSpectral,
    HybridTree,
    MultiViewDBSCAN,
)
from manyviews.datasets import load_digits_views
from manyviews.ensemble import MultiRepresentedKNN
from manyviews.exceptions import ViewsWarning
from manyviews.maths import Mahalanobis
from manyviews.mkl import AverageKernel, KernelLibrary, TargetAlignment, TwoStageMKL


def measured(scale, n_features=4):
    """Two groups, and one feature in another unit than the others."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, n_features)) + 9.0 * (np.arange(40) % 2)[:, None]
    X[:, 1] *= scale
    return X


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_feature_that_is_the_view_is_named_with_the_remedy(form):
    views = Views({"body": form(measured(1000.0)), "mind": measured(1.0)})
    said = r"feature 1 has 100.0% .* view 'body'.* hardly see the other 3.*PerView\(StandardScaler"
    with pytest.warns(ViewsWarning, match=said) as caught:
        hint_at_scales(views, views.names, "KMeans")
    assert len(caught) == 1
    named = Views({"body": measured(1000.0)}, feature_names={"body": ["age", "mg", "cm", "kg"]})
    with pytest.warns(ViewsWarning, match="feature 'mg'"):
        hint_at_scales(named, ["body"], "KMeans")


@pytest.mark.parametrize(
    "X",
    [
        measured(3.0),
        measured(1000.0, n_features=2),
        np.ones((5, 4)),
        np.full((1, 4), 7.0),
        np.eye(30) * np.linspace(1, 99, 30) ** 4,
    ],
    ids=["ordinary", "two features", "constant", "one object", "mostly zeros"],
)
def test_ordinary_views_are_passed_over(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hint_at_scales(Views({"x": X}), ["x"], "KMeans")


@pytest.mark.parametrize(
    "model",
    [
        BregmanWard(n_clusters=2),
        CoSphericalKMeans(2, random_state=0),
        HybridTree(n_clusters=2),
        MultiViewDBSCAN(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_methods_that_compare_by_distances_hint(model):
    with pytest.warns(ViewsWarning, match=f"{type(model).__name__} will hardly see"):
        model.fit(measured(1000.0))


@pytest.mark.parametrize(
    "model",
    [AverageKernel(), TwoStageMKL(random_state=0), TargetAlignment(["rbf"]), MultiRepresentedKNN()],
    ids=lambda model: type(model).__name__,
)
def test_classifiers_that_compare_by_distances_hint(model):
    with pytest.warns(ViewsWarning, match=f"{type(model).__name__} will hardly see"):
        model.fit(measured(1000.0), np.arange(40) % 2)


@pytest.mark.parametrize(
    "model",
    [
        AverageKernel("cosine"),
        AverageKernel(KernelLibrary("rbf", on="features")),
        MultiRepresentedKNN(metric="cosine"),
    ],
    ids=["cosine", "single features", "nearest by the cosine"],
)
def test_classifiers_that_see_every_feature_say_nothing(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(measured(1000.0), np.arange(40) % 2)


@pytest.mark.parametrize("method", [BregmanWard, HybridTree])
def test_a_divergence_that_was_chosen_is_not_hinted_at(method):
    method(Mahalanobis(), n_clusters=2).fit(measured(1000.0))


def word_counts(n_texts=60, n_words=200):
    """Texts of two topics and of very different lengths."""
    rng = np.random.default_rng(0)
    odds = rng.dirichlet(np.full(n_words, 0.1), 2)
    return rng.poisson(odds[np.arange(n_texts) % 2] * np.geomspace(20, 400, n_texts)[:, None])


def one_hot(n_objects=60, n_levels=9):
    rng = np.random.default_rng(0)
    return np.hstack([np.eye(n_levels)[rng.integers(0, n_levels, n_objects)] for _ in range(3)])


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_raw_counts_are_named_with_the_remedy(form):
    views = Views({"words": form(word_counts()), "size": measured(1.0)[:20].repeat(3, axis=0)})
    said = r"'words' looks like raw counts.*PerView\(TfidfTransformer\(\)\), KMeans"
    with pytest.warns(ViewsWarning, match=said) as caught:
        hint_at_counts(views, views.names, "KMeans")
    assert len(caught) == 1


@pytest.mark.parametrize(
    "X",
    [
        load_digits_views().views["pixels"],
        np.round(255 * np.random.default_rng(0).uniform(size=(30, 40)) ** 20),
        one_hot(),
        np.sign(word_counts()),
        word_counts() / 7,
        -word_counts(),
        np.zeros((5, 4)),
        csr_array((5, 4)),
        np.full((1, 4), 7.0),
        np.array([[0.0, 2.0], [1.0, 1.0], [3.0, 0.0]]),
    ],
    ids=[
        "pixels",
        "images of mostly zeros",
        "categories",
        "yes and no",
        "no whole numbers",
        "negative",
        "zeros",
        "sparse zeros",
        "one object",
        "a small table",
    ],
)
def test_what_is_no_counts_of_rare_things_is_passed_over(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hint_at_counts(Views({"x": X}), ["x"], "KMeans")


def test_texts_of_one_length_are_passed_over():
    counts = np.random.default_rng(0).multinomial(30, np.full(200, 1 / 200), 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hint_at_counts(Views({"x": counts}), ["x"], "KMeans")


def test_a_gaussian_kernel_of_raw_counts_is_hinted_at_and_the_default_is_not():
    views = {"words": word_counts()}
    FusedSpectral(2, random_state=0).fit(views)
    with pytest.warns(ViewsWarning, match="looks like raw counts, of which FusedSpectral"):
        FusedSpectral(2, "rbf", random_state=0).fit(views)
    with pytest.warns(ViewsWarning, match="looks like raw counts, of which MultiViewDBSCAN"):
        MultiViewDBSCAN(metric="euclidean").fit(views)
