"""Files that an earlier release wrote are read for ever."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from manyviews import read

STORED = Path(__file__).parent / "archives"
MAKER = runpy.run_path(str(STORED / "make_version_1.py"))


@pytest.mark.parametrize("name", MAKER["FILES"])
def test_files_of_version_1_read_as_they_were_written(name):
    found, meant = read(STORED / name), MAKER["dataset"]()
    assert found.views.equals(meant.views)
    assert found.views["sensors/left"].dtype == np.float32
    assert np.signbit(found.views["sensors/left"][1, 1])
    assert found.y.tolist() == ["news", None, "sport", None]
    assert found.y.dtype == object
    assert found.label_names == ("news", "sport")
    assert found.extra["split"].dtype == np.int8
    assert found.extra["split"].tolist() == [0, 0, 1, 1]
    assert found.extra["wide"].tolist() == np.eye(4, 2).tolist()
    assert found.name == "four"
