"""Simulations that are killed and called again, each in a process forked from this one.

Run as ``python killed_simulation.py FOLDER N_KILLS [--moments]``; prints what was found as JSON.
Without ``--moments`` a process is killed before a step that Python tells its audit hooks of: a file
opened, locked or moved below the folder. With it, at any moment, by the clock.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np

from manyviews.acquire import simulate
from manyviews.datasets import make_correlated_views
from manyviews.semi_supervised import CoRLS

STEPS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "fcntl.flock", "os.truncate"}
MOST_STEPS = 45
"""A step of a simulation is eight of these or so, hence at most some five steps per life."""
LONGEST = 0.5
"""Seconds of a life that is ended by the clock: a whole simulation takes a second or so."""


def work(folder):
    """A simulation with labels, views and unequal costs."""
    views, y = make_correlated_views(rho=0.3, n_objects=60, random_state=0)
    costs = {"label": np.linspace(1, 2, 60), "first": 0.5, "second": 0.25}
    return simulate(
        CoRLS(),
        views,
        y,
        ["entropy", "kl_to_mean"],
        budget=9,
        batch=2,
        seeds=2,
        costs=costs,
        kinds=("label", "view"),
        hidden=0.3,
        path=folder,
    )


def forked(folder, doom):
    """Start a process that simulates until it is done or killed."""
    child = os.fork()
    if child:
        return child
    try:
        doom()
        work(folder)
        code = 0
    except BaseException:
        traceback.print_exc()
        code = 70
    finally:
        os._exit(code)


def at_step(step, folder):
    """Be killed before the ``step``-th step below the folder."""
    seen = 0

    def hook(event, arguments):
        nonlocal seen
        if event not in STEPS:
            return
        named = isinstance(arguments[0], str | os.PathLike)
        if event == "fcntl.flock" or (named and str(arguments[0]).startswith(str(folder))):
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1

    return lambda: sys.addaudithook(hook)


def left_behind(folder):
    """Steps of each run on disk, by its file."""
    files = sorted(folder.glob("*-seed-*.json"))
    return {file.name: json.loads(file.read_text())["steps"] for file in files}


def killed(folder, n_kills, *, moments):
    """Kill so often, looking at what is there after each; then let one live."""
    rng = np.random.default_rng(0)
    deaths, snapshots = 0, []
    while deaths < n_kills:
        step = int(rng.integers(MOST_STEPS))
        child = forked(folder, (lambda: None) if moments else at_step(step, folder))
        if moments:
            time.sleep(rng.uniform(0, LONGEST))
            os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 0:  # it was done before its time: begin anew
            snapshots.append(left_behind(folder))
            for file in sorted(folder.iterdir()):
                file.unlink()
            folder.rmdir()
            continue
        assert code == -signal.SIGKILL
        deaths += 1
        snapshots.append(left_behind(folder))
    survivor = work(folder)
    return survivor, snapshots


def everything(place, n_kills, *, moments):
    undisturbed = work(None)
    whole = work(place / "whole")
    expected = left_behind(place / "whole")
    survivor, snapshots = killed(place / "killed", n_kills, moments=moments)
    actions = [
        [(each.kind, each.row, each.view) for each in curve.actions] for curve in survivor.curves
    ]
    return {
        "same": survivor.to_dict() == undisturbed.to_dict() == whole.to_dict(),
        "same_files": left_behind(place / "killed") == expected,
        "prefixes": all(
            steps == expected[name][: len(steps)]
            for found in snapshots
            for name, steps in found.items()
        ),
        "repeated": sum(len(each) - len(set(each)) for each in actions),
        "n_actions": sum(map(len, actions)),
        "partial": sum(sum(map(len, found.values())) > 0 for found in snapshots),
        "depths": [sum(map(len, found.values())) for found in snapshots],
        "litter": sorted(p.name for p in (place / "killed").iterdir() if p.name.startswith(".")),
    }


if __name__ == "__main__":
    os.fsync = lambda descriptor: None  # here processes die, and no disk
    print(
        json.dumps(everything(Path(sys.argv[1]), int(sys.argv[2]), moments="--moments" in sys.argv))
    )
