"""Importing the package loads nothing heavy."""

import json
import subprocess
import sys

import pytest


def modules_after(code: str) -> set[str]:
    script = f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("heavy", ["sklearn", "scipy", "matplotlib", "pandas", "numba", "click"])
def test_importing_the_package_is_light(heavy):
    assert heavy not in modules_after("import manyviews")


def test_views_need_no_scikit_learn():
    loaded = modules_after("from manyviews import Views; Views({'a': [[1.0]]})")
    assert "sklearn" not in loaded
    assert "matplotlib" not in loaded


def test_every_promised_name_can_be_fetched():
    import manyviews

    for name in manyviews.__all__:
        assert getattr(manyviews, name) is not None
    assert set(dir(manyviews)) == set(manyviews.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = manyviews.nothing
