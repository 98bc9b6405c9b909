"""Mechanisms: each is a plan, with every public number of a run, and how it runs (see ``plan``)."""

from __future__ import annotations

from overbar.mechanisms.histogram import HistogramPlan
from overbar.mechanisms.key_values import CountNoise, Round
from overbar.mechanisms.keys import KeyPlan, SetUnionPlan
from overbar.mechanisms.monitor import MonitorPlan
from overbar.mechanisms.one_key import OneKeyPlan
from overbar.mechanisms.plan import Plan, part
from overbar.mechanisms.ranked import RankedPlan
from overbar.mechanisms.reach_and_bar import Bar, Reach, Repeats
from overbar.mechanisms.run import Answer
from overbar.mechanisms.score_plan import ScorePlan
from overbar.mechanisms.sparse_vector import SparseVectorPlan
from overbar.mechanisms.together import Composed, Groups

__all__ = [
    "Answer",
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
    "ScorePlan",
    "SetUnionPlan",
    "SparseVectorPlan",
    "part",
]
