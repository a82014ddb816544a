"""Runs cases in another process, so that a crash or a hang is a finding and not the end."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

HERE = Path(__file__).parent
WORK = 20
"""Seconds of work after which a case counts as a hang: the system ends the worker by its own
clock, on which other work of the machine does not count."""
WAITING = 300.0
"""Seconds after which a worker that neither works nor answers counts as waiting for ever."""
STARTING = 300.0
"""Seconds a worker may take to import the library on a busy machine."""


@dataclass(frozen=True)
class Outcome:
    """What came of a case; ``fault`` is empty where all is well."""

    number: int
    title: str
    outcome: str = ""
    fault: str = ""

    @property
    def answered(self) -> bool:
        return self.outcome == "answered"


class Worker:
    """A process that tries the cases of one family, until one of them ends it."""

    def __init__(self, family: str) -> None:
        threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "fuzz_worker.py"), family, str(WORK)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **threads},
        )
        assert self._line(STARTING) == "ready\n", f"the worker of {family} does not start"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def attempt(self, number: int) -> Outcome:
        """Have a case tried."""
        self.process.stdin.write(f"{number}\n".encode())
        self.process.stdin.flush()
        line = self._line(WAITING)
        if line is None:
            self.process.kill()
            self.process.wait()
            return Outcome(number, "", fault=f"waited for {WAITING:g} seconds")
        if not line:
            return Outcome(number, "", fault=_last_words(self.process.wait()))
        return Outcome(number, **json.loads(line))

    def _line(self, patience: float) -> str | None:
        """The next line; empty if the process has ended, None if none comes in time."""
        if not select.select([self.process.stdout], [], [], patience)[0]:
            return None
        return self.process.stdout.readline().decode()


def _last_words(code: int) -> str:
    if code == -signal.SIGXCPU:
        return f"no answer after {WORK} seconds of work"
    return f"ended with exit code {code}"


def outcomes(family: str, numbers: Iterable[int]) -> Iterator[Outcome]:
    """Try cases, with a new worker after each that ended the old one."""
    left = list(numbers)
    while left:
        with Worker(family) as worker:
            while left:
                found = worker.attempt(left.pop(0))
                yield found
                if worker.process.poll() is not None:
                    break
