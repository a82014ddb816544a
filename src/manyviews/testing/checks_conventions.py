"""The manners of an estimator: construction, fit, copies, seeds, what it leaves untouched."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
from joblib import hash as digest
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

from manyviews.testing.answers import answers, assert_same, everything, fitted, fitted_once, methods
from manyviews.testing.check import has_param, is_transformer, rule, with_pandas
from manyviews.testing.data import flat_frame, problem_for


@rule()
def fit_returns_self(estimator: Any) -> None:
    """``fit`` returns the estimator itself."""
    problem = problem_for(estimator)
    given = (problem.X,) if problem.y is None else (problem.X, problem.y)
    assert estimator.fit(*given) is estimator, "fit returns something else."


@rule()
def constructor_only_stores(estimator: Any) -> None:
    """The constructor stores its parameters as they are and does nothing else."""
    params = estimator.get_params(deep=False)
    made = type(estimator)(**params)
    changed = [name for name, value in params.items() if getattr(made, name) is not value]
    assert not changed, f"the constructor changes {changed}."
    more = sorted(set(vars(made)) - set(params))
    assert not more, f"the constructor sets {more} besides its parameters."


@rule()
def fit_leaves_parameters_alone(estimator: Any) -> None:
    """``fit`` changes no parameter."""
    problem = problem_for(estimator)
    before = {name: digest(value) for name, value in estimator.get_params(deep=False).items()}
    model = fitted(estimator, problem.X, problem.y)
    after = {name: digest(value) for name, value in model.get_params(deep=False).items()}
    changed = sorted(name for name in before if before[name] != after[name])
    assert not changed, f"fit changes the parameters {changed}."


@rule()
def input_is_left_alone(estimator: Any) -> None:
    """Neither ``fit`` nor an answer writes into what it is given."""
    problem = problem_for(estimator)
    X, new = dict(problem.X), dict(problem.new)
    y = None if problem.y is None else problem.y.copy()
    before = digest((X, new, y))
    answers(fitted(estimator, X, y), new)
    assert digest((X, new, y)) == before, "the arrays given are changed."


@rule()
def read_only_memory_will_do(estimator: Any) -> None:
    """Arrays in read-only memory are taken as they are."""
    problem = problem_for(estimator)
    for matrix in (*problem.X.values(), *problem.new.values()):
        matrix.flags.writeable = False
    if problem.y is not None:
        problem.y.flags.writeable = False
    answers(fitted(estimator, problem.X, problem.y), problem.new)


@rule()
def clone_is_unfitted_and_equal(estimator: Any) -> None:
    """A clone has the same parameters and nothing learnt."""
    model = fitted_once(estimator)
    copy = clone(model)
    assert digest(copy.get_params()) == digest(model.get_params()), "the clone differs."
    learnt = [name for name in vars(copy) if name.endswith("_") and not name.startswith("_")]
    assert not learnt, f"the clone carries {learnt}."


@rule()
def pickle_keeps_the_answers(estimator: Any) -> None:
    """A fitted estimator that was pickled answers as before."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X, problem.y)
    loaded = pickle.loads(pickle.dumps(model))  # noqa: S301 (our own bytes)
    assert_same(everything(model, problem.new), everything(loaded, problem.new), "pickling")


@rule()
def files_without_code_keep_the_answers(estimator: Any) -> None:
    """A fitted estimator saved by skops, as the command line does, answers as before."""
    import skops.io

    problem = problem_for(estimator)
    model = fitted(estimator, problem.X, problem.y)
    data = skops.io.dumps(model)
    loaded = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))  # our own bytes
    assert_same(everything(model, problem.new), everything(loaded, problem.new), "saving by skops")


@rule()
def shows_itself(estimator: Any) -> None:
    """It shows its name as text and in a notebook, fitted or not."""
    name = type(estimator).__name__
    for state in (estimator, fitted_once(estimator)):
        assert repr(state).startswith(name), f"repr is {repr(state)[:40]!r}."
        assert name in estimator_html_repr(state), "the notebook's view does not name it."


@rule()
def unfitted_says_so(estimator: Any) -> None:
    """Before ``fit`` every answer is a ``NotFittedError``."""
    problem = problem_for(estimator)
    for name in methods(estimator):
        try:
            getattr(clone(estimator), name)(problem.new)
        except NotFittedError:
            continue
        raise AssertionError(f"{name} answers before fit.")


@rule()
def has_an_answer_for_new_objects(estimator: Any) -> None:
    """Clusterers and classifiers predict, and everything answers, for objects not seen in fit."""
    needs_predict = is_classifier(estimator) or is_clusterer(estimator)
    assert hasattr(estimator, "predict") or not needs_predict, "there is no predict."
    assert methods(estimator) or is_transformer(estimator), "there is no predict or transform."


