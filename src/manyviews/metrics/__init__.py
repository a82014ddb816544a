"""How good clusters, rankings and the agreement of views are; scikit-learn's own where it has them.

Labels may be integers, strings, booleans or other hashable values, and every value counts as a
label (``-1`` too, as in scikit-learn): leave unlabelled objects out before scoring.
"""

from manyviews.metrics._agreement import (
    disagreement_rate,
    view_agreement,
    view_disagreement_matrix,
    view_imbalance,
    view_unanimity,
)
from manyviews.metrics._clusters import (
    PairwiseScores,
    adjusted_rand_score,
    cluster_entropy,
    normalized_mutual_info_score,
    pairwise_precision_recall_f,
)
from manyviews.metrics._ranking import precision_recall_break_even

__all__ = [
    "PairwiseScores",
    "adjusted_rand_score",
    "cluster_entropy",
    "disagreement_rate",
    "normalized_mutual_info_score",
    "pairwise_precision_recall_f",
    "precision_recall_break_even",
    "view_agreement",
    "view_disagreement_matrix",
    "view_imbalance",
    "view_unanimity",
]
