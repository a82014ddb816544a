"""How a ``Views`` shows itself in a terminal and in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from manyviews.typing import Matrix, is_sparse

if TYPE_CHECKING:
    from manyviews.data._views import Views


class ViewSummary(NamedTuple):
    """One line about one view."""

    name: str
    n_features: int
    kind: str
    dtype: str
    density: float
    observed: float


def summaries(views: Views) -> list[ViewSummary]:
    """Shape, kind, density (over the observed rows) and share observed of each view."""
    return [
        ViewSummary(
            name,
            int(matrix.shape[1]),
            "sparse" if is_sparse(matrix) else "dense",
            str(matrix.dtype),
            density(matrix, int(seen.sum())),
            float(seen.mean()) if len(seen) else 1.0,
        )
        for (name, matrix), seen in zip(views.items(), views.observed.T, strict=True)
    ]


def density(matrix: Matrix, n_observed: int) -> float:
    """Share of the cells in observed rows that are neither zero nor missing."""
    cells = n_observed * matrix.shape[1]
    if cells == 0:
        return 0.0
    if is_sparse(matrix):
        return float(matrix.nnz) / cells
    return float(np.count_nonzero(matrix) - np.count_nonzero(np.isnan(matrix))) / cells


def as_text(views: Views) -> str:
    """One line for the whole and one for each view."""
    rows = summaries(views)
    width = max(len(row.name) for row in rows)
    digits = max(len(f"{row.n_features:,}") for row in rows)
    lines = [f"Views of {len(views):,} objects in {views.n_views} views"]
    lines += [
        f"  {row.name:<{width}}  {row.n_features:>{digits},} features  {row.kind:<6} {row.dtype}"
        f"  density {row.density:.3g}  observed {row.observed:.1%}"
        for row in rows
    ]
    return "\n".join(lines)


def as_html(views: Views) -> str:
    """Return the same as a small table."""
    heads = ("view", "shape", "kind", "dtype", "density", "observed")
    head = "".join(f"<th style='text-align:left'>{text}</th>" for text in heads)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td style='text-align:left'>{escape(text)}</td>"
            for text in (
                row.name,
                f"{len(views):,} × {row.n_features:,}",
                row.kind,
                row.dtype,
                f"{row.density:.3g}",
                f"{row.observed:.1%}",
            )
        )
        + "</tr>"
        for row in summaries(views)
    )
    caption = f"<b>Views</b> of {len(views):,} objects in {views.n_views} views"
    return f"<div>{caption}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
