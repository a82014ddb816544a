"""Sizes of arrays before they are made: beyond a limit a sentence instead of an allocation.

A matrix of all pairs of 200,000 objects takes 298 GiB. Asking for it ends in NumPy's words, in
swapping, or in a process that the system kills; what grows like that asks here first.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.exceptions import MemoryLimitError
from manyviews.typing import FloatArray, Matrix, is_sparse

VARIABLE = "MANYVIEWS_MAX_MEMORY"
"""The environment variable that sets the limit, such as ``64GB``; workers inherit it."""

_SHARE = 1 / 4
"""Of the memory there is, for one array: methods hold one for each view, and a copy of each."""
_BLOCK = 2**27
"""Bytes of a block of similarities of new objects, where they are looked at some at a time."""
_UNKNOWN = 16 * 2**30
"""Memory of a machine that does not tell: that of a usual laptop."""
_PREFIXES = "KMGT"
CGROUP = Path("/sys/fs/cgroup")


def check_memory(
    shape: tuple[int, ...], what: str, *, remedy: str, dtype: Any = np.float64
) -> None:
    """Refuse an array that takes more memory than one may.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    what : str
        What it holds, in the plural, as the beginning of the sentence.
    remedy : str
        What to do instead, as an imperative.
    dtype : dtype
        Of its entries.

    Raises
    ------
    MemoryLimitError
        With the size, the limit, the remedy, and how the limit is raised.

    Notes
    -----
    The limit is what the environment variable ``MANYVIEWS_MAX_MEMORY`` says, as a number of bytes
    or with a unit (``64GB``, ``1.5GiB``), or else a quarter of the memory of the machine or of the
    container.

    Examples
    --------
    >>> check_memory((1000, 1000), "similarities", remedy="use fewer objects")
    """
    n_bytes = prod(int(length) for length in shape) * np.dtype(dtype).itemsize
    limit = memory_limit()
    if n_bytes > limit:
        raise MemoryLimitError(
            f"{what} would take {as_size(n_bytes)} of memory, and one array may take "
            f"{as_size(limit)} here; {remedy}, or raise the limit by the environment variable "
            f"{VARIABLE}={_suggested(n_bytes)}."
        )


def check_covariances(n_components: int, n_features: int) -> None:
    """Refuse full covariances of more features than the memory holds.

    Examples
    --------
    >>> check_covariances(3, 100)
    """
    check_memory(
        (n_components, n_features, n_features),
        f"full covariances of {n_components:,} components in {n_features:,} features",
        remedy="use covariance='diag', or reduce the features, as by PerView(TruncatedSVD(100))",
    )


def dense_within_memory(matrix: Matrix, what: str, *, remedy: str) -> FloatArray:
    """Return a matrix as a dense array; refuse to turn a sparse one that would grow too large.

    Examples
    --------
    >>> from scipy import sparse
    >>> dense_within_memory(sparse.csr_array(np.eye(2)), "the rows", remedy="use fewer columns")
    array([[1., 0.],
           [0., 1.]])
    """
    if not is_sparse(matrix):
        return matrix
    check_memory(matrix.shape, what, remedy=remedy, dtype=matrix.dtype)
    return np.asarray(matrix.toarray())


def dense_new_rows(rows: Matrix) -> FloatArray:
    """Return new rows as a dense array, for a view that was dense in ``fit``.

    Examples
    --------
    >>> dense_new_rows(np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    return dense_within_memory(
        rows,
        f"{rows.shape[0]:,} new rows of {rows.shape[1]:,} features made dense",
        remedy="fit on a sparse view, or ask for fewer objects at a time",
    )


def rows_at_a_time(n_columns: int) -> int:
    """Return of how many rows a dense block may be made; for :func:`row_blocks`.

    Examples
    --------
    >>> rows_at_a_time(2**20) <= 32
    True
    """
    return max(1, int(min(_BLOCK, memory_limit()) // (8 * max(n_columns, 1))))


def memory_limit() -> float:
    """Return how many bytes one array may take.

    Examples
    --------
    >>> memory_limit() > 0
    True
    """
    given = os.environ.get(VARIABLE)
    return _SHARE * machine_memory() if given is None else read_size(given)


def read_size(text: str) -> float:
    """Read a number of bytes, as written by people.

    Examples
    --------
    >>> read_size("64GB"), read_size("1.5 GiB"), read_size("4096")
    (64000000000.0, 1610612736.0, 4096.0)
    """
    found = re.fullmatch(rf"\s*(\d+(?:\.\d+)?)\s*([{_PREFIXES}]?)(I?)B?\s*", text.upper())
    if found is None:
        raise ValueError(
            f"{VARIABLE}={text!r} is no size; give a number of bytes, or one with a unit such as "
            "64GB or 1.5GiB."
        )
    number, prefix, binary = found.groups()
    power = _PREFIXES.index(prefix) + 1 if prefix else 0
    return float(number) * (1024 if binary else 1000) ** power


def as_size(n_bytes: float) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> as_size(8 * 200_000**2), as_size(20 * 2**30), as_size(800)
    ('298 GiB', '20 GiB', '800 bytes')
    """
    power = min(max(int(n_bytes).bit_length() - 1, 0) // 10, len(_PREFIXES))
    if not power:
        return f"{n_bytes:.0f} bytes"
    number = n_bytes / 1024**power
    return f"{number:,.{0 if number >= 10 else 1}f} {_PREFIXES[power - 1]}iB"


@cache
def machine_memory() -> int:
    """Memory in bytes that this process can have: the machine's, or less in a container."""
    return min([_physical_memory(), *container_limits()])


def _physical_memory() -> int:
    if sys.platform == "win32":
        kilobytes = ctypes.c_ulonglong()
        told = ctypes.windll.kernel32.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
        return 1024 * kilobytes.value if told else _UNKNOWN
    if not {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= os.sysconf_names.keys():
        return _UNKNOWN
    pages = os.sysconf("SC_PHYS_PAGES")
    return os.sysconf("SC_PAGE_SIZE") * pages if pages > 0 else _UNKNOWN


def container_limits(
    root: Path = CGROUP, membership: Path = Path("/proc/self/cgroup")
) -> list[int]:
    """Limits of the control groups this process is in, of both versions; none elsewhere."""
    if not membership.is_file():
        return []
    found = []
    for line in membership.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            place, file = root, "memory.max"
        elif "memory" in controllers.split(","):
            place, file = root / "memory", "memory.limit_in_bytes"
        else:
            continue
        inside = place / path.lstrip("/")
        for folder in (inside, *inside.parents):  # a group has at most what those around it have
            limit = folder / file
            if folder.is_relative_to(place) and limit.is_file():
                text = limit.read_text().strip()
                found += [int(text)] if text.isdigit() else []  # "max" is no limit
    return found


def _suggested(n_bytes: float) -> str:
    return f"{-(-n_bytes // 10**9):.0f}GB" if n_bytes >= 10**9 else f"{-(-n_bytes // 10**6):.0f}MB"
