"""A kernel classifier on a learnt kernel, its C chosen by 4-fold cross-validation [@kumar2013].

Probabilities come from its scores by one temperature [@guo2017].
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import warn_user
from manyviews.mkl.svm import class_signs, fit_svms
from manyviews.typing import FloatArray, IntArray, Positive

__all__ = ["Penalty", "fit_classifier", "probabilities"]

Penalty: TypeAlias = Positive | Literal["auto"] | None
"""C of a classifier: a number, to be chosen, or left as the classifier has it."""

C_GRID = (10.0, 100.0, 1.0, 1000.0, 0.1)
"""Values that ``C="auto"`` tries, the likely ones first, which win where errors are equal. Kernels
have unit variance. On 19 development sets, two draws of each, the mean accuracy of the average
kernel was .8313 with C = 10, .8304 if chosen so, and .8260 as the smallest of equals from 0.01 to
10,000; on the first draw .8344 with C = 10 and .8205 with C = 1."""

OF_ROWS = ("kernel", "similarity")
"""Parameters by which a classifier compares rows of features, unless they are "precomputed"."""
N_FOLDS = 4
"""As in [@kumar2013]."""
SAME_DIGITS = 9
"""Rows of a kernel are as long as each other if so many decimals of the longest agree: sums in
another order differ from the twelfth on."""
FINAL_TOLS = (1e-6, 1e-3)
"""How closely the last SVM is solved: so that the order of the objects does not show in the scores,
or, where that takes too long, as closely as scikit-learn does."""
FINAL_PATIENCE = 10
"""How many times as long it may take as those that are only compared: about a second for 350
objects, in which 150 that overlap are solved closely with C = 1,000."""
SHARPNESS_GRID = 2.0 ** (np.arange(-40, 41) / 4)
"""From 1/1000 to 1000, beyond which classes are equally probable or certain, margins of an SVM
being about one. Steps are coarse, a fifth each, because the scores of an SVM without a free support
vector have a constant that hangs on last digits; the probabilities must not."""


# -- probabilities from scores -------------------------------------------------------------------


def class_scores(decisions: FloatArray) -> FloatArray:
    """Return a score for every class; of two classes with one score, half of it and its negative.

    Examples
    --------
    >>> class_scores(np.array([2.0, -1.0]))
    array([[-1. ,  1. ],
           [ 0.5, -0.5]])
    """
    if decisions.ndim == 2:
        return decisions
    return np.column_stack([-decisions, decisions]) / 2


def probabilities(decisions: FloatArray, sharpness: float) -> FloatArray:
    """Softmax of the scores times ``sharpness``, one over the temperature.

    The most probable class is the one with the largest score, so that answers stay as they are.

    Examples
    --------
    >>> probabilities(np.array([0.0, 2.0]), 1.0).round(2)
    array([[0.5 , 0.5 ],
           [0.12, 0.88]])
    """
    return np.asarray(softmax(sharpness * class_scores(decisions), axis=1))


def fit_sharpness(scores: FloatArray, codes: IntArray) -> float:
    """Return one over the temperature, of a grid, under which held-out classes are most likely.

    ``scores`` are objects × classes; −inf for a class that a fold did not know, and an object of
    such a class takes no part. As with Platt [@platt1999], targets stop short of certainty, by one
    object in n + 2, so that scores without an error do not make an answer certain. It is 1 without
    objects.

    Examples
    --------
    >>> scores = class_scores(np.array([-2.0, -1.0, 1.0, 2.0] * 10))
    >>> right = fit_sharpness(scores, np.array([0, 0, 1, 1] * 10))
    >>> half = fit_sharpness(scores, np.array([0, 1, 0, 1] * 10))
    >>> bool(right > 1.0 > half)
    True
    """
    told = np.isfinite(scores[np.arange(len(codes)), codes])
    scores, codes = scores[told], codes[told]
    if not len(codes):
        return 1.0
    known = np.isfinite(scores)
    true = np.arange(scores.shape[1]) == codes[:, None]
    others = known & ~true
    doubt = 1.0 / (len(codes) + 2.0)
    targets = np.where(true, 1.0 - doubt, others * doubt / others.sum(axis=1, keepdims=True))

    losses = [
        -np.sum(targets * np.where(known, log_softmax(sharpness * scores, axis=1), 0.0))
        for sharpness in SHARPNESS_GRID
    ]
    return float(SHARPNESS_GRID[int(np.argmin(losses))])


# -- a classifier and its C ----------------------------------------------------------------------


@dataclass(frozen=True)
class Fold:
    """A kernel among objects to learn from, and of objects held out to those."""

    gram: FloatArray
    codes: IntArray
    held_out: FloatArray
    truth: IntArray
    places: IntArray
    """Which objects are held out."""


class Choice(NamedTuple):
    """A value of C and the errors it makes on objects held out, over all folds."""

    C: float | None
    errors: int


class Answer(NamedTuple):
    """Classes of objects held out, as a classifier says."""

    classes: IntArray
    settled: bool
    """Whether it consists of SVMs whose solution a larger C would not change."""
    gave_up: bool
    """Whether some SVM took too long."""


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
    """Fit a copy of the classifier to a kernel matrix; without one, SVMs, one against the rest.

    ``C="auto"`` takes the value of ``C_GRID`` with the fewest errors in 4-fold cross-validation, of
    equals the one nearest to 10; None leaves the classifier as it is, as does one without C.
    """
    ready = prepared_classifier(classifier, codes)
    final = with_penalty(ready, chosen_penalty(gram, codes, ready, C))
    return fit_closely(final, gram, codes) if classifier is None else final.fit(gram, codes)


def chosen_penalty(gram: FloatArray, codes: IntArray, classifier: Any, C: Penalty) -> float | None:
    """Return the C to fit a classifier with; "auto" chooses it by cross-validation."""
    grid = penalty_grid(classifier, C)
    if len(grid) == 1:
        return grid[0]
    choice = best_penalty(cut_folds(gram, fold_numbers(gram, codes), codes), classifier, grid)
    return 1.0 if choice is None else choice.C


def fit_closely(machines: Any, gram: FloatArray, codes: IntArray) -> Any:
    """Fit SVMs as closely as their bound allows; warn if not even scikit-learn's tol is met."""
    limit = FINAL_PATIENCE * most_iterations(len(codes))
    for tol in FINAL_TOLS:
        ready = clone(machines)
        for machine in machines_of(ready):
            machine.set_params(tol=tol, max_iter=limit)
        fitted = fit_quietly(ready, gram, codes)
        if not out_of_limits(fitted, limit):
            return fitted
    warn_user(
        f"the SVM with C={penalty_value(machines):g} was stopped after {limit:,} iterations; give "
        "a smaller C, or other kernels.",
        ConvergenceWarning,
    )
    return fitted


