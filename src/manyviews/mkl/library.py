"""Many base kernels from a short list, on whole views or single features [@kumar2013].

Here is said which kernels there are: by default, by name, given as matrices; how their values are
computed stands in ``kernel_values`` and ``kernel_matrices``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.sparse import csr_array

from manyviews.base import check_params
from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import Options, row_blocks
from manyviews.mkl.kernel_matrices import (
    FormedKernel,
    LibraryMatrices,
    LookupKernel,
    MatrixKernel,
    RowKernels,
    ViewKernels,
)
from manyviews.mkl.kernel_values import MatrixValues, families
from manyviews.similarity import (
    RBF,
    Cosine,
    Kernel,
    Linear,
    Lookup,
    Polynomial,
    Precomputed,
    Similarity,
    SimilarityLike,
    as_kernel,
)
from manyviews.typing import ByView, FloatArray, IntArray, Matrix, Positive, is_sparse

__all__ = ["KernelLibrary", "Kernels", "default_kernels", "kumar2013_kernels"]

Kernels: TypeAlias = (
    SimilarityLike
    | Sequence[SimilarityLike]
    | Mapping[str, SimilarityLike | Sequence[SimilarityLike] | None]
    | None
)
"""The kernels of all views, or of each by its name; None for the five of every view."""

WIDTHS = (0.25, 1.0, 4.0)
"""``gamma`` of the default Gaussians, times that of the median distance: half and twice its
width."""
MOST_FEATURES = 5000
"""Single features of a sparse view are compared only if there are at most so many: each is a kernel
of its own, and a vocabulary is meant for ``on="views"``."""
ASYMMETRY = 1e-6
"""How far from symmetric a kernel may be, relative to its largest entry: single precision has seven
digits."""
NEGATIVE = 1e-6
"""How far below zero an eigenvalue may be, relative to the Frobenius norm, which rounding to single
precision makes of a zero."""
TILE = 256
"""Rows and columns of a matrix that are compared at a time: two blocks of half a MiB."""
CHECKED_IN_FIT, CHECKED_ONCE = 500, 2000
"""Objects at equal steps of which eigenvalues are looked at, in every fit and where a matrix is
given once: a Cholesky factor costs their cube."""


# -- kernels that nobody has to name, and their names --------------------------------------------


@dataclass
class RelativeRBF(RBF):
    """A Gaussian kernel with ``gamma`` so many times that of the median distance.

    Examples
    --------
    >>> import numpy as np
    >>> RelativeRBF(times=4.0).fitted(np.array([[0.0], [1.0]]))
    RBF(gamma=2.0)
    """

    times: Positive = 1.0

    def fitted(self, X: Matrix, places: object = None) -> RBF:  # type: ignore[override]  # noqa: ARG002
        """Choose the width."""
        return RBF(gamma=self.times * median_gamma(X))


def median_gamma(rows: Matrix) -> float:
    """``gamma`` of the median distance between two rows."""
    gamma = RBF().fitted(rows).gamma
    assert not isinstance(gamma, str), "fitted() chooses gamma"
    return float(gamma)


def default_kernels() -> list[Kernel]:
    """Five kernels that do not depend on the unit of a view: Gaussians, the cosine, products.

    Examples
    --------
    >>> len(default_kernels())
    5
    """
    return [*(RelativeRBF(times=times) for times in WIDTHS), Cosine(), Linear()]


def kumar2013_kernels() -> list[Kernel]:
    """The thirteen kernels of [@kumar2013]: Gaussians of nine widths, polynomials, a linear one.

    The widths are fixed numbers, ``gamma`` from 2⁻¹⁰ to 2⁻², for features of a scale near one. The
    polynomials are ``(x·y + 1)^degree`` of degree 2 to 4; the source leaves the constant open.

    Examples
    --------
    >>> from manyviews.mkl import KernelLibrary, kumar2013_kernels
    >>> len(kumar2013_kernels())
    13
    >>> library = KernelLibrary(kumar2013_kernels(), on="both")
    """
    gaussians = [RBF(gamma=2.0**power) for power in range(-10, -1)]
    return [*gaussians, *(Polynomial(degree, gamma=1.0) for degree in (2, 3, 4)), Linear()]


def fitted_to(rows: Matrix, kernels: Sequence[Kernel]) -> list[Kernel]:
    """Fit kernels to the same rows; their median distance is looked for once."""
    if not any(isinstance(kernel, RelativeRBF) for kernel in kernels):
        return [kernel.fitted(rows) for kernel in kernels]
    gamma = median_gamma(rows)
    return [
        RBF(gamma=kernel.times * gamma) if isinstance(kernel, RelativeRBF) else kernel.fitted(rows)
        for kernel in kernels
    ]


def labels(kernels: Sequence[Similarity]) -> list[str]:
    """Short names of the kernels of one view, all different; empty for one that needs none.

    Examples
    --------
    >>> labels([RBF(gamma=0.125), RBF(), Polynomial(2, gamma=1.0), Linear()])
    ['RBF(2^-3)', 'RBF(median)', 'polynomial(2)', 'linear']
    >>> labels([RBF(gamma=0.3), RBF(gamma=0.3000001)])
    ['RBF(gamma=0.3)', 'RBF(gamma=0.3000001)']
    """
    short = [_label(kernel) for kernel in kernels]
    often = Counter(short)
    whole = [
        one if often[one] == 1 else repr(kernel) for one, kernel in zip(short, kernels, strict=True)
    ]
    return distinct(whole)


def distinct(names: Sequence[str]) -> list[str]:
    """Number those names that occur more than once.

    Examples
    --------
    >>> distinct(["linear", "rbf", "linear"])
    ['linear (1)', 'rbf', 'linear (2)']
    """
    often, met = Counter(names), Counter[str]()
    found = []
    for name in names:
        met[name] += 1
        found.append(name if often[name] == 1 else f"{name} ({met[name]})".strip())
    return found


def _label(kernel: Similarity) -> str:
    if isinstance(kernel, Precomputed):
        return ""
    if isinstance(kernel, Lookup):
        return kernel.name or ""
    if isinstance(kernel, RelativeRBF):
        return "RBF(median)" if kernel.times == 1.0 else f"RBF({kernel.times:g} median)"
    if type(kernel) is RBF:
        return f"RBF({_gamma(kernel.gamma)})"
    if type(kernel) is Polynomial:
        return f"polynomial({kernel.degree})"
    if type(kernel) in (Linear, Cosine):
        return type(kernel).__name__.lower()
    return repr(kernel)


def _gamma(gamma: str | float) -> str:
    if isinstance(gamma, str):
        return gamma
    mantissa, power = math.frexp(gamma)
    return f"2^{power - 1}" if mantissa == 0.5 and power != 1 else f"{gamma:.3g}"


# -- is a given matrix a kernel? -----------------------------------------------------------------


def check_kernel(kernel: MatrixValues, name: str, objects: IntArray) -> bool:
    """Refuse what is no kernel; return whether it is symmetric to the last digit."""
    exact = check_symmetric(kernel, name, objects)
    check_positive(kernel, name)
    return exact


def check_symmetric(kernel: MatrixValues, name: str, objects: IntArray | None = None) -> bool:
    """Refuse a kernel that is not finite and symmetric; return whether it is to the last digit.

    ``objects`` are the numbers by which the user knows the rows.
    """
    largest, worst, at = 0.0, 0.0, (0, 0)
    for rows in row_blocks(kernel.shape[0], TILE):
        for columns in row_blocks(rows.stop, TILE):
            one, other = kernel.block(rows, columns), kernel.block(columns, rows)
            gaps = np.abs(one - other.T)
            gap, top = float(gaps.max()), float(np.abs(one).max())
            if not np.isfinite(gap + top):
                raise ValueError(
                    f"the kernel matrix {name!r} has NaN or infinite entries; for objects that it "
                    "does not show, give it a view by itself in which they are unobserved."
                )
            largest = max(largest, top)
            if gap > worst:
                worst, place = gap, np.unravel_index(gaps.argmax(), gaps.shape)
                at = (rows.start + int(place[0]), columns.start + int(place[1]))
    if worst > ASYMMETRY * largest:
        there, back = kernel.block(*map(_only, at)), kernel.block(*map(_only, at[::-1]))
        row, column = at if objects is None else (objects[at[0]], objects[at[1]])
        raise ValueError(
            f"the kernel matrix {name!r} is not symmetric: object {row} with {column} is "
            f"{there.item():g} and back {back.item():g}; use (K + K.T) / 2."
        )
    return worst == 0.0


def check_positive(kernel: MatrixValues, name: str, *, once: bool = False) -> None:
    """Refuse a kernel that is not positive semi-definite.

    An eigenvalue may be below zero by up to a millionth of the Frobenius norm, which rounding to
    single precision makes of a zero. Of many objects only some at equal steps are looked at: 500
    in every fit, 2,000 where the matrix is given ``once``.
    """
    n_objects, at_most = kernel.shape[0], CHECKED_ONCE if once else CHECKED_IN_FIT
    sample = _sample(kernel, None if n_objects <= at_most else at_most)
    norm = float(np.linalg.norm(sample))
    if norm == 0.0:
        return
    unit = sample / norm
    if _has_root(unit.astype(np.float32)) or _has_root(unit):  # singles are quick, doubles sure
        return
    values = eigvalsh(sample, check_finite=False)
    raise ValueError(
        f"the kernel matrix {name!r} is not positive semi-definite: its eigenvalues go from "
        f"{values[0]:.3g} to {values[-1]:.3g}; set the negative ones to zero, or learn from it as "
        "a similarity by LandmarkClassifier."
    )


def _has_root(unit: FloatArray) -> bool:
    """Whether a matrix of norm one, its diagonal raised a little, has a Cholesky factor."""
    raised = unit.copy()
    raised[np.diag_indices_from(raised)] += NEGATIVE
    try:
        cholesky(raised, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _only(number: int) -> slice:
    return slice(number, number + 1)


def _sample(kernel: MatrixValues, n_chosen: int | None) -> FloatArray:
    """All rows and columns, or some at equal steps."""
    n_objects = kernel.shape[0]
    if n_chosen is None:
        return kernel.block(slice(0, n_objects), slice(0, n_objects))
    chosen = np.linspace(0, n_objects - 1, n_chosen).astype(np.intp)
    pairs = np.repeat(chosen, n_chosen), np.tile(chosen, n_chosen)
    return next(kernel.paired(*pairs))[1].reshape(n_chosen, n_chosen)


def _same_size(matrices: Mapping[str, Any]) -> list[tuple[str, Matrix]]:
    found = [(str(name), _square(str(name), matrix)) for name, matrix in matrices.items()]
    first, n_objects = found[0][0], found[0][1].shape[0]
    for name, matrix in found:
        if matrix.shape[0] != n_objects:
            raise ValueError(
                f"the kernel matrix {first!r} is of {n_objects} objects but {name!r} of "
                f"{matrix.shape[0]}; give all kernels of the same objects."
            )
    return found


def _square(name: str, matrix: Any) -> Matrix:
    found = csr_array(matrix) if is_sparse(matrix) else np.asarray(matrix)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or not found.shape[0]:
        raise ValueError(
            f"the kernel matrix {name!r} has shape {found.shape}; give one row and one column per "
            "object."
        )
    if found.dtype.kind != "f":
        found = found.astype(np.float64)
    return found


def _lookup(name: str, matrix: Matrix) -> Lookup:
    """A matrix that is known to be a kernel, symmetric to the last digit."""
    if not check_symmetric(MatrixValues(matrix), name):
        matrix = (matrix + matrix.T) / 2
    check_positive(MatrixValues(matrix), name, once=True)
    return Lookup(matrix, name, checked=True)


# -- from what a user gave to the kernels of each view --------------------------------------------


def kernels_by_view(kernels: Any, names: tuple[str, ...]) -> dict[str, list[Similarity]]:
    """Lists of kernels by view from what a user gave."""
    given = per_view(kernels, names, parameter="kernels") if isinstance(kernels, Mapping) else None
    return {name: _listed(kernels if given is None else given[name], name) for name in names}


def _listed(given: Any, view: str) -> list[Similarity]:
    if given is None:
        return list(default_kernels())
    some = [given] if isinstance(given, str | Similarity) else given
    return [as_kernel(one, view, "kernels") for one in some]


def view_kernels(
    views: Views, name: str, kernels: list[Similarity], on: str, objects: IntArray
) -> list[ViewKernels]:
    """Kernels of one view, grouped by what they share.

    ``objects`` are the numbers by which a precomputed view knows the training objects.
    """
    if not kernels:
        return []
    places = np.flatnonzero(views.observed_in(name))
    if not len(places):
        raise UnobservedViewsError(
            f"view {name!r} is observed for no object that can be learnt from, so it has no "
            "kernel; leave the view out."
        )
    matrix = views[name]
    rows = matrix if len(places) == len(views) else matrix[views.observed_in(name)]
    of_rows = [kernel for kernel in kernels if isinstance(kernel, Kernel)]
    given = [kernel for kernel in kernels if not isinstance(kernel, Kernel)]
    if given and on == "features":
        raise ValueError(
            f"{given[0]!r} compares whole objects and not single features; use on='views' for "
            f"view {name!r}."
        )
    found: list[ViewKernels] = []
    if of_rows and on != "features":
        kinds = families([[kernel] for kernel in fitted_to(rows, of_rows)])
        names = [f"{name} {label}" for label in labels(of_rows)]
        found.append(RowKernels(name, names, places, rows, kinds, single=False))
    if of_rows and on != "views":
        found.append(_on_features(name, places, rows, of_rows, feature_labels(views, name)))
    found += [
        given_kernel(kernel, name, label or name, places, rows, objects[places])
        for kernel, label in zip(given, labels(given), strict=True)
    ]
    return found


def _on_features(
    view: str, places: IntArray, rows: Matrix, kernels: list[Kernel], features: list[str]
) -> ViewKernels:
    """Kernels on each column of a view."""
    if is_sparse(rows) and len(features) > MOST_FEATURES:
        raise ValueError(
            f"view {view!r} is sparse and has {len(features)} features, more than the "
            f"{MOST_FEATURES} that are compared one by one; use on='views', or choose features "
            "first or make the view dense."
        )
    columns = (rows[:, [place]] for place in range(len(features)))
    dense = (column.toarray() if is_sparse(column) else column for column in columns)
    by_column = [fitted_to(column, kernels) for column in dense]
    kinds = families([list(of_kernel) for of_kernel in zip(*by_column, strict=True)])
    names = [f"{feature} {label}" for label in labels(kernels) for feature in features]
    return RowKernels(view, names, places, rows, kinds, single=True)


def feature_labels(views: Views, name: str) -> list[str]:
    """What the features of a view are called: by the view, too, if there are others."""
    known = views.feature_names.get(name)
    if known is None:
        return [f"{name}[{place}]" for place in range(views[name].shape[1])]
    return [str(feature) if views.n_views == 1 else f"{name} {feature}" for feature in known]


def given_kernel(
    similarity: Similarity,
    view: str,
    name: str,
    places: IntArray,
    rows: Matrix,
    objects: IntArray,
) -> ViewKernels:
    """Return the kernel of a similarity that is no kernel of rows.

    ``objects`` are the columns of a precomputed view that stand for its rows.
    """
    if isinstance(similarity, Lookup):
        numbers = similarity.numbers(rows)
        matrix = MatrixValues(similarity.matrix, numbers, numbers)
        exact = similarity.checked or check_kernel(matrix, name, numbers)
        return LookupKernel(view, [name], places, similarity, numbers, exact)
    if not isinstance(similarity, Precomputed):
        return FormedKernel(view, [name], places, similarity.fitted(rows, objects), rows)
    if rows.shape[1] <= objects.max(initial=-1):
        raise ValueError(
            f"view {view!r} is precomputed and has {rows.shape[1]} columns for "
            f"{objects.max() + 1} objects; give the kernel of every object with every object."
        )
    exact = check_kernel(MatrixValues(rows, None, objects), name, objects)
    return MatrixKernel(view, [name], places, rows, objects, exact)


@dataclass
class KernelLibrary(Options):
    """Base kernels, centred and of unit variance in feature space; nothing is formed before use.

    With ``m`` the mean of a kernel over the training objects and ``g`` the mean of all its values,
    a value becomes ``(k(x, y) − m(x) − m(y) + g) / v``, where ``v`` is the mean squared distance
    of the training objects to their mean in feature space: rows of a training matrix sum to zero,
    and its diagonal is one in the mean. New objects are treated by the same training statistics.

    A kernel that tells no objects apart (its ``v`` is no more than 1e-12 of its mean diagonal) is
    zero. An object that a view does not show has zeros in the kernels of that view, which is the
    mean of a centred kernel and leaves it positive semi-definite; means and variances are those of
    the objects that the view shows.

    Kernels of the same view share their inner products; values are made in blocks, for all kernels
    of a pair (:meth:`KernelMatrices.pairs`), of some rows, or for one weighted sum, so that of
    hundreds of kernels never more than one matrix is in memory. Only a similarity that is neither a
    function of products nor a given matrix is formed once and held while a method learns.

    Parameters
    ----------
    kernels : None, kernel, name, list or dict of these by view
        The kernels of every view; by default five that do not depend on its unit: Gaussians with
        ``gamma`` a quarter of, equal to and four times that of the median distance, the cosine and
        the linear kernel. The thirteen of [@kumar2013], of fixed widths, are
        ``kumar2013_kernels()``. A list is a list of kernels for all views. ``Precomputed()`` is for
        a view that is a kernel matrix, ``Lookup(matrix)`` for one of object numbers.
    on : "views", "features" or "both", or a list or dict of these by view
        Compare whole rows of a view, each feature by itself, or both. Kernels that are given as
        matrices are always of a whole view.
    normalize : bool
        Centre kernels and bring them to unit variance; else they are as they are, with zeros for
        unobserved views.
    keep : bool or "auto"
        Keep all matrices in memory, also after ``fit``. "auto" keeps them while a method learns if
        they take no more than 64 MiB, which saves computing them again.

    Notes
    -----
    The kernels on features are ordered by kernel, then by feature. A matrix that is given has to be
    symmetric up to 1e-6 of its largest entry, and positive semi-definite up to 1e-6 of its
    Frobenius norm; of more than 500 objects in a view, or 2,000 in :meth:`from_matrices`, so many
    at equal steps are looked at.

    Examples
    --------
    >>> from manyviews import Views
    >>> from manyviews.similarity import RBF
    >>> views = Views({"size": [[0.0, 1.0], [1.0, 1.0], [3.0, 2.0]], "mass": [[1.0], [2.0], [4.0]]})
    >>> kernels = KernelLibrary(["linear", RBF(gamma=0.5)]).fitted(views)
    >>> kernels.names
    ['size linear', 'size RBF(2^-1)', 'mass linear', 'mass RBF(2^-1)']
    >>> kernels.gram(2).round(2)
    array([[ 1.14,  0.29, -1.43],
           [ 0.29,  0.07, -0.36],
           [-1.43, -0.36,  1.79]])
    >>> kernels.new(views[:1]).combined(np.array([0.0, 0.0, 1.0, 0.0])).round(2)
    array([[ 1.14,  0.29, -1.43]])

    References
    ----------
    [@kumar2013]
    """

    kernels: Kernels = None
    on: ByView[Literal["views", "features", "both"]] = "views"
    normalize: bool = True
    keep: bool | Literal["auto"] = "auto"

    @classmethod
    def from_matrices(cls, matrices: Mapping[str, Any], **options: Any) -> KernelLibrary:
        """Base kernels that are there already, by name, for objects given as numbers.

        The matrices are checked here, once, and are never copied: not by ``clone`` and not by the
        folds of a cross-validation, which take numbers of objects apart and nothing else.

        Parameters
        ----------
        matrices : dict of arrays or sparse matrices of shape (n_objects, n_objects)
            Kernels of all objects, training and new.
        **options
            Parameters of the library, such as ``normalize``.

        Examples
        --------
        >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
        >>> library = KernelLibrary.from_matrices({"follows": K, "mentions": np.eye(2)})
        >>> library.fitted(Views(np.arange(2.0)[:, None])).names
        ['follows', 'mentions']
        """
        if not matrices:
            raise ValueError("there are no kernel matrices; give at least one, by name.")
        return cls([_lookup(name, matrix) for name, matrix in _same_size(matrices)], **options)

    def by_lengths(self, views: Views) -> list[str]:
        """Views whose whole rows are compared by more than their directions.

        One feature in a small unit is nearly all that such a kernel sees.
        """
        kernels = kernels_by_view(self.kernels, views.names)
        on = per_view(self.on, views.names, parameter="on")
        return [
            name
            for name in views.names
            if on[name] != "features"
            and any(
                isinstance(one, Kernel) and not isinstance(one, Cosine) for one in kernels[name]
            )
        ]

    def fitted(self, views: Views, chosen: IntArray | None = None) -> LibraryMatrices:
        """Fit the kernels to training objects: learn what centres and scales them.

        Parameters
        ----------
        views : Views
            Objects.
        chosen : array of int, optional
            The numbers of those that are training objects, in order; all by default.
        """
        check_params(self)
        objects = np.arange(len(views)) if chosen is None else np.asarray(chosen)
        some = views if len(objects) == len(views) else views[objects]
        kernels = kernels_by_view(self.kernels, views.names)
        on = per_view(self.on, views.names, parameter="on")
        sources = [
            source
            for name in views.names
            for source in view_kernels(some, name, kernels[name], on[name], objects)
        ]
        if not sources:
            raise ValueError("the library has no kernel; give at least one.")
        names = iter(distinct([name for source in sources for name in source.names]))
        sources = [replace(one, names=[next(names) for _ in one.names]) for one in sources]
        return LibraryMatrices.fit(sources, len(some), self.normalize, self.keep)
