"""Say what to label or measure next."""

from manyviews.acquire.bayesian_co_training import BayesianCoTraining
from manyviews.acquire.plan import plan
from manyviews.acquire.plan_report import Action, Plan
from manyviews.acquire.posterior import Posterior

__all__ = ["Action", "BayesianCoTraining", "Plan", "Posterior", "plan"]
