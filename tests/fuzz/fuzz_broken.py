"""Cases that each go wrong in another way, by which the fuzzer itself is tested."""

from __future__ import annotations

import os
import signal
import time
import warnings

from fuzz_judge import Case


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _loop() -> None:
    while True:
        pass


def _warn() -> None:
    warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)


def _raise(error: Exception) -> None:
    raise error


CASES = (
    Case("all is well", lambda: None),
    Case("a crash", _crash),
    Case("a loop without an end", _loop),
    Case("waiting without an end", lambda: time.sleep(600)),
    Case("a warning", _warn),
    Case("an error of another kind", lambda: _raise(IndexError("out of bounds."))),
    Case("words that are no sentence", lambda: _raise(ValueError("shapes do not match"))),
    Case("a sentence", lambda: _raise(ValueError("n=0 should be at least 1."))),
)


def case(number: int) -> Case:
    return CASES[number]
