"""Clusters of what is not known already: the conditional bottleneck [@rueping2005; @gondek2003]."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_consistent_length

from manyviews.data import Views, codes_among, in_row_order, split_labelled
from manyviews.explain.information_bottleneck import InformationBottleneck, read_weights
from manyviews.typing import AnyArray, FloatArray, IntArray, ViewsLike

__all__ = ["ConditionalInformationBottleneck"]


class ConditionalInformationBottleneck(InformationBottleneck):
    """Cluster objects by what their features tell beyond something that is known already.

    Take it to find groups that are not those of a known classification, of a model's answers or of
    an earlier clustering: give these as ``y`` or ``irrelevant``. Without either it is
    :class:`InformationBottleneck`, whose parameters and attributes it has.

    Parameters
    ----------
    n_clusters : int
        Most clusters.
    beta : "auto" or float
        What a nat of relevant information is worth, in nats remembered.
    distribution : "auto", "shares" or "bins", list or dict
        How a row becomes P(v|u).
    n_bins : int
        Knots of a feature at most.
    view_weights : "auto", list, dict or None
        Shares of the views in P(v|u).
    n_init : int
        Number of starts.
    max_iter : int
        Most steps at the final β.
    tol : float
        Largest change of any membership in a step at which to stop.
    random_state : int, generator or None
        Draws the starts.
    verbose : int
        1 reports the annealing and the starts.

    Attributes
    ----------
    labels_ : array of int of shape (n_objects,)
        Cluster of largest membership.
    membership_ : array of shape (n_objects, n_clusters)
        P(c|u), one column for each of ``n_clusters_``.
    p_v_given_c_ : dict of arrays of shape (n_values_of_w, n_clusters, n_values)
        P(v|w, c) of each view.
    p_w_ : array of shape (n_values_of_w,)
        P(w), which new objects have whose w is not given.
    classes_ : array
        What the values of W stand for, after a fit with ``y``.
    i_uc_, i_vc_, i_uv_ : float
        I(U;C), I(V;C|W) and I(V;U|W) in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.explain import ConditionalInformationBottleneck
    >>> animal, colour = np.repeat([0, 1], 4), np.tile([0, 0, 1, 1], 2)
    >>> words = np.hstack([5 * np.eye(2)[animal], 4 * np.eye(2)[colour]])
    >>> known = np.where(np.eye(2)[animal] == 1, 0.9, 0.1)
    >>> model = ConditionalInformationBottleneck(2, distribution="shares", random_state=0)
    >>> model = model.fit(words, irrelevant=known)
    >>> sorted(set(zip(colour.tolist(), (model.labels_ == model.labels_[0]).tolist())))
    [(0, True), (1, False)]

    Notes
    -----
    **Objective**
        F = I(U;C) − β I(V;C|W), least over P(c|u), Section 3.1.

    **Symbols**
        W → ``y`` or ``irrelevant``, P(w|u) → ``irrelevant``, P(v|w, c) → ``p_v_given_c_``; the
        others as in :class:`InformationBottleneck`.

    **Algorithm**
        That of :class:`InformationBottleneck`, with a context for every value of W. Each of the
        three equations is again the exact minimum over one of P(c), P(v|w, c) and P(c|u), so that F
        does not rise.

    **Deviations**
        The paper's exponent sums over y where it means v, and P(u|w, c) in its second equation is
        P(u) P(w|u) P(c|u) over its sum, which it does not say. From the Lagrangian, with C
        independent of V and W given U, P(c|u) ∝ P(c) exp(β Σ_w P(w|u) Σ_v P(v|u, w) log P(v|w, c)).
        P(v|u, w) is P(v|u), as in Section 5.3; :func:`bottleneck` takes any. Objects without a
        label in ``y`` have P(w), the shares of the labels.

        F says nothing of what a cluster is at different w: with labels, which no two w share, the
        clusters of each w may be named in any order, and F is the same. Probabilities that are
        above zero for several w tie them to each other.

    **Complexity**
        That of :class:`InformationBottleneck` for labels; with probabilities P(w|u) above zero
        everywhere, so many times that as W has values.

    References
    ----------
    [@rueping2005], [@gondek2003], [@gondek2004]
    """

    _given: ClassVar[str] = " beyond what is known"

    classes_: AnyArray
    p_w_: FloatArray

    def fit(
        self, X: ViewsLike, y: Any = None, *, irrelevant: Any = None, sample_weight: Any = None
    ) -> Self:
        """Cluster the objects by what is not known of them yet.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        y : array-like of shape (n_objects,), optional
            What is known, as labels: W. -1 or None where it is not known.
        irrelevant : array-like of shape (n_objects, n_values), optional
            What is known, as probabilities P(w|u), such as those of a classifier; instead of ``y``.
        sample_weight : array-like of shape (n_objects,), optional
            P(u) up to a factor; all alike by default.
        """
        views = self._fit_views(X, min_objects=self.n_clusters)
        weights = read_weights(sample_weight, views)
        classes = None
        if y is not None and irrelevant is not None:
            raise ValueError("y and irrelevant both say what is known; give one of them.")
        if y is not None:
            labels = split_labelled(y, views)
            check_consistent_length(views, labels.codes)
            classes = labels.classes
            p_w = np.bincount(labels.codes[labels.labelled], weights[labels.labelled], len(classes))
            if not p_w.any():
                raise ValueError(
                    "no object of weight has a label in y, so that nothing is known; leave y out."
                )
            p_w_given_u = one_hot_or_unknown(labels.codes, p_w / p_w.sum())
        else:
            given = np.ones((len(views), 1)) if irrelevant is None else irrelevant
            p_w_given_u = read_irrelevant(given, views)
        self._learn(views, weights, p_w_given_u)  # the equations of section 3.1, with this P(w|u)
        self.p_w_ = weights @ p_w_given_u / weights.sum()
        if classes is not None:
            self.classes_ = classes
        elif hasattr(self, "classes_"):
            del self.classes_  # of an earlier fit with labels
        return self

    def predict(self, X: ViewsLike, y: Any = None, *, irrelevant: Any = None) -> IntArray:
        """Return the cluster of largest membership, by what is known of the new objects as well.

        Parameters
        ----------
        X : views in any accepted form
            The objects.
        y : array-like of shape (n_objects,), optional
            Their labels, among those of ``fit``.
        irrelevant : array-like of shape (n_objects, n_values), optional
            Their P(w|u), instead of ``y``; without either P(w).
        """
        return self.predict_proba(X, y, irrelevant=irrelevant).argmax(axis=1)

    def predict_proba(self, X: ViewsLike, y: Any = None, *, irrelevant: Any = None) -> FloatArray:
        """Return P(c|u) of any objects, by the third equation; parameters as of ``predict``."""
        views = self._new_views(X)
        if irrelevant is not None:
            p_w_given_u = read_irrelevant(irrelevant, views, len(self.p_w_))
        else:
            codes = codes_among(y, getattr(self, "classes_", np.array([])), views)
            p_w_given_u = one_hot_or_unknown(codes, self.p_w_)
        return self._membership(views, p_w_given_u)

    def _set_p_v_given_c(self, by_context: tuple[FloatArray, ...]) -> None:
        n_values = len(by_context) // len(self.distributions_)
        self.p_v_given_c_ = {
            name: np.array(by_context[place * n_values : (place + 1) * n_values])
            for place, name in enumerate(self.distributions_)
        }

    def _by_context(self) -> list[FloatArray]:
        return [p_v for by_value in self.p_v_given_c_.values() for p_v in by_value]

    def _check_labels(self, X: ViewsLike, y: Any) -> None:
        """Take labels in any order: they are matched by id where they are read."""


def read_irrelevant(irrelevant: Any, views: Views, n_values: int | None = None) -> FloatArray:
    """Read P(w|u), one row per object that sums to one."""
    given = np.asarray(in_row_order(irrelevant, views.sample_ids, "irrelevant"), dtype=float)
    width = given.shape[-1] if n_values is None else n_values
    if given.ndim != 2 or given.shape != (len(views), width):
        raise ValueError(
            f"irrelevant has shape {given.shape} for {len(views)} objects; give an array of "
            f"probabilities P(w|u), {'a' if n_values is None else n_values} column"
            f"{' for each value of W' if n_values is None else 's'} and a row for each object."
        )
    sums = given.sum(axis=1)
    wrong = np.flatnonzero(~((given >= 0).all(axis=1) & (np.abs(sums - 1.0) <= SUMS_TO_ONE)))
    if len(wrong):
        raise ValueError(
            f"row {wrong[0]} of irrelevant is {given[wrong[0]].tolist()}, which are no "
            "probabilities; give numbers of at least 0 that sum to one in each row."
        )
    return given / sums[:, None]


SUMS_TO_ONE = 1e-3
"""How far the sum of probabilities may be from one: single precision, or three printed digits."""


def one_hot_or_unknown(codes: IntArray, shares: FloatArray) -> FloatArray:
    """Return P(w|u) of labels; of objects without one the shares of the labels, P(w)."""
    known = np.eye(len(shares))[np.maximum(codes, 0)]
    return np.where(codes[:, None] >= 0, known, shares)
