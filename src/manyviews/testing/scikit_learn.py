"""scikit-learn's own checks on plain two-dimensional input, with the failures we stand by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.base import is_classifier

from manyviews.testing.check import view_tags
from manyviews.testing.runner import contract_instances, short_name

UNLABELLED = {
    "check_classifiers_classes": "it names a class -1, which marks an unlabelled object here",
}


FREE_OF_DATA = frozenset(
    {
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_sparse_tag",
        "check_estimator_tags_renamed",
        "check_estimators_unfitted",
        "check_get_params_invariance",
        "check_mixin_order",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    }
)
"""Checks of construction and parameters, which a method for several views passes as well."""


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """Return scikit-learn's checks that an estimator is not to pass, each with its reason.

    They are those in ``_expected_failed_checks`` of its class; for classifiers, those in which
    -1 is a class; and, for a method that needs several views, all that fit it on one matrix.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> expected_failed_checks(MergeViews())
    {}
    """
    return {**_beyond_one_matrix(estimator), **_stood_by(estimator)}


def _stood_by(estimator: Any) -> dict[str, str]:
    """Failures that are declared, as opposed to checks that cannot be asked."""
    declared = dict(getattr(estimator, "_expected_failed_checks", {}))
    return {**UNLABELLED, **declared} if is_classifier(estimator) else declared


def _beyond_one_matrix(estimator: Any) -> dict[str, str]:
    least = view_tags(estimator).min_views
    if least <= 1:
        return {}
    reason = f"it needs {least} views and one plain matrix is one view"
    return {name: reason for name, _, _ in _cases(estimator) if name not in FREE_OF_DATA}


def check_with_scikit_learn(estimator: Any) -> None:
    """Run scikit-learn's ``check_estimator``, apart from the failures that are expected.

    Raises
    ------
    AssertionError
        Naming every check that failed against expectation, and every one that was expected to
        fail and did not, or is not asked of such an estimator at all.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import check_with_scikit_learn
    >>> check_with_scikit_learn(MergeViews())
    """
    from sklearn.utils.estimator_checks import check_estimator  # brings pytest with it

    results = check_estimator(
        estimator,
        expected_failed_checks=expected_failed_checks(estimator),
        on_fail=None,
        on_skip=None,
    )
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    if failed:
        found = "; ".join(f"{name}: {error}" for name, error in failed.items())
        raise AssertionError(f"{type(estimator).__name__} fails scikit-learn's {found}")
    passed = {r["check_name"] for r in results if r["status"] == "passed"}
    unasked = _stood_by(estimator).keys() - {r["check_name"] for r in results}
    judged = _stood_by(estimator).keys() - _beyond_one_matrix(estimator).keys()
    needless = sorted((judged & passed) | unasked)
    if needless:
        raise AssertionError(
            f"{type(estimator).__name__} is expected to fail scikit-learn's "
            f"{', '.join(needless)} and does not; take them out of _expected_failed_checks."
        )


def parametrize_with_scikit_learn_checks(estimators: Iterable[Any] | None = None) -> Any:
    """Return a pytest decorator that gives a test ``estimator`` and ``check`` of scikit-learn's.

    Failures that are expected are marked so; what needs one matrix is not asked of a method that
    needs several views.

    Examples
    --------
    >>> from manyviews.compose import MergeViews
    >>> from manyviews.testing import parametrize_with_scikit_learn_checks
    >>> @parametrize_with_scikit_learn_checks([MergeViews()])
    ... def test_scikit_learn(estimator, check):
    ...     check(estimator)
    """
    import pytest

    instances = contract_instances() if estimators is None else list(estimators)
    cases = []
    for number, estimator in enumerate(instances):
        expected = expected_failed_checks(estimator)
        prefix = short_name(estimator, number, instances)
        beyond = _beyond_one_matrix(estimator)
        for name, instance, check in _cases(estimator):
            if name in beyond:
                continue
            marks = (
                [pytest.mark.xfail(reason=expected[name], strict=True)] if name in expected else []
            )
            cases.append(pytest.param(instance, check, id=f"{prefix}-{name}", marks=marks))
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _cases(estimator: Any) -> list[tuple[str, Any, Any]]:
    from sklearn.utils.estimator_checks import estimator_checks_generator

    pairs = estimator_checks_generator(estimator)
    return [(_name_of(check), instance, check) for instance, check in pairs]


def _name_of(check: Any) -> str:
    """Return the name of a check, which may come with some arguments filled in."""
    return str(getattr(check, "func", check).__name__)
