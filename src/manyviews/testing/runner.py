"""Every rule tried on an estimator: all at once, one by one, or as tests of pytest."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from manyviews.registry import estimators as exported
from manyviews.testing import (
    checks_bad_input,
    checks_conventions,
    checks_forms,
    checks_output,
    checks_progress,
    checks_rows,
    checks_tools,
    checks_views,
)
from manyviews.testing.check import Check, prepared

THEMES: tuple[ModuleType, ...] = (
    checks_conventions,
    checks_forms,
    checks_views,
    checks_bad_input,
    checks_output,
    checks_progress,
    checks_rows,
    checks_tools,
)


def all_checks() -> list[Check]:
    """Return every check there is, theme by theme.

    Examples
    --------
    >>> from manyviews.testing import all_checks
    >>> all_checks()[0]
    fit_returns_self
    """
    return [each for theme in THEMES for each in vars(theme).values() if isinstance(each, Check)]


def estimator_checks(estimator: Any) -> list[Check]:
    """Return the checks that apply to an estimator.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import estimator_checks
    >>> check = estimator_checks(MergeViews())[0]
    >>> check.rule
    '``fit`` returns the estimator itself.'
    >>> check(MergeViews())
    """
    ready = prepared(estimator)
    return [check for check in all_checks() if check.applies(ready)]


def exemptions(estimator: Any) -> dict[str, str]:
    """Return the rules an estimator says it cannot keep, each with its reason.

    They stand in ``_contract_exemptions`` of the class or of the instance.
    """
    declared = dict(getattr(estimator, "_contract_exemptions", {}))
    known = {check.name for check in all_checks()}
    for name in declared:
        if name not in known:
            raise ValueError(
                f"_contract_exemptions of {type(estimator).__name__} names {name!r}, which is no "
                "check; see manyviews.testing.all_checks()."
            )
    return declared


def check_multiview_estimator(estimator: Any) -> None:
    """Try every rule that applies and stop at the first that is broken.

    Parameters
    ----------
    estimator : estimator
        An instance, which stays as it is: the checks work on clones.

    Raises
    ------
    AssertionError
        Naming the first rule that is broken.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import check_multiview_estimator
    >>> check_multiview_estimator(MergeViews())
    """
    for check in _due(estimator):
        check(estimator)


def failures(estimator: Any) -> dict[str, AssertionError]:
    """Try every rule that applies and return what was found, by the name of the check.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import failures
    >>> failures(MergeViews())
    {}
    """
    found = {}
    for check in _due(estimator):
        try:
            check(estimator)
        except AssertionError as error:
            found[check.name] = error
    return found


def _due(estimator: Any) -> list[Check]:
    exempt = exemptions(estimator)
    return [check for check in estimator_checks(estimator) if check.name not in exempt]


def contract_instances() -> list[Any]:
    """Return an instance or more of every multi-view estimator that the library exports.

    Examples
    --------
    >>> from manyviews.testing import contract_instances
    >>> contract_instances()[0]
    LabelledOnly()
    """
    return [
        instance
        for kind in exported().values()
        if hasattr(kind, "_contract_instances")
        for instance in kind._contract_instances()
    ]


def parametrize_with_checks(estimators: Iterable[Any] | None = None) -> Any:
    """Return a pytest decorator that gives a test every ``estimator`` with every ``check``.

    Rules that an estimator is exempt from are marked as expected failures.

    Parameters
    ----------
    estimators : iterable of estimators, optional
        By default those that the library exports, each as its ``_contract_instances`` say.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import parametrize_with_checks
    >>> @parametrize_with_checks([MergeViews()])
    ... def test_contract(estimator, check):
    ...     check(estimator)
    """
    import pytest

    instances = contract_instances() if estimators is None else list(estimators)
    cases = []
    for number, estimator in enumerate(instances):
        exempt = exemptions(estimator)
        for check in estimator_checks(estimator):
            marks = [pytest.mark.xfail(reason=exempt[check.name])] if check.name in exempt else []
            name = f"{short_name(estimator, number, instances)}-{check.name}"
            cases.append(pytest.param(estimator, check, id=name, marks=marks))
    return pytest.mark.parametrize(("estimator", "check"), cases)


def short_name(estimator: Any, number: int, instances: list[Any]) -> str:
    """Return the class's name, with a number where there are several instances of it."""
    kind = type(estimator)
    same = [place for place, other in enumerate(instances) if type(other) is kind]
    return kind.__name__ if len(same) == 1 else f"{kind.__name__}{same.index(number) + 1}"
