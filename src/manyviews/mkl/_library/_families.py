"""Kernels of one kind from what they share: one exponential gives many widths."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from manyviews.similarity import RBF, Kernel, Linear, Polynomial
from manyviews.typing import BoolArray, FloatArray, Matrix

Values = Iterator[tuple[int, FloatArray]]
"""Numbers of kernels with their values, which are overwritten when the next are asked for."""


@dataclass(frozen=True)
class Family(ABC):
    """Kernels made of the same inner products or distances, on whole rows or on single features.

    The last axis of all arrays is that of the features: of length one for whole rows.
    """

    numbers: list[int]
    """Which of the kernels of a view these are."""

    distances: bool = field(default=False, init=False)
    """Whether they are made of squared distances; else of inner products."""

    @property
    def frame(self) -> str:
        """Families of the same frame share their products; an empty one is shared with none."""
        return "distances" if self.distances else "products"

    def prepared(self, rows: Matrix, training: Matrix) -> Matrix:  # noqa: ARG002 (a hook)
        """Rows in double precision, ready to be multiplied."""
        return rows.astype(np.float64, copy=False)

    @abstractmethod
    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Values:
        """Kernel by kernel, from products or distances and squared lengths; none is changed."""

    @abstractmethod
    def on(self, features: slice | BoolArray) -> Self:
        """The same kernels on some of the features."""

    @abstractmethod
    def only(self, wanted: BoolArray) -> Self | None:
        """Those of the kernels that are wanted, by their numbers; None if none is."""


@dataclass(frozen=True)
class Gaussians(Family):
    """Gaussian kernels, ordered by width: twice the ``gamma`` is the square of the values."""

    gammas: FloatArray
    """Kernels × features, growing from kernel to kernel."""
    distances: bool = field(default=True, init=False)

    def prepared(self, rows: Matrix, training: Matrix) -> Matrix:
        """Rows moved by the training mean where they are dense: distances lose no digits."""
        return RBF().prepared(rows, training)

    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Values:  # noqa: ARG002
        """``exp(−gamma d²)``; squared where the next ``gamma`` is twice the last."""
        found = np.empty_like(base)
        for place, number in enumerate(self.numbers):
            if place and np.array_equal(self.gammas[place], 2.0 * self.gammas[place - 1]):
                np.multiply(found, found, out=found)
            else:
                np.multiply(base, -self.gammas[place], out=found)
                np.exp(found, out=found)
            yield number, found

    def on(self, features: slice | BoolArray) -> Self:
        """The same kernels on some of the features."""
        return replace(self, gammas=self.gammas[:, features])

    def only(self, wanted: BoolArray) -> Self | None:
        """Those of the kernels that are wanted."""
        kept = np.flatnonzero(wanted[self.numbers])
        numbers = [self.numbers[place] for place in kept]
        return replace(self, numbers=numbers, gammas=self.gammas[kept]) if numbers else None


@dataclass(frozen=True)
class Powers(Family):
    """Powers ``(gamma x·y + coef0)^degree``, ordered by degree; plain products are one of them."""

    degrees: list[int]
    gamma: FloatArray
    """One number per feature."""
    coef0: float

    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Values:  # noqa: ARG002
        """Powers by multiplying on, which costs a small part of what a general power does."""
        first = base * self.gamma
        first += self.coef0
        found, reached = first.copy(), 1
        for number, degree in zip(self.numbers, self.degrees, strict=True):
            for _ in range(degree - reached):
                found *= first
            reached = degree
            yield number, found

    def on(self, features: slice | BoolArray) -> Self:
        """The same kernels on some of the features."""
        return replace(self, gamma=self.gamma[features])

    def only(self, wanted: BoolArray) -> Self | None:
        """Those of the kernels that are wanted."""
        kept = [place for place, number in enumerate(self.numbers) if wanted[number]]
        numbers, degrees = ([of[place] for place in kept] for of in (self.numbers, self.degrees))
        return replace(self, numbers=numbers, degrees=degrees) if numbers else None


@dataclass(frozen=True)
class Other(Family):
    """A kernel of which it is only known that it is one: cosines, or one of a user's own."""

    kernels: list[Kernel]
    """One per feature."""

    @property
    def frame(self) -> str:
        """It may prepare its rows as no other does."""
        return ""

    def prepared(self, rows: Matrix, training: Matrix) -> Matrix:
        """Rows as the kernel wants them, feature by feature if it is on single ones."""
        if len(self.kernels) == 1:
            return self.kernels[0].prepared(rows, training)
        return np.hstack(
            [
                kernel.prepared(rows[:, [place]], training[:, [place]])
                for place, kernel in enumerate(self.kernels)
            ]
        )

    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Values:
        """As the kernel says, feature by feature."""
        found = np.empty_like(base)
        for place, kernel in enumerate(self.kernels):
            some = base[..., place].copy(), left[..., place], right[..., place]
            found[..., place] = kernel.from_products(*some)
        yield self.numbers[0], found

    def on(self, features: slice | BoolArray) -> Self:
        """The same kernel on some of the features."""
        chosen = np.arange(len(self.kernels))[features]
        return replace(self, kernels=[self.kernels[place] for place in chosen])

    def only(self, wanted: BoolArray) -> Self | None:
        """Itself if it is wanted."""
        return self if wanted[self.numbers[0]] else None


def families(fitted: list[list[Kernel]]) -> list[Family]:
    """Put fitted kernels into families.

    Parameters
    ----------
    fitted : list of lists of kernels
        For every kernel one per feature, or one alone for whole rows.
    """
    found: list[Family] = []
    gaussian: list[int] = []
    powers: dict[tuple[tuple[float, ...], float], list[int]] = {}
    for number, kernels in enumerate(fitted):
        if all(type(kernel) is RBF for kernel in kernels):
            gaussian.append(number)
        elif (power := _power(kernels)) is not None:
            powers.setdefault(power, []).append(number)
        else:
            found.append(Other([number], kernels))
    found += [_powers(numbers, fitted, power) for power, numbers in powers.items()]
    return found + ([_gaussians(gaussian, fitted)] if gaussian else [])


def _power(kernels: list[Kernel]) -> tuple[tuple[float, ...], float] | None:
    """``gamma`` by feature and ``coef0`` of powers of products; None for other kernels."""
    if all(type(kernel) is Linear for kernel in kernels):
        return (1.0,) * len(kernels), 0.0
    known = [kernel for kernel in kernels if type(kernel) is Polynomial]
    if len(known) < len(kernels):
        return None
    return tuple(float(kernel.gamma) for kernel in known), float(known[0].coef0)


def _powers(
    numbers: list[int], fitted: list[list[Kernel]], power: tuple[tuple[float, ...], float]
) -> Powers:
    degrees = {number: int(getattr(fitted[number][0], "degree", 1)) for number in numbers}
    ordered = sorted(numbers, key=degrees.__getitem__)
    return Powers(ordered, [degrees[number] for number in ordered], np.array(power[0]), power[1])


def _gaussians(numbers: list[int], fitted: list[list[Kernel]]) -> Gaussians:
    gammas = np.array([[getattr(kernel, "gamma", 0.0) for kernel in fitted[n]] for n in numbers])
    order = np.argsort(gammas[:, 0], kind="stable")
    return Gaussians([numbers[place] for place in order], gammas[order])
