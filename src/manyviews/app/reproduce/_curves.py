"""A table whose rows are numbers, read as curves: one per column."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.app.reproduce._report import TableReport


def curves_of(report: TableReport) -> dict[str, Any]:
    """Return what :class:`manyviews.plot.CurvesDisplay` draws of a measured table.

    Examples
    --------
    >>> from manyviews.app.reproduce import Measured, Table, compare
    >>> table = Table("f", "A figure", ("0", "1"), ("ours",), ((None,), (None,)), axes=("x", "y"))
    >>> report = TableReport(table, compare(table, Measured(np.array([[[0.5], [0.7]]]))))
    >>> curves_of(report)["curves"]["ours"].tolist()
    [0.5, 0.7]
    """
    table = report.table
    if table.axes is None:
        raise ValueError(f"table {table.key!r} is no set of curves; it says no axes.")
    fields = {"curves": "mean", "spreads": "spread", "published": "published"}
    by_field = {
        name: {
            column: np.array(
                [getattr(cell, field) for cell in report.cells if cell.column == column], float
            )
            for column in table.columns
        }
        for name, field in fields.items()
    }
    return {
        "points": [float(row) for row in table.rows],
        **by_field,
        "x_label": table.axes[0],
        "y_label": table.axes[1],
        "title": table.caption,
    }
