"""One classifier per view: cloned from what a user gave, and asked together about an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from sklearn.base import clone

from manyviews.data import Views, per_view
from manyviews.maths import log_softmax
from manyviews.typing import ByView, FloatArray, Having

Member: TypeAlias = Annotated[Any, Having("a classifier", "fit", "predict_proba")]
"""A classifier that says how sure it is; one that does not can be made to by calibration."""
Rule: TypeAlias = Literal["product", "mean"]

_SMALLEST = np.finfo(np.float64).tiny


def read_members(
    estimator: ByView[Member | None],
    names: Sequence[str],
    *,
    warm_start: bool = False,
    C: float = 1.0,
) -> dict[str, Any]:
    """Return an unfitted classifier for each view; logistic regression where none is given.

    ``warm_start`` lets that go on from its last solution, ``C`` is the inverse of its penalty.

    Examples
    --------
    >>> list(read_members(None, ["text", "links"]))
    ['text', 'links']
    """
    from sklearn.linear_model import LogisticRegression

    usual = LogisticRegression(C=C, max_iter=1000, warm_start=warm_start)
    given = per_view(estimator, names, parameter="estimator")
    return {name: clone(usual if member is None else member) for name, member in given.items()}


def probabilities(member: Any, rows: Any, n_classes: int) -> FloatArray:
    """Probabilities of all classes, numbered from 0; those a member was not shown get zero."""
    found = np.asarray(member.predict_proba(rows), dtype=np.float64)
    if found.shape[1] == n_classes:
        return found
    spread = np.zeros((len(found), n_classes))
    spread[:, np.asarray(member.classes_, dtype=np.intp)] = found
    return spread


def probabilities_by_view(
    classifiers: Mapping[str, Any], views: Views, prior: FloatArray
) -> dict[str, FloatArray]:
    """Probabilities of all classes to each view's classifier; NaN where a view is unobserved.

    Of a class that a classifier was never shown it says what is known without it: the prior.
    """
    found = {}
    for name, member in classifiers.items():
        seen = np.flatnonzero(views.observed_in(name))
        found[name] = np.full((len(views), len(prior)), np.nan)
        if len(seen):
            matrix = views[name]
            rows = matrix if len(seen) == len(views) else matrix[seen]
            strange = np.ones(len(prior), dtype=bool)
            strange[np.asarray(member.classes_, dtype=np.intp)] = False
            shares = probabilities(member, rows, len(prior)) * (1.0 - prior[strange].sum())
            shares[:, strange] = prior[strange]
            found[name][seen] = shares
    return found


def combine(
    by_view: Mapping[str, FloatArray], say: FloatArray, rule: Rule, prior: FloatArray
) -> FloatArray:
    """Join what the views say of each object, over the views that show it.

    The product takes the views for independent given the class, and the prior, which every view
    has in it, is counted once: ``p(c) prod_v p(c | x_v) / p(c)``. ``say`` (objects × views) is what
    a view counts for an object, a factor in the mean and an exponent in the product; where it is
    zero a view may hold anything.

    Examples
    --------
    >>> votes = {"a": np.array([[0.9, 0.1]]), "b": np.array([[0.5, 0.5]])}
    >>> seen = np.array([[1.0, 1.0]])
    >>> combine(votes, seen, "mean", np.array([0.5, 0.5])).round(2)
    array([[0.7, 0.3]])
    >>> combine(votes, seen, "product", np.array([0.5, 0.5])).round(2)
    array([[0.9, 0.1]])
    """
    stacked = np.stack(list(by_view.values()))
    counts = np.asarray(say, dtype=np.float64).T[:, :, None]
    heard = counts > 0
    if rule == "mean":
        total = np.where(heard, counts * stacked, 0.0).sum(axis=0)
        mass = counts.sum(axis=0)
        return np.asarray(total / np.where(mass > 0, mass, 1.0))
    log_prior = np.log(np.maximum(prior, _SMALLEST))
    evidence = np.log(np.maximum(np.where(heard, stacked, 1.0), _SMALLEST)) - log_prior
    shares, _ = log_softmax(log_prior + np.where(heard, counts * evidence, 0.0).sum(axis=0))
    return shares
