"""Whatever comes in, there is an answer or one sentence: no crash, no hang, no stray warning.

Every run of the suite tries a sample; ``make fuzz`` tries all. To look into case 12 of a family::

    PYTHONPATH=tests/fuzz python -c "import fuzz_data; fuzz_data.case(12).act()"
"""

from __future__ import annotations

import math
from importlib import import_module

import fuzz_broken
import fuzz_watch
import pytest
from fuzz_watch import Outcome, outcomes

FAMILIES = ("data", "parameters", "files", "models")
STRIDE = 37
"""Every 37th case is in the sample: no number of instances, values or kinds divides it."""
PARTS = 4
LEAST_ANSWERED = {"data": 0.4, "parameters": 0.1, "files": 0.05, "models": 0.1}
"""The share of cases that must not be refused, or the fuzzer would try nothing.

Most damage to files is seen by their checksums, so that only those made by hand are read.
"""


def found(family: str, start: int, step: int) -> list[Outcome]:
    count = import_module(f"fuzz_{family}").COUNT
    return list(outcomes(family, range(start, count, step)))


def assert_sound(family: str, tried: list[Outcome]) -> None:
    faults = [f"{each.number}: {each.title}\n    {each.fault}" for each in tried if each.fault]
    assert not faults, f"{len(faults)} of {len(tried)}:\n" + "\n".join(faults)
    answered = sum(each.answered for each in tried) / len(tried)
    assert answered >= LEAST_ANSWERED[family]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_sample_of_all_cases(family):
    assert_sound(family, found(family, 0, STRIDE))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("family", FAMILIES)
def test_every_case(family, part):
    assert_sound(family, found(family, part, PARTS))


def test_there_are_more_than_five_thousand_cases():
    assert sum(import_module(f"fuzz_{family}").COUNT for family in FAMILIES) > 5000


def test_the_sample_tries_every_value_model_instance_and_kind_of_file():
    cycles = (
        import_module("fuzz_data").INSTANCES,
        import_module("fuzz_parameters").VALUES,
        import_module("fuzz_files").KINDS,
        import_module("fuzz_models").MODELS,
    )
    assert [math.gcd(len(cycle), STRIDE) for cycle in cycles] == [1, 1, 1, 1]


def test_the_fuzzer_sees_each_way_to_go_wrong(monkeypatch):
    monkeypatch.setattr(fuzz_watch, "WORK", 1)
    monkeypatch.setattr(fuzz_watch, "WAITING", 10.0)  # longer than a second of work may take
    tried = list(outcomes("broken", range(len(fuzz_broken.CASES))))
    faults = [each.fault for each in tried]
    assert [bool(fault) for fault in faults] == [False, True, True, True, True, True, True, False]
    assert "exit code -11" in faults[1]
    assert "after 1 seconds of work" in faults[2]
    assert "waited for 10 seconds" in faults[3]
    assert "RuntimeWarning" in faults[4]
    assert "IndexError" in faults[5]
    assert "without a full stop" in faults[6]
    assert tried[0].answered
    assert tried[7].outcome == "refused: n=0 should be at least 1."
