"""Search across views: index objects by some of their views, ask by others [@fortuna2005]."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from manyviews.base import BaseMultiViewTransformer, ViewTags, check_argument, check_params
from manyviews.data import Views, in_row_order
from manyviews.embed.retrieval._shared import (
    Embedding,
    OnEmbedding,
    fit_embedding,
    place,
    seen_alone,
)
from manyviews.exceptions import UnknownViewError, ViewsError
from manyviews.maths import row_blocks, unit_length
from manyviews.typing import (
    AnyArray,
    BoolArray,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    ViewsLike,
    is_sparse,
)

__all__ = ["CrossViewRetriever", "Retrieved", "keyword_queries"]

# Exact search among points: the nearest of each query, and where its mate stands ------------------
#
# Every score is such that larger is nearer: the cosine, the inner product, minus the distance.

Metric: TypeAlias = Literal["cosine", "euclidean", "dot"]

BLOCK_ENTRIES = 1 << 22
"""How many scores are held at a time, 32 MB, so that memory does not grow with the queries."""

ROUNDING = 64 * np.finfo(np.float64).eps
"""Scores of one query that differ by less than this share of the largest possible are equal."""


@dataclass(frozen=True)
class Points:
    """Objects to be searched: where they are, and how far from the origin."""

    coordinates: FloatArray = field(repr=False)
    lengths: FloatArray = field(repr=False)


@dataclass(frozen=True)
class Nearest:
    """The best objects of each query (row), the best first; equal ones in order of position."""

    indices: IntArray
    scores: FloatArray


@dataclass(frozen=True)
class Standing:
    """How many objects stand before each query's mate, and how many beside it."""

    better: IntArray
    tied: IntArray
    """Objects with the score of the mate, itself included."""

    @property
    def ranks(self) -> FloatArray:
        """Mean rank of the mate when ties are broken by chance; 1 is best."""
        return self.better + (self.tied + 1) / 2

    def found(self, n: int) -> FloatArray:
        """Probability that the mate is among the first ``n`` when ties are broken by chance."""
        return np.clip((n - self.better) / self.tied, 0.0, 1.0)


def as_points(coordinates: FloatArray) -> Points:
    """Coordinates as doubles, with their lengths.

    Examples
    --------
    >>> as_points(np.array([[3.0, 4.0]])).lengths
    array([5.])
    """
    found = np.asarray(coordinates, dtype=np.float64)
    return Points(found, np.sqrt(np.einsum("od,od->o", found, found)))


