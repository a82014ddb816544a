"""Draw the same numbers in every run, and compare what is printed as numbers are.

``pytest --shake SEED`` changes the last digits of all views that methods are given: whatever
passes without it and fails with it hangs on rounding, and will fail on some processor.
"""

from __future__ import annotations

import doctest
import re
from typing import Any

import numpy as np
import pytest

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w.])", re.IGNORECASE)
PRINTED = 1e-8
"""NumPy prints eight digits; what differs by less prints alike, but for zeros and exponents."""

plainly_equal = doctest.OutputChecker.check_output


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the last digits be shaken."""
    parser.addoption(
        "--shake", type=int, metavar="SEED", help="change the last digits of all views"
    )


def pytest_configure() -> None:
    """Compare what examples print as numbers, in docstrings and on the pages."""
    doctest.OutputChecker.check_output = equal_as_printed  # type: ignore[method-assign]


def pytest_unconfigure() -> None:
    """Leave doctest as it was."""
    doctest.OutputChecker.check_output = plainly_equal  # type: ignore[method-assign]


def equal_as_printed(
    checker: doctest.OutputChecker, expected: str, found: str, options: int
) -> bool:
    """Whether an output is the expected one, up to the rounding of zeros.

    ``-0.`` and ``1e-17`` are the ``0.`` that the text shows; which of them it is hangs on the
    order of a sum. NumPy prints all of an array otherwise because of one of them.
    """
    if plainly_equal(checker, expected, found, options):
        return True
    wanted, own = NUMBER.findall(expected), NUMBER.findall(found)
    if len(wanted) != len(own) or all(number.isdigit() for number in own):
        return False
    turn = iter(wanted)

    def as_expected(match: re.Match[str]) -> str:
        number = next(turn)
        near = PRINTED * max(1.0, abs(float(number)))
        return number if abs(float(number) - float(match[0])) < near else match[0]

    alike = NUMBER.sub(as_expected, found)
    return plainly_equal(checker, _unaligned(expected), _unaligned(alike), options)


def _unaligned(text: str) -> str:
    """The text without the blanks by which arrays are aligned."""
    return re.sub(r"(?<=[\[(])\s+|\s+(?=[\])])", "", text)


@pytest.fixture(autouse=True)
def same_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed what is given no seed: NumPy's generators, and the state scikit-learn falls back on."""
    fresh = np.random.default_rng
    monkeypatch.setattr(
        np.random, "default_rng", lambda seed=None: fresh(0 if seed is None else seed)
    )
    np.random.seed(0)  # noqa: NPY002 (others draw from it, not we)


@pytest.fixture(autouse=True)
def shaken_views(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every method views with other last digits, if that is asked for."""
    seed = request.config.getoption("--shake")
    if seed is None or request.node.get_closest_marker("exact"):
        return
    from manyviews.base import BaseMultiView

    for name in ("_fit_views", "_new_views"):
        monkeypatch.setattr(BaseMultiView, name, _shaking(getattr(BaseMultiView, name), seed))


def _shaking(read: Any, seed: int) -> Any:
    def shaken(self: Any, *args: Any, **options: Any) -> Any:
        return shaken_digits(read(self, *args, **options), seed)

    return shaken


def shaken_digits(views: Any, seed: int) -> Any:
    """Views whose numbers are larger or smaller by a last digit, equal ones by the same.

    Whole numbers stay, since they may be counts, and so does zero.
    """
    from manyviews.data import Views

    def shaken(matrix: Any) -> Any:
        values = matrix.data if hasattr(matrix, "indptr") else matrix
        kind = np.uint64 if values.dtype == np.float64 else np.uint32
        bits = np.ascontiguousarray(values).view(kind)
        mixed = (bits ^ kind(seed)) * kind(0x9E3779B1)
        mixed ^= mixed >> kind(15)
        mixed *= kind(0x85EBCA77)
        steps = (mixed >> kind(13)) & kind(3)  # 0 to 3, taken as -2, -1, 1, 2
        steps = np.where(steps < 2, steps - kind(2), steps - kind(1)).astype(kind)
        fixed = ~np.isfinite(values) | (values == np.rint(values))
        other = np.where(fixed, values, (bits + steps).view(values.dtype))
        if other is values or not hasattr(matrix, "indptr"):
            return other
        return type(matrix)((other, matrix.indices, matrix.indptr), shape=matrix.shape)

    return Views(
        {name: shaken(matrix) for name, matrix in views.items()},
        observed=views.observed,
        feature_names=views.feature_names,
        sample_ids=views.sample_ids,
    )
