"""Gaussian mixtures of rows with gaps: conditionals, and the sums of EM [@ghahramani1994]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from manyviews.maths.likelihoods import log_softmax, safe_log
from manyviews.maths.memory import check_covariances
from manyviews.typing import BoolArray, FloatArray, IntArray

# Rows with gaps, those that miss the same entries side by side ------------------------------------

_BLOCK = 2**20
"""How many numbers the largest array of one block of rows may hold: 8 MB, as large as a cache."""


@dataclass(frozen=True)
class Gaps:
    """What is missing in the patterns that miss equally many entries."""

    first: int
    """Where the missing entries begin in the order of each of these patterns."""
    patterns: slice
    """Which patterns they are."""
    cells: IntArray
    """The cells of a (d, d) matrix, laid flat, in which a row and a column that are missing
    meet: of shape (n_patterns, m²) for m missing entries."""


@dataclass(frozen=True)
class PatternRows:
    """Rows sorted by their pattern: which of the entries are observed.

    The patterns stand in the order of how many entries they show.
    """

    values: FloatArray
    """Rows of shape (n, d), zero where nothing is observed."""
    observed: BoolArray
    """The patterns, of shape (n_patterns, d)."""
    starts: IntArray
    """Where the rows of each pattern begin, and last their number: shape (n_patterns + 1,)."""
    places: IntArray
    """Where each row stood before."""
    numbers: IntArray
    """The number of each pattern among those of all rows."""

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def pattern(self) -> IntArray:
        """The pattern of each row, counted from the first one here."""
        return np.repeat(np.arange(len(self.observed)), np.diff(self.starts))

    @cached_property
    def order(self) -> IntArray:
        """The entries of each pattern with the observed ones first, of shape (n_patterns, d)."""
        return np.argsort(~self.observed, axis=1, kind="stable")

    @cached_property
    def cells(self) -> IntArray:
        """Where the cells of a matrix go when its rows and columns are put in each order."""
        return self.order[:, :, None] * self.order.shape[1] + self.order[:, None, :]

    @cached_property
    def n_observed(self) -> IntArray:
        """How many entries each pattern shows; never falls."""
        return np.asarray(self.observed.sum(axis=1))

    @cached_property
    def seen_in_order(self) -> BoolArray:
        """Which entries are observed, in the order of each pattern."""
        return np.arange(self.observed.shape[1]) < self.n_observed[:, None]

    @cached_property
    def gaps(self) -> list[Gaps]:
        """What is missing, by how many entries that is."""
        width, found = self.observed.shape[1], []
        for count in np.unique(self.n_observed[self.n_observed < width]):
            first, last = np.searchsorted(self.n_observed, [count, count + 1])
            missing = self.order[first:last, count:]
            cells = missing[:, :, None] * width + missing[:, None, :]
            flat = cells.reshape(len(cells), -1)
            found.append(Gaps(int(count), slice(int(first), int(last)), flat))
        return found

    def blocks(self, n_components: int) -> Iterator[PatternRows]:
        """Cut into pieces whose factors and completed rows fit into a few megabytes."""
        width = n_components * self.values.shape[1]
        most_rows = max(1, _BLOCK // width)
        most_patterns = max(1, _BLOCK // (width * self.values.shape[1]))
        n_patterns = len(self.observed)
        for first in range(0, n_patterns, most_patterns):
            end = self.starts[min(first + most_patterns, n_patterns)]
            for start in range(self.starts[first], end, most_rows):
                yield self._cut(start, min(start + most_rows, int(end)))

    def _cut(self, start: int, end: int) -> PatternRows:
        if end - start == len(self):
            return self
        first, last = self.pattern[start], self.pattern[end - 1] + 1
        return PatternRows(
            self.values[start:end],
            self.observed[first:last],
            np.clip(self.starts[first : last + 1], start, end) - start,
            self.places[start:end],
            self.numbers[first:last],
        )


def pattern_rows(rows: FloatArray) -> PatternRows:
    """Sort rows by which of their entries are NaN.

    Examples
    --------
    >>> nan = float("nan")
    >>> sorted_rows = pattern_rows(np.array([[1.0, nan], [2.0, 3.0], [4.0, nan]]))
    >>> sorted_rows.observed
    array([[ True, False],
           [ True,  True]])
    >>> sorted_rows.places, sorted_rows.starts
    (array([0, 2, 1]), array([0, 2, 3]))
    """
    values = np.asarray(rows, dtype=np.float64)
    observed = ~np.isnan(values)
    words = _words(observed)
    places = np.lexsort([*words.T, observed.sum(axis=1)])
    changes = np.diff(words[places], axis=0).any(axis=1)
    first = np.concatenate([[0], 1 + np.flatnonzero(changes)])[: len(values)]
    starts = np.append(first, len(values))
    patterns = observed[places[first]]
    values = np.where(observed, values, 0.0)[places]
    return PatternRows(values, patterns, starts, places, np.arange(len(first)))


def _words(observed: BoolArray) -> IntArray:
    """The bits of each row packed into whole numbers."""
    packed = np.packbits(observed, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


# Rows completed under one Gaussian ----------------------------------------------------------------

_MANY_ROWS = 32
"""Patterns with this many rows are solved one by one, those with fewer all at once. Measured with
20 patterns, both take as long at some 100 rows of 6 features and at 16 rows of 30."""
_NOT_POSITIVE = (
    "a covariance of the mixture is not positive definite; raise reg_covar, ask for fewer "
    "components, or leave out features that others determine."
)
_LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Completed:
    """What one Gaussian says of rows with gaps."""

    rows: PatternRows
    mean: FloatArray
    log_density: FloatArray
    """Of the observed entries of each row, of shape (n,)."""
    deviations: FloatArray
    """From the mean, expected ones where something is missing, of shape (n, d)."""
    factors: FloatArray
    """Of the covariance with the observed entries first, of shape (n_patterns, d, d); for a
    diagonal covariance its variances, of shape (d,)."""

    @property
    def filled(self) -> FloatArray:
        """The rows: what is observed as it is, the rest as it is expected, of shape (n, d)."""
        seen = self.rows.observed[self.rows.pattern]
        return np.where(seen, self.rows.values, self.mean + self.deviations)

    def put_covariances(self, flat: FloatArray, starts: IntArray) -> None:
        """Write the conditional covariance of each pattern into zeros, from its start on."""
        if self.factors.ndim == 1:
            diagonal = np.arange(len(self.mean)) * (len(self.mean) + 1)
            flat[starts[:, None] + diagonal] = self._variances()
            return
        for gaps, own in self._conditional():
            flat[starts[gaps.patterns, None] + gaps.cells] = own

    def sum_covariances(self, mass: FloatArray) -> FloatArray:
        """Sum of the conditional covariances of the patterns, each as often as ``mass`` says.

        Only its diagonal, if the covariance is diagonal.
        """
        if self.factors.ndim == 1:
            return mass @ self._variances()
        width = len(self.mean)
        total = np.zeros(width * width)
        for gaps, own in self._conditional():
            weighted = own * mass[gaps.patterns, None]
            total += np.bincount(gaps.cells.ravel(), weighted.ravel(), len(total))
        return total.reshape(width, width)

    def _variances(self) -> FloatArray:
        return np.where(self.rows.observed, 0.0, self.factors)

    def _conditional(self) -> Iterator[tuple[Gaps, FloatArray]]:
        """Gaps of patterns that miss equally many entries, and the covariances of each."""
        for gaps in self.rows.gaps:
            late = self.factors[gaps.patterns, gaps.first :, gaps.first :]
            own = late @ late.transpose(0, 2, 1)  # Σ of Eq. (2), Williams and Carin
            yield gaps, own.reshape(len(own), -1)


def complete(rows: PatternRows, mean: FloatArray, covariance: FloatArray) -> Completed:
    """Complete rows under a Gaussian of full, (d, d), or diagonal, (d,), covariance.

    With the observed entries first, the Cholesky factor of the covariance holds all there is to
    know: ``[[A, 0], [B, C]]`` gives the density by ``A``, the conditional mean by ``B A⁻¹`` and the
    conditional covariance, the Schur complement, as ``C Cᵀ``. So each pattern costs one
    factorisation and each row one forward substitution.
    """
    if covariance.ndim == 1:
        return _complete_diagonal(rows, mean, covariance)
    factors = _factors(covariance, rows)
    deviations, distance = _solve(rows, mean, factors)
    logs = np.log(np.einsum("pii->pi", factors))
    log_volume = np.where(rows.seen_in_order, logs, 0.0).sum(axis=1)
    constant = log_volume + 0.5 * _LOG_TWO_PI * rows.n_observed
    log_density = -0.5 * distance - constant[rows.pattern]
    return Completed(rows, mean, log_density, deviations, factors)


def _complete_diagonal(rows: PatternRows, mean: FloatArray, variances: FloatArray) -> Completed:
    """Entries are independent: what is missing keeps its mean and its variance."""
    if variances.min() < np.finfo(np.float64).tiny:  # 1 / variances overflows below
        raise ValueError(_NOT_POSITIVE)
    deviations = np.where(rows.observed[rows.pattern], rows.values - mean, 0.0)
    log_volume = 0.5 * rows.observed @ (np.log(variances) + _LOG_TWO_PI)
    log_density = -0.5 * deviations**2 @ (1 / variances) - log_volume[rows.pattern]
    return Completed(rows, mean, log_density, deviations, variances)


def _factors(covariance: FloatArray, rows: PatternRows) -> FloatArray:
    """Lower Cholesky factors of the covariance with its entries in the order of each pattern."""
    try:
        return np.linalg.cholesky(np.ravel(covariance).take(rows.cells))
    except np.linalg.LinAlgError as error:
        raise ValueError(_NOT_POSITIVE) from error


def _solve(
    rows: PatternRows, mean: FloatArray, factors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Deviations, expected ones where something is missing, and the lengths of ``A⁻¹ x``."""
    deviations, distance = np.empty_like(rows.values), np.empty(len(rows))
    counts = np.diff(rows.starts)
    for pattern in np.flatnonzero(counts >= _MANY_ROWS):
        own = slice(rows.starts[pattern], rows.starts[pattern + 1])
        order, count = rows.order[pattern], int(rows.n_observed[pattern])
        deviations[own], distance[own] = _solve_pattern(
            rows.values[own], mean, factors[pattern], order, count
        )
    few = np.flatnonzero(counts[rows.pattern] < _MANY_ROWS)
    if len(few):
        deviations[few], distance[few] = _solve_each(rows, mean, factors, few)
    return deviations, distance


