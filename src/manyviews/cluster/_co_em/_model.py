"""What a fitted co-EM mixture says of objects, and how it learns on from sums over them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from manyviews.base import BaseMultiViewClusterer
from manyviews.cluster._co_em._problem import pose_views
from manyviews.cluster._co_em._sweep import CoEMStatistics, Family, weigh
from manyviews.data import Views, codes_among
from manyviews.maths import log_softmax, safe_log
from manyviews.typing import AnyArray, FloatArray, IntArray, ViewsLike


class FittedCoEM(BaseMultiViewClusterer):
    """Answers from the parameters of each view, and E and M steps on some objects."""

    shared_prior: bool

    classes_: AnyArray
    eta_: float
    likelihoods_: dict[str, Family]
    parameters_: dict[str, Any]
    prior_: FloatArray
    view_priors_: dict[str, FloatArray]

    def predict(self, X: ViewsLike) -> IntArray:
        """Return the most probable component of each object, by the views it has, Eq. (19)."""
        return self._log_joint(self._new_views(X)).argmax(axis=1)

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Return the probability of each component, by all the views an object has."""
        return log_softmax(self._log_joint(self._new_views(X)))[0]

    def score_samples(self, X: ViewsLike) -> FloatArray:
        """Return the log density of each object in the views it has."""
        views = self._new_views(X)
        evidence = log_softmax(self._log_joint(views))[1]
        for name, family in self.likelihoods_.items():
            seen = views.observed_in(name)
            evidence[seen] += family.log_base(_rows(views[name], seen))
        return evidence

    def score(self, X: ViewsLike, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """Return the mean log density of the objects."""
        return float(self.score_samples(X).mean())

    def _log_joint(self, views: Views) -> FloatArray:
        joint = np.tile(safe_log(self.prior_), (len(views), 1))
        for name, family in self.likelihoods_.items():
            family.check(views[name], view=name)
            places = np.flatnonzero(views.observed_in(name) & family.informative(views[name]))
            rows = views[name] if len(places) == len(views) else views[name][places]
            joint[places] += family.log_density(rows, self.parameters_[name])  # Eq. (19)
        return joint

    # -- learning from sums ----------------------------------------------------------------------

    def summarize(self, X: ViewsLike, y: Any = None, *, view: str | None = None) -> CoEMStatistics:
        """E step on some objects with the fitted parameters: sums that ``update`` learns from.

        Parameters
        ----------
        X : views
            Some of the objects.
        y : array-like, optional
            Labels of them, among those of ``fit``; -1 or None where there is none.
        view : str, optional
            Sum up for this view only, as Table 1 does it, view by view.

        Examples
        --------
        >>> from manyviews.cluster import CoEMMixture
        >>> words = np.array([[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 1]])
        >>> views = Views({"words": words, "title": words[:, ::-1]})
        >>> model = CoEMMixture(2, random_state=0).fit(views)
        >>> for name in model.view_names_:
        ...     halves = [model.summarize(views[rows], view=name) for rows in ([0, 1], [2, 3])]
        ...     model = model.update(halves[0] + halves[1])
        """
        views = self._new_views(X).subset(self.likelihoods_)
        chosen = views.names if view is None else views.subset([view]).names
        known = codes_among(y, getattr(self, "classes_", np.array([])), views)
        problem = pose_views(views, self.likelihoods_, known, len(self.prior_))
        weights = weigh(
            problem,
            [self.parameters_[name] for name in views.names],
            [self.view_priors_[name] for name in views.names],
            self.eta_,
        )
        each = list(zip(views.names, problem.views, weights, strict=True))
        sums = {
            name: rows.family.summarize(rows.matrix, own)
            for name, rows, own in each
            if name in chosen
        }
        masses = {name: own.sum(axis=0, dtype=np.float64) for name, _, own in each}
        return CoEMStatistics(sums, masses)

    def update(self, stats: CoEMStatistics) -> Self:
        """M step: parameters and prior from sums over all objects; ``labels_`` stay as they are."""
        fresh = {name: self.likelihoods_[name].update(sums) for name, sums in stats.views.items()}
        shared = np.sum(list(stats.masses.values()), axis=0)  # Eq. (16)
        masses = dict.fromkeys(stats.masses, shared) if self.shared_prior else stats.masses
        self.parameters_ = {**self.parameters_, **fresh}
        self.view_priors_ = {
            name: masses[name] / masses[name].sum() if name in fresh else self.view_priors_[name]
            for name in self.likelihoods_
        }
        self.prior_ = np.mean(list(self.view_priors_.values()), axis=0)
        return self


def _rows(matrix: Any, seen: AnyArray) -> Any:
    return matrix if seen.all() else matrix[np.flatnonzero(seen)]
