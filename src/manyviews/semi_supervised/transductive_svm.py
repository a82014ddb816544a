"""A support vector machine whose margin avoids the unlabelled objects, too [@joachims1999].

From the top: labels switched in pairs, the machines in between, the summed kernel of several views,
the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn import config_context

from manyviews.base import (
    BaseMultiViewClassifier,
    ViewTags,
    report,
    warn_not_converged,
    warn_of_minutes,
)
from manyviews.data import Labels, Views, per_view
from manyviews.maths import Gram, check_memory, row_blocks, rows_at_a_time, to_dense
from manyviews.semi_supervised._shared import (
    ClassWeight,
    KernelLike,
    Proportions,
    best_class,
    chosen_kernels,
    early_ends,
    flat,
    most_steps,
    read_class_weights,
    read_or_judge_class_weights,
    read_proportions,
    refuse_extremes,
    signs_of,
    softmax_of_decisions,
    spread_of_features,
    spread_of_gram,
    two_class_problems,
    warn_of_early_end,
)
from manyviews.semi_supervised.class_shares import estimated_shares
from manyviews.similarity import Linear, ViewSimilarities, observed_similarities
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    Divisor,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = ["TransductiveSVM"]

FIRST_COST = 1e-5
"""What an unlabelled object costs at first, as in [@joachims1999]."""
MOST_LEVELS = 100
"""Doubled so often the cost is 1e25; if it has to be higher, it rises by a larger factor."""
SMO_TOLERANCE = 1e-6
"""To which the conditions of an optimum hold; scikit-learn's 1e-3 would let order matter."""
NEWTON_TOLERANCE = 1e-8
"""The same for Newton's method, which gets there from 1e-6 in a step, on features at one scale."""
MOST_NEWTON_STEPS = 100
"""On views at one scale some tens are enough; raw measurements took thousands, for minutes."""
INTERCEPT_SCALE = 10.0
"""The squared loss penalises an intercept b by (b / scale)² / 2, which is next to nothing."""
MANY = 10_000
"""Objects beyond which machines with the hinge loss take minutes for each class: two classes of
``bench_transduction``'s clouds took 1.6 s of one processor for 2,000, 9.3 s for 4,000 (2026-11)."""
LOWER = "lower C, C_unlabelled, class_weight or view_weights"
"""The remedy where costs are too large."""


# -- labels switched in pairs ----------------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """A two-class support vector machine, and what it says of the objects it was trained on."""

    decisions: FloatArray
    """Value of the function at every object, also at those that cost nothing."""
    objective: float
    coefficients: FloatArray
    """Factors of the kernel at every object, or of the features."""
    intercept: float
    error: float
    """How far the decisions may be from exact ones: the solver's tolerance, beside the largest."""
    finished: bool = True
    """Whether it was trained to the end, and not stopped at its bound of steps."""


Solve: TypeAlias = Callable[[IntArray, FloatArray], Machine]
"""From a label, 1 or -1, and a cost for every object to the machine of the least objective."""


@dataclass(frozen=True)
class Step:
    """One machine that was trained on the way."""

    costs: tuple[float, float]
    """Cost of an unlabelled object labelled positive, and of one labelled negative."""
    objective: float
    n_switched: int
    """How many labels were switched before."""
    finished: bool = True
    """Whether the machine was trained to the end."""


@dataclass(frozen=True)
class Transduction:
    """Labels of all objects, 1 or -1, and the machine that is trained on them."""

    machine: Machine
    labels: IntArray
    steps: tuple[Step, ...]
    converged: bool


@dataclass(frozen=True)
class Costs:
    """What a unit of slack costs, by the label of an object."""

    labelled: float
    unlabelled: float
    positive_weight: float = 1.0
    negative_weight: float = 1.0

    def of(self, labels: IntArray, free: BoolArray, at: tuple[float, float]) -> FloatArray:
        """Cost of every object, those of free ones being at some level of the annealing."""
        plain = np.where(free, np.where(labels > 0, *at), self.labelled)
        return plain * np.where(labels > 0, self.positive_weight, self.negative_weight)


