"""Functions of each view, smooth over the graphs of all views, without their loss [@sindhwani2005].

From the top: graphs and what roughness costs, the kernel that this deforms, what is solved in a
view, the base of both estimators.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import add
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, lu_factor, lu_solve
from scipy.sparse import csgraph

from manyviews.base import BaseMultiViewClassifier, Labels, ViewTags, report, warn_not_converged
from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import Solved, check_memory, conjugate_gradients, spread_gram, to_dense
from manyviews.semi_supervised._shared import (
    KernelLike,
    Proportions,
    best_class,
    chosen_graphs,
    chosen_kernels,
    class_targets,
    flat,
    read_or_judge_class_weights,
    read_proportions,
    softmax_of_decisions,
    spread_of_features,
    spread_of_gram,
    weighted_mean,
)
from manyviews.semi_supervised.least_squares import class_offsets
from manyviews.similarity import (
    SimilarityLike,
    ViewFunction,
    ViewKernel,
    as_similarity,
    fit_kernel,
    kernel_function,
    observed_similarities,
    values_by_view,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    Divisor,
    FloatArray,
    Having,
    IntArray,
    Interval,
    Matrix,
    NonNegative,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = [
    "CoLaplacian",
    "Expansion",
    "GraphLike",
    "Penalty",
    "Power",
    "Solver",
    "ViewProblem",
    "choose_solver",
    "deform",
    "deformed_dual",
    "deformed_iterative",
    "deformed_primal",
    "fit_graphs",
    "iterative_ridge",
    "laplacian",
    "penalty_among",
    "roughness",
    "with_concatenation",
]

GraphLike: TypeAlias = (
    SimilarityLike | AnyArray | Annotated[Any, Having("a sparse matrix", "tocsr")] | None
)
"""Edges of a view: a similarity, its name, a matrix of weights, or None for the usual graph."""
Power: TypeAlias = Annotated[int, Interval(1, 16)]
"""Of a Laplacian; every one costs a product, and at the 16th only its largest eigenvalue counts."""
Solver: TypeAlias = Literal["auto", "dual", "primal", "iterative"]

ASYMMETRY = 1e-10
"""How far from symmetric a given graph may be, relative to its largest weight. A judgement: far
above the rounding of a weight, far below one that counts."""
COLUMNS = 256
"""Of sparse features, so many are made dense at a time. A judgement: 200 MB for 100,000 objects."""
LARGEST_SYSTEM = 2000
"""Objects, or features where these are fewer, up to which a system of their number is solved
directly. A judgement: its matrix has 32 MB."""
MANY_OBJECTS = 30_000
"""Of more objects than this a matrix of all with all is not made unasked (7 GiB)."""


# The graph regulariser ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Penalty:
    """``M = ratio · Σ_v w_v L_v^p`` over some objects; ``f @ (M @ f)`` is what roughness costs.

    Examples
    --------
    >>> path = laplacian(np.array([[0.0, 1.0], [1.0, 0.0]]), normalized=False)
    >>> Penalty((path,), (0.5,)) @ np.array([1.0, -1.0])
    array([ 1., -1.])
    """

    laplacians: tuple[Matrix, ...]
    weights: tuple[float, ...] = (1.0,)
    power: int = 1
    ratio: float = 1.0
    """``γ_I / γ_A``."""

    def __matmul__(self, block: FloatArray) -> FloatArray:
        total = np.zeros(block.shape)
        for weight, matrix in zip(self.weights, self.laplacians, strict=True):
            found = block
            for _ in range(self.power):  # L^p is never formed: it would fill up
                found = matrix @ found
            total += weight * found
        return self.ratio * total

    def diagonal(self) -> FloatArray:
        """Sum of the powers of the diagonals; the diagonal itself for ``p = 1``."""
        parts = zip(self.weights, self.laplacians, strict=True)
        summed = np.sum([weight * matrix.diagonal() ** self.power for weight, matrix in parts], 0)
        return np.asarray(self.ratio * summed)


def laplacian(weights: Matrix, *, normalized: bool) -> Matrix:
    """Return ``D − W``, or ``I − D^{-1/2} W D^{-1/2}``; zero rows for objects without edges.

    An object's similarity to itself is no edge.

    Examples
    --------
    >>> laplacian(np.array([[1.0, 2.0], [2.0, 1.0]]), normalized=False)
    array([[ 2., -2.],
           [-2.,  2.]])
    """
    found = csgraph.laplacian(weights.astype(np.float64), normed=normalized, symmetrized=False)
    return sparse.csr_array(found) if is_sparse(found) else found


def penalty_among(
    graphs: Mapping[str, Matrix],
    shares: Mapping[str, float],
    objects: IntArray,
    *,
    normalized: bool = False,
    power: int = 1,
) -> Penalty:
    """``L = Σ_v w_v L_v^p`` over some objects: edges that lead to others are left out.

    Examples
    --------
    >>> square = np.ones((3, 3)) - np.eye(3)
    >>> graphs, shares = {"a": square, "b": 2 * square}, {"a": 0.5, "b": 0.5}
    >>> (penalty_among(graphs, shares, np.array([0, 1])) @ np.eye(2)).round(6)
    array([[ 1.5, -1.5],
           [-1.5,  1.5]])
    """
    whole = all(len(objects) == graph.shape[0] for graph in graphs.values())
    found = [
        laplacian(graph if whole else graph[objects][:, objects], normalized=normalized)
        for graph in graphs.values()
    ]
    weights = [shares[name] for name in graphs]
    if power > 1:
        return Penalty(tuple(found), tuple(weights), power)
    if not all(is_sparse(matrix) for matrix in found):
        found = [to_dense(matrix) for matrix in found]
    # L = (1 − α) L₁ + α L₂ of section 3, for any number of views
    return Penalty((reduce(add, [w * matrix for w, matrix in zip(weights, found, strict=True)]),))


def fit_graphs(
    views: Views, graph: ByView[GraphLike], shares: Mapping[str, float], *, relative: bool = False
) -> dict[str, Matrix]:
    """Build the graph of every view that counts; it has no edges at objects the view hides.

    ``graph`` is a similarity, its name or a matrix of weights, for all views or one per view.
    ``relative`` divides each by its mean degree, so that the unit of its weights is nothing.
    """
    chosen = chosen_graphs(graph, views)
    graphs = {}
    for name in views.names:
        if shares[name] > 0:
            found = _graph(views, name, chosen[name])
            own = float(found.diagonal().sum())  # an object's similarity to itself is no edge
            degree = (float(found.sum()) - own) / len(views)
            graphs[name] = found * (1.0 / degree) if relative and degree > 0 else found
    return graphs


def _graph(views: Views, name: str, chosen: GraphLike) -> Matrix:
    n = len(views)
    if isinstance(chosen, np.ndarray) or is_sparse(chosen):
        found = sparse.csr_array(chosen) if is_sparse(chosen) else np.asarray(chosen)
        _check_square(found, n, name)
    else:
        places = np.flatnonzero(views.observed_in(name))
        alone = views.subset([name])
        among: Any = observed_similarities(alone, as_similarity(chosen, "graph"))[1][name]
        among = among if is_sparse(among) else to_dense(among)
        found = among if len(places) == n else spread_gram(among, places, places, (n, n))
    smallest = found.data.min(initial=0.0) if is_sparse(found) else found.min()
    if smallest < 0:
        raise ValueError(
            f"the graph of view {name!r} has an edge of weight {smallest:g}, and smoothness needs "
            "weights of zero or more; use KNNGraph() or RBF()."
        )
    return found


def _check_square(found: Matrix, n: int, name: str) -> None:
    if found.shape != (n, n):
        raise ValueError(
            f"the graph given for view {name!r} has shape {found.shape} for {n} objects; give the "
            "weights of the edges among all of them."
        )
    if not np.isfinite(found.data if is_sparse(found) else found).all():
        raise ValueError(
            f"the graph given for view {name!r} has weights that are not finite; give numbers, and "
            "0 where there is no edge."
        )
    gaps = abs(found - found.T)
    if gaps.max() > ASYMMETRY * abs(found).max():
        row, column = np.unravel_index(gaps.argmax(), gaps.shape)
        raise ValueError(
            f"the graph given for view {name!r} is not symmetric at ({row}, {column}); "
            "use (W + W.T) / 2."
        )


# The deformed kernel ------------------------------------------------------------------------------
#
# ``K̃(x, z) = K(x, z) − k_xᵀ (I + M G)⁻¹ M k_z`` is the kernel of the norm ``|f|² + fᵀ M f`` (§3).
# Where K has features, ``K = Φ Φᵀ``, it is ``φ(x)ᵀ (I + Φᵀ M Φ)⁻¹ φ(z)`` by Woodbury's identity: as
# large as there are features instead of objects. Only columns at labelled objects are needed.


@dataclass(frozen=True)
class Deformed:
    """The deformed kernel at the labelled objects, and as a function of any other."""

    gram: FloatArray
    """``K̃`` among the labelled objects, exactly symmetric."""
    columns: FloatArray
    """``K̃(x, labelled) = b(x)ᵀ columns``, with b the kernel row or the features of x."""
    n_iter: int = 1
    residual: float = 0.0
    """What an iterative solution left undone, relative to what was asked."""


def deformed_dual(gram: FloatArray, penalty: Penalty | None, labelled: IntArray) -> Deformed:
    """Deform a kernel that is known by its matrix among all objects.

    Examples
    --------
    >>> M = Penalty((np.array([[1.0, -1.0], [-1.0, 1.0]]),))
    >>> deformed_dual(np.eye(2), M, np.array([0, 1])).gram.round(4)
    array([[0.6667, 0.3333],
           [0.3333, 0.6667]])
    """
    columns = np.zeros((len(gram), len(labelled)))
    columns[labelled, np.arange(len(labelled))] = 1.0
    if penalty is not None:
        system = penalty @ gram  # M G
        targets = system[:, labelled].copy()
        system.flat[:: len(gram) + 1] += 1.0
        factor = lu_factor(system, overwrite_a=True, check_finite=False)
        # k_z − G (I + M G)⁻¹ M k_z as coefficients of G: the modified kernel of section 3
        columns -= lu_solve(factor, targets, overwrite_b=True, check_finite=False)
    return Deformed(_symmetric(gram[labelled] @ columns), columns)


def deformed_primal(features: Matrix, penalty: Penalty | None, labelled: IntArray) -> Deformed:
    """Deform a kernel ``Φ Φᵀ`` exactly, by a system as large as there are features.

    Examples
    --------
    >>> M = Penalty((np.array([[1.0, -1.0], [-1.0, 1.0]]),))
    >>> X = np.array([[1.0], [3.0]])
    >>> deformed_primal(X, M, np.array([0])).gram  # 1 / (1 + (3 − 1)²)
    array([[0.2]])
    """
    shown = _dense_rows(features, labelled)
    if penalty is None:
        return Deformed(_symmetric(shown @ shown.T), shown.T.copy())
    system = roughness(features, penalty)  # Φᵀ M Φ
    system.flat[:: len(system) + 1] += 1.0
    factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
    # The modified kernel of section 3, by Woodbury's identity
    columns = cho_solve(factor, shown.T, check_finite=False)
    return Deformed(_symmetric(shown @ columns), columns)


def deformed_iterative(
    features: Matrix, penalty: Penalty | None, labelled: IntArray, *, tol: float, max_iter: int
) -> Deformed:
    """Deform a kernel ``Φ Φᵀ`` with nothing larger than the features and a few vectors."""
    if penalty is None:
        return deformed_primal(features, None, labelled)
    shown = _dense_rows(features, labelled)

    def apply(block: FloatArray) -> FloatArray:
        found: FloatArray = block + features.T @ (penalty @ (features @ block))
        return found

    diagonal = 1.0 + squared_columns(features, penalty.diagonal())
    found = conjugate_gradients(apply, shown.T, diagonal, tol=tol, max_iter=max_iter)
    columns = found.solution
    return Deformed(_symmetric(shown @ columns), columns, found.n_iter, found.residual)


def iterative_ridge(
    features: Matrix,
    penalty: Penalty | None,
    labelled: IntArray,
    targets: FloatArray,
    ridge: float,
    *,
    tol: float,
    max_iter: int,
) -> Solved:
    """Weights ``w`` of least ``|y − Φ_l w|² + ridge · (|w|² + (Φw)ᵀ M (Φw))``, for all columns."""
    shown = features[labelled]

    def apply(block: FloatArray) -> FloatArray:
        found: FloatArray = shown.T @ (shown @ block) + ridge * block
        if penalty is not None:
            found += ridge * (features.T @ (penalty @ (features @ block)))
        return found

    diagonal = ridge + squared_columns(shown, np.ones(len(labelled)))
    if penalty is not None:
        diagonal += ridge * squared_columns(features, penalty.diagonal())
    asked = np.asarray(shown.T @ targets)
    return conjugate_gradients(apply, asked, diagonal, tol=tol, max_iter=max_iter)


def roughness(features: Matrix, penalty: Penalty) -> FloatArray:
    """Return ``Φᵀ M Φ``, some columns at a time."""
    width = features.shape[1]
    by_column = sparse.csc_array(features) if is_sparse(features) else features
    check_memory(
        (width, width),
        f"the system of {width:,} features",
        remedy="use solver='iterative', or a kernel of low rank, LowRankKernel()",
    )
    found = np.empty((width, width))
    for start in range(0, width, COLUMNS):
        part = slice(start, min(start + COLUMNS, width))
        block = by_column[:, part]
        found[:, part] = features.T @ (penalty @ (block.toarray() if is_sparse(block) else block))
    return _symmetric(found)


def squared_columns(features: Matrix, weights: FloatArray) -> FloatArray:
    """Weighted sum of the squares of every column.

    Examples
    --------
    >>> squared_columns(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([1.0, 10.0]))
    array([91.,  4.])
    """
    if not is_sparse(features):
        return np.einsum("ij,ij,i->j", features, features, weights)
    return np.asarray((features * features).T @ weights)


def _dense_rows(features: Matrix, rows: IntArray) -> FloatArray:
    n_rows, width = len(rows), features.shape[1]
    check_memory(
        (n_rows, max(n_rows, width)),
        f"the kernel of {n_rows:,} labelled objects with {width:,} features",
        remedy="label fewer objects, or use a kernel of low rank, LowRankKernel()",
    )
    shown = features[rows]
    return shown.toarray() if is_sparse(shown) else shown


def _symmetric(matrix: FloatArray) -> FloatArray:
    return (matrix + matrix.T) / 2


# One view -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ViewProblem:
    """What is to be solved in one view, over the objects that it shows."""

    basis: Matrix
    """The kernel among the objects (dual), or their features."""
    solver: str
    penalty: Penalty | None
    labelled: IntArray
    """Places of the labelled objects among those shown."""
    targets: FloatArray
    """``Y``: 1 in the column of an object's class, −1 in the others; one column for two classes."""
    gamma: float
    """``γ_A``."""


