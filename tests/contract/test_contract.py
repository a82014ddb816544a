"""Every exported estimator keeps every rule, ours and scikit-learn's.

An estimator is one test, which names all the rules that it breaks. To try one rule alone:
``manyviews.testing.failures(estimator)[rule]``, or ``parametrize_with_checks`` in a test.
"""

from __future__ import annotations

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import estimator_checks_generator

from manyviews.exceptions import ViewsWarning
from manyviews.registry import estimators
from manyviews.testing import (
    check_with_scikit_learn,
    contract_instances,
    expected_failed_checks,
    failures,
)

INSTANCES = contract_instances()
FIRST = list({type(one): one for one in reversed(INSTANCES)}.values())[::-1]
"""One instance of each kind: scikit-learn's checks ask for conventions, which parameters do not
change. Our own rules are asked of all instances."""


def name_of(estimator):
    return type(estimator).__name__


@pytest.mark.parametrize("estimator", INSTANCES, ids=name_of)
def test_contract(estimator):
    broken = failures(estimator)
    if broken:
        raise ExceptionGroup(f"{estimator} breaks {', '.join(broken)}", list(broken.values()))


@pytest.mark.parametrize("estimator", FIRST, ids=name_of)
def test_scikit_learn(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", ViewsWarning)  # it fits noise, and says so
        check_with_scikit_learn(estimator)


def test_every_expected_failure_is_a_check_that_is_asked():
    def asked(estimator):
        return {getattr(c, "func", c).__name__ for _, c in estimator_checks_generator(estimator)}

    needless = {
        repr(estimator): checks
        for estimator in INSTANCES
        if (checks := expected_failed_checks(estimator).keys() - asked(estimator))
    }
    assert needless == {}


def test_every_exported_multiview_estimator_is_tried():
    tried = {type(instance).__name__ for instance in INSTANCES}
    exported = {name for name, kind in estimators().items() if hasattr(kind, "view_tags")}
    assert {"MergeViews", "PerView", "SplitViews"} <= tried
    assert tried == exported
