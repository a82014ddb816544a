"""The record of the rounds, and the base of methods whose classifiers label objects in rounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from manyviews.base import BaseMultiViewClassifier, ViewTags, aligned, seeded
from manyviews.data import Labels, Views, per_view
from manyviews.exceptions import MissingExtraError, ViewsError
from manyviews.maths import generator
from manyviews.semi_supervised._shared import (
    Member,
    Rule,
    UsualScaling,
    combine,
    probabilities_by_view,
    read_members,
    read_or_judge_class_weights,
    usual_scaling,
    weights_by_object,
)
from manyviews.semi_supervised.co_training.incremental import Incremental, Learner, way_of
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    RandomState,
    Verbosity,
    ViewsLike,
)

Ending: TypeAlias = Literal["all_labeled", "max_iter", "no_change"]
PerClass: TypeAlias = Literal["auto"] | Count | Mapping[Any, Annotated[int, Interval(0)]]
"""How many objects: of the rarest class, of each class by its name, or as many as all suggest."""

N_ROUNDS = 20
"""Rounds in which "auto" labels all objects: each adds a twentieth to what is learnt from."""
LEARNER_C = 10.0
"""Inverse penalty of the usual learner, of rows of unit variance; 10 and 100 are equally good."""
SHOWN_ENTRIES = 5
"""Entries of a record that its ``repr`` shows, as pandas' ``head`` does."""


@dataclass(frozen=True)
class Joined:
    """Objects that were labelled, in the order in which they were."""

    round: IntArray
    row: IntArray
    judge: IntArray
    code: IntArray
    confidence: FloatArray
    disputed: BoolArray
    """Whether a view took the object for something else."""
    contested: BoolArray
    """Whether another judge proposed another label in the same round, and was less sure."""


@dataclass(frozen=True)
class Outcome:
    """Where the rounds led."""

    codes: IntArray
    joined: Joined
    n_iter: int
    ending: Ending

    def untaught(self) -> Outcome:
        """The labels that were given, without those that joined them."""
        codes = self.codes.copy()
        codes[self.joined.row] = -1
        parts = (getattr(self.joined, part.name)[:0] for part in fields(Joined))
        return replace(self, codes=codes, joined=Joined(*parts))


@dataclass(frozen=True, repr=False, eq=False)
class Provenance:
    """Labels that a method gave to objects, in the order in which it did.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(2, dtype=bool)
    >>> record = Provenance(
    ...     np.array([1, 1]), np.array([7, 3]), np.array(["text", "links"]), np.array([0, 1]),
    ...     np.array([0.9, 0.8]), np.array([True, False]), none
    ... )
    >>> record
    Provenance of 2 labels in 1 round, 1 disputed, 0 contested
    round  object  view   label  confidence  disputed  contested
    1      7       text   0      0.9         yes       no
    1      3       links  1      0.8         no        no
    >>> record[record.disputed].object
    array([7])
    """

    round: IntArray
    """The round in which the object was labelled, from 1."""
    object: IntArray
    """The object's row."""
    view: AnyArray
    """The view that proposed the label; the surest one, if several did."""
    label: AnyArray
    """The class it was given."""
    confidence: FloatArray
    """The probability of that class to the view at the time."""
    disputed: BoolArray
    """Whether another view that shows the object would have labelled it otherwise."""
    contested: BoolArray
    """Whether another view did propose another label in the same round, being less sure."""
    sample_id: AnyArray | None = None
    """The object's name, if the views have names for objects."""

    def __len__(self) -> int:
        return len(self.round)

    def __getitem__(self, entries: Any) -> Provenance:
        """Return some entries, chosen by a mask, a slice or numbers."""
        if isinstance(entries, int | np.integer):
            entries = [entries]
        return Provenance(**{name: column[entries] for name, column in self._columns().items()})

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per label given."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("to_frame", "mudata") from error
        return pd.DataFrame(self._columns())

    def _columns(self) -> dict[str, AnyArray]:
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column for name, column in found.items() if column is not None}

    def __repr__(self) -> str:
        rounds = int(self.round.max()) if len(self) else 0
        title = (
            f"Provenance of {len(self)} labels in {rounds} round{'s' * (rounds != 1)}, "
            f"{int(self.disputed.sum())} disputed, {int(self.contested.sum())} contested"
        )
        more = [f"… and {len(self) - SHOWN_ENTRIES} more"] if len(self) > SHOWN_ENTRIES else []
        return "\n".join([title, *self._head(), *more])

    def _head(self) -> list[str]:
        if not len(self):
            return []
        columns = [
            [name, *(_as_text(value) for value in column[:SHOWN_ENTRIES])]
            for name, column in self._columns().items()
        ]
        return aligned(list(zip(*columns, strict=True)))


def _as_text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


# -- the base --------------------------------------------------------------------------------------


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
        per_class = max(1, round(n_left / (N_ROUNDS * n_judges * float(ratios.sum()))))
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


def class_shares(codes: IntArray, n_classes: int) -> FloatArray:
    """Share of each class among the labelled objects.

    Examples
    --------
    >>> class_shares(np.array([0, -1, 1, 1, 1]), 2)
    array([0.25, 0.75])
    """
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    return counts / counts.sum()


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
        rng = generator(self.random_state)
        unlabelled = np.flatnonzero(~labels.labelled)
        order = unlabelled if self.pool_size is None else rng.permutation(unlabelled)
        learners = self._learners(views, len(labels.classes), rng)
        counts = weights_by_object(views.observed, self.view_weights_)
        outcome = self._label(list(learners.values()), counts, labels, order)
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
        counts = weights_by_object(views.observed, self.view_weights_)
        return combine(self._by_view(views), counts, self._rule(), self.prior_)

    def _by_view(self, views: Views) -> dict[str, FloatArray]:
        return probabilities_by_view(self.classifiers_, views, self.prior_)

    def _rule(self) -> Rule:
        rule: Rule = self.combine
        return rule

    @abstractmethod
    def _label(
        self, learners: list[Learner], counts: FloatArray, labels: Labels, order: IntArray
    ) -> Outcome:
        """Label the objects in ``order``; ``counts`` is how much each view counts for each."""

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
        return read_members(self.estimator, names, C=LEARNER_C)

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
