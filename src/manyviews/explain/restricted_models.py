"""Classifiers on few columns of the views or on all, and what they say of objects left out.

From the top: views as one matrix of comparable columns; classifiers and what they say; recursive
elimination of columns [@rueping2005]; folds, and what is said of objects left out; where each of
two is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from manyviews.base import BaseMultiViewClassifier, reads_views, refusing_overflow
from manyviews.data import Views
from manyviews.exceptions import ParameterError
from manyviews.maths import dense_new_rows, safe_log
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

__all__ = [
    "Columns",
    "Data",
    "Judged",
    "Model",
    "Said",
    "Way",
    "column_weights",
    "deal",
    "eliminate",
    "fit_columns",
    "judge",
    "learn",
    "left_out",
    "model_weights",
    "sharpness",
]

NARROW = 50
"""Features of a sparse view up to which it is treated as a dense one; where ``diagnose`` draws the
line, too."""
LENGTH = float(np.sqrt(10.0))
"""Length of the rows of wider sparse views. Logistic regression at C=1 is then as at C=10 with
rows of length one, which for six views of words and links is within a point of the best C of 1 to
100 (2026-11)."""
ELIMINATED = 0.1
"""Part of the features that is eliminated at a time. A judgement: of 3,000 features ten are left
after some fifty fits."""
CONSTANT = 1e-9
"""A feature that spreads less, relative to its size, is rounding and counts as constant."""


# Views as one matrix ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """How views become one matrix whose columns can be compared, whatever their units.

    Features of dense views, and of sparse ones of 50 features or fewer, are standardised; an
    object that lacks the view has their means. Rows of wider sparse views get one length and stay
    sparse; where the view is lacking they are empty. Then each view has the same total variance.
    """

    names: tuple[str, ...]
    widths: tuple[int, ...]
    wide: tuple[bool, ...]
    """Whether the rows of a view, and not its features, are scaled."""
    shifts: tuple[FloatArray, ...]
    scales: tuple[FloatArray, ...]
    factors: tuple[float, ...]
    """What makes the variances of the views equal."""

    def of(self, names: Sequence[str]) -> IntArray:
        """Positions of the columns of some views."""
        owner = np.repeat(np.arange(len(self.names)), self.widths)
        return np.flatnonzero(np.isin(owner, [self.names.index(name) for name in names]))

    def locate(self, column: int) -> tuple[str, int]:
        """View and place in it of a column."""
        ends = np.cumsum(self.widths)
        view = int(np.searchsorted(ends, column, side="right"))
        return self.names[view], int(column - ends[view] + self.widths[view])

    def matrix(self, views: Views) -> Matrix:
        """All views side by side: dense, or a CSR array if a wide view is sparse."""
        blocks = [
            self._block(place, views[name], views.observed_in(name))
            for place, name in enumerate(self.names)
        ]
        if any(self.wide):
            return sparse.csr_array(sparse.hstack(blocks, format="csr"))
        return np.hstack(blocks)

    def _block(self, place: int, matrix: Matrix, seen: BoolArray) -> Matrix:
        if self.wide[place]:
            return _unit_rows(matrix) * self.factors[place]
        rows = np.asarray(dense_new_rows(matrix), dtype=np.float64)
        found = np.zeros(rows.shape)
        found[seen] = (rows[seen] - self.shifts[place]) / self.scales[place] * self.factors[place]
        return found


def fit_columns(views: Views) -> Columns:
    """Learn means, spreads and sizes of the views.

    Examples
    --------
    >>> views = Views({"celsius": [[10.0], [20.0], None]})
    >>> fit_columns(views).matrix(views)
    array([[-1.],
           [ 1.],
           [ 0.]])
    """
    wide: list[bool] = []
    shifts: list[FloatArray] = []
    scales: list[FloatArray] = []
    totals: list[float] = []
    for name, matrix in views.items():
        is_wide = is_sparse(matrix) and matrix.shape[1] > NARROW
        wide.append(is_wide)
        seen = views.observed_in(name)
        if is_wide:
            rows = _unit_rows(matrix[seen])
            shifts.append(np.zeros(0))
            scales.append(np.zeros(0))
            totals.append(float(np.square(spreads(rows)).sum()))
        else:
            shift, scale = _mean_and_spread(np.asarray(dense_new_rows(matrix))[seen])
            shifts.append(shift)
            scales.append(scale)
            totals.append(float((scale != 1.0).sum()))
    variances = np.array(totals)
    known = variances > 0
    mean = variances[known].mean() if known.any() else 1.0
    factors = np.sqrt(np.divide(mean, variances, out=np.ones(len(variances)), where=known))
    layout = views.layout
    return Columns(
        layout.names,
        layout.widths,
        tuple(wide),
        tuple(shifts),
        tuple(scales),
        tuple(factors.tolist()),
    )


def _mean_and_spread(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and deviation of each feature, 1 of a constant one; sums cannot overflow."""
    if not len(rows):
        return np.zeros(rows.shape[1]), np.ones(rows.shape[1])
    largest = np.abs(rows).max(axis=0).astype(np.float64)
    unit = np.where(largest > 0, largest, 1.0)
    shares = rows / unit
    spread = shares.std(axis=0)
    constant = spread <= CONSTANT
    return shares.mean(axis=0) * unit, np.where(constant, 1.0, spread * unit)


