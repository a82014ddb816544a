"""What a linear classifier says, straight from its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.linear_model import SGDClassifier

from manyviews.semi_supervised._co_training._shares import class_scores
from manyviews.semi_supervised._shared import probabilities
from manyviews.typing import FloatArray, Matrix


def probabilities_of(member: Any, rows: Matrix, n_classes: int) -> FloatArray:
    """Probabilities of all classes, numbered from 0; those a member was not shown get zero.

    A pool is a few hundred rows, and scikit-learn takes longer to check them than to judge them.

    Examples
    --------
    >>> rows, codes = np.array([[-1.0], [0.0], [4.0], [5.0]]), np.array([0, 0, 2, 2])
    >>> member = SGDClassifier(loss="log_loss", random_state=0).fit(rows, codes)
    >>> probabilities_of(member, rows[:1], n_classes=3).round(2)
    array([[1., 0., 0.]])
    """
    if type(member) is not SGDClassifier or member.loss != "log_loss":
        return probabilities(member, rows, n_classes)
    found = class_scores(member.coef_, rows)
    found += member.intercept_[:, None]
    expit(found, out=found)
    if len(found) == 1:
        found = np.concatenate([1 - found, found])
    else:
        found /= found.sum(axis=0)  # one against the others each: they need not add up to one
    shares = np.zeros((n_classes, rows.shape[0]))
    shares[member.classes_] = found
    return shares.T
