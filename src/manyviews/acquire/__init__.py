"""Say what to label or measure next."""

from manyviews.acquire.bayesian_co_training import BayesianCoTraining
from manyviews.acquire.criteria import (
    Ranking,
    aggressive_contention,
    committee_probabilities,
    conservative_contention,
    contention_points,
    entropy,
    kl_to_mean,
    least_confident,
    margin,
    naive_contention,
    probabilities,
    rank,
    vote_entropy,
)
from manyviews.acquire.learning_curves import Lead, LearningCurve, LearningCurves, Saving, Taken
from manyviews.acquire.plan import plan
from manyviews.acquire.plan_report import Action, Plan
from manyviews.acquire.posterior import Posterior
from manyviews.acquire.simulate import simulate

__all__ = [
    "Action",
    "BayesianCoTraining",
    "Lead",
    "LearningCurve",
    "LearningCurves",
    "Plan",
    "Posterior",
    "Ranking",
    "Saving",
    "Taken",
    "aggressive_contention",
    "committee_probabilities",
    "conservative_contention",
    "contention_points",
    "entropy",
    "kl_to_mean",
    "least_confident",
    "margin",
    "naive_contention",
    "plan",
    "probabilities",
    "rank",
    "simulate",
    "vote_entropy",
]
