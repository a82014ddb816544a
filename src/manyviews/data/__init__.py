"""Views of objects: the container, its checks, per-view parameters, labels and files."""

from manyviews.data._checks import (
    check_columns,
    check_views,
    match_layout,
    refuse_vanishing,
    split_wide,
)
from manyviews.data._compressed import sparse_fault
from manyviews.data._convert import as_plain_matrix, ids_of, is_frame, named_once, position_name
from manyviews.data._dataset import Dataset
from manyviews.data._form import form_of
from manyviews.data._io import read, write
from manyviews.data._io._atomic import replaced_file, replaced_folder
from manyviews.data._io._claim import settled
from manyviews.data._io._damage import refuse_absent
from manyviews.data._io._size import check_size
from manyviews.data._labels import Labels, codes_among, split_labelled
from manyviews.data._layout import Layout
from manyviews.data._mask import read_mask
from manyviews.data._per_view import per_view, read_view_weights
from manyviews.data._rows import in_row_order, refuse_other_order, row_ids
from manyviews.data._spread import spread_rows
from manyviews.data._views import Views

__all__ = [
    "Dataset",
    "Labels",
    "Layout",
    "Views",
    "as_plain_matrix",
    "check_columns",
    "check_size",
    "check_views",
    "codes_among",
    "form_of",
    "ids_of",
    "in_row_order",
    "is_frame",
    "match_layout",
    "named_once",
    "per_view",
    "position_name",
    "read",
    "read_mask",
    "read_view_weights",
    "refuse_absent",
    "refuse_other_order",
    "refuse_vanishing",
    "replaced_file",
    "replaced_folder",
    "row_ids",
    "settled",
    "sparse_fault",
    "split_labelled",
    "split_wide",
    "spread_rows",
    "write",
]
