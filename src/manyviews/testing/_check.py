"""One rule of the contract: a name, a sentence, to whom it applies, and the code that tries it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from manyviews.exceptions import ViewsWarning
from manyviews.testing._prepare import prepared


def always(estimator: Any) -> bool:  # noqa: ARG001 (the signature of every applies)
    """Apply to every estimator."""
    return True


@dataclass(frozen=True)
class Check:
    """A named rule that an estimator keeps or breaks.

    Calling it with an estimator raises ``AssertionError`` if the rule is broken. The estimator
    itself is never fitted: the check works on clones with their random states set.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import estimator_checks
    >>> check = estimator_checks(MergeViews())[0]
    >>> check.name, check.applies(MergeViews())
    ('fit_returns_self', True)
    >>> check(MergeViews())
    """

    name: str
    rule: str
    """The rule in one line."""
    run: Callable[[Any], None]
    applies: Callable[[Any], bool] = always

    def __call__(self, estimator: Any) -> None:
        """Try the rule on an estimator."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", ViewsWarning)  # many rules make odd views;
                # that plain ones are not warned of is the rule no_warning_on_good_data.
                self.run(prepared(estimator))
        except Exception as error:
            raise AssertionError(self._report(estimator, error)) from error

    def __repr__(self) -> str:
        return self.name

    def _report(self, estimator: Any, error: Exception) -> str:
        plain = isinstance(error, AssertionError)
        found = str(error) if plain else f"{type(error).__name__}: {error}"
        return f"{type(estimator).__name__} breaks {self.name} ({self.rule}) {found}"


def rule(applies: Callable[[Any], bool] = always) -> Callable[[Callable[[Any], None]], Check]:
    """Make a check of a function; the first line of its docstring is the rule."""

    def make(run: Callable[[Any], None]) -> Check:
        first_line = (run.__doc__ or "").strip().split("\n")[0]
        return Check(run.__name__, first_line, run, applies)

    return make
