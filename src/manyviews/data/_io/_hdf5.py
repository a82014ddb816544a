"""What an HDF5 file may not hold when it comes from a stranger, seen before it is read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manyviews.data._io._damage import DamageError
from manyviews.data._io._size import check_size, size_limit
from manyviews.typing import AnyArray


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

    properties = dataset.id.get_create_plist()
    for position in range(properties.get_nfilters()):
        code, _, _, name = properties.get_filter(position)
        if not h5z.filter_avail(code):
            shown = name.decode(errors="replace") or f"number {code}"
            raise DamageError(
                f"{dataset.name} is compressed by the filter {shown!r}, which is not installed "
                "here; import its plugin first, or have the file written with gzip."
            )
