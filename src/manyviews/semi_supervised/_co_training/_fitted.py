"""What co-training and self-training share: fitting by rounds, and answering together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from manyviews.base import BaseMultiViewClassifier, ViewTags, seeded
from manyviews.data import Labels, Views, per_view
from manyviews.exceptions import ViewsError
from manyviews.maths import generator
from manyviews.semi_supervised._co_training._learners import Incremental, Learner, way_of
from manyviews.semi_supervised._co_training._panel import EachView, class_shares
from manyviews.semi_supervised._co_training._provenance import Provenance
from manyviews.semi_supervised._co_training._rounds import Ending, Outcome, Plan, label_in_rounds
from manyviews.semi_supervised._shared import (
    Member,
    Rule,
    UsualScaling,
    combine,
    probabilities_by_view,
    read_members,
    read_or_judge_class_weights,
    say,
    usual_scaling,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    RandomState,
    Verbosity,
    ViewsLike,
)

PerClass: TypeAlias = Literal["auto"] | Count | Mapping[Any, Annotated[int, Interval(0)]]
"""How many objects: of the rarest class, of each class by its name, or as many as all suggest."""

_ROUNDS = 20
"""Rounds in which "auto" labels all objects: each adds a twentieth to what is learnt from."""
_LEARNER_C = 10.0
"""Inverse penalty of the usual learner, of rows of unit variance; 10 and 100 are equally good."""


class LabelsInRounds(BaseMultiViewClassifier):
    """Base of methods whose classifiers, one per view, label objects for themselves."""

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _deterministic_start: ClassVar[dict[str, Any]] = {"pool_size": None}
    _expected_failed_checks: ClassVar[dict[str, str]] = {
        "check_non_transformer_estimators_n_iter": "with labels for all objects there is no round",
    }

    estimator: ByView[Member | None]
    pool_size: Count | None
    per_class: PerClass | None
    max_iter: Count | None
    combine: Any
    incremental: Incremental
    view_weights: AutoViewWeights
    random_state: RandomState
    verbose: Verbosity

    classifiers_: dict[str, Any]
    scalings_: dict[str, UsualScaling]
    prior_: FloatArray
    view_weights_: dict[str, float]
    provenance_: Provenance
    transduction_: AnyArray
    n_iter_: int
    termination_condition_: Ending

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Fit a classifier per view on the labels given and those the method adds to them.

        Parameters
        ----------
        X : Views or what it can be built from
            The objects, labelled and unlabelled.
        y : array of shape (n_objects,)
            Labels; -1 (integers), None or NaN for unlabelled objects.
        """
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        self.scalings_ = {
            name: usual_scaling(views[name][np.flatnonzero(views.observed_in(name))])
            for name, given in per_view(self.estimator, views.names, parameter="estimator").items()
            if given is None and views.observed_in(name).any()
        }
        self.view_weights_ = read_or_judge_class_weights(self.view_weights, views, labels)
        views = self._scaled(views)
        plan = self._plan(labels)
        rng = generator(self.random_state)
        unlabelled = np.flatnonzero(~labels.labelled)
        order = unlabelled if self.pool_size is None else rng.permutation(unlabelled)
        learners = self._learners(views, len(labels.classes), rng)
        counts = say(views.observed, self.view_weights_)
        panel = self._panel(list(learners.values()), counts, len(labels.classes))
        outcome = label_in_rounds(panel, labels.codes, order, plan, self._report)
        self._store(views, learners, outcome)
        return self

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class, from the views that show the object."""
        return self._joint(self._scaled(self._new_views(X)))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Return the most probable class of each object."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def view_probabilities(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Probability of each class to each view alone; NaN where a view is unobserved."""
        return self._by_view(self._scaled(self._new_views(X)))

    def _scaled(self, views: Views) -> Views:
        """The views with those scaled that the usual learner is to learn from."""
        if not self.scalings_:
            return views
        scaled = {
            name: self.scalings_[name](matrix) if name in self.scalings_ else matrix
            for name, matrix in views.items()
        }
        return Views(scaled, observed=views.observed, sample_ids=views.sample_ids)

    def _joint(self, views: Views) -> FloatArray:
        counts = say(views.observed, self.view_weights_)
        return combine(self._by_view(views), counts, self._rule(), self.prior_)

    def _by_view(self, views: Views) -> dict[str, FloatArray]:
        return probabilities_by_view(self.classifiers_, views, self.prior_)

    def _rule(self) -> Rule:
        rule: Rule = self.combine
        return rule

    def _panel(self, learners: list[Learner], counts: FloatArray, n_classes: int) -> EachView:
        """Who judges, each view counting as it does for an object."""
        return EachView(learners, counts, n_classes)

    def _plan(self, labels: Labels) -> Plan:
        """How much is labelled at a time."""
        quotas = read_quotas(self.per_class, labels, self._n_judges())
        return Plan(self.pool_size, quotas, self.max_iter)

    def _n_judges(self) -> int:
        """How many propose objects in a round."""
        return sum(weight > 0 for weight in self.view_weights_.values())

    def _learners(
        self, views: Views, n_classes: int, rng: np.random.Generator
    ) -> dict[str, Learner]:
        return {
            name: Learner(
                seeded(member, rng),
                name,
                views[name],
                views.observed_in(name),
                n_classes,
                way_of(member, self.incremental),
            )
            for name, member in self._members(views.names).items()
        }

    def _members(self, names: tuple[str, ...]) -> dict[str, Any]:
        return read_members(self.estimator, names, C=_LEARNER_C)

    def _store(self, views: Views, learners: dict[str, Learner], outcome: Outcome) -> None:
        self._refuse_untaught(learners)
        codes, joined = outcome.codes, outcome.joined
        self.classifiers_ = {
            name: learner.finish(codes, keep_taught=self.incremental is True)
            for name, learner in learners.items()
        }
        self.prior_ = class_shares(codes, len(self.classes_))
        self.provenance_ = Provenance(
            round=joined.round,
            object=joined.row,
            view=self._judge_names()[joined.judge],
            label=self.classes_[joined.code],
            confidence=joined.confidence,
            disputed=joined.disputed,
            contested=joined.contested,
            sample_id=None if views.sample_ids is None else views.sample_ids[joined.row],
        )
        self.n_iter_ = outcome.n_iter
        self.termination_condition_ = outcome.ending
        self._finish(views, codes)
        self.transduction_ = self.classes_[self._completed(views, codes)]
        self._report_end(len(views))

    def _finish(self, views: Views, codes: IntArray) -> None:
        """What else is learnt from all labels."""

    def _judge_names(self) -> AnyArray:
        return np.array(self.view_names_)

    def _completed(self, views: Views, codes: IntArray) -> IntArray:
        """The labels, with the prediction for objects that got none."""
        rest = np.flatnonzero(codes < 0)
        if not len(rest):
            return codes
        completed = codes.copy()
        completed[rest] = self._joint(views[rest]).argmax(axis=1)
        return completed

    def _refuse_untaught(self, learners: dict[str, Learner]) -> None:
        for name, learner in learners.items():
            if not learner.ready:
                raise ViewsError(
                    f"view {name!r} shows labelled objects of fewer than two classes, and the "
                    "other views taught it no more; label objects of two classes that it shows, "
                    "or leave it out."
                )

    def _report(self, number: int, n_joined: int, n_left: int) -> None:
        if self.verbose > 1:
            name = type(self).__name__
            print(f"{name}: round {number} labelled {n_joined} objects, {n_left} are left")

    def _report_end(self, n_objects: int) -> None:
        if self.verbose:
            print(
                f"{type(self).__name__}: labelled {len(self.provenance_)} of {n_objects} objects "
                f"in {self.n_iter_} rounds, ended by {self.termination_condition_!r}"
            )


