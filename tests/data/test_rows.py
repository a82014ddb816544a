"""Rows are joined by id, or refused; never silently by position."""

from __future__ import annotations

import numpy as np
import pytest

from manyviews import Views, diagnose, read, write
from manyviews.data import codes_among, in_row_order, split_labelled
from manyviews.exceptions import ViewsError
from manyviews.metrics import (
    adjusted_rand_score,
    cluster_entropy,
    normalized_mutual_info_score,
    pairwise_precision_recall_f,
    precision_recall_break_even,
    view_agreement,
)

pd = pytest.importorskip("pandas")


def refused(act, says):
    with pytest.raises(ValueError, match=says) as caught:
        act()
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def frame(ids=None, n=4, start=0.0):
    return pd.DataFrame({"x": np.arange(n) + start}, index=ids)


BOTH = ["p", "q", "r", "s"]


def ones(ids=BOTH):
    """Views of plain arrays whose ids are given beside them."""
    return Views({"a": np.ones((4, 1)), "b": np.ones((4, 1))}, sample_ids=ids)


# -- tables with tables --------------------------------------------------------------------------

OTHER_ROWS = {
    "permuted": lambda b: b.sample(frac=1, random_state=3),
    "reversed": lambda b: b[::-1],
    "disjoint": lambda b: b.set_axis(range(4, 8)),
    "named": lambda b: b.set_axis(list("pqrs")),
    "one step further": lambda b: b.set_axis(range(1, 5)),
    "unnamed in one row": lambda b: b.set_axis([0.0, 1.0, 2.0, np.nan]),
    "times": lambda b: b.set_axis(pd.date_range("2020", periods=4)),
}


@pytest.mark.parametrize("other", OTHER_ROWS.values(), ids=OTHER_ROWS)
@pytest.mark.parametrize("form", [dict, lambda named: [*named.values()]], ids=["dict", "list"])
def test_tables_with_other_rows_are_refused(other, form):
    tables = form({"a": frame(), "b": other(frame())})
    refused(lambda: Views(tables), r"in row \d where another view has .*align.*reset_index")


def test_tables_of_other_lengths_are_sent_to_align():
    refused(lambda: Views({"a": frame(), "b": frame(n=3)}), "4 rows but view 'b' has 3.*align")


@pytest.mark.parametrize(
    "ids",
    [
        [3, 1, 0, 2],
        ["p", "q", "r", "s"],
        ["p", "p", "q", "r"],
        ["p", None, "q", np.nan],
        pd.array(["p", pd.NA, "q", "r"], dtype="string"),
        [1.0, np.nan, 2.0, 3.0],
        pd.MultiIndex.from_product([["p", "q"], [1, 2]]),
        pd.date_range("2020", periods=4),
        pd.date_range("2020", periods=4, tz="UTC"),
        pd.CategoricalIndex(["p", "q", "r", "s"]),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_tables_with_the_same_rows_are_joined_and_keep_their_ids(ids):
    a, b = frame(ids), frame(ids, start=10.0)
    views = Views({"a": a, "b": b, "plain": np.eye(4)})
    assert views.sample_ids.shape == (4,)
    assert Views(views[[2, 0]]).equals(Views({"a": a, "b": b, "plain": np.eye(4)})[[2, 0]])
    assert len(views.to_frame().index) == 4


def test_the_default_index_is_an_index_too():
    views = Views({"a": frame(), "b": np.eye(4)})
    assert views.sample_ids.tolist() == [0, 1, 2, 3]
    assert views[[2, 0]].sample_ids.tolist() == [2, 0]
    assert Views({"a": np.eye(4)}).sample_ids is None
    assert Views({"a": None, "b": frame()}).sample_ids.tolist() == [0, 1, 2, 3]


def test_halves_of_a_split_keep_their_ids():
    from sklearn.model_selection import train_test_split

    a, _, b, _ = train_test_split(frame(), frame(start=10.0), random_state=0)
    views = Views({"a": a, "b": b})
    assert views.sample_ids.tolist() == a.index.tolist()
    np.testing.assert_array_equal(views["b"] - views["a"], 10.0)


@pytest.mark.parametrize("by_name", [False, True])
def test_a_mask_with_an_index_is_matched(by_name):
    seen = pd.DataFrame({"b": [True] * 4, "a": [True, False, False, False]}, index=[3, 2, 1, 0])
    given = {"a": seen["a"], "b": seen["b"]} if by_name else seen
    views = Views({"a": frame(), "b": frame()}, observed=given)
    assert views.observed.tolist() == [[False, True], [False, True], [False, True], [True, True]]
    refused(lambda: views.with_observed(seen.set_axis(range(4, 8))), "observed is matched")


# -- align ---------------------------------------------------------------------------------------


def test_align_joins_what_was_refused():
    shuffled = frame(start=10.0).sample(frac=1, random_state=3)
    views = Views.align({"a": frame(), "b": shuffled})
    np.testing.assert_array_equal(views["b"] - views["a"], 10.0)


def test_align_takes_several_levels():
    levels = pd.MultiIndex.from_product([["p", "q"], [1, 2]])
    views = Views.align({"a": frame(levels), "b": frame(levels[::-1], start=10.0)})
    assert views.sample_ids.tolist() == list(levels)
    assert views["b"].ravel().tolist() == [13.0, 12.0, 11.0, 10.0]


def test_align_keeps_the_type_of_ids():
    mixed = Views.align({"a": frame([1, "1", 2, "b"]), "b": frame(["b", 2, 5, "e"])})
    assert mixed.sample_ids.tolist() == [1, "1", 2, "b", 5, "e"]
    days = pd.date_range("2020", periods=4)
    dated = Views.align({"a": frame(days), "b": frame(days[1:], n=3)})
    assert dated.sample_ids.dtype.kind == "M"


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        (["0", "1", "2", "3"], "'a' has integers for ids, such as 0, and view 'b' has strings"),
        ([0, 1, 2, None], "view 'b' has no id in row 3"),
        (["p", "q", None, "r"], r"view 'b' has no id in row 2 \(None\)"),
        ([0.0, 1.0, np.nan, 3.0], r"view 'b' has no id in row 2 \(nan\)"),
        (pd.to_datetime(["2020", "2021", None, "2022"]), "view 'b' has no id in row 2"),
        (range(10, 14), "'a' has no object in common with another view: .* like 0 .* like 10"),
        (pd.MultiIndex.from_product([[0, 1], [2, 3]]), r"no object in common .* \(0, 2\)"),
        ([0, 1, 1, 2], "view 'b' names the object 1 more than once"),
        ([0, "p", "p", 2], "view 'b' names the object 'p' more than once"),
    ],
)
def test_ids_that_cannot_be_aligned_get_a_sentence(ids, says):
    refused(lambda: Views.align({"a": frame(), "b": frame(ids)}), says)


