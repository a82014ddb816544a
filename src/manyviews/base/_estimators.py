"""scikit-learn's bases, taught to read views, to remember them and to match new ones to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Tags, check_array, check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_is_fitted, validate_data

from manyviews.base._messages import warn_user
from manyviews.base._parameters import check_params
from manyviews.data import (
    Labels,
    Layout,
    Views,
    as_plain_matrix,
    check_columns,
    check_views,
    form_of,
    ids_of,
    in_row_order,
    is_frame,
    match_layout,
    named_once,
    position_name,
    refuse_other_order,
    refuse_vanishing,
    split_labelled,
)
from manyviews.maths import missing_labels, read_labels
from manyviews.typing import AnyArray, FloatArray, ViewsLike, is_sparse

Method = TypeVar("Method", bound=Callable[..., Any])

# What a method says of itself: scikit-learn's tags, and ours --------------------------------------


@dataclass(frozen=True)
class ViewTags:
    """What a method takes, as the contract tests and the error messages read it."""

    unobserved: bool = False
    """Objects may lack a view."""
    sparse: bool = False
    """Views may be CSR."""
    missing_cells: bool = False
    """Single cells of an observed view may be NaN."""
    min_views: int = 1
    max_views: int | None = None
    absent: bool = False
    """New objects may come without the views that none of them shows."""
    additive: bool = False
    """Its statistics add up over subsets of the objects (``summarize``, ``+``, ``update``)."""


@dataclass(slots=True)
class MultiViewTags(Tags):
    """scikit-learn's tags with ours beside them."""

    views: ViewTags = ViewTags()


def extend(tags: Tags, views: ViewTags) -> MultiViewTags:
    """Add what a method takes of views to scikit-learn's tags."""
    # Field by field: asdict would turn scikit-learn's nested tags into dicts.
    own = {field.name: getattr(tags, field.name) for field in fields(Tags)}
    extended = MultiViewTags(**own, views=views)
    extended.input_tags.sparse = views.sparse
    extended.input_tags.allow_nan = views.missing_cells
    return extended


# Parameters by view: affinity__text__gamma --------------------------------------------------------


class PerViewParams(BaseEstimator):
    """``get_params`` and ``set_params`` that look into dicts of values by view name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, with those inside per-view dicts if ``deep``."""
        params: dict[str, Any] = super().get_params(deep=deep)
        if deep:
            for name, value in super().get_params(deep=False).items():
                if isinstance(value, Mapping):
                    params.update(_inside(name, value))
        return params

    def set_params(self, **params: Any) -> Any:
        """Set parameters; the dict a user gave is replaced, never changed."""
        # Whole parameters first: a nested one may reach into a dict that comes in the same call.
        direct = {key: value for key, value in params.items() if "__" not in key}
        if direct:
            super().set_params(**direct)
        for key, value in params.items():
            if "__" in key:
                self._set_nested(key, value)
        return self

    def _set_nested(self, key: str, value: Any) -> None:
        name, rest = key.split("__", 1)
        current = super().get_params(deep=False).get(name)
        if not isinstance(current, Mapping):
            super().set_params(**{key: value})
            return
        view, _, parameter = rest.partition("__")
        if view not in current:
            raise ValueError(
                f"Invalid parameter {key!r} for {type(self).__name__}: {name} has no view "
                f"{view!r}; its views are {list(current)}."
            )
        if parameter:
            current[view].set_params(**{parameter: value})
        else:
            setattr(self, name, {**current, view: value})


