"""Support vector machines in each view, smooth over the graphs of all views [@sindhwani2005]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self

import numpy as np

from manyviews.semi_supervised._shared import (
    ClassWeight,
    KernelLike,
    Proportions,
    best_class,
    early_ends_explained,
    most_steps,
    read_class_weights,
    refuse_extremes,
)
from manyviews.semi_supervised.laplacian._shared import (
    CoLaplacian,
    Expansion,
    GraphLike,
    Power,
    Solver,
    ViewProblem,
    deform,
)
from manyviews.typing import (
    AutoViewWeights,
    ByView,
    Count,
    Divisor,
    FloatArray,
    NonNegative,
    Verbosity,
)

__all__ = ["CoLaplacianSVM", "svm_coefficients"]

ACCURACY = 1e-6
"""Tolerance of the machines, whose default is 1e-3: on few labelled objects digits cost nothing."""


def svm_coefficients(
    gram: FloatArray,
    targets: FloatArray,
    cost: float,
    *,
    class_weight: Literal["balanced"] | None = None,
    sample_weight: FloatArray | None = None,
) -> tuple[FloatArray, float]:
    """Coefficients ``a`` and the constant of a support vector machine, ``f = K a + b``.

    ``targets`` are 1 or −1; where all are alike, so is the function, and it costs nothing. ``cost``
    is ``C``, what an error of one costs beside ``aᵀ K a / 2``; weights are as in
    :class:`sklearn.svm.SVC`.

    Examples
    --------
    >>> a, b = svm_coefficients(np.diag([1.0, 3.0]), np.array([-1.0, 1.0]), 10.0)
    >>> a.round(4), round(b, 4)
    (array([-0.5,  0.5]), -0.5)
    """
    from sklearn.svm import SVC

    coefficients = np.zeros(len(targets))
    if np.all(targets == targets[0]):
        return coefficients, float(targets[0])
    refuse_extremes(cost, float(np.abs(gram.diagonal()).max()), remedy="raise gamma")
    machine = SVC(
        C=cost,
        kernel="precomputed",
        class_weight=class_weight,
        tol=ACCURACY,
        max_iter=most_steps(len(gram)),
        random_state=0,
    )
    with early_ends_explained("CoLaplacianSVM", remedy="raise gamma"):
        machine.fit(gram, targets, sample_weight=sample_weight)
    coefficients[machine.support_] = machine.dual_coef_[0]
    return coefficients, float(machine.intercept_[0])


class CoLaplacianSVM(CoLaplacian):
    """Classify from few labels by support vectors, with functions smooth over all views' graphs.

    Take it where classes keep to groups of neighbours in some view, and objects far on their
    own side should not bend the answer, as they do in least squares; :class:`CoLaplacianRLS` is
    quicker.

    Parameters
    ----------
    kernel : Similarity, name, list or dict
        The kernel of a view, for all or one per view: ``"linear"``, ``"cosine"``, ``"rbf"``, …;
        "auto" takes the cosine for views most of whose cells are zero, else the Gaussian kernel.
    graph : Similarity, name, matrix, list or dict, optional
        Which objects are near in a view: ``KNNGraph()`` if not given. Or a square matrix of
        weights, dense or sparse.
    gamma : float, list or dict
        ``γ_A``, what the norm of a function costs.
    intrinsic : float, list or dict
        ``γ_I``, what differences between neighbours cost. With 0 unlabelled objects are ignored.
    relative : bool
        Whether ``gamma`` and ``intrinsic`` are in units of the kernel and the graphs, so that
        neither the units of the views nor the number of objects matters; else as in the paper.
    view_weights : "auto", list or dict of float, optional
        How much the graph of each view counts; scaled to sum to one. "auto": alike, but 0 for a
        view that looks empty of structure, which a warning names, unless the labels speak for it.
    concatenate : bool
        Add one more view, all of them side by side, with a graph, a kernel and a function of its
        own; it is named by theirs, joined by "+".
    power : int
        Power of each Laplacian, up to 16; 2 and more punish small differences over long ways.
    normalized : bool
        Use ``I − D^{-1/2} W D^{-1/2}`` instead of ``D − W``.
    class_weight : dict or "balanced", optional
        By how much errors on a class cost more; "balanced": the two sides of each machine alike.
    proportions : "auto", "labelled", float, dict or None
        Choose the constant of every function so that each class gets this share of the training
        objects: as :class:`CoLaplacianRLS` says. None, and "auto" where ``intrinsic`` is 0 or there
        is a ``class_weight``, leave the functions as they are.
    solver : {"auto", "dual", "primal", "iterative"}
        The size of the system that is solved: objects, features, or none. "auto" solves the smaller
        one directly, and iterates beyond 2,000 of both. Primal and iterative need features.
    tol : float
        Relative residual at which conjugate gradients stop.
    max_iter : int
        Largest number of steps of the conjugate gradients.
    verbose : int
        1 reports the start and the end of each view.

    Attributes
    ----------
    functions_ : dict of ViewFunction
        The function of each view.
    transduction_ : array of shape (n_objects,)
        The class of every training object: the given one, or the one predicted.
    classes_ : array
        The classes.
    view_weights_ : dict of float
        The shares of the graphs, of sum one.
    n_iter_ : int
        Most steps taken in a view; 1 where none were needed.
    converged_ : bool
        Whether every view was solved to ``tol``.
    view_names_ : tuple of str
        Names of the views, without the added one.

    Examples
    --------
    >>> from manyviews.datasets import make_two_moons_two_lines
    >>> from manyviews.semi_supervised import CoLaplacianSVM
    >>> views, y = make_two_moons_two_lines(random_state=0)
    >>> few = np.full(len(y), -1)
    >>> for label in (0, 1):
    ...     few[np.flatnonzero(y == label)[0]] = label  # one label of each class
    >>> model = CoLaplacianSVM({"moons": "rbf", "lines": "linear"}).fit(views, few)
    >>> bool(np.mean(model.transduction_ == y) > 0.95)
    True

    Notes
    -----
    **Objective**
        In every view ``s`` (§3) ``(1/l) Σ max(0, 1 − y_i f(x_i)) + γ_A |f|²_K + γ_I fᵀ L f``, over
        f in the space of the view's kernel plus a constant, with f in the last term the values at
        all objects, labelled or not, and one ``L = Σ_v w_v L_v`` for all views: what is near in
        one view is to be alike in the others.

    **Symbols**
        As in :class:`CoLaplacianRLS`.

    **Algorithm**
        1. The graphs, and in each view the deformed kernel ``K̃`` at the labelled objects, as in
           :class:`CoLaplacianRLS`; conjugate gradients have a right side per labelled object.
        2. scikit-learn's ``SVC`` on ``K̃`` with ``C = 1 / (2 l γ_A)``, which is the objective
           divided by ``2 γ_A`` (``svm_coefficients``); more than two classes one against the rest.
        3. An object's decision is the mean over the views that show it.

    **Deviations**
        Those of :class:`CoLaplacianRLS`: classes are told apart one from the rest, ``gᵀ L g`` is a
        sum over pairs, a view is regularised over the objects that it shows, and ``power``,
        ``proportions`` and ``relative`` are ours.

    **Complexity**
        Beside the graphs, with n objects, l of them labelled, and d features: dual O(n³) time and
        n² numbers; primal O(n d k + d³) and d²; conjugate gradients one product with the view, its
        transpose and the graph per step and labelled object, and l vectors. The machine sees the
        labelled objects only.

    References
    ----------
    [@sindhwani2005]
    """

    def __init__(
        self,
        kernel: ByView[KernelLike] = "auto",
        graph: ByView[GraphLike] = None,
        *,
        gamma: ByView[Divisor] = 0.03,
        intrinsic: ByView[NonNegative] = 1.0,
        relative: bool = True,
        view_weights: AutoViewWeights = "auto",
        concatenate: bool = False,
        power: Power = 1,
        normalized: bool = False,
        proportions: Proportions | Literal["auto"] | None = "auto",
        class_weight: ClassWeight = None,
        solver: Solver = "auto",
        tol: NonNegative = 1e-6,
        max_iter: Count = 1000,
        verbose: Verbosity = 0,
    ) -> None:
        self.kernel = kernel
        self.graph = graph
        self.gamma = gamma
        self.intrinsic = intrinsic
        self.relative = relative
        self.view_weights = view_weights
        self.concatenate = concatenate
        self.power = power
        self.normalized = normalized
        self.proportions = proportions
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls("rbf", concatenate=True, normalized=True, class_weight="balanced")

    def _solve(self, problem: ViewProblem) -> Expansion:
        deformed = deform(problem, tol=self.tol, max_iter=self.max_iter)
        # C = 1 / (2 l γ_A): a standard SVM on the modified kernel is the objective of section 3
        cost = 1.0 / (2.0 * len(problem.labelled) * problem.gamma)
        weights: dict[str, Any] = {}
        if isinstance(self.class_weight, Mapping):
            by_class = read_class_weights(self.class_weight, self.classes_)
            weights["sample_weight"] = by_class[best_class(problem.targets)]
        elif self.class_weight is not None:
            weights["class_weight"] = "balanced"
        machines = [
            svm_coefficients(deformed.gram, targets, cost, **weights)
            for targets in problem.targets.T
        ]
        coefficients = np.column_stack([found for found, _ in machines])
        intercept = np.array([constant for _, constant in machines])
        columns = deformed.columns @ coefficients
        return Expansion(columns, intercept, deformed.n_iter, deformed.residual)

    def _weighs_classes(self) -> bool:
        return self.class_weight is not None