def test_tables_without_an_index_cannot_be_aligned():
    refused(lambda: Views.align({"a": frame(), "b": np.eye(4)}), "'b' has no row names")


def test_a_view_without_any_object_aligns_with_all():
    views = Views.align({"a": frame(), "b": frame(n=0)})
    assert views.observed[:, 1].tolist() == [False] * 4


# -- labels and weights --------------------------------------------------------------------------

IDS = np.array(["ann", "bob", "cem"])


def test_what_is_in_order_is_handed_on_as_it_is():
    y = pd.Series([0, 1, 2], index=IDS)
    assert in_row_order(y, IDS) is y
    assert in_row_order(y, None) is y
    plain = y.to_numpy()
    assert in_row_order(plain, IDS) is plain
    assert in_row_order([0, 1], IDS) == [0, 1]
    assert in_row_order(None, IDS) is None


def test_labels_are_brought_into_the_order_of_the_views():
    views = Views({"a": np.eye(3)}, sample_ids=IDS)
    y = pd.Series([0, 1, 2], index=["cem", "ann", "bob"])
    assert split_labelled(y, views).codes.tolist() == [1, 2, 0]
    assert split_labelled(y.to_frame(), views).codes.tolist() == [1, 2, 0]
    assert codes_among(y, np.array([2, 1, 0]), views).tolist() == [1, 0, 2]
    resampled = views[[0, 0, 2]]
    assert split_labelled(pd.Series([7, 7, 8], index=resampled.sample_ids), resampled)


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        (["ann", "bob", "dan"], "lacks the object 'cem' of row 2 .*to_numpy"),
        ([0, 1, 2], "lacks the object 'ann' of row 0 and has ids such as 0"),
        (["ann", "bob", "bob"], "y names the object 'bob' more than once"),
        (
            ["dan", "ann", "bob", "cem"],
            "names objects that the views do not have \\(1, .*'dan'.*loc",
        ),
        ([], "lacks the object 'ann' .* no objects at all"),
    ],
)
def test_labels_that_cannot_be_matched_are_refused(ids, says):
    views = Views({"a": np.eye(3)}, sample_ids=IDS)
    y = pd.Series(np.arange(len(ids)), index=ids)
    refused(lambda: split_labelled(y, views), says)


def test_diagnose_matches_labels():
    rng = np.random.default_rng(0)
    y = pd.Series(np.repeat([0, 1], 40))
    good = pd.DataFrame(rng.normal(size=(80, 3)) + 4 * y.to_numpy()[:, None])
    tables = {"good": good, "other": good + rng.normal(size=(80, 3))}
    shuffled = y.sample(frac=1, random_state=1)
    expected = diagnose(tables, y, random_state=0)
    assert diagnose(tables, shuffled, random_state=0).findings == expected.findings
    refused(lambda: diagnose(tables, y.set_axis(range(1, 81))), "lacks the object 0")


def test_what_is_written_is_matched(tmp_path):
    views = Views({"a": np.eye(3)}, sample_ids=IDS)
    columns = pd.DataFrame({"y": [2, 0, 1], "age": [30, 10, 20]}, index=["cem", "ann", "bob"])
    write(views, tmp_path / "three.npz", y=columns["y"], extra={"age": columns["age"]})
    found = read(tmp_path / "three.npz")
    assert found.y.tolist() == [0, 1, 2]
    assert found.extra["age"].tolist() == [10, 20, 30]


