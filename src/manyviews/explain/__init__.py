"""Tell what the views are worth before a method is chosen."""

from manyviews.explain.diagnosis import diagnose
from manyviews.explain.report import Diagnosis, Finding, JointReport, PairReport, ViewReport

__all__ = ["Diagnosis", "Finding", "JointReport", "PairReport", "ViewReport", "diagnose"]
