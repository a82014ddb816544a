"""How much each view has to say: alike, but nothing where it looks empty and no label speaks up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from manyviews.data import Labels, Views
from manyviews.maths import to_dense
from manyviews.semi_supervised._classes import class_targets
from manyviews.semi_supervised._usual import chosen_graphs, spread_of_gram, usual_kernel
from manyviews.similarity import (
    ViewStructure,
    constant_views,
    evenly_spaced,
    judge_views,
    observed_similarities,
    weights_of_views,
)
from manyviews.typing import AutoViewWeights, BoolArray, FloatArray, Matrix

_SAMPLE = 2000
"""Of more objects than this, views are judged by so many at equal steps."""
_SPEAKS = 5.0
"""Standard errors above zero at which labels speak for a view. Noise beside the twenty sets of
``make quality`` (five labels a class, two draws) has 0.9 at most, other draws of noise with 60 to
1,500 labels 1.8; the rest is caution, not tuned."""
_PENALTY = 0.1
"""Ridge penalty beside a mean diagonal of one; any will do to tell something from nothing."""


def read_or_judge_weights(
    given: AutoViewWeights, views: Views, targets: FloatArray, known: BoolArray
) -> dict[str, float]:
    """Weights as they are given; "auto" gives nothing to a view that looks empty, and says so.

    A few labels cannot tell a weak view from an empty one: with five a class, nearly half of the
    views of twenty sets (two draws) tell classes no better than by chance, to two standard errors
    (:func:`evidence`). Whether objects are near each other for a reason is told by all of them
    (:func:`judge_views`). A view that looks empty to that test is kept if the labels speak for
    it, as they can where they are many.

    Parameters
    ----------
    given : "auto", list, dict or None
        What the user said; None: alike.
    views : Views
        The objects.
    targets : array of shape (n_objects, n_targets)
        What is to be told, such as ±1 for each class.
    known : array of bool of shape (n_objects,)
        For which objects.
    """

    def judge(views: Views) -> dict[str, ViewStructure]:
        some = views[evenly_spaced(len(views), _SAMPLE)]
        _, graphs = observed_similarities(some, chosen_graphs(None, some))
        found = judge_views(graphs, some.observed, constant=constant_views(some))
        return {
            name: _spoken_for(view, views, name, targets, known) for name, view in found.items()
        }

    consequence = "it has no say, unless view_weights says otherwise"
    return weights_of_views(given, views, judge, consequence)


def read_or_judge_class_weights(
    given: AutoViewWeights, views: Views, labels: Labels
) -> dict[str, float]:
    """Weights as :func:`read_or_judge_weights` has them, where classes are to be told."""
    targets = class_targets(labels.codes, len(labels.classes))
    return read_or_judge_weights(given, views, targets, labels.labelled)


def relative_weights(weights: Mapping[str, float]) -> FloatArray:
    """Weights of the views, where 1 is the mean of those that count at all.

    Examples
    --------
    >>> relative_weights({"text": 6.0, "links": 2.0, "noise": 0.0})
    array([1.5, 0.5, 0. ])
    """
    each = np.array(list(weights.values()), dtype=np.float64)
    return np.asarray(each / each[each > 0].mean()) if each.any() else each


def say(observed: BoolArray, weights: Mapping[str, float]) -> FloatArray:
    """What each view counts for each object, where 1 is the mean of the views that count at all.

    An object that only views without any weight show is told by them.

    Examples
    --------
    >>> say(np.array([[True, True], [False, True]]), {"text": 1.0, "noise": 0.0})
    array([[1., 0.],
           [0., 1.]])
    """
    found = observed * relative_weights(weights)
    untold = ~found.any(axis=1)
    found[untold] = observed[untold]
    return np.asarray(found, dtype=np.float64)


def weighted_mean(values: Mapping[str, FloatArray], weights: Mapping[str, float]) -> FloatArray:
    """Mean over the views that have a say about an object; values are NaN where unobserved.

    Examples
    --------
    >>> values = {"text": np.array([[1.0], [np.nan]]), "noise": np.array([[5.0], [7.0]])}
    >>> weighted_mean(values, {"text": 1.0, "noise": 0.0})
    array([[1.],
           [7.]])
    """
    stacked = np.stack(list(values.values()))
    shares = say(~np.isnan(stacked[:, :, 0]).T, weights).T[:, :, None]
    total = np.where(shares > 0, shares * stacked, 0.0).sum(axis=0)
    return np.asarray(total / shares.sum(axis=0))


def evidence(rows: Matrix, targets: FloatArray) -> float:
    """How well a ridge regression tells targets of objects left out, in standard errors.

    It is the correlation of the targets with what the others say of them, times the root of the
    number of objects; about zero where a view tells nothing.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> evidence(x, x**3) > 5, evidence(np.random.default_rng(0).normal(size=(60, 9)), x) > 5
    (True, False)
    """
    n_objects = len(targets)
    if n_objects < 3:
        return 0.0
    gram = to_dense(usual_kernel(rows).fitted(rows).gram(rows))
    # Exact leave-one-out needs the constant in the system: a kernel that was centred with the
    # object itself hands its target back to it.
    bordered = np.ones((n_objects + 1, n_objects + 1))
    bordered[:-1, :-1] = gram / spread_of_gram(gram, center=True) + _PENALTY * np.eye(n_objects)
    bordered[-1, -1] = 0.0
    inverse = np.linalg.inv(bordered)[:-1, :-1]
    middle = targets - targets.mean(axis=0)
    left_out = middle - (inverse @ middle) / inverse.diagonal()[:, None]
    left_out -= left_out.mean(axis=0)
    lengths = np.linalg.norm(middle) * np.linalg.norm(left_out)
    return float(np.vdot(middle, left_out) / lengths * np.sqrt(n_objects)) if lengths else 0.0


def _spoken_for(
    judged: ViewStructure, views: Views, name: str, targets: FloatArray, known: BoolArray
) -> ViewStructure:
    """The judgement, withdrawn where the labels speak for a view that looks empty."""
    if not judged.empty:
        return judged
    told = np.flatnonzero(views.observed_in(name) & known)
    told = told[evenly_spaced(len(told), _SAMPLE)]
    return replace(judged, empty=evidence(views[name][told], targets[told]) < _SPEAKS)