@dataclass(frozen=True)
class Expansion:
    """The solution of one view: ``f(x) = b(x)ᵀ weights + intercept``."""

    weights: FloatArray
    intercept: FloatArray
    n_iter: int = 1
    residual: float = 0.0


def deform(problem: ViewProblem, *, tol: float, max_iter: int) -> Deformed:
    """Deform the kernel of a view in the way that was chosen."""
    basis, penalty, labelled = problem.basis, problem.penalty, problem.labelled
    if problem.solver == "dual":
        return deformed_dual(np.asarray(basis), penalty, labelled)
    if problem.solver == "primal":
        return deformed_primal(basis, penalty, labelled)
    return deformed_iterative(basis, penalty, labelled, tol=tol, max_iter=max_iter)


def choose_solver(solver: Solver, n_objects: int, width: int | None) -> str:
    """Decide how large a system is solved; ``width`` is the number of features, if any.

    Examples
    --------
    >>> choose_solver("auto", 1000, 30), choose_solver("auto", 1000, None)
    ('primal', 'dual')
    """
    if solver != "auto":
        return solver
    if width is not None and width <= min(n_objects, LARGEST_SYSTEM):
        return "primal"
    return "dual" if width is None or n_objects <= LARGEST_SYSTEM else "iterative"


def view_basis(name: str, own: ViewKernel, asked: Solver) -> tuple[Matrix, str]:
    """The features or the kernel of a view, and the solver they go with."""
    n_objects, kind = own.rows.shape[0], type(own.kernel).__name__
    solver = choose_solver(asked, n_objects, own.n_features)
    if solver != "dual":
        if own.n_features is None:
            raise ValueError(
                f"solver={solver!r} needs features, which {kind} of view {name!r} has not; "
                "wrap it in LowRankKernel() or use solver='dual'."
            )
        return own.features, solver
    if n_objects > MANY_OBJECTS and asked == "auto":
        raise ValueError(
            f"view {name!r} shows {n_objects} objects and {kind} compares all with all; wrap "
            "it in LowRankKernel(), or insist with solver='dual'."
        )
    return own.gram, "dual"


