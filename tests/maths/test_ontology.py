"""Ontologies: how they are read, what they refuse, and whom they find in breach."""

import copy
import pickle

import numpy as np
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews.maths import Ontology

ANIMALS = {"animal": {"mammal": ["cat", "dog"], "bird": []}, "plant": None}


class Graph:
    """As much of a NetworkX DiGraph as is read."""

    def __init__(self, nodes, edges, directed=True):
        self.nodes = nodes
        self._edges = edges
        self._directed = directed

    def edges(self, data):
        assert data
        return self._edges

    def is_directed(self):
        return self._directed


def random_ontology(seed, n_classes=7):
    """Classes below earlier ones, some below several, with the exclusions that are possible."""
    rng = np.random.default_rng(seed)
    subset = [
        (k, int(p))
        for k in range(1, n_classes)
        for p in rng.choice(k, size=min(k, int(rng.integers(3))), replace=False)
    ]
    mutex = []
    for pair in rng.integers(n_classes, size=(6, 2)).tolist():
        try:
            Ontology(subset, [*mutex, pair], range(n_classes))
        except ValueError:
            continue
        mutex.append(tuple(pair))
    return Ontology(subset, mutex, range(n_classes))


class TestReading:
    def test_classes_come_by_first_appearance(self):
        ontology = Ontology([("b", "a"), ("c", "a")], [("d", "b")])
        assert ontology.classes == ("b", "a", "c", "d")
        assert ontology.subset_pairs.tolist() == [[0, 1], [2, 1]]
        assert ontology.mutex_pairs.tolist() == [[3, 0]]

    def test_classes_as_given_may_have_no_constraint(self):
        ontology = Ontology([("b", "a")], classes=["lonely", "a", "b"])
        assert ontology.classes == ("lonely", "a", "b")
        assert ontology.subset_pairs.tolist() == [[2, 1]]

    def test_the_same_constraint_counts_once(self):
        ontology = Ontology([("b", "a"), ("b", "a")], [("b", "c"), ("c", "b")])
        assert ontology.subset == (("b", "a"),)
        assert ontology.mutex == (("b", "c"),)

    def test_a_nested_dict(self):
        ontology = Ontology.read(ANIMALS)
        assert ontology.classes == ("animal", "mammal", "cat", "dog", "bird", "plant")
        assert set(ontology.subset) == {
            ("mammal", "animal"),
            ("bird", "animal"),
            ("cat", "mammal"),
            ("dog", "mammal"),
        }
        assert set(ontology.mutex) == {("animal", "plant"), ("mammal", "bird"), ("cat", "dog")}

    def test_a_nested_dict_without_exclusions(self):
        assert Ontology.from_dict(ANIMALS, siblings_exclude=False).mutex == ()

    def test_a_list_with_dicts_in_it(self):
        ontology = Ontology.read(["plant", {"animal": ["cat"]}])
        assert ontology.classes == ("plant", "animal", "cat")
        assert ontology.subset == (("cat", "animal"),)

    def test_an_edge_list(self):
        edges = [("cat", "mammal"), ("dog", "mammal"), ("mammal", "animal")]
        assert Ontology.read(edges) == Ontology(edges)
        exclusive = Ontology.from_edges(edges, siblings_exclude=True)
        assert exclusive.mutex == (("cat", "dog"),)

    @pytest.mark.parametrize("direction", ["parent_to_child", "child_to_parent"])
    def test_a_directed_graph(self, direction):
        edge = ("animal", "cat", {}) if direction == "parent_to_child" else ("cat", "animal", {})
        graph = Graph(["x", "animal", "cat"], [edge, ("x", "cat", {"relation": "mutex"})])
        ontology = Ontology.from_networkx(graph, edges=direction)
        assert ontology == Ontology([("cat", "animal")], [("x", "cat")], ["x", "animal", "cat"])

    def test_a_graph_is_read_from_parent_to_child(self):
        graph = Graph(["a", "b"], [("a", "b", {"relation": "subset"})])
        assert Ontology.read(graph).subset == (("b", "a"),)

    def test_an_ontology_is_read_as_it_is(self):
        ontology = Ontology.read(ANIMALS)
        assert Ontology.read(ontology) is ontology

    @pytest.mark.parametrize(
        ("build", "message"),
        [
            (lambda: Ontology.read(3), "cannot be read from int"),
            (lambda: Ontology(), "no class"),
            (lambda: Ontology([("a", "b", "c")]), "at place 0"),
            (lambda: Ontology([("a", "b")], classes=["a"]), "'b' is not among the classes"),
            (lambda: Ontology(classes=["a", "b", "a"]), "'a' twice"),
            (lambda: Ontology.from_networkx(Graph([], [], directed=False)), "undirected"),
            (lambda: Ontology.from_networkx(Graph([], []), edges="up"), "'child_to_parent'"),
            (
                lambda: Ontology.from_networkx(Graph("ab", [("a", "b", {"relation": "like"})])),
                "'like'",
            ),
        ],
    )
    def test_what_cannot_be_read_is_named(self, build, message):
        with pytest.raises((ValueError, TypeError), match=message):
            build()


