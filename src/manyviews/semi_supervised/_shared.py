"""Parts that several families of the room use: classifiers by view, defaults, weights, classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import refusing_overflow, warn_user
from manyviews.data import Labels, Views, per_view
from manyviews.maths import log_softmax, to_dense
from manyviews.similarity import (
    RBF,
    Cosine,
    KNNGraph,
    LowRankKernel,
    Similarity,
    SimilarityLike,
    ViewStructure,
    constant_views,
    evenly_spaced,
    judge_views,
    observed_similarities,
    weights_of_views,
)
from manyviews.similarity.views import shown_rows
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    ByView,
    FloatArray,
    Having,
    IntArray,
    Interval,
    Matrix,
    Positive,
    is_sparse,
)

__all__ = [
    "ClassWeight",
    "KernelLike",
    "Member",
    "Proportions",
    "Rule",
    "UsualScaling",
    "best_class",
    "chosen_graphs",
    "chosen_kernels",
    "class_targets",
    "combine",
    "early_ends",
    "early_ends_explained",
    "evidence",
    "flat",
    "most_steps",
    "one_hot",
    "probabilities",
    "probabilities_by_view",
    "read_class_weights",
    "read_members",
    "read_or_judge_class_weights",
    "read_or_judge_weights",
    "read_proportions",
    "refuse_extremes",
    "relative_weights",
    "signs_of",
    "softmax_of_decisions",
    "spread_of_features",
    "spread_of_gram",
    "two_class_problems",
    "usual_kernel",
    "usual_scaling",
    "warn_of_early_end",
    "weighted_mean",
    "weights_by_object",
]


# -- a classifier per view ------------------------------------------------------------------------


Member: TypeAlias = Annotated[Any, Having("a classifier", "fit", "predict_proba")]
"""A classifier that says how sure it is; one that does not can be made to by calibration."""
Rule: TypeAlias = Literal["product", "mean"]

SOLVED = 1e-7
"""Gradient at which logistic regression is solved. Rounds of co-training choose the surest objects
one after the other, so that an error in one grows in the next: at scikit-learn's 1e-4, and with its
L-BFGS at 1e-6, other last digits in the data moved 164 and 169 of 800 labels of citeseer. By
Newton's steps 1e-7 takes 0.5 to 1.4 times as long as L-BFGS to 1e-4 (eight sets, 2026-11)."""
_SMALLEST = np.finfo(np.float64).tiny
"""Probabilities are at least the least normal number, so that their logarithms are numbers."""


def read_members(
    estimator: ByView[Member | None], names: Sequence[str], *, C: float = 1.0
) -> dict[str, Any]:
    """Return an unfitted classifier for each view; logistic regression where none is given.

    ``C`` is the inverse of its penalty.

    Examples
    --------
    >>> list(read_members(None, ["text", "links"]))
    ['text', 'links']
    """
    from sklearn.linear_model import LogisticRegression

    usual = LogisticRegression(C=C, solver="newton-cg", tol=SOLVED, max_iter=1000)
    given = per_view(estimator, names, parameter="estimator")
    return {name: clone(usual if member is None else member) for name, member in given.items()}


def probabilities(member: Any, rows: Any, n_classes: int) -> FloatArray:
    """Probabilities of all classes, numbered from 0; those a member was not shown get zero."""
    with refusing_overflow(member, rows):
        found = np.asarray(member.predict_proba(rows), dtype=np.float64)
    if found.shape[1] == n_classes:
        return found
    spread = np.zeros((len(found), n_classes))
    spread[:, np.asarray(member.classes_, dtype=np.intp)] = found
    return spread


def probabilities_by_view(
    classifiers: Mapping[str, Any], views: Views, prior: FloatArray
) -> dict[str, FloatArray]:
    """Probabilities of all classes to each view's classifier; NaN where a view is unobserved.

    Of a class that a classifier was never shown it says what is known without it: the prior.
    """
    found = {}
    for name, member in classifiers.items():
        rows, seen = shown_rows(views, name)
        found[name] = np.full((len(views), len(prior)), np.nan)
        if len(seen):
            strange = np.ones(len(prior), dtype=bool)
            strange[np.asarray(member.classes_, dtype=np.intp)] = False
            shares = probabilities(member, rows, len(prior)) * (1.0 - prior[strange].sum())
            shares[:, strange] = prior[strange]
            found[name][seen] = shares
    return found