def thresholds(values: FloatArray, shares: FloatArray) -> FloatArray:
    """Where to cut every column so that the share of its class lies above.

    One column is that of the second of two classes. Halfway between the two values; at least one
    value stays on either side.

    Examples
    --------
    >>> thresholds(np.array([[1.0], [2.0], [4.0], [8.0]]), np.array([0.75, 0.25]))
    array([6.])
    """
    n = len(values)
    if n < 2:
        return np.zeros(values.shape[1])
    own = shares[-values.shape[1] :]
    above = np.clip(np.rint(own * n).astype(np.intp), 1, n - 1)
    falling, columns = -np.sort(-values, axis=0), np.arange(values.shape[1])
    return np.asarray((falling[above - 1, columns] + falling[above, columns]) / 2)


def with_concatenation(views: Views) -> Views:
    """Add a view that is all others side by side; it shows the objects that all others show.

    Examples
    --------
    >>> with_concatenation(Views({"page": [[1.0]], "link": [[2.0]]})).names
    ('page', 'link', 'page+link')
    """
    if views.n_views == 1:
        return views
    joined = "+".join(views.names)
    seen = np.column_stack([views.observed, views.observed.all(axis=1)])
    return Views({**dict(views.items()), joined: views.concatenate()}, observed=seen)


