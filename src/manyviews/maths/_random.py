"""Random numbers that never touch NumPy's global generator."""

from __future__ import annotations

import numbers

import numpy as np

from manyviews.typing import RandomState


def generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for a seed, a ``RandomState``, a generator (itself) or ``None`` (fresh).

    Examples
    --------
    >>> int(generator(3).integers(10)) == int(generator(3).integers(10))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    seed = isinstance(random_state, numbers.Integral) and random_state >= 0
    if random_state is None or seed:
        return np.random.default_rng(random_state)
    raise ValueError(
        f"random_state={random_state!r} should be None, a seed of at least 0 or a generator."
    )