def combine(
    by_view: Mapping[str, FloatArray], weights: FloatArray, rule: Rule, prior: FloatArray
) -> FloatArray:
    """Join what the views say of each object, over the views that show it.

    The product takes the views for independent given the class, and the prior, which every view
    has in it, is counted once: ``p(c) prod_v p(c | x_v) / p(c)``, Eq. (19) of [@bickel2005].
    ``weights`` (objects × views) are what a view counts for an object, a factor in the mean and an
    exponent in the product; where one is zero a view may hold anything.

    Examples
    --------
    >>> votes = {"a": np.array([[0.9, 0.1]]), "b": np.array([[0.5, 0.5]])}
    >>> seen = np.array([[1.0, 1.0]])
    >>> combine(votes, seen, "mean", np.array([0.5, 0.5])).round(2)
    array([[0.7, 0.3]])
    >>> combine(votes, seen, "product", np.array([0.5, 0.5])).round(2)
    array([[0.9, 0.1]])
    """
    stacked = np.stack(list(by_view.values()))
    counts = np.asarray(weights, dtype=np.float64).T[:, :, None]
    heard = counts > 0
    if rule == "mean":
        total = np.where(heard, counts * stacked, 0.0).sum(axis=0)
        mass = counts.sum(axis=0)
        return np.asarray(total / np.where(mass > 0, mass, 1.0))
    log_prior = np.log(np.maximum(prior, _SMALLEST))
    evidence = np.log(np.maximum(np.where(heard, stacked, 1.0), _SMALLEST)) - log_prior
    shares, _ = log_softmax(log_prior + np.where(heard, counts * evidence, 0.0).sum(axis=0))
    return shares


# -- kernels, graphs and scales where nothing is said ----------------------------------------------


KernelLike: TypeAlias = SimilarityLike | Literal["auto"]
"""The kernel of a view: a similarity, its name, or "auto" for the one of its kind."""

MOSTLY_ZERO = 0.3
"""Share of cells that are not zero up to which a view counts as words, links or other marks.

Of the views of the twenty sets of ``make quality``, such ones have up to 0.14 and all others 0.5
or more, so that the number itself is not tuned.
"""
_MANY_OBJECTS, _RANK = 2000, 500
"""Beyond so many objects the Gaussian kernel is a product of so many columns at most. Up to there
that gains nothing: of 1,000 and 2,000 objects in two views ``CoRLS`` takes 1.7 and 1.3 times as
long as with the whole kernel, and answers the same (2026-11)."""
_NOTHING = 1e-10
"""A variance of less than this share of the squared length is that of a constant view: a sum of a
million squares is rounded by 1e-16 of it a million times at most."""


def mostly_zero(rows: Matrix) -> bool:
    """Whether a view holds marks such as words and links: few of its cells are not zero.

    Examples
    --------
    >>> mostly_zero(np.eye(4)), mostly_zero(np.ones((4, 4)))
    (True, False)
    """
    filled = np.count_nonzero(rows.data) if is_sparse(rows) else np.count_nonzero(rows)
    return bool(filled <= MOSTLY_ZERO * rows.shape[0] * rows.shape[1])


def usual_kernel(rows: Matrix) -> Similarity:
    """Cosine for views of marks, else the Gaussian kernel of the median width.

    ``CoRLS`` with it has a mean accuracy of 0.735 on nineteen sets of ``make quality`` (five labels
    a class, one draw), against 0.711, 0.724 and 0.700 with the linear, cosine and Gaussian kernel
    for all views.

    Examples
    --------
    >>> usual_kernel(np.eye(4)), usual_kernel(np.ones((4, 4)))
    (Cosine(), RBF(gamma='median'))
    """
    if mostly_zero(rows):
        return Cosine()
    if rows.shape[0] > _MANY_OBJECTS:
        return LowRankKernel(RBF(), _RANK, method="cholesky")
    return RBF()


def usual_graph(rows: Matrix) -> Similarity:
    """Ten nearest neighbours: by the cosine for views of marks, where rows of zeros have none.

    Examples
    --------
    >>> usual_graph(np.eye(4)).metric, usual_graph(np.ones((4, 4))).metric
    ('cosine', 'euclidean')
    """
    return KNNGraph(metric="cosine" if mostly_zero(rows) else "euclidean")


