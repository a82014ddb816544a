"""The linear subspace in which a view predicts what the others show [@ando2007]."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from manyviews.base import Labels, warn_user
from manyviews.data import Views
from manyviews.embed.features._shared import (
    AuxiliaryFunction,
    Choice,
    Folds,
    NComponents,
    ViewFeatures,
    auxiliary_values,
    choose_n_components,
    problems_of,
    read_candidates,
)
from manyviews.maths import conjugate_gradients, fix_signs, operator_eigenvectors, row_blocks
from manyviews.typing import (
    ByView,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    Positive,
    ViewsLike,
    is_sparse,
)

__all__ = ["SubspaceFeatures"]

# Ridge regression of very many targets, by whichever side of the data is small --------------------

DIRECT = 3000
"""Up to so many features, or objects, their products are formed and factorised."""
TOL = 1e-5
"""Accuracy of conjugate gradients, relative to the right-hand side."""
MAX_ITER = 1000
"""Steps of conjugate gradients at most. On digits, generated texts, WebKB, Cora and Citeseer 31 do
by default, and 273 with a hundredth of the penalty."""
COLUMNS = 8
"""How many systems are solved together by conjugate gradients."""


class Ridge(ABC):
    """The weights ``W = (ZᵀZ + λI)⁻¹ ZᵀT`` of all targets, as something that can be applied.

    ``W`` has a row per feature and a column per target, too many to be written down where both
    are words.
    """

    tol: ClassVar[float] = 1e-9
    """To which accuracy it is worth while to ask for its singular vectors."""

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        self.rows, self.targets, self.penalty = rows, targets, penalty

    @abstractmethod
    def weights(self, block: FloatArray) -> FloatArray:
        """``W @ block``: weights of combinations of the targets."""

    @abstractmethod
    def adjoint(self, block: FloatArray) -> FloatArray:
        """``Wᵀ @ block``: what the targets give to directions in the view."""

    @abstractmethod
    def crossed(self, block: FloatArray) -> FloatArray:
        """``TᵀZ @ block``: products of the targets with functions of the view."""


class PrimalRidge(Ridge):
    """By the products of the features, factorised once."""

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        super().__init__(rows, targets, penalty)
        self.cross = _product(rows, targets)

    def weights(self, block: FloatArray) -> FloatArray:
        return self._solve(np.asarray(self.cross @ block))

    def adjoint(self, block: FloatArray) -> FloatArray:
        return self.crossed(self._solve(block))

    def crossed(self, block: FloatArray) -> FloatArray:
        return np.asarray(self.cross.T @ block)

    def _solve(self, block: FloatArray) -> FloatArray:
        if not hasattr(self, "_factor"):
            gram = _dense(_product(self.rows, self.rows))
            gram[np.diag_indices_from(gram)] += self.penalty
            self._factor = cho_factor(gram, lower=True, overwrite_a=True)
        # w_ℓ = argmin (wᵀz − t_ℓ)² of Theorem 1, penalised, once ``block`` is ZᵀT
        return np.asarray(cho_solve(self._factor, block))


class DualRidge(Ridge):
    """By the products of the objects, where these are few: ``W = Zᵀ (ZZᵀ + λI)⁻¹ T``."""

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        super().__init__(rows, targets, penalty)
        gram = _dense(rows @ rows.T)
        gram[np.diag_indices_from(gram)] += penalty
        self._factor = cho_factor(gram, lower=True, overwrite_a=True)

    def weights(self, block: FloatArray) -> FloatArray:
        inner = cho_solve(self._factor, np.asarray(self.targets @ block))
        return np.asarray(self.rows.T @ inner)

    def adjoint(self, block: FloatArray) -> FloatArray:
        inner = cho_solve(self._factor, np.asarray(self.rows @ block))
        return np.asarray(self.targets.T @ inner)

    def crossed(self, block: FloatArray) -> FloatArray:
        return np.asarray(self.targets.T @ np.asarray(self.rows @ block))


class IterativeRidge(PrimalRidge):
    """By conjugate gradients, where both features and objects are many."""

    tol: ClassVar[float] = 1e-4

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        super().__init__(rows, targets, penalty)
        self.diagonal = column_squares(rows) + penalty

    def _solve(self, block: FloatArray) -> FloatArray:
        flat = block.reshape(len(block), -1)
        found = np.empty(flat.shape)
        for part in row_blocks(flat.shape[1], COLUMNS):
            found[:, part] = self._solve_few(flat[:, part])
        return found.reshape(block.shape)

    def _solve_few(self, block: FloatArray) -> FloatArray:
        solved = conjugate_gradients(self._apply, block, self.diagonal, tol=TOL, max_iter=MAX_ITER)
        if solved.residual > TOL:
            from sklearn.exceptions import ConvergenceWarning

            warn_user(
                f"the auxiliary problems were solved to a residual of {solved.residual:.1g} only; "
                "scale the features, or raise regularization.",
                ConvergenceWarning,
            )
        return solved.solution

    def _apply(self, block: FloatArray) -> FloatArray:
        return np.asarray(self.rows.T @ (self.rows @ block)) + self.penalty * block


def ridge(rows: Matrix, targets: Matrix, penalty: float) -> Ridge:
    """Least squares with penalty ``λ |w|²`` for every column of the targets, without intercept.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    >>> targets = sparse.csr_array(np.array([[1.0], [0.0], [1.0]]))
    >>> ridge(rows, targets, 1.0).weights(np.eye(1)).ravel().round(3)
    array([0.235, 0.294])
    """
    n_objects, n_features = rows.shape
    if n_features <= min(n_objects, DIRECT):
        return PrimalRidge(rows, targets, penalty)
    if n_objects <= DIRECT:
        return DualRidge(rows, targets, penalty)
    return IterativeRidge(rows, targets, penalty)


def column_squares(rows: Matrix) -> FloatArray:
    """Sum of squares of each feature."""
    if is_sparse(rows):
        sums = np.bincount(rows.indices, weights=rows.data**2, minlength=rows.shape[1])
        return sums.astype(np.float64)  # counts, where nothing is stored
    return np.einsum("ij,ij->j", rows, rows)


def _product(left: Matrix, right: Matrix) -> Matrix:
    """``leftᵀ right``, sparse only if both are."""
    if is_sparse(left) == is_sparse(right):
        found = left.T @ right
        return sparse.csr_array(found) if is_sparse(found) else found
    return np.asarray(left.T @ right) if is_sparse(left) else np.asarray(right.T @ left).T


def _dense(matrix: Matrix) -> FloatArray:
    return matrix.toarray() if is_sparse(matrix) else np.array(matrix)


# The subspace and the estimator -------------------------------------------------------------------

NOTHING = 1e-5
"""Singular values up to this share of the largest are zero: only rounding is behind them."""


@dataclass(frozen=True)
class Subspace:
    """Directions of a view, the most telling first."""

    basis: FloatArray
    """Shape (n_features, rank)."""
    singular_values: FloatArray
    penalty: float
    """λ."""
    n_problems: int


def subspace(
    rows: Matrix,
    targets: Matrix,
    n_components: int,
    *,
    regularization: float = 3.0,
    whiten: bool = True,
    scale: bool = True,
) -> Subspace:
    """Directions that the least-squares solutions of all problems have in common.

    Parameters
    ----------
    rows : matrix of shape (n, d)
        One view.
    targets : matrix of shape (n, m)
        The answers to the problems, zeros and ones; no column is zero.
    n_components : int
        How many directions at most; there are no more than the solutions span.
    regularization, whiten, scale
        As in :class:`SubspaceFeatures`.

    Examples
    --------
    >>> rows = np.repeat(np.eye(3), 2, axis=0)
    >>> targets = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1.0]])
    >>> subspace(rows, targets, 3).basis.round(6)
    array([[1.224745, 0.      ],
           [1.224745, 0.      ],
           [0.      , 1.732051]])
    """
    rows = rows.astype(np.float64, copy=False)
    n_problems = int(targets.shape[1])
    energy = float(column_squares(rows).sum()) / rows.shape[0]
    if energy == 0.0:
        nothing = np.zeros((rows.shape[1], 0))
        return Subspace(nothing, np.zeros(0), 0.0, n_problems)
    penalty = regularization * energy
    if whiten:
        targets = _unit_columns(targets)
    solutions = ridge(rows, targets, penalty)
    basis, values = _left_vectors(solutions, min(n_components, *rows.shape, n_problems), whiten)
    if scale:
        basis = basis / _root_mean_squares(rows @ basis)
    return Subspace(basis, values, penalty, n_problems)


def _left_vectors(
    solutions: Ridge, n_components: int, whiten: bool
) -> tuple[FloatArray, FloatArray]:
    """Leading left singular vectors of W, in the metric of the ridge if ``whiten``.

    They come from the right ones, the eigenvectors of Wᵀ (ZᵀZ + λI) W = TᵀZ W, or of WᵀW.
    """

    def apply(block: FloatArray) -> FloatArray:
        weights = solutions.weights(block)
        return solutions.crossed(weights) if whiten else solutions.adjoint(weights)

    size = int(solutions.targets.shape[1])
    # A basis of span{w_ℓ} by SVD, section 3.2
    squares, right = operator_eigenvectors(apply, size, n_components, tol=solutions.tol)
    values = np.sqrt(np.maximum(squares, 0.0))
    kept = values > NOTHING * values[0]
    basis = solutions.weights(right[:, kept]) / values[kept]
    return fix_signs(basis), values[kept]


def _unit_columns(targets: Matrix) -> Matrix:
    lengths = np.sqrt(column_squares(targets))
    if not is_sparse(targets):
        return targets / lengths
    parts = targets.data / lengths[targets.indices], targets.indices, targets.indptr
    return sparse.csr_array(parts, shape=targets.shape)


def _root_mean_squares(features: FloatArray) -> FloatArray:
    sizes = np.sqrt(np.mean(features**2, axis=0))
    return np.where(sizes > 0, sizes, 1.0)


class SubspaceFeatures(ViewFeatures):
    """Learn a few features of each view from unlabelled objects, for any classifier after it.

    Take it where labels are few, unlabelled objects many, and the views have little in common
    but the class. To guess the missing labels instead, see :mod:`manyviews.semi_supervised`.

    Parameters
    ----------
    n_components : int, sequence of int or None
        Features per view, p; a view has fewer if the solutions span no more. Of several numbers
        the best in cross-validation on the labelled objects is taken. None takes the number of
        classes in ``y``, the paper's advice, and 10 without labels.
    auxiliary : {"argmax", "nonzero"}, callable, list or dict
        What is asked of the other views: which entry is largest (the first of equal ones); which
        entries are not zero, which says more of short texts; or a function of the rows of a view,
        dense or CSR, that gives integers (n,), -1 for no value, or zeros and ones (n, m). A list
        or dict gives one per view, that of a view being what the others are asked about it. A
        model with a function is stored as the name by which it is imported.
    interactions : bool
        Give the p² products of the features of each pair of views instead of the features
        themselves: for views that tell the class only together. With one view there are none and
        the features stay.
    concatenate : bool
        Put the views themselves before the features.
    regularization : float
        λ, in units of the mean squared length of the rows: about so many more objects that speak
        for no direction. Raise it for noisy or very wide views.
    whiten : bool
        Find the span in the metric in which errors are alike; see Deviations.
    scale : bool
        Bring each feature to a mean square of one over the objects of ``fit``.
    max_problems : int or None
        Ask of each view only the questions that are most often answered by yes, so many; rare ones
        teach little and, in wide views, are answered by chance. None asks all.
    cv : int or splitter
        Folds of the cross-validation, at most as many as the rarest class has labelled objects.
    estimator : classifier, optional
        What is cross-validated; logistic regression by default.

    Attributes
    ----------
    bases_ : dict
        By view, the directions, features × components, scaled if ``scale``.
    singular_values_ : dict
        By view, those of **W**, in falling order. If ``whiten``, and only one answer to a question
        can be true, as with "argmax", they are its canonical correlations with the view.
    penalties_ : dict
        λ by view.
    n_problems_ : dict
        How many questions each view was asked.
    n_components_ : int
        The number given or chosen.
    choice_ : Choice or None
        The candidates and their accuracies in cross-validation, if there were several.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from manyviews.datasets import make_token_views
    >>> from manyviews.embed import SubspaceFeatures
    >>> views, y = make_token_views(
    ...     3000, 4, vocabulary=200, class_vocabulary=80, consecutive=True, random_state=0
    ... )
    >>> known = np.where(np.arange(3000) < 40, y, -1)
    >>> learnt = SubspaceFeatures().fit(views, known)
    >>> learnt.n_components_, learnt.bases_["first"].shape
    (4, (200, 4))
    >>> few, rest = learnt.transform(views[:40]), learnt.transform(views[40:])
    >>> LogisticRegression().fit(few, y[:40]).score(rest, y[40:]) > 0.95
    True
    >>> plain = LogisticRegression().fit(views[:40].concatenate(), y[:40])
    >>> plain.score(views[40:].concatenate(), y[40:]) < 0.8
    True

    Notes
    -----
    **Objective**
        For every view, and for every question ℓ that can be asked of the other views without a
        label ("is this word their most frequent one?"), least squares from the view:
        min_w Σ_(z₁,z₂) (wᵀz₂ − t^ℓ(z₁))² + λ ‖w‖². If the views are independent given the class
        and P(y|z₂) is linear in z₂, all solutions lie in a space of at most as many dimensions as
        there are classes, and the features vᵀz₂ of a basis of it tell P(y|z₂) ([@ando2007],
        Theorem 1).

    **Symbols**
        z_i → the rows of a view; t_i^ℓ → a column of the auxiliary targets; w_ℓ, **W** → the
        solutions, never written down; v_i^j → columns of ``bases_``; p → ``n_components``;
        m → ``n_problems_``; λ → ``penalties_``; U → all objects that show the view and another one,
        labelled or not.

    **Algorithm**
        1. ``auxiliary_values``, ``problems_of``: ask the other views.
        2. ``ridge``: one factorisation solves all problems, by Cholesky on the smaller of features
           and objects, or by conjugate gradients where both are many.
        3. ``operator_eigenvectors``: the leading left singular vectors of **W**, through the right
           ones, and never the rest.
        4. ``choose_n_components``: where several numbers are given, cross-validate a classifier on
           the labelled objects; the directions are nested, so that they are found once.
        5. ``transform``: vᵀz beside the views, or the products (vᵀz₁)(v'ᵀz₂) of all pairs of views.

    **Deviations**
        The paper takes singular vectors of **W** as it is, which weighs its errors unequally: they
        are large in directions in which the view varies little, and for frequent questions.
        ``whiten`` (the default) measures **W** by ZᵀZ + λI and brings every question to unit
        length, after which errors are about alike in all directions. Theorem 1 is indifferent to
        it, as the span is the same; from samples it matters much: on the paper's data with
        dependent views (r = 0.3) test accuracy rises from 60 to 93 % (seeds 100, 101). Features
        are scaled to a mean square of one (``scale``); the paper leaves them as they are, and a
        classifier with a penalty hardly uses them then. The paper has no λ, without which the
        solution is not unique where features depend on each other. ``whiten=False, scale=False,
        max_problems=None`` and a tiny ``regularization`` are the paper to the letter. As there,
        nothing is centred: a view whose features sum to a constant has the intercept in its span,
        and one that has not gets it by a column of ones. A
        row of zeros has no largest entry and asks nothing, rather than naming its first. With more
        than two views each is asked the questions of all others, side by side, so that the scales
        of views do not matter, and of each only the most frequent (``max_problems``); questions of
        a view that an object lacks count as false. In section 4.1, "v₁¹, …, v₂^p" should read
        v₂¹, …, v₂^p.

    **Complexity**
        O(n·d² + d³) for n objects and d features, or with n and d exchanged, and O(d² + nnz) per
        step of the eigensolver, a few times ``n_components`` of them, whatever the number of
        problems. Where features and objects both exceed 3,000: O(nnz) for each step of the
        conjugate gradients in each step of the eigensolver, and memory O(nnz + d).

    One view alone is asked about itself: its features are then those that predict its own answers.

    References
    ----------
    [@ando2007]
    """

    _stem = "subspace"

    bases_: dict[str, FloatArray]
    singular_values_: dict[str, FloatArray]
    penalties_: dict[str, float]
    n_problems_: dict[str, int]
    n_components_: int
    choice_: Choice | None

    def __init__(
        self,
        n_components: NComponents = None,
        auxiliary: ByView[AuxiliaryFunction] = "argmax",
        interactions: bool = False,
        concatenate: bool = True,
        *,
        regularization: Positive = 3.0,
        whiten: bool = True,
        scale: bool = True,
        max_problems: Count | None = 1000,
        cv: Folds = 5,
        estimator: Classifier | None = None,
    ) -> None:
        self.n_components = n_components
        self.auxiliary = auxiliary
        self.interactions = interactions
        self.concatenate = concatenate
        self.regularization = regularization
        self.whiten = whiten
        self.scale = scale
        self.max_problems = max_problems
        self.cv = cv
        self.estimator = estimator

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(2, "nonzero", interactions=True, concatenate=False, whiten=False)

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Learn the directions from all objects; labels only say how many there should be."""
        views = self._fit_views(X)
        labels = self._read_labels(y, views)
        candidates = read_candidates(self.n_components, labels)
        found = self._subspaces(views, candidates[-1])
        self.bases_ = {name: each.basis for name, each in found.items()}
        self.singular_values_ = {name: each.singular_values for name, each in found.items()}
        self.penalties_ = {name: each.penalty for name, each in found.items()}
        self.n_problems_ = {name: each.n_problems for name, each in found.items()}
        self.choice_ = self._choose(candidates, views, labels) if len(candidates) > 1 else None
        self._keep(candidates[0] if self.choice_ is None else self.choice_.best)
        return self

    def _subspaces(self, views: Views, n_components: int) -> dict[str, Subspace]:
        values = auxiliary_values(self.auxiliary, views)
        found = {}
        for name, matrix in views.items():
            problems = problems_of(name, values, views, most=self.max_problems)
            rows = matrix if len(problems.rows) == len(views) else matrix[problems.rows]
            found[name] = subspace(
                rows,
                problems.targets,
                n_components,
                regularization=self.regularization,
                whiten=self.whiten,
                scale=self.scale,
            )
        return found

    def _choose(self, candidates: Sequence[int], views: Views, labels: Labels | None) -> Choice:
        known = views[labels.labelled] if labels is not None else views[:0]
        learnt = self._by_view(known)

        def features(n_components: int, training: IntArray) -> Matrix:  # noqa: ARG001
            fewer = {name: block[:, :n_components] for name, block in learnt.items()}
            return self._side_by_side(known, fewer)

        return choose_n_components(
            candidates, features, labels, estimator=self.estimator, cv=self.cv
        )

    def _keep(self, n_components: int) -> None:
        self.n_components_ = n_components
        self.bases_ = {name: basis[:, :n_components].copy() for name, basis in self.bases_.items()}
        self.singular_values_ = {
            name: values[:n_components].copy() for name, values in self.singular_values_.items()
        }

    def _features(self, name: str, rows: Matrix) -> FloatArray:
        return np.asarray(rows @ self.bases_[name])  # v_kᵀz of Theorem 1

    def _n_features(self, name: str) -> int:
        return int(self.bases_[name].shape[1])
