"""Log-linear features of hidden classes, given which the views are independent [@ando2007]."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from manyviews.base import Labels, Run, alternate, warn_not_converged, warn_of_minutes
from manyviews.data import Views
from manyviews.embed.features._shared import (
    WITHOUT_LABELS,
    AuxiliaryFunction,
    Choice,
    Folds,
    NComponents,
    Problems,
    ViewFeatures,
    auxiliary_values,
    choose_n_components,
    problems_of,
    read_candidates,
)
from manyviews.embed.features.subspace import column_squares, subspace
from manyviews.exceptions import UnknownViewError
from manyviews.maths import generator, log_softmax, safe_log
from manyviews.typing import (
    BoolArray,
    ByView,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Positive,
    RandomState,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = ["LogLinearMixtureFeatures"]

LONG = 2e6
"""Cells and answers beyond which the steps by default take half a minute: of 10,000 objects in two
views of 20 features, 4e5, it took 6.6 s of one processor (2026-11)."""


# Maximum entropy with soft labels, by L-BFGS ------------------------------------------------------


@dataclass(frozen=True)
class Design:
    """Rows of a view with a constant beside them, which is never written down."""

    rows: Matrix
    constant: float
    """Its value; 0 for none."""
    penalty: float
    """λ, of the squares of all weights."""

    @property
    def n_weights(self) -> int:
        """One per feature, and one for the constant."""
        return int(self.rows.shape[1]) + 1

    def scores(self, weights: FloatArray) -> FloatArray:
        """``wᵀz`` of every row for every class."""
        found = np.asarray(self.rows @ weights[:-1])
        found += self.constant * weights[-1]
        return found

    def moments(self, shares: FloatArray) -> FloatArray:
        """Sum of the rows of each class, by their shares in it."""
        return np.vstack([self.rows.T @ shares, self.constant * shares.sum(axis=0)])


def design(rows: Matrix, *, regularization: float, fit_intercept: bool = True) -> Design:
    """Pose maximum entropy to a view, in its own scale.

    The penalty is ``regularization`` times the mean squared length of a row, and the constant as
    large as a feature is in the mean square: views that differ in scale or in width are treated
    alike, and no weight has a curvature far from that of the others. As a prior on the weights it
    gives scores of variance 1 / ``regularization``, however many objects there are.

    Examples
    --------
    >>> posed = design(np.array([[3.0, 0.0], [0.0, 4.0]]), regularization=0.1)
    >>> posed.penalty, posed.constant
    (1.25, 2.5)
    """
    rows = rows.astype(np.float64, copy=False)
    squared_length = float(column_squares(rows).sum()) / rows.shape[0]
    constant = float(np.sqrt(squared_length / rows.shape[1])) if fit_intercept else 0.0
    return Design(rows, constant, regularization * squared_length)


def maximum_entropy(
    posed: Design, shares: FloatArray, weights: FloatArray, *, max_iter: int, tol: float = 0.0
) -> FloatArray:
    """Improve the weights of ``P(y|z) ∝ exp(w(y)ᵀz)`` for objects that belong to classes in part.

    Parameters
    ----------
    posed : Design
        The objects.
    shares : array of shape (n, n_classes)
        Their soft labels.
    weights : array of shape (n_features + 1, n_classes)
        Where to start.
    max_iter : int
        Steps at most; each lowers Σ −shares·ln P + λ/2 |w|².
    tol : float
        Stop when no entry of the gradient, per object, is larger.

    Examples
    --------
    >>> posed = Design(np.eye(2), constant=0.0, penalty=0.1)
    >>> found = maximum_entropy(posed, np.eye(2), np.zeros((3, 2)), max_iter=50)
    >>> posed.scores(found).argmax(axis=1)
    array([0, 1])
    """
    n_objects, shape = posed.rows.shape[0], weights.shape
    wanted = posed.moments(shares)

    def cost(flat: FloatArray) -> tuple[float, FloatArray]:
        each = flat.reshape(shape)
        given, log_sums = log_softmax(posed.scores(each))
        value = log_sums.sum() + np.sum((posed.penalty / 2 * each - wanted) * each)
        gradient = posed.moments(given) - wanted + posed.penalty * each
        return float(value) / n_objects, gradient.ravel() / n_objects

    options = {"maxiter": max_iter, "gtol": tol, "ftol": 0.0}
    found = minimize(cost, weights.ravel(), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x).reshape(shape)


# Expectation maximisation of the log-linear mixture -----------------------------------------------

INNER_STEPS = 5
"""Steps of maximum entropy between two expectations."""


@dataclass(frozen=True)
class Mixture:
    """Hidden classes of the objects, as one view and the answers of the others tell them."""

    weights: FloatArray
    """w, shape (n_features + 1, n_components), the last for the constant."""
    log_alpha: FloatArray
    """ln α, shape (n_problems, n_components)."""
    posterior: FloatArray
    """ξ, shape (n, n_components)."""
    objective: float
    """Penalised logarithm of the likelihood, per object."""


def log_linear_mixture(
    posed: Design,
    targets: sparse.csr_array,
    blocks: Sequence[slice],
    weights: FloatArray,
    *,
    max_iter: int = 200,
    tol: float = 1e-5,
    report: Callable[[int, float], None] | None = None,
) -> Run[Mixture]:
    """Learn hidden classes given which a view says nothing more about the others' answers.

    Parameters
    ----------
    posed : Design
        The rows of the view.
    targets : sparse array of shape (n, m)
        The answers, zeros and ones; several of a row may be true.
    blocks : sequence of slice
        The columns that come from one view: over them α sums to one.
    weights : array of shape (n_features + 1, n_components)
        Where w starts; α starts uniform.
    max_iter, tol, report
        As in :func:`manyviews.base.alternate`.

    Examples
    --------
    >>> posed = Design(np.repeat(np.eye(2), 2, axis=0), constant=0.0, penalty=0.01)
    >>> targets = sparse.csr_array(np.repeat(np.eye(2), 2, axis=0))
    >>> start = np.array([[0.1, -0.1], [-0.1, 0.1], [0.0, 0.0]])
    >>> run = log_linear_mixture(posed, targets, [slice(0, 2)], start)
    >>> np.exp(run.state.log_alpha).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    shape = (targets.shape[1], weights.shape[1])
    uniform = np.zeros(shape)
    for block in blocks:
        uniform[block] = -np.log(max(block.stop - block.start, 1))

    def step(state: Mixture) -> Mixture:
        better = maximum_entropy(posed, state.posterior, state.weights, max_iter=INNER_STEPS)
        return expect(posed, targets, better, answer_rates(targets, blocks, state.posterior))

    return alternate(
        expect(posed, targets, weights, uniform),
        step,
        lambda state: state.objective,
        max_iter=max_iter,
        tol=tol,
        report=report,
    )


