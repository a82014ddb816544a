"""One classifier per subset of the views, and an ensemble of some of them [@okun2005]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import clone

from manyviews.base import BaseMultiViewClassifier, ViewTags, check_params, seeded
from manyviews.data import Views, codes_among
from manyviews.ensemble.hyperplane_knn import HyperplaneKNN
from manyviews.ensemble.members import (
    Combine,
    Folds,
    Inside,
    Member,
    Memory,
    Panel,
    ParamGrid,
    Rule,
    Select,
    Subset,
    Subsets,
    Training,
    Validation,
    read_subsets,
    spoken,
    stored_alike,
    train_member,
)
from manyviews.exceptions import ViewsError
from manyviews.maths import generator
from manyviews.typing import (
    AnyArray,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    RandomState,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = [
    "Selection",
    "ViewSubsetEnsemble",
    "draw",
    "forward_selection",
    "hold_out",
    "one_standard_error_selection",
]


@dataclass(frozen=True)
class Selection:
    """The members by their positions, and how the ensemble did as they joined."""

    chosen: IntArray
    history: FloatArray
    """Error of the ensemble after each addition; empty where none was measured."""


def draw(n_candidates: int, most: int, rng: np.random.Generator) -> Selection:
    """Draw members at random.

    Examples
    --------
    >>> draw(5, 9, np.random.default_rng(0)).chosen
    array([0, 1, 2, 3, 4])
    """
    # "one simply randomly chooses M views", section 4
    chosen = rng.choice(n_candidates, size=min(most, n_candidates), replace=False)
    return Selection(np.sort(chosen), np.empty(0))


def one_standard_error_selection(
    errors: FloatArray, sizes: IntArray, n_judged: IntArray, most: int
) -> Selection:
    """Choose those that cannot be told from the best by their errors, at most so many.

    That is, those within one standard error of the lowest error. A classifier that is clearly
    ahead stays alone.

    Parameters
    ----------
    errors, sizes : arrays of shape (n_candidates,)
        Error of each classifier and its number of views, which decides between equal errors.
    n_judged : array of shape (n_candidates,)
        On how many objects each error is measured.
    most : int
        Most members.

    Examples
    --------
    >>> errors = np.array([0.30, 0.21, 0.20, 0.22])
    >>> one_standard_error_selection(errors, np.array([1, 2, 1, 2]), np.full(4, 300), most=9).chosen
    array([2, 1, 3])
    """
    order = by_error(errors, sizes)
    best = order[0]
    n = n_judged[best] + 2.0
    share = (errors[best] * n_judged[best] + 1.0) / n  # so that no error is not taken for certain
    # "small differences in CV errors", section 4: as small as one standard error
    within = errors <= errors[best] + np.sqrt(share * (1.0 - share) / n)
    return Selection(order[within[order]][:most], np.empty(0))


def forward_selection(
    errors: FloatArray, sizes: IntArray, most: int, error_of: Callable[[IntArray], float]
) -> Selection:
    """Start from the lowest error and add, one by one, what lowers the ensemble's error most.

    Parameters
    ----------
    errors, sizes : arrays of shape (n_candidates,)
        Error of each classifier by itself and its number of views, which decide between
        candidates that help alike.
    most : int
        Most members.
    error_of : callable
        Error of the ensemble of some candidates, given by position in the order of joining.

    Examples
    --------
    >>> known = {(1,): 0.4, (1, 0): 0.4, (1, 2): 0.3, (1, 2, 0): 0.3}
    >>> sizes = np.ones(3, dtype=int)
    >>> errors = np.array([0.3, 0.1, 0.5])
    >>> found = forward_selection(errors, sizes, 9, lambda rows: known[tuple(rows)])
    >>> found.chosen, found.history
    (array([1, 2]), array([0.4, 0.3]))
    """
    order = by_error(errors, sizes)
    chosen, rest = order[:1], order[1:]
    history = [error_of(chosen)]
    while len(chosen) < most and len(rest):
        # "the view led to the smallest error of an ensemble is linked up", section 4
        found = np.array([error_of(np.append(chosen, candidate)) for candidate in rest])
        best = int(found.argmin())
        if found[best] >= history[-1]:
            break
        history.append(float(found[best]))
        chosen, rest = np.append(chosen, rest[best]), np.delete(rest, best)
    return Selection(chosen, np.array(history))


def by_error(errors: FloatArray, sizes: IntArray) -> IntArray:
    """Positions from the lowest error up; of equal ones, that of fewer views first."""
    return np.lexsort((np.arange(len(errors)), sizes, errors))


Report = Callable[[Member], None]


@dataclass(frozen=True)
class Candidates:
    """Trained classifiers of subsets, and the classes of the objects they were trained on."""

    members: Sequence[Member]
    codes: IntArray
    n_classes: int

    @property
    def errors(self) -> FloatArray:
        """Left-out error of each."""
        return np.array([member.error for member in self.members])

    @property
    def sizes(self) -> IntArray:
        """Number of views of each."""
        return np.array([len(member.subset) for member in self.members])

    @property
    def n_judged(self) -> IntArray:
        """Number of objects that the left-out error of each is measured on."""
        return np.array([member.n_judged for member in self.members])

    @property
    def memory(self) -> Memory:
        """What they said of the training objects."""
        return Memory.of_members(self.members, self.codes, self.n_classes)


def train_candidates(
    views: Views, codes: IntArray, subsets: Sequence[Subset], way: Training, report: Report
) -> Candidates:
    """Train a classifier for each subset that enough objects show."""
    members = []
    for subset in subsets:
        member = train_member(views, codes, subset, way)
        if member is not None:
            report(member)
            members.append(member)
        elif way.needs_all:
            raise _untaught(subset)
    if not members:
        raise _untaught(subsets[0])
    return Candidates(members, codes, way.n_classes)


def _untaught(subset: Subset) -> ViewsError:
    return ViewsError(
        f"the views {spoken(subset)} are shown together by labelled objects of fewer than two "
        "classes; label more objects that show them, or leave this subset out."
    )


def error_on(
    candidates: Candidates, rule: Rule, views: Views, codes: IntArray
) -> Callable[[IntArray], float]:
    """Return the error, on objects held out, of an ensemble of some candidates."""
    members, memory = candidates.members, candidates.memory
    panel = Panel(
        [member.subset for member in members],
        [member.estimator for member in members],
        len(members),
    )
    said = panel.ask(views, candidates.n_classes, shares=rule.weighs_shares)

    def error(columns: IntArray) -> float:
        joint = rule(said.of(columns), memory.of(columns))
        return float(np.mean(joint.argmax(axis=1) != codes))

    return error


def left_out_error(candidates: Candidates, rule: Rule) -> Callable[[IntArray], float]:
    """Return the error, on the training objects, of an ensemble that has not seen them."""
    memory = candidates.memory

    def error(columns: IntArray) -> float:
        joint = rule.left_out(memory.of(columns))
        return float(np.mean(joint.argmax(axis=1) != candidates.codes))

    return error


def hold_out(codes: IntArray, share: float, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Rows to train on and rows held out: a share of each class, never all of one.

    Examples
    --------
    >>> train, held = hold_out(np.array([0, 0, 0, 0, 1]), 0.25, np.random.default_rng(0))
    >>> len(train), len(held)
    (4, 1)
    """
    held = []
    for code in np.unique(codes):
        rows = rng.permutation(np.flatnonzero(codes == code))
        held.append(rows[: min(int(np.floor(share * len(rows) + 0.5)), len(rows) - 1)])
    chosen = np.sort(np.concatenate(held))
    if not len(chosen):
        raise ValueError(
            f"validation={share!r} holds out none of {len(codes)} labelled objects; give a larger "
            "share, or 'left_out'."
        )
    return np.setdiff1d(np.arange(len(codes)), chosen), chosen


