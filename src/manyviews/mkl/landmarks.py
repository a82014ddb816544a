"""A linear classifier on similarities to landmarks, whatever the similarity [@balcan2006].

The equations are numbered as in [@kumar2013], section 6.2.2.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from scipy.linalg import solve
from sklearn.base import clone

from manyviews.base import BaseMultiViewClassifier, MultiViewTags, ViewTags, if_estimator_has
from manyviews.data import Views, per_view
from manyviews.maths import check_memory, generator, row_blocks, rows_at_a_time, to_dense
from manyviews.mkl.classifier import N_FOLDS, class_scores, fit_sharpness, probabilities
from manyviews.mkl.svm import class_signs
from manyviews.similarity import (
    Kernel,
    Lookup,
    LowRankKernel,
    Precomputed,
    Similarity,
    SimilarityLike,
    as_similarity,
)
from manyviews.typing import (
    AnyArray,
    ByView,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    Interval,
    Matrix,
    RandomState,
    Repeats,
    Verbosity,
    ViewsLike,
)

__all__ = ["LandmarkClassifier"]

PAIR_BY_PAIR = (Kernel, Lookup, LowRankKernel, Precomputed)
"""Similarities of two rows that depend on these alone, once fitted; others may need all rows."""
COSTS = tuple(10.0**power for power in range(-2, 4))
"""Values of C that are tried, on features whose rows have length one on average: from hardly
anything learnt to hardly an error."""
MAX_ITER = 200
"""Newton's steps, of which some ten are needed."""
LEAST_GAIN = 1e-12
"""A step that lowers the objective by less than this share of it is the last: that is rounding."""


def draw_landmarks(codes: IntArray, n_landmarks: int, rng: np.random.Generator) -> IntArray:
    """Draw objects, equally many of each class; return their numbers in order.

    Examples
    --------
    >>> codes = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    >>> chosen = draw_landmarks(codes, 4, np.random.default_rng(0))
    >>> codes[chosen]
    array([0, 0, 1, 1])
    """
    shares = class_shares(np.bincount(codes), n_landmarks)
    drawn = [
        rng.permutation(np.flatnonzero(codes == code))[:share] for code, share in enumerate(shares)
    ]
    return np.sort(np.concatenate(drawn))


