"""Views in files of MuData and AnnData: read, written, checked, and sealed with a checksum."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
import warnings
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from manyviews.data import convert
from manyviews.data.io.atomic import replaced_file
from manyviews.data.io.cells import (
    Column,
    column_of,
    dtype_called,
    dtype_name,
    from_cells,
    group_keys,
    object_keys,
    pack,
    refuse_wide,
    to_cells,
    unpack,
    with_index_type,
)
from manyviews.data.io.safety import DamageError, check_size, check_version, reading, size_limit
from manyviews.data.io.tables import Table
from manyviews.data.rows import nearest
from manyviews.data.views import Dataset, Views
from manyviews.exceptions import MissingExtraError
from manyviews.maths import read_labels
from manyviews.typing import AnyArray, Matrix, is_sparse

SECTION = "manyviews"
"""Where our own notes stand in ``uns``."""
VERSION = 1
"""Of the format: files of a higher one are refused."""
FEATURES = "manyviews_feature"
"""Column of ``var`` with the exact feature names, where MuData cannot have them as row names."""
LABEL_COLUMNS = ("y", "label")
"""Columns of ``obs`` that are taken for labels, in this order."""


@contextmanager
def loaded() -> Iterator[Any]:
    """The package, not pulling columns between tables, its advice to users of its own API muted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import mudata
        except ImportError as error:
            raise MissingExtraError("reading and writing .h5mu files", "mudata") from error
        with not_pulling(mudata):
            yield mudata


def not_pulling(mudata: Any) -> AbstractContextManager[Any]:
    """Keep columns of one table out of the others; from mudata 0.4 on that is how it is."""
    if hasattr(mudata, "set_options"):
        return mudata.set_options(pull_on_update=False)
    return nullcontext()


def read_h5mu(path: Path, max_bytes: int | None = None, wanted: str | None = None) -> Dataset:
    """Read a file of ours, or any MuData whose modalities share their objects.

    In a file of others the labels are the column ``y`` or ``label`` of ``obs``, if there is one.
    A column of ``obs`` that is wanted, or one of a modality (``rna:cell_type``), becomes ``extra``.
    """
    with loaded() as mudata, reading(path, ".h5mu file"):
        check_seal(path)
        check_hdf5(path, max_bytes)
        container = mudata.read_h5mu(path)
        _check_container(container)
        notes = container.uns.get(SECTION)
        if notes is None:
            dataset = _foreign(container, path.stem)
        else:
            check_version(_plain(notes.get("format")), VERSION)
            dataset = _own(container, notes, path.stem)
        if wanted is None or wanted == "y" or wanted in dataset.extra:
            return dataset
        column = _obs_column(container, wanted)
        if column is None:
            return dataset
        ids = dataset.views.sample_ids
        objects = range(len(dataset.views)) if ids is None else ids
        found = _foreign_labels(column.reindex([str(key) for key in objects]))
        return replace(dataset, extra={**dataset.extra, wanted: found})


def _obs_column(container: Any, name: str) -> Any:
    """Column of that name in ``obs``, or else in the ``obs`` of the one modality that has it."""
    if name in container.obs:
        return container.obs[name]
    modality, _, own = name.partition(":")
    if modality in container.mod and own in container.mod[modality].obs:
        return container.mod[modality].obs[own]
    holders = [key for key in container.mod if name in container.mod[key].obs]
    if len(holders) > 1:
        raise DamageError(
            f"several modalities have a column {name!r} in obs; name one, as in "
            f"{holders[0]}:{name}."
        )
    return container.mod[holders[0]].obs[name] if holders else None


