"""All views side by side, as long as every feature of them is observed somewhere."""

from __future__ import annotations

import numpy as np

from manyviews.data import Layout, Views
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.typing import FloatArray


def wide_rows(views: Views) -> FloatArray:
    """Rows of all views, NaN where something is missing; refuses what is missing everywhere.

    Examples
    --------
    >>> wide_rows(Views({"size": [[1.0], None], "price": [[2.0], [3.0]]}))
    array([[ 1.,  2.],
           [nan,  3.]])
    """
    for name in views.names:
        if not views.observed_in(name).any():
            raise UnobservedViewsError(
                f"view {name!r} is observed for no object and teaches nothing; leave it out."
            )
    wide = np.asarray(views, dtype=np.float64)
    empty = np.flatnonzero(np.isnan(wide).all(axis=0))
    if len(empty):
        raise ViewsError(
            f"{_feature(views.layout, int(empty[0]))} is NaN in every object, so that nothing can "
            "be learnt of it; leave it out."
        )
    return wide


def refuse_constant(wide: FloatArray, layout: Layout) -> None:
    """Refuse a feature that has one value only, whose density would be infinite."""
    constant = np.flatnonzero(np.nanmin(wide, axis=0) == np.nanmax(wide, axis=0))
    if len(constant):
        raise ViewsError(
            f"{_feature(layout, int(constant[0]))} has the same value in every object that shows "
            "it; leave it out, or give a reg_covar above 0."
        )


def _feature(layout: Layout, column: int) -> str:
    """Name a column of the wide matrix by its view."""
    for name, columns in layout.slices().items():
        if column < columns.stop:
            place = column - columns.start
            known = layout.feature_names.get(name)
            own = place if known is None else f"{place} ({known[place]!r})"
            return f"feature {own} of view {name!r}"
    raise IndexError(f"column {column} is beyond the last of {layout.n_features}.")