def _unit_rows(matrix: Matrix) -> sparse.csr_array:
    """Rows of one length; empty ones stay so."""
    rows = sparse.csr_array(matrix, dtype=np.float64) if is_sparse(matrix) else _sparse(matrix)
    largest = abs(rows).max(axis=1).toarray().ravel() if rows.shape[1] else np.zeros(rows.shape[0])
    rows = _by_rows(rows, largest)
    lengths = np.sqrt(np.asarray(rows.power(2).sum(axis=1)).ravel())
    return _by_rows(rows, lengths / LENGTH)


def _sparse(matrix: FloatArray) -> sparse.csr_array:
    return sparse.csr_array(np.nan_to_num(np.asarray(matrix, dtype=np.float64)))


def _by_rows(rows: sparse.csr_array, by: FloatArray) -> sparse.csr_array:
    """Divide each row by a number, unless that is zero."""
    divisors = np.repeat(np.where(by > 0, by, 1.0), np.diff(rows.indptr))
    return sparse.csr_array((rows.data / divisors, rows.indices, rows.indptr), shape=rows.shape)


def spreads(matrix: Matrix) -> FloatArray:
    """Standard deviation of each column."""
    if not is_sparse(matrix):
        return np.asarray(matrix.std(axis=0)) if len(matrix) else np.zeros(matrix.shape[1])
    n_rows = max(matrix.shape[0], 1)
    means = np.asarray(matrix.sum(axis=0)).ravel() / n_rows
    squares = np.asarray(matrix.power(2).sum(axis=0)).ravel() / n_rows
    return np.sqrt(np.maximum(squares - means**2, 0.0))


# Classifiers and what they say --------------------------------------------------------------------


@dataclass(frozen=True)
class Data:
    """Objects as views, for classifiers that know views, and as one matrix, for all others."""

    views: Views
    matrix: Matrix

    def rows(self, rows: Any) -> Data:
        """Some of the objects."""
        return Data(self.views[rows], self.matrix[rows])


@dataclass(frozen=True)
class Way:
    """How a classifier is to be learnt."""

    estimator: Any
    """Not fitted, and never will be: clones of it are."""
    names: tuple[str, ...]
    """The views that it may use."""
    columns: IntArray
    """Their columns in the matrix."""
    n_features: int | None
    """How many columns it may use in the end; None: all."""
    role: str
    """The parameter by which a user gave it, for errors."""
    share: float = ELIMINATED
    """Part of the columns that is eliminated at a time."""


@dataclass(frozen=True)
class Said:
    """What a classifier says of objects."""

    codes: IntArray
    """The class that it predicts, by its position."""
    scores: FloatArray
    """Objects × classes: logarithms of probabilities, or decisions."""

    def shares(self, sharpness: float) -> FloatArray:
        """Probabilities: ``exp(sharpness · score)``, normalised.

        The class predicted is always the most probable one: a classifier may predict by another
        rule than by its scores (support vector machines of many classes do), and then the two
        classes change places.
        """
        found = np.exp(log_softmax(sharpness * self.scores, axis=1))
        rows, top = np.arange(len(found)), found.argmax(axis=1)
        found[rows, top], found[rows, self.codes] = found[rows, self.codes], found[rows, top]
        return found


