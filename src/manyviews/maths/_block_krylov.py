"""Leading eigenvectors from a Krylov space that many vectors span at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.linalg import eigh, qr
from scipy.linalg.blas import get_blas_funcs

from manyviews.maths._random import generator
from manyviews.maths._spectral import fix_signs
from manyviews.maths._ties import ROUNDING
from manyviews.maths.factors import Pairs, cholesky_qr, quick_factors
from manyviews.typing import FloatArray

Apply: TypeAlias = Callable[[FloatArray], FloatArray]
"""Multiplies a matrix with a vector or a block of vectors."""

BLOCKS = 12
"""How many blocks of vectors a Krylov space holds before it is condensed to half of that."""
_MOST_PRODUCTS = 400
"""After so many products with a block, what was found is returned with a warning."""


def widened(start: FloatArray, width: int) -> FloatArray:
    """Random columns beside the given ones, up to ``width``."""
    more = generator(2).standard_normal((len(start), max(width - start.shape[1], 0)))
    return np.hstack([start, more])


@dataclass
class _Krylov:
    """Orthonormal vectors ``V`` and ``T = Vᵀ A V``, with the block that ``A V`` has beyond them."""

    vectors: FloatArray
    projection: FloatArray
    block: FloatArray
    width: int
    coupling: FloatArray
    """``A V = V T + block @ coupling @ (last rows of the identity)``."""
    rng: np.random.Generator
    size: int = 0
    tied: int = 0
    """The first vector that the image of the next block can have a part in."""

    @classmethod
    def begin(cls, start: FloatArray) -> _Krylov:
        n, width = start.shape
        most = min(BLOCKS * width, n - width)
        block, coupling = quick_factors(start)
        space = np.empty((n, most), dtype=start.dtype, order="F")
        return cls(space, np.zeros((most, most)), block, width, coupling, generator(3))

    def grow(self, apply: Apply) -> None:
        """Take the block in, and find the next one."""
        old, size = self.size, self.size + self.width
        self.vectors[:, old:size] = self.block
        basis = self.vectors[:, :size]
        image = np.array(apply(self.block), dtype=self.vectors.dtype, order="F")
        near = basis[:, self.tied :]  # A is symmetric: earlier ones have theirs in later ones only
        beyond, inside = _apart(near, image)
        block, first = self._orthonormal(beyond, scale=np.abs(inside).max())
        # A second time, now at unit length: what is new to rounding only becomes orthogonal, too.
        block, _ = _apart(basis, block)
        self.block, second = quick_factors(block)
        self.coupling = second @ first
        self.projection[self.tied : size, old:size] = inside
        self.projection[old:size, self.tied : size] = inside.T
        self.size, self.tied = size, old

    def _orthonormal(self, block: FloatArray, scale: float) -> Pairs:
        """Factors of the block; a direction it lacks, as in an invariant space, is drawn anew.

        One pass is enough, since another follows, unless columns depend on each other.
        """
        least = ROUNDING * np.finfo(block.dtype).eps * scale
        found = cholesky_qr(block)
        if found is not None and np.abs(np.diag(found[1])).min() > least:
            return found[:2]
        columns, triangle, order = qr(
            block, mode="economic", pivoting=True, overwrite_a=True, check_finite=False
        )
        weak = np.abs(np.diag(triangle)) <= least
        if weak.any():
            columns[:, weak] = self.rng.standard_normal((len(block), int(weak.sum())))
            columns[:, weak] /= np.sqrt(len(block))
            triangle[weak] = 0.0
        unpermuted = np.empty_like(triangle)
        unpermuted[:, order] = triangle
        return columns, unpermuted

    def combined(self, rotation: FloatArray) -> FloatArray:
        """Combine the vectors in their own precision."""
        whole: FloatArray = self.vectors[:, : len(rotation)] @ rotation.astype(self.vectors.dtype)
        return whole

    def condense(self, values: FloatArray, rotation: FloatArray) -> None:
        """Keep the leading Ritz vectors only."""
        kept = len(values)
        self.vectors[:, :kept] = self.combined(rotation)
        self.projection[:] = 0.0
        self.projection[:kept, :kept] = np.diag(values)
        self.size, self.tied = kept, 0


def _apart(basis: FloatArray, block: FloatArray) -> Pairs:
    """A block without what it has along orthonormal vectors, in its own memory; and how much."""
    inside = basis.T @ block
    product = get_blas_funcs("gemm", (basis, block))
    return product(-1.0, basis, inside, 1.0, block, overwrite_c=True), inside


def block_krylov(apply: Apply, start: FloatArray, n_components: int, tol: float) -> Pairs:
    """Thick-restart block Lanczos: Rayleigh-Ritz on a Krylov space of all start vectors.

    It works in the precision of the start.
    """
    space = _Krylov.begin(start)
    kept = space.vectors.shape[1] // 2
    for _ in range(_MOST_PRODUCTS):
        space.grow(apply)
        values, rotation = eigh(space.projection[: space.size, : space.size])
        values, rotation = values[::-1], rotation[:, ::-1]
        ends = rotation[space.size - space.width : space.size, :n_components]
        residual = float(np.linalg.norm(space.coupling @ ends, axis=0).max())
        scale = float(np.abs(values[[0, -1]]).max())
        if residual <= tol * scale:
            break
        if space.size + space.width > space.vectors.shape[1]:
            space.condense(values[:kept], rotation[:, :kept])
    else:
        _warn_unfinished(n_components, residual / scale, tol)
    return values[:n_components], fix_signs(space.combined(rotation[:, :n_components]))


def _warn_unfinished(n_components: int, residual: float, tol: float) -> None:
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"the {n_components} leading eigenvectors were found to a residual of {residual:.1g} only, "
        f"not to {tol:.1g}, because too many eigenvalues are nearly equal; their clusters are not "
        "clear, so choose another number of them or another affinity.",
        ConvergenceWarning,
        stacklevel=4,
    )
