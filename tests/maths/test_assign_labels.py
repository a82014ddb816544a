"""The assignment of labels is the best there is: against enumeration and against HiGHS."""

from itertools import product

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews.maths import Ontology, assign_labels, assignment_solvers, assignment_value
from manyviews.maths.assignment import solve_flat, solve_hierarchical
from manyviews.maths.assignment_solvers import (
    Constraints,
    Problem,
    elimination_steps,
    find_cutset,
    plan_elimination,
    read_forest,
    solve_by_cutset,
    solve_by_elimination,
    unpack,
)

N_OBJECTS = 12
WEIGHTS = (0.0, 0.1, 0.5, 1.0, 1.7)


def every_choice(n_views, n_classes):
    """All bits of one object, (n_choices, n_views, n_classes)."""
    choices = product((0.0, 1.0), repeat=n_views * n_classes)
    return np.array(list(choices)).reshape(-1, n_views, n_classes)


def broken(bits, constraints):
    """Broken constraints of bits (..., n_views, n_classes); flat without constraints."""
    if constraints is None:
        return np.abs(bits.sum(axis=-1) - 1).sum(axis=-1)
    total = np.zeros(bits.shape[:-2])
    for child, parent in constraints.subset:
        total += np.maximum(bits[..., child] - bits[..., parent], 0).sum(axis=-1)
    for one, other in constraints.mutex:
        total += np.maximum(bits[..., one] + bits[..., other] - 1, 0).sum(axis=-1)
    return total


def differing(bits):
    """Classes in which two views differ, over all pairs of views."""
    n_views = bits.shape[-2]
    return sum(
        (np.abs(bits[..., v, :] - bits[..., w, :]).sum(axis=-1) for v, w in pairs(n_views)),
        start=np.zeros(bits.shape[:-2]),
    )


def pairs(n):
    return [(i, j) for i in range(n) for j in range(i)]


def best_values(problem, constraints=None):
    n_views, _, n_classes = problem.gains.shape
    bits = every_choice(n_views, n_classes)
    gain = np.einsum("cvk,vnk->nc", bits, problem.gains)
    price = problem.disagreement * differing(bits) + problem.penalty * broken(bits, constraints)
    return (gain - price).max(axis=1)


def value_of(states, problem, constraints=None):
    bits = np.stack(unpack(states, problem.n_views), axis=1).astype(float)
    gain = np.einsum("nvk,vnk->n", bits, problem.gains)
    price = problem.disagreement * differing(bits) + problem.penalty * broken(bits, constraints)
    return gain - price


def random_problem(rng, n_views, n_classes, n_objects=N_OBJECTS):
    gains = rng.normal(size=(n_views, n_objects, n_classes)) * rng.choice([0.3, 1.0, 3.0])
    kind = rng.integers(3)
    if kind == 0:
        gains = gains.round()  # ties
    elif kind == 1:
        gains = np.abs(gains)
    return Problem(gains, float(rng.choice(WEIGHTS)), float(rng.choice(WEIGHTS)))


def random_tree(rng, n_classes):
    """Each class below an earlier one or a root; siblings in groups that exclude each other."""
    parent = [int(rng.integers(-1, k)) if k else -1 for k in range(n_classes)]
    group = rng.integers(2, size=n_classes)
    subset = tuple((k, above) for k, above in enumerate(parent) if above >= 0)
    mutex = tuple(
        (i, j) for i, j in pairs(n_classes) if parent[i] == parent[j] and group[i] == group[j]
    )
    return Constraints(n_classes, subset, mutex)


def random_graph(rng, n_classes):
    """Any constraints, also cycles, and pairs both contained and excluded."""
    ordered = [(i, j) for i in range(n_classes) for j in range(n_classes) if i != j]
    unordered = pairs(n_classes)
    subset = rng.permutation(len(ordered))[: rng.integers(n_classes + 1)]
    mutex = rng.permutation(len(unordered))[: rng.integers(n_classes + 1)]
    return Constraints(
        n_classes, tuple(ordered[i] for i in subset), tuple(unordered[i] for i in mutex)
    )


