"""Leading eigenvectors of large symmetric matrices, by what they do to vectors."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from manyviews.maths._block_krylov import BLOCKS, Apply, block_krylov, widened
from manyviews.maths._gram import Gram, LowRank
from manyviews.maths._ordered import Ordered, in_order
from manyviews.maths._parts import connected_parts
from manyviews.maths._random import generator
from manyviews.maths._spectral import fix_signs, leading_eigenvectors
from manyviews.maths._ties import ROUNDING, chosen, runs_of_equal
from manyviews.maths.factors import Pairs, quick_factors
from manyviews.typing import FloatArray, IntArray, is_sparse

_SMALL = 400
"""Up to this size a matrix is formed and decomposed whole."""
_SMALL_WARM = 150
"""The same where there are vectors to start from."""
_GUARDS = 2
"""Random vectors beside those a caller starts from, for directions that these lack."""
_CHECK_TOLS = (1e-2, 1e-3)
"""Accuracy of the search for an eigenvalue that was missed, and of a second one in doubt."""
_LOOSE = 5e-5
"""Eigenvectors that need not be more accurate than this are looked for in single precision."""
_TOLD_APART = 1e-9
"""Accuracy of the largest eigenvalue of parts that are left out if they have no larger one."""
_CHECK_BASIS = 10
"""Vectors that such a search keeps; for one eigenvalue, found roughly, more only take longer."""
_MANY_EQUAL = 16
"""So many more vectors are asked for at most, to have all that share the last eigenvalue; those of
regular grids share it in twos, fours, eights or, in three dimensions, twelves."""
_SEEDED = "rng" in signature(eigsh).parameters
"""Whether ARPACK takes the generator that it restarts from; older ones restart always alike."""


def gram_eigenvectors(
    gram: Gram | Ordered,
    n_components: int,
    *,
    plus: FloatArray | None = None,
    start: FloatArray | None = None,
    tol: float = 1e-9,
) -> Pairs:
    """Largest eigenvalues, in falling order, and eigenvectors of symmetric similarities.

    Parameters
    ----------
    gram : matrix of shape (n, n)
        Dense, sparse or low-rank; symmetric. One of low rank is solved exactly in its range.
    n_components : int
        How many eigenvectors; not more than the rank allows.
    plus : array of shape (n, r), optional
        Factor ``F`` of ``F Fᵀ``, which is added to the similarities.
    start : array of shape (n, m), optional
        Vectors near the wanted ones.
    tol : float
        As in :func:`operator_eigenvectors`.

    Notes
    -----
    A graph that falls into parts has an eigenvector for each, all of eigenvalue one once it is
    normalised by its degrees. Each part is solved by itself, and among equal eigenvalues those of
    the largest parts come first: where there are more parts than ``n_components``, they are the
    answer, and among parts of equal size the one of the first object goes before. What ``plus``
    adds joins the parts.

    Of a sparse matrix they are looked for in single precision if ``tol`` is 5e-5 or more, which
    takes half the memory and time; a last product in double precision makes them orthonormal, and
    their values accurate.

    Examples
    --------
    >>> values, vectors = gram_eigenvectors(LowRank(np.eye(3)[:, :2], np.eye(3)[:, :2]), 2)
    >>> values
    array([1., 1.])
    """
    if isinstance(gram, LowRank):
        whole = gram if plus is None else gram + LowRank(plus, plus)
        return _range_eigenvectors(whole, n_components)
    near = in_order(gram) if not isinstance(gram, Ordered) else gram
    if not isinstance(near, Ordered):
        return _matrix_eigenvectors(near, n_components, plus, start, tol)
    plus, start = (None if rows is None else near.arranged(rows) for rows in (plus, start))
    values, vectors = _matrix_eigenvectors(
        near.matrix, n_components, plus, start, tol, order=near.order
    )
    return values, near.restored(vectors)


def _matrix_eigenvectors(
    matrix: FloatArray | sparse.csr_array,
    n_components: int,
    plus: FloatArray | None,
    start: FloatArray | None,
    tol: float,
    order: IntArray | None = None,
) -> Pairs:
    """The same of a matrix that is not of low rank, in whatever order it has."""
    _check_number(n_components, matrix.shape[0])
    parts = connected_parts(matrix, order) if plus is None else []
    if len(parts) > 1:
        return _eigenvectors_by_parts(matrix, parts, n_components, start, tol)
    return _joined_eigenvectors(matrix, n_components, plus, start, tol)


def _eigenvectors_by_parts(
    matrix: FloatArray | sparse.csr_array,
    parts: list[IntArray],
    n_components: int,
    start: FloatArray | None,
    tol: float,
) -> Pairs:
    """The same of a matrix in parts: among equal eigenvalues the first parts, the largest, win.

    The other parts are not solved if none of them has a larger eigenvalue.
    """
    size = matrix.shape[0]
    tol = max(tol, ROUNDING * float(np.finfo(matrix.dtype).eps))
    values, vectors, rank = np.empty(0), np.empty((size, 0)), np.empty(0, dtype=np.intp)
    solved, due = 0, n_components
    while True:
        for rows in parts[solved:due]:
            near = None if start is None else start[rows]
            wanted = min(n_components, len(rows))
            own, inside = _joined_eigenvectors(_within(matrix, rows), wanted, None, near, tol)
            spread = np.zeros((size, wanted))
            spread[rows] = inside
            values, vectors = np.concatenate([values, own]), np.hstack([vectors, spread])
            rank = np.concatenate([rank, np.arange(wanted)])
            first = _in_falling_order(values, rank, tol)[:n_components]
            values, vectors, rank = values[first], vectors[:, first], rank[first]
        solved, due = due, 2 * due
        limit = values[-1] + tol * np.abs(values).max()
        if solved >= len(parts) or _largest_eigenvalue(matrix, parts[solved:]) <= limit:
            return values, fix_signs(vectors)


def _in_falling_order(values: FloatArray, rank: IntArray, tol: float) -> IntArray:
    """Places of the eigenvalues of parts, from the largest on.

    Where their accuracy does not tell them apart, the first of each part goes before the second,
    and those of the same rank stay in the order they have, that of the parts.
    """
    order = np.argsort(-values, kind="stable")
    least = tol * np.abs(values).max(initial=0.0)
    level = np.empty(len(values), dtype=np.intp)
    height = np.inf
    for place in order:
        if values[place] < height - least:
            height = values[place]
            current = place
        level[place] = current
    heights = values[level]
    return np.lexsort((np.arange(len(values)), rank, -heights))


def _largest_eigenvalue(matrix: FloatArray | sparse.csr_array, parts: list[IntArray]) -> float:
    """The largest eigenvalue that any of some parts has; infinity where that is hard to tell."""
    single = np.concatenate([*(rows for rows in parts if len(rows) == 1), np.empty(0, np.intp)])
    largest = float(matrix.diagonal()[single].max(initial=-np.inf))
    larger = [rows for rows in parts if len(rows) > 1]
    if not larger:
        return largest
    rest = _within(matrix, np.concatenate(larger))
    size = rest.shape[0]
    if size <= _SMALL:
        dense = rest.toarray() if is_sparse(rest) else rest
        return max(largest, float(np.linalg.eigvalsh(dense.astype(np.float64))[-1]))
    rest = rest.astype(np.float64)
    try:
        values, _ = _lanczos(rest.__matmul__, size, 1, _TOLD_APART, generator(1))
    except ArpackNoConvergence:
        return np.inf
    return max(largest, float(values[0]))


def _within(matrix: FloatArray | sparse.csr_array, rows: IntArray) -> FloatArray | sparse.csr_array:
    """Some rows and the same columns."""
    return matrix[rows][:, rows] if is_sparse(matrix) else matrix[np.ix_(rows, rows)]


def _joined_eigenvectors(
    matrix: FloatArray | sparse.csr_array,
    n_components: int,
    plus: FloatArray | None,
    start: FloatArray | None,
    tol: float,
) -> Pairs:
    """The same of a matrix that does not fall into parts."""
    size = matrix.shape[0]

    def apply(block: FloatArray) -> FloatArray:
        image = np.asarray(matrix @ block.astype(matrix.dtype, copy=False), dtype=np.float64)
        if plus is not None:
            image += plus @ (plus.T @ block)
        return image

    tol = max(tol, ROUNDING * float(np.finfo(matrix.dtype).eps))
    if not is_sparse(matrix) or _is_small(size, n_components, _SMALL):
        return operator_eigenvectors(apply, size, n_components, start=start, tol=tol)
    quick = _in_single_precision(matrix, plus)
    if start is not None and tol >= _LOOSE:
        wide = max(n_components, start.shape[1]) + _GUARDS
        near = widened(start, wide).astype(np.float32)
        return _refined(apply, block_krylov(quick, near, n_components, tol)[1])
    if start is not None or plus is not None:
        return operator_eigenvectors(apply, size, n_components, start=start, tol=tol)
    return _settled(
        lambda wanted: _completed(apply, _arpack(apply, size, wanted, tol, quick), tol, quick),
        size,
        n_components,
    )


def _in_single_precision(matrix: sparse.csr_array, plus: FloatArray | None) -> Apply:
    """What a sparse matrix, and ``F Fᵀ`` beside it, do to blocks in single precision."""
    single = sparse.csr_array(
        (matrix.data.astype(np.float32, copy=False), matrix.indices, matrix.indptr), matrix.shape
    )
    if plus is None:
        return single.__matmul__
    beside = plus.astype(np.float32)
    return lambda block: single @ block + beside @ (beside.T @ block)


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

    Where eigenvalues are equal, the vectors are chosen as :func:`leading_eigenvectors` chooses
    them, whatever the solver finds. Two cases are left to it beyond small matrices: a start, and
    a last eigenvalue of which one vector only is wanted, or which more than sixteen others share.

    Examples
    --------
    >>> A = np.diag([1.0, 3.0, 2.0])
    >>> values, vectors = operator_eigenvectors(lambda block: A @ block, 3, 2)
    >>> values
    array([3., 2.])
    """
    _check_number(n_components, size)
    if _is_small(size, n_components, _SMALL if start is None else _SMALL_WARM):
        matrix = apply(np.eye(size))
        return leading_eigenvectors((matrix + matrix.T) / 2, n_components)
    tol = max(tol, ROUNDING * float(np.finfo(np.float64).eps))
    if start is None:
        return _settled(
            lambda wanted: _completed(apply, _arpack(apply, size, wanted, tol), tol),
            size,
            n_components,
        )
    wide = max(n_components, start.shape[1]) + _GUARDS
    return block_krylov(apply, widened(start, wide), n_components, tol)


