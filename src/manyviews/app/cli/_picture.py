"""Pictures on disk, drawn without a screen."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manyviews.data import replaced_file

FORMATS = ("pdf", "png", "svg")


def check_picture(path: Path) -> None:
    """Refuse a file name that ends in no known format."""
    if path.suffix.lstrip(".").lower() not in FORMATS:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise ValueError(f"{path} is no name for a picture; let it end in one of {endings}.")


def draw(make: Callable[[Any], Any], path: Path) -> None:
    """Draw into a file, whose ending gives the format.

    ``make`` gets the module ``manyviews.plot`` and returns a display that has been drawn.
    """
    check_picture(path)
    os.environ.setdefault("MPLBACKEND", "Agg")  # a command draws into files only
    from manyviews import plot

    figure = make(plot).figure_
    with replaced_file(path) as temporary:
        figure.savefig(temporary, format=path.suffix.lstrip(".").lower(), dpi=150)
