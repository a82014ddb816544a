"""A tree of English phonemes from how they sound and what follows them [@gupta2005].

Section 5 builds four trees of 39 phonemes: by the speech signal (squared distance of 39 cepstral
coefficients, Figure 3), by the next phoneme (KL divergence of smoothed transition probabilities,
Figure 4), by a linear combination of both (Figure 5) and by the hybrid method (Figure 7), and
compares them with the families of a textbook by eye. The only quantity it shows is a histogram
(Figure 6) of the similarity of the two halves of each split, (cost(X₁) + cost(X₂)) / cost(X). No
number is printed, so the tables here hold what the text claims: 1 where a claim is true.

To judge by number what the paper judges by eye: *purity* is the mean, over pairs of phonemes of one
family, of the share of that family in the smallest cluster that holds both; a group *apart* is
measured by the best overlap (intersection over union) of any cluster of the tree with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from manyviews.typing import AnyArray, FloatArray, IntArray
from papers._frame import DataFolder, Measured, Paper, Place, Progress, Table, unpublished

TREES = ("acoustic", "context", "linear", "hybrid")
OBSTRUENTS = ("stop", "fricative", "affricate")
BINS = tuple(f"{low / 10:.1f} to {(low + 1) / 10:.1f}" for low in range(10))
MEASURES = (
    "mean similarity",
    "median similarity",
    "purity",
    "purity of obstruents",
    "obstruents apart",
    "vowels apart",
    "nasals apart",
)

CLAIMS = (
    "acoustic sets obstruents apart better",
    "context tells obstruents apart better",
    "context is the poorer tree",
    "linear is more like acoustic",
    "linear is no better than either",
    "hybrid halves are less alike",
    "hybrid is the best tree",
)


@dataclass(frozen=True)
class PhonemeTree:
    """The clusters of a tree, and how alike the halves of its splits are."""

    clusters: tuple[frozenset[int], ...]
    """Every node with more than one phoneme."""
    similarities: FloatArray

    @classmethod
    def of(
        cls, linkage: FloatArray, cost: Callable[[IntArray], float] | None, known: FloatArray | None
    ) -> PhonemeTree:
        """Read a linkage; similarities are known, or follow from what a cluster costs."""
        n_objects = len(linkage) + 1
        nodes = [frozenset({row}) for row in range(n_objects)]
        for one, other in linkage[:, :2].astype(int):
            nodes.append(nodes[one] | nodes[other])
        if known is None and cost is not None:
            costs = [cost(np.array(sorted(node))) for node in nodes]
            halves = linkage[:, :2].astype(int)
            known = np.array(
                [
                    (costs[one] + costs[other]) / costs[n_objects + row]
                    for row, (one, other) in enumerate(halves)
                ]
            )
        return cls(tuple(nodes[n_objects:]), np.asarray(known))

    def purity(self, families: AnyArray, among: Iterable[int] | None = None) -> float:
        """How pure the smallest cluster of two phonemes of one family is, on average.

        Examples
        --------
        >>> linkage = np.array([[0, 1, 1.0, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]])
        >>> tree = PhonemeTree.of(linkage, None, np.zeros(3))
        >>> tree.purity(np.array([0, 0, 1, 1])), tree.purity(np.array([0, 1, 0, 1]))
        (1.0, 0.5)
        """
        rows = range(len(families)) if among is None else sorted(among)
        shares = []
        for one, other in combinations(rows, 2):
            if families[one] == families[other]:
                smallest = min((c for c in self.clusters if {one, other} <= c), key=len)
                members = np.array(sorted(smallest))
                shares.append(float((families[members] == families[one]).mean()))
        return float(np.mean(shares))

    def apart(self, group: frozenset[int]) -> float:
        """Best overlap of a cluster with a group: 1 if the group is a cluster of its own."""
        return max(len(c & group) / len(c | group) for c in self.clusters)

    def shared(self, other: PhonemeTree) -> float:
        """Share of the clusters that are clusters of another tree too."""
        return len(set(self.clusters) & set(other.clusters)) / len(self.clusters)


def phoneme_views(data: DataFolder, streams: str) -> tuple[dict[str, FloatArray], AnyArray]:
    """Both views, and the family of each phoneme by name.

    ``streams`` is ``"middle"`` for the 39 coefficients (static, first and second differences) of
    the middle state, as the paper's vector, or ``"mean"`` for the 13 static ones of the phone.
    """
    from manyviews.datasets import load_phonemes

    data.path("phonemes/phonemes.npz")
    found = load_phonemes(data_home=data.root)
    middle = found.extra["acoustic_states"][:, 1].reshape(len(found.views), -1)
    acoustic = middle if streams == "middle" else found.views["acoustic"]
    counts = found.extra["next_counts"][:, :-1].astype(float) + 1.0  # Laplace; no end of word
    context = counts / counts.sum(axis=1, keepdims=True)
    views = {"acoustic": np.asarray(acoustic, dtype=float), "context": context}
    return views, np.asarray(found.label_names)[found.y]


def build_trees(views: dict[str, FloatArray]) -> dict[str, PhonemeTree]:
    """The four trees of Section 5, all by the generalised Ward's method without refinement."""
    from manyviews.cluster import BregmanWard, HybridTree
    from manyviews.maths import GeneralizedKL, SquaredEuclidean, cluster_cost

    divergences = {"acoustic": SquaredEuclidean(), "context": GeneralizedKL()}

    def hybrid(names: tuple[str, ...]) -> PhonemeTree:
        chosen = {name: divergences[name] for name in names}
        tree = (
            HybridTree(chosen, view_weights=None, refine=False)
            .fit({name: views[name] for name in names})
            .tree_
        )
        return PhonemeTree.of(tree.to_linkage(), None, tree.similarities)

    linear = BregmanWard(divergences, view_weights="balanced").fit(views)

    def cost(rows: IntArray) -> float:
        return sum(
            linear.view_weights_[name] * cluster_cost(divergence, views[name][rows])
            for name, divergence in divergences.items()
        )

    return {
        "acoustic": hybrid(("acoustic",)),
        "context": hybrid(("context",)),
        "linear": PhonemeTree.of(linear.linkage_, cost, None),
        "hybrid": hybrid(("acoustic", "context")),
    }


