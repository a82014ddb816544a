"""Realistic gaps: views that are hidden at random, in outages, or where there is little to see."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from manyviews.data import Views
from manyviews.datasets._sizes import check_between, check_size, check_switch
from manyviews.exceptions import NumberOfViewsError, ViewsError
from manyviews.maths import generator
from manyviews.typing import BoolArray, FloatArray, IntArray, RandomState, ViewsLike, is_sparse

Pattern: TypeAlias = Literal["random", "outage", "single", "tail"]

N_STRETCHES = 20
"""Into how many stretches an outage cuts the objects of a view."""
SHORTEST_MEAN_STRETCH = 4
"""Objects of a stretch on average, at least, which gives few objects fewer stretches. A judgement:
shorter ones would be gaps at random."""


def hide_views(
    views: ViewsLike,
    share: float,
    pattern: Pattern = "random",
    seed: RandomState = None,
    *,
    keep_one: bool = True,
) -> Views:
    """Hide some views of some objects, to see how a method bears gaps.

    A *cell* is one view of one object. With ``"random"``, ``"outage"`` and ``"tail"`` exactly
    ``round(share * n)`` of the ``n`` cells that are observed get hidden. With ``"single"``
    exactly ``round(share * m)`` of the ``m`` objects that are observed in two or more views are
    left with a single one. Cells that are already unobserved count nowhere and stay so.

    The patterns:

    ``"random"``
        Cells are hidden in random order, whatever they hold (missing completely at random).
    ``"outage"``
        A view is missing in runs of consecutive objects, as when a sensor is down: the objects
        of each view are cut at random places into about 20 stretches (of 4 or more objects on
        average), and stretches of all views are hidden in random order, the last in part.
    ``"single"``
        Objects drawn at random keep exactly one view, drawn at random among those they have.
    ``"tail"``
        Objects with the least content lose their views first (missing not at random), each all
        that it can lose before the next loses any, its emptiest view first. Content is the
        Euclidean norm of a row over the mean norm in its view, averaged over the object's views.

    Parameters
    ----------
    views : views in any accepted form
        See :class:`manyviews.Views`; it may have gaps already.
    share : float
        How much to hide, from 0 to 1, as defined above.
    pattern : {"random", "outage", "single", "tail"}
        Where to hide.
    seed : int, RandomState, Generator or None
        Seed; ``"tail"`` needs it only where objects are equal in content.
    keep_one : bool
        Whether every object keeps at least one of the views it had: in each pattern the one
        whose turn to be hidden would come last. With ``"single"`` it does in any case.

    Returns
    -------
    Views
        The same data with fewer views observed.

    Raises
    ------
    ValueError
        If so much cannot be hidden while every object keeps a view; the largest possible share
        is in the message.

    Examples
    --------
    >>> import numpy as np
    >>> views = hide_views([np.ones((50, 2)), np.ones((50, 3))], 0.25, seed=0)
    >>> int((~views.observed).sum()), bool(views.observed.any(axis=1).all())
    (25, True)
    """
    data = views if isinstance(views, Views) else Views(views)
    share = check_between(share, "share", 0.0, 1.0)
    keep_one = check_switch(keep_one, "keep_one")
    rng = generator(seed)
    if not isinstance(pattern, str) or pattern not in (*_TURNS, "single"):
        known = ", ".join(map(repr, [*_TURNS, "single"]))
        raise ValueError(f"pattern={pattern!r} is not known; choose one of {known}.")
    if pattern == "single":
        hidden = _all_but_one(data.observed, share, rng)
    else:
        hidden = _first_in_turn(_TURNS[pattern](data, rng), data.observed, share, keep_one=keep_one)
    return data.with_observed(data.observed & ~hidden)


def _first_in_turn(
    turn: IntArray, observed: BoolArray, share: float, *, keep_one: bool
) -> BoolArray:
    """Hide the observed cells whose turn comes first, sparing each object's last."""
    may_go = observed.copy()
    if keep_one:
        last = np.where(observed, turn, -1).argmax(axis=1)
        may_go[np.arange(len(observed)), last] = False
    candidates = np.flatnonzero(may_go)
    n_cells = int(observed.sum())
    n_hidden = round(share * n_cells)
    if n_hidden > len(candidates):
        largest = math.floor(1e4 * len(candidates) / n_cells) / 1e4
        raise ViewsError(
            f"share={share:g} of the observed cells cannot be hidden while every object keeps a "
            f"view; give at most {largest:g}, or keep_one=False."
        )
    in_turn = candidates[np.argsort(turn.ravel()[candidates])]
    hidden = np.zeros(observed.shape, dtype=bool)
    hidden.ravel()[in_turn[:n_hidden]] = True
    return hidden


