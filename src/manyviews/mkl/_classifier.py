"""A kernel classifier on a learnt kernel, its C chosen by 4-fold cross-validation [@kumar2013]."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray, Positive

Penalty: TypeAlias = Positive | Literal["auto"] | None
"""C of a classifier: a number, to be chosen, or left as the classifier has it."""

C_GRID = tuple(10.0**power for power in range(-2, 5))
"""What is tried for ``C="auto"``; kernels of unit variance have 1 in the middle of the matter."""

_N_FOLDS = 4
_FINAL_TOL = 1e-6


@dataclass(frozen=True)
class Fold:
    """A kernel among objects to learn from, and of objects held out to those."""

    gram: FloatArray
    codes: IntArray
    held_out: FloatArray
    truth: IntArray


@dataclass(frozen=True)
class Choice:
    """A value of C and the errors it makes on objects held out, over all folds."""

    C: float | None
    errors: int


def unfitted_classifier(classifier: Any, n_classes: int = 3) -> Any:
    """Return the classifier that a user gave, or an SVM; one against the rest of many classes."""
    if classifier is not None:
        return classifier
    from sklearn.multiclass import OneVsRestClassifier

    return svm() if n_classes == 2 else OneVsRestClassifier(svm())


def svm(**params: Any) -> Any:
    """Return an SVM for a kernel matrix; it would draw from the global generator otherwise."""
    from sklearn.svm import SVC

    return SVC(kernel="precomputed", random_state=0, **params)


def fit_classifier(gram: FloatArray, codes: IntArray, classifier: Any, C: Penalty) -> Any:
    """Fit a copy of the classifier to a kernel matrix.

    Parameters
    ----------
    gram : array of shape (n_objects, n_objects)
        The kernel.
    codes : array of shape (n_objects,)
        Classes as numbers.
    classifier : classifier or None
        One that takes a precomputed kernel; None for SVMs, one against the rest.
    C : float, "auto" or None
        "auto" takes the value of ``C_GRID`` with the fewest errors in 4-fold cross-validation, the
        smaller of equals; None leaves the classifier as it is, as does a classifier without C.
    """
    ready = prepared_classifier(classifier, codes)
    grid = penalty_grid(ready, C)
    chosen = grid[0]
    if len(grid) > 1:
        choice = best_penalty(cut_folds(gram, codes), ready, grid)
        chosen = choice.C if choice is not None else 1.0
    final = with_penalty(ready, chosen)
    if classifier is None:  # so that the order of the objects does not show in the scores
        for machine in machines_of(final):
            machine.set_params(tol=_FINAL_TOL)
    return final.fit(gram, codes)


def prepared_classifier(classifier: Any, codes: IntArray) -> Any:
    """Return a copy of the classifier for these classes; refuse one with a kernel of its own."""
    ready = clone(unfitted_classifier(classifier, len(np.unique(codes))))
    for name, value in ready.get_params().items():
        if name.split("__")[-1] == "kernel" and isinstance(value, str) and value != "precomputed":
            raise ValueError(
                f"the classifier has {name}={value!r} and would take the learnt kernel for "
                "features; give it kernel='precomputed'."
            )
    return ready


def penalty_grid(classifier: Any, C: Penalty) -> tuple[float | None, ...]:
    """Return the values of C to try, rising; None is for a classifier that stays as it is."""
    if C is None or penalty_name(classifier) is None:
        return (None,)
    return C_GRID if isinstance(C, str) else (float(C),)


def with_penalty(classifier: Any, C: float | None) -> Any:
    """Return an unfitted copy with that C; None leaves its own."""
    copy, name = clone(classifier), penalty_name(classifier)
    return copy if C is None or name is None else copy.set_params(**{name: C})


def penalty_name(classifier: Any) -> str | None:
    """Return the name of the parameter C, the outermost if there are several; None without one."""
    names = [name for name in classifier.get_params() if name.split("__")[-1] == "C"]
    return min(names, key=lambda name: (name.count("__"), name), default=None)


def penalty_value(classifier: Any) -> float | None:
    """Return the C that a classifier has; None if it has none, or there is no classifier."""
    name = None if classifier is None else penalty_name(classifier)
    return None if name is None else classifier.get_params()[name]


def cut_folds(gram: FloatArray, codes: IntArray) -> list[Fold]:
    """Cut a kernel into four folds; those that leave one class only to learn from are left out."""
    numbers = fold_numbers(codes)
    folds = []
    for number in np.unique(numbers):
        held, rest = np.flatnonzero(numbers == number), np.flatnonzero(numbers != number)
        if len(np.unique(codes[rest])) > 1:
            among = gram[np.ix_(rest, rest)]
            folds.append(Fold(among, codes[rest], gram[np.ix_(held, rest)], codes[held]))
    return folds


def fold_numbers(codes: IntArray) -> IntArray:
    """Return the fold of each object: every class evenly in every fold, always the same draw."""
    drawn = generator(0).permutation(len(codes))
    by_class = drawn[np.argsort(codes[drawn], kind="stable")]
    numbers = np.empty(len(codes), dtype=np.intp)
    numbers[by_class] = np.arange(len(codes)) % _N_FOLDS
    return numbers


def best_penalty(
    folds: list[Fold],
    classifier: Any,
    grid: tuple[float | None, ...],
    fewest: float = math.inf,
) -> Choice | None:
    """Return the first value of a rising grid with the fewest errors.

    It is None if no value has fewer errors than ``fewest``. A value is given up as soon as it
    cannot win any more. Where no dual coefficient of an SVM reaches C, a larger C has the same
    solution and is not tried.
    """
    best = None
    for C in grid if folds else ():
        errors, settled = count_errors(folds, with_penalty(classifier, C), fewest)
        if errors < fewest:
            best, fewest = Choice(C, errors), errors
        if settled or fewest == 0:
            break
    return best


def count_errors(folds: list[Fold], classifier: Any, limit: float) -> tuple[int, bool]:
    """Count errors on objects held out, up to a limit; say whether a larger C is not worth a try.

    It is not if it has the same solution, or if that of this C is hard to find already.
    """
    errors, settled = 0, True
    classifier = in_limits(classifier, len(folds[0].codes))  # a copy of our own
    with config_context(assume_finite=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for fold in folds:
            fitted = classifier.fit(fold.gram, fold.codes)
            if out_of_limits(fitted, len(folds[0].codes)):
                return len(fold.codes) * len(folds), True
            errors += int((fitted.predict(fold.held_out) != fold.truth).sum())
            settled = settled and penalty_unfelt(fitted)
            if errors >= limit:
                break
    return errors, settled


def machines_of(classifier: Any) -> list[Any]:
    """Return the SVMs that a classifier consists of, fitted or not; none of other classifiers."""
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    if isinstance(classifier, OneVsRestClassifier):
        parts = getattr(classifier, "estimators_", [classifier.estimator])
        return [machine for part in parts for machine in machines_of(part)]
    return [classifier] if isinstance(classifier, SVC) else []


def most_iterations(n_objects: int) -> int:
    """How long an SVM may take: some do not end where C is large and classes overlap."""
    return max(10_000, 100 * n_objects)


def in_limits(classifier: Any, n_objects: int) -> Any:
    """Let an unfitted classifier's SVMs stop where they take too long."""
    for machine in machines_of(classifier):
        if machine.max_iter < 0:
            machine.set_params(max_iter=most_iterations(n_objects))
    return classifier


def out_of_limits(classifier: Any, n_objects: int) -> bool:
    """Whether some fitted SVM took too long."""
    limit = most_iterations(n_objects)
    return any(np.max(machine.n_iter_) >= limit for machine in machines_of(classifier))


def penalty_unfelt(classifier: Any) -> bool:
    """Whether it consists of SVMs of which no dual coefficient is as large as C allows."""
    machines = machines_of(classifier)
    return bool(machines) and all(
        np.abs(machine.dual_coef_).max() < machine.C * machine.class_weight_.min()
        for machine in machines
    )
