"""A model asked about objects with all views, without one, and with one of other objects.

From the top: views hidden, replaced and permuted; models and objects; what answers are compared
with; fits of a model that is not fitted; how views are dropped; all of it for a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from manyviews.base import BaseMultiView, seeded
from manyviews.data import Views, check_views, in_row_order, match_layout, split_labelled
from manyviews.exceptions import ViewsError
from manyviews.explain.single_view import FOLDS
from manyviews.maths import missing_labels, read_labels
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray, ViewsLike, is_sparse

PROBE = 2
"""Objects of which a model is asked whether it takes them without a view."""

Dropping = Literal["unobserved", "refit", "replace", "none"]
Kind = Literal["classes", "numbers", "groups", "score"]

# -- views hidden, replaced, permuted --------------------------------------------------------------


def hidden(views: Views, name: str) -> Views:
    """The same objects with one view unobserved."""
    return views.with_observed({name: np.zeros(len(views), dtype=bool)})


def replaced(views: Views, name: str, row: Any) -> Views:
    """The same objects with one row for all in one view."""
    if is_sparse(views[name]):
        return _with(views, name, csr_array(views[name].shape))
    return _with(views, name, np.tile(row, (len(views), 1)))


def permuted(views: Views, name: str, rng: np.random.Generator) -> Views:
    """The same objects, each with one view of another."""
    return _with(views, name, views[name][rng.permutation(len(views))])


def _with(views: Views, name: str, matrix: Any) -> Views:
    return Views(
        {**dict(views.items()), name: matrix},
        observed=views.observed,
        feature_names=views.feature_names,
        sample_ids=views.sample_ids,
    )


def comparable(views: Views, name: str) -> BoolArray:
    """Which objects show a view and another one; all, if there is no other."""
    seen = views.observed_in(name)
    return seen if views.n_views == 1 else seen & (views.observed.sum(axis=1) > 1)


# -- the models that are asked ---------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A fitted model and the objects that it is asked about."""

    model: Any
    rows: IntArray
    trained: IntArray | None = None
    """Objects that it was fitted to, where that is known."""
    without: Mapping[str, Any] = field(default_factory=dict)
    """The same fitted without a view, by its name, where that is how views are dropped."""


@dataclass(frozen=True)
class Inquiry:
    """Models, objects, and how a view is dropped."""

    views: Views
    parts: tuple[Part, ...]
    dropping: Dropping

    @property
    def rows(self) -> IntArray:
        """All objects that are asked about, part by part."""
        return np.concatenate([part.rows for part in self.parts])

    def ask(self, ask: Callable[[Part, Views], Any], chosen: BoolArray) -> AnyArray:
        """Answers for the chosen ones of all objects, part by part."""
        rows = [(part, part.rows[chosen[part.rows]]) for part in self.parts]
        return np.concatenate([np.asarray(ask(p, self.views[r])) for p, r in rows if len(r)])

    def with_all(self, method: str, chosen: BoolArray) -> AnyArray:
        """Answers from all views."""
        return self.ask(lambda part, views: getattr(part.model, method)(views), chosen)

    def without(self, name: str, method: str, chosen: BoolArray) -> AnyArray:
        """Answers without one view."""
        return self.ask(lambda part, views: self._dropped(part, views, name, method), chosen)

    def permuted(
        self, name: str, method: str, chosen: BoolArray, rng: np.random.Generator
    ) -> AnyArray:
        """Answers with one view of other objects, which are drawn within each part."""
        return self.ask(lambda p, v: getattr(p.model, method)(permuted(v, name, rng)), chosen)

    def _dropped(self, part: Part, views: Views, name: str, method: str) -> Any:
        if self.dropping == "refit":
            others = views.subset([other for other in views.names if other != name])
            return getattr(part.without[name], method)(others)
        return getattr(part.model, method)(self.changed(part, views, name))

    def changed(self, part: Part, views: Views, name: str) -> Views:
        """Some objects of a part without one view, in a form that its model takes."""
        if self.dropping == "unobserved":
            return hidden(views, name)
        known = self.views[part.rows if part.trained is None else part.trained]
        return replaced(views, name, _mean_row(known, name))