def test_predictions_of_views_are_compared_by_id():
    one = pd.Series([0, 1, 1], index=IDS)
    assert view_agreement({"a": one, "b": one[::-1]}) == 1.0
    with pytest.raises(ViewsError, match="view 'b' is matched"):
        view_agreement({"a": one, "b": one.set_axis(range(3))})


# -- masks and ids with an index -----------------------------------------------------------------


def test_rows_are_chosen_by_a_mask_with_an_index_by_id():
    chosen = pd.Series([True, False, False, False], index=BOTH[::-1])
    assert ones()[chosen].sample_ids.tolist() == ["s"]
    assert ones()[chosen.astype("boolean")].sample_ids.tolist() == ["s"]
    assert ones(None)[chosen].shape == (1, 2)  # nothing to match by
    refused(lambda: ones()[chosen.set_axis(list("wxyz"))], "mask is matched.*lacks the object 'p'")


@pytest.mark.parametrize("by_name", [False, True])
def test_a_mask_is_matched_to_ids_that_are_given(by_name):
    seen = pd.DataFrame({"a": True, "b": [False, True, True, True]}, index=BOTH[::-1])
    views = Views(
        {"a": np.ones((4, 1)), "b": np.ones((4, 1))},
        observed={"b": seen["b"]} if by_name else seen,
        sample_ids=BOTH,
    )
    assert views.observed[:, 1].tolist() == [True, True, True, False]


def test_new_ids_with_an_index_are_matched_to_the_old():
    names = pd.Series(["Q", "P", "S", "R"], index=["q", "p", "s", "r"])
    assert Views({"a": frame(BOTH)}, sample_ids=names).sample_ids.tolist() == list("PQRS")
    refused(lambda: Views({"a": frame(BOTH)}, sample_ids=names[:3]), "sample_ids is matched")


# -- ids that are hard to tell apart -------------------------------------------------------------


def test_labels_serve_every_row_of_an_object_that_is_drawn_twice():
    drawn = ones()[[1, 1, 0]]
    y = pd.Series([5, 6], index=["p", "q"])
    assert in_row_order(y, drawn.sample_ids).tolist() == [6, 6, 5]
    more = pd.Series([5, 6, 7], index=["p", "q", "r"])
    refused(
        lambda: in_row_order(more, drawn.sample_ids), r"objects that the views do not have \(1, "
    )


@pytest.mark.parametrize("other", [[1, 2, "3", "4"], [1, 2, 3, "4 "]])
def test_ids_that_read_alike_are_not_aligned_as_two_objects(other):
    other = pd.Index(other, dtype=object)
    own = [1, 2, 3, "4"] if "4 " in other else [1, 2, 3, 4]
    refused(
        lambda: Views.align({"a": frame(own), "b": frame(other)}), "differ, though they read alike"
    )


def test_a_level_that_is_missing_is_the_same_in_every_table():
    ids = pd.MultiIndex.from_tuples([("p", 1), ("p", np.nan), ("q", np.nan), ("q", 2)])
    assert Views({"a": frame(ids), "b": frame(ids)}).sample_ids[1] == ("p", None)
    refused(lambda: Views({"a": frame(ids), "b": frame(ids[[0, 2, 1, 3]])}), "in row 1")
    assert len(Views.align({"a": frame(ids), "b": frame(ids[::-1])})) == 4


def test_given_ids_may_be_missing_in_any_way():
    views = ones(["p", pd.NA, "q", "r"])
    assert views.equals(ones(["p", None, "q", "r"]))
    masked = np.ma.masked_array([1, 2, 3, 4], mask=[0, 1, 0, 0])
    assert ones(masked).sample_ids.tolist() == [1, None, 3, 4]


def test_align_needs_names_of_views():
    refused(lambda: Views.align([frame()]), "names for the tables")


@pytest.mark.parametrize(
    "score",
    [
        *(adjusted_rand_score, normalized_mutual_info_score),
        *(cluster_entropy, pairwise_precision_recall_f, precision_recall_break_even),
    ],
)
def test_scores_match_two_columns_by_their_index(score):
    true = pd.Series([0, 0, 1, 1, 1], index=list("abcde"))
    found = pd.Series([2.0, 3.0, 4.0, 4.0, 4.0], index=list("abcde"))
    shuffled = found.sample(frac=1, random_state=1)
    assert score(true, shuffled) == score(true, found) != score(true, shuffled.to_numpy())
    refused(lambda: score(true, found.set_axis(range(5))), "matched")


def test_agreement_matches_the_mask_by_its_index():
    one, other = (pd.Series(labels, index=list("abc")) for labels in ([0, 1, 1], [0, 1, 0]))
    seen = pd.DataFrame({"x": True, "y": [False, True, True]}, index=list("cba"))
    assert view_agreement({"x": one, "y": other}, observed=seen) == 1
