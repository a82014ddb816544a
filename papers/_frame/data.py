"""The folder of real data, which remembers what was read from it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path


class MissingDataError(FileNotFoundError):
    """An experiment needs data that are not there."""


class DataFolder:
    """Data sets by name, with the checksum of every file that was used.

    Parameters
    ----------
    root : path
        The folder that holds one folder or file per data set.
    origin : str
        How the folder was chosen, for the message when something is missing.

    Examples
    --------
    >>> DataFolder("no/such/folder").path("cora")
    Traceback (most recent call last):
    ...
    papers._frame.data.MissingDataError: the data set 'cora' is missing: ...
    """

    def __init__(self, root: str | os.PathLike[str], origin: str = "given") -> None:
        self.root = Path(root)
        self.origin = origin
        self._used: dict[str, Path] = {}

    @classmethod
    def locate(cls, folder: str | os.PathLike[str] | None = None) -> DataFolder:
        """Take the folder given, else that of ``MANYVIEWS_DATA``, else where `datasets` looks."""
        from manyviews.datasets import get_data_home

        if folder is not None:
            origin = "from --data"
        elif os.environ.get("MANYVIEWS_DATA"):
            origin = "from the environment variable MANYVIEWS_DATA"
        else:
            origin = "the default, as neither --data nor MANYVIEWS_DATA is given"
        return cls(get_data_home(folder), origin)

    def path(self, name: str) -> Path:
        """Return where a data set, or a file ``name/file`` of it, is; from now on it is used."""
        if self.missing([name]):
            raise MissingDataError(self.complaint(name))
        self._used[name] = self.root / name
        return self._used[name]

    def missing(self, names: Iterable[str]) -> list[str]:
        """Return those of some data sets that are not there."""
        return [name for name in names if not (self.root / name).exists()]

    def complaint(self, name: str) -> str:
        """Say that a data set is not there, and what to do."""
        return (
            f"the data set {name!r} is missing: looked for {self.root / name} ({self.origin}); "
            "put it there, or name the folder that holds it with --data."
        )

    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each file used, by its path within the folder."""
        files = {file for path in self._used.values() for file in _files(path)}
        names = {file.relative_to(self.root).as_posix(): file for file in files}
        return {name: _sha256(names[name]) for name in sorted(names)}


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()
