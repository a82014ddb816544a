"""Exact solvers of the assignment of labels, from the simplest shape to any [@dalvi2015].

The problem; classes that exclude each other (flat); forests, by dynamic programming; nearly
forests, by cutset conditioning; small treewidth, by bucket elimination; any, by HiGHS.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.maths._ontology import Ontology
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray

Edge = tuple[int, int]


@dataclass(frozen=True)
class Problem:
    """One bit per view, object and class, to be chosen for the most of Eq. (10).

    The value of an object's bits is the sum of the gains of those that are on, minus
    ``disagreement`` for each class and pair of views that differ, minus ``penalty`` for each view
    and constraint broken.
    """

    gains: FloatArray  # (n_views, n_objects, n_classes)
    disagreement: float
    penalty: float

    @property
    def n_views(self) -> int:
        """Number of views."""
        return self.gains.shape[0]

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.gains.shape[1]

    def rows(self, rows: Any) -> Problem:
        """Return the problem of some objects."""
        return replace(self, gains=self.gains[:, rows])

    def columns(self, classes: Any) -> Problem:
        """Return the problem of some classes."""
        return replace(self, gains=self.gains[:, :, classes])


@dataclass(frozen=True)
class Constraints:
    """Which classes lie in each other and which exclude each other, by position."""

    n_classes: int
    subset: tuple[Edge, ...]  # (child, parent)
    mutex: tuple[Edge, ...]

    @classmethod
    def of(cls, ontology: Ontology) -> Constraints:
        """Read those of an ontology."""
        return cls(
            len(ontology),
            tuple((int(i), int(j)) for i, j in ontology.subset_pairs),
            tuple((int(i), int(j)) for i, j in ontology.mutex_pairs),
        )

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """For each class those that share a constraint with it."""
        found: list[set[int]] = [set() for _ in range(self.n_classes)]
        for i, j in (*self.subset, *self.mutex):
            found[i].add(j)
            found[j].add(i)
        return tuple(frozenset(others) for others in found)

    def within(self, classes: Sequence[int]) -> Constraints:
        """Return the constraints among some classes, which get new positions."""
        place = {old: new for new, old in enumerate(classes)}
        return Constraints(
            len(classes), tuple(_kept(self.subset, place)), tuple(_kept(self.mutex, place))
        )

    def components(self) -> list[list[int]]:
        """Return groups of classes without constraints between them, to be solved one by one."""
        unseen = set(range(self.n_classes))
        groups = []
        for start in range(self.n_classes):
            if start not in unseen:
                continue
            group = [start]
            unseen.discard(start)
            for name in group:
                new = self.neighbours[name] & unseen
                unseen -= new
                group.extend(sorted(new))
            groups.append(sorted(group))
        return groups


def popcounts(n_views: int) -> IntArray:
    """Return how many views are on in each of the 2^V joint states of a class."""
    return np.array([state.bit_count() for state in range(2**n_views)], dtype=np.int64)


def unpack(states: IntArray, n_views: int) -> list[BoolArray]:
    """Return the bits of joint states, one array per view."""
    return [(states & (1 << view)) != 0 for view in range(n_views)]


def row_blocks(n_objects: int, n_rows: int) -> Iterator[slice]:
    """Yield slices of at most so many rows."""
    for start in range(0, n_objects, n_rows):
        yield slice(start, min(start + n_rows, n_objects))


def _kept(edges: Iterable[Edge], place: dict[int, int]) -> Iterator[Edge]:
    return ((place[i], place[j]) for i, j in edges if i in place and j in place)


# One label per object: the argmax, or views that may differ a little (Eq. 3, 7, 8) ----------------
#
# The rule for MAXAGREE. A view with n labels pays |n - 1| = (n - 1) + 2·[n = 0], so that with gains
# g = α₁s - α₃ the objective is, up to a constant, Σᵢ fᵢ(Sᵢ) - 2α₃·(number of bare views), where
# label i is on in the views Sᵢ and fᵢ(S) = Σ_{v∈S} g_iv - α₂·|S|·(V - |S|).
#
# 1. Without the last term every label is on its own: for each size the views of the largest gains
#    are best. Let S*ᵢ be the best set.
# 2. fᵢ is supermodular (|S|(V - |S|) is concave in |S|), hence
#    fᵢ(S ∪ S*ᵢ) ≥ fᵢ(S) + fᵢ(S*ᵢ) - fᵢ(S ∩ S*ᵢ) ≥ fᵢ(S): some best solution only adds views to S*ᵢ.
# 3. Let Lᵢ(C) be what label i loses by also being on in the bare views C. By supermodularity again
#    Lᵢ(C ∪ D) ≤ Lᵢ(C) + Lᵢ(D), so that blocks of bare views may choose their labels independently:
#    the best repair is the cheapest partition of the bare views into blocks C, each at the price
#    min Lᵢ(C) over the labels, a view that stays bare at the price 2α₃.
#
# The repair searches the subsets of the bare views of one object (two, mostly); it contains the
# Potts model on a complete graph, so that no rule that is quick for any number of views is to be
# expected.

MOST_BARE = 12
"""Bare views whose partitions are searched: 3^12 steps take less time than a programme."""


def one_label(scores: FloatArray) -> BoolArray:
    """Choose the label with the highest score, the first of several (Eq. 3)."""
    chosen = np.zeros(scores.shape, dtype=bool)
    if len(scores):
        chosen[np.arange(len(scores)), scores.argmax(axis=1)] = True
    return chosen


def max_agree(problem: Problem) -> tuple[IntArray, BoolArray]:
    """Return the best joint states of all labels (Eq. 7, 8), and for which objects they are known.

    They are not for objects with more than ``MOST_BARE`` bare views.
    """
    from manyviews.maths._assignment_kernels import agree

    gains = np.ascontiguousarray(np.moveaxis(problem.gains - problem.penalty, 0, 2))
    states = np.zeros(gains.shape[:2], dtype=np.int64)
    solved = agree(gains, problem.disagreement, 2 * problem.penalty, MOST_BARE, states)
    return states, solved


# Forests: dynamic programming over groups of siblings (Eq. 9, 10) ---------------------------------
#
# A class has 2^V states, one bit per view. Given its parent's state, what lies below a class
# depends on nothing else, so that values go up the tree and choices come down. Siblings that
# exclude each other are chosen together: they pay α₃·m(m - 1)/2 in a view where m of them are on,
# so that only the counts per view need be carried along. The counts are small: turning one of m off
# saves α₃(m - 1), so that in a best solution each of the m bits gains at least as much.

MOST_HIERARCHICAL_VIEWS = 6
"""A class and its parent have 4^V pairs of joint states: 4,096 for six views."""
MOST_COUNTS = 2**20
"""Entries of the tables over counts per view and states: 16 MB."""
MOST_STEPS = 2**22
"""Per sibling and object: ten milliseconds at two nanoseconds each, as long as a programme."""


@dataclass(frozen=True)
class Forest:
    """Groups of siblings that exclude each other, every group after those below its members."""

    parents: IntArray  # class above each group, -1 for roots
    starts: IntArray
    members: IntArray


def read_forest(constraints: Constraints) -> Forest | None:
    """Return the groups of siblings, or None where the constraints are not those of a forest.

    Every class may have one parent, and exclusions must make siblings fall apart into groups in
    which all exclude each other.
    """
    parent = dict(constraints.subset)
    if len(parent) < len(constraints.subset) or _has_cycle(parent):
        return None
    excluded = Constraints(constraints.n_classes, (), constraints.mutex)
    groups = excluded.components()
    n_pairs = sum(len(group) * (len(group) - 1) // 2 for group in groups)
    if n_pairs != len({frozenset(pair) for pair in constraints.mutex}):
        return None
    if any(len({parent.get(k, -1) for k in group}) > 1 for group in groups):
        return None
    return _in_order(groups, parent)


def _has_cycle(parent: dict[int, int]) -> bool:
    for start in parent:
        above = start
        for _ in parent:
            above = parent.get(above, -1)
        if above in parent:  # as many steps up as there are pairs, and still not at a root
            return True
    return False


def _in_order(groups: list[list[int]], parent: dict[int, int]) -> Forest:
    below = defaultdict(list)
    for group in groups:
        below[parent.get(group[0], -1)].append(group)
    downwards: list[tuple[int, list[int]]] = [(-1, group) for group in below[-1]]
    for _, group in downwards:
        downwards.extend((k, further) for k in group for further in below[k])
    upwards = downwards[::-1]
    sizes = [len(group) for _, group in upwards]
    return Forest(
        np.array([above for above, _ in upwards], dtype=np.int64),
        np.cumsum([0, *sizes], dtype=np.int64),
        np.array([k for _, group in upwards for k in group], dtype=np.int64),
    )


def solve_tree(problem: Problem, forest: Forest) -> tuple[IntArray, FloatArray]:
    """Return the best joint state of every class, and their value for each object.

    The value is NaN, and the states are not the best, where so many siblings might be on at once
    that the table over their counts is too large.
    """
    from manyviews.maths._assignment_kernels import solve_forest

    gains = np.ascontiguousarray(np.moveaxis(problem.gains, 0, 2))
    states = np.zeros(gains.shape[:2], dtype=np.int64)
    values = solve_forest(
        gains,
        disagreement_of_states(problem),
        problem.penalty,
        forest.parents,
        forest.starts,
        forest.members,
        _places(forest, problem.n_views),
        states,
    )
    return states, values


def _places(forest: Forest, n_views: int) -> IntArray:
    """Return where the tables over counts up to m = 1, 2, … begin, as far as there is room."""
    most = np.arange(1, np.diff(forest.starts).max() + 1)
    n_counts = (most + 1.0) ** n_views
    ends = np.cumsum(n_counts)
    small = (ends * 2**n_views <= MOST_COUNTS) & (n_counts * 4**n_views <= MOST_STEPS)
    return np.array([0, 0, *ends[small]], dtype=np.int64)


def disagreement_of_states(problem: Problem) -> FloatArray:
    """Return what each joint state of a class pays: m views that are on differ from V - m."""
    on = popcounts(problem.n_views)
    price: FloatArray = problem.disagreement * on * (problem.n_views - on)
    return price


# Nearly a forest: cutset conditioning (Eq. 9, 10) -------------------------------------------------
#
# With a class's state given, its constraints are gains and losses of the bits of its neighbours,
# and what is left has fewer constraints. Once a forest is left the dynamic programme solves it. So
# large groups of siblings stay cheap although some class has a second parent or excludes a cousin.

MOST_TRIALS = 256
"""Joint states of the fixed classes, each a forest to solve. Measured on trees of 21 and 55 classes
with second parents and on two views: 4 to 256 trials are 9,000 to 25 times as fast as HiGHS."""


@dataclass(frozen=True)
class Cutset:
    """The classes to be fixed, the others, and the forest that they form."""

    fixed: tuple[int, ...]
    rest: tuple[int, ...]
    forest: Forest


@lru_cache(maxsize=16)
def find_cutset(constraints: Constraints, n_views: int) -> Cutset | None:
    """Return few classes without which a forest is left, or None where it takes too many."""
    fixed: list[int] = []
    while 2 ** (n_views * len(fixed)) <= MOST_TRIALS:
        rest = tuple(k for k in range(constraints.n_classes) if k not in fixed)
        inside = constraints.within(rest)
        forest = read_forest(inside)
        if forest is not None and rest:
            return Cutset(tuple(fixed), rest, forest)
        conflicts = _conflicts(inside)
        if not conflicts:
            return None
        best = min(conflicts, key=lambda k: (sum(_conflicts(_without(inside, k)).values()), k))
        fixed.append(rest[best])
    return None


def _without(constraints: Constraints, k: int) -> Constraints:
    return constraints.within([other for other in range(constraints.n_classes) if other != k])


def _conflicts(constraints: Constraints) -> Counter[int]:
    """How often each class has a part in what no forest has."""
    parents: dict[int, set[int]] = defaultdict(set)
    found: Counter[int] = Counter()
    for child, parent in constraints.subset:
        parents[child].add(parent)
    for child, above in parents.items():
        if len(above) > 1:
            found.update([child, *above])
    for one, other in constraints.mutex:
        if parents[one] != parents[other]:
            found.update([one, other])
    excluded = Constraints(constraints.n_classes, (), constraints.mutex)
    for group in excluded.components():
        for k in group:
            missing = len(group) - 1 - len(excluded.neighbours[k])
            if missing:
                found[k] += missing
    return found


def n_operations(cutset: Cutset, n_views: int) -> int:
    """Return the effort per object, in entries of a table of elimination."""
    return int(2 ** (n_views * len(cutset.fixed)) * len(cutset.rest) * 12 * 4**n_views)


def solve_by_cutset(
    problem: Problem, constraints: Constraints, cutset: Cutset
) -> tuple[IntArray, BoolArray]:
    """Return the best joint state of every class, and for which objects it is known."""
    states = np.zeros(problem.gains.shape[1:], dtype=np.int64)
    best = np.full(problem.n_objects, -np.inf)
    known = np.ones(problem.n_objects, dtype=bool)
    free, fixed = np.array(cutset.rest), np.array(cutset.fixed, dtype=np.intp)
    rest = problem.columns(free)
    for trial in product(range(2**problem.n_views), repeat=len(cutset.fixed)):
        given = dict(zip(cutset.fixed, trial, strict=True))
        shift, broken = _effect(constraints, given, problem.n_views)
        moved = rest.gains + problem.penalty * shift[:, None, free]
        found, value = solve_tree(replace(rest, gains=moved), cutset.forest)
        known &= ~np.isnan(value)
        value += _own_value(problem, given) - problem.penalty * broken
        better = value > best
        best[better] = value[better]
        states[np.ix_(better, free)] = found[better]
        states[np.ix_(better, fixed)] = trial
    return states, known


def _own_value(problem: Problem, given: dict[int, int]) -> FloatArray:
    price = disagreement_of_states(problem)
    value = np.zeros(problem.n_objects)
    for k, state in given.items():
        value -= price[state]
        for view in range(problem.n_views):
            if state >> view & 1:
                value += problem.gains[view, :, k]
    return value


def _effect(
    constraints: Constraints, given: dict[int, int], n_views: int
) -> tuple[FloatArray, int]:
    """What the given states add to the bits of the others, in penalties, and break anyway."""
    shift = np.zeros((n_views, constraints.n_classes))
    broken = 0
    for view in range(n_views):
        on = {k: state >> view & 1 for k, state in given.items()}
        for child, parent in constraints.subset:
            if child in on and parent in on:
                broken += on[child] * (1 - on[parent])
            elif child in on:
                broken += on[child]
                shift[view, parent] += on[child]
            elif parent in on:
                shift[view, child] -= 1 - on[parent]
        for one, other in constraints.mutex:
            if one in on and other in on:
                broken += on[one] * on[other]
            elif one in on or other in on:
                shift[view, other if one in on else one] -= on[one] if one in on else on[other]
    return shift, broken


# Small treewidth: bucket elimination in min-fill order (Eq. 9, 10) --------------------------------
#
# A class is taken out by tabulating, for every joint state of the classes it still touches, its own
# best state; the table then stands for it. Taken in a good order the tables stay small: their size
# is 2^(V·width), whatever the number of classes.

MOST_ENTRIES = 2**22
"""Of all tables together. Measured: 2^21 entries take 3 ms per object, and a programme for the same
55 classes in two views 600 ms; for classes without exclusions it takes 2 ms."""


@dataclass(frozen=True)
class Plan:
    """In which order the classes go, and where each finds what it needs.

    Entry e of the table of step t is the joint state of the step's scope, its first class in the
    lowest bits. ``penalties`` and ``sources`` have one row per entry and one column per own state;
    sources hold places in the tables of earlier steps.
    """

    order: IntArray
    scopes: tuple[tuple[int, ...], ...]
    starts: IntArray  # of each step's table among all entries
    n_sources: IntArray
    penalties: IntArray  # broken constraints, (n_entries, n_states)
    sources: IntArray  # flat, step by step: (n_sources, entries of the step, n_states)


Steps = tuple[tuple[int, tuple[int, ...]], ...]


@lru_cache(maxsize=16)
def elimination_steps(constraints: Constraints, n_views: int) -> Steps | None:
    """Return the classes with the later ones they touch, or None where the tables are too large.

    The next is always one whose neighbours know each other best (min-fill).
    """
    touching = {k: set(constraints.neighbours[k]) for k in range(constraints.n_classes)}
    fill_in = {k: _fill_in(k, touching) for k in touching}
    steps: list[tuple[int, tuple[int, ...]]] = []
    while touching:
        chosen = min(fill_in, key=lambda k: (fill_in[k], len(touching[k]), k))
        scope = touching.pop(chosen)
        del fill_in[chosen]
        for k in scope:
            touching[k] |= scope
            touching[k] -= {k, chosen}
        for k in set().union(scope, *(touching[k] for k in scope)):
            fill_in[k] = _fill_in(k, touching)
        steps.append((chosen, tuple(sorted(scope))))
        if n_entries(tuple(steps), n_views) > MOST_ENTRIES:
            return None
    return tuple(steps)


def _fill_in(k: int, touching: dict[int, set[int]]) -> int:
    """How many pairs of neighbours are no neighbours, twice."""
    return sum(len(touching[k] - touching[other]) - 1 for other in touching[k])


def n_entries(steps: Steps, n_views: int) -> int:
    """Return the size of all tables, own states counted."""
    return sum(2 ** (n_views * (len(scope) + 1)) for _, scope in steps)


@lru_cache(maxsize=4)
def plan_elimination(steps: Steps, constraints: Constraints, n_views: int) -> Plan:
    """Find where the table of each step reads those of earlier ones, and what it breaks."""
    sizes = [2 ** (n_views * len(scope)) for _, scope in steps]
    starts = np.cumsum([0, *sizes], dtype=np.int64)
    place = {k: step for step, (k, _) in enumerate(steps)}
    senders: list[list[int]] = [[] for _ in steps]
    for step, (_, scope) in enumerate(steps):
        if scope:
            senders[min(place[k] for k in scope)].append(step)
    sources = [
        starts[sender] + _entries_of(steps[sender][1], steps[step], n_views)
        for step in range(len(steps))
        for sender in senders[step]
    ]
    penalties = [_broken(constraints, step, n_views) for step in steps]
    return Plan(
        order=np.array([k for k, _ in steps], dtype=np.int64),
        scopes=tuple(scope for _, scope in steps),
        starts=starts,
        n_sources=np.array([len(each) for each in senders], dtype=np.int64),
        penalties=np.concatenate(penalties),
        sources=np.concatenate([each.ravel() for each in (*sources, np.zeros(0, dtype=np.int64))]),
    )


def _states_in(step: tuple[int, tuple[int, ...]], n_views: int) -> dict[int, IntArray]:
    """State of every class of a step, over (joint states of the scope, own states)."""
    chosen, scope = step
    entry = np.arange(2 ** (n_views * len(scope)), dtype=np.int64)[:, None]
    states = {k: entry >> (n_views * i) & (2**n_views - 1) for i, k in enumerate(scope)}
    return {chosen: np.arange(2**n_views, dtype=np.int64)[None, :], **states}


def _entries_of(
    scope: tuple[int, ...], step: tuple[int, tuple[int, ...]], n_views: int
) -> IntArray:
    """Where the table over a scope is read for every joint state of a later step."""
    states = _states_in(step, n_views)
    shape = np.broadcast_shapes(*(each.shape for each in states.values()))
    entry = np.zeros(shape, dtype=np.int64)
    for i, k in enumerate(scope):
        entry += states[k] << (n_views * i)
    return entry


def _broken(constraints: Constraints, step: tuple[int, tuple[int, ...]], n_views: int) -> IntArray:
    """How many constraints between a class and its scope are broken, summed over the views."""
    chosen, scope = step
    states, on = _states_in(step, n_views), popcounts(n_views)
    count = np.zeros((2 ** (n_views * len(scope)), 2**n_views), dtype=np.int64)
    for child, parent in constraints.subset:
        if chosen in (child, parent) and {child, parent} <= set(states):
            count += on[states[child] & ~states[parent]]
    for one, other in constraints.mutex:
        if chosen in (one, other) and {one, other} <= set(states):
            count += on[states[one] & states[other]]
    return count


def solve_by_elimination(problem: Problem, plan: Plan) -> tuple[IntArray, BoolArray]:
    """Return the best joint state of every class of every object, known for all of them."""
    from manyviews.maths._assignment_kernels import eliminate

    gains = np.ascontiguousarray(np.moveaxis(problem.gains, 1, 2))  # objects side by side
    states = np.zeros(gains.shape[1:], dtype=np.int64)
    scope_starts = np.cumsum([0, *map(len, plan.scopes)], dtype=np.int64)
    scope_members = np.array([k for scope in plan.scopes for k in scope], dtype=np.int64)
    eliminate(
        gains,
        disagreement_of_states(problem),
        problem.penalty * plan.penalties,
        plan.order,
        plan.starts,
        plan.n_sources,
        plan.sources,
        scope_starts,
        scope_members,
        states,
    )
    return states.T, np.ones(problem.n_objects, dtype=bool)


# Any problem: a mixed-integer programme, many objects at a time (Eq. 7 to 10) ---------------------
#
# The objective is a sum over objects, so that one model for HiGHS holds a block of them. It is
# solved without integrality first: an object whose bits come out whole is solved (the relaxation
# can only be better); the others get a programme of their own. Objects with the same gains are
# solved once.

BLOCK = 64
"""Objects in one model; measured on a tree of 20 classes, 1 to 32 take the same time per object."""
SCALE = 1e3
"""Largest cost: HiGHS stops within 1e-6 of the best, whatever the scale."""
WHOLE = 1e-6
"""A bit is whole within this: mip_feasibility_tolerance of HiGHS."""


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
