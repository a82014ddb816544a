"""Land mines and clutter seen by a camera of many bands and by a radar [@krishnapuram2005]."""

from __future__ import annotations

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.datasets._sizes import check_between, check_size
from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray, RandomState

KINDS = ("ground", "stone", "metal", "surface mine", "buried mine")
SHARES_OF_CLUTTER = (0.5, 0.25, 0.25)
"""Of ground, stone and metal. A judgement: half of what alarms is nothing, a quarter deceives each
sensor."""

N_BANDS, N_STATISTICS = 70, 6
"""420 features of 70 bands, as in the paper, which does not say which."""
N_RADAR = 9
"""Features of the radar, as in the paper."""
N_BACKGROUND = {"eoir": 8, "sar": 3}
"""Directions in which soil and weather vary within each sensor. A judgement: as many as make both
sensors nearly low-dimensional, like spectra of neighbouring bands."""

SIGNATURES: dict[str, FloatArray] = {
    "eoir": np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]),
    "sar": np.array([[0.0, 0.0], [0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0]]),
}
"""Means of each kind in two directions of each sensor, in standard deviations within a kind: how
bright it is, and what tells mines from what is as bright."""
NOISE = 0.5
"""Standard deviation of each feature by itself, where each direction has one of about 1."""


def make_two_sensors(
    n_objects: int = 400,
    share: float = 0.1,
    subsurface: float = 0.4,
    random_state: RandomState = None,
) -> Dataset:
    """Rare mines among clutter, seen by a camera with 420 features and a radar with 9.

    Each sensor is deceived by something that the other is not: bright stones look like mines to
    the camera, scraps of metal to the radar; and mines below the surface do not show in the camera
    at all. It has the sizes of the land mines of [@krishnapuram2005], section 6, which are not
    public, to try what is worth measuring.

    Deviations
    ----------
    The paper tells the sensors, the numbers of their features, and that some mines are below the
    surface; all else is chosen here. An object is a point in ten directions of the camera and five
    of the radar: two of what it is, Gaussian around the mean of its kind, the others of soil and
    weather. Features are smooth functions over the bands (in the radar any sums) of these, with
    noise.

    Parameters
    ----------
    n_objects : int
        How many objects.
    share : float
        Share of mines, rounded to whole objects; from 0 to 1.
    subsurface : float
        Share of the mines that only the radar sees; from 0 to 1.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``eoir`` and ``sar``; ``y`` is 1 for a mine and 0 for clutter, ``extra["kind"]`` one
        of "ground", "stone", "metal", "surface mine" and "buried mine".

    Examples
    --------
    >>> dataset = make_two_sensors(random_state=0)
    >>> dataset.views.layout.widths, int(dataset.y.sum())
    ((420, 9), 40)
    >>> int((dataset.extra["kind"] == "buried mine").sum())
    16
    """
    n_objects = check_size(n_objects, "n_objects")
    share = check_between(share, "share", 0.0, 1.0)
    subsurface = check_between(subsurface, "subsurface", 0.0, 1.0)
    rng = generator(random_state)
    kinds = _kinds(n_objects, share, subsurface, rng)
    loadings = {"eoir": _smooth_loadings(rng), "sar": _loadings(rng)}
    views = {name: _seen(name, kinds, loading, rng) for name, loading in loadings.items()}
    mines = (kinds >= KINDS.index("surface mine")).astype(np.intp)
    extra = {"kind": np.array(KINDS)[kinds]}
    return Dataset(Views(views), mines, extra=extra, name="two_sensors")


def _kinds(n_objects: int, share: float, subsurface: float, rng: np.random.Generator) -> IntArray:
    """Kinds in random order, mines in exact numbers and clutter by lot."""
    n_mines = round(share * n_objects)
    n_buried = round(subsurface * n_mines)
    clutter = rng.choice(len(SHARES_OF_CLUTTER), n_objects - n_mines, p=SHARES_OF_CLUTTER)
    surface = np.full(n_mines - n_buried, KINDS.index("surface mine"))
    buried = np.full(n_buried, KINDS.index("buried mine"))
    return rng.permutation(np.concatenate([clutter, surface, buried])).astype(np.intp)


def _smooth_loadings(rng: np.random.Generator) -> FloatArray:
    """Directions × features: random waves over the bands, of a mean square of one."""
    n_directions = 2 + N_BACKGROUND["eoir"]
    bands = np.linspace(0.0, 1.0, N_BANDS)
    waves = np.cos(np.pi * np.arange(4)[:, np.newaxis] * bands)  # up to one and a half periods
    amounts = rng.standard_normal((n_directions, N_STATISTICS, len(waves)))
    return _of_unit_size((amounts @ waves).reshape(n_directions, -1))


def _loadings(rng: np.random.Generator) -> FloatArray:
    return _of_unit_size(rng.standard_normal((2 + N_BACKGROUND["sar"], N_RADAR)))


def _of_unit_size(rows: FloatArray) -> FloatArray:
    unit: FloatArray = rows / np.sqrt((rows**2).mean(axis=1, keepdims=True))
    return unit


def _seen(
    sensor: str, kinds: IntArray, loadings: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """What a sensor shows of objects of these kinds."""
    points = rng.standard_normal((len(kinds), len(loadings)))
    points[:, :2] += SIGNATURES[sensor][kinds]
    noise = NOISE * rng.standard_normal((len(kinds), loadings.shape[1]))
    return points @ loadings + noise