def read_quotas(per_class: PerClass | None, labels: Labels, n_judges: int = 1) -> IntArray | None:
    """How many objects of each class a judge labels per round.

    A number is that of the rarest class, and the others follow the proportions of the labels;
    "auto" is the number by which all judges together label all objects in twenty rounds.

    Examples
    --------
    >>> labels = Labels(np.array([0, 1, 1, 1, -1]), np.array(["course", "other"]))
    >>> read_quotas(1, labels), read_quotas({"course": 2, "other": 5}, labels)
    (array([1, 3]), array([2, 5]))
    >>> labels = Labels(np.array([0, 1, 1, 1] + [-1] * 400), np.array(["course", "other"]))
    >>> read_quotas("auto", labels, n_judges=2)
    array([2, 6])
    """
    if per_class is None:
        return None
    if isinstance(per_class, Mapping):
        return _named_quotas(per_class, labels)
    counts = labels.counts
    ratios = counts / counts.min()
    if isinstance(per_class, str):
        n_left = int((~labels.labelled).sum())
        per_class = max(1, round(n_left / (_ROUNDS * n_judges * float(ratios.sum()))))
    return np.rint(per_class * ratios).astype(np.intp)


def _named_quotas(per_class: Mapping[Any, int], labels: Labels) -> IntArray:
    known = labels.classes.tolist()
    for given in per_class:
        if given not in known:
            raise ValueError(
                f"per_class names the class {given!r}, which no labelled object has; "
                f"the classes are {known}."
            )
    for name in known:
        if name not in per_class:
            raise ValueError(
                f"per_class says nothing of the class {name!r}; give a number for each class."
            )
    quotas = np.array([per_class[name] for name in known], dtype=np.intp)
    if not quotas.any():
        raise ValueError("per_class is zero for all classes; let some object be labelled.")
    return quotas