def transduce(
    solve: Solve,
    signs: IntArray,
    costs: Costs,
    share: float,
    *,
    max_switches: int | None = None,
    max_iter: int = 1000,
) -> Transduction:
    """Label the unlabelled objects so that a wide margin separates all objects.

    ``signs`` are 1 and -1 for labelled objects, 0 for unlabelled ones, a ``share`` of which is to
    be positive. ``max_switches`` pairs switch their labels at a time, 1 in the paper, all of them
    if not given; at one level of the cost that happens ``max_iter`` times at most.
    """
    free, labels, converged = signs == 0, signs.copy(), True
    machine = solve(np.where(free, 1, signs), costs.of(signs, free, (0.0, 0.0)))
    steps = [Step((0.0, 0.0), machine.objective, 0, machine.finished)]
    n_free = int(free.sum())
    n_positive = round(share * n_free)  # num₊
    if n_free > 1:
        n_positive = min(max(n_positive, 1), n_free - 1)  # at least one of each class
    by_decision = np.flatnonzero(free)[np.argsort(-machine.decisions[free], kind="stable")]
    labels[by_decision[:n_positive]], labels[by_decision[n_positive:]] = 1, -1
    for level in cost_levels(costs.unlabelled, n_positive, n_free) if n_free else ():
        machine = solve(labels, costs.of(labels, free, level))
        steps.append(Step(level, machine.objective, 0, machine.finished))
        for _ in range(max_iter):
            pairs = pairs_to_switch(labels, machine.decisions, free)[:max_switches]
            if not len(pairs):
                break
            switched = labels.copy()
            switched[pairs] *= -1
            retrained = solve(switched, costs.of(switched, free, level))
            if retrained.objective >= machine.objective:  # the rest is the solver's accuracy
                break
            labels, machine = switched, retrained
            steps.append(Step(level, machine.objective, pairs.size, machine.finished))
        else:
            converged = False
    return Transduction(machine, labels, tuple(steps), converged)


def pairs_to_switch(labels: IntArray, decisions: FloatArray, free: BoolArray) -> IntArray:
    """Pairs of a positive and a negative object that are cheaper the other way round.

    A pair is cheaper so for the same function if the negative one has the higher value: the loss
    never rises with the value for a positive label and never falls for a negative one, whatever
    the two labels cost. The worst positive is paired with the worst negative, and so on.

    Examples
    --------
    >>> labels, values = np.array([1, 1, -1, -1]), np.array([-0.5, 0.9, 0.7, -2.0])
    >>> pairs_to_switch(labels, values, np.ones(4, dtype=bool))
    array([[0, 2]])
    """
    positive, negative = np.flatnonzero(free & (labels > 0)), np.flatnonzero(free & (labels < 0))
    positive = positive[np.argsort(decisions[positive], kind="stable")]
    negative = negative[np.argsort(-decisions[negative], kind="stable")]
    n_pairs = min(len(positive), len(negative))
    pairs = np.column_stack([positive[:n_pairs], negative[:n_pairs]])
    return pairs[decisions[pairs[:, 0]] < decisions[pairs[:, 1]]]  # ξ_m + ξ_l > 2 [@joachims1999]


def cost_levels(final: float, n_positive: int, n_free: int) -> Iterator[tuple[float, float]]:
    """Costs of positive and negative unlabelled objects, doubled until both are ``final``.

    Beyond ``MOST_LEVELS`` of them they are more than doubled.

    Examples
    --------
    >>> [f"{plus:.0e} {minus:.0e}" for plus, minus in cost_levels(4e-5, 1, 3)]
    ['5e-06 1e-05', '1e-05 2e-05', '2e-05 4e-05', '4e-05 4e-05']
    """
    if final <= 0:
        return
    ratio = max(n_positive, 1) / max(n_free - n_positive, 1)
    positive, negative = min(FIRST_COST * ratio, final), min(FIRST_COST, final)
    factor = max(2.0, (final / min(positive, negative)) ** (1 / MOST_LEVELS))
    yield positive, negative
    while positive < final or negative < final:
        positive, negative = min(factor * positive, final), min(factor * negative, final)
        yield positive, negative