def class_shares(counts: IntArray, n_landmarks: int) -> IntArray:
    """How many objects each class gives: the same number, but no class more than it has.

    What small classes lack is shared by the others, as is what cannot be divided. Each class
    gives at least one.

    Examples
    --------
    >>> class_shares(np.array([10, 2, 10]), 9)
    array([3, 2, 4])
    """
    shares = np.zeros(len(counts), dtype=np.intp)
    left = max(n_landmarks, len(counts))
    for place, code in enumerate(np.argsort(counts, kind="stable")):
        shares[code] = min(counts[code], left // (len(counts) - place))
        left -= shares[code]
    return shares


def read_n_landmarks(value: str | float, n_objects: int) -> int:
    """The number of landmarks that a user meant: "third", a share, or a number.

    Examples
    --------
    >>> read_n_landmarks("third", 10), read_n_landmarks(0.5, 10), read_n_landmarks(20, 10)
    (3, 5, 10)
    """
    if isinstance(value, str):
        return n_objects // 3
    if isinstance(value, numbers.Integral):
        return min(int(value), n_objects)
    return max(1, int(value * n_objects))


@dataclass(frozen=True)
class ViewLandmarks:
    """The landmarks that one view shows."""

    similarity: Similarity
    rows: Matrix = field(repr=False)
    """What new rows are compared with: the landmarks, or all training rows if one needs these."""
    columns: IntArray = field(repr=False)
    """Which of the columns of these comparisons are landmarks."""
    landmarks: IntArray = field(repr=False)
    """Which of all landmarks they are."""

    def similarities(self, rows: Matrix) -> FloatArray:
        """Similarities of some rows to the landmarks of this view."""
        found = to_dense(self.similarity.cross(rows, self.rows)[:, self.columns])
        return found.astype(np.float64, copy=False)


@dataclass(frozen=True)
class LandmarkSpace:
    """Centred similarities to landmarks, view by view, as features.

    Those of a view have mean zero over the training objects that it shows and one scale, by which
    their mean variance is one. An object that the view does not show has zeros there.
    """

    views: dict[str, ViewLandmarks]
    means: FloatArray = field(repr=False)
    scales: FloatArray = field(repr=False)

    @property
    def landmarks(self) -> IntArray:
        """Which landmark each feature is the similarity to."""
        return np.concatenate([own.landmarks for own in self.views.values()])

    def features(self, views: Views) -> FloatArray:
        """``φ(x) = (K(x, t_1), …, K(x, t_l))``, centred and scaled."""
        return self.scaled(similarities_to_landmarks(self.views, views))  # Eq. (6.3)

    def scaled(self, similarities: FloatArray) -> FloatArray:
        """Features from similarities, which are overwritten; zeros where they are NaN."""
        similarities -= self.means
        similarities /= self.scales
        return np.nan_to_num(similarities, copy=False, nan=0.0)


def fit_space(
    views: Views, objects: IntArray, landmarks: IntArray, similarity: Any
) -> tuple[LandmarkSpace, FloatArray]:
    """Compare some objects with the landmarks among them, which are positions in ``objects``.

    Returned are what turns objects into features, and the features of those that take part.
    """
    given = per_view(similarity, views.names, parameter="similarity")
    n_features = int(views.observed[objects[landmarks]].sum())
    check_memory(
        (len(objects), n_features),
        f"similarities of {len(objects):,} objects to {len(landmarks):,} landmarks, in all views,",
        remedy="take fewer landmarks, as by n_landmarks=300",
    )
    own = {
        name: _view_landmarks(views, name, objects, landmarks, given[name]) for name in views.names
    }
    found = similarities_to_landmarks(own, views[objects])
    shown = ~np.isnan(found)
    n_shown = np.maximum(shown.sum(axis=0), 1)
    means = np.nansum(found, axis=0) / n_shown
    variances = np.nansum((found - means) ** 2, axis=0) / n_shown
    space = LandmarkSpace(own, means, _scales(variances, [len(v.landmarks) for v in own.values()]))
    return space, space.scaled(found)


def similarities_to_landmarks(own: dict[str, ViewLandmarks], views: Views) -> FloatArray:
    """Similarities in each view side by side; NaN for objects that a view does not show."""
    blocks = []
    for name, landmarks in own.items():
        block = np.full((len(views), len(landmarks.landmarks)), np.nan)
        seen = np.flatnonzero(views.observed_in(name))
        if block.shape[1] and len(seen):
            block[seen] = landmarks.similarities(views[name][seen])
        blocks.append(block)
    return np.hstack(blocks)


def _view_landmarks(
    views: Views, name: str, objects: IntArray, landmarks: IntArray, similarity: Any
) -> ViewLandmarks:
    seen = views.observed_in(name)[objects]
    places = objects[seen]
    rows = views[name][places]
    chosen = as_similarity(similarity, "similarity")
    shown = np.flatnonzero(seen[landmarks])
    columns = (np.cumsum(seen) - 1)[landmarks[shown]]
    if isinstance(chosen, Precomputed) and rows.shape[1] != len(views):
        raise ValueError(
            f"view {name!r} has {rows.shape[1]} columns for {len(views)} objects, so it is no "
            "matrix of similarities; give one, or similarity='rbf' for rows of features."
        )
    if not len(places):
        return ViewLandmarks(chosen, rows, columns, shown)
    fitted = chosen.fitted(rows, places)
    if not isinstance(chosen, PAIR_BY_PAIR):
        return ViewLandmarks(fitted, rows, columns, shown)
    kept = rows[columns[:0] if isinstance(chosen, Precomputed) else columns]
    return ViewLandmarks(fitted.restricted(columns), kept, np.arange(len(shown)), shown)


def _scales(variances: FloatArray, widths: list[int]) -> FloatArray:
    """For every feature the root of the mean variance in its view; one where all are constant."""
    parts = np.split(variances, np.cumsum(widths)[:-1])
    scales = [np.sqrt(part.mean()) if part.any() else 1.0 for part in parts]
    return np.repeat(scales, widths)


@dataclass(frozen=True)
class LinearMachine:
    """One linear function for two classes, or one per class against the others."""

    classes: IntArray
    weights: FloatArray = field(repr=False)
    """Weights of the features, then the constant; one column per function."""
    C: float
    sharpness: float
    """What the values are multiplied by to be log-probabilities."""

    def decision_function(self, features: FloatArray) -> FloatArray:
        """Values of the functions; one per object if there are two classes."""
        values = features @ self.weights[:-1] + self.weights[-1]
        return values.ravel() if len(self.classes) == 2 else values

    def predict(self, features: FloatArray) -> IntArray:
        """Class of each object."""
        return self.classes[largest(self.decision_function(features))]

    def predict_proba(self, features: FloatArray) -> FloatArray:
        """Probability of each class."""
        return probabilities(self.decision_function(features), self.sharpness)


def largest(decisions: FloatArray) -> IntArray:
    """The class of largest score; with one score for two classes, the second if positive.

    Examples
    --------
    >>> largest(np.array([-0.5, 2.0])), largest(np.array([[0.1, 0.3, 0.2]]))
    (array([0, 1]), array([1]))
    """
    return (decisions > 0).astype(np.intp) if decisions.ndim == 1 else decisions.argmax(axis=1)


def fit_linear_machine(features: FloatArray, codes: IntArray) -> LinearMachine:
    """Fit a linear machine with the C of largest accuracy in four folds; of equals, the smallest.

    Where classes are too small for two of them to be left in every fold, C is 1. The scores of the
    objects held out, with that C, tell how sure the machine may be (``fit_sharpness``).
    """
    if np.sum(np.bincount(codes) > 1) < 2:
        return linear_machines(features, codes, (1.0,))[0]
    folds = folds_of(codes)
    scores = np.full((len(COSTS), len(codes), int(codes.max()) + 1), -np.inf)
    for fold in range(folds.max() + 1):
        inside = folds != fold
        machines = linear_machines(features[inside], codes[inside], COSTS)
        for own, machine in zip(scores, machines, strict=True):
            found = class_scores(machine.decision_function(features[~inside]))
            own[np.ix_(~inside, machine.classes)] = found
    right = np.sum(scores.argmax(axis=2) == codes, axis=1)
    best = int(right.argmax())
    machine = linear_machines(features, codes, COSTS[: best + 1])[-1]
    return replace(machine, sharpness=fit_sharpness(scores[best], codes))


def linear_machines(
    features: FloatArray, codes: IntArray, costs: tuple[float, ...]
) -> list[LinearMachine]:
    """Machines for rising C, each found from the one before.

    Examples
    --------
    >>> features, codes = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> [machine.predict(features).tolist() for machine in linear_machines(features, codes, (9.0,))]
    [[0, 0, 1, 1]]
    """
    signs, rows = class_signs(codes), np.column_stack([features, np.ones(len(features))])
    weights = np.zeros((rows.shape[1], signs.shape[1]))
    found = []
    for C in costs:
        both = zip(signs.T, weights.T, strict=True)
        weights = np.column_stack(
            [squared_hinge_weights(rows, own, C, warm_start) for own, warm_start in both]
        )
        found.append(LinearMachine(np.unique(codes), weights, C, sharpness=1.0))
    return found


def squared_hinge_weights(
    rows: FloatArray, signs: FloatArray, C: float, warm_start: FloatArray
) -> FloatArray:
    """Minimise ``½ |w|² + C Σ_i [1 − s_i w·x_i]²₊`` by Newton's method with backtracking.

    Within the set of rows of positive loss the objective is quadratic, so that a whole step which
    keeps this set ends at the minimum.
    """
    weights, slack = warm_start, 1.0 - signs * (rows @ warm_start)
    value = _objective(weights, slack, C)
    for _ in range(MAX_ITER):
        active = slack > 0
        direction = _minimum(rows[active], signs[active], C) - weights
        change, step_size = signs * (rows @ direction), 1.0
        while (
            after := _objective(weights + step_size * direction, slack - step_size * change, C)
        ) > value and step_size > LEAST_GAIN:
            step_size /= 2.0
        if after >= value * (1.0 - LEAST_GAIN):
            break
        weights, slack = weights + step_size * direction, slack - step_size * change
        value = after
        if step_size == 1.0 and np.array_equal(active, slack > 0):
            break
    return weights


def _objective(weights: FloatArray, slack: FloatArray, C: float) -> float:
    return float(0.5 * weights @ weights + C * np.sum(np.maximum(slack, 0.0) ** 2))


def _minimum(rows: FloatArray, signs: FloatArray, C: float) -> FloatArray:
    """Weights that minimise the objective if all of these rows have a loss and no others."""
    ridge = 0.5 / C
    if rows.shape[0] < rows.shape[1]:
        gram = rows @ rows.T
        gram[np.diag_indices_from(gram)] += ridge
        return rows.T @ solve(gram, signs, assume_a="pos")
    gram = rows.T @ rows
    gram[np.diag_indices_from(gram)] += ridge
    return np.asarray(solve(gram, rows.T @ signs, assume_a="pos"))


def folds_of(codes: IntArray) -> IntArray:
    """The fold of each object: those of each class go round.

    Examples
    --------
    >>> folds_of(np.array([0, 1, 0, 0, 0, 0, 1]))
    array([0, 0, 1, 2, 3, 0, 1])
    """
    folds = np.empty(len(codes), dtype=np.intp)
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        folds[members] = np.arange(len(members)) % N_FOLDS
    return folds


class LandmarkClassifier(BaseMultiViewClassifier):
    """Classify by similarities to some training objects; any similarity will do, no kernel needed.

    Take it where your similarity is no kernel, such as an edit distance or a score of matches.
    With kernels, :class:`TwoStageMKL` is better. All views count the same here, so that one of
    noise costs dearly: with such a view beside the twenty sets of ``make quality`` the mean
    accuracy is 0.68, that of an SVC on balanced views 0.70 and of :class:`TwoStageMKL` 0.85.

    Parameters
    ----------
    similarity : Similarity, name, list or dict
        How objects are compared in a view: one for all views, a list with one per view, or a dict
        by view name. With ``"precomputed"`` a view is a matrix of similarities to the training
        objects, symmetric among these; so the class serves as ``classifier`` of a learnt kernel.
    n_landmarks : "third", int or float
        A third of the training objects of known class, so many, or that share of them.
    estimator : classifier, optional
        What is fitted to the features; a linear support vector machine if not given.
    n_draws : int
        How many times landmarks are drawn. More than one makes the answer depend less on the draw;
        do not expect it to be better.
    random_state : int, RandomState, Generator or None
        Draws the landmarks.
    verbose : int
        1 reports the landmarks and each classifier.

    Attributes
    ----------
    classes_ : array
        The classes.
    landmarks_ : list of arrays
        Numbers of the training objects that are landmarks, one array per draw.
    space_ : LandmarkSpace
        What turns objects into similarities to the landmarks of all draws.
    estimators_ : list of classifiers
        The classifier of each draw, on its own landmarks' features; its classes are positions in
        ``classes_``.
    columns_ : list of arrays
        Which of the features of ``space_`` each of them sees.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.mkl import LandmarkClassifier
    >>> views = {"size": [[1.0], [1.2], [1.1], [3.0], [3.3], [3.1]],
    ...          "price": [[9.0], [9.5], None, [4.0], [4.2], [4.1]]}
    >>> y = ["old", "old", "old", "new", "new", "new"]
    >>> model = LandmarkClassifier("rbf", n_landmarks=4, random_state=0).fit(views, y)
    >>> model.predict({"size": [[1.0], [3.2]], "price": None})
    array(['old', 'new'], dtype='<U3')

    Notes
    -----
    **Objective**
        Every object becomes ``φ(x) = (K(x, t_1), …, K(x, t_l))`` (Eq. 6.3 of [@kumar2013]), its
        similarities to landmarks ``t``; a linear classifier is learnt on that. For a similarity
        under which objects are more alike to most of their own class than to others, by a margin,
        such a classifier exists [@balcan2006], even where the similarity is indefinite, so that no
        kernel machine can take it.

    **Symbols**
        ``K`` → ``similarity``, ``t_1 … t_l`` → ``landmarks_``, ``φ`` → ``space_.features``,
        ``l`` → ``n_landmarks``.

    **Algorithm**
        1. Landmarks: equally many objects of each class, a third of all (``draw_landmarks``).
        2. Similarities of all training objects, landmarks included, to the landmarks in each view
           that shows both, centred and scaled (``fit_space``).
        3. A linear machine, its C by four folds (``fit_linear_machine``), or the estimator given.
        4. 1 and 3 for each of ``n_draws`` draws; the mean of the decisions decides.

    **Deviations**
        [@balcan2006] want landmarks that are not used to learn; as in [@kumar2013] they are, there
        being few objects. He averages the *results* of five draws in his tables; here
        ``n_draws`` averages *decisions*, which is one classifier.
        A class that is too small to give its share gives all it has, and others make up for it.
        The linear classifier, of which nothing is said, is a support vector machine with squared
        hinge loss. *Several views*, of which there is one in the source: similarities in each are
        features of their own; centred and brought to one scale per view, an object
        that a view does not show has zeros there, which is the mean. Unlabelled objects take no
        part.

    **Complexity**
        ``O(n l)`` similarities per view, and linear machines on ``n × l`` features: 25 for each
        draw, six values of C in four folds and the last, each some Newton steps of ``O(n l²)``.
        With a third of the objects that is ``O(n³)``: of many thousands, give ``n_landmarks=300``.

    References
    ----------
    [@balcan2006], [@kumar2013]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    landmarks_: list[IntArray]
    space_: LandmarkSpace
    columns_: list[IntArray]
    estimators_: list[Any]

    def __init__(
        self,
        similarity: ByView[SimilarityLike] = "rbf",
        *,
        n_landmarks: Literal["third"] | Count | Annotated[float, Interval(0, 1, above=True)] = (
            "third"
        ),
        estimator: Classifier | None = None,
        n_draws: Repeats = 1,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.similarity = similarity
        self.n_landmarks = n_landmarks
        self.estimator = estimator
        self.n_draws = n_draws
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        given = self.similarity
        precomputed = isinstance(given, Precomputed) or (given == "precomputed") is True
        tags.input_tags.pairwise = precomputed  # so that folds are cut out of rows and columns
        return tags

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        from sklearn.neighbors import KNeighborsClassifier

        yield cls("rbf", n_draws=2)
        yield cls("self_tuning", n_landmarks=0.5, estimator=KNeighborsClassifier(3))

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Draw landmarks, and learn a linear classifier on similarities to them."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        objects = np.flatnonzero(labels.labelled)
        codes = labels.codes[objects]
        count = read_n_landmarks(self.n_landmarks, len(objects))
        rng = generator(self.random_state)
        draws = [draw_landmarks(codes, count, rng) for _ in range(self.n_draws)]
        drawn = np.unique(np.concatenate(draws))
        self.space_, features = fit_space(views, objects, drawn, self.similarity)
        self.landmarks_ = [objects[draw] for draw in draws]
        self.columns_ = [
            np.flatnonzero(np.isin(drawn, draw)[self.space_.landmarks]) for draw in draws
        ]
        self.estimators_ = [self._fit_one(own, codes) for own in self._by_draw(features)]
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of each object, by the mean decision of the draws."""
        best = self._some_at_a_time(self._best, X)
        return np.asarray(self.classes_[best])

    def _best(self, features: list[FloatArray]) -> AnyArray:
        """Positions of the classes in ``classes_``."""
        if len(features) == 1:
            return np.asarray(self.estimators_[0].predict(features[0]))
        if hasattr(self.estimators_[0], "decision_function"):
            return largest(self._mean("decision_function", features))
        if hasattr(self.estimators_[0], "predict_proba"):
            return self._mean("predict_proba", features).argmax(axis=1)
        return self._votes(features).argmax(axis=1)

    @if_estimator_has("decision_function")
    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Mean over the draws of the scores of the classes, if the classifier has such scores."""
        return self._some_at_a_time(partial(self._mean, "decision_function"), X)

    @if_estimator_has("predict_proba")
    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class, if the classifier tells any.

        Of the default machine it is the softmax of the mean decisions, times what made the objects
        held out most likely; of another, the mean over the draws of what it says.
        """
        if self.estimator is not None:
            return self._some_at_a_time(partial(self._mean, "predict_proba"), X)
        decisions = self._some_at_a_time(partial(self._mean, "decision_function"), X)
        return probabilities(decisions, float(np.mean([one.sharpness for one in self.estimators_])))

    def _unfitted(self) -> Any:
        return LinearMachine if self.estimator is None else self.estimator

    def _fit_one(self, features: FloatArray, codes: IntArray) -> Any:
        if self.verbose:
            size = f"{len(codes):,} objects by {features.shape[1]:,} similarities"
            print(f"LandmarkClassifier: {size}", flush=True)
        if self.estimator is None:
            return fit_linear_machine(features, codes)
        return clone(self.estimator).fit(features, codes)

    def _some_at_a_time(
        self, say: Callable[[list[FloatArray]], AnyArray], X: ViewsLike
    ) -> AnyArray:
        """Say something of new objects by their features, of so many at a time as fit memory."""
        views = self._new_views(X)
        blocks = row_blocks(len(views), rows_at_a_time(len(self.space_.means)))
        features = (self.space_.features(views[part]) for part in blocks)
        return np.concatenate([say(list(self._by_draw(some))) for some in features])

    def _by_draw(self, features: FloatArray) -> Iterator[FloatArray]:
        """The features of each draw, rows of length one on average."""
        for columns in self.columns_:
            yield features[:, columns] / np.sqrt(len(columns))

    def _mean(self, method: str, features: list[FloatArray]) -> FloatArray:
        """Mean over the draws of what their classifiers say."""
        said = [
            getattr(each, method)(own) for each, own in zip(self.estimators_, features, strict=True)
        ]
        return np.mean(said, axis=0)

    def _votes(self, features: list[FloatArray]) -> IntArray:
        """How many draws are for each class."""
        pairs = zip(self.estimators_, features, strict=True)
        return sum(np.eye(len(self.classes_), dtype=int)[each.predict(own)] for each, own in pairs)
