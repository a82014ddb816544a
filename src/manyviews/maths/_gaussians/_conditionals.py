"""What a Gaussian mixture says of the missing entries, given the observed ones [@williams2005]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.maths._gaussians._expect import GaussianComponents, expect
from manyviews.maths._gaussians._patterns import pattern_rows
from manyviews.maths._memory import check_covariances
from manyviews.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Conditionals:
    """Rows as Gaussian mixtures of their own: Eq. (2) of the paper for each of them.

    Given ``pattern`` the covariance of component ``z`` of row ``i`` is
    ``covariances[pattern[i], z]``.
    """

    weights: FloatArray
    """Responsibilities of the components given what is observed, of shape (n, Z)."""
    means: FloatArray
    """Whole rows, of shape (n, Z, d): what is observed as it is, the rest as it is expected."""
    covariances: FloatArray
    """Of shape (n_patterns, Z, d, d); zero in the rows and columns of what is observed."""
    pattern: IntArray
    """The number of the pattern of each row, of shape (n,)."""
    observed: BoolArray
    """The patterns, of shape (n_patterns, d)."""

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, rows: Any) -> Conditionals:
        """Those of some rows, with the patterns that occur among them."""
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        kept, pattern = np.unique(self.pattern[chosen], return_inverse=True)
        return Conditionals(
            self.weights[chosen],
            self.means[chosen],
            self.covariances[kept],
            pattern,
            self.observed[kept],
        )

    @property
    def expected(self) -> FloatArray:
        """The rows with the mean over the components of what is missing, of shape (n, d)."""
        mean = np.einsum("iz,izd->id", self.weights, self.means)
        return np.where(self.observed[self.pattern], self.means[:, 0], mean)


def conditionals(
    rows: FloatArray, weights: FloatArray, means: FloatArray, covariances: FloatArray
) -> Conditionals:
    """Condition a Gaussian mixture on the observed entries of each row.

    Parameters
    ----------
    rows : array of shape (n, d)
        NaN where an entry is missing. A row of nothing but NaN gets the mixture itself.
    weights : array of shape (Z,)
        Of the components, summing to one.
    means : array of shape (Z, d)
        Of the components.
    covariances : array of shape (Z, d, d) or (Z, d)
        Of the components, positive definite; or their variances, if they are diagonal.

    Returns
    -------
    Conditionals
        The weights, means and covariances of Eq. (2), the covariances once per pattern.

    References
    ----------
    [@williams2005]

    Examples
    --------
    >>> import numpy as np
    >>> pair = np.array([[[2.0, 1.0], [1.0, 2.0]]])
    >>> found = conditionals(np.array([[4.0, np.nan]]), np.ones(1), np.zeros((1, 2)), pair)
    >>> found.means[0, 0]
    array([4., 2.])
    >>> found.covariances[found.pattern[0], 0]
    array([[0. , 0. ],
           [0. , 1.5]])
    """
    mixture = GaussianComponents.checked(weights, means, covariances)
    n, (n_components, width) = len(rows), mixture.means.shape
    grouped = pattern_rows(_checked_rows(rows, width))
    check_covariances(len(grouped.observed) * n_components, width)
    found = Conditionals(
        np.empty((n, n_components)),
        np.empty((n, n_components, width)),
        np.zeros((len(grouped.observed), n_components, width, width)),
        np.empty(n, dtype=np.intp),
        grouped.observed,
    )
    found.pattern[grouped.places] = grouped.pattern
    flat = found.covariances.reshape(-1)
    for block in grouped.blocks(n_components):
        expected = expect(block, mixture)
        found.weights[block.places] = expected.responsibilities
        for component, part in enumerate(expected.parts):
            found.means[block.places, component] = part.filled
            part.put_covariances(flat, (block.numbers * n_components + component) * width**2)
    return found


def _checked_rows(rows: FloatArray, width: int) -> FloatArray:
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(
            f"rows have shape {rows.shape}, but the means of the mixture have {width} entries; "
            f"give rows of shape (n, {width}), NaN where an entry is missing."
        )
    return rows
