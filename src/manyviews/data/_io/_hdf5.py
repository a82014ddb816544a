"""What an HDF5 file may not hold when it comes from a stranger, seen before it is read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manyviews.data._io._damage import DamageError


def checked_hdf5_size(path: Path) -> int:
    """Refuse a file that reaches outside of itself; return the bytes that its datasets declare.

    HDF5 follows links and external storage to any file of the reader's without a word, so that a
    stranger's file would come back with the reader's own data in it.
    """
    import h5py

    with h5py.File(path, "r") as file:
        return sum(_checked_bytes(dataset) for dataset in _datasets(file, set()))


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


def _checked_bytes(dataset: Any) -> int:
    if dataset.external or dataset.is_virtual:
        raise DamageError(
            f"{dataset.name} takes its values from another file, which could be any of yours; have "
            "its author write the values themselves."
        )
    _check_filters(dataset)
    return math.prod(dataset.shape or (1,)) * dataset.dtype.itemsize


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
