"""The judge of a case: an answer that makes sense, or one sentence of a documented error."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.testing.answers import (
    answers,
    assert_one_sentence,
    assert_sound,
    raised_by_scikit_learn,
)

DOCUMENTED = (ValueError, MemoryError)
"""Bases of the errors in ``manyviews.exceptions``."""


@dataclass(frozen=True)
class Case:
    """Something to be tried, and its description for whoever has to look into it."""

    title: str
    act: Callable[[], None]


def verdict(case: Case) -> str:
    """Try a case: "answered", "refused: …", or raise ``AssertionError`` where it does neither."""
    try:
        with _strict():
            case.act()
    except DOCUMENTED as error:
        assert_one_sentence(error, case.title, "")
        return f"refused: {error}"
    except RuntimeWarning as error:
        if not raised_by_scikit_learn(error):
            raise
        return f"refused: {error}"  # an estimator that the user brought, in its own words
    return "answered"


@contextmanager
def _strict() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy's and SciPy's are faults
        warnings.simplefilter("ignore", UserWarning)  # words of ours and of scikit-learn's
        yield


def fit_and_answer(model: Any, X: Any, y: Any, new: Any) -> None:
    """Fit, then ask everything that the model can answer of new objects."""
    model.fit(X, y)
    if hasattr(model, "labels_"):
        assert np.asarray(model.labels_).dtype.kind in "iu", "labels_ are not integers"
    found = answers(model, new)
    whole = {name: answer for name, answer in found.items() if not isinstance(answer, Views)}
    assert_sound(whole, len(Views(new)), "here")
