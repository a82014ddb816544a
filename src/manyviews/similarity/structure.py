"""Views that have no structure for a clustering to find, told by their graphs of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import ndtri

from manyviews.base import warn_user
from manyviews.data import Views, read_view_weights
from manyviews.exceptions import ViewsWarning
from manyviews.maths import Gram, LowRank, gram_eigenvectors, inverse_root_degrees, scaled
from manyviews.similarity.graphs import AutoGraph
from manyviews.similarity.rows import blocks, evenly_spaced
from manyviews.similarity.views import shown_rows
from manyviews.typing import BoolArray, IntArray, Matrix, is_sparse

__all__ = [
    "ViewStructure",
    "auto_view_weights",
    "constant_views",
    "judge_views",
    "structure_of",
    "used_views",
    "warn_of_empty_views",
    "weights_of_views",
]

_N_NEIGHBORS = 10
"""How many of the largest similarities of an object make the graph, where they are not sparse."""
_SAMPLE = 2000
"""Of more objects than this, dense similarities are judged by so many at equal steps."""
_EMPTY = 0.25
"""Structure below which a view looks empty. The least of the 70 views of the twenty development
sets has 0.48 (0.21 with gaps), noise in a hundred features beside them has 0.13 at most."""
_CHANCE = 0.005
"""How probable it may be that any other view confirms noise, by the edges that they have in common.

