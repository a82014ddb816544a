"""Short documents in English and French that speak of the same things, with readable words."""

from __future__ import annotations

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.datasets._bags import bag_of_tokens
from manyviews.datasets._sizes import check_between, check_size
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
