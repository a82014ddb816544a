"""Small pictures of what two views can do for each other.

Two moons and two lines are those of [@sindhwani2005], two circles those of [@kumar2013].
"""

from __future__ import annotations

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.datasets._sizes import check_between, check_size
from manyviews.maths import generator
from manyviews.typing import FloatArray, RandomState


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