Of 528 views of noise (eight kinds, beside the twenty sets of ``make quality`` and thirteen others,
as they are and, but for shuffled views, with gaps) this test confirms five; of the views of these
sets one is not confirmed, in which four genes tell hardly anything. A weak view may be lost by it:
of 120 objects in groups whose means are two standard deviations from the centre, about a tenth."""
_HALF_AS_MANY_AGAIN = 1.5
"""Edges, over those of chance, that must confirm a view which looks shapeless by itself: noise
beside twelve views had 1.33 times as many with one of them, 3.5 standard errors more."""
_TELLING = 0.2
"""Standard error, in shares of what chance would give, up to which a lack of edges in common says
something: views that share twice as many would be five errors from chance."""
_ROUNDING = 1e-9
"""Numbers that differ by less, beside their size, are equal up to the rounding of sums."""


@dataclass(frozen=True)
class ViewStructure:
    """What the graph of neighbours of a view shows; not a number where there is no telling."""

    structure: float
    """How far its second eigenvalue is above that of a random graph, one for separate groups."""
    confirmed: float
    """How many times more edges it shares with the view that shares most than chance would give."""
    empty: bool
    """Whether it looks empty: no structure, or none that any other view confirms."""


def judge_views(
    grams: Mapping[str, Gram], observed: BoolArray, *, constant: Collection[str] = ()
) -> dict[str, ViewStructure]:
    """Judge each view by how its graph of neighbours differs from a random one.

    Parameters
    ----------
    grams : mapping of matrices
        By view: similarities among the objects seen in it; symmetric. Of dense or low-rank ones
        the ten largest of each object make the graph, of sparse ones all.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view.
    constant : names
        Views that show the same of all objects (:func:`constant_views`).

    Notes
    -----
    *Structure*. A graph that falls into groups has a second eigenvalue of the normalised adjacency
    near one; that of a random graph of mean degree ``d`` is about ``2 / sqrt(d)`` [@friedman2008].
    The measure is the second eigenvalue between these two, from zero to one. Neighbours in noise of
    many features make a random graph; in noise of few features they do not. Hence:

    *Confirmation*. Two views that know of the same clusters have edges in common. With three views
    or more, one that shares no more of them with any other than chance would give, while others
    do share, knows of nothing that they know of. A view that another confirms is not empty. Chance
    is one graph with its objects shuffled: mean and variance of the edges in common over all orders
    have a closed form [@mantel1967], which knows that some objects have many edges.

    *Nothing at all*. Objects that are all alike have the neighbours that rounding gives them; a
    view that shows nothing else, or that joins no two objects, is empty whatever its graph says,
    unless it shows fewer than three of them.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> points = np.arange(90.0) % 3 * 9 + rng.normal(size=90)
    >>> groups = np.exp(-np.subtract.outer(points, points) ** 2)
    >>> rows = rng.normal(size=(90, 50))
    >>> found = judge_views({"groups": groups, "noise": rows @ rows.T}, np.ones((90, 2), bool))
    >>> {name: judged.empty for name, judged in found.items()}
    {'groups': False, 'noise': True}
    """
    pairs = zip(grams.values(), observed.T, strict=True)
    graphs = [neighbour_graph(gram, np.flatnonzero(seen), len(observed)) for gram, seen in pairs]
    n_views = len(graphs)
    lifts, errors = np.full((2, n_views, n_views), np.nan)
    for one, other in combinations(range(n_views), 2):
        lift, error = edge_lift(*graphs[one], *graphs[other])
        lifts[[one, other], [other, one]], errors[[one, other], [other, one]] = lift, error
    beyond_chance = -ndtri(_CHANCE / max(n_views - 1, 1))  # in standard errors
    agree = lifts - 1 >= beyond_chance * errors
    differ = ~agree & (errors <= _TELLING)
    found = {}
    for view, name in enumerate(grams):
        others = np.flatnonzero(np.arange(n_views) != view)
        unconfirmed = differ[view, others].all() and agree[np.ix_(others, others)].any()
        confirmed = float(np.fmax.reduce(lifts[view, others], initial=np.nan))
        structure = _structure(*graphs[view])
        shapeless = structure < _EMPTY and not confirmed >= _HALF_AS_MANY_AGAIN
        graph, asked = graphs[view]
        nothing = len(asked) >= 3 and (name in constant or not graph.nnz)
        found[name] = ViewStructure(structure, confirmed, bool(nothing or shapeless or unconfirmed))
    return found


def constant_views(views: Views) -> list[str]:
    """Name the views that show the same of all objects, three or more, up to rounding.

    Examples
    --------
    >>> constant_views(Views({"a": [[0.1, 2.0]] * 3, "b": [[1.0, 2.0], [1.0, 3.0], [1.0, 4.0]]}))
    ['a']
    """
    return [name for name in views.names if _is_constant(shown_rows(views, name)[0])]


def structure_of(views: Views, *, n_objects: int = 1000) -> dict[str, ViewStructure]:
    """Judge views by the neighbours of some of their objects, for methods that make no graph.

    Parameters
    ----------
    views : Views
        What is judged; a view that shows fewer than three of the objects is not empty.
    n_objects : int
        Of more objects so many at equal steps are asked; the thresholds were found with 800.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> groups = np.arange(90)[:, None] % 3 * 9 + rng.normal(size=(90, 2))
    >>> views = Views({"groups": groups, "noise": rng.normal(size=(90, 50))})
    >>> {name: judged.empty for name, judged in structure_of(views).items()}
    {'groups': False, 'noise': True}
    """
    asked = views[evenly_spaced(len(views), n_objects)]
    shown = [name for name in views.names if asked.observed_in(name).sum() >= 3]
    grams = {name: AutoGraph().gram(shown_rows(asked, name)[0]) for name in shown}
    seen = asked.observed[:, [name in shown for name in views.names]]
    found = judge_views(grams, seen, constant=constant_views(asked))
    unknown = ViewStructure(np.nan, np.nan, empty=False)
    return {name: found.get(name, unknown) for name in views.names}


def auto_view_weights(judged: Mapping[str, ViewStructure]) -> dict[str, float]:
    """Weigh views alike, but those that look empty by nothing; all alike if none is left.

    Examples
    --------
    >>> clear, empty = ViewStructure(0.9, 2.0, False), ViewStructure(0.1, 1.0, True)
    >>> auto_view_weights({"a": clear, "b": empty})
    {'a': 1.0, 'b': 0.0}
    """
    all_empty = all(view.empty for view in judged.values())
    return {name: float(all_empty or not view.empty) for name, view in judged.items()}


def weights_of_views(
    given: Any,
    views: Views,
    judge: Callable[[Views], Mapping[str, ViewStructure]] = structure_of,
    consequence: str = "it is left out, unless view_weights says otherwise",
) -> dict[str, float]:
    """Read weights as they are given; by "auto" views that look empty have none, with a warning.

    Parameters
    ----------
    given : "auto", list, dict or None
        What the user said; None: alike.
    views : Views
        The objects.
    judge : function
        How views are judged, if they are several.
    consequence : str
        What the warning says of an empty view.

    Examples
    --------
    >>> weights_of_views([1, 2], Views({"words": [[1.0]], "links": [[1.0]]}))
    {'words': 1.0, 'links': 2.0}
    """
    if not (isinstance(given, str) and given == "auto"):
        return read_view_weights(given, views.names)
    if views.n_views == 1:
        return {views.names[0]: 1.0}
    judged = judge(views)
    warn_of_empty_views(judged, consequence)
    return auto_view_weights(judged)


def used_views(views: Views, weights: Mapping[str, float]) -> Views:
    """Return the views that weigh anything.

    Examples
    --------
    >>> used_views(Views({"words": [[1.0]], "links": [[1.0]]}), {"words": 1.0, "links": 0.0}).names
    ('words',)
    """
    used = [name for name in views.names if weights[name] > 0]
    return views if len(used) == len(views.names) else views.subset(used)


def warn_of_empty_views(judged: Mapping[str, ViewStructure], consequence: str) -> None:
    """Name the views that look empty of structure beside others, and what comes of it.

    Where all look so, it may be the similarity that shows nothing, and nothing is said.
    """
    names = [repr(name) for name, view in judged.items() if view.empty]
    if names and len(names) < len(judged):
        warn_user(
            f"view {', '.join(names)} looks empty of structure: which objects are near each other "
            f"in it looks like chance; {consequence}.",
            ViewsWarning,
        )


def _is_constant(rows: Matrix) -> bool:
    if rows.shape[0] < 3:
        return False
    ends = rows.max(axis=0), rows.min(axis=0)
    most, least = (end.toarray() if is_sparse(end) else end for end in ends)
    size = max(np.abs(most).max(initial=0), np.abs(least).max(initial=0))
    return bool((most - least <= _ROUNDING * size).all())


def neighbour_graph(
    gram: Gram, places: IntArray, n_objects: int
) -> tuple[sparse.csr_array, IntArray]:
    """Who is near whom, over all objects; and which objects were asked."""
    if is_sparse(gram):
        kept: IntArray = np.arange(len(places))
        pattern = sparse.csr_array(gram != 0)
    else:
        kept = evenly_spaced(len(places), _SAMPLE)
        pattern = _nearest(gram, kept)
    pattern = sparse.coo_array(pattern)
    rows, columns = pattern.coords
    off = rows != columns
    ends = places[kept[rows[off]]], places[kept[columns[off]]]
    shape = (n_objects, n_objects)
    return sparse.csr_array((np.ones(len(ends[0])), ends), shape=shape), places[kept]


def _nearest(gram: Gram, kept: IntArray) -> sparse.csr_array:
    """The largest similarities of each object to others, in either direction."""
    n_kept = len(kept)
    n_near = min(_N_NEIGHBORS, n_kept) - 1
    joined = sparse.csr_array((n_kept, n_kept))
    for part in blocks(n_kept, n_kept):
        rows = kept[part]
        if isinstance(gram, LowRank):
            block = gram.left[rows] @ gram.right[kept].T
        else:
            block = np.array(gram[np.ix_(rows, kept)], dtype=np.float64)
        numbers = np.arange(n_kept)[part]
        itself = np.arange(len(rows)), numbers
        block[itself] = np.inf
        least = block.min(axis=1)
        block[itself] = -np.inf
        most = block.max(axis=1)
        told = most - least > _ROUNDING * np.maximum(np.abs(least), np.abs(most))
        near = np.argpartition(-block, max(n_near - 1, 0), axis=1)[:, :n_near]
        # Who is as similar to one as to all others has no nearest.
        ends = np.repeat(numbers[told], near.shape[1]), near[told].ravel()
        joined = joined + sparse.csr_array((np.ones(len(ends[0])), ends), shape=joined.shape)
    return sparse.csr_array((joined + joined.T) != 0)


def _structure(graph: sparse.csr_array, asked: IntArray) -> float:
    """The second eigenvalue, from that of a random graph of the same degree (0) to one."""
    within = graph[asked][:, asked]
    joined = np.flatnonzero(np.diff(within.indptr))  # isolated objects would count as groups
    n_joined = len(joined)
    degree = within.nnz / max(n_joined, 1) + 1
    if degree <= 5 or 3 * degree >= n_joined:  # hardly an edge, or a good part of all
        return np.nan
    whole = sparse.csr_array(within[joined][:, joined] + sparse.eye_array(n_joined))
    scale = inverse_root_degrees(whole)
    second = float(gram_eigenvectors(scaled(whole, scale, scale), 2, tol=1e-2)[0][1])
    at_random = 2 / np.sqrt(degree)
    return float((second - at_random) / (1 - at_random))


def edge_lift(
    one: sparse.csr_array, asked: IntArray, other: sparse.csr_array, other_asked: IntArray
) -> tuple[float, float]:
    """Edges that two graphs share, over those that they would if one were shuffled; its error."""
    both = np.intersect1d(asked, other_asked)
    n_both = len(both)
    if n_both < 4:
        return np.nan, np.nan
    ours, theirs = one[both][:, both], other[both][:, both]
    mean = ours.nnz * theirs.nnz / (n_both * (n_both - 1))
    fewer = min(ours.nnz, theirs.nnz)
    if mean < 2 or fewer < 2 * mean:  # less than one edge; or nearly all pairs, whatever they show
        return np.nan, np.nan
    # Pairs of edges: the same one, two that meet in an object, two that do not.
    same, meeting, apart = (
        mine * yours for mine, yours in zip(_edge_pairs(ours), _edge_pairs(theirs), strict=True)
    )
    orders = n_both * (n_both - 1.0) * np.array([1.0, n_both - 2.0, (n_both - 2.0) * (n_both - 3)])
    squared = 2 * same / orders[0] + 4 * meeting / orders[1] + apart / orders[2]
    shared = float(ours.multiply(theirs).sum())
    return shared / mean, float(np.sqrt(max(squared - mean**2, 0.0))) / mean


def _edge_pairs(graph: sparse.csr_array) -> tuple[float, float, float]:
    """How many ordered pairs of directed edges are one edge, meet in one object, or do not meet."""
    degrees = np.diff(graph.indptr).astype(np.float64)
    total = float(degrees.sum())
    meeting = float(degrees @ (degrees - 1))
    return total, meeting, total**2 - 2 * total - 4 * meeting
