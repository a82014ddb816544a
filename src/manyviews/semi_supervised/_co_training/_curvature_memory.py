"""What steps taken so far tell of a function's curvature: limited-memory BFGS that can go on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from manyviews.typing import FloatArray

_MOST_PAIRS = 10
_LEAST_BEND = 1e-12


class CurvatureMemory:
    """Turns slopes into steps, by a guess of the inverse curvature and the last steps.

    Examples
    --------
    >>> import numpy as np
    >>> memory = CurvatureMemory(lambda slope: slope)
    >>> memory.remember(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    >>> memory.step_against(np.array([4.0, 0.0]))
    array([-1., -0.])
    """

    def __init__(self, guess: Callable[[FloatArray], FloatArray]) -> None:
        self._guess = guess
        self._pairs: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=_MOST_PAIRS)
        self._scale = 1.0

    def remember(self, step: FloatArray, change: FloatArray) -> None:
        """Keep a step and the change of the slope that it brought."""
        bend = float(step @ change)
        if bend > _LEAST_BEND * float(change @ change):
            self._pairs.append((step, change, bend))
            self._scale = bend / float(change @ self._guess(change))

    def step_against(self, slope: FloatArray) -> FloatArray:
        """Return the step to where the slope would be zero if the curvature were as remembered."""
        left = slope.copy()
        taken = []
        for step, change, bend in reversed(self._pairs):
            taken.append(float(step @ left) / bend)
            left -= taken[-1] * change
        found = self._scale * self._guess(left)
        for (step, change, bend), part in zip(self._pairs, reversed(taken), strict=True):
            found += (part - float(change @ found) / bend) * step
        return -found