# -- machines --------------------------------------------------------------------------------------


def hinge_machines(gram: FloatArray) -> Solve:
    """Return what trains machines with the hinge loss on a matrix of kernel values.

    Examples
    --------
    >>> solve = hinge_machines(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    >>> solve(np.array([1, -1]), np.array([9.0, 9.0])).decisions.round(3)
    array([ 1., -1.])
    """
    from sklearn.svm import SVC

    longest = float(np.abs(gram.diagonal()).max())

    def solve(labels: IntArray, costs: FloatArray) -> Machine:
        refuse_extremes(float(costs.max()), longest, remedy=LOWER)
        rows = np.flatnonzero(costs > 0)
        inside = gram if len(rows) == len(gram) else gram[np.ix_(rows, rows)]
        machine = SVC(
            kernel="precomputed", tol=SMO_TOLERANCE, max_iter=most_steps(len(gram)), random_state=0
        )
        with config_context(assume_finite=True), early_ends() as ended:
            machine.fit(inside, labels[rows], sample_weight=costs[rows])
        factors = np.zeros(len(gram))
        factors[rows[machine.support_]] = machine.dual_coef_[0]
        values = gram @ factors
        decisions = values + machine.intercept_[0]
        slack = np.maximum(1.0 - labels * decisions, 0.0)
        objective = 0.5 * factors @ values + costs @ slack  # OP 3 of [@joachims1999]
        intercept, error = float(machine.intercept_[0]), SMO_TOLERANCE * np.abs(decisions).max()
        return Machine(decisions, float(objective), factors, intercept, error, not ended)

    return solve


def squared_hinge_machines(rows: Matrix) -> Solve:
    """Return what trains linear machines with the squared hinge loss on features.

    Examples
    --------
    >>> solve = squared_hinge_machines(np.array([[1.0], [-1.0]]))
    >>> solve(np.array([1, -1]), np.array([1e6, 1e6])).decisions.round(3)
    array([ 1., -1.])
    """
    from sklearn.svm import LinearSVC

    if is_sparse(rows):  # LIBLINEAR takes indices of 32 bits only
        indices, starts = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
        rows = sparse.csr_array((rows.data, indices, starts), shape=rows.shape)
    longest = float((rows * rows).sum(axis=1).max())

    def solve(labels: IntArray, costs: FloatArray) -> Machine:
        refuse_extremes(float(costs.max()), longest, remedy=LOWER)
        used = np.flatnonzero(costs > 0)
        machine = LinearSVC(
            dual=False,
            tol=NEWTON_TOLERANCE,
            intercept_scaling=INTERCEPT_SCALE,
            max_iter=MOST_NEWTON_STEPS,
            random_state=0,
        )
        with early_ends() as ended:
            machine.fit(rows[used], labels[used], sample_weight=costs[used])
        weights, intercept = machine.coef_[0], float(machine.intercept_[0])
        decisions = rows @ weights + intercept
        slack = np.maximum(1.0 - labels * decisions, 0.0)
        penalty = weights @ weights + (intercept / INTERCEPT_SCALE) ** 2
        objective = 0.5 * penalty + costs @ slack**2
        error = NEWTON_TOLERANCE * np.abs(decisions).max()
        return Machine(decisions, float(objective), weights, intercept, error, not ended)

    return solve


# -- the summed kernel of the views ----------------------------------------------------------------


def gap_corrections(observed: BoolArray, weights: Mapping[str, float]) -> FloatArray:
    """By how much an object's views are enlarged to make up for those that it lacks.

    It is the root of the weight of all views over the weight of those it shows, so that every
    object has about the length it would have with all views.

    Examples
    --------
    >>> gap_corrections(np.array([[True, True], [False, True]]), {"a": 3.0, "b": 1.0})
    array([1., 2.])
    """
    each = np.array(list(weights.values()))
    shown = observed @ each
    return np.sqrt(np.divide(each.sum(), shown, out=np.zeros(len(shown)), where=shown > 0))


