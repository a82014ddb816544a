"""A classifier at the end of a pipeline sees the labelled objects only."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from manyviews.compose import LabelledOnly, MergeViews
from manyviews.datasets import make_token_views
from manyviews.embed import LogLinearMixtureFeatures, SubspaceFeatures


@pytest.fixture(scope="module")
def tokens():
    views, y = make_token_views(
        3000, 4, vocabulary=200, class_vocabulary=80, consecutive=True, random_state=0
    )
    return views, y, np.where(np.arange(3000) < 60, y, -1)


@pytest.mark.parametrize("features", [SubspaceFeatures(), LogLinearMixtureFeatures()])
@pytest.mark.parametrize("classifier", [LogisticRegression(max_iter=500), LinearSVC()])
def test_features_learn_from_all_and_the_classifier_from_the_labelled(tokens, features, classifier):
    views, y, known = tokens
    model = make_pipeline(features, LabelledOnly(classifier)).fit(views, known)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.score(views[60:], y[60:]) > 0.9
    assert hasattr(model, "predict_proba") == hasattr(classifier, "predict_proba")


def test_it_is_the_classifier_of_the_labelled_objects(tokens):
    views, y, known = tokens
    wide = views.concatenate()
    model = make_pipeline(MergeViews(), LabelledOnly(LogisticRegression())).fit(views, known)
    plain = LogisticRegression().fit(wide[:60], y[:60])
    np.testing.assert_allclose(
        model.predict_proba(views[60:90]), plain.predict_proba(wide[60:90]), atol=1e-8
    )


def test_names_of_classes_come_back(tokens):
    views, y, _ = tokens
    names = np.array(["a", "b", "c", "d"], dtype=object)[y]
    names[60:] = None
    found = LabelledOnly().fit(views, names).predict(views[:60])
    assert np.mean(found == names[:60]) > 0.9
