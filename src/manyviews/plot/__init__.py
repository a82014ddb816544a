"""Figures of what the other rooms find, as Display objects; only here is matplotlib imported."""

from manyviews.plot._curves import CurvesDisplay
from manyviews.plot._dendrogram import DendrogramDisplay
from manyviews.plot._diagnosis import DiagnosisDisplay
from manyviews.plot._kernel_weights import KernelWeightsDisplay
from manyviews.plot._ontology import OntologyDisplay
from manyviews.plot._prototypes import PrototypesDisplay

__all__ = [
    "CurvesDisplay",
    "DendrogramDisplay",
    "DiagnosisDisplay",
    "KernelWeightsDisplay",
    "OntologyDisplay",
    "PrototypesDisplay",
]
