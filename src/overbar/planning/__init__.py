"""From what a user wants (ε, δ, cutoff) to a plan that delivers it.

planning            plan: the one call that makes every plan
plan_parameters     a plan that was given, or the parameters that ask for one; other ways beside it
request             what was asked, checked, and what is to be added to the threshold
choice              which mechanism and noises, where that was left open
kind                how a mechanism meets a request, and the least noise that keeps it
ranked_kind, histogram_kind, bare_set_kind, sparse_vector_kind: each mechanism's own answer
key_kind            searches for keys
allocation          how a budget is split between a bar and the queries
races               about the noise of a race, where a search begins
scales              scales of noise that keep what is asked for
counts_noise        the noise of counts beside labels, and what it leaves to the labels
"""

from __future__ import annotations

from overbar.planning.allocation import budget_ratio
from overbar.planning.make import plan

__all__ = ["budget_ratio", "plan"]
