"""Look at every view alone, every pair and all together, before a method is chosen."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from manyviews.base import check_argument
from manyviews.data import Labels, Views, check_views, split_labelled
from manyviews.explain._facts import view_facts
from manyviews.explain._findings import find
from manyviews.explain._joint import join
from manyviews.explain._look import Look, look_at
from manyviews.explain._pairs import compare
from manyviews.explain._quality import deal_folds
from manyviews.explain._report import Diagnosis, PairReport
from manyviews.explain._thresholds import MAX_OBJECTS
from manyviews.maths import generator
from manyviews.typing import IntArray, Interval, RandomState, ViewsLike

_JOBS = Annotated[int, Interval(1, 1000)] | Annotated[int, Interval(-1000, -1)] | None


def diagnose(
    views: ViewsLike,
    y: Any = None,
    *,
    random_state: RandomState = 0,
    max_objects: int = MAX_OBJECTS,
    n_jobs: int | None = None,
) -> Diagnosis:
    r"""Tell what each view is worth, what the views share, and what that means for the choice.

    Every view is reduced to principal components (dense features standardised, rows of sparse
    views scaled to length 1, missing cells filled by the mean). On these are measured

    - of each view: the cross-validated balanced accuracy of a shrunken linear discriminant if
      there are labels, and the silhouette of k-means for 2 to 10 clusters against that of a
      Gaussian cloud;
    - of each pair: how far predictions and clusterings agree, canonical correlations on held-out
      objects, and the Hilbert-Schmidt independence criterion, given the class if there are
      labels, with a permutation p-value;
    - of all views together: the accuracy beyond the best single view, and what each view adds to
      the others.

    The findings follow from these numbers by the rules and thresholds of this room, which err on
    the silent side: no finding means no clear evidence.

    Parameters
    ----------
    views : views in any accepted form
        May have unobserved views and missing cells. See :class:`manyviews.Views`.
    y : array-like, optional
        Labels, with -1, None or NaN for unlabelled objects.
    random_state : int, generator or None
        Draws folds, starts, permutations and subsets.
    max_objects : int
        Of more objects than this a random subset is measured, labelled ones first.
    n_jobs : int, optional
        Views and pairs measured at the same time, as in scikit-learn.

    Returns
    -------
    Diagnosis
        Numbers per view, per pair and joint, and findings in words.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews import diagnose
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> signal = rng.normal(size=(200, 3)) + 4 * y[:, None]
    >>> found = diagnose({"text": signal, "noise": rng.normal(size=(200, 5))}, y)
    >>> print(*found.findings, sep="\n")
    noise is near chance ...: drop it, or check how it was made.
    ...
    """
    from joblib import Parallel, delayed

    check_argument("random_state", random_state, RandomState)
    check_argument("max_objects", max_objects, Annotated[int, Interval(2)])
    check_argument("n_jobs", n_jobs, _JOBS)
    checked = check_views(views, accept_nan=True, method="diagnose")
    labels = _read_labels(y, checked)
    rng = generator(random_state)
    rows = _choose_rows(len(checked), labels, max_objects, rng)
    sample, sample_labels = checked[rows], _take_labels(labels, rows)
    folds = None if sample_labels is None else deal_folds(sample_labels, rng)
    seeds = rng.integers(2**31, size=(checked.n_views + 1, checked.n_views)).tolist()
    run = Parallel(n_jobs=n_jobs)
    looks: list[Look] = run(
        delayed(look_at)(
            view_facts(name, matrix, checked.observed_in(name)),
            sample[name],
            sample.observed_in(name),
            folds,
            seed,
        )
        for (name, matrix), seed in zip(checked.items(), seeds[-1], strict=True)
    )
    pairs: list[PairReport] = run(
        delayed(compare)(looks[i], looks[j], folds, labels is not None, seeds[i][j])
        for i, j in combinations(range(len(looks)), 2)
    )
    pairs = [_with_shared(pair, checked) for pair in pairs]
    joint, reports = join(looks, folds, labels, seeds[0][0])
    complete = float(checked.observed.all(axis=1).mean())
    joint = replace(joint, n_objects=len(checked), complete=complete)
    return Diagnosis(reports, tuple(pairs), joint, find(reports, tuple(pairs), joint))


def _read_labels(y: Any, views: Views) -> Labels | None:
    if y is None:
        return None
    labels = split_labelled(y, views)
    if len(labels.codes) != len(views):
        raise ValueError(
            f"y has {len(labels.codes)} labels for {len(views)} objects; give one per object, "
            "with -1, None or NaN where there is none."
        )
    return labels if labels.labelled.any() else None


def _choose_rows(
    n_objects: int, labels: Labels | None, max_objects: int, rng: np.random.Generator
) -> IntArray:
    if n_objects <= max_objects:
        return np.arange(n_objects)
    order = rng.permutation(n_objects)
    if labels is not None:
        order = order[np.argsort(~labels.labelled[order], kind="stable")]
    return np.sort(order[:max_objects])


def _take_labels(labels: Labels | None, rows: IntArray) -> Labels | None:
    return None if labels is None else Labels(labels.codes[rows], labels.classes)


def _with_shared(pair: PairReport, views: Views) -> PairReport:
    """The share of objects with both views, among all objects rather than those measured."""
    first, second = (views.observed_in(name) for name in pair.views)
    return replace(pair, shared=float((first & second).mean()))
