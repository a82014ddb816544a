"""scikit-learn's tools take a ``Views`` with gaps as it is."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RandomizedSearchCV, cross_validate, learning_curve
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils import resample, shuffle

from manyviews import MergeViews, PerView, SplitViews, Views
from manyviews.datasets import hide_views, make_kumar2


@pytest.fixture(scope="module")
def gappy():
    dataset = make_kumar2(120, random_state=0)
    return hide_views(dataset.views, 0.2, seed=0), dataset.y


def model():
    return make_pipeline(PerView(StandardScaler()), MergeViews(), LogisticRegression())


META = {
    "voting": lambda: VotingClassifier([("a", model()), ("b", model())], voting="soft"),
    "stacking": lambda: StackingClassifier([("a", model()), ("b", model())], cv=2),
    "calibration": lambda: CalibratedClassifierCV(model(), cv=2),
    "one against the rest": lambda: OneVsRestClassifier(model()),
    "search on two cores": lambda: RandomizedSearchCV(
        model(), {"logisticregression__C": [0.1, 1.0]}, n_iter=2, cv=2, n_jobs=2, random_state=0
    ),
}


@pytest.mark.parametrize("name", META)
def test_meta_estimators_take_views(name, gappy):
    views, y = gappy
    fitted = META[name]().fit(views, y)
    alone = model().fit(views, y)
    assert np.mean(fitted.predict(views) == alone.predict(views)) > 0.9


WIDE = {
    "self-training": lambda member: SelfTrainingClassifier(member),
    "bagging": lambda member: BaggingClassifier(member, n_estimators=3, random_state=0),
}


@pytest.mark.parametrize("name", WIDE)
def test_tools_that_hand_on_a_matrix_find_views_and_gaps_again(name, gappy):
    views, y = gappy
    widths = dict(zip(views.names, views.layout.widths, strict=True))
    member = make_pipeline(SplitViews(widths), *model())
    few = np.where(np.arange(len(y)) % 4 == 0, y, -1) if name == "self-training" else y
    assert WIDE[name](member).fit(views, few).score(views, y) > 0.8


def test_curves_and_splits_take_views(gappy):
    views, y = gappy
    _, _, scores = learning_curve(model(), views, y, cv=2, train_sizes=[30, 60])
    assert scores.shape == (2, 2)
    groups = np.arange(len(y)) % 6
    found = cross_validate(model(), views, y, cv=GroupKFold(3), groups=groups)
    assert np.isfinite(found["test_score"]).all()


@pytest.mark.parametrize("tool", [resample, shuffle])
def test_resampling_moves_objects_not_views(tool, gappy):
    views, y = gappy
    numbered = Views(views, sample_ids=np.arange(len(y)))
    drawn, labels = tool(numbered, y, random_state=0)
    assert drawn.names == views.names
    np.testing.assert_array_equal(labels, y[drawn.sample_ids])
    assert drawn.equals(numbered[drawn.sample_ids])
