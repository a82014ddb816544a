"""The translator finds dictionaries, says what it found, and keeps to its options."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer

from manyviews import datasets
from manyviews.app.model import load_model, save_model
from manyviews.embed import Lexicon, WordTranslator
from manyviews.exceptions import FileFormatError, ParameterError

ENGLISH = ["the house", "the book", "a book", "a house", "my house 7"]
FRENCH = ["la maison", "le livre", "un livre", "une maison", "ma maison 7"]


@pytest.fixture(scope="module")
def small():
    return WordTranslator(n_iter=20, token_pattern=r"\w+").fit(ENGLISH, FRENCH)


def language_pair(n_texts=600, n_words=120, length=12, noise=0.1, fillers=0, seed=0):
    """Texts over a random dictionary: other order, some words wrong, fillers from nowhere."""
    rng = np.random.default_rng(seed)
    dictionary = {f"a{i}": f"b{j}" for i, j in enumerate(rng.permutation(n_words))}
    words = list(dictionary)
    texts_a, texts_b = [], []
    for _ in range(n_texts):
        chosen = [words[i] for i in rng.integers(n_words, size=length)]
        spoken = [dictionary[word] for word in chosen]
        wrong = np.flatnonzero(rng.random(length) < noise)
        for place in wrong:
            spoken[place] = f"b{rng.integers(n_words)}"
        spoken += ["filler"] * fillers
        texts_a.append(" ".join(chosen))
        texts_b.append(" ".join(rng.permutation(spoken)))
    return dictionary, texts_a, texts_b


@pytest.mark.parametrize("symmetric", [False, True])
def test_it_finds_the_dictionary_of_a_made_up_language(symmetric):
    dictionary, texts_a, texts_b = language_pair()
    translator = WordTranslator(symmetric=symmetric).fit(texts_a, texts_b)
    assert translator.lexicon("ab").best_words() == dictionary
    assert translator.lexicon("ba").best_words() == {b: a for a, b in dictionary.items()}
    assert translator.translate_ab(["a3 a5 a3"]) == [
        f"{dictionary['a3']} {dictionary['a5']} {dictionary['a3']}"
    ]


def test_five_rounds_sharpen_what_one_round_leaves_vague():
    dictionary, texts_a, texts_b = language_pair()
    chances = [
        np.mean(
            [dict(translator.lexicon("ab").best(a, 100)).get(b, 0.0) for a, b in dictionary.items()]
        )
        for translator in (
            WordTranslator(n_iter, min_probability=0).fit(texts_a, texts_b) for n_iter in (1, 5)
        )
    ]
    assert chances[0] < 0.2 < 0.7 < chances[1]


def test_words_from_nowhere_go_to_null_and_are_left_out_the_other_way():
    dictionary, texts_a, texts_b = language_pair(length=4, fillers=1)
    translator = WordTranslator(n_iter=10).fit(texts_a, texts_b)
    assert translator.lexicon("ab").best("", 1)[0][0] == "filler"
    back = translator.lexicon("ba")
    assert back.omitted(0.5) == {"filler"}
    assert translator.translate_ba([f"filler {dictionary['a0']} filler"]) == ["a0"]
    translator.set_params(omit_above=1.0)
    assert len(translator.translate_ba(["filler"])[0]) > 0


def test_the_two_directions_are_mirrors():
    _, texts_a, texts_b = language_pair(n_texts=60)
    forth = WordTranslator().fit(texts_a, texts_b)
    back = WordTranslator(n_jobs=2).fit(texts_b, texts_a)
    assert forth.lexicon("ab").source_words == back.lexicon("ba").source_words
    one, two = forth.lexicon("ab").probabilities, back.lexicon("ba").probabilities
    np.testing.assert_array_equal(one.toarray(), two.toarray())
    np.testing.assert_array_equal(
        forth.log_likelihood_history_["ba"], back.log_likelihood_history_["ab"]
    )


def test_probabilities_sum_to_one_until_they_are_pruned(small):
    for symmetric in (False, True):
        everything = WordTranslator(
            symmetric=symmetric, min_probability=0, max_translations=None, token_pattern=r"\w+"
        ).fit(ENGLISH, FRENCH)
        np.testing.assert_allclose(everything.lexicon("ab").probabilities.sum(axis=1), 1.0)
    assert small.lexicon("ab").probabilities.data.min() >= 0.01


def test_agreement_is_the_product_of_both_directions():
    plain = WordTranslator(min_probability=0, max_translations=None).fit(ENGLISH, FRENCH)
    both = clone(plain).set_params(symmetric=True).fit(ENGLISH, FRENCH)
    ab, ba = (plain.lexicon(way).probabilities.toarray()[1:] for way in ("ab", "ba"))
    product = ab * ba.T
    expected = product / product.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(both.lexicon("ab").probabilities.toarray()[1:], expected, atol=1e-12)


def test_only_the_most_probable_translations_are_kept():
    full = WordTranslator(2, min_probability=0, max_translations=None).fit(ENGLISH, FRENCH)
    few = WordTranslator(2, min_probability=0.05, max_translations=2).fit(ENGLISH, FRENCH)
    for word in full.lexicon("ab").source_words:
        best = [pair for pair in full.lexicon("ab").best(word, 2) if pair[1] >= 0.05]
        assert few.lexicon("ab").best(word, 9) == best


def test_unknown_words_are_kept_or_dropped(small):
    assert small.translate_ab(["House, Ottawa 1984!"]) == ["maison ottawa 1984"]
    dropping = clone(small).set_params(unknown="drop").fit(ENGLISH, FRENCH)
    assert dropping.translate_ab(["House, Ottawa 1984!", "Ottawa", ""]) == ["maison", "", ""]


def test_words_may_be_given_cut_already(small):
    split = [text.split() for text in ENGLISH], [np.array(text.split()) for text in FRENCH]
    cut = WordTranslator(n_iter=20).fit(*split)
    assert cut.lexicon("ab").best("house") == small.lexicon("ab").best("house")
    assert cut.translate_ab([["house", "House"]]) == ["maison House"]


def test_accents_are_folded_on_request():
    pairs = ["salmon fishing", "fishing boats"], ["Peche au saumon", "bateaux de peche"]
    folding = WordTranslator(strip_accents="unicode").fit(*pairs)
    assert folding.translate_ba(["pêche"]) == ["fishing"]
    assert WordTranslator().fit(*pairs).translate_ba(["pêche"]) == ["pêche"]


def test_a_tokenizer_of_ones_own():
    letters = WordTranslator(tokenizer=list).fit(["xy", "xx"], ["pq", "pp"])
    assert letters.translate_ab(["yx"]) == ["q p"]


def test_expected_counts_are_the_counts_times_the_probabilities(small):
    lexicon = small.lexicon("ab")
    words = ["house", "book", "ottawa", "the"]
    counts = np.array([[2.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 3.0]])
    found = small.translate_counts(counts, words).toarray()
    rows = [lexicon.source_words.index(word) if word != "ottawa" else 0 for word in words]
    chances = lexicon.probabilities.toarray()[rows]
    chances[2] = 0.0  # "ottawa" is no French word here
    np.testing.assert_allclose(found, counts @ chances, atol=1e-15)


def test_expected_counts_into_a_given_vocabulary(small):
    vectorizer = CountVectorizer().fit(["maison ottawa rien"])
    into = list(vectorizer.get_feature_names_out())
    counts = csr_array(np.array([[3.0, 4.0]], dtype=np.float32))
    found = small.translate_counts(counts, ["house", "ottawa"], into=into).toarray()[0]
    chance = dict(small.lexicon("ab").best("house", 20))["maison"]
    np.testing.assert_allclose(found, [3 * chance, 4, 0])
    small_drop = WordTranslator.from_lexicons(*small.lexicons_.values(), unknown="drop")
    found = small_drop.translate_counts(counts, ["house", "ottawa"], into=into).toarray()[0]
    np.testing.assert_allclose(found, [3 * chance, 0, 0])
    assert small.translate_counts(np.ones((2, 1)), ["maison"], "ba").shape == (2, 6)


def test_omitted_words_do_not_count():
    lexicon = Lexicon(["", "le", "mot"], ["the", "word"], csr_array(np.eye(3)[:, 1:]), _nothing())
    translator = WordTranslator.from_lexicons(lexicon, lexicon)
    assert translator.translate_ab(["le mot"]) == ["word"]
    counts = translator.translate_counts([[5.0, 7.0]], ["le", "mot"]).toarray()
    np.testing.assert_array_equal(counts, [[0.0, 7.0]])


def _nothing():
    return np.array([0.0, 0.8, 0.2])


@pytest.mark.parametrize("name", ["lexicon.tsv", "lexicon.tsv.gz"])
def test_a_lexicon_survives_its_file(small, tmp_path, name):
    lexicon = small.lexicon("ab")
    lexicon.save(tmp_path / name)
    again = Lexicon.load(tmp_path / name)
    assert list(again._entries()) == list(lexicon._entries())
    assert again.best_words() == lexicon.best_words()
    np.testing.assert_allclose(again.to_nothing, lexicon.to_nothing)
    translator = WordTranslator.from_lexicons(again, again)
    assert translator.translate_ab(["the house"]) == small.translate_ab(["the house"])


def test_a_lexicon_as_a_frame(small):
    pandas = pytest.importorskip("pandas")
    frame = small.lexicon("ab").to_frame()
    assert isinstance(frame, pandas.DataFrame)
    house = frame[(frame.source == "house") & (frame.target != "")]
    assert list(zip(house.target, house.probability, strict=True)) == small.lexicon("ab").best(
        "house", 20
    )
    nothing = frame[frame.target == ""].set_index("source").probability
    assert (
        nothing["house"]
        == small.lexicon("ab").to_nothing[small.lexicon("ab").source_words.index("house")]
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\t0.5\n", "does not begin with"),
        ("source\ttarget\tprobability\na\tb\n", "line 2, is"),
        ("source\ttarget\tprobability\na\tb\t1.5\n", "line 2, has the probability 1.5"),
        ("source\ttarget\tprobability\na\tb\tmuch\n", "line 2, is"),
        ("source\ttarget\tprobability\na\tb\t.5\na\tb\t.5\n", "more than once"),
    ],
)
def test_a_damaged_lexicon_is_refused(tmp_path, content, message):
    path = tmp_path / "lexicon.tsv"
    path.write_text(content)
    with pytest.raises(FileFormatError, match=message):
        Lexicon.load(path)


def test_unknown_words_have_no_translations(small):
    assert small.lexicon("ab").best("ottawa") == []
    assert small.lexicon("ab").best("zz") == []
    assert repr(small.lexicon("ab")).startswith("Lexicon of 6 words with")
    assert len(small.lexicon("ab")) == small.lexicon("ab").probabilities.nnz


def test_it_can_be_stored_and_cloned(small, tmp_path):
    save_model(small, tmp_path / "model.skops")
    for again in (load_model(tmp_path / "model.skops"), pickle.loads(pickle.dumps(small))):
        assert again.get_params() == small.get_params()
        assert again.translate_ab(ENGLISH) == small.translate_ab(ENGLISH)
        assert again.lexicon("ba").best("maison") == small.lexicon("ba").best("maison")
    fresh = clone(small)
    assert fresh.get_params() == small.get_params()
    assert "n_iter=20" in repr(fresh)
    with pytest.raises(NotFittedError, match="call fit first"):
        fresh.translate_ab(["house"])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_iter": 2.5}, "n_iter=2.5 of WordTranslator should be an integer of at least 1"),
        ({"max_translations": 0}, "max_translations=0"),
        ({"min_probability": 2}, "min_probability=2"),
        ({"omit_above": -1}, "omit_above=-1"),
        ({"null_weight": 0}, "null_weight=0"),
        ({"unknown": "guess"}, "unknown='guess'"),
        ({"strip_accents": "all"}, "strip_accents='all'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"token_pattern": "["}, r"token_pattern='\[' is no pattern of words: .*; give a regular"),
        ({"token_pattern": "(a)(b)"}, "with one group at most"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        WordTranslator(**params).fit(ENGLISH, FRENCH)


@pytest.mark.parametrize("wrong", [np.nan, object()])
@pytest.mark.parametrize("name", list(WordTranslator().get_params()))
def test_nonsense_is_refused_by_the_name_of_the_parameter(name, wrong, small):
    with pytest.raises(ParameterError, match=rf"^{name}=.* of WordTranslator should be .*\.$"):
        WordTranslator(**{name: wrong}).fit(ENGLISH, FRENCH)
    with pytest.raises(ParameterError, match=rf"^{name}="):
        WordTranslator.from_lexicons(*small.lexicons_.values(), **{name: wrong})


def test_more_threads_than_directions_are_not_started(monkeypatch):
    import joblib

    asked = []

    class Watched(joblib.Parallel):
        def __init__(self, n_jobs, **options):
            asked.append(n_jobs)
            super().__init__(n_jobs=n_jobs, **options)

    monkeypatch.setattr(joblib, "Parallel", Watched)
    WordTranslator(n_jobs=10**6).fit(ENGLISH, FRENCH)
    assert asked == [2]


def test_bad_texts_are_refused(small):
    with pytest.raises(ValueError, match="5 texts and parallel_b 4"):
        WordTranslator().fit(ENGLISH, FRENCH[:4])
    with pytest.raises(ValueError, match="parallel_a is one string"):
        WordTranslator().fit("the house", "la maison")
    with pytest.raises(ValueError, match="parallel_b has NoneType at position 1"):
        WordTranslator().fit(ENGLISH[:2], ["la maison", None])
    with pytest.raises(ValueError, match="parallel_b has no words"):
        WordTranslator().fit(ENGLISH[:1], ["!"])
    with pytest.raises(ValueError, match="2 columns for 1 words"):
        small.translate_counts([[1.0, 2.0]], ["house"])
    with pytest.raises(ValueError, match="direction='fr'"):
        small.lexicon("fr")
    with pytest.raises(ParameterError, match="k=0 should be"):
        small.lexicon().best("house", k=0)
    with pytest.raises(ParameterError, match="word=7 should be a string"):
        small.lexicon().best(7)
    with pytest.raises(ParameterError, match="above=nan should be"):
        small.lexicon().omitted(np.nan)
    with pytest.raises(ParameterError, match="ba=None should be a Lexicon"):
        WordTranslator.from_lexicons(small.lexicon(), None)


@pytest.mark.data
@pytest.mark.skipif(not os.environ.get("MANYVIEWS_DATA"), reason="needs MANYVIEWS_DATA")
def test_it_learns_words_of_parliament():
    corpus = datasets.load_parallel("hansard_en_fr")
    english, french = (corpus.texts[code][:12000:8] for code in ("en", "fr"))
    translator = WordTranslator(n_iter=10, symmetric=True).fit(english, french)
    words = {
        "fisheries": "peches",
        "house": "chambre",
        "government": "gouvernement",
        "health": "sante",
        "justice": "justice",
        "children": "enfants",
        "money": "argent",
    }
    assert translator.translate_ab(list(words)) == list(words.values())
    assert translator.translate_ba(words.values()) == list(words)
    assert (np.diff(translator.log_likelihood_history_["ab"]) > 0).all()
