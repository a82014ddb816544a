"""Where hidden classes start: from labels, of classes or of groups of them, or from clusters."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from manyviews.base import Labels
from manyviews.embed._features._auxiliary import Problems
from manyviews.embed._features._maximum_entropy import Design, maximum_entropy
from manyviews.embed._features._subspace import subspace
from manyviews.exceptions import UnknownViewError
from manyviews.typing import FloatArray, IntArray, Matrix

_STEPS = 200
_TOL = 1e-4
_N_INIT = 10
"""How often k-means starts."""


def read_super_classes(
    super_classes: Mapping[str, Mapping[Any, Any]] | None,
    labels: Labels | None,
    names: tuple[str, ...],
) -> dict[str, Labels | None]:
    """Labels as each view can tell them: those of the super-classes where a view has such.

    Parameters
    ----------
    super_classes : mapping or None
        By view, a mapping from each class to its super-class; a view that is not named tells the
        classes themselves.
    labels : Labels or None
        The classes.
    names : tuple of str
        The views.

    Examples
    --------
    >>> labels = Labels(np.array([0, 1, 2, -1]), np.array(["cat", "dog", "oak"]))
    >>> told = read_super_classes({"a": {"cat": 1, "dog": 1, "oak": 2}}, labels, ("a", "b"))
    >>> told["a"].codes, told["b"].codes
    (array([ 0,  0,  1, -1]), array([ 0,  1,  2, -1]))
    """
    given = {} if super_classes is None else super_classes
    _refuse_unknown_views(given, names)
    if labels is None:
        return dict.fromkeys(names)
    return {name: _merged(labels, given[name], name) if name in given else labels for name in names}


def only_labels(labels: Labels | None, places: IntArray) -> Labels | None:
    """The labels of some objects; the classes stay, whether or not any of these is of them."""
    if labels is None:
        return None
    codes = np.full_like(labels.codes, -1)
    codes[places] = labels.codes[places]
    return Labels(codes, labels.classes)


def labelled_start(posed: Design, matrix: Matrix, labels: Labels, n_components: int) -> FloatArray:
    """Weights of a maximum-entropy classifier of labelled rows, with the penalty of the mixture."""
    rows = matrix[np.flatnonzero(labels.labelled)].astype(np.float64, copy=False)
    labelled = Design(rows, posed.constant, posed.penalty)
    return _classifier(labelled, labels.codes[labels.labelled], n_components)


def clustered_start(
    posed: Design, problems: Problems, n_components: int, rng: np.random.Generator
) -> FloatArray:
    """Weights of a maximum-entropy classifier of clusters.

    The clusters are those of k-means in the linear subspace in which the view predicts the answers
    of the others: where the hidden classes lie if there are any.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    basis = subspace(posed.rows, problems.targets, n_components).basis
    n_clusters = min(n_components, posed.rows.shape[0])
    if not basis.shape[1] or n_clusters == 1:
        return np.zeros((posed.n_weights, n_components))
    seed = int(rng.integers(2**31))
    means = KMeans(n_clusters, n_init=_N_INIT, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters
        codes = means.fit_predict(np.asarray(posed.rows @ basis))
    return _classifier(posed, codes, n_components)


def _classifier(posed: Design, codes: IntArray, n_components: int) -> FloatArray:
    nothing = np.zeros((posed.n_weights, n_components))
    return maximum_entropy(posed, np.eye(n_components)[codes], nothing, max_iter=_STEPS, tol=_TOL)


def _refuse_unknown_views(given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in given:
        if name not in names:
            raise UnknownViewError(
                f"super_classes names the view {name!r}, which is not among the views "
                f"{', '.join(map(repr, names))}; rename or remove it."
            )


def _merged(labels: Labels, mapping: Mapping[Any, Any], name: str) -> Labels:
    classes = labels.classes.tolist()
    for each in classes:
        if each not in mapping:
            raise ValueError(
                f"super_classes of view {name!r} says nothing of the class {each!r}; give its "
                "super-class."
            )
        if not isinstance(mapping[each], Hashable):
            raise ValueError(
                f"super_classes of view {name!r} puts the class {each!r} into {mapping[each]!r}; "
                "give the super-class as a string or a number."
            )
    told = [mapping[each] for each in classes]
    groups = list(dict.fromkeys(told))
    of_class = np.array([groups.index(each) for each in told])
    codes = np.where(labels.codes >= 0, of_class[labels.codes], -1)
    return Labels(codes, np.arange(len(groups)))
