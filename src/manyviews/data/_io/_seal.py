"""A checksum in the free block before an HDF5 file, since HDF5 crashes on some damaged bytes."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import BinaryIO

from manyviews.data._io._damage import DamageError

BLOCK = 512
"""Length of the block that MuData leaves before the data; HDF5 never looks into it."""
PLACE = 448
"""Where our line stands in it, behind MuData's own."""
SIGNATURE = b"\x89HDF\r\n\x1a\n"

_LINE = re.compile(rb"manyviews crc32=([0-9a-f]{8}) bytes=([0-9]+)\n")
_CHUNK = 1 << 20


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