def expect(
    posed: Design, targets: sparse.csr_array, weights: FloatArray, log_alpha: FloatArray
) -> Mixture:
    """E-step: ``ξ(y) ∝ α^t(y) exp(w(y)ᵀz)``, and the objective at these parameters."""
    scores = posed.scores(weights)
    posterior, joint = log_softmax(scores + targets @ log_alpha)
    log_sums = log_softmax(scores)[1]
    penalty = posed.penalty / 2 * float(np.sum(weights**2))
    objective = (float(np.sum(joint - log_sums)) - penalty) / len(scores)  # Eq. (8), with a penalty
    return Mixture(weights, log_alpha, posterior, objective)


def answer_rates(
    targets: sparse.csr_array, blocks: Sequence[slice], posterior: FloatArray
) -> FloatArray:
    """M-step of ln α: how often each answer is given by each hidden class, among its block."""
    counts = np.asarray(targets.T @ posterior)
    for block in blocks:
        counts[block] /= np.maximum(counts[block].sum(axis=0), np.finfo(np.float64).tiny)
    return safe_log(counts)


def mean_history(histories: Sequence[FloatArray]) -> FloatArray:
    """Mean of several objectives by step, those that end early going on as they ended.

    Examples
    --------
    >>> mean_history([np.array([1.0, 3.0]), np.array([0.0, 1.0, 3.0])])
    array([0.5, 2. , 3. ])
    """
    longest = max(map(len, histories))
    return np.mean([np.pad(each, (0, longest - len(each)), "edge") for each in histories], axis=0)


# The start: from labels, of classes or of groups of them, or from clusters ------------------------

START_STEPS = 200
"""Steps of L-BFGS at most. Until START_TOL it takes 7 to 153 on digits, WebKB, Cora, Citeseer, BBC
and generated views; some views of mfeat would take up to 345, and EM goes on from where it ends."""
START_TOL = 1e-4
"""When L-BFGS ends for the start, by the largest entry of the gradient per object: as in
scikit-learn's LogisticRegression. EM goes on from there."""
N_INIT = 10
"""How often k-means starts, as scikit-learn's used to by default."""


