"""Hints at views that are one feature to a distance."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from manyviews import Views
from manyviews.base import hint_at_scales
from manyviews.cluster import BregmanWard, CoSphericalKMeans, HybridTree, MultiViewDBSCAN
from manyviews.exceptions import ViewsWarning
from manyviews.maths import Mahalanobis


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


@pytest.mark.parametrize("method", [BregmanWard, HybridTree])
def test_a_divergence_that_was_chosen_is_not_hinted_at(method):
    method(Mahalanobis(), n_clusters=2).fit(measured(1000.0))