class CoLaplacian(BaseMultiViewClassifier, ABC):
    """Base of both methods; a child says how a function is fitted to labels in a view."""

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    kernel: ByView[KernelLike]
    graph: ByView[GraphLike]
    gamma: ByView[Divisor]
    intrinsic: ByView[NonNegative]
    relative: bool
    view_weights: AutoViewWeights
    concatenate: bool
    power: Power
    normalized: bool
    proportions: Proportions | Literal["auto"] | None
    solver: Solver
    tol: NonNegative
    max_iter: Count
    verbose: Verbosity

    functions_: dict[str, ViewFunction]
    transduction_: AnyArray
    view_weights_: dict[str, float]
    n_iter_: int
    converged_: bool

    @abstractmethod
    def _solve(self, problem: ViewProblem) -> Expansion:
        """Fit the functions of one view."""

    def _weighs_classes(self) -> bool:
        """Whether the threshold was moved by weights of classes, and is to stay there."""
        return False

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Fit a function in each view, smooth over the graphs of all views."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        shown = self._shown(views)
        given = read_or_judge_class_weights(self.view_weights, shown, labels)
        self.view_weights_ = {name: w / sum(given.values()) for name, w in given.items()}
        shares = self._shares(labels)
        self.functions_, values, solutions = {}, [], {}
        for name, kernel, problem in self._problems(shown, labels):
            if self.verbose:
                report(self, f"solving view {name!r} by {problem.solver}")
            found = solutions[name] = self._solve(problem)
            self.functions_[name] = (
                kernel_function(kernel, found.weights, found.intercept)
                if problem.solver == "dual"
                else ViewFunction(kernel.kernel, None, found.weights, found.intercept)
            )
            values.append(np.zeros((len(shown), len(found.intercept))))
            values[-1][kernel.places] = problem.basis @ found.weights + found.intercept
        mean = self._cut(np.stack(values), shown, labels, shares)
        self._report(solutions)
        best = np.where(labels.labelled, labels.codes, best_class(mean))
        self.transduction_ = self.classes_[best]
        return self

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Mean decision of the views that show an object.

        Returns
        -------
        array of shape (n,) for two classes, else (n, n_classes)
            Positive, or largest, for the class that is predicted.
        """
        return flat(self._mean(self._values(X)))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Return the class of new objects, from whatever views they have."""
        best = best_class(self._mean(self._values(X)))
        return self.classes_[best]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class: the logistic function, or softmax, of twice the decisions.

        They are not calibrated on other objects.
        """
        return softmax_of_decisions(self._mean(self._values(X)))

    def view_decisions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Return what every view says alone, shaped as ``decision_function``.

        NaN for objects that a view does not show.
        """
        return {name: flat(found) for name, found in self._values(X).items()}

    def _mean(self, values: Mapping[str, FloatArray]) -> FloatArray:
        """Mean over the views that show an object, those of weight zero aside."""
        counts = {name: float(weight > 0) for name, weight in self.view_weights_.items()}
        return weighted_mean(values, counts)

    def _values(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Values of every function at new objects."""
        shown = self._shown(self._new_views(X))
        return values_by_view(self.functions_, shown)

    def _shown(self, views: Views) -> Views:
        return with_concatenation(views) if self.concatenate else views

    def _shares(self, labels: Labels) -> FloatArray | None:
        """Share of each class by which functions are cut; None where they are not."""
        if self.proportions is None or self.proportions == "auto":
            return None
        return read_proportions(self.proportions, labels)

    def _problems(
        self, shown: Views, labels: Labels
    ) -> Iterator[tuple[str, ViewKernel, ViewProblem]]:
        """Fit the kernel of every view, and say what is to be solved there; one at a time."""
        kernels = chosen_kernels(self.kernel, shown)
        gammas = per_view(self.gamma, shown.names, parameter="gamma")
        intrinsics = per_view(self.intrinsic, shown.names, parameter="intrinsic")
        smooth = self._penalties(shown) if any(intrinsics.values()) else {}
        for name in shown.names:
            kernel = fit_kernel(shown, name, kernels[name])
            codes = labels.codes[kernel.places]
            labelled = np.flatnonzero(codes >= 0)
            if not len(labelled):
                given = name in self.view_names_
                remedy = "leave the view out" if given else "use concatenate=False"
                raise UnobservedViewsError(
                    f"view {name!r} shows no labelled object, so that nothing can be learnt in "
                    f"it; label an object that it shows, or {remedy}."
                )
            basis, solver = view_basis(name, kernel, self.solver)
            gamma, intrinsic = float(gammas[name]), float(intrinsics[name])
            if self.relative:
                spread: Any = spread_of_gram if solver == "dual" else spread_of_features
                gamma *= spread(basis, center=False)
                intrinsic /= len(kernel.places)
            penalty = replace(smooth[name], ratio=intrinsic / gamma) if intrinsic else None
            targets = class_targets(codes[labelled], len(labels.classes))
            yield name, kernel, ViewProblem(basis, solver, penalty, labelled, targets, gamma)

    def _penalties(self, shown: Views) -> dict[str, Penalty]:
        """What roughness costs over the objects of every view; one for views of the same ones."""
        shares = self.view_weights_
        graphs = fit_graphs(shown, self.graph, shares, relative=self.relative)

        @cache
        def among(seen: bytes) -> Penalty:
            places = np.flatnonzero(np.frombuffer(seen, dtype=bool))
            return penalty_among(
                graphs, shares, places, normalized=self.normalized, power=self.power
            )

        return {name: among(shown.observed_in(name).tobytes()) for name in shown.names}

    def _cut(
        self, values: FloatArray, shown: Views, labels: Labels, shares: FloatArray | None
    ) -> FloatArray:
        """Choose the constants anew, where that is asked for; return the mean of the functions.

        By ``shares``, or so that ``y ≈ s (f + b)`` fits best on the labelled objects.
        """
        seen = shown.observed.T
        offsets: FloatArray = np.zeros((len(values), values.shape[2]))
        smooth = per_view(self.intrinsic, shown.names, parameter="intrinsic")
        if shares is not None:
            offsets = -np.array(
                [thresholds(own[here], shares) for own, here in zip(values, seen, strict=True)]
            )
        elif self.proportions == "auto" and any(smooth.values()) and not self._weighs_classes():
            targets = class_targets(labels.codes, len(labels.classes))
            offsets = class_offsets(values, seen, labels, targets)
        for name, added in zip(shown.names, offsets, strict=True):
            own = self.functions_[name]
            self.functions_[name] = replace(own, intercept=own.intercept + added)
        moved = np.where(seen[:, :, None], values + offsets[:, None], np.nan)
        return self._mean(dict(zip(shown.names, moved, strict=True)))

    def _report(self, solutions: Mapping[str, Expansion]) -> None:
        self.n_iter_ = max(solution.n_iter for solution in solutions.values())
        left = {name: found.residual for name, found in solutions.items()}
        unsolved = [name for name in left if left[name] > self.tol]
        self.converged_ = not unsolved
        if self.verbose:
            for name, found in solutions.items():
                steps = f"solved in {found.n_iter} steps, residual {found.residual:.2g}"
                report(self, f"view {name!r} {steps}")
        if unsolved:
            warn_not_converged(
                self,
                f"did not converge in {', '.join(map(repr, unsolved))} in "
                f"max_iter={self.max_iter} steps (the residual is {max(left.values()):.2g})",
                "raise max_iter, tol or gamma",
            )
