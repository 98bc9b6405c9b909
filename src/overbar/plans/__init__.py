"""Plans: every public number of a run, one class for each mechanism (see ``plan``)."""

from __future__ import annotations

from overbar.plans.composed_plan import Composed, Groups
from overbar.plans.histogram_plan import HistogramPlan
from overbar.plans.key_plans import CountNoise, KeyPlan, OneKeyPlan, Round, SetUnionPlan
from overbar.plans.monitor_plan import MonitorPlan
from overbar.plans.plan import Plan
from overbar.plans.ranked_plan import RankedPlan
from overbar.plans.reach_and_bar import Bar, Reach, Repeats
from overbar.plans.sparse_vector_plan import SparseVectorPlan

__all__ = [
    "Bar",
    "Composed",
    "CountNoise",
    "Groups",
    "HistogramPlan",
    "KeyPlan",
    "MonitorPlan",
    "OneKeyPlan",
    "Plan",
    "RankedPlan",
    "Reach",
    "Repeats",
    "Round",
    "SetUnionPlan",
    "SparseVectorPlan",
]
