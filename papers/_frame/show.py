"""A reproduction as a reader sees it: published beside ours, a verdict per cell, the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from papers._frame.paper import Paper
from papers._frame.report import Report, TableReport
from papers._frame.verdict import UNEXPLAINED, Cell, Verdict

_STYLES = {
    Verdict.WITHIN: "green",
    Verdict.BETTER: "cyan",
    Verdict.WORSE: "yellow",
    Verdict.DIFFERENT: "yellow",
    Verdict.NOT_MEASURED: "dim",
    Verdict.NOT_PUBLISHED: "dim",
}


def show_papers(papers: Iterable[Paper], console: Console) -> None:
    """List papers with their tables and the data they need."""
    listing = RichTable("paper", "year", "title", "tables", "data", box=box.SIMPLE_HEAD)
    listing.columns[0].no_wrap = True  # a key is typed as it stands
    for paper in papers:
        tables = ", ".join(table.key for table in paper.tables)
        data = ", ".join(paper.data) or "none"
        listing.add_row(paper.key, str(paper.year), escape(paper.title), tables, data)
    console.print(listing)


def show_report(report: Report, console: Console) -> None:
    """Print every table, its reasons and notes, and what the verdicts add up to."""
    paper = report.paper
    console.print(f"[bold]{escape(paper.title)}[/bold]")
    console.print(f"{escape(', '.join(paper.authors))}, {paper.year} ({escape(paper.key)})")
    for sentence in paper.deviations:
        console.print(f"· {escape(sentence)}")
    for table in report.tables:
        _show_table(table, console)
    console.print(summary(report.cells, len(report.seeds)))


def summary(cells: Sequence[Cell], n_seeds: int) -> str:
    """Count the verdicts in one sentence.

    Examples
    --------
    >>> summary([], 3)
    '0 cells over 3 seeds.'
    """
    counts = Counter(cell.verdict for cell in cells)
    parts = [f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict]]
    unexplained = sum(cell.reason == UNEXPLAINED for cell in cells)
    if unexplained:
        parts.append(f"{unexplained} of them {UNEXPLAINED}")
    seeds = f"{n_seeds} seed" if n_seeds == 1 else f"{n_seeds} seeds"
    return f"{len(cells)} cells over {seeds}{': ' if parts else ''}{', '.join(parts)}."


def _show_table(report: TableReport, console: Console) -> None:
    table = report.table
    reasons = _numbered(report.cells)
    console.print(f"\n[bold]{table.key}: {escape(table.caption)}[/bold]")
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("row", "column", "published", "ours", "verdict"):
        numeric = heading in {"published", "ours"}
        grid.add_column(heading, justify="right" if numeric else "left", no_wrap=numeric)
    for cell in report.cells:
        new_row = cell.column == table.columns[0]
        grid.add_row(
            escape(cell.row) if new_row else "",
            escape(cell.column),
            number(cell.published, cell.published_spread, table.decimals),
            _ours(cell, table.decimals),
            _verdict(cell, reasons),
            end_section=cell.column == table.columns[-1],
        )
    console.print(grid)
    for reason, place in reasons.items():
        console.print(f"\\[{place}] {escape(reason)}")
    for note in report.notes:
        console.print(f"· {escape(note)}")


def number(value: float | None, spread: float | None, decimals: int) -> str:
    """Write a number with its spread, or a dash.

    Examples
    --------
    >>> number(0.5, None, 2), number(0.5, 0.04, 2), number(None, None, 2)
    ('0.50', '0.50 ± 0.04', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.{decimals}f}"
    return text if spread is None else f"{text} ± {spread:.{decimals}f}"


def _ours(cell: Cell, decimals: int) -> str:
    text = number(cell.mean, cell.spread, decimals + 1)
    if 0 < cell.n_measured < len(cell.values):
        text += f" ({cell.n_measured} of {len(cell.values)} seeds)"
    return text


def _numbered(cells: Iterable[Cell]) -> dict[str, int]:
    """Number the stated reasons in the order of appearance."""
    stated = (cell.reason for cell in cells if cell.reason and cell.reason != UNEXPLAINED)
    return {reason: place for place, reason in enumerate(dict.fromkeys(stated), start=1)}


def _verdict(cell: Cell, reasons: dict[str, int]) -> str:
    if cell.reason == UNEXPLAINED:
        return f"[red]{cell.verdict}, {UNEXPLAINED}[/red]"
    style = _STYLES[cell.verdict]
    mark = f" \\[{reasons[cell.reason]}]" if cell.reason else ""
    return f"[{style}]{cell.verdict}[/{style}]{mark}"
