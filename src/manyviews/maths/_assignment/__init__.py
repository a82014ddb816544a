"""Exact assignment of sets of labels to objects that are scored in several views [@dalvi2015]."""

from manyviews.maths._assignment._assign import assign_labels
from manyviews.maths._assignment._value import assignment_value

__all__ = ["assign_labels", "assignment_value"]
