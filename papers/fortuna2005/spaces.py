"""Common spaces of pairs that people translated, or that a translator of words made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from manyviews.typing import FloatArray, Matrix
from papers.fortuna2005.data import (
    LANGUAGES,
    Texts,
    Weights,
    debates,
    laws,
    rows_of,
)

if TYPE_CHECKING:
    from manyviews.embed import KernelCCA, WordTranslator

Teacher = Literal["debates", "laws", "debates, one way"]
"""What a translator learns from: debates that serve nothing else, or laws."""


@dataclass(frozen=True)
class Space:
    """A fitted common space of which leading dimensions can be taken."""

    model: KernelCCA

    def place(self, rows: dict[str, Any]) -> dict[str, FloatArray]:
        """Where documents are, by language."""
        return self.model.transform_views(rows)


def learn_space(
    pairs: dict[str, Matrix], n_components: int, *, tau: float = 0.5, cholesky_tol: float = 0.4
) -> Space:
    """Kernel canonical correlation with a linear kernel, as in the paper."""
    from manyviews.embed import KernelCCA

    return Space(KernelCCA(n_components, "linear", tau, cholesky_tol).fit(pairs))


@cache
def translator(teacher: Teacher, folder: str) -> WordTranslator:
    """Train a translator, once."""
    from manyviews.embed import WordTranslator

    if teacher == "laws":
        texts = laws(folder).texts
    else:
        known = debates(folder)
        texts = rows_of(known.texts, known.rest)
    made = WordTranslator(symmetric=teacher != "debates, one way", strip_accents="unicode")
    return made.fit(*(texts[language].tolist() for language in LANGUAGES))


def half_translated(texts: Texts, teacher: WordTranslator, seed: int) -> Texts:
    """Keep a random half of aligned texts in each language and translate it into the other."""
    from manyviews.embed import paired_corpus

    english, french = (texts[language].tolist() for language in LANGUAGES)
    made = paired_corpus(
        english,
        french,
        teacher.translate_ab,
        teacher.translate_ba,
        halves="random",
        random_state=seed,
    )
    return dict(zip(LANGUAGES, (np.array(side, dtype=object) for side in made), strict=True))


def weighed(weights: Weights, texts: Texts) -> dict[str, Matrix]:
    """Rows of texts by language, as views."""
    return dict(weights(texts))


def unit(points: FloatArray) -> FloatArray:
    """Points at unit length; one at the origin stays there."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return points / np.where(lengths > 0, lengths, 1.0)
