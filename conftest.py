"""What is drawn without a seed is the same in every run, whichever tests ran before."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def same_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed what is given no seed: NumPy's generators, and the state scikit-learn falls back on."""
    fresh = np.random.default_rng
    monkeypatch.setattr(
        np.random, "default_rng", lambda seed=None: fresh(0 if seed is None else seed)
    )
    np.random.seed(0)  # noqa: NPY002 (others draw from it, not we)
