"""Every exported estimator keeps every rule, ours and scikit-learn's."""

from __future__ import annotations

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from manyviews.exceptions import ViewsWarning
from manyviews.registry import estimators
from manyviews.testing import (
    contract_instances,
    expected_failed_checks,
    parametrize_with_checks,
    parametrize_with_scikit_learn_checks,
)


@parametrize_with_checks()
def test_contract(estimator, check):
    check(estimator)


FIRST = list({type(one): one for one in reversed(contract_instances())}.values())
"""One instance of each kind: scikit-learn's checks ask for conventions, which parameters do not
change. Our own rules are asked of all instances."""


@parametrize_with_scikit_learn_checks(FIRST)
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", ViewsWarning)  # it fits noise, and says so
        check(estimator)


@pytest.mark.parametrize("estimator", contract_instances(), ids=lambda one: type(one).__name__)
def test_every_expected_failure_is_a_check_that_is_asked(estimator):
    asked = {getattr(c, "func", c).__name__ for _, c in estimator_checks_generator(estimator)}
    assert expected_failed_checks(estimator).keys() <= asked


def test_every_exported_multiview_estimator_is_tried():
    tried = {type(instance).__name__ for instance in contract_instances()}
    exported = {name for name, kind in estimators().items() if hasattr(kind, "view_tags")}
    assert {"MergeViews", "PerView", "SplitViews"} <= tried
    assert tried == exported
