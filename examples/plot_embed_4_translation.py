"""
WordTranslator: a dictionary out of nothing but pairs
=====================================================

Nobody tells :class:`manyviews.embed.WordTranslator` which word means which. It sees sentences and
their translations, and EM works out the dictionary: a word that keeps turning up with another
explains it, and what is explained needs no other explanation.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.embed import WordTranslator, paired_corpus

# %%
# Sentences about animals, in English and in French. Word order differs, articles have a gender, and
# *never* takes two words, *ne … jamais*.

nouns = {"cat": "le chat", "dog": "le chien", "cow": "la vache", "mouse": "la souris"}
adjectives = {"young": "jeune", "thin": "maigre", "sad": "triste", "quick": "rapide"}
verbs = {"sees": "voit", "hunts": "chasse", "follows": "suit", "seeks": "cherche"}

rng = np.random.default_rng(0)
english, french = [], []
for _ in range(60):
    subject, thing = rng.choice(list(nouns), 2, replace=False)
    adjective, verb = rng.choice(list(adjectives)), rng.choice(list(verbs))
    denied = rng.random() < 0.3
    english.append(f"the {adjective} {subject} {'never ' * denied}{verb} the {thing}")
    said = f"ne {verbs[verb]} jamais" if denied else verbs[verb]
    french.append(f"{nouns[subject]} {adjectives[adjective]} {said} {nouns[thing]}")
print(english[2], "=", french[2])

# %%
# Sixty of them are enough. Before the first iteration all translations are equally probable; one
# iteration says no more than who stands beside whom; then the words that are explained better
# elsewhere drop out, one after the other.

words = ["cat", "dog", "cow", "mouse", *adjectives, *verbs, "never", "the"]
targets = ["chat", "chien", "vache", "souris", *adjectives.values(), *verbs.values()]
targets += ["ne", "jamais", "le", "la"]
rounds = (1, 3, 10, 40)
translators = [
    WordTranslator(n_iter, min_probability=0, max_translations=None).fit(english, french)
    for n_iter in rounds
]


def table(translator):
    chances = [dict(translator.lexicon("ab").best(word, 100)) for word in words]
    return np.array([[row.get(target, 0.0) for target in targets] for row in chances])


tables = [table(translator) for translator in translators]

figure, panels = plt.subplots(
    2, 2, figsize=(8, 7.4), layout="constrained", sharex=True, sharey=True
)
for axes, n_iter, chances in zip(panels.flat, rounds, tables, strict=True):
    image = axes.imshow(chances, vmin=0, vmax=1, cmap="Blues")
    axes.set_xticks(range(len(targets)), targets, rotation=90, fontsize=9)
    axes.set_yticks(range(len(words)), words, fontsize=9)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(f"after {n_iter} iteration{'s' * (n_iter > 1)}", fontsize=10)
figure.colorbar(image, ax=panels, label="t(French | English)", shrink=0.8)
plt.show()

# %%
# The likelihood rises with every iteration, most of it in the first few. What one word cannot
# express stays shared: *the* is *le* or *la*, *never* is *ne* and *jamais*.

translator = translators[-1]
history = translator.log_likelihood_history_["ab"]
print("log-likelihood:", " ".join(f"{history[i]:.0f}" for i in (0, 1, 3, 10, 40)))
for word in ("mouse", "the", "never"):
    print(
        word, [(french_word, round(p, 2)) for french_word, p in translator.lexicon().best(word, 2)]
    )

# %%
# With a translator there are pairs where there were none: two collections, each in its own
# language, become one corpus in both. This is what :class:`manyviews.embed.KernelCCA` learns a
# common space from.

corpus = paired_corpus(
    ["The young dog sees the sad mouse"],
    ["La vache cherche le chien rapide", "Le chat maigre ne suit jamais la souris"],
    translator.translate_ab,
    translator.translate_ba,
)
for side_a, side_b, made in zip(*corpus, corpus.translated, strict=True):
    print(f"a: {side_a}\nb: {side_b} ({made} is machine-made)")

# %%
# No one would print it: words keep their places, each *the* becomes the same article, and *never*
# comes out twice. For methods that look at which words a text has, that hardly matters.
