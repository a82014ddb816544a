"""Kernels weighted by how they tell pairs of one class from pairs of two [@kumar2013]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.data import Views
from manyviews.maths import generator
from manyviews.mkl._base import KernelLearner
from manyviews.mkl._classifier import Penalty
from manyviews.mkl._combination import Combination
from manyviews.mkl._library._library import KernelLibrary, Kernels
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.mkl._two_stage._learn import Learnt, learn_similarity
from manyviews.mkl._two_stage._pairs import NO_LINKS, Links, read_links, refuse_contradictions
from manyviews.mkl._two_stage._settings import Settings
from manyviews.typing import (
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
        4. ``solve_stochastic`` (after Pegasos, with μ ≥ 0) or ``solve_exact`` on all.
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
        settings, rng = Settings.read(self), generator(self.random_state)
        learnt = learn_similarity(kernels, codes, links, settings, rng, self._report)
        self._store(learnt)
        return learnt.combination

    def _store(self, learnt: Learnt) -> None:
        solution, selection = learnt.solution, learnt.selection
        self.kernel_weights_ = solution.weights
        self.kernel_names_ = learnt.names
        self.regularization_ = learnt.regularization
        self.regularization_grid_ = np.empty(0) if selection is None else selection.grid
        self.validation_losses_ = np.empty(0) if selection is None else selection.losses
        self.objective_ = solution.objective
        self.duality_gap_ = solution.gap
        self.n_iter_ = solution.n_iter
        self.n_pairs_ = learnt.n_pairs
        self._report(f"{learnt.n_pairs:,} pairs, objective {solution.objective:.6g}")
        if not solution.weights.any():
            warnings.warn(
                "no kernel tells pairs of one class from pairs of two, so that all weights are "
                "zero; give other kernels, more pairs, or a smaller regularization.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _fit_classifier(self, gram: FloatArray, codes: IntArray, C: Penalty) -> Any:
        if self.combiner != "forest" or self.classifier is not None:
            return super()._fit_classifier(gram, codes, C)
        return self._unfitted().fit(gram, codes)

    def _unfitted(self) -> Any:
        if self.combiner != "forest" or self.classifier is not None:
            return super()._unfitted()
        from manyviews.mkl._landmarks import LandmarkClassifier

        return LandmarkClassifier("precomputed", random_state=self.random_state)
