"""Co-training for numbers: a view teaches the others what fits its own neighbours [@zhou2005]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsRegressor

from manyviews.base import BaseMultiViewRegressor, ViewTags, refusing_overflow, seeded
from manyviews.data import Views, per_view
from manyviews.exceptions import ViewsError
from manyviews.maths import generator
from manyviews.semi_supervised._shared import (
    UsualScaling,
    read_or_judge_weights,
    usual_scaling,
    weighted_mean,
)
from manyviews.typing import (
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    Having,
    IntArray,
    Matrix,
    RandomState,
    Verbosity,
    ViewsLike,
)

__all__ = ["CoTrainingRegressor"]

Regressor: TypeAlias = Annotated[Any, Having("a regressor", "fit", "predict")]

N_NEIGHBORS = 3
"""Neighbours by which a number is judged, and of the usual learner, as in the paper."""


def gains(
    to_known: FloatArray, among_known: FloatArray, y: FloatArray, proposed: FloatArray, k: int
) -> FloatArray:
    """By how much a proposed number, once known, lowers the errors of its known neighbours.

    An error is that of the mean of the ``k`` nearest other known objects; the gain is
    ``Σ_{i ∈ Ω} (y_i − h(x_i))² − (y_i − h'(x_i))²``, with ``Ω`` the neighbours of the object and
    ``h'`` what is learnt with it.

    Parameters
    ----------
    to_known : array of shape (n_objects, n_known)
        Distances of the objects whose number is proposed to those whose number is known.
    among_known : array of shape (n_known, n_known)
        Distances among the latter.
    y, proposed : arrays
        The known and the proposed numbers.
    k : int
        How many neighbours.

    Examples
    --------
    >>> known = np.array([[0.0], [1.0], [5.0]])
    >>> distances = np.abs(known - known.T)
    >>> gains(np.array([[0.5, 0.5, 4.5]]), distances, np.array([0.0, 0.0, 9.0]), np.zeros(1), 1)
    array([0.])
    >>> gains(np.array([[4.5, 3.5, 0.5]]), distances, np.array([0.0, 0.0, 9.0]), np.full(1, 9.0), 1)
    array([81.])
    """
    k = min(k, len(y) - 1)
    if k < 1:
        return np.zeros(len(proposed))
    others = among_known + np.where(np.eye(len(y), dtype=bool), np.inf, 0.0)
    near = np.argsort(others, axis=1, kind="stable")[:, :k]
    means = y[near].mean(axis=1)
    reach = others[np.arange(len(y)), near[:, -1]]
    omega = np.argsort(to_known, axis=1, kind="stable")[:, :k]
    # A new neighbour takes the place of the farthest one.
    moved = means[omega] + (proposed[:, None] - y[near[omega, -1]]) / k
    nearer = np.take_along_axis(to_known, omega, axis=1) < reach[omega]
    after = np.where(nearer, moved, means[omega])
    gained = (y[omega] - means[omega]) ** 2 - (y[omega] - after) ** 2
    return np.asarray(gained.sum(axis=1))  # Eq. (1)


def predictions(member: Any, rows: Matrix) -> FloatArray:
    """One number for each row."""
    with refusing_overflow(member, rows):
        return np.asarray(member.predict(rows), dtype=np.float64).ravel()


class _ViewLearner:
    """One view: its rows, and what it knows, given and taught."""

    def __init__(self, member: Any, rows: Matrix, space: Matrix, seen: BoolArray) -> None:
        self.member, self.rows, self.space, self.seen = member, rows, space, seen
        self.fitted: Any = None
        self.objects: IntArray = np.empty(0, dtype=np.intp)
        self.numbers: FloatArray = np.empty(0)

    def learn(self, objects: IntArray, numbers: FloatArray) -> None:
        shown = self.seen[objects]
        if shown.any():
            self.objects = np.concatenate([self.objects, objects[shown]])
            self.numbers = np.concatenate([self.numbers, numbers[shown]])
            rows, blank = self.rows[self.objects], self.blank()
            with refusing_overflow(blank, rows):
                self.fitted = blank.fit(rows, self.numbers)

    def blank(self) -> Any:
        """An unfitted learner; the usual one has no more neighbours than there are.

        By brute force, as trees fitted to dense rows would refuse sparse ones.
        """
        if self.member is None:
            return KNeighborsRegressor(min(N_NEIGHBORS, len(self.objects)), algorithm="brute")
        return clone(self.member)

    def surest(self, pool: IntArray) -> tuple[float, int, float]:
        """The gain, the object and the number of what it is surest of; a gain of 0 if of none."""
        pool = pool[self.seen[pool]]
        if self.fitted is None or not len(pool):
            return 0.0, -1, np.nan
        proposed = predictions(self.fitted, self.rows[pool])
        known = self.space[self.objects]
        to_known = pairwise_distances(self.space[pool], known)
        found = gains(to_known, pairwise_distances(known), self.numbers, proposed, N_NEIGHBORS)
        best = int(found.argmax())
        return float(found[best]), int(pool[best]), float(proposed[best])


class CoTrainingRegressor(BaseMultiViewRegressor):
    """Predict a number from few known ones: a regressor per view, which teach each other.

    Take it where the number is known for few of many objects, and objects that are near in one
    view need not be in another. NaN in ``y`` marks an unknown number. Where the views are to agree
    by one objective instead of in rounds, take :class:`CoRLSRegressor`.

    Parameters
    ----------
    estimator : regressor, list or dict, optional
        One for all views, a list with one per view, or a dict by view name, which sees the rows as
        they are. If not given, the mean of the three nearest neighbours, in rows of unit length
        (views most of whose cells are zero) or moved to mean zero (others), whatever their unit.
    pool_size : int or None
        How many unknown objects, drawn at random, are looked at in a round; None: all of them.
    max_iter : int
        Most rounds; each view teaches one number in a round. 100 in the paper.
    view_weights : "auto", list or dict of float, optional
        What each view counts in the mean; one of weight zero teaches nothing. "auto": 1, but 0 for
        a view that looks empty of structure, which a warning names: one whose neighbourhoods look
        like chance, unless the known numbers speak for it.
    random_state : int, generator or None
        Draws the pool, and seeds the regressors whose own ``random_state`` is None.
    verbose : int
        1 reports how it ended, 2 each round.

    Attributes
    ----------
    regressors_ : dict
        The regressor of each view.
    taught_ : dict of tuples (objects, numbers)
        By view: which objects it was taught by others, in order, and what.
    transduction_ : array of shape (n_objects,)
        The number of every training object: the given one, or the one predicted.
    view_weights_ : dict of float
        What each view counts.
    scalings_ : dict
        How the rows of a view are scaled.
    n_iter_ : int
        Number of rounds.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.semi_supervised import CoTrainingRegressor
    >>> hours = np.linspace(0, 3, 40)
    >>> views = {"light": np.column_stack([np.sin(hours), np.cos(hours)]),
    ...          "heat": np.column_stack([hours**2, hours])}
    >>> y = np.where(np.arange(40) % 4 == 2, hours, np.nan)  # ten known numbers
    >>> model = CoTrainingRegressor().fit(views, y)
    >>> bool(np.abs(model.transduction_ - hours).mean() < 0.2)
    True

    Notes
    -----
    **Objective**
        None is optimised: it is a greedy procedure.

    **Symbols**
        T → ``max_iter``, the size of U' → ``pool_size``, k → 3, Δ → ``gains``.

    **Algorithm** (COREG, Table 1 of the paper)
        1. A regressor is fitted in each view to the known numbers.
        2. ``gains``: each view predicts the number of every object of the pool that it shows, and
           finds the one that, once known, would most lower the errors of its nearest known
           neighbours.
        3. The other views learn that number (of two views that chose the same object, from the
           surer one); from 2, ``max_iter`` times or until no number would lower any error.
        4. New objects: the mean of the regressors of the views that show them.

    **Deviations**
        The paper has one table and two distances; here the views take their place, two or more of
        them, and any regressor: the gain is always that of three neighbours, in rows scaled as for
        :class:`CoTraining`. Errors of known objects are those without themselves. Views learn
        from those objects only that they show; one without known numbers waits to be taught. With
        one view nobody teaches, and it is the view's regressor.

    **Complexity**
        Per round and view a fit, and the distances of ``pool_size`` objects and of the known ones
        to the known ones.

    References
    ----------
    [@zhou2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _deterministic_start: ClassVar[dict[str, Any]] = {"pool_size": None}
    _expected_failed_checks: ClassVar[dict[str, str]] = {
        "check_non_transformer_estimators_n_iter": "with one view, or all known, nobody teaches",
    }

    regressors_: dict[str, Any]
    taught_: dict[str, tuple[IntArray, FloatArray]]
    scalings_: dict[str, UsualScaling]
    view_weights_: dict[str, float]
    transduction_: FloatArray
    n_iter_: int

    def __init__(
        self,
        estimator: ByView[Regressor | None] = None,
        *,
        pool_size: Count | None = 1000,
        max_iter: Count = 100,
        view_weights: AutoViewWeights = "auto",
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.estimator = estimator
        self.pool_size = pool_size
        self.max_iter = max_iter
        self.view_weights = view_weights
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(KNeighborsRegressor(5, algorithm="brute"), pool_size=10, max_iter=20)

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Fit a regressor per view to the known numbers and those the views teach each other."""
        views = self._fit_views(X)
        y = self._fit_targets(y, views, accept_unknown=True)
        known = ~np.isnan(y)
        targets = np.where(known, y, 0.0)[:, None]
        self.view_weights_ = read_or_judge_weights(self.view_weights, views, targets, known)
        self.scalings_ = {
            name: usual_scaling(views[name][np.flatnonzero(views.observed_in(name))])
            for name in views.names
            if views.observed_in(name).any()
        }
        rng = generator(self.random_state)
        learners = self._learners(views, rng)
        given = np.flatnonzero(known)
        for learner in learners.values():
            learner.learn(given, y[given])
        self._teach(learners, np.flatnonzero(~known), rng)
        self._store(learners, given)
        self.transduction_ = np.where(known, y, self._mean(views))
        if self.verbose:
            n_taught = sum(len(objects) for objects, _ in self.taught_.values())
            print(f"CoTrainingRegressor: {n_taught} numbers taught in {self.n_iter_} rounds")
        return self

    def predict(self, X: ViewsLike) -> FloatArray:
        """Mean of the predictions of the views that show an object."""
        return self._mean(self._new_views(X))

    def view_predictions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Predictions of each view alone; NaN where unobserved."""
        return self._by_view(self._new_views(X))

    def _mean(self, views: Views) -> FloatArray:
        values = {name: own[:, None] for name, own in self._by_view(views).items()}
        return weighted_mean(values, self.view_weights_)[:, 0]

    def _by_view(self, views: Views) -> dict[str, FloatArray]:
        usual = per_view(self.estimator, views.names, parameter="estimator")
        found = {}
        for name, member in self.regressors_.items():
            found[name] = np.full(len(views), np.nan)
            seen = np.flatnonzero(views.observed_in(name))
            if len(seen):
                rows = views[name][seen]
                rows = self.scalings_[name](rows) if usual[name] is None else rows
                found[name][seen] = predictions(member, rows)
        return found

    def _learners(self, views: Views, rng: np.random.Generator) -> dict[str, _ViewLearner]:
        found = {}
        given = per_view(self.estimator, views.names, parameter="estimator")
        for name, matrix in views.items():
            seen = views.observed_in(name)
            if not seen.any():
                raise ViewsError(f"view {name!r} is observed for no object; leave it out.")
            space = self.scalings_[name](matrix)
            member = given[name]
            rows = space if member is None else matrix
            member = None if member is None else seeded(clone(member), rng)
            found[name] = _ViewLearner(member, rows, space, seen)
        return found

    def _teach(
        self, learners: dict[str, _ViewLearner], unknown: IntArray, rng: np.random.Generator
    ) -> None:
        """Rounds in which each view that counts teaches the others one number."""
        teachers = [name for name in learners if self.view_weights_[name] > 0]
        self.n_iter_ = 0
        while len(learners) > 1 and len(unknown) and self.n_iter_ < self.max_iter:
            pool = unknown
            if self.pool_size is not None and len(unknown) > self.pool_size:
                pool = np.sort(rng.permutation(unknown)[: self.pool_size])
            surest = {name: learners[name].surest(pool) for name in teachers}
            lessons: dict[int, tuple[float, str, float]] = {}
            for name, (gain, chosen, number) in surest.items():
                if gain > max(0.0, lessons.get(chosen, (0.0,))[0]):
                    lessons[chosen] = gain, name, number
            if not lessons:
                return
            for name, learner in learners.items():
                told = [(at, number) for at, (_, by, number) in lessons.items() if by != name]
                objects, numbers = [at for at, _ in told], [number for _, number in told]
                learner.learn(np.array(objects, dtype=np.intp), np.array(numbers))
            unknown = np.setdiff1d(unknown, list(lessons))
            self.n_iter_ += 1
            if self.verbose > 1:
                print(f"CoTrainingRegressor: round {self.n_iter_} taught {len(lessons)} numbers")

    def _store(self, learners: dict[str, _ViewLearner], given: IntArray) -> None:
        for name, learner in learners.items():
            if learner.fitted is None:
                raise ViewsError(
                    f"view {name!r} shows no object whose number is known, and the other views "
                    "taught it none; give the number of an object that it shows, or leave it out."
                )
        self.regressors_ = {name: learner.fitted for name, learner in learners.items()}
        self.taught_ = {}
        for name, learner in learners.items():
            first = int(learner.seen[given].sum())  # what is given is learnt first
            self.taught_[name] = learner.objects[first:], learner.numbers[first:]
