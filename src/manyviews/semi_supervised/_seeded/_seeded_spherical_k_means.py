"""Spherical k-means from labelled seeds, by assignments that views agree on [@dalvi2015]."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length

from manyviews.base import BaseMultiViewClassifier, MultiViewTags, ViewTags, check_params
from manyviews.data import Views, in_row_order
from manyviews.maths import Directions, Ontology
from manyviews.semi_supervised._seeded._assignment import (
    METHODS,
    Method,
    Rule,
    Solver,
    decide,
    effective_scores,
    members,
)
from manyviews.semi_supervised._seeded._label_sets import read_label_sets
from manyviews.semi_supervised._seeded._rounds import (
    Learnt,
    Round,
    Seeds,
    directions_of,
    learn,
    pose,
    scores_of,
)
from manyviews.semi_supervised._shared import read_or_judge_weights, say
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    Count,
    FloatArray,
    Having,
    IntArray,
    NonNegative,
    Verbosity,
    ViewsLike,
)

OntologyLike: TypeAlias = (
    Ontology
    | Mapping[Any, Any]
    | Sequence[Any]
    | Annotated[Any, Having("a directed graph", "edges", "nodes")]
)
"""What :meth:`manyviews.maths.Ontology.read` reads."""


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
        for method in METHODS:
            yield cls(method)  # type: ignore[arg-type]

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
        targets = np.where(seeds.members, 1.0, -1.0)
        self.view_weights_ = read_or_judge_weights(
            self.view_weights, views, targets, seeds.labelled
        )
        learnt = learn(
            pose(views, seeds, self.view_weights_),
            partial(members, rule),
            max_iter=self.max_iter,
            tol=self.tol,
            report=self._report_round if self.verbose > 1 else None,
        )
        self._report_end(learnt)
        self._store(views, seeds, learnt)
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
        shares = say(views.shown, self.view_weights_)
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
            self.view_members_[name] = _spread(seeds, bits)
        decided = self._decide(directions_of(views[~seeds.labelled]))
        self.transduction_ = self._named(_spread(seeds, decided))
        self.flips_ = np.array(learnt.flips, dtype=np.int64)
        self.n_iter_ = len(learnt.flips)
        self.converged_ = learnt.converged

    def _decide(self, views: Directions) -> BoolArray:
        shares = say(views.shown, self.view_weights_)
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

    def _report_round(self, number: int, latest: Round) -> None:
        print(f"{type(self).__name__}: round {number}, {latest.flips} labels changed")

    def _report_end(self, learnt: Learnt) -> None:
        name, rounds = type(self).__name__, len(learnt.flips)
        if self.verbose:
            print(f"{name}: {learnt.flips[-1]} labels changed in the last of {rounds} rounds")
        if not learnt.converged:
            warnings.warn(self._complaint(learnt), ConvergenceWarning, stacklevel=3)

    def _complaint(self, learnt: Learnt) -> str:
        name, rounds, flips = type(self).__name__, len(learnt.flips), learnt.flips[-1]
        if learnt.circling:
            return (
                f"{name} did not converge: after {rounds} rounds it goes in circles in which "
                f"{flips} labels change; raise tol to accept that, or choose assignment='sum' or "
                "'max_agree', which settle."
            )
        return (
            f"{name} did not converge in max_iter={self.max_iter} rounds ({flips} labels changed "
            "in the last); raise max_iter or tol."
        )


def _spread(seeds: Seeds, unlabelled: BoolArray) -> BoolArray:
    """Labels of all objects from those of the unlabelled ones."""
    spread = seeds.members.copy()
    spread[~seeds.labelled] = unlabelled
    return spread
