"""Views of the same objects, the layout that a fitted method remembers of them, and data sets."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate
from types import EllipsisType
from typing import Any, NamedTuple, NoReturn, final

import numpy as np
from scipy import sparse

from manyviews.data import convert
from manyviews.data.parameters import read_mask
from manyviews.data.rows import as_ids, in_row_order, rows_named, same_ids, spread_over
from manyviews.exceptions import MissingExtraError, UnknownViewError, ViewsError
from manyviews.maths import check_memory
from manyviews.typing import AnyArray, BoolArray, FloatArray, Matrix, ViewsLike, is_sparse


@dataclass(frozen=True)
class Layout:
    """Names and widths of views, in order, with feature names where the data have them."""

    names: tuple[str, ...]
    widths: tuple[int, ...]
    feature_names: Mapping[str, AnyArray] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        """Width of all views together."""
        return sum(self.widths)

    def width(self, name: str) -> int:
        """Width of one view."""
        return self.widths[self.names.index(name)]

    def slices(self) -> dict[str, slice]:
        """Return the columns of each view in the wide matrix."""
        ends = list(accumulate(self.widths))
        return {
            name: slice(end - width, end)
            for name, width, end in zip(self.names, self.widths, ends, strict=True)
        }

    def column_names(self) -> AnyArray:
        """Names of the wide matrix's columns: ``view__feature``."""
        columns = [
            f"{name}__{feature}"
            for name, width in zip(self.names, self.widths, strict=True)
            for feature in self.feature_names.get(name, range(width))
        ]
        return np.asarray(columns, dtype=object)


