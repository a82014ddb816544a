"""What is done where memory is short: the same in parts, or a sentence; never half of it."""

from __future__ import annotations

import os
from typing import Any
from unittest.mock import patch

from manyviews.exceptions import MemoryLimitError
from manyviews.testing._answers import (
    assert_one_sentence,
    assert_same,
    everything,
    fitted,
    fitted_once,
    methods,
)
from manyviews.testing._check import rule
from manyviews.testing._data import problem_for

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
