"""Tell what the views are worth before a method is chosen, and why a model says what it says."""

from manyviews.explain.annealing import InformationCurve
from manyviews.explain.bottleneck_equations import Bottleneck, bottleneck, membership_of
from manyviews.explain.conditional_information_bottleneck import ConditionalInformationBottleneck
from manyviews.explain.contribution_report import ViewContribution, ViewContributions
from manyviews.explain.diagnosis import diagnose
from manyviews.explain.information_bottleneck import InformationBottleneck
from manyviews.explain.local_patterns import LocalPatternClassifier
from manyviews.explain.pattern_report import LocalPattern, LocalPatternReport
from manyviews.explain.report import Diagnosis, Finding, JointReport, PairReport, ViewReport
from manyviews.explain.view_contributions import view_contributions

__all__ = [
    "Bottleneck",
    "ConditionalInformationBottleneck",
    "Diagnosis",
    "Finding",
    "InformationBottleneck",
    "InformationCurve",
    "JointReport",
    "LocalPattern",
    "LocalPatternClassifier",
    "LocalPatternReport",
    "PairReport",
    "ViewContribution",
    "ViewContributions",
    "ViewReport",
    "bottleneck",
    "diagnose",
    "membership_of",
    "view_contributions",
]
