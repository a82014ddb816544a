"""The contract that every multi-view estimator keeps, for ours and for anybody's.

``check_multiview_estimator(estimator)`` tries every rule and names the first that is broken;
``parametrize_with_checks`` makes one pytest test of each rule. An estimator may say

- ``_deterministic_start``: parameters with which nothing in ``fit`` is left to chance, so that
  the order of objects and views can be asked about in spite of a ``random_state``;
- ``_contract_exemptions``: rules that it cannot keep, by name, each with its reason;
- ``_expected_failed_checks``: the same for scikit-learn's own checks.
"""

from manyviews.testing.check import Check
from manyviews.testing.runner import (
    all_checks,
    check_multiview_estimator,
    contract_instances,
    estimator_checks,
    failures,
    parametrize_with_checks,
)
from manyviews.testing.scikit_learn import (
    check_with_scikit_learn,
    expected_failed_checks,
    parametrize_with_scikit_learn_checks,
)

__all__ = [
    "Check",
    "all_checks",
    "check_multiview_estimator",
    "check_with_scikit_learn",
    "contract_instances",
    "estimator_checks",
    "expected_failed_checks",
    "failures",
    "parametrize_with_checks",
    "parametrize_with_scikit_learn_checks",
]
