"""
InformationBottleneck: what is there beside what is known?
==========================================================

Letters that differ in what they are about and, less, in how they are written.
:class:`manyviews.explain.InformationBottleneck` finds the subjects;
:class:`manyviews.explain.ConditionalInformationBottleneck`, told of the subjects, finds the styles.
"""

import matplotlib.pyplot as plt
import numpy as np

from manyviews.explain import ConditionalInformationBottleneck, InformationBottleneck
from manyviews.metrics import adjusted_rand_score
from manyviews.plot import InformationCurveDisplay

rng = np.random.default_rng(0)
SUBJECTS = {
    "travel": ["train", "harbour", "ticket", "map"],
    "garden": ["rose", "soil", "seed", "bee"],
}
STYLES = {"formal": ["sincerely", "regards"], "casual": ["cheers", "hey"]}
vocabulary = [word for words in [*SUBJECTS.values(), *STYLES.values()] for word in words]

n_letters = 120
subject = rng.permutation(np.arange(n_letters) % 2)
style = rng.permutation(np.arange(n_letters) % 2)


def letter(about, written):
    """Counts of 60 words: two thirds by the subject, the others by the style, and some noise."""
    likely = np.full(len(vocabulary), 0.02)
    for words, share in (
        (list(SUBJECTS.values())[about], 0.14),
        (list(STYLES.values())[written], 0.1),
    ):
        likely[[vocabulary.index(word) for word in words]] += share
    return rng.multinomial(60, likely / likely.sum())


letters = np.array([letter(*pair) for pair in zip(subject, style, strict=True)])

# %%
# The plain bottleneck keeps as much as two clusters can of what the words tell: the subject.

plain = InformationBottleneck(2, distribution="shares", random_state=0).fit(letters)
print(f"kept {plain.i_vc_:.2f} of {plain.i_uv_:.2f} nats, at beta {plain.beta_:.1f}")

# %%
# Now the subjects are known, as a classifier tells them that errs three times in a hundred. What
# the words tell beyond that is the style.

known = np.where(np.eye(2)[subject] == 1, 0.97, 0.03)
conditional = ConditionalInformationBottleneck(2, distribution="shares", random_state=0)
conditional.fit(letters, irrelevant=known)
scores = {
    name: [adjusted_rand_score(truth, model.labels_) for truth in (subject, style)]
    for name, model in (("plain", plain), ("conditional", conditional))
}
for name, (by_subject, by_style) in scores.items():
    print(f"{name:<12} agreement with subjects {by_subject:.2f}, with styles {by_style:.2f}")

# %%
# Which words make the clusters: the logarithm of how many times more probable each is in one than
# in the other. And how the annealing went: with four clusters both differences are found, those of
# the subjects at a smaller beta.


def contrast(model):
    """Log odds of the words, of the conditional model where the first subject is known."""
    probabilities = next(iter(model.p_v_given_c_.values())).reshape(-1, 2, len(vocabulary))[0]
    return np.log(probabilities[0] / probabilities[1])


four = InformationBottleneck(4, distribution="shares", random_state=0).fit(letters)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
rows = np.arange(len(vocabulary))
for model, name, shift, colour in (
    (plain, "plain", -0.2, "#0072b2"),
    (conditional, "subject known", 0.2, "#d55e00"),
):
    left.barh(rows + shift, contrast(model), height=0.4, color=colour, label=name)
left.set_yticks(rows, vocabulary)
left.invert_yaxis()
left.set_xlabel("log odds of the word between the clusters")
left.legend(frameon=False, fontsize=8)
InformationCurveDisplay.from_estimator(four, ax=right, title="four clusters")
plt.show()
