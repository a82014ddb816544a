"""Kept results are of the tables as they stand, and judged as they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from papers._frame import Measured, compare, load_experiment, paper_keys

FOUND = Path(__file__).parents[2] / "papers" / "found"


def test_every_paper_has_what_was_found():
    assert sorted(path.stem for path in FOUND.iterdir()) == list(paper_keys())


@pytest.mark.parametrize("key", paper_keys())
def test_verdicts_that_were_kept_follow_from_the_numbers_that_were_kept(key):
    paper = load_experiment(key).paper
    kept = json.loads((FOUND / f"{key}.json").read_text(encoding="utf-8"))
    assert [table["key"] for table in kept["tables"]] == [table.key for table in paper.tables]
    for found, table in zip(kept["tables"], paper.tables, strict=True):
        cells = found["cells"]
        values = np.array([cell["values"] for cell in cells], dtype=float).T
        shape = (len(values), len(table.rows), len(table.columns))
        judged = compare(table, Measured(values.reshape(shape)))
        assert [
            (c["row"], c["column"], c["published"], c["verdict"], c["reason"]) for c in cells
        ] == [(c.row, c.column, c.published, str(c.verdict), c.reason) for c in judged]
