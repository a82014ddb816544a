"""A support vector machine whose margin avoids the unlabelled objects, too [@joachims1999]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import BaseMultiViewClassifier, ViewTags
from manyviews.data import Labels, Views
from manyviews.maths import check_memory, to_dense
from manyviews.semi_supervised._class_shares import estimated_shares
from manyviews.semi_supervised._shared import (
    ClassWeight,
    KernelLike,
    Proportions,
    best_class,
    chosen_kernels,
    flat,
    read_class_weights,
    read_or_judge_class_weights,
    read_proportions,
    signs_of,
    softmax_of_decisions,
    two_class_problems,
    warn_of_early_end,
)
from manyviews.semi_supervised._transduction._label_switching import (
    Costs,
    Solve,
    Transduction,
    transduce,
)
from manyviews.semi_supervised._transduction._machines import (
    LOWER,
    hinge_machines,
    squared_hinge_machines,
)
from manyviews.semi_supervised._transduction._summed_kernel import (
    SummedKernel,
    fit_summed_kernel,
    is_linear,
    linear_factors,
    wide_rows,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Positive,
    Verbosity,
    ViewsLike,
)


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
           (``highest``).
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
        have with all (``presence``), and two objects are compared by the views that both show;
        a mean over shared views would be no kernel. *Labelled objects* keep their labels in
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
        C: Positive = 10.0,
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
        self.transduction_ = self.classes_[_settled(found, labels)]
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
        best = best_class(self._values(X))
        return np.asarray(self.classes_[best])

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
        if is_linear(given, views.names):
            self.factors_ = linear_factors(views, self.view_weights_, relative=self.relative)
            rows = wide_rows(views, self.view_weights_, self.factors_)
            if self.loss == "squared_hinge":
                return squared_hinge_machines(rows), rows, None
            check_memory(
                (len(views), len(views)),
                f"the linear kernel among {len(views):,} objects",
                remedy="use loss='squared_hinge', which needs none",
            )
            gram = np.ascontiguousarray(to_dense(rows @ rows.T))
            return hinge_machines(gram), rows, gram
        if self.loss == "squared_hinge":
            raise ValueError(
                f"loss='squared_hinge' works on features and kernel={self.kernel!r} has none; "
                "give kernel='linear' or loss='hinge'."
            )
        check_memory(
            (len(views), len(views)),
            f"the kernel among {len(views):,} objects",
            remedy="make features of it first, PerView(Nystroem()), and use loss='squared_hinge'",
        )
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
        if gram is not None:
            return estimated_shares(gram[:, known], labels)
        assert rows is not None
        return estimated_shares(to_dense(rows @ rows[known].T), labels)

    def _transduce(self, solve: Solve, labels: Labels, positive: int) -> Transduction:
        if self.verbose:
            print(f"TransductiveSVM: class {labels.classes[positive]!r} against the others")
        found = transduce(
            solve,
            signs_of(labels.codes, positive),
            self._costs(labels, positive),
            self.class_shares_[positive],
            max_switches=self.max_switches,
            max_iter=self.max_iter,
        )
        self._report(found, labels.classes[positive])
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

    def _report(self, found: Transduction, name: Any) -> None:
        if self.verbose > 1:
            for number, step in enumerate(found.steps):
                print(
                    f"TransductiveSVM: class {name!r}, machine {number}, C* {max(step.costs):.3g}, "
                    f"objective {step.objective:.6g}, {step.n_switched} labels switched"
                )
        if self.verbose:
            print(
                f"TransductiveSVM: class {name!r}, objective {found.machine.objective:.6g} "
                f"after {len(found.steps)} machines"
            )

    def _store_functions(self, found: list[Transduction], rows: Matrix | None) -> None:
        self.intercept_ = np.array([each.machine.intercept for each in found])
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
            warn_of_early_end("TransductiveSVM", remedy=LOWER, stacklevel=4)
        if not settled:
            warnings.warn(
                f"TransductiveSVM still had labels to switch after max_iter={self.max_iter} rounds "
                "at one cost; raise max_iter or max_switches.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _settled(found: list[Transduction], labels: Labels) -> IntArray:
    """Given classes, and those found: by the labels of two classes, else by the largest value."""
    if len(found) == 1:
        return (found[0].labels > 0).astype(np.intp)
    values = np.column_stack([each.machine.decisions for each in found])
    return np.where(labels.labelled, labels.codes, values.argmax(axis=1))