def _check_number(n_components: int, size: int) -> None:
    if not 1 <= n_components <= size:
        raise ValueError(
            f"{n_components} eigenvectors are asked of a matrix with {size} rows; "
            f"choose a number from 1 to {size}."
        )


def _is_small(size: int, n_components: int, small: int) -> bool:
    return size <= max(small, (BLOCKS + 2) * (n_components + _GUARDS))


def _range_eigenvectors(gram: LowRank, n_components: int) -> Pairs:
    """A symmetric matrix maps into the span of its left factor: decompose it there."""
    if n_components > gram.rank:
        raise ValueError(
            f"{n_components} eigenvectors are asked of similarities of rank {gram.rank}; "
            "raise the rank of the approximation, or ask for fewer clusters."
        )
    basis, inner = quick_factors(gram.left)
    core = inner @ (basis.T @ gram.right).T
    return leading_eigenvectors((core + core.T) / 2, n_components, basis=basis)


def _arpack(
    apply: Apply, size: int, n_components: int, tol: float, quick: Apply | None = None
) -> Pairs:
    """Implicitly restarted Lanczos from one random vector.

    ``quick`` does what ``apply`` does, in single precision.
    """
    try:
        if quick is not None and tol >= _LOOSE:
            found = _lanczos(quick, size, n_components, tol, generator(0), single=True)
            return _refined(apply, found[1])
        values, vectors = _lanczos(apply, size, n_components, tol, generator(0))
    except ArpackNoConvergence as unfinished:
        known = unfinished.eigenvectors
        return block_krylov(apply, widened(known, n_components + _GUARDS), n_components, tol)
    order = np.argsort(values)[::-1]
    return values[order], fix_signs(vectors[:, order])