def read_h5ad(
    path: Path, *, layer: str | None, aside: Collection[str], max_bytes: int | None
) -> Table:
    """Read one view from an AnnData file: its X, or the layer that is named or the only one."""
    with loaded():
        import anndata

        check_hdf5(path, max_bytes)
        container = anndata.read_h5ad(path)
    if layer is None and container.X is None and len(container.layers) == 1:
        layer = next(iter(container.layers))
    if layer is None and container.X is None:
        raise DamageError(
            f"it has no matrix X; name a layer as in {path.name}:counts, of which "
            f"{nearest('counts', container.layers)}"
        )
    if layer is not None and layer not in container.layers:
        raise DamageError(f"it has no layer {layer!r}; {nearest(layer, container.layers)}")
    values, _ = convert.as_matrix(container.X if layer is None else container.layers[layer], "X")
    others = {name: _as_cells(container.obs[name]) for name in aside if name in container.obs}
    names = [str(name) for name in container.var_names]
    return Table(values, names, [str(key) for key in container.obs_names], None, others)


def _as_cells(column: Any) -> list[str]:
    gaps, values = column.isna(), column.tolist()
    return ["" if gap else str(value) for gap, value in zip(gaps, values, strict=True)]


def _check_container(container: Any) -> None:
    if container.axis != 0:
        raise DamageError(
            "its modalities share features and not objects (axis 1), so they are no views; "
            "join them into one modality first."
        )
    if not len(container.mod):
        raise DamageError("it has no modality, thus no view; write it with at least one.")
    for name in container.mod:
        if container.mod[name].X is None:
            raise DamageError(
                f"the modality {name!r} has no matrix X; fill X or remove the modality."
            )


def _foreign(container: Any, name: str) -> Dataset:
    views = Views(container)
    found = [column for column in LABEL_COLUMNS if column in container.obs]
    y = _foreign_labels(container.obs[found[0]]) if found else None
    return Dataset(views, y, name=name)


def _foreign_labels(column: Any) -> AnyArray:
    """Values of a column as labels: gaps are -1 among integers, NaN among floats, else None."""
    from pandas.api import types

    if types.is_integer_dtype(column.dtype):
        return column.fillna(-1).to_numpy(dtype=np.int64)
    if types.is_float_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    gaps = column.isna().to_numpy()
    listed = column.astype(object).to_numpy().tolist()
    return read_labels([None if gap else v for gap, v in zip(gaps, listed, strict=True)], "y")


def _own(container: Any, notes: Mapping[str, Any], name: str) -> Dataset:
    header = json.loads(notes["header"])
    everyone = [str(key) for key in notes["objects"]]
    unseen = np.asarray(notes["unseen"], dtype=bool)
    present = set(container.obs_names)
    if len(unseen) != len(everyone) or not present <= set(everyone):
        raise DamageError(
            "it has objects that it had not when manyviews wrote it; remove uns['manyviews'] to "
            "have it read like any other MuData."
        )
    kept = np.array([key in present for key in everyone], dtype=bool) | unseen
    objects = [key for key, keep in zip(everyone, kept, strict=True) if keep]
    y = _own_labels(container, notes, header, objects) if "y" in container.obs else None
    extra = {
        key: _restored(notes["extra"][f"extra{i}"])[kept] for i, key in enumerate(header["extra"])
    }
    ids = _own_ids(notes, header, objects, kept)
    views = _own_views(container, header["views"], objects, ids)
    return Dataset(views, y, tuple(header["label_names"]), extra, header["name"] or name)


def _own_ids(
    notes: Mapping[str, Any], header: Mapping[str, Any], objects: list[str], kept: AnyArray
) -> AnyArray | None:
    if header["sample_ids"] is not None:
        return from_cells(objects, Column(header["sample_ids"]))
    return _restored(notes["sample_ids"])[kept] if "sample_ids" in notes else None


def _own_views(
    container: Any, header: Mapping[str, Any], objects: list[str], ids: AnyArray | None
) -> Views:
    parts = convert.align({key: container.mod[key] for key in container.mod}, objects)
    names = {key: header[key]["name"] if key in header else key for key in container.mod}
    features = {
        names[key]: found
        for key in container.mod
        if (found := _own_features(container.mod[key], header.get(key))) is not None
    }
    return Views(
        {names[key]: _retyped(m, header.get(key)) for key, m in parts.matrices.items()},
        observed={names[key]: seen for key, seen in parts.observed.items()},
        feature_names=features,
        sample_ids=ids,
    )


