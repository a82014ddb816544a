"""
CrossViewRetriever: cross-lingual search in twenty lines
========================================================

English documents come with French translations; new documents are in French only. A common space
learnt from the pairs lets English words find them. No dictionary is given: the two languages have
not one word in common, and all that is known is which documents belong together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.manifold import TSNE
from sklearn.pipeline import make_pipeline

from manyviews import PerView
from manyviews.datasets import make_bilingual_topics
from manyviews.embed import CrossViewClassifier, CrossViewRetriever, KernelCCA

data = make_bilingual_topics(400, random_state=0)
pairs, new = data.views[:250], data.views[250:]
space = make_pipeline(PerView(TfidfTransformer()), KernelCCA(n_components=20))
search = CrossViewRetriever(space).fit(pairs)

french = new["fr"]
words = new.feature_names["fr"]
titles = [" ".join(words[np.argsort(-row, kind="stable")[:5]]) for row in french.toarray()]
search.index({"fr": french}, ids=titles)

queries = ["cod quota on the coast", "hospital nurse", "a pipeline for gas and oil"]
found = search.query_words(queries, view="en", k=5)
for query, hits, scores in zip(queries, found.ids, found.scores, strict=True):
    print(f"\n{query}")
    for title, score in zip(hits, scores, strict=True):
        print(f"  {score:.2f}  {title}")

# %%
# Those were the twenty lines. "on", "the", "a", "for" and "and" are no words of the English
# documents and were passed over; the others got the weight that they have there on average.
#
# How good is it? The new documents have English versions too, which were kept aside. Each is asked
# for by its English version (all of it, or its five heaviest words), and should find its mate:

for name, n_keywords in (("whole documents", None), ("five keywords", 5)):
    shares = search.top_n_accuracy(new, "en", "fr", n=(1, 5, 10), n_keywords=n_keywords)
    print(f"{name:<16}", *(f"top {n}: {share:4.0%}" for n, share in shares.items()), sep="   ")
print(f"by chance: {1 / len(new):.1%} for top 1")

# %%
# The space itself, flattened: every new document by its English version alone and by its French
# version alone. Topics lie together whatever the language; what is asked for lies among them.

asked = search.transform({"en": search.vocabularies_["en"].rows(queries)})
places = np.vstack([search.transform({name: new[name]}) for name in ("en", "fr")] + [asked])
flat = TSNE(
    perplexity=40, metric="cosine", init="random", max_iter=500, random_state=1
).fit_transform(places)
english, frenchmen, stars = np.split(flat, [len(new), 2 * len(new)])
topics = data.y[250:]

figure, (axes, margin) = plt.subplots(
    1, 2, figsize=(11, 5.6), width_ratios=(5, 3), layout="constrained"
)
colours = plt.colormaps["tab10"]
for topic, name in enumerate(data.label_names):
    chosen = topics == topic
    axes.scatter(*english[chosen].T, s=22, facecolors="none", edgecolors=[colours(topic)])
    axes.scatter(*frenchmen[chosen].T, s=26, marker="^", color=colours(topic), alpha=0.75, lw=0)
    across, up = np.percentile(np.vstack([english[chosen], frenchmen[chosen]]), (50, 85), axis=0)
    axes.annotate(
        name,
        (across[0], up[1]),
        xytext=(0, 6),
        textcoords="offset points",
        ha="center",
        weight="bold",
        color=colours(topic),
        bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1},
    )
for star, hits in zip(stars, found.indices, strict=True):
    for hit in frenchmen[hits]:
        axes.plot(*zip(star, hit, strict=True), color="black", lw=0.7, alpha=0.6)
    axes.scatter(*frenchmen[hits].T, s=70, marker="^", facecolors="none", edgecolors="black")
    axes.scatter(*star, s=200, marker="*", color="black", edgecolors="white", zorder=3)
axes.set_title("○ English   ▲ French   ★ typed, with its five best French documents", fontsize=10)
axes.set_xticks([])
axes.set_yticks([])
axes.spines[:].set_visible(False)

margin.axis("off")
lines = []
for query, hits, rows in zip(queries, found.ids, found.indices, strict=True):
    lines += [(f"★ {query}", "black", "bold")]
    lines += [
        (title, colours(topics[row]), "normal") for title, row in zip(hits, rows, strict=True)
    ]
    lines += [("", "black", "normal")]
for position, (text, colour, weight) in enumerate(lines):
    margin.text(
        0, 1 - position / len(lines), text, color=colour, weight=weight, fontsize=10, va="top"
    )
plt.show()

# %%
# The space serves more than search. :class:`manyviews.embed.CrossViewClassifier` learns topics in
# it and tells the topic of documents that are in French only.

classifier = CrossViewClassifier(space).fit(pairs, data.y[:250])
told = classifier.score({"fr": french}, topics)
print(f"topics told from French alone: {told:.0%}")
