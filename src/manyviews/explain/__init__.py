"""Tell what the views are worth before a method is chosen, and why a model says what it says."""

from manyviews.explain.contribution_report import ViewContribution, ViewContributions
from manyviews.explain.diagnosis import diagnose
from manyviews.explain.local_patterns import LocalPatternClassifier
from manyviews.explain.pattern_report import LocalPattern, LocalPatternReport
from manyviews.explain.report import Diagnosis, Finding, JointReport, PairReport, ViewReport
from manyviews.explain.view_contributions import view_contributions

__all__ = [
    "Diagnosis",
    "Finding",
    "JointReport",
    "LocalPattern",
    "LocalPatternClassifier",
    "LocalPatternReport",
    "PairReport",
    "ViewContribution",
    "ViewContributions",
    "ViewReport",
    "diagnose",
    "view_contributions",
]
