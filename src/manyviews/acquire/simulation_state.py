"""How far the runs of a simulation are, on disk: killed at any moment, they go on from there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.acquire.campaign import Campaign
from manyviews.data import Labels, Views, replaced_file, replaced_folder, settled
from manyviews.exceptions import FileFormatError
from manyviews.typing import is_sparse

__all__ = ["Question", "State", "Step", "Store", "described", "facts_of"]

FORMAT = 1
"""Of the files."""
FACTS = "simulation.json"
"""The file that says what is simulated."""

# -- how far a run is ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """Ask for the label of an object, or measure a view of it."""

    row: int
    view: int | None
    """Position of the view; None is the label."""
    cost: float


@dataclass(frozen=True)
class Step:
    """Actions that were taken at once, and the score of the model that was fitted after them."""

    actions: tuple[Question, ...]
    score: float


@dataclass(frozen=True)
class State:
    """How far a run is."""

    steps: tuple[Step, ...] = ()
    """The first has no actions."""
    done: bool = False

    @property
    def spent(self) -> float:
        """Costs of all actions so far."""
        return float(sum(action.cost for step in self.steps for action in step.actions))


# -- a folder --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Store:
    """A folder with a file that says what is simulated, and one for each run.

    A file is replaced as a whole after each step. Whoever is killed between two steps has chosen
    actions that nobody wrote down, and chooses the same again: every draw follows from the seed
    and the number of the step.
    """

    folder: Path
    key: str
    """Of the simulation that the folder belongs to; stands in every file."""

    @classmethod
    def opened(cls, path: str | PathLike[str], facts: Mapping[str, Any]) -> Store:
        """Make the folder, or check that it belongs to this simulation."""
        folder = Path(path)
        settled(folder)
        store = cls(folder, digest(json.dumps(facts, sort_keys=True)))
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            with replaced_folder(folder, refuse_begun) as new:
                (new / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
            return store
        if not (folder / FACTS).is_file():
            raise FileExistsError(
                f"{folder} is there already and holds no simulation; choose another folder."
            )
        refuse_other(facts, parsed(folder / FACTS), folder)
        return store

    def read(self, criterion: str, seed: int, exactly: str) -> State:
        """How far a run has come; ``exactly`` is its criterion beyond the name of a function."""
        file = self._file(criterion, seed)
        if not file.exists():
            return State()
        content = parsed(file)
        try:
            own = [self.key, exactly, seed]
            if [content["key"], content["criterion"], content["seed"]] != own:
                raise FileFormatError(
                    f"{file} is of another simulation; remove it, and this run begins again."
                )
            steps = tuple(
                Step(
                    tuple(Question(*question) for question in step["actions"]), float(step["score"])
                )
                for step in content["steps"]
            )
            return State(steps, bool(content["done"]))
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, FileFormatError):
                raise
            raise FileFormatError(damaged(file)) from error

    def write(self, criterion: str, seed: int, exactly: str, state: State) -> None:
        """Replace the file of a run."""
        content = {
            "key": self.key,
            "criterion": exactly,
            "seed": seed,
            "done": state.done,
            "steps": [
                {"actions": [[a.row, a.view, a.cost] for a in step.actions], "score": step.score}
                for step in state.steps
            ],
        }
        with replaced_file(self._file(criterion, seed)) as new:
            new.write_text(json.dumps(content), encoding="utf-8")

    def _file(self, criterion: str, seed: int) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9_]', '_', criterion)}-seed-{seed}.json"


def refuse_begun(folder: Path) -> None:
    """Refuse to replace a folder that another process has begun since it was looked at."""
    if (folder / FACTS).exists():
        raise FileExistsError(f"another process has just begun {folder}; call again to join it.")


def parsed(file: Path) -> dict[str, Any]:
    """What a file holds."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:  # of JSON, and of Unicode
        raise FileFormatError(damaged(file)) from error
    if not isinstance(content, dict):
        raise FileFormatError(damaged(file))
    return content


def damaged(file: Path) -> str:
    """Say that a file cannot be read, and what to do."""
    return f"{file} is damaged; remove it, and what it holds is simulated again."


def refuse_other(own: Mapping[str, Any], there: Mapping[str, Any], folder: Path) -> None:
    """Refuse a folder of another simulation, naming the first thing that differs."""
    for name, value in own.items():
        other = there.get(name)
        if other != value:
            long = max(len(str(value)), len(str(other))) > 60
            what = "differs" if long else f"is {other!r}, not {value!r}"
            raise ValueError(
                f"{folder} holds another simulation, whose {name} {what}; choose another folder, "
                "or remove it."
            )


# -- what a folder belongs to ----------------------------------------------------------------------


def facts_of(campaign: Campaign) -> dict[str, Any]:
    """What a folder must belong to; more criteria and seeds may be added to it."""
    scoring = campaign.scoring
    return {
        "format": FORMAT,
        "data": digest_of_data(campaign.views, campaign.labels),
        "model": described(campaign.model),
        "budget": campaign.budget,
        "batch": campaign.batch,
        "costs": digest(campaign.costs),
        "kinds": list(campaign.kinds),
        "start": campaign.start,
        "hidden": described(campaign.hidden),
        "evaluation": campaign.evaluation,
        "test_size": campaign.test_size if campaign.evaluation == "inductive" else None,
        "scoring": scoring if isinstance(scoring, str) else described(scoring),
    }


def digest(*parts: Any) -> str:
    """Checksum of arrays and texts."""
    found = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            found.update(f"{part.dtype.str}{part.shape}".encode())
            found.update(np.ascontiguousarray(part).tobytes())
        else:
            found.update(repr(part.tolist() if isinstance(part, np.ndarray) else part).encode())
    return found.hexdigest()[:16]


def digest_of_data(views: Views, labels: Labels) -> str:
    """Checksum of everything that a simulation finds out."""
    parts: list[Any] = [views.names, views.observed, labels.codes, labels.classes]
    for name in views.names:
        matrix: Any = views[name]
        sparse = is_sparse(matrix)
        parts += [matrix.data, matrix.indices, matrix.indptr, matrix.shape] if sparse else [matrix]
    return digest(*parts)


def described(value: Any) -> str:
    """An estimator or another parameter in words that are the same in every process."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        params = sorted(value.get_params(deep=False).items())
        return f"{type(value).__name__}({', '.join(f'{k}={described(v)}' for k, v in params)})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{described(k)}: {described(v)}' for k, v in value.items())}}}"
    if isinstance(value, np.ndarray):
        return f"array {digest(value)}"
    if hasattr(value, "__code__"):  # of two functions of one name, the code tells which
        return f"{value.__module__}.{value.__qualname__} {digest(value.__code__.co_code.hex())}"
    if isinstance(value, str):
        return value
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
