"""The nearest of the hyperplanes through an object's neighbours tells its class [@vincent2002]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from manyviews.base import BaseMultiViewClassifier, Labels, ViewTags, check_params
from manyviews.data import Views
from manyviews.ensemble._hyperplane._distances import Grid, class_distances
from manyviews.ensemble._hyperplane._leave_one_out import errors, left_out_classes
from manyviews.ensemble._hyperplane._rows import (
    References,
    Standard,
    comparisons,
    read_references,
    standardised,
)
from manyviews.typing import (
    AnyArray,
    Count,
    FloatArray,
    IntArray,
    NonNegative,
    Verbosity,
    ViewsLike,
)

Neighbors: TypeAlias = Count | Sequence[Count] | Literal["loo"]
Penalties: TypeAlias = NonNegative | Sequence[NonNegative] | Literal["loo"]
NEIGHBOR_CHOICES = (1, 2, 3, 5, 7, 10, 15, 20)
PENALTY_CHOICES = (0.01, 0.1, 1.0, 10.0, 100.0)


class HyperplaneKNN(BaseMultiViewClassifier):
    """Classify by the nearest of the hyperplanes that neighbours in each class span (HKNN).

    Where training objects are few, nearest neighbours decide by accident. HKNN fills the gaps
    between them: in each class it lays a flat through the ``n_neighbors`` nearest objects and
    measures the distance to that. Views are standardised and laid side by side. Several values of
    ``n_neighbors`` or ``penalty`` are compared by leave-one-out, in little more time than one; by
    default it does so. It is meant for dense measurements and few objects: not for texts and links,
    whose rare features standardising blows up.

    Parameters
    ----------
    n_neighbors : int, sequence of int or "loo"
        Neighbours taken of each class. Of several values the one with the smallest leave-one-out
        error is taken; ``"loo"`` tries 1, 2, 3, 5, 7, 10, 15 and 20.
    penalty : float, sequence of float or "loo"
        What large coefficients cost, in squared units of the (standardised) features; the larger,
        the nearer to the distance from the neighbours' mean. ``"loo"`` tries 0.01, 0.1, 1, 10 and
        100.
    standardize : bool
        Whether to bring each feature to zero mean and unit variance.
    verbose : int
        1 reports the objects read and the parameters in use.

    Attributes
    ----------
    n_neighbors_ : int
        Number of neighbours in use.
    penalty_ : float
        Penalty in use.
    loo_error_ : float or None
        Leave-one-out error of these; ``None`` where nothing had to be chosen.
    loo_errors_ : array of shape (n_n_neighbors, n_penalties) or None
        Leave-one-out errors of all values tried.
    references_ : References
        The labelled objects, standardised.
    standards_ : dict
        Mean and spread of the features of each view.
    classes_ : array
        The classes.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.datasets import load_digits_views
    >>> from manyviews.ensemble import HyperplaneKNN
    >>> views, y = load_digits_views()
    >>> model = HyperplaneKNN(n_neighbors=[1, 5, 10], penalty=[1, 10]).fit(views[:300], y[:300])
    >>> model.n_neighbors_, model.penalty_
    (10, 1.0)
    >>> round(model.score(views[300:600], y[300:600]), 2)
    0.89

    Notes
    -----
    **Objective**
        The class ``c`` of smallest
        ``d_c(x)² = min_α ‖x − N̄ − Σ_k α_k V_k‖² + λ Σ_k α_k²``, where ``N_1 … N_K`` are the ``K``
        nearest objects of class ``c``, ``N̄`` is their mean and ``V_k = N_k − N̄`` (Vincent &
        Bengio; section 4 of Okun & Priisalu describes it in words).

    **Symbols**
        ``K`` → ``n_neighbors``; ``λ`` → ``penalty``; ``L`` → ``len(classes_)``.

    **Algorithm**
        1. ``read_references``: each feature to zero mean and unit variance, as in section 6 of
           Okun & Priisalu.
        2. ``class_distances``: neighbours in each class from one block of inner products; then,
           with ``M`` the inner products of the neighbours as seen from ``x``,
           ``d² = 1/(1'(M + λI)⁻¹1) − λ/K``, which is the minimum above with
           ``w_k = α_k + 1/K`` as unknowns. One Cholesky factor serves all ``K``.
        3. ``left_out_classes``: the same with every object itself left out, for all pairs of
           parameters at once.

    **Deviations**
        The penalty is part of the distance, as in Vincent & Bengio; the residual alone
        would hide how far outside its neighbours an object lies. *Penalty 0* is taken as the
        limit: among hyperplanes through ``x`` (all, if ``n_neighbors`` exceeds the number of
        features) the one of smaller coefficients is nearer. *Classes of fewer than*
        ``n_neighbors`` *objects* use all they have. *Leave-one-out* keeps the mean and variance
        of all objects, as the paper does; among equals the first value given wins, of
        ``n_neighbors`` before ``penalty``. *Unlabelled objects* take no part. *Missing views*,
        of which the paper has none: an object is compared in the views that it shows, with the
        training objects that show them all, so that distances to all classes are measured in the
        same space; where some class has no such object, in those of the views (the most features)
        where each has. *Sparse views* are divided by the standard deviation and not moved, which
        leaves distances as they are.

    **Complexity**
        For ``m`` new objects, ``n`` training objects and ``d`` features: ``O(m n d)`` for the
        neighbours and ``O(m L K³)`` for the factors. Leave-one-out for ``p`` penalties and any
        numbers of neighbours up to ``K``: ``O(n² d + p n L K³)``. Memory is that of blocks.

    References
    ----------
    [@vincent2002], [@okun2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    n_neighbors_: int
    penalty_: float
    loo_error_: float | None
    loo_errors_: FloatArray | None
    references_: References
    standards_: dict[str, Standard]

    def __init__(
        self,
        n_neighbors: Neighbors = "loo",
        penalty: Penalties = "loo",
        *,
        standardize: bool = True,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.penalty = penalty
        self.standardize = standardize
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(7, 1.0)
        yield cls(n_neighbors=[2, 5], penalty="loo", standardize=False)

    @classmethod
    def leave_one_out(
        cls,
        X: ViewsLike,
        y: Any,
        *,
        n_neighbors: Neighbors = "loo",
        penalty: Penalties = "loo",
        standardize: bool = True,
    ) -> AnyArray:
        """Class that each object gets from all others, for each pair of parameters.

        Returns
        -------
        array of shape (n_n_neighbors, n_penalties, n_objects)
            Classes; those of unlabelled objects come from all labelled ones.
        """
        model = cls(n_neighbors, penalty, standardize=standardize)
        grid = model._grid()
        found = model._left_out(*model._learn(X, y), grid)
        return np.asarray(model.classes_[found])

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Keep the labelled objects, and choose parameters if several were given."""
        grid = self._grid()
        views, labels = self._learn(X, y)
        if grid.shape == (1, 1):
            self.n_neighbors_, self.penalty_ = grid.n_neighbors[0], grid.penalties[0]
            self.loo_error_ = self.loo_errors_ = None
        else:
            self._report(f"leaving out one object at a time, {grid.shape} parameters")
            self._choose(grid, self._left_out(views, labels, grid), labels)
        self._report(f"{self.n_neighbors_} neighbours, penalty {self.penalty_:g}")
        return self

    def leave_one_out_predictions(self, X: ViewsLike, y: Any) -> AnyArray:
        """Fit, and give the class that each object gets when it is left out."""
        grid = self._grid()
        views, labels = self._learn(X, y)
        found = self._left_out(views, labels, grid)
        best = self._choose(grid, found, labels)
        return np.asarray(self.classes_[found[best]])

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Negative distance to the hyperplane of each class; of two classes, the difference."""
        scores = -self._distances(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of the nearest hyperplane."""
        nearest = self._distances(X).argmin(axis=1)
        return np.asarray(self.classes_[nearest])

    def _learn(self, X: ViewsLike, y: Any) -> tuple[Views, Labels]:
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        self.references_, self.standards_ = read_references(
            views[labels.labelled],
            labels.codes[labels.labelled],
            len(labels.classes),
            scale=self.standardize,
        )
        return views, labels

    def _left_out(self, views: Views, labels: Labels, grid: Grid) -> IntArray:
        rows = standardised(views, self.standards_)
        return left_out_classes(rows, views.observed, labels.codes, self.references_, grid)

    def _choose(self, grid: Grid, found: IntArray, labels: Labels) -> tuple[int, int]:
        self.loo_errors_ = errors(found, labels.codes)
        row, column = divmod(int(self.loo_errors_.argmin()), len(grid.penalties))
        self.n_neighbors_, self.penalty_ = grid.n_neighbors[row], grid.penalties[column]
        self.loo_error_ = float(self.loo_errors_[row, column])
        return row, column

    def _distances(self, X: ViewsLike) -> FloatArray:
        """Distance of each object (row) to the hyperplane of each class (column)."""
        views = self._new_views(X)
        grid = Grid((self.n_neighbors_,), (self.penalty_,))
        squares = np.empty((len(views), len(self.classes_)))
        rows = standardised(views, self.standards_)
        for group in comparisons(rows, views.observed, self.references_):
            for code, found in enumerate(class_distances(group.queries, group.members, grid)):
                squares[group.places, code] = found[0, 0]
        return np.sqrt(squares)

    def _report(self, line: str) -> None:
        if self.verbose:
            print(f"HyperplaneKNN: {line}", flush=True)

    def _grid(self) -> Grid:
        check_params(self)
        neighbors = _values("n_neighbors", self.n_neighbors, NEIGHBOR_CHOICES)
        penalties = _values("penalty", self.penalty, PENALTY_CHOICES)
        return Grid(tuple(map(int, neighbors)), tuple(map(float, penalties)))


def _values(name: str, given: Any, choices: tuple[float, ...]) -> tuple[float, ...]:
    """Return the values to try."""
    if isinstance(given, str):
        return choices
    values = tuple(np.atleast_1d(given).tolist())
    if not values:
        raise ValueError(f"{name}={given!r} has no value to try; give one or more.")
    return values