def chosen_kernels(kernel: Any, views: Views) -> dict[str, Any]:
    """The kernel of every view, with those that are left to us chosen."""
    given = per_view(kernel, views.names, parameter="kernel")
    return {
        name: usual_kernel(shown_rows(views, name)[0])
        if isinstance(each, str) and each == "auto"
        else each
        for name, each in given.items()
    }


def chosen_graphs(graph: Any, views: Views) -> dict[str, Any]:
    """The graph of every view, with those that are left to us chosen."""
    given = per_view(graph, views.names, parameter="graph")
    return {
        name: usual_graph(shown_rows(views, name)[0]) if each is None else each
        for name, each in given.items()
    }


def spread_of_features(features: Matrix, *, center: bool) -> float:
    """Mean squared length of rows, from their mean if centred; 1 if there is none.

    It is the mean diagonal of the kernel that is their inner product.

    Examples
    --------
    >>> spread_of_features(np.array([[3.0], [5.0]]), center=True)
    1.0
    """
    if not features.shape[0]:
        return 1.0
    squares = features.multiply(features) if is_sparse(features) else np.square(features)
    mean = np.asarray(features.mean(axis=0), dtype=np.float64).ravel()
    return _positive(float(squares.sum()) / features.shape[0], float(mean @ mean), center)


def spread_of_gram(gram: FloatArray, *, center: bool) -> float:
    """Mean diagonal of a kernel, centred or as it is; 1 if there is none, or no object.

    Examples
    --------
    >>> spread_of_gram(np.array([[9.0, 15.0], [15.0, 25.0]]), center=True)
    1.0
    """
    if not len(gram):
        return 1.0
    return _positive(float(gram.diagonal().mean()), float(gram.mean()), center)


def _positive(squared: float, squared_mean: float, center: bool) -> float:
    found = squared - squared_mean if center else squared
    if found > _NOTHING * squared:
        return found
    return squared if squared > 0 else 1.0


@dataclass(frozen=True)
class UsualScaling:
    """Rows as a linear classifier of a fixed penalty takes them, whatever the unit of the view.

    Views of marks are brought to rows of length one, others are moved by their mean; both are
    then divided by the root mean squared distance of the rows from their mean.
    """

    unit: bool
    mean: FloatArray
    scale: float

    def __call__(self, rows: Matrix) -> Matrix:
        """Scale rows of the view; those of an unobserved object stay NaN or empty."""
        if self.unit:
            return Cosine().feature_rows(rows) * (1.0 / self.scale)
        dense: FloatArray = rows.toarray() if is_sparse(rows) else np.asarray(rows, dtype=float)
        return (dense - self.mean) * (1.0 / self.scale)


def usual_scaling(rows: Matrix) -> UsualScaling:
    """Choose how the rows of a view are scaled.

    Examples
    --------
    >>> usual_scaling(np.array([[3.0, 1.0], [5.0, 1.0]]))(np.array([[6.0, 1.0]]))
    array([[2., 0.]])
    """
    if mostly_zero(rows):
        spread = spread_of_features(Cosine().feature_rows(rows), center=True)
        return UsualScaling(unit=True, mean=np.zeros(rows.shape[1]), scale=float(np.sqrt(spread)))
    mean = np.asarray(rows.mean(axis=0), dtype=np.float64).ravel()
    spread = spread_of_features(rows, center=True)
    return UsualScaling(unit=False, mean=mean, scale=float(np.sqrt(spread)))


# -- weights of the views --------------------------------------------------------------------------


_SAMPLE = 2000
"""Of more objects than this, views are judged by so many at equal steps, as :func:`judge_views`
takes of dense similarities."""
_SPEAKS = 5.0
"""Standard errors above zero at which labels speak for a view. Noise beside the twenty sets of
``make quality`` (five labels a class, two draws) has 0.9 at most, other draws of noise with 60 to
1,500 labels 1.8; the rest is caution, not tuned."""
_PENALTY = 0.1
"""Ridge penalty beside a mean diagonal of one; any will do to tell something from nothing."""


