"""Option objects: read, set, copied and searched as scikit-learn does it."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from sklearn.base import clone

from manyviews.base import BaseMultiView
from manyviews.maths import Options


@dataclass
class Width(Options):
    gamma: float = 1.0


@dataclass
class Graph(Options):
    n_neighbors: int = 10
    kernel: Any = field(default_factory=Width)


class Method(BaseMultiView):
    def __init__(self, affinity=None):
        self.affinity = affinity


def test_parameters_inside_are_listed_when_deep():
    graph = Graph(5, Width(2.0))
    assert graph.get_params() == {"n_neighbors": 5, "kernel": Width(2.0), "kernel__gamma": 2.0}
    assert graph.get_params(deep=False) == {"n_neighbors": 5, "kernel": Width(2.0)}


def test_parameters_are_set_also_inside():
    graph = Graph().set_params(n_neighbors=3, kernel__gamma=0.5)
    assert graph == Graph(3, Width(0.5))


def test_an_unknown_parameter_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'width' for Graph; its parameters are \['n_neighbors'"):
        Graph().set_params(width=1)


def test_a_method_that_is_cloned_gets_options_of_its_own():
    method = Method({"text": Graph(kernel=Width(2.0)), "links": Width()})
    copy = clone(method)
    copy.set_params(affinity__text__kernel__gamma=9.0)
    assert copy.affinity["text"].kernel.gamma == 9.0
    assert method.affinity["text"].kernel.gamma == 2.0


def test_one_for_all_views_is_reached_too():
    assert Method(Graph()).set_params(affinity__kernel__gamma=3.0).affinity.kernel == Width(3.0)
