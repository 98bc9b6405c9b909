"""From what a user wants (ε, δ, cutoff) to a plan that delivers it.

make                plan: the one call that makes every plan
plan_parameters     a plan that was given, or the parameters that ask for one; other ways beside it
request             what was asked, checked, and what is to be added to the threshold
choice              which mechanism and noises, where that was left open
search              the least noise of each way, by one search on one function
counts              counts and groups around any way
keys, key_rounds, key_counts: searches for keys, and what they find
"""

from __future__ import annotations

from overbar.accuracy.allocation import budget_ratio
from overbar.planning.make import plan

__all__ = ["budget_ratio", "plan"]
