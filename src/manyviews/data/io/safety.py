"""Faults inside a file become one sentence that names the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from manyviews.exceptions import FileFormatError, MissingExtraError, ViewsError


class DamageError(ValueError):
    """Something is wrong in a file; whoever knows its path turns this into a FileFormatError."""


@contextmanager
def reading(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever goes wrong while a file is parsed into a :class:`FileFormatError`.

    The parsers below us (zip, HDF5, Parquet, CSV) fail on damaged bytes with almost any type of
    error, so that all of them are caught; the original one stays attached as the cause.
    """
    try:
        yield
    except (FileFormatError, MissingExtraError):
        raise
    except (DamageError, ViewsError) as error:
        raise FileFormatError(f"{path} cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"{path} holds bytes that are no UTF-8 text; save it as UTF-8, or fetch it again."
        ) from error
    except MemoryError as error:
        raise FileFormatError(
            f"{path} announces more data than fits into memory; it is damaged, or needs a larger "
            "machine."
        ) from error
    except Exception as error:
        raise FileFormatError(
            f"{path} is damaged or is no {kind} ({type(error).__name__} while reading it); "
            "fetch or write it again."
        ) from error


def refuse_absent(path: Path) -> None:
    """Refuse a name behind which there is no file or folder: a pipe or a device never ends."""
    if not path.exists():
        raise FileNotFoundError(f"there is nothing at {path}; check the name.")
    if not (path.is_file() or path.is_dir()):
        raise FileFormatError(
            f"{path} is a pipe or a device, which may have no end; save what it gives in a file."
        )


def check_version(found: object, known: int) -> None:
    """Refuse a format version that this release does not know."""
    if isinstance(found, bool) or not isinstance(found, int) or found < 1:
        raise DamageError(
            f"its format version {found!r} is not a positive integer; write it again."
        )
    if found > known:
        raise DamageError(
            f"it has format version {found} and this release of manyviews knows up to {known}; "
            "install a newer release."
        )


VARIABLE = "MANYVIEWS_MAX_BYTES"
"""The environment variable that sets the limit where ``max_bytes`` does not."""

ALWAYS = 1 << 28
"""256 MiB hurt no machine that can run this."""

MOST = 1 << 32
"""Bytes that a small file may become: 4 GiB leave room to work on a common machine of 16."""

GROWTH = 300
"""How many times its own size a file may become. Dense views with one cell in 500 filled shrink
so far by deflate; only zeros, and files made to hurt, reach the 1000 times that it allows."""


def check_size(path: Path, declared: int, max_bytes: int | None = None) -> None:
    """Refuse a file that would take more memory than the limit.

    Without a limit from the user a file may grow to 256 MiB, or by a factor of 300 up to 4 GiB. One
    that is large itself may be twice as large in memory: nobody sends it by surprise.
    """
    limit = size_limit(path, max_bytes)
    if declared > limit:
        raise FileFormatError(
            f"{path} has {_shown(path.stat().st_size)} and would become {_shown(declared)} in "
            f"memory where {_shown(limit)} are allowed; if you trust it, allow more by "
            f"max_bytes={declared} or by the environment variable {VARIABLE}={declared}."
        )


def size_limit(path: Path, max_bytes: int | None = None) -> int:
    """Bytes of memory that a file may take."""
    if max_bytes is not None:
        return max_bytes
    text = os.environ.get(VARIABLE, "")
    if not text:
        on_disk = path.stat().st_size
        return max(2 * on_disk, min(MOST, max(ALWAYS, GROWTH * on_disk)))
    if not text.isdecimal():
        raise ValueError(f"{VARIABLE}={text!r} is no number of bytes; write one, or unset it.")
    return int(text)


def _shown(size: int) -> str:
    """A size for people.

    Examples
    --------
    >>> _shown(900), _shown(1_900_000), _shown(2_400_000_000)
    ('900 bytes', '1.9 MB', '2.4 GB')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"
