"""What is wrong inside a file becomes one sentence that names the file."""

from __future__ import annotations

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