def nearest(queries: FloatArray, objects: Points, k: int, metric: Metric) -> Nearest:
    """Find the ``k`` objects nearest to each query; all of them if there are fewer.

    Examples
    --------
    >>> found = nearest(np.array([[1.0, 0.1]]), as_points(np.eye(2)), 1, "cosine")
    >>> found.indices, found.scores.round(3)
    (array([[0]]), array([[0.995]]))
    """
    k = min(k, len(objects.lengths))
    queries = _asking(queries, metric)
    indices = np.empty((len(queries), k), dtype=np.intp)
    scores = np.empty((len(queries), k))
    for part, block in _score_blocks(queries, objects, metric):
        indices[part] = largest(block, k)
        scores[part] = np.take_along_axis(block, indices[part], axis=1)
    if metric == "euclidean":  # without the rounding of a difference of squares
        for part in row_blocks(len(queries), max(1, BLOCK_ENTRIES // (k * queries.shape[1] + 1))):
            gaps = queries[part, None, :] - objects.coordinates[indices[part]]
            scores[part] = -np.sqrt(np.einsum("qkd,qkd->qk", gaps, gaps))
    return _in_order(indices, scores)


def mate_standing(
    queries: FloatArray, objects: Points, mates: IntArray, metric: Metric
) -> Standing:
    """Say where each query's mate, an object, stands among all objects.

    Scores within rounding of the mate's count as equal to it.

    Examples
    --------
    >>> mate_standing(np.eye(3)[:2], as_points(np.eye(3)), np.array([0, 2]), "cosine").ranks
    array([1. , 2.5])
    """
    queries = _asking(queries, metric)
    better = np.empty(len(queries), dtype=np.intp)
    tied = np.empty(len(queries), dtype=np.intp)
    margins = ROUNDING * _largest_possible(queries, objects, metric)
    for part, block in _score_blocks(queries, objects, metric):
        own = np.take_along_axis(block, mates[part, None], axis=1)
        margin = margins[part, None]
        better[part] = np.count_nonzero(block > own + margin, axis=1)
        tied[part] = np.count_nonzero(block >= own - margin, axis=1) - better[part]
    return Standing(better, tied)


def largest(block: FloatArray, k: int) -> IntArray:
    """Columns of the ``k`` largest of each row in any order; among equals the first ones.

    Examples
    --------
    >>> largest(np.array([[2.0, 1.0, 2.0, 2.0]]), 2)
    array([[0, 2]])
    """
    if k == block.shape[1]:
        return np.broadcast_to(np.arange(k), block.shape)
    found = np.argpartition(block, -k, axis=1)[:, -k:]
    edge = np.take_along_axis(block, found, axis=1).min(axis=1, keepdims=True)
    crowded: BoolArray = np.count_nonzero(block >= edge, axis=1) > k
    if crowded.any():
        found[crowded] = np.argsort(-block[crowded], axis=1, kind="stable")[:, :k]
    return found


def _asking(coordinates: FloatArray, metric: Metric) -> FloatArray:
    points = np.asarray(coordinates, dtype=np.float64)
    return unit_length(points) if metric == "cosine" else points


def _score_blocks(
    queries: FloatArray, objects: Points, metric: Metric
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield scores of some queries (rows) with all objects; for distances half of |q|² - d²."""
    lengths = objects.lengths
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    for part in row_blocks(len(queries), max(1, BLOCK_ENTRIES // max(len(lengths), 1))):
        block = queries[part] @ objects.coordinates.T
        if metric == "cosine":
            block *= inverse  # "nearest neighbour with cosine distance to the query", section 4.1
        elif metric == "euclidean":
            block -= lengths**2 / 2
        yield part, block


def _largest_possible(queries: FloatArray, objects: Points, metric: Metric) -> FloatArray:
    lengths = np.sqrt(np.einsum("qd,qd->q", queries, queries))
    longest = 1.0 if metric == "cosine" else float(objects.lengths.max())
    return lengths * longest + (longest**2 / 2 if metric == "euclidean" else 0.0)


def _in_order(indices: IntArray, scores: FloatArray) -> Nearest:
    order = np.lexsort((indices, -scores), axis=1)
    return Nearest(
        np.take_along_axis(indices, order, axis=1), np.take_along_axis(scores, order, axis=1)
    )


# Queries of few words: the heaviest of a document, or those that a person types -------------------

TABLE_ENTRIES = 1 << 20
"""How large a table of entries, one row per document, is made at a time: 8 MB."""

EDGES = "\"'“”‘’«»()[]{}.,;:!?…"
"""Signs that may stand around a word without being part of it."""


def keyword_queries(matrix: Any, n_keywords: int, *, keep_length: bool = True) -> Any:
    """Keep the heaviest words of each document: the ``n_keywords`` largest entries of each row.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_documents, n_words)
        Weights of words, such as tf-idf; entries of zero or less are never keywords.
    n_keywords : int
        How many to keep; a row with fewer positive entries keeps those. Among equal weights the
        words that come first are kept.
    keep_length : bool
        Bring each row back to the Euclidean length that it had, so that a query is placed like a
        document of these words; methods that centre the views would take it for a faint one.

    Returns
    -------
    array or csr_array, as given
        The weights at the keywords and zero elsewhere.

    Examples
    --------
    >>> keyword_queries(np.array([[0.1, 0.7, 0.0, 0.7, 0.2]]), 2, keep_length=False)
    array([[0. , 0.7, 0. , 0.7, 0. ]])
    """
    check_argument("n_keywords", n_keywords, Count)
    check_argument("keep_length", keep_length, bool)
    weights = sparse.csr_array(matrix, copy=True)
    weights.sum_duplicates()
    lengths = _lengths(weights)
    weights.data[~_heaviest(weights, n_keywords)] = 0
    weights.eliminate_zeros()
    if keep_length:
        weights.data *= np.repeat(lengths, np.diff(weights.indptr)) / _lengths_by_entry(weights)
    return weights if is_sparse(matrix) else weights.toarray()


def _heaviest(weights: sparse.csr_array, count: int) -> BoolArray:
    """Which stored entries are among the so many largest of their row, and positive."""
    kept = weights.data > 0
    lengths = np.diff(weights.indptr)
    longest = max(int(lengths.max(initial=0)), count, 1)
    for part in row_blocks(len(lengths), max(1, TABLE_ENTRIES // longest)):
        stored = np.arange(longest) < lengths[part, None]
        entries = slice(weights.indptr[part.start], weights.indptr[part.stop])
        table = np.full(stored.shape, -np.inf)
        table[stored] = weights.data[entries]
        chosen = np.zeros(stored.shape, dtype=bool)
        np.put_along_axis(chosen, largest(table, count), True, axis=1)
        kept[entries] &= chosen[stored]
    return kept


@dataclass(frozen=True)
class Vocabulary:
    """The words of a view, and how much each weighs where it occurs."""

    words: AnyArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    """Mean of the entries of each word that are not zero; zero for a word that never occurs."""
    length: float
    """Mean length of the rows, which the row of a query gets too."""

    def counts(self, texts: Sequence[str]) -> sparse.csr_array:
        """How often each word is in each text; what is not in the vocabulary is passed over."""
        columns = {str(word): column for column, word in enumerate(self.words.tolist())}
        folded = {word.casefold(): column for word, column in reversed(columns.items())}
        known = {**folded, **columns}
        longest = 1 + max((word.count(" ") for word in columns), default=0)
        found = [Counter(_known_terms(text, known, longest)) for text in texts]
        ends = np.cumsum([0, *(len(counter) for counter in found)])
        indices = [column for counter in found for column in counter]
        values = [float(count) for counter in found for count in counter.values()]
        shape = (len(found), len(self.words))
        return sparse.csr_array((values, np.array(indices, dtype=np.intp), ends), shape=shape)

    def rows(self, texts: Sequence[str]) -> sparse.csr_array:
        """Rows of the view that the texts stand for, as long as its rows are on average."""
        rows = sparse.csr_array(self.counts(texts).multiply(self.weights))
        rows.eliminate_zeros()
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows.data *= np.repeat(
            self.length / lengths[lengths > 0], np.diff(rows.indptr)[lengths > 0]
        )
        return rows


def learn_vocabulary(words: AnyArray, rows: Matrix) -> Vocabulary:
    """Learn what words weigh from the observed rows of a view."""
    entries = sparse.csr_array(rows, dtype=np.float64)
    entries.eliminate_zeros()
    documents = np.bincount(entries.indices, minlength=len(words))
    totals = np.bincount(entries.indices, weights=entries.data, minlength=len(words))
    weights = totals / np.maximum(documents, 1)
    return Vocabulary(np.asarray(words), weights, float(_lengths(entries).mean()))


def _lengths(rows: sparse.csr_array) -> FloatArray:
    return np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())


def _lengths_by_entry(rows: sparse.csr_array) -> FloatArray:
    """Length of the row that each stored entry stands in."""
    return np.repeat(_lengths(rows), np.diff(rows.indptr))


def _known_terms(text: str, known: Mapping[str, int], longest: int) -> Iterator[int]:
    """Columns of the words of a text, and of its runs of words where the vocabulary has such."""
    words = list(_words(text, known))
    for count in range(1, longest + 1):
        for start in range(len(words) - count + 1):
            column = _column(" ".join(words[start : start + count]), known)
            if column is not None:
                yield column


def _words(text: str, known: Mapping[str, int]) -> Iterator[str]:
    """Words between blanks; one that is not known falls into its letters and digits."""
    for chunk in text.split():
        word = chunk.strip(EDGES)
        if _column(word, known) is not None:
            yield word
        else:
            yield from re.findall(r"\w+", word)


def _column(word: str, known: Mapping[str, int]) -> int | None:
    return known.get(word, known.get(word.casefold()))


# The estimator ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Retrieved:
    """Objects found: one row per query, the best first."""

    indices: IntArray
    """Positions among the indexed objects."""
    scores: FloatArray
    """Larger is nearer: the cosine, the inner product, or minus the distance."""
    ids: AnyArray
    """Names of the objects found."""


class CrossViewRetriever(OnEmbedding, BaseMultiViewTransformer):
    """Find objects seen in one view by asking in another: French documents by English words.

    Take it to search: it works on any embedding of this package, and a query may be rows of a
    view or words.

    Parameters
    ----------
    embedding : transformer, optional
        Maps views into one space, objects with views missing too: ``KernelCCA``, ``CCA``, or a
        pipeline that ends in one. By default ``KernelCCA(d)`` with d half of what two views can
        span, from 2 to 100. A fitted one is used as it is when it comes in scikit-learn's
        ``FrozenEstimator``; ``fit`` then takes objects with some of its views.
    metric : "cosine", "euclidean" or "dot"
        What nearness is.

    Attributes
    ----------
    embedding_ : transformer
        The fitted embedding.
    points_ : Points
        Where the indexed objects are: ``coordinates``, one row for each, and their ``lengths``.
    ids_ : array of shape (n_indexed,)
        Their names, or their row numbers.
    vocabularies_ : dict
        By view that has names of features: its words and what they weigh.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfTransformer
    >>> from manyviews import PerView, datasets
    >>> from manyviews.embed import CrossViewRetriever, KernelCCA
    >>> views, topics = datasets.make_bilingual_topics(300, random_state=0)
    >>> views = PerView(TfidfTransformer()).fit_transform(views)
    >>> search = CrossViewRetriever(KernelCCA(n_components=10)).fit(views[:200])
    >>> found = search.index({"fr": views["fr"][200:]}).query({"en": views["en"][200:203]}, k=4)
    >>> topics[200:203]
    array([1, 3, 2])
    >>> topics[200:][found.indices]
    array([[1, 1, 1, 1],
           [3, 3, 3, 3],
           [2, 2, 2, 2]])
    >>> hits = search.query_words("salmon fishing", "en", k=4)
    >>> topics[200:][hits.indices]
    array([[0, 0, 0, 0]])

    Notes
    -----
    **Objective**
        For a query q and every indexed object x, both placed in the common space by whatever views
        they show, the score s(q, x): their cosine (or inner product, or minus their distance). The
        k objects with the largest scores are returned, exactly. [@fortuna2005], section 4.1, takes
        the cosine in the space of kernel CCA.

    **Symbols**
        W, the semantic space → what ``embedding`` transforms into; Top n → ``top_n_accuracy``; mate
        → the same object by its ``target`` view.

    **Algorithm**
        1. ``fit_embedding``: learn the space from objects with several views.
        2. ``place``: put the objects to be searched into it, in ``fit`` those it learnt from.
        3. ``nearest``: scores by one matrix product per block of queries, the best k by selection.

    **Deviations**
        The paper does not say what happens to ties. In ``query`` the object indexed first comes
        first; in ``top_n_accuracy`` a mate that is tied counts with the probability that it is
        among the first n when ties are broken by chance. Typed words have no tf-idf weights of
        their own: each gets the mean weight that it has in the documents that have it, and the row
        the mean length of the documents. A query of keywords gets the length of its document, since
        a space that is centred would take it for a faint one.

    **Complexity**
        A query costs O(n d) for n indexed objects in d dimensions; memory is that of the
        coordinates and of one block of 4 million scores, whatever the number of queries.

    An object must show at least one view. One that is placed at the origin, which has no direction,
    has the cosine 0 with everything. With one view alone it searches within that view.

    References
    ----------
    [@fortuna2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    embedding_: Any
    points_: Points
    ids_: AnyArray
    vocabularies_: dict[str, Vocabulary]

    def __init__(self, embedding: Embedding | None = None, *, metric: Metric = "cosine") -> None:
        self.embedding = embedding
        self.metric = metric

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Learn the common space from objects with several views, and index these objects."""
        views = self._fit_views(X)
        self.embedding_ = fit_embedding(self.embedding, views, y)
        self.vocabularies_ = dict(_vocabularies(views))
        return self._index(views, None)

    def index(self, X: ViewsLike, ids: Sequence[Any] | AnyArray | None = None) -> Self:
        """Search other objects from now on, placed by whatever views they show.

        Parameters
        ----------
        X : views
            Some of the views of ``fit``, such as ``{"fr": documents}``.
        ids : sequence, optional
            Names of the objects; by default those that the views have, else row numbers.

        Returns
        -------
        CrossViewRetriever
            Itself.
        """
        return self._index(self._new_views(X), ids)

    def query(self, X: ViewsLike, k: int = 10) -> Retrieved:
        """Find the ``k`` indexed objects nearest to each object, all of them if there are fewer."""
        check_argument("k", k, Count)
        return self._search(self.transform(X), k)

    def query_words(self, texts: str | Sequence[str], view: str, k: int = 10) -> Retrieved:
        """Find the ``k`` indexed objects nearest to a text, or to each of several.

        Words are matched to the feature names of a view, exactly or else but for upper and lower
        case; words that it does not have are passed over. A word counts as often as it is in the
        text, with the mean weight that it has in the documents of ``fit`` that have it, and the
        query is made as long as these documents are on average.
        """
        check_argument("texts", texts, str | Sequence[str])
        texts = [texts] if isinstance(texts, str) else list(texts)
        rows = self._vocabulary(view).rows(texts)
        unread = np.flatnonzero(np.diff(rows.indptr) == 0)
        if len(unread):
            raise ViewsError(
                f"no word of the query {texts[unread[0]]!r} is known in view {view!r}; use words "
                f"that its documents have, like {self._example_words(view)}."
            )
        return self.query({view: rows}, k)

    def mate_ranks(
        self, X: ViewsLike, query: str, target: str, *, n_keywords: int | None = None
    ) -> FloatArray:
        """Rank of each object by its view ``target`` when it is asked for by its view ``query``.

        Every object that shows ``target`` is searched; what is indexed is neither used nor changed.

        Parameters
        ----------
        X : views
            Objects with both views.
        query, target : str
            Views to ask by and to search; the same view makes sense with ``n_keywords``.
        n_keywords : int, optional
            Ask by the so many largest entries of each row only: see :func:`keyword_queries`.

        Returns
        -------
        array of shape (n_objects,)
            1 is best; the mean of the ranks that ties allow; NaN for an object that lacks one of
            the two views.
        """
        views = self._new_views(X)
        ranks = np.full(len(views), np.nan)
        rows, standing = self._mates(views, query, target, n_keywords)
        ranks[rows] = standing.ranks
        return ranks

    def top_n_accuracy(
        self,
        X: ViewsLike,
        query: str,
        target: str,
        n: int | Iterable[int] = (1, 10),
        *,
        n_keywords: int | None = None,
    ) -> dict[int, float]:
        """Share of the objects whose mate is among the first ``n`` found, for each ``n``.

        A mate that is tied with others counts with the probability that it is among the first
        ``n`` when ties are broken by chance. Parameters are those of :meth:`mate_ranks`.
        """
        numbers = list(n) if isinstance(n, Iterable) else [n]
        for number in numbers:
            check_argument("n", number, Count)
        _, standing = self._mates(self._new_views(X), query, target, n_keywords)
        return {int(number): float(standing.found(number).mean()) for number in numbers}

    def transform(self, X: ViewsLike) -> FloatArray:
        """Coordinates of the objects in the common space."""
        views = self._new_views(X)
        return place(self.embedding_, views)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the coordinates: those of the embedding, if it names them."""
        check_is_fitted(self)
        if hasattr(self.embedding_, "get_feature_names_out"):
            return np.asarray(self.embedding_.get_feature_names_out(), dtype=object)
        width = self.points_.coordinates.shape[1]
        return np.array([f"coordinate{i}" for i in range(width)], dtype=object)

    def _index(self, views: Views, ids: Sequence[Any] | AnyArray | None) -> Self:
        own = views.sample_ids
        given = own if ids is None else np.asarray(in_row_order(ids, own, "ids"))
        names = np.arange(len(views)) if given is None else given
        if names.shape != (len(views),):
            raise ViewsError(
                f"ids has shape {names.shape} for {len(views)} objects; give one id per object."
            )
        self.points_ = as_points(place(self.embedding_, views))
        self.ids_ = names
        return self

    def _search(self, points: FloatArray, k: int) -> Retrieved:
        check_params(self)
        found = nearest(points, self.points_, k, self.metric)
        return Retrieved(found.indices, found.scores, self.ids_[found.indices])

    def _mates(
        self, views: Views, query: str, target: str, n_keywords: int | None
    ) -> tuple[IntArray, Standing]:
        """Objects with both views, and how their mates stand among those with the target."""
        check_params(self)
        both = views.observed_in(query) & views.observed_in(target)
        if not both.any():
            raise ViewsError(
                f"no object shows both {query!r} and {target!r}, so there are no mates to find; "
                "give pairs."
            )
        candidates, searched = seen_alone(views, target)
        _, asking = seen_alone(views[both], query)
        if n_keywords is not None:
            asking = _by_keywords(asking, query, n_keywords)
        standing = mate_standing(
            place(self.embedding_, asking),
            as_points(place(self.embedding_, searched)),
            np.searchsorted(candidates, np.flatnonzero(both)),
            self.metric,
        )
        return np.flatnonzero(both), standing

    def _vocabulary(self, view: str) -> Vocabulary:
        check_is_fitted(self)
        if view not in self.view_names_:
            known = ", ".join(map(repr, self.view_names_))
            raise UnknownViewError(f"there is no view {view!r}; the views are {known}.")
        if view not in self.vocabularies_:
            raise ViewsError(
                f"the features of view {view!r} had no names in fit, so words cannot be matched to "
                "them; fit on Views with feature_names, or use query with rows of that view."
            )
        return self.vocabularies_[view]

    def _example_words(self, view: str) -> str:
        vocabulary = self.vocabularies_[view]
        heaviest = np.argsort(-vocabulary.weights, kind="stable")[:3]
        return ", ".join(repr(str(word)) for word in vocabulary.words[heaviest])


def _vocabularies(views: Views) -> Iterator[tuple[str, Vocabulary]]:
    for name, words in views.feature_names.items():
        seen = views.observed_in(name)
        if seen.any():
            yield name, learn_vocabulary(words, views[name][seen])


def _by_keywords(views: Views, name: str, n_keywords: int) -> Views:
    matrices = dict(views.items())
    return Views(
        {**matrices, name: keyword_queries(matrices[name], n_keywords)},
        observed=views.observed,
        feature_names=views.feature_names,
    )
