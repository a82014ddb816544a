"""Figures of what the other rooms find, as Display objects; only here is matplotlib imported."""

from manyviews.plot.curves import CurvesDisplay
from manyviews.plot.dendrogram import DendrogramDisplay
from manyviews.plot.diagnosis import DiagnosisDisplay
from manyviews.plot.information_curve import InformationCurveDisplay
from manyviews.plot.kernel_weights import KernelWeightsDisplay
from manyviews.plot.ontology import OntologyDisplay
from manyviews.plot.prototypes import PrototypesDisplay
from manyviews.plot.view_contribution import ViewContributionDisplay

__all__ = [
    "CurvesDisplay",
    "DendrogramDisplay",
    "DiagnosisDisplay",
    "InformationCurveDisplay",
    "KernelWeightsDisplay",
    "OntologyDisplay",
    "PrototypesDisplay",
    "ViewContributionDisplay",
]
