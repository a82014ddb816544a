"""Files of views: one ``.npz``, one ``.h5mu``, several tables, or a folder of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np

from manyviews.data.io.atomic import settled
from manyviews.data.io.cells import storable
from manyviews.data.io.safety import refuse_absent
from manyviews.data.rows import in_row_order
from manyviews.data.views import Dataset, Views
from manyviews.exceptions import FileFormatError, ViewsError
from manyviews.maths import read_labels
from manyviews.typing import AnyArray, ViewsLike

__all__ = ["read", "write"]

_SUFFIXES = (".npz", ".h5mu")


def read(
    path: str | PathLike[str] | Sequence[str | PathLike[str]] | Mapping[str, str | PathLike[str]],
    *,
    id: str | Mapping[str, str] | None = None,  # noqa: A002 (what everybody calls it)
    labels: str | PathLike[str] | None = None,
    max_bytes: int | None = None,
) -> Dataset:
    r"""Read views, with labels and whatever else is there, from files or a folder.

    Parameters
    ----------
    path : str or path, list of them, or dict of them by name of view
        Several tables, as in ``["clinic.csv", "genes.parquet"]``, are as many views, each called
        like its file, or as the dict or ``"clinic=new.csv"`` says; see below. Else one of

        - a ``.npz`` file that :func:`write` made, or any without pickles whose keys are
          ``view_<name>`` (dense), ``view_<name>_data``, ``_indices``, ``_indptr``, ``_shape``
          (CSR), or one matrix ``X``, or a stack ``kernels``; ``present_<name>`` is a mask,
          ``feature_names_<name>``, ``ids``, ``y`` and ``label_names`` are what they say, and
          other arrays with one row per object become ``extra``;
        - a ``.h5mu`` file: each modality is a view, an object that it lacks is unobserved there,
          and labels are the column ``y`` or ``label`` of ``obs``, if there is one;
        - one table;
        - a folder with a ``views.toml`` (or that file itself), see below, or a folder of tables,
          whose ``labels.csv``, if it is there, has the labels.
    id : str or dict of str, optional
        The column of tables that has the ids of the objects: one name for all, or one for each
        view by its name.
    labels : str or path, optional
        Where the labels are, if not where they are by default: a column of the tables, which then
        is no feature; a column of ``obs``; another array of the file (``extra``); or a csv or
        parquet file with one label per object, by id if it has ids. ``"outcome.csv:status"``
        names the column in it.
    max_bytes : int, optional
        How much memory the data of a file may take, by the sizes that it declares. By default
        what the environment variable ``MANYVIEWS_MAX_BYTES`` says; without it, a file may grow to
        256 MiB, or by a factor of 300 up to 4 GiB, and one that is large itself by a factor of 2.

    Returns
    -------
    Dataset
        Unpacks as ``views, y = read(path)``.

    Raises
    ------
    FileFormatError
        If the file is damaged, of a later version, of another kind, or made to hurt: one that
        reaches for other files, holds wild indices, or grows beyond ``max_bytes``.

    Notes
    -----
    Tables are ``.csv`` or ``.tsv`` files with a header, of cells between commas, semicolons or
    tabs; ``.parquet`` files, in which an index that pandas wrote has the ids; ``.h5ad`` files of
    AnnData, whose ``X`` is the view, or a layer that is named as in ``cells.h5ad:counts``; and
    svmlight files. They are joined by id: rows may be in any order, and an object that a table
    lacks is unobserved in that view. Without ``id``, ids are recognised as in a folder made by
    hand. Where no table has ids, equally long ones are joined by position. ``Dataset.notes`` says
    what was decided.

    A folder made by hand needs little::

        [views.text]
        file = "text.csv"

        [views.links]
        file = "links.svm"

    A view's ``format`` is ``"csv"``, ``"parquet"`` or ``"svmlight"``, by default what the suffix
    says. A CSV file has a header; its first column has the ids of the objects if it is called
    ``id`` or nothing, or is called like ids (``patient_id``, ``sampleID``) and holds distinct
    integers or words, which ``Dataset.notes`` says; ``id = "…"`` names another. Files
    with ids may have any rows in any order: an object that is not in a file is unobserved in that
    view, as is one whose cells are all empty. Files without ids have one row per object. Further
    entries: ``separator``, ``sparse``, ``dtype``, ``n_features`` and ``first_index`` (svmlight; its
    targets are not read).

    ``labels.csv``, if it is there, has labels in the column ``y`` or ``label`` (or the one that
    ``y.column`` names, or the only one), with empty cells for unlabelled objects; other columns
    become ``extra``. Labels of objects that are in no view are left out with a warning.
    ``observed.csv``, if it is there, has a column of 0 and 1 for each view with a mask.

    The ``.npz`` and ``.h5mu`` files written here have checksums over all their data, so that a
    damaged one is refused. A folder is there to be edited: a changed digit is a changed value.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "text.csv").write_text("id,price,size\nann,1,2\nbob,3,4\n")
    ...     _ = Path(folder, "views.toml").write_text('[views.text]\nfile = "text.csv"\n')
    ...     views, y = read(folder)
    >>> views["text"], views.sample_ids
    (array([[1., 2.], [3., 4.]]), array(['ann', 'bob'], dtype='<U3'))
    >>> with TemporaryDirectory() as folder:
    ...     clinic, genes = Path(folder, "clinic.csv"), Path(folder, "genes.csv")
    ...     _ = clinic.write_text("patient,age,ill\nann,61,yes\nbob,45,no\n")
    ...     _ = genes.write_text("patient;BRCA1\nbob;0.3\nann;0.7\ncem;0.1\n")
    ...     views, y = read([clinic, genes], id="patient", labels="ill")
    >>> views["genes"].ravel(), views.observed_in("clinic"), y
    (array([0.7, 0.3, 0.1]), array([ True,  True, False]),
     array(['yes', 'no', None], dtype=object))
    """
    from manyviews.data.io.joining import named_tables, read_tables

    chosen = None if labels is None else str(labels)
    files = named_tables(path)
    if files is not None:
        return read_tables(files, id_columns=id, labels=chosen, max_bytes=max_bytes)
    one = Path(path if isinstance(path, str | PathLike) else next(iter(path)))
    return _read_one(one, id, chosen, max_bytes)


def _read_one(
    path: Path,
    id_columns: str | Mapping[str, str] | None,
    labels: str | None,
    max_bytes: int | None,
) -> Dataset:
    """Read a file of all views, or a folder."""
    from manyviews.data.io.folder import TOML, read_folder
    from manyviews.data.io.joining import KINDS, read_folder_of_tables, relabelled

    settled(path.parent if path.name == TOML else path)
    refuse_absent(path)
    if path.is_dir() and not (path / TOML).exists():
        return read_folder_of_tables(
            path, id_columns=id_columns, labels=labels, max_bytes=max_bytes
        )
    if id_columns is not None:
        raise ViewsError(f"{path} says itself which ids its objects have; leave id out.")
    if path.is_dir() or path.name == TOML:
        dataset = read_folder(path if path.is_dir() else path.parent, max_bytes)
        return relabelled(dataset, labels)
    match path.suffix.lower():
        case ".npz":
            from manyviews.data.io.npz import read_npz

            return relabelled(read_npz(path, max_bytes), labels)
        case ".h5mu":
            from manyviews.data.io.h5mu import read_h5mu

            return relabelled(read_h5mu(path, max_bytes, labels), labels)
    raise FileFormatError(
        f"{path} is of no kind that is known here; give a .npz or .h5mu file, tables "
        f"({', '.join(KINDS)}), or a folder of them."
    )


def write(
    views: ViewsLike | Dataset,
    path: str | PathLike[str],
    y: Any = None,
    label_names: Sequence[str] = (),
    extra: Mapping[str, Any] | None = None,
    *,
    format: Literal["auto", "csv", "parquet", "svmlight"] = "auto",  # noqa: A002
) -> None:
    """Write views so that :func:`read` gives back the same, to the last bit.

    Writing is atomic: the data are written beside the target and then moved into place, so that
    after any failure the old file is as it was. One process writes a name at a time; what one that
    was killed left behind, the next removes.

    Parameters
    ----------
    views : Views, Dataset, or anything that ``Views`` takes
        Views without objects or without features are kept as they are.
    path : str or path
        A name that ends in ``.npz`` (fastest; not compressed, so as fast as the disk; not
        pickled), one that ends in ``.h5mu`` (for muon and scverse; needs the extra ``mudata``),
        or a name without suffix, for a folder of text files. An existing folder is replaced only
        if it has a ``views.toml`` and nothing that this file does not name.
    y : array-like of shape (n_objects,), optional
        Labels: integers, floats, booleans, strings, or objects that are strings, numbers or None.
    label_names : sequence of str
        What integer labels stand for.
    extra : dict of arrays, optional
        Other arrays with one row per object.
    format : {"auto", "csv", "parquet", "svmlight"}
        Files in a folder; by default svmlight for sparse views and csv for dense ones. Parquet
        needs pyarrow, which is in the extra ``all``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from manyviews import Views, read
    >>> views = Views({"text": np.eye(2), "links": [[1.0, 2.0], None]})
    >>> with TemporaryDirectory() as folder:
    ...     write(views, Path(folder, "two.npz"), y=["news", None])
    ...     again = read(Path(folder, "two.npz"))
    >>> again.views.equals(views), again.y
    (True, array(['news', None], dtype=object))
    """
    path = Path(path)
    _check_target(path, format)
    dataset = gather(views, y, label_names, extra)
    try:
        _write(dataset, path, format)
    except UnicodeEncodeError as error:
        raise ViewsError(
            f"the text {error.object[:80]!r} is no valid Unicode and cannot be written to {path}; "
            "replace its odd characters."
        ) from error


def _write(
    dataset: Dataset, path: Path, view_format: Literal["auto", "csv", "parquet", "svmlight"]
) -> None:
    match path.suffix.lower():
        case ".npz":
            from manyviews.data.io.npz import write_npz

            write_npz(dataset, path)
        case ".h5mu":
            from manyviews.data.io.h5mu import write_h5mu

            write_h5mu(dataset, path)
        case _:
            from manyviews.data.io.folder import write_folder

            write_folder(dataset, path, view_format)


def _check_target(path: Path, view_format: str) -> None:
    if view_format not in {"auto", "csv", "parquet", "svmlight"}:
        raise ValueError(
            f"format should be 'auto', 'csv', 'parquet' or 'svmlight', not {view_format!r}."
        )
    suffix = path.suffix.lower()
    if suffix in _SUFFIXES and view_format != "auto":
        raise ValueError(
            f"format={view_format!r} is for folders and {path} is a {suffix} file; leave it out."
        )
    if suffix and suffix not in _SUFFIXES and not path.is_dir():
        raise ValueError(
            f"{path} has the suffix {suffix!r}; end it in .npz or .h5mu, or give a folder a name "
            "without a dot."
        )


def gather(
    views: Any, y: Any, label_names: Sequence[str], extra: Mapping[str, Any] | None
) -> Dataset:
    """Bring the arguments of ``write`` into one checked data set; what is given beside it wins."""
    given = views if isinstance(views, Dataset) else Dataset(Views(views))
    content = _storable_views(given.views)
    y = given.y if y is None else y
    if y is not None:
        y = in_row_order(y, content.sample_ids)
        y = _one_per_object(read_labels(y, "y"), len(content), "y")
    columns = given.extra if extra is None else extra
    return Dataset(
        content,
        y,
        tuple(_text(name, "label_names") for name in (label_names or given.label_names)),
        {
            _text(name, "extra"): _one_per_object(
                _as_array(in_row_order(values, content.sample_ids, f"extra {name!r}")),
                len(content),
                f"extra {name!r}",
            )
            for name, values in columns.items()
        },
        given.name,
    )


def _storable_views(views: Views) -> Views:
    for name, matrix in views.items():
        if matrix.dtype.itemsize > 8:
            raise ViewsError(
                f"view {name!r} has the type {matrix.dtype}, which differs between machines; "
                "turn it into float64."
            )
    ids = views.sample_ids
    return Views(
        views,
        feature_names={
            name: storable(names, f"feature_names of view {name!r}")
            for name, names in views.feature_names.items()
        },
        sample_ids=None if ids is None else storable(ids, "sample_ids"),
    )


def _text(name: Any, where: str) -> str:
    if not isinstance(name, str):
        raise ViewsError(f"{where} holds the name {name!r}, which is not a string; rename it.")
    return str(name)


def _as_array(values: Any) -> AnyArray:
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def _one_per_object(values: AnyArray, n_objects: int, what: str) -> AnyArray:
    if values.ndim == 0 or len(values) != n_objects:
        raise ViewsError(
            f"{what} has the shape {values.shape} for {n_objects} objects; give one row per object."
        )
    return storable(values, what)
