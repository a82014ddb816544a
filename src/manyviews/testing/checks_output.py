"""Labels in and groups out; rows, columns and names of columns that transformers give."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.metrics import adjusted_rand_score

from manyviews.data import Views
from manyviews.testing.answers import assert_sound, equal, fitted, fitted_once, refused, table
from manyviews.testing.check import N_GROUPS, is_transformer, rule, with_pandas
from manyviews.testing.data import Problem, count, flat_frame, problem_for
from manyviews.typing import AnyArray, is_sparse

# -- labels ----------------------------------------------------------------------------------------

WORDS = np.array(["ant", "bee", "cat"])
"""In alphabetical order, as the classes 0, 1, 2 that they stand for."""


def _has_proba(estimator: Any) -> bool:
    return is_classifier(estimator) and hasattr(estimator, "predict_proba")


def _has_decision(estimator: Any) -> bool:
    return is_classifier(estimator) and hasattr(estimator, "decision_function")


def _seeks_our_groups(estimator: Any) -> bool:
    return is_clusterer(estimator) and estimator.get_params().get("n_clusters") in range(
        N_GROUPS, 1000
    )


def _thinned(labels: AnyArray, unlabelled: Any) -> AnyArray:
    """Every other block of three objects loses its label, so that no class loses all."""
    thinned = labels.copy()
    thinned[np.arange(len(labels)) % 6 >= 3] = unlabelled
    return thinned


@rule(applies=is_classifier)
def classes_are_sorted(estimator: Any) -> None:
    """``classes_`` holds the distinct labels in order, and ``predict`` gives some of them."""
    problem = problem_for(estimator)
    labels = 10 * problem.groups + 7
    model = fitted(estimator, problem.X, labels)
    assert np.array_equal(model.classes_, np.unique(labels)), f"classes_ is {model.classes_}."
    predicted = table(model.predict(problem.new))
    assert predicted.dtype.kind in "iu", f"integer labels became {predicted.dtype}."
    assert np.isin(predicted, model.classes_).all(), "predict gives labels that are no class."


@rule(applies=is_classifier)
def labels_are_only_names(estimator: Any) -> None:
    """Strings, as an array, a list or objects, are learnt as the integers they stand for."""
    problem = problem_for(estimator)
    expected = WORDS[table(fitted_once(estimator).predict(problem.new))]
    words = WORDS[problem.groups]
    for form, y in (
        ("an array", words),
        ("a list", words.tolist()),
        ("objects", words.astype(object)),
    ):
        model = fitted(estimator, problem.X, y)
        predicted = table(model.predict(problem.new))
        assert list(model.classes_) == sorted(set(words)), f"classes_ is {model.classes_}."
        assert list(predicted) == list(expected), f"strings in {form} are learnt differently."


@rule(applies=is_classifier)
def unlabelled_objects_are_no_class(estimator: Any) -> None:
    """``-1`` among integers and ``None`` or NaN among others mark unlabelled objects."""
    problem = problem_for(estimator)
    numbers = _thinned(problem.groups, -1)
    model = fitted(estimator, problem.X, numbers)
    assert list(model.classes_) == sorted(set(problem.groups)), "-1 is taken for a class."
    expected = table(model.predict(problem.new))
    words = WORDS.astype(object)[problem.groups]
    for unlabelled in (None, np.nan):
        model = fitted(estimator, problem.X, _thinned(words, unlabelled))
        found = list(model.predict(problem.new))
        assert len(model.classes_) == len(np.unique(problem.groups)), f"{unlabelled} is a class."
        assert found == list(WORDS[expected]), f"{unlabelled} among strings is not -1."


@rule(applies=is_classifier)
def separable_classes_are_learnt(estimator: Any) -> None:
    """Classes that every view tells apart are found again in new objects."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    accuracy = model.score(problem.new, problem.new_groups)
    assert accuracy >= 0.8, f"the accuracy is {accuracy:.2f}."


@rule(applies=is_classifier)
def one_class_is_refused(estimator: Any) -> None:
    """Labels of one class only are refused in one sentence, also beside unlabelled objects."""
    problem = problem_for(estimator)
    alone = np.ones_like(problem.groups)
    refused(lambda: fitted(estimator, problem.X, alone), "one class")
    refused(lambda: fitted(estimator, problem.X, _thinned(alone, -1)), "one class and gaps")


@rule(applies=is_classifier)
def no_label_is_refused(estimator: Any) -> None:
    """Objects without any label are refused in one sentence."""
    problem = problem_for(estimator)
    refused(lambda: fitted(estimator, problem.X, -np.ones_like(problem.groups)), "no label")


