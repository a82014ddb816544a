"""Writers that are killed at each of their steps, each in a process forked from this one.

Run as ``python killed_writers.py FOLDER``; prints what was found as JSON. The steps are those that
Python tells its audit hooks of: every file opened, locked, moved or removed below the folder.
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
from click.testing import CliRunner

from manyviews import Views, read, write
from manyviews.app.cli import cli, main
from manyviews.app.model import load_model
from manyviews.base import BaseMultiViewTransformer
from manyviews.data import replaced_file

OLD, NEW = Views({"a": np.eye(3)}), Views({"a": 2 * np.eye(4), "b": np.ones((4, 2))})
STEPS = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "fcntl.flock", "os.truncate"}


class Patient(BaseMultiViewTransformer):
    """Fits when it is told to: when there is a file ``go``."""

    def fit(self, X, y=None):
        self._fit_views(X)
        Path(f"begun-{os.getpid()}").touch()
        while not Path("go").exists():
            time.sleep(0.01)
        self.fitted_by_ = os.getpid()
        return self

    def transform(self, X):
        return self._new_views(X).concatenate()


def forked(work):
    """Start a process that does some work; it ends with what that returns."""
    child = os.fork()
    if child:
        return child
    try:
        code = work() or 0
    except SystemExit as leaving:
        code = leaving.code or 0
    except BaseException:
        traceback.print_exc()
        code = 70
    finally:
        os._exit(code)


def ending(child):
    """How a process ended: its code, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(step, folder, work):
    """Do some work and be killed before its ``step``-th step below the folder."""
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

    def doomed():
        sys.addaudithook(hook)
        return work()

    return ending(forked(doomed))


def run(*arguments):
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    return result.exit_code


def hidden(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def views_survive(name):
    """Kill writers of views at every step; after each, the old or the new must be there."""

    def prepare(folder):
        write(OLD, folder / name)

    def work(folder):
        return lambda: write(NEW, folder / name)

    def check(folder):
        found = read(folder / name).views
        return "old" if found.equals(OLD) else "new" if found.equals(NEW) else "half"

    return prepare, work, check


def fits_survive(*, first):
    """Kill fits into an existing folder, or a new one; after each, a model must answer, or none."""

    def prepare(folder):
        write(OLD, folder / "data.npz")
        if not first:
            assert run("fit", "MergeViews", folder / "data.npz", "--out", folder / "out") == 0

    def work(folder):
        words = ("fit", "PerView", folder / "data.npz", "--out", folder / "out", "--force")
        return lambda: run(*words)

    def check(folder):
        if first and not (folder / "out").exists():
            return "old"
        if run("predict", folder / "out", folder / "data.npz"):
            return "half"
        model = load_model(folder / "out" / "model.skops")
        config = json.loads((folder / "out" / "config.json").read_text())
        if not config["method"].endswith(type(model).__name__):
            return "half"
        return "old" if type(model).__name__ == "MergeViews" else "new"

    return prepare, work, check


def kill_everywhere(folder, kind, prepare, work, check):
    """What is found after a kill at each step, and what is hidden after the next command."""
    found, litter, at_risk = [], [], 0
    for step in range(1000):
        place = folder / f"{kind}-{step}"
        place.mkdir()
        prepare(place)
        code = killed_at(step, place, work(place))
        at_risk += bool(hidden(place))
        found.append(check(place))
        with replaced_file(place / "next") as temporary:
            temporary.write_text("next")
        litter += hidden(place)
        if code != -signal.SIGKILL:
            return {"kills": step, "code": code, "found": found, "litter": litter, "hid": at_risk}
    raise AssertionError("it never ended")


def three_fits(folder, *more):
    """Three fits into one folder at once: how they ended, and which of them wrote it."""
    os.chdir(folder)
    write(OLD, "data.npz")
    Path("go").unlink(missing_ok=True)
    words = ["fit", "killed_writers:Patient", "data.npz", "--out", "out", *more]
    children = [forked(lambda: run(*words)) for _ in range(3)]
    codes, winner = {}, None
    while winner is None:
        for child in children:
            if Path(f"begun-{child}").exists():
                winner = child
        time.sleep(0.01)
    for child in children:
        if child != winner:
            codes[child] = ending(child)
    Path("go").touch()
    codes[winner] = ending(winner)
    model = load_model("out/model.skops", trust=["killed_writers.Patient"])
    return {
        "codes": sorted(codes.values()),
        "winner": codes[winner],
        "is_of_winner": model.fitted_by_ == winner,
        "files": sorted(path.name for path in Path("out").iterdir()),
        "litter": hidden(folder),
    }


def living_and_terminated(folder):
    """A writer that lives keeps what is its own; one that is told to end leaves nothing."""
    os.chdir(folder)
    write(OLD, "data.npz")
    sys.argv = ["manyviews", "fit", "killed_writers:Patient", "data.npz", "--out", "deep/out"]
    child = forked(main)
    while not Path(f"begun-{child}").exists():
        time.sleep(0.01)
    during = hidden(folder / "deep")
    with replaced_file(folder / "deep" / "next") as temporary:
        temporary.write_text("next")
    after_another = hidden(folder / "deep")
    (folder / "deep" / "next").unlink()
    os.kill(child, signal.SIGTERM)
    code = ending(child)
    left = sorted(path.name for path in folder.iterdir())
    return {"during": during, "after_another": after_another, "code": code, "left": left}


def import_all(folder):
    """Do everything once, so that the forked processes find it imported."""
    folder.mkdir()
    write(OLD, folder / "data.npz")
    assert run("fit", "PerView", folder / "data.npz", "--out", folder / "out") == 0
    assert run("predict", folder / "out", folder / "data.npz") == 0


def everything(folder):
    import_all(folder / "imports")
    found = {}
    kinds = {
        "npz": views_survive("set.npz"),
        "h5mu": views_survive("set.h5mu"),
        "folder": views_survive("set"),
        "first fit": fits_survive(first=True),
        "next fit": fits_survive(first=False),
    }
    for kind, parts in kinds.items():
        found[kind] = kill_everywhere(folder, kind, *parts)
    for name, more in {"three": (), "three by force": ("--force",)}.items():
        (folder / name).mkdir()
        found[name] = three_fits(folder / name, *more)
    (folder / "terminated").mkdir()
    found["terminated"] = living_and_terminated(folder / "terminated")
    return found


if __name__ == "__main__":
    os.fsync = lambda descriptor: None  # here processes die, and no disk
    sys.modules["killed_writers"] = sys.modules[__name__]
    Patient.__module__ = "killed_writers"
    print(json.dumps(everything(Path(sys.argv[1]))))