def _settled(solve: Callable[[int], Pairs], size: int, n_components: int) -> Pairs:
    """Eigenvectors chosen where eigenvalues are equal, if all that share the last one are found.

    ``solve`` finds so many. Where eigenvalues differ, as most do, it is asked once.
    """
    values, vectors = solve(n_components)
    scale = float(np.abs(values).max())
    first, end = runs_of_equal(values, scale)[-1]
    most = min(n_components + _MANY_EQUAL, size - 1)  # ARPACK finds all but one
    if end - first > 1 and most > n_components:
        more = solve(most)
        if runs_of_equal(more[0], scale)[-1][0] > first:
            values, vectors = more
    if len(runs_of_equal(values, scale)) == len(values):
        return values, vectors
    values, vectors = chosen(values, vectors, n_components, scale)
    return values, fix_signs(vectors)


def _refined(apply: Apply, vectors: FloatArray) -> Pairs:
    """The best in double precision that the span of vectors in single precision has."""
    basis, _ = quick_factors(vectors.astype(np.float64))
    inner = basis.T @ apply(basis)
    return leading_eigenvectors((inner + inner.T) / 2, len(inner), basis=basis)


def _lanczos(
    apply: Apply,
    size: int,
    n_components: int,
    tol: float,
    rng: np.random.Generator,
    *,
    basis: int | None = None,
    single: bool = False,
) -> Pairs:
    kind = np.float32 if single else np.float64
    operator = LinearOperator((size, size), matvec=apply, matmat=apply, dtype=kind)
    first = rng.standard_normal(size).astype(kind)
    options = {"rng": rng} if _SEEDED else {}
    return eigsh(operator, k=n_components, which="LA", v0=first, ncv=basis, tol=tol, **options)


def _completed(apply: Apply, found: Pairs, tol: float, quick: Apply | None = None) -> Pairs:
    """Look beside the eigenvectors found for one of a larger eigenvalue; if so, find them all."""
    values, vectors = found
    size, n_components = vectors.shape
    rough, known = apply, vectors
    if quick is not None:
        rough, known = quick, vectors.astype(np.float32)
    weighed = known * values.astype(known.dtype)

    def beside(vector: FloatArray) -> FloatArray:
        return rough(vector) - weighed @ (known.T @ vector)  # zero for those found

    scale = np.abs(values).max()
    for check_tol in _CHECK_TOLS:
        try:
            best = _lanczos(
                beside,
                size,
                1,
                check_tol,
                generator(1),
                basis=_CHECK_BASIS,
                single=quick is not None,
            )[0][0]
        except ArpackNoConvergence:
            best = np.inf
        if best <= values[-1] - check_tol * scale:
            return found
    if best <= values[-1] + max(10 * tol, 1e-8) * scale:
        return found
    start = widened(np.empty((size, 0)), n_components + _GUARDS)  # exact vectors would end it soon
    return block_krylov(apply, start, n_components, tol)
