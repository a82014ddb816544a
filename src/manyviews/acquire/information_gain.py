"""Nats that an answer adds to what a posterior knows of the weights [@krishnapuram2005].

A label or a measured view adds a positive semi-definite matrix to the precision of the weights, and
its gain is half the logarithm of the ratio of the determinants (Eq. 8 to 10, with the ½ of Eq. 8
that Eq. 9 and 10 drop). From the top: determinants; labels (Eq. 15); views, with the conditional
mean in their place (Eq. 16, 21 and section 5.3) and in expectation (Eq. 20 and 22); and the
matrices themselves, by which a posterior is updated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, softmax

from manyviews.acquire.posterior import Posterior
from manyviews.typing import BoolArray, FloatArray, IntArray

__all__ = [
    "ExpectedView",
    "MeasuredView",
    "expected_view_gains",
    "expected_view_increment",
    "label_gains",
    "label_increment",
    "label_information",
    "measured_view_gains",
    "measured_view_increment",
    "predicted",
    "updated",
]

CELLS = 4_000_000
"""Cells of the arrays that are worked on at a time: 32 MB, which bounds the memory of a plan for
many objects. A judgement; half or twice as many take the same time."""


def half_log_determinants(matrices: FloatArray) -> FloatArray:
    """Half the logarithm of the determinant of each positive definite matrix.

    Examples
    --------
    >>> half_log_determinants(np.array([np.diag([4.0, 9.0])])).round(4)  # log 6
    array([1.7918])
    """
    factors = np.linalg.cholesky(matrices)
    found: FloatArray = np.log(np.diagonal(factors, axis1=-2, axis2=-1)).sum(axis=-1)
    return found


def predicted(posterior: Posterior, view: int, rows: FloatArray) -> FloatArray:
    """Probabilities by one view at the most probable weights, Eq. (1), one column for each block.

    Of two classes, which have one block, the column is the probability of the second.
    """
    scores = rows @ posterior.mean[:, posterior.slices[view]].T
    found: FloatArray = expit(scores) if scores.shape[1] == 1 else softmax(scores, axis=1)
    return found


def _parts(n_rows: int, cells: int) -> Iterator[slice]:
    """Slices of rows, each of which needs so many cells."""
    size = max(1, CELLS // max(cells, 1))
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


# -- labels ----------------------------------------------------------------------------------------


def label_information(covariances: FloatArray, probabilities: FloatArray) -> FloatArray:
    """Nats of a label, from the covariances of the scores of the views that it is told to.

    A label adds ``(diag p − p pᵀ) ⊗ x xᵀ`` in each view, ``p (1 − p) x xᵀ`` for two classes; by
    the determinant lemma only a matrix of the size views × classes is left of the determinant.

    Parameters
    ----------
    covariances : array of shape (n, n_blocks, n_views, n_views)
        ``xᵀ Δ⁻¹ x'`` of the rows of every two views.
    probabilities : array of shape (n, n_views, n_blocks)
        As :func:`predicted` gives them.

    Examples
    --------
    >>> label_information(np.full((1, 1, 1, 1), 4.0), np.full((1, 1, 1), 0.5))  # ½ log(1 + 4 / 4)
    array([0.34657359])
    """
    n, n_views, n_blocks = probabilities.shape
    roots = _information_roots(probabilities)
    found = np.empty((n, n_views, n_blocks, n_views, n_blocks))
    for one in range(n_views):
        for other in range(n_views):
            spread = covariances[:, :, one, other, None] * roots[:, other]
            found[:, one, :, other] = roots[:, one].swapaxes(1, 2) @ spread
    size = n_views * n_blocks
    return half_log_determinants(np.eye(size) + found.reshape(n, size, size))


def _information_roots(probabilities: FloatArray) -> FloatArray:
    """Matrices F with ``F Fᵀ = diag(p) − p pᵀ``; for one block ``F² = p (1 − p)``."""
    if probabilities.shape[-1] == 1:
        return np.sqrt(probabilities * (1 - probabilities))[..., None]
    roots = np.sqrt(probabilities)
    projector = np.eye(roots.shape[-1]) - roots[..., :, None] * roots[..., None, :]
    return roots[..., :, None] * projector  # I − √p √pᵀ is a projector, so its square is itself


def label_gains(posterior: Posterior, rows: Sequence[FloatArray]) -> FloatArray:
    """Nats that the label of each object adds, Eq. (15), for all objects at once.

    Parameters
    ----------
    posterior : Posterior
    rows : sequence of arrays of shape (n_objects, n_weights of the view)
        Coordinates in each view; rows of zeros where a view is unobserved, which add nothing.
    """
    n, n_blocks, n_views = len(rows[0]), len(posterior.factors), len(rows)
    gains = np.empty(n)
    for part in _parts(n, n_views * posterior.mean.shape[1]):
        covariances = np.empty((len(range(n)[part]), n_blocks, n_views, n_views))
        for block in range(n_blocks):
            white = [posterior.whitened(block, v, rows[v][part]) for v in range(n_views)]
            for one in range(n_views):
                for other in range(one, n_views):
                    products = np.einsum("dn,dn->n", white[one], white[other])
                    covariances[:, block, one, other] = products
                    covariances[:, block, other, one] = products
        probabilities = [predicted(posterior, v, rows[v][part]) for v in range(n_views)]
        gains[part] = label_information(covariances, np.stack(probabilities, axis=1))
    return gains


# -- views, with the conditional mean in their place -----------------------------------------------


@dataclass(frozen=True)
class MeasuredView:
    """One view of some objects that do not show it, as it is assumed to come out."""

    view: int
    means: FloatArray
    """``m_1``: what the view is expected to show, in the model's coordinates, (n, n_weights)."""
    rows: tuple[FloatArray, ...]
    """Coordinates of the objects in every view, that of ``view`` itself not being looked at."""
    observed: BoolArray
    """Which of them the objects show, (n, n_views); never ``view`` itself."""
    neighbours: FloatArray
    """The rows of the view among which the nearest to ``means`` are, (n_shown, n_weights)."""
    nearest: IntArray
    """Which of ``neighbours`` are nearest, (n, n_neighbors)."""
    kernels: FloatArray
    """``K_ij`` to each of these, Eq. (19) without the factor that makes it a density."""
    labelled: BoolArray
    """Whose label is known: their new view learns from it, Eq. (21)."""

    def take(self, chosen: IntArray | slice) -> MeasuredView:
        """The same of some of the objects."""
        return replace(
            self,
            means=self.means[chosen],
            rows=tuple(rows[chosen] for rows in self.rows),
            observed=self.observed[chosen],
            nearest=self.nearest[chosen],
            kernels=self.kernels[chosen],
            labelled=self.labelled[chosen],
        )


