"""Answers of estimators brought into one form, and compared."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pickle import PicklingError
from typing import Any

import numpy as np
from joblib import hash as digest
from sklearn.base import clone, is_clusterer

from manyviews.data import Views
from manyviews.testing.data import problem_for
from manyviews.typing import AnyArray, is_sparse

METHODS = ("predict", "predict_proba", "decision_function", "score_samples", "transform")

Answers = dict[str, Any]


def fitted(estimator: Any, X: Any, y: Any = None) -> Any:
    """Return a fitted clone."""
    model = clone(estimator)
    return model.fit(X) if y is None else model.fit(X, y)


def fitted_once(estimator: Any) -> Any:
    """Return a copy of the estimator fitted on the contract's data, which is fitted only once.

    Most rules ask one and the same fitted estimator. Rules of what ``fit`` itself does, and
    of what pickling keeps, which a copy would have been through, fit their own.
    """
    try:
        key = (type(estimator), digest(estimator.get_params()))
    except PicklingError:  # it could not be told from others
        return _fitted_on_problem(estimator)
    if key not in _FITTED:
        if len(_FITTED) >= N_KEPT:
            del _FITTED[next(iter(_FITTED))]
        _FITTED[key] = _fitted_on_problem(estimator)
    return deepcopy(_FITTED[key])


N_KEPT = 8
"""Rules are tried estimator by estimator, on few variants of each: its own, without chance."""

_FITTED: dict[tuple[type, str], Any] = {}


def _fitted_on_problem(estimator: Any) -> Any:
    problem = problem_for(estimator)
    return fitted(estimator, problem.X, problem.y)


def methods(estimator: Any) -> list[str]:
    """Return the methods by which it answers for objects, new ones included."""
    return [name for name in METHODS if hasattr(estimator, name)]


def answers(model: Any, X: Any) -> Answers:
    """All it has to say of some objects."""
    return {name: getattr(model, name)(X) for name in methods(model)}


def everything(model: Any, X: Any) -> Answers:
    """The same, with the labels found in ``fit``."""
    found = answers(model, X)
    return {"labels_": model.labels_, **found} if hasattr(model, "labels_") else found


def table(answer: Any) -> AnyArray:
    """Return an answer as one plain array; views side by side, NaN where unobserved."""
    if is_sparse(answer):
        return answer.toarray()
    return np.asarray(answer)


def equal(one: Any, other: Any, tolerance: float = 1e-6) -> bool:
    """Whether two answers are the same: exactly for labels, within rounding for numbers."""
    a, b = table(one), table(other)
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))
    return bool(np.array_equal(a, b))


def same_partition(one: Any, other: Any) -> bool:
    """Whether two labellings are the same up to the names of the clusters (-1 is no cluster)."""
    a, b = table(one), table(other)
    if not np.array_equal(a == -1, b == -1):
        return False
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    return len(pairs) == len({x for x, _ in pairs}) == len({x for _, x in pairs})


def inner_products(answer: Any) -> AnyArray:
    """Return coordinates up to the order and the signs of the columns; views in order of name."""
    if isinstance(answer, Views):
        answer = answer.subset(sorted(answer.names))
        return table(answer)
    coordinates = table(answer)
    return coordinates @ coordinates.T


def assert_same(one: Answers, other: Answers, cause: str, tolerance: float = 1e-6) -> None:
    """Fail where two answers to the same question differ."""
    assert one.keys() == other.keys(), f"{cause} changes which methods there are."
    for name in one:
        assert equal(one[name], other[name], tolerance), f"{cause} changes what {name} gives."


def assert_equivalent(estimator: Any, one: Answers, other: Answers, cause: str) -> None:
    """Fail where answers differ by more than names of clusters and order or signs of columns."""
    for name in one:
        if name == "transform":
            kept = equal(inner_products(one[name]), inner_products(other[name]), 1e-5)
        elif name in ("labels_", "predict") and is_clusterer(estimator):
            kept = same_partition(one[name], other[name])
        elif is_clusterer(estimator):
            continue  # scores by cluster, which stand in another order
        else:
            kept = equal(one[name], other[name], 1e-5)
        assert kept, f"{cause} changes what {name} gives."


def assert_sound(given: Answers, n_objects: int, where: str) -> None:
    """Fail where an answer is not finite or not one per object."""
    for name, answer in given.items():
        found = table(answer)
        assert found.shape[:1] == (n_objects,), (
            f"{name} gives shape {found.shape} for {n_objects} objects {where}."
        )
        assert found.dtype.kind != "f" or np.isfinite(found).all(), (
            f"{name} gives NaN or infinity {where}."
        )


def refused(
    act: Callable[[], Any], what: str, *, naming: str = "", by: type[Exception] = ValueError
) -> None:
    """Fail unless something is refused by the right error in one sentence."""
    try:
        act()
    except by as error:
        assert_one_sentence(error, what, naming)
    except Exception as error:
        raise AssertionError(
            f"{what} ends in {type(error).__name__} instead of {by.__name__}: {error}"
        ) from error
    else:
        raise AssertionError(f"{what} is not refused.")


def answered_or_refused(estimator: Any, X: Any, y: Any, new: Any, what: str) -> None:
    """Fail unless some data are either learnt from, with sound answers, or refused well."""
    try:
        model = fitted(estimator, X, y)
    except ValueError as error:
        assert_one_sentence(error, what, "")
        return
    found = answers(model, new)
    assert_sound(found, len(next(iter(new.values()))), f"after fit on {what}")


def assert_one_sentence(error: BaseException, what: str, naming: str) -> None:
    """Fail unless a message is one sentence that names what is at fault."""
    message = str(error).strip()
    if not raised_by_scikit_learn(error):
        assert len(message) > 10, f"{what} is refused with the message {message!r}; say why."
        assert "\n" not in message, f"{what} is refused in several lines: {message!r}"
        assert message.endswith("."), f"{what} is refused without a full stop: {message!r}"
    assert naming in message, f"{what} is refused without naming {naming!r}: {message!r}"


def raised_by_scikit_learn(error: BaseException) -> bool:
    """Whether the message is scikit-learn's own."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    module = "" if place is None else str(place.tb_frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == "sklearn"