def read_or_judge_weights(
    given: AutoViewWeights, views: Views, targets: FloatArray, known: BoolArray
) -> dict[str, float]:
    """Weights as they are given; "auto" gives nothing to a view that looks empty, and says so.

    A few labels cannot tell a weak view from an empty one: with five a class, nearly half of the
    views of twenty sets (two draws) tell classes no better than by chance, to two standard errors
    (:func:`evidence`). Whether objects are near each other for a reason is told by all of them
    (:func:`judge_views`). A view that looks empty to that test is kept if the labels speak for
    it, as they can where they are many.

    Parameters
    ----------
    given : "auto", list, dict or None
        What the user said; None: alike.
    views : Views
        The objects.
    targets : array of shape (n_objects, n_targets)
        What is to be told, such as ±1 for each class.
    known : array of bool of shape (n_objects,)
        For which objects.
    """

    def judge(views: Views) -> dict[str, ViewStructure]:
        some = views[evenly_spaced(len(views), _SAMPLE)]
        _, graphs = observed_similarities(some, chosen_graphs(None, some))
        found = judge_views(graphs, some.observed, constant=constant_views(some))
        for name in [name for name, view in found.items() if view.empty]:
            told = np.flatnonzero(views.observed_in(name) & known)
            told = told[evenly_spaced(len(told), _SAMPLE)]
            silent = evidence(views[name][told], targets[told]) < _SPEAKS
            found[name] = replace(found[name], empty=silent)
        return found

    consequence = "it has no say, unless view_weights says otherwise"
    return weights_of_views(given, views, judge, consequence)


def read_or_judge_class_weights(
    given: AutoViewWeights, views: Views, labels: Labels
) -> dict[str, float]:
    """Weights as :func:`read_or_judge_weights` has them, where classes are to be told."""
    targets = class_targets(labels.codes, len(labels.classes))
    return read_or_judge_weights(given, views, targets, labels.labelled)


def relative_weights(weights: Mapping[str, float]) -> FloatArray:
    """Weights of the views, where 1 is the mean of those that count at all.

    Examples
    --------
    >>> relative_weights({"text": 6.0, "links": 2.0, "noise": 0.0})
    array([1.5, 0.5, 0. ])
    """
    each = np.array(list(weights.values()), dtype=np.float64)
    return np.asarray(each / each[each > 0].mean()) if each.any() else each


def weights_by_object(observed: BoolArray, weights: Mapping[str, float]) -> FloatArray:
    """What each view counts for each object, where 1 is the mean of the views that count at all.

    An object that only views without any weight show is told by them.

    Examples
    --------
    >>> weights_by_object(np.array([[True, True], [False, True]]), {"text": 1.0, "noise": 0.0})
    array([[1., 0.],
           [0., 1.]])
    """
    found = observed * relative_weights(weights)
    untold = ~found.any(axis=1)
    found[untold] = observed[untold]
    return np.asarray(found, dtype=np.float64)


def weighted_mean(values: Mapping[str, FloatArray], weights: Mapping[str, float]) -> FloatArray:
    """Mean over the views that have a say about an object; values are NaN where unobserved.

    Examples
    --------
    >>> values = {"text": np.array([[1.0], [np.nan]]), "noise": np.array([[5.0], [7.0]])}
    >>> weighted_mean(values, {"text": 1.0, "noise": 0.0})
    array([[1.],
           [7.]])
    """
    stacked = np.stack(list(values.values()))
    shares = weights_by_object(~np.isnan(stacked[:, :, 0]).T, weights).T[:, :, None]
    total = np.where(shares > 0, shares * stacked, 0.0).sum(axis=0)
    return np.asarray(total / shares.sum(axis=0))


def evidence(rows: Matrix, targets: FloatArray) -> float:
    """How well a ridge regression tells targets of objects left out, in standard errors.

    It is the correlation of the targets with what the others say of them, times the root of the
    number of objects; about zero where a view tells nothing.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> evidence(x, x**3) > 5, evidence(np.random.default_rng(0).normal(size=(60, 9)), x) > 5
    (True, False)
    """
    n_objects = len(targets)
    if n_objects < 3:
        return 0.0
    gram = to_dense(usual_kernel(rows).fitted(rows).gram(rows))
    # Exact leave-one-out needs the constant in the system: a kernel that was centred with the
    # object itself hands its target back to it.
    bordered = np.ones((n_objects + 1, n_objects + 1))
    bordered[:-1, :-1] = gram / spread_of_gram(gram, center=True) + _PENALTY * np.eye(n_objects)
    bordered[-1, -1] = 0.0
    inverse = np.linalg.inv(bordered)[:-1, :-1]
    middle = targets - targets.mean(axis=0)
    left_out = middle - (inverse @ middle) / inverse.diagonal()[:, None]
    left_out -= left_out.mean(axis=0)
    lengths = np.linalg.norm(middle) * np.linalg.norm(left_out)
    return float(np.vdot(middle, left_out) / lengths * np.sqrt(n_objects)) if lengths else 0.0