def measured_view_gains(posterior: Posterior, measured: MeasuredView) -> FloatArray:
    """Nats that a view adds if it shows its conditional mean, Eq. (16) and (21) at ``m_1``.

    Each other view the object shows adds one column to the precision, by which the two views are
    coupled, each neighbour one more; their determinant is of a matrix of as many rows.
    """
    n, n_neighbors = measured.nearest.shape
    n_weights = posterior.mean.shape[1]
    gains = np.empty(n)
    for part in _parts(n, (n_neighbors + measured.observed.shape[1]) * n_weights):
        gains[part] = _measured_gains(posterior, measured.take(part))
    return gains


def _measured_gains(posterior: Posterior, measured: MeasuredView) -> FloatArray:
    view, n = measured.view, len(measured.means)
    apart = graph_columns(posterior, measured)
    n_blocks = len(posterior.factors)
    shared, remaining = np.zeros(n), np.empty((n, n_blocks, 1, 1))
    for block in range(n_blocks):
        mean = posterior.whitened(block, view, measured.means).T
        flat = posterior.whitened(block, view, apart.reshape(-1, apart.shape[2]))
        columns = [flat.T.reshape(n, apart.shape[1], len(flat))]
        for other in np.flatnonzero(measured.observed.any(axis=0)):
            seen = measured.observed[:, other, None]
            own = posterior.whitened(block, int(other), measured.rows[other]).T
            columns.append((np.sqrt(posterior.coupling) * seen * (own - mean))[:, None])
        added = np.concatenate(columns, axis=1)
        gram = np.eye(added.shape[1]) + added @ added.swapaxes(1, 2)
        shared += half_log_determinants(gram)
        # what the score in the new view still varies, once its ties to the rest are counted
        toward = (added @ mean[:, :, None])[:, :, 0]
        explained = np.einsum("nr,nr->n", toward, np.linalg.solve(gram, toward[..., None])[..., 0])
        remaining[:, block, 0, 0] = np.maximum((mean**2).sum(axis=1) - explained, 0.0)
    told = measured.labelled
    if told.any():
        probabilities = predicted(posterior, view, measured.means[told])[:, None, :]
        shared[told] += label_information(remaining[told], probabilities)
    return shared