def wide_rows(
    views: Views, weights: Mapping[str, float], factors: Mapping[str, float] | None = None
) -> Matrix:
    """All views side by side, each by the root of its factor, with zeros where unobserved.

    Inner products of these rows are the summed linear kernels. The factors are the weights if they
    are not given; objects that lack views are enlarged by the weights.

    Examples
    --------
    >>> wide_rows(Views({"a": [[1.0], [2.0]], "b": [[4.0], None]}), {"a": 1.0, "b": 1.0}).round(2)
    array([[1.  , 4.  ],
           [2.83, 0.  ]])
    """
    corrections = gap_corrections(views.observed, weights)
    factors = weights if factors is None else factors
    parts = []
    for name, matrix in views.items():
        scale = np.sqrt(factors[name]) * corrections * views.observed_in(name)
        if is_sparse(matrix):
            parts.append(sparse.diags_array(scale) @ matrix)
        else:
            seen = np.where(views.observed_in(name)[:, None], matrix, 0.0)
            parts.append(scale[:, None] * seen)
    if any(is_sparse(part) for part in parts):
        return sparse.csr_array(sparse.hstack(parts, format="csr"))
    return np.hstack(parts)


@dataclass(frozen=True)
class SummedKernel:
    """``K = Σ_v f_v s_i s_j K_v``, over the views that show both objects.

    A sum of positive kernels on the objects that each view shows, scaled on both sides by
    :func:`gap_corrections`, is positive; a mean over the views that two objects share would not
    be. An object adds zero for a view that it lacks, which is the mean of all where the kernel is
    centred, and else far from everybody who shows the view.
    """

    similarities: ViewSimilarities
    weights: dict[str, float]
    """How much each view counts, by which objects that lack some are enlarged."""
    factors: dict[str, float]
    """What the kernel of each view is multiplied by."""
    means: dict[str, FloatArray]
    """Mean kernel values of the training objects that a view shows, by which it is centred."""

    def summed(self, found: Mapping[str, Gram], rows: BoolArray) -> FloatArray:
        """Sum over the views of what they say of objects that they show as ``rows`` says."""
        columns = self.similarities.observed
        total = np.zeros((len(rows), len(columns)))
        for view, (name, gram) in enumerate(found.items()):
            values = to_dense(gram)
            if name in self.means:
                values = centred(values, self.means[name])
            if rows[:, view].all() and columns[:, view].all():
                total += self.factors[name] * values
            else:
                total[np.ix_(rows[:, view], columns[:, view])] += self.factors[name] * values
        total *= gap_corrections(rows, self.weights)[:, None]
        total *= gap_corrections(columns, self.weights)
        return total

    def cross(self, new: Views) -> FloatArray:
        """Kernel values of new objects with the training objects."""
        return self.summed(self.similarities.cross_observed(new), new.observed)

    def values(self, new: Views, dual: FloatArray) -> FloatArray:
        """Sum of the kernel with each training object times its dual values, for new objects."""
        blocks = row_blocks(len(new), rows_at_a_time(len(self.similarities.observed)))
        return np.vstack([self.cross(new[part]) @ dual for part in blocks])


def centred(values: FloatArray, means: FloatArray) -> FloatArray:
    """Kernel values with training objects, those of mean kernel values ``means``, as if centred.

    Examples
    --------
    >>> x = np.array([1.0, 3.0])
    >>> centred(np.array([[4.0]]) * x, means=np.outer(x, x).mean(axis=0))  # 4 - 2 times ±1
    array([[-2.,  2.]])
    """
    return np.asarray(values - values.mean(axis=1, keepdims=True) - means + float(means.mean()))


