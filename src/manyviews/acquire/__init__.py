"""Say what to label or measure next."""

from manyviews.acquire.bayesian_co_training import BayesianCoTraining
from manyviews.acquire.posterior import Posterior

__all__ = ["BayesianCoTraining", "Posterior"]
