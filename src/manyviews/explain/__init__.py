"""What the views are worth before a method is chosen."""

from manyviews.explain._diagnose import diagnose
from manyviews.explain._report import Diagnosis, Finding, JointReport, PairReport, ViewReport

__all__ = ["Diagnosis", "Finding", "JointReport", "PairReport", "ViewReport", "diagnose"]