def fit_summed_kernel(
    views: Views, kernel: Any, weights: dict[str, float], *, relative: bool = False
) -> tuple[SummedKernel, FloatArray]:
    """Fit the kernel of each view, and sum their values among the training objects.

    ``relative`` makes of the sum a mean in which each kernel is centred, which an offset makes up
    for where nothing is lacking, and has a mean diagonal of one.

    Examples
    --------
    >>> views = Views({"a": [[1.0], [2.0]], "b": [[4.0], None]})
    >>> fit_summed_kernel(views, "linear", {"a": 1.0, "b": 1.0})[1].round(2)
    array([[17.  ,  2.83],
           [ 2.83,  8.  ]])
    """
    similarities, found = observed_similarities(views, kernel)
    factors, means = weights, dict[str, FloatArray]()
    if relative:
        spreads = {
            name: spread_of_gram(to_dense(gram), center=True) for name, gram in found.items()
        }
        factors = relative_factors(weights, spreads)
        means = {n: to_dense(gram).mean(axis=0) for n, gram in found.items() if gram.shape[0]}
    summed = SummedKernel(similarities, weights, factors, means)
    return summed, summed.summed(found, views.observed)


def relative_factors(
    weights: Mapping[str, float], spreads: Mapping[str, float]
) -> dict[str, float]:
    """Factors of kernels of some mean diagonals that make their sum a mean of the same size.

    Examples
    --------
    >>> relative_factors({"a": 3.0, "b": 1.0}, {"a": 0.5, "b": 100.0})
    {'a': 1.5, 'b': 0.0025}
    """
    total = sum(weights.values())
    return {name: weight / (total * spreads[name]) for name, weight in weights.items()}


# -- the estimator ---------------------------------------------------------------------------------


