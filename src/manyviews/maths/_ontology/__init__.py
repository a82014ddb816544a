"""Classes with the constraints between them [@dalvi2015]."""

from manyviews.maths._ontology._ontology import Ontology

__all__ = ["Ontology"]