def _inside(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for view, value in values.items():
        found[f"{name}__{view}"] = value
        if hasattr(value, "get_params") and not isinstance(value, type):
            found.update({f"{name}__{view}__{k}": v for k, v in value.get_params().items()})
    return found


# The bases of methods -----------------------------------------------------------------------------


class BaseMultiView(PerViewParams):
    """Base of every method: reads views in any form and keeps their layout.

    A method declares what it takes in ``view_tags`` and calls ``_fit_views`` in ``fit`` and
    ``_new_views`` in ``predict`` or ``transform``; both return a checked ``Views``.
    """

    view_tags: ClassVar[ViewTags] = ViewTags()

    layout_: Layout
    view_names_: tuple[str, ...]
    n_features_in_: int
    feature_names_in_: AnyArray

    def __sklearn_tags__(self) -> MultiViewTags:
        return extend(super().__sklearn_tags__(), self.view_tags)

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        """Instances for the contract tests; override where parameters are required."""
        yield cls()

    def _fit_views(self, X: ViewsLike, *, min_objects: int = 1) -> Views:
        """Check the parameters, read and check the views to fit on, remember their layout."""
        check_params(self)
        if form_of(X) == "matrix":
            views = self._checked(Views(self._matrix(X), sample_ids=ids_of(X)), min_objects)
            validate_data(self, named_once(X), skip_check_array=True)  # its width and features
            if hasattr(self, "feature_names_in_"):
                views = Views(views, feature_names={position_name(0): self.feature_names_in_})
        else:
            views = self._checked(Views(X), min_objects)
            self._remember_features(views)
        refuse_vanishing(views)
        self.layout_ = views.layout
        self.view_names_ = views.names
        return views

    def _new_views(self, X: ViewsLike) -> Views:
        """Read and check new objects, whose views must match those of ``fit``."""
        check_is_fitted(self)
        ids = None
        if form_of(X) == "matrix":
            matrix, ids = self._matrix(X), ids_of(X)
            if len(self.layout_.names) == 1:
                validate_data(self, named_once(X), reset=False, skip_check_array=True)
            elif is_frame(X):
                check_columns(list(X.columns), self.layout_)
            X = matrix
        views = match_layout(X, self.layout_, allow_absent=self.view_tags.absent)
        if ids is not None:
            views = Views(views, sample_ids=ids)
        return self._checked(views, min_objects=1)

    def _matrix(self, X: Any) -> Any:
        """Let scikit-learn read a plain matrix, as it does for its own methods."""
        return check_array(
            as_plain_matrix(X),
            accept_sparse="csr" if self.view_tags.sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,  # said with the row by our own check
            estimator=self,
        )

    def _checked(self, views: Views, min_objects: int) -> Views:
        tags = self.view_tags
        return check_views(
            views,
            min_views=tags.min_views,
            max_views=tags.max_views,
            min_objects=min_objects,
            accept_sparse=tags.sparse,
            accept_unobserved=tags.unobserved,
            accept_nan=tags.missing_cells,
            method=type(self).__name__,
        )

    def _in_row_order(self, X: ViewsLike, **values: Any) -> Iterator[Any]:
        """Bring what has an index into the order of the objects, or refuse it."""
        ids = _ids(X)
        return (in_row_order(given, ids, what) for what, given in values.items())

    def _refuse_other_order(self, X: ViewsLike, y: Any) -> None:
        """Refuse labels in another order than the objects, for whoever uses them after us."""
        refuse_other_order(y, _ids(X), "y", type(self).__name__)

    def _check_labels(self, X: ViewsLike, y: Any) -> None:
        """Look at labels before the work begins; a hook for kinds of methods that ignore them."""

    def _remember_features(self, views: Views) -> None:
        self.n_features_in_ = views.shape[1]
        if all(name in views.feature_names for name in views.names):
            self.feature_names_in_ = views.layout.column_names()
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_


class BaseMultiViewClusterer(ClusterMixin, BaseMultiView):
    """Base of clusterers: ``fit`` sets ``labels_``; ``predict`` places new objects."""

    labels_: AnyArray

    def _check_labels(self, X: ViewsLike, y: Any) -> None:
        """Refuse labels in another order, which a scorer behind would take by position."""
        self._refuse_other_order(X, y)


class BaseMultiViewTransformer(TransformerMixin, BaseMultiView):
    """Base of methods that turn views into one matrix of coordinates."""

    def fit_transform(self, X: ViewsLike, y: Any = None, **fit_params: Any) -> Any:
        """Fit, then transform the same objects.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        y : array-like of shape (n_objects,), optional
            Labels in the order of the objects: in a pipeline they go on to the next step, which
            cannot match them by id.
        **fit_params : object
            What else ``fit`` takes.
        """
        self._refuse_other_order(X, y)
        return super().fit_transform(X, y, **fit_params)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in ("transform", "fit_transform"):
            if name in cls.__dict__:
                setattr(cls, name, _under_ids(getattr(cls, name)))


class _ScoreInOrder(BaseMultiView):
    """scikit-learn's ``score``, with what has an index matched to the objects first."""

    def score(self, X: ViewsLike, y: Any, sample_weight: Any = None) -> float:
        """Return the share of objects that get their own class; of numbers, R².

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        y : array-like of shape (n_objects,)
            Their classes or numbers; with an index, matched by id to views that have ids.
        sample_weight : array-like of shape (n_objects,), optional
            Weights of the objects, matched like ``y``.
        """
        y, sample_weight = self._in_row_order(X, y=y, sample_weight=sample_weight)
        return float(super().score(X, y, sample_weight=sample_weight))


class BaseMultiViewClassifier(_ScoreInOrder, ClassifierMixin, BaseMultiView):
    """Base of classifiers, which learn from labelled and unlabelled objects alike."""

    classes_: AnyArray

    def _fit_labels(self, y: Any, views: Views) -> Labels:
        """Read the labels, remember the classes, and refuse what cannot be learnt from."""
        name = type(self).__name__
        _check_target(y, name)
        labels = split_labelled(y, views)
        check_consistent_length(views, labels.codes)
        if not labels.labelled.any():
            raise ValueError(
                f"no object is labelled, so {name} has nothing to learn from; "
                "give at least one label of each class."
            )
        if labels.classes.dtype.kind == "f":
            assert_all_finite(labels.classes, input_name="y")
        check_classification_targets(labels.classes[labels.codes[labels.labelled]])
        if len(labels.classes) < 2:
            raise ValueError(
                f"y has one class only ({labels.classes[0]!r}) and {name} needs two or more; "
                "remember that -1 marks an unlabelled object."
            )
        self.classes_ = labels.classes
        return labels


class BaseMultiViewRegressor(_ScoreInOrder, RegressorMixin, BaseMultiView):
    """Base of regressors, which learn numbers; some also from objects whose number is unknown."""

    def _fit_targets(self, y: Any, views: Views, *, accept_unknown: bool = False) -> FloatArray:
        """Read the numbers to be learnt; NaN where they are unknown, if that is accepted."""
        name = type(self).__name__
        _check_target(y, name)
        values = read_labels(in_row_order(y, views.sample_ids), "y")
        unknown = missing_labels(values)
        if np.ma.is_masked(y):
            unknown |= np.ma.getmaskarray(y).reshape(len(values))
        targets = np.full(len(values), np.nan)
        targets[~unknown] = _as_numbers(values[~unknown])
        assert_all_finite(targets, allow_nan=accept_unknown, estimator_name=name, input_name="y")
        check_consistent_length(views, targets)
        if np.isnan(targets).all():
            raise ValueError(
                f"the number of every object is unknown, so {name} has nothing to learn from; "
                "give that of one object at least."
            )
        return targets


def _under_ids(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let the tables of ``set_output`` have the ids as index; scikit-learn knows frames only."""

    @wraps(method)
    def transform(self: Any, X: ViewsLike, *args: Any, **kwargs: Any) -> Any:
        found = method(self, X, *args, **kwargs)
        ids = _ids(X)
        if ids is not None and hasattr(found, "iloc") and not hasattr(X, "iloc"):
            found.index = ids
        return found

    return transform


def _check_target(y: Any, name: str) -> None:
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    if getattr(y, "ndim", 1) == 2:
        warn_user(
            "A column-vector y was passed when a 1d array was expected; give y.ravel().",
            DataConversionWarning,
        )


def _as_numbers(values: AnyArray) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "y holds what is no number; a regressor learns numbers, and NaN is an unknown one."
        ) from error


def _ids(X: ViewsLike) -> AnyArray | None:
    return X.sample_ids if isinstance(X, Views) else ids_of(X)


# Estimators that let another do the work ----------------------------------------------------------


def if_estimator_has(name: str) -> Callable[[Method], Method]:
    """Make a method be there only if the estimator that does the work has it.

    That is ``estimator_`` once fitted, and what ``_unfitted()`` returns before.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> class Delegating:
    ...     def _unfitted(self):
    ...         return LogisticRegression()
    ...     @if_estimator_has("predict_proba")
    ...     def predict_proba(self, X): ...
    ...     @if_estimator_has("transform")
    ...     def transform(self, X): ...
    >>> hasattr(Delegating(), "predict_proba"), hasattr(Delegating(), "transform")
    (True, False)
    """

    def has(self: Any) -> bool:
        working = self.estimator_ if hasattr(self, "estimator_") else self._unfitted()
        return hasattr(working, name)

    decorate: Callable[[Method], Method] = available_if(has)
    return decorate


def seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Set every ``random_state`` of an estimator that is None, so that it can be repeated.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> first, second = (
    ...     seeded(DecisionTreeClassifier(), np.random.default_rng(0)) for _ in range(2)
    ... )
    >>> first.random_state == second.random_state is not None
    True
    """
    free = [
        name
        for name, value in estimator.get_params().items()
        if value is None and name.split("__")[-1] == "random_state"
    ]
    return estimator.set_params(**{name: int(rng.integers(2**31)) for name in sorted(free)})


def reads_views(estimator: Any) -> bool:
    """Whether an estimator, the first step of a pipeline, or what a search tunes, knows views.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from manyviews import MergeViews
    >>> from sklearn.linear_model import LogisticRegression
    >>> reads_views(make_pipeline(MergeViews(), LogisticRegression()))
    True
    >>> reads_views(LogisticRegression())
    False
    """
    if isinstance(estimator, BaseMultiView):
        return True
    if hasattr(estimator, "steps"):
        return reads_views(estimator.steps[0][1])
    return hasattr(estimator, "estimator") and reads_views(estimator.estimator)


@contextmanager
def refusing_overflow(estimator: Any, rows: Any) -> Iterator[None]:
    """Refuse rows too large for an estimator that a user brought: trees take single precision.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree, rows = DecisionTreeClassifier(), np.array([[0.0], [1e39]])
    >>> with refusing_overflow(tree, rows):  # doctest: +ELLIPSIS
    ...     tree.fit(rows, [0, 1])
    Traceback (most recent call last):
        ...
    ValueError: values beyond 3.4e+38 are too large for DecisionTreeClassifier; scale them first...
    """
    matrices = [matrix for _, matrix in rows.items()] if isinstance(rows, Views) else [rows]
    values = [matrix.data if is_sparse(matrix) else matrix for matrix in matrices]
    if all(max(each.max(), -each.min()) <= SINGLE for each in values if each.size):
        yield
        return
    try:
        with np.errstate(over="raise"):
            yield
    except FloatingPointError as error:
        name = type(estimator).__name__
        raise ValueError(
            f"values beyond {SINGLE:.1e} are too large for {name}; scale them first: "
            f"make_pipeline(MaxAbsScaler(), {name}(...))."
        ) from error


SINGLE = float(np.finfo(np.float32).max)
"""The largest number of single precision."""
