"""Accounting: one theorem per file, each computed from a plan.

Internal files::

    theorem            what every theorem below answers
    pure               Theorem 2 of the paper: pure ε, exact fractions
    race               the race theorem for plans: (ε, δ) for unlimited adaptive queries
    race_theorem       what it says, by race_integrals and hazard; race_calibration inverts it
    bare               the same without noise on the threshold
    bounded_range      the top by Gumbel noise, by profile_operator: a step in front of others
    partial_shift      the same with the threshold noise shifted by a part: less noise
    threshold_loss     what shifting that noise costs
    ranked             the highest noisy values, pure
    histogram          one noisy value for each, where a person has few items
    renyi              runs that redraw their threshold: composition of pure runs
    capped             Gaussian queries with a limit on comparisons
    unlisted           candidates read off the data
    set_union          keys that nobody listed, in rounds, and key_counts beside them
    one_key            the same where one key of each person counts
    composition        plans whose costs add up in one release
    conversion         from Rényi divergences to (ε, δ)
    loss_distribution  a guarantee as losses and their chances
    guarantees         the best of them, as a value; pure_guarantee where δ = 0 is all there is
    spending           what a run has cost so far
"""

from __future__ import annotations

from overbar.accounting.guarantees import ApproximateDP, UnlistedDP, guarantee
from overbar.accounting.pure_guarantee import Guarantee, PureDP
from overbar.accounting.spending import spent
from overbar.accounting.unlisted import unlisted_delta

__all__ = [
    "ApproximateDP",
    "Guarantee",
    "PureDP",
    "UnlistedDP",
    "guarantee",
    "spent",
    "unlisted_delta",
]