def _mean_row(views: Views, name: str) -> Any:
    """Mean of each feature over the objects that show it; nothing for a sparse view."""
    if is_sparse(views[name]):
        return None
    rows = views[name][views.observed_in(name)]
    known = ~np.isnan(rows)
    return np.where(known, rows, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)


DROPPED: Mapping[Dropping, str] = {
    "unobserved": "marked unobserved",
    "refit": "left out of the fit",
    "replace": "replaced by its mean (a sparse one by empty rows)",
    "none": "not dropped, since nothing could be said without it",
}


def is_fitted(model: Any) -> bool:
    """Whether a model can be asked."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def kind_of(model: Any) -> Kind:
    """What a model answers, refusing one that says nothing that could become worse."""
    if is_classifier(model):
        return "classes"
    if hasattr(model, "predict"):
        return "numbers" if is_regressor(model) else "groups"
    if hasattr(model, "score"):
        return "score"
    raise TypeError(
        f"{type(last_step(model)).__name__} neither predicts nor has a score, so that nothing "
        "gets worse without a view; put what uses its result behind it, as in "
        "make_pipeline(model, LogisticRegression())."
    )


def last_step(model: Any) -> Any:
    """The step of a pipeline that answers; other models are that themselves."""
    steps = getattr(model, "steps", None)
    return last_step(steps[-1][1]) if isinstance(steps, list) and steps else model


def read_objects(views: ViewsLike, model: Any) -> Views:
    """Read the objects by the layout that a fitted model, or its first step, remembers."""
    steps = getattr(model, "steps", None)
    first = steps[0][1] if isinstance(steps, list) and steps else model
    layout = getattr(first, "layout_", None) if is_fitted(model) else None
    if layout is not None:
        views = match_layout(views, layout, allow_absent=True)
    return check_views(views, accept_nan=True, method="view_contributions")


@dataclass(frozen=True)
class Truth:
    """What answers are compared with: codes of classes, or numbers."""

    known: BoolArray
    values: AnyArray
    given: Any
    """As ``fit`` takes them."""
    classes: AnyArray | None = None

    def read(self, answers: AnyArray) -> AnyArray:
        """Answers in the same codes; -2 is a class of which no object is labelled."""
        if self.classes is None:
            return answers
        place = {label: code for code, label in enumerate(self.classes.tolist())}
        return np.array([place.get(label, -2) for label in answers.tolist()])


def read_truth(y: Any, views: Views, kind: Kind) -> Truth | None:
    """Read labels or numbers in the order of the objects, by id where both have ids."""
    if y is None:
        return None
    given = in_row_order(y, views.sample_ids)
    values = given if np.ma.isMaskedArray(given) else read_labels(given, "y")
    if len(values) != len(views):
        raise ViewsError(f"y has {len(values)} labels for {len(views)} objects; give one for each.")
    if kind == "numbers":
        known = ~missing_labels(values) & ~np.ma.getmaskarray(values)
        truth = Truth(known, _numbers(values, known), values)
    else:
        labels = split_labelled(values)
        codes = labels.codes
        truth = Truth(labels.labelled, codes, values, labels.classes if kind == "classes" else None)
    if not truth.known.any():
        raise ValueError("y has no label at all; leave it out, or label some of the objects.")
    return truth


def _numbers(values: AnyArray, known: BoolArray) -> FloatArray:
    numbers = np.full(len(values), np.nan)
    try:
        numbers[known] = np.asarray(values)[known].astype(float)
    except (TypeError, ValueError) as error:
        raise ValueError("y holds what is no number, and the model is a regressor.") from error
    return numbers


def own_truth(answers: AnyArray, rows: IntArray, n_objects: int, kind: Kind) -> Truth:
    """The answers with all views as what the others are compared with."""
    known = np.zeros(n_objects, dtype=bool)
    known[rows] = True
    classes, values = None, answers
    if kind == "classes":
        classes, values = np.unique(answers, return_inverse=True)
    spread = np.zeros(n_objects, dtype=values.dtype)
    spread[rows] = values
    return Truth(known, spread, None, classes)


def fit_parts(
    model: Any,
    views: Views,
    truth: Truth | None,
    kind: Kind,
    n_folds: int,
    rng: np.random.Generator,
) -> Iterator[Part]:
    """Fit a model that is not fitted: on folds, or once on everything if it learns no labels."""
    everything = np.arange(len(views))
    if kind == "groups":
        yield Part(_fitted(model, views, None, everything, rng), everything, everything)
        return
    for test in _folds(views, truth, kind, n_folds, rng):
        train = np.setdiff1d(everything, test)
        if truth is not None and not isinstance(last_step(model), BaseMultiView):
            train = train[truth.known[train]]  # a method of others knows no unlabelled objects
        yield Part(_fitted(model, views, truth, train, rng), test, train)


def _fitted(
    model: Any, views: Views, truth: Truth | None, rows: IntArray, rng: np.random.Generator
) -> Any:
    ready = seeded(clone(model), rng)
    return ready.fit(views[rows]) if truth is None else ready.fit(views[rows], truth.given[rows])


def _folds(
    views: Views, truth: Truth | None, kind: Kind, n_folds: int, rng: np.random.Generator
) -> Iterator[IntArray]:
    from sklearn.model_selection import KFold, StratifiedKFold

    known = np.flatnonzero(truth.known) if truth is not None else np.arange(len(views))
    seed = int(rng.integers(2**31))
    if kind == "classes" and truth is not None:
        cut = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        splits = cut.split(known, truth.values[known])
    else:
        splits = KFold(n_folds, shuffle=True, random_state=seed).split(known)
    return (known[test] for _, test in splits)


def count_folds(views: Views, truth: Truth | None, kind: Kind, model: Any, max_fits: int) -> int:
    """How many folds there can be, refusing fewer than two."""
    if kind == "groups":
        return 1
    name = type(last_step(model)).__name__
    if truth is None and kind != "score":
        raise ValueError(
            f"{name} is not fitted and has no labels to learn from; give y, or fit it first."
        )
    rarest = len(views) if truth is None else int(truth.known.sum())
    if truth is not None and kind == "classes":
        rarest = int(np.bincount(truth.values[truth.known]).min())
    if min(rarest, max_fits) < 2:
        raise ValueError(
            f"{name} is not fitted, and cross-validation needs two fits and two labelled objects "
            "of each class; label more objects, raise max_fits, or fit it first."
        )
    return min(FOLDS, rarest, max_fits)


def refitted(
    part: Part, model: Any, views: Views, truth: Truth | None, rng: np.random.Generator
) -> Part:
    """The same part with a model fitted without each view in turn."""
    without = {}
    trained = np.arange(len(views)) if part.trained is None else part.trained
    for name in views.names:
        others = views.subset([other for other in views.names if other != name])
        rows = trained[others.observed[trained].any(axis=1)]
        without[name] = _fitted(model, others, truth, rows, rng)
    return replace(part, without=without)


def choose_dropping(
    inquiry: Inquiry, asked: str, method: str, *, fitted: bool, n_fits: int, max_fits: int
) -> Dropping:
    """How views are dropped: unobserved if the model takes that, else by refits or the mean."""
    names = inquiry.views.names
    if len(names) == 1:
        return "none"
    n_refits = n_fits + len(inquiry.parts) * len(names)
    if asked == "refit" and n_refits > max_fits:
        raise ValueError(
            f"drop='refit' takes {n_refits} fits and max_fits={max_fits}; raise it, or take "
            "drop='replace'."
        )
    takes = asked in ("auto", "unobserved") and all(_takes(inquiry, n, method) for n in names)
    if takes or asked in ("refit", "replace"):
        return "unobserved" if takes else asked  # type: ignore[return-value]
    if asked == "unobserved":
        raise ViewsError(
            f"{type(last_step(inquiry.parts[0].model)).__name__} does not answer for objects that "
            "lack a view; take drop='refit' or drop='replace'."
        )
    if method == "score":
        return "none"  # a constant view has no correlation
    return "refit" if not fitted and n_refits <= max_fits else "replace"


def _takes(inquiry: Inquiry, name: str, method: str) -> bool:
    """Whether a model answers for objects that lack a view, of which it is asked two."""
    model, views = inquiry.parts[0].model, inquiry.views
    tags = getattr(model, "view_tags", None)
    if tags is not None and not tags.unobserved:
        return False
    rows = np.flatnonzero(comparable(views, name))[:PROBE]
    if not len(rows):
        return True
    few = views if method == "score" else views[rows]
    few = few[comparable(few, name)]
    try:
        getattr(model, method)(hidden(few, name))
    except ValueError:  # with all views it answered: what it refuses is the lack of one
        return False
    return True


# -- all of it for a model ---------------------------------------------------------------------


def make_inquiry(
    model: Any,
    views: Views,
    truth: Truth | None,
    kind: Kind,
    drop: str,
    limits: tuple[int, int],
    rng: np.random.Generator,
) -> tuple[Inquiry, dict[str, Any]]:
    """The models to ask, the objects to ask about, and what is to be said of both."""
    max_fits, max_objects = limits
    fitted = is_fitted(model)
    if fitted and drop == "refit":
        raise ValueError(
            "drop='refit' needs a model that is not fitted, as the fit of this one cannot be "
            "repeated; give sklearn.base.clone(model)."
        )
    chosen = _chosen(views, truth, max_objects, rng)
    if fitted:
        parts = [Part(model, np.arange(len(views)))]
    else:
        n_folds = count_folds(views, truth, kind, model, max_fits)
        parts = list(fit_parts(model, views, truth, kind, n_folds, rng))
    parts = [replace(part, rows=part.rows[chosen[part.rows]]) for part in parts]
    method = "score" if kind == "score" else "predict"
    n_fits = 0 if fitted else len(parts)
    inquiry = Inquiry(views, tuple(part for part in parts if len(part.rows)), "none")
    dropping = choose_dropping(
        inquiry, drop, method, fitted=fitted, n_fits=n_fits, max_fits=max_fits
    )
    if dropping == "refit":
        parts = [refitted(part, model, views, truth, rng) for part in inquiry.parts]
        n_fits += len(parts) * views.n_views
    inquiry = Inquiry(views, tuple(parts), dropping)
    evaluated = _evaluated(len(inquiry.rows), fitted=fitted, kind=kind, n_parts=len(parts))
    return inquiry, {"n_fits": n_fits, "evaluated": evaluated, "dropping": DROPPED[dropping]}


def _chosen(
    views: Views, truth: Truth | None, max_objects: int, rng: np.random.Generator
) -> BoolArray:
    """Which objects are asked about, if they are among those of a part."""
    if len(views) <= max_objects:
        return np.ones(len(views), dtype=bool)
    order = rng.permutation(len(views))
    if truth is not None:
        order = order[np.argsort(~truth.known[order], kind="stable")]
    chosen = np.zeros(len(views), dtype=bool)
    chosen[order[:max_objects]] = True
    return chosen


def _evaluated(n_objects: int, *, fitted: bool, kind: Kind, n_parts: int) -> str:
    if fitted:
        return f"{n_objects:,} given objects by the fitted model"
    if kind == "groups":
        return f"{n_objects:,} given objects after a fit to all of them, without labels"
    return f"{n_objects:,} objects held out in {n_parts}-fold cross-validation"
