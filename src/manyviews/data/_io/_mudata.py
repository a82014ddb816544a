"""What the two halves of the MuData format share: its names, and the package itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from manyviews.exceptions import MissingExtraError

SECTION = "manyviews"
"""Where our own notes stand in ``uns``."""
VERSION = 1
FEATURES = "manyviews_feature"
"""Column of ``var`` with the exact feature names, where MuData cannot have them as row names."""
LABEL_COLUMNS = ("y", "label")
"""Columns of ``obs`` that are taken for labels, in this order."""


@contextmanager
def loaded() -> Iterator[Any]:
    """The package, not pulling columns between tables, its advice to users of its own API muted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import mudata
        except ImportError as error:
            raise MissingExtraError("reading and writing .h5mu files", "mudata") from error
        with not_pulling(mudata):
            yield mudata


def not_pulling(mudata: Any) -> AbstractContextManager[Any]:
    """Keep columns of one table out of the others; from mudata 0.4 on that is how it is."""
    if hasattr(mudata, "set_options"):
        return mudata.set_options(pull_on_update=False)
    return nullcontext()