def _retyped(matrix: Matrix, header: Mapping[str, Any] | None) -> Matrix:
    if header is None or header["index_type"] is None or not is_sparse(matrix):
        return matrix
    return with_index_type(matrix, dtype_called(header["index_type"], "i"))


def _own_features(modality: Any, header: Mapping[str, Any] | None) -> Sequence[Any] | None:
    if header is not None and not header["feature_names"]:
        return None
    if header is not None and FEATURES in modality.var:
        return [json.loads(feature) for feature in modality.var[FEATURES]]
    return list(modality.var_names)


def _own_labels(
    container: Any, notes: Mapping[str, Any], header: Mapping[str, Any], objects: list[str]
) -> AnyArray:
    column = Column(**header["y"]) if "y" in header else None
    stored = container.obs["y"]
    if column is None:  # added by others since
        return _foreign_labels(stored.reindex(objects))
    seen, hidden = _seen_labels(stored, column), _restored(notes["unseen_y"])
    order = {key: row for row, key in enumerate(container.obs_names)}
    unseen = (k for k, hide in zip(notes["objects"], notes["unseen"], strict=True) if hide)
    order.update({str(key): len(seen) + row for row, key in enumerate(unseen)})
    rows = np.array([order[key] for key in objects], dtype=np.intp)
    return _as_type(np.concatenate([seen, hidden])[rows], dtype_called(column.dtype))


def _seen_labels(stored: Any, column: Column) -> AnyArray:
    dtype = dtype_called(column.dtype)
    if dtype.kind not in "biuf":
        gaps = stored.isna()
        return from_cells(
            ["" if gap else str(cell) for gap, cell in zip(gaps, stored, strict=True)], column
        )
    if dtype.kind == "f":  # MuData turns floats without a fraction into integers
        return stored.to_numpy(dtype=np.float64, na_value=np.nan).astype(dtype)
    values = stored.to_numpy()
    if values.dtype.kind not in "biu":
        raise DamageError(
            f"its labels are of type {values.dtype} and were written as {dtype}; remove "
            "uns['manyviews'] to have it read like any other MuData."
        )
    return values.astype(dtype)


def _restored(stored: Mapping[str, Any]) -> AnyArray:
    dtype = dtype_called(_plain(stored["dtype"]))
    if "json" in stored:
        return _as_type(unpack(str(stored["json"])), dtype)
    return np.asarray(stored["values"]).view(dtype)


def _as_type(values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    refuse_wide(dtype, values.size)
    return values.astype(dtype)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


BYTES_OF_NAME = 100
"""Of an object or feature, with its pointer and its place in the maps between modalities."""

SMALLEST = 1 << 20
"""Bytes of a file with nothing in it: two modalities without rows have a tenth of that."""


def write_h5mu(dataset: Dataset, path: Path) -> None:
    """Write one modality per view; an object that a view does not show is absent from it.

    Labels are the column ``y`` of ``obs``; ``uns["manyviews"]`` has the version, the list of all
    objects (those seen in no view too), the names of labels and the extra arrays.
    """
    with loaded() as mudata:
        container = _container(dataset, mudata)
        with replaced_file(path) as temporary:
            _refuse_full_disk(dataset.views, temporary)
            mudata.write_h5mu(temporary, container)
            seal(temporary)


def _refuse_full_disk(views: Views, path: Path) -> None:
    """Fail as other writers do where there is no room: HDF5 has no sentence then, or crashes."""
    names = len(views) * (len(views.names) + 1) + views.shape[1]
    numbers = sum(_bytes(matrix) for _, matrix in views.items())
    if shutil.disk_usage(path.parent).free < numbers + names * BYTES_OF_NAME + SMALLEST:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path.parent))