@final
class Views:
    """The same objects seen through several named views, some of them unobserved.

    A ``Views`` never changes. Its arrays are shared with what it was built from wherever the
    type already fits (float arrays, canonical CSR), and are read-only. Rows of a view that are
    not observed hold NaN (dense) or nothing (sparse), whatever stood there before.

    Parameters
    ----------
    data : Views, dict, list, tuple, DataFrame, MuData, array or sparse matrix
        A dict gives views by name; a list or tuple by position, named ``view0``, ``view1``, …;
        a DataFrame has two-level columns or columns called ``view__feature``; a plain matrix or
        DataFrame is one view. A view may be a list of rows with ``None`` for an object it does
        not show, or ``None`` altogether; masked cells are missing. Tables with an index must all
        have the same one, which gives the ids of the objects.
    observed : array of bool of shape (n_objects, n_views) or dict of arrays, optional
        Which object is seen in which view; all-NaN rows are unobserved in any case.
    feature_names : dict of sequences of str, optional
        Names of the features by view.
    sample_ids : sequence, optional
        Names of the objects.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews import Views
    >>> views = Views({"text": np.eye(3), "links": [[1.0, 2.0], None, [3.0, 4.0]]})
    >>> views.shape, views.names
    ((3, 5), ('text', 'links'))
    >>> views.observed[:, 1]
    array([ True, False,  True])
    >>> views[1:]["text"]
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """

    __slots__ = ("__weakref__", "_feature_names", "_matrices", "_observed", "_sample_ids")

    _matrices: dict[str, Matrix]
    _observed: BoolArray
    _feature_names: dict[str, AnyArray]
    _sample_ids: AnyArray | None

    ndim = 2

    def __init__(
        self,
        data: ViewsLike,
        *,
        observed: Any = None,
        feature_names: Mapping[str, Any] | None = None,
        sample_ids: Sequence[Any] | AnyArray | None = None,
    ) -> None:
        parts = data._parts() if isinstance(data, Views) else convert.collect(data)
        n_objects = _common_length(parts)
        ids = parts.sample_ids if sample_ids is None else _given_ids(sample_ids, parts.sample_ids)
        known = ids if parts.sample_ids is None else parts.sample_ids
        stated = _stated_mask(observed, parts, known, n_objects)
        seen = {name: _seen(m, stated.get(name)) for name, m in parts.matrices.items()}
        features = {**parts.feature_names, **_checked_features(feature_names, parts.matrices)}
        if ids is not None and ids.shape != (n_objects,):
            raise ViewsError(
                f"sample_ids has shape {ids.shape} for {n_objects} objects; give one id per object."
            )
        self.__setstate__(
            {
                "matrices": {name: _blank(m, seen[name]) for name, m in parts.matrices.items()},
                "observed": np.column_stack(list(seen.values())),
                "feature_names": features,
                "sample_ids": ids,
            }
        )

    @classmethod
    def align(cls, tables: Mapping[str, Any]) -> Views:
        """Build from tables (DataFrame, AnnData) whose rows are matched by name.

        The objects are all those named in any table; where a table lacks one, that view of it
        is unobserved.

        Examples
        --------
        >>> import pandas as pd
        >>> a = pd.DataFrame({"x": [1.0, 2.0]}, index=["ann", "bob"])
        >>> b = pd.DataFrame({"z": [3.0, 4.0]}, index=["bob", "cem"])
        >>> Views.align({"a": a, "b": b}).observed
        array([[ True, False],
               [ True,  True],
               [False,  True]])
        """
        parts = convert.align(tables)
        return cls(
            parts.matrices,
            observed=parts.observed,
            feature_names=parts.feature_names,
            sample_ids=parts.sample_ids,
        )

    @classmethod
    def _assemble(
        cls,
        matrices: dict[str, Matrix],
        observed: BoolArray,
        feature_names: dict[str, AnyArray],
        sample_ids: AnyArray | None,
    ) -> Views:
        """Build from parts that are known to be in order."""
        views = cls.__new__(cls)
        views.__setstate__(
            {
                "matrices": matrices,
                "observed": observed,
                "feature_names": feature_names,
                "sample_ids": sample_ids,
            }
        )
        return views

    def _parts(self) -> convert.Parts:
        return convert.Parts(
            dict(self._matrices),
            dict(zip(self.names, self._observed.T, strict=True)),
            dict(self._feature_names),
            self._sample_ids,
        )

    # -- frozen ----------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"Views is frozen: build a new one instead of setting {name!r}.")

    def __getstate__(self) -> dict[str, Any]:
        return {
            "matrices": self._matrices,
            "observed": self._observed,
            "feature_names": self._feature_names,
            "sample_ids": self._sample_ids,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        matrices = {name: _frozen_matrix(matrix) for name, matrix in state["matrices"].items()}
        features = {name: _frozen(names) for name, names in state["feature_names"].items()}
        ids = state["sample_ids"]
        object.__setattr__(self, "_matrices", matrices)
        object.__setattr__(self, "_observed", _frozen(state["observed"]))
        object.__setattr__(self, "_feature_names", features)
        object.__setattr__(self, "_sample_ids", None if ids is None else _frozen(ids))

    # -- what is in it ---------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the views, in order."""
        return tuple(self._matrices)

    @property
    def n_views(self) -> int:
        """How many views there are."""
        return len(self._matrices)

    @property
    def observed(self) -> BoolArray:
        """Which object (row) is seen in which view (column)."""
        return self._observed

    @property
    def feature_names(self) -> Mapping[str, AnyArray]:
        """Names of the features, for the views that have them."""
        return dict(self._feature_names)

    @property
    def sample_ids(self) -> AnyArray | None:
        """Names of the objects, if they have any."""
        return self._sample_ids

    @property
    def layout(self) -> Layout:
        """Names, widths and features, without the data."""
        widths = tuple(int(matrix.shape[1]) for matrix in self._matrices.values())
        return Layout(self.names, widths, dict(self._feature_names))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of objects, and of features of all views together."""
        return len(self), sum(int(matrix.shape[1]) for matrix in self._matrices.values())

    def __len__(self) -> int:
        return len(self._observed)

    def __iter__(self) -> NoReturn:
        raise TypeError("iterate over views.items() for the views, or range(len(views)) for rows.")

    def __contains__(self, name: object) -> bool:
        return name in self._matrices

    def items(self) -> ItemsView[str, Matrix]:
        """Pairs of view name and matrix, in order."""
        return self._matrices.items()

    def observed_in(self, name: str) -> BoolArray:
        """Which objects are seen in one view."""
        return self._observed[:, self._position(name)]

    def equals(self, other: Views) -> bool:
        """Whether two are the same in values, kinds, names, masks, features and ids."""
        return (
            self.names == other.names
            and np.array_equal(self._observed, other._observed)
            and all(_same_matrix(m, other._matrices[name]) for name, m in self.items())
            and self._feature_names.keys() == other._feature_names.keys()
            and all(
                np.array_equal(names, other._feature_names[name])
                for name, names in self._feature_names.items()
            )
            and _same_ids(self._sample_ids, other._sample_ids)
        )

    # -- choosing --------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        """Return one view by its name, or a ``Views`` of some rows."""
        if isinstance(key, str):
            self._position(key)
            return self._matrices[key]
        if hasattr(key, "iloc") and str(key.dtypes).startswith("bool"):  # a mask with an index
            key = in_row_order(key, self._sample_ids, "mask")
        return self._take(_as_rows(key, len(self)))

    @property
    def loc(self) -> RowsById:
        """Rows by id: ``views.loc["P0512"]`` is one object, ``views.loc[ids]`` several.

        Examples
        --------
        >>> views = Views({"text": np.eye(3)}, sample_ids=["ann", "bob", "cem"])
        >>> views.loc[["cem", "ann"]]["text"]
        array([[0., 0., 1.],
               [1., 0., 0.]])
        """
        return RowsById(self)

    def _take(self, rows: slice | AnyArray) -> Views:
        ids = self._sample_ids
        return Views._assemble(
            {name: _rows_of(matrix, rows) for name, matrix in self._matrices.items()},
            _rows_of(self._observed, rows),
            self._feature_names,
            None if ids is None else ids[rows],
        )

    def _position(self, name: str) -> int:
        if name not in self._matrices:
            known = ", ".join(repr(view) for view in self._matrices)
            raise UnknownViewError(f"there is no view {name!r}; the views are {known}.")
        return self.names.index(name)

    def subset(self, names: Iterable[str]) -> Views:
        """Keep some views, in the order given."""
        names = [names] if isinstance(names, str) else list(names)
        if not names:
            raise ViewsError("subset needs at least one view name.")
        repeated = [name for i, name in enumerate(names) if name in names[:i]]
        if repeated:
            raise ViewsError(f"subset names the view {repeated[0]!r} twice; name it once.")
        positions = [self._position(name) for name in names]
        return Views._assemble(
            {name: self._matrices[name] for name in names},
            self._observed[:, positions],
            {name: self._feature_names[name] for name in names if name in self._feature_names},
            self._sample_ids,
        )

    def drop_unobserved(self) -> Views:
        """Keep the objects that are seen in every view."""
        return self[self._observed.all(axis=1)]

    def with_observed(self, observed: Any) -> Views:
        """Hide views: return the same data with another mask, which can only take away.

        Parameters
        ----------
        observed : array of bool of shape (n_objects, n_views) or dict of arrays
            Which object is to be seen in which view; a dict may leave out views.
        """
        return Views(self, observed=observed)

    # -- leaving ---------------------------------------------------------------------------------

    def concatenate(self) -> Matrix:
        """All views side by side: a CSR array if any view is sparse, else a dense array."""
        matrices = list(self._matrices.values())
        if any(is_sparse(matrix) for matrix in matrices):
            return sparse.csr_array(sparse.hstack(matrices, format="csr"))
        return np.hstack(matrices)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        """Lay all views side by side in one dense array, NaN where a view is unobserved."""
        if copy is False:
            raise ValueError("a Views cannot become one array without a copy.")
        if any(is_sparse(matrix) for matrix in self._matrices.values()):
            check_memory(
                self.shape,
                f"{self.shape[0]:,} objects with {self.shape[1]:,} features as one dense array",
                remedy="leave out wide sparse views, or reduce them by PerView(TruncatedSVD(100))",
            )
        wide = np.hstack([m.toarray() if is_sparse(m) else m for m in self._matrices.values()])
        for name, columns in self.layout.slices().items():
            wide[~self.observed_in(name), columns] = np.nan
        return np.asarray(wide, dtype=dtype)

    def to_frame(self) -> Any:
        """A pandas DataFrame with columns ``view__feature``; unobserved rows are NaN."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("to_frame", "mudata") from error
        columns = self.layout.column_names()
        return pd.DataFrame(np.asarray(self), index=self._sample_ids, columns=columns)

    def frame_of(self, values: Any, names: Sequence[str] | None = None) -> Any:
        """A pandas DataFrame of results, such as labels or coordinates, with the ids as index.

        Parameters
        ----------
        values : array-like of shape (n_objects,) or (n_objects, n_columns)
            One row per object of these views.
        names : sequence of str, optional
            Names of the columns; by default 0, 1, and so on.

        Examples
        --------
        >>> views = Views({"text": np.eye(2)}, sample_ids=["ann", "bob"])
        >>> views.frame_of([0, 1], ["cluster"])
             cluster
        ann        0
        bob        1
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("frame_of", "mudata") from error
        rows = in_row_order(values, self._sample_ids, "values")
        found = np.asarray(rows.toarray() if is_sparse(rows) else rows)
        if len(found) != len(self):
            raise ViewsError(
                f"values has {len(found)} rows for {len(self)} objects; give one for each."
            )
        return pd.DataFrame(found, index=self._sample_ids, columns=names)

    def annotate(
        self,
        container: Any,
        *,
        obs: Mapping[str, Any] | None = None,
        obsm: Mapping[str, Any] | None = None,
    ) -> None:
        """Write results into a MuData or AnnData, matched by id.

        Objects of the container that these views do not have get no value.

        Parameters
        ----------
        container : MuData or AnnData
            What gets the results.
        obs : dict of array-like of shape (n_objects,), optional
            Columns of ``obs``, such as ``{"cluster": model.labels_}``; all but floats become
            categories.
        obsm : dict of array-like of shape (n_objects, n_components), optional
            Coordinates, such as ``{"X_cca": embedding}``.
        """
        import pandas as pd

        names = container.obs_names
        columns = {k: spread_over(v, self._sample_ids, names, k) for k, v in (obs or {}).items()}
        places = {k: spread_over(v, self._sample_ids, names, k) for k, v in (obsm or {}).items()}
        for name, column in columns.items():
            container.obs[name] = column if column.dtype.kind == "f" else pd.Categorical(column)
        for name, place in places.items():
            container.obsm[name] = place

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


class RowsById:
    """Views whose rows are chosen by the ids of the objects."""

    def __init__(self, views: Views) -> None:
        self._views = views

    def __getitem__(self, ids: Any) -> Views:
        """Return one object, or several in the order in which they are named."""
        return self._views._take(rows_named(self._views.sample_ids, ids))


def _common_length(parts: convert.Parts) -> int:
    lengths = {name: int(matrix.shape[0]) for name, matrix in parts.matrices.items()}
    first, n_objects = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length == n_objects:
            continue
        remedy = "give every view one row per object, with None or NaN where a view is missing."
        if parts.sample_ids is not None:
            remedy = "join tables by their index with Views.align."
        elif len({matrix.shape[1] for matrix in parts.matrices.values()}) == 1:
            remedy = f"{remedy[:-1]}, or transpose them all if objects are in the columns."
        raise ViewsError(
            f"view {first!r} has {n_objects} rows but view {name!r} has {length}; {remedy}"
        )
    return n_objects


def _given_ids(sample_ids: Any, own: AnyArray | None) -> AnyArray:
    """Read new ids; a column of them is matched by its index to the ids that the tables have."""
    try:
        return as_ids(in_row_order(sample_ids, own, "sample_ids"))
    except ValueError as error:
        raise ViewsError(str(error)) from error


def _stated_mask(
    observed: Any, parts: convert.Parts, ids: AnyArray | None, n_objects: int
) -> dict[str, BoolArray]:
    """Combine the mask the input carries with the one the user gives."""
    stated = dict(parts.observed)
    if observed is not None:
        if isinstance(observed, Mapping):
            observed = {
                name: in_row_order(column, ids, "observed") for name, column in observed.items()
            }
        else:
            observed = in_row_order(observed, ids, "observed")
        for name, mask in read_mask(observed, list(parts.matrices), n_objects).items():
            stated[name] = mask & stated.get(name, True)
    return stated


def _checked_features(
    feature_names: Mapping[str, Any] | None, matrices: Mapping[str, Matrix]
) -> dict[str, AnyArray]:
    checked = {}
    for name, features in (feature_names or {}).items():
        if name not in matrices:
            raise UnknownViewError(
                f"feature_names names the view {name!r}, which is not among the views "
                f"{list(matrices)}; rename or remove it."
            )
        if len(features) != matrices[name].shape[1]:
            raise ViewsError(
                f"feature_names gives {len(features)} names to view {name!r}, "
                f"which has {matrices[name].shape[1]} features; give one per feature."
            )
        checked[name] = np.asarray(features, dtype=object)
    return checked


def _seen(matrix: Matrix, stated: BoolArray | None) -> BoolArray:
    """Rows that are observed: those not said to be missing and not NaN throughout."""
    seen = np.ones(matrix.shape[0], dtype=bool) if stated is None else stated.copy()
    if not is_sparse(matrix) and matrix.shape[1]:
        suspects = np.flatnonzero(np.isnan(matrix[:, 0]))  # cheaper than looking at every cell
        seen[suspects[np.isnan(matrix[suspects]).all(axis=1)]] = False
    return seen


def _blank(matrix: Matrix, seen: BoolArray) -> Matrix:
    """Take out what stands in unobserved rows; no copy where nothing does."""
    if seen.all():
        return matrix
    if is_sparse(matrix):
        counts = np.diff(matrix.indptr)
        if not counts[~seen].any():
            return matrix
        keep = np.repeat(seen, counts)
        indptr = np.concatenate([[0], np.cumsum(np.where(seen, counts, 0))])
        parts = matrix.data[keep], matrix.indices[keep], indptr.astype(matrix.indptr.dtype)
        return sparse.csr_array(parts, shape=matrix.shape)
    if np.isnan(matrix[~seen]).all():
        return matrix
    blanked = matrix.copy()
    blanked[~seen] = np.nan
    return blanked


def _frozen(array: AnyArray) -> AnyArray:
    view = array.view()
    view.flags.writeable = False
    return view


def _frozen_matrix(matrix: Matrix) -> Matrix:
    if not is_sparse(matrix):
        return _frozen(matrix)
    parts = _frozen(matrix.data), _frozen(matrix.indices), _frozen(matrix.indptr)
    frozen = sparse.csr_array(parts, shape=matrix.shape, copy=False)
    frozen.has_canonical_format = True  # asked for at the entrance, kept by every operation here
    return frozen


def _as_rows(key: Any, n_objects: int) -> slice | AnyArray:
    if isinstance(key, tuple):  # the (rows, ...) form of scikit-learn's indexing
        if len(key) != 2 or not (isinstance(key[1], EllipsisType) or key[1] == slice(None)):
            raise IndexError("Views takes rows only: views[rows]; for one view use views['name'].")
        key = key[0]
    if isinstance(key, slice):
        return key
    if isinstance(key, int | np.integer) and not isinstance(key, bool | np.bool_):
        if not -n_objects <= key < n_objects:
            raise IndexError(f"row {key} is out of range for {n_objects} objects.")
        start = int(key) % n_objects
        return slice(start, start + 1)
    rows = np.asarray(key)
    if rows.size == 0:
        rows = rows.astype(np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "biu":
        raise IndexError(
            "rows are chosen by an integer, a slice, an array of integers or a boolean mask; "
            "for several views use views.subset([...])."
        )
    if rows.dtype.kind == "b":
        if len(rows) != n_objects:
            raise IndexError(f"the mask has {len(rows)} entries for {n_objects} objects.")
        return np.flatnonzero(rows)
    return rows


def _rows_of(matrix: Any, rows: slice | AnyArray) -> Any:
    if is_sparse(matrix):
        return _sparse_rows(matrix, rows)
    return matrix[rows] if isinstance(rows, slice) else matrix.take(rows, axis=0)


def _sparse_rows(matrix: Any, rows: slice | AnyArray) -> Any:
    """Rows of a CSR array; consecutive ones share its memory, which SciPy would copy."""
    if not isinstance(rows, slice):
        return matrix[rows]
    start, stop, step = rows.indices(matrix.shape[0])
    if step != 1:
        return matrix[np.arange(start, stop, step)]
    stop = max(start, stop)
    first, last = matrix.indptr[start], matrix.indptr[stop]
    parts = matrix.data[first:last], matrix.indices[first:last], matrix.indptr[start : stop + 1]
    shape = (stop - start, matrix.shape[1])
    return sparse.csr_array((parts[0], parts[1], parts[2] - first), shape=shape, copy=False)


def _same_matrix(one: Matrix, other: Matrix) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if is_sparse(one) and is_sparse(other):
        return (
            np.array_equal(one.indptr, other.indptr)
            and np.array_equal(one.indices, other.indices)
            and np.array_equal(one.data, other.data, equal_nan=True)
        )
    if is_sparse(one) or is_sparse(other):
        return False
    return np.array_equal(one, other, equal_nan=True)


def _same_ids(one: AnyArray | None, other: AnyArray | None) -> bool:
    if one is None or other is None:
        return one is other
    return same_ids(one, other)


class ViewSummary(NamedTuple):
    """One line about one view."""

    name: str
    n_features: int
    kind: str
    dtype: str
    density: float
    observed: float


def summaries(views: Views) -> list[ViewSummary]:
    """Shape, kind, density (over the observed rows) and share observed of each view."""
    return [
        ViewSummary(
            name,
            int(matrix.shape[1]),
            "sparse" if is_sparse(matrix) else "dense",
            str(matrix.dtype),
            density(matrix, int(seen.sum())),
            float(seen.mean()) if len(seen) else 1.0,
        )
        for (name, matrix), seen in zip(views.items(), views.observed.T, strict=True)
    ]


def density(matrix: Matrix, n_observed: int) -> float:
    """Share of the cells in observed rows that are neither zero nor missing."""
    cells = n_observed * matrix.shape[1]
    if cells == 0:
        return 0.0
    if is_sparse(matrix):
        return float(matrix.nnz) / cells
    return float(np.count_nonzero(matrix) - np.count_nonzero(np.isnan(matrix))) / cells


def as_text(views: Views) -> str:
    """One line for the whole and one for each view."""
    rows = summaries(views)
    width = max(len(row.name) for row in rows)
    digits = max(len(f"{row.n_features:,}") for row in rows)
    lines = [f"Views of {len(views):,} objects in {views.n_views} views"]
    lines += [
        f"  {row.name:<{width}}  {row.n_features:>{digits},} features  {row.kind:<6} {row.dtype}"
        f"  density {row.density:.3g}  observed {row.observed:.1%}"
        for row in rows
    ]
    return "\n".join(lines)


def as_html(views: Views) -> str:
    """Return the same as a small table."""
    heads = ("view", "shape", "kind", "dtype", "density", "observed")
    head = "".join(f"<th style='text-align:left'>{text}</th>" for text in heads)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td style='text-align:left'>{escape(text)}</td>"
            for text in (
                row.name,
                f"{len(views):,} × {row.n_features:,}",
                row.kind,
                row.dtype,
                f"{row.density:.3g}",
                f"{row.observed:.1%}",
            )
        )
        + "</tr>"
        for row in summaries(views)
    )
    caption = f"<b>Views</b> of {len(views):,} objects in {views.n_views} views"
    return f"<div>{caption}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


@dataclass(frozen=True)
class Dataset:
    """What is read from a file or loaded by name; unpacks as ``views, y = dataset``."""

    views: Views
    y: AnyArray | None = None
    """Labels as in every ``fit``: -1, None or NaN where an object has none."""
    label_names: tuple[str, ...] = ()
    """What the integers in ``y`` stand for, if they stand for names."""
    extra: Mapping[str, AnyArray] = field(default_factory=dict)
    """Other arrays with one row per object: a second labelling, a split, groups."""
    name: str = ""
    notes: tuple[str, ...] = ()
    """What was decided in reading, of which a user should know."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.views, self.y))
