"""Many base kernels from a short list, on whole views or single features [@kumar2013]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from manyviews.base import check_params
from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import Options
from manyviews.mkl._library._defaults import default_kernels, fitted_to
from manyviews.mkl._library._families import families
from manyviews.mkl._library._fitted import LibraryMatrices
from manyviews.mkl._library._given import check_positive, check_symmetric
from manyviews.mkl._library._names import distinct, labels
from manyviews.mkl._library._raw import Given
from manyviews.mkl._library._source import RowSource, Source, given_source
from manyviews.similarity import Kernel, Lookup, Similarity, SimilarityLike, as_kernel
from manyviews.typing import ByView, FloatArray, IntArray, Matrix, is_sparse

Kernels: TypeAlias = (
    SimilarityLike
    | Sequence[SimilarityLike]
    | Mapping[str, SimilarityLike | Sequence[SimilarityLike] | None]
    | None
)
"""The kernels of all views, or of each by its name; None for the five of every view."""

_MOST_FEATURES = 5000
"""Single features of a sparse view are compared only if there are at most so many."""


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
        kernels = _by_view(self.kernels, views.names)
        on = per_view(self.on, views.names, parameter="on")
        sources: list[tuple[Source, IntArray]] = []
        for name in views.names:
            places = np.flatnonzero(some.observed_in(name))
            found = _sources(some, name, kernels[name], on[name], objects[places])
            sources += [(source, places) for source in found]
        if not sources:
            raise ValueError("the library has no kernel; give at least one.")
        return LibraryMatrices.fit(_named(sources), len(some), self.normalize, self.keep)


def _by_view(kernels: Any, names: tuple[str, ...]) -> dict[str, list[Similarity]]:
    """Lists of kernels by view from what a user gave."""
    given = per_view(kernels, names, parameter="kernels") if isinstance(kernels, Mapping) else None
    return {name: _listed(kernels if given is None else given[name], name) for name in names}


def _listed(given: Any, view: str) -> list[Similarity]:
    if given is None:
        return list(default_kernels())
    some = [given] if isinstance(given, str | Similarity) else given
    return [as_kernel(one, view, "kernels") for one in some]


def _sources(
    views: Views, name: str, kernels: list[Similarity], on: str, objects: IntArray
) -> list[Source]:
    """The kernels of one view, grouped by what they share; ``objects`` are those it shows."""
    if not kernels:
        return []
    if not len(objects):
        raise UnobservedViewsError(
            f"view {name!r} is observed for no object that can be learnt from, so it has no "
            "kernel; leave the view out."
        )
    matrix = views[name]
    rows = matrix if len(objects) == len(views) else matrix[views.observed_in(name)]
    of_rows = [kernel for kernel in kernels if isinstance(kernel, Kernel)]
    given = [kernel for kernel in kernels if not isinstance(kernel, Kernel)]
    if given and on == "features":
        raise ValueError(
            f"{given[0]!r} compares whole objects and not single features; use on='views' for "
            f"view {name!r}."
        )
    found: list[Source] = []
    if of_rows and on != "features":
        found.append(_whole(name, rows, of_rows))
    if of_rows and on != "views":
        found.append(_single(name, rows, of_rows, _features(views, name)))
    names = [label or name for label in labels(given)]
    return found + [
        given_source(kernel, name, label, rows, objects)
        for kernel, label in zip(given, names, strict=True)
    ]


def _whole(view: str, rows: Matrix, kernels: list[Kernel]) -> Source:
    kinds = families([[kernel] for kernel in fitted_to(rows, kernels)])
    names = [f"{view} {label}" for label in labels(kernels)]
    return RowSource(view, names, rows, kinds, single=False)


def _single(view: str, rows: Matrix, kernels: list[Kernel], features: list[str]) -> Source:
    """Kernels on each column of a view."""
    if is_sparse(rows) and len(features) > _MOST_FEATURES:
        raise ValueError(
            f"view {view!r} is sparse and has {len(features)} features, more than the "
            f"{_MOST_FEATURES} that are compared one by one; use on='views', or choose features "
            "first or make the view dense."
        )
    by_column = [fitted_to(_column(rows, place), kernels) for place in range(len(features))]
    kinds = families([list(of_kernel) for of_kernel in zip(*by_column, strict=True)])
    names = [f"{feature} {label}" for label in labels(kernels) for feature in features]
    return RowSource(view, names, rows, kinds, single=True)


def _column(rows: Matrix, place: int) -> FloatArray:
    column = rows[:, [place]]
    return column.toarray() if is_sparse(column) else column


def _features(views: Views, name: str) -> list[str]:
    """What the features of a view are called: by the view, too, if there are others."""
    known = views.feature_names.get(name)
    if known is None:
        return [f"{name}[{place}]" for place in range(views[name].shape[1])]
    return [str(feature) if views.n_views == 1 else f"{name} {feature}" for feature in known]


def _named(sources: list[tuple[Source, IntArray]]) -> list[tuple[Source, IntArray]]:
    """Sources in which no two kernels have the same name."""
    names = iter(distinct([name for source, _ in sources for name in source.names]))
    return [
        (replace(source, names=[next(names) for _ in source.names]), places)
        for source, places in sources
    ]


# -- matrices that are given ---------------------------------------------------------------------


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
    if not check_symmetric(Given(matrix), name):
        matrix = (matrix + matrix.T) / 2
    check_positive(Given(matrix), name, once=True)
    return Lookup(matrix, name, checked=True)