def graph_columns(posterior: Posterior, measured: MeasuredView) -> FloatArray:
    """Columns ``√(λ K_ij) (m_1 − x_j)`` of the smoothness term, at most as many as features."""
    weights = np.sqrt(posterior.smoothness[measured.view] * measured.kernels)
    apart = measured.means[:, None] - measured.neighbours[measured.nearest]
    columns = weights[:, :, None] * apart
    if columns.shape[1] > columns.shape[2]:
        columns = np.linalg.qr(columns, mode="r")  # has the same RᵀR with fewer rows
    return columns


# -- views, in expectation -------------------------------------------------------------------------


@dataclass(frozen=True)
class ExpectedView:
    """One view of some objects that do not show it, as a Gaussian mixture expects it (Eq. 18).

    Moments of a component are the same for all objects, which differ by their shares only.
    """

    view: int
    shares: FloatArray
    """``π'_c``: how likely each component is, given what the object shows, (n, n_components)."""
    means: FloatArray
    """``m_1``, (n, n_weights)."""
    seconds: FloatArray
    """``E[x xᵀ]`` of each component: what makes up ``M_2``."""
    graphs: FloatArray
    """``Σ_j E[K_ij (x − x_j)(x − x_j)ᵀ]`` of each component: what makes up ``S_ij``."""
    labels: FloatArray
    """``E[p (1 − p) x xᵀ]`` of each component and block: what makes up ``M_6``."""
    rows: tuple[FloatArray, ...]
    observed: BoolArray
    labelled: BoolArray

    def take(self, chosen: IntArray | slice) -> ExpectedView:
        """The same of some of the objects."""
        return replace(
            self,
            shares=self.shares[chosen],
            means=self.means[chosen],
            rows=tuple(rows[chosen] for rows in self.rows),
            observed=self.observed[chosen],
            labelled=self.labelled[chosen],
        )


def expected_view_gains(posterior: Posterior, expected: ExpectedView) -> FloatArray:
    """Upper bound of the nats that a view adds: ½ log |E[Δ]| − ½ log |Δ|, Eq. (13), (14), (20).

    With R the expected addition to the view's own block that is left when its mean has been
    coupled to the other views, and ``P_vv = L Lᵀ`` its block of Δ⁻¹, the determinant is that of
    ``I + Lᵀ R L``, times one of as many rows as the object shows other views.
    """
    n, width = expected.means.shape
    gains = np.zeros(n)
    for block in range(len(posterior.factors)):
        basis = posterior.whitened(block, expected.view, np.eye(width))
        factor = np.linalg.cholesky(basis.T @ basis)  # L of P_vv = Δ⁻¹ in the view
        moments = _turned_moments(expected, block, factor)
        for part in _parts(n, 3 * width**2):
            gains[part] += _expected_gains(
                posterior, expected.take(part), block, basis, factor, moments
            )
    return gains


def _turned_moments(expected: ExpectedView, block: int, factor: FloatArray) -> list[FloatArray]:
    """``Lᵀ A L`` for each of the moments A."""
    moments = (expected.seconds, expected.graphs, expected.labels[:, block])
    return [factor.T @ each @ factor for each in moments]