@dataclass(frozen=True)
class Model:
    """A fitted classifier, whose classes are positions, and the columns or views that it sees."""

    estimator: Any
    names: tuple[str, ...]
    columns: IntArray
    by_views: bool
    """Whether it takes views."""
    sharpness: float = 1.0
    """What its scores are multiplied by, to be logarithms of probabilities."""

    def ask(self, data: Data, n_classes: int) -> Said:
        """What it says of objects."""
        rows = data.views.subset(self.names) if self.by_views else data.matrix[:, self.columns]
        with refusing_overflow(self.estimator, rows):
            codes = np.asarray(self.estimator.predict(rows), dtype=np.intp)
            known = np.asarray(self.estimator.classes_, dtype=np.intp)
            found = scores_of(self.estimator, rows, codes, known)
        scores = np.repeat(found.min(axis=1, keepdims=True), n_classes, axis=1)
        scores[:, known] = found  # a class that it never met is as improbable as the least probable
        return Said(codes, scores)

    def predict_proba(self, data: Data, n_classes: int) -> FloatArray:
        """Probabilities of the classes."""
        return self.ask(data, n_classes).shares(self.sharpness)


def scores_of(estimator: Any, rows: Any, codes: IntArray, known: IntArray) -> FloatArray:
    """Logarithms of probabilities, else decisions, else 1 for the class that is predicted."""
    if hasattr(estimator, "predict_proba"):
        return safe_log(np.asarray(estimator.predict_proba(rows)))
    if hasattr(estimator, "decision_function"):
        decisions = np.asarray(estimator.decision_function(rows), dtype=np.float64)
        if decisions.ndim == 1:
            return np.column_stack([-decisions / 2, decisions / 2])
        if decisions.shape[1] == len(known):
            return decisions
    return (codes[:, None] == known).astype(float)


def is_probable(estimator: Any) -> bool:
    """Whether it gives probabilities of its own."""
    return hasattr(estimator, "predict_proba")


def sharpness(scores: FloatArray, codes: IntArray) -> float:
    """The factor at which scores, as logarithms of probabilities, are most likely [@platt1999].

    Platt fits a factor and an offset; without the offset the class of the highest score stays the
    most probable.

    Examples
    --------
    >>> scores = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    >>> round(sharpness(scores, np.array([1, 1, 1, 0])), 4)  # log(3): three of four are right
    1.0986
    """
    rows = np.arange(len(codes))
    size = float(np.sqrt(np.mean((scores - scores.mean(axis=1, keepdims=True)) ** 2)))
    if not size:
        return 1.0

    def loss(exponent: float) -> float:
        said = log_softmax(np.exp(exponent) / size * scores, axis=1)
        return -float(said[rows, codes].mean())

    found = minimize_scalar(loss, bounds=FACTORS, method="bounded", options={"xatol": 1e-10})
    return float(np.exp(found.x) / size)


FACTORS = (-7.0, 4.0)
"""Logarithms between which factors are sought, relative to the size of the scores: from where they
say next to nothing to where classes that are told apart without error are certain."""


# Learning, with elimination -----------------------------------------------------------------------


def learn(way: Way, data: Data, codes: IntArray) -> Model:
    """Fit a clone; to the labelled objects only, unless it is a method that knows unlabelled ones.

    Objects of one class only are learnt by heart.
    """
    labelled = codes >= 0
    if len(np.unique(codes[labelled])) < 2:
        dummy = DummyClassifier(strategy="most_frequent").fit(
            np.zeros((labelled.sum(), 1)), codes[labelled]
        )
        return Model(dummy, way.names, way.columns[:1], by_views=False)
    if reads_views(way.estimator):
        _refuse_elimination(way)
        rows = np.ones(len(codes), dtype=bool) if _knows_unlabelled(way.estimator) else labelled
        estimator = clone(way.estimator).fit(data.views[rows].subset(way.names), codes[rows])
        return Model(estimator, way.names, way.columns, by_views=True)
    matrix, known = data.matrix[labelled], codes[labelled]
    columns = way.columns
    if way.n_features is not None and len(columns) > way.n_features:
        kept = eliminate(
            lambda places: _weights(way, matrix[:, columns[places]], known),
            len(columns),
            way.n_features,
            way.share,
        )
        columns = columns[kept]
    return Model(_fitted(way, matrix[:, columns], known), way.names, columns, by_views=False)