@rule()
def fitted_attributes_end_in_underscore(estimator: Any) -> None:
    """What ``fit`` adds for users ends in an underscore."""
    model = fitted_once(estimator)
    added = set(vars(model)) - set(estimator.get_params(deep=False))
    odd = sorted(name for name in added if not (name.startswith("_") or name.endswith("_")))
    assert not odd, f"fit sets {odd}."


@rule()
def remembers_the_views(estimator: Any) -> None:
    """``view_names_``, ``layout_`` and ``n_features_in_`` say what ``fit`` saw."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    widths = tuple(matrix.shape[1] for matrix in problem.X.values())
    assert tuple(model.view_names_) == problem.names, f"view_names_ is {model.view_names_}."
    assert model.layout_.widths == widths, f"layout_ has the widths {model.layout_.widths}."
    assert model.n_features_in_ == sum(widths), f"n_features_in_ is {model.n_features_in_}."
    assert not hasattr(model, "feature_names_in_"), "feature_names_in_ is set without names."


@rule(applies=with_pandas)
def remembers_feature_names(estimator: Any) -> None:
    """``feature_names_in_`` holds the columns of a DataFrame as ``view__feature``."""
    problem = problem_for(estimator)
    frame = flat_frame(problem.X)
    model = fitted(estimator, frame, problem.y)
    assert list(model.feature_names_in_) == list(frame.columns), "feature_names_in_ is off."


@rule()
def fit_again_is_fit_once(estimator: Any) -> None:
    """Fitting a second time on the same data gives what the first gave."""
    problem = problem_for(estimator)
    given = (problem.X,) if problem.y is None else (problem.X, problem.y)
    once = everything(fitted(estimator, *given), problem.new)
    twice = everything(clone(estimator).fit(*given).fit(*given), problem.new)
    assert_same(once, twice, "fitting again")


@rule()
def fit_on_other_views_starts_afresh(estimator: Any) -> None:
    """Fitting on other views forgets the names and widths of the former."""
    problem = problem_for(estimator)
    first = flat_frame(problem.X) if with_pandas(estimator) else problem.X
    other = {f"other{name}": matrix[:, 1:] for name, matrix in problem.X.items()}
    new = {f"other{name}": matrix[:, 1:] for name, matrix in problem.new.items()}
    y = () if problem.y is None else (problem.y,)
    model = fitted(estimator, first, problem.y).fit(other, *y)
    assert tuple(model.view_names_) == tuple(other), "the former names are kept."
    widths = sum(matrix.shape[1] for matrix in other.values())
    assert model.n_features_in_ == widths, "the former widths are kept."
    assert not hasattr(model, "feature_names_in_"), "the former feature names are kept."
    fresh = fitted(estimator, other, problem.y)
    assert_same(everything(fresh, new), everything(model, new), "an earlier fit")


@rule()
def same_seed_same_answer(estimator: Any) -> None:
    """Two estimators with the same parameters and seed give the same answers."""
    problem = problem_for(estimator)
    one = fitted(estimator, problem.X, problem.y)
    two = fitted(estimator, problem.X, problem.y)
    assert_same(everything(one, problem.new), everything(two, problem.new), "running again")


@rule()
def asking_changes_nothing(estimator: Any) -> None:
    """Asking twice gives the same answer, and asking of other objects does not matter."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X, problem.y)
    first = everything(model, problem.new)
    answers(model, problem.X)
    assert_same(first, everything(model, problem.new), "having been asked before")


@rule()
def global_randomness_is_untouched(estimator: Any) -> None:
    """Neither NumPy's nor Python's global generator is drawn from or seeded."""
    problem = problem_for(estimator)
    kept = _global_states()
    try:
        _stir()
        before = digest(_global_states())
        answers(fitted(estimator, problem.X, problem.y), problem.new)
        assert digest(_global_states()) == before, "a global generator has moved."
    finally:
        np.random.set_state(kept[0])  # noqa: NPY002 (as it was)
        random.setstate(kept[1])


def _global_states() -> tuple[Any, Any]:
    return np.random.get_state(), random.getstate()  # noqa: NPY002 (to watch it)


def _stir() -> None:
    """Move the generators to where no seeding leads, so that seeding again is noticed."""
    np.random.random(7)  # noqa: NPY002
    random.random()


@rule(applies=has_param("random_state"))
def random_state_takes_generators(estimator: Any) -> None:
    """``random_state`` may be a ``Generator`` or a ``RandomState``, with repeatable answers."""
    problem = problem_for(estimator)
    for kind in (np.random.default_rng, np.random.RandomState):
        one, two = (
            everything(
                fitted(clone(estimator).set_params(random_state=kind(3)), problem.X, problem.y),
                problem.new,
            )
            for _ in range(2)
        )
        assert_same(one, two, f"running again from {kind.__name__}(3)")
