"""Ensembles of hyperplane classifiers over subsets of views: folds of proteins [@okun2005].

``evidence`` trains the classifier of every subset once per split and measures ensembles of them,
``layers`` makes tables of that; ``tables`` has what the paper prints and why ours differ.
"""

from __future__ import annotations

import numpy as np

from papers._frame import DataFolder, Measured, Progress
from papers.okun2005.tables import PAPER

__all__ = ["PAPER", "run"]


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table, once per seed."""
    from papers.okun2005.layers import LAYERS

    for name in PAPER.table(table).data:
        data.path(name)
    layers: list[list[list[float]]] = []
    notes: list[str] = []
    for number, seed in enumerate(seeds):
        progress(number, len(seeds), f"{table} seed {seed}")
        rows, said = LAYERS[table](seed, str(data.root))
        layers.append(rows)
        notes.extend(said)
    progress(len(seeds), len(seeds))
    return Measured(np.array(layers), tuple(dict.fromkeys(notes)))
