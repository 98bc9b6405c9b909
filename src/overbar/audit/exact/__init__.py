"""The exact auditor: privacy profiles of small runs by enumeration, and a search for the worst.

Internal files::

    law                what a mechanism does, sound or broken
    profile            (ε, δ) and losses between two runs, as intervals that hold the truth
    neighbour_profile  the profile of a plan or law between neighbouring inputs
    ranked_outcomes    all outcomes where the highest noisy values win
    count_outcomes     what counts beside labels tell
    list_search        two small lists of scores, for all that takes a whole list
    key_outcomes       all outcomes of a search for keys
    worst_case         the worst path, tree or strategy; a plan against its own guarantee
"""

from __future__ import annotations

from overbar.audit.exact.adversary import Adversary, Node, tree_adversary
from overbar.audit.exact.events import Path, Step
from overbar.audit.exact.key_outcomes import key_profile
from overbar.audit.exact.law import Law, RankedLaw, ThresholdNoise, law_of
from overbar.audit.exact.neighbour_profile import exact_profile, unlisted_profile
from overbar.audit.exact.profile import Interval, Profile
from overbar.audit.exact.worst_case import ExactRow, Finding, audit_law, audit_plan, search

__all__ = [
    "Adversary",
    "ExactRow",
    "Finding",
    "Interval",
    "Law",
    "Node",
    "Path",
    "Profile",
    "RankedLaw",
    "Step",
    "ThresholdNoise",
    "audit_law",
    "audit_plan",
    "exact_profile",
    "key_profile",
    "law_of",
    "search",
    "tree_adversary",
    "unlisted_profile",
]
