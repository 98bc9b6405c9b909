"""The exact auditor: privacy profiles of small runs by enumeration, and a search for the worst.

law         what a mechanism does, sound or broken
profile     (ε, δ) and losses between two runs, as intervals that hold the truth
exactly     the profile of a plan or law between neighbouring inputs
search      the worst path, tree or strategy
rows        a plan against its own guarantee
unlisted    candidates read off the data
"""

from __future__ import annotations

from overbar.audit.exact.adversary import Adversary, Node, tree_adversary
from overbar.audit.exact.events import Path, Step
from overbar.audit.exact.exactly import exact_profile
from overbar.audit.exact.law import Law, ThresholdNoise, law_of
from overbar.audit.exact.profile import Interval, Profile
from overbar.audit.exact.rows import Row, audit_law, audit_plan
from overbar.audit.exact.search import Finding, search
from overbar.audit.exact.unlisted import unlisted_profile

__all__ = [
    "Adversary",
    "Finding",
    "Interval",
    "Law",
    "Node",
    "Path",
    "Profile",
    "Row",
    "Step",
    "ThresholdNoise",
    "audit_law",
    "audit_plan",
    "exact_profile",
    "law_of",
    "search",
    "tree_adversary",
    "unlisted_profile",
]
