"""The exact auditor: privacy profiles of small runs by enumeration, and a search for the worst.

Every mechanism is a law, and every law has ``outcomes``: all that can be said about one input, with
bounds on how likely it is. Two inputs make a profile, and the search looks for the worst.

Internal files::

    law              what a mechanism does, sound or broken
    run              a walk through all that a run against a noisy threshold can say
    strategies       what it is asked: paths, queries that depend on the answers, lists in turn
    ranked_outcomes  where the highest noisy values win, and what counts beside labels tell
    key_outcomes     a search for keys
    profile          (ε, δ) and losses between two runs, as intervals that hold the truth
    neighbours       the profile between two inputs, and all small lists of scores
    worst_case       the worst list, path or strategy; a plan against its own guarantee
"""

from __future__ import annotations

from overbar.audit.exact.law import Law
from overbar.audit.exact.neighbours import exact_profile
from overbar.audit.exact.worst_case import audit_plan, search

__all__ = ["Law", "audit_plan", "exact_profile", "search"]