def eliminate(
    weigh: Callable[[IntArray], FloatArray], n_columns: int, n_features: int, share: float
) -> IntArray:
    """Remove the columns of the lowest weight, again and again, until so many are left.

    Parameters
    ----------
    weigh : callable
        Sizes of the weights of the columns at some places, learnt from these alone.
    n_columns, n_features : int
        How many there are, and how many are to stay.
    share : float
        Part that is removed at a time; one column at least.

    Examples
    --------
    >>> sizes = np.array([0.3, 0.9, 0.1, 0.5])
    >>> eliminate(lambda places: sizes[places], 4, 2, 0.0)
    array([1, 3])
    """
    kept = np.arange(n_columns)
    while len(kept) > n_features:
        n_kept = max(n_features, len(kept) - max(1, int(share * len(kept))))
        heaviest = np.argsort(-weigh(kept), kind="stable")[:n_kept]
        kept = kept[np.sort(heaviest)]
    return kept


def column_weights(estimator: Any, n_columns: int) -> FloatArray | None:
    """Weights of a fitted estimator, targets × columns; None if it has none.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> column_weights(LinearSVC().fit([[0.0], [1.0]], [0, 1]), 1).shape
    (1, 1)
    """
    last = estimator.best_estimator_ if hasattr(estimator, "best_estimator_") else estimator
    last = last[-1] if hasattr(last, "steps") else last
    for name in ("coef_", "feature_importances_"):
        if hasattr(last, name):
            found = getattr(last, name)
            dense = np.atleast_2d(np.asarray(found.toarray() if is_sparse(found) else found))
            if dense.shape[1] == n_columns:
                return dense.astype(np.float64)
    return None


def is_linear(estimator: Any) -> bool:
    """Whether weights are coefficients, whose size depends on the spread of their column."""
    last = estimator.best_estimator_ if hasattr(estimator, "best_estimator_") else estimator
    last = last[-1] if hasattr(last, "steps") else last
    return hasattr(last, "coef_")


def _weights(way: Way, rows: Matrix, codes: IntArray) -> FloatArray:
    """Mean size of the weights over the targets, per standard deviation of a column."""
    estimator = _fitted(way, rows, codes)
    found = column_weights(estimator, rows.shape[1])
    if found is None:
        raise ParameterError(
            f"{way.role}={way.estimator} has neither coef_ nor feature_importances_ by which "
            "features could be eliminated; give a linear model or trees, or n_features=None."
        )
    sizes = np.abs(found).mean(axis=0)
    return sizes * spreads(rows) if is_linear(estimator) else sizes


def _fitted(way: Way, rows: Matrix, codes: IntArray) -> Any:
    estimator = clone(way.estimator)
    with refusing_overflow(estimator, rows):
        return estimator.fit(rows, codes)


def _refuse_elimination(way: Way) -> None:
    if way.n_features is not None and len(way.columns) > way.n_features:
        raise ParameterError(
            f"{way.role}={way.estimator} takes views, of which no features can be eliminated; give "
            "n_features=None, or a classifier of scikit-learn with coef_ or feature_importances_."
        )


def _knows_unlabelled(estimator: Any) -> bool:
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    return isinstance(last, BaseMultiViewClassifier)


def model_weights(model: Model, data: Data) -> FloatArray:
    """Weights of the columns of a model, targets × columns, per standard deviation; else zeros."""
    found = column_weights(model.estimator, len(model.columns))
    if found is None:
        return np.zeros((1, len(model.columns)))
    if not is_linear(model.estimator):
        return found
    return np.asarray(found * spreads(data.matrix[:, model.columns]))


