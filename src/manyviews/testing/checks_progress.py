"""The course of learning: history, warnings, prints, sums over subsets, and little memory."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields, is_dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from manyviews.exceptions import MemoryLimitError
from manyviews.testing.answers import (
    answers,
    assert_one_sentence,
    assert_same,
    everything,
    fitted,
    fitted_once,
    methods,
    table,
)
from manyviews.testing.check import has_param, is_additive, rule
from manyviews.testing.data import count, problem_for, rows_of
from manyviews.typing import AnyArray

# -- progress --------------------------------------------------------------------------------------


def _iterates(estimator: Any) -> bool:
    return {"max_iter", "tol"} <= set(estimator.get_params(deep=False))


@rule()
def no_warning_on_good_data(estimator: Any) -> None:
    """On plain data there is no warning, but that it has not converged."""
    problem = problem_for(estimator)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answers(fitted(estimator, problem.X, problem.y), problem.new)
    others = [w for w in caught if not issubclass(w.category, ConvergenceWarning)]
    assert not others, f"there is a {others[0].category.__name__}: {others[0].message}"


@rule()
def history_is_finite(estimator: Any) -> None:
    """``objective_history_`` is finite and ``n_iter_`` a count, where there are such."""
    model = fitted_once(estimator)
    history = np.asarray(getattr(model, "objective_history_", [0.0]), dtype=float)
    assert history.ndim == 1, f"objective_history_ has {history.ndim} dimensions."
    assert len(history) > 0, "objective_history_ is empty."
    assert np.isfinite(history).all(), "objective_history_ is not finite."
    n_iter = getattr(model, "n_iter_", 1)
    assert isinstance(n_iter, int | np.integer), f"n_iter_ is {n_iter!r}."
    assert n_iter >= 0, f"n_iter_ is {n_iter}."


@rule(applies=_iterates)
def unfinished_work_is_warned_of(estimator: Any) -> None:
    """There is a ``ConvergenceWarning`` exactly when ``converged_`` is false.

    Asked with ``max_iter=1`` and ``tol=0`` and with the estimator's own; where there is no
    ``converged_``, nothing is asked.
    """
    problem = problem_for(estimator)
    for params in ({"max_iter": 1, "tol": 0.0}, {}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = fitted(clone(estimator).set_params(**params), problem.X, problem.y)
        warned = any(issubclass(w.category, ConvergenceWarning) for w in caught)
        if hasattr(model, "converged_"):
            what = "a warning" if warned else "no warning"
            assert warned != bool(model.converged_), f"converged_={model.converged_} and {what}."


@rule()
def silent_unless_asked(estimator: Any) -> None:
    """Nothing is printed, unless there is ``verbose`` and it is set."""
    problem = problem_for(estimator)
    printed = _printed(estimator, problem)
    assert not printed, f"it prints {printed[:40]!r}."
    if has_param("verbose")(estimator):
        loud = clone(estimator).set_params(verbose=1)
        assert _printed(loud, problem), "verbose=1 reports nothing."


def _printed(estimator: Any, problem: Any) -> str:
    stream = io.StringIO()
    with redirect_stdout(stream), redirect_stderr(stream):
        answers(fitted(estimator, problem.X, problem.y), problem.new)
    return stream.getvalue()


@rule(applies=is_additive)
def statistics_add_up(estimator: Any) -> None:
    """``summarize`` of subsets, added in any order, is ``summarize`` of all objects."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X, problem.y)
    third = count(problem.X) // 3
    cuts = (slice(third), slice(third, 2 * third + 1), slice(2 * third + 1, None))
    one, two, three = (model.summarize(rows_of(problem.X, rows)) for rows in cuts)
    whole = _numbers(model.summarize(problem.X))
    for total in (one + two + three, three + (one + two)):
        for place, (part, all_in_one) in enumerate(zip(_numbers(total), whole, strict=True)):
            same = np.allclose(part, all_in_one, rtol=1e-8, atol=1e-8)
            assert same, f"part {place} of the statistics does not add up."


@rule(applies=is_additive)
def update_learns_from_sums(estimator: Any) -> None:
    """``update`` returns the estimator, which then answers as if it had seen all at once."""
    problem = problem_for(estimator)
    whole, parts = (fitted(estimator, problem.X, problem.y) for _ in range(2))
    half = count(problem.X) // 2
    one, two = (
        parts.summarize(rows_of(problem.X, rows)) for rows in (slice(half), slice(half, None))
    )
    whole.update(whole.summarize(problem.X))
    assert parts.update(one + two) is parts, "update returns something else."
    assert_same(answers(whole, problem.new), answers(parts, problem.new), "learning by subsets")


def _numbers(stats: Any) -> list[AnyArray]:
    """All arrays and numbers in some statistics, however they are packed."""
    if is_dataclass(stats):
        return [n for field in fields(stats) for n in _numbers(getattr(stats, field.name))]
    if isinstance(stats, Mapping):
        return [n for key in sorted(stats) for n in _numbers(stats[key])]
    if isinstance(stats, list | tuple):
        return [n for part in stats for n in _numbers(part)]
    return [table(stats)]


# -- memory ----------------------------------------------------------------------------------------

LITTLE = "1kB"
"""Less than the similarities of a dozen objects take, more than one of them takes."""


@rule()
def little_memory_changes_no_answer(estimator: Any) -> None:
    """Where an array may take little memory, answers are the same, or the limit is told.

    Asked with ``MANYVIEWS_MAX_MEMORY`` lowered before ``fit``, and before each method.
    """
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    whole = everything(model, problem.new)
    with patch.dict(os.environ, MANYVIEWS_MAX_MEMORY=LITTLE):
        for name in methods(model):
            found = _unless_limited(getattr(model, name), problem.new)
            if found is not None:
                assert_same({name: whole[name]}, {name: found}, "little memory")
        refitted = _unless_limited(fitted, estimator, problem.X, problem.y)
    if refitted is not None:
        assert_same(whole, everything(refitted, problem.new), "little memory in fit")


def _unless_limited(act: Any, *given: Any) -> Any:
    """Return what is found, or None where the limit is told in a sentence."""
    try:
        return act(*given)
    except MemoryLimitError as error:
        assert_one_sentence(error, "too large an array", "MANYVIEWS_MAX_MEMORY")
        return None