def read_super_classes(
    super_classes: Mapping[str, Mapping[Any, Any]] | None,
    labels: Labels | None,
    names: tuple[str, ...],
) -> dict[str, Labels | None]:
    """Labels as each view can tell them: those of the super-classes where a view has such.

    Parameters
    ----------
    super_classes : mapping or None
        By view, a mapping from each class to its super-class; a view that is not named tells the
        classes themselves.
    labels : Labels or None
        The classes.
    names : tuple of str
        The views.

    Examples
    --------
    >>> labels = Labels(np.array([0, 1, 2, -1]), np.array(["cat", "dog", "oak"]))
    >>> told = read_super_classes({"a": {"cat": 1, "dog": 1, "oak": 2}}, labels, ("a", "b"))
    >>> told["a"].codes, told["b"].codes
    (array([ 0,  0,  1, -1]), array([ 0,  1,  2, -1]))
    """
    given = {} if super_classes is None else super_classes
    _refuse_unknown_views(given, names)
    if labels is None:
        return dict.fromkeys(names)
    return {name: _merged(labels, given[name], name) if name in given else labels for name in names}


def only_labels(labels: Labels | None, places: IntArray) -> Labels | None:
    """The labels of some objects; the classes stay, whether or not any of these is of them."""
    if labels is None:
        return None
    codes = np.full_like(labels.codes, -1)
    codes[places] = labels.codes[places]
    return Labels(codes, labels.classes)


def labelled_start(posed: Design, matrix: Matrix, labels: Labels, n_components: int) -> FloatArray:
    """Weights of a maximum-entropy classifier of labelled rows, with the penalty of the mixture."""
    rows = matrix[np.flatnonzero(labels.labelled)].astype(np.float64, copy=False)
    labelled = Design(rows, posed.constant, posed.penalty)
    return _classifier(labelled, labels.codes[labels.labelled], n_components)


