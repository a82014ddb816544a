"""A linear support vector machine by Newton's method, its C chosen by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import solve

from manyviews.mkl._calibration import class_scores, fit_sharpness, probabilities
from manyviews.typing import FloatArray, IntArray

COSTS = tuple(10.0**power for power in range(-2, 4))
"""What is tried for C, on features whose rows have length one on average."""
N_FOLDS = 4
_MOST_STEPS = 200
"""Newton's steps, of which some ten are needed."""
_FLAT = 1e-12
"""A step that lowers the objective by less than this share of it is the last."""


@dataclass(frozen=True)
class LinearMachine:
    """One linear function for two classes, or one per class against the others."""

    classes: IntArray
    weights: FloatArray = field(repr=False)
    """Weights of the features, then the constant; one column per function."""
    C: float
    sharpness: float
    """What the values are multiplied by to be log-probabilities."""

    def decision_function(self, features: FloatArray) -> FloatArray:
        """Values of the functions; one per object if there are two classes."""
        values = features @ self.weights[:-1] + self.weights[-1]
        return values.ravel() if len(self.classes) == 2 else values

    def predict(self, features: FloatArray) -> IntArray:
        """Class of each object."""
        return self.classes[largest(self.decision_function(features))]

    def predict_proba(self, features: FloatArray) -> FloatArray:
        """Probability of each class."""
        return probabilities(self.decision_function(features), self.sharpness)


def largest(decisions: FloatArray) -> IntArray:
    """The class of largest score; with one score for two classes, the second if positive.

    Examples
    --------
    >>> largest(np.array([-0.5, 2.0])), largest(np.array([[0.1, 0.3, 0.2]]))
    (array([0, 1]), array([1]))
    """
    return (decisions > 0).astype(np.intp) if decisions.ndim == 1 else decisions.argmax(axis=1)


def fit_linear_machine(features: FloatArray, codes: IntArray) -> LinearMachine:
    """Fit a linear machine with the C of largest accuracy in four folds; of equals, the smallest.

    Where classes are too small for two of them to be left in every fold, C is 1. The scores of the
    objects held out, with that C, tell how sure the machine may be (``fit_sharpness``).
    """
    if np.sum(np.bincount(codes) > 1) < 2:
        return linear_machines(features, codes, (1.0,))[0]
    folds = folds_of(codes)
    scores = np.full((len(COSTS), len(codes), int(codes.max()) + 1), -np.inf)
    for fold in range(folds.max() + 1):
        inside = folds != fold
        machines = linear_machines(features[inside], codes[inside], COSTS)
        for own, machine in zip(scores, machines, strict=True):
            found = class_scores(machine.decision_function(features[~inside]))
            own[np.ix_(~inside, machine.classes)] = found
    right = np.sum(scores.argmax(axis=2) == codes, axis=1)
    best = int(right.argmax())
    machine = linear_machines(features, codes, COSTS[: best + 1])[-1]
    return replace(machine, sharpness=fit_sharpness(scores[best], codes))


def linear_machines(
    features: FloatArray, codes: IntArray, costs: tuple[float, ...]
) -> list[LinearMachine]:
    """Machines for rising C, each found from the one before.

    Examples
    --------
    >>> features, codes = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> [machine.predict(features).tolist() for machine in linear_machines(features, codes, (9.0,))]
    [[0, 0, 1, 1]]
    """
    classes = np.unique(codes)
    positives = classes[1:] if len(classes) == 2 else classes
    signs = np.where(codes[:, None] == positives, 1.0, -1.0)
    rows = np.column_stack([features, np.ones(len(features))])
    weights = np.zeros((rows.shape[1], len(positives)))
    found = []
    for C in costs:
        weights = np.column_stack(
            [
                squared_hinge_weights(rows, own, C, start)
                for own, start in zip(signs.T, weights.T, strict=True)
            ]
        )
        found.append(LinearMachine(classes, weights, C, sharpness=1.0))
    return found


def squared_hinge_weights(
    rows: FloatArray, signs: FloatArray, C: float, start: FloatArray
) -> FloatArray:
    """Minimise ``½ |w|² + C Σ_i [1 − s_i w·x_i]²₊`` by Newton's method with halved steps.

    Within the set of rows of positive loss the objective is quadratic, so that a whole step which
    keeps this set ends at the minimum.
    """
    weights, slack = start, 1.0 - signs * (rows @ start)
    value = _objective(weights, slack, C)
    for _ in range(_MOST_STEPS):
        active = slack > 0
        step = _minimum(rows[active], signs[active], C) - weights
        moved = signs * (rows @ step)
        length = 1.0
        while (
            after := _objective(weights + length * step, slack - length * moved, C)
        ) > value and length > _FLAT:
            length /= 2.0
        if after >= value * (1.0 - _FLAT):
            break
        weights, slack = weights + length * step, slack - length * moved
        settled = length == 1.0 and np.array_equal(active, slack > 0)
        value = after
        if settled:
            break
    return weights


def _objective(weights: FloatArray, slack: FloatArray, C: float) -> float:
    return float(0.5 * weights @ weights + C * np.sum(np.maximum(slack, 0.0) ** 2))


def _minimum(rows: FloatArray, signs: FloatArray, C: float) -> FloatArray:
    """Weights that minimise the objective if all of these rows have a loss and no others."""
    ridge = 0.5 / C
    if rows.shape[0] < rows.shape[1]:
        gram = rows @ rows.T
        gram[np.diag_indices_from(gram)] += ridge
        return rows.T @ solve(gram, signs, assume_a="pos")
    gram = rows.T @ rows
    gram[np.diag_indices_from(gram)] += ridge
    return np.asarray(solve(gram, rows.T @ signs, assume_a="pos"))


def folds_of(codes: IntArray) -> IntArray:
    """The fold of each object: those of each class go round.

    Examples
    --------
    >>> folds_of(np.array([0, 1, 0, 0, 0, 0, 1]))
    array([0, 0, 1, 2, 3, 0, 1])
    """
    folds = np.empty(len(codes), dtype=np.intp)
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        folds[members] = np.arange(len(members)) % N_FOLDS
    return folds
