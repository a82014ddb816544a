"""Entities of a class hierarchy, seen through the contexts they occur in [@dalvi2015]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data import Dataset, Views
from manyviews.datasets._sizes import check_between, check_size
from manyviews.maths import Ontology, generator
from manyviews.typing import FloatArray, IntArray, RandomState

ENTITIES = {
    "everything": {
        "food": ["fruit", "vegetable"],
        "location": ["country", "city"],
        "organization": ["company", "university", "sports team"],
    }
}
"""Three levels and seven leaves, in the manner of the paper's Figures 2 and 5."""

VIEW_NAMES = ("patterns", "tables")

_CONCENTRATION = 0.02
"""Of the contexts of a class: the lower, the fewer there are, and the more of one's own."""


@dataclass(frozen=True, kw_only=True)
class HierarchicalDataset(Dataset):
    """A data set whose classes form an ontology."""

    ontology: Ontology
    """``extra["indicator"]`` has a column for each of its classes."""


def make_hierarchical_views(
    n_objects: int = 1855,
    *,
    ontology: Any = None,
    n_features: tuple[int, int] = (4000, 2000),
    n_contexts: tuple[float, float] = (60.0, 20.0),
    quality: tuple[float, float] = (0.27, 0.3),
    shared: float = 0.5,
    skew: float = 1.0,
    random_state: RandomState = None,
) -> HierarchicalDataset:
    """Entities with counts of the text patterns and of the table columns they were found in.

    Every class of the hierarchy prefers some contexts of each view. An entity of a leaf class
    takes its contexts from that leaf, from the classes that contain the leaf, and from a long
    tail of contexts that tell nothing, as noun phrases do: [@dalvi2015], section 4.1.

    Deviations
    ----------
    The paper's data, 1,855 entities of the NELL knowledge base in 3.4 million text patterns and
    1.1 million table columns, are not at hand and its Figure 5 names the classes in a picture
    only. The number of entities, the three levels, seven leaves of skewed frequency and a first
    view that is better than the second are the paper's; all else is ours.

    Parameters
    ----------
    n_objects : int
        How many entities; at least one for each leaf.
    ontology : Ontology, nested dict or what else ``Ontology.read`` takes, optional
        The classes; entities belong to leaves, with all that contain them. By default a tree of
        three levels and seven leaves.
    n_features : (int, int)
        How many contexts each view knows.
    n_contexts : (float, float)
        How many contexts an entity has in each view on average, with a long tail.
    quality : (float, float)
        Share of them that come from the classes of the entity, by view.
    shared : float
        Share of these that come from the classes that contain the leaf (other than roots) and so
        from what it has in common with its siblings.
    skew : float
        Leaf r is drawn with a probability in proportion to ``1 / r ** skew``; 0 for equal ones.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    HierarchicalDataset
        Views ``patterns`` and ``tables``, sparse counts; ``y`` the leaves as positions in
        ``label_names``; all classes of each entity in ``extra["indicator"]``, with a column for
        each class of ``ontology``.

    Examples
    --------
    >>> data = make_hierarchical_views(100, random_state=0)
    >>> data.views["patterns"].shape, data.label_names[:3]
    ((100, 4000), ('fruit', 'vegetable', 'country'))
    >>> data.ontology
    Ontology(11 classes, 10 subset, 8 mutex)
    >>> data.extra["indicator"].sum(axis=1)[:5]  # everything, an inner class and a leaf
    array([3, 3, 3, 3, 3])
    """
    tree = Ontology.read(ENTITIES if ontology is None else ontology)
    n_objects = check_size(n_objects, "n_objects", minimum=len(tree.leaves))
    shared = check_between(shared, "shared", 0.0, 1.0)
    skew = check_between(skew, "skew", 0.0)
    rng = generator(random_state)
    y = _leaves(n_objects, len(tree.leaves), skew, rng)
    sources = _sources(tree, shared)
    matrices = {}
    for view, name in enumerate(VIEW_NAMES):
        size = check_size(_of(n_features, view, "n_features"), "each of n_features")
        length = check_between(_of(n_contexts, view, "n_contexts"), "each of n_contexts", 1.0)
        share = check_between(_of(quality, view, "quality"), "each of quality", 0.0, 1.0)
        matrices[name] = _counts(sources[y] * share, size, length, rng)
    names = tuple(str(leaf) for leaf in tree.leaves)
    indicator = tree.closure(tree.indicator([[tree.leaves[code]] for code in y])).astype(np.int64)
    return HierarchicalDataset(
        views=Views(matrices),
        y=y,
        label_names=names,
        extra={"indicator": indicator},
        name="hierarchical_views",
        ontology=tree,
    )


def _leaves(n_objects: int, n_leaves: int, skew: float, rng: np.random.Generator) -> IntArray:
    """Leaves of skewed frequency, each at least once, the frequent ones anywhere in the tree."""
    ranks = rng.permutation(n_leaves) + 1.0
    weights = ranks**-skew
    drawn = rng.choice(n_leaves, size=n_objects - n_leaves, p=weights / weights.sum())
    return rng.permutation(np.concatenate([np.arange(n_leaves), drawn]))


def _sources(tree: Ontology, shared: float) -> FloatArray:
    """From which classes (columns) the contexts of each leaf (row) come, in shares."""
    shares = np.zeros((len(tree.leaves), len(tree)))
    roots = set(tree.roots)
    for row, leaf in enumerate(tree.leaves):
        above = [name for name in tree.ancestors(leaf) if name not in roots]
        shares[row, tree.classes.index(leaf)] = 1.0 - shared if above else 1.0
        for name in above:
            shares[row, tree.classes.index(name)] = shared / len(above)
    return shares


def _counts(
    shares: FloatArray, n_features: int, length: float, rng: np.random.Generator
) -> sparse.csr_array:
    """Draw contexts object by object: first from which class, or none, then which."""
    n_objects, n_classes = shares.shape
    lengths = 1 + rng.poisson(rng.gamma(2.0, (length - 1.0) / 2.0, size=n_objects))
    owners = np.repeat(np.arange(n_objects, dtype=np.int32), lengths)
    steps = np.cumsum(shares, axis=1)
    source = (rng.random(len(owners))[:, None] >= steps[owners]).sum(axis=1)
    features = np.empty(len(owners), dtype=np.int32)
    for kind in range(n_classes + 1):
        tokens = np.flatnonzero(source == kind)
        chances = _preferences(n_features, rng) if kind < n_classes else _long_tail(n_features, rng)
        features[tokens] = rng.choice(n_features, size=len(tokens), p=chances)
    counts = sparse.coo_array((np.ones(len(owners)), (owners, features)), (n_objects, n_features))
    return sparse.csr_array(counts)


def _preferences(n_features: int, rng: np.random.Generator) -> FloatArray:
    weights = rng.gamma(_CONCENTRATION, size=n_features) + 1e-12
    return np.asarray(weights / weights.sum())


def _long_tail(n_features: int, rng: np.random.Generator) -> FloatArray:
    weights = 1.0 / (rng.permutation(n_features) + 10.0)
    return np.asarray(weights / weights.sum())


def _of(values: Sequence[Any], view: int, name: str) -> Any:
    if not isinstance(values, tuple | list) or len(values) != len(VIEW_NAMES):
        raise ValueError(f"{name}={values!r} cannot be used; give one number for each view.")
    return values[view]
