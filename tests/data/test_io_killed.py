"""Writers that are killed, or that are several: nothing lost, nothing half there, no litter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")

KINDS = ("npz", "h5mu", "folder", "first fit", "next fit")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What a process found that forked all writers, which saves them their imports."""
    script = Path(__file__).with_name("killed_writers.py")
    folder = tmp_path_factory.mktemp("killed")
    words = [sys.executable, "-W", "ignore", str(script), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", KINDS)
def test_after_a_kill_at_any_step_the_old_or_the_new_is_there_and_no_litter(found, kind):
    result = found[kind]
    assert result["code"] == 0  # the last was let live
    assert set(result["found"]) == {"old", "new"}
    assert result["found"] == sorted(result["found"], reverse=True)  # first old, then new
    assert result["litter"] == []
    assert result["hid"] > result["kills"] / 2  # there was something to clean


def test_there_were_a_hundred_kills(found):
    assert sum(found[kind]["kills"] for kind in KINDS) >= 100


@pytest.mark.parametrize("how", ["three", "three by force"])
def test_of_three_fits_into_one_folder_one_writes_it_and_two_say_that_they_do_not(found, how):
    result = found[how]
    assert result["codes"] == [0, 1, 1]
    assert result["winner"] == 0
    assert result["is_of_winner"]
    assert result["files"] == ["config.json", "coordinates.csv", "model.skops", "scores.json"]
    assert result["litter"] == []


def test_a_fit_that_lives_keeps_its_place_and_one_that_is_told_to_end_leaves_it(found):
    result = found["terminated"]
    assert len(result["during"]) == 2
    assert result["after_another"] == result["during"]
    assert result["code"] == 128 + 15
    assert [name for name in result["left"] if not name.startswith("begun")] == ["data.npz"]