def disturbed_tree(rng, n_classes):
    tree = random_tree(rng, n_classes)
    i, j = rng.choice(n_classes, size=2, replace=False).tolist()
    if rng.random() < 0.5:
        return Constraints(n_classes, tuple({*tree.subset, (i, j)}), tree.mutex)
    extra = () if {i, j} in map(set, tree.mutex) else ((i, j),)
    return Constraints(n_classes, tree.subset, (*tree.mutex, *extra))


def sizes(rng, most_bits=10):
    n_views = int(rng.integers(1, 5))
    return n_views, int(rng.integers(2, max(3, most_bits // n_views + 1)))


class TestAgainstEnumeration:
    """Each seed is some forty problems of a dozen objects."""

    @pytest.mark.parametrize("seed", range(4))
    def test_flat(self, seed):
        rng = np.random.default_rng(seed)
        for _ in range(40):
            problem = random_problem(rng, *sizes(rng))
            states = solve_flat(problem, "exact")
            np.testing.assert_allclose(value_of(states, problem), best_values(problem), atol=1e-9)

    @pytest.mark.parametrize("make", [random_tree, disturbed_tree, random_graph])
    @pytest.mark.parametrize("seed", range(3))
    def test_hierarchical(self, make, seed):
        rng = np.random.default_rng(seed)
        for _ in range(40):
            n_views, n_classes = sizes(rng)
            problem, constraints = random_problem(rng, n_views, n_classes), make(rng, n_classes)
            states = solve_hierarchical(problem, constraints, "exact")
            np.testing.assert_allclose(
                value_of(states, problem, constraints),
                best_values(problem, constraints),
                atol=1e-9,
            )

    @pytest.mark.parametrize("make", [random_tree, disturbed_tree, random_graph])
    def test_every_direct_algorithm_by_itself(self, make):
        rng = np.random.default_rng(5)
        n_cutsets = 0
        for _ in range(40):
            n_views, n_classes = sizes(rng)
            problem, constraints = random_problem(rng, n_views, n_classes), make(rng, n_classes)
            best = best_values(problem, constraints)
            steps = elimination_steps(constraints, n_views)
            plan = plan_elimination(steps, constraints, n_views)
            states, _ = solve_by_elimination(problem, plan)
            np.testing.assert_allclose(value_of(states, problem, constraints), best, atol=1e-9)
            cutset = find_cutset(constraints, n_views)
            if cutset is not None:
                n_cutsets += 1
                states, known = solve_by_cutset(problem, constraints, cutset)
                assert known.all()
                np.testing.assert_allclose(value_of(states, problem, constraints), best, atol=1e-9)
        assert n_cutsets > 10

    def test_many_siblings_of_which_several_are_worth_it(self):
        rng = np.random.default_rng(1)
        below = tuple((k, 0) for k in range(1, 10))
        clique = Constraints(10, below, tuple((i + 1, j + 1) for i, j in pairs(9)))
        problem = Problem(rng.random((1, 50, 10)) * 4, 0.0, 0.7)
        states = solve_hierarchical(problem, clique, "exact")
        assert (states[:, 1:].sum(axis=1) > 2).any()
        np.testing.assert_allclose(
            value_of(states, problem, clique), best_values(problem, clique), atol=1e-9
        )


class TestAgainstHighs:
    @pytest.mark.parametrize("make", [None, random_tree, disturbed_tree, random_graph])
    def test_small_problems_of_every_kind(self, make):
        rng = np.random.default_rng(11)
        for _ in range(12):
            n_views, n_classes = sizes(rng, most_bits=16)
            problem = random_problem(rng, n_views, n_classes, n_objects=40)
            constraints = None if make is None else make(rng, n_classes)
            values = []
            for solver in ("exact", "milp"):
                if constraints is None:
                    states = solve_flat(problem, solver)
                else:
                    states = solve_hierarchical(problem, constraints, solver)
                values.append(value_of(states, problem, constraints))
            np.testing.assert_allclose(*values, atol=1e-7)

    def test_twenty_classes_in_a_tree(self):
        rng = np.random.default_rng(3)
        tree = {f"m{i}": [f"l{i}{j}" for j in range(4)] for i in range(4)}
        ontology = Ontology.from_dict(tree)
        scores = [rng.random((4, 20)) for _ in range(2)]
        for alpha in [(0.5, 0.1, 1.0), (1.0, 0.2, 0.3)]:
            values = [
                assignment_value(
                    scores,
                    assign_labels(scores, ontology=ontology, alpha=alpha, solver=solver),
                    ontology=ontology,
                    alpha=alpha,
                )
                for solver in ("exact", "milp")
            ]
            np.testing.assert_allclose(*values, atol=1e-7)

    @pytest.mark.parametrize("method", ["sum", "product", "max_agree"])
    @pytest.mark.parametrize("ontology", [None, {"a": ["b", "c", "d"], "e": None}])
    def test_every_method(self, method, ontology):
        rng = np.random.default_rng(7)
        scores = [rng.random((30, 5)) * 2 - 0.3 for _ in range(3)]
        values = [
            assignment_value(
                scores, assign_labels(scores, method, ontology, solver=solver), method, ontology
            )
            for solver in ("auto", "milp")
        ]
        assert np.isfinite(values).all()
        np.testing.assert_allclose(*values, atol=1e-7)


class TestMethods:
    @pytest.mark.parametrize(("method", "put_together"), [("sum", np.sum), ("product", np.prod)])
    def test_without_an_ontology_it_is_the_argmax(self, method, put_together):
        scores = np.random.default_rng(0).random((3, 40, 6))
        found = assign_labels(list(scores), method)
        assert len(found) == 3
        for bits in found:
            np.testing.assert_array_equal(bits.sum(axis=1), 1)
            np.testing.assert_array_equal(
                bits.argmax(axis=1), put_together(scores, axis=0).argmax(axis=1)
            )

    def test_the_first_of_tied_labels(self):
        scores = [np.ones((1, 4)), np.ones((1, 4))]
        for method in ("sum", "product", "max_agree"):
            assert assign_labels(scores, method)[0].tolist() == [[True, False, False, False]]

    def test_disagreement_is_worth_its_price_or_not(self):
        scores = [[[0.9, 0.1]], [[0.1, 0.6]]]
        apart = assign_labels(scores, alpha=(1.0, 0.2, 1.0))
        together = assign_labels(scores, alpha=(1.0, 0.3, 1.0))
        assert [bits.tolist() for bits in apart] == [[[True, False]], [[False, True]]]
        assert [bits.tolist() for bits in together] == [[[True, False]], [[True, False]]]

    def test_a_child_pulls_its_parent_along_and_pushes_its_sibling_away(self):
        scores = [[[-0.2, 0.9, 0.5], [-0.2, 0.1, 0.05], [0.1, 1.5, 1.6]]]
        found = assign_labels(scores, "sum", {"animal": ["cat", "dog"]})[0]
        assert found.tolist() == [[True, True, False], [False, False, False], [True, True, True]]

    def test_eq_9_takes_no_alpha(self):
        scores = np.random.default_rng(0).random((2, 30, 3))
        for method in ("sum", "product"):
            found = [
                assign_labels(list(scores), method, {"a": ["b", "c"]}, alpha)[0]
                for alpha in [(0.5, 0.1, 1.0), (9.0, 9.0, 0.0)]
            ]
            np.testing.assert_array_equal(*found)

    def test_classes_without_constraints_are_on_where_they_gain(self):
        scores = [np.array([[0.4, -0.1]]), np.array([[0.3, -0.2]])]
        found = assign_labels(scores, ontology=Ontology(classes="ab"))
        assert [bits.tolist() for bits in found] == [[[True, False]], [[True, False]]]

    @given(seed=st.integers(0, 10**6))
    @settings(deadline=None, max_examples=20)
    def test_one_view_without_disagreement_is_worth_what_sum_is(self, seed):
        scores = [np.random.default_rng(seed).random((6, 5))]
        ontology = Ontology.from_dict({"a": ["b", "c"], "d": ["e"]})
        by_sum = assign_labels(scores, "sum", ontology)
        agreeing = assign_labels(scores, "max_agree", ontology, (1.0, 0.4, 1.0))
        np.testing.assert_allclose(
            assignment_value(scores, by_sum, "sum", ontology),
            assignment_value(scores, agreeing, "max_agree", ontology, (1.0, 0.4, 1.0)),
            atol=1e-12,
        )

    @given(seed=st.integers(0, 10**6))
    @settings(deadline=None, max_examples=20)
    def test_the_value_does_not_depend_on_the_order_of_views_or_objects(self, seed):
        rng = np.random.default_rng(seed)
        scores = rng.random((3, 8, 5))
        shuffled = scores[rng.permutation(3)]
        rows = rng.permutation(8)
        value = assignment_value(scores, assign_labels(scores))
        other = assignment_value(shuffled[:, rows], assign_labels(shuffled[:, rows]))
        np.testing.assert_allclose(value[rows], other, atol=1e-12)


class TestWhoSolvesIt:
    def test_many_views_are_solved_flat(self):
        rng = np.random.default_rng(0)
        problem = Problem(rng.random((7, 6, 2)) * 0.5, 0.1, 1.0)
        np.testing.assert_allclose(
            value_of(solve_flat(problem, "exact"), problem), best_values(problem), atol=1e-9
        )

    def test_more_bare_views_than_can_be_searched_go_to_highs(self):
        rng = np.random.default_rng(0)
        scores = list(rng.random((13, 2, 2)))
        with pytest.raises(ValueError, match=r"2 of 2 objects, the first in row 0.*'auto'"):
            assign_labels(scores, solver="exact")
        found = assign_labels(scores)
        np.testing.assert_array_equal(np.sum(found, axis=2), 1)

    def test_a_wide_graph_is_refused_by_exact_and_solved_by_auto(self):
        rng = np.random.default_rng(2)
        crossing = [(f"c{i}", f"p{j}") for i in range(9) for j in range(9)]
        scores = [rng.random((2, 18)) for _ in range(2)]
        with pytest.raises(ValueError, match="use solver='auto'"):
            assign_labels(scores, ontology=Ontology(crossing), solver="exact")
        found = assign_labels(scores, ontology=Ontology(crossing))
        everything = [np.ones((2, 18), dtype=bool)] * 2  # all scores are positive: nothing to lose
        np.testing.assert_array_equal(found, everything)

    def test_programmes_are_spread_as_joblib_is_told(self, monkeypatch):
        monkeypatch.setattr(assignment_solvers, "BLOCK", 2)
        rng = np.random.default_rng(0)
        scores = list(rng.random((2, 3, 5))[:, rng.integers(3, size=9)])  # three patterns
        alone = assign_labels(scores, solver="milp")
        with joblib.parallel_config(backend="threading", n_jobs=2):
            together = assign_labels(scores, solver="milp")
        np.testing.assert_array_equal(alone, together)

    def test_more_views_than_the_tree_takes_go_to_highs(self):
        scores = list(np.random.default_rng(0).random((7, 2, 3)))
        ontology = Ontology.from_dict({"a": ["b", "c"]})
        with pytest.raises(ValueError, match="use solver='auto'"):
            assign_labels(scores, ontology=ontology, solver="exact")
        assert len(assign_labels(scores, ontology=ontology)) == 7

    @pytest.mark.parametrize("classes", [list("abcdefg"), {"a": list("bcdefg")}])
    def test_crowded_siblings_in_many_views_go_to_highs(self, classes):
        scores = list(np.random.default_rng(0).random((5, 2, 7)))
        ontology = Ontology.from_dict(classes)
        alpha = (1.0, 0.1, 0.05)  # all at once are conceivable: 7^5 counts
        with pytest.raises(ValueError, match="use solver='auto'"):
            assign_labels(scores, ontology=ontology, alpha=alpha, solver="exact")
        found = assign_labels(scores, ontology=ontology, alpha=alpha)
        programme = assign_labels(scores, ontology=ontology, alpha=alpha, solver="milp")
        np.testing.assert_allclose(
            assignment_value(scores, found, ontology=ontology, alpha=alpha),
            assignment_value(scores, programme, ontology=ontology, alpha=alpha),
            atol=1e-7,
        )

    def test_a_tree_is_recognised(self):
        tree = Constraints(5, ((1, 0), (2, 0), (3, 1)), ((1, 2),))
        assert read_forest(tree) is not None
        assert read_forest(Constraints(3, ((2, 0), (2, 1)), ())) is None  # two parents
        assert read_forest(Constraints(3, ((1, 0), (0, 1)), ())) is None  # a cycle
        assert read_forest(Constraints(3, ((1, 0),), ((1, 2),))) is None  # no siblings
        assert read_forest(Constraints(3, (), ((0, 1), (1, 2)))) is None  # 0 and 2 get along


class TestInput:
    def test_single_precision_no_objects_and_nothing_changed(self):
        scores = np.random.default_rng(0).random((2, 10, 4)).astype(np.float32)
        before = scores.copy()
        found = assign_labels(list(scores))
        np.testing.assert_array_equal(scores, before)
        np.testing.assert_array_equal(found, assign_labels(list(scores.astype(float))))
        for solver in ("auto", "milp"):
            for ontology in (None, {"a": ["b", "c", "d"]}):
                nobody = assign_labels(list(scores[:, :0]), ontology=ontology, solver=solver)
                assert [bits.shape for bits in nobody] == [(0, 4)] * 2

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"scores": []}, "empty"),
            ({"scores": [np.ones(3)]}, r"view 0 have shape \(3,\)"),
            ({"scores": [np.ones((2, 3)), np.ones((3, 3))]}, "view 1 have shape"),
            ({"scores": [np.ones((2, 3)), [[1, 1, 1], [1, np.nan, 1]]]}, "view 1 .* row 1"),
            ({"scores": [np.ones((1, 1))] * 63}, "at most 62"),
            ({"method": "cotrain"}, "SeededSphericalKMeans"),
            ({"method": "mean"}, "'product'"),
            ({"solver": "quick"}, "'exact'"),
            ({"alpha": (1, 2)}, "three numbers"),
            ({"alpha": (1, 2, -1)}, "not negative"),
            ({"alpha": (1, 2, np.inf)}, "three numbers"),
            ({"ontology": {"a": ["b"]}}, "3 columns but the ontology has 2"),
        ],
    )
    def test_bad_input_is_named(self, changes, message):
        given = {"scores": [np.ones((2, 3))], **changes}
        with pytest.raises(ValueError, match=message):
            assign_labels(**given)

    def test_the_value_asks_for_the_shape_of_the_scores(self):
        with pytest.raises(ValueError, match="one array per view"):
            assignment_value([np.ones((2, 3))], [np.ones((2, 2))])

    def test_the_value_of_what_is_not_allowed_is_minus_infinity(self):
        scores = [np.ones((2, 2)), np.ones((2, 2))]
        one, other = [[1, 0], [1, 1]], [[0, 1], [1, 1]]
        assert assignment_value(scores, [one, one], "sum").tolist() == [2.0, -np.inf]
        assert assignment_value(scores, [one, other], "sum").tolist() == [-np.inf, -np.inf]
