"""Classification across views: labels seen in one view, answers for objects seen in another."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from manyviews import PerView, Views, datasets
from manyviews.app.model import load_model, save_model
from manyviews.embed import CrossViewClassifier, KernelCCA, LogLinearMixtureFeatures


@pytest.fixture(scope="module")
def bilingual():
    views, y = datasets.make_bilingual_topics(360, random_state=5)
    weighted = PerView(TfidfTransformer()).fit_transform(views)
    return SimpleNamespace(known=weighted[:240], new=weighted[240:], y=y[:240], new_y=y[240:])


def some(y, count=80):
    """The first labels, the others unknown."""
    return np.where(np.arange(len(y)) < count, y, -1)


@pytest.mark.parametrize("by_view", [False, True])
@pytest.mark.parametrize("view", ["en", "fr"])
def test_either_language_is_understood(bilingual, view, by_view):
    model = CrossViewClassifier(KernelCCA(10), by_view=by_view)
    model.fit(bilingual.known, some(bilingual.y))
    assert model.score({view: bilingual.new[view]}, bilingual.new_y) > 0.85


def test_english_labels_teach_french(bilingual):
    """Labelled objects have English only; the pairs have no labels."""
    rows = np.arange(240)
    seen = bilingual.known.with_observed({"fr": rows >= 80})
    model = CrossViewClassifier(KernelCCA(10)).fit(seen, some(bilingual.y))
    assert model.score({"fr": bilingual.new["fr"]}, bilingual.new_y) > 0.8


def test_a_fitted_space_takes_labels_of_one_language_only(bilingual):
    space = KernelCCA(10).fit(bilingual.known)
    model = CrossViewClassifier(FrozenEstimator(space), LinearSVC(C=1))
    model.fit({"en": bilingual.known["en"]}, bilingual.y)
    assert model.embedding_.estimator is space
    assert model.score({"fr": bilingual.new["fr"]}, bilingual.new_y) > 0.85


def test_it_is_the_classifier_on_the_coordinates_of_the_labelled_objects(bilingual):
    y = some(bilingual.y)
    model = CrossViewClassifier(KernelCCA(6), KNeighborsClassifier(3)).fit(bilingual.known, y)
    space = KernelCCA(6).fit(bilingual.known)
    by_hand = KNeighborsClassifier(3).fit(space.transform(bilingual.known)[:80], y[:80])
    points = space.transform(bilingual.new)
    assert np.array_equal(model.predict(bilingual.new), by_hand.predict(points))
    assert np.allclose(model.predict_proba(bilingual.new), by_hand.predict_proba(points))


def test_each_view_can_be_an_example_of_its_own(bilingual):
    seen = bilingual.known.with_observed({"fr": np.arange(240) % 3 > 0})
    y = some(bilingual.y)
    model = CrossViewClassifier(KernelCCA(6), LogisticRegression(), by_view=True).fit(seen, y)
    places = KernelCCA(6).fit(seen).transform_views(seen)
    rows = [np.flatnonzero(seen.observed_in(name)[:80]) for name in ("en", "fr")]
    points = np.vstack([places[name][row] for name, row in zip(("en", "fr"), rows, strict=True)])
    by_hand = LogisticRegression().fit(points, y[np.concatenate(rows)])
    assert np.allclose(model.estimator_.coef_, by_hand.coef_, atol=1e-5)


def test_unlabelled_objects_shape_the_space():
    views, y = datasets.make_bilingual_topics(700, length=8, random_state=0)
    target = {"fr": views["fr"][500:]}, y[500:]
    alone = CrossViewClassifier(KernelCCA(8)).fit(views[:60], y[:60])
    together = CrossViewClassifier(KernelCCA(8)).fit(views[:500], some(y[:500], 60))
    assert together.score(*target) > alone.score(*target) + 0.1


def test_what_the_classifier_cannot_say_is_not_there(bilingual):
    machine = CrossViewClassifier(KernelCCA(3), LinearSVC())
    assert not hasattr(machine, "predict_proba")
    assert hasattr(machine.fit(bilingual.known, bilingual.y), "decision_function")
    assert machine.decision_function(bilingual.new).shape == (120, 8)
    neighbours = CrossViewClassifier(KernelCCA(3), KNeighborsClassifier())
    assert not hasattr(neighbours, "decision_function")
    assert not hasattr(neighbours.fit(bilingual.known, bilingual.y), "decision_function")
    assert hasattr(CrossViewClassifier(), "predict_proba")
    assert hasattr(CrossViewClassifier(), "decision_function")


def test_a_space_that_learns_from_labels_gets_them():
    class Notes(KernelCCA):
        def fit(self, X, y=None):
            self.noted_ = y
            return super().fit(X)

    rng = np.random.default_rng(0)
    views = {"a": rng.normal(size=(6, 3)), "b": rng.normal(size=(6, 3))}
    model = CrossViewClassifier(Notes(2)).fit(views, ["no", None, "yes", "no", "yes", None])
    assert model.embedding_.noted_.tolist() == ["no", None, "yes", "no", "yes", None]


def test_a_space_knows_the_classes_by_their_names():
    views, y = datasets.make_token_views(400, 4, vocabulary=60, class_vocabulary=30, random_state=0)
    names = np.array(["cat", "dog", "oak", "yew"], dtype=object)[y]
    names[100:] = None
    groups = {"first": {"cat": "animal", "dog": "animal", "oak": "tree", "yew": "tree"}}
    space = LogLinearMixtureFeatures(super_classes=groups)
    model = CrossViewClassifier(space).fit(views, names)
    assert model.embedding_.n_components_ == {"first": 2, "second": 4}
    assert set(model.predict(views[:20])) <= {"cat", "dog", "oak", "yew"}


def test_parameters_inside_are_reached_by_a_grid(bilingual):
    model = CrossViewClassifier(KernelCCA(), make_pipeline(StandardScaler(), LinearSVC()))
    grid = {"embedding__n_components": [1, 10], "estimator__linearsvc__C": [1.0]}
    search = GridSearchCV(model, grid, cv=3).fit(bilingual.known, bilingual.y)
    assert search.best_params_["embedding__n_components"] == 10


def test_an_object_without_labels_of_every_class_in_a_view_is_no_obstacle():
    views = Views({"a": [[0.0, 1.0], [1.0, 0.0], None, [0.2, 1.0]], "b": np.eye(4)})
    model = CrossViewClassifier(KernelCCA(2), DummyClassifier(), by_view=True)
    assert model.fit(views, ["x", "y", "x", "y"]).predict({"b": np.eye(4)}).shape == (4,)


def test_it_comes_back_from_a_file(bilingual, tmp_path):
    names = np.array(["n", "f", "b", "h", "r", "j", "s", "e"])[bilingual.y]
    model = CrossViewClassifier(KernelCCA(10)).fit(bilingual.known, names)
    save_model(model, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    new = {"fr": bilingual.new["fr"]}
    assert again.predict(new).tolist() == model.predict(new).tolist()