def measure(tree: PhonemeTree, families: AnyArray) -> dict[str, float]:
    """All measures of one tree."""

    def group(*wanted: str) -> frozenset[int]:
        return frozenset(np.flatnonzero(np.isin(families, wanted)).tolist())

    obstruents = group(*OBSTRUENTS)
    values = (
        float(tree.similarities.mean()),
        float(np.median(tree.similarities)),
        tree.purity(families),
        tree.purity(families, obstruents),
        tree.apart(obstruents),
        tree.apart(group("vowel", "diphthong")),
        tree.apart(group("nasal")),
    )
    return dict(zip(MEASURES, values, strict=True))


def claims(trees: dict[str, PhonemeTree], found: dict[str, dict[str, float]]) -> dict[str, bool]:
    """What the text says of the trees, each said by number."""

    def of(measure_name: str) -> dict[str, float]:
        return {tree: found[tree][measure_name] for tree in TREES}

    purity, within = of("purity"), of("purity of obstruents")
    apart, similarity = of("obstruents apart"), of("mean similarity")
    linear = trees["linear"]
    return {
        "acoustic sets obstruents apart better": apart["acoustic"] > apart["context"],
        "context tells obstruents apart better": within["context"] > within["acoustic"],
        "context is the poorer tree": purity["context"] < purity["acoustic"],
        "linear is more like acoustic": (
            linear.shared(trees["acoustic"]) > linear.shared(trees["context"])
        ),
        "linear is no better than either": (
            purity["linear"] <= max(purity["acoustic"], purity["context"])
        ),
        "hybrid halves are less alike": (
            similarity["hybrid"] < min(similarity["acoustic"], similarity["context"])
        ),
        "hybrid is the best tree": purity["hybrid"] > max(purity[name] for name in TREES[:3]),
    }


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Build the trees and fill one table; nothing is left to chance, so that all seeds agree."""
    layers = []
    progress(0, 1, table)
    for streams in ("middle", "mean") if table == "claims" else ("middle",):
        views, families = phoneme_views(data, streams)
        trees = build_trees(views)
        found = {name: measure(tree, families) for name, tree in trees.items()}
        if table == "claims":
            layers.append([float(holds) for holds in claims(trees, found).values()])
    if table == "claims":
        values = np.array(layers).T
    elif table == "figure-6":
        values = np.array([_histogram(trees[name]) for name in TREES]).T
    else:
        values = np.array([[found[name][m] for m in MEASURES] for name in TREES])
    progress(1, 1)
    return Measured(np.repeat(values[None], len(seeds), axis=0), NOTES[table])


def _histogram(tree: PhonemeTree) -> FloatArray:
    return np.histogram(tree.similarities, bins=10, range=(0.0, 1.0))[0].astype(float)


NOTES: dict[str, tuple[str, ...]] = {
    "claims": (
        "1 stands for a claim that is true by number, 0 for one that is not; the numbers are in "
        "the table trees for the 39 coefficients.",
    ),
    "trees": (
        "Nothing is left to chance: one run is all.",
        "A split of two phonemes has similarity 0; each tree has 14 or 15 of them.",
    ),
    "figure-6": ("Every tree has 38 splits; a split of two phonemes has similarity 0.",),
}

OTHER_CONTEXT = (
    "The context here is that of a pronouncing dictionary, each word once and within words only, "
    "not of TIMIT's running sentences: it parts vowels from consonants with one error (NG), which "
    "makes it the purer view, and tells stops, fricatives and affricates from one another less "
    "well than the acoustic view does."
)
REASONS: dict[Place, str] = {
    "context tells obstruents apart better": OTHER_CONTEXT,
    "context is the poorer tree": OTHER_CONTEXT,
    "linear is no better than either": (
        "With 39 coefficients the balanced sum is the purest of the four trees; the paper does not "
        "say which weights it took, and its tree was nearly the acoustic one."
    ),
    "hybrid halves are less alike": (
        "The best split of each node does not give the best mean over a tree, as the nodes differ "
        "from then on: with 39 coefficients the hybrid tree's mean similarity lies between those "
        "of the two views."
    ),
    ("hybrid is the best tree", "39 coefficients"): (
        "The hybrid tree is purer than that of either view. Its second split, by sound, puts B, D, "
        "DH and V with the nasals and semivowels, and so divides stops and fricatives, which the "
        "sum of both views does not."
    ),
    ("hybrid is the best tree", "13 coefficients"): (
        "The hybrid tree is purer than the acoustic one and than the sum, but less than the tree "
        "of the context alone."
    ),
}

PAPER = Paper(
    key="gupta2005",
    title="Hybrid hierarchical clustering: forming a tree from multiple views",
    authors=("Anjum Gupta", "Sanjoy Dasgupta"),
    year=2005,
    seeds=1,
    quick_seeds=1,
    deviations=(
        "The acoustic view is read from the middle state of a trained speech model, not averaged "
        "from recordings of TIMIT; it has the paper's 39 coefficients, and the 13 static ones of "
        "the whole phone for comparison.",
        "The context view counts the next phoneme within the words of a dictionary, each once, not "
        "in running speech; it is smoothed by one count, without the end of the word.",
        "The paper prints no number: what it says of its figures is measured by purity, overlap "
        "and the mean similarity of halves.",
        "The weights of the linear combination are not given: here each view is divided by what "
        "all phonemes as one cluster cost in it.",
        "Two phonemes are split perfectly by either view, and the paper does not say by which: "
        "here by the one in which they make the larger share of the whole cost.",
    ),
    tables=(
        Table(
            "claims",
            "What Sections 5.1-5.3 say of the trees (1: true)",
            rows=CLAIMS,
            columns=("39 coefficients", "13 coefficients"),
            values=((1.0, 1.0),) * len(CLAIMS),
            higher_is_better=True,
            decimals=0,
            data=("phonemes/phonemes.npz",),
            reasons=REASONS,
        ),
        Table(
            "trees",
            "Trees of phonemes (Figures 3, 4, 5 and 7) by number",
            rows=TREES,
            columns=MEASURES,
            values=unpublished(len(TREES), len(MEASURES)),
            data=("phonemes/phonemes.npz",),
        ),
        Table(
            "figure-6",
            "Number of splits by the similarity of their halves",
            rows=BINS,
            columns=TREES,
            values=unpublished(len(BINS), len(TREES)),
            decimals=0,
            data=("phonemes/phonemes.npz",),
        ),
    ),
)