def _solve_pattern(
    values: FloatArray, mean: FloatArray, factor: FloatArray, order: IntArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Rows of one pattern, by one product with ``A⁻¹`` over ``B A⁻¹``."""
    seen, width = order[:count], len(mean)
    inverse = solve_triangular(
        factor[:count, :count], np.eye(count), lower=True, check_finite=False
    )
    deviations = values - mean
    if count == width:
        whitened = deviations @ inverse.T
        return deviations, np.einsum("ij,ij->i", whitened, whitened)
    both = np.concatenate([inverse, factor[count:, :count] @ inverse])
    solved = deviations[:, seen] @ both.T
    whitened = solved[:, :count]
    deviations[:, order[count:]] = solved[:, count:]  # μ - θ of Eq. (2), Williams and Carin
    return deviations, np.einsum("ij,ij->i", whitened, whitened)


def _solve_each(
    rows: PatternRows, mean: FloatArray, factors: FloatArray, chosen: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Forward substitution in rows of many patterns at once, one entry after the other."""
    pattern = rows.pattern[chosen]
    order, seen = rows.order[pattern], rows.seen_in_order[pattern]
    ordered = np.take_along_axis(rows.values[chosen] - mean, order, axis=1)
    scale = seen / np.einsum("pii->pi", factors)[pattern]  # zero where nothing is observed
    whitened, expected = np.zeros_like(ordered), np.zeros_like(ordered)
    each_its_own = len(chosen) == len(factors)
    for entry in range(len(mean)):
        row = factors[:, entry, :entry] if each_its_own else factors[pattern, entry, :entry]
        expected[:, entry] = np.einsum("ij,ij->i", row, whitened[:, :entry])
        whitened[:, entry] = (ordered[:, entry] - expected[:, entry]) * scale[:, entry]
    deviations = np.empty_like(ordered)
    np.put_along_axis(deviations, order, np.where(seen, ordered, expected), axis=1)
    return deviations, np.einsum("ij,ij->i", whitened, whitened)


# The E-step: rows under all components ------------------------------------------------------------


@dataclass(frozen=True)
class GaussianComponents:
    """The parameters of a Gaussian mixture."""

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    """Of shape (Z, d, d), or (Z, d) if they are diagonal."""

    @classmethod
    def checked(
        cls, weights: FloatArray, means: FloatArray, covariances: FloatArray
    ) -> GaussianComponents:
        """Read parameters and refuse those that do not fit together."""
        mixture = cls(
            np.asarray(weights, dtype=np.float64),
            np.asarray(means, dtype=np.float64),
            np.asarray(covariances, dtype=np.float64),
        )
        n_components, width = mixture.means.shape
        shape = mixture.covariances.shape
        if mixture.weights.shape != (n_components,) or shape not in (
            (n_components, width, width),
            (n_components, width),
        ):
            raise ValueError(
                f"weights of shape {mixture.weights.shape}, means of shape {mixture.means.shape} "
                f"and covariances of shape {shape} do not make a mixture; give (Z,), (Z, d) and "
                "(Z, d, d), or (Z, d) for diagonal covariances."
            )
        return mixture


@dataclass(frozen=True)
class Expected:
    """Rows under all components of a mixture."""

    responsibilities: FloatArray
    """Of each component for each row, of shape (n, Z)."""
    log_likelihood: FloatArray
    """Of what is observed of each row, of shape (n,)."""
    parts: list[Completed]
    """The rows completed under each component."""


def expect(rows: PatternRows, mixture: GaussianComponents) -> Expected:
    """Complete rows under every component and share each among them, all in log space."""
    pairs = zip(mixture.means, mixture.covariances, strict=True)
    parts = [complete(rows, mean, covariance) for mean, covariance in pairs]
    joint = np.column_stack([part.log_density for part in parts]) + safe_log(mixture.weights)
    responsibilities, log_likelihood = log_softmax(joint)  # π, Eq. (2) of Williams and Carin
    return Expected(responsibilities, log_likelihood, parts)


def responsibilities(
    rows: FloatArray, components: GaussianComponents
) -> tuple[FloatArray, FloatArray]:
    """Shares of the components in each row, and the log-likelihood of what it shows.

    Examples
    --------
    >>> pair = GaussianComponents.checked([0.5, 0.5], [[0.0, 0.0], [4.0, 0.0]], np.ones((2, 2)))
    >>> shares, log_likelihood = responsibilities(np.array([[np.nan, 0.0], [2.0, np.nan]]), pair)
    >>> shares
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> log_likelihood.round(3)
    array([-0.919, -2.919])
    """
    n_components = len(components.weights)
    shares, log_likelihood = np.empty((len(rows), n_components)), np.empty(len(rows))
    for block in pattern_rows(rows).blocks(n_components):
        expected = expect(block, components)
        shares[block.places] = expected.responsibilities
        log_likelihood[block.places] = expected.log_likelihood
    return shares, log_likelihood


def expected_rows(rows: FloatArray, components: GaussianComponents) -> FloatArray:
    """Rows with the expected value of what is missing; what is observed stays as it is.

    Examples
    --------
    >>> pair = GaussianComponents.checked([1.0], [[0.0, 0.0]], [[[2.0, 1.0], [1.0, 2.0]]])
    >>> expected_rows(np.array([[4.0, np.nan], [np.nan, 3.0]]), pair)
    array([[4. , 2. ],
           [1.5, 3. ]])
    """
    filled = np.array(rows, dtype=np.float64)
    for block in pattern_rows(rows).blocks(len(components.weights)):
        expected = expect(block, components)
        shared = zip(expected.responsibilities.T, expected.parts, strict=True)
        mean = sum(shares[:, None] * part.filled for shares, part in shared)
        filled[block.places] = np.where(
            block.observed[block.pattern], block.values, mean
        )  # E[x^m | x^o], Section 3 of Williams and Carin
    return filled


# The sums of EM, and the M-step -------------------------------------------------------------------

_LITTLE = 10 * np.finfo(np.float64).eps
"""Rows that every component has beside its own, so that an empty one has no 0 / 0; as many as in
scikit-learn's GaussianMixture."""


@dataclass(frozen=True)
class GaussianSums:
    """Expected sums over rows, of their deviations from the means they were taken with."""

    mass: FloatArray
    """How many rows each component has, of shape (Z,)."""
    first: FloatArray
    """Sums of the deviations, of shape (Z, d)."""
    second: FloatArray
    """Sums of their outer products, of shape (Z, d, d), or of their squares, of shape (Z, d)."""
    log_likelihood: float
    """Of what is observed, under the mixture the sums were taken with."""

    def __add__(self, other: GaussianSums) -> GaussianSums:
        return GaussianSums(
            self.mass + other.mass,
            self.first + other.first,
            self.second + other.second,
            self.log_likelihood + other.log_likelihood,
        )


def gaussian_sums(rows: PatternRows, mixture: GaussianComponents) -> GaussianSums:
    """Sum over rows, shared among the components and completed under each: the E-step.

    Examples
    --------
    >>> standard = GaussianComponents(np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    >>> sums = gaussian_sums(pattern_rows(np.array([[1.0, 2.0], [3.0, np.nan]])), standard)
    >>> sums.first
    array([[4., 2.]])
    >>> sums.second
    array([[[10.,  2.],
            [ 2.,  5.]]])
    """
    return reduce(add, (_shared(block, mixture) for block in rows.blocks(len(mixture.weights))))


def assigned_gaussian_sums(
    rows: PatternRows,
    responsibilities: FloatArray,
    reference: GaussianComponents,
    means: FloatArray,
    *,
    diagonal: bool,
) -> GaussianSums:
    """Sum over rows whose responsibilities are given, completed under one Gaussian.

    ``reference`` has one component, and its log-likelihood is that of the sums; deviations are
    taken from ``means``.
    """
    blocks = rows.blocks(responsibilities.shape[1])
    return reduce(
        add, (_assigned(block, responsibilities, reference, means, diagonal) for block in blocks)
    )


def components_of_sums(
    sums: GaussianSums, means: FloatArray, reg_covar: float
) -> GaussianComponents:
    """The mixture that the sums make most likely: the M-step.

    ``means`` are those from which the sums have the deviations; ``reg_covar`` is added to the
    variances.

    Examples
    --------
    >>> sums = GaussianSums(np.array([2.0]), np.array([[4.0]]), np.array([[[10.0]]]), 0.0)
    >>> mixture = components_of_sums(sums, np.array([[1.0]]), 0.0)
    >>> mixture.means.round(12), mixture.covariances.round(12)
    (array([[3.]]), array([[[1.]]]))
    """
    mass = sums.mass + _LITTLE
    shift = sums.first / mass[:, None]
    if sums.second.ndim == 2:
        covariances = sums.second / mass[:, None] - shift**2 + reg_covar
    else:
        outer = shift[:, :, None] * shift[:, None, :]
        ridge = reg_covar * np.eye(shift.shape[1])
        covariances = sums.second / mass[:, None, None] - outer + ridge
    return GaussianComponents(sums.mass / sums.mass.sum(), means + shift, covariances)


def _shared(rows: PatternRows, mixture: GaussianComponents) -> GaussianSums:
    expected = expect(rows, mixture)
    diagonal = mixture.covariances.ndim == 2
    log_likelihood = float(expected.log_likelihood.sum())
    return _sum_parts(expected.parts, expected.responsibilities, log_likelihood, diagonal)


def _assigned(
    rows: PatternRows,
    responsibilities: FloatArray,
    reference: GaussianComponents,
    means: FloatArray,
    diagonal: bool,
) -> GaussianSums:
    (centre,), (covariance,) = reference.means, reference.covariances
    part = complete(rows, centre, covariance)
    parts = [
        replace(part, mean=mean, deviations=part.deviations + (centre - mean)) for mean in means
    ]
    log_likelihood = float(part.log_density.sum())
    return _sum_parts(parts, responsibilities[rows.places], log_likelihood, diagonal)


def _sum_parts(
    parts: list[Completed],
    responsibilities: FloatArray,
    log_likelihood: float,
    diagonal: bool,
) -> GaussianSums:
    first, second = [], []
    for part, shares in zip(parts, responsibilities.T, strict=True):
        first.append(shares @ part.deviations)
        second.append(_second_moment(part, shares, diagonal))
    return GaussianSums(
        responsibilities.sum(axis=0), np.array(first), np.array(second), log_likelihood
    )


def _second_moment(part: Completed, shares: FloatArray, diagonal: bool) -> FloatArray:
    """Sum of ``E[(x - mean)(x - mean)ᵀ]``, what is missing with its conditional covariance."""
    unseen = part.sum_covariances(np.add.reduceat(shares, part.rows.starts[:-1]))
    if diagonal:
        return np.asarray(shares @ part.deviations**2 + unseen)
    scaled = np.sqrt(shares)[:, None] * part.deviations
    return np.asarray(scaled.T @ scaled + (np.diag(unseen) if unseen.ndim == 1 else unseen))


# The mixture of each row's missing entries [@williams2005] ----------------------------------------


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
