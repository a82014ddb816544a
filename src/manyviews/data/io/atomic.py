"""Write beside the target and move into place, so that a failure leaves the old data untouched."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


@contextmanager
def replaced_file(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """Give a temporary path in the same folder; move it over ``path`` if the block succeeds.

    From the beginning to the end no other process can write ``path`` by these functions.
    """
    target = _resolved(path)
    with claimed(target) as claim:
        _refuse_file(path, target, overwrite)
        yield claim.new
        _sync(claim.new)
        _refuse_file(path, target, overwrite)  # it may have come since
        if target.exists():
            shutil.copymode(target, claim.new)
        claim.new.replace(target)
        _sync_folder(target.parent)


@contextmanager
def replaced_folder(path: Path, check: Callable[[Path], None] | None = None) -> Iterator[Path]:
    """Give an empty temporary folder beside ``path``; move it there if the block succeeds.

    From the beginning to the end no other process can write ``path`` by these functions. ``check``
    raises if what stands there must not be replaced; it is asked first, and again at the end if
    there is anything in the way by then.

    No system call replaces a folder that has files in it: the old one is first moved aside, and
    moved back if the new one cannot take its place, by the next command if this one is killed.
    """
    target = _resolved(path)
    with claimed(target) as claim:
        if check is not None:
            check(path)
        claim.new.mkdir()
        yield claim.new
        for file in claim.new.iterdir():
            _sync(file)
        _sync_folder(claim.new)
        _move_in(claim, path, check)
        _sync_folder(target.parent)


def _resolved(path: Path) -> Path:
    target = path.resolve()  # so that a link stays a link
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write into; create it.")
    return target


def _refuse_file(path: Path, target: Path, overwrite: bool) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; choose another name for the file.")
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{path} is a pipe or a device; choose another name for the file.")
    if target.exists() and not overwrite:
        raise FileExistsError(f"{path} exists already; choose another name, or remove it.")


def _move_in(claim: Claim, path: Path, check: Callable[[Path], None] | None) -> None:
    if claim.target.exists():
        shutil.copymode(claim.target, claim.new)
        with suppress(OSError):  # an empty folder makes room, one with files does not
            claim.target.rmdir()
    if not claim.target.exists():
        claim.new.replace(claim.target)
        return
    if check is not None:
        check(path)
    claim.target.replace(claim.old)
    try:
        claim.new.replace(claim.target)
    except BaseException:
        claim.old.replace(claim.target)
        raise


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


PREFIX = ".manyviews-"
"""Beginning of the hidden names; all of them are gone when no writer is at work."""

ATTEMPTS, PAUSE = 20, 0.02
"""How often, and after how many seconds, a name is asked for: whoever only cleans up after a
killed process holds it for milliseconds, a writer until it is done."""

FAR = 1 << 20
"""The byte that is locked on Windows, where locked bytes cannot be read: behind the content."""

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL


@dataclass(frozen=True)
class Claim:
    """The hidden names that belong to one target: they stand beside it and tell how far it is."""

    target: Path
    key: str

    @classmethod
    def on(cls, target: Path) -> Claim:
        """Names for a target; its own name might be too long to be a part of them."""
        return cls(target, hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16])

    @property
    def lock(self) -> Path:
        """A file that its writer has locked, with the name of the target in it."""
        return self.target.with_name(f"{PREFIX}{self.key}.lock")

    @property
    def new(self) -> Path:
        """What is being written."""
        return self.target.with_name(f"{PREFIX}{self.key}.new")

    @property
    def old(self) -> Path:
        """A folder that has made room for the new one, which is complete by then."""
        return self.target.with_name(f"{PREFIX}{self.key}.old")

    def is_torn(self) -> bool:
        """Whether the old folder has made room and the new one has not moved in."""
        return self.old.exists() and self.new.exists() and not self.target.exists()

    def settle(self) -> bool:
        """Undo what was begun and not finished; tell whether nothing hidden is left."""
        if self.is_torn():
            self.old.replace(self.target)
        for path in (self.new, self.old):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(PermissionError):  # somebody on Windows has it open: next time
                    path.unlink(missing_ok=True)
        return not (self.new.exists() or self.old.exists())


@contextmanager
def claimed(target: Path) -> Iterator[Claim]:
    """Hold a name against other writers; whatever is hidden beside it afterwards is removed."""
    sweep(target.parent)
    claim = Claim.on(target)
    descriptor = _acquired(claim)
    try:
        claim.settle()  # on a system without locks the sweep could not
        yield claim
    finally:
        _release(descriptor, claim)


def sweep(folder: Path) -> None:
    """Clean up after writers in this folder that were killed; leave those that live alone."""
    for lock in folder.glob(f"{PREFIX}*.lock"):
        _settle_if_dead(lock)


def settled(path: Path) -> None:
    """Before a path is read: put back what a killed writer left hidden, await a move in progress.

    Between its two moves a living writer leaves nothing under the name for an instant.
    """
    target = path.resolve()
    claim = Claim.on(target)
    if claim.lock.exists():
        _settle_if_dead(claim.lock)
    for _ in range(ATTEMPTS):
        if not claim.is_torn():
            return
        time.sleep(PAUSE)


def _acquired(claim: Claim) -> int:
    for _ in range(ATTEMPTS):
        try:
            descriptor, is_mine = os.open(claim.lock, _CREATE, 0o666), True
        except FileExistsError:
            try:
                descriptor, is_mine = os.open(claim.lock, os.O_RDWR), False
            except FileNotFoundError:  # released in between
                continue
        if _is_locked_now(descriptor, without_locks=is_mine) and _is_at(descriptor, claim.lock):
            if not os.fstat(descriptor).st_size:  # else it is there, by one who was killed
                os.write(descriptor, os.fsencode(claim.target.name))
            return descriptor
        os.close(descriptor)
        time.sleep(PAUSE)
    raise FileExistsError(
        f"another process is writing {claim.target}; wait until it is done or choose another name "
        f"(if none is at work, remove {claim.lock.name} beside it)."
    )


def _release(descriptor: int, claim: Claim) -> None:
    is_clean = claim.settle()  # if not, the lock stays for the next sweep to find
    if sys.platform == "win32":  # where an open file cannot be removed, nor one reopened by others
        os.close(descriptor)
        if is_clean:
            with suppress(PermissionError):
                claim.lock.unlink(missing_ok=True)
        return
    if is_clean:
        claim.lock.unlink(missing_ok=True)
    os.close(descriptor)


def _settle_if_dead(lock: Path) -> None:
    try:
        descriptor = os.open(lock, os.O_RDWR)
    except OSError:  # gone by now, or somebody else's
        return
    if not (_is_locked_now(descriptor, without_locks=False) and _is_at(descriptor, lock)):
        os.close(descriptor)
        return
    name = os.fsdecode(os.read(descriptor, FAR))
    claim = Claim.on(lock.with_name(Path(name).name or "unnamed"))
    if claim.lock == lock:
        _release(descriptor, claim)
        return
    with suppress(PermissionError):  # killed before it wrote a name, hence before anything else
        lock.unlink(missing_ok=True)
    os.close(descriptor)


def _is_at(descriptor: int, lock: Path) -> bool:
    """Whether a lock file is still in its place: its last owner may have removed it meanwhile."""
    try:
        return os.path.samestat(os.fstat(descriptor), lock.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _is_locked_now(descriptor: int, *, without_locks: bool) -> bool:  # noqa: ARG001
        os.lseek(descriptor, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _is_locked_now(descriptor: int, *, without_locks: bool) -> bool:
        """Try to lock a file; ``without_locks`` is the answer where the disk knows none."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # some network disks of clusters
            return without_locks
        return True