# Objects left out ---------------------------------------------------------------------------------


def deal(matrix: Matrix, codes: IntArray, n_folds: int) -> IntArray:
    """Deal out labelled objects to folds, class by class; -1 for all others.

    Within a class they go in the order of their size, then of their product with the mean, so that
    neither the order of the objects nor that of the features matters.

    Examples
    --------
    >>> deal(np.array([[0.0], [3.0], [1.0], [2.0]]), np.array([0, 0, 1, 1]), 2)
    array([0, 1, 0, 1])
    """
    mean = np.asarray(matrix.mean(axis=0)).ravel()
    squares = matrix.power(2) if is_sparse(matrix) else matrix**2
    sizes = np.asarray(squares.sum(axis=1)).ravel()
    products = np.asarray(matrix @ mean).ravel()
    unit = max(float(sizes.max(initial=0.0)), np.finfo(np.float64).tiny)
    order = np.lexsort((np.round(products / unit, 9), np.round(sizes / unit, 9), codes))
    order = order[codes[order] >= 0]
    folds = np.full(len(codes), -1, dtype=np.intp)
    folds[order] = np.arange(len(order)) % min(n_folds, len(order))
    return folds


def left_out(way: Way, data: Data, codes: IntArray, folds: IntArray, n_classes: int) -> Said:
    """What is said of each labelled object by a model that was learnt without its fold.

    All is done anew in each fold, elimination included: features that were chosen with an object
    in hand would be too good for it.
    """
    found = Said(np.full(len(codes), -1, dtype=np.intp), np.zeros((len(codes), n_classes)))
    for fold in range(int(folds.max()) + 1):
        train, test = folds != fold, folds == fold
        said = learn(way, data.rows(train), codes[train]).ask(data.rows(test), n_classes)
        found.codes[test], found.scores[test] = said.codes, said.scores
    return found


def calibrated(model: Model, said: Said, codes: IntArray) -> Model:
    """Make probabilities of the scores of a classifier that has none, by what it said left out."""
    if is_probable(model.estimator):
        return model
    known = codes >= 0
    return replace(model, sharpness=sharpness(said.scores[known], codes[known]))


# What both models say, and where each is right ----------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """Both models, and what they say of the objects when these are left out."""

    simple: Model
    """The global one."""
    full: Model
    """The local one."""
    codes: IntArray
    """True classes; -1: unlabelled."""
    simple_codes: IntArray
    """What the global model says; left out, where an object is labelled."""
    full_codes: IntArray
    shares: FloatArray
    """P_orig(Y|x) by the global model."""
    folds: IntArray

    @property
    def simple_right(self) -> IntArray:
        """1 where the global model is right."""
        return (self.simple_codes == self.codes).astype(np.intp)

    @property
    def full_right(self) -> IntArray:
        """1 where the local model is right."""
        return (self.full_codes == self.codes).astype(np.intp)

    @property
    def gains(self) -> FloatArray:
        """What is gained where the local model speaks: 1, 0 or -1; 0 for unlabelled objects."""
        return (self.full_right - self.simple_right).astype(np.float64)


def judge(simple: Way, full: Way, data: Data, codes: IntArray, n_classes: int, cv: int) -> Judged:
    """Fit both models, and let each say what it says of objects left out."""
    folds = deal(data.matrix, codes, cv)
    models, said = [], []
    for way in (simple, full):
        apart = left_out(way, data, codes, folds, n_classes)
        model = calibrated(learn(way, data, codes), apart, codes)
        if (codes < 0).any():
            apart = _completed(apart, model.ask(data.rows(codes < 0), n_classes), codes < 0)
        models.append(model)
        said.append(apart)
    return Judged(
        models[0],
        models[1],
        codes,
        said[0].codes,
        said[1].codes,
        said[0].shares(models[0].sharpness),
        folds,
    )


def _completed(said: Said, others: Said, unlabelled: Any) -> Said:
    """Say of unlabelled objects, which were never left out, what the models say of them."""
    codes, scores = said.codes.copy(), said.scores.copy()
    codes[unlabelled], scores[unlabelled] = others.codes, others.scores
    return Said(codes, scores)
