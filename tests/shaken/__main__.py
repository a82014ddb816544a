"""Run what compares numbers once more on every kind of processor that this one can play.

``make shaken`` runs it. Each run changes the order of sums on purpose: by the kernel of OpenBLAS
(``OPENBLAS_CORETYPE``), by switching off the processor features that NumPy and numba use, or by
the last digits of all views (``pytest --shake``). A test that passes in ``make test`` and fails
here compares something that hangs on rounding: mend what it compares, or what chose it.

Arguments are given to pytest; ``ARGS="-k eigen -n 0"`` runs a part. ``SHAKES=2`` runs the second
shake only.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

CORES = (
    *("Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX", "Sapphirerapids"),
    *("ARMV8", "CORTEXA57", "NEOVERSEN1", "NEOVERSEV1"),
)
"""Names that ``OPENBLAS_CORETYPE`` takes, at least one for each set of kernels that it has."""

PROBE = """
import numpy, scipy.linalg, threadpoolctl
square = numpy.random.default_rng(0).random((200, 200))
numpy.linalg.svd(square @ square)
scipy.linalg.eigh(square @ square.T)
scipy.linalg.eigh((square @ square.T).astype(numpy.float32))
blas = [one for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"]
print(*sorted({one.get("architecture", one["internal_api"]) for one in blas}))
"""

WHAT = (
    *("tests/maths", "tests/shaken/shaken_contract.py", "src/manyviews", "papers"),
    *("tests/examples/test_docs.py", "tests/examples/test_readme.py"),
)
"""Whatever compares numbers: the mathematics, one instance of every estimator, all doctests, the
pages."""

ROOMS = (
    *("embed", "mkl", "similarity", "cluster", "semi_supervised", "explain", "ensemble", "acquire"),
    *("examples", "compose", "datasets", "plot", "base", "metrics"),
)
"""Folders whose tests are shaken once each, in turn by the shakes: all of them under every shake
would take four times as long. The first five, which take longest, meet five different shakes; the
first shake, the slowest, has the shortest of them. The examples and figures are among them: most of
their tests ask for large differences, or that something is drawn at all."""


class Shake(NamedTuple):
    """One way to round otherwise."""

    name: str
    environment: dict[str, str]
    options: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()


def kernels() -> dict[str, str]:
    """The sets of kernels that run on this machine, each with a name by which OpenBLAS takes it.

    A core that OpenBLAS does not know, or whose kernels are those of another, is left out.
    """
    found: dict[str, str] = {}
    own = architecture({})
    for core in CORES:
        name = architecture({"OPENBLAS_CORETYPE": core})
        if name and (name != own or own.casefold() == core.casefold()):
            found.setdefault(name, core)
    if own and own not in found:
        found[own] = ""  # whatever the machine takes by itself
    return found


def architecture(environment: dict[str, str]) -> str:
    """What the BLAS libraries say they run on; nothing if the processor cannot run it."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() if done.returncode == 0 else ""


def shakes() -> list[Shake]:
    """One for each set of kernels; the first plays an old processor, the others shake digits.

    They share the rooms among them.
    """
    found: list[Shake] = []
    for seed, (own, core) in enumerate(kernels().items()):
        name = core or own
        environment = {"OPENBLAS_CORETYPE": core} if core else {}
        if seed == 0:
            plain = f"{name} without further processor features"
            found.append(Shake(plain, {**environment, **without_features()}))
        else:
            shaken = f"{name} with last digits {seed} of all views"
            found.append(Shake(shaken, environment, ("--shake", str(seed))))
    return [shake._replace(rooms=ROOMS[number :: len(found)]) for number, shake in enumerate(found)]


def without_features() -> dict[str, str]:
    """Let NumPy and numba use nothing that not every processor of this family has."""
    import numpy as np

    configuration = np.show_config(mode="dicts")
    features = configuration["SIMD Extensions"].get("found", [])
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(features), "NUMBA_CPU_NAME": "generic"}


def run(shake: Shake, arguments: list[str]) -> bool:
    """Whether the tests pass under one shake; two workers run them, each with one thread."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    rooms = [f"tests/{room}" for room in shake.rooms]
    return not subprocess.run(
        [*command, *shake.options, *(arguments or (*WHAT, *rooms))],
        cwd=ROOT,
        env={**os.environ, **alone, **shake.environment},
        check=False,
    ).returncode


def main() -> int:
    """Run all shakes, say what each is, and return how many failed."""
    names = [core or name for name, core in kernels().items()]
    print(f"{platform.machine()} runs these kernels: {', '.join(names)}")
    planned = shakes()
    chosen = os.environ.get("SHAKES", "")
    failed = []
    for number, shake in enumerate(planned, start=1):
        if chosen and str(number) not in chosen.split():
            continue
        settings = " ".join(f'{name}="{value}"' for name, value in shake.environment.items())
        print(f"\n[{number}/{len(planned)}] {shake.name}", flush=True)
        print(f"{settings} pytest {' '.join(shake.options)}", flush=True)
        print(f"rooms of this shake: {', '.join(shake.rooms)}", flush=True)
        began = time.monotonic()
        if not run(shake, sys.argv[1:]):
            failed.append(shake.name)
        print(f"{time.monotonic() - began:.0f} s", flush=True)
    print("\nshaken, and nothing moved" if not failed else f"\nfailed on: {'; '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
