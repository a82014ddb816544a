"""Short documents in English and French that speak of the same things, with readable words."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.data import Dataset, Views
from manyviews.datasets._sizes import check_between, check_size, check_switch
from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray, RandomState

TOPICS = {
    "fishing": "fish poisson, boat bateau, harbour port, quota contingent, cod morue, sea mer, "
    "fishing pêche, coast côte, salmon saumon, fisherman pêcheur, ocean océan, lobster homard",
    "farming": "farm ferme, wheat blé, crop récolte, cattle bétail, soil sol, milk lait, barn "
    "grange, seed semence, harvest moisson, farmer agriculteur, grain céréale, tractor tracteur",
    "banking": "bank banque, loan prêt, interest intérêt, credit crédit, money argent, savings "
    "épargne, mortgage hypothèque, debt dette, account compte, investor investisseur, currency "
    "monnaie, dividend dividende",
    "health": "hospital hôpital, doctor médecin, nurse infirmière, patient malade, drug "
    "médicament, disease maladie, surgery chirurgie, vaccine vaccin, clinic clinique, medicine "
    "médecine, cancer tumeur, blood sang",
    "railways": "train convoi, station gare, track voie, railway rail, freight fret, passenger "
    "voyageur, bridge pont, tunnel souterrain, locomotive motrice, wagon voiture, timetable "
    "horaire, platform quai",
    "justice": "court tribunal, judge juge, crime délit, prison pénitencier, police gendarmerie, "
    "lawyer avocat, trial procès, sentence peine, victim victime, evidence preuve, jury juré, "
    "offender délinquant",
    "schools": "school école, teacher enseignant, student élève, university université, lesson "
    "leçon, exam examen, classroom classe, book livre, diploma diplôme, scholarship bourse, "
    "library bibliothèque, tuition scolarité",
    "energy": "oil pétrole, gas gaz, pipeline oléoduc, electricity électricité, coal charbon, "
    "reactor réacteur, wind vent, turbine éolienne, fuel carburant, solar solaire, grid réseau, "
    "drilling forage",
}
"""Pairs of an English and a French word, by topic."""

GENERAL = (
    "government gouvernement, minister ministre, country pays, year année, people gens, question "
    "demande, member député, house chambre, bill projet, report rapport, committee comité, day "
    "jour, time temps, number nombre, work travail, policy politique, province région, law loi, "
    "right droit, matter affaire"
)
"""Pairs of words that every topic uses."""


def make_bilingual_topics(
    n_objects: int = 400,
    n_topics: int = 8,
    length: int = 30,
    *,
    fidelity: float = 0.7,
    general: float = 0.3,
    focus: float = 0.8,
    random_state: RandomState = None,
) -> Dataset:
    """Paired documents in English and French, as counts of words that one can read.

    A document has a main topic and a second one. Each of its English words is a general one, or
    belongs to one of the two. The French document is as long: each of its words translates a word
    of the English one, or is a new one drawn in the same way. The two languages have no word in
    common.

    Parameters
    ----------
    n_objects : int
        How many documents.
    n_topics : int
        How many topics, from 2 to 8.
    length : int
        How many words a document has in each language.
    fidelity : float
        Probability that a French word translates an English one; with 0 a pair has nothing but its
        topics in common, with 1 it is a translation word by word, up to repetition.
    general : float
        Probability that a word is a general one.
    focus : float
        Probability that a word that is not general belongs to the main topic.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``en`` and ``fr``, sparse counts with the words as feature names; ``y`` is the main
        topic, which ``label_names`` names; ``extra["second"]`` is the second topic.

    Examples
    --------
    >>> views, y = make_bilingual_topics(100, random_state=0)
    >>> views["en"].shape, float(views["fr"].sum())
    ((100, 116), 3000.0)
    >>> views.feature_names["fr"][:3].tolist()
    ['poisson', 'bateau', 'port']
    """
    n_objects = check_size(n_objects, "n_objects")
    n_topics = _check_topics(n_topics)
    length = check_size(length, "length")
    fidelity, general, focus = (
        check_between(value, name, 0.0, 1.0)
        for name, value in (("fidelity", fidelity), ("general", general), ("focus", focus))
    )
    rng = generator(random_state)
    names = tuple(TOPICS)[:n_topics]
    lexicon = [_pairs(TOPICS[name]) for name in names] + [_pairs(GENERAL)]
    main = rng.integers(n_topics, size=n_objects)
    second = (main + rng.integers(1, n_topics, size=n_objects)) % n_topics
    odds = _word_odds([len(pairs) for pairs in lexicon], main, second, general, focus)
    english = _draw(odds, length, rng)
    french = _draw(odds, length, rng)
    kept = rng.random(english.shape) < fidelity
    chosen = np.take_along_axis(english, rng.integers(length, size=english.shape), axis=1)
    french = np.where(kept, chosen, french)
    words = [pair for pairs in lexicon for pair in pairs]
    matrices = {"en": bag_of_tokens(english, len(words)), "fr": bag_of_tokens(french, len(words))}
    features = {name: [pair[side] for pair in words] for side, name in enumerate(matrices)}
    views = Views(matrices, feature_names=features)
    return Dataset(views, main, names, {"second": second}, name="bilingual_topics")


def _check_topics(n_topics: int) -> int:
    n_topics = check_size(n_topics, "n_topics", minimum=2)
    if n_topics > len(TOPICS):
        raise ValueError(
            f"n_topics={n_topics} is more than the {len(TOPICS)} topics that there are words for; "
            "make it smaller."
        )
    return n_topics


def _pairs(text: str) -> list[list[str]]:
    return [pair.split() for pair in text.split(",")]


def _word_odds(
    sizes: list[int], main: IntArray, second: IntArray, general: float, focus: float
) -> FloatArray:
    """Probability of each word in each document: by its topics, then even within a topic."""
    topics = np.zeros((len(main), len(sizes)))
    documents = np.arange(len(main))
    topics[documents, main] = (1 - general) * focus
    topics[documents, second] = (1 - general) * (1 - focus)
    topics[:, -1] = general
    return np.repeat(topics / sizes, sizes, axis=1)


def _draw(odds: FloatArray, length: int, rng: np.random.Generator) -> IntArray:
    """Words of each document, by their numbers."""
    edges = np.cumsum(odds, axis=1)
    edges /= edges[:, -1:]
    draws = rng.random((len(odds), length))
    return np.stack(
        [np.searchsorted(e, d, side="right") for e, d in zip(edges, draws, strict=True)]
    )


MOST_CLASSES = 100_000
"""The lists of the classes are drawn one by one, some ten thousand in a second."""


def make_token_views(
    n_objects: int = 30_000,
    n_classes: int = 10,
    vocabulary: int = 1000,
    class_vocabulary: int = 500,
    n_tokens: tuple[int, int] = (7, 7),
    *,
    consecutive: bool = False,
    dependency: float = 0.0,
    super_classes: bool = False,
    random_state: RandomState = None,
) -> Dataset:
    """Two bags of tokens per object, drawn from token lists that belong to its class.

    Each view has its own vocabulary, and each class a random list from it in each view. An object
    has a random class and ``n_tokens`` tokens from the two lists of that class: independently
    drawn, or consecutive ones from a random place on, which makes tokens of a view depend on
    each other: [@ando2007], section 4.2.1.

    Symbols
    -------
    s → ``vocabulary``; t → ``class_vocabulary``; q₁, q₂ → ``n_tokens``; K → ``n_classes``;
    r → ``dependency``; T → the lists; p → the place where consecutive tokens start.

    Deviations
    ----------
    The paper gives neither s nor t nor q. The defaults were chosen so that the supervised accuracy
    it reports, 23 % with 100 labels on naive Bayes data, comes out: scikit-learn's
    ``LogisticRegression()`` on the two bags side by side, trained on the first 100 objects and
    tested on the next 1000, reaches 22.9 % on average over the seeds 0 to 9 (standard deviation
    2.8), while EM with multinomials on all 30,000 objects comes to 100 % (seeds 0 to 2), near
    which the paper is too. Independent tokens are drawn with replacement. With another number of
    classes, the second view pairs each class with the one half that number further on.

    Parameters
    ----------
    n_objects : int
        How many objects.
    n_classes : int
        How many classes; even and at least 4 with ``super_classes``.
    vocabulary : int
        How many tokens a view has in all.
    class_vocabulary : int
        How many of them are in the list of a class, drawn without repetition.
    n_tokens : (int, int)
        How many tokens an object has in each view.
    consecutive : bool
        Draw consecutive tokens (around the end of the list to its start) instead of independent
        ones: the data that are not naive Bayes.
    dependency : float
        Probability that both views start at the same place of their lists, which makes them
        depend on each other even when the class is known; needs ``consecutive``.
    super_classes : bool
        Let pairs of classes share a list: 1 & 2, 3 & 4, … in the first view and, with 10 classes,
        1 & 6, 2 & 7, … in the second, so that only both views together tell the class.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Dataset
        Views ``first`` and ``second``, sparse counts of shape (n_objects, vocabulary); ``y`` from
        0 to ``n_classes - 1``. With ``super_classes``, ``extra`` has the super class in each view
        under ``"first"`` and ``"second"``.

    Examples
    --------
    >>> views, y = make_token_views(100, vocabulary=50, class_vocabulary=10, random_state=0)
    >>> views["first"].shape, float(views["first"].sum())
    ((100, 50), 700.0)
    """
    n_objects = check_size(n_objects, "n_objects")
    consecutive = check_switch(consecutive, "consecutive")
    super_classes = check_switch(super_classes, "super_classes")
    n_classes = _check_classes(n_classes, super_classes=super_classes)
    vocabulary = check_size(vocabulary, "vocabulary")
    class_vocabulary = _check_class_vocabulary(class_vocabulary, vocabulary)
    counts = _check_tokens(n_tokens)
    dependency = _check_dependency(dependency, consecutive=consecutive)
    rng = generator(random_state)
    labels = rng.integers(n_classes, size=n_objects)
    groups = _list_of_each(labels, n_classes) if super_classes else (labels, labels)
    if consecutive:
        places = _consecutive_places(n_objects, class_vocabulary, counts, dependency, rng)
    else:
        places = [rng.integers(class_vocabulary, size=(n_objects, count)) for count in counts]
    matrices = {}
    for name, group, place in zip(("first", "second"), groups, places, strict=True):
        lists = _token_lists(n_classes, vocabulary, class_vocabulary, rng)
        matrices[name] = bag_of_tokens(lists[group[:, np.newaxis], place], vocabulary)
    extra = dict(zip(matrices, groups, strict=True)) if super_classes else {}
    return Dataset(Views(matrices), labels, extra=extra, name="token_views")


def _list_of_each(labels: IntArray, n_classes: int) -> tuple[IntArray, IntArray]:
    """Super classes: neighbours in the first view, classes half the number apart in the second."""
    return labels // 2, labels % (n_classes // 2)


def _consecutive_places(
    n_objects: int,
    class_vocabulary: int,
    counts: tuple[int, int],
    dependency: float,
    rng: np.random.Generator,
) -> list[IntArray]:
    starts = rng.integers(class_vocabulary, size=(2, n_objects))
    tied = rng.random(n_objects) < dependency
    starts[1, tied] = starts[0, tied]
    return [
        (start[:, np.newaxis] + np.arange(count)) % class_vocabulary
        for start, count in zip(starts, counts, strict=True)
    ]


def _token_lists(
    n_classes: int, vocabulary: int, class_vocabulary: int, rng: np.random.Generator
) -> IntArray:
    """For each class, tokens drawn without repetition; classes may share some."""
    return np.stack(
        [rng.choice(vocabulary, class_vocabulary, replace=False) for _ in range(n_classes)]
    )


def _check_classes(n_classes: int, *, super_classes: bool) -> int:
    if not super_classes:
        return check_size(n_classes, "n_classes", minimum=2, maximum=MOST_CLASSES)
    return check_size(n_classes, "n_classes", minimum=4, maximum=MOST_CLASSES, multiple_of=2)


def _check_class_vocabulary(class_vocabulary: int, vocabulary: int) -> int:
    class_vocabulary = check_size(class_vocabulary, "class_vocabulary")
    if class_vocabulary > vocabulary:
        raise ValueError(
            f"class_vocabulary={class_vocabulary} is larger than vocabulary={vocabulary}, from "
            "which it is drawn without repetition; make it smaller."
        )
    return class_vocabulary


def _check_tokens(n_tokens: tuple[int, int]) -> tuple[int, int]:
    if not isinstance(n_tokens, tuple | list) or len(n_tokens) != 2:
        raise ValueError(f"n_tokens={n_tokens!r} cannot be used; give one number for each view.")
    first, second = (check_size(count, "each of n_tokens") for count in n_tokens)
    return first, second


def _check_dependency(dependency: float, *, consecutive: bool) -> float:
    dependency = check_between(dependency, "dependency", 0.0, 1.0)
    if dependency > 0 and not consecutive:
        raise ValueError(
            f"dependency={dependency:g} ties the places where consecutive tokens start; "
            "set consecutive=True, or dependency=0."
        )
    return dependency


def bag_of_tokens(tokens: IntArray, vocabulary: int) -> sparse.csr_array:
    """Count the tokens of each object; places are 32-bit, as some of scikit-learn's methods want.

    Examples
    --------
    >>> bag_of_tokens(np.array([[0, 2, 2], [1, 1, 0]]), 3).toarray()
    array([[1., 0., 2.],
           [1., 2., 0.]])
    """
    n_objects, count = tokens.shape
    ends = np.arange(0, n_objects * count + 1, count, dtype=np.int32)
    parts = np.ones(tokens.size), tokens.ravel().astype(np.int32), ends
    bag = sparse.csr_array(parts, shape=(n_objects, vocabulary))
    bag.sum_duplicates()
    return bag
