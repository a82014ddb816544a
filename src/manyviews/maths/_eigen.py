"""Leading eigenvectors of large symmetric matrices, by what they do to vectors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TypeAlias

import numpy as np
from scipy.linalg import eigh, qr
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from manyviews.maths._gram import Gram, LowRank
from manyviews.maths._random import generator
from manyviews.maths._spectral import fix_signs, leading_eigenvectors
from manyviews.typing import FloatArray, is_sparse

Apply: TypeAlias = Callable[[FloatArray], FloatArray]
Pairs: TypeAlias = tuple[FloatArray, FloatArray]

_SMALL = 400
"""Up to this size a matrix is formed and decomposed whole."""
_SMALL_WARM = 150
"""The same where there are vectors to start from."""
_BLOCKS = 12
"""How many blocks of vectors a Krylov space holds before it is condensed to half of that."""
_MOST_PRODUCTS = 400
"""After so many products with a block, what was found is returned with a warning."""
_GUARDS = 2
"""Random vectors beside those a caller starts from, for directions that these lack."""
_LOOK = 1e-3
"""Accuracy of the look for an eigenvalue that was missed."""
_ROUNDING = 200
"""Residuals below so many units of rounding are not asked for."""
_SEEDED = "rng" in signature(eigsh).parameters
"""Whether ARPACK takes the generator that it restarts from; older ones restart always alike."""


def gram_eigenvectors(
    gram: Gram, n_components: int, *, start: FloatArray | None = None, tol: float = 1e-9
) -> Pairs:
    """Largest eigenvalues, in falling order, and eigenvectors of symmetric similarities.

    Parameters
    ----------
    gram : matrix of shape (n, n)
        Dense, sparse or low-rank; symmetric. One of low rank is solved exactly in its range.
    n_components : int
        How many eigenvectors; not more than the rank allows.
    start : array of shape (n, m), optional
        Vectors near the wanted ones.
    tol : float
        As in :func:`operator_eigenvectors`.

    Notes
    -----
    A graph that falls into parts has an eigenvector for each, all of eigenvalue one once it is
    normalised by its degrees. Those of the largest parts are found first; where there are more
    parts than ``n_components``, they are the answer.

    Examples
    --------
    >>> values, vectors = gram_eigenvectors(LowRank(np.eye(3)[:, :2], np.eye(3)[:, :2]), 2)
    >>> values
    array([1., 1.])
    """
    if isinstance(gram, LowRank):
        return _range_eigenvectors(gram, n_components)
    size = gram.shape[0]

    def apply(block: FloatArray) -> FloatArray:
        return gram @ block.astype(gram.dtype, copy=False)

    tol = max(tol, _ROUNDING * float(np.finfo(gram.dtype).eps))
    if start is None and is_sparse(gram) and not _is_small(size, n_components, _SMALL):
        parts = _part_indicators(gram, n_components)
        if parts.shape[1] > 1:
            found = _krylov(apply, _widened(parts, n_components), n_components, tol)
            return _completed(apply, found, tol)
    return operator_eigenvectors(apply, size, n_components, start=start, tol=tol)


def operator_eigenvectors(
    apply: Apply,
    size: int,
    n_components: int,
    *,
    start: FloatArray | None = None,
    tol: float = 1e-9,
) -> Pairs:
    """Largest eigenvalues, in falling order, and eigenvectors of a symmetric operator.

    Parameters
    ----------
    apply : callable
        Multiplies the matrix with a block of vectors, (size, m) -> (size, m).
    size : int
        Number of rows of the matrix.
    n_components : int
        How many eigenvectors.
    start : array of shape (size, m), optional
        Vectors near the wanted ones, as from an earlier, similar matrix. The sum of the
        eigenvalues found is never below what the start has, however large ``tol`` is.
    tol : float
        Accuracy of the eigenvectors: largest length of ``A u − λ u``, relative to the largest
        modulus of an eigenvalue that was met. Eigenvalues are accurate to about its square.

    Returns
    -------
    values : array of shape (n_components,)
    vectors : array of shape (size, n_components)
        Orthonormal columns; the entry of largest modulus of each is positive.

    Warns
    -----
    ConvergenceWarning
        If the residuals are still above ``tol`` after several hundred products; the vectors are
        then the best of the space that was searched.

    Notes
    -----
    Small matrices are formed and decomposed whole. Larger ones are solved without a start by
    ARPACK, which builds on a single vector and so can miss copies of an eigenvalue; a second,
    short run on what is orthogonal to the answer looks for such, and where it finds one, the block
    method takes over. With a start it is the block method from the outset: a Krylov space from all
    the vectors of the start at once (and two random ones), condensed to its best part when it is
    full. A start that is orthogonal to wanted vectors can still hide them when ``tol`` is loose.
    All random vectors are the same in every call.

    Examples
    --------
    >>> A = np.diag([1.0, 3.0, 2.0])
    >>> values, vectors = operator_eigenvectors(lambda block: A @ block, 3, 2)
    >>> values
    array([3., 2.])
    """
    if not 1 <= n_components <= size:
        raise ValueError(
            f"{n_components} eigenvectors are asked of a matrix with {size} rows; "
            f"choose a number from 1 to {size}."
        )
    if _is_small(size, n_components, _SMALL if start is None else _SMALL_WARM):
        matrix = apply(np.eye(size))
        return leading_eigenvectors((matrix + matrix.T) / 2, n_components)
    tol = max(tol, _ROUNDING * float(np.finfo(np.float64).eps))
    if start is None:
        return _completed(apply, _arpack(apply, size, n_components, tol), tol)
    wide = max(n_components, start.shape[1]) + _GUARDS
    return _krylov(apply, _widened(start, wide), n_components, tol)


def _is_small(size: int, n_components: int, small: int) -> bool:
    return size <= max(small, (_BLOCKS + 2) * (n_components + _GUARDS))


def _range_eigenvectors(gram: LowRank, n_components: int) -> Pairs:
    """A symmetric matrix maps into the span of its left factor: decompose it there."""
    if n_components > gram.rank:
        raise ValueError(
            f"{n_components} eigenvectors are asked of similarities of rank {gram.rank}; "
            "raise the rank of the approximation, or ask for fewer clusters."
        )
    basis, inner = np.linalg.qr(gram.left)
    core = inner @ (basis.T @ gram.right).T
    values, vectors = leading_eigenvectors((core + core.T) / 2, n_components)
    return values, fix_signs(basis @ vectors)


def _arpack(apply: Apply, size: int, n_components: int, tol: float) -> Pairs:
    """Implicitly restarted Lanczos from one random vector."""
    try:
        values, vectors = _lanczos(apply, size, n_components, tol, generator(0))
    except ArpackNoConvergence as unfinished:
        known = unfinished.eigenvectors
        return _krylov(apply, _widened(known, n_components + _GUARDS), n_components, tol)
    order = np.argsort(values)[::-1]
    return values[order], fix_signs(vectors[:, order])


def _lanczos(
    apply: Apply, size: int, n_components: int, tol: float, rng: np.random.Generator
) -> Pairs:
    operator = LinearOperator((size, size), matvec=apply, matmat=apply, dtype=np.float64)
    first = rng.standard_normal(size)
    options = {"rng": rng} if _SEEDED else {}
    return eigsh(operator, k=n_components, which="LA", v0=first, tol=tol, **options)


def _completed(apply: Apply, found: Pairs, tol: float) -> Pairs:
    """Look beside the eigenvectors found for one of a larger eigenvalue; if so, find them all."""
    values, vectors = found
    size, n_components = vectors.shape

    def beside(vector: FloatArray) -> FloatArray:
        image = apply(vector - vectors @ (vectors.T @ vector))
        return image - vectors @ (vectors.T @ image)

    try:
        best = _lanczos(beside, size, 1, _LOOK, generator(1))[0][0]
    except ArpackNoConvergence:
        best = np.inf
    scale = np.abs(values).max()
    if best <= values[-1] + max(10 * tol, 1e-8) * scale:
        return found
    anew = _widened(np.empty((size, 0)), n_components + _GUARDS)  # exact vectors would end it soon
    return _krylov(apply, anew, n_components, tol)


def _widened(start: FloatArray, width: int) -> FloatArray:
    """Random columns beside the given ones, up to ``width``."""
    more = generator(2).standard_normal((len(start), max(width - start.shape[1], 0)))
    return np.hstack([start, more])


def _part_indicators(gram: Gram, n_components: int) -> FloatArray:
    """Indicators of the largest connected parts of a graph, one column each."""
    _, part = connected_components(gram, directed=False)
    sizes = np.bincount(part)
    largest = np.argsort(-sizes, kind="stable")[:n_components]
    return (part[:, None] == largest).astype(np.float64)


def _factors(block: FloatArray) -> Pairs:
    """Orthonormal columns and a triangle; column by column in memory it is several times faster."""
    orthonormal, triangle = qr(np.array(block, order="F"), mode="economic", overwrite_a=True)
    return orthonormal, triangle


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

    @classmethod
    def begin(cls, start: FloatArray) -> _Krylov:
        n, width = start.shape
        most = min(_BLOCKS * width, n - width)
        block, coupling = _factors(start)
        space = np.empty((n, most), order="F")
        return cls(space, np.zeros((most, most)), block, width, coupling, generator(3))

    def grow(self, apply: Apply) -> None:
        """Take the block in, and find the next one."""
        old, size = self.size, self.size + self.width
        self.vectors[:, old:size] = self.block
        basis = self.vectors[:, :size]
        image = np.asarray(apply(self.block), dtype=np.float64)
        inside = basis.T @ image
        block, first = self._orthonormal(image - basis @ inside, scale=np.abs(inside).max())
        # A second time, now at unit length: what is new to rounding only becomes orthogonal, too.
        block -= basis @ (basis.T @ block)
        self.block, second = _factors(block)
        self.coupling = second @ first
        self.projection[:size, old:size] = inside
        self.projection[old:size, :size] = inside.T
        self.size = size

    def _orthonormal(self, block: FloatArray, scale: float) -> Pairs:
        """Factors of the block; a direction it lacks, as in an invariant space, is drawn anew."""
        turned, triangle, order = qr(
            np.asfortranarray(block),
            mode="economic",
            pivoting=True,
            overwrite_a=True,
            check_finite=False,
        )
        weak = np.abs(np.diag(triangle)) <= _ROUNDING * np.finfo(np.float64).eps * scale
        if weak.any():
            turned[:, weak] = self.rng.standard_normal((len(block), int(weak.sum())))
            turned[:, weak] /= np.sqrt(len(block))
            triangle[weak] = 0.0
        unturned = np.empty_like(triangle)
        unturned[:, order] = triangle
        return turned, unturned

    def condense(self, values: FloatArray, turn: FloatArray) -> None:
        """Keep the leading Ritz vectors only."""
        kept = len(values)
        self.vectors[:, :kept] = self.vectors[:, : self.size] @ turn
        self.projection[:kept, :kept] = np.diag(values)
        self.size = kept


def _krylov(apply: Apply, start: FloatArray, n_components: int, tol: float) -> Pairs:
    """Thick-restart block Lanczos: Rayleigh-Ritz on a Krylov space of all start vectors."""
    space = _Krylov.begin(start)
    kept = space.vectors.shape[1] // 2
    for _ in range(_MOST_PRODUCTS):
        space.grow(apply)
        values, turn = eigh(space.projection[: space.size, : space.size])
        values, turn = values[::-1], turn[:, ::-1]
        ends = turn[space.size - space.width : space.size, :n_components]
        residual = float(np.linalg.norm(space.coupling @ ends, axis=0).max())
        scale = float(np.abs(values[[0, -1]]).max())
        if residual <= tol * scale:
            break
        if space.size + space.width > space.vectors.shape[1]:
            space.condense(values[:kept], turn[:, :kept])
    else:
        _warn_unfinished(n_components, residual / scale, tol)
    vectors = space.vectors[:, : len(turn)] @ turn[:, :n_components]
    return values[:n_components], fix_signs(vectors)


def _warn_unfinished(n_components: int, residual: float, tol: float) -> None:
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"the {n_components} leading eigenvectors were found to a residual of {residual:.1g} only, "
        f"not to {tol:.1g}, because too many eigenvalues are nearly equal; their clusters are not "
        "clear, so choose another number of them or another affinity.",
        ConvergenceWarning,
        stacklevel=4,
    )
