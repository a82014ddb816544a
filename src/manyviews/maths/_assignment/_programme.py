"""Any problem as a mixed-integer programme, many objects at a time (Eq. 7 to 10) [@dalvi2015].

The objective is a sum over objects, so that one model for HiGHS holds a block of them. It is solved
without integrality first: an object whose bits come out whole is solved (the relaxation can only be
better); the others, few, get a programme of their own. Objects with the same gains are solved once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import sparse

from manyviews.maths._assignment._problem import Constraints, Problem, row_blocks
from manyviews.typing import AnyArray, FloatArray, IntArray

BLOCK = 64  # objects in one model
SCALE = 1e3  # largest cost: HiGHS stops within 1e-6 of the best, whatever the scale
WHOLE = 1e-6


@dataclass(frozen=True)
class Model:
    """The rows of one object: bits first (class by class within a view), then slacks."""

    rows: sparse.csr_array  # rows @ variables >= lower
    lower: FloatArray
    slack_costs: FloatArray


class _Rows:
    """Rows of a model as they are written down, one slack each at the most."""

    def __init__(self, n_bits: int) -> None:
        self.n_bits = n_bits
        self.entries: list[tuple[int, int, float]] = []
        self.lower: list[float] = []
        self.slack_costs: list[float] = []

    def new_slack(self, cost: float) -> int:
        self.slack_costs.append(cost)
        return self.n_bits + len(self.slack_costs) - 1

    def add(self, terms: list[tuple[int, float]], lower: float) -> None:
        self.entries.extend((len(self.lower), variable, factor) for variable, factor in terms)
        self.lower.append(lower)

    def model(self) -> Model:
        row, column, factor = (np.array(each) for each in zip(*self.entries, strict=True))
        shape = (len(self.lower), self.n_bits + len(self.slack_costs))
        matrix = sparse.csr_array((factor, (row, column)), shape=shape)
        return Model(matrix, np.array(self.lower), np.array(self.slack_costs))


def hierarchical_model(problem: Problem, constraints: Constraints) -> Model | None:
    """Write the rows of Eq. (9) and (10); None where nothing binds the bits."""
    n_classes = constraints.n_classes
    rows = _Rows(problem.n_views * n_classes)
    _write_disagreement(rows, problem, n_classes)
    if problem.penalty > 0:
        for first in range(0, rows.n_bits, n_classes):
            for child, parent in constraints.subset:
                slack = rows.new_slack(problem.penalty)  # ζ
                rows.add([(first + parent, 1), (first + child, -1), (slack, 1)], 0)
            for one, other in constraints.mutex:
                slack = rows.new_slack(problem.penalty)  # δ
                rows.add([(first + one, -1), (first + other, -1), (slack, 1)], -1)
    return rows.model() if rows.lower else None


def flat_model(problem: Problem) -> Model | None:
    """Write the rows of Eq. (7) and (8); None where nothing binds the bits."""
    n_classes = problem.gains.shape[2]
    rows = _Rows(problem.n_views * n_classes)
    _write_disagreement(rows, problem, n_classes)
    if problem.penalty > 0:
        for first in range(0, rows.n_bits, n_classes):
            bits = range(first, first + n_classes)
            rows.add([*((k, -1.0) for k in bits), (rows.new_slack(problem.penalty), 1)], -1)  # δ
            rows.add([*((k, 1.0) for k in bits), (rows.new_slack(problem.penalty), 1)], 1)  # ζ
    return rows.model() if rows.lower else None


def one_label_model(n_classes: int) -> Model:
    """Write the rows of Eq. (3): exactly one label."""
    rows = _Rows(n_classes)
    rows.add([(k, 1.0) for k in range(n_classes)], 1)
    rows.add([(k, -1.0) for k in range(n_classes)], -1)
    return rows.model()


def _write_disagreement(rows: _Rows, problem: Problem, n_classes: int) -> None:
    if problem.disagreement == 0:
        return
    for one, other in combinations(range(problem.n_views), 2):
        for k in range(n_classes):
            here, there = one * n_classes + k, other * n_classes + k
            slack = rows.new_slack(problem.disagreement)  # d
            rows.add([(here, -1), (there, 1), (slack, 1)], 0)
            rows.add([(here, 1), (there, -1), (slack, 1)], 0)


def solve_by_programme(problem: Problem, model: Model | None) -> IntArray:
    """Return the best joint state of every class of every object."""
    from joblib import Parallel, delayed

    n_views, n_objects, n_classes = problem.gains.shape
    flat = np.moveaxis(problem.gains, 1, 0).reshape(n_objects, n_views * n_classes)
    if model is None:
        bits = flat > 0
    else:
        patterns, where = np.unique(flat, axis=0, return_inverse=True)
        blocks = row_blocks(len(patterns), BLOCK)
        solved = Parallel()(delayed(_solve_block)(patterns[block], model) for block in blocks)
        bits = np.concatenate([np.zeros((0, flat.shape[1]), dtype=bool), *solved])[
            where.reshape(-1)
        ]
    powers = 1 << np.arange(n_views)
    states: IntArray = np.einsum("nvk,v->nk", bits.reshape(n_objects, n_views, n_classes), powers)
    return states


def _solve_block(gains: FloatArray, model: Model) -> AnyArray:
    """Return the best bits of a few objects."""
    bits = _optimum(gains, model, integral=False)
    fractional = (np.abs(bits - bits.round()) > WHOLE).any(axis=1)
    for row in np.flatnonzero(fractional):
        bits[row] = _optimum(gains[row : row + 1], model, integral=True)
    return bits > 0.5


def _optimum(gains: FloatArray, model: Model, *, integral: bool) -> FloatArray:
    from scipy.optimize import Bounds, LinearConstraint, milp

    n_objects, n_bits = gains.shape
    n_slacks = len(model.slack_costs)
    costs = np.hstack([-gains, np.tile(model.slack_costs, (n_objects, 1))])
    largest = np.abs(costs).max()
    found = milp(
        costs.ravel() * (SCALE / largest if largest > 0 else 1.0),
        integrality=np.tile(np.repeat([int(integral), 0], [n_bits, n_slacks]), n_objects),
        bounds=Bounds(0, np.tile(np.repeat([1, np.inf], [n_bits, n_slacks]), n_objects)),
        constraints=LinearConstraint(
            sparse.block_diag([model.rows] * n_objects, format="csc"),
            np.tile(model.lower, n_objects),
        ),
        options={"mip_rel_gap": 0.0},
    )
    if not found.success:
        raise RuntimeError(f"HiGHS did not solve the programme: {found.message}")
    bits: FloatArray = found.x.reshape(n_objects, n_bits + n_slacks)[:, :n_bits]
    return bits