def _expected_gains(
    posterior: Posterior,
    expected: ExpectedView,
    block: int,
    basis: FloatArray,
    factor: FloatArray,
    moments: list[FloatArray],
) -> FloatArray:
    seconds, graphs, labels = (
        np.tensordot(expected.shares, each, axes=1) for each in moments
    )  # M_2, λ⁻¹ of the smoothness term of (20), M_6, all turned
    mean = expected.means @ factor  # Lᵀ m_1
    n_shown = expected.observed.sum(axis=1)[:, None, None]
    spread = seconds - mean[:, :, None] * mean[:, None, :]  # M_2 − m_1 m_1ᵀ
    inner = (
        np.eye(len(factor))
        + posterior.coupling * n_shown * spread
        + posterior.smoothness[expected.view] * graphs
        + expected.labelled[:, None, None] * labels
    )
    gains = half_log_determinants(inner)
    others = np.flatnonzero(expected.observed.any(axis=0))
    if not len(others):
        return gains
    white, turned = [], []
    for other in others:
        seen = np.sqrt(posterior.coupling) * expected.observed[:, other, None]
        own = posterior.whitened(block, int(other), expected.rows[other])
        white.append(seen * (own.T - expected.means @ basis.T))
        turned.append(seen * (np.linalg.solve(factor, basis.T @ own).T - mean))
    columns, inside = np.stack(white, axis=1), np.stack(turned, axis=1)
    # gᵀ (Δ + R)⁻¹ g' = (gᵀ P g' − qᵀ q') + qᵀ (I + Lᵀ R L)⁻¹ q', with q = L⁻¹ P_v g
    beyond = columns @ columns.swapaxes(1, 2) - inside @ inside.swapaxes(1, 2)
    within = inside @ np.linalg.solve(inner, inside.swapaxes(1, 2))
    return gains + half_log_determinants(np.eye(len(others)) + beyond + within)


# -- the matrices themselves -----------------------------------------------------------------------


def label_increment(posterior: Posterior, rows: Sequence[FloatArray]) -> FloatArray:
    """Add to the precision of each block what a label of one object adds, Eq. (15).

    ``rows`` has one row for each view. As in the posterior, blocks between classes stay zero.
    """
    found = np.zeros((len(posterior.factors), *posterior.factors[0].shape))
    for view, (place, row) in enumerate(zip(posterior.slices, rows, strict=True)):
        for block, p in enumerate(predicted(posterior, view, row[None])[0]):
            found[block, place, place] += p * (1 - p) * np.outer(row, row)
    return found


def measured_view_increment(posterior: Posterior, measured: MeasuredView) -> FloatArray:
    """What a view of one object adds if it shows its conditional mean, Eq. (16) and (21)."""
    found = np.zeros((len(posterior.factors), *posterior.factors[0].shape))
    place, mean = posterior.slices[measured.view], measured.means[0]
    columns = graph_columns(posterior, measured)[0]
    found[:, place, place] += columns.T @ columns  # λ Σ_j K_ij S_ij
    for other in np.flatnonzero(measured.observed[0]):
        apart = np.zeros(found.shape[1])
        apart[posterior.slices[other]] = measured.rows[other][0]
        apart[place] = -mean
        found += posterior.coupling * np.outer(apart, apart)
    if measured.labelled[0]:
        for block, p in enumerate(predicted(posterior, measured.view, mean[None])[0]):
            found[block, place, place] += p * (1 - p) * np.outer(mean, mean)
    return found


def expected_view_increment(posterior: Posterior, expected: ExpectedView) -> FloatArray:
    """What a view of one object adds in expectation, Eq. (20) and (22)."""
    found = np.zeros((len(posterior.factors), *posterior.factors[0].shape))
    place, mean, shares = posterior.slices[expected.view], expected.means[0], expected.shares[0]
    smoothness = posterior.smoothness[expected.view]
    found[:, place, place] += smoothness * np.tensordot(shares, expected.graphs, axes=1)
    for other in np.flatnonzero(expected.observed[0]):
        there, row = posterior.slices[other], expected.rows[other][0]
        found[:, there, there] += posterior.coupling * np.outer(row, row)
        found[:, there, place] -= posterior.coupling * np.outer(row, mean)
        found[:, place, there] -= posterior.coupling * np.outer(mean, row)
        found[:, place, place] += posterior.coupling * np.tensordot(
            shares, expected.seconds, axes=1
        )
    if expected.labelled[0]:
        found[:, place, place] += np.tensordot(shares, expected.labels, axes=1)
    return found


def updated(posterior: Posterior, increment: FloatArray) -> Posterior:
    """The posterior with a larger precision and the same mean: Assumption 1 of section 3.4."""
    factors = tuple(
        np.linalg.cholesky(factor @ factor.T + more)
        for factor, more in zip(posterior.factors, increment, strict=True)
    )
    return replace(posterior, factors=factors)
