"""How much memory a file may ask for, by the sizes that it declares, before anything is read."""

from __future__ import annotations

import os
from pathlib import Path

from manyviews.exceptions import FileFormatError

VARIABLE = "MANYVIEWS_MAX_BYTES"
"""The environment variable that sets the limit where ``max_bytes`` does not."""

ALWAYS = 1 << 28
"""256 MiB hurt no machine that can run this."""

MOST = 1 << 32
"""What a small file may become: 4 GiB still leave room to work on a common machine of 16."""

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
