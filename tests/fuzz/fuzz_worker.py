"""Tries cases whose numbers it reads, one a line, and writes what came of each."""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from importlib import import_module
from pathlib import Path

from fuzz_judge import verdict


def allow_work(seconds: int) -> None:
    """Let the system end this process once it has worked so much longer."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def main(family: str, work: int) -> None:
    cases = import_module(f"fuzz_{family}")
    report = os.fdopen(os.dup(1), "w")  # what a method prints goes elsewhere
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    print("ready", file=report, flush=True)
    for line in sys.stdin:
        allow_work(work)
        case = cases.case(int(line))
        try:
            found = {"outcome": verdict(case)}
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            found = {"fault": f"{type(error).__name__}: {error} ({where})"}
        print(json.dumps({"title": case.title, **found}), file=report, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
