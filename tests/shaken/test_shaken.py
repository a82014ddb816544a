"""The shakes cover every kernel that runs, every estimator, and do change last digits."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from manyviews import Views
from manyviews.compose import MergeViews
from manyviews.registry import estimators

HERE = Path(__file__).parent
OWN = "Haswell"
RUNNING = {"Prescott": "Katmai", "Nehalem": "Nehalem", "Haswell": "Haswell", "SkylakeX": ""}


@pytest.fixture
def runner():
    return runpy.run_path(str(HERE / "__main__.py"), run_name="runner")


@pytest.fixture
def processor(runner, monkeypatch):
    """A processor without AVX-512; cores that OpenBLAS does not know are its own."""
    names = runner["kernels"].__globals__
    monkeypatch.setitem(
        names, "architecture", lambda env: RUNNING.get(env.get("OPENBLAS_CORETYPE", OWN), OWN)
    )
    return runner


def test_each_kernel_that_runs_is_found_once(processor):
    found = processor["kernels"]()
    assert found == {"Katmai": "Prescott", "Nehalem": "Nehalem", "Haswell": "Haswell"}


def test_every_kernel_is_shaken_otherwise(processor):
    first, *others = processor["shakes"]()
    assert first.environment["OPENBLAS_CORETYPE"] == "Prescott"
    assert first.environment["NUMBA_CPU_NAME"] == "generic"
    assert "NPY_DISABLE_CPU_FEATURES" in first.environment
    assert [shake.options for shake in others] == [("--shake", "1"), ("--shake", "2")]


def test_every_room_is_shaken_once(processor):
    own = {folder.name for folder in (HERE.parents[1] / "src" / "manyviews").iterdir()}
    tested = {file.parent.name for file in HERE.parent.glob("*/test_*.py")}
    shaken = [room for shake in processor["shakes"]() for room in shake.rooms]
    always, not_numbers = {"maths"}, {"app", "data"}  # words, and files that come back exactly
    assert sorted(shaken) == sorted((own & tested | {"examples"}) - always - not_numbers)


def test_everything_that_is_always_shaken_exists(runner):
    assert [name for name in runner["WHAT"] if not (HERE.parents[1] / name).exists()] == []


@pytest.fixture
def contract():
    return runpy.run_path(str(HERE / "shaken_contract.py"))


def test_one_instance_of_every_estimator_is_shaken(contract):
    tried = [type(one).__name__ for one in contract["FIRST"]]
    exported = {name for name, kind in estimators().items() if hasattr(kind, "view_tags")}
    assert sorted(tried) == sorted(exported)


def test_every_rule_that_is_shaken_is_asked(contract):
    assert {case.values[1].name for case in contract["CASES"]} == set(contract["RULES"])


def test_shaken_views_differ_by_a_last_digit(pytestconfig):
    conftest = runpy.run_path(str(pytestconfig.rootpath / "conftest.py"))
    rows = np.random.default_rng(0).standard_normal((50, 4))
    rows[:, 0] = np.arange(50)
    rows[1] = rows[0]
    shaken = conftest["shaken_digits"](Views({"one": rows}), 1)["one"]
    np.testing.assert_array_equal(shaken[:, 0], rows[:, 0])
    np.testing.assert_array_equal(shaken[1], shaken[0])
    assert (shaken[:, 1:] != rows[:, 1:]).all()
    np.testing.assert_allclose(shaken, rows, rtol=1e-15)


@pytest.mark.exact
def test_exact_tests_are_not_shaken():
    rows = np.random.default_rng(0).standard_normal((50, 4))
    np.testing.assert_array_equal(MergeViews().fit_transform({"one": rows}), rows)


def test_methods_are_given_shaken_views_if_that_is_asked_for(pytestconfig):
    rows = np.random.default_rng(0).standard_normal((50, 4))
    merged = MergeViews().fit_transform({"one": rows})
    assert (merged != rows).any() == (pytestconfig.getoption("--shake") is not None)
