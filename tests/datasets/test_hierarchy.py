"""Entities of a hierarchy: as many as asked, skewed, closed, and told apart by their contexts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import issparse

from manyviews.data import Dataset
from manyviews.datasets import make_hierarchical_views
from manyviews.maths import Ontology


def test_it_has_the_shape_of_the_paper_s_data():
    data = make_hierarchical_views(random_state=0)
    assert isinstance(data, Dataset)
    assert len(data.views) == 1855
    assert data.views.names == ("patterns", "tables")
    assert all(issparse(matrix) for _, matrix in data.views.items())
    assert max(data.ontology.levels.values()) == 2  # three levels, counted from 0
    assert len(data.label_names) == len(np.unique(data.y)) == 7
    counts = np.sort(np.bincount(data.y))
    assert counts[-1] > 5 * counts[0]


@given(seed=st.integers(0, 10_000), n_objects=st.integers(7, 60))
@settings(deadline=None, max_examples=15)
def test_labels_follow_the_ontology(seed, n_objects):
    data = make_hierarchical_views(n_objects, n_features=(50, 30), random_state=seed)
    indicator, ontology = data.extra["indicator"], data.ontology
    assert indicator.shape == (n_objects, len(ontology))
    assert not ontology.violations(indicator).any()
    leaves = [ontology.leaves[code] for code in data.y]
    assert np.array_equal(indicator, ontology.closure(ontology.indicator(leaves)))
    assert np.unique(data.y).tolist() == list(range(7))
    for name in data.views.names:
        matrix = data.views[name]
        assert (matrix.sum(axis=1) >= 1).all()
        assert np.array_equal(matrix.data, matrix.data.round())


def test_siblings_share_contexts_and_others_do_not():
    data = make_hierarchical_views(600, quality=(0.9, 0.9), shared=0.6, skew=0.0, random_state=1)
    words = data.views["patterns"].toarray()
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    means = np.array([words[data.y == code].mean(axis=0) for code in range(7)])
    alike = means @ means.T
    fruit, vegetable, country = (
        data.label_names.index(n) for n in ("fruit", "vegetable", "country")
    )
    assert alike[fruit, fruit] > alike[fruit, vegetable] > 2 * alike[fruit, country]


def test_quality_and_length_are_as_asked():
    data = make_hierarchical_views(
        3000, n_contexts=(40.0, 10.0), quality=(0.0, 1.0), skew=0.0, random_state=2
    )
    means = [matrix.sum() / 3000 for _, matrix in data.views.items()]
    assert means == pytest.approx([40.0, 10.0], rel=0.05)
    noise = data.views["patterns"].toarray()
    halves = [noise[data.y == code].sum(axis=0) for code in (0, 1)]
    assert np.corrcoef(*halves)[0, 1] > 0.9  # no class has contexts of its own


def test_another_ontology_need_not_be_a_tree():
    ontology = Ontology(subset=[("spa", "hotel"), ("spa", "health"), ("inn", "hotel")])
    data = make_hierarchical_views(30, ontology=ontology, random_state=0)
    assert data.label_names == ("spa", "inn")
    assert data.ontology is ontology
    spa = data.extra["indicator"][data.y == 0]
    assert (spa.sum(axis=1) == 3).all()


def test_a_flat_list_of_classes_has_contexts_of_its_own():
    data = make_hierarchical_views(
        200, ontology={"a": None, "b": None}, quality=(1.0, 1.0), random_state=0
    )
    words = data.views["patterns"].toarray()
    halves = [words[data.y == code].sum(axis=0) for code in (0, 1)]
    assert np.corrcoef(*halves)[0, 1] < 0.2


def test_the_seed_decides():
    one, same, other = (make_hierarchical_views(50, random_state=seed) for seed in (3, 3, 4))
    assert one.views.equals(same.views)
    assert not one.views.equals(other.views)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_objects": 6}, "n_objects=6 cannot be used"),
        ({"quality": 0.5}, "quality=0.5 cannot be used; give one number for each view"),
        ({"quality": (0.5, 1.5)}, "each of quality=1.5 cannot be used"),
        ({"n_contexts": (0.5, 3)}, "each of n_contexts=0.5 cannot be used"),
        ({"n_features": (10, 0)}, "each of n_features=0 cannot be used"),
        ({"shared": 2}, "shared=2 cannot be used"),
        ({"skew": -1}, "skew=-1 cannot be used"),
    ],
)
def test_what_makes_no_sense_is_refused(params, message):
    with pytest.raises(ValueError, match=message):
        make_hierarchical_views(**params)
