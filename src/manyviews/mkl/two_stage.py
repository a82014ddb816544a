"""Kernels weighted by how they tell pairs of one class from pairs of two [@kumar2013]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import warn_user
from manyviews.data import Views
from manyviews.maths import generator
from manyviews.mkl.classifier import Penalty
from manyviews.mkl.forest import fit_forest
from manyviews.mkl.interior_point import Exact
from manyviews.mkl.k_examples import (
    KEPT_VALUES,
    KExamples,
    PolynomialCombination,
    Solution,
    hinge_losses,
    term_names,
)
from manyviews.mkl.kernel_learner import Combination, KernelLearner, LinearCombination
from manyviews.mkl.kernel_matrices import KernelMatrices
from manyviews.mkl.landmarks import LandmarkClassifier
from manyviews.mkl.library import KernelLibrary, Kernels
from manyviews.mkl.stochastic import Stochastic
from manyviews.typing import (
    AnyArray,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    Interval,
    Positive,
    RandomState,
    Repeats,
    Verbosity,
    ViewsLike,
)

__all__ = ["TwoStageMKL"]

GRID = 100.0 * 4.0 ** -np.arange(17)
"""Regularisations that are tried, those of [@kumar2013]: from 100 to 1e-8, a quarter each time."""
TRAINING_SHARE = 0.8
"""Share of the K-examples that regularisations are tried on; the others judge them."""
MOST_PAIRS = {"linear": 50_000, "forest": 20_000}
"""How many pairs are drawn if nobody says, by combiner; a forest takes longer for each."""


# -- pairs of one class and of two ---------------------------------------------------------------


@dataclass(frozen=True)
class Links:
    """Pairs of objects that a user says to be of one class, or of two."""

    must: IntArray
    """Pairs of one class, a row each."""
    cannot: IntArray
    """Pairs of two classes, a row each."""

    def __bool__(self) -> bool:
        return len(self.must) + len(self.cannot) > 0

    @property
    def objects(self) -> IntArray:
        """Numbers of the objects that are linked."""
        return np.unique(np.concatenate([self.must.ravel(), self.cannot.ravel()]))

    def renumbered(self, numbers: IntArray) -> Links:
        """Return the links with other numbers for the objects: ``numbers[old]``."""
        return Links(numbers[self.must], numbers[self.cannot])


NO_LINKS = Links(np.empty((0, 2), dtype=np.intp), np.empty((0, 2), dtype=np.intp))


@dataclass(frozen=True)
class Pairs:
    """Pairs of objects: same, different, same, different and so on."""

    left: IntArray
    right: IntArray
    signs: IntArray
    """1 for two objects of one class, -1 for objects of two, Eq. (5.1)."""

    def __len__(self) -> int:
        return len(self.signs)


def read_links(must_link: Any, cannot_link: Any, n_objects: int) -> Links:
    """Read the pairs that a user gave and refuse those that cannot be."""
    must = _read("must_link", must_link, n_objects)
    cannot = _read("cannot_link", cannot_link, n_objects)
    both = np.isin(_keys(must, n_objects), _keys(cannot, n_objects))
    if both.any():
        left, right = must[np.argmax(both)]
        raise ValueError(
            f"objects {left} and {right} stand in must_link and in cannot_link; "
            "leave them in one of the two."
        )
    return Links(must, cannot)


def refuse_contradictions(links: Links, codes: IntArray) -> None:
    """Refuse links that contradict the labels (codes; -1: none)."""
    for name, pairs, wrong in (
        ("must_link", links.must, np.not_equal),
        ("cannot_link", links.cannot, np.equal),
    ):
        left, right = codes[pairs].T
        against = wrong(left, right) & (left >= 0) & (right >= 0)
        if against.any():
            one, other = pairs[np.argmax(against)]
            raise ValueError(
                f"{name} contradicts the labels of objects {one} and {other}; "
                "take out the pair, or the label of one of them."
            )


def draw_pairs(codes: IntArray, links: Links, n_pairs: int, rng: np.random.Generator) -> Pairs:
    """Draw pairs without repetition, as many of one class as of two.

    Links are taken before pairs of labelled objects; objects may be paired with themselves, as in
    Eq. (5.2). How long it takes depends on neither the number of objects (but for sorting them
    once) nor that of classes. ``codes`` are the classes of objects, -1 for none.

    Examples
    --------
    >>> pairs = draw_pairs(np.array([0, 0, 1]), NO_LINKS, 4, np.random.default_rng(0))
    >>> pairs.signs
    array([ 1, -1,  1, -1])
    """
    objects = np.flatnonzero(codes >= 0)
    objects = objects[np.argsort(codes[objects], kind="stable")]
    before = np.searchsorted(codes[objects], codes[objects])  # how many are in classes before
    within = np.arange(1, len(objects) + 1) - before  # how many are in its class, up to itself
    n_same, n_different = len(links.must) + np.sum(within), len(links.cannot) + np.sum(before)
    found = int(min(n_pairs // 2, n_same, n_different))
    same = _draw(links.must, objects, within, before, found, rng)
    different = _draw(links.cannot, objects, before, np.zeros_like(before), found, rng)
    mixed = np.stack([same, different], axis=1).reshape(-1, 2)
    return Pairs(mixed[:, 0], mixed[:, 1], np.tile([1, -1], found))  # t of Eq. (5.1)


def _draw(
    given: IntArray,
    objects: IntArray,
    counts: IntArray,
    first: IntArray,
    size: int,
    rng: np.random.Generator,
) -> AnyArray:
    """Draw given pairs before others, in random order.

    The others are numbered, which lists none: object i with ``counts[i]`` from ``first[i]`` on.
    """
    kept = given[rng.permutation(len(given))[:size]]
    missing = size - len(kept)
    if not missing:
        return kept
    ends = np.cumsum(counts)
    numbers = rng.choice(int(ends[-1]), missing, replace=False)
    place = np.searchsorted(ends, numbers, side="right")
    partner = first[place] + numbers - (ends[place] - counts[place])
    drawn = objects[np.stack([place, partner], axis=1)]
    return rng.permutation(np.concatenate([kept, drawn])) if len(kept) else drawn


def _read(name: str, given: Any, n_objects: int) -> IntArray:
    """Pairs of object numbers, the smaller first, each once."""
    pairs = np.asarray([] if given is None else given)
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {pairs.shape} and type {pairs.dtype}; give an array of integers of "
            "shape (n_pairs, 2), the numbers of two objects in each row."
        )
    for fault, wrong in (
        (f"names an object beyond 0 to {n_objects - 1}", (pairs < 0) | (pairs >= n_objects)),
        ("links an object to itself", pairs[:, :1] == pairs[:, 1:]),
    ):
        rows = wrong.any(axis=1)
        if rows.any():
            row = int(np.argmax(rows))
            raise ValueError(f"row {row} of {name}, {pairs[row].tolist()}, {fault}; correct it.")
    return np.unique(np.sort(pairs.astype(np.intp), axis=1), axis=0)


def _keys(pairs: IntArray, n_objects: int) -> IntArray:
    return pairs[:, 0] * n_objects + pairs[:, 1]


# -- the choice of λ -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """How the regularisations of the grid did on K-examples held out."""

    best: Solution
    """Found with the chosen one on the others."""
    regularization: float
    losses: FloatArray = field(repr=False)
    """Mean hinge loss of the K-examples held out."""


def choose_regularization(
    examples: KExamples, solver: Exact | Stochastic, report: Callable[[str], None]
) -> Selection:
    """Compare the grid on one K-example in five, from strong to weak, each from the last's end."""
    n_training = max(1, int(TRAINING_SHARE * len(examples)))
    training = examples.take(slice(n_training))
    held_out = examples.take(slice(min(n_training, len(examples) - 1), None))
    coarse = solver.coarse()
    found: list[Solution] = []
    losses: list[float] = []
    for regularization in GRID:
        warm_start = found[-1] if found else None
        found.append(coarse.solve(training, float(regularization), warm_start))
        losses.append(float(hinge_losses(held_out, found[-1].weights).mean()))
        report(f"regularization {regularization:.3g}: held-out hinge loss {losses[-1]:.5f}")
    best = int(np.argmin(losses))
    of_best = hinge_losses(held_out, found[best].weights)
    alike = losses[best] + float(of_best.std() / np.sqrt(len(of_best)))
    chosen = int(np.argmax(np.array(losses) <= alike))  # the largest λ within one standard error
    return Selection(found[chosen], float(GRID[chosen]), np.array(losses))


