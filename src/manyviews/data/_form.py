"""Which of the accepted forms some data have, before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from manyviews.data import _convert
from manyviews.data._views import Views
from manyviews.typing import ViewsLike, is_sparse

Form = Literal["named", "positions", "matrix"]


def form_of(X: ViewsLike) -> Form:
    """Tell views with names from views by position and from one plain matrix.

    Examples
    --------
    >>> form_of({"text": [[1.0]]}), form_of([[[1.0]], [[2.0]]]), form_of([[1.0, 2.0]])
    ('named', 'positions', 'matrix')
    """
    if is_sparse(X):  # before Mapping: a DOK matrix is a dict, too
        return "matrix"
    if isinstance(X, Views | Mapping) or _convert.is_multimodal(X):
        return "named"
    if _convert.is_frame(X) and _convert.split_columns(X):
        return "named"
    if _convert.list_of_views(X) is not None:
        return "positions"
    return "matrix"