def _all_but_one(observed: BoolArray, share: float, rng: np.random.Generator) -> BoolArray:
    several = np.flatnonzero(observed.sum(axis=1) >= 2)
    chosen = rng.choice(several, round(share * len(several)), replace=False)
    lots = np.where(observed[chosen], rng.random((len(chosen), observed.shape[1])), -1.0)
    hidden = np.zeros(observed.shape, dtype=bool)
    hidden[chosen] = observed[chosen]
    hidden[chosen, lots.argmax(axis=1)] = False
    return hidden


def _random_turn(views: Views, rng: np.random.Generator) -> IntArray:
    return rng.permutation(views.observed.size).reshape(views.observed.shape)


def _outage_turn(views: Views, rng: np.random.Generator) -> IntArray:
    """Stretches in random order, and inside a stretch one object after the other."""
    n_objects, n_views = views.observed.shape
    n_stretches = max(1, min(N_STRETCHES, n_objects // SHORTEST_MEAN_STRETCH))
    rows = np.arange(n_objects)
    turn_of_stretch = rng.permutation(n_views * n_stretches).reshape(n_views, n_stretches)
    turns = []
    for turn_of_own in turn_of_stretch:
        cuts = np.sort(rng.choice(rows[1:], n_stretches - 1, replace=False))
        turns.append(turn_of_own[np.searchsorted(cuts, rows, side="right")] * n_objects + rows)
    return np.column_stack(turns)


def _tail_turn(views: Views, rng: np.random.Generator) -> IntArray:
    """Objects by rising content, and inside an object its views by rising content."""
    observed = views.observed
    content = _relative_norms(views)
    n_seen = np.maximum(observed.sum(axis=1), 1)
    of_object = np.where(observed, content, 0.0).sum(axis=1) / n_seen
    object_rank = _ranks(of_object, rng.random(len(views)))
    view_rank = _ranks(content, rng.random(content.shape))
    return object_rank[:, np.newaxis] * views.n_views + view_rank


def _ranks(values: FloatArray, ties: FloatArray) -> IntArray:
    return np.lexsort((ties, values), axis=-1).argsort(axis=-1)


def _relative_norms(views: Views) -> FloatArray:
    """Norm of each row over the mean norm of the observed rows of its view."""
    columns = []
    for name, matrix in views.items():
        squares = matrix.multiply(matrix) if is_sparse(matrix) else np.nan_to_num(matrix) ** 2
        norms = np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64))
        seen = views.observed_in(name)
        mean = norms[seen].mean() if seen.any() else 0.0
        columns.append(norms / mean if mean > 0 else norms)
    return np.column_stack(columns)


_TURNS: dict[str, Callable[[Views, np.random.Generator], IntArray]] = {
    "random": _random_turn,
    "outage": _outage_turn,
    "tail": _tail_turn,
}


def split_features(X: ViewsLike, n_views: int = 2, random_state: RandomState = None) -> Views:
    """Deal the features of one matrix out at random to several views.

    This makes views where nature gives none, as in section 5 of [@bickel2005]: every feature
    goes to exactly one view, and no view gets more than one feature more than another.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame or Views of one view
        One row per object.
    n_views : int
        How many views to make, at most one per feature.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Views
        Views ``view0``, ``view1``, … of the same kind as the matrix. Inside a view the features
        keep their order and their names; without names they are called ``x0``, ``x1``, … after
        their column, so that one can see where they went. Object names and gaps are kept.

    Examples
    --------
    >>> import numpy as np
    >>> views = split_features(np.arange(10.0).reshape(2, 5), 2, random_state=0)
    >>> {name: list(features) for name, features in views.feature_names.items()}
    {'view0': ['x2', 'x3', 'x4'], 'view1': ['x0', 'x1']}
    """
    whole = X if isinstance(X, Views) else Views(X)
    if whole.n_views != 1:
        raise NumberOfViewsError(
            f"X has {whole.n_views} views ({', '.join(map(repr, whole.names))}) and one is split "
            "at a time; choose it with views.subset([...])."
        )
    source = whole.names[0]
    matrix = whole[source]
    n_features = int(matrix.shape[1])
    n_views = check_size(n_views, "n_views")
    if n_views > n_features:
        raise ViewsError(
            f"view {source!r} has {n_features} features, which cannot be dealt out to {n_views} "
            "views; ask for fewer views."
        )
    default = np.array([f"x{column}" for column in range(n_features)], dtype=object)
    features = whole.feature_names.get(source, default)
    dealt = np.array_split(generator(random_state).permutation(n_features), n_views)
    columns = {f"view{position}": np.sort(part) for position, part in enumerate(dealt)}
    return Views(
        {name: matrix[:, own] for name, own in columns.items()},
        observed=np.repeat(whole.observed, n_views, axis=1),
        feature_names={name: features[own] for name, own in columns.items()},
        sample_ids=whole.sample_ids,
    )
