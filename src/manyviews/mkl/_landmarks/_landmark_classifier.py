"""A linear classifier on similarities to landmarks, whatever the similarity [@balcan2006]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone

from manyviews.base import BaseMultiViewClassifier, MultiViewTags, ViewTags, if_estimator_has
from manyviews.maths import generator, row_blocks, rows_at_a_time
from manyviews.mkl._calibration import probabilities
from manyviews.mkl._landmarks._draw import draw_landmarks, read_n_landmarks
from manyviews.mkl._landmarks._linear import LinearMachine, fit_linear_machine, largest
from manyviews.mkl._landmarks._space import LandmarkSpace, fit_space
from manyviews.similarity import Precomputed, SimilarityLike
from manyviews.typing import (
    AnyArray,
    ByView,
    Classifier,
    Count,
    FloatArray,
    IntArray,
    Interval,
    RandomState,
    Repeats,
    Verbosity,
    ViewsLike,
)


class LandmarkClassifier(BaseMultiViewClassifier):
    """Classify by similarities to some training objects; any similarity will do, no kernel needed.

    Take it where your similarity is no kernel, such as an edit distance or a score of matches.
    With kernels, :class:`TwoStageMKL` is better.

    Parameters
    ----------
    similarity : Similarity, name, list or dict
        How objects are compared in a view: one for all views, a list with one per view, or a dict
        by view name. With ``"precomputed"`` a view is a matrix of similarities to the training
        objects, symmetric among these; so the class serves as ``classifier`` of a learnt kernel.
    n_landmarks : "third", int or float
        A third of the training objects of known class, so many, or that share of them.
    estimator : classifier, optional
        What is fitted to the features; a linear support vector machine if not given.
    n_draws : int
        How many times landmarks are drawn. More than one makes the answer depend less on the draw;
        do not expect it to be better.
    random_state : int, RandomState, Generator or None
        Draws the landmarks.
    verbose : int
        1 reports the landmarks and each classifier.

    Attributes
    ----------
    classes_ : array
        The classes.
    landmarks_ : list of arrays
        Numbers of the training objects that are landmarks, one array per draw.
    space_ : LandmarkSpace
        What turns objects into similarities to the landmarks of all draws.
    estimators_ : list of classifiers
        The classifier of each draw, on its own landmarks' features; its classes are positions in
        ``classes_``.
    columns_ : list of arrays
        Which of the features of ``space_`` each of them sees.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.mkl import LandmarkClassifier
    >>> views = {"size": [[1.0], [1.2], [1.1], [3.0], [3.3], [3.1]],
    ...          "price": [[9.0], [9.5], None, [4.0], [4.2], [4.1]]}
    >>> y = ["old", "old", "old", "new", "new", "new"]
    >>> model = LandmarkClassifier("rbf", n_landmarks=4, random_state=0).fit(views, y)
    >>> model.predict({"size": [[1.0], [3.2]], "price": None})
    array(['old', 'new'], dtype='<U3')

    Notes
    -----
    **Objective**
        Every object becomes ``φ(x) = (K(x, t_1), …, K(x, t_l))`` (Eq. 6.3 of [@kumar2013]), its
        similarities to landmarks ``t``; a linear classifier is learnt on that. For a similarity
        under which objects are more alike to most of their own class than to others, by a margin,
        such a classifier exists [@balcan2006], even where the similarity is indefinite, so that no
        kernel machine can take it.

    **Symbols**
        ``K`` → ``similarity``, ``t_1 … t_l`` → ``landmarks_``, ``φ`` → ``space_.features``,
        ``l`` → ``n_landmarks``.

    **Algorithm**
        1. Landmarks: equally many objects of each class, a third of all (``draw_landmarks``).
        2. Similarities of all training objects, landmarks included, to the landmarks in each view
           that shows both, centred and scaled (``fit_space``).
        3. A linear machine, its C by four folds (``fit_linear_machine``), or the estimator given.
        4. 1 and 3 for each of ``n_draws`` draws; the mean of the decisions decides.

    **Deviations**
        [@balcan2006] want landmarks that are not used to learn; as in [@kumar2013] they are, there
        being few objects. He averages the *results* of five draws in his tables; here
        ``n_draws`` averages *decisions*, which is one classifier.
        A class that is too small to give its share gives all it has, and others make up for it.
        The linear classifier, of which nothing is said, is a support vector machine with squared
        hinge loss. *Several views*, of which there is one in the source: similarities in each are
        features of their own; centred and brought to one scale per view, an object
        that a view does not show has zeros there, which is the mean. Unlabelled objects take no
        part.

    **Complexity**
        ``O(n l)`` similarities per view, and linear machines on ``n × l`` features: 25 for each
        draw, six values of C in four folds and the last, each some Newton steps of ``O(n l²)``.
        With a third of the objects that is ``O(n³)``: of many thousands, give ``n_landmarks=300``.

    References
    ----------
    [@balcan2006], [@kumar2013]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    landmarks_: list[IntArray]
    space_: LandmarkSpace
    columns_: list[IntArray]
    estimators_: list[Any]

    def __init__(
        self,
        similarity: ByView[SimilarityLike] = "rbf",
        *,
        n_landmarks: Literal["third"] | Count | Annotated[float, Interval(0, 1, above=True)] = (
            "third"
        ),
        estimator: Classifier | None = None,
        n_draws: Repeats = 1,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.similarity = similarity
        self.n_landmarks = n_landmarks
        self.estimator = estimator
        self.n_draws = n_draws
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        given = self.similarity
        precomputed = isinstance(given, Precomputed) or (given == "precomputed") is True
        tags.input_tags.pairwise = precomputed  # so that folds are cut out of rows and columns
        return tags

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        from sklearn.neighbors import KNeighborsClassifier

        yield cls("rbf", n_draws=2)
        yield cls("self_tuning", n_landmarks=0.5, estimator=KNeighborsClassifier(3))

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Draw landmarks, and learn a linear classifier on similarities to them."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        objects = np.flatnonzero(labels.labelled)
        codes = labels.codes[objects]
        count = read_n_landmarks(self.n_landmarks, len(objects))
        rng = generator(self.random_state)
        draws = [draw_landmarks(codes, count, rng) for _ in range(self.n_draws)]
        drawn = np.unique(np.concatenate(draws))
        self.space_, features = fit_space(views, objects, drawn, self.similarity)
        self.landmarks_ = [objects[draw] for draw in draws]
        self.columns_ = [
            np.flatnonzero(np.isin(drawn, draw)[self.space_.landmarks]) for draw in draws
        ]
        self.estimators_ = [self._fit_one(own, codes) for own in self._by_draw(features)]
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of each object, by the mean decision of the draws."""
        best = self._some_at_a_time(self._best, X)
        return np.asarray(self.classes_[best])

    def _best(self, features: list[FloatArray]) -> AnyArray:
        """Positions of the classes in ``classes_``."""
        if len(features) == 1:
            return np.asarray(self.estimators_[0].predict(features[0]))
        if hasattr(self.estimators_[0], "decision_function"):
            return largest(self._mean("decision_function", features))
        if hasattr(self.estimators_[0], "predict_proba"):
            return self._mean("predict_proba", features).argmax(axis=1)
        return self._votes(features).argmax(axis=1)

    @if_estimator_has("decision_function")
    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Mean over the draws of the scores of the classes, if the classifier has such scores."""
        return self._some_at_a_time(partial(self._mean, "decision_function"), X)

    @if_estimator_has("predict_proba")
    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class, if the classifier tells any.

        Of the default machine it is the softmax of the mean decisions, times what made the objects
        held out most likely; of another, the mean over the draws of what it says.
        """
        if self.estimator is not None:
            return self._some_at_a_time(partial(self._mean, "predict_proba"), X)
        decisions = self._some_at_a_time(partial(self._mean, "decision_function"), X)
        return probabilities(decisions, float(np.mean([one.sharpness for one in self.estimators_])))

    def _unfitted(self) -> Any:
        return LinearMachine if self.estimator is None else self.estimator

    def _fit_one(self, features: FloatArray, codes: IntArray) -> Any:
        if self.verbose:
            print(
                f"LandmarkClassifier: {len(codes):,} objects by {features.shape[1]:,} similarities",
                flush=True,
            )
        if self.estimator is None:
            return fit_linear_machine(features, codes)
        return clone(self.estimator).fit(features, codes)

    def _some_at_a_time(
        self, say: Callable[[list[FloatArray]], AnyArray], X: ViewsLike
    ) -> AnyArray:
        """Say something of new objects by their features, of so many at a time as fit memory."""
        views = self._new_views(X)
        blocks = row_blocks(len(views), rows_at_a_time(len(self.space_.means)))
        features = (self.space_.features(views[part]) for part in blocks)
        return np.concatenate([say(list(self._by_draw(some))) for some in features])

    def _by_draw(self, features: FloatArray) -> Iterator[FloatArray]:
        """The features of each draw, rows of length one on average."""
        for columns in self.columns_:
            yield features[:, columns] / np.sqrt(len(columns))

    def _mean(self, method: str, features: list[FloatArray]) -> FloatArray:
        """Mean over the draws of what their classifiers say."""
        said = [
            getattr(each, method)(own) for each, own in zip(self.estimators_, features, strict=True)
        ]
        return np.mean(said, axis=0)

    def _votes(self, features: list[FloatArray]) -> IntArray:
        """How many draws are for each class."""
        pairs = zip(self.estimators_, features, strict=True)
        return sum(np.eye(len(self.classes_), dtype=int)[each.predict(own)] for each, own in pairs)
