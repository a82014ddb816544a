"""A diagnosis as a picture on disk, drawn without a screen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from manyviews.data import replaced_file

FORMATS = ("pdf", "png", "svg")


def check_picture(path: Path) -> None:
    """Refuse a file name that ends in no known format."""
    if path.suffix.lstrip(".").lower() not in FORMATS:
        endings = ", ".join(f".{name}" for name in FORMATS)
        raise ValueError(f"{path} is no name for a picture; let it end in one of {endings}.")


def draw(diagnosis: Any, path: Path) -> None:
    """Draw a diagnosis into a file, whose ending gives the format."""
    check_picture(path)
    os.environ.setdefault("MPLBACKEND", "Agg")  # a command draws into files only
    from manyviews.plot import DiagnosisDisplay

    figure = DiagnosisDisplay.from_diagnosis(diagnosis).figure_
    with replaced_file(path) as temporary:
        figure.savefig(temporary, format=path.suffix.lstrip(".").lower(), dpi=150)
