"""How much parallel text a lexicon needs, and how short the texts should be."""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.embed import WordTranslator

N_WORDS = 1000
frequency = 1 / np.arange(1, N_WORDS + 1)
frequency /= frequency.sum()


def right(n_tokens, length, symmetric, seed):
    """The share of the words of made-up texts that are translated right; a fifth is noise."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(N_WORDS, (n_tokens // length, length), p=frequency)
    noise = rng.choice(N_WORDS, chosen.shape, p=frequency)
    other = np.where(rng.random(chosen.shape) < 0.2, noise, chosen)
    texts = [[[str(word) for word in row] for row in side] for side in (chosen, other)]
    found = WordTranslator(symmetric=symmetric).fit(*texts).lexicon("ab").best_words()
    return sum(word == translation for word, translation in found.items()) / N_WORDS


lengths = {5: "#0072b2", 20: "#e69f00", 80: "#d55e00"}
sizes = [2_000, 5_000, 10_000, 20_000, 50_000]
figure, axes = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
for length, colour in lengths.items():
    for symmetric, style in ((False, "-"), (True, "--")):
        found = [np.mean([right(n, length, symmetric, seed) for seed in range(2)]) for n in sizes]
        label = f"{length} words a text" + ", symmetric" * symmetric
        axes.plot(sizes, found, style, color=colour, label=label)
axes.set(
    xscale="log", xlabel="words of parallel text", ylabel="share translated right", ylim=(0, 1)
)
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
axes.legend(frameon=False, fontsize=8, loc="lower right")
axes.spines[["top", "right"]].set_visible(False)
