"""What a model that couples views knows of its weights: a Gaussian [@krishnapuram2005].

Kept as Cholesky factors of its precisions, of which entropies and gains of information are made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from manyviews.typing import FloatArray

__all__ = ["Posterior"]


@dataclass(frozen=True)
class Posterior:
    """Gaussian posterior of the weights of all views, by Laplace's approximation (Eq. 6 to 8).

    Parameters
    ----------
    mean : array of shape (n_blocks, n_weights)
        The most probable weights: one block for two classes, else one for each class.
    factors : tuple of arrays of shape (n_weights, n_weights)
        For each block the lower Cholesky factor of its precision, Eq. (7).
    slices : tuple of slice
        Where the weights of each view stand, views in order.
    coupling : float
        The number that multiplies C in Eq. (5).
    smoothness : array of shape (n_views,)
        The numbers that multiply the graphs' matrices in Eq. (5).
    widths : array of shape (n_views,)
        Widths σ of the graphs' Gaussian kernels exp(−‖x − z‖² / 2σ²).
    n_neighbors : int or None
        How many nearest neighbours the kernels are kept for; None: all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> factor = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> known = Posterior(
    ...     mean=np.zeros((1, 2)), factors=(factor,), slices=(slice(0, 1), slice(1, 2)),
    ...     coupling=1.0, smoothness=np.ones(2), widths=np.ones(2), n_neighbors=10,
    ... )
    >>> round(known.entropy(), 3)  # 2 dimensions, determinant 4 of the precision
    2.145
    >>> known.whitened(0, 0, np.array([[1.0]])).ravel()
    array([ 0.5, -0.5])
    """

    mean: FloatArray
    factors: tuple[FloatArray, ...]
    slices: tuple[slice, ...]
    coupling: float
    smoothness: FloatArray
    widths: FloatArray
    n_neighbors: int | None

    def entropy(self) -> float:
        """Differential entropy of all weights in nats, Eq. (8).

        The paper prints ``−½ log(|Δ| / 2πe)``; the constant belongs to each of the dimensions:
        ``½ d log 2πe − ½ log |Δ|``.
        """
        each = [_entropy(factor) for factor in self.factors]
        return float(sum(each))

    def whitened(self, block: int, view: int, rows: FloatArray) -> FloatArray:
        """Rows of one view in coordinates in which the posterior of a block is white.

        With L Lᵀ the precision, these are ``L⁻¹ [0 … x … 0]ᵀ``, one column for each row x: their
        products are covariances of what the weights say of the rows.

        Parameters
        ----------
        block : int
            Of which block of weights.
        view : int
            The number of the view.
        rows : array of shape (n_rows, n_weights of the view)
            Rows in the model's own coordinates.

        Returns
        -------
        array of shape (n_weights, n_rows)
        """
        factor, place = self.factors[block], self.slices[view]
        padded = np.zeros((factor.shape[0] - place.start, len(rows)))
        padded[: place.stop - place.start] = rows.T
        found = np.zeros((factor.shape[0], len(rows)))
        # What comes before the view stays zero: forward substitution starts there.
        found[place.start :] = solve_triangular(
            factor[place.start :, place.start :], padded, lower=True, check_finite=False
        )
        return found


def _entropy(factor: FloatArray) -> float:
    """Entropy of a Gaussian from the Cholesky factor of its precision."""
    n_weights = len(factor)
    return float(n_weights * np.log(2 * np.pi * np.e) / 2 - np.log(factor.diagonal()).sum())
