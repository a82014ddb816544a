"""Laws are tried on the same examples in every run.

Tests marked ``data`` read real data; without the folder they are skipped, saying so.
"""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

DATA = os.environ.get("MANYVIEWS_DATA")


def pytest_collection_modifyitems(items):
    if DATA:
        return
    absent = pytest.mark.skip(reason="MANYVIEWS_DATA names no data folder")
    for item in items:
        if item.get_closest_marker("data"):
            item.add_marker(absent)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data; only for tests marked ``data``."""
    return Path(DATA)
