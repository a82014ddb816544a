from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from papers._frame import Measured, Table, Verdict, combined_spread, compare, judge

numbers = st.floats(-100, 100, allow_nan=False)
spreads = st.floats(0, 50, allow_nan=False)
directions = st.sampled_from([True, False, None])
REVERSED = {
    Verdict.BETTER: Verdict.WORSE,
    Verdict.WORSE: Verdict.BETTER,
    Verdict.WITHIN: Verdict.WITHIN,
    Verdict.DIFFERENT: Verdict.DIFFERENT,
}


@settings(deadline=None, max_examples=50)
@given(
    ours=st.integers(-99, 99),
    published=st.integers(-99, 99),
    spread=st.integers(0, 50),
    resolution=st.integers(0, 50),
)
def test_within_is_up_to_the_larger_of_spread_and_resolution(ours, published, spread, resolution):
    verdict = judge(float(ours), float(published), spread=spread, resolution=resolution)
    inside = abs(ours - published) <= max(spread, resolution)
    assert verdict is (Verdict.WITHIN if inside else Verdict.DIFFERENT)


@settings(deadline=None, max_examples=50)
@given(ours=numbers, published=numbers, spread=spreads, higher=directions)
def test_exchanging_the_numbers_or_the_direction_reverses_the_verdict(
    ours, published, spread, higher
):
    verdict = judge(ours, published, spread=spread, higher_is_better=higher)
    exchanged = judge(published, ours, spread=spread, higher_is_better=higher)
    assert exchanged is REVERSED[verdict]
    if higher is not None:
        turned = judge(ours, published, spread=spread, higher_is_better=not higher)
        assert turned is REVERSED[verdict]


@settings(deadline=None, max_examples=50)
@given(ours=numbers, published=numbers, spread=spreads, more=spreads, higher=directions)
def test_a_wider_spread_never_takes_an_agreement_away(ours, published, spread, more, higher):
    narrow = judge(ours, published, spread=spread, higher_is_better=higher)
    wide = judge(ours, published, spread=spread + more, higher_is_better=higher)
    assert wide in {narrow, Verdict.WITHIN}


@pytest.mark.parametrize(
    ("ours", "published", "higher", "expected"),
    [
        (0.9, 0.8, True, Verdict.BETTER),
        (0.9, 0.8, False, Verdict.WORSE),
        (0.9, 0.8, None, Verdict.DIFFERENT),
        (None, 0.8, True, Verdict.NOT_MEASURED),
        (0.9, None, True, Verdict.NOT_PUBLISHED),
        (None, None, True, Verdict.NOT_MEASURED),
        (0.1 + 0.2, 0.3, True, Verdict.WITHIN),
    ],
)
def test_verdicts_by_hand(ours, published, higher, expected):
    assert judge(ours, published, higher_is_better=higher) is expected


def test_one_step_of_a_scan_counts_as_the_same_despite_binary_fractions():
    assert abs(0.81 - 0.80) > 0.01  # what the decimals become
    assert judge(0.80, 0.81, resolution=0.01) is Verdict.WITHIN
    assert judge(0.79, 0.81, resolution=0.01) is Verdict.DIFFERENT


@settings(deadline=None, max_examples=30)
@given(ours=spreads, published=spreads)
def test_spreads_combine_as_those_of_independent_numbers(ours, published):
    assert math.isclose(combined_spread(ours, published) ** 2, ours**2 + published**2, abs_tol=1e-9)


def two_by_two(**changes) -> Table:
    options = {
        "rows": ("r", "s"),
        "columns": ("A", "B"),
        "values": ((0.5, 0.6), (None, 0.8)),
        "reasons": {"A": "column A", "s": "row s", ("s", "B"): "cell s B"},
    }
    return Table("1", "A table", **{**options, **changes})


def test_cells_worked_by_hand():
    table = two_by_two(spreads=((0.1, None), (None, None)), higher_is_better={"B": True})
    values = np.array([[[0.5, 0.7], [0.1, np.nan]], [[0.7, 0.7], [0.1, np.nan]]])
    first, second, third, fourth = compare(table, Measured(values))
    assert (first.mean, first.values, first.published_spread) == (0.6, (0.5, 0.7), 0.1)
    assert first.spread == pytest.approx(math.sqrt(0.02))
    assert (first.verdict, first.reason) == (Verdict.WITHIN, None)
    assert (second.verdict, second.reason) == (Verdict.BETTER, None)
    assert (third.verdict, third.reason) == (Verdict.NOT_PUBLISHED, None)
    assert (fourth.verdict, fourth.mean, fourth.n_measured) == (Verdict.NOT_MEASURED, None, 0)
    assert fourth.reason == "cell s B"


def test_narrowest_reason_is_given_and_none_is_unexplained():
    table = two_by_two(values=((0.5, 0.6), (0.7, 0.8)))
    cells = compare(table, Measured(np.zeros((1, 2, 2))))
    assert [cell.reason for cell in cells] == ["column A", "unexplained", "row s", "cell s B"]
    assert {cell.spread for cell in cells} == {None}  # one seed has no spread


def test_partly_measured_cells_are_averaged_over_the_seeds_they_have():
    values = np.full((3, 2, 2), 0.5)
    values[1, 0, 0] = np.nan
    cell = compare(two_by_two(), Measured(values))[0]
    assert (cell.values, cell.mean, cell.n_measured) == ((0.5, None, 0.5), 0.5, 2)


def test_standard_errors_are_turned_into_deviations():
    table = two_by_two(spreads=((0.1, None), (None, None)), standard_errors_over=9)
    assert table.published_spread("r", "A") == pytest.approx(0.3)
    assert table.published_spread("r", "B") is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": ((0.5, 0.6),)}, "2 rows of 2"),
        ({"spreads": ((0.1,), (0.1,))}, "spreads of table '1'"),
        ({"rows": ("r", "r"), "reasons": {}}, "two rows alike"),
        ({"reasons": {"C": "typo"}}, "neither a row"),
        ({"reasons": {("A", "r"): "turned"}}, "neither a row"),
        ({"resolution": -0.1}, "resolution"),
    ],
)
def test_wrong_tables_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        two_by_two(**changes)


def test_measured_values_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="2 × 2 but was measured as 2 × 3"):
        compare(two_by_two(), Measured(np.zeros((1, 2, 3))))
    with pytest.raises(ValueError, match="seeds × rows × columns"):
        Measured(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="infinity"):
        Measured(np.full((1, 1, 1), np.inf))
