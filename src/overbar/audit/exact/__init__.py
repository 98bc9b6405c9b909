"""The exact auditor: privacy profiles of small runs by enumeration, and a search for the worst."""

from __future__ import annotations

from overbar.audit.exact.adversary import Adversary, Node, tree_adversary
from overbar.audit.exact.events import Path, Step
from overbar.audit.exact.exactly import exact_profile
from overbar.audit.exact.law import Law, ThresholdNoise, law_of
from overbar.audit.exact.profile import Interval, Profile

__all__ = [
    "Adversary",
    "Interval",
    "Law",
    "Node",
    "Path",
    "Profile",
    "Step",
    "ThresholdNoise",
    "exact_profile",
    "law_of",
    "tree_adversary",
]