def _bytes(matrix: Matrix) -> int:
    parts = (matrix.data, matrix.indices, matrix.indptr) if is_sparse(matrix) else (matrix,)
    return sum(int(part.nbytes) for part in parts)


def _container(dataset: Dataset, mudata: Any) -> Any:
    views = dataset.views
    keys, id_column = object_keys(views.sample_ids, len(views))
    objects = np.array(keys, dtype=object)
    modalities = group_keys(views.names)
    variables = _variables(views, modalities)
    container = mudata.MuData(
        {
            key: _modality(views, name, objects, variables[name])
            for key, name in zip(modalities, views.names, strict=True)
        }
    )
    notes: dict[str, Any] = {
        "format": VERSION,
        "objects": objects,
        "unseen": ~views.observed.any(axis=1),
        "extra": {f"extra{i}": _stored(a) for i, a in enumerate(dataset.extra.values())},
        "header": json.dumps(_header(dataset, modalities, id_column)),
    }
    if id_column is None and views.sample_ids is not None:
        notes["sample_ids"] = _stored(views.sample_ids)
    if dataset.y is not None:
        row_of = {key: row for row, key in enumerate(keys)}
        rows = np.array([row_of[key] for key in container.obs_names], dtype=np.intp)
        container.obs["y"] = _label_column(dataset.y[rows], column_of(dataset.y))
        notes["unseen_y"] = _stored(dataset.y[notes["unseen"]])
    container.uns[SECTION] = notes
    return container


def _header(dataset: Dataset, modalities: list[str], ids: Column | None) -> dict[str, Any]:
    views = dataset.views
    header: dict[str, Any] = {
        "name": dataset.name,
        "label_names": list(dataset.label_names),
        "extra": list(dataset.extra),
        "sample_ids": None if ids is None else ids.dtype,
        "views": {
            key: {
                "name": name,
                "index_type": dtype_name(matrix.indices.dtype) if is_sparse(matrix) else None,
                "feature_names": name in views.feature_names,
            }
            for key, (name, matrix) in zip(modalities, views.items(), strict=True)
        },
    }
    if dataset.y is not None:
        column = column_of(dataset.y)
        header["y"] = {"dtype": column.dtype, "encoding": column.encoding}
    return header


def _modality(views: Views, name: str, objects: AnyArray, variables: Any) -> Any:
    import anndata
    import pandas as pd

    seen = views.observed_in(name)
    matrix = views[name] if seen.all() else views[name][np.flatnonzero(seen)]
    obs = pd.DataFrame(index=pd.Index(objects[seen], dtype=object))
    return anndata.AnnData(matrix, obs=obs, var=variables)


def _variables(views: Views, modalities: list[str]) -> dict[str, Any]:
    """Tables of features; where the row names are not the features, a column has those as JSON."""
    import pandas as pd

    tables = {}
    for name, rows in _row_names(views, modalities).items():
        tables[name] = pd.DataFrame(index=pd.Index(rows, dtype=object))
        features = views.feature_names.get(name)
        if features is not None and list(features) != rows:
            tables[name][FEATURES] = np.array([json.dumps(f) for f in features], dtype=object)
    return tables


def _row_names(views: Views, modalities: list[str]) -> dict[str, list[str]]:
    """Names of the features that are distinct over all views, as MuData wants them.

    They are the feature names as they stand; else with the modality in front, as muon does it;
    else numbers with the modality in front.
    """
    widths = dict(zip(views.names, views.layout.widths, strict=True))
    keys = dict(zip(views.names, modalities, strict=True))
    numbered = {name: [f"{keys[name]}:{i}" for i in range(widths[name])] for name in keys}
    plain = {name: list(map(str, f)) for name, f in views.feature_names.items()}
    prefixed = {name: [f"{keys[name]}:{f}" for f in names] for name, names in plain.items()}
    for named in (plain, prefixed):
        choice = {**numbered, **named}
        everything = [row for rows in choice.values() for row in rows]
        if len(set(everything)) == len(everything) and not any("\0" in row for row in everything):
            return choice
    return numbered