class TwoStageMKL(KernelLearner):
    """Learn one kernel that is large for objects of one class and small for others, then classify.

    Take it first where most objects have a label: it stays good where some views are worthless,
    and ``kernel_weights_`` say which views carry the decision.

    Parameters
    ----------
    kernels : KernelLibrary, kernel or list of kernels
        Base kernels; by default five per view, Gaussian, cosine and linear.
    degree : {1, 2, 3}
        Also weigh products of two, or two and three, kernels.
    combiner : {"linear", "forest"}
        A weighted sum, or the votes of a forest over K-examples: then the similarity need not be
        positive semi-definite, and a ``LandmarkClassifier`` classifies unless another is given.
    regularization : float or "auto"
        λ: the larger, the more alike the weights; "auto" to choose it.
    classifier : classifier
        Any of scikit-learn's that takes a precomputed kernel; None for an SVM, one class against
        the rest if there are more than two.
    C : float, "auto" or None
        The classifier's C: "auto" to choose it, None to leave it.
    solver : {"stochastic", "exact"}
        How to find the weights: about, in a time that is known; or with a proof.
    n_steps : int
        Batches that the stochastic solver looks at.
    batch_size : int
        K-examples in each of them.
    n_pairs : int or "auto"
        Most pairs to learn from; "auto" for 50,000 (20,000 for a forest), and fewer if
        their K-examples were larger than 256 MiB.
    tol : float
        Largest duality gap of the exact solver.
    n_trees : int
        Size of the forest.
    random_state : int, RandomState, Generator or None
        Which pairs are drawn, and what the forest draws.
    verbose : int
        1 reports each λ tried and how it ended.

    Attributes
    ----------
    kernel_weights_ : array of shape (n_terms,)
        μ: weight of each kernel, or of each product; of a forest the share of each kernel in what
        its splits gain.
    kernel_names_ : list of str
        What they are called; products as ``"a × b"``.
    regularization_ : float
        λ; NaN for a forest.
    regularization_grid_, validation_losses_ : arrays of shape (n_values,)
        The values tried and their hinge losses, if any were.
    objective_ : float
        Eq. (5.2) over the drawn pairs; NaN for a forest.
    duality_gap_ : float
        How much lower the objective could be at most, if the solver is exact; else NaN.
    n_iter_ : int
        Steps of the solver, or trees.
    n_pairs_ : int
        How many pairs were learnt from.
    kernels_ : LibraryMatrices
        The base kernels.
    combination_ : Combination
        What makes one similarity of them.
    estimator_ : classifier
        The classifier on the learnt kernel.
    C_ : float
        Its C.
    scale_ : float
        What the learnt kernel is divided by for the classifier: the mean of its diagonal.
    sharpness_ : float or None
        What the scores are multiplied by to be log-probabilities; None where a classifier was given
        or tells probabilities itself.
    classes_ : array
        The classes.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    Two circles have no separating weighting of their coordinates' kernels, but one of products:

    >>> from manyviews.datasets import make_two_circles
    >>> from manyviews.mkl import TwoStageMKL
    >>> views, y = make_two_circles(100, random_state=0)
    >>> TwoStageMKL(["linear"], random_state=0).fit(views, y).score(views, y) < 0.7
    True
    >>> TwoStageMKL(["linear"], degree=2, random_state=0).fit(views, y).score(views, y)
    1.0

    Notes
    -----
    **Objective**
        Minimise ``λ/2 ‖μ‖² + mean over pairs i ≤ j of [1 − t_ij μ·z_ij]_+`` over μ ≥ 0, Eq. (5.2):
        a linear SVM whose objects are pairs. The learnt kernel is ``Σ_l μ_l K_l``.

    **Symbols**
        z_ij → ``KExamples.values`` (K-example: what all kernels say of a pair), t_ij → ``signs``
        (1: one class, −1: two), μ → ``kernel_weights_``, λ → ``regularization``, p → number of
        kernels, C → ``C``.

    **Algorithm**
        1. ``draw_pairs``: at most ``n_pairs`` pairs, as many of one class as of two.
        2. ``expand``: the products of up to ``degree`` kernels, Eq. (6.1).
        3. ``choose_regularization``: λ from 100 to 1e-8, a quarter each time, by the hinge loss on
           a fifth of the K-examples; each solution starts from the last.
        4. ``Stochastic``: projected stochastic sub-gradients, after Pegasos; or ``Exact``:
           Mehrotra's predictor-corrector interior-point method; on all.
        5. ``fit_classifier`` on the learnt kernel, C by 4-fold cross-validation.

    **Deviations**
        Steps are not those of the thesis: with Pegasos' 1/(λ t) a λ of 1e-6 ends far above the
        objective of μ = 0 after its 1,000 steps. Here all steps fall to zero with the last one, and
        the weights of the last fifth of them, 500 at most, are averaged. Up to 64 terms, batches
        are put together to 250 steps at most, each in the metric of the K-examples' second moment.
        With more terms the step is bounded, no K-example changes its own margin by more than 100
        in one step, and rounds of steps in a metric follow, with the 100 terms that matter most.
        The objective came within 1e-3 of the exact one at every λ: 13 to 60 kernels, 793 kernels,
        products of two and of three.
        λ is chosen with a fifth of the steps, as the largest whose loss is within one standard
        error of the smallest: losses are flat in λ, and the smallest was found as low as 1e-8 by
        chance. Equal products K_l K_m = K_m K_l are one term, as in the thesis's
        toy experiment, and not two, as in its Eq. (6.1): there a product of two different kernels
        is penalised half as much for the same kernel (of three: a sixth). Products are not centred
        again. Links have no place in the thesis but among its plans; they are taken first, and
        pairs of labelled objects fill up. Objects that lack a view have zeros in its kernels.

    **Complexity**
        O(steps · batch · p) to learn the weights, whatever the numbers of objects and classes; an
        exact step takes O(pairs · p²). O(p n²) for the learnt kernel; products of d kernels have
        O(p^d) in place of p.

    References
    ----------
    [@kumar2013], [@shalevshwartz2007]
    """

    regularization_: float
    regularization_grid_: FloatArray
    validation_losses_: FloatArray
    objective_: float
    duality_gap_: float
    n_iter_: int
    n_pairs_: int

    def __init__(
        self,
        kernels: KernelLibrary | Kernels = None,
        degree: Annotated[int, Interval(1, 3)] = 1,
        combiner: Literal["linear", "forest"] = "linear",
        regularization: Positive | Literal["auto"] = "auto",
        *,
        classifier: Classifier | None = None,
        C: Penalty = "auto",
        solver: Literal["stochastic", "exact"] = "stochastic",
        n_steps: Count = 10_000,
        batch_size: Count = 100,
        n_pairs: Annotated[int, Interval(2)] | Literal["auto"] = "auto",
        tol: Positive = 1e-6,
        n_trees: Repeats = 500,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.kernels = kernels
        self.degree = degree
        self.combiner = combiner
        self.regularization = regularization
        self.classifier = classifier
        self.C = C
        self.solver = solver
        self.n_steps = n_steps
        self.batch_size = batch_size
        self.n_pairs = n_pairs
        self.tol = tol
        self.n_trees = n_trees
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(["linear", "rbf"], n_steps=60)
        yield cls(degree=2, regularization=0.01, solver="exact", C=1.0, kernels=["linear", "rbf"])
        yield cls(combiner="forest", n_trees=20, n_pairs=500)

    def fit(
        self, X: ViewsLike, y: Any = None, *, must_link: Any = None, cannot_link: Any = None
    ) -> Self:
        """Learn the kernel from pairs of labelled or linked objects, then the classifier on it.

        Parameters
        ----------
        X : views
            The objects.
        y : array-like of shape (n_objects,)
            Classes; may be left out if there are links: then there is a kernel and no classifier.
        must_link, cannot_link : arrays of integers of shape (n_links, 2)
            Numbers of two objects that are of one class, or of two.
        """
        views = self._fit_views(X)
        links = read_links(must_link, cannot_link, len(views))
        codes = self._read_codes(y, views, links)
        refuse_contradictions(links, codes)
        known = np.union1d(np.flatnonzero(codes >= 0), links.objects)
        numbers = np.searchsorted(known, np.arange(len(views)))
        return self._fit_objects(views, codes, known, links=links.renumbered(numbers))

    def _read_codes(self, y: Any, views: Views, links: Links) -> IntArray:
        if y is not None or not links:
            return self._fit_labels(y, views).codes
        if hasattr(self, "classes_"):  # of a fit before
            del self.classes_
        return np.full(len(views), -1)

    def _learn(
        self, kernels: KernelMatrices, codes: IntArray, links: Links = NO_LINKS
    ) -> Combination:
        if self.combiner == "forest" and self.degree != 1:
            raise ValueError(
                f"degree={self.degree} is of no use with combiner='forest', which combines "
                "kernels by itself; leave it at 1."
            )
        rng = generator(self.random_state)
        pairs = draw_pairs(codes, links, self._most_pairs(len(kernels)), rng)
        if not len(pairs):
            raise ValueError(
                "there are no pairs of one class, or none of two, to learn a kernel from; give "
                "labels, or must_link and cannot_link both."
            )
        self.n_pairs_ = len(pairs)
        self.regularization_grid_, self.validation_losses_ = np.empty(0), np.empty(0)
        values = kernels.pairs(pairs.left, pairs.right)  # z of Eq. (5.1)
        if self.combiner == "forest":
            forest = fit_forest(values, pairs.signs, n_trees=self.n_trees, random_state=rng)
            self.regularization_ = np.nan
            self._store(Solution(forest.importances, np.nan, self.n_trees))
            return forest
        self.kernel_names_ = term_names(kernels.names, self.degree)
        solution = self._solve(KExamples(values, pairs.signs, int(self.degree)))
        self._store(solution)
        if self.degree == 1:
            return LinearCombination(solution.weights)
        return PolynomialCombination(solution.weights, int(self.degree))

    def _most_pairs(self, n_kernels: int) -> int:
        if self.n_pairs != "auto":
            return int(self.n_pairs)
        return max(2, min(MOST_PAIRS[self.combiner], KEPT_VALUES // n_kernels))

    def _solve(self, examples: KExamples) -> Solution:
        """A linear K-classifier without negative weights, so that the similarity is a kernel."""
        solver: Exact | Stochastic = Exact(float(self.tol))
        if self.solver == "stochastic":
            solver = Stochastic(int(self.n_steps), int(self.batch_size))
        if self.regularization != "auto":
            self.regularization_ = float(self.regularization)
            return solver.solve(examples, self.regularization_)  # argmin over μ of Eq. (5.2)
        chosen = choose_regularization(examples, solver, self._report)
        self.regularization_ = chosen.regularization
        self.regularization_grid_, self.validation_losses_ = GRID.copy(), chosen.losses
        return solver.solve(examples, chosen.regularization, chosen.best)  # of Eq. (5.2)

    def _store(self, solution: Solution) -> None:
        self.kernel_weights_ = solution.weights
        self.objective_ = solution.objective
        self.duality_gap_ = solution.gap
        self.n_iter_ = solution.n_iter
        self._report(f"{self.n_pairs_:,} pairs, objective {solution.objective:.6g}")
        if not solution.weights.any():
            warn_user(
                "no kernel tells pairs of one class from pairs of two, so that all weights are "
                "zero; give other kernels, more pairs, or a smaller regularization.",
                ConvergenceWarning,
            )

    def _fit_classifier(self, gram: FloatArray, codes: IntArray, C: Penalty) -> Any:
        if self.combiner != "forest" or self.classifier is not None:
            return super()._fit_classifier(gram, codes, C)
        return self._unfitted().fit(gram, codes)

    def _unfitted(self) -> Any:
        if self.combiner != "forest" or self.classifier is not None:
            return super()._unfitted()
        return LandmarkClassifier("precomputed", random_state=self.random_state)
