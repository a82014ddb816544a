"""Two Gaussian clusters seen through two or three views, independent or correlated [@kumar2013]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.datasets._sizes import check_between, check_size
from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray, RandomState


class Mixture(NamedTuple):
    """One view of two clusters: a mean and a covariance for each."""

    means: tuple[tuple[float, float], tuple[float, float]]
    covariances: tuple[FloatArray, FloatArray]


def _covariance(first: float, between: float, second: float) -> FloatArray:
    return np.array([[first, between], [between, second]])


_WIDE = _covariance(1.0, 0.5, 1.5)
_NARROW = _covariance(0.3, 0.0, 0.6)

KUMAR1 = {
    "first": Mixture(((1, 1), (2, 2)), (_WIDE, _NARROW)),
    "second": Mixture(((2, 2), (1, 1)), (_NARROW, _WIDE)),
}
"""Synthetic data 1 of section 4.3."""

KUMAR2 = {
    "first": Mixture(((1, 1), (3, 4)), (_WIDE, _covariance(0.3, 0.2, 0.6))),
    "second": Mixture(((1, 2), (2, 2)), (_covariance(1.0, -0.2, 1.0), _covariance(0.6, 0.1, 0.5))),
    "third": Mixture(((1, 1), (3, 3)), (_covariance(1.2, 0.2, 1.0), _covariance(1.0, 0.4, 0.7))),
}
"""Synthetic data 2 of section 4.3."""


def make_kumar1(n_objects: int = 1000, random_state: RandomState = None) -> Dataset:
    """Two overlapping clusters in two views, in which the wide and the narrow one change places.

    An object's cluster is the toss of a fair coin; given the cluster, the views are independent
    Gaussians in two dimensions: *synthetic data 1* of [@kumar2013], section 4.3.

    Deviations
    ----------
    The thesis does not say how likely each cluster is; both are equally likely here.

    Parameters
    ----------
    n_objects : int
        How many objects; 1000 in the thesis.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``first`` and ``second`` with two features each; ``y`` is 0 or 1.

    Examples
    --------
    >>> views, y = make_kumar1(random_state=0)
    >>> views.names, views.shape
    (('first', 'second'), (1000, 4))
    """
    return _draw(KUMAR1, "kumar1", n_objects, random_state)


def make_kumar2(n_objects: int = 1000, random_state: RandomState = None) -> Dataset:
    """Two clusters in three views whose features are correlated.

    An object's cluster is the toss of a fair coin; given the cluster, the views are independent
    Gaussians in two dimensions, with correlation inside each view: *synthetic data 2* of
    [@kumar2013], section 4.3.

    Deviations
    ----------
    The thesis does not say how likely each cluster is; both are equally likely here. Its
    "correlated features" are those inside a view, as only covariances by view are given.

    Parameters
    ----------
    n_objects : int
        How many objects; 1000 in the thesis.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``first``, ``second`` and ``third`` with two features each; ``y`` is 0 or 1.

    Examples
    --------
    >>> views, y = make_kumar2(random_state=0)
    >>> views.names, views.shape
    (('first', 'second', 'third'), (1000, 6))
    """
    return _draw(KUMAR2, "kumar2", n_objects, random_state)


def make_correlated_views(
    rho: float, n_objects: int = 1000, random_state: RandomState = None
) -> Dataset:
    """Two clusters in two views that are correlated even when the cluster is known.

    The clusters have the means (1, 1) and (3, 3) in both views, unit variances, and the
    correlation ``rho`` between a feature of one view and the same feature of the other:
    [@kumar2013], section 3.3.1. Negative values make the views complementary, ``rho=1`` makes
    them equal.

    Deviations
    ----------
    "A Bernoulli distribution" of the cluster is taken to be a fair coin. The second view is
    drawn from the first as ``mean + rho * z1 + sqrt(1 - rho**2) * z2``, which has the covariance
    of the thesis and needs no decomposition of it, so that the singular cases ``rho = -1`` and
    ``rho = 1`` are exact.

    Parameters
    ----------
    rho : float
        From -1 to 1; the thesis goes through this range in steps of 0.1.
    n_objects : int
        How many objects; 1000 in the thesis.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``first`` and ``second`` with two features each; ``y`` is 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> views, y = make_correlated_views(1.0, n_objects=5, random_state=0)
    >>> np.allclose(views["first"], views["second"])
    True
    """
    rho = check_between(rho, "rho", -1.0, 1.0)
    rng = generator(random_state)
    labels = _toss(check_size(n_objects, "n_objects"), rng)
    mean = (1.0 + 2.0 * labels)[:, np.newaxis]
    shared, own = rng.standard_normal((2, len(labels), 2))
    views = Views(
        {"first": mean + shared, "second": mean + rho * shared + np.sqrt(1.0 - rho**2) * own}
    )
    return Dataset(views, labels, name="correlated_views")


def _draw(
    mixtures: dict[str, Mixture], name: str, n_objects: int, random_state: RandomState
) -> Dataset:
    rng = generator(random_state)
    labels = _toss(check_size(n_objects, "n_objects"), rng)
    return Dataset(
        Views({view: _sample(mixture, labels, rng) for view, mixture in mixtures.items()}),
        labels,
        name=name,
    )


def _toss(n_objects: int, rng: np.random.Generator) -> IntArray:
    return rng.integers(2, size=n_objects)


def _sample(mixture: Mixture, labels: IntArray, rng: np.random.Generator) -> FloatArray:
    factors = np.stack([np.linalg.cholesky(covariance) for covariance in mixture.covariances])
    noise = rng.standard_normal((len(labels), 2))
    return np.array(mixture.means, dtype=np.float64)[labels] + np.einsum(
        "nij,nj->ni", factors[labels], noise
    )


def make_two_moons_two_lines(
    n_objects: int = 200, noise: float = 0.0, random_state: RandomState = None
) -> Dataset:
    """Two classes that are two moons in one view and two straight lines in the other.

    Points lie evenly on each moon and on each line; every point of a moon is paired with a
    random point of the line of its class, so that, the class given, one view tells nothing of
    the other: [@sindhwani2005], section 4. Noise on the moons merges them while the lines stay
    apart.

    Deviations
    ----------
    The paper shows the data in figures only. Here the moons are unit half circles, the second
    turned and shifted by (1, 0.5); the lines run along (1, 1) at the distance 1 from each other,
    on both sides of the origin, so that a linear kernel without an offset separates them; the
    noise is Gaussian, and from about 0.3 on the moons overlap.

    Parameters
    ----------
    n_objects : int
        How many objects, half of them in each class (class 0 has one more if odd).
    noise : float
        Standard deviation of the noise on the moons.
    random_state : int, RandomState, Generator or None
        Seed of the pairing, the noise and the order of the objects.

    Returns
    -------
    Dataset
        Views ``moons`` and ``lines`` with two features each; ``y`` is 0 or 1.

    Examples
    --------
    >>> views, y = make_two_moons_two_lines(6, random_state=0)
    >>> views.names, sorted(y.tolist())
    (('moons', 'lines'), [0, 0, 0, 1, 1, 1])
    """
    n_objects = check_size(n_objects, "n_objects", minimum=2)
    noise = check_between(noise, "noise", 0.0)
    rng = generator(random_state)
    sizes = [n_objects - n_objects // 2, n_objects // 2]
    moons = np.vstack([_moon(label, size) for label, size in enumerate(sizes)])
    lines = np.vstack([rng.permutation(_line(label, size)) for label, size in enumerate(sizes)])
    moons = moons + noise * rng.standard_normal(moons.shape)
    order = rng.permutation(n_objects)
    return Dataset(
        Views({"moons": moons[order], "lines": lines[order]}),
        np.repeat([0, 1], sizes)[order],
        name="two_moons_two_lines",
    )


def make_two_circles(n_objects: int = 200, random_state: RandomState = None) -> Dataset:
    """Two circles around the origin, of which each view sees one coordinate only.

    Points have uniform angles and the radius 1 if positive, 2 if negative: [@kumar2013], section
    6.2.1.1. No weighting of the two linear kernels separates the classes, but their squares do.

    Deviations
    ----------
    Negative objects have the label 0, since -1 stands for unlabelled here. The thesis gives
    neither the number of objects nor the shares of the classes; half of them are positive.

    Parameters
    ----------
    n_objects : int
        How many objects, half of them in each class (the negative has one more if odd).
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``horizontal`` and ``vertical`` with one feature each; ``y`` is 1 for the inner
        circle and 0 for the outer.

    Examples
    --------
    >>> import numpy as np
    >>> views, y = make_two_circles(4, random_state=0)
    >>> np.allclose(np.linalg.norm(views.concatenate(), axis=1), np.where(y == 1, 1, 2))
    True
    """
    n_objects = check_size(n_objects, "n_objects", minimum=2)
    rng = generator(random_state)
    labels = rng.permutation(np.arange(n_objects) % 2)
    radius = np.where(labels == 1, 1.0, 2.0)
    angle = rng.uniform(0.0, 2.0 * np.pi, size=n_objects)
    views = Views(
        {
            "horizontal": (radius * np.cos(angle))[:, np.newaxis],
            "vertical": (radius * np.sin(angle))[:, np.newaxis],
        }
    )
    return Dataset(views, labels, name="two_circles")


def _moon(label: int, size: int) -> FloatArray:
    angle = np.linspace(0.0, np.pi, size)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    return upper if label == 0 else np.array([1.0, 0.5]) - upper


def _line(label: int, size: int) -> FloatArray:
    along = np.linspace(-1.0, 1.0, size)[:, np.newaxis] * np.array([1.0, 1.0])
    across = np.array([-1.0, 1.0]) / np.sqrt(8.0)  # half of the distance between the lines
    return along + (across if label == 0 else -across)
