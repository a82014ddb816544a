"""Support vector machines in each view, smooth over the graphs of all views [@sindhwani2005]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, Self

import numpy as np

from manyviews.semi_supervised._laplacian._base import CoLaplacian
from manyviews.semi_supervised._laplacian._problem import Expansion, Solver, ViewProblem, deform
from manyviews.semi_supervised._laplacian._regularizer import GraphLike, Power
from manyviews.semi_supervised._shared import (
    ClassWeight,
    KernelLike,
    Proportions,
    early_ends_explained,
    most_steps,
    read_class_weights,
    refuse_extremes,
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

_RAISE = "raise gamma"
_ACCURACY = 1e-6
"""Tolerance of the machines: on few labelled objects more digits cost nothing."""


def svm_coefficients(
    gram: FloatArray,
    targets: FloatArray,
    cost: float,
    *,
    class_weight: Literal["balanced"] | None = None,
    sample_weight: FloatArray | None = None,
) -> tuple[FloatArray, float]:
    """Coefficients ``a`` and the constant of a support vector machine, ``f = K a + b``.

    Parameters
    ----------
    gram : array of shape (n, n)
        A positive semi-definite kernel ``K``.
    targets : array of shape (n,)
        1 or −1. Where all are alike, so is the function, and it costs nothing.
    cost : float
        ``C``, what an error of one costs beside ``aᵀ K a / 2``.
    class_weight, sample_weight :
        As in :class:`sklearn.svm.SVC`.

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
    refuse_extremes(cost, float(np.abs(gram.diagonal()).max()), remedy=_RAISE)
    machine = SVC(
        C=cost,
        kernel="precomputed",
        class_weight=class_weight,
        tol=_ACCURACY,
        max_iter=most_steps(len(gram)),
        random_state=0,
    )
    with early_ends_explained("CoLaplacianSVM", remedy=_RAISE):
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
        "auto" takes the cosine for views most of whose cells are zero, such as words and links,
        else the Gaussian kernel of the median width;
        :class:`manyviews.similarity.LowRankKernel` for many objects.
    graph : Similarity, name, matrix, list or dict, optional
        Which objects are near in a view: ``KNNGraph()`` if not given, by the cosine for views most
        of whose cells are zero. Or a square matrix of weights, dense or sparse.
    gamma : float, list or dict
        ``γ_A``, what the norm of a function costs.
    intrinsic : float, list or dict
        ``γ_I``, what differences between neighbours cost. With 0 unlabelled objects are ignored.
    relative : bool
        Whether ``gamma`` is in units of the mean diagonal of the view's kernel and ``intrinsic``
        per object and in units of the mean degree of each graph, so that neither the units of the
        views nor the number of objects or neighbours matters; else both are as in the paper.
    view_weights : "auto", list or dict of float, optional
        How much the graph of each view counts; scaled to sum to one. With ``concatenate=True`` the
        added view has a weight too. The function of a view of weight zero has no say where another
        view shows the object. "auto": alike, but 0 for a view that looks empty of structure, which
        a warning names: one whose neighbourhoods look like chance, unless the labels speak for it.
    concatenate : bool
        Add one more view, all of them side by side, with a graph, a kernel and a function of its
        own. It is named by theirs, joined by "+", and shows the objects that all views show.
    power : int
        Power of each Laplacian, up to 16; 2 and more punish small differences over long ways.
    normalized : bool
        Use ``I − D^{-1/2} W D^{-1/2}`` instead of ``D − W``, so that objects with many
        neighbours count as much as others.
    class_weight : dict or "balanced", optional
        By how much errors on a class cost more; "balanced": the two sides of each machine alike.
    proportions : "auto", "labelled", float, dict or None
        Choose the constant of every function so that each class gets this share of the training
        objects: its share among the labels ("labelled", if objects were drawn at random to be
        labelled), what is given for the second of two classes, or by class. Functions that are
        smooth over many objects differ little between classes, and where they cross zero is no
        longer what they know best. "auto" asks the labelled objects where to cut, by least squares
        of ``y ≈ s (f + b)`` as :class:`CoRLS` does, and needs no shares; None, and "auto" where
        ``intrinsic`` is 0 or there is a ``class_weight``, leave the functions as they are.
    solver : {"auto", "dual", "primal", "iterative"}
        The size of the system that is solved: objects, features, or none. Primal and iterative
        need a kernel with features: linear, cosine or low-rank. "auto" solves the smaller one
        directly, and iterates beyond 2,000 of both.
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
        ``γ_A`` → ``gamma``; ``γ_I`` → ``intrinsic``; ``α`` (two views) → ``view_weights`` in
        general, ``(1 − α, α)``; ``W`` → ``graph``; ``K`` → ``kernel``; ``M = (γ_I / γ_A) L`` →
        ``Penalty``; ``K̃`` → ``Deformed``; ``f`` → ``functions_``.

    **Algorithm**
        1. The graph of every view that has a weight, its Laplacian, and their sum (``fit_graphs``,
           ``Regularizer``).
        2. In each view the deformed kernel ``K̃`` at the labelled objects (``deform``): by a system
           as large as the number of objects ("dual"), of features ("primal"), or by conjugate
           gradients with one right-hand side per labelled object.
        3. scikit-learn's ``SVC`` on ``K̃`` with ``C = 1 / (2 l γ_A)``, which is the objective
           divided by ``2 γ_A`` (``svm_coefficients``); more than two classes one against the rest.
        4. An object's decision is the mean over the views that show it.

    **Deviations**
        The paper has two classes: more are told apart one from the rest. ``gᵀ L g`` is the sum over
        *pairs* of ``W_ij (g_i − g_j)²``, half of the paper's sum over i and j. Later papers divide
        ``γ_I`` by the squared number of objects; this one does not, nor do we with
        ``relative=False``: with more objects or neighbours the same ``intrinsic`` weighs more then.
        A view is regularised over the objects that it shows, by the edges among these; edges that
        another view has between two of them count, paths through objects it does not show do not.
        ``power`` is applied to each view's Laplacian, before they are summed. The paper ranks
        documents and needs no threshold; ``proportions`` is ours, after the spectral graph
        transducer, and so is ``relative``.

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
        cost = 1.0 / (2.0 * len(problem.labelled) * problem.gamma)
        machines = [
            svm_coefficients(
                deformed.gram,
                targets,
                cost,
                class_weight="balanced" if self.class_weight == "balanced" else None,
                sample_weight=self._sample_weight(problem),
            )
            for targets in problem.targets.T
        ]
        coefficients = np.column_stack([found for found, _ in machines])
        intercept = np.array([constant for _, constant in machines])
        weights = deformed.columns @ coefficients
        return Expansion(weights, intercept, deformed.n_iter, deformed.residual)

    def _weighs_classes(self) -> bool:
        return self.class_weight is not None

    def _sample_weight(self, problem: ViewProblem) -> FloatArray | None:
        """The weight of every labelled object, that of its class, if classes have weights."""
        if not isinstance(self.class_weight, Mapping):
            return None
        return read_class_weights(self.class_weight, self.classes_)[problem.codes]