def clustered_start(
    posed: Design, problems: Problems, n_components: int, rng: np.random.Generator
) -> FloatArray:
    """Weights of a maximum-entropy classifier of clusters.

    The clusters are those of k-means in the linear subspace in which the view predicts the answers
    of the others: where the hidden classes lie if there are any.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    basis = subspace(posed.rows, problems.targets, n_components).basis
    n_clusters = min(n_components, posed.rows.shape[0])
    if not basis.shape[1] or n_clusters == 1:
        return np.zeros((posed.n_weights, n_components))
    seed = int(rng.integers(2**31))
    means = KMeans(n_clusters, n_init=N_INIT, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters
        codes = means.fit_predict(np.asarray(posed.rows @ basis))
    return _classifier(posed, codes, n_components)


def _classifier(posed: Design, codes: IntArray, n_components: int) -> FloatArray:
    nothing = np.zeros((posed.n_weights, n_components))
    return maximum_entropy(
        posed, np.eye(n_components)[codes], nothing, max_iter=START_STEPS, tol=START_TOL
    )


def _refuse_unknown_views(given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in given:
        if name not in names:
            raise UnknownViewError(
                f"super_classes names the view {name!r}, which is not among the views "
                f"{', '.join(map(repr, names))}; rename or remove it."
            )


def _merged(labels: Labels, mapping: Mapping[Any, Any], name: str) -> Labels:
    classes = labels.classes.tolist()
    for each in classes:
        if each not in mapping:
            raise ValueError(
                f"super_classes of view {name!r} says nothing of the class {each!r}; give its "
                "super-class."
            )
        if not isinstance(mapping[each], Hashable):
            raise ValueError(
                f"super_classes of view {name!r} puts the class {each!r} into {mapping[each]!r}; "
                "give the super-class as a string or a number."
            )
    told = [mapping[each] for each in classes]
    groups = list(dict.fromkeys(told))
    of_class = np.array([groups.index(each) for each in told])
    codes = np.where(labels.codes >= 0, of_class[labels.codes], -1)
    return Labels(codes, np.arange(len(groups)))


# The estimator ------------------------------------------------------------------------------------

Told = dict[str, Labels | None]
"""Labels by view, as far as the view can tell them apart."""


class LogLinearMixtureFeatures(ViewFeatures):
    """Learn the log-odds of hidden classes in each view, for any linear classifier after it.

    Take it where labels are few, unlabelled objects many, and the views have little in common
    but the class. :class:`SubspaceFeatures` needs fewer choices.

    Parameters
    ----------
    n_components : int, sequence of int or None
        Hidden classes, and features, per view. Of several numbers the best in cross-validation on
        the labelled objects is taken. None takes the number of classes in ``y``, or of
        super-classes of the view, and 10 without labels.
    auxiliary : {"argmax", "nonzero"}, callable, list or dict
        What is asked of the other views: as in :class:`SubspaceFeatures`.
    concatenate : bool
        Put the views themselves before the features.
    super_classes : dict, optional
        For views that tell only groups of classes apart: by view, a dict from each class to the
        group it is in. A view that is not named tells the classes.
    start : {"labels", "clusters"}
        From what EM starts. "labels" are used for views with as many (super-)classes as
        components; all others, and all without ``y``, start from clusters: k-means in the
        directions of :class:`SubspaceFeatures`.
    regularization : float
        λ, in units of the mean squared length of a row: log-odds have a prior of this precision.
    fit_intercept : bool
        Put a constant beside the features of each view.
    max_problems : int or None
        How many answers of each other view are heard, the most frequent ones; all if None. What is
        rarely said has no rate that could be learnt.
    max_iter : int
        Steps of EM at most.
    tol : float
        EM stops when the objective rises by less than this share of itself.
    cv : int or splitter
        Folds of the cross-validation, at most as many as the rarest class has labelled objects.
    estimator : classifier, optional
        What is cross-validated; logistic regression by default.
    random_state : int, RandomState, Generator or None
        Seed of k-means; a start from labels draws nothing.
    verbose : int
        1 reports each view, 2 each step.

    Attributes
    ----------
    weights_ : dict
        By view, w: features × components.
    intercepts_ : dict
        By view, what is added to the features: with it, their exponentials are in proportion to
        the probabilities of the hidden classes given the view.
    alphas_ : dict
        By view, the probability of each answer given each hidden class, problems × components.
    penalties_ : dict
        λ by view.
    n_problems_ : dict
        How many answers the others can give to each view.
    n_components_ : dict
        By view, the number given or chosen.
    choice_ : Choice or None
        The candidates and their accuracies in cross-validation, if there were several.
    objective_histories_ : dict
        By view, the objective at the start and after every step of EM.
    objective_history_ : array
        Their mean over the views, those that end early going on as they ended.
    n_iter_ : int
        Steps of the view that took most.
    converged_ : bool
        Whether all views converged within ``max_iter``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from manyviews.datasets import make_token_views
    >>> from manyviews.embed import LogLinearMixtureFeatures
    >>> views, y = make_token_views(
    ...     3000, 4, vocabulary=200, class_vocabulary=80, consecutive=True, random_state=0
    ... )
    >>> known = np.where(np.arange(3000) < 40, y, -1)
    >>> learnt = LogLinearMixtureFeatures().fit(views, known)
    >>> learnt.n_components_, learnt.weights_["first"].shape
    ({'first': 4, 'second': 4}, (200, 4))
    >>> few, rest = learnt.transform(views[:40]), learnt.transform(views[40:])
    >>> LogisticRegression().fit(few, y[:40]).score(rest, y[40:]) > 0.95
    True

    Notes
    -----
    **Objective**
        For every view, with t(z₁) the answer that the other views give to a question which needs
        no label ("which word is their most frequent one?"), and with hidden classes y:
        max_(α,w) E ln [Σ_y α^(t(z₁))(y) e^(w(y)ᵀz₂) / Σ_y e^(w(y)ᵀz₂)] − λ/2n Σ_y ‖w(y)‖²
        ([@ando2007], Eq. 8, with a penalty). If the views are independent given the class and
        P(y|z₂) ∝ e^(β(y)ᵀz₂), the w(y) are the β(y) in some order, and ln P(y|z₁,z₂) is linear in
        the features w(y)ᵀz of both views (section 3.3).

    **Symbols**
        z_i → the rows of a view; t_i → the auxiliary targets; K → ``n_components``; u_k, v_k, w(y)
        → columns of ``weights_``; α → ``alphas_``; m → ``n_problems_``; ξ → the posterior, not
        kept; λ → ``penalties_``.

    **Algorithm**
        1. ``auxiliary_values``, ``problems_of``: ask the other views.
        2. ``labelled_start``: maximum entropy on the labelled objects of each view; α is uniform.
           ``clustered_start`` where there are no labels, or as many components as classes are
           not wanted.
        3. ``expect``: ξ(y) ∝ α^t(y) e^(w(y)ᵀz).
        4. ``maximum_entropy``: five steps of L-BFGS on soft labels ξ, from the last w;
           ``answer_rates``: α by counting. Again from 3 while the objective rises.
        5. ``choose_n_components``: where several numbers are given, cross-validate a classifier on
           the labelled objects; whatever is learnt from labels is learnt again for each fold.
        6. ``transform``: w(y)ᵀz beside the views.

    **Deviations**
        The paper solves maximum entropy anew in each M-step; a few steps from the last weights
        raise the same objective as surely and cost less. It has no λ, without which w is neither
        unique nor finite; as in its words labels serve the start only, and are not held fixed. It
        has no intercept, which is in the span of its features; ``fit_intercept`` adds one, so
        that views may be centred. Answers of which several can be true ("nonzero") and those of
        several other views multiply, as if independent given the hidden class; an unobserved view
        answers nothing. "5-class LLM" is ``super_classes``; the start from clusters is ours. In
        section 3.2, z(x) should run over k, k' = 1, …, K.

    **Complexity**
        O(K·nnz) per step of L-BFGS, six of them per step of EM, and memory O(n·K + m·K + nnz).

    One view alone is asked about itself: its hidden classes are then those that explain its own
    answers.

    References
    ----------
    [@ando2007]
    """

    _stem = "log_odds"
    interactions = False  # the logarithm of the product of two views is the sum of theirs

    weights_: dict[str, FloatArray]
    intercepts_: dict[str, FloatArray]
    alphas_: dict[str, FloatArray]
    penalties_: dict[str, float]
    n_problems_: dict[str, int]
    n_components_: dict[str, int]
    choice_: Choice | None
    objective_histories_: dict[str, FloatArray]
    objective_history_: FloatArray
    n_iter_: int
    converged_: bool

    def __init__(
        self,
        n_components: NComponents = None,
        auxiliary: ByView[AuxiliaryFunction] = "argmax",
        concatenate: bool = True,
        *,
        super_classes: Mapping[str, Mapping[Any, Any]] | None = None,
        start: Literal["labels", "clusters"] = "labels",
        regularization: Positive = 0.1,
        fit_intercept: bool = True,
        max_problems: Count | None = 1000,
        max_iter: Count = 200,
        tol: NonNegative = 1e-5,
        cv: Folds = 5,
        estimator: Classifier | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_components = n_components
        self.auxiliary = auxiliary
        self.concatenate = concatenate
        self.super_classes = super_classes
        self.start = start
        self.regularization = regularization
        self.fit_intercept = fit_intercept
        self.max_problems = max_problems
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.estimator = estimator
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(3)  # as many as there are groups: with more, EM multiplies rounding errors
        yield cls(3, "nonzero", concatenate=False, fit_intercept=False)

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Learn the hidden classes from all objects; labels say where to start."""
        views = self._fit_views(X)
        labels = self._read_labels(y, views)
        told = read_super_classes(self.super_classes, labels, views.names)
        asked = self._ask(views)
        candidates = read_candidates(self.n_components, labels)
        most = max(len(views), WITHOUT_LABELS)
        if candidates[-1] > most:
            raise ValueError(
                f"n_components={candidates[-1]} is more than {len(views)} objects can tell apart; "
                f"choose at most {most}."
            )
        self._warn_of_long_search(views, asked)
        several = len(candidates) > 1
        self.choice_ = self._choose(candidates, views, asked, labels) if several else None
        chosen = self.n_components if self.choice_ is None else self.choice_.best
        self._learn(views, asked, chosen, told)
        if not self.converged_:
            self._warn_not_converged()
        return self

    def _warn_of_long_search(self, views: Views, asked: dict[str, Problems]) -> None:
        cells = sum(rows.nnz if is_sparse(rows) else rows.size for _, rows in views.items())
        answers = sum(each.targets.nnz for each in asked.values())
        if cells + answers > LONG:
            warn_of_minutes(
                self,
                f"fits {len(views):,} objects in each view, up to {self.max_iter} times",
                "lower max_iter, or learn from fewer objects and transform the others",
            )

    def _ask(self, views: Views) -> dict[str, Problems]:
        values = auxiliary_values(self.auxiliary, views)
        return {
            name: problems_of(name, values, views, most=self.max_problems) for name in views.names
        }

    def _learn(
        self, views: Views, asked: dict[str, Problems], n_components: NComponents, told: Told
    ) -> None:
        """Run EM in each view and set all fitted attributes."""
        posed, runs = {}, {}
        rngs = generator(self.random_state).spawn(len(views.names))
        for (name, problems), rng in zip(asked.items(), rngs, strict=True):
            posed[name] = self._pose(views[name], problems)
            wanted = read_candidates(n_components, told[name])[0]
            known = self._known(views.observed_in(name), told[name], wanted)
            start = (
                clustered_start(posed[name], problems, wanted, rng)
                if known is None
                else labelled_start(posed[name], views[name], known, wanted)
            )
            runs[name] = self._run(name, posed[name], problems, start)
        self._store(posed, runs)

    def _pose(self, matrix: Matrix, problems: Problems) -> Design:
        rows = matrix if len(problems.rows) == matrix.shape[0] else matrix[problems.rows]
        return design(rows, regularization=self.regularization, fit_intercept=self.fit_intercept)

    def _known(self, seen: BoolArray, labels: Labels | None, n_components: int) -> Labels | None:
        """Labels of the objects that show a view, if these are what it starts from."""
        if self.start != "labels" or labels is None or len(labels.classes) != n_components:
            return None
        shown = Labels(np.where(seen, labels.codes, -1), labels.classes)
        return shown if shown.labelled.any() else None

    def _run(self, name: str, posed: Design, problems: Problems, start: FloatArray) -> Run[Mixture]:
        run = log_linear_mixture(
            posed,
            problems.targets,
            [block.columns for block in problems.blocks],
            start,
            max_iter=self.max_iter,
            tol=self.tol,
            report=self._reporter(name),
        )
        if self.verbose:
            print(
                f"{type(self).__name__}: view {name!r}, objective {run.objective:.6g} "
                f"after {run.n_iter} steps"
            )
        return run

    def _reporter(self, name: str) -> Callable[[int, float], None] | None:
        def report(number: int, value: float) -> None:
            print(f"{type(self).__name__}: view {name!r}, step {number}, objective {value:.6g}")

        return report if self.verbose > 1 else None

    def _store(self, posed: dict[str, Design], runs: dict[str, Run[Mixture]]) -> None:
        found = {name: run.state for name, run in runs.items()}
        self.weights_ = {name: each.weights[:-1].copy() for name, each in found.items()}
        self.intercepts_ = {
            name: posed[name].constant * each.weights[-1] for name, each in found.items()
        }
        self.alphas_ = {name: np.exp(each.log_alpha) for name, each in found.items()}
        self.penalties_ = {name: each.penalty for name, each in posed.items()}
        self.n_problems_ = {name: len(each.log_alpha) for name, each in found.items()}
        self.n_components_ = {name: self._n_features(name) for name in found}
        self.objective_histories_ = {name: run.history for name, run in runs.items()}
        self.objective_history_ = mean_history(list(self.objective_histories_.values()))
        self.n_iter_ = max(run.n_iter for run in runs.values())
        self.converged_ = all(run.converged for run in runs.values())

    def _choose(
        self,
        candidates: Sequence[int],
        views: Views,
        asked: dict[str, Problems],
        labels: Labels | None,
    ) -> Choice:
        places = np.zeros(0, int) if labels is None else np.flatnonzero(labels.labelled)
        known = views[places]
        without_labels: dict[int, Matrix] = {}

        def features(n_components: int, training: IntArray) -> Matrix:
            if n_components in without_labels:
                return without_labels[n_components]
            some = only_labels(labels, places[training])
            told = read_super_classes(self.super_classes, some, views.names)
            self._learn(views, asked, n_components, told)
            found = self._side_by_side(known, self._by_view(known))
            starts = (self._known(views.observed_in(v), told[v], n_components) for v in told)
            if all(start is None for start in starts):
                without_labels[n_components] = found
            return found

        return choose_n_components(
            candidates, features, labels, estimator=self.estimator, cv=self.cv
        )

    def _warn_not_converged(self) -> None:
        change = np.diff(self.objective_history_[-2:])[0]
        warn_not_converged(
            self,
            f"did not converge in max_iter={self.max_iter} steps (the mean objective last changed "
            f"by {change:.2g})",
        )

    def _features(self, name: str, rows: Matrix) -> FloatArray:
        return np.asarray(rows @ self.weights_[name]) + self.intercepts_[name]

    def _n_features(self, name: str) -> int:
        return int(self.weights_[name].shape[1])
