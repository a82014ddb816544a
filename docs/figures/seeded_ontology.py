"""The classes of the generated entities, with how many of each there are."""

import matplotlib.pyplot as plt

from manyviews.datasets import make_hierarchical_views
from manyviews.plot import OntologyDisplay

data = make_hierarchical_views(random_state=4)
figure, axes = plt.subplots(figsize=(9, 3.8), layout="constrained")
OntologyDisplay.from_ontology(data.ontology, data.extra["indicator"].sum(axis=0), ax=axes)
