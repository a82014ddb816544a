"""Say what to label or measure next."""

from manyviews.acquire.plan import plan
from manyviews.acquire.plan_report import Action, Plan

__all__ = ["Action", "Plan", "plan"]
