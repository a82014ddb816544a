"""Shared by features learnt from pairs of views: auxiliary problems, their number, the base."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length

from manyviews.base import BaseMultiViewTransformer, Labels, ViewTags, split_labelled
from manyviews.data import Views, per_view, spread_rows
from manyviews.exceptions import UnobservedViewsError
from manyviews.typing import (
    AnyArray,
    Count,
    FloatArray,
    Having,
    IntArray,
    Interval,
    Matrix,
    ViewsLike,
    is_sparse,
)

# Auxiliary problems: questions to the other views that need no label [@ando2007] ------------------

AuxiliaryFunction: TypeAlias = Literal["argmax", "nonzero"] | Callable[[Matrix], Any]
"""A question asked of a view, by a name or as a function of its observed rows."""


@dataclass(frozen=True)
class Auxiliary:
    """Answers of one view about every object, as zeros and ones."""

    values: sparse.csr_array
    """Shape (n_objects, m); an empty row where the view is unobserved or says nothing."""
    exclusive: bool
    """Whether the columns are the values of one function, so that at most one of them is 1."""


@dataclass(frozen=True)
class Block:
    """The problems that one view poses."""

    source: str
    columns: slice
    exclusive: bool


@dataclass(frozen=True)
class Problems:
    """Questions to the objects that show a view, about their other views."""

    rows: IntArray
    """The objects that show the view and, in another one, something to be asked about."""
    targets: sparse.csr_array
    """Shape (len(rows), n_problems), zeros and ones; every problem is true of some object."""
    blocks: tuple[Block, ...]
    """Which problems come from which view, in the order of the columns."""


def auxiliary_values(auxiliary: Any, views: Views) -> dict[str, Auxiliary]:
    """Apply the auxiliary function of each view to the objects that it shows.

    Parameters
    ----------
    auxiliary : {"argmax", "nonzero"}, callable, list or dict
        One for all views, or one per view. A callable gets the observed rows of a view and gives
        integers (n,), -1 for no value, or zeros and ones (n, m), dense or sparse.
    views : Views
        The objects.

    Examples
    --------
    >>> views = Views({"a": [[1.0, 3.0], [2.0, 2.0], [0.0, 0.0]]})
    >>> auxiliary_values("argmax", views)["a"].values.toarray()
    array([[0., 1.],
           [1., 0.],
           [0., 0.]])
    """
    functions = per_view(auxiliary, views.names, parameter="auxiliary")
    return {name: _of_view(functions[name], name, views) for name in views.names}


def problems_of(
    name: str, values: Mapping[str, Auxiliary], views: Views, *, most: int | None = None
) -> Problems:
    """Pose to a view the problems of all other views, side by side; to an only view its own.

    Of each view the ``most`` that are most often true are kept, all without such a number.

    Where another view is unobserved, its problems are false: a view that is missing at random
    shrinks their solutions and leaves their span.
    """
    others = [other for other in views.names if other != name] or [name]
    seen = views.observed_in(name)
    asked = np.zeros(len(views), dtype=bool)
    for other in others:
        asked |= np.diff(values[other].values.indptr) > 0
    rows = np.flatnonzero(seen & asked)
    if not len(rows):
        raise UnobservedViewsError(
            f"no object shows view {name!r} and something in another view, so nothing can be "
            "learnt about it; leave it out."
        )
    parts, blocks, start = [], [], 0
    for other in others:
        part = values[other].values[rows]
        part = part[:, _frequent(np.bincount(part.indices, minlength=part.shape[1]), most)]
        parts.append(part)
        columns = slice(start, start := start + int(part.shape[1]))
        blocks.append(Block(other, columns, values[other].exclusive))
    targets = sparse.csr_array(sparse.hstack(parts, format="csr"))
    return Problems(rows, targets, tuple(blocks))


def _frequent(counts: IntArray, most: int | None) -> IntArray:
    """Problems that are true of anybody, the ``most`` frequent of them, in their order."""
    falling = np.argsort(-counts, kind="stable")
    return np.sort(falling[: np.count_nonzero(counts)][:most])


def largest_entry(rows: Matrix) -> IntArray:
    """Which entry of each row is largest, the first of equal ones; -1 for a row of zeros.

    Sparse rows are read as they are stored.

    Examples
    --------
    >>> largest_entry(np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
    array([ 1, -1,  0])
    """
    if is_sparse(rows):
        return _largest_stored(rows)
    return np.where(rows.any(axis=1), rows.argmax(axis=1), -1)


def _largest_stored(rows: sparse.csr_array) -> IntArray:
    """The same from the stored entries; where all are negative, a zero between them is larger."""
    if not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    width, counts = rows.shape[1], np.diff(rows.indptr)
    filled = np.flatnonzero(counts)
    found = np.full(rows.shape[0], -1, dtype=np.intp)
    if not len(filled):
        return found
    starts, sizes = rows.indptr[filled], counts[filled]
    largest = np.maximum.reduceat(rows.data, starts)
    is_largest = rows.data == np.repeat(largest, sizes)
    found[filled] = np.minimum.reduceat(np.where(is_largest, rows.indices, width), starts)
    below = (largest < 0) & (sizes < width)
    if below.any():
        place = np.arange(len(rows.indices)) - np.repeat(starts, sizes)
        skipped = np.where(rows.indices != place, place, np.repeat(sizes, sizes))
        found[filled[below]] = np.minimum.reduceat(skipped, starts)[below]
    return found


def _of_view(function: Any, name: str, views: Views) -> Auxiliary:
    seen = np.flatnonzero(views.observed_in(name))
    if not len(seen):
        return Auxiliary(sparse.csr_array((len(views), 1)), exclusive=True)
    matrix = views[name]
    rows = matrix if len(seen) == len(views) else matrix[seen]
    found = _evaluate(function, rows)
    if found.ndim == 1:
        values, exclusive = _one_hot(_checked_codes(found, rows.shape[0], name)), True
    else:
        values, exclusive = _checked_binary(found, rows.shape[0], name), False
    spread = values if len(seen) == len(views) else spread_rows(values, seen, len(views))
    return Auxiliary(sparse.csr_array(spread), exclusive)


def _evaluate(function: AuxiliaryFunction, rows: Matrix) -> Any:
    if callable(function):
        found = function(rows)
        return found if is_sparse(found) else np.asarray(found)
    if function == "argmax":
        return largest_entry(rows)
    return sparse.csr_array(rows) != 0


def _checked_codes(codes: AnyArray, n_rows: int, name: str) -> IntArray:
    if codes.dtype.kind not in "iub" or codes.shape != (n_rows,) or codes.min() < -1:
        raise ValueError(
            f"the auxiliary function of view {name!r} gave an array of shape {codes.shape} and "
            f"type {codes.dtype} for {n_rows} rows; let it give one integer per row, 0 or more, "
            "or -1 for no value."
        )
    return codes.astype(np.intp)


def _checked_binary(values: Any, n_rows: int, name: str) -> sparse.csr_array:
    if values.ndim != 2 or values.shape[0] != n_rows or values.shape[1] == 0:
        raise ValueError(
            f"the auxiliary functions of view {name!r} gave the shape {values.shape} for {n_rows} "
            "rows; let them give one row for each, with a column for every function."
        )
    binary = sparse.csr_array(values)
    binary.eliminate_zeros()
    if binary.dtype.kind not in "biuf" or not np.all(binary.data == 1):
        raise ValueError(
            f"the auxiliary functions of view {name!r} gave something other than 0 and 1; let "
            "them say of every row whether it is so."
        )
    return binary.astype(np.float64)


def _one_hot(codes: IntArray) -> sparse.csr_array:
    """One column per value that occurs, in rising order; an empty row for -1."""
    said = np.flatnonzero(codes >= 0)
    values, columns = np.unique(codes[said], return_inverse=True)
    ones: FloatArray = np.ones(len(said))
    shape = (len(codes), max(len(values), 1))
    return sparse.csr_array((ones, (said, columns)), shape=shape)


# The number of features, by cross-validation on the labelled objects ------------------------------

NComponents: TypeAlias = Count | Sequence[Count] | None
"""A number of components, several to choose from, or as many as there are classes."""
Folds: TypeAlias = (
    Annotated[int, Interval(2)] | Annotated[Any, Having("a splitter", "split", "get_n_splits")]
)
WITHOUT_LABELS = 10
"""How many components there are if nobody says so and there is no label to count classes by."""


@dataclass(frozen=True)
class Choice:
    """How the candidates did."""

    candidates: IntArray
    scores: FloatArray
    """Accuracy on the held-out labelled objects, candidates × folds."""

    @property
    def best(self) -> int:
        """The candidate of the highest mean; of equal ones the smallest."""
        means = self.scores.mean(axis=1)
        return int(self.candidates[means >= means.max() - 1e-12].min())


def read_candidates(n_components: NComponents, labels: Labels | None) -> tuple[int, ...]:
    """Numbers of components to try, in rising order.

    Examples
    --------
    >>> read_candidates([20, 5], None), read_candidates(None, None)
    ((5, 20), (10,))
    """
    if n_components is None:
        n_classes = 0 if labels is None else len(labels.classes)
        return (n_classes if n_classes > 1 else WITHOUT_LABELS,)
    given = [n_components] if isinstance(n_components, int | np.integer) else n_components
    if not len(given):
        raise ValueError("n_components is empty; give a number, several to choose from, or None.")
    return tuple(sorted({int(value) for value in given}))


def choose_n_components(
    candidates: Sequence[int],
    features: Callable[[int, IntArray], Matrix],
    labels: Labels | None,
    *,
    estimator: Any = None,
    cv: Folds = 5,
) -> Choice:
    """Score every candidate by a classifier on features of the labelled objects.

    Parameters
    ----------
    candidates : sequence of int
        Numbers of components.
    features : callable
        ``features(n_components, training)`` gives the features of all labelled objects, in their
        order; where features depend on labels, only those at the places ``training`` (among the
        labelled objects) may be looked at.
    labels : Labels or None
        Labels of all objects; None is refused.
    estimator : classifier, optional
        Logistic regression by default.
    cv : int or splitter
        How many folds, at most as many as the rarest class has labelled objects; or a splitter of
        scikit-learn.

    Returns
    -------
    Choice
    """
    from sklearn.base import clone

    codes = _labelled_codes(candidates, labels)
    folds = list(_folds(cv, codes, labels))
    scores = np.empty((len(candidates), len(folds)))
    for row, n_components in enumerate(candidates):
        for column, (training, held_out) in enumerate(folds):
            matrix = features(n_components, training)
            classifier = clone(_classifier() if estimator is None else estimator)
            classifier.fit(matrix[training], codes[training])
            scores[row, column] = classifier.score(matrix[held_out], codes[held_out])
    return Choice(np.array(candidates), scores)


def _classifier() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _labelled_codes(candidates: Sequence[int], labels: Labels | None) -> IntArray:
    if labels is None or len(labels.classes) < 2:
        raise ValueError(
            f"n_components is to be chosen among {list(candidates)} by cross-validation, which "
            "needs labelled objects of two classes or more; give y, or one number."
        )
    return labels.codes[labels.labelled]


def _folds(
    cv: Folds, codes: IntArray, labels: Labels | None
) -> Iterator[tuple[IntArray, IntArray]]:
    from sklearn.model_selection import check_cv

    if isinstance(cv, int | np.integer):
        counts = np.bincount(codes)
        rarest = int(counts.argmin())
        cv = min(int(cv), int(counts[rarest]))
        if cv < 2:
            name = None if labels is None else labels.classes.tolist()[rarest]
            raise ValueError(
                f"n_components is to be chosen by cross-validation with {cv} folds, as the class "
                f"{name!r} has {counts[rarest]} labelled objects; give cv and every class at least "
                "2, or one number of components."
            )
    yield from check_cv(cv, codes, classifier=True).split(np.zeros(len(codes)), codes)


# The base of learnt features: beside the views they come from, or multiplied ----------------------


class ViewFeatures(BaseMultiViewTransformer):
    """Base of methods that learn a few features of each view.

    A child says in ``_features`` what the rows of a view have, in ``_n_features`` how many that
    are, and in ``_stem`` what they are called; ``interactions`` and ``concatenate`` are parameters.
    An unobserved view has the features zero: it speaks for nothing.
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)
    _stem: ClassVar[str]

    interactions: bool
    concatenate: bool

    @abstractmethod
    def _features(self, name: str, rows: Matrix) -> FloatArray:
        """Features of observed rows of a view."""

    @abstractmethod
    def _n_features(self, name: str) -> int:
        """How many they are."""

    def transform_views(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Learnt features by each view alone; NaN where a view is unobserved."""
        return self._by_view(self._new_views(X))

    def transform(self, X: ViewsLike) -> Matrix:
        """Views and learnt features side by side, CSR if any of the views is sparse."""
        views = self._new_views(X)
        return self._side_by_side(views, self._by_view(views))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns: ``view__feature``, then the learnt ones."""
        own = {
            name: [f"{name}__{self._stem}{number}" for number in range(self._n_features(name))]
            for name in self.layout_.names
        }
        if self._multiplies():
            learnt = [
                f"{a} {b}" for one, two in combinations(own.values(), 2) for a in one for b in two
            ]
        else:
            learnt = [feature for features in own.values() for feature in features]
        names = self.layout_.column_names() if self.concatenate else np.zeros(0, dtype=object)
        return np.concatenate([names, np.asarray(learnt, dtype=object)])

    def _read_labels(self, y: Any, views: Views) -> Labels | None:
        """Read labels, some of which may be missing, where there are any."""
        if y is None:
            return None
        labels = split_labelled(y, views)
        check_consistent_length(views, labels.codes)
        return labels

    def _by_view(self, views: Views) -> dict[str, FloatArray]:
        found = {}
        for name, matrix in views.items():
            seen = views.observed_in(name)
            found[name] = np.full((len(views), self._n_features(name)), np.nan)
            if seen.any():
                found[name][seen] = self._features(name, matrix if seen.all() else matrix[seen])
        return found

    def _side_by_side(self, views: Views, features: Mapping[str, FloatArray]) -> Matrix:
        """The result for some views, with features that have NaN where a view is unobserved."""
        spoken = [np.nan_to_num(block, nan=0.0) for block in features.values()]
        learnt = _products(spoken) if self._multiplies() else spoken
        blocks: list[Matrix] = (
            [_filled(name, views) for name in views.names] if self.concatenate else []
        )
        if any(is_sparse(block) for block in blocks):
            return sparse.csr_array(sparse.hstack([*blocks, *learnt], format="csr"))
        return np.hstack([*blocks, *learnt])

    def _multiplies(self) -> bool:
        """Whether features are products of two views; one view alone has nothing to multiply."""
        return self.interactions and len(self.layout_.names) > 1


def _products(features: list[FloatArray]) -> list[FloatArray]:
    """Every feature of one view times every feature of another, for each pair of views."""
    return [
        (one[:, :, None] * two[:, None, :]).reshape(len(one), -1)
        for one, two in combinations(features, 2)
    ]


def _filled(name: str, views: Views) -> Matrix:
    """A view as it is, with zeros where it is unobserved."""
    matrix, seen = views[name], views.observed_in(name)
    if is_sparse(matrix) or seen.all():
        return matrix
    return np.where(seen[:, None], matrix, 0.0)
