"""Pairs of affinity matrices in which the views help, mislead or contradict each other.

They are the constructed cases of [@kumar2013] and [@desa2005].
"""

from __future__ import annotations

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.datasets._sizes import MOST_SQUARED, check_between, check_size
from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray, RandomState


def make_complementary_affinities(
    alpha: float, n_objects: int = 1000, random_state: RandomState = None
) -> Dataset:
    """Two block-diagonal affinities, each spoilt where the other is clean.

    Both start as two blocks of ones. A random half of the places between the blocks gets the
    value ``alpha`` in the first view, the other half in the second, symmetrically:
    [@kumar2013], section 3.3.2. The product of the two matrices is clean again, their sum is not.
    On average a row holds as much between the blocks as inside one when ``alpha`` is 2, which is
    where clustering one view alone breaks down.

    Deviations
    ----------
    The number of objects has to be divisible by 4, without which the places between the blocks
    cannot be halved exactly.

    Parameters
    ----------
    alpha : float
        The wrong affinity, at least 0; from 0.5 to 200 in the thesis.
    n_objects : int
        How many objects, divisible by 4; 1000 in the thesis.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``first`` and ``second``, each of shape (n_objects, n_objects); ``y`` is 0 for the
        first half of the objects and 1 for the second.

    Examples
    --------
    >>> views, y = make_complementary_affinities(2.0, n_objects=4, random_state=0)
    >>> views["first"][:2, 2:] + views["second"][:2, 2:]
    array([[2., 2.],
           [2., 2.]])
    """
    alpha = check_between(alpha, "alpha", 0.0)
    labels = _halves(
        check_size(n_objects, "n_objects", minimum=4, maximum=MOST_SQUARED, multiple_of=4)
    )
    half = len(labels) // 2
    lots = generator(random_state).permutation(half * half).reshape(half, half)
    chosen = lots < half * half // 2
    views = {"first": _joined(labels), "second": _joined(labels)}
    for matrix, places in zip(views.values(), (chosen, ~chosen), strict=True):
        matrix[:half, half:] = alpha * places
        matrix[half:, :half] = alpha * places.T
    return Dataset(Views(views), labels, name="complementary_affinities")


def make_low_quality_affinities(n_objects: int = 1000) -> Dataset:
    """One perfect affinity beside one that says nothing.

    The first view is block-diagonal with two blocks of ones, the second is one throughout:
    [@kumar2013], section 3.3.3, first example. There is nothing random in it.

    Parameters
    ----------
    n_objects : int
        How many objects, divisible by 2.

    Returns
    -------
    Dataset
        Views ``informative`` and ``constant``, each of shape (n_objects, n_objects); ``y`` is 0
        for the first half of the objects and 1 for the second.

    Examples
    --------
    >>> views, y = make_low_quality_affinities(4)
    >>> views["informative"]
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """
    labels = _halves(
        check_size(n_objects, "n_objects", minimum=2, maximum=MOST_SQUARED, multiple_of=2)
    )
    views = Views({"informative": _joined(labels), "constant": np.ones((len(labels), len(labels)))})
    return Dataset(views, labels, name="low_quality_affinities")


def make_contradictory_affinities(n_objects: int = 1000) -> Dataset:
    """Two perfect affinities for two clusterings that have nothing in common.

    The first view has one block for the first half of the objects and one for the second half;
    the second view has one block for the outer quarters and one for the middle half:
    [@kumar2013], section 3.3.3, second example. There is nothing random in it.

    Parameters
    ----------
    n_objects : int
        How many objects, divisible by 4.

    Returns
    -------
    Dataset
        Views ``halves`` and ``quarters``, each of shape (n_objects, n_objects); ``y`` is the
        clustering of the first view, which the thesis takes as the truth, and
        ``extra["quarters"]`` that of the second.

    Examples
    --------
    >>> dataset = make_contradictory_affinities(4)
    >>> dataset.y, dataset.extra["quarters"]
    (array([0, 0, 1, 1]), array([0, 1, 1, 0]))
    """
    n_objects = check_size(n_objects, "n_objects", minimum=4, maximum=MOST_SQUARED, multiple_of=4)
    labels = _halves(n_objects)
    other = np.roll(labels, -(n_objects // 4))
    return Dataset(
        Views({"halves": _joined(labels), "quarters": _joined(other)}),
        labels,
        extra={"quarters": other},
        name="contradictory_affinities",
    )


def make_desa_affinities(
    m: float, noise: float = 1e-3, random_state: RandomState = None
) -> Dataset:
    """Eight objects on two squares that touch in both views, as strongly as ``m`` says.

    Objects 1 to 4 are one cluster and 5 to 8 the other. Each view ties objects in twos, and ties
    two twos of different clusters with the strength ``m``: the matrices of [@desa2005], section
    2, numbers there being one higher than rows here.

    Deviations
    ----------
    The paper speaks of "noisy versions" with "noise levels" of 1e-19 to 1e-1 and gives no
    distribution. Here uniform values from 0 to ``noise`` are added, the same at (i, j) and
    (j, i) and independent between the views, so that the affinities stay symmetric and are
    nowhere negative.

    Parameters
    ----------
    m : float
        Strength of the ties between the clusters, at least 0.
    noise : float
        Largest value of the noise, at least 0; 0 gives the matrices as printed.
    random_state : int, RandomState, Generator or None
        Seed of the noise.

    Returns
    -------
    Dataset
        Views ``first`` and ``second``, each of shape (8, 8); ``y`` is 0 for the first four
        objects and 1 for the others.

    Examples
    --------
    >>> views, y = make_desa_affinities(0.5, noise=0.0)
    >>> views["first"][3]
    array([0. , 1. , 0. , 1. , 0.5, 0. , 0.5, 0. ])
    """
    m = check_between(m, "m", 0.0)
    noise = check_between(noise, "noise", 0.0)
    rng = generator(random_state)
    first = _bridged(np.array([0, 1, 0, 1, 2, 3, 2, 3]), m)
    second = _bridged(np.array([0, 0, 1, 1, 2, 2, 3, 3]), m)
    views = Views(
        {"first": first + _symmetric(8, noise, rng), "second": second + _symmetric(8, noise, rng)}
    )
    return Dataset(views, _halves(8), name="desa_affinities")


def _halves(n_objects: int) -> IntArray:
    return np.repeat(np.array([0, 1]), n_objects // 2)


def _joined(labels: IntArray) -> FloatArray:
    """One where two objects share a label, zero elsewhere."""
    return np.equal.outer(labels, labels).astype(np.float64)


def _bridged(groups: IntArray, m: float) -> FloatArray:
    """Four groups in a row, of which the two in the middle belong to different clusters."""
    between_groups = np.eye(4)
    between_groups[1, 2] = between_groups[2, 1] = m
    return between_groups[np.ix_(groups, groups)]


def _symmetric(size: int, noise: float, rng: np.random.Generator) -> FloatArray:
    upper = np.triu(rng.uniform(0.0, noise, size=(size, size)))
    return upper + np.triu(upper, k=1).T
