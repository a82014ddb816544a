"""Pages and examples are run by one thread and without windows, one at a time."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

FOLDER = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tests side by side shall not slow each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def run() -> Iterator[Callable[[str], dict[str, object]]]:
    """Run an example by its name and give the names it leaves."""
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="examples draw pictures")
    pyplot.switch_backend("agg")
    yield lambda name: runpy.run_path(str(FOLDER / f"{name}.py"))
    pyplot.close("all")
