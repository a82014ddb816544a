"""Search across views: index objects by some of their views, ask by others [@fortuna2005]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from manyviews.base import BaseMultiViewTransformer, ViewTags, check_argument, check_params
from manyviews.data import Views, in_row_order
from manyviews.embed._retrieval._keywords import Vocabulary, keyword_queries, learn_vocabulary
from manyviews.embed._retrieval._placing import (
    Embedding,
    OnEmbedding,
    fit_embedding,
    place,
    seen_alone,
)
from manyviews.embed._retrieval._search import (
    Metric,
    Points,
    Standing,
    as_points,
    mate_standing,
    nearest,
)
from manyviews.exceptions import UnknownViewError, ViewsError
from manyviews.typing import AnyArray, Count, FloatArray, IntArray, ViewsLike


@dataclass(frozen=True)
class Retrieved:
    """What a search found: one row per query, the best object first."""

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
