"""The contract passes what is good, names what is bad, and no rule of it is empty."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from contract_mutants import MUTANTS
from contract_spoilers import mutant
from contract_toys import (
    GOOD_TOYS,
    BadKMeans,
    ExcusedKMeans,
    ToyCrossCovariance,
    ToyKMeans,
    ToyProjection,
)
from sklearn.exceptions import ConvergenceWarning

from manyviews.testing import (
    all_checks,
    check_multiview_estimator,
    check_with_scikit_learn,
    estimator_checks,
    expected_failed_checks,
    failures,
    parametrize_with_checks,
    parametrize_with_scikit_learn_checks,
)
from manyviews.testing.answers import same_partition

CHECKS = {check.name: check for check in all_checks()}


@parametrize_with_checks(GOOD_TOYS)
def test_good_toys_keep_every_rule(estimator, check):
    check(estimator)


@parametrize_with_scikit_learn_checks(GOOD_TOYS)
def test_good_toys_pass_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def test_bad_toy_breaks_its_five_rules_and_no_other():
    found = failures(BadKMeans(random_state=0))
    assert set(found) == BadKMeans.faults
    assert len(found) == 5
    for name, error in found.items():
        assert str(error).startswith(f"BadKMeans breaks {name} ({CHECKS[name].rule})")


def test_check_stops_at_the_first_broken_rule():
    first = next(c.name for c in estimator_checks(BadKMeans()) if c.name in BadKMeans.faults)
    with pytest.raises(AssertionError, match=f"breaks {first} "):
        check_multiview_estimator(BadKMeans())


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_can_fail(name):
    check, spoilt = CHECKS[name], MUTANTS[name]
    assert check.applies(spoilt)
    with pytest.raises(AssertionError, match=f"breaks {name} "):
        check(spoilt)


@pytest.mark.parametrize("toy", GOOD_TOYS, ids=lambda toy: type(toy).__name__)
def test_wrapping_alone_spoils_nothing_but_the_files(toy):
    wrapped = mutant(toy, fit=lambda self, old, X, *y: old(X, *y))
    on_the_fly = {"pickle_keeps_the_answers", "files_without_code_keep_the_answers"}
    assert set(failures(wrapped)) == on_the_fly


def test_every_mutant_has_its_check():
    assert MUTANTS.keys() == CHECKS.keys()


def test_names_and_rules_are_fit_to_print():
    for check in all_checks():
        assert check.rule.endswith(".")
        assert repr(check) == check.name


def test_every_check_applies_to_some_good_toy():
    applied = {check.name for toy in GOOD_TOYS for check in estimator_checks(toy)}
    assert applied == CHECKS.keys()


def test_the_estimator_itself_is_left_as_it_was():
    toy = ToyKMeans(n_clusters=7, random_state=5)
    check_multiview_estimator(toy)
    assert (toy.n_clusters, toy.random_state) == (7, 5)
    assert not hasattr(toy, "labels_")


def test_exempt_rules_are_not_asked():
    assert failures(ExcusedKMeans()) == {}
    marked = parametrize_with_checks([ExcusedKMeans()]).args[1]
    assert sum(bool(case.marks) for case in marked) == len(BadKMeans.faults)


def test_unknown_exemption_is_refused():
    class Mistaken(ToyProjection):
        _contract_exemptions = {"no_such_rule": "for the test"}

    with pytest.raises(ValueError, match="'no_such_rule', which is no check"):
        check_multiview_estimator(Mistaken())


def test_ids_tell_instances_of_a_class_apart():
    cases = parametrize_with_checks([ToyProjection(1), ToyProjection(2)]).args[1]
    assert cases[0].id == "ToyProjection1-fit_returns_self"
    assert cases[-1].id.startswith("ToyProjection2-")


def test_scikit_learn_failures_are_named():
    class Forgetful(ToyProjection):
        def fit(self, X, y=None):
            super().fit(X, y)
            self.n_components = 3
            return self

    with pytest.raises(AssertionError, match="check_estimators_overwrite_params"):
        check_with_scikit_learn(Forgetful())


@pytest.mark.parametrize("name", ["check_dict_unchanged", "check_of_an_older_scikit_learn"])
def test_scikit_learn_failures_that_do_not_come_are_named(name, monkeypatch):
    needless = {name: "for the test"}
    monkeypatch.setattr(ToyProjection, "_expected_failed_checks", needless, raising=False)
    with pytest.raises(AssertionError, match=f"expected to fail scikit-learn's {name} and"):
        check_with_scikit_learn(ToyProjection())


def test_scikit_learn_checks_are_expected_to_fail_strictly():
    class Modest(ToyProjection):
        _expected_failed_checks = {"check_dict_unchanged": "for the test"}

    cases = parametrize_with_scikit_learn_checks([Modest()]).args[1]
    marks = [mark for case in cases for mark in case.marks]
    assert [mark.kwargs for mark in marks] == [{"reason": "for the test", "strict": True}]


def test_a_two_view_method_is_excused_from_one_matrix():
    assert set(expected_failed_checks(ToyCrossCovariance()).values()) == {
        "it needs 2 views and one plain matrix is one view"
    }
    check_with_scikit_learn(ToyCrossCovariance())


def test_same_partition_knows_relabelling_from_regrouping():
    labels = np.array([0, 0, 1, 2, -1])
    assert same_partition(labels, [2, 2, 0, 1, -1])
    assert not same_partition(labels, [2, 2, 0, 0, -1])
    assert not same_partition(labels, [2, 1, 0, 3, -1])
    assert not same_partition(labels, [2, 2, 0, -1, 1])
