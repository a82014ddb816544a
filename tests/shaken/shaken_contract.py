"""Rules of the contract that compare answers, each on one instance of every estimator.

`make test` tries all rules on all instances; this file is run by the shakes only, which name it.
"""

from __future__ import annotations

import pytest

from manyviews.testing import contract_instances, parametrize_with_checks

RULES = (
    *("order_of_features_is_free", "last_digits_decide_nothing"),
    *("order_of_views_in_fit_is_free", "order_of_objects_in_fit_is_free"),
    *("fit_transform_is_fit_then_transform", "decisions_agree_with_predict"),
    *("plain_clusters_are_found", "separable_classes_are_learnt"),
)

FIRST = list({type(one): one for one in reversed(contract_instances())}.values())
CASES = [case for case in parametrize_with_checks(FIRST).args[1] if case.values[1].name in RULES]


@pytest.mark.parametrize(("estimator", "check"), CASES)
def test_contract(estimator, check):
    check(estimator)
