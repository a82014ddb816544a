"""
LocalPatternClassifier: a classifier of texts in words
======================================================

Whom shall a recommender of music please, and can it say why? Songs come with reviews, whose
keywords anybody understands, and with sounds, which are numbers to everybody but experts. A global
model decides by a few keywords. Where these mislead, in local patterns, a model that also hears the
sounds decides, and the pattern is described by keywords again. This is
:class:`~manyviews.explain.LocalPatternClassifier`.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from manyviews import Views
from manyviews.explain import LocalPatternClassifier

# %%
# Eight hundred songs of four genres
# ----------------------------------
#
# A listener likes jazz and soul. But of recordings of concerts she likes only those that sound
# clean, whatever they play, and a review of a concert says "live". The sounds know how clean a
# song is; so do not its words.

rng = np.random.default_rng(0)
GENRES = {
    "jazz": ["groove", "smooth", "piano", "swing", "quartet", "sax"],
    "soul": ["soul", "voice", "warm", "horns", "ballad", "gospel"],
    "metal": ["riff", "heavy", "loud", "scream", "drums", "dark"],
    "techno": ["beat", "club", "synth", "loop", "bass", "dance"],
}
PLAIN = [f"word{place}" for place in range(40)] + ["nice", "track", "album", "artist"]
words = [*(word for own in GENRES.values() for word in own), "live", "crowd", *PLAIN]

n_songs = 800
genre = rng.integers(4, size=n_songs)
live, clean = rng.random(n_songs) < 0.15, rng.random(n_songs) < 0.5
rates = np.full((n_songs, len(words)), 0.05)
for place, own in enumerate(GENRES.values()):
    rates[np.ix_(genre == place, [words.index(word) for word in own])] = 1.2
rates[live, words.index("live")] = 3.0
rates[live, words.index("crowd")] = 1.0
rates[~live, words.index("live")] = 0.01
reviews = rng.poisson(rates)
sounds = np.column_stack([clean + 0.25 * rng.normal(size=n_songs), rng.normal(size=(n_songs, 5))])
likes = np.where(live, clean, genre < 2)

songs = Views(
    {"words": csr_array(reviews.astype(float)), "sounds": sounds},
    feature_names={"words": words, "sounds": ["clarity", *(f"sound{k}" for k in range(5))]},
    sample_ids=[f"song {number}" for number in range(n_songs)],
)
taste = np.where(likes, "likes", "dislikes")
train, test = np.arange(600), np.arange(600, 800)

# %%
# The page
# --------
#
# The global model has ten keywords, and so has the description of the pattern. The local model is a
# forest on words and sounds; nobody has to understand it. It may answer for 15 % of the songs.

model = LocalPatternClassifier(
    local_estimator=RandomForestClassifier(50, max_features=None, random_state=0),
    max_local=0.15,
    n_features=10,
    global_views=["words"],
).fit(songs[train], taste[train])
page = model.describe()
print(page)

# %%
# So the listener's taste is a list of words of jazz and soul against those of metal and techno,
# with one exception: songs that are "live". What is right in these the global model cannot say.
#
# For songs that it has not seen, the model says which of the two spoke:

spoke = model.decided_by(songs[test])
scores = {
    "global model": np.mean(model.predict_by(songs[test], "global") == taste[test]),
    "local model": np.mean(model.predict_by(songs[test], "local") == taste[test]),
    "both": model.score(songs[test], taste[test]),
}
for name, score in scores.items():
    print(f"{name:12} {score:.3f} of {len(test)} new songs right")
print(f"the local model spoke for {np.mean(spoke == 'local'):.1%}")

# %%
# Other detectors
# ---------------
#
# A classifier that tells where to listen is one of three. The other two cluster what the global
# model gets wrong: as it is, or beyond what the global model knows already. Each cluster is then
# a medoid, a single song, and those near to it. A text has few of ten words, so that many texts
# are equally near to a medoid, and are in its pattern together or not at all.

gains = {}
for detector in ("classifier", "bottleneck", "conditional"):
    found = model
    if detector != "classifier":
        found = clone(model).set_params(detector=detector, background="model")
        found.fit(songs[train], taste[train])
    gains[detector] = found.score(songs[test], taste[test]) - scores["global model"]
    print(
        f"{detector:12} {gains[detector]:+.3f} on new songs, {found.n_patterns_} patterns "
        f"with {found.local_share_:.1%}"
    )

# %%
# The weights of the ten keywords, and the songs in which the local model spoke: in the plane of the
# one word that the pattern goes by, and the one sound that matters.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
heaviest = page.global_features[::-1]
values = [each.weights[0] for each in heaviest]
colours = ["#0072b2" if value > 0 else "#d55e00" for value in values]
left.barh([each.name.removeprefix("words__") for each in heaviest], values, color=colours)
left.set(title="global model: speaks for “likes”", xlabel="weight")
counts = reviews[test, words.index("live")] + rng.uniform(-0.25, 0.25, len(test))
for label, colour in (("likes", "#0072b2"), ("dislikes", "#d55e00")):
    for model_name, marker in (("global", "."), ("local", "D")):
        rows = (taste[test] == label) & (spoke == model_name)
        right.scatter(counts[rows], sounds[test][rows, 0], s=14, marker=marker, color=colour)
right.set(title="local pattern (diamonds)", xlabel="“live” in the review", ylabel="clarity")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