# -- classes as numbers, signs and shares ----------------------------------------------------------


_SomeOfAll: TypeAlias = Annotated[float, Interval(0, 1, above=True, below=True)]
Proportions: TypeAlias = Literal["labelled"] | _SomeOfAll | Mapping[Any, _SomeOfAll]
"""Shares of the classes: as labelled, of the second of two, or of each by its name."""
ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, Positive] | None
"""Factors of the costs of classes."""


def read_proportions(given: Proportions, labels: Labels) -> FloatArray:
    """Share of each class among the objects.

    Parameters
    ----------
    given : "labelled", float or mapping
        As among the labelled objects, the share of the second of two classes, or the share of
        every class by its name.
    labels : Labels
        The labels that are known.

    Examples
    --------
    >>> labels = Labels(np.array([0, 1, 1, 1, -1]), np.array(["cat", "dog"]))
    >>> read_proportions("labelled", labels)
    array([0.25, 0.75])
    >>> read_proportions(0.4, labels)
    array([0.6, 0.4])
    >>> read_proportions({"cat": 0.9, "dog": 0.1}, labels)
    array([0.9, 0.1])
    """
    if isinstance(given, str) and given == "labelled":
        return np.asarray(labels.counts / labels.counts.sum())
    if isinstance(given, Mapping):
        classes = labels.classes.tolist()
        if set(given) != set(classes):
            raise ValueError(
                f"proportions has shares for {list(given)} and the classes are {classes}; "
                "give one share for each class."
            )
        shares = np.array([float(given[name]) for name in classes])
        if abs(shares.sum() - 1.0) > 1e-6:
            raise ValueError(
                f"the shares in proportions sum to {shares.sum():g}; make them sum to 1."
            )
        return shares
    if len(labels.classes) != 2:
        raise ValueError(
            f"proportions={given!r} is one number for {len(labels.classes)} classes; "
            "give a dict with a share for each class."
        )
    return np.array([1.0 - float(given), float(given)])


def read_class_weights(given: Mapping[Any, float], classes: AnyArray) -> FloatArray:
    """Factor of the cost of each class; 1 for those that are not named.

    Examples
    --------
    >>> read_class_weights({"dog": 3}, np.array(["cat", "dog"]))
    array([1., 3.])
    """
    unknown = [name for name in given if name not in classes.tolist()]
    if unknown:
        raise ValueError(
            f"class_weight names the class {unknown[0]!r}, which is not among the classes "
            f"{classes.tolist()}; rename or remove it."
        )
    return np.array([float(given.get(name, 1.0)) for name in classes.tolist()])


def two_class_problems(n_classes: int) -> range:
    """Classes to be told from all others, one after another; of two, the second is enough.

    Examples
    --------
    >>> list(two_class_problems(2)), list(two_class_problems(3))
    ([1], [0, 1, 2])
    """
    return range(1, 2) if n_classes == 2 else range(n_classes)


def signs_of(codes: IntArray, positive: int) -> IntArray:
    """1 for objects labelled by one class, -1 by another, 0 for unlabelled ones.

    Examples
    --------
    >>> signs_of(np.array([0, 2, -1]), positive=2)
    array([-1,  1,  0])
    """
    return np.where(codes < 0, 0, np.where(codes == positive, 1, -1))


def one_hot(codes: IntArray, n_classes: int) -> FloatArray:
    """Rows with a 1 at the class, zeros for an unlabelled object.

    Examples
    --------
    >>> one_hot(np.array([1, -1]), 2)
    array([[0., 1.],
           [0., 0.]])
    """
    return np.asarray(codes[:, None] == np.arange(n_classes), dtype=np.float64)


def class_targets(codes: IntArray, n_classes: int) -> FloatArray:
    """1 for a class and −1 for the others, 0 for unlabelled; one column for two classes.

    Examples
    --------
    >>> class_targets(np.array([0, 1, -1]), 2).ravel()
    array([-1.,  1.,  0.])
    """
    classes = np.arange(n_classes) if n_classes > 2 else np.array([1])
    signs = np.where(codes[:, None] == classes, 1.0, -1.0)
    return np.where(codes[:, None] >= 0, signs, 0.0)


