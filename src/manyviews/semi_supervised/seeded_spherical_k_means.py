"""Spherical k-means from labelled seeds, by assignments that views agree on [@dalvi2015].

A view *shows* an object if it gives it a direction: it is observed there, and not all zero. What
it then counts is its *share*, one where nothing else is said; views whose share is zero, as those
that do not show an object, take no part in what is decided about it. From the top: from scores to
labels, the rounds of Algorithm 1, sets of labels as users give them, the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from hashlib import blake2b
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length

from manyviews.base import (
    BaseMultiViewClassifier,
    MultiViewTags,
    ViewTags,
    check_params,
    report,
    warn_not_converged,
)
from manyviews.data import Views, in_row_order
from manyviews.maths import (
    Directions,
    Ontology,
    assign_labels,
    best_and_score,
    directions,
    sum_members,
    unit_length,
)
from manyviews.semi_supervised._shared import read_or_judge_weights, weights_by_object
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    Count,
    FloatArray,
    Having,
    IntArray,
    Matrix,
    NonNegative,
    Verbosity,
    ViewsLike,
)

__all__ = ["SeededSphericalKMeans"]

Method: TypeAlias = Literal["sum", "product", "max_agree", "cotrain"]
Solver: TypeAlias = Literal["auto", "exact", "milp"]
OntologyLike: TypeAlias = (
    Ontology
    | Mapping[Any, Any]
    | Sequence[Any]
    | Annotated[Any, Having("a directed graph", "edges", "nodes")]
)
"""What :meth:`manyviews.maths.Ontology.read` reads."""
Assign: TypeAlias = Callable[[Sequence[FloatArray], FloatArray], Sequence[BoolArray]]
"""From scores by view, and the shares of views in objects, to the members of classes by view."""


# -- from scores to labels -------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """How labels are assigned; without an ontology, all classes exclude each other."""

    method: Method = "max_agree"
    ontology: Ontology | None = None
    alpha: tuple[float, float, float] = (0.5, 0.1, 1.0)
    solver: Solver = "auto"

    def best(self, scores: FloatArray) -> BoolArray:
        """Labels of largest total score: Eq. (3), or with an ontology Eq. (9)."""
        return assign_labels([scores], "sum", ontology=self.ontology, solver=self.solver)[0]

    def agreeing(self, scores: Sequence[FloatArray]) -> list[BoolArray]:
        """Labels by view that score well and differ little: Eq. (7), (8) or (10)."""
        return assign_labels(
            list(scores), "max_agree", ontology=self.ontology, alpha=self.alpha, solver=self.solver
        )


def members(rule: Rule, scores: Sequence[FloatArray], shares: FloatArray) -> list[BoolArray]:
    """Which objects each view is to be centred on, class by class.

    An object whose scores are all zero has nothing to say and joins no class.
    """
    weighted = weigh(scores, shares)
    if rule.method == "max_agree":
        found = _agreeing_by_pattern(rule, weighted, shares > 0)
    elif rule.method == "cotrain":
        views = range(len(scores))
        found = [rule.best(_scores_of_others(weighted, shares > 0, view)) for view in views]
    else:
        found = [rule.best(effective_scores(rule.method, scores, shares))] * len(scores)
    heard: BoolArray = np.any([score.any(axis=1) for score in weighted], axis=0)
    return found if heard.all() else [bits & heard[:, None] for bits in found]


def weigh(scores: Sequence[FloatArray], shares: FloatArray) -> list[FloatArray]:
    """The scores of each view times its share, in the precision of the scores."""
    pairs = zip(scores, shares.T, strict=True)
    return [score * share[:, None].astype(score.dtype) for score, share in pairs]


def effective_scores(
    method: Method, scores: Sequence[FloatArray], shares: FloatArray
) -> FloatArray:
    """One score per object and class from all views that show the object, Section 2.2."""
    total = reduce(np.add, weigh(scores, shares))  # as in Eq. (4)
    if method != "product":
        return total
    pairs = zip(scores, shares.T, strict=True)  # a view without a share gives the factor one
    powers = (np.maximum(score, 0) ** own[:, None].astype(score.dtype) for score, own in pairs)
    product = reduce(np.multiply, powers)  # as in Eq. (5)
    decided: BoolArray = np.logical_and(product.any(axis=1), shares.any(axis=1))
    return np.where(decided[:, None], product, total)


def decide(rule: Rule, scores: Sequence[FloatArray], shares: FloatArray) -> BoolArray:
    """One set of labels per object, from all views together."""
    if rule.method != "max_agree":
        return rule.best(effective_scores(rule.method, scores, shares))
    total = effective_scores("sum", scores, shares)
    if rule.ontology is None:  # exactly one label, on which the views agree: Eq. (7) without slack
        return rule.best(total)
    whole = shares.sum(axis=1, keepdims=True)
    return rule.agreeing([total / np.where(whole > 0, whole, 1)])[0]  # Eq. (10) for equal labels


def _agreeing_by_pattern(
    rule: Rule, scores: Sequence[FloatArray], heard: BoolArray
) -> list[BoolArray]:
    """Let those views agree that have a share in an object; the others get no labels."""
    if heard.all():
        return _agreeing(rule, scores)
    found = [np.zeros(score.shape, dtype=bool) for score in scores]
    patterns, which = np.unique(heard, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows, views = np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern).tolist()
        agreed = _agreeing(rule, [scores[view][rows] for view in views]) if views else []
        for view, bits in zip(views, agreed, strict=True):
            found[view][rows] = bits
    return found


def _agreeing(rule: Rule, scores: Sequence[FloatArray]) -> list[BoolArray]:
    """Solve Eq. (7) for those objects only whose views could gain by differing.

    If a score is never worth a label too many, the best label that is on in all V views stands
    alone, at no price. Any other solution has labels in some views only, each of which differs
    from at least V - 1 pairs of views; there are two of them, or one and a view without a label,
    which pays ``alpha_3`` and loses its score. It gains no more than the best label of each view
    instead of the best label of all; who gains less than the least of these prices has found the
    optimum.
    """
    gain, differ, slack = rule.alpha
    most = max(float(np.abs(score).max(initial=0)) for score in scores)
    if rule.ontology is not None or rule.solver != "auto" or slack <= gain * most:
        return rule.agreeing(scores)
    total = reduce(np.add, scores)
    common = rule.best(total)
    if len(scores) == 1:
        return [common]
    best = [_largest(score) for score in scores]
    apart = gain * (reduce(np.add, best) - _largest(total))
    price = differ * (len(scores) - 1)
    least = price + np.minimum(price, slack + gain * reduce(np.minimum, best))
    open_rows = np.flatnonzero(apart >= least)
    if len(open_rows) == 0:
        return [common] * len(scores)
    found = [common.copy() for _ in scores]
    solved = rule.agreeing([score[open_rows] for score in scores])
    for bits, own in zip(found, solved, strict=True):
        bits[open_rows] = own
    return found


def _largest(scores: FloatArray) -> FloatArray:
    """Largest score of each object."""
    return best_and_score(scores.T)[1]


def _scores_of_others(scores: Sequence[FloatArray], heard: BoolArray, view: int) -> FloatArray:
    """Summed scores of the other views, or its own for objects in which no other has a share."""
    others = [score for other, score in enumerate(scores) if other != view]
    if not others:
        return scores[view]
    alone: BoolArray = np.logical_not(np.delete(heard, view, axis=1).any(axis=1))
    return np.where(alone[:, None], scores[view], reduce(np.add, others))


# -- the rounds of Algorithm 1 ---------------------------------------------------------------------


@dataclass(frozen=True)
class Seeds:
    """What users say of the objects: the classes of those that are labelled."""

    members: BoolArray
    """Which object is in which class (objects × classes), none for unlabelled ones."""
    labelled: BoolArray

    def with_found(self, bits: BoolArray) -> BoolArray:
        """Labels of all objects, with those found for the unlabelled ones."""
        members = self.members.copy()
        members[~self.labelled] = bits
        return members


@dataclass(frozen=True)
class Problem:
    """Unlabelled directions, and the sums of the labelled ones by view and class."""

    unlabelled: Directions
    shares: FloatArray
    """What each view counts for each unlabelled object, zero where it does not show it."""
    seed_sums: tuple[FloatArray, ...]


@dataclass(frozen=True)
class Round:
    """Centres by view, and the labels that they come from."""

    centres: tuple[FloatArray, ...]
    bits: tuple[BoolArray, ...]
    """Labels of the unlabelled objects (objects × classes) by view."""
    flips: int
    """How many pairs of an object and a class changed in any view."""


@dataclass(frozen=True)
class Learnt:
    """Where the rounds led."""

    last: Round
    flips: tuple[int, ...]
    converged: bool
    circling: bool = False
    """Whether it came back to labels it had before, and so would go on for ever."""


def pose(views: Views, seeds: Seeds, weights: Mapping[str, float]) -> Problem:
    """Part the objects by whether they are labelled; the labelled count by their sums only."""
    labelled = directions_of(views[seeds.labelled])
    known = seeds.members[seeds.labelled]
    sums = tuple(sum_members(unit, known) for unit in labelled.units)
    unlabelled = directions_of(views[~seeds.labelled])
    return Problem(unlabelled, weights_by_object(unlabelled.shown, weights), sums)


def learn(
    problem: Problem,
    assign: Assign,
    *,
    max_iter: int,
    tol: float = 0.0,
    report: Callable[[int, Round], None] | None = None,
) -> Learnt:
    """Go from round to round until no more than ``tol`` labels per unlabelled object change."""
    current, flips = start(problem), list[int]()
    met = {_fingerprint(current.bits)}
    for number in range(1, max_iter + 1):
        current = next_round(problem, assign, current)
        flips.append(current.flips)
        if report is not None:
            report(number, current)
        if current.flips <= tol * len(problem.unlabelled.shown):
            return Learnt(current, tuple(flips), converged=True)
        labels = _fingerprint(current.bits)
        if labels in met:
            return Learnt(current, tuple(flips), converged=False, circling=True)
        met.add(labels)
    return Learnt(current, tuple(flips), converged=False)


def start(problem: Problem) -> Round:
    """Centre on the labelled objects, with no label given to any other, line 4 of Algorithm 1."""
    centres = tuple(unit_length(sums) for sums in problem.seed_sums)
    filled = tuple(_filled(problem, centres, view) for view in range(len(centres)))
    n_objects, n_classes = len(problem.unlabelled.shown), len(centres[0])
    none = np.zeros((n_objects, n_classes), dtype=bool)
    return Round(filled, (none,) * len(centres), flips=0)


def next_round(problem: Problem, assign: Assign, before: Round) -> Round:
    """Score and assign the unlabelled objects, then centre every view on all of its members."""
    views = problem.unlabelled
    scores = scores_of(views.units, before.centres)  # line 7 of Algorithm 1
    bits = tuple(assign(scores, problem.shares))  # line 8
    parts = zip(views.units, bits, problem.seed_sums, before.centres, strict=True)
    centres = tuple(
        centred(seeds + sum_members(unit, own), old)  # line 10
        for unit, own, seeds, old in parts
    )
    changed = (one != other for one, other in zip(before.bits, bits, strict=True))
    return Round(centres, bits, int(np.count_nonzero(reduce(np.logical_or, changed))))


def scores_of(units: Sequence[Matrix], centres: Sequence[FloatArray]) -> list[FloatArray]:
    """Cosine of every object (row) with every class (column), by view."""
    pairs = zip(units, centres, strict=True)
    return [np.asarray(unit @ np.ascontiguousarray(rows.T)) for unit, rows in pairs]


def centred(sums: FloatArray, old: FloatArray) -> FloatArray:
    """Mean direction of each class, which maximises Eq. (2); one without any stays as it was."""
    return np.where(sums.any(axis=1, keepdims=True), unit_length(sums), old)


def directions_of(views: Views) -> Directions:
    """The views at unit length."""
    return directions([matrix for _, matrix in views.items()], views.observed)


def _filled(problem: Problem, centres: Sequence[FloatArray], view: int) -> FloatArray:
    """Where no labelled object of a class shows this view, let the other views find some that do.

    Else the class would score zero here, and hardly ever be chosen against those that do not.
    """
    others = [other for other in range(len(centres)) if other != view]
    own = centres[view]
    if not others:
        return own
    known = np.any([centres[other].any(axis=1) for other in others], axis=0)
    lacking: BoolArray = np.logical_and(known, ~own.any(axis=1))
    if not lacking.any():
        return own
    units = problem.unlabelled.units
    scores = scores_of([units[v] for v in others], [centres[v] for v in others])
    total = reduce(np.add, weigh(scores, problem.shares[:, others]))
    chosen = (total == total.max(axis=1, keepdims=True)) & (total > 0) & lacking
    return centred(sum_members(units[view], chosen) * lacking[:, None], own)


def _fingerprint(bits: Sequence[BoolArray]) -> bytes:
    """A few bytes that tell labels from other labels."""
    packed = b"".join(np.packbits(labels).tobytes() for labels in bits)
    return blake2b(packed, digest_size=16).digest()


# -- sets of labels, as users give them ------------------------------------------------------------


def read_label_sets(y: Any, ontology: Ontology) -> Seeds:
    """Read label sets or an indicator matrix, and add to each set what contains it.

    Parameters
    ----------
    y : sequence of sets, or array of shape (n_objects, n_classes)
        A set, list or single label per object, ``None``, NaN or -1 if it is unlabelled; or an
        indicator matrix of 0 and 1, with rows of -1 for unlabelled objects. The columns of a
        DataFrame are found by name, others are in the order of ``ontology.classes``.
    ontology : Ontology
        The classes.

    Returns
    -------
    Seeds
        Members, closed upwards, and which objects are labelled. A labelled object may have no
        label at all.

    Examples
    --------
    >>> food = Ontology.read({"food": ["fruit", "meat"], "company": None})
    >>> seeds = read_label_sets([{"fruit"}, None, "company"], food)
    >>> seeds.members.astype(int)
    array([[1, 1, 0, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 1]])
    >>> seeds.labelled
    array([ True, False,  True])
    """
    matrix = indicator_matrix(y, ontology)
    if matrix is None:
        sets = list(y)
        labelled = np.array([not _is_unlabelled(each, ontology) for each in sets], dtype=bool)
        known = [labels if own else () for labels, own in zip(sets, labelled, strict=True)]
        given = ontology.indicator(known)
    else:
        labelled, given = ~(matrix == -1).all(axis=1), matrix == 1
        unsound = np.flatnonzero(labelled & ~((matrix == 0) | given).all(axis=1))
        if len(unsound):
            raise ValueError(
                f"row {unsound[0]} of y is {matrix[unsound[0]].tolist()}; write 1 for the classes "
                "of an object and 0 for others, or -1 throughout if it is unlabelled."
            )
    members = ontology.closure(given)
    wrong = np.flatnonzero(ontology.violations(members))
    if len(wrong):
        own = members[wrong[0]]
        pairs = (pair for pair in ontology.mutex_pairs if own[pair].all())
        one, other = (ontology.classes[code] for code in next(pairs))
        raise ValueError(
            f"row {wrong[0]} of y is in {one!r} and in {other!r}, which exclude each other; "
            "correct the row, or take that pair out of the ontology's mutex."
        )
    return Seeds(members, labelled)


def indicator_matrix(y: Any, ontology: Ontology) -> AnyArray | None:
    """Labels as a matrix with a column per class, if they are given as one."""
    if hasattr(y, "columns"):
        unknown = [name for name in ontology.classes if name not in y.columns]
        if unknown:
            raise ValueError(
                f"y has no column {unknown[0]!r}; give one for each class of the ontology."
            )
        y = y[list(ontology.classes)].to_numpy()
    if hasattr(y, "toarray"):
        y = y.toarray()
    if isinstance(y, list | tuple) and y and all(_is_row_of_bits(row, ontology) for row in y):
        y = np.asarray(y)
    if not isinstance(y, np.ndarray) or y.ndim != 2:
        return None
    if y.shape[1] != len(ontology):
        raise ValueError(
            f"y has {y.shape[1]} columns for the {len(ontology)} classes of the ontology; "
            "give one for each, in the order of its classes."
        )
    return y


def _is_row_of_bits(row: Any, ontology: Ontology) -> bool:
    """Whether a list is a row of an indicator matrix rather than a list of labels."""
    return (
        isinstance(row, list | tuple | np.ndarray)
        and len(row) == len(ontology)
        and all(isinstance(bit, bool | int | np.integer | np.bool_) for bit in row)
        and not set(row) <= set(ontology.classes)
    )


def _is_unlabelled(labels: Any, ontology: Ontology) -> bool:
    if labels is None or (isinstance(labels, float) and np.isnan(labels)):
        return True
    whole = isinstance(labels, int | np.integer) and not isinstance(labels, bool)
    return whole and labels == -1 and -1 not in ontology.classes


# -- the estimator ---------------------------------------------------------------------------------


class SeededSphericalKMeans(BaseMultiViewClassifier):
    """Learn classes of directions, such as topics of texts, from few labels and an ontology.

    Every class has a mean direction in every view. Unlabelled objects are assigned to the classes
    they are most similar to, by all views together, and draw the means towards themselves. With
    an ``ontology`` an object has several labels, such as *fruit* and *food*, and they are assigned
    so that classes contain and exclude each other as the ontology says.

    Take it for texts and links, or for an ontology. Measurements far from zero all point the same
    way: try it on views less their means (one set of eighteen rises from 0.21 to 0.62 by that, some
    fall, and the mean is the same), or take :class:`TransductiveSVM`.

    Parameters
    ----------
    assignment : {"max_agree", "sum", "product", "cotrain"}
        How the views decide together.
    ontology : Ontology, nested dict, list of (child, parent), DiGraph or None
        Constraints between classes: see :meth:`manyviews.maths.Ontology.read`. None: an object
        has one class.
    alpha : (float, float, float)
        What ``"max_agree"`` makes of scores, of differences between views, and of broken
        constraints.
    view_weights : "auto", list or dict of float, optional
        What each view counts beside the others; None: alike. "auto": 1, but 0 for a view that
        looks empty of structure, which a warning names: one whose neighbourhoods look like chance,
        unless the labels speak for it.
    max_iter : int
        How many rounds at most.
    tol : float
        It is done when no more than this many labels per unlabelled object change in a round.
    solver : {"auto", "exact", "milp"}
        How assignments are found: see :func:`manyviews.maths.assign_labels`.
    verbose : int
        1 reports the end, 2 each round.

    Attributes
    ----------
    classes_ : array
        The classes; with an ontology its classes.
    cluster_centers_ : dict of arrays
        Unit mean directions by view, one row per class; zeros for a class never seen there.
    transduction_ : array
        What the training objects were labelled as: classes, or with an ontology an indicator
        matrix. Labelled objects keep their labels.
    view_members_ : dict of bool arrays of shape (n_objects, n_classes)
        The labels on which the centres of each view rest.
    view_weights_ : dict of float
        What each view counts.
    flips_ : array of int
        How many labels changed in each round.
    n_iter_ : int
        Rounds.
    converged_ : bool
        Whether the labels settled, before ``max_iter`` rounds and without going in circles.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.semi_supervised import SeededSphericalKMeans
    >>> views = {
    ...     "words": [[3.0, 0.0], [1.0, 0.1], [0.0, 2.0], [0.2, 5.0]],
    ...     "links": [[0.0, 1.0], None, [4.0, 0.0], [1.0, 0.0]],
    ... }
    >>> model = SeededSphericalKMeans().fit(views, ["news", None, "sport", None])
    >>> model.transduction_
    array(['news', 'news', 'sport', 'sport'], dtype=object)
    >>> model.predict({"words": None, "links": [[0.1, 7.0]]})
    array(['news'], dtype=object)

    With an ontology, ``y`` and the answers are sets of labels or indicator matrices:

    >>> ontology = {"text": ["news", "sport"]}
    >>> model = SeededSphericalKMeans(ontology=ontology).fit(views, [{"news"}, None, "sport", None])
    >>> model.classes_
    array(['text', 'news', 'sport'], dtype=object)
    >>> model.transduction_
    array([[1, 1, 0],
           [1, 1, 0],
           [1, 0, 1],
           [1, 0, 1]])

    Notes
    -----
    **Objective**
        With ``s_ij = cos(x_j, mu_i)`` by view and labels ``y`` of 0 and 1, the sum over objects of

        - ``"sum"``: ``sum_i y_i sum_v s_i^v`` with one label each, Eq. (4); with an ontology less
          one for each constraint broken, Eq. (9);
        - ``"product"``: the same with ``prod_v s_i^v``, Eq. (5);
        - ``"max_agree"``: labels by view, ``alpha_1 sum_v,i y_i^v s_i^v``, less ``alpha_2`` for
          every label and pair of views that differ on it, less ``alpha_3`` for every label more
          or less than one in a view, Eq. (7) and (8), or for every constraint of the ontology
          broken in a view, Eq. (10).

        Rounds never lower it for ``"sum"`` and ``"max_agree"``, since both halves of a round
        maximise it; for ``"product"`` and ``"cotrain"`` they may.

    **Symbols**
        ``mu_i^(v)`` → ``cluster_centers_``; ``Y^u`` → ``transduction_``, and by view
        ``view_members_``; ``alpha`` → ``alpha``; *Subset*, *Mutex* → ``ontology``.

    **Algorithm**
        Classification EM (hard EM) by blocks: labels are best for the centres, then centres for the
        labels.

        1. ``start``: centres from the labelled objects.
        2. ``next_round``: cosines of the unlabelled objects; ``members``, their labels by view;
           centres from these and the labelled objects, whose labels stay.
        3. Until no label changes, or until labels come again, as they may with ``"product"`` and
           ``"cotrain"``. ``decide`` then gives each object its labels.

    **Deviations**
        *Several labels*: an object counts in full in each of its classes, as in the paper's sum.
        *No evidence*: an object with all cosines zero enters no class (an argmax would put it in
        the first). *Labels in the end*: where the views of ``"max_agree"`` differ, the objective
        is maximised once more over labels that are equal in all views, and without an ontology
        exactly one: then it is the largest summed cosine, or Eq. (10) on the mean cosines.
        *Co-training*: more than two views are centred on labels by the summed cosines of the
        others; with an ontology by Eq. (9) on them. *Products* are of cosines no smaller than
        zero, so that two dislikes make no liking; objects whose products are all zero, as when
        they share links with no class, are left to the sum. *Unobserved views*, and rows of
        zeros, have no direction: they give no score, are left out of products and of agreement,
        and enter no centre. *A class without labelled objects in a view* starts there from
        the unlabelled objects that the other views would put into it. *Label sets* are closed
        upwards: *fruit* is read as *fruit* and *food*. *Weights of the views* multiply their
        cosines; in products they are exponents. A view without weight is left out, and centred on
        its labelled objects by ``"max_agree"``; an object that only such views show is decided
        by them.

    **Complexity**
        A round costs ``O(n d k)`` per view (``O(nnz k)`` if sparse) and the assignment, which is
        exact, ``O(n k)`` in practice without an ontology and for trees; see
        :func:`manyviews.maths.assign_labels` for others.

    References
    ----------
    [@dalvi2015], [@bickel2004], [@dhillon2001]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    cluster_centers_: dict[str, FloatArray]
    transduction_: AnyArray
    view_members_: dict[str, BoolArray]
    view_weights_: dict[str, float]

    def __init__(
        self,
        assignment: Method = "max_agree",
        *,
        ontology: OntologyLike | None = None,
        alpha: tuple[NonNegative, NonNegative, NonNegative] = (0.5, 0.1, 1.0),
        view_weights: AutoViewWeights = "auto",
        max_iter: Count = 100,
        tol: NonNegative = 0.0,
        solver: Solver = "auto",
        verbose: Verbosity = 0,
    ) -> None:
        self.assignment = assignment
        self.ontology = ontology
        self.alpha = alpha
        self.view_weights = view_weights
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.verbose = verbose

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = self.ontology is not None
        return tags

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        for method in get_args(Method):
            yield cls(method)

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn from labelled objects and from unlabelled ones.

        Parameters
        ----------
        X : Views or anything it is built from
            The objects.
        y : array-like
            Labels, -1 or None where there is none; with an ontology sets of labels or an indicator
            matrix, None or rows of -1 where there is none.
        """
        rule = self._read_rule()
        views = self._fit_views(X)
        seeds = self._fit_seeds(y, views, rule.ontology)
        signs = np.where(seeds.members, 1.0, -1.0)
        self.view_weights_ = read_or_judge_weights(self.view_weights, views, signs, seeds.labelled)

        def report_round(number: int, latest: Round) -> None:
            report(self, f"round {number}, {latest.flips} labels changed")

        learnt = learn(
            pose(views, seeds, self.view_weights_),
            partial(members, rule),
            max_iter=self.max_iter,
            tol=self.tol,
            report=report_round if self.verbose > 1 else None,
        )
        self._store(views, seeds, learnt)
        flips = learnt.flips[-1]
        if self.verbose:
            report(self, f"{flips} labels changed in the last of {self.n_iter_} rounds")
        if learnt.circling:
            warn_not_converged(
                self,
                f"did not converge: after {self.n_iter_} rounds it goes in circles in which "
                f"{flips} labels change",
                "raise tol to accept that, or choose assignment='sum' or 'max_agree', which settle",
            )
        elif not learnt.converged:
            warn_not_converged(
                self,
                f"did not converge in max_iter={self.max_iter} rounds ({flips} labels changed in "
                "the last)",
            )
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Return the class of each object, or with an ontology an indicator matrix."""
        views = directions_of(self._new_views(X))
        return self._named(self._decide(views))

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Return the summed (for ``"product"``, multiplied) cosines with the classes, weighted.

        The shape is (n_objects, n_classes), or (n_objects,) with two classes and no ontology.
        """
        views = directions_of(self._new_views(X))
        shares = weights_by_object(views.shown, self.view_weights_)
        return self._shaped(effective_scores(self.assignment, self._scores(views), shares))

    def view_decisions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Return the cosines with the classes by view, NaN where that is unobserved."""
        views = self._new_views(X)
        found = {}
        scores = self._scores(directions_of(views))
        for name, score in zip(self.view_names_, scores, strict=True):
            found[name] = self._shaped(score)
            found[name][~views.observed_in(name)] = np.nan
        return found

    def score(self, X: ViewsLike, y: Any, sample_weight: Any = None) -> float:
        """Return the share of objects all of whose labels are right.

        With an ontology, ``y`` is as in ``fit``, and unlabelled objects do not count.
        """
        if self.ontology is None:
            return float(super().score(X, y, sample_weight=sample_weight))
        y, sample_weight = self._in_row_order(X, y=y, sample_weight=sample_weight)
        truth = read_label_sets(y, Ontology.read(self.ontology))
        predicted = self.predict(X)
        check_consistent_length(predicted, truth.members)
        rows = truth.labelled
        weight = None if sample_weight is None else np.asarray(sample_weight)[rows]
        return float(
            accuracy_score(truth.members[rows], predicted[rows] == 1, sample_weight=weight)
        )

    def _read_rule(self) -> Rule:
        check_params(self)
        ontology = None if self.ontology is None else Ontology.read(self.ontology)
        return Rule(self.assignment, ontology, self.alpha, self.solver)

    def _fit_seeds(self, y: Any, views: Views, ontology: Ontology | None) -> Seeds:
        if ontology is None:
            labels = self._fit_labels(y, views)
            known = labels.codes[:, None] == np.arange(len(labels.classes))
            return Seeds(known, labels.labelled)
        name = type(self).__name__
        if y is None:
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        seeds = read_label_sets(in_row_order(y, views.sample_ids), ontology)
        check_consistent_length(views, seeds.members)
        if not seeds.members.any():
            raise ValueError(
                f"no object is labelled, so {name} has nothing to learn from; "
                "give at least one label of each class."
            )
        self.classes_ = np.fromiter(ontology.classes, dtype=object, count=len(ontology))
        return seeds

    def _store(self, views: Views, seeds: Seeds, learnt: Learnt) -> None:
        self.cluster_centers_ = dict(zip(views.names, learnt.last.centres, strict=True))
        self.view_members_ = {}
        for name, bits in zip(views.names, learnt.last.bits, strict=True):
            self.view_members_[name] = seeds.with_found(bits)
        decided = self._decide(directions_of(views[~seeds.labelled]))
        self.transduction_ = self._named(seeds.with_found(decided))
        self.flips_ = np.array(learnt.flips, dtype=np.int64)
        self.n_iter_ = len(learnt.flips)
        self.converged_ = learnt.converged

    def _decide(self, views: Directions) -> BoolArray:
        shares = weights_by_object(views.shown, self.view_weights_)
        return decide(self._read_rule(), self._scores(views), shares)

    def _scores(self, views: Directions) -> list[FloatArray]:
        return scores_of(views.units, [self.cluster_centers_[name] for name in self.view_names_])

    def _named(self, bits: BoolArray) -> AnyArray:
        if self.ontology is not None:
            return bits.astype(np.int64)
        codes: IntArray = bits.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def _shaped(self, scores: FloatArray) -> FloatArray:
        if self.ontology is None and len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores
