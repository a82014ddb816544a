"""What a text corpus is once it is read: tagged sentences, aligned texts, sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import compress

import numpy as np

from manyviews.typing import AnyArray, IntArray


@dataclass(frozen=True)
class TaggedCorpus:
    """Sentences with a tag for each token, in IOB2: ``B-`` begins an entity, ``I-`` goes on.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.datasets import TaggedCorpus
    >>> corpus = TaggedCorpus(
    ...     sentences=(("Ann", "Lee", "sings"), ("Hush",)),
    ...     tags=(("B-PER", "I-PER", "O"), ("O",)),
    ...     splits=np.array(["train", "test"]),
    ... )
    >>> len(corpus), corpus.n_tokens, corpus.entity_types, corpus.n_entities
    (2, 4, ('PER',), 1)
    >>> corpus.part("test").sentences
    (('Hush',),)
    """

    sentences: tuple[tuple[str, ...], ...] = field(repr=False)
    tags: tuple[tuple[str, ...], ...] = field(repr=False)
    splits: AnyArray = field(repr=False)
    """The split each sentence belongs to, such as "train", "dev" or "test"."""
    documents: IntArray | None = field(default=None, repr=False)
    """Number of the document each sentence comes from, where known; none is in two splits."""
    name: str = ""

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return sum(map(len, self.sentences))

    @property
    def n_entities(self) -> int:
        """How many entities are tagged."""
        return sum(tag.startswith("B-") for tags in self.tags for tag in tags)

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The types of entities that occur, sorted."""
        tags = set().union(*self.tags) - {"O"}
        return tuple(sorted({tag[2:] for tag in tags}))

    def part(self, split: str) -> TaggedCorpus:
        """Keep the sentences of one split."""
        kept = self.splits == split
        if not kept.any():
            raise ValueError(
                f"there is no split {split!r} in this corpus; "
                f"it has {', '.join(map(repr, dict.fromkeys(self.splits.tolist())))}."
            )
        return replace(
            self,
            sentences=tuple(compress(self.sentences, kept)),
            tags=tuple(compress(self.tags, kept)),
            splits=self.splits[kept],
            documents=None if self.documents is None else self.documents[kept],
        )


@dataclass(frozen=True)
class ParallelCorpus:
    """The same texts in several languages, line by line: each language is a view.

    Examples
    --------
    >>> from manyviews.datasets import ParallelCorpus
    >>> corpus = ParallelCorpus({"en": ("two dogs",), "de": ("zwei Hunde",)})
    >>> corpus.languages, len(corpus), corpus.texts["de"][0]
    (('en', 'de'), 1, 'zwei Hunde')
    """

    texts: Mapping[str, tuple[str, ...]] = field(repr=False)
    """By language; line ``i`` of one is a translation of line ``i`` of the others."""
    meta: Mapping[str, AnyArray] = field(default_factory=dict, repr=False)
    """Other columns with one entry per line, such as the debate a line comes from."""
    name: str = ""

    def __len__(self) -> int:
        return len(next(iter(self.texts.values()), ()))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages, in order."""
        return tuple(self.texts)


@dataclass(frozen=True)
class SequenceSet:
    """Strings over an alphabet, such as proteins, with a class each; for string kernels.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.datasets import SequenceSet
    >>> proteins = SequenceSet(("MKII", "MMN"), np.array([0, 1]), ("ER", "Golgi"), ("P1", "P2"))
    >>> len(proteins), proteins.label_names[proteins.y[1]]
    (2, 'Golgi')
    """

    sequences: tuple[str, ...] = field(repr=False)
    y: IntArray = field(repr=False)
    label_names: tuple[str, ...] = ()
    """What the integers in ``y`` stand for."""
    sample_ids: tuple[str, ...] = field(default=(), repr=False)
    name: str = ""

    def __len__(self) -> int:
        return len(self.sequences)


def as_codes(labels: AnyArray) -> tuple[IntArray, tuple[str, ...]]:
    """Number the labels in the order of their sorted names."""
    names, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64), tuple(map(str, names.tolist()))
