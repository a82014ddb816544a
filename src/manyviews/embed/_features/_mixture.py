"""Expectation maximisation of the log-linear mixture, Eq. (8) of [@ando2007]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from manyviews.base import Run, alternate
from manyviews.embed._features._maximum_entropy import Design, maximum_entropy
from manyviews.maths import log_softmax, safe_log
from manyviews.typing import FloatArray

INNER_STEPS = 5
"""Steps of maximum entropy between two expectations."""


@dataclass(frozen=True)
class Mixture:
    """Hidden classes of the objects, as one view and the answers of the others tell them."""

    weights: FloatArray
    """w, shape (n_features + 1, n_components), the last for the constant."""
    log_alpha: FloatArray
    """ln α, shape (n_problems, n_components)."""
    posterior: FloatArray
    """ξ, shape (n, n_components)."""
    objective: float
    """Penalised logarithm of the likelihood, per object."""


def log_linear_mixture(
    posed: Design,
    targets: sparse.csr_array,
    blocks: Sequence[slice],
    weights: FloatArray,
    *,
    max_iter: int = 200,
    tol: float = 1e-5,
    report: Callable[[int, float], None] | None = None,
) -> Run[Mixture]:
    """Learn hidden classes given which a view says nothing more about the others' answers.

    Parameters
    ----------
    posed : Design
        The rows of the view.
    targets : sparse array of shape (n, m)
        The answers, zeros and ones; several of a row may be true.
    blocks : sequence of slice
        The columns that come from one view: over them α sums to one.
    weights : array of shape (n_features + 1, n_components)
        Where w starts; α starts uniform.
    max_iter, tol, report
        As in :func:`manyviews.base.alternate`.

    Examples
    --------
    >>> posed = Design(np.repeat(np.eye(2), 2, axis=0), constant=0.0, penalty=0.01)
    >>> targets = sparse.csr_array(np.repeat(np.eye(2), 2, axis=0))
    >>> start = np.array([[0.1, -0.1], [-0.1, 0.1], [0.0, 0.0]])
    >>> run = log_linear_mixture(posed, targets, [slice(0, 2)], start)
    >>> np.exp(run.state.log_alpha).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    shape = (targets.shape[1], weights.shape[1])
    uniform = np.zeros(shape)
    for block in blocks:
        uniform[block] = -np.log(max(block.stop - block.start, 1))

    def step(state: Mixture) -> Mixture:
        better = maximum_entropy(posed, state.posterior, state.weights, max_iter=INNER_STEPS)
        return expect(posed, targets, better, answer_rates(targets, blocks, state.posterior))

    return alternate(
        expect(posed, targets, weights, uniform),
        step,
        lambda state: state.objective,
        max_iter=max_iter,
        tol=tol,
        report=report,
    )


def expect(
    posed: Design, targets: sparse.csr_array, weights: FloatArray, log_alpha: FloatArray
) -> Mixture:
    """E-step: ``ξ(y) ∝ α^t(y) exp(w(y)ᵀz)``, and the objective at these parameters."""
    scores = posed.scores(weights)
    posterior, joint = log_softmax(scores + targets @ log_alpha)
    log_sums = log_softmax(scores)[1]
    penalty = posed.penalty / 2 * float(np.sum(weights**2))
    objective = (float(np.sum(joint - log_sums)) - penalty) / len(scores)  # Eq. (8), with a penalty
    return Mixture(weights, log_alpha, posterior, objective)


def answer_rates(
    targets: sparse.csr_array, blocks: Sequence[slice], posterior: FloatArray
) -> FloatArray:
    """M-step of ln α: how often each answer is given by each hidden class, among its block."""
    counts = np.asarray(targets.T @ posterior)
    for block in blocks:
        counts[block] /= np.maximum(counts[block].sum(axis=0), np.finfo(np.float64).tiny)
    return safe_log(counts)


def mean_history(histories: Sequence[FloatArray]) -> FloatArray:
    """Mean of several objectives by step, those that end early going on as they ended.

    Examples
    --------
    >>> mean_history([np.array([1.0, 3.0]), np.array([0.0, 1.0, 3.0])])
    array([0.5, 2. , 3. ])
    """
    longest = max(map(len, histories))
    return np.mean([np.pad(each, (0, longest - len(each)), "edge") for each in histories], axis=0)
