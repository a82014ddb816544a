"""Search across views: exact against brute force, fair to ties, and good on two languages."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import PerView, Views, datasets
from manyviews.app.model import load_model, save_model
from manyviews.base import BaseMultiViewTransformer
from manyviews.embed import (
    CCA,
    CrossViewClassifier,
    CrossViewRetriever,
    KernelCCA,
    keyword_queries,
)
from manyviews.embed.canonical._shared import CommonSpace
from manyviews.embed.retrieval.retriever import (
    as_points,
    learn_vocabulary,
    mate_standing,
    nearest,
)
from manyviews.exceptions import (
    ParameterError,
    UnknownViewError,
    UnobservedViewsError,
    ViewsError,
)

METRICS = ("cosine", "euclidean", "dot")


class AsTheyAre(CommonSpace):
    """A common space for views that live in one already: every view is its own coordinates."""

    def fit(self, X, y=None):
        views = self._fit_views(X)
        self.correlations_ = np.ones(views.layout.widths[0])
        return self

    def _place(self, name, rows):
        return rows.toarray() if sparse.issparse(rows) else rows


def points(rng, n, d=4):
    return rng.normal(size=(n, d))


def brute_force(queries, objects, metric):
    """Every score by definition, larger is nearer."""
    if metric == "euclidean":
        return -cdist(queries, objects)
    if metric == "dot":
        return queries @ objects.T
    return 1 - cdist(queries, objects, "cosine")


@pytest.fixture(scope="module")
def bilingual():
    """Documents in two languages, weighted by tf-idf: those to learn from, and new ones."""
    views, y = datasets.make_bilingual_topics(360, random_state=3)
    weighted = PerView(TfidfTransformer()).fit_transform(views)
    search = CrossViewRetriever(KernelCCA(20)).fit(weighted[:240])
    return SimpleNamespace(
        known=weighted[:240], new=weighted[240:], y=y[:240], new_y=y[240:], search=search
    )


# -- the search itself ---------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), k=st.integers(1, 50))
@settings(deadline=None, max_examples=20)
def test_rankings_are_those_of_brute_force(metric, seed, n, k):
    rng = np.random.default_rng(seed)
    queries, objects = points(rng, 7), points(rng, n)
    found = nearest(queries, as_points(objects), k, metric)
    scores = brute_force(queries, objects, metric)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    assert np.array_equal(found.indices, order)
    assert np.allclose(found.scores, np.take_along_axis(scores, order, axis=1), atol=1e-12)


def test_neighbours_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    queries, objects = points(rng, 30, 6), points(rng, 200, 6)
    found = nearest(queries, as_points(objects), 5, "euclidean")
    distances, indices = NearestNeighbors(n_neighbors=5).fit(objects).kneighbors(queries)
    assert np.array_equal(found.indices, indices)
    assert np.allclose(-found.scores, distances)


@pytest.mark.parametrize("metric", METRICS)
def test_blocks_do_not_matter(metric, monkeypatch):
    rng = np.random.default_rng(1)
    queries, objects = points(rng, 23), as_points(points(rng, 50))
    mates = rng.integers(50, size=23)
    whole = nearest(queries, objects, 6, metric)
    ranks = mate_standing(queries, objects, mates, metric).ranks
    for entries in (1, 170, 1000):
        monkeypatch.setattr("manyviews.embed.retrieval.retriever.BLOCK_ENTRIES", entries)
        parts = nearest(queries, objects, 6, metric)
        assert np.array_equal(parts.indices, whole.indices)
        assert np.allclose(parts.scores, whole.scores, atol=1e-14)
        assert np.array_equal(mate_standing(queries, objects, mates, metric).ranks, ranks)


@pytest.mark.parametrize("metric", METRICS)
def test_equal_objects_come_in_the_order_of_the_index(metric):
    objects = as_points(np.repeat([[1.0, 0.0], [0.0, 1.0]], [5, 5], axis=0))
    found = nearest(np.array([[1.0, 0.5]]), objects, 7, metric)
    assert found.indices.tolist() == [[0, 1, 2, 3, 4, 5, 6]]
    assert nearest(np.array([[0.5, 1.0]]), objects, 2, metric).indices.tolist() == [[5, 6]]


def test_a_query_without_direction_has_the_cosine_zero_with_everything():
    found = nearest(np.zeros((1, 2)), as_points(np.eye(2)), 2, "cosine")
    assert found.indices.tolist() == [[0, 1]]
    assert found.scores.tolist() == [[0.0, 0.0]]
    void = nearest(np.array([[1.0, 0.0]]), as_points(np.array([[0.0, 0.0], [-1, 0]])), 2, "cosine")
    assert void.indices.tolist() == [[0, 1]]
    assert void.scores.tolist() == [[0.0, -1.0]]


def test_distances_of_points_far_from_the_origin_are_exact():
    objects = 1e6 + np.arange(5.0)[:, None] * [1.0, 0.0]
    found = nearest(objects[2:3], as_points(objects), 3, "euclidean")
    assert found.indices.tolist() == [[2, 1, 3]]
    assert found.scores.tolist() == [[0.0, -1.0, -1.0]]


# -- mates ---------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), levels=st.integers(1, 4))
@settings(deadline=None, max_examples=30)
def test_ties_count_as_they_do_on_average_over_orders(seed, levels):
    rng = np.random.default_rng(seed)
    objects = rng.integers(levels, size=(12, 2)).astype(float)  # many of them equal
    queries = rng.integers(levels, size=(5, 2)).astype(float)
    mates = rng.integers(12, size=5)
    standing = mate_standing(queries, as_points(objects), mates, "euclidean")
    distances = cdist(queries, objects)
    for row, mate in enumerate(mates):
        assert standing.ranks[row] == rankdata(distances[row], method="average")[mate]
        first = rankdata(distances[row], method="min")[mate]
        last = rankdata(distances[row], method="max")[mate]
        for n in (1, 3, 12):
            share = np.mean(np.arange(first, last + 1) <= n)
            assert standing.found(n)[row] == pytest.approx(share)


def test_mates_in_a_space_without_any_information_are_found_by_chance():
    views = {"a": np.ones((20, 2)), "b": np.ones((20, 2))}
    search = CrossViewRetriever(AsTheyAre()).fit(views)
    found = search.top_n_accuracy(views, "a", "b", n=(1, 5, 20))
    assert found == pytest.approx({1: 0.05, 5: 0.25, 20: 1.0})
    assert (search.mate_ranks(views, "a", "b") == 10.5).all()


@pytest.mark.parametrize("embedding", [CCA(3), KernelCCA(3)])
def test_mates_of_identical_views_are_always_first(embedding):
    matrix = points(np.random.default_rng(2), 40)
    views = {"one": matrix, "other": matrix.copy()}
    search = CrossViewRetriever(embedding).fit(views)
    assert search.top_n_accuracy(views, "one", "other", n=1) == {1: 1.0}
    assert (search.mate_ranks(views, "one", "other") == 1).all()


def test_ranks_of_mates_are_those_of_brute_force_where_views_are_missing():
    rng = np.random.default_rng(3)
    observed = np.ones((30, 2), dtype=bool)
    observed[[2, 5], 0] = observed[[7, 9, 11], 1] = False
    views = Views({"a": points(rng, 30), "b": points(rng, 30)}, observed=observed)
    search = CrossViewRetriever(AsTheyAre()).fit(views)
    ranks = search.mate_ranks(views, "a", "b")
    scores = brute_force(views["a"], views["b"], "cosine")
    for row in range(30):
        if observed[row].all():
            others = scores[row, observed[:, 1]]
            assert ranks[row] == 1 + (others > scores[row, row]).sum()
        else:
            assert np.isnan(ranks[row])
    share = np.nanmean(np.where(np.isnan(ranks), np.nan, ranks <= 5))
    assert search.top_n_accuracy(views, "a", "b", n=5)[5] == pytest.approx(share)


def test_looking_for_mates_leaves_the_index_alone(bilingual):
    before = bilingual.search.query(bilingual.new[:4], k=3).indices
    bilingual.search.top_n_accuracy(bilingual.new, "en", "fr")
    assert np.array_equal(bilingual.search.query(bilingual.new[:4], k=3).indices, before)


def test_mates_that_nobody_has_are_an_error():
    views = Views({"a": [[1.0, 2.0], None], "b": [None, [1.0, 2.0]]})
    search = CrossViewRetriever(AsTheyAre()).fit({"a": np.eye(2), "b": np.eye(2)})
    with pytest.raises(ViewsError, match="no object shows both 'a' and 'b'"):
        search.mate_ranks(views, "a", "b")
    with pytest.raises(UnknownViewError, match="no view 'c'"):
        search.mate_ranks(views, "a", "c")


# -- the retriever -------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_an_indexed_object_finds_itself(bilingual, metric):
    search = CrossViewRetriever(KernelCCA(20), metric=metric).fit(bilingual.known)
    found = search.query(bilingual.known, k=1)
    assert np.array_equal(found.indices[:, 0], np.arange(240))
    assert np.allclose(found.scores, 1.0 if metric == "cosine" else 0.0)


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=15)
def test_the_cosine_does_not_see_how_long_rows_are(seed):
    rng = np.random.default_rng(seed)
    search = CrossViewRetriever(AsTheyAre()).fit({"a": points(rng, 20), "b": points(rng, 20)})
    objects, queries = points(rng, 15), points(rng, 6)
    plain = search.index({"b": objects}).query({"a": queries}, k=5)
    scales = rng.uniform(0.01, 100, size=(2, 15, 1))
    scaled = search.index({"b": objects * scales[0]}).query({"a": queries * scales[1, :6]}, k=5)
    assert np.array_equal(plain.indices, scaled.indices)
    assert np.allclose(plain.scores, scaled.scores)


def test_ids_are_those_given_or_of_the_views_or_row_numbers():
    search = CrossViewRetriever(AsTheyAre()).fit({"a": np.eye(3), "b": np.eye(3)})
    assert search.query({"a": np.eye(3)}, k=1).ids.ravel().tolist() == [0, 1, 2]
    named = Views({"b": np.eye(3)}, sample_ids=["x", "y", "z"])
    assert search.index(named).query({"a": np.eye(3)}, k=1).ids.ravel().tolist() == ["x", "y", "z"]
    search.index(named, ids=["p", "q", "r"])
    assert search.query({"a": np.eye(3)[[2]]}, k=1).ids.tolist() == [["r"]]
    with pytest.raises(ViewsError, match=r"ids has shape \(2,\) for 3 objects"):
        search.index(named, ids=["p", "q"])


def test_more_than_there_are_is_all_of_them():
    search = CrossViewRetriever(AsTheyAre()).fit({"a": np.eye(3), "b": np.eye(3)})
    assert search.query({"a": np.eye(3)}, k=10).indices.shape == (3, 3)


@pytest.mark.parametrize("wrong", [0, 2.5, np.nan, "3", None, True, [1]])
def test_what_is_no_number_of_objects_is_refused(wrong):
    views = Views({"a": np.eye(3), "b": np.eye(3)}, feature_names={"a": ["x", "y", "z"]})
    search = CrossViewRetriever(AsTheyAre()).fit(views)
    with pytest.raises(ParameterError, match=r"^k=.* should be an integer of at least 1\.$"):
        search.query({"a": np.eye(3)}, k=wrong)
    with pytest.raises(ParameterError, match=r"^k=.* should be an integer of at least 1\.$"):
        search.query_words("x", "a", k=wrong)
    if wrong != [1]:
        with pytest.raises(ParameterError, match=r"^n=.* should be an integer of at least 1\.$"):
            search.top_n_accuracy(views, "a", "b", wrong)
    if wrong is not None:
        with pytest.raises(ParameterError, match=r"^n_keywords=.* should be an integer of at lea"):
            search.mate_ranks(views, "a", "b", n_keywords=wrong)


def test_texts_that_are_none_are_refused():
    views = Views({"a": np.eye(3)}, feature_names={"a": ["x", "y", "z"]})
    with pytest.raises(ParameterError, match=r"texts=\[1.5\] should be a string"):
        CrossViewRetriever(AsTheyAre()).fit(views).query_words([1.5], "a")


def test_an_unknown_metric_is_refused_also_when_it_comes_late():
    search = CrossViewRetriever(AsTheyAre()).fit({"a": np.eye(3)})
    search.set_params(metric="manhattan")
    for act in (search.fit, search.query):
        with pytest.raises(ParameterError, match="metric='manhattan' should be 'cosine', 'eucl"):
            act({"a": np.eye(3)})


def test_a_frozen_embedding_does_not_hide_wrong_parameters():
    views = {"a": np.eye(3), "b": np.eye(3)}
    frozen = FrozenEstimator(KernelCCA(1).fit(views))
    with pytest.raises(ParameterError, match="metric="):
        CrossViewRetriever(frozen, metric="manhattan").fit(views)
    with pytest.raises(ParameterError, match="by_view="):
        CrossViewClassifier(frozen, by_view="yes").fit(views, [0, 1, 0])


def test_what_does_not_give_points_is_refused():
    with pytest.raises(ValueError, match="a transformer of views with fit and transform"):
        CrossViewRetriever({"n_components": 3}).fit({"a": np.eye(3)})
    with pytest.raises(ViewsError, match="gives views and not points"):
        CrossViewRetriever(PerView(StandardScaler())).fit({"a": np.eye(3)})


@pytest.mark.parametrize(
    ("n", "widths", "dimension"),
    [(400, (300, 500), 100), (400, (30, 500), 15), (40, (300, 500), 20), (40, (3, 9), 2),
     (40, (1, 9), 1), (40, (50,), 20), (40, (3, 30, 9), 4)],
)  # fmt: skip
def test_the_usual_space_is_half_of_what_two_views_can_span(n, widths, dimension):
    rng = np.random.default_rng(0)
    search = CrossViewRetriever().fit([points(rng, n, width) for width in widths])
    assert search.points_.coordinates.shape == (n, dimension)
    assert search.get_feature_names_out()[0] == "kernelcca0"


def test_a_plain_transformer_of_views_will_do():
    class Sum(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return X["a"] + X["b"]

    views = {"a": np.eye(3), "b": np.eye(3)}
    search = CrossViewRetriever(Sum()).fit(views)
    assert search.get_feature_names_out().tolist() == ["coordinate0", "coordinate1", "coordinate2"]
    assert np.array_equal(search.transform(views), 2 * np.eye(3))


def test_a_fitted_space_stays_and_the_objects_may_show_some_of_its_views(bilingual):
    space = bilingual.search.embedding_
    frozen = CrossViewRetriever(FrozenEstimator(space)).fit({"fr": bilingual.new["fr"]})
    indexed = bilingual.search.transform({"fr": bilingual.new["fr"]})
    # Whoever hands views on hands them on shaken: the embedding's have other last digits.
    np.testing.assert_allclose(frozen.points_.coordinates, indexed, atol=1e-12)
    assert frozen.view_names_ == ("en", "fr")
    queries = {"en": bilingual.new["en"][:10]}
    place = indexed / np.linalg.norm(indexed, axis=1)[:, None]
    asked = bilingual.search.transform(queries)
    asked /= np.linalg.norm(asked, axis=1)[:, None]
    assert np.array_equal(
        frozen.query(queries, k=1).indices[:, 0], (asked @ place.T).argmax(axis=1)
    )


def test_a_fitted_pipeline_knows_its_views_too(bilingual):
    pipeline = make_pipeline(PerView(TfidfTransformer()), KernelCCA(5)).fit(bilingual.known)
    search = CrossViewRetriever(FrozenEstimator(pipeline)).fit({"fr": bilingual.new["fr"]})
    assert search.query({"en": bilingual.new["en"][:2]}, k=3).indices.shape == (2, 3)


def test_steps_before_the_space_are_taken_through_search():
    views, y = datasets.make_bilingual_topics(150, random_state=0)
    steps = make_pipeline(PerView(TfidfTransformer()), KernelCCA(8))
    search = CrossViewRetriever(steps).fit(views[:100])
    found = search.index({"fr": views["fr"][100:]}).query({"en": views["en"][100:]}, k=1)
    assert (y[100:][found.indices[:, 0]] == y[100:]).mean() > 0.8


def test_a_space_that_needs_every_view_says_so():
    class Difference(BaseMultiViewTransformer):
        def fit(self, X, y=None):
            self._fit_views(X)
            return self

        def transform(self, X):
            views = self._new_views(X)
            return views["a"] - views["b"]

    views = {"a": 2 * np.eye(3), "b": np.eye(3)}
    search = CrossViewRetriever(Difference()).fit(views)
    assert np.array_equal(search.query(views, k=1).indices[:, 0], [0, 1, 2])
    with pytest.raises(UnobservedViewsError, match="Difference needs every view"):
        search.query({"a": np.eye(3)})


def test_objects_with_gaps_lie_where_their_views_put_them(bilingual):
    both = bilingual.search.transform(bilingual.new)
    mean = [bilingual.search.transform({name: bilingual.new[name]}) for name in ("en", "fr")]
    assert np.allclose(both, np.mean(mean, axis=0))
    hidden = bilingual.new.with_observed({"en": np.arange(120) % 2 == 0})
    found = bilingual.search.transform(hidden)
    assert np.allclose(found[1::2], mean[1][1::2])
    assert np.allclose(found[::2], both[::2])


def test_single_precision_is_enough():
    rng = np.random.default_rng(5)
    views = {name: points(rng, 40) for name in ("a", "b")}
    single = {name: matrix.astype(np.float32) for name, matrix in views.items()}
    exact = CrossViewRetriever(CCA(2)).fit(views).query(views, k=3)
    rough = CrossViewRetriever(CCA(2)).fit(single).query(single, k=3)
    assert rough.scores.dtype == np.float64
    assert np.allclose(exact.scores, rough.scores, atol=1e-4)


def test_it_comes_back_from_a_file_with_index_and_words(bilingual, tmp_path):
    search = CrossViewRetriever(KernelCCA(5)).fit(bilingual.known)
    search.index({"fr": bilingual.new["fr"]}, ids=[f"doc {row}" for row in range(120)])
    save_model(search, tmp_path / "model.skops")
    again = load_model(tmp_path / "model.skops")
    for ask in (
        lambda model: model.query(bilingual.new[:5], k=4),
        lambda model: model.query_words("salmon quota", "en", k=4),
    ):
        assert np.array_equal(ask(search).ids, ask(again).ids)


# -- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_keywords_are_the_largest_entries(form):
    matrix = [[0.5, 0.0, 0.9, 0.1], [0.0, 0.0, 0.0, 0.0], [0.2, 0.2, 0.2, 0.2], [0.0, -3, 0.1, 0]]
    found = keyword_queries(form(np.array(matrix)), 2, keep_length=False)
    dense = found.toarray() if sparse.issparse(found) else found
    assert sparse.issparse(found) is sparse.issparse(form(np.array(matrix)))
    assert dense.tolist() == [[0.5, 0, 0.9, 0], [0] * 4, [0.2, 0.2, 0, 0], [0, 0, 0.1, 0]]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8))
@settings(deadline=None, max_examples=20)
def test_keywords_are_those_of_a_plain_loop_and_keep_the_length(seed, n):
    rng = np.random.default_rng(seed)
    matrix = sparse.random_array((15, 10), density=0.5, rng=rng, format="csr")
    matrix.data = np.ceil(matrix.data * 4)  # ties
    before = matrix.copy()
    found = keyword_queries(matrix, n)
    for row, kept in zip(matrix.toarray(), found.toarray(), strict=True):
        chosen = [column for column in np.argsort(-row, kind="stable")[:n] if row[column] > 0]
        expected = np.zeros(10)
        expected[chosen] = row[chosen]
        if chosen:
            expected *= np.linalg.norm(row) / np.linalg.norm(expected)
        assert np.allclose(kept, expected)
    assert (matrix != before).nnz == 0


def test_no_keywords_are_refused():
    with pytest.raises(ValueError, match="n_keywords=0 should be an integer of at least 1"):
        keyword_queries(np.eye(2), 0)


def test_words_weigh_what_they_weigh_on_average_where_they_are():
    rows = np.array([[3.0, 0.0, 4.0], [1.0, 0.0, 0.0]])
    vocabulary = learn_vocabulary(np.array(["cod", "eel", "sea"]), rows)
    assert vocabulary.weights.tolist() == [2.0, 0.0, 4.0]
    assert vocabulary.length == 3.0  # of 5 and 1
    (row,) = vocabulary.rows(["cod sea cod"]).toarray()
    assert np.allclose(row, 3.0 * np.array([4.0, 0.0, 4.0]) / np.sqrt(32))
    assert vocabulary.rows(["eel"]).nnz == 0


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Fish, fish!", [2, 0, 0, 0, 0]),
        ("the U.S. prime minister", [0, 1, 0, 1, 0]),
        ("Prime fish", [1, 0, 0, 0, 0]),
        ("MINISTER’S l'eau", [0, 1, 0, 0, 1]),
        ("well-known", [0, 0, 1, 0, 0]),
        ("unheard of", [0, 0, 0, 0, 0]),
    ],
)
def test_words_of_a_text_are_found_among_the_features(text, counts):
    words = np.array(["fish", "minister", "well-known", "prime minister", "eau"], dtype=object)
    vocabulary = learn_vocabulary(words, np.ones((2, 5)))
    assert vocabulary.counts([text]).toarray().tolist() == [counts]


def test_upper_and_lower_case_are_told_apart_where_the_features_do():
    vocabulary = learn_vocabulary(np.array(["Bill", "bill"]), np.ones((2, 2)))
    assert vocabulary.counts(["Bill bill BILL"]).toarray().tolist() == [[1, 2]]


def test_typed_words_find_documents_of_the_other_language(bilingual):
    topics = bilingual.new_y
    search = CrossViewRetriever(KernelCCA(10)).fit(bilingual.known)
    search.index({"fr": bilingual.new["fr"]})
    found = search.query_words(["salmon fishing boat", "Hospital nurse"], "en", k=5)
    assert (topics[found.indices] == [[0], [3]]).mean() >= 0.8
    one = search.query_words("salmon fishing boat", "en", k=5)
    assert np.array_equal(one.indices[0], found.indices[0])


def test_words_that_nobody_knows_are_an_error(bilingual):
    with pytest.raises(ViewsError, match="no word of the query 'zebra' is known in view 'en'"):
        bilingual.search.query_words(["fish", "zebra"], "en")
    with pytest.raises(UnknownViewError, match="no view 'de'"):
        bilingual.search.query_words("fish", "de")
    nameless = CrossViewRetriever(AsTheyAre()).fit({"a": np.eye(3)})
    with pytest.raises(ViewsError, match="had no names in fit"):
        nameless.query_words("fish", "a")


# -- does it work --------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [("en", "fr"), ("fr", "en")])
def test_mates_are_found_across_languages_far_above_chance(bilingual, pair):
    found = bilingual.search.top_n_accuracy(bilingual.new, *pair)
    assert found[1] > 0.3  # 1 in 120 by chance
    assert found[10] > 0.8
    words = bilingual.search.top_n_accuracy(bilingual.new, *pair, n_keywords=5)
    assert words[10] > 0.4
    same = bilingual.search.top_n_accuracy(bilingual.new, pair[0], pair[0], n_keywords=5)
    assert same[10] > words[10]


@pytest.mark.data
def test_mates_are_found_in_the_proceedings_of_a_parliament():
    corpus = datasets.load_parallel("hansard_en_fr")
    rows = np.random.default_rng(0).permutation(20_000)[:450]
    texts = {name: [corpus.texts[name][row] for row in rows] for name in ("en", "fr")}
    readers = {name: TfidfVectorizer(min_df=2).fit(texts[name][:300]) for name in texts}
    views = Views(
        {name: reader.transform(texts[name]) for name, reader in readers.items()},
        feature_names={name: reader.get_feature_names_out() for name, reader in readers.items()},
    )
    search = CrossViewRetriever(KernelCCA(100)).fit(views[:300])
    found = search.top_n_accuracy(views[300:], "en", "fr")
    assert found[1] > 0.7
    assert found[10] > 0.9
    search.index({"fr": views["fr"]})
    (hits,) = search.query_words("fish and fisheries on the coast", "en", k=5).indices
    assert any("pech" in texts["fr"][row].lower() for row in hits)
