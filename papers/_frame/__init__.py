"""The frame of all papers: tables as data, the data folder, verdicts, and the report."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import papers
from papers._frame.data import DataFolder, MissingDataError
from papers._frame.paper import (
    Experiment,
    Measured,
    Numbers,
    Paper,
    Place,
    Progress,
    Run,
    Table,
    published,
    silent,
    unpublished,
)
from papers._frame.report import Report, TableReport, run_experiment
from papers._frame.verdict import Cell, Verdict, combined_spread, compare, judge

__all__ = [
    "Cell",
    "DataFolder",
    "Experiment",
    "Measured",
    "MissingDataError",
    "Numbers",
    "Paper",
    "Place",
    "Progress",
    "Report",
    "Run",
    "Table",
    "TableReport",
    "UnknownPaperError",
    "Verdict",
    "combined_spread",
    "compare",
    "judge",
    "load_experiment",
    "paper_keys",
    "published",
    "run_experiment",
    "silent",
    "unpublished",
]


class UnknownPaperError(ValueError):
    """A paper is asked for that has no file here."""


def paper_keys() -> tuple[str, ...]:
    """Keys of all papers, in alphabetical order; nothing is imported.

    Examples
    --------
    >>> "desa2005" in paper_keys()
    True
    """
    names = (module.name for module in pkgutil.iter_modules(papers.__path__))
    return tuple(sorted(name.replace("_", "-") for name in names if not name.startswith("_")))


def load_experiment(key: str) -> Experiment:
    """Return a paper with its experiment.

    Examples
    --------
    >>> load_experiment("desa2005").paper.year
    2005
    """
    if key not in paper_keys():
        raise UnknownPaperError(
            f"there is no paper {key!r}; the papers are {', '.join(paper_keys())}."
        )
    module = import_module(f"papers.{key.replace('-', '_')}")
    if module.PAPER.key != key:
        raise ValueError(
            f"the module {module.__name__} holds the paper {module.PAPER.key!r}; "
            "name it after the key."
        )
    return Experiment(module.PAPER, module.run)