def fit_quietly(classifier: Any, gram: FloatArray, codes: IntArray) -> Any:
    """Fit a classifier to a kernel that is known to be finite; its limits are looked at after."""
    with config_context(assume_finite=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return classifier.fit(gram, codes)


def held_out_sharpness(gram: FloatArray, codes: IntArray, machines: Any) -> float:
    """``fit_sharpness`` to scores of the same SVMs learnt without a quarter of the objects."""
    scores = np.full((len(codes), int(codes.max()) + 1), -np.inf)
    for fold in cut_folds(gram, fold_numbers(gram, codes), codes):
        found, _ = svm_answer(fold, penalty_value(machines) or 1.0)
        scores[np.ix_(fold.places, np.unique(fold.codes))] = found
    return fit_sharpness(scores, codes)


def prepared_classifier(classifier: Any, codes: IntArray) -> Any:
    """Return a copy of the classifier for these classes; refuse one with a kernel of its own."""
    ready = clone(unfitted_classifier(classifier, len(np.unique(codes))))
    for name, value in ready.get_params().items():
        own = name.split("__")[-1]
        if own in OF_ROWS and isinstance(value, str) and value != "precomputed":
            raise ValueError(
                f"the classifier has {name}={value!r} and would take the learnt kernel for "
                f"features; give it {own}='precomputed'."
            )
    return ready


def penalty_grid(classifier: Any, C: Penalty) -> tuple[float | None, ...]:
    """Return the values of C to try; None is for a classifier that stays as it is."""
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


def cut_folds(gram: FloatArray, numbers: IntArray, codes: IntArray) -> list[Fold]:
    """Cut a kernel into folds; those that leave one class only to learn from are left out."""
    folds = []
    for number in np.unique(numbers):
        held, rest = np.flatnonzero(numbers == number), np.flatnonzero(numbers != number)
        if len(np.unique(codes[rest])) > 1:
            among = gram[np.ix_(rest, rest)]
            folds.append(Fold(among, codes[rest], gram[np.ix_(held, rest)], codes[held], held))
    return folds


def fold_numbers(gram: FloatArray, codes: IntArray) -> IntArray:
    """Return the fold of each object, of four: every class evenly in every fold.

    The objects of a class go round by the length of their row of the kernel, so that another order
    of the objects leaves the folds as they are, and each fold has typical and odd ones.
    """
    lengths = np.einsum("ij,ij->i", gram, gram)
    largest = float(lengths.max(initial=0.0)) or 1.0
    steps = np.round(lengths / largest, SAME_DIGITS)  # equal up to rounding is equal
    numbers = np.empty(len(codes), dtype=np.intp)
    numbers[np.lexsort((steps, codes))] = np.arange(len(codes)) % N_FOLDS
    return numbers


def best_penalty(
    folds: list[Fold],
    classifier: Any,
    grid: tuple[float | None, ...],
    fewest: float = math.inf,
) -> Choice | None:
    """Return the first value of a grid with the fewest errors.

    It is None if no value has fewer errors than ``fewest``. A value is given up as soon as it
    cannot win any more. Where no dual coefficient of an SVM reaches C, a larger C has the same
    solution and is not tried.
    """
    best, enough = None, math.inf
    for C in grid if folds else ():
        if C is not None and enough < C:
            continue
        errors, settled = count_errors(folds, with_penalty(classifier, C), fewest)
        if errors < fewest:
            best, fewest = Choice(C, errors), errors
        if settled and C is not None:
            enough = C
        if fewest == 0:
            break
    return best


def count_errors(folds: list[Fold], classifier: Any, limit: float) -> tuple[int, bool]:
    """Count errors on objects held out, up to a limit; say whether a larger C is not worth a try.

    It is not if it has the same solution, or if that of this C is hard to find already.
    """
    errors, settled = 0, True
    for fold in folds:
        answer = answer_of(fold, classifier)
        if answer.gave_up:
            return len(fold.codes) * len(folds), True
        errors += int((answer.classes != fold.truth).sum())
        settled = settled and answer.settled
        if errors >= limit:
            break
    return errors, settled


def answer_of(fold: Fold, classifier: Any) -> Answer:
    """Let a classifier learn from a fold and answer for the objects held out.

    SVMs as we make them are solved without their estimators, whose checks take longer than they.
    """
    if are_our_svms(classifier, len(np.unique(fold.codes))):
        return svm_answer(fold, penalty_value(classifier) or 1.0)[1]
    most = most_iterations(len(fold.codes))
    ready = clone(classifier)
    for machine in machines_of(ready):
        if machine.max_iter < 0:
            machine.set_params(max_iter=most)
    fitted = fit_quietly(ready, fold.gram, fold.codes)
    classes = fitted.predict(fold.held_out)
    return Answer(classes, bound_is_inactive(fitted), out_of_limits(fitted, most))


def svm_answer(fold: Fold, C: float) -> tuple[FloatArray, Answer]:
    """Scores of the objects held out by SVMs, one against the rest, and the answer they give."""
    classes, most = np.unique(fold.codes), most_iterations(len(fold.codes))
    signs, tol = class_signs(fold.codes), FINAL_TOLS[-1]
    machines = fit_svms(fold.gram, signs, C, tol=tol, max_iter=most)
    decisions = machines.decisions(fold.held_out)
    scores = class_scores(decisions[:, 0]) if len(classes) == 2 else decisions
    inactive = bool(np.abs(machines.coefficients).max() < C)
    return scores, Answer(classes[scores.argmax(axis=1)], inactive, machines.n_steps >= most)


def are_our_svms(classifier: Any, n_classes: int) -> bool:
    """Whether a classifier is as ``unfitted_classifier`` makes it, up to C."""
    ours = with_penalty(unfitted_classifier(None, n_classes), penalty_value(classifier))
    return type(ours) is type(classifier) and _plain_params(ours) == _plain_params(classifier)


def _plain_params(classifier: Any) -> dict[str, Any]:
    """Parameters of a classifier and its parts, the parts themselves as their types."""
    return {
        name: type(value) if hasattr(value, "get_params") else value
        for name, value in classifier.get_params().items()
    }


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


def out_of_limits(classifier: Any, limit: int) -> bool:
    """Whether some fitted SVM took too long."""
    return any(np.max(machine.n_iter_) >= limit for machine in machines_of(classifier))


def bound_is_inactive(classifier: Any) -> bool:
    """Whether it consists of SVMs of which no dual coefficient reaches its upper bound, C."""
    machines = machines_of(classifier)
    return bool(machines) and all(
        np.abs(machine.dual_coef_).max() < machine.C * machine.class_weight_.min()
        for machine in machines
    )
