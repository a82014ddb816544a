"""The sets of objects: two views, the better one first, with classes and sometimes an ontology."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from manyviews.data import Views
from manyviews.maths import Ontology
from manyviews.typing import BoolArray, FloatArray, IntArray

ENTITY_TYPES = {
    "everything": {
        "person": ["PER", "RR"],
        "location": ["LD", "ST", "STR", "LDS"],
        "organization": ["ORG", "UN", "INN", "GRT", "MRK"],
        "norm": ["GS", "VO", "EUN"],
        "rule": ["VS", "VT"],
        "RS": None,
        "LIT": None,
    }
}
"""The corpus's own coarse and fine types: 18 leaves, two of them on the second level.

Without lawyers (AN), of whom only one is named twice.
"""

MENTIONS = 2
"""How often an entity must be mentioned to have contexts worth the name."""


@dataclass(frozen=True)
class Objects:
    """Two views of objects, with their classes."""

    views: Views
    classes: IntArray
    ontology: Ontology | None = None
    """When given, ``classes`` are positions in its leaves."""

    @property
    def n_classes(self) -> int:
        """How many classes there are to tell apart without an ontology."""
        return int(self.classes.max()) + 1

    def labelled(self, percentage: float, seed: int, *, stratified: bool = False) -> BoolArray:
        """Choose the objects that come with their labels, at random or class by class."""
        order = np.random.default_rng(seed).permutation(len(self.classes))
        if stratified:  # by rank within the class
            place = np.empty(len(order))
            for code in np.unique(self.classes):
                rows = order[self.classes[order] == code]
                place[rows] = np.arange(len(rows)) / len(rows)
            order = np.argsort(place, kind="stable")
        chosen = np.zeros(len(order), dtype=bool)
        chosen[order[: round(len(order) * percentage / 100)]] = True
        return chosen


@cache
def flat_set(name: str, folder: str, reading: str = "") -> Objects:
    """Read one of the sets of Table 2, as the paper has it or in another reading."""
    from manyviews.datasets import load

    found: Any = load(name, data_home=folder)
    if name == "leaves100":
        pair = ("margin", "texture") if "margin" in reading else ("texture", "shape")
        views = found.views.subset(pair)
        complete = views.observed.all(axis=1)
        change = standardised if "standardised" in reading else _as_it_is
        arrays = [change(np.asarray(views[view][complete])) for view in pair]
        return Objects(_pair(*arrays), np.asarray(found.y)[complete])
    words = csr_array(found.views["words"], dtype=np.float64)
    if name == "pubmed":
        return Objects(_pair(words, csr_array(found.views["links"])), np.asarray(found.y))
    cites = csr_array(found.views["cites"], dtype=np.float64)
    links = {"citing": cites, "both": csr_array(cites + cites.T)}.get(reading, csr_array(cites.T))
    return Objects(_pair(words, links), np.asarray(found.y))


@cache
def generated(seed: int) -> Objects:
    """Draw the stand-in for NELL_mv."""
    from manyviews.datasets import make_hierarchical_views

    data = make_hierarchical_views(random_state=seed)
    return Objects(_pair(*(m for _, m in data.views.items())), np.asarray(data.y), data.ontology)


@cache
def entities(folder: str) -> Objects:
    """Entities of German court decisions: the words around them, and their spelling."""
    from sklearn.feature_extraction import DictVectorizer

    from manyviews.datasets import load_tagged

    corpus = load_tagged("german_ler", data_home=folder)
    types: dict[str, Counter[str]] = defaultdict(Counter)
    contexts: dict[str, Counter[str]] = defaultdict(Counter)
    for tokens, tags in zip(corpus.sentences, corpus.tags, strict=True):
        for start, end in _spans(tags):
            name = " ".join(tokens[start:end])
            types[name][tags[start][2:]] += 1
            contexts[name].update(_patterns(tokens, start, end))
    ontology = Ontology.read(ENTITY_TYPES)
    kinds = {name: found.most_common(1)[0][0] for name, found in types.items()}
    names = [
        name
        for name in sorted(types)
        if types[name].total() >= MENTIONS and kinds[name] in ontology.leaves
    ]
    around = DictVectorizer().fit_transform([contexts[name] for name in names])
    spelt = DictVectorizer().fit_transform([Counter(_spelling(name)) for name in names])
    codes = np.array([ontology.leaves.index(kinds[name]) for name in names])
    return Objects(_pair(csr_array(spelt), csr_array(around)), codes, ontology)


def standardised(matrix: FloatArray) -> FloatArray:
    """Columns of mean zero and variance one."""
    return np.asarray((matrix - matrix.mean(axis=0)) / matrix.std(axis=0))


def _as_it_is(matrix: FloatArray) -> FloatArray:
    return matrix


def _pair(first: Any, second: Any) -> Views:
    return Views({"first": first, "second": second})


def _spans(tags: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each entity."""
    start = None
    for place, tag in enumerate((*tags, "O")):
        if start is not None and not tag.startswith("I-"):
            yield start, place
            start = None
        if tag.startswith("B-"):
            start = place


def _patterns(tokens: tuple[str, ...], start: int, end: int) -> list[str]:
    """One and two words on either side, as the text patterns of NELL."""
    padded = ("<", "<", *tokens, ">", ">")
    before, after = padded[start : start + 2], padded[end + 2 : end + 4]
    return [
        f"{before[1]} _",
        f"{before[0]} {before[1]} _",
        f"_ {after[0]}",
        f"_ {after[0]} {after[1]}",
    ]


def _spelling(name: str) -> list[str]:
    """Words, and three letters in a row."""
    marked = f"<{name}>"
    return [*name.split(), *(f"#{marked[at : at + 3]}" for at in range(len(marked) - 2))]
