from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot

from manyviews.maths import Ontology
from manyviews.plot import OntologyDisplay

ANIMALS = {"animal": {"mammal": ["cat", "dog"], "bird": []}, "plant": None}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def texts(display):
    return [text.get_text() for text in display.ax_.texts if text.get_text()]


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_parents_stand_above_and_between_their_children():
    places = OntologyDisplay.from_ontology(ANIMALS).positions_
    for child, parent in Ontology.read(ANIMALS).subset:
        assert places[child][1] == places[parent][1] - 1
    assert places["cat"][0] < places["mammal"][0] < places["dog"][0] < places["bird"][0]


def test_no_two_classes_stand_at_the_same_place():
    rng = np.random.default_rng(0)
    edges = [(k, int(p)) for k in range(1, 30) for p in rng.choice(k, min(k, 2), replace=False)]
    places = OntologyDisplay.from_ontology(Ontology(edges)).positions_
    assert len(set(places.values())) == 30


def test_siblings_that_exclude_each_other_share_a_bracket():
    display = OntologyDisplay.from_ontology({"top": list("abcdef")})
    assert display.brackets_ == [tuple("abcdef")]
    assert display.arcs_ == []
    assert legend(display) == ["contains", "all exclude each other"]


def test_other_exclusions_are_arcs():
    ontology = Ontology([("a", "x"), ("b", "x"), ("c", "y")], [("a", "b"), ("a", "c"), ("x", "y")])
    display = OntologyDisplay.from_ontology(ontology)
    assert display.brackets_ == [("a", "b"), ("x", "y")]
    assert display.arcs_ == [("a", "c")]
    assert "exclude each other" in legend(display)


def test_every_exclusion_is_drawn_once():
    rng = np.random.default_rng(1)
    pairs = [(i, j) for i in range(12) for j in range(i) if rng.random() < 0.4]
    display = OntologyDisplay.from_ontology(Ontology(mutex=pairs, classes=range(12)))
    shown = [frozenset(pair) for pair in display.arcs_]
    for group in display.brackets_:
        shown += [frozenset((i, j)) for i in group for j in group if i < j]
    assert sorted(map(sorted, shown)) == sorted(map(sorted, pairs))


def test_a_second_parent_is_drawn_too():
    display = OntologyDisplay.from_ontology([("bat", "mammal"), ("bat", "flyer")])
    assert legend(display) == ["contains", "contains, too"]


def test_counts_are_written_and_shown():
    display = OntologyDisplay.from_ontology(ANIMALS, counts={"cat": 1200, "animal": 2000})
    assert {"cat (1,200)", "animal (2,000)", "plant (0)"} <= set(texts(display))
    sizes = {
        name: dot.get_sizes()[0]
        for name, dot in zip(display.positions_, display.ax_.collections, strict=True)
    }
    assert sizes["animal"] > sizes["cat"] > sizes["plant"]
    assert "dog (4)" in texts(OntologyDisplay.from_ontology(ANIMALS, counts=range(1, 7)))


def test_it_draws_where_it_is_told():
    figure, ax = pyplot.subplots()
    display = OntologyDisplay.from_ontology(ANIMALS, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure


def test_classes_alone_have_no_legend():
    assert OntologyDisplay.from_ontology(Ontology(classes="ab")).ax_.get_legend() is None


@pytest.mark.parametrize(("counts", "message"), [([1, 2], "2 counts for 6"), ({"x": 1}, "'x'")])
def test_counts_that_do_not_fit_are_refused(counts, message):
    with pytest.raises(ValueError, match=message):
        OntologyDisplay.from_ontology(ANIMALS, counts=counts)