class ViewSubsetEnsemble(BaseMultiViewClassifier):
    """Train a classifier for each subset of the views and let the best of them decide together.

    Take it with a classifier of your own, and where new objects may lack any of the views.

    Parameters
    ----------
    estimator : classifier, optional
        Any: those of this library get the views of a subset, others their columns side by side.
        :class:`HyperplaneKNN` on standardised views side by side, its parameters chosen by
        leave-one-out, if not given. If it has a method ``leave_one_out_predictions(X, y)``, which
        fits it and returns a label for each object left out, that is used.
    subsets : "auto", "all" or list of lists of str
        Names of the views in each subset. "auto" takes all subsets of up to ten views; of more,
        each view alone, all but each, and all.
    selection : "cv", "validation" or "random"
        How members are chosen: those that cannot be told from the best by their left-out errors;
        greedily by the error of the ensemble on other objects, from the subset of the lowest
        left-out error on; or by chance.
    combine : "vote", "crv", "modified_product" or "moderation"
        How members decide together. "crv", the paper's, knows which members are wrong when, but
        needs many training objects for each class to know it from.
    max_members : int
        Most members.
    threshold : float
        Least share of a class in the modified product, between 0 and 1.
    validation : float, (X, y) or "left_out"
        For ``selection="validation"``: which share of each class is held out to choose members;
        other objects and their labels, with which to choose them; or that the left-out labels do
        (with "crv" and "vote").
    cv : int, splitter or iterable
        For estimators that cannot leave one out by themselves: how often (an int) or how objects
        are split into those to train on and those left out. Nearest neighbours of scikit-learn
        need no splitting.
    param_grid : dict or list of dicts, optional
        Values of the estimator's parameters to choose from for each subset, by left-out error.
    random_state : int, generator or None
        Draws members and objects to hold out, and seeds estimators whose own is None.
    verbose : int
        1 reports the members, 2 each subset.

    Attributes
    ----------
    members_ : list of lists of str
        The subsets of the members, in the order in which they joined.
    estimators_ : list
        The classifier of each member. Its classes are positions in ``classes_``.
    subsets_ : list of lists of str
        The subsets that got a classifier; one that labelled objects of fewer than two classes
        show does not.
    errors_ : array of shape (n_subsets,)
        Their left-out errors, on the objects that show the subset.
    selection_history_ : array of shape (n_members,)
        Error of the ensemble after each addition; with ``selection="validation"`` only.
    substitutes_ : list of lists of str
        Single views, whose classifiers speak of objects that no member can judge.
    substitute_estimators_ : list
        These classifiers.
    left_out_ : array of shape (n_labelled, n_members + n_substitutes)
        What they said of the labelled objects left out, as positions in ``classes_``; -1: nothing.
    codes_ : array of shape (n_labelled,)
        The true classes of these objects, as positions.
    prior_ : array of shape (n_classes,)
        Share of each class among them.
    sparse_views_ : list of str
        The views that were sparse in ``fit``, and are so for the classifiers ever after.
    classes_ : array
        The classes.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.datasets import load_digits_views
    >>> from manyviews.ensemble import ViewSubsetEnsemble
    >>> views, y = load_digits_views()
    >>> model = ViewSubsetEnsemble().fit(views[::9], y[::9])
    >>> model.members_[:2]
    [['pixels', 'fourier'], ['fourier', 'profiles']]
    >>> model.errors_.round(3)
    array([0.05 , 0.13 , 0.115, 0.04 , 0.055, 0.045, 0.05 ])
    >>> round(model.score(views[1::9], y[1::9]), 2)
    0.95
    >>> model.predict({"profiles": views["profiles"][1:6]})  # no other view is there
    array([1, 2, 2, 4, 9])

    Notes
    -----
    **Objective**
        None is optimised as a whole. Each classifier has the parameters of the lowest left-out
        error; with ``selection="validation"`` members join as long as they lower the error of the
        ensemble.

    **Symbols**
        F → the views; a *view* of the paper, a set of feature sets, → a subset of the views; N_V =
        ``Σᵢ C(|F|, i) = 2^|F| − 1`` → ``len(subsets_)``; M → ``len(members_)``; t → ``threshold``;
        κ, k, m → neighbours of a class, neighbours, classes.

    **Algorithm** (section 4)
        1. ``train_member``: a classifier for each subset, on the labelled objects that show all of
           its views, and for each of these objects the label it gets when it is *left out*.
        2. ``draw``, ``one_standard_error_selection`` or ``forward_selection``: choose at most
           ``max_members`` of them.
        3. ``Rule``: combine their answers. "crv" (classification result vectors): the vector of
           the members' labels of a new object is compared with the vectors of left-out labels of
           the training objects; those at the smallest Hamming distance vote with their true
           classes. "vote": most members win. "modified_product": shares of the classes below
           ``threshold`` are raised to it, then multiplied. "moderation": shares κ/k become
           (κ + 1)/(k + m), then multiplied.

    **Deviations**
        The vectors of the training objects are left-out labels. The paper does not say so, but what
        a nearest neighbour says of an object that it knows is the truth: with such vectors CRV
        would be a majority vote, which is the default here: with many classes and few objects of
        each, left-out labels are mostly wrong, and so are the nearest vectors. Many training
        objects are often equally near: the most frequent class among all of them wins, then the
        smallest. "Small differences in CV errors and sufficiently high accuracies" is read as:
        within one standard error of the lowest error. Held-out objects choose members, then these
        are trained again on all objects; ``validation="left_out"`` chooses by the left-out error of
        the ensemble and needs none held out, which the paper could not spare. Moderation counts k
        neighbours for classifiers that have ``kneighbors`` and takes any other's shares for one
        observation (k = 1); a classifier that only names a class has all its weight there.
        Where an object lacks views, the members that need them are silent: they leave the vote,
        the product and the Hamming distance, and a training object agrees with a member only if
        it was judged by it. Where all members are silent, the classifiers of the single views
        stand in (``substitutes_``); if none of these was trained, the share of each class in
        ``fit`` is the answer.

    **Complexity**
        2^views − 1 trainings, each with its left-out labels; prediction asks the members. CRV
        compares distinct vectors only: objects × training objects × members byte comparisons at
        most, in blocks. ``forward_selection`` does that for each candidate and each member it adds.

    References
    ----------
    [@okun2005], [@lepisto2003], [@paik2004], [@alkoot2002], [@alkoot2002moderating]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)
    _deterministic_start: ClassVar[dict[str, Any]] = {"selection": "cv"}

    members_: list[list[str]]
    estimators_: list[Any]
    subsets_: list[list[str]]
    errors_: FloatArray
    selection_history_: FloatArray
    substitutes_: list[list[str]]
    substitute_estimators_: list[Any]
    left_out_: IntArray
    codes_: IntArray
    prior_: FloatArray
    sparse_views_: list[str]

    def __init__(
        self,
        estimator: Classifier | None = None,
        subsets: Subsets = "auto",
        selection: Select = "cv",
        combine: Combine = "vote",
        max_members: Count = 9,
        *,
        threshold: Inside = 0.01,
        validation: Validation = 0.25,
        cv: Folds = 10,
        param_grid: ParamGrid = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.estimator = estimator
        self.subsets = subsets
        self.selection = selection
        self.combine = combine
        self.max_members = max_members
        self.threshold = threshold
        self.validation = validation
        self.cv = cv
        self.param_grid = param_grid
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        from sklearn.neighbors import KNeighborsClassifier

        yield cls()
        yield cls(KNeighborsClassifier(3), selection="validation", combine="crv")

    @property
    def _contract_exemptions(self) -> dict[str, str]:
        if self.selection != "validation":
            return {}
        return {"every_new_view_counts": "a view that no chosen member has is not looked at"}

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Train a classifier for each subset, choose members, remember what they say."""
        check_params(self)
        self._refuse_shares_by_left_out()
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        rng = generator(self.random_state)
        known, codes = views[labels.labelled], labels.codes[labels.labelled]
        subsets = read_subsets(self.subsets, views.names)
        estimator = seeded(clone(self._unfitted()), rng)
        named = not isinstance(self.subsets, str)
        way = Training(estimator, self.param_grid, self.cv, len(labels.classes), named)
        if self._holds_out():
            candidates, selection = self._by_held_out(known, codes, subsets, way, rng)
            trained: dict[Subset, Member] = {}
        else:
            candidates = train_candidates(known, codes, subsets, way, self._report)
            selection = self._select(candidates, rng)
            trained = {member.subset: member for member in candidates.members}
        chosen = [candidates.members[place].subset for place in selection.chosen]
        singles = [(name,) for name in views.names if (name,) not in chosen]
        panel = [
            trained[subset] if subset in trained else train_member(known, codes, subset, way)
            for subset in (*chosen, *singles)
        ]
        self._store([member for member in panel if member is not None], len(chosen), codes)
        self._store_selection(candidates, selection)
        self.sparse_views_ = [name for name, matrix in views.items() if is_sparse(matrix)]
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Predict the class of each object."""
        best = self._shares(self._new_views(X)).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Shares of the classes: among the nearest training objects, the votes, or the product."""
        return self._shares(self._new_views(X))

    def staged_predict(self, X: ViewsLike) -> Iterator[AnyArray]:
        """Predict by the first member, by the first two, and so on to all of them."""
        views = stored_alike(self._new_views(X), self.sparse_views_)
        panel, rule, memory = self._panel(), Rule(self.combine, self.threshold), self._memory()
        said = panel.ask(views, len(self.classes_), shares=rule.weighs_shares, first=1)
        for stage in range(1, panel.n_members + 1):
            remembered = memory.of(panel.at_stage(stage))
            best = rule(panel.stage(said, stage), remembered).argmax(axis=1)
            yield self.classes_[best]

    def _shares(self, views: Views) -> FloatArray:
        rule = Rule(self.combine, self.threshold)
        said = self._panel().ask(
            stored_alike(views, self.sparse_views_), len(self.classes_), shares=rule.weighs_shares
        )
        return rule(said, self._memory())

    def _panel(self) -> Panel:
        subsets = [tuple(names) for names in (*self.members_, *self.substitutes_)]
        estimators = [*self.estimators_, *self.substitute_estimators_]
        return Panel(subsets, estimators, len(self.members_))

    def _memory(self) -> Memory:
        return Memory(self.left_out_, self.codes_, self.prior_)

    def _unfitted(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return HyperplaneKNN(standardize=True, hyperplanes="joint")

    def _holds_out(self) -> bool:
        """Whether some of the objects in ``fit`` are kept for choosing members."""
        return self.selection == "validation" and isinstance(self.validation, Real)

    def _refuse_shares_by_left_out(self) -> None:
        by_left_out = self.selection == "validation" and isinstance(self.validation, str)
        if by_left_out and self.combine not in ("crv", "vote"):
            raise ValueError(
                "validation='left_out' knows labels only; combine by 'crv' or 'vote', or give the "
                "share of objects to hold out."
            )

    def _by_held_out(
        self,
        views: Views,
        codes: IntArray,
        subsets: Sequence[Subset],
        way: Training,
        rng: np.random.Generator,
    ) -> tuple[Candidates, Selection]:
        train, held = hold_out(codes, float(cast(float, self.validation)), rng)
        candidates = train_candidates(views[train], codes[train], subsets, way, self._report)
        return candidates, self._forward(candidates, views[held], codes[held])

    def _select(self, candidates: Candidates, rng: np.random.Generator) -> Selection:
        if self.selection == "random":
            return draw(len(candidates.members), self.max_members, rng)
        errors, sizes = candidates.errors, candidates.sizes
        if self.selection == "cv":
            return one_standard_error_selection(
                errors, sizes, candidates.n_judged, self.max_members
            )
        if not isinstance(self.validation, str):
            others, y = cast(tuple[ViewsLike, Any], self.validation)
            views = self._new_views(others)
            codes = codes_among(y, self.classes_, views)
            return self._forward(candidates, views[codes >= 0], codes[codes >= 0])
        error_of = left_out_error(candidates, Rule(self.combine, self.threshold))
        return forward_selection(errors, sizes, self.max_members, error_of)

    def _forward(self, candidates: Candidates, views: Views, codes: IntArray) -> Selection:
        if not len(codes):
            raise ValueError("validation has no labelled object; give some that are labelled.")
        error_of = error_on(candidates, Rule(self.combine, self.threshold), views, codes)
        return forward_selection(candidates.errors, candidates.sizes, self.max_members, error_of)

    def _store(self, panel: list[Member], n_members: int, codes: IntArray) -> None:
        names = [list(member.subset) for member in panel]
        estimators = [member.estimator for member in panel]
        memory = Memory.of_members(panel, codes, len(self.classes_))
        self.members_, self.substitutes_ = names[:n_members], names[n_members:]
        self.estimators_ = estimators[:n_members]
        self.substitute_estimators_ = estimators[n_members:]
        self.left_out_, self.codes_, self.prior_ = memory.codes, memory.labels, memory.prior

    def _store_selection(self, candidates: Candidates, selection: Selection) -> None:
        self.subsets_ = [list(member.subset) for member in candidates.members]
        self.errors_ = candidates.errors
        if hasattr(self, "selection_history_"):
            del self.selection_history_
        if self.selection == "validation":
            self.selection_history_ = selection.history
        if self.verbose:
            joined = ", ".join(spoken(names) for names in self.members_)
            print(
                f"{type(self).__name__}: {len(self.members_)} members of {len(self.subsets_)} "
                f"subsets: {joined}"
            )

    def _report(self, member: Member) -> None:
        if self.verbose > 1:
            name = type(self).__name__
            print(f"{name}: {spoken(member.subset)} has the left-out error {member.error:.4f}")
