"""Views of objects: the container, its checks, per-view parameters, labels and files."""

from manyviews.data.checks import (
    check_columns,
    check_views,
    form_of,
    match_layout,
    refuse_vanishing,
    split_wide,
)
from manyviews.data.convert import (
    as_plain_matrix,
    ids_of,
    is_frame,
    named_once,
    position_name,
    sparse_fault,
    spread_rows,
)
from manyviews.data.io import read, write
from manyviews.data.io.atomic import replaced_file, replaced_folder, settled
from manyviews.data.io.safety import check_size, refuse_absent
from manyviews.data.labels import Labels, codes_among, split_labelled
from manyviews.data.parameters import per_view, read_mask, read_view_weights
from manyviews.data.rows import in_row_order, refuse_other_order, row_ids
from manyviews.data.views import Dataset, Layout, Views, summaries

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
    "summaries",
    "write",
]
