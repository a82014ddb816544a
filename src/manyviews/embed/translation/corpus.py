"""Pairs of texts where there are none: half written, half translated by machine [@fortuna2005]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from manyviews.base import check_argument
from manyviews.maths import generator
from manyviews.typing import AnyArray, IntArray, RandomState

__all__ = ["PairedCorpus", "paired_corpus"]

Translate: TypeAlias = Callable[[list[str]], Sequence[str]]
"""Anything that turns a list of texts into a list of as many translations."""


@dataclass(frozen=True, eq=False)
class PairedCorpus:
    """Texts of two languages, side by side; ``texts_a, texts_b = corpus`` unpacks them."""

    texts_a: list[str] = field(repr=False)
    texts_b: list[str] = field(repr=False)
    """Text ``i`` and that of ``texts_a`` say the same, one of them being machine-made."""
    translated: AnyArray = field(repr=False)
    """For each pair, the side that is machine-made: "a" or "b"."""
    source_rows: IntArray = field(repr=False)
    """For each pair, where its written text stands in the collection it comes from."""

    def __len__(self) -> int:
        return len(self.texts_a)

    def __iter__(self) -> Iterator[list[str]]:
        return iter((self.texts_a, self.texts_b))

    def __repr__(self) -> str:
        made = {side: int(np.sum(self.translated == side)) for side in "ab"}
        return f"PairedCorpus of {len(self)} pairs: {made['b']} written in a, {made['a']} in b"


def paired_corpus(
    docs_a: Sequence[str],
    docs_b: Sequence[str],
    translate_ab: Translate,
    translate_ba: Translate,
    *,
    halves: Literal["first", "random"] | None = None,
    random_state: RandomState = None,
) -> PairedCorpus:
    """Pair the texts of two languages with translations made by machine.

    Every pair has one text as it was written, and on the other side its translation: what
    :class:`KernelCCA` needs to learn a common space of two collections that nobody translated
    ([@fortuna2005], section 4).

    Parameters
    ----------
    docs_a, docs_b : sequence of str
        Without ``halves``, two independent collections of any sizes. With ``halves``, an aligned
        corpus: text ``i`` of one translates text ``i`` of the other.
    translate_ab, translate_ba : callable
        Turn a list of texts into a list of translations, such as the methods of
        :class:`WordTranslator`. Each is called once, with the texts it has to translate.
    halves : {"first", "random"}, optional
        How to make an aligned corpus artificial, to see what is lost: keep half of the texts in
        the first language only and the others in the second only. "first" keeps the first half
        in the first language, as the paper does, "random" a random half. No human translation
        is left then. By default all texts of both collections are used.
    random_state : int, RandomState, Generator or None
        Seed of the random half.

    Returns
    -------
    PairedCorpus
        The pairs. Those of two collections are the texts of ``docs_a``, then those of ``docs_b``;
        those of an aligned corpus are in its order.

    Examples
    --------
    >>> from manyviews.embed import paired_corpus
    >>> into_german = {"red": "rot", "blue": "blau"}
    >>> into_english = {german: english for english, german in into_german.items()}
    >>> corpus = paired_corpus(
    ...     ["red"],
    ...     ["blau", "rot"],
    ...     lambda texts: [into_german[text] for text in texts],
    ...     lambda texts: [into_english[text] for text in texts],
    ... )
    >>> english, german = corpus
    >>> english, german
    (['red', 'blue', 'red'], ['rot', 'blau', 'rot'])
    >>> corpus.translated
    array(['b', 'a', 'a'], dtype='<U1')
    """
    check_argument("translate_ab", translate_ab, Translate)
    check_argument("translate_ba", translate_ba, Translate)
    check_argument("halves", halves, Literal["first", "random"] | None)
    check_argument("random_state", random_state, RandomState)
    written_a, written_b = _as_list(docs_a, "docs_a"), _as_list(docs_b, "docs_b")
    in_a, rows = _written_in_a(len(written_a), len(written_b), halves, random_state)
    sources = [
        (written_a if first else written_b)[row] for first, row in zip(in_a, rows, strict=True)
    ]
    made = _translations(sources, in_a, translate_ab, translate_ba)
    sides = list(zip(sources, made, in_a, strict=True))
    return PairedCorpus(
        [source if first else translation for source, translation, first in sides],
        [translation if first else source for source, translation, first in sides],
        np.where(in_a, "b", "a"),
        rows,
    )


def _written_in_a(
    n_a: int, n_b: int, halves: str | None, random_state: RandomState
) -> tuple[AnyArray, IntArray]:
    """For each pair, whether its written text is of the first collection, and its row there."""
    if halves is None:
        return np.repeat([True, False], [n_a, n_b]), np.r_[np.arange(n_a), np.arange(n_b)]
    if n_a != n_b:
        raise ValueError(
            f"docs_a has {n_a} texts and docs_b {n_b}, but halves={halves!r} is for an aligned "
            "corpus; give each text in both languages, or leave halves out."
        )
    in_a = np.arange(n_a) < (n_a + 1) // 2
    if halves == "random":
        generator(random_state).shuffle(in_a)
    return in_a, np.arange(n_a)


def _translations(
    sources: list[str], in_a: AnyArray, translate_ab: Translate, translate_ba: Translate
) -> list[str]:
    made = [""] * len(sources)
    for chosen, translate, name in (
        (in_a, translate_ab, "translate_ab"),
        (~in_a, translate_ba, "translate_ba"),
    ):
        places = np.flatnonzero(chosen).tolist()
        if places:
            found = _as_list(translate([sources[place] for place in places]), f"what {name} gave")
            if len(found) != len(places):
                raise ValueError(
                    f"{name} gave {len(found)} texts for {len(places)}; "
                    "it must give one translation for each text."
                )
            for place, text in zip(places, found, strict=True):
                made[place] = text
    return made


def _as_list(texts: Any, name: str) -> list[str]:
    if isinstance(texts, str):
        raise ValueError(f"{name} is one string; give a list of texts.")
    listed = list(texts)
    for row, text in enumerate(listed):
        if not isinstance(text, str):
            raise ValueError(
                f"{name} has {type(text).__name__} at position {row}; give strings only."
            )
    return listed
