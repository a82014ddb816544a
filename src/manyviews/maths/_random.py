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
    if random_state is None or isinstance(random_state, numbers.Integral):
        return np.random.default_rng(random_state)
    raise ValueError(f"random_state should be None, a seed or a generator, not {random_state!r}.")
