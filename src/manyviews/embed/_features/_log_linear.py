"""Log-linear features of hidden classes, given which the views are independent [@ando2007]."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np

from manyviews.base import Labels, Run
from manyviews.data import Views
from manyviews.embed._features._auxiliary import (
    AuxiliaryFunction,
    Problems,
    auxiliary_values,
    problems_of,
)
from manyviews.embed._features._base import ViewFeatures
from manyviews.embed._features._choice import (
    WITHOUT_LABELS,
    Choice,
    Folds,
    NComponents,
    choose_n_components,
    read_candidates,
)
from manyviews.embed._features._hidden_start import (
    clustered_start,
    labelled_start,
    only_labels,
    read_super_classes,
)
from manyviews.embed._features._maximum_entropy import Design, design
from manyviews.embed._features._mixture import Mixture, log_linear_mixture, mean_history
from manyviews.maths import generator
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
)

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
        several = len(candidates) > 1
        self.choice_ = self._choose(candidates, views, asked, labels) if several else None
        chosen = self.n_components if self.choice_ is None else self.choice_.best
        self._learn(views, asked, chosen, told)
        if not self.converged_:
            self._warn_not_converged()
        return self

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
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{type(self).__name__} did not converge in max_iter={self.max_iter} steps (the mean "
            f"objective last changed by {np.diff(self.objective_history_[-2:])[0]:.2g}); raise "
            "max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def _features(self, name: str, rows: Matrix) -> FloatArray:
        return np.asarray(rows @ self.weights_[name]) + self.intercepts_[name]

    def _n_features(self, name: str) -> int:
        return int(self.weights_[name].shape[1])
