"""Every exported estimator keeps every rule, ours and scikit-learn's."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

from manyviews.registry import estimators
from manyviews.testing import (
    contract_instances,
    parametrize_with_checks,
    parametrize_with_scikit_learn_checks,
)


@parametrize_with_checks()
def test_contract(estimator, check):
    check(estimator)


@parametrize_with_scikit_learn_checks()
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def test_every_exported_multiview_estimator_is_tried():
    tried = {type(instance).__name__ for instance in contract_instances()}
    exported = {name for name, kind in estimators().items() if hasattr(kind, "view_tags")}
    assert {"MergeViews", "PerView", "SplitViews"} <= tried
    assert tried == exported