class TestContradictions:
    def test_a_cycle_is_shown(self):
        with pytest.raises(ValueError, match="cycle, b → c → d → b;"):
            Ontology([("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")])

    def test_a_class_in_itself_is_a_cycle(self):
        with pytest.raises(ValueError, match="cycle, a → a;"):
            Ontology([("a", "a")])

    def test_a_class_excluded_from_its_ancestor_is_shown_with_the_path(self):
        with pytest.raises(ValueError, match="'cat' lies in both: cat → mammal → animal;"):
            Ontology([("cat", "mammal"), ("mammal", "animal")], [("animal", "cat")])

    def test_two_ancestors_that_exclude_each_other_are_shown_with_both_paths(self):
        with pytest.raises(ValueError, match="'x' lies in both: x → b and x → y → c;"):
            Ontology([("w", "x"), ("x", "b"), ("x", "y"), ("y", "c")], [("b", "c")])

    def test_a_class_cannot_exclude_itself(self):
        with pytest.raises(ValueError, match="'a' excludes itself"):
            Ontology(mutex=[("a", "a")])


class TestRelations:
    def test_a_class_with_two_parents(self):
        ontology = Ontology([("bat", "mammal"), ("bat", "flyer"), ("mammal", "animal")])
        assert ontology.parents("bat") == ("mammal", "flyer")
        assert ontology.ancestors("bat") == ("mammal", "flyer", "animal")
        assert ontology.descendants("animal") == ("mammal", "bat")
        assert ontology.children("animal") == ("mammal",)
        assert ontology.roots == ("flyer", "animal")
        assert ontology.leaves == ("bat",)

    def test_levels_go_by_the_longest_way(self):
        ontology = Ontology([("d", "a"), ("d", "c"), ("c", "b"), ("b", "a")])
        assert ontology.levels == {"a": 0, "b": 1, "c": 2, "d": 3}

    def test_an_unknown_class_is_named(self):
        with pytest.raises(KeyError, match="unicorn"):
            Ontology.read(ANIMALS).ancestors("unicorn")


class TestIndicators:
    def test_label_sets_of_every_kind(self):
        ontology = Ontology.read(ANIMALS)
        rows = ontology.indicator([{"cat", "mammal"}, "plant", [], ("bird",)])
        assert ontology.label_sets(rows) == [
            {"cat", "mammal"},
            {"plant"},
            frozenset(),
            {"bird"},
        ]

    def test_a_tuple_may_be_a_class(self):
        ontology = Ontology(classes=[("a", 1), ("b", 2)])
        assert ontology.indicator([("a", 1), [("a", 1), ("b", 2)]]).tolist() == [
            [True, False],
            [True, True],
        ]

    def test_an_unknown_label_is_named_with_its_row(self):
        with pytest.raises(ValueError, match="Row 1 has the label 'unicorn'"):
            Ontology.read(ANIMALS).indicator(["cat", "unicorn"])

    def test_a_matrix_of_another_width_is_refused(self):
        with pytest.raises(ValueError, match="6 classes"):
            Ontology.read(ANIMALS).closure(np.ones((2, 3)))

    def test_violations_by_hand(self):
        ontology = Ontology.read(ANIMALS)
        rows = [{"animal", "mammal", "cat"}, {"cat", "dog"}, {"cat", "bird", "plant", "animal"}]
        assert ontology.violations(ontology.indicator(rows)).tolist() == [0, 3, 2]

    @given(seed=st.integers(0, 10**6))
    @settings(deadline=None, max_examples=30)
    def test_the_closure_is_all_ancestors_and_breaks_no_subset(self, seed):
        ontology = random_ontology(seed)
        rows = np.random.default_rng(seed).random((5, len(ontology))) < 0.3
        closed = ontology.closure(rows)
        for before, after in zip(
            ontology.label_sets(rows), ontology.label_sets(closed), strict=True
        ):
            assert after == before.union(*(ontology.ancestors(name) for name in before))
        assert not (
            closed[:, ontology.subset_pairs[:, 0]] > closed[:, ontology.subset_pairs[:, 1]]
        ).any()
        np.testing.assert_array_equal(ontology.closure(closed), closed)

    @given(seed=st.integers(0, 10**6))
    @settings(deadline=None, max_examples=30)
    def test_a_single_class_with_its_ancestors_breaks_nothing(self, seed):
        ontology = random_ontology(seed)
        closed = ontology.closure(np.eye(len(ontology), dtype=bool))
        assert not ontology.violations(closed).any()


class TestAsAnObject:
    def test_it_is_copied_pickled_and_stored(self):
        ontology = Ontology.read(ANIMALS)
        ontology.closure(np.eye(6))  # what is derived on use is not stored
        stored = skops.io.dumps(ontology)
        trusted = skops.io.get_untrusted_types(data=stored)
        copies = [
            copy.deepcopy(ontology),
            pickle.loads(pickle.dumps(ontology)),
            skops.io.loads(stored, trusted=trusted),
        ]
        for each in copies:
            assert each == ontology
            assert hash(each) == hash(ontology)
            assert each.ancestors("cat") == ("mammal", "animal")

    def test_the_order_of_constraints_and_of_exclusive_pairs_does_not_matter(self):
        one = Ontology([("b", "a"), ("c", "a")], [("b", "c")], "abc")
        other = Ontology([("c", "a"), ("b", "a")], [("c", "b")], "abc")
        assert one == other
        assert hash(one) == hash(other)
        assert one != Ontology([("b", "a")], [("b", "c")], "abc")
        assert one != "abc"

    def test_it_cannot_be_changed(self):
        ontology = Ontology.read(ANIMALS)
        with pytest.raises(AttributeError):
            ontology.classes = ()
        with pytest.raises(ValueError, match="read-only"):
            ontology.subset_pairs[0] = 0

    def test_its_repr_counts(self):
        assert repr(Ontology.read(ANIMALS)) == "Ontology(6 classes, 4 subset, 3 mutex)"
