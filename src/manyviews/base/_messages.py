"""Reports, warnings of non-convergence, and hints at views that make a poor answer likely."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Container, Iterable, Sequence
from types import FrameType
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.data import Views
from manyviews.exceptions import ViewsWarning
from manyviews.maths import mostly_zeros
from manyviews.typing import FloatArray, Matrix, is_sparse


def aligned(table: Sequence[Sequence[str]], numbers: Container[int] = ()) -> list[str]:
    """Lay a table out in lines with columns of one width; those of numbers stand to the right.

    Examples
    --------
    >>> print(*aligned([["view", "gain"], ["radar", "0.4"]], numbers=[1]), sep=chr(10))
    view   gain
    radar   0.4
    """
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in numbers else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def headed(table: Sequence[Sequence[str]]) -> str:
    """Lay out a table whose first row is its head, with a line below it."""
    head, *body = lines = aligned(table)
    return "\n".join([head, "─" * max(map(len, lines)), *body])


def report(method: Any, message: str) -> None:
    """Print what a method with ``verbose`` is doing; the caller knows whether it is asked for.

    Examples
    --------
    >>> class CoSomething: ...
    >>> report(CoSomething(), "start 1 of 10")
    CoSomething: start 1 of 10
    """
    print(f"{type(method).__name__}: {message}", flush=True)


def warn_not_converged(method: Any, happened: str, remedy: str = "raise max_iter or tol") -> None:
    """Warn that going on would change the answer, and say what to do.

    Parameters
    ----------
    method : estimator
        Who did not converge.
    happened : str
        How far it came: "did not converge in max_iter=5 steps (the objective …)".
    remedy : str
        What the user can do.
    """
    warn_user(f"{type(method).__name__} {happened}; {remedy}.", ConvergenceWarning)


def warn_of_minutes(method: Any, work: str, remedy: str) -> None:
    """Warn before a long computation begins.

    Parameters
    ----------
    method : estimator
        Who is about to compute.
    work : str
        What, and of what size: "compares all pairs of 90,000 objects …".
    remedy : str
        What the user can do.
    """
    warn_user(f"{type(method).__name__} {work}, which takes minutes; {remedy}.", UserWarning)


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the user's own line, however many of our calls are in between."""
    package = __name__.partition(".")[0]
    frame: FrameType | None = sys._getframe(1)
    level = 2  # the caller; 1 is this function
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


# Hints --------------------------------------------------------------------------------------------

FEWEST = 3
"""Features from which a view should have more than one that counts."""
ALONE = 1.1
"""Effective number of features by variance, (Σ s²)² / Σ s⁴, below which one stands alone with more
than 95 % of the variance. It is so in 2 of the 70 views of the 20 development sets."""
SMALL = 2
"""Counts of rare things are mostly ones and twos: the median of those that are not zero is 1 in all
word counts of the development sets, and 6 or more in images."""
UNEQUAL = 0.25
"""Spread of the totals of rows beside their mean from which their length stands in the way. It is
0.42 and more in the word counts of the development sets (12 views), and 0.13 and less in images."""


def hint_at_scales(views: Views, chosen: Iterable[str], method: str) -> None:
    """Warn of each view, of those that a method compares by distances, that is one feature.

    That is, one feature has nearly all of the variance, and distances see no other.
    Views of mostly zeros are passed over: there a frequent word is no slip of units.
    """
    for name in chosen:
        rows = views[name][np.flatnonzero(views.observed_in(name))]
        if rows.shape[0] < 2 or rows.shape[1] < FEWEST or mostly_zeros(rows):
            continue
        variances = feature_variances(rows)
        largest = float(variances.max())
        if largest == 0 or not np.isfinite(largest):
            continue
        shares = variances / largest  # squares of large numbers would overflow
        if shares.sum() ** 2 < ALONE * (shares**2).sum():
            place = int(variances.argmax())
            names = views.feature_names.get(name)
            own = place if names is None else repr(str(names[place]))
            warn_user(
                f"feature {own} has {1 / shares.sum():.1%} of the "
                f"variance of view {name!r}, and {method} will hardly see the other "
                f"{rows.shape[1] - 1}; unless that is meant, scale the features first: "
                f"make_pipeline(PerView(StandardScaler()), {method}(...)), or --standardize on the "
                "command line.",
                ViewsWarning,
            )


def hint_at_counts(views: Views, chosen: Iterable[str], method: str) -> None:
    """Warn of each view, of those that a method compares by distances, that looks like raw counts.

    Distances between counts of words are mostly those between long texts and short ones:
    ``FusedSpectral`` with a Gaussian kernel has a mean NMI of 0.15 on four sets of word counts (one
    draw), and 0.82 on their tf-idf weights.
    """
    for name in chosen:
        if looks_like_counts(views[name][np.flatnonzero(views.observed_in(name))]):
            warn_user(
                f"view {name!r} looks like raw counts, of which {method} will see how many there "
                "are in a row rather than of what; unless that is meant, weigh them first, "
                f"make_pipeline(PerView(TfidfTransformer()), {method}(...)), or compare by the "
                "cosine.",
                ViewsWarning,
            )


def looks_like_counts(rows: Matrix) -> bool:
    """Whether cells are counts of rare things, as of words, and some rows have many more of them.

    Yes and no, images and tables of categories are none: they have no cell above one, or few
    small ones, or as much in every row.

    Examples
    --------
    >>> words = np.eye(8)
    >>> looks_like_counts(words), looks_like_counts(words * [1, 1, 1, 1, 1, 2, 3, 9])
    (False, True)
    """
    if rows.shape[0] < 2 or not mostly_zeros(rows):
        return False
    cells = rows.data if is_sparse(rows) else rows[rows != 0]
    cells = cells[cells != 0]  # a CSR matrix may store zeros
    if not len(cells) or cells.min() < 0 or cells.max() < 2 or (cells % 1 != 0).any():
        return False
    totals = np.asarray(rows.sum(axis=1), dtype=np.float64)
    return bool(np.median(cells) <= SMALL and totals.std() > UNEQUAL * totals.mean())


def feature_variances(rows: Matrix) -> FloatArray:
    """Variance of each column."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not is_sparse(rows):
            return np.asarray(np.var(rows, axis=0, dtype=np.float64))
        means = np.asarray(rows.mean(axis=0))
        squares: Any = rows.power(2).mean(axis=0)
        return np.maximum(np.asarray(squares) - means**2, 0.0)
