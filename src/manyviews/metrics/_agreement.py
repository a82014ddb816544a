"""Whether views say the same, and whether one is better than the others [@dalvi2015]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from manyviews.data import in_row_order, read_mask, row_ids
from manyviews.exceptions import NumberOfViewsError
from manyviews.maths import read_labels
from manyviews.metrics._encode import encode_together
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray


def view_agreement(predictions: Any, observed: Any = None) -> float:
    """Share of objects to which two views give the same label; the mean over all pairs of views.

    With two views this is the *view agreement* of [@dalvi2015]. With more, every pair of views
    counts the same, however many objects it shares; pairs that share none are left out.

    Parameters
    ----------
    predictions : dict or list of array-likes of shape (n_objects,)
        The labels each view gives, in one common naming: clusters of different views have to be
        matched first.
    observed : array of bool of shape (n_objects, n_views) or dict of arrays, optional
        Which object is seen in which view; only objects seen in both views of a pair count, and
        whatever stands in unseen places is ignored. A dict may leave out views seen throughout.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> view_agreement({"text": ["a", "b", "b", "a"], "links": ["a", "b", "a", "a"]})
    0.75
    """
    return 1.0 - disagreement_rate(predictions, observed)


def disagreement_rate(predictions: Any, observed: Any = None) -> float:
    """Share of objects to which two views give different labels: 1 minus the agreement.

    Parameters
    ----------
    predictions, observed
        As in :func:`view_agreement`.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> disagreement_rate([[0, 1, 1, 0], [0, 1, 0, 0]])
    0.25
    """
    pairs = view_disagreement_matrix(predictions, observed)
    rates = pairs[np.triu_indices(len(pairs), k=1)]
    if np.isnan(rates).all():
        raise ValueError(
            "no object is seen in two views, so that nothing can be compared; "
            "give objects with at least two views in observed."
        )
    return float(np.nanmean(rates))


def view_disagreement_matrix(predictions: Any, observed: Any = None) -> FloatArray:
    """For every pair of views, the share of their common objects on which they differ.

    Parameters
    ----------
    predictions, observed
        As in :func:`view_agreement`.

    Returns
    -------
    ndarray of shape (n_views, n_views)
        Symmetric, with a zero diagonal; NaN for two views that share no object.

    Examples
    --------
    >>> view_disagreement_matrix([[0, 1], [0, 1], [1, 1]])
    array([[0. , 0. , 0.5],
           [0. , 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """
    codes = _codes(predictions, observed)
    n_views = len(codes)
    rates = np.zeros((n_views, n_views))
    for one in range(n_views):
        for other in range(one):
            shared = (codes[one] >= 0) & (codes[other] >= 0)
            differs = codes[one][shared] != codes[other][shared]
            rates[one, other] = rates[other, one] = differs.mean() if shared.any() else np.nan
    return rates


def view_unanimity(predictions: Any, observed: Any = None) -> float:
    """Share of objects to which *all* views that see them give the same label.

    Objects seen in fewer than two views do not count. With two views this is
    :func:`view_agreement`; with more it is at most that, if every view is seen.

    Parameters
    ----------
    predictions, observed
        As in :func:`view_agreement`.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> view_unanimity([[0, 1], [0, 1], [1, 1]])
    0.5
    """
    codes = np.stack(_codes(predictions, observed))
    seen = codes >= 0
    compared = seen.sum(axis=0) >= 2
    if not compared.any():
        raise ValueError(
            "no object is seen in two views, so that nothing can be compared; "
            "give objects with at least two views in observed."
        )
    lowest = np.where(seen, codes, np.iinfo(codes.dtype).max).min(axis=0)
    return float((lowest == codes.max(axis=0))[compared].mean())


def view_imbalance(scores: Any) -> float:
    """How much better the best view performs than the worst; 0 if they are equally good.

    With two views this is the absolute difference of [@dalvi2015], in the unit of the scores.

    Parameters
    ----------
    scores : dict or sequence of float
        One performance per view, such as an F1 score.

    Returns
    -------
    float
        The highest score minus the lowest.

    Examples
    --------
    >>> round(view_imbalance({"V1": 55.0, "V2": 42.7}), 9)
    12.3
    """
    scalar = isinstance(scores, np.ndarray) and scores.ndim == 0
    if scalar or not isinstance(scores, Iterable):
        raise ValueError(f"scores is {scores!r}; give a dict or list with one number per view.")
    named = dict(scores) if isinstance(scores, Mapping) else dict(enumerate(scores))
    _need_two(len(named), "scores")
    try:
        values = np.asarray(list(named.values()), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("scores are not all numbers; give one number per view.") from error
    if values.ndim != 1:
        raise ValueError(
            f"scores has shape {values.shape}; give one number per view, such as its mean score."
        )
    if not np.isfinite(values).all():
        view = list(named)[int(np.flatnonzero(~np.isfinite(values))[0])]
        raise ValueError(f"the score of view {view!r} is not a finite number; leave it out.")
    return float(values.max() - values.min())


def _codes(predictions: Any, observed: Any) -> list[IntArray]:
    """Labels of all views as numbers of one list of classes, -1 where not seen."""
    named, ids = _by_name(predictions)
    _need_two(len(named), "predictions")
    lengths = {name: len(labels) for name, labels in named.items()}
    first, n_objects = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != n_objects:
            raise ValueError(
                f"view {first!r} has {n_objects} labels but view {name!r} has {length}; give every "
                "view one label per object."
            )
    if n_objects == 0:
        raise ValueError("predictions are empty; give labels for at least one object.")
    seen = _masks(in_row_order(observed, ids, "observed"), list(named), n_objects)
    return encode_together(list(named.values()), seen, list(named))


def _by_name(predictions: Any) -> tuple[dict[str, AnyArray], AnyArray | None]:
    """Labels by view in one order of objects, and the ids of these, if there are any."""
    if not isinstance(predictions, Iterable):
        raise ValueError(
            f"predictions is {predictions!r}; give a dict or list of one array of labels per view."
        )
    if isinstance(predictions, np.ndarray) or hasattr(predictions, "to_numpy"):
        raise ValueError(
            "predictions is one table, of which it is not clear whether views are rows or columns; "
            "give a dict or list with one array of labels per view."
        )
    items = predictions.items() if isinstance(predictions, Mapping) else enumerate(predictions)
    named: dict[str, AnyArray] = {}
    ids = None
    for key, labels in items:
        name = key if isinstance(key, str) else f"view{key}"
        ordered = in_row_order(labels, ids, f"view {name!r}")
        ids = row_ids(labels) if ids is None else ids
        named[name] = read_labels(ordered, f"view {name!r}")
    return named, ids


def _masks(observed: Any, names: list[str], n_objects: int) -> list[BoolArray]:
    stated = {} if observed is None else read_mask(observed, names, n_objects)
    everywhere = np.ones(n_objects, dtype=bool)
    return [stated.get(name, everywhere) for name in names]


def _need_two(n_views: int, what: str) -> None:
    if n_views < 2:
        raise NumberOfViewsError(
            f"{what} holds {n_views} view(s) and a comparison needs at least two; give more views."
        )
