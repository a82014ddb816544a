"""Similarities to the training objects as features of objects with gaps."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from manyviews import PerView, Views
from manyviews.exceptions import UnobservedViewsError
from manyviews.semi_supervised import CoRLS
from manyviews.similarity import (
    RBF,
    IncompleteGaussianMixture,
    IncompleteLinear,
    IncompleteRBF,
    KernelFeatures,
    KNNGraph,
)


def objects(n=60, seed=0, gaps=True):
    """Two classes seen by three sensors; a third of the sensors are off, and some cells missing."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    signal = np.where(labels, 1.2, -1.2)[:, None] + 0.4 * rng.standard_normal((n, 1))
    sensors = {
        name: signal * rng.uniform(0.5, 1.0, width) + 0.5 * rng.standard_normal((n, width))
        for name, width in (("radar", 3), ("infrared", 2), ("sound", 4))
    }
    if not gaps:
        return Views(sensors), labels
    sensors["radar"][::7, 1] = np.nan
    observed = rng.random((n, 3)) < 0.67
    observed[~observed.any(axis=1), 0] = True
    return Views(sensors, observed=observed), labels


@pytest.mark.parametrize(
    "classifier",
    [LogisticRegression(), SVC(kernel="precomputed"), CoRLS("precomputed")],
    ids=lambda classifier: type(classifier).__name__,
)
@pytest.mark.parametrize("kernel", [IncompleteRBF(), IncompleteLinear(), None])
def test_any_classifier_learns_from_objects_with_gaps(classifier, kernel):
    views, labels = objects()
    model = make_pipeline(KernelFeatures(kernel), classifier)
    assert cross_val_score(model, views, labels, cv=3).mean() > 0.9


def test_a_classifier_that_reads_unlabelled_objects_learns_from_them():
    views, labels = objects()
    few = np.where(np.arange(len(labels)) < 12, labels, -1)
    model = make_pipeline(KernelFeatures(), CoRLS("precomputed")).fit(views, few)
    assert np.mean(model.predict(views) == labels) > 0.9


def test_grids_reach_into_the_kernel_and_its_mixture():
    views, labels = objects()
    kernel = IncompleteRBF(IncompleteGaussianMixture(random_state=0))
    model = make_pipeline(PerView(StandardScaler()), KernelFeatures(kernel), LogisticRegression())
    grid = {
        "kernelfeatures__kernel__sigma": [0.01, 3.0],
        "kernelfeatures__kernel__mixture__n_components": [1, 2],
    }
    search = GridSearchCV(model, grid, cv=3).fit(views, labels)
    assert search.best_params_["kernelfeatures__kernel__sigma"] == 3.0
    assert search.best_score_ > 0.9
    assert kernel.sigma == "median"


def test_features_are_the_kernel_of_all_views_side_by_side():
    views, _ = objects()
    new, _ = objects(9, seed=1)
    model = KernelFeatures(IncompleteRBF(sigma=1.5))
    wide, new_wide = np.asarray(views), np.asarray(new)
    kernel = IncompleteRBF(sigma=1.5).fitted(wide)
    np.testing.assert_allclose(model.fit_transform(views), kernel.gram(wide), atol=1e-12)
    np.testing.assert_allclose(model.transform(new), kernel.cross(new_wide), atol=1e-12)
    assert list(model.get_feature_names_out()[:2]) == ["similarity0", "similarity1"]


def test_new_objects_may_come_with_one_sensor_only():
    views, labels = objects(120)
    new, truth = objects(40, seed=5, gaps=False)
    model = make_pipeline(KernelFeatures(), LogisticRegression()).fit(views, labels)
    assert np.mean(model.predict({"sound": new["sound"]}) == truth) > 0.9


def test_one_matrix_with_nan_is_one_view():
    views, labels = objects()
    wide = np.asarray(views)
    found = KernelFeatures(IncompleteRBF(sigma=1.5)).fit_transform(wide)
    other = KernelFeatures(IncompleteRBF(sigma=1.5)).fit_transform(views)
    np.testing.assert_allclose(found, other, atol=1e-12)
    model = make_pipeline(KernelFeatures(), LogisticRegression())
    assert cross_val_score(model, wide, labels, cv=3).mean() > 0.9


@pytest.mark.parametrize("kernel", ["rbf", RBF(0.3), "linear", KNNGraph(5)])
def test_other_similarities_take_complete_objects(kernel):
    views, labels = objects(gaps=False)
    model = make_pipeline(KernelFeatures(kernel), LogisticRegression()).fit(views, labels)
    assert model.score(views, labels) > 0.9
    incomplete, _ = objects()
    with pytest.raises(UnobservedViewsError, match=r"compares whole rows only; use IncompleteRBF"):
        KernelFeatures(kernel).fit(incomplete)
    with pytest.raises(UnobservedViewsError, match=r"of view 'infrared' is missing in row 0"):
        model.predict({name: views[name] for name in ("radar", "sound")})


def test_complete_objects_have_the_features_of_the_usual_kernel():
    views, _ = objects(gaps=False)
    found = KernelFeatures(IncompleteRBF()).fit_transform(views)
    np.testing.assert_allclose(found, KernelFeatures("rbf").fit_transform(views), rtol=1e-10)


def test_what_is_no_similarity_is_refused():
    with pytest.raises(ValueError, match="kernel='cubic' should be a Similarity, 'auto', 'cosine'"):
        KernelFeatures("cubic").fit(objects()[0])


def test_a_view_that_nobody_shows_is_named():
    views, _ = objects(gaps=False)
    hidden = views.with_observed({"sound": np.zeros(len(views), dtype=bool)})
    with pytest.raises(UnobservedViewsError, match="view 'sound' is observed for no object"):
        KernelFeatures().fit(hidden)
