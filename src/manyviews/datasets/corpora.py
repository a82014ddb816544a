"""Text corpora as they are read: tagged sentences, aligned texts, sequences."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, groupby
from pathlib import Path
from sys import intern

import numpy as np

from manyviews.datasets.catalogue import DataHome, DatasetInfo, expect_kind, find_files
from manyviews.exceptions import FileFormatError
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


Sentences = tuple[tuple[str, ...], ...]


def load_tagged(name: str, *, split: str | None = None, data_home: DataHome = None) -> TaggedCorpus:
    """Read a corpus of sentences tagged with named entities.

    They are jnlpba, wnut17, btc, wikigold, astro_titles, astro_tdac, germeval2014 and german_ler.
    Some have no training split, some repeat sentences: ``info(name).description`` tells.

    Parameters
    ----------
    name : str
        Which corpus.
    split : str, optional
        Read one split only, such as "train"; all of them by default.
    data_home : path, optional
        The data folder: see :func:`get_data_home`.

    Returns
    -------
    TaggedCorpus
        Sentences and tags in the order of the files, with the split of each sentence.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("wikigold").classes
    ('LOC', 'MISC', 'ORG', 'PER')
    >>> corpus = datasets.load_tagged("wikigold")  # doctest: +SKIP
    >>> corpus.sentences[0][:4], corpus.tags[0][:4]  # doctest: +SKIP
    (('010', 'is', 'the', 'tenth'), ('B-MISC', 'O', 'O', 'O'))
    """
    entry = expect_kind(name, "tagged")
    chosen = _choose("split", split, _splits(entry), name)
    wanted = {f"{part}.{ending}" for part in chosen for ending in ("iob.gz", "docs.txt.gz")}
    paths = find_files(entry, data_home, wanted)
    parts = [read_iob(paths[f"{part}.iob.gz"]) for part in chosen]
    documents = [paths.get(f"{part}.docs.txt.gz") for part in chosen]
    return TaggedCorpus(
        sentences=tuple(sentence for sentences, _ in parts for sentence in sentences),
        tags=tuple(tags for _, tagged in parts for tags in tagged),
        splits=np.repeat(chosen, [len(sentences) for sentences, _ in parts]),
        documents=_number_documents([path for path in documents if path is not None]),
        name=name,
    )


def load_parallel(
    name: str, *, languages: Sequence[str] | None = None, data_home: DataHome = None
) -> ParallelCorpus:
    """Read a corpus of aligned texts: hansard_en_fr, canada_laws_en_fr or multi30k.

    Neighbouring lines of the first two come from one debate or act; split by ``meta["debate"]``
    or ``meta["act"]``, not by line, where leakage matters.

    Parameters
    ----------
    name : str
        Which corpus.
    languages : sequence of str, optional
        Which languages, such as ``["en", "fr"]``; all of them by default.
    data_home : path, optional
        The data folder: see :func:`get_data_home`.

    Returns
    -------
    ParallelCorpus
        Texts by language, and further columns in ``meta``.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("multi30k").languages
    ('en', 'fr', 'de')
    >>> corpus = datasets.load_parallel("multi30k", languages=["en", "de"])  # doctest: +SKIP
    """
    entry = expect_kind(name, "parallel")
    chosen = [
        _choose("language", language, entry.languages, name)[0]
        for language in (entry.languages if languages is None else languages)
    ]
    paths = find_files(entry, data_home, {*(f"{code}.txt.gz" for code in chosen), "meta.tsv.gz"})
    columns = read_table(paths["meta.tsv.gz"]) if "meta.tsv.gz" in paths else {}
    meta = {column: _as_array(entries) for column, entries in columns.items()}
    texts = {code: tuple(_lines(paths[f"{code}.txt.gz"])) for code in chosen}
    return ParallelCorpus(texts, meta, name)


def load_sequences(name: str = "multiloc", *, data_home: DataHome = None) -> SequenceSet:
    """Read protein sequences with the place in the cell where each is found.

    The proteins of MultiLoc are alike up to 80 %, so random splits flatter nearest neighbours.

    Parameters
    ----------
    name : str
        Which set.
    data_home : path, optional
        The data folder: see :func:`get_data_home`.

    Returns
    -------
    SequenceSet
        Sequences with classes numbered in the order of their sorted names.

    Examples
    --------
    >>> from manyviews import datasets
    >>> datasets.info("multiloc").n_objects
    5959
    >>> proteins = datasets.load_sequences("multiloc")  # doctest: +SKIP
    """
    entry = expect_kind(name, "sequences")
    (path,) = find_files(entry, data_home).values()
    columns = read_table(path)
    y, label_names = as_codes(np.array(columns["location"]))
    return SequenceSet(columns["sequence"], y, label_names, columns["id"], name)


def read_iob(path: Path) -> tuple[Sentences, Sentences]:
    """Read sentences and their tags: a token, a tab and a tag per line, a blank line between."""
    sentences, tags = [], []
    for blank, lines in groupby(enumerate(_lines(path), start=1), key=lambda line: not line[1]):
        if not blank:
            pairs = [_token_and_tag(line, number, path) for number, line in lines]
            tokens, own_tags = zip(*pairs, strict=True)
            sentences.append(tokens)
            tags.append(own_tags)
    return tuple(sentences), tuple(tags)


def _token_and_tag(line: str, number: int, path: Path) -> tuple[str, str]:
    token, tab, tag = line.partition("\t")
    if not tab or not (tag == "O" or tag.startswith(("B-", "I-"))):
        raise FileFormatError(
            f"{path}, line {number}, is {line!r}; write a token, a tab and an IOB2 tag."
        )
    return intern(token), intern(tag)  # the same words come again and again


def read_table(path: Path) -> dict[str, tuple[str, ...]]:
    """Read the columns of a tab-separated table with a header."""
    header, *rows = csv.reader(_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def _as_array(column: tuple[str, ...]) -> AnyArray:
    """Make integers of what are whole numbers throughout."""
    array = np.array(column)
    return array.astype(np.int64) if np.char.isdecimal(array).all() else array


def _number_documents(paths: list[Path]) -> IntArray | None:
    """Give the documents of all splits different numbers."""
    if not paths:
        return None
    parts, first = [], 0
    for path in paths:
        numbers = np.array(_lines(path), dtype=np.int64)
        parts.append(numbers + first)
        first += int(numbers.max()) + 1
    return np.concatenate(parts)


def _lines(path: Path) -> list[str]:
    """Lines without their ends; only a newline ends a line, whatever else Unicode offers."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def _splits(entry: DatasetInfo) -> list[str]:
    names = [file.name for file in entry.files]
    return [name.removesuffix(".iob.gz") for name in names if name.endswith(".iob.gz")]


def _choose(what: str, wanted: str | None, known: Sequence[str], name: str) -> list[str]:
    if wanted is None:
        return list(known)
    if wanted not in known:
        raise ValueError(
            f"the data set {name!r} has no {what} {wanted!r}; it has {', '.join(map(repr, known))}."
        )
    return [wanted]
