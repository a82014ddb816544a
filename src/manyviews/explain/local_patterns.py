"""A classifier in a few words, and the places where another one knows better [@rueping2005].

A global model on few features answers; where it is known to be wrong, in *local patterns*, a local
model that may use everything answers instead. The models are in ``restricted_models``, how patterns
are found in ``pattern_detectors``, the page for the user in ``pattern_report``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from manyviews.base import (
    BaseMultiViewClassifier,
    ViewTags,
    check_argument,
    reads_views,
    seeded,
)
from manyviews.data import Views
from manyviews.exceptions import ParameterError, UnknownViewError
from manyviews.explain.pattern_detectors import (
    Clustering,
    Regions,
    Shown,
    by_classifier,
    by_medoids,
    clustered,
    nowhere,
    shown,
)
from manyviews.explain.pattern_report import (
    Confusion,
    LocalPattern,
    LocalPatternReport,
    PatternFeature,
    WeightedFeature,
)
from manyviews.explain.restricted_models import (
    Columns,
    Data,
    Judged,
    Model,
    Way,
    column_weights,
    fit_columns,
    judge,
    model_weights,
)
from manyviews.maths import generator
from manyviews.typing import (
    AnyArray,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    Interval,
    Positive,
    RandomState,
    Share,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = ["LocalPatternClassifier"]

# The estimator ------------------------------------------------------------------------------------

Names: TypeAlias = str | Sequence[str] | None


class LocalPatternClassifier(BaseMultiViewClassifier):
    """Explain a classifier in a few words, and say where these are not to be relied on.

    Take it when people have to understand, or check, what decides: a *global model* on a few
    features decides nearly everywhere, and a *local model* that may use everything decides in a
    few *local patterns*, at most a share ``max_local`` of the objects, where the global one is
    known to be wrong. :meth:`describe` gives a page with the features and their weights, and for
    each pattern a typical object and what goes wrong there. Take the local model alone where nobody
    asks why, and the global one alone where it is as accurate.

    Parameters
    ----------
    global_estimator : classifier, optional
        To be understood: logistic regression by default. With fewer features than there are
        (``n_features``) it needs ``coef_`` or ``feature_importances_``. It gets comparable columns
        (see Notes); a method of this library gets views.
    local_estimator : classifier, optional
        To be accurate: by default a support vector machine with a Gaussian kernel, and where a
        sparse view has more than 50 features logistic regression.
    detector : {"classifier", "bottleneck", "conditional"}
        How patterns are found: by a classifier like the global one that tells where to use the
        local model; by clusters of what the global model gets wrong; or by such clusters that tell
        more than is known already (``background``).
    max_local : float
        Largest share of the objects for which the local model may answer, τ in the paper.
    n_features : int or None
        Most features of the global model, and as many of the detector; None: all.
    global_views, local_views : str or list of str, optional
        The views that the global model and the patterns use, and those of the local model; all by
        default. So keywords may explain what sounds decide.
    n_patterns : int
        Clusters that patterns are made of; with ``detector="classifier"`` there is one pattern.
    weighted : {"local", "all"}
        The objects that are clustered: local examples, where the global model is wrong and the
        local one right, or all; both by the probability that the global model errs.
    background : {"clusters", "model"}
        What ``detector="conditional"`` takes as known: what objects look like in general, as many
        clusters of all of them as there are classes; or the probabilities of the global model.
    beta : float, optional
        What a nat about the features is worth in clustering, in nats remembered of the objects;
        chosen by default so that clusters are mostly clear.
    cv : int
        Folds in which objects are left out to see which model is right.
    random_state : int, generator or None
        Seeds estimators whose own is None; nothing else is drawn.
    verbose : int
        1 says what is done.

    Attributes
    ----------
    global_estimator_, local_estimator_ : classifiers
        Fitted. Their classes are positions in ``classes_``.
    global_features_ : list of str
        Features of the global model, ``view__feature``.
    local_share_ : float
        Share of the objects of ``fit`` for which the local model answers, at most ``max_local``.
    disagreement_ : float
        Share of them that get another answer than the global model's, at most ``local_share_``.
    global_accuracy_, local_accuracy_, combined_accuracy_ : float
        Accuracy of each on labelled objects left out; patterns were chosen by the last.
    n_patterns_ : int
        Patterns that pay.
    regions_ : Regions
        The patterns as arrays: columns, thresholds, medoids.
    models_ : tuple
        Both models with the columns and views that they see.
    columns_ : Columns
        How views become comparable columns.
    description_ : LocalPatternReport
        What :meth:`describe` gives.
    classes_ : array
        The classes.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.explain import LocalPatternClassifier
    >>> sides = np.linspace(-1, 1, 20)
    >>> x, z = (side.ravel() for side in np.meshgrid(sides, sides))
    >>> y = np.where(z > 0.8, x < 0, x > 0).astype(int)  # x decides, but the other way at the top
    >>> model = LocalPatternClassifier(max_local=0.15, n_features=1).fit(np.c_[x, z], y)
    >>> model.global_features_, model.local_share_
    (['view0__0'], 0.1)
    >>> model.decided_by([[0.5, 0.9], [0.5, -0.9]]).tolist()
    ['local', 'global']
    >>> model.predict([[0.5, 0.9], [0.5, -0.9]])
    array([0, 1])

    Notes
    -----
    **Objective**
        Among patterns of at most ``τ n`` objects, those with the highest accuracy of the combined
        model, ``Σ_i [local right] − [global right]`` over the objects in them (section 5). The
        clusters of section 5.2 minimise ``F = I(U;C) − β I(V;C)`` and those of 5.3 ``I(U;C) −
        β I(V;C|W)``, with ``P(u) ∝ P_orig(Y ≠ f(x)|x)``.

    **Symbols**
        f → ``global_estimator_``; τ → ``max_local``; ``l_i = 1`` → the global model is wrong and
        the local one right; U → objects; V → features of ``global_views``; C → clusters, of which
        patterns are made; W → ``background``; k → ``n_patterns``.

    **Algorithm**
        1. ``fit_columns``: features of dense views, and of sparse ones up to 50, are standardised,
           rows of other sparse views get one length; then each view has the same total variance.
        2. ``eliminate``: as long as the global model has more than ``n_features`` features, a tenth
           of them, those of the lowest absolute weights, is removed (section 6.1).
        3. ``judge``: both models are fitted to all labelled objects; which is right where is read
           from models that were learnt without the object.
        4. "classifier": ``by_classifier`` learns ``l_i`` from few features (5.1). "bottleneck" and
           "conditional": ``clustered`` clusters all objects weighted by P(u) (``misjudged``);
           ``informative`` chooses the features of the highest I(x; c); ``medoids`` minimise the
           expected distance under P(x, c).
        5. ``best_thresholds`` by dynamic programming, or ``best_share`` of a classifier: how close
           to a medoid objects have to be. Objects that are equally close stay together.

    **Deviations**
        The paper does not say whether ``l_i`` is read from the objects that the models were fitted
        to. Here they are left out, with the elimination done anew in each fold: on them a flexible
        local model is right nearly always and would be trusted everywhere. ``combined_accuracy_``
        is still optimistic, as the patterns were chosen by it; the medoid of a pattern, which is in
        it however small it is, is not counted. Where objects tie, the paper exceeds τ (its Table 1
        has a disagreement of .147 for τ = .05); here fewer objects are local. The bound is on the
        objects of ``fit``; among others the share varies as shares do.
        Platt's scaling of decisions is fitted without its offset, so that the most probable class
        is the one predicted; a classifier that only names classes is scaled in the same way.
        P(v|u), which the paper has for words, is for a standardised feature z the pair Φ(z) and
        1 − Φ(z), high and low; I(x; c) is that of being high, or of a word being there.
        By default P(u) is zero for all but local examples: with ``weighted="all"``, which is how
        the paper's section 5.3 reads, half as much was gained on four data sets that the paper does
        not have (.005 against .011 at τ = .1). Distances are Euclidean on the columns; the paper
        has cosines for texts, which are undefined for a text with none of ten words. More than two
        classes work as two do.
        An object that lacks views gets the mean of their features, and one that lacks all of the
        global model's views is an average object to it: it gets that answer unless it is in a
        pattern. Unlabelled objects count for τ, and in the clusters with ``weighted="all"``;
        estimators of this library are given them to learn from.

    **Complexity**
        ``cv + 1`` fits of each model; with elimination of p features as often as ``log(p /
        n_features) / 0.1`` times. The bottleneck takes objects × features × clusters per step. With
        4,000 objects of 20 features ``fit`` takes two seconds of one processor, with 1,000 texts of
        4,800 words six (2026-11).

    References
    ----------
    [@rueping2005], [@platt1999]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _deterministic_start: ClassVar[dict[str, Any]] = {}

    models_: tuple[Model, Model]
    global_estimator_: Any
    local_estimator_: Any
    global_features_: list[str]
    regions_: Regions
    columns_: Columns
    description_: LocalPatternReport
    local_share_: float
    disagreement_: float
    global_accuracy_: float
    local_accuracy_: float
    combined_accuracy_: float
    n_patterns_: int

    def __init__(
        self,
        global_estimator: Classifier | None = None,
        local_estimator: Classifier | None = None,
        detector: Literal["classifier", "bottleneck", "conditional"] = "classifier",
        max_local: Share = 0.05,
        n_features: Count | None = 10,
        *,
        global_views: Names = None,
        local_views: Names = None,
        n_patterns: Count = 2,
        weighted: Literal["local", "all"] = "local",
        background: Literal["clusters", "model"] = "clusters",
        beta: Positive | None = None,
        cv: Annotated[int, Interval(2)] = 5,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.global_estimator = global_estimator
        self.local_estimator = local_estimator
        self.detector = detector
        self.max_local = max_local
        self.n_features = n_features
        self.global_views = global_views
        self.local_views = local_views
        self.n_patterns = n_patterns
        self.weighted = weighted
        self.background = background
        self.beta = beta
        self.cv = cv
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(detector="bottleneck", max_local=0.2)
        yield cls(detector="conditional", max_local=0.2, background="model")

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Fit both models, see where each is right, and find the patterns that pay.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        y : array-like of shape (n_objects,)
            Classes, -1 (or None, NaN) where an object is unlabelled.
        """
        views = self._fit_views(X)
        named = _named_views(views, self.global_views, self.local_views)
        labels = self._fit_labels(y, views)
        columns = fit_columns(views)
        data = Data(views, columns.matrix(views))
        simple, full = self._ways(columns, named, generator(self.random_state))
        self._report(f"leaves out {len(data.views)} objects in {self.cv} folds")
        judged = judge(simple, full, data, labels.codes, len(labels.classes), self.cv)
        regions = self._detected(simple, data, columns, judged)
        self._store(data, columns, judged, regions)
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Predict the class of each object: by the local model in local patterns, else globally."""
        data = self._data(X)
        return self.classes_[self._codes(data, self.regions_.find(data) >= 0)]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probabilities of the classes, by the model that decides."""
        data = self._data(X)
        local = self.regions_.find(data) >= 0
        found = np.empty((len(data.views), len(self.classes_)))
        for model, rows in zip(self.models_, (~local, local), strict=True):
            if rows.any():
                found[rows] = model.predict_proba(data.rows(rows), len(self.classes_))
        return found

    def predict_by(self, X: ViewsLike, model: Literal["global", "local"]) -> AnyArray:
        """What one of the two models predicts for all objects, whichever decides.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        model : {"global", "local"}
            The model that is asked.
        """
        check_argument("model", model, Literal["global", "local"])
        data = self._data(X)
        asked = self.models_[0] if model == "global" else self.models_[1]
        return self.classes_[asked.ask(data, len(self.classes_)).codes]

    def decided_by(self, X: ViewsLike) -> AnyArray:
        """Which model speaks for each object: "global" or "local".

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        """
        return np.where(self.pattern_of(X) >= 0, "local", "global").astype(object)

    def pattern_of(self, X: ViewsLike) -> IntArray:
        """The local pattern that each object is in, as numbered from 0 in ``describe``; -1: none.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        """
        return self._fitted_regions().find(self._data(X))

    def describe(self) -> LocalPatternReport:
        """The page for the user: what decides, where it does not, and what is typical there."""
        self._fitted_regions()
        return self.description_

    def _fitted_regions(self) -> Regions:
        check_is_fitted(self)
        return self.regions_

    def _data(self, X: ViewsLike) -> Data:
        views = self._new_views(X)
        return Data(views, self.columns_.matrix(views))

    def _codes(self, data: Data, local: Any) -> IntArray:
        codes = np.empty(len(data.views), dtype=np.intp)
        for model, rows in zip(self.models_, (~local, local), strict=True):
            if rows.any():
                codes[rows] = model.ask(data.rows(rows), len(self.classes_)).codes
        return codes

    def _ways(
        self, columns: Columns, named: tuple[tuple[str, ...], ...], rng: np.random.Generator
    ) -> tuple[Way, Way]:
        """How both models are learnt; the limit of features is that of the global one."""
        simple = _linear() if self.global_estimator is None else self.global_estimator
        full = self.local_estimator
        if full is None:
            full = _linear() if any(columns.wide) else _kernel_machine()
        ways = [
            Way(seeded(clone(estimator), rng), names, columns.of(names), limit, role)
            for estimator, names, limit, role in (
                (simple, named[0], self.n_features, "global_estimator"),
                (full, named[1], None, "local_estimator"),
            )
        ]
        return ways[0], ways[1]

    def _detected(self, simple: Way, data: Data, columns: Columns, judged: Judged) -> Regions:
        if self.max_local == 0:
            return nowhere()
        if self.detector == "classifier":
            estimator = _linear() if reads_views(simple.estimator) else simple.estimator
            way = replace(simple, estimator=estimator, n_features=self.n_features)
            return by_classifier(way, data, judged, self.max_local)
        seen = shown(data, columns, simple.names)
        clusters = Clustering(
            self.n_patterns,
            self.n_features,
            self.beta,
            self._known(seen, judged),
            self.weighted == "local",
            self.max_local,
        )
        return by_medoids(seen, data, judged, clusters)

    def _known(self, seen: Shown, judged: Judged) -> FloatArray | None:
        """P(w|u): what is known of each object already (section 5.3)."""
        if self.detector == "bottleneck":
            return None
        if self.background == "model":
            return judged.shares
        everybody = np.full(len(seen.p_v), 1.0 / len(seen.p_v))
        return clustered(everybody, seen.p_v, judged.shares.shape[1], self.beta, None)

    def _store(self, data: Data, columns: Columns, judged: Judged, regions: Regions) -> None:
        self.columns_, self.regions_ = columns, regions
        self.models_ = judged.simple, judged.full
        self.global_estimator_, self.local_estimator_ = (m.estimator for m in self.models_)
        labelled = judged.codes >= 0
        found = regions.find(data)
        self.local_share_ = float((found >= 0).mean())
        simple = judged.simple.ask(data, len(self.classes_)).codes
        combined = self._codes(data, found >= 0)
        self.disagreement_ = float((combined != simple).mean())
        self.global_accuracy_ = float(judged.simple_right[labelled].mean())
        self.local_accuracy_ = float(judged.full_right[labelled].mean())
        right = np.where(found >= 0, judged.full_right, judged.simple_right)
        self.combined_accuracy_ = float(right[labelled].mean())
        self.n_patterns_ = int(np.isfinite(regions.thresholds).sum())
        names = self.layout_.column_names()
        self.global_features_ = (
            [] if judged.simple.by_views else names[judged.simple.columns].tolist()
        )
        self.description_ = _described(self, data, judged, found)
        self._report(
            f"finds {self.n_patterns_} local patterns with {self.local_share_:.1%} of the objects"
        )

    def _report(self, said: str) -> None:
        if self.verbose:
            print(f"{type(self).__name__}: {said}")


def _linear() -> Any:
    from sklearn.linear_model import LogisticRegression

    # Newton's method: the answer does not hang on where an inexact search stopped.
    return LogisticRegression(solver="newton-cg", tol=1e-8, max_iter=1000)


def _kernel_machine() -> Any:
    from sklearn.svm import SVC

    return SVC(tol=1e-8)


def _named_views(views: Views, *given: Names) -> tuple[tuple[str, ...], ...]:
    """Views for each model, in the order of the views; all where none are named."""
    found = []
    for names, role in zip(given, ("global_views", "local_views"), strict=True):
        wanted = (
            views.names if names is None else [names] if isinstance(names, str) else list(names)
        )
        if not wanted:
            raise ParameterError(f"{role} is empty; name at least one view, or give None for all.")
        for name in wanted:
            if name not in views.names:
                known = ", ".join(repr(view) for view in views.names)
                raise UnknownViewError(f"{role} names the view {name!r}; the views are {known}.")
        found.append(tuple(name for name in views.names if name in wanted))
    return tuple(found)


# The page for the user ----------------------------------------------------------------------------


def _described(
    model: LocalPatternClassifier, data: Data, judged: Judged, found: IntArray
) -> LocalPatternReport:
    simple, full = judged.simple, judged.full
    kept = np.flatnonzero(np.isfinite(model.regions_.thresholds))
    return LocalPatternReport(
        n_objects=len(found),
        n_labelled=int((judged.codes >= 0).sum()),
        classes=tuple(model.classes_.tolist()),
        detector=model.detector,
        max_local=float(model.max_local),
        global_model=type(simple.estimator).__name__,
        global_features=() if simple.by_views else _weighted(model, data, simple),
        global_views=simple.names,
        local_model=type(full.estimator).__name__,
        local_views=full.names,
        n_local_features=len(full.columns),
        global_accuracy=model.global_accuracy_,
        local_accuracy=model.local_accuracy_,
        combined_accuracy=model.combined_accuracy_,
        local_share=model.local_share_,
        disagreement=model.disagreement_,
        patterns=tuple(_pattern(model, data, judged, found, int(pattern)) for pattern in kept),
    )


def _weighted(
    model: LocalPatternClassifier, data: Data, simple: Model
) -> tuple[WeightedFeature, ...]:
    """Features of the global model with their weights, the heaviest first."""
    names = shown_names(model)
    has_weights = column_weights(simple.estimator, len(simple.columns)) is not None
    weights = model_weights(simple, data)
    order = np.argsort(-np.abs(weights).mean(axis=0), kind="stable")
    return tuple(
        WeightedFeature(
            names[simple.columns[place]],
            tuple(weights[:, place].tolist()) if has_weights else (),
        )
        for place in order
    )


def shown_names(model: LocalPatternClassifier) -> list[str]:
    """Names of the features as a user knows them: with the view only if there are several."""
    names: list[str] = model.layout_.column_names().tolist()
    if len(model.layout_.names) > 1:
        return names
    start = len(model.layout_.names[0]) + 2
    return [name[start:] for name in names]


def _pattern(
    model: LocalPatternClassifier, data: Data, judged: Judged, found: IntArray, pattern: int
) -> LocalPattern:
    inside = found == pattern
    labelled = inside & (judged.codes >= 0)
    medoid = int(model.regions_.medoids[pattern])
    classes = model.classes_.tolist()
    own = data.rows([medoid])
    answers = [classes[each.ask(own, len(classes)).codes[0]] for each in model.models_]
    ids, truth = data.views.sample_ids, int(judged.codes[medoid])
    wrong = np.flatnonzero(labelled & (judged.simple_right == 0))
    pairs = np.column_stack([judged.codes[wrong], judged.simple_codes[wrong]])
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    return LocalPattern(
        n_objects=int(inside.sum()),
        share=float(inside.mean()),
        n_labelled=int(labelled.sum()),
        medoid=medoid,
        sample_id=None if ids is None else ids.tolist()[medoid],
        medoid_class=None if truth < 0 else classes[truth],
        medoid_global=answers[0],
        medoid_local=answers[1],
        features=_features(model, data, inside, medoid),
        global_accuracy=float(judged.simple_right[labelled].mean()) if labelled.any() else None,
        local_accuracy=float(judged.full_right[labelled].mean()) if labelled.any() else None,
        mistakes=tuple(
            Confusion(classes[kinds[place][0]], classes[kinds[place][1]], int(counts[place]))
            for place in np.argsort(-counts, kind="stable")
        ),
    )


def _features(
    model: LocalPatternClassifier, data: Data, inside: Any, medoid: int
) -> tuple[PatternFeature, ...]:
    """Describe a pattern by its features in the units of the data."""
    names, found = shown_names(model), []
    regions = model.regions_
    for column, information in zip(regions.columns, regions.information.tolist(), strict=True):
        view, place = model.columns_.locate(int(column))
        seen = data.views.observed_in(view)
        raw = data.views[view][:, [place]]
        values = np.asarray(raw.toarray() if is_sparse(raw) else raw, dtype=np.float64)[:, 0]
        found.append(
            PatternFeature(
                names[column],
                float(values[medoid]) if seen[medoid] else None,
                _mean(values[inside & seen]),
                _mean(values[~inside & seen]),
                information,
            )
        )
    return tuple(found)


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None