@rule(applies=_has_proba)
def probabilities_sum_to_one(estimator: Any) -> None:
    """``predict_proba`` has a column per class, rows that sum to one, and ``predict`` on top."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    proba = table(model.predict_proba(problem.new))
    assert proba.shape == (count(problem.new), len(model.classes_)), f"its shape is {proba.shape}."
    assert (proba >= 0).all(), "there are negative probabilities."
    assert np.allclose(proba.sum(axis=1), 1.0), "the rows do not sum to one."
    best = model.classes_[proba.argmax(axis=1)]
    assert equal(best, model.predict(problem.new)), "the most probable class is not predicted."


@rule(applies=_has_decision)
def decisions_agree_with_predict(estimator: Any) -> None:
    """``decision_function`` has scikit-learn's shape and its best class is predicted."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    scores = table(model.decision_function(problem.new))
    binary = len(model.classes_) == 2
    expected = (count(problem.new),) if binary else (count(problem.new), len(model.classes_))
    assert scores.shape == expected, f"its shape is {scores.shape}, not {expected}."
    best = (scores > 0).astype(int) if binary else scores.argmax(axis=1)
    assert equal(model.classes_[best], model.predict(problem.new)), "the best is not predicted."


@rule(applies=is_clusterer)
def clusters_are_numbered(estimator: Any) -> None:
    """``labels_``, ``fit_predict`` (the same) and ``predict`` give one integer per object."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X)
    for name, labels, X in _labellings(model, problem):
        found = table(labels)
        assert found.dtype.kind in "iu", f"{name} gives {found.dtype}."
        assert found.shape == (count(X),), f"{name} gives shape {found.shape}."
        assert found.min() >= -1, f"{name} gives {found.min()}; only -1 may be negative."
    assert equal(estimator.fit_predict(problem.X), model.labels_), "fit_predict is not labels_."


def _labellings(model: Any, problem: Problem) -> list[tuple[str, Any, Any]]:
    return [
        ("labels_", model.labels_, problem.X),
        ("predict on the training objects", model.predict(problem.X), problem.X),
        ("predict", model.predict(problem.new), problem.new),
    ]


@rule(applies=_seeks_our_groups)
def plain_clusters_are_found(estimator: Any) -> None:
    """Groups that every view tells apart are found, in ``fit`` and among new objects."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X)
    for name, labels, groups in (
        ("labels_", model.labels_, problem.groups),
        ("predict", model.predict(problem.new), problem.new_groups),
    ):
        score = adjusted_rand_score(groups, table(labels))
        assert score > 0.5, f"{name} agrees with the groups by {score:.2f} only."


# -- what transformers give ------------------------------------------------------------------------


def _transforms_with_pandas(estimator: Any) -> bool:
    return is_transformer(estimator) and with_pandas(estimator)


@rule(applies=is_transformer)
def transform_gives_a_row_per_object(estimator: Any) -> None:
    """``transform`` gives two dimensions, one finite row per object, the same width for all."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    widths = set()
    for X in (problem.X, problem.new):
        result = model.transform(X)
        assert_sound({"transform": result}, count(X), "after fit on all")
        assert table(result).ndim == 2, f"transform gives {table(result).ndim} dimensions."
        widths.add(table(result).shape[1])
    assert len(widths) == 1, f"transform gives the widths {sorted(widths)}."


@rule(applies=is_transformer)
def fit_transform_is_fit_then_transform(estimator: Any) -> None:
    """``fit_transform`` gives what ``fit`` and then ``transform`` give."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    both = clone(estimator)
    given = (problem.X,) if problem.y is None else (problem.X, problem.y)
    assert equal(both.fit_transform(*given), model.transform(problem.X)), "they differ."


@rule(applies=is_transformer)
def columns_have_names(estimator: Any) -> None:
    """``get_feature_names_out`` gives one distinct string per column."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    names = model.get_feature_names_out()
    width = table(model.transform(problem.new)).shape[1]
    assert len(names) == width, f"there are {len(names)} names for {width} columns."
    assert all(isinstance(name, str) for name in names), "some names are no strings."
    assert len(set(names)) == len(names), "some names occur twice."


@rule(applies=_transforms_with_pandas)
def set_output_gives_a_frame(estimator: Any) -> None:
    """``set_output(transform="pandas")`` gives a DataFrame with those names and the same numbers.

    Views become one frame with the columns ``view__feature``; a sparse result has no frame.
    """
    problem = problem_for(estimator)
    model = fitted(estimator, flat_frame(problem.X), problem.y)
    plain = model.transform(flat_frame(problem.new))
    if is_sparse(plain):
        return
    frame = model.set_output(transform="pandas").transform(flat_frame(problem.new))
    assert hasattr(frame, "columns"), f"it gives a {type(frame).__name__}."
    assert list(frame.columns) == list(model.get_feature_names_out()), "the columns differ."
    assert equal(frame.to_numpy(), plain), "the numbers differ."


@rule(applies=is_transformer)
def views_in_views_out_keep_the_objects(estimator: Any) -> None:
    """A transformer that gives views keeps sample ids and says what is observed."""
    problem = problem_for(estimator)
    ids = np.array([f"object{row}" for row in range(count(problem.new))])
    result = fitted_once(estimator).transform(Views(problem.new, sample_ids=ids))
    if not isinstance(result, Views):
        return
    assert result.observed.all(), "observed views came out unobserved."
    assert list(result.sample_ids if result.sample_ids is not None else []) == list(ids), (
        "the sample ids are lost."
    )
