"""Every number that the diagnosis decides by, in one place."""

from __future__ import annotations

# -- how much is measured ------------------------------------------------------------------------

MAX_OBJECTS = 5_000
"""Objects beyond this many are left to chance: a random subset is measured."""
MAX_COMPONENTS = 200
"""Principal components that stand for a view in all that is learned from it."""
MIN_COMPONENTS = 50
"""A view keeps a tenth as many components as it has objects, but at least this many."""
FOLDS = 5
"""Folds of every cross-validation; fewer where the smallest class is smaller."""
CLUSTER_COMPONENTS = 10
"""Principal components that k-means sees."""
CLUSTER_RANGE = range(2, 11)
"""Numbers of clusters that are tried; the best silhouette decides."""
SILHOUETTE_OBJECTS = 1_000
"""Objects on which a silhouette is computed."""
CORRELATION_COMPONENTS = 20
"""Principal components per view for canonical correlations, at most one per ten objects."""
CORRELATIONS = 3
"""How many canonical correlations are reported."""
RIDGE = 0.1
"""Regularisation of the canonical correlations, as a share of the mean variance."""
TEST_OBJECTS = 400
"""Objects that enter the kernel test of dependence."""
TEST_CLASSES = 40
"""Classes among which these objects are drawn, so that each keeps some to be exchanged."""
PERMUTATIONS = 199
"""Re-pairings in that test."""

# -- when something is said ----------------------------------------------------------------------

STANDARD_ERRORS = 2.5
"""A difference counts when it is this many standard errors over folds away from nothing."""
MIN_GAIN = 0.01
"""And when it is at least this large (balanced accuracy: one point). That a view adds less is
only said with at least 1 / MIN_GAIN labelled objects, since one object is then one point."""
NEAR_CHANCE = 0.15
"""A view is near chance when it covers less than this share of the way from chance to 1."""
STRUCTURE = 0.05
"""Clusters are real when their silhouette beats that of a Gaussian cloud by this much."""
CONTRADICTION = 0.05
"""Two clusterings have nothing in common when their adjusted Rand index is below this."""
AGREEMENT = 0.5
"""Two clusterings say the same when their adjusted Rand index is at least this."""
SIGNIFICANCE = 0.01
"""A p-value up to this speaks for dependence..."""
NO_EVIDENCE = 0.1
"""... and one above this gives no reason to doubt independence."""
STRONG_DEPENDENCE = 0.1
"""Dependence from this on breaks an assumption of independence; below, it only strains it."""
MIN_DEPENDENCE = 0.02
"""Dependence below this is too weak to matter even if it is significant."""
DUPLICATE_DEPENDENCE = 0.9
"""Views are near duplicates when their dependence reaches this..."""
DUPLICATE_CORRELATION = 0.95
"""... and so does their first held-out canonical correlation this."""
UNOBSERVED_SHARE = 0.01
"""A view is worth calling incomplete when more than this share of the objects lack it."""
FEW_SHARED_OBJECTS = 30
"""Pairs seen together less often than this are not compared."""
EMPTY_ROWS = 0.01
"""Rows of zeros are worth a question when more than this share of the rows are like that."""
SCALE_FACTOR = 10.0
"""Views are on different scales when their spreads differ by this factor."""
DOMINANT_SHARE = 0.9
"""One feature outweighs a view when it carries this share of the variance."""
FEW_LABELS = 0.1
"""A smaller share of labelled objects calls for semi-supervised methods."""
IMBALANCE = 10.0
"""Classes are imbalanced when the largest is this many times the smallest."""
FEW_PER_CLASS = 10
"""Accuracies are uncertain when a class has fewer labelled objects than this."""
LARGEST_CLUSTER = 0.95
"""Clusters of which one holds more than this are outliers, not structure."""