def _label_column(y: AnyArray, column: Column) -> Any:
    import pandas as pd

    if y.dtype.kind in "biuf":
        return y.astype(y.dtype.newbyteorder("="))  # all that pandas takes
    gaps = y.dtype.kind == "O" and column.encoding == "plain"
    return pd.Categorical([None if gaps and not cell else cell for cell in to_cells(y, column)])


def _stored(array: AnyArray) -> dict[str, Any]:
    """An array for ``uns``: HDF5 has no dates, and cuts text at NUL characters."""
    if array.dtype.kind in "UO":
        return {"json": pack(array), "dtype": dtype_name(array.dtype)}
    values = array.view(np.int64) if array.dtype.kind in "Mm" else array
    return {"values": values, "dtype": dtype_name(array.dtype)}


def check_hdf5(path: Path, max_bytes: int | None = None) -> None:
    """Refuse a file that reaches outside of itself, or would take more memory than it may.

    HDF5 follows links and external storage to any file of the reader's without a word, so that a
    stranger's file would come back with the reader's own data in it.
    """
    import h5py

    declared = 0
    with h5py.File(path, "r") as file:
        for dataset in _datasets(file, set()):
            _check_storage(dataset)
            declared += _declared_bytes(dataset)
            check_size(path, declared, max_bytes)
            _check_chunks(dataset, size_limit(path, max_bytes))
            for size in _sizes_of_texts(dataset, path.stat().st_size, size_limit(path, max_bytes)):
                declared += size
                check_size(path, declared, max_bytes)


def _datasets(group: Any, seen: set[int]) -> Iterator[Any]:
    """All datasets below a group; no link is followed before it is known to stay in the file."""
    import h5py

    for name in group:
        where = f"{group.name.rstrip('/')}/{name}"
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise DamageError(
                f"{where} is a link to something elsewhere, which could be any file of yours; "
                "have its author write the data themselves."
            )
        found = group[name]
        address = h5py.h5o.get_info(found.id).addr
        if address in seen:  # a few bytes of such could be read without end
            raise DamageError(f"{where} has another name in it, too; write it once.")
        seen.add(address)
        if isinstance(found, h5py.Group):
            yield from _datasets(found, seen)
        elif isinstance(found, h5py.Dataset):
            yield found


def _check_storage(dataset: Any) -> None:
    if dataset.external or dataset.is_virtual:
        raise DamageError(
            f"{dataset.name} takes its values from another file, which could be any of yours; have "
            "its author write the values themselves."
        )
    _check_filters(dataset)


def _declared_bytes(dataset: Any) -> int:
    """Bytes of its values; of a chunk if that is larger, as a chunk is unpacked whole."""
    shape = dataset.shape or (1,)
    lengths = map(max, shape, dataset.chunks) if dataset.chunks and math.prod(shape) else shape
    return math.prod(lengths) * dataset.dtype.itemsize


DEFLATED = 1032
"""How many times smaller deflate can make data, by its format."""


def _check_chunks(dataset: Any, limit: int) -> None:
    """Refuse a chunk that would unpack to more than it declares, which HDF5 does without asking."""
    from h5py import h5z

    codes = [code for code, *_ in _filters(dataset)]
    if (
        h5z.FILTER_DEFLATE not in codes
        or DEFLATED * int(dataset.id.get_storage_size()) <= limit  # none can be above it
    ):
        return
    expected = math.prod(dataset.chunks) * dataset.dtype.itemsize + CHECKSUM
    left_out = 1 << codes.index(h5z.FILTER_DEFLATE)

    def check(chunk: Any) -> None:
        if DEFLATED * chunk.size <= limit or chunk.filter_mask & left_out:
            return
        _, packed = dataset.id.read_direct_chunk(chunk.chunk_offset)
        if len(zlib.decompressobj().decompress(packed, expected + 1)) > expected:
            raise DamageError(
                f"{dataset.name} has a chunk that unpacks to more than the "
                f"{expected - CHECKSUM:,} bytes it should have; have its author write it again."
            )

    dataset.id.chunk_iter(check)