class TransductiveSVM(BaseMultiViewClassifier):
    """Classify by a margin that is wide for labelled and for unlabelled objects at once.

    Take it where few views are missing, above all if you know how many objects each class has
    (``proportions``). Where many views are missing, take :class:`CoTraining`.

    Parameters
    ----------
    kernel : Similarity, name, list or dict
        Kernel of a view, for all views or one per view. "auto" takes the cosine for views most of
        whose cells are zero, such as words and links, else the Gaussian kernel of the median width;
        with the squared hinge loss it is linear.
    C : float
        Cost of slack of a labelled object.
    C_unlabelled : float
        The same for an unlabelled object at the end, ``C*``; 0 is a plain machine. Small beside
        ``C``, a wrong share of the classes does less harm.
    proportions : "auto", "labelled", float or dict
        Share of each class among the unlabelled objects: the mean of those among the labels and
        those among the answers of a ridge regression with the same kernel ("auto"); as among the
        labelled ones, right if they were drawn at random; of the second of two classes, or of each
        by its label.
    relative : bool
        Whether the costs are for a mean of kernels whose centred mean diagonal is one, so that
        neither the units nor the number of views matters; else for the sum of the kernels as they
        are.
    loss : {"hinge", "squared_hinge"}
        How slack is counted; squared only with linear kernels, for tens of thousands of objects.
    class_weight : {"balanced"} or dict of float, optional
        Factor of the cost of every object, labelled or not, by its class; "balanced" lets the
        labelled objects of both sides of a two-class problem cost as much in all,
        ``n / (2 n_side)`` each.
    view_weights : "auto", list or dict of float, optional
        How much each view's kernel counts. "auto": 1, but 0 for a view that looks empty of
        structure, which a warning names: one whose neighbourhoods look like chance, unless the
        labels speak for it.
    max_switches : int, optional
        How many pairs switch at a time; all that lower the objective if not given.
    max_iter : int
        How often labels are switched at most at one level of the cost.
    verbose : int
        Report every two-class problem, and with 2 every machine.

    Attributes
    ----------
    classes_ : array
        The classes.
    transduction_ : array of shape (n_objects,)
        Class of every training object: the given one, or the one that was found.
    coef_ : array of shape (n_problems, n_features)
        With linear kernels: weights of the features of all views side by side.
    dual_coef_ : array of shape (n_problems, n_objects)
        With other kernels: factor of the kernel at each training object.
    intercept_ : array of shape (n_problems,)
        The constant ``b`` of each function.
    kernel_ : SummedKernel
        With other than linear kernels: what compares new objects with the training objects.
    view_weights_ : dict of float
        The weights of the views.
    factors_ : dict of float
        What the kernel of each view was multiplied by.
    class_shares_ : array of shape (n_classes,)
        The share of each class that was asked for among the unlabelled objects.
    objective_history_ : array of shape (n_machines,)
        Objective of each machine, problem after problem; it falls while the costs stay the same.
    cost_history_ : array of shape (n_machines, 2)
        ``C*₊`` and ``C*₋`` of each machine; 0 for the first, trained on labelled objects only.
    problem_history_ : array of shape (n_machines,)
        Number of the two-class problem of each machine.
    n_switched_ : int
        How many labels were switched in all.
    n_iter_ : int
        How many machines were trained.
    converged_ : bool
        Whether no level ended at ``max_iter``, and every machine was trained to the end.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.semi_supervised import TransductiveSVM
    >>> views = {"size": [[0.0], [0.4], [0.8], [2.2], [2.6], [3.0]],
    ...          "price": [[1.0], [1.1], [1.0], [4.0], None, [4.0]]}
    >>> model = TransductiveSVM().fit(views, ["small", None, None, None, None, "large"])
    >>> model.transduction_.tolist()
    ['small', 'small', 'small', 'large', 'large', 'large']
    >>> model.predict({"size": [[2.9]], "price": None})
    array(['large'], dtype=object)

    Notes
    -----
    **Objective**
        Minimise ``½ |w|² + C Σ_i ξ_i + C*₊ Σ_{j: y*_j = 1} ξ*_j + C*₋ Σ_{j: y*_j = −1} ξ*_j`` over
        the function ``w, b`` *and* the labels ``y*`` of the unlabelled objects, of which a given
        number is positive (OP 2 and 3 of [@joachims1999]). It is not convex: what is found is a
        labelling that no switch of two labels improves for the same function.

    **Symbols**
        ``C``, ``C*`` → ``C``, ``C_unlabelled``; ``num₊`` → ``proportions`` times the number
        of unlabelled objects; ``y*`` → ``transduction_``; ``k`` → number of unlabelled objects.

    **Algorithm**
        1. Kernels of the views, each centred and divided by its mean diagonal, summed
           (``fit_summed_kernel``), so that a view that an object lacks counts as the mean of all;
           for linear ones, that is the views side by side
           (``wide_rows``). Shares of the classes, unless given: ``estimated_shares``.
        2. A machine on the labelled objects; the unlabelled ones of largest value become positive
           (``transduce``).
        3. ``C*₋`` starts at 1e-5 and ``C*₊`` at that times ``num₊ / (k − num₊)``; both are doubled
           up to ``C*`` (``cost_levels``).
        4. At each level, pairs of unlabelled objects switch their labels while that lowers the
           objective, and the machine is trained again (``pairs_to_switch``).
        5. More than two classes: each against all others; the largest value decides.

    **Deviations**
        *Switches*: all pairs that lower the objective switch at once, as [@sindhwani2006] do,
        instead of one; ``max_switches=1`` is Joachims' own. He asks for two positive slacks that
        sum to more than 2, which says that the negative one has the larger value; that alone
        lowers the objective strictly, so nothing else is asked. *The last level*: his loop ends
        before a machine is trained with ``C*`` itself; ours trains it. *Accuracy*: a switch after
        which the machine, found to the accuracy of the solver, has no smaller objective is taken
        back and ends the level. *Several views*, of which he has one: the sum of
        their kernels. Where an object lacks views, the others are enlarged to the length it would
        have with all (``gap_corrections``), and two objects are compared by the views that both
        show; a mean over shared views would be no kernel. *Labelled objects* keep their labels in
        ``transduction_``; with more than two classes the others get the class of largest value.

    **Complexity**
        With the hinge loss a machine of scikit-learn's ``SVC`` per level and switching, about
        twenty to sixty in all, on ``n²`` kernel values in memory: thousands of objects. With the
        squared hinge and linear kernels, Newton steps on the features: ``O(non-zeros)`` each and
        no matrix of ``n²``.

    References
    ----------
    [@joachims1999], [@sindhwani2006], [@sindhwani2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    transduction_: AnyArray
    coef_: FloatArray
    dual_coef_: FloatArray
    intercept_: FloatArray
    kernel_: SummedKernel
    view_weights_: dict[str, float]
    factors_: dict[str, float]
    class_shares_: FloatArray
    objective_history_: FloatArray
    cost_history_: FloatArray
    problem_history_: IntArray
    n_switched_: int
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        kernel: ByView[KernelLike] = "auto",
        *,
        C: Divisor = 10.0,
        C_unlabelled: NonNegative = 0.1,
        proportions: Proportions | Literal["auto"] = "auto",
        relative: bool = True,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        class_weight: ClassWeight = None,
        view_weights: AutoViewWeights = "auto",
        max_switches: Count | None = None,
        max_iter: Count = 1000,
        verbose: Verbosity = 0,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.proportions = proportions
        self.relative = relative
        self.loss = loss
        self.class_weight = class_weight
        self.view_weights = view_weights
        self.max_switches = max_switches
        self.max_iter = max_iter
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls("rbf")
        yield cls(loss="squared_hinge")

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Label the unlabelled objects, and learn from all."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        solve, rows, gram = self._solver(views)
        self.class_shares_ = self._shares(labels, rows, gram)
        found = [
            self._transduce(solve, labels, positive)
            for positive in two_class_problems(len(labels.classes))
        ]
        self._store_functions(found, rows)
        self._store_history(found)
        if len(found) == 1:
            codes = (found[0].labels > 0).astype(np.intp)
        else:
            values = np.column_stack([each.machine.decisions for each in found])
            codes = np.where(labels.labelled, labels.codes, best_class(values, self._error))
        self.transduction_ = self.classes_[codes]
        return self

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class: the logistic function, or softmax, of twice the decisions.

        They are not calibrated on other objects.
        """
        return softmax_of_decisions(self._values(X))

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Value of the function of new objects, or of one function per class if more than two."""
        return flat(self._values(X))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of new objects, from whatever views they have."""
        values = self._values(X)  # which says so if there was no fit
        return np.asarray(self.classes_[best_class(values, self._error)])

    def _values(self, X: ViewsLike) -> FloatArray:
        views = self._new_views(X)
        if hasattr(self, "coef_"):
            rows = wide_rows(views, self.view_weights_, self.factors_)
            values = np.asarray(rows @ self.coef_.T)
        else:
            values = self.kernel_.values(views, self.dual_coef_.T)
        return values + self.intercept_

    def _solver(self, views: Views) -> tuple[Solve, Matrix | None, FloatArray | None]:
        """What trains machines on these views, their features if linear, the kernel if made."""
        for name in ("kernel_", "coef_", "dual_coef_"):
            if hasattr(self, name):
                delattr(self, name)  # of an earlier fit with another kernel
        given = self.kernel
        if self.loss == "squared_hinge" and isinstance(given, str) and given == "auto":
            given = "linear"
        by_view = per_view(given, views.names, parameter="kernel").values()
        if all(isinstance(each, Linear) or each == "linear" for each in by_view):
            self.factors_ = dict(self.view_weights_)
            if self.relative:
                spreads = {
                    name: spread_of_features(matrix[np.flatnonzero(seen)], center=True)
                    for (name, matrix), seen in zip(views.items(), views.observed.T, strict=True)
                }
                self.factors_ = relative_factors(self.view_weights_, spreads)
            rows = wide_rows(views, self.view_weights_, self.factors_)
            if self.loss == "squared_hinge":
                return squared_hinge_machines(rows), rows, None
            _check_size(self, "the linear kernel", len(views), "use loss='squared_hinge'")
            gram = np.ascontiguousarray(to_dense(rows @ rows.T))
            return hinge_machines(gram), rows, gram
        if self.loss == "squared_hinge":
            raise ValueError(
                f"loss='squared_hinge' works on features and kernel={self.kernel!r} has none; "
                "give kernel='linear' or loss='hinge'."
            )
        remedy = "make features of it first, PerView(Nystroem()), and use loss='squared_hinge'"
        _check_size(self, "the kernel", len(views), remedy)
        chosen = chosen_kernels(given, views)
        self.kernel_, gram = fit_summed_kernel(
            views, chosen, self.view_weights_, relative=self.relative
        )
        self.factors_ = self.kernel_.factors
        return hinge_machines(gram), None, gram

    def _shares(self, labels: Labels, rows: Matrix | None, gram: FloatArray | None) -> FloatArray:
        """Share of each class among the unlabelled objects."""
        if self.proportions != "auto":
            return read_proportions(self.proportions, labels)
        known = np.flatnonzero(labels.labelled)
        if gram is None:
            assert rows is not None
            return estimated_shares(to_dense(rows @ rows[known].T), labels)
        return estimated_shares(gram[:, known], labels)

    def _transduce(self, solve: Solve, labels: Labels, positive: int) -> Transduction:
        about = f"class {labels.classes[positive]!r}"
        if self.verbose:
            report(self, f"{about} against the others")
        found = transduce(
            solve,
            signs_of(labels.codes, positive),
            self._costs(labels, positive),
            self.class_shares_[positive],
            max_switches=self.max_switches,
            max_iter=self.max_iter,
        )
        if self.verbose > 1:
            for number, step in enumerate(found.steps):
                report(
                    self,
                    f"{about}, machine {number}, C* {max(step.costs):.3g}, "
                    f"objective {step.objective:.6g}, {step.n_switched} labels switched",
                )
        if self.verbose:
            objective, n_machines = found.machine.objective, len(found.steps)
            report(self, f"{about}, objective {objective:.6g} after {n_machines} machines")
        return found

    def _costs(self, labels: Labels, positive: int) -> Costs:
        """Costs of the problem of one class against all others."""
        share = self.class_shares_[positive]
        if self.class_weight is None:
            return Costs(self.C, self.C_unlabelled)
        if isinstance(self.class_weight, Mapping):
            each = read_class_weights(self.class_weight, labels.classes)
            others = np.arange(len(each)) != positive
            rest = self.class_shares_[others] @ each[others] / (1.0 - share)
            return Costs(self.C, self.C_unlabelled, float(each[positive]), float(rest))
        known = labels.counts / labels.counts.sum()
        on, off = 0.5 / known[positive], 0.5 / (1.0 - known[positive])
        return Costs(self.C, self.C_unlabelled, float(on), float(off))

    def _store_functions(self, found: list[Transduction], rows: Matrix | None) -> None:
        self.intercept_ = np.array([each.machine.intercept for each in found])
        self._error = max(each.machine.error for each in found)
        coefficients = np.array([each.machine.coefficients for each in found])
        if rows is None:
            self.dual_coef_ = coefficients
        elif self.loss == "hinge":
            self.coef_ = np.asarray((rows.T @ coefficients.T).T)
        else:
            self.coef_ = coefficients

    def _store_history(self, found: list[Transduction]) -> None:
        steps = [step for each in found for step in each.steps]
        lengths = [len(each.steps) for each in found]
        self.objective_history_ = np.array([step.objective for step in steps])
        self.cost_history_ = np.array([step.costs for step in steps])
        self.problem_history_ = np.repeat(np.arange(len(found)), lengths)
        self.n_switched_ = sum(step.n_switched for step in steps)
        self.n_iter_ = len(steps)
        settled = all(each.converged for each in found)
        finished = all(step.finished for step in steps)
        self.converged_ = settled and finished
        if not finished:
            warn_of_early_end("TransductiveSVM", remedy=LOWER)
        if not settled:
            warn_not_converged(
                self,
                f"still had labels to switch after max_iter={self.max_iter} rounds at one cost",
                "raise max_iter or max_switches",
            )


def _check_size(machine: TransductiveSVM, kernel: str, n_objects: int, remedy: str) -> None:
    """Refuse what takes too much memory, and warn of what takes long, before it is begun."""
    among = f"{kernel} among {n_objects:,} objects"
    check_memory((n_objects, n_objects), among, remedy=remedy)
    if n_objects > MANY:
        warn_of_minutes(
            machine,
            f"trains some tens of machines for each class on {among}",
            f"{remedy}, or learn from fewer objects and predict the others",
        )
