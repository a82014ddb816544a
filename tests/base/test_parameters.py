"""Parameters are held to the annotations beside them, in one sentence each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from manyviews.base import (
    BaseMultiViewTransformer,
    accepts,
    check_argument,
    check_params,
    declared,
    described,
)
from manyviews.exceptions import ParameterError
from manyviews.maths import Options
from manyviews.typing import (
    AnyArray,
    ByView,
    Classifier,
    Count,
    Divisor,
    Factor,
    Having,
    Interval,
    NonNegative,
    Number,
    Positive,
    RandomState,
    Share,
    Verbosity,
    ViewWeights,
)


@dataclass
class Width(Options):
    gamma: Positive | Literal["median"] = "median"


class Toy(BaseMultiViewTransformer):
    def __init__(
        self,
        n: Count = 1,
        *,
        rate: ByView[Positive] = 1.0,
        mode: Literal["sum", "product"] = "sum",
        width: ByView[Width | Literal["rbf"]] = "rbf",
        anything: Any = None,
    ):
        self.n = n
        self.rate = rate
        self.mode = mode
        self.width = width
        self.anything = anything

    def fit(self, X, y=None):
        self._fit_views(X)
        return self


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (Count, (1, np.int64(7)), (0, -1, 2.0, True, np.True_, np.nan, "1", None, [1], 10**30)),
        (Count | None, (1, None), (0, "None")),
        (Number, (0, -1.5, np.float32(2)), (np.nan, np.inf, -np.inf, True, "1", 1j, None)),
        (Positive, (1e-300, 3), (0, -1, np.nan, np.inf, np.array(1.0))),
        (Divisor, (1e-100, 3), (0, 1e-320, 1e-101, -1, np.nan, np.inf)),
        (Factor, (0, 1e100), (-1, 1.1e100, np.nan, np.inf)),
        (Number, (1e300, -1e300), (1.1e300, -1.7e308)),
        (NonNegative, (0, 0.0, 1), (-1e-9, np.nan)),
        (Share, (0, 1, 0.5), (1.0001, -0.1, np.nan)),
        (Annotated[float, Interval(0, 1, below=True)], (0, 0.99), (1, 1.0)),
        (Annotated[float, Interval(0, 1, above=True)], (1, 0.01), (0, 0.0)),
        (Annotated[float, Interval(1, infinite=True)], (1, np.inf), (0, -np.inf, np.nan)),
        (Verbosity, (0, 2, True), (-1, 0.5, None, "yes")),
        (bool, (True, np.False_), (1, 0, None, "True")),
        (str, ("", "a"), (1, None, b"a")),
        (
            Literal["a", "b", 1],
            ("a", 1, np.str_("b"), np.int64(1)),
            ("c", True, 1.0, None, ["a"], np.array(["a"])),
        ),
        (Count, (np.uint64(3),), (np.timedelta64(3, "D"), np.uint64(2**63), 2**63)),
        (Positive, (np.uint64(3),), (np.timedelta64(3, "D"), np.uint64(2**63), 2**63)),
        (RandomState, (0, None, np.random.default_rng(0)), (-1, 0.5, "0", np.random)),
        (Classifier, (LogisticRegression(),), (LogisticRegression, None, "svm")),
        (Callable[..., Any], (len, np.add), (LogisticRegression, "len", None)),
        (ByView[Positive], (1, [1, 2.0], {"a": 1}), (0, [1, 0], {"a": 0}, {1: 1.0}, (1, 2))),
        (ViewWeights, (None, [0, 1], {"a": 2.0}), (1.0, [-1], {"a": np.nan})),
        (
            Sequence[Count],
            ([1], (2, 3), range(1, 3), np.array([1])),
            ([0], "12", np.ones((2, 2)), 1),
        ),
        (tuple[Share, Share], ((0, 1), [0.5, 0.5]), ((0,), (0, 2), 1)),
        (tuple[Count, ...], ((), (1, 2)), ((0,), [1])),
        (Mapping[str, Count], ({}, {"a": 1}), ({"a": 0}, {1: 1}, [("a", 1)])),
        (AnyArray, (np.ones(2),), ([1.0], 1.0)),
        (Width, (Width(),), (Width, "median")),
        (Any, (None, object()), ()),
    ],
)
def test_an_annotation_says_what_is_taken(hint, good, bad):
    assert [value for value in good if not accepts(hint, value)] == []
    assert [value for value in bad if accepts(hint, value)] == []


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (Count, "an integer of at least 1"),
        (Count | None, "an integer of at least 1, or None"),
        (Positive | Literal["median", "mean"], "a number above 0, 'median', or 'mean'"),
        (Number, "a number that is finite"),
        (Share, "a number from 0 to 1"),
        (Annotated[float, Interval(0, 1, below=True)], "a number of at least 0 and below 1"),
        (Annotated[int, Interval(high=3)], "an integer of at most 3"),
        (Annotated[float, Interval(1, infinite=True)], "a number of at least 1, inf included"),
        (Count | Sequence[Count], "an integer of at least 1, or a list of these"),
        (
            Width | Sequence[Width] | Mapping[str, Width | Sequence[Width]],
            "a Width, a list of these, or a dict with one of these for each",
        ),
        (Mapping[str, Sequence[Any]], "a dict with a list for each"),
        (tuple[Count, Share], "a tuple of an integer of at least 1 and a number from 0 to 1"),
        (Annotated[Any, Having("rows", "__len__")], "rows"),
        (bool, "True or False"),
        (Classifier | None, "a classifier with fit and predict, or None"),
        (Annotated[Any, Having("a splitter", "split")], "a splitter with split"),
        (
            ByView[Positive | Literal["auto"]],
            "a number above 0, or 'auto', for all views or one for each in a list or dict",
        ),
        (ViewWeights, "a number of at least 0 for each view in a list or dict, or None"),
        (Callable[..., Any], "a function"),
        (Mapping[Any, Any], "a dict"),
        (Mapping[str, Share], "a dict with a number from 0 to 1 for each"),
        (Sequence[Any], "a list"),
        (Width, "a Width"),
        (AnyArray, "an array"),
    ],
)
def test_an_annotation_is_said_in_words(hint, said):
    assert described(hint) == said


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"n": 0}, "n=0 should be an integer of at least 1."),
        ({"n": 2.5}, "n=2.5 should be an integer of at least 1."),
        ({"mode": "mean"}, "mode='mean' should be 'sum', or 'product'."),
        ({"rate": {"a": 1.0, "b": -1}}, "rate['b']=-1 should be a number above 0."),
        ({"rate": [1.0, np.nan]}, "rate[1]=nan should be a number above 0."),
        (
            {"rate": "fast"},
            "rate='fast' should be a number above 0, for all views or one for each in a list or "
            "dict.",
        ),
        (
            {"width": {"a": "rbf", "b": Width(gamma=0)}},
            "gamma=0 of Width should be a number above 0, or 'median'.",
        ),
    ],
)
def test_the_first_wrong_parameter_is_named(wrong, sentence):
    with pytest.raises(ParameterError) as caught:
        Toy(**wrong).fit(np.ones((3, 2)))
    assert str(caught.value) == sentence


def test_a_long_value_is_shortened():
    with pytest.raises(ParameterError) as caught:
        check_params(Toy(mode="x" * 1000))
    assert len(str(caught.value)) < 120


def test_an_array_is_shown_on_one_line():
    with pytest.raises(ParameterError) as caught:
        check_params(Toy(n=np.ones((30, 2))))
    assert str(caught.value).startswith("n=array([[1., 1.], [1.")
    assert "\n" not in str(caught.value)


def test_the_error_is_of_both_kinds_that_users_catch():
    for kind in (ValueError, TypeError):
        with pytest.raises(kind):
            check_params(Toy(n=None))


def test_an_argument_of_a_method_is_held_to_an_annotation_too():
    check_argument("k", 3, Count)
    with pytest.raises(ParameterError, match=r"^k=nan should be an integer of at least 1\.$"):
        check_argument("k", np.nan, Count)


def test_declared_are_the_parameters_of_the_constructor():
    assert list(declared(Toy)) == ["n", "rate", "mode", "width", "anything"]
    assert list(declared(Width)) == ["gamma"]


def test_a_number_that_overflows_when_doubled_is_told_how_large_it_may_be():
    with pytest.raises(
        ParameterError, match=r"^rate=1\.7e\+308 should be .*, and up to 1e\+300\.$"
    ):
        check_params(Toy(rate=1.7e308))
    with pytest.raises(ParameterError, match=r"should be a number above 0, and up to 1e\+300\.$"):
        check_argument("rate", 1.7e308, Positive)