CHECKSUM = 4
"""Bytes that the filter ``fletcher32`` adds to a chunk, before it is compressed or after."""


def _filters(dataset: Any) -> list[Any]:
    properties = dataset.id.get_create_plist()
    return [properties.get_filter(position) for position in range(properties.get_nfilters())]


def _sizes_of_texts(dataset: Any, on_disk: int, limit: int) -> Iterator[int]:
    """Bytes of the texts that a dataset points to, some rows at a time.

    A text stands in the file once and any number of rows may point to it. No text is longer than
    the file, so that few enough rows at a time stay below the limit.
    """
    if not dataset.dtype.hasobject or dataset.size * on_disk <= limit:
        return
    step = max(1, limit // (on_disk * max(1, math.prod(dataset.shape[1:]))))
    for start in range(0, len(dataset), step):
        yield _size_of_texts(dataset[start : start + step])


def _size_of_texts(values: AnyArray) -> int:
    if values.dtype.names:
        return sum(_size_of_texts(values[name]) for name in values.dtype.names)
    return sum(map(len, values.ravel())) if values.dtype.hasobject else 0


def _check_filters(dataset: Any) -> None:
    from h5py import h5z

    filters = _filters(dataset)
    if [code for code, *_ in filters].count(h5z.FILTER_DEFLATE) > 1:
        raise DamageError(f"{dataset.name} is compressed twice; have it written with gzip once.")
    for code, _, _, name in filters:
        if not h5z.filter_avail(code):
            shown = name.decode(errors="replace") or f"number {code}"
            raise DamageError(
                f"{dataset.name} is compressed by the filter {shown!r}, which is not installed "
                "here; import its plugin first, or have the file written with gzip."
            )


BLOCK = 512
"""Length of the block that MuData leaves before the data; HDF5 never looks into it."""
PLACE = 448
"""Where our line stands in it, behind MuData's own."""
SIGNATURE = b"\x89HDF\r\n\x1a\n"

_LINE = re.compile(rb"manyviews crc32=([0-9a-f]{8}) bytes=([0-9]+)\n")
_CHUNK = 1 << 20
"""Bytes that are read at a time, which bounds the memory; a judgement."""


def seal(path: Path) -> None:
    """Note the checksum of all the data, if the file has the free block."""
    with path.open("rb+") as file:
        block = file.read(BLOCK)
        if file.read(len(SIGNATURE)) != SIGNATURE or any(block[PLACE:]):
            return
        checksum, length = _checksum(file)
        file.seek(PLACE)
        file.write(b"manyviews crc32=%08x bytes=%d\n" % (checksum, length))


def check_seal(path: Path) -> None:
    """Refuse a file whose data are not those that were sealed; one without a seal passes."""
    with path.open("rb") as file:
        found = _LINE.match(file.read(BLOCK), PLACE)
        if found is None:
            return
        checksum, length = _checksum(file)
    if (checksum, length) != (int(found[1], 16), int(found[2])):
        raise DamageError(
            "its data are not those that manyviews wrote, so it is damaged or was edited in place; "
            "fetch it again, or have mudata write it anew."
        )


def _checksum(file: BinaryIO) -> tuple[int, int]:
    file.seek(BLOCK)
    checksum, length = 0, 0
    while chunk := file.read(_CHUNK):
        checksum, length = zlib.crc32(chunk, checksum), length + len(chunk)
    return checksum, length