def flat(values: FloatArray) -> FloatArray:
    """One column as scikit-learn has the decisions between two classes: a vector."""
    return values[:, 0] if values.shape[1] == 1 else values


TIED = 1e-9
"""Values this close, beside the largest modulus of them, are equal up to the rounding of a sum."""
_ZERO = 1e-14
"""Values this close are equal, however small: they are the rounding of sums of targets of one."""


def best_class(values: FloatArray, error: float = 0.0) -> IntArray:
    """The class that values, objects × targets, speak for; of equal ones the first.

    The value of two classes is that of the second, and minus that of the first. What is equal is
    judged beside the object's own values: a strong penalty makes all of them small. Of two classes
    these say nothing of a tie, where both are rounding: ``error`` is how far the method's values
    may be from exact ones, which it knows from its fit.

    Examples
    --------
    >>> best_class(np.array([[-0.5], [2.0]])), best_class(np.array([[1.0, 3.0, 2.0]]))
    (array([0, 1]), array([1]))
    >>> best_class(np.array([[3e-8], [3e-6]]), error=1e-6)
    array([0, 1])
    """
    if values.shape[1] == 1:
        values = np.hstack([-values, values])
    least = 2 * max(_ZERO, error)
    equal = np.maximum(TIED * np.abs(values).max(axis=1, keepdims=True), least)
    return (values >= values.max(axis=1, keepdims=True) - equal).argmax(axis=1)


def softmax_of_decisions(values: FloatArray) -> FloatArray:
    """Probabilities of all classes from values near 1 for an object's own and −1 for others.

    ``p(c) ∝ exp(2 f_c)``, which for two classes is the logistic function of twice the value: the
    minimiser of the squared loss is ``2 p − 1``, and this has the same value and slope at 0.

    Examples
    --------
    >>> softmax_of_decisions(np.array([[0.0], [1.0]])).round(2)
    array([[0.5 , 0.5 ],
           [0.12, 0.88]])
    """
    scores = np.hstack([-values, values]) if values.shape[1] == 1 else 2.0 * values
    return log_softmax(scores)[0]


# -- limits of support vector machines -------------------------------------------------------------


_STEPS_PER_OBJECT, _FEWEST_STEPS = 300, 2_000_000
"""How many pairs of coefficients LIBSVM may change, for which scikit-learn sets no limit.

Two overlapping clouds of 200 objects (the figure of the guide on transduction) take more than
300,000 and end within two million; machines of extreme costs would go on for minutes.
"""
_LARGEST = 1e15
"""Cost of slack times squared length of an object; beyond it the margin is lost in rounding."""


def most_steps(n_objects: int) -> int:
    """How many steps a machine of so many objects may take."""
    return max(_STEPS_PER_OBJECT * n_objects, _FEWEST_STEPS)


def refuse_extremes(largest_cost: float, largest_square: float, *, remedy: str) -> None:
    """Refuse costs that no solver can bear, given the squared length of the longest object.

    Examples
    --------
    >>> refuse_extremes(1e300, 4.0, remedy="lower C")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: slack costs up to 1e+300 ... scale the views, or lower C.
    """
    if not largest_cost * largest_square <= _LARGEST:
        raise ValueError(
            f"slack costs up to {largest_cost:.2g} and squared lengths of objects reach "
            f"{largest_square:.2g}, which together are beyond what a machine can solve; scale the "
            f"views, or {remedy}."
        )


@contextmanager
def early_ends() -> Iterator[list[str]]:
    """Collect what solvers that were stopped early say, and pass on all other warnings."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield said
    for each in caught:
        if issubclass(each.category, ConvergenceWarning):
            said.append(str(each.message))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


@contextmanager
def early_ends_explained(method: str, *, remedy: str) -> Iterator[None]:
    """Say in our words that a machine was stopped before it was trained to the end."""
    with early_ends() as ended:
        yield
    if ended:
        warn_of_early_end(method, remedy=remedy)


def warn_of_early_end(method: str, *, remedy: str) -> None:
    """Warn that a machine was stopped before it was trained to the end."""
    warn_user(
        f"{method} stopped a machine before it was trained to the end; scale the views to unit "
        f"variance, or {remedy}.",
        ConvergenceWarning,
    )
